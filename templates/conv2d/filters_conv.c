/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "filters_conv";
op      = "conv2d";
family  = "cpu";
doc     = "filters as they lie: a register tile of MR filters x NV vectors of neighbouring pixels of Y, whose patches of X are copied side by side, with zeros for padding";
packed  = false;
layouts = { X = ["NCHW"]; F = ["KCRS", "KRSC"]; Y = ["NCHW"]; };
dtypes  = ["f32"];
params = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14]; doc = "filters in the tallest tile"; },
  { name = "NV";    choices = [1, 2, 3, 4, 5, 6, 8];  doc = "vectors of pixels in a wide tile; a narrow one has one less"; },
  { name = "UK";    choices = [1, 2, 4, 8];           doc = "values of k, a tap of a channel, in one round of the inner loop"; },
  { name = "KC";    choices = [128, 256, 512, 1024, 2048]; doc = "values of k that are copied at once, at most: what comes before is in Y by then; k is cut into equal blocks"; },
  { name = "BLOCK"; choices = [1, 4, 16];             doc = "tiles of pixels whose patches are copied before they meet all filters"; },
  { name = "HOLD";  choices = [0, 1];                 doc = "1: load patches into registers once for all filters; 0: the compiler may fold the loads into the FMAs"; } );
values = (
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "LEFT";  expr = "LANES / 4";        doc = "so many pixels behind the last whole vector, or fewer, are summed along k"; },
  { name = "WS";    expr = "NV * LANES";       doc = "floats from one row of a tile's patches to the next"; },
  { name = "PF";    expr = "0";                doc = "patches are close: nothing is fetched ahead"; },
  { name = "IN_TURN"; expr = "0";              doc = "sums need not be added to in turn"; },
  { name = "NACC";  expr = "MR * NV";          doc = "accumulators"; } );
constraints = (
  { need = "NACC + NV + 1 <= VECTOR_REGISTERS"; why = "accumulators, a row of patches and one value of F must fit the vector registers"; },
  { need = "NACC >= 8"; why = "fewer than 8 accumulators cannot hide the latency of two FMAs a cycle"; },
  { need = "HOLD > 0 || MR <= 2 || VECTOR_BYTES == 16"; why = "what the compiler chooses to keep for several filters it moves about in long rounds"; },
  { need = "HOLD > 0 || NACC + UK + 3 <= VECTOR_REGISTERS"; why = "what the compiler chooses to keep takes a few registers more"; },
  { need = "VECTOR_BYTES > 16 || HOLD == 0 && MR*UK <= 8"; why = "without FMA, compilers spill in long rounds, and where they are told what to keep"; },
  { need = "UK == 1 || NACC*UK <= 128"; why = "a longer loop body only costs instruction cache"; },
  { need = "VECTOR_BYTES == 16 || UK*(NACC + MR + NV) >= 112";
    why = "of a round of the loop a fifteenth at most may be neither FMA nor load: beside busy neighbours the core does three instructions a cycle (without FMA, compilers spill in long rounds)"; },
  { need = "VECTOR_BYTES == 16 || INSTRUCTIONS*NACC <= 125 * (NACC + MR + NV)"; why = "so does what a compiler adds: more than a quarter is too much"; },
  { need = "KC == 1024 || !OUTPUT_READ"; why = "Y cannot hold the sums of blocks of k while the formula still has to read it: k is not cut, one value stands for all"; },
  { need = "KC*WS*4*BLOCK <= 1048576"; why = "patches must stay in a cache while all filters pass"; } );
general = (
  { target = "avx512"; MR = 8; NV = 3; UK = 4; KC = 1024; BLOCK = 1; HOLD = 1; },
  { target = "avx2"; MR = 6; NV = 2; UK = 8; KC = 1024; BLOCK = 1; HOLD = 1; },
  { target = "portable"; MR = 2; NV = 4; UK = 1; KC = 1024; BLOCK = 1; HOLD = 0; } );
