/* SPDX-License-Identifier: MIT-0 */
/* What a stage is filled with: BK values of k of A's rows from m0 on, and of B's columns from n0 on, of one matrix. */
struct KERNEL_source {
    KERNEL_operands of;
    int m0, n0, k;      /* k: the next step's first */
    int a0, a1, b0, b1; /* the matrix' places along B0 and B1 in the maps of A and B, which have one where a stride is 0 */
};

static __device__ __forceinline__ KERNEL_source KERNEL_begin(const NAME_args &a, const KERNEL_item &i)
{
    const int b0 = i.matrix / a.B1, b1 = i.matrix % a.B1;
    return { KERNEL_of_matrix(a, i.matrix), i.m0, i.n0, i.first * BK, a.A_stride[0] ? b0 : 0, a.A_stride[1] ? b1 : 0, a.B_stride[0] ? b0 : 0,
             a.B_stride[1] ? b1 : 0 };
}

/* Starts the copies of a step to x and w; the barrier waits for their bytes. */
static __device__ __forceinline__ void
KERNEL_load(const KERNEL_given &given, const KERNEL_source &s, unsigned char *x, unsigned char *w, uint64_t *full)
{
    PACKAGE_device::mbarrier_arrive_expect(full, COPY_BYTES);
    PACKAGE_device::tensor_load_4(x, &given.a_map, full, s.k, s.m0, s.a1, s.a0);
#if W_IS_KN
#pragma unroll
    for (int n = 0; n < BN; n += W_BOX)
        PACKAGE_device::tensor_load_4(w + n / W_BOX * (BK * W_SPAN), &given.b_map, full, (int)(s.n0 + (unsigned)n), s.k, s.b1, s.b0);
#else
    PACKAGE_device::tensor_load_4(w, &given.b_map, full, s.k, s.n0, s.b1, s.b0);
#endif
}
