/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cuda";
doc     = "Y = X * W + bias in fp32 on the FMA units: BM x BN tiles in shared memory, TM x TN in a thread's registers";
dtypes  = ["f32"];
packed  = false;
params = (
  { name = "BM";     choices = [16, 32, 64, 96, 128];      doc = "rows of a block's tile of Y"; },
  { name = "BN";     choices = [32, 64, 96, 128, 256];     doc = "columns of a block's tile of Y"; },
  { name = "TM";     choices = [2, 4, 6, 8];               doc = "rows of a thread's part of the tile"; },
  { name = "TN";     choices = [4, 6, 8, 12, 16];          doc = "columns of a thread's part of the tile"; },
  { name = "BK";     choices = [8, 16, 32, 64];            doc = "values of k that are in shared memory at once"; },
  { name = "STAGES"; choices = [2, 3, 4, 5];               doc = "such blocks of k, in use or on their way"; },
  { name = "SPLITK"; choices = [1, 2, 3, 4, 6, 8];
    doc = "blocks that share out the sum over k of one tile; the last one to finish adds up"; },
  { name = "KGROUPS"; choices = [1, 2, 4];
    doc = "groups of a block's threads: each sums up its part of every block of k for the whole tile"; },
  { name = "GROUP";  choices = [0, 8];
    doc = "tiles are done column by column, this many rows of tiles at a time; 0: all rows"; },
  { name = "ALIGNED";   choices = [16, 0]; ordered = true;
    doc = "rows of X and W begin and end at multiples of so many bytes, which a thread copies at once; 0: of an element, as all rows do"; },
  { name = "FIXED_K"; choices = "K";                       doc = "the K that the kernel is fixed for; 0: none"; },
  { name = "FIXED_N"; choices = [0];                      doc = "KN: the same for N, where that is W's stride"; } );
