/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "direct_conv";
op      = "conv2d";
family  = "cpu";
doc     = "a register tile of MR pixels of a row of Y x NP panels of 16 filters, kept in accumulators over all taps and channels; taps on padding are left out";
packed  = true;
layouts = { X = ["NHWC"]; Y = ["NHWC"]; };
dtypes  = ["f32"];
params = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14]; doc = "pixels in the longest tile"; },
  { name = "NP";    choices = [1, 2, 3, 4, 5, 6, 8]; doc = "panels in a tile: 16*NP filters"; },
  { name = "UK";    choices = [1, 2, 4];             doc = "channels in one round of the inner loop"; },
  { name = "PF";    choices = [0, 1];                doc = "1: each tile prefetches its share of the next panels"; },
  { name = "HOLD";  choices = [0, 1];                doc = "1: load F's vectors into registers once for all pixels and add in place; 0: the compiler may fold loads into FMAs"; },
  { name = "BLOCK"; choices = [0, 8, 32];            doc = "tiles of pixels that meet all panels before the next ones do, so that their X stays close; 0: all"; },
  { name = "CALLS"; choices = [0, 1];                doc = "1: a formula's functions are computed on the sums in registers; 0: on Y after a tile, in one copy for all lengths"; },
  { name = "SPLIT"; choices = [0, 1];                doc = "what threads share out: 0 panels, 1 pixels"; } );
values = (
  { name = "VP";   expr = "64 / VECTOR_BYTES"; doc = "vectors in 16 filters"; },
  { name = "VF";   expr = "VECTOR_BYTES / 4";  doc = "floats in a vector"; },
  { name = "NV";   expr = "NP * VP";           doc = "vectors across a tile"; } );
constraints = (
  { need = "MR*NV + HOLD*NV + 1 + (1 - HOLD) <= VECTOR_REGISTERS"; why = "accumulators, a row of F's vectors or one of them, and one value of X must fit the vector registers"; },
  { need = "MR*NV >= 4";                             why = "fewer than 4 accumulators cannot hide the latency of an FMA on any CPU"; },
  { need = "UK == 1 || MR*NV*UK <= 64";              why = "a longer loop body only costs instruction cache"; },
  { need = "CALLS == 0 || EPILOGUE_CALLS";           why = "a formula without functions is always computed on the sums in registers"; },
  { need = "SPLIT == 0 || MAX_THREADS > 1"; why = "one thread shares out nothing"; } );
general = (
  { target = "avx512";   MR = 7; NP = 4; UK = 1; PF = 1; HOLD = 1; BLOCK = 8; CALLS = 0; SPLIT = 0; },
  { target = "avx2";     MR = 6; NP = 1; UK = 1; PF = 1; HOLD = 1; BLOCK = 8; CALLS = 0; SPLIT = 0; },
  { target = "portable"; MR = 2; NP = 1; UK = 1; PF = 1; HOLD = 0; BLOCK = 8; CALLS = 0; SPLIT = 0; } );
tile = { N = "1"; G = "1"; H = "1"; W = "MR"; C = "UK"; K = "16*NP"; R = "1"; S = "1"; };
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define MR 7
#define NP 4
#define UK 1
#define PF 1
#define HOLD 1
#define BLOCK 8
#define CALLS 0
#define SPLIT 0
#define VP 1
#define NV 4
#define VF 16
#define VECTOR_BYTES 64
#define T 7
#endif
/* KERNEL: tiles of MR neighbouring pixels of Y x NP panels (16 filters each), taps and channels innermost.
 *   X[n][h][w][ic]   at X + ((n*H + h)*W + w)*IC + ic
 *   F, packed        panel i of group g at F + (g*ceil(K/16) + i)*NAME_PANEL(R*S*C), its k-th row, k = (r*S + s)*C + c, 16 floats further on for each k;
 *                    zero beyond filter K
 *   acc[j][v]        sum over r, s, c of X[n][h + DIL_H*r][w + STRIDE_W*j + DIL_W*s][c] * F[v-th vector of the tile][r][s][c]
 * A row of taps above or below the image is skipped for the whole tile; a column of taps beside it for those pixels that it misses. */
#include "../dense/row_pointers.h"
#include "../dense/packed_step.h"
#include "../dense/store_part.h"
#include "finish.h"
#include "any_conv.h"

/* The call as its tiles see it: `rows` rows of Q pixels of Y, of images of H x W. A 1 x 1 convolution that steps pixel by pixel has one long row. */
typedef struct {
    int64_t rows, Q, H, W, across; /* across: tiles of a row */
} KERNEL_view;

