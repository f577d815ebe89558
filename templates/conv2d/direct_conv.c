/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "direct_conv";
op      = "conv2d";
family  = "cpu";
doc     = "a register tile of MR pixels of a row of Y x NP panels of 16 filters, kept in accumulators over all taps and channels; taps on padding are left out";
packed  = true;
dtypes  = ["f32"];
params = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14]; doc = "pixels in the longest tile"; },
  { name = "NP";    choices = [1, 2, 3, 4, 5, 6, 8]; doc = "panels in a tile: 16*NP filters"; },
  { name = "UK";    choices = [1, 2, 4, 8];             doc = "channels in one round of the inner loop"; },
  { name = "PF";    choices = [0, 1];                doc = "1: each tile prefetches its share of the next panels"; },
  { name = "HOLD";  choices = [0, 1, 2, 3];          doc = "1: load F's vectors into registers once for all pixels and add in place; 2: the first of them alone; 3: the pixels' values instead; 0: the compiler may fold loads into FMAs"; },
  { name = "SHORT"; choices = [0, 1];                doc = "1: all filters of a group are one tile, and of its last panel the first half alone is computed, as all behind it is padding"; },
  { name = "BLOCK"; choices = [0, 8, 32, 128];            doc = "tiles of pixels that meet all panels before the next ones do, so that their X stays close; 0: all"; },
  { name = "STRIP"; choices = [0, 1];                doc = "1: the pixels that a block of tiles reads are copied, with the zeros beside them; 0: X in NHWC is read as it is"; },
  { name = "TAPS";  choices = [0, 1]; ordered = true; doc = "0: for filters of 1 x 1 without padding, which have a single tap; 1: for any"; },
  { name = "CALLS"; choices = [0, 1];                doc = "1: a formula's functions are computed on the sums in registers; 0: on Y after a tile, in one copy for all lengths"; } );
