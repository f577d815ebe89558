/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "repack_gated";
op      = "gated_dense";
family  = "cpu";
doc     = "W and G as they are: NP panels, each of 8 columns of W and the same 8 of G, are packed in scratch memory for tiles of MR rows";
scratch = "4 * NP * (16*K + 48)";
packed  = false;
layouts = { W = ["NK", "KN"]; };
dtypes  = ["f32"];
params = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14]; doc = "rows of X in the tallest tile"; },
  { name = "NP";    choices = [1, 2, 3, 4, 6];           doc = "panels in a tile: 8*NP columns of Y"; },
  { name = "UK";    choices = [1, 2, 4, 8];                 doc = "steps of k in one round of the inner loop"; },
  { name = "HOLD";  choices = [0, 1];
    doc = "1: load W's vectors into registers once for all rows; 0: the compiler may fold the loads into the FMAs"; },
  { name = "EVEN";  choices = [0, 1];
    doc = "1: row tiles of nearly equal height (17 = 9 + 8); 0: MR rows each and the rest last"; },
  { name = "SPLIT"; choices = [0, 1];
    doc = "what threads share out: 0 panels, 1 rows (each then packs all of W)"; } );
values = (
  { name = "VP";   expr = "64 / VECTOR_BYTES"; doc = "vectors in a row of a panel"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "UNIT"; expr = "NP * 8";            doc = "columns of a tile"; },
  { name = "WIDE"; expr = "NP * 8";            doc = "which are all of one width"; },
  { name = "PF";   expr = "0";                 doc = "panels are close: nothing is fetched ahead"; },
  { name = "KA";   expr = "1";                 doc = "sums of many rows hide the latency of an FMA"; },
  { name = "NV";   expr = "NP * VP";           doc = "vectors in a row of a tile"; },
  { name = "NACC"; expr = "MR * NP * VP";      doc = "accumulators"; } );
constraints = (
  { need = "NACC + NP*VP + 1 <= VECTOR_REGISTERS";
    why = "accumulators, one row of W's vectors and one value of X must fit the vector registers"; },
  { need = "HOLD > 0 || MR <= 2 || VECTOR_BYTES == 16"; why = "what the compiler chooses to keep for several rows it moves about in long rounds"; },
  { need = "NACC >= 8";
    why = "packing pays for many rows only, where nothing but latency holds back a smaller tile"; },
  { need = "UK == 1 || NACC*UK <= 128";            why = "a longer loop body only costs instruction cache"; },
  { need = "VECTOR_BYTES == 16 || UK*(NACC + MR + NV) >= 112";
    why = "of a round of the loop a fifteenth at most may be neither FMA nor load: beside busy neighbours the core does three instructions a cycle (without FMA, compilers spill in long rounds)"; },
  { need = "VECTOR_BYTES == 16 || INSTRUCTIONS*NACC <= 125 * (NACC + MR + NV)"; why = "so does what a compiler adds: more than a quarter is too much"; },
  { need = "SPLIT == 0 || MAX_THREADS > 1"; why = "one thread shares out nothing"; } );
general = (
  { target = "avx512"; MR = 8; NP = 3; UK = 4; HOLD = 1; EVEN = 1; SPLIT = 0; },
  { target = "avx2"; MR = 6; NP = 1; UK = 8; HOLD = 1; EVEN = 1; SPLIT = 0; },
  { target = "portable"; MR = 2; NP = 1; UK = 4; HOLD = 0; EVEN = 1; SPLIT = 0; } );
tile = { M = "MR"; N = "8*NP"; K = "max(UK, LANES)"; };
derived = (
  { name = "COL";    expr = "8*NP"; doc = "columns of a tile: none is narrower"; },
  { name = "VU";     expr = "NV"; doc = "vectors of a tile"; },
  { name = "W_BYTES"; expr = "K * UT * NP * 64"; doc = "bytes of W and G of the task"; },
  { name = "W_TILE"; expr = "K * NP * 64"; doc = "bytes of a tile's panels"; },
  { name = "W_CLOSE"; expr = "1"; doc = "packed panels stay close"; },
  { name = "W_FAR";  expr = "1"; doc = "weights are read once, to be packed"; },
  { name = "X_CLOSE"; expr = "MT * K * 4 <= L2_BYTES";
    doc = "X stays in L2 from one tile of columns to the next"; } );
terms = (
  { name = "pack";     expr = "K * UT * NP * VP * (5 - LAYOUT_W_KN)"; doc = "weights put into panels, a vector at a time"; } );
