/* SPDX-License-Identifier: MIT-0 */
/* How mma_gemm stores its sums. */
#if STAGED
/* Computes the formula, rounds, and stores what exists. */
static __device__ __forceinline__ void
KERNEL_store(const float (&acc)[MTILES][NTILES][4], const NAME_args &a, RESULT_TYPE *stages, int m0, int n0)
{
    const int lane = KERNEL_thread() % 32, warp = KERNEL_thread() / 32;
    const int row = warp % (BM / WM) * ROUND_ROWS + lane / 4, col = warp / (BM / WM) * WN + lane % 4 * 2;
    KERNEL_rounds((float *)stages, a, m0, n0, [&](float *sums, int round) {
        constexpr int part = MTILES / ROUNDS;
#pragma unroll
        for (int i = 0; i < part; i++)
#pragma unroll
            for (int j = 0; j < NTILES; j++)
#pragma unroll
                for (int e = 0; e < 4; e += 2) {
                    const float *v = acc[round * part + i][j] + e;
                    *(float2 *)(sums + (row + 16 * i + 4 * e) * F_PITCH + col + 8 * j) = make_float2(v[0], v[1]);
                }
    });
}
#else
/* Two neighbouring elements of Y to shared memory. */
static __device__ __forceinline__ void KERNEL_put2(RESULT_TYPE *to, float v0, float v1)
{
#if WORDS
    *(float2 *)to = make_float2(v0, v1);
#else
    *(unsigned *)to = PACKAGE_device::RESULT_ELEMENT_of(v0) | (unsigned)PACKAGE_device::RESULT_ELEMENT_of(v1) << 16;
#endif
}

/* The formula of an element of the tile, if there is such a one. Beyond the last row or column it is that of the last one once more:
 * loads need no conditions. */
static __device__ __forceinline__ float KERNEL_value(const NAME_args &a, float sum, int m0, int n0, int m, int n)
{
    return KERNEL_epilogue(a, sum, m0 + min(m, KERNEL_nrow(a) - m0 - 1), n0 + min(n, KERNEL_ncol(a) - n0 - 1));
}

/* Computes the formula, rounds, and stores the tile by way of shared memory, so that a warp stores whole rows. */
static __device__ __forceinline__ void
KERNEL_store(const float (&acc)[MTILES][NTILES][4], const NAME_args &a, RESULT_TYPE *tile, int m0, int n0)
{
    const int lane = KERNEL_thread() % 32, warp = KERNEL_thread() / 32;
    const int row = warp % (BM / WM) * WM + lane / 4, col = warp / (BM / WM) * WN + lane % 4 * 2;
    __syncthreads(); /* nobody reads a stage any more */
#pragma unroll
    for (int j = 0; j < NTILES; j++) {
        const int n = col + 8 * j;
#pragma unroll
        for (int i = 0; i < MTILES; i++)
#pragma unroll
            for (int e = 0; e < 4; e += 2) {
                const int m = row + 16 * i + 4 * e;
                KERNEL_put2(tile + m * Y_PITCH + n, KERNEL_value(a, acc[i][j][e], m0, n0, m, n),
                            KERNEL_value(a, acc[i][j][e + 1], m0, n0, m, n + 1));
            }
    }
    __syncthreads();
    const int nrow = min(KERNEL_nrow(a) - m0, BM), ncol = min(KERNEL_ncol(a) - n0, BN);
    const KERNEL_operands o = KERNEL_of(a, KERNEL_nk(a));
    RESULT_TYPE *y = o.y + STRIDED(Y, 0, (int64_t)m0 * o.ldy) + n0;
    if ((uintptr_t)o.y % 16 == 0 && (KERNEL_ncol(a) | o.ldy) % QUAD == 0) {
#pragma unroll 4
        for (int e = KERNEL_thread(); e < BM * (BN / QUAD); e += NT / PROBLEMS) {
            const int r = e / (BN / QUAD), n = e % (BN / QUAD) * QUAD;
            if (r < nrow && n < ncol)
                *(uint4 *)(y + STRIDED(Y, KERNEL_row_at(a, m0 + r), (int64_t)r * o.ldy) + n) = *(const uint4 *)(tile + r * Y_PITCH + n);
        }
    } else {
#pragma unroll 4
        for (int e = KERNEL_thread(); e < BM * BN; e += NT / PROBLEMS)
            if (e / BN < nrow && e % BN < ncol)
                y[STRIDED(Y, KERNEL_row_at(a, m0 + e / BN), (int64_t)(e / BN) * o.ldy) + e % BN] = tile[e / BN * Y_PITCH + e % BN];
    }
}
#endif
