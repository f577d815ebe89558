/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cuda";
doc     = "Y = X * W + bias on tensor cores by mma.sync: BM x BN tiles in shared memory, WM x WN in a warp's registers";
dtypes  = ["tf32", "tf32x3", "f16", "bf16"];
packed  = false;
params = (
  { name = "BM";     choices = [16, 32, 64, 128];         doc = "rows of a block's tile of Y"; },
  { name = "BN";     choices = [32, 64, 96, 128, 256];    doc = "columns of a block's tile of Y"; },
  { name = "WM";     choices = [16, 32, 64];              doc = "rows of a warp's part of the tile"; },
  { name = "WN";     choices = [16, 32, 64];              doc = "columns of a warp's part of the tile"; },
  { name = "ROW";    choices = [64, 128];                 doc = "bytes of k that are in shared memory at once"; },
  { name = "STAGES"; choices = [3, 4];                    doc = "such blocks of k, in use or on their way"; },
  { name = "SPLITK"; choices = [1, 2, 3, 4, 6, 8];
    doc = "blocks that share out the sum over k of one tile; the last one to finish adds up"; },
  { name = "GROUP";  choices = [0, 8];
    doc = "tiles are done column by column, this many rows of tiles at a time; 0: all rows"; },
  { name = "ALIGNED";   choices = [16, 4, 0]; ordered = true;
    doc = "rows of X and W begin and end at multiples of so many bytes, which a thread copies at once; 0: of an element, as all rows do"; },
  { name = "FIXED_K"; choices = "K";                      doc = "the K that the kernel is fixed for; 0: none"; },
  { name = "FIXED_N"; choices = [0];                      doc = "KN: the same for N, where that is W's stride"; } );
values = (
  { name = "ONE_MATRIX"; expr = "0";                        doc = "a call has one matrix of Y"; },
  { name = "X_IS_KM"; expr = "0";                          doc = "X lies as [k][m], else as [m][k]"; },
  { name = "W_IS_KN"; expr = "0";                          doc = "W lies as [k][n] (KN), else as [n][k] (NK)"; },
  { name = "PROBLEMS"; expr = "1"; doc = "tiles of a block, each with its own threads"; },
  { name = "NT";      expr = "PROBLEMS * (BM / WM) * (BN / WN) * 32"; doc = "threads of a block"; },
  { name = "BK";      expr = "ROW / ELEM_BYTES";           doc = "values of k of a stage"; },
  { name = "QUAD";    expr = "16 / ELEM_BYTES";            doc = "elements of 16 bytes"; },
  { name = "WORDS";   expr = "ELEM_BYTES == 4";            doc = "elements are words: no ldmatrix transposes them, and asynchronous copies copy one"; },
  { name = "ODD";     expr = "ALIGNED == 0 && !WORDS"; doc = "copies of single elements go through registers"; },
  { name = "COPIED";  expr = "max(ALIGNED, ELEM_BYTES)";      doc = "bytes of a copy"; },
  { name = "WIDTH";   expr = "ODD * QUAD + !ODD * (COPIED / ELEM_BYTES)"; doc = "elements that a thread takes at once"; },
  { name = "MTILES";  expr = "WM / 16";                    doc = "parts of 16 rows of a warp"; },
  { name = "NTILES";  expr = "WN / 8";                     doc = "parts of 8 columns of a warp"; },
  { name = "KSTEPS";  expr = "ROW / 32";                   doc = "steps of k of a stage, one mma each"; },
  { name = "X_ROWS";  expr = "128 / ROW";                  doc = "rows along k in 128 bytes: all banks"; },
  { name = "X_MASK";  expr = "ROW / 16";                   doc = "chunks of 16 bytes of such a row"; },
  { name = "X_PITCH"; expr = "BM + 8 * WORDS";        doc = "X_IS_KM: elements from a row to the next"; },
  { name = "X_PART";  expr = "BK * (X_IS_KM * X_PITCH + !X_IS_KM * BM)"; doc = "elements of X's part of a stage"; },
  { name = "W_PITCH"; expr = "BN + 8 * WORDS";        doc = "KN: elements from a row to the next"; },
  { name = "TILE";    expr = "X_PART + !W_IS_KN * BN * BK + W_IS_KN * BK * W_PITCH"; doc = "elements of a stage"; },
  { name = "Y_PITCH"; expr = "BN + 8";
    doc = "elements from a row of Y to the next in shared memory"; },
  { name = "STAGED";  expr = "EPILOGUE_CALLS || EPILOGUE_READS";
    doc = "the formula is computed in a loop, on sums in shared memory"; },
  { name = "STRIP";   expr = "WM";                         doc = "rows of a tile that are a warp's"; },
  { name = "F_PITCH"; expr = "BN + 8";                     doc = "floats from a row of such sums to the next"; },
  { name = "ROUNDS";
    expr = "1 + (BM * F_PITCH * 4 > STAGES * TILE * ELEM_BYTES && MTILES % 2 == 0)"
           " + 2 * (BM * F_PITCH * 2 > STAGES * TILE * ELEM_BYTES && MTILES % 4 == 0)";
    doc = "parts that they come in, so that they take no more than the stages, where that is possible"; },
  { name = "ROUND_ROWS"; expr = "STRIP / ROUNDS";          doc = "rows of a strip in each part"; },
  { name = "SMEM";
    expr = "PROBLEMS * max(max(STAGES * TILE, !STAGED * BM * Y_PITCH) * ELEM_BYTES, STAGED * BM / ROUNDS * F_PITCH * 4)";
    doc = "bytes of shared memory of a block"; },
  { name = "WHOLE";   expr = "FIXED_K > 0 && FIXED_K % BK == 0";
    doc = "every block of k is whole at the fixed K"; },
  { name = "HELD";    expr = "8 * MTILES + 4 * NTILES + DTYPE_TF32X3 * (4 * MTILES + 2 * NTILES + 20 + 3 * MTILES * NTILES * (KSTEPS - 2))";
    doc = "registers of two steps' operands; tf32x3: of their parts and of sums, of more steps where nvcc has more to mix"; },
  { name = "NEED";    expr = "WM * WN / 32 + HELD + 40";
    doc = "registers of a thread: sums, two steps' operands, addresses"; },
  { name = "MINB";
    expr = "max(1, min(min(REGS_SM / (128 * ceil_to(NEED, 8)) * 128, 512) / NT, SMEM_SM / (SMEM + 1024)))";
    doc = "blocks that an SM shall hold: up to 16 warps; each of its quarters has a quarter of the registers"; },
  { name = "CAP";     expr = "min(255, REGS_SM / (128 * ceil_div(NT * MINB, 128)) / 8 * 8)";
    doc = "registers that the compiler may use"; } );
