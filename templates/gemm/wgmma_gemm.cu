/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cuda";
doc     = "Y = X * W + bias on Hopper's tensor cores by wgmma: HIGH x WIDE tiles, TMA fills a ring of stages, a grid as large as the GPU goes round";
dtypes  = ["tf32", "tf32x3", "f16", "bf16"];
packed  = false;
params = (
  { name = "HIGH";   choices = [64, 128, 192];            doc = "rows of a block's tile as wgmma sees it: of Y or, swapped, columns of Y"; },
  { name = "WIDE";   choices = [16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 192]; doc = "its columns, wgmma's N"; },
  { name = "SWAP";   choices = [0, 1];                    doc = "the tile is one of Y's transpose: W is the first operand, X the second"; },
  { name = "CONSUMERS"; choices = [1, 2, 3];              doc = "warpgroups that multiply, each HIGH / CONSUMERS rows, or a tile"; },
  { name = "STAGES"; choices = [4, 5, 6, 7, 8];           doc = "blocks of k, in use or on their way"; },
  { name = "SPLITK"; choices = [1, 2, 3, 4, 5, 6];
    doc = "blocks that share out the sum over k of one tile"; },
  { name = "CLUSTERED"; choices = [0, 1];                 doc = "they are a cluster, and add up in shared memory; 0: the last one to finish does"; },
  { name = "TURNS";  choices = [0, 1];                    doc = "each consumer has tiles of its own, and stores one while another multiplies"; },
  { name = "BY_MAP"; choices = [0, 1];                    doc = "TMA stores the tile, from shared memory, where it can"; },
  { name = "GROUP";  choices = [0, 8];
    doc = "tiles are done column by column, this many rows of tiles at a time; 0: all rows"; } );
values = (
  { name = "MATRICES"; expr = "1";                        doc = "operands are matrices (operands.cuh)"; },
  { name = "ONE_MATRIX"; expr = "0";                      doc = "a call has one matrix of Y"; },
  { name = "PROBLEMS"; expr = "1";                        doc = "tiles of a block at a time"; },
  { name = "Y_IS_MAPPED"; expr = "0";                     doc = "there may be a map of Y"; },
  { name = "W_IS_KN"; expr = "0";                         doc = "W lies as [k][n] (KN), else as [n][k] (NK)"; },
  { name = "NT";      expr = "128 * (CONSUMERS + 1)";     doc = "threads of a block: a warpgroup copies, the others multiply"; },
  { name = "BM";      expr = "SWAP * WIDE + !SWAP * HIGH"; doc = "rows of a block's tile of Y"; },
  { name = "BN";      expr = "SWAP * HIGH + !SWAP * WIDE"; doc = "columns of it"; },
  { name = "BK";      expr = "128 / ELEM_BYTES";          doc = "values of k of a stage: 128 bytes"; },
  { name = "SHARERS"; expr = "TURNS + !TURNS * CONSUMERS"; doc = "warpgroups that share a tile"; },
  { name = "MBLOCKS"; expr = "HIGH / 64 / SHARERS";       doc = "parts of 64 rows of a warpgroup"; },
  { name = "W_SPAN";  expr = "128 - W_IS_KN * (64 * (BN % 64 > 0) + 32 * (BN % 32 > 0))";
    doc = "bytes of a row of W in shared memory; KN: the most that BN is a multiple of"; },
  { name = "W_BOX";   expr = "W_SPAN / ELEM_BYTES";       doc = "its elements"; },
  { name = "W_ROWS";  expr = "W_IS_KN * BK + !W_IS_KN * BN"; doc = "such rows that a copy takes"; },
  { name = "THREE";   expr = "DTYPE_TF32X3";              doc = "an element is multiplied in two parts, a product is three"; },
  { name = "X_ROWS";  expr = "BM";                        doc = "rows of X that are copied"; },
  { name = "COPY_BYTES"; expr = "(X_ROWS + BN) * 128";    doc = "of a stage, that are copied"; },
  { name = "STAGE_BYTES"; expr = "(BM + BN) * 128 + THREE * WIDE * 128"; doc = "of a stage"; },
  { name = "Y_BOX";   expr = "64 - (32 * (WIDE % 64 > 0) + 16 * (WIDE % 32 > 0))"; doc = "BY_MAP: columns that TMA stores at once, of 16 bits"; },
  { name = "PART_BYTES"; expr = "BY_MAP * MBLOCKS * WIDE * 128"; doc = "of a consumer's part of a tile that TMA stores"; },
  { name = "SMEM";    expr = "1008 + STAGES * (STAGE_BYTES + 16 + 8 * THREE) + CONSUMERS * PART_BYTES + 16";
    doc = "bytes of shared memory of a block: up to a multiple of 1024, the stages and their barriers, a tile that is stored, a word"; },
  { name = "R_LESS";  expr = "56";                        doc = "registers of a thread that copies"; },
  { name = "R_MORE";  expr = "224 - 72 * (CONSUMERS == 3)"; doc = "registers of a thread that multiplies"; },
  { name = "COUNTERS"; expr = "4096";                     doc = "tiles that may be split"; },
  { name = "PERCENT"; expr = "min(100, min(13 + WIDE * 25 / 16, 31 + WIDE))"; doc = "of wgmma's rate that this N reaches"; } );
