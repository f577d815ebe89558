/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "lane_rows";
op      = "rows";
family  = "cuda";
doc     = "LANES threads a row, which lies in their registers; a longer row is gone along once for each level of reductions";
params = (
  { name = "LANES"; choices = [4, 8, 16, 32, 128, 256, 512, 1024]; doc = "threads of a row: a part of a warp, or whole warps"; },
  { name = "NT";    choices = [128, 256, 512, 1024]; doc = "threads of a block"; },
  { name = "ROWS";  choices = [1, 2, 4];             doc = "rows side by side that a thread takes part in"; },
  { name = "VEC";   choices = [2, 4, 8];             doc = "neighbouring elements of a thread, loaded at once where rows are aligned"; },
  { name = "NV";    choices = [1, 2, 4, 8, 16];      doc = "such vectors of the longest row that stays in registers"; },
  { name = "EAGER"; choices = [0, 1];                doc = "1: ptxas may take all registers for the threads of one block, for loads on their way; 0: as it likes"; } );
values = (
  { name = "BM";     expr = "ROWS * (NT / LANES)"; doc = "rows of a block"; },
  { name = "STEP";   expr = "LANES * VEC";         doc = "elements of a row side by side"; },
  { name = "BN";     expr = "NV * STEP";           doc = "elements of the longest row that stays in registers"; },
  { name = "WARPS";  expr = "ceil_div(LANES, 32)"; doc = "warps of a row"; },
  { name = "HOPS";   expr = "2 + (LANES > 4) + (LANES > 8) + (LANES > 16) + WARPS / 4"; doc = "steps until its sums are one"; },
  { name = "MOST";   expr = "256 / (NV * VEC)";    doc = "so many times BN elements of a long row have sums of their own, which are then put aside, as a small number is lost in a large sum"; },
  { name = "SMEM";   expr = "(WARPS > 1) * (NT / 32) * 16"; doc = "bytes of shared memory of a block: two values and their places for each warp"; },
  { name = "HELD";   expr = "ROWS * NV * VEC";     doc = "elements of a thread"; },
  { name = "NEED";   expr = "3 * HELD + 28";       doc = "registers of a thread: elements, what is computed of them, loads on their way, addresses"; } );
constraints = (
  { need = "VEC * ELEM_BYTES >= 8 && VEC * ELEM_BYTES <= 16"; why = "a load has 8 or 16 bytes"; },
  { need = "ROWS == 1 || LANES <= 32";     why = "a row of several warps has enough loads on their way"; },
  { need = "LANES <= 32 && NT <= 256 || LANES == NT"; why = "blocks of one row, or of a few warps, come and go alone"; },
  { need = "HELD <= 64 && (HELD >= 4 || LANES < 32)"; why = "more are not in registers, fewer do not cover the memory's latency"; },
  { need = "LANES >= 32 || NV <= 4";       why = "rows so long are for more threads"; },
  { need = "LANES > 8 || NV <= 2";         why = "rows so long are for more threads"; },
  { need = "LANES <= 32 || NV <= 8 && HELD >= 4"; why = "longer rows are for more threads"; },
  { need = "EAGER == 0 && NT < 1024 || EAGER == 1 && (NT <= 256 && HELD >= 8 || NT == 1024)";
    why = "few loads need few registers; in kernels of 512 threads ptxas was seen to spill if it may, of 1024 if it may not"; },
  { need = "NEED <= REGS_SM / NT";         why = "all threads of a block have registers"; } );
regs = "min(REGS_SM / NT, (2 + EAGER) * HELD + 32)";
general = (
  { target = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a"]; LANES = 32; NT = 128; ROWS = 1; VEC = 4; NV = 2;
    EAGER = 0; } );
