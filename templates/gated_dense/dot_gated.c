/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "dot_gated";
op      = "gated_dense";
family  = "cpu";
doc     = "W and G as they are, one row each an output column: MR x NR dot products along rows of X and of both";
packed  = false;
layouts = { W = ["NK"]; };
dtypes  = ["f32"];
params = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 10]; doc = "rows of X in the tallest tile"; },
  { name = "NR";    choices = [1, 2, 3, 4, 5, 6, 8, 12];
    doc = "columns of Y in a tile: rows of W, and then of G, read side by side"; },
  { name = "UK";    choices = [1, 2, 4];                    doc = "vectors of k in one round of the inner loop"; },
  { name = "HOLD";  choices = [0, 1];
    doc = "1: load each vector into a register once; 0: the compiler may fold the loads into the FMAs"; },
  { name = "ORDER"; choices = [0, 1];
    doc = "0: all row tiles before the next columns (W stays close); 1: all columns before the next rows (X does)"; },
  { name = "EVEN";  choices = [0, 1];
    doc = "1: row tiles of nearly equal height (17 = 9 + 8); 0: MR rows each and the rest last"; },
  { name = "SPLIT"; choices = [0, 1];                       doc = "what threads share out: 0 columns, 1 rows"; } );
values = (
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "KC";    expr = "0";                doc = "K is not cut: Y could not hold two sums"; },
  { name = "UNIT";  expr = "1";                doc = "columns of a narrow tile"; },
  { name = "WIDE";  expr = "NR";               doc = "and of a wide one"; },
  { name = "BLOCK"; expr = "ORDER";            doc = "row tiles that meet all columns before the next ones do; 0: all"; } );
constraints = (
  { need = "MR*NR + MR + 1 <= VECTOR_REGISTERS";
    why = "accumulators, a vector of each row of X and one of W must fit the vector registers"; },
  { need = "MR*NR >= 4";
    why = "fewer than 4 accumulators cannot hide the latency of an FMA on any CPU"; },
  { need = "UK == 1 || MR*NR*UK <= 48";          why = "a longer loop body only costs instruction cache"; },
  { need = "MR > 1 || (ORDER == 0 && EVEN == 0)"; why = "with single rows there is no tail to even out"; },
  { need = "SPLIT == 0 || MAX_THREADS > 1"; why = "one thread shares out nothing"; } );
general = (
  { target = "avx512"; MR = 5; NR = 4; UK = 1; HOLD = 1; ORDER = 0; EVEN = 1; SPLIT = 0; },
  { target = "avx2"; MR = 2; NR = 4; UK = 1; HOLD = 1; ORDER = 0; EVEN = 1; SPLIT = 0; },
  { target = "portable"; MR = 2; NR = 4; UK = 1; HOLD = 0; ORDER = 0; EVEN = 1; SPLIT = 0; } );
tile = { M = "MR"; N = "NR"; K = "LANES*UK"; };
derived = (
  { name = "COL";    expr = "1"; doc = "a column of Y, that is a row of W, with vectors along k"; },
  { name = "STEPS";  expr = "ceil_div(K, LANES)"; doc = "vectors along k"; },
  { name = "FLOPS_EACH"; expr = "4 * ceil_to(K, LANES)"; doc = "operations for an element of Y"; },
  { name = "VU";     expr = "2"; doc = "vectors along k of a column"; },
  { name = "W_BYTES"; expr = "K * UT * 2 * ELEM_BYTES"; doc = "bytes of W and G of the task"; },
  { name = "W_TILE"; expr = "K * (ORDER * UT + (1 - ORDER) * min(UT, NR)) * 2 * ELEM_BYTES"; doc = "bytes of them between two uses of the same element"; },
  { name = "VECTORS"; expr = "MR*NR + MR + 1"; doc = "vector registers: sums, one of each row of X, one of W"; },
  { name = "X_CLOSE"; expr = "ORDER * (ROWS*K*8 <= L1_BYTES) + (1 - ORDER) * (MT*K*8 <= L1_BYTES)";
    doc = "X stays in L1 from one column tile to the next"; },
  { name = "X_PASSES"; expr = "2 * (GROUPS + SINGLES) - 1"; doc = "how often later column tiles fetch X"; },
  { name = "W_USE"; expr = "W_CLOSE * MT + (1 - W_CLOSE) * ROWS"; doc = "FMAs for a vector of W brought to L1"; },
  { name = "X_USE"; expr = "X_CLOSE * UT + (1 - X_CLOSE) * min(UT, NR)";
    doc = "FMAs for a vector of X brought to L1"; } );
