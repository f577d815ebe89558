/* SPDX-License-Identifier: MIT-0 */
/* Sums up the block's elements over its part of k, WIDTH elements a load; sums[warp of k][row][column]. W's
 * values are replaced, once they are used, by those of the next time round: the compiler puts off loads that are used
 * in the same. */
static __device__ __forceinline__ void KERNEL_sum(float *sums, const NAME_args &a, const KERNEL_task &b)
{
    const int lane = threadIdx.x % 32, kwarp = threadIdx.x / 32 % KWARPS, col = threadIdx.x / 32 / KWARPS * COLS;
    constexpr unsigned step = 32 * WIDTH * KWARPS;
    const LEFT_TYPE *x[ROWS];
    const RIGHT_TYPE *w[COLS];
    float acc[ROWS][COLS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        x[r] = KERNEL_row(a, b.of, b.m0 + r);
#pragma unroll
    for (int c = 0; c < COLS; c++)
#if NSUM > 1 /* the first half of the columns is of W, the second one of G */
    {
        const int n = (col + c) % (BN / NSUM);
        const bool is_first = col + c < BN / NSUM;
        w[c] = (is_first ? b.of.w : b.of.g) + (uint64_t)(is_first ? b.of.ldw : b.of.ldg) * (unsigned)min(b.n0 + n, KERNEL_ncol(a) - 1);
    }
#else
        w[c] = b.of.w + (uint64_t)b.of.ldw * (unsigned)min(b.n0 + col + c, KERNEL_ncol(a) - 1);
#endif
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < COLS; c++)
            acc[r][c] = 0;
    KERNEL_weights wv[UNROLL][COLS];
    const auto fetch = [&](int u, unsigned k) {
#pragma unroll
        for (int c = 0; c < COLS; c++)
            wv[u][c].load<true>(w[c] + k, k < b.k1);
    };
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        fetch(u, b.k0 + kwarp * 32 * WIDTH + lane * WIDTH + u * step);
#pragma unroll 1
    for (unsigned first = b.k0 + kwarp * 32 * WIDTH; first < b.k1; first += step * UNROLL) {
        const unsigned k = first + lane * WIDTH;
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const KERNEL_values xv = KERNEL_take(b, x[r], k, u * step);
#pragma unroll
                for (int i = 0; i < WIDTH; i++)
#pragma unroll
                    for (int c = 0; c < COLS; c++)
                        acc[r][c] = fmaf(xv[i], wv[u][c][i], acc[r][c]);
            }
            fetch(u, k + (UNROLL + u) * step);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < COLS; c++) {
#pragma unroll
            for (int mask = 16; mask > 0; mask /= 2)
                acc[r][c] += PACKAGE_device::shfl_xor(acc[r][c], mask);
            if (lane == 0)
                sums[(kwarp * ROWS + r) * BN + col + c] = acc[r][c];
        }
}