tile = { M = "BM"; N = "BN"; };
launch = { x = "BLOCKS * (ALL < 2147483648)"; }; # rows are counted in 31 bits
derived = (
  { name = "ALL";    expr = "BATCH * M"; doc = "rows of the call"; },
  { name = "BLOCKS"; expr = "ceil_div(ALL, BM)"; doc = "blocks of the launch"; },
  { name = "TIMES";  expr = "ceil_div(N, BN)"; doc = "registers full of elements in a row"; },
  { name = "READS";  expr = "1 + (TIMES > 1) * (ROW_PASSES - 1)"; doc = "how often a row is read"; },
  { name = "NARROW"; expr = "N % VEC != 0"; doc = "rows are not aligned: single elements"; },
  { name = "BYTES";  expr = "BM * min(N, BN) * ELEM_BYTES"; doc = "bytes of an operand that a block asks for at once"; },
  { name = "ISSUE";
    expr = "READS * TIMES * NT * (HELD * (6 + 14 * EPILOGUE_CALLS + 3 * NARROW) + ROWS * NV * 8) / 128"
           " + ROW_PASSES * NT * ROWS * 8 * HOPS / 128";
    doc = "cycles of an SM to issue a block's instructions: of elements, of loads; of shuffles"; },
  { name = "ENDS";   expr = "(700 + ROW_PASSES * 30 * HOPS) * ceil_div(MOST, LIVE)"; doc = "cycles that blocks wait: for memory, for sums"; },
  { name = "LOOP";   expr = "ceil_div(MOST, LIVE) * max(LIVE * ISSUE, READS * TIMES * max(LIVE * BYTES / 24, 700))"; doc = "cycles of all blocks of an SM"; },
  { name = "L2_ELEMS"; expr = "ALL * N * READS + DATA"; doc = "elements from L2: an operand as large as the rows, and the output"; } );
terms = (
  { name = "ns";
    expr = "LAUNCH_NS + max(max(CYCLES * 1000 / CLOCK_MHZ, ELEM_BYTES * L2_ELEMS / L2_GBS),"
           " ELEM_BYTES * (ALL * N + DATA) * (ELEM_BYTES * ALL * N > L2_BYTES / 2) / DRAM_GBS)";
    doc = "from the launch to the end of the last block"; } );
