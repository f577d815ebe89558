/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "mma_gemm";
op      = "dense";
family  = "cuda";
doc     = "Y = X * W + bias on tensor cores by mma.sync: BM x BN tiles in shared memory, WM x WN in a warp's registers";
dtypes  = ["tf32", "f16", "bf16"];
packed  = false;
layouts = { W = ["NK", "KN"]; };
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
  { name = "FIXED_N"; choices = "N";                      doc = "KN: the same for N, which is W's stride"; } );
values = (
  { name = "PROBLEMS"; expr = "1"; doc = "tiles of a block, each with its own threads"; },
  { name = "NT";      expr = "PROBLEMS * (BM / WM) * (BN / WN) * 32"; doc = "threads of a block"; },
  { name = "BK";      expr = "ROW / ELEM_BYTES";           doc = "values of k of a stage"; },
  { name = "QUAD";    expr = "16 / ELEM_BYTES";            doc = "elements of 16 bytes"; },
  { name = "ODD";     expr = "ALIGNED == 0 && ELEM_BYTES == 2"; doc = "copies of single elements go through registers"; },
  { name = "COPIED";  expr = "max(ALIGNED, ELEM_BYTES)";      doc = "bytes of a copy"; },
  { name = "WIDTH";   expr = "ODD * QUAD + !ODD * (COPIED / ELEM_BYTES)"; doc = "elements that a thread takes at once"; },
  { name = "MTILES";  expr = "WM / 16";                    doc = "parts of 16 rows of a warp"; },
  { name = "NTILES";  expr = "WN / 8";                     doc = "parts of 8 columns of a warp"; },
  { name = "KSTEPS";  expr = "ROW / 32";                   doc = "steps of k of a stage, one mma each"; },
  { name = "X_ROWS";  expr = "128 / ROW";                  doc = "rows along k in 128 bytes: all banks"; },
  { name = "X_MASK";  expr = "ROW / 16";                   doc = "chunks of 16 bytes of such a row"; },
  { name = "X_IS_KM"; expr = "0";                          doc = "X lies as [k][m], which dense has not"; },
  { name = "X_PITCH"; expr = "BM + 8 * DTYPE_TF32";        doc = "X_IS_KM: elements from a row to the next"; },
  { name = "X_PART";  expr = "BK * (X_IS_KM * X_PITCH + !X_IS_KM * BM)"; doc = "elements of X's part of a stage"; },
  { name = "W_PITCH"; expr = "BN + 8 * DTYPE_TF32";        doc = "KN: elements from a row to the next"; },
  { name = "TILE";    expr = "X_PART + LAYOUT_W_NK * BN * BK + LAYOUT_W_KN * BK * W_PITCH"; doc = "elements of a stage"; },
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
  { name = "NEED";    expr = "WM * WN / 32 + 8 * MTILES + 4 * NTILES + 40";
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
  { need = "ALIGNED != 4 || ELEM_BYTES == 2";       why = "that is an element"; },
  { need = "FIXED_K == 0 || ALIGNED == 16 && FIXED_K % QUAD == 0 && FIXED_N % QUAD == 0";
    why = "where copies are slow, fixing strides gains little"; },
  { need = "(FIXED_N > 0) == (LAYOUT_W_KN && FIXED_K > 0)"; why = "W's stride and the sum's length are fixed together"; } );
regs = "min(CAP, NEED + 4)";
general = (
  { target = ["sm_80", "sm_86", "sm_89", "sm_90a"]; BM = 64; BN = 64; WM = 32; WN = 32; ROW = 64; STAGES = 4;
    SPLITK = 1; GROUP = 0; FIXED_K = 0; FIXED_N = 0; } );
tile = { M = "BM"; N = "BN"; K = "BK"; };
serves = "ALIGNED == 0 || FITS";
derived = (
  { name = "FITS";
    expr = "ALIGN % COPIED == 0 && (X_IS_KM && LAYOUT_W_KN || K % WIDTH == 0) && (!X_IS_KM || M % WIDTH == 0)"
           " && (LAYOUT_W_NK || PACKED || N % WIDTH == 0)";
    doc = "all rows of X and W begin and end at multiples of so many bytes"; },
  # Of one warp and one block of k. Counted in the SASS of sm_90a, nvcc 13.0, with aligned operands: bf16 NK 128x128 (64x64,
  # ROW 128), 64x64 (32x32, ROW 64) and 16x32 (16x16, ROW 128): 128, 16, 8 mma; 32, 8, 8 ldmatrix; 16, 4, 6 copies; 81, 47,
  # 53 others, a barrier among them. tf32 KN 64x64 (ROW 128): 32 mma, 8 ldmatrix, 32 LDS.32, 8 copies, 74 others. A copy of
  # 4 bytes is 17 to 20 instructions, by asynchronous copies in a loop as well as through registers.
  { name = "ISSUE";
    expr = "KSTEPS * (MTILES * NTILES + MTILES * (1 + 3 * X_IS_KM * DTYPE_TF32) + NTILES * (1 + 3 * LAYOUT_W_KN * DTYPE_TF32) / 2) + 36"
           " + (1 + 18 * (ALIGNED < 16)) * PROBLEMS * TILE * ELEM_BYTES / 4 / NT";
    doc = "its instructions: mma, ldmatrix or LDS.32, the loop, 4 a copy of 16 bytes, 19 of 4 bytes"; },
  # Of a block. An ldmatrix of 4 matrices takes 4 wavefronts, and so does a copy of 16 bytes a lane. The emulator counts the
  # same.
  { name = "LDS";    expr = "PROBLEMS * (BM * (BN / WN) + BN * (BM / WM) + BM + BN) * ROW / 128";
    doc = "wavefronts: what the warps load, and the copies"; },
  { name = "BYTES";  expr = "PROBLEMS * (STAGES - 1) * TILE * ELEM_BYTES"; doc = "bytes on their way to a block"; },
  { name = "WAIT";   expr = "40 + max(0, 35 * KSTEPS - UNIT) + 300 * ODD * KSTEPS";
    doc = "cycles that a warp alone waits: at the barrier; for sums, 35 (Hopper's mma and ldmatrix) a step of k; odd:"
          " for L2, as copies go through registers"; },
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
#ifndef DCGEN /* one set of values, to compile this file as it stands; for another type -DDTYPE_BF16=1 or _TF32 */
#if !defined DTYPE_BF16 && !defined DTYPE_TF32
#define DTYPE_F16 1
#endif
#include "standalone.cuh"
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
#define ODD 0
#define WIDTH QUAD
#define MTILES 4
#define NTILES 8
#define KSTEPS 2
#define X_ROWS 2
#define X_MASK 4
#define X_IS_KM 0
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
 *             (r/X_ROWS % X_MASK); X_ROWS rows are 128 bytes. Rows along m or n: KERNEL_across.
 *             There is no transposing ldmatrix for tf32: rows along m or n are read word by word, and padded by 8 words.
 *
 *   tf32      the tensor core takes fp32 operands and ignores the 13 low bits of their mantissas.
 */
#include "operands.cuh"

#if !X_IS_KM || LAYOUT_W_NK
/* Where element k of row r lies in a tile whose rows run along k. */
static __device__ __forceinline__ int KERNEL_at(int r, int k)
{
    return r * BK + (k / QUAD ^ r / X_ROWS % X_MASK) * QUAD + k % QUAD;
}
#endif

#if LAYOUT_W_NK
/* The column of Y whose row of W is in row s of the tile. */
static __device__ __forceinline__ int KERNEL_column(int s)
{
    return s;
}
#endif

#if X_IS_KM || LAYOUT_W_KN
/* Of rows of `count` elements across k: chunks that are swizzled among each other, a power of two that divides a row. */
template <int count> static constexpr int KERNEL_mask = count % 64 == 0 ? 8 : count % 32 == 0 ? 4 : 2;

/* Where element i of row k of them lies, `pitch` being from a row to the next. */
template <int count, int pitch> static __device__ __forceinline__ int KERNEL_across(int k, int i)
{
#if ELEM_BYTES == 4
    return k * pitch + i;
#else
    return k * pitch + (i / QUAD ^ k / (8 / KERNEL_mask<count>) % KERNEL_mask<count>) * QUAD + i % QUAD;
#endif
}
#endif
#if X_IS_KM
/* Where row m of row k lies in a stage. */
static __device__ __forceinline__ int KERNEL_at_km(int k, int m)
{
    return KERNEL_across<BM, X_PITCH>(k, m);
}
#endif
#if LAYOUT_W_KN
/* Where column n of row k lies in a stage. */
static __device__ __forceinline__ int KERNEL_at_kn(int k, int n)
{
    return X_PART + KERNEL_across<BN, W_PITCH>(k, n);
}
#endif

#include "tile_share.cuh"
#include "tile_copy.cuh"

struct KERNEL_fragments { /* operands of a warp for a step: X 16 x 32 bytes, W 32 bytes x 8 columns each */
    unsigned x[MTILES][4], w[NTILES][2];
};

struct KERNEL_place { /* of a lane in a stage, for step 0 */
    int x, w;
};

/* Where the lane's row for ldmatrix begins. The four matrices of X: rows 0..7 and 8..15 of chunk 0, then of chunk
 * 1 (X_IS_KM, transposed: k 0..7 of rows 0..7 and 8..15, then k 8..15); those of W, NK: columns 0..7, chunks 0 and 1, then
 * columns 8..15; KN, transposed: k 0..7 and 8..15 of columns 0..7, then 8..15. */
static __device__ __forceinline__ KERNEL_place KERNEL_find()
{
    const int lane = KERNEL_thread() % 32, warp = KERNEL_thread() / 32, wy = warp % (BM / WM), wx = warp / (BM / WM);
    KERNEL_place p;
#if !X_IS_KM
    p.x = KERNEL_at(wy * WM + lane % 16, lane / 16 * QUAD);
#elif ELEM_BYTES == 4
    p.x = KERNEL_at_km(lane % 4, wy * WM + lane / 4);
#else
    p.x = KERNEL_at_km(lane % 8 + lane / 16 * 8, wy * WM + lane / 8 % 2 * QUAD);
#endif
#if LAYOUT_W_NK
    p.w = X_PART + KERNEL_at(wx * WN + lane % 8 + lane / 16 * 8, lane / 8 % 2 * QUAD);
#elif ELEM_BYTES == 4
    p.w = KERNEL_at_kn(lane % 4, wx * WN + lane / 4);
#else
    p.w = KERNEL_at_kn(lane % 16, wx * WN + lane / 16 * QUAD);
#endif
    return p;
}

/* Loads the fragments of step s. A further chunk changes bits of the place that are clear in its row's start and
 * that the swizzle turned: hence the exclusive or. */
static __device__ __forceinline__ void
KERNEL_load(KERNEL_fragments &f, const NAME_elem *stages, const KERNEL_place &p, int offset, int s)
{
#if X_IS_KM && ELEM_BYTES == 4
    const unsigned *x = (const unsigned *)stages + p.x + offset + 8 * s * X_PITCH;
#endif
#pragma unroll
    for (int i = 0; i < MTILES; i++) {
#if !X_IS_KM
        PACKAGE_device::ldmatrix_x4(f.x[i], stages + ((p.x + offset) ^ 2 * s * QUAD) + 16 * i * BK);
#elif ELEM_BYTES == 4
#pragma unroll
        for (int e = 0; e < 4; e++)
            f.x[i][e] = x[16 * i + e % 2 * 8 + e / 2 * 4 * X_PITCH];
#else
        constexpr int mask = KERNEL_mask<BM>;
        PACKAGE_device::ldmatrix_x4_trans(f.x[i], stages + ((p.x + offset) ^ 2 * i % mask * QUAD) +
                                                      2 * i / mask * mask * QUAD + 16 * s * X_PITCH);
#endif
    }
#if LAYOUT_W_KN && ELEM_BYTES == 4
    const unsigned *w = (const unsigned *)stages + p.w + offset + 8 * s * W_PITCH;
#pragma unroll
    for (int j = 0; j < NTILES; j++) {
        f.w[j][0] = w[8 * j];
        f.w[j][1] = w[8 * j + 4 * W_PITCH];
    }
#else
#pragma unroll
    for (int j = 0; j < NTILES; j += 2) {
        unsigned r[4];
#if LAYOUT_W_NK
        PACKAGE_device::ldmatrix_x4(r, stages + ((p.w + offset) ^ 2 * s * QUAD) + 8 * j * BK);
#else
        constexpr int mask = KERNEL_mask<BN>;
        PACKAGE_device::ldmatrix_x4_trans(r, stages + ((p.w + offset) ^ j % mask * QUAD) + j / mask * mask * QUAD + 16 * s * W_PITCH);
#endif
        f.w[j][0] = r[0], f.w[j][1] = r[1], f.w[j + 1][0] = r[2], f.w[j + 1][1] = r[3];
    }
#endif
}

static __device__ __forceinline__ void KERNEL_multiply(float (&acc)[MTILES][NTILES][4], const KERNEL_fragments &f)
{
#pragma unroll
    for (int j = 0; j < NTILES; j++)
#pragma unroll
        for (int i = 0; i < MTILES; i++)
            PACKAGE_device::DTYPE_mma(acc[i][j], f.x[i], f.w[j]);
}

#if ODD
#include "tile_odd.cuh"
#else
/* acc = the product over the slice's k. Stages are copied STAGES-1 ahead of the one in use. A stage's last step is multiplied behind the barrier for the next stage, when its first operands
 * are on their way to registers: the tensor cores go on across the barrier. */
static __device__ __forceinline__ void
KERNEL_sum(float (&acc)[MTILES][NTILES][4], NAME_elem *stages, KERNEL_source src)
{
    const KERNEL_place p = KERNEL_find();
    const auto start = [&](NAME_elem *stage) {
        if (src.nk > 0)
            KERNEL_parts<WHOLE>(src, [&](int, int at, const NAME_elem *from, bool exists, int) {
#if ALIGNED == 16
                PACKAGE_device::cp_async16(stage + at, from, exists ? 16 : 0);
#else
                PACKAGE_device::cp_async4(stage + at, from, exists ? 4 : 0);
#endif
            });
        PACKAGE_device::cp_commit();
        src.nk -= BK;
    };
#pragma unroll 1
    for (int i = 0; i < STAGES - 1; i++)
        start(stages + i * TILE);
    bool more = src.nk > -(STAGES - 1) * BK; /* than what is in use */
    if (!more)
        return;
    KERNEL_fragments f[2];
    int use = 0, fill = (STAGES - 1) * TILE;
    PACKAGE_device::cp_wait<STAGES - 2>();
    __syncthreads(); /* the first stage is there */
    KERNEL_load(f[0], stages, p, use, 0);
#pragma unroll 1
    do {
        start(stages + fill);
        more = src.nk > -(STAGES - 1) * BK;
#pragma unroll
        for (int s = 0; s + 1 < KSTEPS; s++) {
            KERNEL_load(f[(s + 1) % 2], stages, p, use, s + 1);
            KERNEL_multiply(acc, f[s % 2]);
        }
        fill = use;
        if (more) /* else the loads below are for nothing */
            use = use == (STAGES - 1) * TILE ? 0 : use + TILE;
        PACKAGE_device::cp_wait<STAGES - 2>();
        __syncthreads(); /* the next stage is there, and nobody reads stage `fill` any more */
        KERNEL_load(f[0], stages, p, use, 0);
        KERNEL_multiply(acc, f[1]);
    } while (more);
}
#endif

#if SPLITK > 1
#include "tile_sum.cuh"
#endif

#if STAGED
#include "tile_formula.cuh"

/* Computes the formula, rounds, and stores what exists. */
static __device__ __forceinline__ void
KERNEL_store(const float (&acc)[MTILES][NTILES][4], const NAME_args &a, NAME_elem *stages, int m0, int n0)
{
    const int lane = KERNEL_thread() % 32, warp = KERNEL_thread() / 32;
    const int row = warp % (BM / WM) * ROUND_ROWS + lane / 4, col = warp / (BM / WM) * WN + lane % 4 * 2;
    KERNEL_rounds((float *)stages, a, m0, n0, [&](float *sums, int round) {
        constexpr int part = MTILES / ROUNDS;
#pragma unroll
        for (int i = 0; i < part; i++)
#pragma unroll
            for (int j = 0; j < NTILES; j++)
#pragma unroll
                for (int e = 0; e < 4; e += 2) {
                    const float *v = acc[round * part + i][j] + e;
                    *(float2 *)(sums + (row + 16 * i + 4 * e) * F_PITCH + col + 8 * j) = make_float2(v[0], v[1]);
                }
    });
}
#else
/* Two neighbouring elements of Y to shared memory. */
static __device__ __forceinline__ void KERNEL_put2(NAME_elem *to, float v0, float v1)
{
#if ELEM_BYTES == 4
    *(float2 *)to = make_float2(v0, v1);
#else
    *(unsigned *)to = PACKAGE_device::ELEMENT_of(v0) | (unsigned)PACKAGE_device::ELEMENT_of(v1) << 16;
#endif
}

/* The formula of an element of the tile, if there is such a one. Beyond the last row or column it is that of the last one once more:
 * loads need no conditions. */
static __device__ __forceinline__ float KERNEL_value(const NAME_args &a, float sum, int m0, int n0, int m, int n)
{
#if HAS_EPILOGUE
    return KERNEL_epilogue(a, sum, m0 + min(m, KERNEL_nrow(a) - m0 - 1), n0 + min(n, KERNEL_ncol(a) - n0 - 1));
#else
    return (void)a, (void)m0, (void)n0, (void)m, (void)n, sum;
#endif
}

/* Computes the formula, rounds, and stores the tile by way of shared memory, so that a warp stores whole rows. */
static __device__ __forceinline__ void
KERNEL_store(const float (&acc)[MTILES][NTILES][4], const NAME_args &a, NAME_elem *tile, int m0, int n0)
{
    const int lane = KERNEL_thread() % 32, warp = KERNEL_thread() / 32;
    const int row = warp % (BM / WM) * WM + lane / 4, col = warp / (BM / WM) * WN + lane % 4 * 2;
    __syncthreads(); /* nobody reads a stage any more */
#pragma unroll
    for (int j = 0; j < NTILES; j++) {
        const int n = col + 8 * j;
#pragma unroll
        for (int i = 0; i < MTILES; i++)
#pragma unroll
            for (int e = 0; e < 4; e += 2) {
                const int m = row + 16 * i + 4 * e;
                KERNEL_put2(tile + m * Y_PITCH + n, KERNEL_value(a, acc[i][j][e], m0, n0, m, n),
                            KERNEL_value(a, acc[i][j][e + 1], m0, n0, m, n + 1));
            }
    }
    __syncthreads();
    const int nrow = min(KERNEL_nrow(a) - m0, BM), ncol = min(KERNEL_ncol(a) - n0, BN);
    const KERNEL_operands o = KERNEL_of(a, KERNEL_nk(a));
    NAME_elem *y = o.y + (int64_t)m0 * o.ldy + n0;
    if ((uintptr_t)o.y % 16 == 0 && (KERNEL_ncol(a) | o.ldy) % QUAD == 0) {
#pragma unroll 4
        for (int e = KERNEL_thread(); e < BM * (BN / QUAD); e += NT / PROBLEMS) {
            const int r = e / (BN / QUAD), n = e % (BN / QUAD) * QUAD;
            if (r < nrow && n < ncol)
                *(uint4 *)(y + (int64_t)r * o.ldy + n) = *(const uint4 *)(tile + r * Y_PITCH + n);
        }
    } else {
#pragma unroll 4
        for (int e = KERNEL_thread(); e < BM * BN; e += NT / PROBLEMS)
            if (e / BN < nrow && e % BN < ncol)
                y[(int64_t)(e / BN) * o.ldy + e % BN] = tile[e / BN * Y_PITCH + e % BN];
    }
}
#endif

#include "tile_order.cuh"

/* A block computes tile blockIdx.x, or PROBLEMS tiles, of which it sums up slice blockIdx.z of k. */
static __global__ void __launch_bounds__(NT, MINB) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    NAME_elem *stages = (NAME_elem *)PACKAGE_device::shared_memory();
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
#if FIXED_N
    KERNEL_sum(acc, stages, KERNEL_begin(a, FIXED_N, FIXED_K, m0, n0));
#elif FIXED_K
    KERNEL_sum(acc, stages, KERNEL_begin(a, KERNEL_ncol(a), FIXED_K, m0, n0));
#else
    KERNEL_sum(acc, stages, KERNEL_begin(a, KERNEL_ncol(a), KERNEL_nk(a), m0, n0));
#endif
#if SPLITK > 1
    if (!KERNEL_combine(acc[0][0], a, (unsigned *)stages))
        return;
#endif
    KERNEL_store(acc, a, stages, m0, n0);
#endif
}