constraints = (
  { need = "SM_ARCH >= 80";                    why = "no asynchronous copies, tf32 or bf16 before sm_80"; },
  { need = "BM % WM == 0 && BN % WN == 0";     why = "a tile is a whole number of warps' parts"; },
  { need = "WM <= WN || WM == 64";             why = "far from square a warp loads more for the same work"; },
  { need = "WM > 16 || BM <= 32 && WN <= 32";  why = "a warp with few rows loads more for the same work"; },
  { need = "WN > 16 || BM * BN <= 32 * 32";    why = "a warp with few parts waits for its loads"; },
  { need = "BM <= BN * 2 && BN <= BM * 4";     why = "far from square a tile loads more for the same work"; },
  { need = "NT >= 64 && NT <= 256";            why = "fewer threads hide no latency, more have too few registers"; },
  { need = "NT < 256 || BM * BN >= 128 * 128"; why = "many threads with little work mostly wait at barriers"; },
  { need = "NT > 64 || BM * BN <= 64 * 64";
    why = "two warps with so many registers each leave an SM nearly empty"; },
  { need = "NT % BK == 0";                     why = "the threads copy whole rows at a time"; },
  { need = "!X_IS_KM || NT % (BM * ELEM_BYTES / 4) == 0"; why = "and, along m, also 4 bytes at a time"; },
  { need = "SMEM <= SMEM_BLOCK";               why = "the stages must fit a block's shared memory"; },
  { need = "NEED <= 240";
    why = "more registers than a thread has, 255 with those of the compiler"; },
  { need = "STAGES == 4 || ROW == 128";        why = "short stages must be many to cover the memory's latency"; },
  { need = "STAGES * TILE * ELEM_BYTES >= 16384"; why = "too little on its way to cover the memory's latency"; },
  { need = "STAGES * TILE * ELEM_BYTES <= 114688"; why = "so that another block fits beside it on most devices"; },
  { need = "SPLITK == 1 || GROUP == 0";        why = "what is split has few tiles: their order matters little"; },
  { need = "GROUP == 0 || BM * BN >= 128 * 128"; why = "where small tiles win the operands stay in L2"; },
  { need = "SPLITK <= 3 || BM * BN <= 64 * 96"; why = "in more parts a large tile is not worth the sum at the end"; },
  { need = "ALIGNED != 4 || !WORDS";             why = "that is an element"; },
  { need = "FIXED_K == 0 || ALIGNED == 16 && FIXED_K % QUAD == 0 && FIXED_N % QUAD == 0";
    why = "where copies are slow, fixing strides gains little"; },
  { need = "(FIXED_N > 0) == (W_IS_KN && FIXED_K > 0)"; why = "W's stride and the sum's length are fixed together"; } );
