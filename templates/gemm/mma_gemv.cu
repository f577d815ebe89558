/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cuda";
doc     = "Y = X * W + bias for few rows of X on tensor cores: W streams through registers, no tiles";
dtypes  = ["f16", "bf16"];
packed  = false;
params = (
  { name = "ROWS";   choices = [8, 16];             doc = "rows of Y that a block computes at once"; },
  { name = "COLS";   choices = [8, 16, 32, 64];     doc = "columns of a warp"; },
  { name = "WARPS";  choices = [4, 8, 16];          doc = "warps of a block"; },
  { name = "KWARPS"; choices = [1, 2, 4, 8, 16];    doc = "warps that share out k for the same columns"; },
  { name = "UNROLL"; choices = [1, 2, 3, 4, 6];     doc = "chunks of 32 values of k on their way of a warp"; },
  { name = "SPLITK"; choices = [1, 2, 4, 8];
    doc = "blocks that share out the sum over k of the same elements; the last one to finish adds up"; },
  { name = "ALIGNED";   choices = [16, 4, 0]; ordered = true;
    doc = "rows of X and W begin and end at multiples of so many bytes, which a thread loads at once; 0: of an element, as all rows do"; } );
values = (
  { name = "ONE_MATRIX"; expr = "0";                        doc = "a call has one matrix of Y"; },
  { name = "W_IS_KN"; expr = "0";                          doc = "W lies as [k][n] (KN), else as [n][k] (NK)"; },
  { name = "COPIED";  expr = "max(ALIGNED, ELEM_BYTES)"; doc = "bytes of a load"; },
  { name = "WIDTH";   expr = "COPIED / ELEM_BYTES"; doc = "elements of a load"; },
  { name = "AHEAD";   expr = "max(1, UNROLL / (1 + (ALIGNED < 16)))"; doc = "chunks on their way: where loads are narrow each takes a register"; },
  { name = "NT";      expr = "32 * WARPS";          doc = "threads of a block"; },
  { name = "GROUPS";  expr = "ROWS / 8";            doc = "rows of X that a lane loads"; },
  { name = "STRIPS";  expr = "COLS / 8";            doc = "parts of 8 columns of a warp, an mma each"; },
  { name = "CHAINS";  expr = "1 + (ROWS == 8 || COLS <= 16)";
    doc = "sums of an element, taken in turn; with 8 rows the second lies in the mma's lower half"; },
  { name = "BM";      expr = "ROWS";               doc = "rows of Y that a block computes"; },
  { name = "BN";      expr = "WARPS / KWARPS * COLS"; doc = "columns of Y that a block computes"; },
  { name = "PROBLEMS"; expr = "1"; doc = "tiles of a block, each with its own threads"; },
  { name = "PITCH";   expr = "BN + 8 * (BN > 8)";   doc = "floats from a row of sums to the next"; },
  { name = "SUMS";    expr = "KWARPS";              doc = "sums of an element that a block adds up"; },
  { name = "BK";      expr = "32 * KWARPS";         doc = "values of k of a chunk of each of these warps"; },
  { name = "SMEM";    expr = "SUMS * BM * PITCH * 4"; doc = "bytes of shared memory of a block"; },
  { name = "LOADS";   expr = "UNROLL * STRIPS";     doc = "16-byte loads of W on their way of a lane"; },
  { name = "NEED";
    expr = "4 * CHAINS * STRIPS + 4 * LOADS + 4 * UNROLL * GROUPS + 2 * GROUPS + 2 * STRIPS + 30";
    doc = "registers of a thread: sums, loads on their way, addresses"; } );
constraints = (
  { need = "SM_ARCH >= 80";                     why = "no bf16 and no mma of 16 values of k before sm_80"; },
  { need = "!W_IS_KN || COLS == 64";           why = "KN: a lane loads 8 columns, and a warp has 8 lanes along n"; },
  { need = "KWARPS <= WARPS && (!W_IS_KN || KWARPS == WARPS)"; why = "KN: all warps share out k"; },
  { need = "KWARPS == WARPS || WARPS < 16";     why = "so many warps are there to share out k without other blocks"; },
  { need = "KWARPS == 1 || KWARPS == WARPS || WARPS == 8 && KWARPS == 2";
    why = "what is between is like one of its neighbours"; },
  { need = "LOADS >= 4 && LOADS <= 16";
    why = "fewer loads do not cover the memory's latency, more need too many registers"; },
  { need = "NEED * NT <= REGS_SM - 16 * NT";   why = "so many threads with so many registers do not fit an SM"; },
  { need = "SPLITK == 1 || KWARPS == WARPS";
    why = "warps of a block share out k at less cost than blocks"; } );
