/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "depthwise_conv";
op      = "conv2d";
family  = "cpu";
doc     = "depthwise: a tile of PT rows x QT columns of Y x a vector of channels, kept in registers over all taps; a vector of X is loaded once for all taps of a row";
packed  = true;
layouts = { X = ["NHWC"]; Y = ["NHWC"]; };
dtypes  = ["f32"];
params = (
  { name = "PT"; choices = [1, 2, 3, 4];                      doc = "rows of Y in a tile"; },
  { name = "QT"; choices = [2, 3, 4, 5, 6, 7, 8, 10, 12, 14]; doc = "columns of Y in the widest tile"; },
  { name = "FR"; choices = "R";          doc = "rows of the filters that it is for; 0: any, and X is loaded once for each tap"; },
  { name = "FS"; choices = "S";          doc = "the same of columns"; },
  { name = "FH"; choices = "STRIDE_H";   doc = "the same of rows of X from one of Y to the next"; },
  { name = "FW"; choices = "STRIDE_W";   doc = "the same of columns"; },
  { name = "PF"; choices = [0, 1];       doc = "1: the rows of X under the next tiles are prefetched"; },
  { name = "CB"; choices = [0, 2, 4, 8]; doc = "channels / 16 that meet all rows of an image before the next ones do, so that their rows of X stay close; 0: all"; } );
values = (
  { name = "COPY"; expr = "0";                doc = "no pixels are copied"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "WIDE"; expr = "min(PT*QT, 14)";   doc = "columns of Y in the widest tile of one row"; },
  { name = "HIGH"; expr = "(PT - 1)*FH + FR"; doc = "rows of X under a tile"; } );
constraints = (
  { need = "(FR > 0) == (FS > 0) && (FR > 0) == (FH > 0) && (FR > 0) == (FW > 0)"; why = "which vectors of X meet which taps follows from all of them"; },
  { need = "PF == 0 || FR > 0";                why = "which rows are new follows from the filters"; },
  { need = "PT == 1 || FR > 0";                why = "rows of Y share rows of X where it is known which"; },
  { need = "PT*QT + max(FS, 1) + 3 <= VECTOR_REGISTERS"; why = "the sums, a row of taps, a vector of X and constants of a formula must fit the vector registers"; },
  { need = "HIGH*((QT - 1)*FW + FS) <= 256";   why = "longer code only costs instruction cache"; } );
general = (
  { target = ["avx512", "avx2"]; PT = 1; QT = 7; FR = 0; FS = 0; FH = 0; FW = 0; PF = 0; CB = 0; },
  { target = "portable"; PT = 1; QT = 4; FR = 0; FS = 0; FH = 0; FW = 0; PF = 0; CB = 0; } );
serves = "C == 1 && K == 1 && (FR == 0 || (DIL_H == 1 && DIL_W == 1))";
tile = { N = "1"; G = "16 * max(CB, 1)"; H = "PT"; W = "QT"; C = "1"; K = "1"; R = "1"; S = "1"; };
derived = (
  { name = "ACROSS"; expr = "ceil_div(Q, QT)"; doc = "tiles of a row"; },
  { name = "TILES_OF"; expr = "N * ceil_div(P, PT) * ACROSS"; doc = "tiles of all images, each for all channels"; },
  { name = "PER_VECTOR"; expr = "ceil_div(G, LANES)"; doc = "vectors of channels"; },
  { name = "UNDER"; expr = "(FR == 0) * R + (FR > 0) * HIGH"; doc = "rows of X under a tile"; },
  { name = "ROW_BYTES"; expr = "(CB == 0) * W * G * 4 + (CB > 0) * W * min(G, CB * 16) * 4"; doc = "bytes of a row of X that are read before those of the next row"; } );
