/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cpu";
doc     = "row by row: rows of X under a row of Y become one, in scratch memory, by vectors along the row; then its columns under a pixel of Y";
dtypes  = ["f32"];
layouts = { X = ["NCHW"]; Y = ["NCHW"]; };
params  = (
  { name = "FR"; choices = "R"; doc = "rows of the windows that it is for; 0: any"; },
  { name = "FS"; choices = "S"; doc = "the same of columns"; } );
values  = (
  { name = "IS_MAX"; expr = "0";               doc = "1: the largest of a window, 0: the mean"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; } );
constraints = ( { need = "(FR > 0) == (FS > 0) && FR <= 16 && FS <= 16"; why = "taps are code; longer code only costs instruction cache"; } );
general = ( { target = ["avx512", "avx2", "portable"]; FR = 0; FS = 0; } );
scratch = "4 * (W + PAD_L + PAD_R + 2 * LANES + (1 - IS_MAX) * (Q + LANES))";
tile    = { N = "1"; C = "1"; H = "1"; W = "LANES"; R = "1"; S = "1"; };
own_terms = true;
derived = ( { name = "LINES"; expr = "N * P * C"; doc = "rows of Y"; } );
terms   = (
  { name = "call";  expr = "2000 * THREADS"; doc = "a call's fixed cost"; },
  { name = "down";  expr = "LINES * ceil_div(W, LANES) * (R + 2 + 2 * R * (FR == 0)) / THREADS"; doc = "rows of X"; },
  { name = "across"; expr = "LINES * ceil_div(Q, LANES) * (S * (1 + (STRIDE_W > 1) + 2 * LANES * (STRIDE_W > 2)) + 2 * S * (FS == 0) + 4) / THREADS";
    doc = "columns under pixels of Y"; },
  { name = "lines"; expr = "LINES * 20 / THREADS"; doc = "a row's start"; },
  { name = "bytes"; expr = "(N * H * W * C + LINES * Q) * 4 / (16 * THREADS)"; doc = "X and Y from and to beyond L1"; } );