static KERNEL_view KERNEL_look(const NAME_args *a)
{
    const int is_flat = a->R == 1 && a->S == 1 && NAME_STRIDE_H(a) == 1 && NAME_STRIDE_W(a) == 1 &&
                        (NAME_PAD_T(a) | NAME_PAD_B(a) | NAME_PAD_L(a) | NAME_PAD_R(a)) == 0;
    KERNEL_view view = { a->N * a->P, a->Q, a->H, a->W, (a->Q + MR - 1) / MR };
    if (is_flat)
        view = (KERNEL_view){ 1, view.rows * a->Q, 1, view.rows * a->Q, (view.rows * a->Q + MR - 1) / MR };
    return view;
}

/* ceil(a / b) of any a and a positive b, and at least 0. */
static inline __attribute__((always_inline)) int64_t KERNEL_steps(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : 0; }

/* The sums of a tile over `len` values of k, for pixels from..to-1. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_run(const int pixels, const int panels, KERNEL_vec acc[MR][NV], KERNEL_place *at, int64_t len, int64_t share, int64_t from, int64_t to)
{
    const int vectors = panels * VP;
    (void)vectors;
    if (from == 0 && to == pixels) {
#if UK > 1
        for (; len >= UK; len -= UK, KERNEL_next(pixels, panels, at, UK, share))
#pragma GCC unroll 8
            for (int q = 0; q < UK; q++)
                KERNEL_step(pixels, vectors, acc, at, q, 0, pixels);
#endif
        for (; len > 0; len--, KERNEL_next(pixels, panels, at, 1, share))
            KERNEL_step(pixels, vectors, acc, at, 0, 0, pixels);
    } else
        for (; len > 0; len--, KERNEL_next(pixels, panels, at, 1, share)) {
            __asm__("" : "+r"(from), "+r"(to)); /* else gcc writes a loop for each pair of them */
            KERNEL_step(pixels, vectors, acc, at, 0, from, to);
        }
}

/* Pixels q.. of row `row`, panels p.. of group g. The tile is the i-th of `tiles` that pass these panels. `pixels` and `panels` are constants of
 * each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int pixels, const int panels, const NAME_args *a, const KERNEL_view *view, int64_t row, int64_t q, int64_t g, int64_t p, int64_t i, int64_t tiles)
{
    const int vectors = panels * VP;
    const int64_t C = a->C, S = a->S, IC = a->IC, OC = a->OC, W = view->W, depth = a->R * S * C, width = a->K - p * 16;
    const int64_t n = view->rows > 1 ? row / a->P : 0, h = (row - n * a->P) * NAME_STRIDE_H(a) - NAME_PAD_T(a), w = q * NAME_STRIDE_W(a) - NAME_PAD_L(a);
    const int64_t r0 = KERNEL_steps(-h, NAME_DIL_H(a)), last = KERNEL_steps(view->H - h, NAME_DIL_H(a)), r1 = last < a->R ? last : a->R;
    const int is_inside = w >= 0 && w + (pixels - 1) * NAME_STRIDE_W(a) + (S - 1) * NAME_DIL_W(a) < W;
    const int64_t together = is_inside && NAME_DIL_W(a) == 1 && C == IC ? S : 1; /* taps that lie side by side */
    const float *f = a->F + (g * ((a->K + 15) / 16) + p) * NAME_PANEL(depth);
    const int64_t share = (15 + tiles) / tiles; /* floats to fetch for a row of a panel */
    KERNEL_vec acc[MR][NV];
#pragma GCC unroll 16
    for (int j = 0; j < pixels; j++)
#pragma GCC unroll 32
        for (int v = 0; v < vectors; v++)
            acc[j][v] = (KERNEL_vec){0};
    KERNEL_place at = { .row = NAME_STRIDE_W(a) * IC, .panel = NAME_PANEL(depth) };
#if PF
    KERNEL_point(panels, at.ahead, f + panels * NAME_PANEL(depth) + (share * i < 15 ? share * i : 15) * depth, NAME_PANEL(depth));
#else
    (void)i;
