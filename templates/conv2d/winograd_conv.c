/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "winograd_conv";
op      = "conv2d";
family  = "cpu";
doc     = "3 x 3 filters, stride 1, by Winograd's F(YT x YT, 3 x 3): (YT + 2)^2 products instead of 9*YT^2 for YT x YT pixels of Y; for blocks of tiles the input is transformed, multiplied by transformed filters, and the sums are transformed back";
packed  = true;
layouts = { X = ["NHWC"]; Y = ["NHWC"]; };
dtypes  = ["f32"];
params = (
  { name = "YT";     choices = [2, 4];                doc = "a tile of Y is YT x YT pixels"; },
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14]; doc = "tiles of Y whose products are in registers at once"; },
  { name = "NP";    choices = [1, 2, 3, 4];          doc = "panels of 16 filters likewise"; },
  { name = "UK";    choices = [1, 2, 4, 8];             doc = "channels in one round of the inner loop"; },
  { name = "PF";    choices = [0, 1];                doc = "1: filters of the next frequency are prefetched"; },
  { name = "HOLD";  choices = [0, 1, 3];             doc = "1: load filters' vectors into registers once for all tiles and add in place; 3: the values of all tiles instead; 0: the compiler may fold loads into FMAs"; },
  { name = "BLOCK"; choices = [1, 2, 4, 8];          doc = "a block of tiles is MR*BLOCK tiles"; } );