features = ( { name = "threads"; expr = "log2(THREADS)"; doc = "contention"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define FR 3
#define FS 3
#endif
/* KERNEL: a row of Y from the rows of X under it.
 *   X[n][c][h][w]    at X + ((n*C + c)*H + h)*W + w
 *   Y[n][c][p][q]    at Y + ((n*C + c)*P + p)*Q + q
 *   line[w]          PAD_L places of padding, then what the rows make of column w, then padding; what lies behind is read for nothing */
#include "window.h"

typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

/* `rows` rows from x on, each `apart` floats behind the one before, become one. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_down(const int64_t rows, const float *x, int64_t apart, int64_t W, float *line)
{
    for (int64_t w = 0; w < W; w += LANES) {
        const int64_t lanes = W - w < LANES ? W - w : LANES;
        PACKAGE_floats_MACHINE acc = PACKAGE_all_MACHINE(KERNEL_NOTHING);
        if (lanes == LANES)
            for (int64_t r = 0; r < rows; r++)
                acc = KERNEL_join(acc, *(const KERNEL_vec *)(x + r * apart + w));
        else
            for (int64_t r = 0; r < rows; r++)
                acc = KERNEL_join(acc, PACKAGE_load_MACHINE(x + r * apart + w, lanes));
        PACKAGE_store_MACHINE(line + w, acc, lanes);
    }
}

static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void KERNEL_down_any(int64_t rows, const float *x, int64_t apart, int64_t W, float *line)
{
    KERNEL_down(rows, x, apart, W, line);
}

/* Each `step`-th float from `line` on, `lanes` of them; steps 1 and 2 read whole vectors. A step of 0 stands for any, `stride`. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
KERNEL_every(const int step, const float *line, int64_t stride, int64_t lanes)
{
    if (step == 1)
        return *(const KERNEL_vec *)line;
    if (step == 2) {
        const KERNEL_vec lo = *(const KERNEL_vec *)line, hi = *(const KERNEL_vec *)(line + LANES);
#if VECTOR_BYTES == 64
        return __builtin_shufflevector(lo, hi, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
#elif VECTOR_BYTES == 32
        return __builtin_shufflevector(lo, hi, 0, 2, 4, 6, 8, 10, 12, 14);
#else
        return __builtin_shufflevector(lo, hi, 0, 2, 4, 6);
#endif
    }
    float picked[LANES] = { 0 };
    for (int64_t i = 0; i < lanes; i++)
        picked[i] = line[i * stride];
    return PACKAGE_load_MACHINE(picked, LANES);
}

#if !IS_MAX
/* What the sum of a column's pixels is multiplied by, for each column of Y; rows then have their part. */
static void KERNEL_set_parts(const NAME_args *a, float *part)
{
    for (int64_t q = 0; q < a->Q + LANES; q++) {
        const KERNEL_span columns = KERNEL_columns_of(a, q < a->Q ? q : a->Q - 1);
        part[q] = KERNEL_part(a, columns.end - columns.first, a->S);
    }
}
#endif

/* A row of Y, from `line`. The step is a constant of each call, and so are the columns of a window, where they are known. part: of the mean's columns;
 * of its rows: 1 / rows. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_across(const int step, const int64_t columns, const NAME_args *a, const float *line, const float *part, float of_rows, int64_t row)
{
    const int64_t stride = step ? step : NAME_STRIDE_W(a), apart = NAME_DIL_W(a), p = row % a->P, c = row / a->P % a->C, n = row / a->P / a->C;
    float *y = a->Y + row * a->Q;
    (void)p, (void)c, (void)n, (void)part, (void)of_rows;
    for (int64_t q = 0; q < a->Q; q += LANES) {
        const int64_t lanes = a->Q - q < LANES ? a->Q - q : LANES;
        PACKAGE_floats_MACHINE acc = PACKAGE_all_MACHINE(KERNEL_NOTHING);
        for (int64_t s = 0; s < columns; s++)
            acc = KERNEL_join(acc, KERNEL_every(step, line + q * stride + s * apart, stride, lanes));
#if !IS_MAX
        acc *= PACKAGE_load_MACHINE(part + q, LANES) * PACKAGE_all_MACHINE(of_rows);
#endif
#if HAS_EPILOGUE
        acc = NAME_epilogue_MACHINE(a, acc, n, c, p, q, lanes);
#endif
        PACKAGE_store_MACHINE(y + q, acc, lanes);
    }
}

static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void KERNEL_across_any(const NAME_args *a, const float *line, const float *part, float of_rows, int64_t row)
{
    KERNEL_across(0, a->S, a, line, part, of_rows, row);
}

/* Part `task` of `ntask` of the call: rows of Y. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t all = a->N * a->C * a->P, columns = FS ? FS : a->S, apart = NAME_DIL_H(a) * a->W;
    float *padded = (float *)((char *)a->scratch + (size_t)task * KERNEL_scratch(a)), *line = padded + NAME_PAD_L(a);
    for (int64_t i = 0; i < NAME_PAD_L(a); i++)
        padded[i] = KERNEL_NOTHING;
    for (int64_t i = 0; i < NAME_PAD_R(a) + 2 * LANES; i++)
        line[a->W + i] = KERNEL_NOTHING;
    float *part = line + a->W + NAME_PAD_R(a) + 2 * LANES;
#if !IS_MAX
    KERNEL_set_parts(a, part);
#endif
    for (int64_t row = all * task / ntask; row < all * (task + 1) / ntask; row++) {
        const KERNEL_span span = KERNEL_rows_of(a, row % a->P);
        const float *x = a->X + (row / a->P * a->H + row % a->P * NAME_STRIDE_H(a) - NAME_PAD_T(a) + span.first * NAME_DIL_H(a)) * a->W;
        const int64_t rows = span.end - span.first;
#if IS_MAX
        const float of_rows = 1;
#else
        const float of_rows = KERNEL_part(a, rows, a->R);
#endif
#if FR
        if (rows == FR)
            KERNEL_down(FR, x, apart, a->W, line);
        else
#endif
            KERNEL_down_any(rows, x, apart, a->W, line);
        if (NAME_STRIDE_W(a) == 1)
            KERNEL_across(1, columns, a, padded, part, of_rows, row);
        else if (NAME_STRIDE_W(a) == 2)
            KERNEL_across(2, columns, a, padded, part, of_rows, row);
        else
            KERNEL_across_any(a, padded, part, of_rows, row);
    }
    return 0;
}
