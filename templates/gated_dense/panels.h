/* SPDX-License-Identifier: MIT-0 */
/* A tile of rows of X by panels, each 8 columns of W and behind them the same 8 of G, zero beyond column N: row k of a panel is 16 floats further on for
 * each k, a panel `pitch` floats behind the one before it.
 *   acc[q][r][v]   sum over k = q (mod KA) of X[m+r][k] * v-th vector of row k of the panels */

/* Stores sums as they are in registers, of W and of G by turns, in memory: those of W of a row first, then those of G, and the formula of them. One copy,
 * as of KERNEL_store_part. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_store_panels(const NAME_args *a, const float *part, int64_t m, int64_t n, int64_t rows, int64_t columns)
{
    float acc[MR * WIDE], gate[MR * WIDE];
    for (int64_t i = 0; i < rows * columns; i += 8, part += 16) {
        __builtin_memcpy(acc + i, part, 8 * sizeof *part);
        __builtin_memcpy(gate + i, part + 8, 8 * sizeof *part);
    }
    KERNEL_store_part(a, acc, gate, columns, m, n, rows, a->N - n < columns ? a->N - n : columns);
}

/* Rows m.., columns n.., from the panel at `w` on. The tile is the i-th of `tiles` that pass these panels. `rows` and `columns` are constants of each
 * call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_panels(const int rows, const int columns, const NAME_args *a, const float *w, int64_t pitch, int64_t m, int64_t n, int64_t i, int64_t tiles)
{
    const int panels = columns / 8, vectors = panels * VP;
    const int64_t K = a->K;
    KERNEL_place at = { .row = STRIDED(X, a->X_stride[0], K), .panel = pitch };
    KERNEL_point(rows, at.x, a->X + m * STRIDED(X, a->X_stride[0], K), STRIDED(X, a->X_stride[0], K));
    KERNEL_point(panels, at.w, w, pitch);
    KERNEL_vec acc[KA][MR][NV];
    PACKAGE_UNROLL(8)
    for (int q = 0; q < KA; q++)
        KERNEL_clear(rows, vectors, acc[q]);
    int64_t left = K;
    const int64_t each = KERNEL_each(tiles);
#if PF
    /* Weights may come from memory, whose bandwidth one tile exceeds: all that pass a panel fetch the next one. A single tile fetches its own
     * panels, and in its last PF values of k the first rows of the next. */
    for (int part = 0; part < 2; part++) {
        const int64_t stop = part == 0 && tiles == 1 ? PF : 0;
        const float *ahead = w + panels * pitch + (each * i < 15 ? each * i : 15) * K;
        KERNEL_point(panels, at.ahead, stop ? at.w[0] + PF * 16 : ahead, pitch);
#else
    (void)i;
    {
        const int64_t stop = 0;
#endif
        KERNEL_run(rows, vectors, acc, &at, left > stop ? left - stop : 0, each);
        left = left < stop ? left : stop;
    }
    KERNEL_join(rows, vectors, KA, acc);
    float part[MR * NV * LANES];
    KERNEL_write(rows, vectors, acc[0], part, vectors * LANES);
    KERNEL_store_panels(a, part, m, n, rows, columns);
}
