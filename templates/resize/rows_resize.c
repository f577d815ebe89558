/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cpu";
doc     = "row by row: a row of X is made as long as one of Y, in scratch memory, and serves all rows of Y that it is near to";
dtypes  = ["f32"];
layouts = { X = ["NCHW"]; Y = ["NCHW"]; };
params  = ();
values  = (
  { name = "IS_LINEAR"; expr = "1";            doc = "1: bilinear, 0: the nearest pixel"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; } );
general = ( { target = ["avx512", "avx2", "portable"]; } );
scratch = "24 * (Q + LANES)"; # four numbers for each column of Y, and two rows
tile    = { N = "1"; C = "1"; H = "1"; W = "LANES"; P = "1"; Q = "LANES"; };
own_terms = true;
derived = ( { name = "LINES"; expr = "N * P * C"; doc = "rows of Y"; } );
terms   = (
  { name = "call";   expr = "2000 * THREADS + 40 * Q"; doc = "a call's fixed cost; places of columns"; },
  { name = "across"; expr = "N * C * min(P * (1 + IS_LINEAR), H) * ceil_div(Q, LANES) * (4 + 4 * IS_LINEAR + (W > 2 * Q) * 2 * LANES) / THREADS"; doc = "rows of X made long"; },
  { name = "down";   expr = "LINES * (20 + 2 * ceil_div(Q, LANES)) / THREADS"; doc = "rows of Y"; },
  { name = "bytes";  expr = "(N * H * W * C + LINES * Q) * 4 / (16 * THREADS)"; doc = "X and Y from and to beyond L1"; } );
features = ( { name = "threads"; expr = "log2(THREADS)"; doc = "contention"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#endif
/* KERNEL: rows of Y from one or two rows of X that are as long.
 *   X[n][c][h][w]    at X + ((n*C + c)*H + h)*W + w
 *   Y[n][c][p][q]    at Y + ((n*C + c)*P + p)*Q + q */
#include "place.h"

typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

/* In scratch memory: of each column of Y the columns of X that it comes from, with their weights; and rows of X made long. All have room for whole
 * vectors. */
typedef struct {
    int32_t *first, *second;
    float *near, *far;
    float *row[2];
    int64_t is[2]; /* which rows of X these are, counted over all images and channels */
} KERNEL_line;

static TARGET_ATTRIBUTE KERNEL_line KERNEL_begin(const NAME_args *a, float *scratch)
{
    const int64_t room = a->Q + LANES;
    KERNEL_line line = { (int32_t *)scratch, (int32_t *)scratch + room, scratch + 2 * room, scratch + 3 * room, { scratch + 4 * room, scratch + 5 * room }, { -1, -1 } };
    for (int64_t q = 0; q < room; q++) {
        const KERNEL_place at = KERNEL_place_of(a, q < a->Q ? q : a->Q - 1, a->Q, a->W);
        line.first[q] = (int32_t)at.first;
        line.second[q] = (int32_t)at.second;
#if IS_LINEAR
        line.near[q] = KERNEL_near(&at);
        line.far[q] = KERNEL_far(&at);
#endif
    }
    return line;
}

/* The elements of x that the next columns of Y come from: a vector has them all, from `base` on, or they are picked one by one. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
KERNEL_pick(int is_close, const float *x, PACKAGE_floats_MACHINE close, int32_t base, const int32_t *from)
{
    if (is_close)
        return PACKAGE_pick_MACHINE(close, PACKAGE_load_ints_MACHINE(from, LANES) - base);
    float picked[LANES];
    for (int i = 0; i < LANES; i++)
        picked[i] = x[from[i]];
    return PACKAGE_load_MACHINE(picked, LANES);
}

/* A row of X as long as one of Y. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void KERNEL_lengthen(const NAME_args *a, const KERNEL_line *line, const float *x, float *row)
{
    for (int64_t q = 0; q < a->Q; q += LANES) {
        const int32_t base = line->first[q];
        const int is_close = line->second[q + LANES - 1] - base < LANES;
        const int64_t lanes = a->W - base < LANES ? a->W - base : LANES;
        const PACKAGE_floats_MACHINE close = PACKAGE_load_MACHINE(x + base, lanes);
        PACKAGE_floats_MACHINE v = KERNEL_pick(is_close, x, close, base, line->first + q);
#if IS_LINEAR
        v = v * PACKAGE_load_MACHINE(line->near + q, LANES) + KERNEL_pick(is_close, x, close, base, line->second + q) * PACKAGE_load_MACHINE(line->far + q, LANES);
#endif
        PACKAGE_store_MACHINE(row + q, v, LANES);
    }
}

/* Row i of X, made long. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE const float *KERNEL_row(const NAME_args *a, KERNEL_line *line, int64_t i)
{
    if (line->is[i % 2] != i) {
        KERNEL_lengthen(a, line, a->X + i * a->W, line->row[i % 2]);
        line->is[i % 2] = i;
    }
    return line->row[i % 2];
}

/* Part `task` of `ntask` of the call: rows of Y. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t all = a->N * a->C * a->P, begin = all * task / ntask, end = all * (task + 1) / ntask;
    if (begin == end || a->Q == 0)
        return 0;
    KERNEL_line line = KERNEL_begin(a, (float *)((char *)a->scratch + (size_t)task * KERNEL_scratch(a)));
    for (int64_t i = begin; i < end; i++) {
        const int64_t plane = i / a->P, p = i % a->P;
        const KERNEL_place at = KERNEL_place_of(a, p, a->P, a->H);
        const float *above = KERNEL_row(a, &line, plane * a->H + at.first);
        float *y = a->Y + i * a->Q;
#if IS_LINEAR
        const float *below = KERNEL_row(a, &line, plane * a->H + at.second);
        const PACKAGE_floats_MACHINE near = PACKAGE_all_MACHINE(KERNEL_near(&at)), far = PACKAGE_all_MACHINE(KERNEL_far(&at));
#endif
        for (int64_t q = 0; q < a->Q; q += LANES) {
            const int64_t lanes = a->Q - q < LANES ? a->Q - q : LANES;
            PACKAGE_floats_MACHINE v = *(const KERNEL_vec *)(above + q);
#if IS_LINEAR
            v = v * near + (PACKAGE_floats_MACHINE)(*(const KERNEL_vec *)(below + q)) * far;
#endif
#if HAS_EPILOGUE
            v = NAME_epilogue_MACHINE(a, v, plane / a->C, plane % a->C, p, q, lanes);
#endif
            PACKAGE_store_MACHINE(y + q, v, lanes);
        }
    }
    return 0;
}
