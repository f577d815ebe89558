/* SPDX-License-Identifier: MIT-0 */
/* Adds up `parts` partial sums of a tile: acc[0] is all of it. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_join(const int rows, const int vectors, const int parts, KERNEL_vec acc[][MR][NV])
{
    PACKAGE_UNROLL(32)
    for (int r = 0; r < rows; r++)
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++)
            PACKAGE_UNROLL(8)
            for (int q = 1; q < parts; q++)
                acc[0][r][v] += acc[q][r][v];
}