values = (
  { name = "COPY"; expr = "STRIP || LAYOUT_X_NCHW"; doc = "pixels are copied"; },
  { name = "VP";   expr = "64 / VECTOR_BYTES"; doc = "vectors in 16 filters"; },
  { name = "KA";   expr = "1";                 doc = "one sum for each element: tiles are large enough"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4";  doc = "floats in a vector"; },
  { name = "NV";   expr = "NP * VP - SHORT * VP / 2"; doc = "vectors across a tile"; } );
constraints = (
  { need = "MR*NV + (HOLD == 1)*NV + (HOLD % 2 == 0) + (HOLD == 3)*MR + 1 <= VECTOR_REGISTERS"; why = "accumulators, a row of F's vectors or one of them, and one value of X must fit the vector registers"; },
  { need = "HOLD > 0 || MR*NV + UK + 3 <= VECTOR_REGISTERS"; why = "what the compiler chooses to keep takes a few registers more"; },
  { need = "HOLD < 3 || MR*NV + NV + 1 > VECTOR_REGISTERS"; why = "where filters' vectors fit, to hold these is as good"; },
  { need = "MR*NV >= 8";                             why = "fewer than 8 accumulators cannot hide the latency of two FMAs a cycle"; },
  { need = "UK == 1 || MR*NV*UK <= 128";             why = "a longer loop body only costs instruction cache"; },
  { need = "SHORT == 0 || VP > 1";                   why = "half a panel is not half a vector"; },
  { need = "VECTOR_BYTES == 16 || UK*(MR*NV + MR + NV) >= 112"; why = "of a round of the loop a fifteenth at most may be neither FMA nor load: beside busy neighbours the core does three instructions a cycle (without FMA, compilers spill in long rounds)"; },
  { need = "VECTOR_BYTES == 16 || INSTRUCTIONS*MR*NV <= 125 * (MR*NV + MR + NV)"; why = "so does what a compiler adds: more than a quarter is too much"; },
  { need = "STRIP == 0 || !LAYOUT_X_NCHW";           why = "in NCHW pixels are always copied, as the channels of one must lie side by side"; },
  { need = "COPY == 0 || BLOCK > 0";                 why = "what is copied must stay in a cache"; },
  { need = "BLOCK <= 32 || COPY";                    why = "so many tiles meet a panel only where they are copied, rows that neighbouring blocks have in common once each"; },
  { need = "CALLS == 0 || EPILOGUE_CALLS";           why = "a formula without functions is always computed on the sums in registers"; } );
general = (
  { target = "avx512"; MR = 14; NP = 2; UK = 4; PF = 1; HOLD = 1; SHORT = 0; BLOCK = 8; STRIP = 0; CALLS = 0; },
  { target = "avx2"; MR = 6; NP = 1; UK = 8; PF = 1; HOLD = 1; SHORT = 0; BLOCK = 32; STRIP = 0; CALLS = 0; },
  { target = "portable"; MR = 2; NP = 1; UK = 1; PF = 1; HOLD = 0; SHORT = 0; BLOCK = 8; STRIP = 0; CALLS = 0; } );
# The pixels that a block of tiles reads, as strip.h copies them: rows of X that exist, columns with the zeros beside them.
scratch = "COPY * 4 * IC * min(1 + (1 - FLAT) * (H - 1), (LINES - 1) * STRIDE_H + (R - 1) * DIL_H + 1)"
          " * ((min(LONG, BLOCK * MR) - 1) * (1 + (1 - FLAT) * (STRIDE_W - 1)) + (S - 1) * DIL_W + 1)";
serves = "(C != 1 || K != 1) && (SHORT == 0 || K > 16*NP - 16 && K <= 16*NP - 8)"
         " && (TAPS || R == 1 && S == 1 && PAD_T == 0 && PAD_B == 0 && PAD_L == 0 && PAD_R == 0)"; # packed filters of depthwise convolutions lie otherwise
tile = { N = "1"; G = "1"; H = "1"; W = "MR"; C = "UK"; K = "16*NP"; R = "1"; S = "1"; };
derived = (
  { name = "COL";  expr = "16"; doc = "filters of a panel"; },
  { name = "EVEN"; expr = "1"; doc = "tiles of a row have nearly equal lengths"; },
  { name = "PADS"; expr = "PAD_T + PAD_B + PAD_L + PAD_R"; doc = "rows and columns of zeros"; },
  { name = "FLAT"; expr = "R == 1 && S == 1 && PADS == 0 && (STRIDE_H * STRIDE_W == 1 || STRIP)"; doc = "all pixels of Y are one row"; },
  { name = "LONG"; expr = "(1 + FLAT * ((1 + (N - 1) * (LAYOUT_X_NHWC && LAYOUT_Y_NHWC)) * P - 1)) * Q"; doc = "pixels of a row of tiles"; },
  { name = "LINES"; expr = "max(1, ceil_div(BLOCK + 1 - ceil_div(LONG, MR), max(1, ceil_div(LONG, MR))))"; doc = "rows of tiles in a block"; },
  { name = "LINE"; expr = "(1 + FLAT * (N*P - 1)) * Q"; doc = "pixels of a row"; },
  { name = "ACROSS"; expr = "ceil_div(LINE, MR)"; doc = "tiles of a row"; },
  { name = "BATCHES"; expr = "1"; doc = "tasks share out pixels or panels"; },
  { name = "SHARERS"; expr = "THREADS"; doc = "likewise"; },
  { name = "PANELS"; expr = "ceil_div(K, 16)"; doc = "panels of a group"; },
  { name = "UNITS"; expr = "G * PANELS"; doc = "panels"; },
  { name = "SPLIT"; expr = "UNITS < THREADS || N*P*Q >= 2*OC"; doc = "what threads share out: 0 panels, 1 pixels"; },
  { name = "MT";   expr = "SPLIT * ceil_div(N*P*Q, THREADS) + (1 - SPLIT) * N*P*Q"; doc = "pixels of the busiest task"; },
  { name = "ROW_TILES"; expr = "max(1, ceil_div(MT * ACROSS, max(1, LINE)))"; doc = "its tiles of pixels"; },
  { name = "UT";   expr = "SPLIT * UNITS + (1 - SPLIT) * ceil_div(UNITS, THREADS)"; doc = "those of the busiest task"; },
  { name = "GROUPS"; expr = "ceil_div(UT, max(1, PANELS)) * (min(UT, PANELS) / NP)"; doc = "NP of them side by side"; },
  { name = "SINGLES"; expr = "max(0, UT - GROUPS * NP)"; doc = "panels beside them"; },
  { name = "BLOCKS"; expr = "(BLOCK == 0) + (BLOCK > 0) * ceil_div(ROW_TILES, max(1, BLOCK))"; doc = "blocks of tiles of pixels"; },
  { name = "PASSES"; expr = "W_NEAR * (1 + (W_BYTES > L2_BYTES) * (BLOCKS - 1)) + (1 - W_NEAR) * ROW_TILES"; doc = "how often filters come from beyond L2"; },
  { name = "EDGES"; expr = "(1 - COPY) * ((PAD_L > 0) + (PAD_R > 0))"; doc = "sides on which tiles miss taps"; } );
terms = (
  { name = "fma";   expr = "STEPS * MT * (UT * VU - SHORT * GROUPS * (NP*VP - NV)) / 2"; doc = "two FMAs a cycle"; },
  { name = "x_l2";  expr = "(GROUPS + SINGLES) * MT * R * STRIDE_W * C / 16"; doc = "lines of X, once for each panel or group of them"; },
  { name = "folded"; expr = "(HOLD == 2) * STEPS * GROUPS * MT * (NV - 1) / 4"; doc = "filters' vectors that each pixel loads anew, beside all other loads: a quarter of a cycle each"; },
  { name = "taps";  expr = "(GROUPS + SINGLES) * R * ((1 - FLAT) * ROW_TILES * (1 + EDGES * (S - 1) / max(1, ACROSS)) * 12"
                           " + ROW_TILES / max(1, ACROSS) * EDGES * C * 4)";
    doc = "a row of taps begins; at the sides of an image each tap, of which some pixels of a tile miss some"; },
  { name = "copy";  expr = "COPY * MT * (FLAT + (1 - FLAT) * (STRIDE_H + (R - 1) / max(1, BLOCK / max(1, ACROSS))) * STRIDE_W) * C * (1 + LAYOUT_X_NCHW) / LANES"; doc = "vectors of X that are copied"; },
  { name = "w_l2";  expr = "STEPS * (ROW_TILES - 1) * ((NP * KB * 64 > L1_BYTES) * GROUPS * max(0, 2 * NP - max(ROWS*NV, NV + ROWS) / 2)"
                          " + (KB * 64 > L1_BYTES) * SINGLES * max(0, 2 - max(ROWS*VP, VP + ROWS) / 2))";
    doc = "lines of filters that later tiles fetch from L2, as they do not fit L1, two cycles each, beyond what FMAs and loads hide"; },
  { name = "prefetch"; expr = "PF * STEPS * ROW_TILES * UT / 2"; doc = "prefetches issued"; } );
features = (
  { name = "l2_stream"; expr = "(NP * KB * 64 > L1_BYTES) / max(1, ROWS)"; doc = "bytes of filters from L2 for an FMA"; },
  { name = "w_over_l2"; expr = "log2(max(1, NP * KB * 64 / L2_BYTES))"; doc = "a tile's panels exceed L2"; },
  { name = "edge";      expr = "EDGES / max(1, ACROSS)"; doc = "share of tiles that miss taps"; },
  { name = "held_first"; expr = "HOLD == 2"; doc = "most of the filters' vectors come from memory"; },
  { name = "copy";      expr = "COPY"; doc = "X is copied"; },
  { name = "calls";     expr = "CALLS"; doc = "functions computed on sums in registers"; },
  { name = "blocks";    expr = "BLOCK > 0"; doc = "blocks of tiles"; },
  { name = "x_block";   expr = "log2(max(1, ceil_div(MT, BLOCKS) * R * STRIDE_W * C * 4 / L2_BYTES))"; doc = "X of a block exceeds L2"; },
  { name = "prefetch";  expr = "PF"; doc = "prefetches issued"; },
  { name = "prefetch_few"; expr = "PF * min(1, 16 / ROW_TILES)"; doc = "the same, of filters that pass few tiles"; },
  { name = "streams";   expr = "NP"; doc = "parallel streams of filters"; },
  { name = "area_2";    expr = "(log2(max(1, ROWS*NV)) - 4) * (log2(max(1, ROWS*NV)) - 4)"; doc = "too few accumulators or too many"; },
  { name = "split_few"; expr = "SPLIT * log2(THREADS) / MT"; doc = "each of the threads reads all filters for few pixels"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define MR 7
#define NP 4
#define UK 1
#define KA 1
#define PF 1
#define HOLD 1
#define BLOCK 8
#define TAPS 1
#define SHORT 0
#define STRIP 1
#define COPY 1
#define CALLS 0
#define NV 4
#define T 7
#endif
/* KERNEL: tiles of MR neighbouring pixels of Y x NP panels (16 filters each), taps and channels innermost.
 *   X[n][h][w][ic]   at X + ((n*H + h)*W + w)*IC + ic
 *   F, packed        panel i of group g at F + (g*ceil(K/16) + i)*NAME_PANEL(R*S*C), its k-th row, k = (r*S + s)*C + c, 16 floats further on for each k;
 *                    zero beyond filter K
 *   acc[j][v]        sum over r, s, c of X[n][h + DIL_H*r][w + STRIDE_W*j + DIL_W*s][c] * F[v-th vector of the tile][r][s][c]
 * A row of taps above or below the image is skipped for the whole tile; a column of taps beside it for those pixels that it misses. */
#include "../gemm/rows.h"
#include "../gemm/packed_step.h"
#include "../gemm/sums.h"
#include "parts.h"
#include "view.h"
#include "finish.h"
#include "strip.h"

/* ceil(a / b) of any a and a positive b, and at least 0. */
static inline __attribute__((always_inline)) int64_t KERNEL_steps(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : 0; }

#if TAPS
/* KERNEL_run for pixels from..to-1 of a tile alone: the others miss this tap. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_run_part(const int pixels, const int vectors, KERNEL_vec acc[MR][NV], KERNEL_place *at, int64_t len, int64_t each, int64_t from, int64_t to)
{
    for (; len > 0; len--, KERNEL_next(pixels, (vectors + VP - 1) / VP, at, 1, each)) {
        __asm__("" : "+r"(from), "+r"(to)); /* else gcc writes a loop for each pair of them */
        KERNEL_step(pixels, vectors, acc, at, 0, from, to, 1);
    }
}
#endif

/* Stores a tile's sums from y on: pixels from `pixel` on, filters from oc on, of which the group has `width`. Where the group ends within a tile, or the
 * formula calls functions, the sums pass through memory; in NCHW they are turned there. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_put(const int pixels, const int vectors, const NAME_args *a, KERNEL_vec acc[MR][NV], float *y, int64_t pixel, int64_t oc, int64_t width)
{
    const int filters = vectors * LANES;
    if (LAYOUT_Y_NCHW || width < filters || (EPILOGUE_CALLS && !CALLS)) {
        float part[MR * NP * 16];
        KERNEL_write(pixels, vectors, acc, part, filters);
#if LAYOUT_Y_NCHW
        KERNEL_store_turned(a, part, filters, pixel, pixels, oc, width < filters ? width : filters);
#else
        KERNEL_store_part(a, part, filters, pixel, oc, pixels, width < filters ? width : filters);
#endif
        (void)y;
        return;
    }
#if HAS_EPILOGUE && !LAYOUT_Y_NCHW
    KERNEL_pixel at = KERNEL_formula_pixel(a, pixel);
    PACKAGE_UNROLL(16)
    for (int j = 0; j < pixels; j++, KERNEL_next_formula_pixel(a, &at))
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++)
            acc[j][v] = NAME_epilogue_MACHINE(a, acc[j][v], at.n, at.p, at.q, oc + v * LANES, LANES);
#endif
    KERNEL_write(pixels, vectors, acc, y, STRIDED(Y, a->Y_stride[2], a->OC));
}

/* Tiles side by side: from pixel q on of row `row`, `count` tiles by panels p.. of group g. The first is the i-th of `tiles` that pass these
 * panels. `pixels` and `panels` are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tiles(const int pixels, const int vectors, const NAME_args *a, const KERNEL_view *view, int64_t row, int64_t q, int64_t count, int64_t g, int64_t p, int64_t i, int64_t tiles)
{
    const int64_t C = a->C, S = TAPS ? a->S : 1, IC = STRIDED(X, COPY ? a->IC : a->X_stride[2], a->IC), depth = TAPS ? a->R * S * C : C;
    const int64_t n = view->rows > 1 ? row / view->down : 0, h = (row - n * view->down) * NAME_STRIDE_H(a) - NAME_PAD_T(a);
    const float *f = a->F + (g * ((a->K + 15) / 16) + p) * NAME_PANEL(depth), *x = view->x + (n * view->image + h * view->line - view->origin + g * C);
    const int panels = (vectors + VP - 1) / VP;
    const int64_t each = KERNEL_each(tiles);
    const int64_t step = COPY ? view->step : NAME_STRIDE_W(a); /* pixels of X from one of Y to the next */
#if TAPS
    const int64_t down = NAME_DIL_H(a) * view->line, right = NAME_DIL_W(a) * IC; /* from a tap to the one below it, to the next */
    const int64_t r0 = KERNEL_steps(-h, NAME_DIL_H(a)), last = KERNEL_steps(view->H - h, NAME_DIL_H(a)), r1 = last < a->R ? last : a->R;
#endif
    const int64_t oc = g * a->K + p * 16, width = a->K - p * 16;
    KERNEL_place at = { .row = step * IC, .panel = NAME_PANEL(depth) };
    for (; count > 0; count--, q += pixels, i++) {
        float *y = STRIDED(Y, KERNEL_of_y(a, row * view->Q + q), a->Y + (row * view->Q + q) * a->OC) + oc;
        const int64_t w = q * step - NAME_PAD_L(a);
#if TAPS
        const int is_inside = COPY || (w >= 0 && w + (pixels - 1) * step + (S - 1) * NAME_DIL_W(a) < view->W);
        const int64_t together = is_inside && NAME_DIL_W(a) == 1 && C == IC ? S : 1; /* taps that lie side by side */
#endif
        KERNEL_vec acc[MR][NV];
        KERNEL_clear(pixels, vectors, acc);
#if EPILOGUE_READS && !LAYOUT_Y_NCHW
        KERNEL_pixel place = KERNEL_formula_pixel(a, row * view->Q + q + 2 * pixels); /* what the formula reads two tiles ahead comes meanwhile */
        PACKAGE_UNROLL(16)
        for (int j = 0; j < pixels; j++, KERNEL_next_formula_pixel(a, &place))
            PACKAGE_UNROLL(8)
            for (int k = 0; k < panels; k++)
                NAME_fetch_MACHINE(a, place.n, place.p, place.q, oc + k * 16);
#elif !LAYOUT_Y_NCHW
        PACKAGE_UNROLL(16) /* or the lines that will be written */
        for (int j = 0; j < pixels; j++)
            PACKAGE_UNROLL(8)
            for (int k = 0; k < panels; k++)
                __builtin_prefetch(y + j * STRIDED(Y, a->Y_stride[2], a->OC) + k * 16, 1);
#endif
#if PF
        KERNEL_point(panels, at.ahead, f + panels * at.panel + (each * i < 15 ? each * i : 15) * depth, at.panel);
#endif
#if TAPS
        const float *above = x + r0 * down + w * IC, *filters = f + r0 * S * C * 16;
        for (int64_t r = r1 - r0; r > 0; r--, above += down) {
            const float *tap = above;
            for (int64_t s = S; s > 0; s -= together, tap += right, filters += together * C * 16) {
                int64_t from = 0, to = pixels;
                if (!is_inside) {
                    const int64_t at_w = w + (S - s) * NAME_DIL_W(a);
                    from = KERNEL_steps(-at_w, step);
                    to = KERNEL_steps(view->W - at_w, step);
                    to = to < pixels ? to : pixels;
                    if (from >= to)
                        continue;
                }
                KERNEL_point(pixels, at.x, tap, at.row);
                KERNEL_point(panels, at.w, filters, at.panel);
                if (from == 0 && to == pixels)
                    KERNEL_run(pixels, vectors, &acc, &at, together * C, each);
                else
                    KERNEL_run_part(pixels, vectors, acc, &at, together * C, each, from, to);
            }
        }
#else
        KERNEL_point(pixels, at.x, x + w * IC, at.row);
        KERNEL_point(panels, at.w, f, at.panel);
        KERNEL_run(pixels, vectors, &acc, &at, C, each);
#endif
        KERNEL_put(pixels, vectors, a, acc, y, row * view->Q + q, oc, width);
    }
}

