/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "direct_bmm";
op      = "batch_matmul";
family  = "cpu";
doc     = "Y[b] = A[b] * B[b] with B as it is, one row a k: register tiles of MR rows x NV vectors of LANES floats";
packed  = false;
layouts = { B = ["KN"]; };
dtypes  = ["f32"];
params  = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14]; doc = "rows of the tallest tile"; },
  { name = "NV";    choices = [1, 2, 3, 4, 5, 6, 8];         doc = "vectors of the widest tile, side by side"; },
  { name = "PF";    choices = [0, 1];
    doc = "1: fetch Y, the next tile's A and the next problem's B ahead"; },
  { name = "HOLD";  choices = [1, 2];
    doc = "how a value of A comes to all lanes: 1 once for all vectors, 2 within each FMA (AVX-512)"; },
  { name = "HALF";  choices = [0, 1];
    doc = "1: functions of their own for a last vector that is half full, for CPUs that work on a vector in two halves (AVX-512)"; } );
values = ( { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; } );
constraints = (
  { need = "HOLD == 1 || VECTOR_BYTES == 64"; why = "only AVX-512 broadcasts within an FMA"; },
  { need = "HALF == 0 || VECTOR_BYTES == 64"; why = "narrower vectors are never worked on in halves"; },
  { need = "MR*NV + NV + (HOLD == 1) <= VECTOR_REGISTERS";
    why = "accumulators, B's vectors and a value of A must fit the vector registers"; } );
general = (
  { target = "avx512";   MR = 8; NV = 3; PF = 0; HOLD = 1; HALF = 0; },
  { target = "avx2";     MR = 4; NV = 2; PF = 0; HOLD = 1; HALF = 0; },
  { target = "portable"; MR = 4; NV = 2; PF = 0; HOLD = 1; HALF = 0; } );
tile    = { B0 = "1"; B1 = "1"; M = "MR"; N = "NV*LANES"; K = "2 + 14*PF"; };
derived = (
  { name = "COL";   expr = "LANES"; doc = "columns of a unit"; },
  { name = "EVEN";  expr = "1"; doc = "rows and columns are cut into tiles of nearly equal size"; },
  { name = "NU";    expr = "ceil_div(UNITS, ceil_div(UNITS, NV))"; doc = "units of a tile"; } );
