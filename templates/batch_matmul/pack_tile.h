/* SPDX-License-Identifier: MIT-0 */
/* Tiles of Y by packed columns of B, which pack the next columns meanwhile. */

/* Tiles of one height and width: where the first one's operands begin, and how far it is to those of the next. */
typedef struct {
    const float *a;
    float *b; /* the packed columns */
    float *y;
    int64_t count, a_step, y_step, k;
    int64_t b_step;       /* not 0: these are problems of one tile each, whose B lie so far apart */
    const float *a_after; /* A of the tile behind these, to fetch ahead */
    KERNEL_mask last;     /* lanes of the last vector */
    int whole, more;      /* these are all lanes; add to Y */
    int done, small;      /* the sums are complete; these are problems of one tile each */
    KERNEL_place at;      /* the first one */
} KERNEL_tiles;

/* What Y has of a tile, to add to. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_load_sums(const int rows, const int vectors, const int half, KERNEL_vec acc[MR][NV], const float *y, int64_t ys, const KERNEL_mask *last)
{
    PACKAGE_UNROLL(32)
    for (int r = 0; r < rows; r++, y += ys)
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++)
            acc[r][v] = v + 1 < vectors ? *(const KERNEL_vec *)(y + v * LANES) : KERNEL_load_first(y + v * LANES, last, half);
}

/* Stores a tile, with the formula where its sums are complete. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_put(const int rows, const int vectors, KERNEL_vec acc[MR][NV], const NAME_args *a, const KERNEL_tiles *t, float *y, const KERNEL_place *at)
{
#if HAS_EPILOGUE && !EPILOGUE_CALLS
    if (!t->done)
        KERNEL_store(rows, vectors, acc, a, 0, y, &t->last);
    else
#endif
    if (t->whole)
        KERNEL_store(rows, vectors, acc, a, at, y, 0);
    else
        KERNEL_store(rows, vectors, acc, a, at, y, &t->last);
}

/* rows x vectors of Y. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int rows, const int vectors, const int half, const NAME_args *a, const KERNEL_tiles *t, const float *first,
            const float *w, float *y, const KERNEL_place *at, const float *next, KERNEL_packing *pack)
{
    const int two = KERNEL_keeps_two(rows, vectors);
    const int64_t xs = a->A_stride[2], ws = a->B_stride[2], ys = a->Y_stride[2], K = t->k;
    const int packing = pack->begin < pack->by_tiles; /* a group of the next panel's columns */
    const int64_t c = KERNEL_column(a, pack, pack->begin), from = c * KERNEL_B_COLUMN(ws);
    const float *p = pack->b + from, *after = pack->after + from;
    float *to = pack->block + c;
    const int64_t last = !LAYOUT_B_NK || vectors * LANES > GROUP ? GROUP - 1 : KERNEL_last(a); /* else the group is whole */
    const float *x[(MR + 2) / 3];
    KERNEL_vec acc[2][MR][NV];
    KERNEL_begin(rows, vectors, acc, y, ys);
    if (t->more)
        KERNEL_load_sums(rows, vectors, half, acc[0], y, ys, &t->last);
    KERNEL_point(KERNEL_A_ROWS(rows), x, first, xs);
    int64_t k = 2;
    for (; k <= K; k += 2, w += 2 * BLOCK, KERNEL_advance(KERNEL_A_ROWS(rows), x, 2 * KERNEL_A_STEP(xs))) {
        KERNEL_step(rows, vectors, half, acc[0], x, xs, w, 0, 0);
        KERNEL_step(rows, vectors, half, acc[two], x, xs, w + BLOCK, 0, 1);
#if PF && LAYOUT_A_KM /* the next tile's A, each line once */
        __builtin_prefetch(next);
        __builtin_prefetch(next + xs);
        next += 2 * xs;
#elif PF
        const float *line = next + k + (k / 2 & 7) * ((rows + 7) / 8) * xs;
        PACKAGE_UNROLL(2)
        for (int r = 0; r < (rows + 7) / 8; r++)
            __builtin_prefetch(line + r * xs);
#endif
        if (packing && k % 4 == 0) {
            KERNEL_round(p, ws, last, to);
            p += 4 * KERNEL_B_STEP(ws);
            to += 4 * BLOCK;
#if PF
            PACKAGE_UNROLL(4)
            for (int i = 0; i < (LAYOUT_B_NK ? GROUP / 4 : 4); i++)
                __builtin_prefetch(after + ((LAYOUT_B_NK ? k / 4 % 4 * (GROUP / 4) : 0) + i) * ws);
            after += 4 * KERNEL_B_STEP(ws);
#endif
        }
    }
    (void)next, (void)after;
    if (k - 1 == K)
        KERNEL_step(rows, vectors, half, acc[0], x, xs, w, 0, 0);
    KERNEL_join(rows, vectors, two + 1, acc);
    KERNEL_put(rows, vectors, acc[0], a, t, y, at);
    if (packing) {
        if (K % 4)
            KERNEL_round_at(a, pack, c, K - 4);
        pack->begin++;
    }
}

/* Of problems of one tile: packs what the tile did not, and turns to the next problem; `left` are left, this one counted. The columns that were
 * packed are the next one's: where they lie. */
static __attribute__((noinline)) TARGET_ATTRIBUTE float *
KERNEL_turn(const NAME_args *a, const KERNEL_tiles *t, KERNEL_packing *pack, float *used, int64_t left)
{
    float *packed = pack->block;
    KERNEL_pack(a, pack, t->k);
    pack->block = used;
    pack->b += t->b_step;
    pack->after += left > 3 ? t->b_step : 0;
    pack->begin = left > 2 ? 0 : pack->end;
    return packed;
}

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_all(const int rows, const int vectors, const int half, const NAME_args *a, const KERNEL_tiles *t,
           KERNEL_packing *pack)
{
    const float *x = t->a;
    float *y = t->y, *w = t->b;
    KERNEL_place at = t->at;
    for (int64_t i = t->count; i > 0; i--, x += t->a_step, y += t->y_step) {
        KERNEL_tile(rows, vectors, half, a, t, x, w, y, &at, i > 1 ? x + t->a_step : t->a_after, pack);
        if (t->b_step)
            w = KERNEL_turn(a, t, pack, w, i);
        if (t->small)
            KERNEL_to_next(a, &at);
        else
            at.m += rows;
    }
}
