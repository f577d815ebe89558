/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "dot_bmm";
op      = "batch_matmul";
family  = "cpu";
doc     = "Y[b] = A[b] * B[b], B as [n][k]: MR x NR dot products along rows of A and B";
packed  = false;
layouts = { A = ["MK"]; B = ["NK"]; };
dtypes  = ["f32"];
params  = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 8];         doc = "rows of A in the tallest tile"; },
  { name = "NR";    choices = [1, 2, 3, 4, 5, 6, 8, 12, 16];
    doc = "columns of Y in the widest tile: rows of B side by side"; } );
values  = (
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "UK";    expr = "1";                doc = "vectors of k in one round of the inner loop"; },
  { name = "HOLD";  expr = "1";                doc = "each vector is loaded into a register once"; } );
constraints = (
  { need = "MR*NR + MR + 1 <= VECTOR_REGISTERS";
    why = "accumulators, a vector of each row of A and one of B must fit the vector registers"; } );
general = (
  { target = "avx512"; MR = 4; NR = 4; },
  { target = ["avx2", "portable"]; MR = 2; NR = 4; } );
tile    = { B0 = "1"; B1 = "1"; M = "MR"; N = "NR"; K = "LANES"; };
derived = (
  { name = "COL";    expr = "1"; doc = "a column of Y, that is a row of B, with vectors along k"; },
  { name = "STEPS";  expr = "ceil_div(K, LANES)"; doc = "vectors along k"; },
  { name = "FLOPS_EACH"; expr = "2 * ceil_to(K, LANES)"; doc = "operations for an element of Y"; },
  { name = "VECTORS"; expr = "MR*NR + MR + 1"; doc = "vector registers: sums, one of each row of A, one of B"; } );