regs = "NEED - 10";
general = (
  { target = ["sm_80", "sm_86", "sm_89", "sm_90a"]; ROWS = 8; COLS = 64; WARPS = 4; KWARPS = 4; UNROLL = 1;
    SPLITK = 1; } );
serves = "ALIGNED == 0 || FITS";
derived = (
  { name = "FITS"; expr = "ALIGN % COPIED == 0 && K % WIDTH == 0 && (!W_IS_KN || PACKED || N % WIDTH == 0)";
    doc = "all rows of X and W begin and end at multiples of so many bytes"; },
  { name = "KTIMES"; expr = "ceil_div(KPER, UNROLL)";              doc = "times round the loop"; },
  { name = "BYTES";  expr = "NT * LOADS * 16";
    doc = "bytes of W that a block asks for each time"; },
  { name = "L1";
    expr = "WARPS * UNROLL * (STRIPS + GROUPS) * (5 + 11 * (ALIGNED < 16) + 16 * (ALIGNED == 0))";
    doc = "cycles of L1 for that, W and X: 512 bytes a load at 96 a cycle; else 4 or 8 loads of 8 rows, taken as 4"
          " cycles each"; },
  # Issue and tensor cores never bound. A strip and chunk, 512 bytes of W, is 10 cycles at 48 bytes a cycle, and two
  # mma, 4 cycles at 1024 products a cycle. Instructions of a warp for one time round, counted in SASS (nvcc 13.0,
  # sm_90a, bf16), ROWS x COLS x UNROLL: NK 8 x 8 x 4 57, 8 x 16 x 4 97, 8 x 32 x 2 69, 8 x 64 x 2 111, 16 x 16 x 4 111,
  # 16 x 32 x 2 85, 16 x 64 x 2 137; KN 8 x 64 x 1 115, 8 x 64 x 2 227; K odd, a chunk of 8 x 32 93. For a strip and
  # chunk that is 2 to 6 cycles of an SM's four schedulers.
  { name = "STEP";   expr = "max(max(LIVE * L1, LIVE * BYTES / 48), 730)";
    doc = "cycles for one time round of the blocks that run together, at least the latency of memory, 650, and of a"
          " chunk's two mma"; },
  { name = "LOOP";   expr = "STEP * KTIMES";                       doc = "cycles of all of them"; },
  { name = "ENDS";
    expr = "600 + 70 * UNROLL + (40 + 8 * SUMS) * ceil_div(BM * BN, NT)"
           " + (SLICES > 1) * (300 + HANDOVER_NS * CLOCK_MHZ / 1000 + 40 * SLICES)";
    doc = "cycles for a block's start, the last chunks' mma, the sum of its warps, the sum of the slices"; },
  { name = "CYCLES"; expr = "ceil_div(MOST, LIVE) * (LOOP + ENDS)"; doc = "cycles of the busiest SM"; },
  { name = "L2_ELEMS"; expr = "ceil_div(M, BM) * N * K + ceil_div(N, BN) * M * K"; doc = "elements from L2: W and X"; } );