/* The same as a function for each length and width: NP panels or one. */
static TARGET_ATTRIBUTE void
KERNEL_of(int64_t pixels, int64_t panels, const NAME_args *a, const KERNEL_view *view, int64_t row, int64_t q, int64_t count, int64_t g, int64_t p, int64_t i, int64_t tiles)
{
    if (panels == NP)
        switch (pixels) {
        case T: KERNEL_tiles(T, NV, a, view, row, q, count, g, p, i, tiles); break; //@ repeat T = 1..MR
        }
#if NP > 1 && !SHORT
    else
        switch (pixels) {
        case T: KERNEL_tiles(T, VP, a, view, row, q, count, g, p, i, tiles); break; //@ repeat T = 1..MR
        }
#endif
}

/* Part `task` of `ntask` of the call. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    KERNEL_view view = KERNEL_look(a);
    const int64_t all = view.rows * view.across, of_group = (a->K + 15) / 16;
    const int64_t least = SHORT ? NP : 1, panels = a->G * of_group / least; /* panels that stay together; how many times as many */
    const int64_t parts = KERNEL_parts(all, panels, ntask, NP / least, COPY, (7 + MR) / MR), part = task % parts, shares = ntask / parts, share = task / parts;
    const int64_t t0 = all * part / parts, t1 = all * (part + 1) / parts, p0 = panels * share / shares * least, p1 = panels * (share + 1) / shares * least;
    for (int64_t b0 = t0, b1; b0 < t1; b0 = b1) {
#if COPY
        b1 = KERNEL_end_of_strip(&view, b0, t1);
        KERNEL_fill_strip(a, &view, (float *)((char *)a->scratch + task * (int64_t)KERNEL_scratch(a)), b0, b1);
#elif BLOCK
        b1 = b0 + (t1 - b0) / ((t1 - b0 + BLOCK - 1) / BLOCK);
#else
        b1 = t1;
#endif
        for (int64_t p = p0, step; p < p1; p += step) {
            const int64_t g = p / of_group, left = (p1 < (g + 1) * of_group ? p1 : (g + 1) * of_group) - p;
            step = left < NP ? 1 : NP;
            for (int64_t t = b0; t < b1;) {
                const int64_t row = t / view.across, i = t - row * view.across, end = (row + 1) * view.across < b1 ? view.across : b1 - row * view.across;
                const int64_t longer = view.Q % view.across, n = (i < longer && longer < end ? longer : end) - i, q = KERNEL_first_of(&view, i);
                KERNEL_of(KERNEL_first_of(&view, i + 1) - q, step, a, &view, row, q, n, g, p - g * of_group, t - b0, b1 - b0);
                t += n;
            }
        }
    }
    return 0;
}