values = (
  { name = "ONE_MATRIX"; expr = "0";                        doc = "a call has one matrix of Y"; },
  { name = "X_IS_KM"; expr = "0";                          doc = "X lies as [k][m], else as [m][k]"; },
  { name = "W_IS_KN"; expr = "0";                          doc = "W lies as [k][n] (KN), else as [n][k] (NK)"; },
  { name = "PROBLEMS"; expr = "1"; doc = "tiles of a block, each with its own threads"; },
  { name = "GROUP_NT";  expr = "(BM / TM) * (BN / TN)";     doc = "threads of a group"; },
  { name = "NT";        expr = "PROBLEMS * KGROUPS * GROUP_NT"; doc = "threads of a block"; },
  { name = "VM";        expr = "1 + X_IS_KM * (1 + 2 * (TM % 4 == 0))"; doc = "neighbouring rows of a thread"; },
  { name = "VN";        expr = "4 - 2 * (TN % 4 != 0)";     doc = "neighbouring columns of a thread"; },
  { name = "CHUNKS";    expr = "BK / 4";                    doc = "16-byte chunks in a row of a tile along k"; },
  { name = "OWN_CHUNKS"; expr = "CHUNKS / KGROUPS";         doc = "of them a group's"; },
  { name = "OWN_ROWS";  expr = "TM / KGROUPS";              doc = "rows whose sums over all groups are a thread's in the end"; },
  { name = "LINE_ROWS"; expr = "max(1, 32 / BK)";           doc = "such rows in 128 bytes: all banks"; },
  { name = "SWIZZLE";   expr = "min(CHUNKS, 8)";            doc = "groups of banks that a chunk is in, row by row"; },
  { name = "TILE";      expr = "(BM + BN) * BK";            doc = "floats of a stage in shared memory"; },
  { name = "STAGED";    expr = "EPILOGUE_CALLS || EPILOGUE_READS"; doc = "the formula is computed in a loop, on sums in shared memory"; },
  { name = "STRIP";     expr = "4 * OWN_ROWS";              doc = "rows of a tile that are a warp's in the end"; },
  { name = "F_PITCH";   expr = "BN + 16 / VM";              doc = "floats from a row of such sums to the next"; },
  { name = "ROUNDS";
    expr = "1 + (BM * F_PITCH > STAGES * TILE && OWN_ROWS / VM % 2 == 0) + 2 * (BM * F_PITCH > 2 * STAGES * TILE && OWN_ROWS / VM % 4 == 0)";
    doc = "parts that they come in, so that they take no more than the stages, where that is possible"; },
  { name = "ROUND_ROWS"; expr = "STRIP / ROUNDS";           doc = "rows of a strip in each part"; },
  { name = "SHARED";    expr = "max(max(STAGES * TILE, (KGROUPS - 1) * BM * BN), STAGED * BM / ROUNDS * F_PITCH)";
    doc = "floats of shared memory of a tile: stages, then sums"; },
  { name = "SMEM";      expr = "PROBLEMS * SHARED * 4";     doc = "bytes of shared memory of a block"; },
  { name = "QUAD";      expr = "4";                         doc = "floats of 16 bytes"; },
  { name = "COPIED";    expr = "max(ALIGNED, ELEM_BYTES)";     doc = "bytes of a copy"; },
  { name = "WIDTH";     expr = "COPIED / 4";                doc = "floats that a thread copies at once"; },
  { name = "X_PART";    expr = "BM * BK";                   doc = "floats of X's part of a stage"; },
  { name = "X_PITCH";   expr = "BM";                        doc = "X_IS_KM: floats from a row of X's part to the next"; },
  { name = "W_PITCH";   expr = "BN";                        doc = "KN: floats from a row of W's part to the next"; },
  { name = "NEED";
    expr = "TM * TN + 4 * TM + !W_IS_KN * (4 + (TM * TN == 96 && BK * KGROUPS > 16) * 4 * (TN - 1)) + W_IS_KN * (TN + 8 + TILE / NT / 8) + 24"
           " + X_IS_KM * (!W_IS_KN * (8 + BM * BK / NT / 8) - W_IS_KN * 2 * TM)"
           " + (SM_ARCH < 80) * (BM + X_IS_KM * (BM == 96) * 32 + BN + (BN == 96) * 32) * BK / NT";
    doc = "registers of a thread: accumulators, four k of its rows (two if neither runs along k), a column or row of W"
          " (all columns, where they are loaded first), addresses, sm_75: copies"; },
  { name = "MINB";
    expr = "max(1, min(min(REGS_SM / (128 * ceil_to(NEED, 8)) * 128, 512) / NT, SMEM_SM / (SMEM + 1024)))";
    doc = "blocks that an SM shall hold: up to 16 warps; each of its quarters has a quarter of the registers"; },
  { name = "CAP";       expr = "min(255, REGS_SM / (128 * ceil_div(NT * MINB, 128)) / 8 * 8)";
    doc = "registers that the compiler may use"; },
  { name = "UNROLL";    expr = "1 + (OWN_CHUNKS - 1) * (NEED + 4 * TM + 32 + 8 * (NT == 64) <= CAP) * (TM * TN < 96 || BK * KGROUPS <= 16)";
    doc = "chunks of k unrolled: all, if registers are left to load the next one's values early, but for many long ones"; },
  { name = "WHOLE";     expr = "FIXED_K > 0 && FIXED_K % BK == 0";
    doc = "every block of k is whole at the fixed K"; } );
