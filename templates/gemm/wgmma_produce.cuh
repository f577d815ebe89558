/* SPDX-License-Identifier: MIT-0 */
/* How the stages are filled: by TMA, one thread starts the copies of all; or, where TMA cannot copy the operands, element by element, by all threads
 * of the warpgroup, to the same places. */
static __device__ __forceinline__ void KERNEL_copy(const KERNEL_given &given, const KERNEL_ring &r, KERNEL_place &p, const KERNEL_item &i)
{
#pragma unroll 1
    for (int step = i.first; step < i.end; step++) {
        const int k = step * BK;
        unsigned char *x = r.stage + p.stage * STAGE_BYTES, *w = x + BM * 128;
        uint64_t *full = r.full + p.stage;
        PACKAGE_device::mbarrier_wait(r.empty + p.stage, p.parity);
        PACKAGE_device::mbarrier_arrive_expect(full, COPY_BYTES);
        PACKAGE_device::tensor_load_2(x, &given.x_map, full, k, i.m0);
#if W_IS_KN
#pragma unroll
        for (int n = 0; n < BN; n += W_BOX)
            PACKAGE_device::tensor_load_2(w + n / W_BOX * (BK * W_SPAN), &given.w_map, full, (int)(i.n0 + (unsigned)n), k);
#else
        PACKAGE_device::tensor_load_2(w, &given.w_map, full, k, i.n0);
#endif
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
/* Puts `rows` rows of span bytes, from (row, col) on of a matrix with nrow rows and ncol columns, in their places. What lies outside is 0. */
template <int span, class Element>
static __device__ __forceinline__ void KERNEL_put(unsigned char *to, const Element *from, unsigned ld, int row, int nrow, int col, int ncol, int rows)
{
    constexpr int chunks = span / 16, most = 16 / ELEM_BYTES;
#pragma unroll 1
    for (int e = threadIdx.x; e < rows * chunks; e += 128) {
        const int at = e / chunks, c = e % chunks;
        Element v[most];
#pragma unroll
        for (int l = 0; l < most; l++)
            v[l] = at < nrow - row && c * most + l < ncol - col ? from[(int64_t)(row + at) * ld + col + c * most + l] : (Element)0;
        uint4 q;
#if ELEM_BYTES == 2
        q = make_uint4(v[0] | (unsigned)v[1] << 16, v[2] | (unsigned)v[3] << 16, v[4] | (unsigned)v[5] << 16, v[6] | (unsigned)v[7] << 16);
#else
        q = make_uint4(__float_as_uint(v[0]), __float_as_uint(v[1]), __float_as_uint(v[2]), __float_as_uint(v[3]));
#endif
        *(uint4 *)(to + at * span + (c ^ at * span / 128 % chunks) * 16) = q;
    }
}

static __device__ __forceinline__ void KERNEL_copy_elements(const NAME_args &a, const KERNEL_ring &r, KERNEL_place &p, const KERNEL_item &i)
{
    const KERNEL_operands o = KERNEL_of(a, KERNEL_nk(a));
#pragma unroll 1
    for (int step = i.first; step < i.end; step++) {
        const int k = step * BK;
        unsigned char *x = r.stage + p.stage * STAGE_BYTES, *w = x + BM * 128;
        PACKAGE_device::mbarrier_wait(r.empty + p.stage, p.parity);
        KERNEL_put<128>(x, o.x, o.ldx, i.m0, KERNEL_nrow(a), k, KERNEL_nk(a), BM);
#if W_IS_KN
#pragma unroll 1
        for (int n = 0; n < BN; n += W_BOX)
            KERNEL_put<W_SPAN>(w + n / W_BOX * (BK * W_SPAN), o.w + n, o.ldw, k, KERNEL_nk(a), i.n0, KERNEL_ncol(a) - n, BK);
#else
        KERNEL_put<128>(w, o.w, o.ldw, i.n0, KERNEL_ncol(a), k, KERNEL_nk(a), BN);
#endif
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
        KERNEL_next(p);
    }
}
