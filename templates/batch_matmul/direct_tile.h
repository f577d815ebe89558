/* SPDX-License-Identifier: MIT-0 */
/* Tiles of Y by B as it is, and passes over many of them. */

/* What there is of the last vector of a row: all of it, the lanes of a mask, or the lanes of a mask which are no more than half of all; a
 * constant of each call. */
typedef enum { KERNEL_WHOLE, KERNEL_PART, KERNEL_HALF } KERNEL_end;

/* A pass over some problems: tiles of one height and width, `count` below each other in each problem. Problems of one
 * tile each count as tiles of one problem. */
typedef struct KERNEL_pass KERNEL_pass;
typedef void KERNEL_work(const NAME_args *a, const KERNEL_pass *pass);
struct KERNEL_pass {
    KERNEL_work *work;
    const float *a, *b; /* where the first tile's operands begin */
    float *y;
    int64_t count, a_down, b_down, y_down;    /* how far it is to those of the tile below */
    int64_t problems, a_next, b_next, y_next; /* how far it is to those of the next problem */
    KERNEL_place at;                          /* the first tile */
    int single;                               /* problems are of one tile each: tiles below each other are problems */
    const float *a_after;                     /* A of what comes after the pass */
    /* B of the problem after the last one, to fetch; NULL: there is none. A tile fetches a line of 16 columns, of all
     * rows or, if sparse is 1, of every other row; so many tiles did so before this pass, and so many lines are in a
     * row. */
    const float *b_after;
    int64_t b_row, b_line, sparse, fetched, lines; /* from a row, from a line to the next */
    KERNEL_mask last; /* lanes of the last vector, where it is not whole */
};

/* rows x vectors of Y, all of k. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int rows, const int vectors, const KERNEL_end end, const NAME_args *a, const KERNEL_mask *lanes,
            const float *first, const float *w, float *y, const KERNEL_place *at, const float *next, const float *ahead,
            int64_t to_second, int64_t to_third)
{
    const int two = KERNEL_keeps_two(rows, vectors);
    const int64_t xs = a->A_stride[2], ws = a->B_stride[2];
    const float *x[(MR + 2) / 3];
    KERNEL_vec acc[2][MR][NV];
    const KERNEL_mask mask = *lanes, *last = end == KERNEL_WHOLE ? 0 : VECTOR_BYTES == 64 ? &mask : lanes; /* in a register */
    KERNEL_begin(rows, vectors, acc, y, a->Y_stride[2]);
    KERNEL_point(KERNEL_A_ROWS(rows), x, first, xs);
    for (int64_t pairs = a->K / 2, count; pairs > 0; pairs -= count) {
        count = PF && pairs > 8 ? 8 : pairs;
#if PF /* the next tile's A, while k goes through a line of this one's */
        PACKAGE_UNROLL(16)
        for (int r = 0; r < (LAYOUT_A_KM ? 16 : rows); r++)
            __builtin_prefetch(next + r * xs);
        next += LAYOUT_A_KM ? 16 * xs : 16;
#endif
        for (int64_t i = count; i > 0; i--, w += 2 * ws, KERNEL_advance(KERNEL_A_ROWS(rows), x, 2 * KERNEL_A_STEP(xs))) {
            KERNEL_step(rows, vectors, end == KERNEL_HALF, acc[0], x, xs, w, last, 0);
            KERNEL_step(rows, vectors, end == KERNEL_HALF, acc[two], x, xs, w + ws, last, 1);
#if PF /* a line each of two rows; of few rows' tiles, all lines of their columns: B takes all the time there */
            for (int line = 0; line < (rows < 3 ? (vectors * LANES + 15) / 16 : 1); line++) {
                __builtin_prefetch(ahead + line * 16);
                __builtin_prefetch(ahead + line * 16 + to_second);
            }
            ahead += to_third;
#endif
        }
    }
    if (a->K & 1)
        KERNEL_step(rows, vectors, end == KERNEL_HALF, acc[0], x, xs, w, last, 0);
    (void)next, (void)ahead, (void)to_second, (void)to_third;
    KERNEL_join(rows, vectors, two + 1, acc);
    KERNEL_store(rows, vectors, acc[0], a, at, y, last);
}

/* Copies the arguments: as far as gcc knows, a store to Y may change them where they lie, and it would read them again
 * for each tile. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_all(const int rows, const int vectors, const KERNEL_end end, const NAME_args *args, const KERNEL_pass *pass)
{
    const NAME_args a = *args;
    const KERNEL_pass t = *pass;
    KERNEL_place problem = t.at;
    for (int64_t p = 1; p <= t.problems; p++, KERNEL_to_next(&a, &problem)) {
        KERNEL_place at = problem;
        const float *x = t.a + (p - 1) * t.a_next, *w = t.b + (p - 1) * t.b_next;
        const float *a_after = p < t.problems ? x + t.a_next : t.a_after;
        const float *b_after = p < t.problems ? w + t.b_next : t.b_after;
        float *y = t.y + (p - 1) * t.y_next;
        for (int64_t i = t.count, k = t.fetched; i > 0; i--, k++) {
            const int fetch = t.b_down || (b_after && k >> t.sparse < t.lines); /* else fetch what is there */
            const int64_t row = fetch ? t.b_row : 0;
            const int64_t line = (k >> t.sparse) * t.b_line + (k & t.sparse) * row;
            const float *ahead = t.b_down || !fetch ? w + t.b_down : b_after + line;
            KERNEL_tile(rows, vectors, end, &a, &pass->last, x, w, y, &at, i > 1 ? x + t.a_down : a_after, ahead,
                        t.sparse ? 0 : row, 2 * row);
            x += t.a_down, w += t.b_down, y += t.y_down;
            if (t.single)
                KERNEL_to_next(&a, &at);
            else
                at.m += rows;
        }
    }
}
