/* SPDX-License-Identifier: MIT-0 */
/* One value of k of a tile of MR rows x NP packed panels of 16 columns: its vectors of W by each row's value of X. */

/* Where a tile is: in rows of X, in panels of W, and in what is prefetched; and how many floats apart its rows and panels are. */
typedef struct {
    const float *x[(MR + 2) / 3], *w[(NP + 2) / 3], *ahead[(NP + 2) / 3];
    int64_t row, panel;
} KERNEL_place;

/* Tiles that pass the same panel share out prefetching the next one: of each of its rows one of so many fetches this many floats, or more. */
static inline __attribute__((always_inline)) int64_t KERNEL_each(int64_t tiles) { return tiles == 1 ? 16 : tiles < 4 ? 8 : tiles < 8 ? 4 : 2; }

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
KERNEL_of_w(KERNEL_place *at, const int v, const int q)
{
    if (NV > VP)
        KERNEL_hide(&at->panel);
    return (const KERNEL_vec *)(KERNEL_row(at->w, v / VP, at->panel) + q * 16 + v % VP * LANES);
}

/* That value of k, for the rows from `from` on up to `to`. fetch: the next line of each panel is prefetched. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_step(const int rows, const int vectors, KERNEL_vec acc[MR][NV], KERNEL_place *at, const int q, int64_t from, int64_t to, const int fetch)
{
#if PF
    if (fetch)
        PACKAGE_UNROLL(8)
        for (int panel = 0; panel < (vectors + VP - 1) / VP; panel++, KERNEL_hide(&at->panel))
            __builtin_prefetch(KERNEL_row(at->ahead, panel, at->panel) + q * 16);
#else
    (void)fetch;
#endif
#if HOLD == 3
    KERNEL_vec xv[MR];
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        if (r < from || r >= to)
            continue;
        KERNEL_hide(&at->row);
        xv[r] = KERNEL_row(at->x, r, at->row)[q] - (KERNEL_vec){0};
        PACKAGE_IN_REGISTER(xv[r]);
    }
    PACKAGE_UNROLL(32)
    for (int v = 0; v < vectors; v++) {
        KERNEL_vec wv = *KERNEL_of_w(at, v, q);
        PACKAGE_IN_REGISTER(wv);
        PACKAGE_UNROLL(16)
        for (int r = 0; r < rows; r++)
            if (r >= from && r < to)
                PACKAGE_FMA(acc[r][v], xv[r], wv);
    }
#else
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
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        if (r < from || r >= to)
            continue;
        KERNEL_hide(&at->row);
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
#endif
}

/* The sums of a tile over the next `len` values of k: acc[q] has those of every KA-th. In a round of `steps` of them `lines` lines of each panel are
 * prefetched. rows, vectors, steps and lines are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_rounds(const int rows, const int vectors, const int steps, const int lines, KERNEL_vec acc[KA][MR][NV], KERNEL_place *at, int64_t len, int64_t each)
{
    const int panels = (vectors + VP - 1) / VP;
    if (steps > 1) {
        for (uint64_t rounds = (uint64_t)len / (unsigned)steps; rounds > 0; rounds--, KERNEL_next(rows, panels, at, steps, each))
            PACKAGE_UNROLL(16)
            for (int q = 0; q < steps; q++)
                KERNEL_step(rows, vectors, acc[q % KA], at, q, 0, rows, q < lines);
        len = (int64_t)((uint64_t)len % (unsigned)steps);
    }
    for (; len > 0; len--, KERNEL_next(rows, panels, at, 1, each))
        KERNEL_step(rows, vectors, acc[0], at, 0, 0, rows, 1);
}

/* The same; each: floats to prefetch of a panel for each value of k. Where tiles share that, a round fetches few lines. Tiles that are low come alone,
 * and ones of a single panel are rare: of these there is one short loop. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_run(const int rows, const int vectors, KERNEL_vec acc[KA][MR][NV], KERNEL_place *at, int64_t len, int64_t each)
{
    const int steps = 2 * vectors > NV && 2 * rows > MR ? KA * UK : KA;
#if PF
    if (steps > 1 && each == 16)
        KERNEL_rounds(rows, vectors, steps, steps, acc, at, len, each);
    else
#endif
        KERNEL_rounds(rows, vectors, steps, (steps + 7) / 8, acc, at, len, each);
}
