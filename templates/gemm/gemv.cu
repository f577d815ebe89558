/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cuda";
doc     = "Y = X * W + bias for few rows of X: W streams through registers, ROWS rows of Y at a time, no tiles";
packed  = false;
params = (
  { name = "ROWS";   choices = [1, 2, 4, 8];        doc = "rows of Y that a block computes at once"; },
  { name = "COLS";   choices = [1, 2, 4];
    doc = "NK: columns of a warp; KN: 16-byte groups of columns of a lane"; },
  { name = "WARPS";  choices = [4, 8];              doc = "warps of a block"; },
  { name = "KWARPS"; choices = [1, 2, 4, 8];        doc = "NK: warps that share out k for the same columns"; },
  { name = "LANES";  choices = [8, 32];             doc = "KN: lanes of a warp side by side along a row of W"; },
  { name = "UNROLL"; choices = [1, 2, 4];
    doc = "NK: loads of W on their way for a column; KN: the same in QUADs"; },
  { name = "SPLITK"; choices = [1, 2, 4, 8, 16, 32];
    doc = "blocks that share out the sum over k of the same elements; the last one to finish adds up"; },
  { name = "ALIGNED";   choices = [16, 0]; ordered = true;
    doc = "rows of X and W begin and end at multiples of so many bytes, which a thread loads at once; 0: of an element, as all rows do"; } );
values = (
  { name = "ONE_MATRIX"; expr = "0";                        doc = "a call has one matrix of Y"; },
  { name = "X_IS_KM"; expr = "0";                          doc = "X lies as [k][m], else as [m][k]"; },
  { name = "W_IS_KN"; expr = "0";                          doc = "W lies as [k][n] (KN), else as [n][k] (NK)"; },
  { name = "NT";      expr = "32 * WARPS";          doc = "threads of a block"; },
  { name = "QUAD";    expr = "16 / ELEM_BYTES";     doc = "elements of 16 bytes"; },
  { name = "COPIED";  expr = "max(ALIGNED, ELEM_BYTES)"; doc = "bytes of a load"; },
  { name = "WIDTH";   expr = "COPIED / ELEM_BYTES"; doc = "elements of a load"; },
  { name = "BM";      expr = "ROWS";               doc = "rows of Y that a block computes"; },
  { name = "BN";      expr = "!W_IS_KN * (WARPS / KWARPS * COLS) + W_IS_KN * (LANES * QUAD * COLS)";
    doc = "columns of Y that a block computes"; },
  { name = "PROBLEMS"; expr = "1"; doc = "tiles of a block, each with its own threads"; },
  { name = "KGROUPS"; expr = "!W_IS_KN * KWARPS + W_IS_KN * (NT / LANES)";
    doc = "groups of lanes that share out k"; },
  { name = "BK";      expr = "KGROUPS * QUAD * (!W_IS_KN * 32 + W_IS_KN * UNROLL)";
    doc = "values of k that all of them take at once, or a part of them"; },
  { name = "SUMS";    expr = "!W_IS_KN * KWARPS + W_IS_KN * WARPS";
    doc = "sums of an element that a block adds up"; },
  { name = "SMEM";    expr = "SUMS * BM * BN * 4";  doc = "bytes of shared memory of a block"; },
  { name = "LOADS";   expr = "UNROLL * COLS * (!W_IS_KN + W_IS_KN * QUAD)";
    doc = "16-byte loads of W on their way of a lane"; },
  { name = "NEED";    expr = "ROWS * COLS * (!W_IS_KN + W_IS_KN * QUAD) + 4 * LOADS + 2 * ROWS + 2 * COLS + 30";
    doc = "registers of a thread: sums, loads on their way, addresses"; } );
