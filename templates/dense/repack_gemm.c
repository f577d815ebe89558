/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "repack_gemm";
op      = "dense";
family  = "cpu";
doc     = "Y = X * W + bias with W as it is: blocks of W are packed on the stack for tiles of MR rows x NP*16 columns";
packed  = false;
layouts = { W = ["NK", "KN"]; };
dtypes  = ["f32"];
params = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14]; doc = "rows of X in the tallest tile"; },
  { name = "NP";    choices = [1, 2, 3, 4, 6];           doc = "panels in a tile: 16*NP columns"; },
  { name = "UK";    choices = [1, 2, 4, 8];                 doc = "steps of k in one round of the inner loop"; },
  { name = "KC";    choices = [64, 128, 192, 256, 384, 512];
    doc = "values of k in a packed block, at most; K is cut into equal blocks"; },
  { name = "HOLD";  choices = [0, 1];
    doc = "1: load W's vectors into registers once for all rows; 0: the compiler may fold the loads into the FMAs"; },
  { name = "EVEN";  choices = [0, 1];
    doc = "1: row tiles of nearly equal height (17 = 9 + 8); 0: MR rows each and the rest last"; },
  { name = "SPLIT"; choices = [0, 1];
    doc = "what threads share out: 0 panels, 1 rows (each then packs all of W)"; } );
values = (
  { name = "VP";   expr = "64 / VECTOR_BYTES"; doc = "vectors in 16 columns"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "UNIT"; expr = "NP * 16";           doc = "columns of a tile"; },
  { name = "WIDE"; expr = "NP * 16";           doc = "which are all of one width"; },
  { name = "PF";   expr = "0";                 doc = "blocks are close: nothing is fetched ahead"; },
  { name = "WS";   expr = "NP * 16";           doc = "floats from one row of a block to the next"; },
  { name = "IN_TURN"; expr = "0";              doc = "sums need not be added to in turn"; },
  { name = "NV";   expr = "NP * VP";           doc = "vectors in a row of a tile"; },
  { name = "CALLS"; expr = "0";                doc = "a formula that calls functions is computed on Y, behind a tile"; },
  { name = "NACC"; expr = "MR * NP * VP";      doc = "accumulators"; } );
constraints = (
  { need = "NACC + NP*VP + 1 <= VECTOR_REGISTERS";
    why = "accumulators, one row of W's vectors and one value of X must fit the vector registers"; },
  { need = "HOLD > 0 || MR <= 2 || VECTOR_BYTES == 16"; why = "what the compiler chooses to keep for several rows it moves about in long rounds"; },
  { need = "!OUTPUT_READ"; why = "Y cannot hold a block's sums while the formula still has to read it"; },
  { need = "NACC >= 8";
    why = "packing pays for many rows only, where nothing but latency holds back a smaller tile"; },
  { need = "KC*NP*64 <= 65536";                    why = "the packed block lies on the stack: at most 64 KiB"; },
  { need = "UK == 1 || NACC*UK <= 128";            why = "a longer loop body only costs instruction cache"; },
  { need = "VECTOR_BYTES == 16 || UK*(NACC + MR + NV) >= 112";
    why = "of a round of the loop a fifteenth at most may be neither FMA nor load: beside busy neighbours the core does three instructions a cycle (without FMA, compilers spill in long rounds)"; },
  { need = "VECTOR_BYTES == 16 || INSTRUCTIONS*NACC <= 125 * (NACC + MR + NV)"; why = "so does what a compiler adds: more than a quarter is too much"; },
  { need = "SPLIT == 0 || MAX_THREADS > 1"; why = "one thread shares out nothing"; } );
general = (
  { target = "avx512"; MR = 8; NP = 3; UK = 4; KC = 256; HOLD = 1; EVEN = 1; SPLIT = 0; },
  { target = "avx2"; MR = 6; NP = 1; UK = 8; KC = 256; HOLD = 1; EVEN = 1; SPLIT = 0; },
  { target = "portable"; MR = 2; NP = 1; UK = 4; KC = 256; HOLD = 0; EVEN = 1; SPLIT = 0; } );