features = (
  { name = "pack_share";   expr = "log2(1 + 8 / MT)"; doc = "packing panels against their use"; },
  { name = "l2_stream";    expr = "(NP * K * 64 * 4 > L1_BYTES * 3) / ROWS";
    doc = "bytes of weights from L2 for an FMA: the panels exceed three quarters of L1"; },
  { name = "x_stream";     expr = "(1 - X_CLOSE) / NP"; doc = "bytes of X from beyond L2 for an FMA"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#include "../vector/transpose.h"
#define MR 8
#define NP 3
#define KA 1
#define UK 1
#define HOLD 1
#define NV 3
#define UNIT 24
#define WIDE 24
#define PF 0
#define EVEN 1
#define SPLIT 0
#define LAYOUT_W_KN 0
#define KERNEL_scratch(a) (4 * NP * (16 * (a)->K + 48))
#define R 8
#endif
/* KERNEL: packs NP panels of all of K, then MR x (NP*8) tiles of Y, k innermost.
 *   X[m][k]         at X + m*K + k
#if LAYOUT_W_KN
 *   W[k][n]         at W + k*N + n
#else
 *   W[n][k]         at W + n*K + k
#endif
 *   G               likewise at G */
#include "../gemm/rows.h"
#include "../gemm/packed_step.h"
#include "../gemm/sums.h"
#include "../gemm/join.h"
#include "../gemm/share.h"
#include "store_part.h"
#include "panels.h"

/* Floats from a panel to the next: no multiple of 4096 bytes, so that parallel streams do not share the sets of a cache. */
static inline __attribute__((always_inline)) int64_t KERNEL_pitch(int64_t K) { return 16 * K + 48; }

/* A weight, and how far apart its rows are. */
typedef struct {
    const float *first;
    int64_t row;
} KERNEL_weight;

/* Columns n..n+7 of both to a panel, from k on. */
static inline TARGET_ATTRIBUTE void KERNEL_pack_slowly(const KERNEL_weight *weight, int64_t n, int64_t width, int64_t k, int64_t K, float *panel)
{
    for (; k < K; k++)
        for (int64_t i = 0; i < 16; i++) {
            const KERNEL_weight *w = &weight[i / 8];
#if LAYOUT_W_KN
            panel[k * 16 + i] = i % 8 < width ? w->first[k * w->row + n + i % 8] : 0;
#else
            panel[k * 16 + i] = i % 8 < width ? w->first[(n + i % 8) * w->row + k] : 0;
#endif
        }
}

#if LAYOUT_W_KN
/* The same quickly, as far as that goes: gives where it ends. */
static inline TARGET_ATTRIBUTE int64_t KERNEL_pack_quickly(const KERNEL_weight *weight, int64_t n, int64_t K, float *panel)
{
    for (int64_t k = 0; k < K; k++, panel += 16) {
        __builtin_memcpy(panel, weight[0].first + k * weight[0].row + n, 8 * sizeof *panel);
        __builtin_memcpy(panel + 8, weight[1].first + k * weight[1].row + n, 8 * sizeof *panel);
    }
    return K;
}
#else
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "NAME needs gcc 12 or later, or clang, for __builtin_shufflevector."
#endif
/* The same quickly, as far as that goes: gives where it ends. */
static inline TARGET_ATTRIBUTE int64_t KERNEL_pack_quickly(const KERNEL_weight *weight, int64_t n, int64_t K, float *panel)
{
    const int64_t whole = K / LANES * LANES;
    for (int64_t k = 0; k < whole; k += LANES)
        for (int64_t c = 0; c < 16; c += LANES) {
            PACKAGE_floats_MACHINE v[LANES];
            PACKAGE_UNROLL(16)
            for (int i = 0; i < LANES; i++)
                v[i] = PACKAGE_load_MACHINE(weight[(c + i) / 8].first + (n + (c + i) % 8) * weight[(c + i) / 8].row + k, LANES);
            PACKAGE_transpose_MACHINE(v);
            PACKAGE_UNROLL(16)
            for (int i = 0; i < LANES; i++)
                PACKAGE_store_MACHINE(panel + (k + i) * 16 + c, v[i], LANES);
        }
    return whole;
}
#endif

/* Columns n.. of a tile to its panels. */
static __attribute__((noinline)) TARGET_ATTRIBUTE void KERNEL_pack(const NAME_args *a, int64_t n, float *panel)
{
    const int64_t K = a->K, n1 = n + WIDE;
    const KERNEL_weight weight[] = { { a->W, STRIDED(W, a->W_stride[0], LAYOUT_W_KN ? a->N : K) },
                                     { a->G, STRIDED(G, a->G_stride[0], LAYOUT_W_KN ? a->N : K) } };
    for (; n < n1; n += 8, panel += KERNEL_pitch(K))
        KERNEL_pack_slowly(weight, n, a->N - n, a->N - n >= 8 ? KERNEL_pack_quickly(weight, n, K, panel) : 0, K, panel);
}

/* The tile as a function for each height. */
static TARGET_ATTRIBUTE void KERNEL_rows(const NAME_args *a, int64_t rows, const float *panels, int64_t m, int64_t n)
{
    switch (rows) {
    case R: KERNEL_panels(R, WIDE, a, panels, KERNEL_pitch(a->K), m, n, 0, 1); break; //@ repeat R = 1..MR
    }
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const KERNEL_share share = KERNEL_share_of(a->M, a->N, task, ntask);
    float *panels = (float *)((char *)a->scratch + (size_t)task * KERNEL_scratch(a));
    if (share.m0 == share.m1)
        return 0;
    for (int64_t n = share.n0; n < share.n1; n += WIDE) {
        KERNEL_pack(a, n, panels);
        for (int64_t i = 0; i < share.tiles; i++) {
            const int64_t m = KERNEL_tile_row(&share, i);
            KERNEL_rows(a, KERNEL_tile_row(&share, i + 1) - m, panels, m, n);
        }
    }
    return 0;
}
