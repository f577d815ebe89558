/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cpu";
doc     = "windows that share columns: V vectors of channels go along a row of Y, and keep what the rows of X make of each column for the next windows";
dtypes  = ["f32"];
layouts = { X = ["NHWC"]; Y = ["NHWC"]; };
params  = (
  { name = "V";  choices = [1, 2, 3, 4]; doc = "vectors of channels at a time"; },
  { name = "FR"; choices = "R";          doc = "rows of the windows that it is for"; },
  { name = "FS"; choices = "S";          doc = "columns of the windows that it is for"; },
  { name = "FW"; choices = "STRIDE_W";   doc = "columns of X from one of Y to the next that it is for"; } );
values  = (
  { name = "IS_MAX"; expr = "0";               doc = "1: the largest of a window, 0: the mean"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "KEPT";  expr = "FS - FW";          doc = "columns that a window shares with the next one"; } );
constraints = (
  { need = "FR > 0 && FS > 0 && FW > 0 && FS > FW"; why = "which columns windows share follows from all of them"; },
  { need = "V * (FS + 1) + 1 <= VECTOR_REGISTERS"; why = "the columns of a window, and its result, stay in registers"; },
  { need = "FR * FS * V <= 128"; why = "taps are code; longer code only costs instruction cache"; },
  { need = "V == 1 || !EPILOGUE_CALLS"; why = "a call keeps few vectors in registers"; } );
serves  = "DIL_W == 1";
tile    = { N = "1"; C = "V*LANES"; H = "1"; W = "1"; R = "1"; S = "1"; };
own_terms = true;
derived = (
  { name = "PIXELS"; expr = "N * P * Q"; doc = "of Y"; },
  { name = "STEPS"; expr = "C / (V*LANES) + ceil_div(C % (V*LANES), LANES)"; doc = "blocks of vectors of channels"; } );
terms   = (
  { name = "call";  expr = "2000 * THREADS"; doc = "a call's fixed cost"; },
  { name = "loads"; expr = "PIXELS * C * FW * R / (2 * LANES * THREADS)"; doc = "two loads a cycle"; },
  { name = "taps";  expr = "PIXELS * STEPS * (FW * R + S + 6) / (2 * THREADS)"; doc = "instructions of a pixel, and where it lies"; },
  { name = "pixels"; expr = "N * P * STEPS * 40 / THREADS"; doc = "a row's start"; },
  { name = "bytes"; expr = "(N * H * W * C + PIXELS * C) * 4 / (16 * THREADS)"; doc = "X and Y from and to beyond L1"; } );