tile = { M = "MR"; N = "16*NP"; K = "KC"; };
derived = (
  { name = "COL";    expr = "16*NP"; doc = "columns of a tile: none is narrower"; },
  { name = "KB";     expr = "min(K, ceil_to(ceil_div(K, ceil_div(K, KC)), 16))"; doc = "values of k in a block"; },
  { name = "W_CLOSE"; expr = "1"; doc = "the packed block stays close"; },
  { name = "W_FAR";  expr = "1"; doc = "W is read once, to be packed"; },
  { name = "X_CLOSE"; expr = "MT * KB * 4 <= L2_BYTES";
    doc = "a block of X stays in L2 from one tile of columns to the next"; } );
terms = (
  { name = "pack";     expr = "K * UT * NP * VP * (5 - LAYOUT_W_KN)"; doc = "W put into panels, a vector at a time"; } );
features = (
  { name = "pack_share";   expr = "log2(1 + 8 / MT)"; doc = "packing a block against its use"; },
  { name = "pack_short";   expr = "1 / MT * 64 / KB"; doc = "short pieces of W's rows stop the hardware prefetcher"; },
  { name = "pack_alias";   expr = "((1 - LAYOUT_W_KN) * (K % 1024 == 0) + LAYOUT_W_KN * (N % 1024 == 0)) / MT";
    doc = "rows of W a multiple of 4 KiB apart share a set of L1"; },
  { name = "pack_tail";    expr = "(N % (16*NP) != 0) / UT / MT";
    doc = "the last columns are packed element by element"; },
  { name = "l2_stream";    expr = "(NP * KB * 64 * 4 > L1_BYTES * 3) / ROWS";
    doc = "bytes of W from L2 for an FMA: the block exceeds three quarters of L1"; },
  { name = "x_stream";     expr = "(1 - X_CLOSE) / NP"; doc = "bytes of X from beyond L2 for an FMA"; },
  { name = "y_alias";      expr = "(N % 1024 == 0) * ROWS / KB"; doc = "rows of Y share a set of L1"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#include "../vector/load.h"
#include "../vector/store.h"
#include "../vector/transpose.h"
#define MR 8
#define NP 3
#define UK 1
#define KC 256
#define HOLD 1
#define CALLS 0
#define NV 3
#define UNIT 48
#define WIDE 48
#define PF 0
#define WS 48
#define IN_TURN 0
#define EVEN 1
#define SPLIT 0
#define LAYOUT_W_KN 0
#define R 8
#endif
/* KERNEL: packs KC x (NP*16) blocks of W on the stack (KC*NP*64 bytes), then MR x (NP*16) tiles of Y, k innermost.
 *   X[m][k]         at X + m*K + k
#if LAYOUT_W_KN
 *   W[k][n]         at W + k*N + n
#else
 *   W[n][k]         at W + n*K + k
#endif
 *   block[k][c]     W at row k0 + k and column n + c, zero beyond column N
 *   acc[r][v]       sum over the block's k of X[m+r][k0+k] * v-th vector of block[k] */
#include "../gemm/rows.h"
#include "../gemm/sums.h"
#include "../gemm/rows_by_rows.h"
#include "../gemm/share.h"
#include "store_part.h"
#include "store_tile.h"

#if LAYOUT_W_KN
static __attribute__((noinline)) TARGET_ATTRIBUTE void
KERNEL_pack(const NAME_args *a, int64_t n, int64_t k0, int64_t kc, float *block)
{
    const int64_t N = a->N, width = N - n;
    const float *w = a->W + k0 * STRIDED(W, a->W_stride[0], N) + n;
    for (int64_t k = 0; k < kc; k++, w += STRIDED(W, a->W_stride[0], N), block += NP * 16)
        if (width >= NP * 16) {
            PACKAGE_UNROLL(32)
            for (int v = 0; v < NV; v++)
                *(KERNEL_vec *)(block + v * LANES) = *(const KERNEL_vec *)(w + v * LANES);
        } else {
            for (int64_t c = 0; c < NP * 16; c++)
                block[c] = c < width ? w[c] : 0;
        }
}
#else
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "NAME needs gcc 12 or later, or clang, for __builtin_shufflevector."
#endif
static __attribute__((noinline)) TARGET_ATTRIBUTE void
KERNEL_pack(const NAME_args *a, int64_t n, int64_t k0, int64_t kc, float *block)
{
    for (int64_t c = 0; c < NP * 16; c += LANES, block += LANES) {
        const int64_t K = STRIDED(W, a->W_stride[0], a->K), width = a->N - n - c;
        const float *w = a->W + (n + c) * K + k0;
        int64_t k = 0;
        for (; width >= LANES && k + LANES <= kc; k += LANES) {
            PACKAGE_floats_MACHINE v[LANES];
            PACKAGE_UNROLL(16)
            for (int i = 0; i < LANES; i++)
                v[i] = PACKAGE_load_MACHINE(w + k + i * K, LANES);
            PACKAGE_transpose_MACHINE(v);
            PACKAGE_UNROLL(16)
            for (int i = 0; i < LANES; i++)
                PACKAGE_store_MACHINE(block + (k + i) * NP * 16, v[i], LANES);
        }
        for (; k < kc; k++)
            for (int64_t i = 0; i < LANES; i++)
                block[k * NP * 16 + i] = i < width ? w[i * K + k] : 0;
    }
}
#endif

/* Rows m.., columns n.., kc values of k from k0 on: adds to Y unless k0 is 0. `rows` is a constant of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int rows, const NAME_args *a, const float *block, int64_t m, int64_t n, int64_t k0, int64_t kc)
{
    const int64_t K = STRIDED(X, a->X_stride[0], a->K), width = a->N - n;
    KERNEL_vec acc[MR][NV];
    KERNEL_sum(rows, NV, acc, a->X + m * K + k0, K, block, NP * 16, kc);
    if (width < NP * 16)
        KERNEL_store_columns(rows, NV, acc, a, m, n, 0, width, k0, k0 + kc);
    else
        KERNEL_store(rows, NV, acc, a, m, n, k0, k0 + kc);
}

/* The tile as a function for each height. */
static TARGET_ATTRIBUTE void
KERNEL_rows(const NAME_args *a, int64_t rows, const float *block, int64_t m, int64_t n, int64_t k0, int64_t kc)
{
    switch (rows) {
    case R: KERNEL_tile(R, a, block, m, n, k0, kc); break; //@ repeat R = 1..MR
    }
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    float block[KC * NP * 16] __attribute__((aligned(64)));
    const KERNEL_share share = KERNEL_share_of(a->M, a->N, task, ntask);
    const int64_t K = a->K, blocks = K > KC ? (K + KC - 1) / KC : 1;
    /* KC is a multiple of 16: step is at most KC. An empty sum (K = 0) is one empty block. */
    const int64_t step = K > 0 ? ((K + blocks - 1) / blocks + 15) / 16 * 16 : KC;
    if (share.m0 == share.m1)
        return 0;
    for (int64_t n = share.n0; n < share.n1; n += NP * 16)
        for (int64_t k0 = 0; k0 == 0 || k0 < K; k0 += step) {
            const int64_t kc = K - k0 < step ? K - k0 : step;
            KERNEL_pack(a, n, k0, kc, block);
            for (int64_t i = 0; i < share.tiles; i++) {
                const int64_t m = KERNEL_tile_row(&share, i);
                KERNEL_rows(a, KERNEL_tile_row(&share, i + 1) - m, block, m, n, k0, kc);
            }
        }
    return 0;
}