constraints = (
  { need = "BM % (4 * TM) == 0 && BN % (8 * TN) == 0"; why = "a warp is 4 rows by 8 columns of threads"; },
  { need = "CHUNKS % KGROUPS == 0 && TM % KGROUPS == 0 && OWN_ROWS % VM == 0 && OWN_ROWS * TN % 4 == 0";
    why = "a group has whole chunks of k and, in the end, whole rows of sums, 16 bytes at a time"; },
  { need = "NT == 64 || NT == 128 || NT == 256 || NT == 512 && KGROUPS > 1";
    why = "fewer threads hide no latency, more have too few registers; copies are shared out by powers of two"; },
  { need = "TM * TN >= 16 && TM * TN <= 128";
    why = "shared memory bounds a smaller tile of a thread, registers a larger one"; },
  { need = "TM <= TN + 2 && (TN <= 3 * TM || BM == 16)";
    why = "far from square a thread loads more values for the same work"; },
  { need = "BM <= BN * 2 && BN <= BM * 4"; why = "far from square a tile loads more values for the same work"; },
  { need = "NT < 256 || TM * TN >= 48 || KGROUPS > 1 && TM * TN * OWN_CHUNKS >= 32";
    why = "many threads with little work mostly wait at barriers"; },
  { need = "NT > 64 || TM * TN <= 96";     why = "two warps with so many registers each leave an SM nearly empty"; },
  { need = "TILE >= 1024 && TILE <= 4096 * KGROUPS * (1 + (TM * TN == 96))";
    why = "a shorter stage is all barriers, a longer one wastes shared memory"; },
  { need = "KGROUPS == 1 && BK <= 32 || KGROUPS > 1 && OWN_CHUNKS >= 2 && (BK <= 32 || KGROUPS == 4 || TM * TN >= 64)";
    why = "a group with one chunk of a block of k mostly waits at barriers; long blocks are for several groups or large parts"; },
  { need = "SPLITK * KGROUPS <= 16";       why = "in more parts a tile's sum is short, and adding it up long"; },
  { need = "SMEM <= SMEM_BLOCK";           why = "the stages must fit a block's shared memory"; },
  { need = "NEED <= min(210, CAP)";
    why = "more values than a thread has registers, 255 with those of the compiler"; },
  { need = "NT < 256 || NT * MINB >= 512 || TM * TN == 128 || KGROUPS > 1 && TM * TN >= 96"; why = "half of an SM's registers would stay empty"; },
  { need = "SM_ARCH >= 80 || STAGES == 2"; why = "without asynchronous copies one stage is in use, one in registers"; },
  { need = "SM_ARCH < 80 || STAGES > 2";   why = "one stage on its way does not cover the memory's latency"; },
  { need = "SM_ARCH < 80 || STAGES >= 4 || TILE >= 2048";
    why = "too little on its way to cover the memory's latency"; },
  { need = "STAGES <= 3 || TILE <= 2560";  why = "three long stages already cover the memory's latency"; },
  { need = "STAGES <= 4 || TILE <= 1024";  why = "four stages of this length already cover the memory's latency"; },
  { need = "SPLITK * KGROUPS == 1 || GROUP == 0";    why = "what is split has few tiles: their order matters little"; },
  { need = "GROUP == 0 || BM * BN >= 128 * 96"; why = "where small tiles win the operands stay in L2"; },
  { need = "SPLITK <= 3 || BM * BN <= 64 * 96"; why = "in more parts a large tile is not worth the sum at the end"; },
  { need = "FIXED_K == 0 || ALIGNED == 16 && FIXED_K % 4 == 0 && FIXED_N % 4 == 0";
    why = "where copies are slow, fixing strides gains little"; },
  { need = "(FIXED_N > 0) == (W_IS_KN && FIXED_K > 0)"; why = "W's stride and the sum's length are fixed together"; } );
regs = "min(CAP, NEED + (UNROLL > 1) * (!W_IS_KN * 4 * (TM + TN) + W_IS_KN * 24))";
general = (
  { target = "sm_75"; BM = 64; BN = 64; TM = 8; TN = 8; BK = 16; STAGES = 2; SPLITK = 1; KGROUPS = 1; GROUP = 0;
    FIXED_K = 0; FIXED_N = 0; },
  { target = ["sm_80", "sm_86", "sm_89", "sm_90a"]; BM = 64; BN = 64; TM = 4; TN = 8; BK = 16; STAGES = 3;
    SPLITK = 1; KGROUPS = 1; GROUP = 0; FIXED_K = 0; FIXED_N = 0; } );
