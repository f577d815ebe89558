/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "packed_gated";
op      = "gated_dense";
family  = "cpu";
doc     = "W and G packed in panels, each of 8 columns of W and the same 8 of G: a register tile of MR rows x NP panels, kept in accumulators over K";
packed  = true;
layouts = { W = ["NK", "KN"]; };
dtypes  = ["f32"];
params = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14]; doc = "rows of X in the tallest tile"; },
  { name = "NP";    choices = [1, 2, 3, 4, 5, 6, 8]; doc = "panels in a tile: 8*NP columns of Y"; },
  { name = "KA";    choices = [1, 2, 4, 8];          doc = "independent partial sums along K, for tiles too small to hide the latency of an FMA"; },
  { name = "UK";    choices = [1, 2, 4, 8];             doc = "steps of KA values of k in one round of the inner loop"; },
  { name = "PF";    choices = [0, 8, 16, 32, 64];    doc = "each row tile prefetches its share of the next panels, a single one this many rows (64 bytes each) ahead; 0: none does"; },
  { name = "HOLD";  choices = [0, 1, 3];                doc = "1: load W's vectors into registers once for all rows and add in place; 3: X's values, once for all columns; 0: the compiler may fold loads into FMAs"; },
  { name = "BLOCK"; choices = [0, 8];                doc = "row tiles that meet all panels before the next ones do, so that their X stays close; 0: all"; },
  { name = "EVEN";  choices = [0, 1];                doc = "1: row tiles of nearly equal height (17 = 9 + 8); 0: MR rows each and the rest last"; },
  { name = "SPLIT"; choices = [0, 1];                doc = "what threads share out: 0 panels, 1 rows"; } );
values = (
  { name = "VP";   expr = "64 / VECTOR_BYTES"; doc = "vectors in a row of a panel"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "UNIT"; expr = "8";                 doc = "columns of a narrow tile"; },
  { name = "WIDE"; expr = "NP * 8";            doc = "and of a wide one"; },
  { name = "KC";   expr = "0";                 doc = "K is not cut: Y could not hold two sums"; },
  { name = "NV";   expr = "NP * VP";           doc = "vectors across a tile"; },
  { name = "NACC"; expr = "KA * MR * NP * VP"; doc = "accumulators"; } );
constraints = (
  { need = "NACC + (HOLD < 3)*NP*VP + (HOLD == 3)*MR + 1 <= VECTOR_REGISTERS";   why = "accumulators, one row of W's vectors and one value of X must fit the vector registers"; },
  { need = "HOLD < 3 || NACC + NP*VP + 1 > VECTOR_REGISTERS"; why = "where W's vectors fit, to hold these is as good"; },
  { need = "HOLD > 0 || MR <= 2 || VECTOR_BYTES == 16"; why = "what the compiler chooses to keep for several rows it moves about in long rounds"; },
  { need = "NACC >= 4";                              why = "fewer than 4 accumulators cannot hide the latency of an FMA on any CPU"; },
  { need = "KA == 1 || MR*NP*VP <= 12";              why = "partial sums along K only help tiles with few accumulators"; },
  { need = "PF > 0 || MR == 1";                      why = "beside the FMAs of several rows prefetches cost nothing"; },
  { need = "PF == 16 || MR <= 8";                    why = "with more than 8 rows W passes so slowly that the distance does not matter"; },
  { need = "UK*KA <= 16";                            why = "a longer loop body only costs instruction cache"; },
  { need = "UK == 1 || NACC*UK <= 128";              why = "a longer loop body only costs instruction cache"; },
  { need = "MR*NV < 8 || VECTOR_BYTES == 16 || UK*KA*(MR*NV + MR + NV) >= 112";
    why = "of a round of the loop a fifteenth at most may be neither FMA nor load: beside busy neighbours the core does three instructions a cycle (without FMA, compilers spill in long rounds)"; },
  { need = "MR*NV < 8 || VECTOR_BYTES == 16 || INSTRUCTIONS*MR*NV <= 125 * (MR*NV + MR + NV)"; why = "so does what a compiler adds: more than a quarter is too much"; },
  { need = "MR > 1 || (BLOCK == 0 && EVEN == 0)";    why = "with single rows there is no tail to even out"; },
  { need = "SPLIT == 0 || MAX_THREADS > 1"; why = "one thread shares out nothing"; } );
general = (
  { target = "avx512"; MR = 8; NP = 3; KA = 1; UK = 4; PF = 16; HOLD = 1; BLOCK = 8;
    EVEN = 1; SPLIT = 0; },
  { target = "avx2"; MR = 6; NP = 1; KA = 1; UK = 8; PF = 16; HOLD = 1; BLOCK = 8;
    EVEN = 1; SPLIT = 0; },
  { target = "portable"; MR = 2; NP = 1; KA = 1; UK = 1; PF = 16; HOLD = 0; BLOCK = 8;
    EVEN = 1; SPLIT = 0; } );
