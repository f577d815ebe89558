/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "planes_conv";
op      = "conv2d";
family  = "cpu";
doc     = "groups of one channel, in planes: a tile of PT rows of Y x a vector of columns, kept in registers over all taps";
packed  = false;
layouts = { X = ["NCHW"]; F = ["KCRS", "KRSC"]; Y = ["NCHW"]; };
dtypes  = ["f32"];
params = (
  { name = "PT"; choices = [1, 2, 3, 4, 6, 7, 8]; doc = "rows of Y in a tile; what is left of a plane is done row by row"; },
  { name = "FR"; choices = "R";          doc = "rows of the filters that it is for; 0: any"; },
  { name = "FS"; choices = "S";          doc = "the same of columns"; },
  { name = "FH"; choices = "STRIDE_H";   doc = "the same of rows of X from one of Y to the next"; },
  { name = "FW"; choices = "STRIDE_W";   doc = "the same of columns"; } );
values = (
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "TAP";   expr = "1 + 15 * PACKED";  doc = "floats from a tap of a filter to the next"; },
  { name = "EVERY"; expr = "(FW <= 2) * FW";   doc = "steps of one column and of two read whole vectors; 0: others, one by one"; } );
constraints = (
  { need = "(FR > 0) == (FS > 0) && (FR > 0) == (FH > 0) && (FR > 0) == (FW > 0)"; why = "which rows of X meet which taps follows from all of them"; },
  { need = "PT == 1 || FR > 0"; why = "rows of Y share rows of X where it is known which"; },
  { need = "PT == 1 || FR > FH"; why = "there is nothing to share"; },
  { need = "PT + 4 <= VECTOR_REGISTERS / 2"; why = "sums, X and some of the taps must fit the vector registers"; },
  { need = "PT*FR*FS <= 128"; why = "longer code only costs instruction cache"; } );
general = ( { target = ["avx512", "avx2", "portable"]; PT = 1; FR = 0; FS = 0; FH = 0; FW = 0; } );
serves = "C == 1 && (FR == 0 || DIL_H == 1)";
tile = { N = "1"; G = "1"; H = "PT"; W = "LANES"; C = "1"; K = "1"; R = "1"; S = "1"; };
derived = (
  { name = "TILES_OF"; expr = "N * OC * ceil_div(P, PT) * ceil_div(Q, LANES)"; doc = "tiles of all planes"; },
  { name = "UNDER"; expr = "(FR == 0) * R + (FR > 0) * ((PT - 1)*FH + FR)"; doc = "rows of X under one"; } );
own_terms = true; # each channel has sums of its own, and few of them: what counts is how X comes
# Cycles of the busiest task.
terms = (
  { name = "call";  expr = "2000 * THREADS"; doc = "a call's fixed cost"; },
  { name = "fma";   expr = "TILES_OF * PT * R * S / 2 / THREADS"; doc = "two FMAs a cycle"; },
  { name = "loads"; expr = "TILES_OF * UNDER * S * (1 + (STRIDE_W == 2) * 2 + (STRIDE_W > 2) * LANES + 4 * (FR == 0)) / THREADS"; doc = "vectors of X, which cross lines"; },
  { name = "tiles"; expr = "TILES_OF * (20 + 3 * PT) / THREADS"; doc = "start and end of a tile"; },
  { name = "planes"; expr = "N * OC * ceil_div(Q, LANES) * (30 + 8 * S) / THREADS"; doc = "start of a column of tiles"; },
  { name = "x"; expr = "N * H * W * IC / 8 / THREADS"; doc = "lines of X from beyond L1"; },
  { name = "y"; expr = "N * P * Q * OC / 8 / THREADS"; doc = "lines of Y written"; } );
