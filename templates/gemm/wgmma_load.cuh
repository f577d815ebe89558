/* SPDX-License-Identifier: MIT-0 */
/* What a stage is filled with: BK values of k of X's rows from m0 on, and of W's columns from n0 on. */
struct KERNEL_source {
    KERNEL_operands of;
    int m0, n0, k; /* k: the next step's first */
};

static __device__ __forceinline__ KERNEL_source KERNEL_begin(const NAME_args &a, const KERNEL_item &i)
{
    return { KERNEL_of(a, KERNEL_nk(a)), i.m0, i.n0, i.first * BK };
}

/* Starts the copies of a step to x and w; the barrier waits for their bytes. */
static __device__ __forceinline__ void
KERNEL_load(const KERNEL_given &given, const KERNEL_source &s, unsigned char *x, unsigned char *w, uint64_t *full)
{
    PACKAGE_device::mbarrier_arrive_expect(full, COPY_BYTES);
    PACKAGE_device::tensor_load_2(x, &given.x_map, full, s.k, s.m0);
#if W_IS_KN
#pragma unroll
    for (int n = 0; n < BN; n += W_BOX)
        PACKAGE_device::tensor_load_2(w + n / W_BOX * (BK * W_SPAN), &given.w_map, full, (int)(s.n0 + (unsigned)n), s.k);
#else
    PACKAGE_device::tensor_load_2(w, &given.w_map, full, s.k, s.n0);
#endif
}