tile = { M = "MR"; N = "8*NP"; K = "KA*UK"; };
derived = (
  { name = "COL";  expr = "8"; doc = "columns of Y of a panel"; },
  { name = "VU";   expr = "VP"; doc = "vectors of a panel"; },
  { name = "W_BYTES"; expr = "K * UT * 64"; doc = "bytes of W and G of the task"; },
  { name = "W_TILE"; expr = "K * min(UT, NP) * 64"; doc = "bytes of them between two uses of the same element"; },
  { name = "AHEAD"; expr = "(ROW_TILES == 1) * PF"; doc = "rows that a single tile prefetches ahead"; },
  { name = "BLOCKS"; expr = "(BLOCK == 0) + (BLOCK > 0) * ceil_div(ROW_TILES, max(1, BLOCK))"; doc = "blocks of row tiles"; },
  { name = "X_FAR"; expr = "ceil_div(MT, BLOCKS) * KB * 4 > L2_BYTES"; doc = "the rows of a block are not in L2 when the next panels come"; },
  { name = "PASSES"; expr = "W_NEAR * (1 + (W_BYTES > L2_BYTES) * (BLOCKS - 1)) + (1 - W_NEAR) * ROW_TILES"; doc = "how often W comes from beyond L2"; },
  { name = "WORK"; expr = "KB * NV * max(ROWS, 4) / 2"; doc = "cycles of a tile"; } );
terms = (
  { name = "w_l2";     expr = "K * (ROW_TILES - 1) * ((NP * KB * 64 > L1_BYTES) * GROUPS * max(0, 2 * NP - max(ROWS*NV, NV + ROWS) / 2)"
                              " + (KB * 64 > L1_BYTES) * SINGLES * max(0, 2 - max(ROWS*VP, VP + ROWS) / 2))";
    doc = "lines of W that later row tiles fetch from L2, as they do not fit L1, two cycles each, beyond what FMAs and loads hide"; },
  { name = "x_far";    expr = "X_FAR * (GROUPS + SINGLES) * MT * K / 8"; doc = "X from beyond L2 for each tile's panels, at 32 bytes a cycle"; },
  { name = "cold";     expr = "(PF == 0) * PASSES * (GROUPS + SINGLES) * 300"; doc = "the first lines of panels come from far, and nobody asked for them"; },
  { name = "prefetch"; expr = "(PF > 0) * K * UT * ROW_TILES / (2 + 2 * (ROW_TILES >= 8) * (min(8, KA*UK) - 1))"; doc = "prefetches issued: by each of few tiles for each k"; } );
features = (
  { name = "l2_stream";    expr = "(NP * KB * 64 > L1_BYTES) / ROWS"; doc = "bytes of W from L2 for an FMA"; },
  { name = "x_far";        expr = "X_FAR / NP"; doc = "bytes of X from beyond L2 for an FMA"; },
  { name = "w_over_l2";    expr = "log2(max(1, NP * KB * 64 / L2_BYTES))"; doc = "a tile's panels exceed L2"; },
  { name = "cold";         expr = "(PF == 0) * min(1, PASSES * ROWS / MT) * 300 / WORK"; doc = "the first lines of a tile come from far, and nobody asked for them"; },
  { name = "far_rows";     expr = "AHEAD * 64 * NP / L1_BYTES"; doc = "rows fetched ahead fill L1"; },
  { name = "prefetch";     expr = "PF > 0"; doc = "prefetches issued"; },
  { name = "prefetch_8";   expr = "(AHEAD == 8) / ROWS"; doc = "their distance matters where W streams past few rows"; },
  { name = "prefetch_16";  expr = "(AHEAD == 16) / ROWS"; doc = "likewise"; },
  { name = "prefetch_32";  expr = "(AHEAD == 32) / ROWS"; doc = "likewise"; },
  { name = "prefetch_64";  expr = "(AHEAD == 64) / ROWS"; doc = "likewise"; },
  { name = "partial";      expr = "log2(KA)"; doc = "partial sums along K"; },
  { name = "streams";      expr = "NP"; doc = "parallel streams of W"; },
  { name = "streams_few";  expr = "NP / ROWS"; doc = "the same, for few rows"; },
  { name = "area_2";       expr = "(log2(ROWS*NV*KA) - 4) * (log2(ROWS*NV*KA) - 4)"; doc = "too few accumulators or too many"; },
  { name = "split_few";    expr = "SPLIT * log2(THREADS) / MT"; doc = "each of the threads reads all of W for few rows"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define MR 8
#define NP 3
#define KA 1
#define UK 1
#define KC 0
#define PF 0
#define HOLD 1
#define BLOCK 8
#define EVEN 1
#define SPLIT 0
#define NV 3
#define UNIT 8
#define WIDE 24
#define R 8
#endif
/* KERNEL: tiles of MR rows x NP panels (8 columns each) of Y, k innermost.
 *   X[m][k]        at X + m*K + k
 *   W, packed      panel p (columns 8p..8p+7 of W and of G) at W + p*NAME_PANEL(K) */
#include "../gemm/rows.h"
#include "../gemm/packed_step.h"
#include "../gemm/sums.h"
#include "../gemm/join.h"
#include "../gemm/share.h"
#include "store_part.h"
#include "panels.h"

/* Rows m.., columns n..; the tile is the i-th of `tiles` that pass these panels. `rows` and `columns` are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int rows, const int columns, const NAME_args *a, int64_t m, int64_t n, int64_t k0, int64_t k1, int64_t i, int64_t tiles)
{
    KERNEL_panels(rows, columns, a, a->W + n / 8 * NAME_PANEL(a->K), NAME_PANEL(a->K), m, n, i, tiles);
    (void)k0, (void)k1;
}

#include "../gemm/walk.h"

/* Part `task` of `ntask` of the call. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const KERNEL_share share = KERNEL_share_of(a->M, (a->N + 7) / 8 * 8, task, ntask); /* of whole panels */
    KERNEL_walk(a, &share);
    return 0;
}
