/* SPDX-License-Identifier: MIT-0 */
/* One value of k of a tile of MR rows x NP packed panels of 16 columns: its vectors of W by each row's value of X. */

/* Where a tile is: in rows of X, in panels of W, and in what is prefetched; and how many floats apart its rows and panels are. */
typedef struct {
    const float *x[(MR + 2) / 3], *w[(NP + 2) / 3], *ahead[(NP + 2) / 3];
    int64_t row, panel;
} KERNEL_place;

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_next(const int rows, const int panels, KERNEL_place *at, int64_t step, int64_t ahead)
{
    KERNEL_advance(rows, at->x, step);
    KERNEL_advance(panels, at->w, 16 * step);
#if PF
    KERNEL_advance(panels, at->ahead, step * ahead);
#else
    (void)ahead;
#endif
}

/* The v-th vector of W at the q-th value of k from there. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE const KERNEL_vec *
KERNEL_of_w(const KERNEL_place *at, const int v, const int q)
{
    return (const KERNEL_vec *)(KERNEL_row(at->w, v / VP, at->panel) + q * 16 + v % VP * LANES);
}

/* That value of k, for the rows from `from` on up to `to`. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_step(const int rows, const int vectors, KERNEL_vec acc[MR][NV], const KERNEL_place *at, const int q, int64_t from, int64_t to)
{
#if HOLD == 2
    KERNEL_vec first = *KERNEL_of_w(at, 0, q);
    PACKAGE_IN_REGISTER(first);
#else
    KERNEL_vec wv[NV];
    PACKAGE_UNROLL(32)
    for (int v = 0; v < vectors; v++) {
        wv[v] = *KERNEL_of_w(at, v, q);
#if HOLD
        PACKAGE_IN_REGISTER(wv[v]);
#endif
    }
#endif
#if PF
    PACKAGE_UNROLL(8)
    for (int panel = 0; panel < vectors / VP; panel++)
        __builtin_prefetch(KERNEL_row(at->ahead, panel, at->panel) + q * 16);
#endif
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        if (r < from || r >= to)
            continue;
        KERNEL_vec xv = KERNEL_row(at->x, r, at->row)[q] - (KERNEL_vec){0};
#if HOLD
        PACKAGE_IN_REGISTER(xv);
#endif
#if HOLD == 2
        PACKAGE_FMA(acc[r][0], xv, first);
        PACKAGE_UNROLL(32)
        for (int v = 1; v < vectors; v++)
            PACKAGE_FMA_FROM(acc[r][v], xv, *KERNEL_of_w(at, v, q));
#else
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++)
#if HOLD
            PACKAGE_FMA(acc[r][v], xv, wv[v]);
#else
            acc[r][v] += xv * wv[v];
#endif
#endif
    }
}

/* The sums of a tile over the next `len` values of k: acc[q] has those of every KA-th. rows and panels are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_run(const int rows, const int panels, KERNEL_vec acc[KA][MR][NV], KERNEL_place *at, int64_t len, int64_t share)
{
#if KA * UK > 1
    for (; len >= KA * UK; len -= KA * UK, KERNEL_next(rows, panels, at, KA * UK, share))
        PACKAGE_UNROLL(8)
        for (int q = 0; q < KA * UK; q++)
            KERNEL_step(rows, panels * VP, acc[q % KA], at, q, 0, rows);
#endif
    for (; len > 0; len--, KERNEL_next(rows, panels, at, 1, share))
        KERNEL_step(rows, panels * VP, acc[0], at, 0, 0, rows);
}