features = (
  { name = "half";       expr = "HALF * (OUT_COLS % COL != 0 && OUT_COLS % COL <= COL / 2)";
    doc = "the last vector is worked on by half"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define MR 8
#define NV 3
#define LANES 16
#define PF 1
#define VECTOR_REGISTERS 32
#define HOLD 1
#define HALF 1
#define VECTOR_BYTES 64
#define LAYOUT_A_KM 0
#define R 8
#define V 3
#endif
/* KERNEL: problem by problem, tiles of Y from above to below, then to the right: B's columns stay in L1. */
#include "first_lanes.h"
#include "../dense/row_pointers.h"
#include "batch_share.h"
#include "batch_step.h"

/* Tiles of one height and width: where the first one's operands begin, and how far it is to those of the next. */
typedef struct {
    const float *a, *b;
    float *y;
    int64_t count, a_step, b_step, y_step;
    KERNEL_mask last;     /* lanes of the last vector, where it is not whole */
    const float *a_after; /* A of the tile behind these */
} KERNEL_tiles;

/* Rows of B to fetch ahead, those of the next problem. */
typedef struct {
    const float *b;
    int64_t stride, rows, at_once; /* from one to the next; how many are left, and go with 16 values of k */
} KERNEL_ahead;

static inline __attribute__((always_inline)) void KERNEL_fetch(const NAME_args *a, KERNEL_ahead *p)
{
    const int64_t count = p->rows < p->at_once ? p->rows : p->at_once;
    for (int64_t r = 0; r < count; r++, p->b += p->stride)
        for (int64_t n = 0; n < a->N; n += 16)
            __builtin_prefetch(p->b + n);
    p->rows -= count;
}

/* rows x vectors of Y, all of k. Small tiles keep two sums for each element, of even and of odd k: FMAs need not wait. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int rows, const int vectors, const KERNEL_end end, const NAME_args *a, const KERNEL_mask *lanes,
            const float *first, const float *w, float *y, const float *next, KERNEL_ahead *ahead)
{
    const int two = rows * vectors < 8 && 2 * rows * vectors + vectors < VECTOR_REGISTERS;
    const int64_t xs = a->A_stride[2], ws = a->B_stride[2], ys = a->Y_stride[2];
    const float *x[(MR + 2) / 3];
    KERNEL_vec acc[2][MR][NV];
    const KERNEL_mask mask = *lanes, *last = end == KERNEL_WHOLE ? 0 : VECTOR_BYTES == 64 ? &mask : lanes; /* in a register */
#pragma GCC unroll 32
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 32
        for (int v = 0; v < vectors; v++) {
            acc[0][r][v] = acc[1][r][v] = (KERNEL_vec){0};
#if PF
            __builtin_prefetch(y + r * ys + v * LANES, 1);
#endif
        }
    KERNEL_point(KERNEL_A_ROWS(rows), x, first, xs);
    for (int64_t pairs = a->K / 2, count; pairs > 0; pairs -= count) {
        count = PF && pairs > 8 ? 8 : pairs;
#if PF /* what comes next, while k goes through a line of A */
#pragma GCC unroll 16
        for (int r = 0; r < (LAYOUT_A_KM ? 16 : rows); r++)
            __builtin_prefetch(next + r * xs);
        next += LAYOUT_A_KM ? 16 * xs : 16;
        KERNEL_fetch(a, ahead);
#endif
        for (int64_t i = count; i > 0; i--, w += 2 * ws, KERNEL_advance(KERNEL_A_ROWS(rows), x, 2 * KERNEL_A_STEP(xs))) {
            KERNEL_step(rows, vectors, end == KERNEL_HALF, acc[0], x, xs, w, last, 0);
            KERNEL_step(rows, vectors, end == KERNEL_HALF, acc[two], x, xs, w + ws, last, 1);
        }
    }
    if (a->K & 1)
        KERNEL_step(rows, vectors, end == KERNEL_HALF, acc[0], x, xs, w, last, 0);
    (void)next, (void)ahead;
#pragma GCC unroll 32
    for (int r = 0; r < rows; r++, y += ys)
#pragma GCC unroll 32
        for (int v = 0; v < vectors; v++) {
            KERNEL_vec sum = acc[0][r][v];
            if (two)
                sum += acc[1][r][v];
            if (v + 1 < vectors || !last)
                *(KERNEL_vec *)(y + v * LANES) = sum;
            else
                KERNEL_store_first(y + v * LANES, sum, last);
        }
}

#if PF
/* Of problems of one tile, what comes after the one whose B is w. A function of its own, else gcc writes the loop around it twice. */
static __attribute__((noinline)) void
KERNEL_look_ahead(const NAME_args *a, const KERNEL_tiles *t, const float *w, int64_t left, KERNEL_ahead *ahead)
{
    if (t->b_step)
        *ahead = (KERNEL_ahead){ w + t->b_step, a->B_stride[2], left > 1 ? a->K : 0, 16 };
}
#endif

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_all(const int rows, const int vectors, const KERNEL_end end, const NAME_args *a, const KERNEL_tiles *t,
           KERNEL_ahead *ahead)
{
    const float *x = t->a, *w = t->b;
    float *y = t->y;
    for (int64_t i = t->count; i > 0; i--, x += t->a_step, w += t->b_step, y += t->y_step) {
#if PF
        KERNEL_look_ahead(a, t, w, i, ahead);
#endif
        KERNEL_tile(rows, vectors, end, a, &t->last, x, w, y, i > 1 ? x + t->a_step : t->a_after, ahead);
    }
}

/* A function for each height, width and end; with all of them in one the compiler takes long. */
#define KERNEL_OF(rows, vectors, end) KERNEL_##rows##_##vectors##_##end
//@ repeat V = 1..NV
//@ repeat R = 1..MR
static TARGET_ATTRIBUTE void KERNEL_OF(R, V, whole)(const NAME_args *a, const KERNEL_tiles *t, KERNEL_ahead *ahead)
{
    KERNEL_all(R, V, KERNEL_WHOLE, a, t, ahead);
}
static TARGET_ATTRIBUTE void KERNEL_OF(R, V, part)(const NAME_args *a, const KERNEL_tiles *t, KERNEL_ahead *ahead)
{
    KERNEL_all(R, V, KERNEL_PART, a, t, ahead);
}
#if HALF
static TARGET_ATTRIBUTE void KERNEL_OF(R, V, half)(const NAME_args *a, const KERNEL_tiles *t, KERNEL_ahead *ahead)
{
    KERNEL_all(R, V, KERNEL_HALF, a, t, ahead);
}
#endif
//@ end
//@ end

static TARGET_ATTRIBUTE void KERNEL_rows(int64_t rows, int64_t vectors, KERNEL_end end, const NAME_args *a,
                                         const KERNEL_tiles *t, KERNEL_ahead *ahead)
{
//@ repeat V = 1..NV
    if (vectors == V && end == KERNEL_WHOLE)
        switch (rows) {
        case R: KERNEL_OF(R, V, whole)(a, t, ahead); return; //@ repeat R = 1..MR
        }
    if (vectors == V && end == KERNEL_PART)
        switch (rows) {
        case R: KERNEL_OF(R, V, part)(a, t, ahead); return; //@ repeat R = 1..MR
        }
#if HALF
    if (vectors == V)
        switch (rows) {
        case R: KERNEL_OF(R, V, half)(a, t, ahead); return; //@ repeat R = 1..MR
        }
#endif
//@ end
}

/* Problems of one tile each: as many as lie side by side are done at once. */
static TARGET_ATTRIBUTE void
KERNEL_small(const NAME_args *a, int64_t begin, int64_t end, int64_t vectors, KERNEL_end right, KERNEL_mask last)
{
    const int inner = a->B1 > 1; /* the axis that problems are done along */
    const int64_t run = inner ? a->B1 : a->B0;
    for (int64_t i = begin, count; i < end; i += count) {
        const int64_t b0 = inner ? i / run : 0, b1 = i - b0 * run;
        count = end - i < run - b1 ? end - i : run - b1;
        const float *x = a->A + b0 * a->A_stride[0] + b1 * a->A_stride[inner];
        const KERNEL_tiles t = { .a = x,
                                 .b = a->B + b0 * a->B_stride[0] + b1 * a->B_stride[inner],
                                 .y = a->Y + b0 * a->Y_stride[0] + b1 * a->Y_stride[inner],
                                 .count = count,
                                 .a_step = a->A_stride[inner],
                                 .b_step = a->B_stride[inner],
                                 .y_step = a->Y_stride[inner],
                                 .last = last,
                                 .a_after = x };
        KERNEL_ahead ahead = { 0 };
        KERNEL_rows(a->M, vectors, right, a, &t, &ahead);
    }
}

/* Rows of B a multiple of 1 KiB apart share a quarter of L1's sets at most, such as those of one head among many: there B would leave L1 between
 * two tiles. Is it better to copy it? Only where it is used by several tiles, and large. */
enum { KERNEL_COPIED = 8192 }; /* floats, which lie on the stack */

static inline int KERNEL_copies(const NAME_args *a, int64_t tiles, int64_t pitch)
{
    return a->B_stride[2] % 256 == 0 && a->B_stride[2] >= 2 * a->N && tiles > 2 && a->K * a->N >= KERNEL_COPIED / 4 &&
           a->K * pitch <= KERNEL_COPIED;
}

static __attribute__((noinline)) TARGET_ATTRIBUTE void
KERNEL_copy(const NAME_args *a, const float *b, int64_t pitch, float *to)
{
    for (int64_t k = 0; k < a->K; k++, b += a->B_stride[2], to += pitch)
        for (int64_t n = 0; n < a->N; n++)
            to[n] = b[n];
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const KERNEL_share share = KERNEL_share_of(a, task, ntask);
    const int64_t M = a->M, N = a->N, row = LAYOUT_A_KM ? 1 : a->A_stride[2];
    if (share.begin >= share.end || M <= 0 || N <= 0)
        return 0;
    const KERNEL_cut across = KERNEL_cut_of((N + LANES - 1) / LANES, NV);
    const int64_t rest = (N - 1) % LANES + 1;
    const KERNEL_end right = rest == LANES ? KERNEL_WHOLE : HALF && rest <= LANES / 2 ? KERNEL_HALF : KERNEL_PART;
    const KERNEL_mask some = KERNEL_first(rest);
    if (across.count == 1 && M <= MR) {
        KERNEL_small(a, share.begin, share.end, across.size, right, some);
        return 0;
    }
    KERNEL_cut down = KERNEL_cut_of(M, MR);
    const int64_t pitch = (N + LANES - 1) / LANES * LANES;
    const int copies = KERNEL_copies(a, down.count, pitch);
    float copy[KERNEL_COPIED] __attribute__((aligned(64)));
    NAME_args local = *a; /* what tiles read */
    if (copies)
        local.B_stride[2] = pitch;
    int64_t b0 = share.begin / share.parts / a->B1, b1 = share.begin / share.parts % a->B1, part = share.begin % share.parts;
    for (int64_t i = share.begin; i < share.end; i++) {
        const int64_t m0 = KERNEL_part_row(M, part, share.parts);
        if (share.parts > 1)
            down = KERNEL_cut_of(KERNEL_part_row(M, part + 1, share.parts) - m0, MR);
        const float *x = KERNEL_matrix(a->A, a->A_stride, b0, b1) + m0 * row, *w = KERNEL_matrix(a->B, a->B_stride, b0, b1);
        float *y = (float *)KERNEL_matrix(a->Y, a->Y_stride, b0, b1) + m0 * a->Y_stride[2];
        if (copies) {
            KERNEL_copy(a, w, pitch, copy);
            w = copy;
        }
        if (++part == share.parts) {
            part = 0;
            if (++b1 == a->B1)
                b1 = 0, b0++;
        }
        KERNEL_ahead ahead = { 0 };
        const float *after = x;
#if PF
        if (i + 1 < share.end) {
            const int64_t tiles = across.count * down.count;
            after = KERNEL_matrix(a->A, a->A_stride, b0, b1) + KERNEL_part_row(M, part, share.parts) * row;
            ahead = (KERNEL_ahead){ KERNEL_matrix(a->B, a->B_stride, b0, b1), a->B_stride[2], part ? 0 : a->K,
                                    (15 + tiles) / tiles };
        }
#endif
        for (int64_t t = 0, n = 0; t < across.count; t++) {
            const KERNEL_end end = t + 1 == across.count ? right : KERNEL_WHOLE;
            const int64_t vectors = across.size + (t < across.larger), rows = down.size + 1, ys = a->Y_stride[2];
            KERNEL_tiles tiles = { .a = x, .b = w + n, .y = y + n, .count = down.larger, .a_step = rows * row, .y_step = rows * ys,
                                   .a_after = x + down.larger * rows * row, .last = some };
            if (down.larger)
                KERNEL_rows(rows, vectors, end, &local, &tiles, &ahead);
            tiles.a += down.larger * tiles.a_step;
            tiles.y += down.larger * tiles.y_step;
            tiles.count = down.count - down.larger;
            tiles.a_step -= row;
            tiles.y_step -= ys;
            tiles.a_after = t + 1 == across.count ? after : x;
            KERNEL_rows(rows - 1, vectors, end, &local, &tiles, &ahead);
            n += vectors * LANES;
        }
    }
    return 0;
}