features = (
  { name = "rows";      expr = "ROWS == 16";                 doc = "twice the loads of X"; },
  { name = "again";     expr = "log2(ceil_div(M, BM))";      doc = "how often W is read"; },
  { name = "x_loads";   expr = "GROUPS / STRIPS";            doc = "loads of X for one of W"; },
  { name = "x_l2";      expr = "log2(1 + M / BN)";           doc = "X from L2 against W"; },
  { name = "times";     expr = "log2(KTIMES)";               doc = "times round the loop"; },
  { name = "narrow";    expr = "ALIGNED < 16";                  doc = "two elements at a time"; },
  { name = "odd";       expr = "ALIGNED == 0";                        doc = "or one"; },
  { name = "groups";    expr = "log2(KWARPS)";               doc = "sums that a block adds up"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands; for another type -DDTYPE_BF16=1 */
#ifndef DTYPE_BF16
#define DTYPE_F16 1
#endif
#include "standalone.cuh"
#define ONE_MATRIX 1
#define W_IS_KN 0
#define PROBLEMS 1
#define ROWS 8
#define BM ROWS
#define COLS 32
#define WARPS 4
#define KWARPS 4
#define UNROLL 2
#define SPLITK 2
#define NT 128
#define GROUPS 1
#define STRIPS 4
#define CHAINS 1
#define BN 32
#define PITCH (BN + 8 * (BN > 8))
#define SUMS 4
#define BK 128
#define SMEM (SUMS * ROWS * PITCH * 4)
#define ALIGNED 16
#define WIDTH 8
#define AHEAD 2
#endif
/* KERNEL: a block computes BM x BN elements of Y with mma.sync, fp32 sums. Rows of X are the mma's first operand,
 * columns of W its second, 8 at a time: the two registers of W that an mma takes are neighbours in memory; the four of
 * X are not and must be moved, but serve all columns of the warp. Both operands go from global memory straight into
 * registers: W, which is read once for ROWS rows of Y, past L1; X from L1.
 *
 *   warp      COLS columns, STRIPS strips of 8. KWARPS warps share out the block's k, each a run of it; WARPS/KWARPS of
 *             them lie side by side along n.
 *   chunk     32 values of k, two mma a strip. With g = lane/4, q = lane%4 a lane's 8 of them, i = 0..7, are
 *             k(i) = i/WIDTH * 4*WIDTH + q*WIDTH + i%WIDTH: WIDTH neighbours are one load, 16 bytes where rows are
 *             aligned to that. Any order of k gives the same sum, as long as X and W have the same.
 *   X         row g, and 8 + g: element i of the chunk is half i%2 of word i/2. Mma s takes words 2*s and 2*s+1.
 *   W, NK     column g of each strip, as X's rows.
 *   W, KN     for each i column g of the strips t = 0..7, which is n(t, g) = t/WIDTH * 8*WIDTH + g*WIDTH + t%WIDTH: one
 *             load, or 8/WIDTH. The halves of two of them, for k(i) and k(i+1), make a word.
 *   acc       of a strip: element e is row g + 8*(e/2), column 2*q + e%2.
 *   ROWS = 8  rows 0..7 of both mma have words 0 and 1 of X, rows 8..15 have words 2 and 3: one operand serves the two.
 *             Mma 0 is right in rows 0..7, mma 1 in rows 8..15; what the other rows sum up is of no use.
 */
/* Where the sum of an element is in shared memory: rows are PITCH apart, so that four g, two elements a lane, store to
 * different banks. KN: a strip's columns side by side, and 32 neighbours along n in different banks. */
static __device__ __forceinline__ int KERNEL_at(int row, int column)
{
#if !W_IS_KN
    return row * PITCH + column;
#else
    return row * PITCH + column % 8 * 8 + column % 8 / 4 * 4 + column / 8;
#endif
}

#include "matrices.cuh"
#include "operands.cuh"
#include "few_rows.cuh"

#include "mma_gemv_load.cuh"

static __device__ __forceinline__ void KERNEL_multiply(KERNEL_lane &l, const KERNEL_chunk &c)
{
#pragma unroll
    for (int s = 0; s < 2; s++) {
#if ROWS == 16
        const unsigned x[4] = { c.x[0][2 * s], c.x[1][2 * s], c.x[0][2 * s + 1], c.x[1][2 * s + 1] };
#else
        const unsigned x[4] = { c.x[0][0], c.x[0][2], c.x[0][1], c.x[0][3] };
#endif
#pragma unroll
        for (int t = 0; t < STRIPS; t++) {
            const unsigned w[2] = { KERNEL_word(c, t, 2 * s), KERNEL_word(c, t, 2 * s + 1) };
            PACKAGE_device::DTYPE_mma(l.acc[s % CHAINS][t], x, w);
        }
    }
}

/* Goes on by `ahead` chunks. */
template <int ahead> static __device__ __forceinline__ void KERNEL_advance(KERNEL_lane &l)
{
#pragma unroll
    for (int r = 0; r < GROUPS; r++)
        l.x[r] += 32 * ahead;
#if !W_IS_KN
#pragma unroll
    for (int t = 0; t < STRIPS; t++)
        l.w[t] += 32 * ahead;
#else
    l.w = (const RIGHT_TYPE *)((const char *)l.w + (uint64_t)l.stride * (32 * ahead));
#endif
    l.left -= 32 * ahead;
}

/* Sums up `count` values of k. AHEAD chunks are on their way: a chunk is replaced, once it is used, by the next one that is not there. regular: all columns
 * exist. */
static __device__ __forceinline__ void KERNEL_run(KERNEL_lane &l, int count, bool regular)
{
    KERNEL_chunk c[AHEAD];
#pragma unroll
    for (int u = 0; u < AHEAD; u++)
        KERNEL_fetch<false>(c[u], l, 32 * u);
    KERNEL_advance<AHEAD>(l);
#pragma unroll 1
    for (; regular && count >= 64 * AHEAD; count -= 32 * AHEAD) {
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            KERNEL_multiply(l, c[u]);
            KERNEL_fetch<true>(c[u], l, 32 * u);
        }
        KERNEL_advance<AHEAD>(l);
    }
#pragma unroll 1
    for (; count > 32 * AHEAD; count -= 32 * AHEAD) {
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            KERNEL_multiply(l, c[u]);
            KERNEL_fetch<false>(c[u], l, 32 * u);
        }
        KERNEL_advance<AHEAD>(l);
    }
#pragma unroll
    for (int u = 0; u < AHEAD; u++)
        KERNEL_multiply(l, c[u]);
}