terms = (
  { name = "sums";     expr = "MT * UT * 4"; doc = "the elements of a vector added up"; } );
features = (
  { name = "traffic";      expr = "log2(max(1, 4 / W_USE + 4 / X_USE))";
    doc = "operands arrive in L1 at 32 bytes a cycle: that bounds tiles that use them few times"; },
  { name = "w_traffic";    expr = "1 / W_USE"; doc = "bytes of W brought to L1 for an FMA"; },
  { name = "x_traffic";    expr = "1 / X_USE"; doc = "bytes of X brought to L1 for an FMA"; },
  { name = "x_over_l2";    expr = "(ORDER == 0 && MT*K*4 > L2_BYTES) / NR";
    doc = "bytes of X from beyond L2 for an FMA"; },
  { name = "sums";         expr = "LANES / K"; doc = "adding up the lanes at a tile's end, against its length"; },
  { name = "sums_odd";     expr = "LANES / K * (ceil_to(NR, 4) - NR) / NR";
    doc = "the same, for lanes that no column uses"; },
  { name = "drain";        expr = "LANES / K / (ROWS*NR)"; doc = "start and end of a tile against its work"; },
  { name = "k_tail";       expr = "(K % LANES != 0) * LANES / K"; doc = "the masked step for the last values of k"; },
  { name = "alias";        expr = "(K % 1024 == 0) * (K >= 1024) * max(0, ROWS + NR - 8)";
    doc = "rows a multiple of 4 KiB apart share a set of L1"; },
  { name = "streams";      expr = "NR"; doc = "parallel streams of W"; },
  { name = "streams_few";  expr = "NR / MT"; doc = "the same, for few rows"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define MR 6
#define NR 4
#define UK 1
#define KC 0
#define HOLD 1
#define UNIT 1
#define WIDE 4
#define BLOCK 0
#define EVEN 1
#define SPLIT 0
#define R 6
#endif
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "NAME needs gcc 12 or later, or clang, for __builtin_shufflevector."
#endif
/* KERNEL: MR x NR tiles of Y, k along the vectors.
 *   X[m][k]     at X + m*K + k
 *   W[n][k]     at W + n*K + k
 *   G[n][k]     at G + n*K + k */
#include "../gemm/rows.h"
#include "../gemm/lanes.h"
#include "../gemm/lane_sums.h"
#include "../gemm/dot.h"
#include "../gemm/share.h"
#include "store_part.h"

/* Rows m.., columns n... `rows` and `columns` are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int rows, const int columns, const NAME_args *a, int64_t m, int64_t n, int64_t k0, int64_t k1, int64_t i, int64_t tiles)
{
    const int64_t K = a->K, xs = STRIDED(X, a->X_stride[0], K), ws = STRIDED(W, a->W_stride[0], K), gs = STRIDED(G, a->G_stride[0], K);
    float acc[MR * NR], gate[MR * NR];
    KERNEL_dot(rows, columns, a->X + m * xs, xs, a->W + n * ws, ws, K, 0, acc, columns, 0);
    KERNEL_dot(rows, columns, a->X + m * xs, xs, a->G + n * gs, gs, K, 0, gate, columns, 0);
    KERNEL_store_part(a, acc, gate, columns, m, n, rows, columns);
    (void)k0, (void)k1, (void)i, (void)tiles;
}

#include "../gemm/walk.h"

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const KERNEL_share share = KERNEL_share_of(a->M, a->N, task, ntask);
    KERNEL_walk(a, &share);
    return 0;
}