terms   = ( { name = "sums"; expr = "BATCHES * MT * UT * 2"; doc = "the elements of a vector added up"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define MR 5
#define NR 5
#define UK 1
#define HOLD 1
#define R 5
#define C 5
#endif
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "NAME needs gcc 12 or later, or clang, for __builtin_shufflevector."
#endif
/* KERNEL: MR x NR tiles of Y, k along the vectors; where problems are one tile each, many of them at once. */
#include "../gemm/rows.h"
#include "../gemm/lanes.h"
#include "../gemm/lane_sums.h"
#include "../gemm/dot.h"
#include "batch_share.h"
#include "finish.h"

/* Tiles of one height and width: where the first one's operands begin, and how far it is to those of the next. */
typedef struct {
    const float *a, *b;
    float *y;
    int64_t count, a_step, b_step, y_step;
    KERNEL_mask last; /* lanes of the last vector along k */
#if OUTPUT_READ
    KERNEL_place at;  /* the first one */
    int64_t down;     /* rows to the next one; 0: that is in the next problem */
#endif
} KERNEL_tiles;

#define KERNEL_OF(rows, columns) KERNEL_##rows##_##columns
//@ repeat C = 1..NR
//@ repeat R = 1..MR
static TARGET_ATTRIBUTE void KERNEL_OF(R, C)(const NAME_args *a, const KERNEL_tiles *t)
{
#if OUTPUT_READ
    KERNEL_place at = t->at;
    for (int64_t i = 0; i < t->count; i++) {
        float sums[R * C];
        KERNEL_dot(R, C, t->a + i * t->a_step, a->A_stride[2], t->b + i * t->b_step, a->B_stride[2], a->K, &t->last, sums, C, 0);
        KERNEL_finish(a, sums, C, &at, R, C);
        at.m += t->down;
        if (!t->down)
            KERNEL_to_next(a, &at);
    }
#else
    for (int64_t i = 0; i < t->count; i++)
        KERNEL_dot(R, C, t->a + i * t->a_step, a->A_stride[2], t->b + i * t->b_step, a->B_stride[2], a->K, &t->last,
                    t->y + i * t->y_step, a->Y_stride[2], 0);
#endif
}
//@ end
//@ end

static TARGET_ATTRIBUTE void KERNEL_rows(int64_t rows, int64_t columns, const NAME_args *a, const KERNEL_tiles *t)
{
    switch (columns * 32 + rows) {
//@ repeat C = 1..NR
    case C * 32 + R: KERNEL_OF(R, C)(a, t); break; //@ repeat R = 1..MR
//@ end
    }
}

/* Rows of one problem, from t's operands on: columns from left to right, so that B's rows are read once. */
static TARGET_ATTRIBUTE void
KERNEL_problem(const NAME_args *a, KERNEL_tiles t, const KERNEL_cut *across, const KERNEL_cut *down)
{
    const int64_t xs = a->A_stride[2], ys = a->Y_stride[2], high = down->size + 1;
    const float *x = t.a;
    float *y = t.y;
    for (int64_t i = 0; i < across->count; i++) {
        const int64_t columns = across->size + (i < across->larger);
        t.a = x, t.y = y;
#if OUTPUT_READ
        const int64_t m0 = t.at.m;
        t.down = high;
#endif
        t.count = down->larger, t.a_step = high * xs, t.y_step = high * ys;
        if (t.count)
            KERNEL_rows(high, columns, a, &t);
        t.a += t.count * t.a_step, t.y += t.count * t.y_step;
        t.count = down->count - down->larger, t.a_step -= xs, t.y_step -= ys;
#if OUTPUT_READ
        t.at.m += down->larger * high;
        t.down = high - 1;
#endif
        KERNEL_rows(high - 1, columns, a, &t);
#if OUTPUT_READ
        t.at.m = m0;
        t.at.n += columns;
#endif
        t.b += columns * a->B_stride[2];
        y += columns;
    }
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const KERNEL_share share = KERNEL_share_of(a, task, ntask);
    const int64_t M = a->M, N = a->N;
    if (share.begin >= share.end || M <= 0 || N <= 0)
        return 0;
    const int small = M <= MR && N <= NR; /* problems of one tile: many are done at once, along the inner axis */
    const int inner = a->B1 > 1;
    const KERNEL_cut across = KERNEL_cut_of(N, NR);
    KERNEL_cut down = KERNEL_cut_of(M, MR);
    KERNEL_tiles t = { .a_step = a->A_stride[inner],
                       .b_step = small ? a->B_stride[inner] : 0, .y_step = a->Y_stride[inner],
                       .last = KERNEL_first(a->K % LANES) };
    KERNEL_item at = KERNEL_item_of(a, &share);
    for (int64_t left = share.end - share.begin, count; left > 0; left -= count, at = KERNEL_behind(a, at, count, share.parts)) {
        const int64_t m0 = KERNEL_part_row(M, at.part, share.parts), m1 = KERNEL_part_row(M, at.part + 1, share.parts);
        t.a = a->A + KERNEL_matrix(a->A_stride, at.b0, at.b1) + m0 * a->A_stride[2];
        t.b = a->B + KERNEL_matrix(a->B_stride, at.b0, at.b1);
        t.y = a->Y + KERNEL_matrix(a->Y_stride, at.b0, at.b1) + m0 * a->Y_stride[2];
        t.count = count = small ? KERNEL_beside(a, at, left) : 1; /* small ones are one part */
        if (share.parts > 1)
            down = KERNEL_cut_of(m1 - m0, MR);
#if OUTPUT_READ
        t.at = (KERNEL_place){ at.b0, at.b1, m0, 0 };
        t.down = 0;
#endif
        if (small)
            KERNEL_rows(M, N, a, &t);
        else
            KERNEL_problem(a, t, &across, &down);
#if HAS_EPILOGUE
#if !OUTPUT_READ
        KERNEL_finish(a, at.b0, at.b1, count, m0, m1 - m0);
#endif
#endif
    }
    return 0;
}
