/* SPDX-License-Identifier: MIT-0 */
/* What the templates for few rows do once a block has its sums: SUMS sums of each of its BM x BN elements lie in
 * shared memory, one a warp that has it, SMEM / SUMS bytes apart, each where KERNEL_at(row, column) says. */
/* Computes the formula of one element, rounds and stores it. */
static __device__ __forceinline__ void KERNEL_store(const NAME_args &a, const KERNEL_operands &o, int m, int n, float v)
{
    if (m >= KERNEL_nrow(a) || n >= KERNEL_ncol(a))
        return;
    o.y[(int64_t)m * o.ldy + n] = PACKAGE_device::RESULT_ELEMENT_of(KERNEL_epilogue(a, v, m, n));
}

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
    b.n0 = tile / down * BN;
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
    n0 = tile / down * BN;
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
}