#endif
    for (int64_t r = r0; r < r1; r++)
        for (int64_t s = 0; s < S; s += together) {
            const int64_t at_w = w + s * NAME_DIL_W(a);
            int64_t from = 0, to = pixels;
            if (!is_inside) {
                from = KERNEL_steps(-at_w, NAME_STRIDE_W(a));
                to = KERNEL_steps(W - at_w, NAME_STRIDE_W(a));
                to = to < pixels ? to : pixels;
                if (from >= to)
                    continue;
            }
            KERNEL_point(pixels, at.x, a->X + (((n * view->H + h + r * NAME_DIL_H(a)) * W + at_w) * IC + g * C), at.row);
            KERNEL_point(panels, at.w, f + (r * S + s) * C * 16, at.panel);
            KERNEL_run(pixels, panels, acc, &at, together * C, share, from, to);
        }
    const int64_t pixel = row * view->Q + q;
    float *y = a->Y + pixel * OC + g * a->K + p * 16;
    if (width < panels * 16) { /* a tile across filter K is stored in part */
        float part[MR * NP * 16];
#pragma GCC unroll 16
        for (int j = 0; j < pixels; j++)
#pragma GCC unroll 32
            for (int v = 0; v < vectors; v++)
                *(KERNEL_vec *)(part + j * panels * 16 + v * VF) = acc[j][v];
        KERNEL_store_part(pixels, width, part, panels * 16, NULL, y, OC);
#if HAS_EPILOGUE
        KERNEL_finish(a, pixel, g * a->K + p * 16, pixels, width);
#endif
        return;
    }
#if HAS_EPILOGUE && (CALLS || !EPILOGUE_CALLS)
    KERNEL_pixel place = KERNEL_pixel_of(a, pixel);
#pragma GCC unroll 16
    for (int j = 0; j < pixels; j++, KERNEL_next_pixel(a, &place))
#pragma GCC unroll 32
        for (int v = 0; v < vectors; v++)
            acc[j][v] = NAME_epilogue_MACHINE(a, acc[j][v], place.n, place.p, place.q, g * a->K + p * 16 + v * VF, VF);
#endif
#pragma GCC unroll 16
    for (int j = 0; j < pixels; j++, y += OC)
#pragma GCC unroll 32
        for (int v = 0; v < vectors; v++)
            *(KERNEL_vec *)(y + v * VF) = acc[j][v];
#if EPILOGUE_CALLS && !CALLS
    KERNEL_finish(a, pixel, g * a->K + p * 16, pixels, panels * 16);
#endif
}

/* The tile as a function for each length, NP panels or one. */
static TARGET_ATTRIBUTE void
KERNEL_pixels(const NAME_args *a, const KERNEL_view *view, int64_t pixels, int64_t panels, int64_t row, int64_t q, int64_t g, int64_t p, int64_t i, int64_t tiles)
{
    if (panels == NP)
        switch (pixels) {
        case T: KERNEL_tile(T, NP, a, view, row, q, g, p, i, tiles); break; //@ repeat T = 1..MR
        }
#if NP > 1
    else
        switch (pixels) {
        case T: KERNEL_tile(T, 1, a, view, row, q, g, p, i, tiles); break; //@ repeat T = 1..MR
        }
#endif
}

/* Part `task` of `ntask` of the call. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    if (a->C == 1 && a->K == 1)
        return KERNEL_any(a, task, ntask);
    const KERNEL_view view = KERNEL_look(a);
    const int64_t all = view.rows * view.across, of_group = (a->K + 15) / 16, panels = a->G * of_group;
#if SPLIT
    const int64_t p0 = 0, p1 = panels, t0 = all * task / ntask, t1 = all * (task + 1) / ntask;
#else
    const int64_t t0 = 0, t1 = all, p0 = panels * task / ntask, p1 = panels * (task + 1) / ntask;
#endif
#if BLOCK
    const int64_t blocks = (t1 - t0 + BLOCK - 1) / BLOCK;
#else
    const int64_t blocks = 1;
#endif
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t b0 = t0 + (t1 - t0) * b / blocks, b1 = t0 + (t1 - t0) * (b + 1) / blocks;
        for (int64_t p = p0, step; p < p1; p += step) {
            const int64_t g = p / of_group, left = (p1 < (g + 1) * of_group ? p1 : (g + 1) * of_group) - p;
            step = left < NP ? 1 : NP;
            for (int64_t t = b0, row = b0 / view.across; t < b1; row++)
                for (int64_t i = t - row * view.across; i < view.across && t < b1; i++, t++) {
                    const int64_t q = view.Q * i / view.across;
                    KERNEL_pixels(a, &view, view.Q * (i + 1) / view.across - q, step, row, q, g, p - g * of_group, t - b0, b1 - b0);
                }
        }
    }
    return 0;
}