scratch = "4 * (LEFT + WS * min(BLOCK, ceil_div(N*P*Q, WS))) * (OUTPUT_READ * (R*S*C + 15) + (1 - OUTPUT_READ) * min(KC, R*S*C + 15))";
tile = { N = "1"; G = "1"; H = "1"; W = "WS"; C = "max(KC, UK)"; K = "MR"; R = "1"; S = "1"; };
derived = (
  { name = "COL";   expr = "LANES"; doc = "pixels of a vector"; },
  { name = "EVEN";  expr = "1"; doc = "tiles have nearly equal heights"; },
  { name = "SPLIT"; expr = "OC < MR * THREADS || N*P*Q >= 2*OC"; doc = "what threads share out: 0 filters, 1 pixels"; },
  { name = "FT";    expr = "SPLIT * OC + (1 - SPLIT) * ceil_div(OC, THREADS)"; doc = "filters of the busiest task"; },
  { name = "MT";    expr = "max(1, min(K, FT))"; doc = "those of a group"; },
  { name = "BATCHES"; expr = "ceil_div(FT, MT)"; doc = "its groups"; },
  { name = "SHARERS"; expr = "THREADS"; doc = "threads that share them out"; },
  { name = "OVER";  expr = "N*P*Q % LANES"; doc = "pixels behind the last whole vector"; },
  { name = "UNITS"; expr = "max(1, N*P*Q / LANES + (OVER > LEFT))"; doc = "vectors of pixels"; },
  { name = "NU";    expr = "NV"; doc = "those of a tile"; },
  { name = "UT";    expr = "SPLIT * ceil_div(UNITS, THREADS) + (1 - SPLIT) * UNITS"; doc = "those of the busiest task"; },
  { name = "GROUPS"; expr = "ceil_div(UT, NV)"; doc = "tiles side by side"; },
  { name = "SINGLES"; expr = "0"; doc = "tiles are nearly of one width"; },
  { name = "DEPTH"; expr = "max(1, ceil_div(SUM, KC * (1 - OUTPUT_READ) + SUM * OUTPUT_READ))"; doc = "blocks of k"; },
  { name = "KB";    expr = "max(1, ceil_div(SUM, DEPTH))"; doc = "values of k in a block"; },
  { name = "W_CLOSE"; expr = "BLOCK == 1 && KB * WS * 8 <= L1_BYTES"; doc = "a tile's patches stay in L1 while the filters pass"; },
  { name = "W_FAR"; expr = "0"; doc = "patches were just copied"; },
  { name = "F_PASSES"; expr = "ceil_div(GROUPS, BLOCK)"; doc = "how often filters pass"; },
  { name = "F_FAR"; expr = "MT * SUM * 4 > L2_BYTES"; doc = "each time from beyond L2"; },
  { name = "BY_ROW"; expr = "STRIDE_H * STRIDE_W > 1 || W != Q"; doc = "a vector is copied row by row of Y"; },
  { name = "PIECES"; expr = "1 + BY_ROW * (LANES - 1 + Q - 1) / max(1, Q)"; doc = "pieces of one"; } );
padded_flops = "2 * SUM * OC * (UNITS * LANES + (OVER <= LEFT) * OVER)";
serial_flops = "2 * SUM * BATCHES * MT * UT * LANES";
terms = (
  { name = "copy"; expr = "BATCHES * SUM * UT * PIECES * (2 + (STRIDE_W == 2) * 3 + (STRIDE_W > 2) * 2 * LANES)"; doc = "patches, a vector at a time"; },
  { name = "taps"; expr = "BATCHES * DEPTH * UT * PIECES * (60 + 12 * R * S)"; doc = "where a vector's pixels lie, and which of them are padding at each tap"; },
  { name = "f_far"; expr = "BATCHES * F_FAR * F_PASSES * MT * SUM / 4"; doc = "filters from beyond L2, at 16 bytes a cycle"; },
  { name = "left"; expr = "BATCHES * (OVER <= LEFT) * OVER * MT * (SUM / LANES + 10)"; doc = "pixels behind the last whole vector"; },
  { name = "y"; expr = "BATCHES * MT * UT * (2 * DEPTH - 1) * (1 + (1 + 3 * (Q % LANES != 0)) * (P * Q < 16 * WS))"; doc = "sums from and to Y, in pieces where images are small"; } );