own_terms = true; # each channel has sums of its own, and few of them: what counts is how X comes
# Cycles of the busiest task.
terms = (
  { name = "call";  expr = "2000 * THREADS"; doc = "a call's fixed cost"; },
  { name = "fma";   expr = "N * P * Q * PER_VECTOR * R * S / 2 / THREADS"; doc = "two FMAs a cycle"; },
  { name = "loads"; expr = "TILES_OF * PER_VECTOR * ((FR == 0) * R * S * (QT + 3) + (FR > 0) * PT * R * ((QT - 1) * FW + 2 * S)) / 2 / THREADS";
    doc = "two loads of X or of taps a cycle"; },
  { name = "tiles"; expr = "TILES_OF * (40 * max(1, ceil_div(PER_VECTOR * LANES, 16 * max(CB, 1)) * (CB > 0)) + 10 * PER_VECTOR) / THREADS"; doc = "start and end of a tile, and of each of its vectors"; },
  { name = "x_l2";  expr = "(ROW_BYTES * (UNDER + 1) > L1_BYTES) * N * ceil_div(P, PT) * UNDER * W * G / 16 / THREADS"; doc = "lines of X that come from L2 for each row of tiles"; },
  { name = "x";     expr = "(N * H * W * G * 8 > L2_BYTES) * N * H * W * G / 8 * (1 + (CB > 0)) / (1 + PF) / THREADS"; doc = "lines of X from beyond L2, which blocks of channels read in pieces"; },
  { name = "prefetch"; expr = "PF * N * H * W * PER_VECTOR / 2 / THREADS"; doc = "prefetches issued"; },
  { name = "y";     expr = "N * P * Q * G / 8 / THREADS"; doc = "lines of Y written"; } );
