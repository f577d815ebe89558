/* SPDX-License-Identifier: MIT-0 */
/* The sums of a tile of `rows` rows x `panels` panels over the next `len` values of k. Both are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_run(const int rows, const int panels, KERNEL_vec acc[MR][NV], KERNEL_place *at, int64_t len, int64_t share)
{
#if UK > 1
    for (; len >= UK; len -= UK, KERNEL_next(rows, panels, at, UK, share))
#pragma GCC unroll 8
        for (int q = 0; q < UK; q++)
            KERNEL_step(rows, panels * VP, acc, at, q, 0, rows);
#endif
    for (; len > 0; len--, KERNEL_next(rows, panels, at, 1, share))
        KERNEL_step(rows, panels * VP, acc, at, 0, 0, rows);
}
