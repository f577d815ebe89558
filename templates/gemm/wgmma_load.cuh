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

static __device__ __forceinline__ void KERNEL_advance(const NAME_args &, KERNEL_source &s)
{
    s.k += BK;
}

static __device__ __forceinline__ bool KERNEL_is_mapped(const KERNEL_given &given)
{
    return given.is_mapped;
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

/* Puts a step's elements in x and w. */
static __device__ __forceinline__ void KERNEL_fill(const NAME_args &a, const KERNEL_source &s, unsigned char *x, unsigned char *w)
{
    KERNEL_put<128>(x, s.of.x, s.of.ldx, s.m0, KERNEL_nrow(a), s.k, KERNEL_nk(a), BM);
#if W_IS_KN
#pragma unroll 1
    for (int n = 0; n < BN; n += W_BOX)
        KERNEL_put<W_SPAN>(w + n / W_BOX * (BK * W_SPAN), s.of.w + n, s.of.ldw, s.k, KERNEL_nk(a), s.n0, KERNEL_ncol(a) - n, BK);
#else
    KERNEL_put<128>(w, s.of.w, s.of.ldw, s.n0, KERNEL_ncol(a), s.k, KERNEL_nk(a), BN);
#endif
}
