/* SPDX-License-Identifier: MIT-0 */
/* Rows of X by rows of W, which is [k][n] here: its rows are ws floats apart, those of X xs. Where ws is a constant, WS, one pointer to W will do. */
/* The q-th value of k from x and rows on: acc[r][v] += X[r][k] * v-th vector of W[k]. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_step(const int rows, const int vectors, KERNEL_vec acc[MR][NV], const float *const *x, int64_t *xs, const float *const *row, int64_t *ws,
            const int q)
{
    KERNEL_vec wv[NV];
#if WS
    const float *w = *row + q * WS;
    (void)ws;
#else
    KERNEL_hide(ws);
    const float *w = KERNEL_row(row, q, *ws);
#endif
    PACKAGE_UNROLL(32)
    for (int v = 0; v < vectors; v++) {
        KERNEL_vec load = *(const KERNEL_vec *)(w + v * LANES);
#if HOLD
        PACKAGE_IN_REGISTER(load);
#endif
#if PF
        __builtin_prefetch(w + PF * *ws + v * LANES);
#endif
        wv[v] = load;
    }
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        KERNEL_hide(xs);
        KERNEL_vec xv = KERNEL_row(x, r, *xs)[q] - (KERNEL_vec){0};
#if HOLD
        PACKAGE_IN_REGISTER(xv);
#endif
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++) {
#if HOLD
            PACKAGE_FMA(acc[r][v], xv, wv[v]);
#else
            acc[r][v] += xv * wv[v];
#if IN_TURN
            PACKAGE_IN_REGISTER(acc[r][v]);
#endif
#endif
        }
    }
}

/* The sums of a tile over `left` values of k, whose rows begin at `first` and w. `rows` and `vectors` are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_sum(const int rows, const int vectors, KERNEL_vec acc[MR][NV], const float *first, int64_t xs, const float *w, int64_t ws, int64_t left)
{
    const int steps = 2 * rows > MR ? UK : 1; /* low tiles are rare */
    const int64_t round = steps * ws;
    const float *x[(MR + 2) / 3], *row[(UK + 2) / 3];
    KERNEL_clear(rows, vectors, acc);
    KERNEL_point(rows, x, first, xs);
    KERNEL_point(WS ? 1 : steps, row, w, ws);
    for (uint64_t rounds = (uint64_t)left / (unsigned)steps; rounds > 0; rounds--, KERNEL_advance(WS ? 1 : steps, row, round), KERNEL_advance(rows, x, steps))
        PACKAGE_UNROLL(16)
        for (int q = 0; q < steps; q++)
            KERNEL_step(rows, vectors, acc, x, &xs, row, &ws, q);
    if (steps > 1)
        for (left = (int64_t)((uint64_t)left % (unsigned)steps); left > 0; left--, KERNEL_advance(1, row, ws), KERNEL_advance(rows, x, 1))
            KERNEL_step(rows, vectors, acc, x, &xs, row, &ws, 0);
}