constraints = (
  { need = "SM_ARCH == 90";                    why = "wgmma is Hopper's alone"; },
  { need = "HIGH != 192 || WIDE == 96 || WIDE == 128 || WIDE == 192"; why = "of the highest tiles few fill the GPU better than others"; },
  { need = "HIGH != 128 || WIDE >= 96";        why = "a tile of few columns loads more for the same work: 64 rows have more blocks"; },
  { need = "HIGH != 64 || WIDE <= 96";         why = "wide tiles shall be high: one far from square loads more for the same work"; },
  { need = "SWAP == 0 || HIGH == 64 && WIDE <= 80"; why = "more rows of Y fill wgmma's 64 rows as they are"; },
  { need = "SWAP == 1 || WIDE >= 80";          why = "few columns leave the tensor cores idle; where Y has few rows, swapped tiles have more blocks"; },
  { need = "SWAP == 0 || W_IS_KN == 0";        why = "wgmma's first operand has its rows along k here"; },
  { need = "W_IS_KN == 0 || ELEM_BYTES == 2";  why = "wgmma reads elements of 32 bits along k alone"; },
  { need = "HIGH % (64 * SHARERS) == 0";       why = "a warpgroup has whole parts of 64 rows"; },
  { need = "MBLOCKS * WIDE <= 256 / (1 + THREE) && MBLOCKS <= 2"; why = "more than 128 sums of a thread leave too few registers"; },
  { need = "TURNS == 0 || CONSUMERS == 2 && SPLITK == 1 && SWAP == 0"; why = "two hide each other's stores; what is split, or has few rows, has few tiles"; },
  { need = "THREE == 0 || CONSUMERS < 3"; why = "of three consumers a thread has 160 registers: too few for sums of a step, too"; },
  { need = "CONSUMERS < 3 || SPLITK == 1 || CLUSTERED"; why = "and too few for the way to scratch memory and back"; },
  { need = "TURNS == 0 || THREE == 0";         why = "splitting and adding hide behind the other's products"; },
  { need = "BY_MAP == 0 || Y_IS_MAPPED && ELEM_BYTES == 2 && SWAP == 0 && CLUSTERED == 0"; why = "a transposed tile, one of floats, or parts of a row are stored as they are"; },
  { need = "CLUSTERED == 0 || SPLITK > 1";     why = "a cluster is of the blocks that share a tile"; },
  { need = "CLUSTERED == 0 || BM * (BN + 8) * 4 <= STAGES * STAGE_BYTES"; why = "a tile's sums must fit where the stages were"; },
  { need = "SMEM <= SMEM_BLOCK";               why = "the stages must fit a block's shared memory"; },
  { need = "STAGES >= 6 || SMEM > SMEM_BLOCK / 2"; why = "small stages must be many to cover the memory's latency"; },
  { need = "SPLITK == 1 || GROUP == 0";        why = "what is split has few tiles: their order matters little"; },
  { need = "GROUP == 0 || HIGH > 64";          why = "where small tiles win the operands stay in L2"; } );