regs = "min(CAP, NEED + 4)";
general = (
  { target = ["sm_80", "sm_86", "sm_89", "sm_90a"]; BM = 64; BN = 64; WM = 32; WN = 32; ROW = 64; STAGES = 4;
    SPLITK = 1; GROUP = 0; FIXED_K = 0; FIXED_N = 0; } );
serves = "ALIGNED == 0 || FITS";
derived = (
  { name = "FITS";
    expr = "ALIGN % COPIED == 0 && (X_IS_KM && W_IS_KN || K % WIDTH == 0) && (!X_IS_KM || M % WIDTH == 0)"
           " && (!W_IS_KN || PACKED || N % WIDTH == 0)";
    doc = "all rows of X and W begin and end at multiples of so many bytes"; },
  # Of one warp and one block of k. Counted in the SASS of sm_90a, nvcc 13.0, with aligned operands: bf16 NK 128x128 (64x64,
  # ROW 128), 64x64 (32x32, ROW 64) and 16x32 (16x16, ROW 128): 128, 16, 8 mma; 32, 8, 8 ldmatrix; 16, 4, 6 copies; 81, 47,
  # 53 others, a barrier among them. tf32 KN 64x64 (ROW 128): 32 mma, 8 ldmatrix, 32 LDS.32, 8 copies, 74 others. tf32x3 NK
  # 64x32 (32x32, ROW 64): 48 mma, 64 FADD of sums, 128 for the parts of operands, 8 ldmatrix, 6 copies, 60 others. A copy of
  # 4 bytes is 17 to 20 instructions, by asynchronous copies in a loop as well as through registers.
  { name = "PRODUCTS"; expr = "MTILES * NTILES * (1 + 6 * DTYPE_TF32X3) + DTYPE_TF32X3 * (16 * MTILES + 8 * NTILES)";
    doc = "instructions of a step of k: mma; or three and 4 FADD for each, and 4 for each number of the operands"; },
  { name = "ISSUE";
    expr = "KSTEPS * (PRODUCTS + MTILES * (1 + 3 * X_IS_KM * WORDS) + NTILES * (1 + 3 * W_IS_KN * WORDS) / 2) + 36"
           " + (1 + 18 * (ALIGNED < 16)) * PROBLEMS * TILE * ELEM_BYTES / 4 / NT";
    doc = "its instructions: mma, ldmatrix or LDS.32, the loop, 4 a copy of 16 bytes, 19 of 4 bytes"; },
  # Of a block. An ldmatrix of 4 matrices takes 4 wavefronts, and so does a copy of 16 bytes a lane. The emulator counts the
  # same.
  { name = "LDS";    expr = "PROBLEMS * (BM * (BN / WN) + BN * (BM / WM) + BM + BN) * ROW / 128";
    doc = "wavefronts: what the warps load, and the copies"; },
  { name = "BYTES";  expr = "PROBLEMS * (STAGES - 1) * TILE * ELEM_BYTES"; doc = "bytes on their way to a block"; },
  { name = "WAIT";   expr = "40 + max(0, (35 + 40 * DTYPE_TF32X3) * KSTEPS - UNIT) + 300 * ODD * KSTEPS";
    doc = "cycles that a warp alone waits: at the barrier; for sums, 35 (Hopper's mma and ldmatrix) a step of k, 40 more of"
          " three mma and FADD; odd: for L2, as copies go through registers"; },
  { name = "FIRST";  expr = "1100";                        doc = "cycles until the first stage is there"; },
  { name = "SLOWER"; expr = "FIXED_K > 0";                 doc = "64ths of an octave: a little, as it serves few shapes"; } );