features = (
  { name = "fixed";  expr = "FR > 0"; doc = "the filters are known"; },
  { name = "prefetch"; expr = "PF"; doc = "prefetches issued"; },
  { name = "rows";   expr = "log2(PT)"; doc = "rows of Y share rows of X"; },
  { name = "area";   expr = "log2(PT * min(QT, Q))"; doc = "independent sums"; },
  { name = "singles"; expr = "(PT > 1) * (P % PT + 2) / max(1, P)"; doc = "rows that are done one by one: those at the ends, and the rest"; },
  { name = "sides";  expr = "min(1, 2 / max(1, ACROSS))"; doc = "tiles at the sides of the image"; },
  { name = "blocks"; expr = "CB > 0"; doc = "blocks of channels"; },
  { name = "block";  expr = "(CB > 0) * log2(max(1, CB))"; doc = "their size"; },
  { name = "narrow"; expr = "log2(1 + 32 / max(1, G))"; doc = "a tile's start against its channels"; },
  { name = "threads"; expr = "log2(THREADS)"; doc = "contention"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define PT 2
#define QT 7
#define FR 3
#define FS 3
#define FH 1
#define FW 1
#define PF 1
#define CB 0
#define WIDE 14
#define HIGH 4
#define T 7
#endif
/* KERNEL: a convolution in which each channel has a filter of its own (C = K = 1): tiles of up to PT rows x QT columns of Y x a vector of channels.
 *   X[n][h][w][c]    at X + ((n*H + h)*W + w)*G + c
 *   F, packed        of channel c, row r and column s of the taps at F + c/16*NAME_PANEL(R*S) + (r*S + s)*16 + c%16
 *   acc[t][j]        sum over r, s of X[n][h + STRIDE_H*t + DIL_H*r][w + STRIDE_W*j + DIL_W*s][c] * F[c][r][s]
 * Rows of X above and below the image, and columns beside it, are left out. */
#if !OUTPUT_READ
#if EPILOGUE_CALLS
#include "finish.h"
#endif
#endif

typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

/* A tile: its place in Y; and under it the rows and columns of X, counted from the first one, that exist. */
typedef struct {
    int64_t n, p, q, top, bottom, left, right;
    const float *x; /* the first row and column under it, should it exist or not */
    float *y;
} KERNEL_place;

/* ceil(a / b) of any a and a positive b, and at least 0. */
static inline __attribute__((always_inline)) int64_t KERNEL_steps(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : 0; }

static KERNEL_place KERNEL_place_of(const NAME_args *a, int64_t n, int64_t p, int64_t q)
{
    const int64_t h = p * NAME_STRIDE_H(a) - NAME_PAD_T(a), w = q * NAME_STRIDE_W(a) - NAME_PAD_L(a);
    return (KERNEL_place){ n, p, q, KERNEL_steps(-h, NAME_DIL_H(a)), KERNEL_steps(a->H - h, NAME_DIL_H(a)), -w, a->W - w,
                           a->X + STRIDED(X, n * a->X_stride[0] + h * a->X_stride[1] + w * a->X_stride[2], ((n * a->H + h) * a->W + w) * a->G), a->Y + STRIDED(Y, n * a->Y_stride[0] + p * a->Y_stride[1] + q * a->Y_stride[2], ((n * a->P + p) * a->Q + q) * a->G) };
}

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE KERNEL_vec KERNEL_load(const float *p, int64_t lanes)
{
    return lanes == LANES ? *(const KERNEL_vec *)p : (KERNEL_vec)PACKAGE_load_MACHINE(p, lanes);
}

#if FR
/* A row of X with a row of taps, for the tile's row whose sums are acc. `columns` and `inside` are constants of each call; inside: all columns of X
 * under the tile exist. pixel: floats from a pixel of X to the next one; ahead: to the row of X that is prefetched meanwhile, 0: none. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_row_of_x(const int columns, const int inside, const NAME_args *a, const KERNEL_place *at, int64_t pixel, const float *x, const float *f, int64_t lanes, int64_t ahead, KERNEL_vec acc[WIDE])
{
    KERNEL_vec tap[FS];
    (void)a; /* where attributes are the same in all calls */
    PACKAGE_UNROLL(8)
    for (int s = 0; s < FS; s++) {
        KERNEL_vec v = KERNEL_load(f + s * 16, lanes);
        PACKAGE_IN_REGISTER(v);
        tap[s] = v;
    }
    PACKAGE_UNROLL(64)
    for (int j = 0; j < (columns - 1) * FW + FS; j++) {
        if (j > 0 && j % 3 == 0) { /* three columns are addresses of one base and a scaled index: else gcc keeps more of them than there are registers */
            x += 3 * pixel;
            __asm__("" : "+r"(x));
        }
        if (!inside && ((j < NAME_PAD_L(a) && j < at->left) || (j >= (columns - 1) * FW + FS - NAME_PAD_R(a) && j >= at->right)))
            continue;
        KERNEL_vec v = KERNEL_load(x + j % 3 * pixel, lanes);
        PACKAGE_IN_REGISTER(v);
        if (ahead > 0 && j + FW >= FS)
            __builtin_prefetch(x + j % 3 * pixel + ahead, 0, 2);
        PACKAGE_UNROLL(8)
        for (int s = 0; s < FS; s++)
            if (j >= s && (j - s) % FW == 0 && (j - s) / FW < columns)
                PACKAGE_FMA(acc[(j - s) / FW], v, tap[s]);
    }
}
#endif

/* The sums of a tile, of which all rows of X exist where it has more than one. line: floats from a row of X to the one under the next row of taps. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_sums(const int rows, const int columns, const int inside, const NAME_args *a, const KERNEL_place *at, int64_t pixel, int64_t line, const float *x, const float *f, int64_t lanes, KERNEL_vec acc[PT][WIDE])
{
    const int64_t r1 = at->bottom < a->R ? at->bottom : a->R;
    (void)rows;
#if FR
#if PT > 1
    if (rows > 1) {
        PACKAGE_UNROLL(16)
        for (int i = 0; i < (rows - 1) * FH + FR; i++, x += line) {
            PACKAGE_UNROLL(4)
            for (int t = 0; t < rows; t++)
                if (i >= t * FH && i < t * FH + FR) {
                    __asm__("" : "+r"(x), "+r"(f)); /* else gcc keeps an address for each row and column, and taps for the next row of X */
                    KERNEL_row_of_x(columns, inside, a, at, pixel, x, f + (i - t * FH) * FS * 16, lanes, PF && i >= HIGH - PT * FH && (t == PT - 1 || i < (t + 1) * FH) ? PT * FH * line : 0, acc[t]);
                }
        }
        return;
    }
#endif
    for (int64_t r = at->top; r < r1; r++)
        KERNEL_row_of_x(columns, inside, a, at, pixel, x + r * line, f + r * FS * 16, lanes, PF && r >= FR - FH ? FH * line : 0, acc[0]);
