/* SPDX-License-Identifier: MIT-0 */
/* The sums of a tile, which are in registers: `vectors` vectors for each of `rows` rows, both constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_clear(const int rows, const int vectors, KERNEL_vec acc[MR][NV])
{
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++)
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++)
            acc[r][v] = (KERNEL_vec){0};
}

/* Writes them to rows that lie `stride` floats apart. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_write(const int rows, const int vectors, KERNEL_vec acc[MR][NV], float *to, int64_t stride)
{
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++, to += stride)
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++)
            *(KERNEL_vec *)(to + v * LANES) = acc[r][v];
}