regs = "min(255, REGS_SM / NT / 8 * 8)";
launch = { x = "!(TILES * SLICES >= 2147483648) * GRID"; z = "1"; # items are counted in 31 bits
           cluster = "CLUSTERED * SPLITK"; threads = "NT"; smem = "SMEM"; };
scratch = "4 * PASSED";
counters = "(SLICES > 1 && !CLUSTERED) * 4 * COUNTERS";
# As cuBLAS's own times on an H200 have it, within 9 percent: 1.65 GHz under load; 64 bytes a clock into an SM, which is what L2 gives all of them.
derived = (
  { name = "FIT";    expr = "1";                           doc = "one block on each SM goes round"; },
  { name = "PARTS";  expr = "1 + (SPLITK - 1) * (CLUSTERED || TILES <= COUNTERS)"; doc = "parts of k that the plan asks for"; },
  { name = "SLICES"; expr = "CLUSTERED * SPLITK + !CLUSTERED * (1 + (SPLITK > 1) * (ceil_div(SUM_STEPS, KPER) - 1))"; doc = "blocks that share a tile"; },
  { name = "PASSED"; expr = "(SLICES > 1 && !CLUSTERED) * TILES * SLICES * TILE_ROWS * TILE_COLS"; doc = "sums that blocks hand on by way of scratch memory"; },
  { name = "GRID";   expr = "CLUSTERED * SPLITK * min(TILES, max(1, ceil_div(SMS - SPLITK + 1, SPLITK))) + !CLUSTERED * min(TILES * SLICES, SMS)"; doc = "blocks: one for each SM, or a cluster for so many"; },
  { name = "MOST";   expr = "CLUSTERED * ceil_div(TILES, max(1, ceil_div(SMS - SPLITK + 1, SPLITK))) + !CLUSTERED * ceil_div(TILES * SLICES, SMS)"; doc = "items of the busiest SM"; },
  { name = "UNIT";   expr = "BM * BN * 100 * (1 + 2 * THREE) / (32 * PERCENT)"; doc = "cycles of the tensor cores for a step"; },
  { name = "COPY";   expr = "max(COPY_BYTES / 64, 1000 / (STAGES - 1))"; doc = "cycles to fetch it; 1000 until a copy is there, which the others cover"; },
  { name = "LDS";    expr = "BM + BN + HIGH + WIDE * (HIGH / 64) + THREE * WIDE * (2 + HIGH / 32)"; doc = "wavefronts: the copies, what the products of 64 rows read; tf32x3: splitting"; },
  { name = "ISSUE";  expr = "40 + THREE * MBLOCKS * (100 + WIDE / 2)"; doc = "instructions of a warp; tf32x3: splitting 16 numbers, adding sums"; },
  { name = "BYTES";  expr = "(STAGES - 1) * COPY_BYTES";   doc = "bytes on their way to a block"; },
  { name = "SLOWER"; expr = "256 * (K * ELEM_BYTES % 16 > 0 || W_IS_KN && !PACKED && N * ELEM_BYTES % 16 > 0)"; doc = "where TMA cannot copy, elements are copied one by one"; },
  { name = "STEP";   expr = "MOST * max(UNIT, COPY)";      doc = "cycles for one step of all its items"; },
  { name = "ENDS";
    expr = "(SLICES > 1) * MOST * (TILE_ROWS * TILE_COLS * 4 * (SLICES - 1) / SLICES / 50 + 600)"
           " + (SLICES > 1 && !CLUSTERED) * HANDOVER_NS * CLOCK_MHZ / 1000 + !TURNS * (MOST - 1) * TILE_ROWS * TILE_COLS / (8 * CONSUMERS)";
    doc = "for slices, each block's sums, and adding a tile's up; stores that nobody multiplies beside"; } );