features = (
  { name = "row_times";  expr = "log2(TIMES)";           doc = "rows longer than registers"; },
  { name = "row_filled"; expr = "log2(TIMES * BN / N)";  doc = "elements computed for one that there is"; },
  { name = "row_warps";  expr = "log2(WARPS)";           doc = "warps that wait for each other"; },
  { name = "row_lanes";  expr = "log2(LANES)";           doc = "threads of a row"; },
  { name = "row_eager";  expr = "EAGER * log2(HELD)";    doc = "more loads on their way, in fewer warps"; },
  { name = "row_side";   expr = "log2(ROWS)";            doc = "rows side by side"; },
  { name = "row_narrow"; expr = "NARROW * log2(VEC)";    doc = "single elements"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.cuh"
#define LANES 256
#define NT 256
#define ROWS 1
#define VEC 4
#define NV 2
#define EAGER 0
#define BM (ROWS * (NT / LANES))
#define STEP (LANES * VEC)
#define BN (NV * STEP)
#define WARPS (LANES / 32)
#define MOST 16
#define SMEM (NT / 2)
#define ROW_PASSES 1
#define P 0
#endif
/* KERNEL: a block computes BM rows of the output, LANES threads each. What happens to the elements of a thread the formula says: NAME_pass_P.
 *
 *   wide      W = VEC: where all rows are aligned to 16 bytes and hold whole vectors; else W = 1
 *   vector j  of lane l: the W elements from (j * LANES + l) * W on; there are NV * VEC / W
 *   row r     of a thread: its group's first one plus r
 *
 * A longer row comes BN elements at a time, in each pass anew. Beyond the end of a row its last vector is computed once more, and beyond the last row
 * that one: only sums and stores ask whether they exist, so that loads have no branches. */

/* How the values of a row's threads become one, which all of them get. */
struct KERNEL_lanes {
#if WARPS > 1
    float *shared; /* of each warp a value and its place, twice: no thread writes the ones that others may still read */
    int turn;

    /* The values that lane 0 of each warp has: the block has one row. */
    __device__ __forceinline__ const float *all(float v, float at)
    {
        float *slot = shared + turn * (NT / 16);
        turn ^= 1;
        if (threadIdx.x % 32 == 0) {
            slot[threadIdx.x / 32] = v;
            slot[NT / 32 + threadIdx.x / 32] = at;
        }
        __syncthreads();
        return slot;
    }
#endif

    template <class Join> __device__ __forceinline__ float joined(float v, Join join)
    {
#pragma unroll
        for (int mask = LANES < 32 ? LANES / 2 : 16; mask > 0; mask /= 2)
            v = join(v, PACKAGE_device::shfl_xor(v, mask));
#if WARPS > 1
        const float *of = all(v, 0);
        v = of[0];
#pragma unroll
        for (int w = 1; w < WARPS; w++)
            v = join(v, of[w]);
#endif
        return v;
    }
    __device__ __forceinline__ float sum(float v)
    {
        return joined(v, [](float a, float b) { return a + b; });
    }
    __device__ __forceinline__ float largest(float v)
    {
        return joined(v, [](float a, float b) { return PACKAGE_device::greater(a, b); });
    }
    __device__ __forceinline__ float smallest(float v)
    {
        return joined(v, [](float a, float b) { return PACKAGE_device::lesser(a, b); });
    }

    /* Of equal values the first place counts. */
    __device__ __forceinline__ int place_of_largest(float v, int at)
    {
        const auto take = [&](float other, int place) {
            const bool takes = other > v || other == v && place < at;
            v = takes ? other : v;
            at = takes ? place : at;
        };
#pragma unroll
        for (int mask = LANES < 32 ? LANES / 2 : 16; mask > 0; mask /= 2) {
            const float other = PACKAGE_device::shfl_xor(v, mask);
            take(other, __float_as_int(PACKAGE_device::shfl_xor(__int_as_float(at), mask)));
        }
#if WARPS > 1
        const float *of = all(v, __int_as_float(at));
#pragma unroll
        for (int w = 0; w < WARPS; w++)
            take(of[w], __float_as_int(of[NT / 32 + w]));
#endif
        return at;
    }
};

/* The block's rows, W elements at once. is_long: they do not fit the registers. */
template <int W, bool is_long> static __device__ __forceinline__ void KERNEL_rows(const NAME_args &a)
{
    constexpr int vectors = NV * VEC / W;
    const unsigned lane = threadIdx.x % LANES, columns = NAME_columns(a);
    const unsigned rows = (unsigned)NAME_rows(a), first = (blockIdx.x * (NT / LANES) + threadIdx.x / LANES) * ROWS;
    KERNEL_lanes lanes;
    NAME_row row[ROWS];
    NAME_place at[ROWS];
    NAME_vector<W> v[ROWS][vectors];
#if WARPS > 1
    lanes.shared = (float *)PACKAGE_device::shared_memory();
    lanes.turn = 0;
#endif
    at[0] = NAME_place_of(a, min(first, rows - 1));
#pragma unroll
    for (int r = 1; r < ROWS; r++) {
        at[r] = at[r - 1];
        if (first + r < rows)
            NAME_next(a, &at[r]);
    }
//@ repeat P = 0..ROW_PASSES-1
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        NAME_begin_P(&row[r]);
#pragma unroll 1
    for (unsigned n = lane * W; n < (is_long ? columns : LANES * W); n += BN)
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
#pragma unroll
            for (int j = 0; j < vectors; j++) {
                const unsigned own = n + j * (LANES * W);
                NAME_pass_P<W, is_long>(a, &row[r], at[r], min(own, columns - W), own < columns && first + r < rows, &v[r][j]);
            }
            if (is_long && n / BN % MOST == MOST - 1)
                NAME_aside_P(&row[r]);
        }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        NAME_end_P(a, &row[r], at[r], lanes, lane == 0 && first + r < rows);
//@ end
}

#if ANY_STRIDED /* addresses need more registers: ptxas was seen to spill if it may */
static __global__ void __launch_bounds__(NT, 1) KERNEL(const NAME_args a)
#else
#if EAGER
static __global__ void __launch_bounds__(NT, 1) KERNEL(const NAME_args a)
#else
static __global__ void __launch_bounds__(NT) KERNEL(const NAME_args a)
#endif
#endif
{
#if TARGET_GUARD
    const bool wide = NAME_addresses(a) % 16 == 0 && NAME_columns(a) % VEC == 0;
    if (NAME_columns(a) <= BN && wide)
        KERNEL_rows<VEC, false>(a);
    else if (NAME_columns(a) <= BN)
        KERNEL_rows<1, false>(a);
    else if (wide)
        KERNEL_rows<VEC, true>(a);
    else
        KERNEL_rows<1, true>(a);
#endif
}