#else
    for (int64_t r = at->top; r < r1; r++)
        for (int64_t s = 0; s < a->S; s++) {
            const KERNEL_vec tap = KERNEL_load(f + (r * a->S + s) * 16, lanes);
            const int64_t first = s * NAME_DIL_W(a);
            PACKAGE_UNROLL(16)
            for (int j = 0; j < columns; j++)
                if (inside || (first + j * NAME_STRIDE_W(a) >= at->left && first + j * NAME_STRIDE_W(a) < at->right))
                    acc[0][j] += tap * KERNEL_load(x + r * line + (first + j * NAME_STRIDE_W(a)) * pixel, lanes);
        }
#endif
}

/* Channels c..c+lanes-1 of a tile. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int rows, const int columns, const int inside, const NAME_args *a, const KERNEL_place *at, int64_t pixel, int64_t line, int64_t across, const float *f, int64_t c, int64_t lanes)
{
    float *y = at->y + c;
    KERNEL_vec acc[PT][WIDE];
    PACKAGE_UNROLL(4)
    for (int t = 0; t < rows; t++)
        PACKAGE_UNROLL(16)
        for (int j = 0; j < columns; j++)
            acc[t][j] = (KERNEL_vec){ 0 };
    KERNEL_sums(rows, columns, inside, a, at, pixel, line, at->x + c, f, lanes, acc);
#if OUTPUT_READ
    PACKAGE_UNROLL(4)
    for (int t = 0; t < rows; t++)
        PACKAGE_UNROLL(16)
        for (int j = 0; j < columns; j++)
            acc[t][j] = (KERNEL_vec)NAME_epilogue_MACHINE(a, (PACKAGE_floats_MACHINE)acc[t][j], at->n, at->p + t, at->q + j, c, lanes);
#else
#if HAS_EPILOGUE && !EPILOGUE_CALLS
    PACKAGE_UNROLL(4)
    for (int t = 0; t < rows; t++)
        PACKAGE_UNROLL(16)
        for (int j = 0; j < columns; j++)
            acc[t][j] = (KERNEL_vec)NAME_epilogue_MACHINE(a, (PACKAGE_floats_MACHINE)acc[t][j], at->n, at->p + t, at->q + j, c, lanes);
#endif
#endif
    PACKAGE_UNROLL(4)
    for (int t = 0; t < rows; t++, y += across)
        PACKAGE_UNROLL(16)
        for (int j = 0; j < columns; j++)
            if (lanes == LANES)
                *(KERNEL_vec *)(y + j * STRIDED(Y, a->Y_stride[2], STRIDED(X, a->G, pixel))) = acc[t][j];
            else
                PACKAGE_store_MACHINE(y + j * STRIDED(Y, a->Y_stride[2], STRIDED(X, a->G, pixel)), (PACKAGE_floats_MACHINE)acc[t][j], lanes);
}

/* Whole vectors of the channels c0..c1-1 of a tile, or with `lanes` the channels that are less than one. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_strip(const int rows, const int columns, const int inside, const NAME_args *a, const KERNEL_place *place, int64_t c0, int64_t c1, int64_t lanes)
{
    const KERNEL_place at = *place; /* stores to Y do not change it */
    const int64_t pixel = STRIDED(X, a->X_stride[2], a->G), line = NAME_DIL_H(a) * STRIDED(X, a->X_stride[1], a->W * pixel), across = STRIDED(Y, a->Y_stride[1], a->Q * STRIDED(X, a->G, pixel)), panel = NAME_PANEL(a->R * a->S);
    if (lanes < LANES)
        KERNEL_tile(rows, columns, inside, a, &at, pixel, line, across, a->F + (c0 >> 4) * panel + (c0 & 15), c0, lanes);
    else
        for (int64_t c = c0; c < c1; c += LANES)
            KERNEL_tile(rows, columns, inside, a, &at, pixel, line, across, a->F + (c >> 4) * panel + (c & 15), c, LANES);
}

/* The strip as code for each width, of PT rows or of one, where all columns of X exist. */
static TARGET_ATTRIBUTE void KERNEL_inside(const NAME_args *a, const KERNEL_place *at, int64_t rows, int64_t columns, int64_t c0, int64_t c1)
{
    if (rows == PT)
        switch (columns) {
        case T: KERNEL_strip(PT, T, 1, a, at, c0, c1, LANES); break; //@ repeat T = 1..QT
        }
#if PT > 1
    else
        switch (columns) {
        case T: KERNEL_strip(1, T, 1, a, at, c0, c1, LANES); break; //@ repeat T = 1..WIDE
        }
#endif
}

