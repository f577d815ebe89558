/* SPDX-License-Identifier: MIT-0 */
/* How the stages are filled: by TMA, one thread starts the copies of all; or, where TMA cannot copy the operands, element by element, by all threads
 * of the warpgroup, to the same places. */
static __device__ __forceinline__ void KERNEL_copy(const KERNEL_given &given, const KERNEL_ring &r, KERNEL_place &p, const KERNEL_item &i)
{
#pragma unroll 1
    for (int k = i.first * BK; k < i.end * BK; k += BK) {
        unsigned char *x = r.stage + p.stage * STAGE_BYTES, *w = x + BM * 128;
        uint64_t *full = r.full + p.stage;
        PACKAGE_device::mbarrier_wait(r.empty + p.stage, p.parity);
        PACKAGE_device::mbarrier_arrive_expect(full, STAGE_BYTES);
        PACKAGE_device::tensor_load_2(x, &given.x_map, full, k, i.m0);
#if W_IS_KN
#pragma unroll
        for (int n = 0; n < BN; n += W_BOX)
            PACKAGE_device::tensor_load_2(w + n / W_BOX * (BK * W_SPAN), &given.w_map, full, i.n0 + n, k);
#else
        PACKAGE_device::tensor_load_2(w, &given.w_map, full, k, i.n0);
#endif
        KERNEL_next(p);
    }
}

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
            v[l] = row + at < nrow && col + c * most + l < ncol ? from[(int64_t)(row + at) * ld + col + c * most + l] : (Element)0;
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
    for (int k = i.first * BK; k < i.end * BK; k += BK) {
        unsigned char *x = r.stage + p.stage * STAGE_BYTES, *w = x + BM * 128;
        PACKAGE_device::mbarrier_wait(r.empty + p.stage, p.parity);
        KERNEL_put<128>(x, o.x, o.ldx, i.m0, KERNEL_nrow(a), k, KERNEL_nk(a), BM);
#if W_IS_KN
#pragma unroll 1
        for (int n = 0; n < BN; n += W_BOX)
            KERNEL_put<W_SPAN>(w + n / W_BOX * (BK * W_SPAN), o.w, o.ldw, k, KERNEL_nk(a), i.n0 + n, KERNEL_ncol(a), BK);
#else
        KERNEL_put<128>(w, o.w, o.ldw, i.n0, KERNEL_ncol(a), k, KERNEL_nk(a), BN);
#endif
        PACKAGE_device::proxy_fence();
        PACKAGE_device::barrier_sync(1, 128); /* all threads have stored */
        if (threadIdx.x == 0)
            PACKAGE_device::mbarrier_arrive(r.full + p.stage);
        KERNEL_next(p);
    }
}
