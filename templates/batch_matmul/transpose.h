/* SPDX-License-Identifier: MIT-0 */
/* Packing: eight columns of B, four values of k, go into the block, where rows of BLOCK columns lie one behind the other, a
 * row for each k. */
typedef float KERNEL_quad __attribute__((vector_size(16), aligned(4), may_alias));
typedef float KERNEL_eight __attribute__((vector_size(32), aligned(4), may_alias));

#if LAYOUT_B_NK
/* Four values of k of column r, and of column r + 4 behind them. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE KERNEL_eight
KERNEL_two_columns(const float *const *p, const int r, int64_t stride)
{
    const KERNEL_quad low = *(const KERNEL_quad *)KERNEL_row(p, r, stride);
    const KERNEL_quad *high = (const KERNEL_quad *)KERNEL_row(p, r + 4, stride);
    KERNEL_eight v;
#if VECTOR_BYTES > 16 /* gcc would load both and shuffle: to insert from memory is a load and a blend */
    __asm__("vinsertf128 $1, %2, %t1, %0" : "=x"(v) : "x"(low), "m"(*high));
#else
    v = __builtin_shufflevector(low, *high, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
    return v;
}
#endif

/* p: the rows of B, ws apart: eight columns' at the first k, or four k's at the first column. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_round(const float *const *p, int64_t ws, float *block)
{
#if LAYOUT_B_NK
    const KERNEL_eight c0 = KERNEL_two_columns(p, 0, ws), c1 = KERNEL_two_columns(p, 1, ws);
    const KERNEL_eight c2 = KERNEL_two_columns(p, 2, ws), c3 = KERNEL_two_columns(p, 3, ws);
    const KERNEL_eight low01 = __builtin_shufflevector(c0, c1, 0, 8, 1, 9, 4, 12, 5, 13);
    const KERNEL_eight low23 = __builtin_shufflevector(c2, c3, 0, 8, 1, 9, 4, 12, 5, 13);
    const KERNEL_eight high01 = __builtin_shufflevector(c0, c1, 2, 10, 3, 11, 6, 14, 7, 15);
    const KERNEL_eight high23 = __builtin_shufflevector(c2, c3, 2, 10, 3, 11, 6, 14, 7, 15);
    *(KERNEL_eight *)block = __builtin_shufflevector(low01, low23, 0, 1, 8, 9, 4, 5, 12, 13);
    *(KERNEL_eight *)(block + BLOCK) = __builtin_shufflevector(low01, low23, 2, 3, 10, 11, 6, 7, 14, 15);
    *(KERNEL_eight *)(block + 2 * BLOCK) = __builtin_shufflevector(high01, high23, 0, 1, 8, 9, 4, 5, 12, 13);
    *(KERNEL_eight *)(block + 3 * BLOCK) = __builtin_shufflevector(high01, high23, 2, 3, 10, 11, 6, 7, 14, 15);
#else
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        *(KERNEL_eight *)(block + i * BLOCK) = *(const KERNEL_eight *)KERNEL_row(p, i, ws);
#endif
}