/* The same where some do not. */
static TARGET_ATTRIBUTE void KERNEL_beside(const NAME_args *a, const KERNEL_place *at, int64_t rows, int64_t columns, int64_t c0, int64_t c1)
{
    if (rows == PT)
        switch (columns) {
        case T: KERNEL_strip(PT, T, 0, a, at, c0, c1, LANES); break; //@ repeat T = 1..QT
        }
#if PT > 1
    else
        switch (columns) {
        case T: KERNEL_strip(1, T, 0, a, at, c0, c1, LANES); break; //@ repeat T = 1..WIDE
        }
#endif
}

/* One row of `lanes` channels that are less than a vector. */
static TARGET_ATTRIBUTE void KERNEL_rest(const NAME_args *a, const KERNEL_place *at, int64_t columns, int64_t c, int64_t lanes)
{
    if (lanes < LANES)
        switch (columns) {
        case T: KERNEL_strip(1, T, 0, a, at, c, c, lanes); break; //@ repeat T = 1..WIDE
        }
}

/* Channels c0..c1-1 of a tile of `rows` rows. */
static TARGET_ATTRIBUTE void KERNEL_channels(const NAME_args *a, int64_t n, int64_t p, int64_t rows, int64_t q, int64_t columns, int64_t c0, int64_t c1)
{
    const int64_t whole = c0 + (c1 - c0) / LANES * LANES;
    const KERNEL_place at = KERNEL_place_of(a, n, p, q);
    if (at.left <= 0 && (columns - 1) * NAME_STRIDE_W(a) + (a->S - 1) * NAME_DIL_W(a) < at.right)
        KERNEL_inside(a, &at, rows, columns, c0, whole);
    else
        KERNEL_beside(a, &at, rows, columns, c0, whole);
    for (int64_t t = 0; whole < c1 && t < rows; t++) {
        const KERNEL_place of_row = KERNEL_place_of(a, n, p + t, q);
        KERNEL_rest(a, &of_row, columns, whole, c1 - whole);
    }
#if !OUTPUT_READ
#if EPILOGUE_CALLS
    for (int64_t t = 0; t < rows; t++) {
        const int64_t pixel = (n * a->P + p + t) * a->Q + q;
        KERNEL_store_part(a, STRIDED(Y, KERNEL_of_y(a, pixel), a->Y + pixel * a->OC) + c0, STRIDED(Y, a->Y_stride[2], a->OC), pixel, c0, columns, c1 - c0);
    }
#endif
#endif
}

/* How many rows of Y from p on are one tile: PT where all of X under them exists. */
static int64_t KERNEL_high(const NAME_args *a, int64_t p, int64_t left)
{
    const int64_t h = p * NAME_STRIDE_H(a) - NAME_PAD_T(a);
    return PT > 1 && left >= PT && h >= 0 && h + HIGH <= a->H ? PT : 1;
}

/* Part `task` of `ntask` of the call: blocks of rows of Y, of blocks of channels. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t wide = CB ? CB * 16 : a->G, blocks = (a->G + wide - 1) / wide, groups = (a->P + PT - 1) / PT, all = a->N * blocks * groups;
    for (int64_t i = all * task / ntask; i < all * (task + 1) / ntask; i++) {
        const int64_t n = i / groups / blocks, c0 = i / groups % blocks * wide, c1 = c0 + wide < a->G ? c0 + wide : a->G;
        const int64_t p1 = (i % groups + 1) * PT < a->P ? (i % groups + 1) * PT : a->P;
        for (int64_t p = i % groups * PT, rows; p < p1; p += rows) {
            rows = KERNEL_high(a, p, p1 - p);
            const int64_t most = rows == PT ? QT : WIDE, across = (a->Q + most - 1) / most, columns = a->Q / across, wider = a->Q % across;
            for (int64_t k = 0, q = 0, here; k < across; k++, q += here) {
                here = columns + (k < wider);
                KERNEL_channels(a, n, p, rows, q, here, c0, c1);
            }
        }
    }
    return 0;
}