/* A lane's part of a warp that takes columns n0.. and `count` values of k from k0 on. Rows of X and W beyond the last
 * are that one again, for sums that nobody stores. */
static __device__ __forceinline__ KERNEL_lane
KERNEL_begin(const NAME_args &a, const KERNEL_task &b, int n0, unsigned k0, int count)
{
    const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
    const unsigned k = k0 + q * WIDTH;
    KERNEL_lane l;
    l.left = count - q * WIDTH;
#pragma unroll
    for (int r = 0; r < GROUPS; r++)
        l.x[r] = b.of.x + (int64_t)min((unsigned)b.m0 + 8 * r + g, (unsigned)KERNEL_nrow(a) - 1) * b.of.ldx + k;
#if !W_IS_KN
#pragma unroll
    for (int t = 0; t < STRIPS; t++)
        l.w[t] = b.of.w + (uint64_t)b.of.ldw * min((unsigned)n0 + 8 * t + g, (unsigned)KERNEL_ncol(a) - 1) + k;
#else
    l.w = b.of.w + (uint64_t)b.of.ldw * k + ((unsigned)n0 + g * WIDTH);
    l.stride = b.of.ldw * ELEM_BYTES;
    l.right = KERNEL_ncol(a) - n0 - g * WIDTH;
#endif
#pragma unroll
    for (int t = 0; t < CHAINS * STRIPS; t++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            l.acc[t / STRIPS][t % STRIPS][e] = 0;
    return l;
}

/* Stores the lane's sums; n0: the warp's first column in the block. */
static __device__ __forceinline__ void KERNEL_put(float *sums, const KERNEL_lane &l, int n0)
{
    const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
#pragma unroll
    for (int t = 0; t < STRIPS; t++)
#pragma unroll
        for (int e = 0; e < 2 * GROUPS; e += 2) {
            float v0 = l.acc[0][t][e], v1 = l.acc[0][t][e + 1];
#if ROWS == 8
            v0 += l.acc[1][t][2], v1 += l.acc[1][t][3];
#elif CHAINS > 1
            v0 += l.acc[1][t][e], v1 += l.acc[1][t][e + 1];
#endif
            const int m = g + 4 * e;
#if !W_IS_KN
            *(float2 *)(sums + KERNEL_at(m, n0 + 8 * t + 2 * q)) = make_float2(v0, v1);
#else
            const int n = n0 + t / WIDTH * (8 * WIDTH) + 2 * q * WIDTH + t % WIDTH;
#if ALIGNED == 16
            *(float2 *)(sums + KERNEL_at(m, n)) = make_float2(v0, v1);
#else
            sums[KERNEL_at(m, n)] = v0, sums[KERNEL_at(m, n + WIDTH)] = v1;
#endif
#endif
        }
}

/* Sums up the block's elements over its part of k, of which a warp takes a run of whole chunks. */
static __device__ __forceinline__ void KERNEL_sum(float *sums, const NAME_args &a, const KERNEL_task &b)
{
    const int kwarp = threadIdx.x / 32 % KWARPS, n0 = threadIdx.x / 32 / KWARPS * COLS;
    const unsigned run = (b.k1 - b.k0 + BK - 1) / BK * 32, k0 = b.k0 + kwarp * run;
    const int count = (int)min(run, b.k1 - min(k0, b.k1));
    KERNEL_lane l = KERNEL_begin(a, b, b.n0 + n0, k0, count);
    KERNEL_run(l, count, !W_IS_KN || KERNEL_ncol(a) - b.n0 >= BN);
    KERNEL_put(sums + kwarp * (ROWS * PITCH), l, n0);
}

static __global__ void __launch_bounds__(NT) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    float *sums = (float *)PACKAGE_device::shared_memory();
    const KERNEL_task b = KERNEL_find(a);
    KERNEL_sum(sums, a, b);
    KERNEL_finish(sums, a, b);
#endif
}