constraints = (
  { need = "KWARPS <= WARPS && (!W_IS_KN || KWARPS == 1)"; why = "KN: all warps share out k"; },
  { need = "W_IS_KN || LANES == 32";          why = "NK: all lanes lie along k"; },
  { need = "W_IS_KN || KWARPS == 1 || KWARPS == WARPS || WARPS == 8 && KWARPS == 2";
    why = "what is between is like one of its neighbours"; },
  { need = "LOADS >= 2 && LOADS <= 16";
    why = "fewer loads do not cover the memory's latency, more need too many registers"; },
  { need = "!W_IS_KN || COLS * UNROLL <= 2 || ELEM_BYTES == 4 && COLS <= 2";
    why = "KN: QUAD times as many registers"; },
  { need = "NEED <= 168";
    why = "more registers leave too few warps to cover the memory's latency"; },
  { need = "SMEM <= 32768";                     why = "more shared memory leaves too few blocks on an SM"; },
  { need = "!W_IS_KN || WARPS == 8 || LANES == 8"; why = "KN: fewer warps share out k among too few"; },
  { need = "SPLITK == 1 || KWARPS == WARPS || W_IS_KN";
    why = "warps of a block share out k at less cost than blocks"; },
  { need = "W_IS_KN || SPLITK <= 4";          why = "NK: a column has a warp or more, which are many"; } );
regs = "max(32, NEED * 3 / 2 - 40)";
general = (
  { target = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a"]; ROWS = 4; COLS = 1; WARPS = 8; KWARPS = 1;
    LANES = 32; UNROLL = 2; SPLITK = 1; } );
serves = "ALIGNED == 0 || FITS";
derived = (
  { name = "FITS";
    expr = "ALIGN % COPIED == 0 && (X_IS_KM && W_IS_KN || K % WIDTH == 0) && (!X_IS_KM || M % WIDTH == 0)"
           " && (!W_IS_KN || PACKED || N % WIDTH == 0)";
    doc = "all rows of X and W begin and end at multiples of so many bytes"; },
  { name = "FEWER";  expr = "1 + (ALIGNED == 0) * (QUAD * (!W_IS_KN * 4 + W_IS_KN * UNROLL) / 4 - 1)";
    doc = "so many times fewer values of k, and bytes, of one time round: of single elements, 1 k a load (NK), or 4 a lane (KN)"; },
  { name = "ROUND";  expr = "!W_IS_KN * UNROLL + W_IS_KN";      doc = "units of k of one time round the loop"; },
  { name = "KTIMES"; expr = "ceil_div(KPER * FEWER, ROUND)";       doc = "times round the loop"; },
  { name = "BYTES";  expr = "NT * LOADS * 16 / FEWER";
    doc = "bytes of W that a block asks for each time"; },
  # Of one warp and one time round the loop, counted in the SASS of sm_90a, nvcc 13.0, of 22 kernels in NK, 82 in KN,
  # which the terms meet within 18 % and 14 %, narrow within 20 %: a load of W with its address is 11 instructions, 8 in
  # KN, of X 4. With aligned operands, f32 NK 4 x 1, UNROLL 2: 32 FFMA, 10 loads, 60 others; 1 x 4, UNROLL 4: 64, 20,
  # 144; bf16 NK 8 x 2, UNROLL 2: 256 FFMA, 160 conversions, 20 loads, 105 others; bf16 KN 4 x 1: 256 FFMA, 96
  # conversions, 12 loads, 81 others. Narrow, the first has 8 FFMA, 10 loads, 45 others, the last 128 FFMA, 48 loads,
  # 180 others. WARPS is a multiple of an SM's four sub-cores.
  { name = "ISSUE";
    expr = "LOADS * QUAD * ROWS / FEWER"
           " + (ALIGNED == 0) * (((3 + (ELEM_BYTES == 2)) * (LOADS + UNROLL * ROWS) + 2 * LOADS) * QUAD / FEWER + 16)"
           " + (ALIGNED > 0) * ((ELEM_BYTES == 2) * QUAD * (LOADS + UNROLL * ROWS) + (11 - 3 * W_IS_KN) * LOADS"
           " + 4 * UNROLL * ROWS * (1 + X_IS_KM * (QUAD - 1)) + 12)";
    doc = "its instructions: FMAs, conversions of W and X, loads with their addresses, the loop"; },
  { name = "X_BYTES"; expr = "16 * (1 + X_IS_KM * !W_IS_KN * (2 * QUAD - 1))";
    doc = "bytes from L1 for QUAD values of X; X_IS_KM: 32 for each, as the lanes have other k"; },
  { name = "MATHS";
    expr = "max(WARPS * ISSUE * 3 / 10, max(LOADS * QUAD * NT * ROWS / FMA_SM, NT * UNROLL * ROWS * X_BYTES / 96) / FEWER)";
    doc = "cycles of an SM for that of a block: to issue it at 5/6 of the rate, its FMAs, X from L1"; },
  { name = "STEP";   expr = "max(max(LIVE * MATHS, LIVE * BYTES / 48), 1600 + MATHS)";
    doc = "cycles for one time round of the blocks that run together, the latency of memory at least"; },
  { name = "LOOP";   expr = "STEP * KTIMES";                       doc = "cycles of all of them"; },
  { name = "ENDS";
    expr = "800 + 12 * ROWS * COLS * (!W_IS_KN + W_IS_KN * QUAD * (LANES == 8))"
           " + !W_IS_KN * LIVE * WARPS * ROWS * COLS * 11"
           " + (SLICES > 1) * (300 + HANDOVER_NS * CLOCK_MHZ / 1000 + 40 * SLICES)";
    doc = "cycles for a block's start; the shuffles, of which an SM does one of a warp in two cycles, five a sum; the sum of the slices"; },
  { name = "CYCLES"; expr = "ceil_div(MOST, LIVE) * (LOOP + ENDS)"; doc = "cycles of the busiest SM"; },
  { name = "L2_ELEMS"; expr = "ceil_div(M, BM) * N * K";           doc = "elements from L2: W, as X stays in L1"; } );
