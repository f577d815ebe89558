/* SPDX-License-Identifier: MIT-0 */
/* MR x NR dot products along rows of two matrices, whose rows are xs and ws apart:
 *   acc[r][c]   lane l: sum over k = l (mod LANES) of X[r][k] * W[c][k]; Y[r][c] is the sum of its lanes */
/* A vector of k from p on. `last`: the lanes that are there of it, all if NULL; the others count as 0. Where no instruction loads some lanes alone,
 * it is the first one. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE KERNEL_vec KERNEL_load(const float *p, const KERNEL_mask *last)
{
    if (!last)
        return *(const KERNEL_vec *)p;
    return VECTOR_BYTES == 16 ? (KERNEL_vec){ *p } : KERNEL_load_first(p, last, 0);
}

/* The q-th vector of k for all of the tile, of its lanes `last`. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_step(const int rows, const int columns, KERNEL_vec acc[MR][NR], const float *const *x, int64_t xs, const float *const *w,
           int64_t ws, const int q, const KERNEL_mask *last)
{
    KERNEL_vec xv[MR];
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        KERNEL_vec v = KERNEL_load(KERNEL_row(x, r, xs) + q * LANES, last);
#if HOLD
        PACKAGE_IN_REGISTER(v); /* not of xv[r], which gcc would store, too */
#endif
        xv[r] = v;
    }
    PACKAGE_UNROLL(16)
    for (int c = 0; c < columns; c++) {
        KERNEL_vec wv = KERNEL_load(KERNEL_row(w, c, ws) + q * LANES, last);
#if HOLD
        PACKAGE_IN_REGISTER(wv);
#endif
        PACKAGE_UNROLL(16)
        for (int r = 0; r < rows; r++)
#if HOLD
            PACKAGE_FMA(acc[r][c], xv[r], wv);
#else
            acc[r][c] += xv[r] * wv;
#endif
    }
}

/* Adds up the lanes of the first `columns` vectors into a row of Y. add: what is added to them, as long; NULL: nothing. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_put_row(const int columns, const KERNEL_vec *acc, const float *add, float *y)
{
    PACKAGE_UNROLL(4)
    for (int c = 0; c < columns; c += 4) {
        const int left = columns - c;
        KERNEL_quad sum = KERNEL_sum4(left < 4 ? left : 4, acc + c);
        if (left >= 4) {
            if (add)
                sum += *(const KERNEL_quad *)(add + c);
            *(KERNEL_quad *)(y + c) = sum;
            continue;
        }
        y[c] = add ? sum[0] + add[c] : sum[0]; /* not a loop: gcc would leave all sums on the stack for its sake */
        if (left > 1)
            y[c + 1] = add ? sum[1] + add[c + 1] : sum[1];
        if (left > 2)
            y[c + 2] = add ? sum[2] + add[c + 2] : sum[2];
    }
}

/* rows x columns of Y, whose rows are ys apart, from the first `left` values of k; `more`: they are added to Y. `last`: the lanes of the last
 * vector, where that is not whole; NULL: they are found here. rows and columns are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_dot(const int rows, const int columns, const float *a, int64_t xs, const float *b, int64_t ws, int64_t left,
            const KERNEL_mask *last, float *y, int64_t ys, int more)
{
    const float *x[(MR + 2) / 3], *w[(NR + 2) / 3];
    KERNEL_vec acc[MR][NR];
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++)
        PACKAGE_UNROLL(16)
        for (int c = 0; c < columns; c++)
            acc[r][c] = (KERNEL_vec){0};
    KERNEL_point(rows, x, a, xs);
    KERNEL_point(columns, w, b, ws);
#if UK > 1
    for (; left >= UK * LANES; left -= UK * LANES, KERNEL_advance(rows, x, UK * LANES), KERNEL_advance(columns, w, UK * LANES))
        PACKAGE_UNROLL(4)
        for (int q = 0; q < UK; q++)
            KERNEL_step(rows, columns, acc, x, xs, w, ws, q, 0);
#endif
    for (; left >= LANES; left -= LANES, KERNEL_advance(rows, x, LANES), KERNEL_advance(columns, w, LANES))
        KERNEL_step(rows, columns, acc, x, xs, w, ws, 0, 0);
    KERNEL_mask mask;
    if (left > 0) {
        if (!last)
            mask = KERNEL_first(left), last = &mask;
#if VECTOR_BYTES == 16
        for (; left > 0; left--, KERNEL_advance(rows, x, 1), KERNEL_advance(columns, w, 1))
            KERNEL_step(rows, columns, acc, x, xs, w, ws, 0, last);
#else
        KERNEL_step(rows, columns, acc, x, xs, w, ws, 0, last);
#endif
    }
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++, y += ys)
        KERNEL_put_row(columns, acc[r], more ? y : 0, y);
}