values = (
  { name = "WINOGRAD_2"; expr = "YT == 2"; doc = "the filters' part of that name is read"; },
  { name = "WINOGRAD_4"; expr = "YT == 4"; doc = "likewise"; },
  { name = "FREQ"; expr = "(YT + 2) * (YT + 2)"; doc = "products for a channel of a tile"; },
  { name = "XT"; expr = "YT + 2";             doc = "a tile of X is XT x XT pixels"; },
  { name = "TILES"; expr = "MR * BLOCK";       doc = "tiles of a block"; },
  { name = "VP";   expr = "64 / VECTOR_BYTES"; doc = "vectors in 16 filters"; },
  { name = "KA";   expr = "1";                 doc = "one sum for each element: tiles are large enough"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4";  doc = "floats in a vector"; },
  { name = "NV";   expr = "NP * VP";           doc = "vectors across a tile of products"; } );
constraints = (
  { need = "ACCURACY >= 16";                         why = "its transforms round more than plain sums do: a spec allows that with accuracy = \"winograd\""; },
  { need = "MR*NV + (HOLD == 1)*NV + (HOLD % 2 == 0) + (HOLD == 3)*MR + 1 <= VECTOR_REGISTERS"; why = "accumulators, a row of the filters' vectors or one of them, and one value of the input must fit the vector registers"; },
  { need = "HOLD > 0 || MR*NV + UK + 3 + (MR > 1) <= VECTOR_REGISTERS"; why = "what the compiler chooses to keep takes a few registers more"; },
  { need = "HOLD < 3 || MR*NV + NV + 1 > VECTOR_REGISTERS"; why = "where filters' vectors fit, to hold these is as good"; },
  { need = "MR*NV >= 4";                             why = "fewer than 4 accumulators cannot hide the latency of an FMA on any CPU"; },
  { need = "UK == 1 || MR*NV*UK <= 128";             why = "a longer loop body only costs instruction cache"; },
  { need = "MR*NV < 8 || VECTOR_BYTES == 16 || UK*(MR*NV + MR + NV) >= 112"; why = "of a round of the loop a fifteenth at most may be neither FMA nor load: beside busy neighbours the core does three instructions a cycle (without FMA, compilers spill in long rounds)"; },
  { need = "MR*NV < 8 || VECTOR_BYTES == 16 || INSTRUCTIONS*MR*NV <= 125 * (MR*NV + MR + NV)"; why = "so does what a compiler adds: more than a quarter is too much"; },
  { need = "MR*BLOCK <= 64";                         why = "the products of a block must stay in the L2 cache"; } );
# V, M, and what lies between both halves of a transform.
scratch = "4 * (FREQ * (TILES * ceil_to(C, 16) + 16) + FREQ * (TILES * NP * 16 + 16) + FREQ * 16)";
serves = "R == 3 && S == 3 && STRIDE_H == 1 && STRIDE_W == 1 && DIL_H == 1 && DIL_W == 1 && C > 0 && (C > 1 || K > 1)";
tile = { N = "1"; G = "1"; H = "YT"; W = "YT*TILES"; C = "UK"; K = "16*NP"; R = "1"; S = "1"; };
derived = (
  { name = "COL";  expr = "16"; doc = "filters of a panel"; },
  { name = "EVEN"; expr = "1"; doc = "blocks, and groups of tiles in them, are nearly equal"; },
  { name = "STEPS"; expr = "FREQ * C"; doc = "steps along channels, at all frequencies"; },
  { name = "BATCHES"; expr = "1"; doc = "tasks share out tiles or panels"; },
  { name = "SHARERS"; expr = "THREADS"; doc = "likewise"; },
  { name = "TILES_Y"; expr = "N * ceil_div(P, YT) * ceil_div(Q, YT)"; doc = "tiles of Y"; },
  { name = "PANELS"; expr = "ceil_div(K, 16)"; doc = "panels of a group"; },
  { name = "UNITS"; expr = "G * PANELS"; doc = "panels"; },
  { name = "SPLIT"; expr = "UNITS < THREADS || N*P*Q >= 2*OC"; doc = "what threads share out: 0 panels, 1 tiles"; },
  { name = "MT";   expr = "SPLIT * ceil_div(TILES_Y, THREADS) + (1 - SPLIT) * TILES_Y"; doc = "those of the busiest task"; },
  { name = "BLOCKS"; expr = "max(1, ceil_div(MT, TILES))"; doc = "its blocks"; },
  { name = "ROW_TILES"; expr = "BLOCKS * max(1, ceil_div(ceil_div(MT, BLOCKS), MR))"; doc = "groups of MR tiles"; },
  { name = "UT";   expr = "SPLIT * UNITS + (1 - SPLIT) * ceil_div(UNITS, THREADS)"; doc = "those of the busiest task"; },
  { name = "GROUPS"; expr = "ceil_div(UT, max(1, PANELS)) * (min(UT, PANELS) / NP)"; doc = "NP of them side by side"; },
  { name = "SINGLES"; expr = "max(0, UT - GROUPS * NP)"; doc = "panels beside them"; },
  { name = "KB";   expr = "C"; doc = "values of k that a tile does at once"; },
  { name = "W_BYTES"; expr = "FREQ * C * UT * 64"; doc = "bytes of the task's transformed filters"; },
  { name = "W_CLOSE"; expr = "C * NP * 128 <= L1_BYTES"; doc = "those of a frequency stay in L1 from one group of tiles to the next"; },
  { name = "W_NEAR"; expr = "1"; doc = "and in L2 in any case"; },
  { name = "W_FAR"; expr = "W_BYTES > L2_BYTES"; doc = "all of them do not fit there"; },
  { name = "PASSES"; expr = "BLOCKS"; doc = "how often they come from beyond L2 then"; },
  { name = "V_BYTES"; expr = "FREQ * ceil_div(MT, BLOCKS) * C * 4"; doc = "bytes of a block's transformed input"; },
  { name = "X_CLOSE"; expr = "V_BYTES * 2 <= L1_BYTES"; doc = "they fit L1"; } );
padded_flops = "FLOPS_EACH * N * ceil_to(P, YT) * ceil_to(Q, YT) * UNITS * COL";
serial_flops = "FLOPS_EACH * (SPLIT * ceil_div(TILES_Y, THREADS) + (1 - SPLIT) * TILES_Y) * YT * YT * UT * COL";
terms = (
  { name = "forward"; expr = "FREQ * MT * ceil_div(C, LANES) * ceil_div(UT, max(1, PANELS)) * 3"; doc = "the input is transformed"; },
  { name = "back";    expr = "FREQ * MT * UT * VP * 3"; doc = "sums are transformed back"; },
  { name = "x_l2";    expr = "(1 - X_CLOSE) * (GROUPS + SINGLES) * FREQ * MT * C / 16"; doc = "lines of V from L2"; },
  { name = "v_far";   expr = "(V_BYTES > L2_BYTES) * (GROUPS + SINGLES) * FREQ * MT * C / 8"; doc = "and from beyond"; },
  { name = "y";       expr = "FREQ * MT * UT + N * P * Q * UT"; doc = "lines of M and Y"; },
  { name = "w_l2";    expr = "(1 - W_CLOSE) * (ROW_TILES - BLOCKS) * FREQ * C * UT"; doc = "lines of filters that later groups of tiles fetch from L2"; },
  { name = "tiles";   expr = "FREQ * ROW_TILES * (GROUPS + SINGLES) * 30"; doc = "start and end of a tile of products"; } );
features = (
  { name = "four";      expr = "YT == 4"; doc = "tiles of 4 x 4 pixels"; },
  { name = "v_over_l2"; expr = "log2(max(1, 2 * V_BYTES / L2_BYTES))"; doc = "a block's input exceeds half of L2"; },
  { name = "start_v";   expr = "FREQ * MT / max(1, FREQ * MT + K)"; doc = "transforms against products"; },
  { name = "blocks";    expr = "log2(BLOCK)"; doc = "groups of tiles in a block"; },
  { name = "prefetch";  expr = "PF"; doc = "prefetches issued"; },
  { name = "prefetch_far"; expr = "PF * W_FAR"; doc = "of filters that come from far"; },
  { name = "streams";   expr = "NP"; doc = "parallel streams of filters"; },
  { name = "split";     expr = "SPLIT * log2(THREADS)"; doc = "each of the threads reads all filters"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define YT 4
#define MR 6
#define NP 4
#define UK 1
#define KA 1
#define PF 1
#define HOLD 1
#define BLOCK 2
#define FREQ 36
#define XT 6
#define TILES 12
#define NV 4
#define T 6
#endif
/* KERNEL: blocks of TILES tiles of YT x YT pixels of Y (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2016).
 *   V[f][t][c]    = B^T x B, x the XT x XT pixels of X under tile t, channel c; f the place in the XT x XT result
 *   U[f][c][k]    = G w G^T, packed ahead: panel i of group g at F + NAME_winograd_at(...) + (g*ceil(K/16) + i)*NAME_WINOGRAD_PANEL(YT, C), [f][c][16]
 *   M[f][t][k]    = sum over c of V[f][t][c] U[f][c][k]
 *   Y             = A^T M A for each tile and filter
 * Polynomials are multiplied at the points 0, 1, -1 and infinity (tiles of 2 x 2 pixels), or 0, +-sqrt(1/2), +-sqrt(2) and infinity (4 x 4). */
#include "../gemm/rows.h"
#include "../gemm/packed_step.h"
#include "../gemm/sums.h"
#include "parts.h"
#include "winograd_transform.h"

/* V of a group's tiles t0..t1-1. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void KERNEL_fill(const NAME_args *a, const KERNEL_view *view, int64_t g, int64_t t0, int64_t t1)
{
    for (int64_t t = t0; t < t1; t++) {
        const KERNEL_spot at = KERNEL_spot_of(view, t);
        const int64_t h = at.p - NAME_PAD_T(a), w = at.q - NAME_PAD_L(a);
        const float *x = a->X + STRIDED(X, at.n * a->X_stride[0] + h * a->X_stride[1] + w * a->X_stride[2], ((at.n * a->H + h) * a->W + w) * a->IC) + g * a->C;
        float *v = view->v + (t - t0) * view->channels;
        int64_t from[2], to[2], c = 0;
        KERNEL_within(h, a->H, &from[0], &to[0]);
        KERNEL_within(w, a->W, &from[1], &to[1]);
        if (from[0] == 0 && from[1] == 0 && to[0] == XT && to[1] == XT)
            for (; c + LANES <= a->C; c += LANES)
                KERNEL_transform(view, x + c, STRIDED(X, a->X_stride[1], a->W * a->IC), STRIDED(X, a->X_stride[2], a->IC), v + c, LANES, 1, from, to);
        for (; c < a->C; c += LANES)
            KERNEL_transform(view, x + c, STRIDED(X, a->X_stride[1], a->W * a->IC), STRIDED(X, a->X_stride[2], a->IC), v + c, a->C - c, 0, from, to);
    }
}

/* M of `count` groups of `tiles` tiles at one frequency, from v on: the i-th of `all` that read these filters. `tiles` and `panels` are constants of
 * each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_products(const int tiles, const int panels, const KERNEL_view *view, const float *v, const float *u, float *m, int64_t C, int64_t panel, int64_t count, int64_t i, int64_t all)
{
    const int vectors = panels * VP;
    const int64_t each = KERNEL_each(all);
    KERNEL_place at = { .row = view->channels, .panel = panel };
    for (; count > 0; count--, i++, v += tiles * view->channels) {
        KERNEL_vec acc[MR][NV];
        KERNEL_clear(tiles, vectors, acc);
        KERNEL_point(tiles, at.x, v, at.row);
        KERNEL_point(panels, at.w, u, at.panel);
#if PF
        KERNEL_point(panels, at.ahead, u + C * 16 + (each * i < 15 ? each * i : 15) * C, at.panel);
#endif
        KERNEL_run(tiles, vectors, &acc, &at, C, each);
        KERNEL_write(tiles, vectors, acc, m, NP * 16);
        m += tiles * NP * 16;
    }
}

static TARGET_ATTRIBUTE void
KERNEL_of(int64_t tiles, int64_t panels, const KERNEL_view *view, const float *v, const float *u, float *m, int64_t C, int64_t panel, int64_t count, int64_t i, int64_t all)
{
    if (panels == NP)
        switch (tiles) {
        case T: KERNEL_products(T, NP, view, v, u, m, C, panel, count, i, all); break; //@ repeat T = 1..MR
        }
#if NP > 1
    else
        switch (tiles) {
        case T: KERNEL_products(T, 1, view, v, u, m, C, panel, count, i, all); break; //@ repeat T = 1..MR
        }
#endif
}

/* M of n tiles at all frequencies: groups of nearly equal size, the larger ones first. */
static TARGET_ATTRIBUTE void KERNEL_multiply(const KERNEL_view *view, const float *u, int64_t C, int64_t n, int64_t panels)
{
    const int64_t all = (n + MR - 1) / MR, tiles = n / all, larger = n - tiles * all;
    for (int f = 0; f < FREQ; f++, u += C * 16) {
        const float *v = view->v + f * view->of_v;
        float *m = view->m + f * view->of_m;
        if (larger)
            KERNEL_of(tiles + 1, panels, view, v, u, m, C, NAME_WINOGRAD_PANEL(YT, C), larger, 0, all);
        KERNEL_of(tiles, panels, view, v + larger * (tiles + 1) * view->channels, u, m + larger * (tiles + 1) * NP * 16, C, NAME_WINOGRAD_PANEL(YT, C), all - larger, larger, all);
    }
}

/* Y of a tile, for `lanes` filters from oc on, whose sums are at m. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_put(const NAME_args *a, const KERNEL_view *view, const float *m, KERNEL_spot at, int64_t oc, int64_t lanes)
{
    const int64_t rows = a->P - at.p < YT ? a->P - at.p : YT, columns = a->Q - at.q < YT ? a->Q - at.q : YT, OC = STRIDED(Y, a->Y_stride[2], a->OC), of_m = view->of_m;
    KERNEL_vec *const between = view->between;
    PACKAGE_UNROLL(6)
    for (int j = 0; j < XT; j++) {
        KERNEL_vec in[XT], out[YT];
        PACKAGE_UNROLL(6)
        for (int i = 0; i < XT; i++)
            in[i] = *(const KERNEL_vec *)(m + (i * XT + j) * of_m);
        KERNEL_back(out, in);
        PACKAGE_UNROLL(4)
        for (int i = 0; i < YT; i++)
            between[i * XT + j] = out[i];
    }
    for (int i = 0; i < rows; i++) {
        KERNEL_vec in[XT], out[YT];
        float *y = a->Y + STRIDED(Y, at.n * a->Y_stride[0] + (at.p + i) * a->Y_stride[1] + at.q * a->Y_stride[2], (((at.n * a->P + at.p + i) * a->Q) + at.q) * a->OC) + oc;
        PACKAGE_UNROLL(6)
        for (int j = 0; j < XT; j++)
            in[j] = between[i * XT + j];
        KERNEL_back(out, in);
        PACKAGE_UNROLL(4)
        for (int j = 0; j < YT; j++, y += OC)
            if (j < columns) {
#if HAS_EPILOGUE
                out[j] = NAME_epilogue_MACHINE(a, out[j], at.n, at.p + i, at.q + j, oc, lanes);
#endif
                if (lanes >= LANES)
                    *(KERNEL_vec *)y = out[j];
                else
                    PACKAGE_store_MACHINE(y, out[j], lanes);
            }
    }
}

/* Y of tiles t0..t1-1, for `filters` filters of a panel or several, from oc on. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_finish(const NAME_args *a, const KERNEL_view *view, int64_t t0, int64_t t1, int64_t oc, int64_t filters)
{
    for (int64_t t = t0; t < t1; t++) {
        const KERNEL_spot at = KERNEL_spot_of(view, t);
        for (int64_t k = 0; k < filters; k += LANES)
            KERNEL_put(a, view, view->m + (t - t0) * NP * 16 + k, at, oc + k, filters - k);
    }
}

/* Part `task` of `ntask` of the call. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t C = a->C, K = a->K, of_group = (K + 15) / 16, panels = a->G * of_group;
    KERNEL_view view = { .channels = KERNEL_channels(a), .of_m = TILES * NP * 16 + 16, .down = (a->P + YT - 1) / YT, .across = (a->Q + YT - 1) / YT };
    view.of_v = TILES * view.channels + 16;
    view.v = (float *)((char *)a->scratch + task * (int64_t)KERNEL_scratch(a));
    view.m = view.v + FREQ * view.of_v;
    view.between = (KERNEL_vec *)(view.m + FREQ * view.of_m);
    const float *filters = a->F + NAME_winograd_at(YT, a->G, C, K);
    const int64_t all = a->N * view.down * view.across;
    const int64_t parts = KERNEL_parts(all, panels, ntask, NP, 2, 4), part = task % parts, shares = ntask / parts, share = task / parts;
    const int64_t first = all * part / parts, last = all * (part + 1) / parts, p0 = panels * share / shares, p1 = panels * (share + 1) / shares;
    const int64_t blocks = (last - first + TILES - 1) / TILES;
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t t0 = first + (last - first) * b / blocks, t1 = first + (last - first) * (b + 1) / blocks;
        for (int64_t p = p0, step; p < p1; p += step) {
            const int64_t g = p / of_group, i = p - g * of_group, left = (p1 < (g + 1) * of_group ? p1 : (g + 1) * of_group) - p;
            step = left < NP ? 1 : NP;
            if (p == p0 || i == 0)
                KERNEL_fill(a, &view, g, t0, t1);
            KERNEL_multiply(&view, filters + p * NAME_WINOGRAD_PANEL(YT, C), C, t1 - t0, step);
            KERNEL_finish(a, &view, t0, t1, g * K + i * 16, K - i * 16 < step * 16 ? K - i * 16 : step * 16);
        }
    }
    return 0;
}