serves = "ALIGNED == 0 || FITS";
derived = (
  { name = "FITS";
    expr = "ALIGN % COPIED == 0 && (X_IS_KM && W_IS_KN || K % WIDTH == 0) && (!X_IS_KM || M % WIDTH == 0)"
           " && (!W_IS_KN || PACKED || N % WIDTH == 0)";
    doc = "all rows of X and W begin and end at multiples of so many bytes"; },
  # Of one warp and one block of k. Counted in the SASS of sm_90a, nvcc 13.0, with aligned operands: NK 64x64 (4x8, BK 16),
  # 128x128 (8x16, BK 16) and 16x64 (4x4, BK 32): 512, 2048, 512 FFMA; 48, 96, 64 LDS.128; 4, 8, 10 copies; 53, 77, 72
  # others, a barrier among them. KN 32x96 (4x6, BK 16): 384 FFMA; 16 LDS.128 and 48 LDS.64; 5 copies; 51 others. A chunk
  # of k that is not unrolled has 6 or 7 others. A copy of a single float is 15 to 24 instructions, being a loop of its own.
  { name = "ISSUE";
    expr = "(4 * TM * TN + TM + TN + W_IS_KN * (VN == 2) * TN + (VM == 2) * TM) * OWN_CHUNKS + (1 + 17 * (ALIGNED == 0)) * PROBLEMS * TILE / NT + 34"
           " + 6 * OWN_CHUNKS / UNROLL";
    doc = "its instructions: FMAs, LDS.128 or LDS.64, 4 a copy of 16 bytes, 18 of a float, the loop"; },
  # Fitted to 239 times of 42 kernels of dense layers on an H200: what is left is 4 %, of no tile more than 8 %, of tiles that
  # a fit was not shown 4 %. For how many cycles the ports of registers are busy with an FFMA (1.1 to 1.3) explains nothing there.
  { name = "PORTS";
    expr = "(TM * TN < 96 || BK * KGROUPS <= 16) * (4 * (TM * TN == 128) + 9 * (TM >= 6 && UNROLL < OWN_CHUNKS))";
    doc = "of 100 FMAs those whose three registers are in one bank, which brings two a cycle; counted as above"; },
  { name = "WARP";   expr = "max(UNIT, TM * TN * OWN_CHUNKS * 5 + (ISSUE - 4 * TM * TN * OWN_CHUNKS) * 15 / 8 + TM * TN * OWN_CHUNKS * PORTS * 4 / 75)";
    doc = "cycles of its sub-core: 5/4 an FMA, 4/3 more where it waits for ports, 15/8 another instruction"; },
  { name = "WAIT";   expr = "160 + 6 * (TM + TN) * (OWN_CHUNKS / (1 + (UNROLL - 1) * (TM * TN < 128)))";
    doc = "cycles that it waits when it is alone: at the barrier, and for loads that are not ahead of their use, as registers lack or chunks are not unrolled"; },
  { name = "FETCH";  expr = "(4 * TM * TN * UNROLL > 1500) * ISSUE * 9 / 4";
    doc = "cycles until its instructions are there, where a loop is longer than the near cache of them (24 KB are, 16 are not); all warps share them"; },
  # Of a block. An LDS.128 takes 2 wavefronts, an LDS.64 1: twice as many lanes are served at once as without neighbours
  # that want the same (see thread). The emulator counts the same.
  { name = "LDS";    expr = "(TM + TN) * OWN_CHUNKS * NT / 16 + PROBLEMS * TILE / 32"; doc = "wavefronts: what the warps load, and the copies"; },
  { name = "BYTES";  expr = "PROBLEMS * (STAGES - 1) * TILE * 4"; doc = "bytes on their way to a block"; },
  # Of the busiest SM. Of n warps of a sub-core some waits are not hidden by the others: all of it of one, hardly any of four.
  { name = "TOPFULL";
    expr = "max(QFULL * WARP + WAIT * WAIT / (WAIT + (QFULL - 1) * (QFULL - 1) * WARP / 2), FIT * LDS)";
    doc = "cycles of what is busiest in a full wave, for a step of its blocks"; },
  { name = "TOPLAST";
    expr = "max(QLAST * WARP + WAIT * WAIT / (WAIT + (QLAST - 1) * (QLAST - 1) * WARP / 2), LAST * LDS)";
    doc = "the same in the last wave"; },
  { name = "STEP";
    expr = "FULL * max(max(TOPFULL, FIT * COPY), FETCH) + (LAST > 0) * max(max(TOPLAST, LAST * COPY), FETCH)";
    doc = "cycles for one step of all its blocks"; },
  { name = "FIRST";  expr = "600";                         doc = "cycles until the first stage is there"; },
  { name = "ENDS";
    expr = "(FULL + (LAST > 0)) * (FIRST + TILE_ROWS * TILE_COLS / 16)"
           " + EPILOGUE_READS * TILE_ROWS * TILE_COLS * (FULL * FIT + LAST) * 9 / 20"
           " + (KGROUPS - 1) * TILE_ROWS * TILE_COLS * (FULL * FIT + LAST) / 16"
           " + (SLICES > 1) * (HANDOVER_NS * CLOCK_MHZ / 1000 + TILE_ROWS * TILE_COLS * (FULL * FIT + LAST + SLICES) / 4)";
    doc = "cycles for the first stage's arrival, the stores, an operand of the formula as large as the output; for groups,"
          " sums by way of shared memory; for slices, each block's sums, and adding a tile's up"; },
  { name = "SLOWER"; expr = "FIXED_K > 0";                  doc = "64ths of an octave: a little, as it serves few shapes"; } );
