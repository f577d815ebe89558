/* SPDX-License-Identifier: MIT-0 */
/* The sums of a tile of `rows` rows x `panels` panels over the next `len` values of k. Both are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_run(const int rows, const int panels, KERNEL_vec acc[MR][NV], KERNEL_place *at, int64_t len, int64_t share)
{
#if UK > 1
    for (; len >= UK; len -= UK, KERNEL_next(rows, panels, at, UK, share))
        PACKAGE_UNROLL(8)
        for (int q = 0; q < UK; q++)
            KERNEL_step(rows, panels * VP, acc, at, q, 0, rows);
#endif
    for (; len > 0; len--, KERNEL_next(rows, panels, at, 1, share))
        KERNEL_step(rows, panels * VP, acc, at, 0, 0, rows);
}

/* Into how many parts the tasks of a call divide its pixels: into ntask, each with all filters; or into 1, as they divide its filters, each with all
 * pixels. To read a filter once more costs more than to read a pixel. SPLIT in the heads of templates says the same for the cost model. */
static inline int64_t KERNEL_parts(const NAME_args *a, int64_t panels, int64_t ntask) { return panels < ntask || a->N * a->P * a->Q >= 2 * a->OC ? ntask : 1; }
