/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "direct_gemm";
op      = "dense";
family  = "cpu";
doc     = "Y = X * W + bias with W as it is, one row an input column: register tiles of MR rows x NV vectors along it";
packed  = false;
layouts = { W = ["KN"]; };
dtypes  = ["f32"];
params = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]; doc = "rows of X in the tallest tile"; },
  { name = "NV";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 24]; doc = "vectors of W in a tile, side by side"; },
  { name = "UK";    choices = [1, 2, 4, 8];                  doc = "steps of k in one round of the inner loop"; },
  { name = "KC";    choices = [0, 128, 256, 384];
    doc = "block of K that is finished for all tiles before the next begins; 0: all of K"; },
  { name = "PF";    choices = [0, 4];
    doc = "rows of W to prefetch ahead; 0: leave it to the hardware"; },
  { name = "HOLD";  choices = [0, 1];
    doc = "1: load W's vectors into registers once for all rows; 0: the compiler may fold the loads into the FMAs"; },
  { name = "ORDER"; choices = [0, 1];
    doc = "0: all row tiles before the next columns (W stays close); 1: all columns before the next rows (X does)"; },
  { name = "EVEN";  choices = [0, 1];
    doc = "1: row tiles of nearly equal height (17 = 9 + 8); 0: MR rows each and the rest last"; },
  { name = "SPLIT"; choices = [0, 1];                        doc = "what threads share out: 0 columns, 1 rows"; } );
values = (
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "UNIT";  expr = "LANES";            doc = "columns of a narrow tile"; },
  { name = "WIDE";  expr = "NV * LANES";       doc = "and of a wide one"; },
  { name = "BLOCK"; expr = "ORDER";            doc = "row tiles that meet all columns before the next ones do; 0: all"; },
  { name = "IN_TURN"; expr = "VECTOR_BYTES > 16"; doc = "sums are added to in turn: clang would else load many values of X first, for which there are no registers"; },
  { name = "WS";    expr = "0"; doc = "rows of W lie as far apart as the call says"; },
  { name = "CALLS"; expr = "0"; doc = "a formula that calls functions is computed on Y, behind a tile"; } );
constraints = (
  { need = "KC == 256 || !OUTPUT_READ";
    why = "Y cannot hold a block's sums while the formula still has to read it: K is not cut, one value stands for all"; },
  { need = "MR*NV + NV + 1 <= VECTOR_REGISTERS || (MR == 1 && HOLD == 0 && NV < VECTOR_REGISTERS)";
    why = "accumulators, one row of W's vectors and one value of X must fit the vector registers"; },
  { need = "HOLD > 0 || MR <= 2 || VECTOR_BYTES == 16"; why = "what the compiler chooses to keep for several rows it moves about in long rounds"; },
  { need = "MR*NV >= 4";
    why = "fewer than 4 accumulators cannot hide the latency of an FMA on any CPU"; },
  { need = "UK == 1 || MR*NV*UK <= 128";         why = "a longer loop body only costs instruction cache"; },
  { need = "MR*NV < 8 || VECTOR_BYTES == 16 || UK*(MR*NV + MR + NV) >= 112";
    why = "of a round of the loop a fifteenth at most may be neither FMA nor load: beside busy neighbours the core does three instructions a cycle (without FMA, compilers spill in long rounds)"; },
  { need = "MR*NV < 8 || VECTOR_BYTES == 16 || INSTRUCTIONS*MR*NV <= 125 * (MR*NV + MR + NV)"; why = "so does what a compiler adds: more than a quarter is too much"; },
  { need = "PF == 0 || MR <= 8";
    why = "with more than 8 rows W arrives slowly enough for the hardware prefetcher"; },
  { need = "MR > 1 || (ORDER == 0 && EVEN == 0)"; why = "with single rows there is no tail to even out"; },
  { need = "SPLIT == 0 || MAX_THREADS > 1"; why = "one thread shares out nothing"; } );
general = (
  { target = "avx512"; MR = 8; NV = 3; UK = 4; KC = 256; PF = 0; HOLD = 1; ORDER = 0; EVEN = 1; SPLIT = 0; },
  { target = "avx2"; MR = 6; NV = 2; UK = 8; KC = 256; PF = 0; HOLD = 1; ORDER = 0; EVEN = 1; SPLIT = 0; },
  { target = "portable"; MR = 2; NV = 4; UK = 1; KC = 256; PF = 0; HOLD = 0; ORDER = 0; EVEN = 1; SPLIT = 0; } );
tile = { M = "MR"; N = "NV*LANES"; K = "max(KC, UK)"; };
derived = (
  { name = "ALIAS"; expr = "N % 1024 == 0"; doc = "W's rows a multiple of 4 KiB apart share the sets of a cache"; },
  { name = "W_CLOSE"; expr = "W_TILE * 2 <= L1_BYTES && (ALIAS == 0 || KB <= 12)";
    doc = "W stays in L1 from one row tile to the next"; },
  { name = "W_NEAR"; expr = "W_TILE <= L2_BYTES && (ALIAS == 0 || KB <= 256)"; doc = "or at least in L2"; },
  { name = "X_CLOSE"; expr = "1"; doc = "no time was seen to pass for lines of X"; } );