features = (
  { name = "loads";     expr = "LDS * 128 / NT / UNIT";      doc = "shared memory's cycles for one of the FMA units"; },
  { name = "issue";     expr = "ISSUE / UNIT";               doc = "instructions for an FMA"; },
  { name = "rolled";    expr = "UNROLL < CHUNKS";            doc = "no registers to load the next values early"; },
  { name = "stages";    expr = "STAGES";                     doc = "depth of the pipeline"; },
  { name = "area";      expr = "log2(TM * TN)";              doc = "independent FMAs of a thread"; },
  { name = "narrow";    expr = "(ALIGNED == 0) * PROBLEMS * TILE * 8 / NT / ISSUE"; doc = "copies of single floats"; },
  { name = "fixed";     expr = "FIXED_K > 0";                doc = "strides and the length of the sum are constants"; },
  { name = "grouped";   expr = "GROUP > 0";                  doc = "order of the tiles"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.cuh"
#define ONE_MATRIX 1
#define X_IS_KM 0
#define W_IS_KN 0
#define PROBLEMS 1
#define BM 128
#define BN 64
#define TM 8
#define TN 8
#define BK 16
#define STAGES 3
#define SPLITK 2
#define KGROUPS 2
#define GROUP 8
#define FIXED_K 768
#define FIXED_N 0
#define NT 256
#define VM 1
#define VN 4
#define CHUNKS 4
#define GROUP_NT 128
#define OWN_CHUNKS 2
#define OWN_ROWS 4
#define LINE_ROWS 2
#define SWIZZLE 4
#define TILE 3072
#define STAGED 0
#define STRIP 16
#define SMEM 36864
#define MINB 1
#define QUAD 4
#define ALIGNED 16
#define WIDTH 4
#define X_PART 2048
#define W_PITCH 64
#define UNROLL 2
#define WHOLE 1
#endif
/* KERNEL: a block computes BM x BN elements of Y; its NT threads are BM/TM rows by BN/TN columns of threads.
 *
 *   thread    a warp is 4 x 8 threads: ly = bits 1, 4 of the lane, lx = bits 0, 2, 3. Lanes that differ in bit 0 want
 *             the same 16 bytes of X, in bit 1 the same of W: shared memory then serves half a warp at once.
 *             Warp w: row ty = 4*(w % (BM/TM/4)) + ly, column tx = 8*(w / (BM/TM/4)) + lx of the threads.
 *             Where a block has PROBLEMS tiles, these are the threads of one of them.
 *   element   acc[i*TN + j] is Y[m][n] of the tile's row m = 4*TM*(ty/4) + VM*(ty%4) + i%VM + 4*VM*(i/VM)
 *             and column n = 8*TN*(tx/8) + VN*(tx%8) + j%VN + 8*VN*(j/VN): VM and VN neighbours each.
 *
 *   stage     X's part, [BM][BK] or, where X_IS_KM, [BK][BM], then W's part, all 16-byte aligned:
 *             NK: [BN][BK], row s holds column KERNEL_column(s) of Y: those that 8 lanes read together are neighbours;
 *             KN: [BK][BN].
 *             Rows along k are swizzled: chunk c (k/4) of row r lies in the place of chunk c ^ (r/LINE_ROWS % SWIZZLE),
 *             so that the same chunk of 8 rows is in 8 different groups of banks.
 */
#include "matrices.cuh"
#include "operands.cuh"

#if !X_IS_KM || !W_IS_KN
/* Where element k of row r lies in a tile whose rows run along k. */
static __device__ __forceinline__ int KERNEL_at(int r, int k)
{
    return r * BK + (k / 4 ^ r / LINE_ROWS % SWIZZLE) * 4 + k % 4;
}
#endif

struct KERNEL_place { /* of a thread */
    int row, col;     /* its first row and column in the tile */
    int x, w;         /* where chunk 0 of its first rows of X and W lies in a stage; across k: its first row, column */
};

#if KGROUPS > 1
/* The thread's group, of KGROUPS. The threads of a group are as above: each group has the whole tile, but sums up only
 * OWN_CHUNKS chunks of each stage, from OWN_CHUNKS * group on. So a tile has more warps, which hide each other's waits.
 * In the end (simt_groups.cuh) a thread has the sums of OWN_ROWS of its rows, the first of which is KERNEL_place's. */
static __device__ __forceinline__ int KERNEL_group()
{
    return KERNEL_thread() / GROUP_NT;
}

#endif
static __device__ __forceinline__ KERNEL_place KERNEL_find()
{
#if KGROUPS > 1
    const int lane = KERNEL_thread() % 32, warp = KERNEL_thread() % GROUP_NT / 32;
#else
    const int lane = KERNEL_thread() % 32, warp = KERNEL_thread() / 32;
#endif
    const int ly = (lane >> 1 & 1) | (lane >> 3 & 2), lx = (lane & 1) | (lane >> 1 & 6);
    const int wy = warp % (BM / TM / 4), wx = warp / (BM / TM / 4);
    KERNEL_place p;
    p.row = wy * 4 * TM + ly * VM;
    p.col = wx * 8 * TN + lx * VN;
#if X_IS_KM
    p.x = p.row;
#else
    p.x = p.row * BK + ly / LINE_ROWS % SWIZZLE * 4; /* KERNEL_at(p.row, 0): 4 * TM is a multiple of 8 */
#endif
#if !W_IS_KN
    p.w = X_PART + (wx * 8 * TN + lx) * BK + lx / LINE_ROWS % SWIZZLE * 4;
#else
    p.w = X_PART + p.col;
#endif
#if KGROUPS > 1
#if X_IS_KM
    p.x += KERNEL_group() * (OWN_CHUNKS * 4 * X_PITCH);
#else
    p.x ^= KERNEL_group() * (OWN_CHUNKS * 4);
#endif
#if !W_IS_KN
    p.w ^= KERNEL_group() * (OWN_CHUNKS * 4);
#else
    p.w += KERNEL_group() * (OWN_CHUNKS * 4 * W_PITCH);
#endif
    p.row += KERNEL_group() * STRIP;
#endif
    return p;
}

#if X_IS_KM
/* Where row m of row k lies in X's part of a stage. */
static __device__ __forceinline__ int KERNEL_at_km(int k, int m)
{
    return k * X_PITCH + m;
}
#endif

#if !W_IS_KN
/* The column of Y whose row of W is in row s of the tile. */
static __device__ __forceinline__ int KERNEL_column(int s)
{
    return s / (8 * VN) * (8 * VN) + s % 8 * VN + s / 8 % VN;
}
#else
/* Where column n of row k lies in W's part of a stage. */
static __device__ __forceinline__ int KERNEL_at_kn(int k, int n)
{
    return X_PART + k * W_PITCH + n;
}
#endif

#include "tile_share.cuh"
#include "tile_copy.cuh"

#include "simt_multiply.cuh"
#if SM_ARCH >= 80
#include "tile_async.cuh"
#endif
#include "simt_sum.cuh"
#if KGROUPS > 1
#include "simt_groups.cuh"
#endif
#if SPLITK > 1
#include "tile_sum.cuh"
#endif

#if STAGED
#include "tile_formula.cuh"
#endif
#include "simt_store.cuh"
#include "tile_order.cuh"

/* A block computes tile blockIdx.x, or PROBLEMS tiles, of which it sums up slice blockIdx.z of k. */
static __global__ void __launch_bounds__(NT, MINB) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    float *stages = (float *)PACKAGE_device::shared_memory();
#if PROBLEMS > 1
    stages += threadIdx.x / (NT / PROBLEMS) * (SMEM / PROBLEMS / 4);
#endif
    int m0, n0;
    KERNEL_tile(a, m0, n0);
    const KERNEL_place p = KERNEL_find();
    float acc[TM * TN];
#pragma unroll
    for (int i = 0; i < TM * TN; i++)
        acc[i] = 0;
    const int N = FIXED_N ? FIXED_N : KERNEL_ncol(a), K = FIXED_K ? FIXED_K : KERNEL_nk(a);
    KERNEL_sum(acc, stages, KERNEL_begin(a, N, K, m0, n0), p);
#if KGROUPS > 1
    KERNEL_add_groups(acc, stages);
#endif
#if SPLITK > 1
    if (!KERNEL_combine(acc, a, (unsigned *)stages))
        return;
#endif
    KERNEL_store(acc, a, stages, m0, n0, p);
#endif
}
