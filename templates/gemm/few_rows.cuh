/* SPDX-License-Identifier: MIT-0 */
/* What the templates for few rows do once a block has its sums: SUMS sums of each of its BM x BN elements lie in
 * shared memory, one a warp that has it, SMEM / SUMS bytes apart, each where KERNEL_at(row, column) says. */
#if NSUM > 1
/* Computes the formula of both sums of one element, rounds and stores it. */
static __device__ __forceinline__ void KERNEL_store(const NAME_args &a, const KERNEL_operands &o, int m, int n, float acc, float gate)
{
    if (m >= KERNEL_nrow(a) || n >= KERNEL_ncol(a))
        return;
    o.y[(int64_t)m * o.ldy + n] = PACKAGE_device::RESULT_ELEMENT_of(KERNEL_epilogue(a, acc, gate, m, n));
}
#else
/* Computes the formula of one element, rounds and stores it. */
static __device__ __forceinline__ void KERNEL_store(const NAME_args &a, const KERNEL_operands &o, int m, int n, float v)
{
    if (m >= KERNEL_nrow(a) || n >= KERNEL_ncol(a))
        return;
    o.y[(int64_t)m * o.ldy + n] = PACKAGE_device::RESULT_ELEMENT_of(KERNEL_epilogue(a, v, m, n));
}
#endif

/* Element e of the block, row by row: what its warps have, added up in their order. */
static __device__ __forceinline__ float KERNEL_element(const float *sums, int e)
{
    float v = 0;
#pragma unroll
    for (int s = 0; s < SUMS; s++)
        v += sums[s * (SMEM / SUMS / 4) + KERNEL_at(e / BN, e % BN)];
    return v;
}

#if SPLITK > 1
/* Stores the block's sums in scratch memory, where the last block of the tile finds them: true in that one. */
static __device__ __forceinline__ bool KERNEL_share(float *sums, const NAME_args &a, float *tile)
{
    unsigned *counter = a.counters + blockIdx.x;
#pragma unroll 1
    for (int e = threadIdx.x; e < BM * BN; e += NT)
        tile[blockIdx.z * (BM * BN) + e] = KERNEL_element(sums, e);
    return KERNEL_is_last(counter, (unsigned *)sums);
}
#endif

/* The block's matrices, its first element of Y, and the part of k that it sums up: the row groups of the same
 * columns being neighbours; slice blockIdx.z of k. */
struct KERNEL_task {
    KERNEL_operands of;
    int m0, n0;
    unsigned k0, k1;
};

static __device__ __forceinline__ KERNEL_task KERNEL_find(const NAME_args &a)
{
    const unsigned down = (KERNEL_nrow(a) - 1) / BM + 1, tile = KERNEL_tile_number(a);
    const int K = KERNEL_nk(a);
    KERNEL_task b;
    b.of = KERNEL_of(a, K);
    b.m0 = tile % down * BM;
#if NSUM > 1
    b.n0 = tile / down * (BN / NSUM); /* a tile has as many columns of each weight */
#else
    b.n0 = tile / down * BN;
#endif
#if SPLITK > 1
    const unsigned units = K / BK + (K % BK != 0), slice = (units + gridDim.z - 1) / gridDim.z * BK;
    b.k0 = blockIdx.z * slice;
    b.k1 = min(b.k0 + slice, (unsigned)K);
#else
    b.k0 = 0;
    b.k1 = K;
#endif
    return b;
}

#if HAS_EPILOGUE
/* The block's first element of Y once more: by another quotient than KERNEL_find's, so that the compiler keeps neither through the sums, where
 * ptxas would spill it in some kernels. */
static __device__ __forceinline__ void KERNEL_find_again(const NAME_args &a, int &m0, int &n0)
{
    const unsigned down = ((unsigned)KERNEL_nrow(a) + (BM - 1)) / BM, tile = KERNEL_tile_number(a);
    m0 = tile % down * BM;
#if NSUM > 1
    n0 = tile / down * (BN / NSUM);
#else
    n0 = tile / down * BN;
#endif
}
#endif
#if NSUM > 1

/* Element e of the tile, row by row, over all slices. */
static __device__ __forceinline__ float KERNEL_whole(const float *sums, const float *tile, int e)
{
#if SPLITK > 1
    float v = 0;
#pragma unroll 4
    for (unsigned s = 0; gridDim.z > 1 && s < gridDim.z; s++)
        v += PACKAGE_device::load_l2(tile + s * (BM * BN) + e);
    if (gridDim.z > 1)
        return v;
#endif
    return KERNEL_element(sums, e);
}
#endif

/* Stores the block's part of Y. With more than one slice the last block of a tile adds them up, in their order. */
static __device__ __forceinline__ void KERNEL_finish(float *sums, const NAME_args &a, const KERNEL_task &b)
{
    __syncthreads();
#if SPLITK > 1
    float *tile = (float *)a.scratch + (size_t)blockIdx.x * gridDim.z * (BM * BN);
    if (gridDim.z > 1 && !KERNEL_share(sums, a, tile))
        return;
#endif
    int m0 = b.m0, n0 = b.n0;
#if HAS_EPILOGUE
    KERNEL_find_again(a, m0, n0);
#endif
#if NSUM > 1 /* a row of the tile has the sums of W, and behind them those of G */
#if SPLITK == 1
    const float *tile = sums;
#endif
#pragma unroll 1
    for (int e = threadIdx.x; e < BM * (BN / NSUM); e += NT) {
        const int m = e / (BN / NSUM), n = e % (BN / NSUM), at = m * BN + n;
        KERNEL_store(a, b.of, m0 + m, n0 + n, KERNEL_whole(sums, tile, at), KERNEL_whole(sums, tile, at + BN / NSUM));
    }
#else
#pragma unroll 1
    for (int e = threadIdx.x; e < BM * BN; e += NT) {
        float v = 0;
#if SPLITK > 1
#pragma unroll 4
        for (unsigned s = 0; gridDim.z > 1 && s < gridDim.z; s++)
            v += PACKAGE_device::load_l2(tile + s * (BM * BN) + e);
        if (gridDim.z == 1)
#endif
            v = KERNEL_element(sums, e);
        KERNEL_store(a, b.of, m0 + e / BN, n0 + e % BN, v);
    }
#endif
}
