/* SPDX-License-Identifier: MIT-0 */
/* How the stages are filled: by TMA, one thread starts the copies of all; or, where TMA cannot copy the operands, element by element, by all threads
 * of the warpgroup, to the same places. */
#if MATRICES
/* Goes on to the next step. */
static __device__ __forceinline__ void KERNEL_advance(const NAME_args &, KERNEL_source &s)
{
    s.k += BK;
}

static __device__ __forceinline__ bool KERNEL_is_mapped(const KERNEL_given &given)
{
    return given.is_mapped;
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

#endif
static __device__ __forceinline__ void KERNEL_copy(const KERNEL_given &given, const KERNEL_ring &r, KERNEL_place &p, const KERNEL_item &i)
{
    KERNEL_source s = KERNEL_begin(given.call, i);
#pragma unroll 1
    for (int step = i.first; step < i.end; step++) {
        unsigned char *x = r.stage + p.stage * STAGE_BYTES;
        PACKAGE_device::mbarrier_wait(r.empty + p.stage, p.parity);
        KERNEL_load(given, s, x, x + BM * 128, r.full + p.stage);
        KERNEL_advance(given.call, s);
        KERNEL_next(p);
    }
}

#if THREE
/* Writes the low parts of the rows of the stage's second operand, from thread t of `threads` on; and high parts where an infinity has another one than
 * its first bits: the tensor core ignores the others. */
static __device__ __forceinline__ void KERNEL_split(unsigned char *x, int t, int threads)
{
    unsigned char *low = x + COPY_BYTES;
#if !SWAP
    x += BM * 128;
#endif
#pragma unroll 2
    for (int e = t * 16; e < WIDE * 128; e += threads * 16) {
        const uint4 v = *(const uint4 *)(x + e);
        uint4 h, l;
        PACKAGE_device::tf32_split(v.x, h.x, l.x);
        PACKAGE_device::tf32_split(v.y, h.y, l.y);
        PACKAGE_device::tf32_split(v.z, h.z, l.z);
        PACKAGE_device::tf32_split(v.w, h.w, l.w);
        *(uint4 *)(low + e) = l;
        if (((v.x ^ h.x) | (v.y ^ h.y) | (v.z ^ h.z) | (v.w ^ h.w)) & 0xffffe000)
            *(uint4 *)(x + e) = h;
    }
    PACKAGE_device::proxy_fence();
}

/* What the warps do that do not copy. */
static __device__ __forceinline__ void KERNEL_split_stages(const KERNEL_ring &r, KERNEL_place &p, const KERNEL_item &i)
{
#pragma unroll 1
    for (int step = i.first; step < i.end; step++) {
        PACKAGE_device::mbarrier_wait(r.full + p.stage, p.parity ^ 1);
        KERNEL_split(r.stage + p.stage * STAGE_BYTES, threadIdx.x - 32, 96);
        PACKAGE_device::barrier_sync(1, 96);
        if (threadIdx.x == 32)
            PACKAGE_device::mbarrier_arrive(r.split + p.stage);
        KERNEL_next(p);
    }
}

#endif
static __device__ __forceinline__ void KERNEL_copy_elements(const NAME_args &a, const KERNEL_ring &r, KERNEL_place &p, const KERNEL_item &i)
{
    KERNEL_source s = KERNEL_begin(a, i);
#pragma unroll 1
    for (int step = i.first; step < i.end; step++) {
        unsigned char *x = r.stage + p.stage * STAGE_BYTES;
        PACKAGE_device::mbarrier_wait(r.empty + p.stage, p.parity);
        KERNEL_fill(a, s, x, x + BM * 128);
        PACKAGE_device::proxy_fence();
        PACKAGE_device::barrier_sync(1, 128); /* all threads have stored */
#if THREE
        KERNEL_split(x, threadIdx.x, 128);
        PACKAGE_device::barrier_sync(1, 128);
        if (threadIdx.x == 0)
            PACKAGE_device::mbarrier_arrive(r.split + p.stage);
#endif
        if (threadIdx.x == 0)
            PACKAGE_device::mbarrier_arrive(r.full + p.stage);
        KERNEL_advance(a, s);
        KERNEL_next(p);
    }
}