features = (
  { name = "fixed";  expr = "FR > 0"; doc = "the filters are known"; },
  { name = "rows";   expr = "log2(PT)"; doc = "rows of Y share rows of X"; },
  { name = "singles"; expr = "(PT > 1) * (P % PT) / max(1, P)"; doc = "rows that are done one by one"; },
  { name = "narrow"; expr = "LANES * ceil_div(Q, LANES) / max(1, Q)"; doc = "lanes beyond the end of a row"; },
  { name = "threads"; expr = "log2(THREADS)"; doc = "contention"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define PT 4
#define FR 3
#define FS 3
#define FH 1
#define FW 1
#define EVERY 1
#define PACKED 0
#define TAP 1
#endif
/* KERNEL: a convolution in which each filter sees one channel (C = 1): tiles of up to PT rows x a vector of columns of Y.
 *   X[n][g][h][w]    at X + ((n*G + g)*H + h)*W + w
#if PACKED
 *   F, packed        as pack.c has it: groups of one filter side by side, 16 of them a panel, or 16 filters of a group
#else
 *   F[oc][r][s]      at F + (oc*R + r)*S + s
#endif
 *   Y[n][oc][p][q]   at Y + ((n*OC + oc)*P + p)*Q + q
 *   acc[t][j]        sum over r, s of X[n][g][h + STRIDE_H*t + DIL_H*r][w + STRIDE_W*j + DIL_W*s] * F[oc][r][s]
 * Rows of X above and below the image are left out; what lies beside it is read as 0. */
typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
#include "masked.h"

/* A column of tiles: lanes of a plane of Y from column q on. */
typedef struct {
    int64_t n, oc, q, lanes;
    const float *x, *f; /* what lane 0 meets in row 0 of X at the first tap, should it exist or not; the filter */
} KERNEL_column;

/* Which columns of X exist, of those that `lanes` lanes meet from column w on: a vector for steps of one, two for steps of two. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void KERNEL_exist(const NAME_args *a, const int step, int64_t w, int64_t lanes, KERNEL_mask mask[2])
{
    const KERNEL_words places = (KERNEL_words)PACKAGE_places_MACHINE(0), apart = places * (uint32_t)(step ? 1 : NAME_STRIDE_W(a));
    for (int i = 0; i < 1 + (step == 2); i++)
        mask[i] = (KERNEL_mask)(KERNEL_below(apart, w + i * LANES, a->W) & KERNEL_below(places, i * LANES, step == 2 ? 2 * lanes - 1 : lanes));
}

#if HAS_EPILOGUE && EPILOGUE_CALLS
/* The formula of a tile's sums. One copy for all tiles, and no call while sums are in registers. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void KERNEL_finish(const NAME_args *a, const KERNEL_column *at, int64_t p, int64_t rows, float *sums)
{
    for (int64_t t = 0; t < rows; t++)
        *(KERNEL_vec *)(sums + t * LANES) = (KERNEL_vec)NAME_epilogue_MACHINE(a, PACKAGE_load_MACHINE(sums + t * LANES, LANES), at->n, at->oc, p + t, at->q, at->lanes);
}
#endif

/* Stores a tile's sums, from row p on. `rows` is a constant of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_store(const int rows, const NAME_args *a, const KERNEL_column *at, int64_t p, KERNEL_vec acc[PT])
{
    const int64_t line = STRIDED(Y, a->Y_stride[2], a->Q);
    float *y = a->Y + STRIDED(Y, at->n * a->Y_stride[0] + at->oc * a->Y_stride[1], (at->n * a->OC + at->oc) * a->P * a->Q) + p * line + at->q;
#if HAS_EPILOGUE && EPILOGUE_CALLS
    float sums[PT * LANES];
    PACKAGE_UNROLL(8)
    for (int t = 0; t < rows; t++)
        *(KERNEL_vec *)(sums + t * LANES) = acc[t];
    KERNEL_finish(a, at, p, rows, sums);
    PACKAGE_UNROLL(8)
    for (int t = 0; t < rows; t++)
        acc[t] = *(const KERNEL_vec *)(sums + t * LANES);
#elif HAS_EPILOGUE
    PACKAGE_UNROLL(8)
    for (int t = 0; t < rows; t++)
        acc[t] = (KERNEL_vec)NAME_epilogue_MACHINE(a, (PACKAGE_floats_MACHINE)acc[t], at->n, at->oc, p + t, at->q, at->lanes);
#endif
    PACKAGE_UNROLL(8)
    for (int t = 0; t < rows; t++)
        PACKAGE_store_MACHINE(y + t * line, (PACKAGE_floats_MACHINE)acc[t], at->lanes);
}

#if FR
/* Rows p..p+rows-1 of a column of tiles. mask: which of X's columns exist at each tap; is_inside: all do; is_whole: so do
 * all of its rows. `rows`, `is_inside` and `is_whole` are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int rows, const int is_inside, const int is_whole, const NAME_args *a, const KERNEL_column *at, const KERNEL_mask mask[FS][2], int64_t p)
{
    const int64_t h = p * FH - NAME_PAD_T(a), line = STRIDED(X, a->X_stride[2], a->W);
    const float *x = at->x + h * line, *f = at->f;
    KERNEL_vec acc[PT];
    PACKAGE_UNROLL(8)
    for (int t = 0; t < rows; t++)
        acc[t] = (KERNEL_vec){ 0 };
    PACKAGE_UNROLL(32)
    for (int i = 0; i < (rows - 1) * FH + FR; i++) {
        if (!is_whole && (h + i < 0 || h + i >= a->H))
            continue;
        PACKAGE_UNROLL(16)
        for (int s = 0; s < FS; s++) {
            const KERNEL_vec v = KERNEL_every(EVERY, is_inside, x + i * line + s * NAME_DIL_W(a), FW, mask[s]);
            PACKAGE_UNROLL(8)
            for (int t = 0; t < rows; t++)
                if (i >= t * FH && i < t * FH + FR)
                    acc[t] += v * (f[((i - t * FH) * FS + s) * TAP] - (KERNEL_vec){ 0 });
        }
    }
    KERNEL_store(rows, a, at, p, acc);
}

/* Rows p0..p1-1 of a column of tiles. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_rows(const int is_inside, const NAME_args *a, const KERNEL_column *at, const KERNEL_mask mask[FS][2], int64_t p0, int64_t p1)
{
    int64_t p = p0;
    for (; p + PT <= p1; p += PT)
        if (p * FH >= NAME_PAD_T(a) && (p + PT - 1) * FH - NAME_PAD_T(a) + FR <= a->H)
            KERNEL_tile(PT, is_inside, 1, a, at, mask, p);
        else
            KERNEL_tile(PT, is_inside, 0, a, at, mask, p);
    for (; p < p1; p++)
        KERNEL_tile(1, is_inside, 0, a, at, mask, p);
}

static TARGET_ATTRIBUTE void KERNEL_fill(const NAME_args *a, const KERNEL_column *at, int64_t p0, int64_t p1)
{
    const int64_t w = at->q * FW - NAME_PAD_L(a), read = EVERY ? LANES * EVERY : (LANES - 1) * FW + 1;
    KERNEL_mask mask[FS][2] = { 0 };
    for (int s = 0; s < FS; s++)
        KERNEL_exist(a, EVERY, w + s * NAME_DIL_W(a), at->lanes, mask[s]);
    if (at->lanes == LANES && w >= 0 && w + (FS - 1) * NAME_DIL_W(a) + read <= a->W)
        KERNEL_rows(1, a, at, mask, p0, p1);
    else
        KERNEL_rows(0, a, at, mask, p0, p1);
}
#else
/* The same of any filters. The step is a constant of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void KERNEL_fill_by(const int step, const NAME_args *a, const KERNEL_column *at, int64_t p0, int64_t p1)
{
    const int64_t line = STRIDED(X, a->X_stride[2], a->W), w = at->q * NAME_STRIDE_W(a) - NAME_PAD_L(a);
    for (int64_t p = p0; p < p1; p++) {
        KERNEL_vec acc[PT] = { 0 };
        for (int64_t r = 0; r < a->R; r++) {
            const int64_t h = p * NAME_STRIDE_H(a) - NAME_PAD_T(a) + r * NAME_DIL_H(a);
            for (int64_t s = 0; s < a->S && h >= 0 && h < a->H; s++) {
                KERNEL_mask mask[2];
                KERNEL_exist(a, step, w + s * NAME_DIL_W(a), at->lanes, mask);
                acc[0] += KERNEL_every(step, 0, at->x + h * line + s * NAME_DIL_W(a), NAME_STRIDE_W(a), mask) * (at->f[(r * a->S + s) * TAP] - (KERNEL_vec){ 0 });
            }
        }
        KERNEL_store(1, a, at, p, acc);
    }
}

static TARGET_ATTRIBUTE void KERNEL_fill(const NAME_args *a, const KERNEL_column *at, int64_t p0, int64_t p1)
{
    if (NAME_STRIDE_W(a) == 1)
        KERNEL_fill_by(1, a, at, p0, p1);
    else if (NAME_STRIDE_W(a) == 2)
        KERNEL_fill_by(2, a, at, p0, p1);
    else
        KERNEL_fill_by(0, a, at, p0, p1);
}
#endif

/* Where the taps of filter oc are. */
static inline const float *KERNEL_filter(const NAME_args *a, int64_t oc)
{
#if PACKED
    const int64_t side = a->K == 1 ? a->G : a->K, k = oc % side;
    return a->F + (oc / side * ((side + 15) / 16) + k / 16) * NAME_PANEL(a->R * a->S) + k % 16;
#else
    return a->F + oc * a->R * a->S;
#endif
}

/* Part `task` of `ntask` of the call: rows of Y, plane by plane. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t all = a->N * a->OC * a->P, end = all * (task + 1) / ntask;
    for (int64_t row = all * task / ntask, rows; row < end; row += rows) {
        const int64_t p = row % a->P, oc = row / a->P % a->OC, n = row / a->P / a->OC, g = oc / a->K;
        const float *x = a->X + STRIDED(X, n * a->X_stride[0] + g * a->X_stride[1], (n * a->G + g) * a->H * a->W) - NAME_PAD_L(a);
        rows = end - row < a->P - p ? end - row : a->P - p;
        for (int64_t q = 0; q < a->Q; q += LANES) {
            const KERNEL_column at = { n, oc, q, a->Q - q < LANES ? a->Q - q : LANES, x + q * NAME_STRIDE_W(a), KERNEL_filter(a, oc) };
            KERNEL_fill(a, &at, p, p + rows);
        }
    }
    return 0;
}