features = (
  { name = "rows";      expr = "log2(ROWS)";                 doc = "FMAs for an element of W"; },
  { name = "again";     expr = "log2(ceil_div(M, BM))";      doc = "how often W is read"; },
  { name = "maths";     expr = "log2(1 + MATHS * 48 / BYTES)"; doc = "arithmetic against the loads"; },
  { name = "x_loads";   expr = "ROWS / COLS";                doc = "loads of X for one of W"; },
  { name = "times";     expr = "log2(KTIMES)";               doc = "times round the loop"; },
  { name = "narrow";    expr = "ALIGNED == 0";                  doc = "single elements"; },
  { name = "lanes";     expr = "W_IS_KN * (LANES == 8)";   doc = "short pieces of W's rows"; },
  { name = "groups";    expr = "log2(KGROUPS)";              doc = "sums that a block adds up"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands; for another type -DDTYPE_F16=1 or _BF16 */
#include "standalone.cuh"
#define ONE_MATRIX 1
#define X_IS_KM 0
#define W_IS_KN 0
#define PROBLEMS 1
#define ROWS 4
#define BM ROWS
#define COLS 2
#define WARPS 4
#define KWARPS 4
#define LANES 32
#define UNROLL 2
#define SPLITK 2
#define NT 128
#define QUAD (16 / ELEM_BYTES)
#define ALIGNED 16
#define WIDTH QUAD
#define BN 2
#define KGROUPS 4
#define BK (32 * QUAD * KWARPS)
#define SUMS 4
#define SMEM (SUMS * BM * BN * 4)
#endif
/* KERNEL: a block computes BM x BN elements of Y. W is read once for each ROWS rows of Y, 16 bytes (QUAD elements)
 * a lane, past L1; X comes from L1, one by one where X_IS_KM. Sums are fp32, whatever the type.
 *
 *   NK        a warp sums up COLS columns: lane l takes QUAD values of k from QUAD*l on, then 32*QUAD*KWARPS further.
 *             KWARPS warps share out k; WARPS/KWARPS of them lie side by side along n. Shuffles add the lanes' sums.
 *   KN        LANES lanes side by side take QUAD*COLS columns each, for QUAD*UNROLL values of k; other lanes and warps
 *             of the block take the next k. Shuffles add what the lanes of a warp have for the same column.
 *   then      SUMS sums of each element, one a warp that has it, meet in shared memory.
 *
 * Where single elements are loaded (ALIGNED = 0) lane l has every 32nd k (NK) or every LANES-th column (KN).
 */
static __device__ __forceinline__ int KERNEL_at(int row, int column)
{
    return row * BN + column;
}

#include "matrices.cuh"
#include "operands.cuh"
#include "few_rows.cuh"

#include "gemv_load.cuh"
#if W_IS_KN
#include "gemv_kn.cuh"
#else
#include "gemv_nk.cuh"
#endif

static __global__ void __launch_bounds__(NT) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    float *sums = (float *)PACKAGE_device::shared_memory();
    const KERNEL_task b = KERNEL_find(a);
    KERNEL_sum(sums, a, b);
    KERNEL_finish(sums, a, b);
#endif
}