terms = (
  { name = "ns";
    expr = "(2000 + max(CYCLES * 1000 / 1650, ELEM_BYTES * DATA * (ELEM_BYTES * DATA > L2_BYTES / 2) / DRAM_GBS)) * exp2(SLOWER / 64)";
    doc = "from the launch to the end of the last block; 2000 for the launch, the first stage's arrival and the stores"; } );
features = (
  { name = "swapped";   expr = "SWAP";                     doc = "stores of single elements"; },
  { name = "feed";      expr = "log2(1 + COPY / UNIT)";    doc = "bytes into an SM for the tensor cores' work"; },
  { name = "stages";    expr = "STAGES";                   doc = "depth of the ring"; },
  { name = "consumers"; expr = "CONSUMERS";                doc = "warpgroups that multiply"; },
  { name = "by_map";    expr = "BY_MAP";                   doc = "who stores"; },
  { name = "turns";     expr = "TURNS";                    doc = "stores beside products"; },
  { name = "clustered"; expr = "CLUSTERED";                doc = "sums meet in shared memory"; },
  { name = "grouped";   expr = "GROUP > 0";                doc = "order of the tiles"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands with -gencode=arch=compute_90a,code=sm_90a -DDTYPE_BF16=1 -DSM_ARCH=90 */
#include "standalone.cuh"
#define MATRICES 1
#define ONE_MATRIX 1
#define PROBLEMS 1
#define W_IS_KN 0
#define HIGH 128
#define WIDE 128
#define SWAP 0
#define CONSUMERS 2
#define STAGES 6
#define SPLITK 2
#define CLUSTERED 0
#define TURNS 0
#define BY_MAP 0
#define GROUP 0
#define NT 384
#define BM 128
#define BN 128
#define BK 64
#define SHARERS 2
#define MBLOCKS 1
#define W_SPAN 128
#define W_BOX 64
#define Y_BOX 64
#define PART_BYTES 0
#define THREE DTYPE_TF32X3
#define X_ROWS 128
#define COPY_BYTES 32768
#define STAGE_BYTES (COPY_BYTES + THREE * WIDE * 128)
#define R_LESS 56
#define R_MORE 224
#define COUNTERS 4096
#endif
/* KERNEL: Y = X * W on tensor cores. Of a block, which goes round over items (tiles of Y, or slices of their sums), the first warpgroup copies to a
 * ring of stages in shared memory, STAGES steps of k ahead of the other warpgroups, which multiply them by wgmma, each for HIGH / CONSUMERS rows of
 * the tile, with fp32 sums in registers. It goes on to the next item while the others store.
 *
 *   step      128 bytes of k: four wgmma for each 64 rows
 *   TURNS     a consumer has every second item for itself, and passes over the stages of the others
 *   tf32x3    the products of the operands' high and low parts (tf32_split) but the smallest one, added up in fp32 step by step. A comes by way of
 *             registers; the low part of B is written to shared memory by the warps that do not copy
 *   tf32      the tensor core takes fp32 operands and ignores the 13 low bits of their mantissas
 */
#if MATRICES
#include "matrices.cuh"
#include "operands.cuh"
#endif
#include "wgmma_extents.cuh"
#include "wgmma_items.cuh"
#include "wgmma_ring.cuh"
#include "wgmma_put.cuh"
#include "wgmma_load.cuh"
#include "wgmma_produce.cuh"
#if THREE
#include "wgmma_three.cuh"
#else
#include "wgmma_consume.cuh"
#endif
#if SPLITK > 1 && !CLUSTERED
#include "wgmma_slices.cuh"
#endif
#include "wgmma_output.cuh"
#include "wgmma_store.cuh"
#if CLUSTERED
#include "wgmma_cluster.cuh"
#endif
#if BY_MAP
#include "wgmma_by_map.cuh"
#endif

static __global__ void __launch_bounds__(NT, 1) KERNEL(const __grid_constant__ KERNEL_given given)
{
#if TARGET_GUARD
    const NAME_args &a = given.call;
    const KERNEL_ring ring = KERNEL_find_ring();
    const KERNEL_work work = KERNEL_divide(a);
    const bool is_mapped = KERNEL_is_mapped(given);
    const int group = PACKAGE_device::warp_uniform(threadIdx.x / 128);
    KERNEL_open_ring(ring);
    if (group == 0) {
#if CONSUMERS > 1
        PACKAGE_device::registers_less<R_LESS>();
#endif
        KERNEL_place place = { 0, 1 };
#if CLUSTERED
        for (unsigned n = work.first; n < work.items; n += work.next) {
#else
        for (unsigned n = work.first; n < work.items && (threadIdx.x == 0 || !is_mapped || THREE); n += work.next) {
#endif
            if (!is_mapped)
                KERNEL_copy_elements(a, ring, place, KERNEL_find_item(work, n));
            else if (threadIdx.x == 0)
                KERNEL_copy(given, ring, place, KERNEL_find_item(work, n));
#if THREE
            else if (threadIdx.x >= 32)
                KERNEL_split_stages(ring, place, KERNEL_find_item(work, n));
#endif
#if CLUSTERED
            KERNEL_meet(); /* all sums are left in the place of the ring */
            KERNEL_meet(); /* and added up */
#endif
        }
    } else {
#if CONSUMERS > 1
        PACKAGE_device::registers_more<R_MORE>();
#endif
        KERNEL_place place = { 0, 0 };
#if TURNS
        constexpr int high = 0;
        if (group == 2)
            KERNEL_skip(place, work.steps); /* the first item is another's */
        for (unsigned n = work.first + (group - 1) * work.next; n < work.items; n += 2 * work.next, KERNEL_skip(place, work.steps)) {
#else
        const int high = (group - 1) * (MBLOCKS * 64);
        for (unsigned n = work.first; n < work.items; n += work.next) {
#endif
            const KERNEL_item item = KERNEL_find_item(work, n);
            float acc[MBLOCKS][WIDE / 2];
#pragma unroll
            for (int i = 0; i < MBLOCKS; i++)
#pragma unroll
                for (int e = 0; e < WIDE / 2; e++)
                    acc[i][e] = 0;
#if TURNS
            if (n != work.first)
                KERNEL_take_turn(group);
#endif
#if TURNS
            KERNEL_multiply(acc, ring, place, high, item.end - item.first, n + work.next < work.items ? 3 - group : 0);
#else
            KERNEL_multiply(acc, ring, place, high, item.end - item.first);
#endif
#if CLUSTERED
            KERNEL_leave(acc, (float *)ring.stage, high);
            KERNEL_meet();
            KERNEL_add_up((const float *)ring.stage, a, KERNEL_find_output(a, item), item.slice);
            KERNEL_meet();
#else
#if SPLITK > 1
            if (!KERNEL_combine(acc[0], a, work, item, (unsigned *)(ring.empty + STAGES)))
                continue;
#endif
#if BY_MAP
            if (given.y_map_fits) {
                KERNEL_store_by_map(acc, given, ring, KERNEL_find_output(a, item), high, group);
                continue;
            }
#endif
            KERNEL_store(acc, a, KERNEL_find_output(a, item), high);
#endif
        }
#if BY_MAP
        if (threadIdx.x % 128 == 0)
            PACKAGE_device::bulk_wait_read<0>();
#endif
    }
#endif
}