features = (
  { name = "traffic";      expr = "1 / (W_CLOSE * MT + (1 - W_CLOSE) * ROWS)"; doc = "bytes of W brought to L1 for an FMA"; },
  { name = "narrow";       expr = "1 / min(UT, NV) / MT";
    doc = "short pieces of W's rows stop the hardware prefetcher"; },
  { name = "pages";        expr = "(N >= 1024) * PASSES / MT"; doc = "each row of W lies on a page of its own"; },
  { name = "pages_narrow"; expr = "(N >= 1024) * PASSES / MT / min(UT, NV)"; doc = "the same, for short pieces"; },
  { name = "alias";        expr = "ALIAS * (1 - W_CLOSE) / ROWS"; doc = "W's rows push each other out of L1"; },
  { name = "alias_near";   expr = "ALIAS * (1 - W_NEAR) / ROWS"; doc = "and out of L2"; },
  { name = "prefetch";     expr = "PF > 0"; doc = "prefetches issued"; },
  { name = "prefetch_few"; expr = "(PF > 0) / ROWS"; doc = "the same, for few rows"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#include "../vector/load.h"
#include "../vector/store.h"
#define MR 8
#define NV 3
#define UK 1
#define KC 256
#define PF 0
#define WS 0
#define HOLD 1
#define IN_TURN 1
#define CALLS 0
#define UNIT LANES
#define WIDE (NV * LANES)
#define BLOCK 0
#define EVEN 1
#define SPLIT 0
#define R 8
#endif
/* KERNEL: MR x (NV*LANES) tiles of Y, k innermost.
 *   X[m][k]     at X + m*K + k
 *   W[k][n]     at W + k*N + n
 *   acc[r][v]   sum over k of X[m+r][k] * W[k][v-th vector of the tile]
 * The last N % LANES columns are computed as the last LANES columns, of which only they are stored; N < LANES has a loop. */
#include "../gemm/rows.h"
#include "../gemm/sums.h"
#include "../gemm/rows_by_rows.h"
#include "../gemm/share.h"
#include "store_part.h"
#include "store_tile.h"

/* Rows m.., columns n.., k0 <= k < k1: adds to Y unless k0 is 0. `rows` and `columns` are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int rows, const int columns, const NAME_args *a, int64_t m, int64_t n, int64_t k0, int64_t k1, int64_t i, int64_t tiles)
{
    const int64_t N = a->N, K = STRIDED(X, a->X_stride[0], a->K), done = columns == LANES && N - n < LANES ? n + LANES - N : 0; /* columns of the tile before */
    KERNEL_vec acc[MR][NV];
    n -= done;
    KERNEL_sum(rows, columns / LANES, acc, a->X + m * K + k0, K, a->W + k0 * STRIDED(W, a->W_stride[0], N) + n, STRIDED(W, a->W_stride[0], N), k1 - k0);
    if (done)
        KERNEL_store_columns(rows, 1, acc, a, m, n, done, LANES, k0, k1);
    else
        KERNEL_store(rows, columns / LANES, acc, a, m, n, k0, k1);
    (void)i, (void)tiles;
}

#include "../gemm/walk.h"

/* N shorter than a vector. */
static TARGET_ATTRIBUTE void KERNEL_narrow(const NAME_args *a, int64_t m0, int64_t m1)
{
    const int64_t N = a->N, K = a->K;
    for (int64_t m = m0; m < m1; m++) {
#if OUTPUT_READ
        float y[LANES];
#else
        float *y = a->Y + m * STRIDED(Y, a->Y_stride[0], N);
#endif
        for (int64_t n = 0; n < N; n++)
            y[n] = 0;
        for (int64_t k = 0; k < K; k++)
            for (int64_t n = 0; n < N; n++)
                y[n] += a->X[m * STRIDED(X, a->X_stride[0], K) + k] * a->W[k * STRIDED(W, a->W_stride[0], N) + n];
#if OUTPUT_READ
        KERNEL_store_part(a, y, 0, m, 0, 1, N, 0, 1);
#endif
    }
#if HAS_EPILOGUE
#if !OUTPUT_READ
    KERNEL_store_part(a, a->Y + m0 * STRIDED(Y, a->Y_stride[0], N), STRIDED(Y, a->Y_stride[0], N), m0, 0, m1 - m0, N, 0, 1);
#endif
#endif
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const KERNEL_share share = KERNEL_share_of(a->M, a->N, task, ntask);
    if (a->N < LANES)
        KERNEL_narrow(a, share.m0, share.n0 < share.n1 ? share.m1 : share.m0);
    else
        KERNEL_walk(a, &share);
    return 0;
}
