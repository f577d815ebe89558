/* SPDX-License-Identifier: MIT-0 */
/* Sums up the block's elements over its part of k, LANES lanes side by side along a row of W; sums[warp][row][column]. W's values are replaced,
 * once they are used, by those of the next time round: the compiler puts off loads that are used in the same. */
static __device__ __forceinline__ void KERNEL_sum(float *sums, const NAME_args &a, const KERNEL_task &b)
{
    constexpr int ncol = QUAD * COLS, apart = LANES * WIDTH; /* columns of a lane; from one of its loads to the next */
    constexpr int deep = WIDTH == 1 ? 4 : QUAD * UNROLL;     /* values of k at a time */
    const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    const LEFT_TYPE *x[ROWS];
    const RIGHT_TYPE *w = b.of.w + b.n0 + lane * WIDTH;
    const int left = KERNEL_ncol(a) - b.n0 - lane * WIDTH;
#if NSUM > 1 /* the first half of the columns is of W, the second one of G */
    const RIGHT_TYPE *g = b.of.g + b.n0 + lane * WIDTH;
    constexpr int half = ncol / WIDTH / NSUM;
#endif
    float acc[ROWS][ncol];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        x[r] = KERNEL_row(a, b.of, b.m0 + r);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < ncol; c++)
            acc[r][c] = 0;
    KERNEL_weights wv[deep][ncol / WIDTH];
    const auto fetch = [&](int i, unsigned k) {
#pragma unroll
        for (int c = 0; c < ncol / WIDTH; c++)
#if NSUM > 1
            wv[i][c].load<true>(c < half ? w + (uint64_t)b.of.ldw * i + c * apart : g + (uint64_t)b.of.ldg * i + (c - half) * apart,
                                k + i < b.k1 && c % half * apart < left);
#else
            wv[i][c].load<true>(w + (uint64_t)b.of.ldw * i + c * apart, k + i < b.k1 && c * apart < left);
#endif
    };
    w += (uint64_t)b.of.ldw * (b.k0 + group * deep);
#if NSUM > 1
    g += (uint64_t)b.of.ldg * (b.k0 + group * deep);
#endif
#pragma unroll
    for (int i = 0; i < deep; i++)
        fetch(i, b.k0 + group * deep);
#pragma unroll 1
    for (unsigned first = b.k0; first < b.k1; first += KGROUPS * deep) {
        const unsigned k = first + group * deep;
        w += (uint64_t)b.of.ldw * (KGROUPS * deep);
#if NSUM > 1
        g += (uint64_t)b.of.ldg * (KGROUPS * deep);
#endif
#pragma unroll
        for (int i = 0; i < deep; i += WIDTH) {
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const KERNEL_values xv = KERNEL_take(b, x[r], k, i);
#pragma unroll
                for (int l = 0; l < WIDTH; l++)
#pragma unroll
                    for (int c = 0; c < ncol; c++)
                        acc[r][c] = fmaf(xv[l], wv[i + l][c / WIDTH][c % WIDTH], acc[r][c]);
            }
#pragma unroll
            for (int l = 0; l < WIDTH; l++)
                fetch(i + l, k + KGROUPS * deep);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < ncol; c++) {
#pragma unroll
            for (int mask = 16; mask >= LANES; mask /= 2)
                acc[r][c] += PACKAGE_device::shfl_xor(acc[r][c], mask);
            if (threadIdx.x % 32 < LANES)
                sums[(threadIdx.x / 32 * ROWS + r) * BN + lane * WIDTH + c / WIDTH * apart + c % WIDTH] = acc[r][c];
        }
}