features = (
  { name = "f_far"; expr = "F_FAR / (NV * BLOCK)"; doc = "bytes of filters from beyond L2 for an FMA"; },
  { name = "f_alias"; expr = "(SUM % 1024 == 0) * (ROWS > 10)"; doc = "filters a multiple of 4 KiB apart share a set of L1"; },
  { name = "patches"; expr = "(1 - W_CLOSE) / ROWS"; doc = "patches from L2 for an FMA"; },
  { name = "copy"; expr = "PIECES / MT"; doc = "copying for an FMA"; },
  { name = "narrow"; expr = "UT % NV != 0"; doc = "some tiles are narrow"; },
  { name = "block"; expr = "log2(BLOCK)"; doc = "tiles of pixels that filters meet at once"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define MR 8
#define NV 3
#define UK 4
#define KC 256
#define BLOCK 1
#define LEFT 4
#define HOLD 1
#define PF 0
#define WS 48
#define IN_TURN 0
#define LAYOUT_F_KCRS 1
#define T 8
#endif
/* KERNEL: tiles of MR filters x NV vectors of pixels of Y, taps and channels innermost. Pixels are numbered through all images.
 *   X[n][ic][h][w]    at X + ((n*IC + ic)*H + h)*W + w
#if LAYOUT_F_KCRS
 *   F[oc][k]          at F + oc*C*R*S + k, k = (c*R + r)*S + s
#else
 *   F[oc][k]          at F + oc*R*S*C + k, k = (r*S + s)*C + c
#endif
 *   Y[n][oc][p][q]    at Y + ((n*OC + oc)*P + p)*Q + q
 *   patches[k][i]     what pixel i of a tile meets at k, WS floats a k
 *   acc[i][v]         sum over k of F[oc + i][k] * v-th vector of patches[k]
 * Where LEFT pixels or fewer are left behind whole vectors, a vector has values of k of one pixel. */
#include "../gemm/rows.h"
#include "../gemm/sums.h"
#include "../gemm/rows_by_rows.h"
#include "../gemm/lane_sums.h"
#include "parts.h"
#include "planes.h"
#include "masked.h"
#include "patches.h"

#include "left.h"

/* What a task computes: vectors v0..v1-1 of pixels, in tiles, and `left` pixels behind them, for filters f0..f1-1. */
typedef struct {
    int64_t v0, v1, tiles, left, f0, f1;
} KERNEL_share;

static KERNEL_share KERNEL_share_of(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t pixels = a->N * a->P * a->Q, over = pixels % LANES, all = pixels / LANES + (over > LEFT);
    const int64_t parts = KERNEL_parts(all, (a->OC + MR - 1) / MR, ntask, 1, 1, 1), part = task % parts, shares = ntask / parts, share = task / parts;
    const int64_t v0 = all * part / parts, v1 = all * (part + 1) / parts;
    return (KERNEL_share){ v0, v1, (v1 - v0 + NV - 1) / NV, part + 1 == parts && over <= LEFT ? over : 0, a->OC * share / shares, a->OC * (share + 1) / shares };
}

/* The first vector of the i-th tile. */
static inline int64_t KERNEL_first_of(const KERNEL_share *share, int64_t i) { return share->v0 + (share->v1 - share->v0) * i / share->tiles; }

/* Filters oc.. by `count` pixels from `pixel` on, values k0..k1-1 of k: adds to Y unless k0 is 0. `rows` and `vectors` are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int rows, const int vectors, const NAME_args *a, const float *patches, int64_t oc, int64_t pixel, int64_t count, int64_t k0, int64_t k1)
{
    const int64_t depth = a->C * a->R * a->S;
    KERNEL_vec acc[MR][NV];
    KERNEL_sum(rows, vectors, acc, a->F + oc * depth + k0, depth, patches, WS, k1 - k0);
    KERNEL_store(rows, vectors, acc, a, oc, pixel, count, k0 > 0, k1 == depth);
}

/* The tile as a function for each height, wide and narrow. */
static TARGET_ATTRIBUTE void
KERNEL_of(const NAME_args *a, const float *patches, int64_t rows, int64_t oc, int64_t pixel, int64_t count, int64_t k0, int64_t k1)
{
#if NV > 1
    if (count <= (NV - 1) * LANES)
        switch (rows) {
        case T: KERNEL_tile(T, NV - 1, a, patches, oc, pixel, count, k0, k1); break; //@ repeat T = 1..MR
        }
    else
#endif
        switch (rows) {
        case T: KERNEL_tile(T, NV, a, patches, oc, pixel, count, k0, k1); break; //@ repeat T = 1..MR
        }
}

/* Tiles i0..i1-1 of a share, and the pixels behind its last one, for its filters of group g and values k0..k1-1 of k. `room` has place for `depth` of
 * these: first those of the pixels behind, then a tile's patches behind the other's. */
static TARGET_ATTRIBUTE void
KERNEL_block(const NAME_args *a, const KERNEL_share *share, int64_t i0, int64_t i1, int64_t g, int64_t k0, int64_t k1, float *room, int64_t depth)
{
    const int64_t pixels = a->N * a->P * a->Q, left = i1 == share->tiles ? share->left : 0;
    const int64_t oc0 = share->f0 > g * a->K ? share->f0 : g * a->K, oc1 = share->f1 < (g + 1) * a->K ? share->f1 : (g + 1) * a->K;
    const int64_t groups = (oc1 - oc0 + MR - 1) / MR, apart = depth * WS;
    float *patches = room + LEFT * depth;
    if (left) {
        KERNEL_copy(a, g, share->v1, share->v1 + 1, k0, k1, patches);
        KERNEL_turn_left(patches, left, k1 - k0, room, depth);
    }
    for (int64_t i = i0; i < i1; i++)
        KERNEL_copy(a, g, KERNEL_first_of(share, i), KERNEL_first_of(share, i + 1), k0, k1, patches + (i - i0) * apart);
    for (int64_t m = 0; m < groups; m++) {
        const int64_t oc = oc0 + (oc1 - oc0) * m / groups, rows = oc0 + (oc1 - oc0) * (m + 1) / groups - oc;
        for (int64_t i = i0; i < i1; i++) {
            const int64_t pixel = KERNEL_first_of(share, i) * LANES, end = KERNEL_first_of(share, i + 1) * LANES;
            KERNEL_of(a, patches + (i - i0) * apart, rows, oc, pixel, (end < pixels ? end : pixels) - pixel, k0, k1);
        }
        if (left)
            KERNEL_do_left(a, room, depth, oc, rows, pixels - left, left, k0, k1);
    }
}

/* Part `task` of `ntask` of the call. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    float *room = (float *)((char *)a->scratch + task * (int64_t)KERNEL_scratch(a));
    const KERNEL_share share = KERNEL_share_of(a, task, ntask);
    const int64_t depth = a->C * a->R * a->S, tiles = share.tiles, blocks = tiles > 0 ? (tiles + BLOCK - 1) / BLOCK : share.left > 0;
#if OUTPUT_READ
    const int64_t cuts = 1; /* the formula reads Y, which cannot hold the sums of blocks of k */
#else
    const int64_t cuts = depth > KC ? (depth + KC - 1) / KC : 1;
#endif
    const int64_t step = depth > 0 ? ((depth + cuts - 1) / cuts + 15) / 16 * 16 : 1;
    if (share.f0 == share.f1)
        return 0;
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t g = share.f0 / a->K; g * a->K < share.f1; g++)
            for (int64_t k0 = 0; k0 == 0 || k0 < depth; k0 += step) /* an empty sum is one empty block */
                KERNEL_block(a, &share, tiles * b / blocks, tiles * (b + 1) / blocks, g, k0, depth - k0 < step ? depth : k0 + step, room, step);
    return 0;
}