features = (
  { name = "loads";     expr = "LDS * 128 / NT / UNIT";
    doc = "shared memory's cycles for one of the tensor cores"; },
  { name = "issue";     expr = "ISSUE / UNIT";               doc = "instructions for a cycle of the tensor core"; },
  { name = "stages";    expr = "STAGES";                     doc = "depth of the pipeline"; },
  { name = "area";      expr = "log2(WM * WN)";              doc = "independent mma of a warp"; },
  { name = "narrow";    expr = "ALIGNED < 16";                  doc = "copies of few bytes"; },
  { name = "odd";       expr = "ODD";                        doc = "copies of single elements through registers"; },
  { name = "grouped";   expr = "GROUP > 0";                  doc = "order of the tiles"; },
  { name = "fixed";     expr = "FIXED_K > 0";                doc = "strides and the length of the sum are constants"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands; for another type -DDTYPE_BF16=1, _TF32 or _TF32X3 */
#if !defined DTYPE_BF16 && !defined DTYPE_TF32 && !defined DTYPE_TF32X3
#define DTYPE_F16 1
#endif
#include "standalone.cuh"
#define ONE_MATRIX 1
#define X_IS_KM 0
#define W_IS_KN 0
#define PROBLEMS 1
#define BM 128
#define BN 128
#define WM 64
#define WN 64
#define ROW 64
#define STAGES 4
#define SPLITK 2
#define GROUP 8
#define ALIGNED 16
#define FIXED_K 768
#define FIXED_N 0
#define NT 128
#define BK (ROW / ELEM_BYTES)
#define QUAD (16 / ELEM_BYTES)
#define WORDS (ELEM_BYTES == 4)
#define ODD 0
#define WIDTH QUAD
#define MTILES 4
#define NTILES 8
#define KSTEPS 2
#define X_ROWS 2
#define X_MASK 4
#define X_PART (BM * BK)
#define W_PITCH BN
#define TILE (X_PART + BN * BK)
#define Y_PITCH (BN + 8)
#define STAGED 0
#define SMEM (STAGES * TILE * ELEM_BYTES)
#define MINB 1
#define WHOLE 1
#endif
/* KERNEL: a block computes BM x BN elements of Y, each of its warps WM x WN of them with mma.sync, fp32 sums.
 *
 *   warp      wy = warp % (BM/WM), wx = warp / (BM/WM): rows wy*WM.. and columns wx*WN.. of the tile
 *             Where a block has PROBLEMS tiles, these are the warps of one of them.
 *   sums      acc[i][j] is the 16 x 8 part at row 16*i, column 8*j of the warp's; with g = lane/4, q = lane%4
 *             element e of it has row g + 8*(e/2), column 2*q + e%2.
 *   step      32 bytes of k: 16 or (tf32) 8 values, one mma.
 *
 *   stage     X's part [BM][BK], rows of ROW bytes, or, where X_IS_KM, [BK][BM] (tf32: rows of X_PITCH); then W's part,
 *             NK: [BN][BK]; KN: [BK][BN] (tf32: rows of W_PITCH).
 *             Chunks of 16 bytes (QUAD elements) are swizzled, so that the 8 rows of a matrix that ldmatrix reads lie
 *             in 8 different groups of banks. Rows along k: chunk c of row r is in the place of c ^
 *             (r/X_ROWS % X_MASK); X_ROWS rows are 128 bytes. Rows along m or n: KERNEL_rows_across.
 *
 *   tf32      the tensor core takes fp32 operands and ignores the 13 low bits of their mantissas.
 */
#include "matrices.cuh"
#include "operands.cuh"

#include "mma_fragments.cuh"
#include "tile_share.cuh"
#include "tile_copy.cuh"
#if ODD
#include "tile_odd.cuh"
#else
#include "tile_async.cuh"
#include "mma_sum.cuh"
#endif

#if SPLITK > 1
#include "tile_sum.cuh"
#endif

#if STAGED
#include "tile_formula.cuh"
#endif
#include "mma_store.cuh"
#include "tile_order.cuh"

/* A block computes tile blockIdx.x, or PROBLEMS tiles, of which it sums up slice blockIdx.z of k. */
static __global__ void __launch_bounds__(NT, MINB) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    LEFT_TYPE *stages = (LEFT_TYPE *)PACKAGE_device::shared_memory();
#if PROBLEMS > 1
    stages += threadIdx.x / (NT / PROBLEMS) * (SMEM / PROBLEMS / ELEM_BYTES);
#endif
    int m0, n0;
    KERNEL_tile(a, m0, n0);
    float acc[MTILES][NTILES][4];
#pragma unroll
    for (int i = 0; i < MTILES; i++)
#pragma unroll
        for (int j = 0; j < NTILES; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                acc[i][j][e] = 0;
    const int N = FIXED_N ? FIXED_N : KERNEL_ncol(a), K = FIXED_K ? FIXED_K : KERNEL_nk(a);
    KERNEL_sum(acc, stages, KERNEL_begin(a, N, K, m0, n0));
#if SPLITK > 1
    if (!KERNEL_combine(acc[0][0], a, (unsigned *)stages))
        return;
#endif
    KERNEL_store(acc, a, (RESULT_TYPE *)stages, m0, n0);
#endif
}