features = (
  { name = "vectors"; expr = "log2(V)"; doc = "sums at a time"; },
  { name = "threads"; expr = "log2(THREADS)"; doc = "contention"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define V 2
#define FR 3
#define FS 3
#define FW 1
#define KEPT 2
#endif
/* KERNEL: a row of Y from the rows of X under it, a block of V vectors of channels at a time.
 *   X[n][h][w][c]    at X + ((n*H + h)*W + w)*C + c
 *   Y[n][p][q][c]    at Y + ((n*P + p)*Q + q)*C + c
 *   column[s]        what the rows make of column STRIDE_W*q + s - PAD_L */
#include "window.h"

typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

/* A row of Y, and the rows under it that stand on the image. */
typedef struct {
    int64_t n, p, rows;
    const float *x; /* column 0 of the first of these rows */
    float *y;
} KERNEL_line;

/* A vector of column w, from the `rows` rows under a row of Y: a constant of each call, where it is known. inside: the column stands on the image. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
KERNEL_column(const int inside, const int64_t rows, const NAME_args *a, const float *x, int64_t w, int64_t lanes)
{
    PACKAGE_floats_MACHINE acc = PACKAGE_all_MACHINE(KERNEL_NOTHING);
    if (!inside && (w < 0 || w >= a->W))
        return acc;
    x += w * a->C;
    PACKAGE_UNROLL(16)
    for (int64_t r = 0; r < rows; r++, x += NAME_DIL_H(a) * a->W * a->C)
        acc = KERNEL_join(acc, lanes < LANES ? PACKAGE_load_MACHINE(x, lanes) : (PACKAGE_floats_MACHINE)(*(const KERNEL_vec *)x));
    return acc;
}

/* Pixels q..end-1 of a row, whose first KEPT columns are there already. inside: they are whole windows, on the image. x, y: channel c of the row's start. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_pixels(const int inside, const int vectors, const int64_t rows, const NAME_args *a, const KERNEL_line *line, int64_t c, int64_t lanes,
              int64_t q, int64_t end, PACKAGE_floats_MACHINE column[V][FS])
{
    const float *x = line->x + c;
    float *y = line->y + q * a->C + c;
#if !IS_MAX
    const float of_rows = KERNEL_part(a, line->rows, FR), whole = of_rows / FS;
#endif
    for (; q < end; q++, y += a->C) {
#if !IS_MAX
        const KERNEL_span columns = KERNEL_columns_of(a, q);
        const PACKAGE_floats_MACHINE part = PACKAGE_all_MACHINE(inside || columns.end - columns.first == FS ? whole : of_rows * KERNEL_part(a, columns.end - columns.first, FS));
#endif
        PACKAGE_UNROLL(4)
        for (int v = 0; v < vectors; v++) {
            PACKAGE_UNROLL(16)
            for (int s = KEPT; s < FS; s++)
                column[v][s] = KERNEL_column(inside, rows, a, x + v * LANES, q * FW + s - NAME_PAD_L(a), lanes);
            PACKAGE_floats_MACHINE acc = column[v][0];
            PACKAGE_UNROLL(16)
            for (int s = 1; s < FS; s++)
                acc = KERNEL_join(acc, column[v][s]);
#if !IS_MAX
            acc *= part;
#endif
#if HAS_EPILOGUE
            acc = NAME_epilogue_MACHINE(a, acc, line->n, line->p, q, c + v * LANES, lanes);
#endif
            if (lanes < LANES)
                PACKAGE_store_MACHINE(y + v * LANES, acc, lanes);
            else
                *(KERNEL_vec *)(y + v * LANES) = (KERNEL_vec)acc;
            PACKAGE_UNROLL(16)
            for (int s = 0; s < KEPT; s++)
                column[v][s] = column[v][s + FW];
        }
    }
}

/* Channels c.. of a row, `vectors` of them (a constant of each call), of which the last one has `lanes`. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_block(const int vectors, const int64_t rows, const NAME_args *a, const KERNEL_line *line, int64_t c, int64_t lanes)
{
    /* pixels q0..q1-1 have windows within the image */
    const int64_t q0 = (NAME_PAD_L(a) + FW - 1) / FW, past = (a->W + NAME_PAD_L(a) - FS + FW) / FW, q1 = past < a->Q ? past : a->Q;
    PACKAGE_floats_MACHINE column[V][FS];
    PACKAGE_UNROLL(16)
    for (int s = 0; s < KEPT; s++)
        PACKAGE_UNROLL(4)
        for (int v = 0; v < vectors; v++)
            column[v][s] = KERNEL_column(0, rows, a, line->x + c + v * LANES, s - NAME_PAD_L(a), lanes);
    if (q0 < q1) {
        KERNEL_pixels(0, vectors, rows, a, line, c, lanes, 0, q0, column);
        KERNEL_pixels(1, vectors, rows, a, line, c, lanes, q0, q1, column);
    }
    KERNEL_pixels(0, vectors, rows, a, line, c, lanes, q0 < q1 ? q1 : 0, a->Q, column);
}

/* All channels of a row whose windows have `rows` rows on the image. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void KERNEL_row(const int64_t rows, const NAME_args *a, const KERNEL_line *line)
{
    int64_t c = 0;
    for (; c + V * LANES <= a->C; c += V * LANES)
        KERNEL_block(V, rows, a, line, c, LANES);
#if V > 1
    for (; c + LANES <= a->C; c += LANES)
        KERNEL_block(1, rows, a, line, c, LANES);
#endif
    if (c < a->C)
        KERNEL_block(1, line->rows, a, line, c, a->C - c);
}

static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void KERNEL_row_any(const NAME_args *a, const KERNEL_line *line) { KERNEL_row(line->rows, a, line); }

/* Part `task` of `ntask` of the call: rows of Y. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    for (int64_t row = a->N * a->P * task / ntask; row < a->N * a->P * (task + 1) / ntask; row++) {
        const int64_t n = row / a->P, p = row % a->P;
        const KERNEL_span rows = KERNEL_rows_of(a, p);
        const int64_t h = p * NAME_STRIDE_H(a) - NAME_PAD_T(a) + rows.first * NAME_DIL_H(a);
        const KERNEL_line line = { n, p, rows.end - rows.first, a->X + (n * a->H + h) * a->W * a->C, a->Y + row * a->Q * a->C };
        if (line.rows == FR)
            KERNEL_row(FR, a, &line);
        else if (line.rows == FR - 1) /* the first and the last row, where padding is one row */
            KERNEL_row(FR - 1, a, &line);
        else
            KERNEL_row_any(a, &line);
    }
    return 0;
}
