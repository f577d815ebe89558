/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "direct_gemm";
op      = "dense";
family  = "cpu";
doc     = "Y = X * W + bias with W as it is, one row an input column: register tiles of MR rows x NV vectors along it";
packed  = false;
layouts = { W = ["KN"]; };
dtypes  = ["f32"];
params = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]; doc = "rows of X in the tallest tile"; },
  { name = "NV";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 24]; doc = "vectors of W in a tile, side by side"; },
  { name = "UK";    choices = [1, 2];                        doc = "steps of k in one round of the inner loop"; },
  { name = "KC";    choices = [0, 128, 256, 384];
    doc = "block of K that is finished for all tiles before the next begins; 0: all of K"; },
  { name = "PF";    choices = [0, 4];
    doc = "rows of W to prefetch ahead; 0: leave it to the hardware"; },
  { name = "HOLD";  choices = [0, 1];
    doc = "1: load W's vectors into registers once for all rows; 0: the compiler may fold the loads into the FMAs"; },
  { name = "ORDER"; choices = [0, 1];
    doc = "0: all row tiles before the next columns (W stays close); 1: all columns before the next rows (X does)"; },
  { name = "EVEN";  choices = [0, 1];
    doc = "1: row tiles of nearly equal height (17 = 9 + 8); 0: MR rows each and the rest last"; },
  { name = "SPLIT"; choices = [0, 1];                        doc = "what threads share out: 0 columns, 1 rows"; } );
values = (
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "CALLS"; expr = "0"; doc = "a formula that calls functions is computed on Y, behind a tile"; } );
constraints = (
  { need = "MR*NV + NV + 1 <= VECTOR_REGISTERS || (MR == 1 && HOLD == 0 && NV < VECTOR_REGISTERS)";
    why = "accumulators, one row of W's vectors and one value of X must fit the vector registers"; },
  { need = "MR*NV >= 4";
    why = "fewer than 4 accumulators cannot hide the latency of an FMA on any CPU"; },
  { need = "UK == 1 || MR*NV*UK <= 64";          why = "a longer loop body only costs instruction cache"; },
  { need = "PF == 0 || MR <= 8";
    why = "with more than 8 rows W arrives slowly enough for the hardware prefetcher"; },
  { need = "MR > 1 || (ORDER == 0 && EVEN == 0)"; why = "with single rows there is no tail to even out"; },
  { need = "SPLIT == 0 || MAX_THREADS > 1"; why = "one thread shares out nothing"; } );
general = (
  { target = "avx512"; MR = 8; NV = 3; UK = 1; KC = 256; PF = 0; HOLD = 1; ORDER = 0; EVEN = 1; SPLIT = 0; },
  { target = "avx2"; MR = 6; NV = 2; UK = 1; KC = 256; PF = 0; HOLD = 1; ORDER = 0; EVEN = 1; SPLIT = 0; },
  { target = "portable"; MR = 2; NV = 4; UK = 1; KC = 256; PF = 0; HOLD = 0; ORDER = 0; EVEN = 1; SPLIT = 0; } );
tile = { M = "MR"; N = "NV*LANES"; K = "max(KC, UK)"; };
derived = (
  { name = "ALIAS"; expr = "N % 1024 == 0"; doc = "W's rows a multiple of 4 KiB apart share the sets of a cache"; },
  { name = "W_CLOSE"; expr = "W_TILE * 2 <= L1_BYTES && (ALIAS == 0 || KB <= 12)";
    doc = "W stays in L1 from one row tile to the next"; },
  { name = "W_NEAR"; expr = "W_TILE <= L2_BYTES && (ALIAS == 0 || KB <= 256)"; doc = "or at least in L2"; },
  { name = "X_CLOSE"; expr = "1"; doc = "no time was seen to pass for lines of X"; } );
features = (
  { name = "traffic";      expr = "1 / (W_CLOSE * MT + (1 - W_CLOSE) * ROWS)"; doc = "bytes of W brought to L1 for an FMA"; },
  { name = "narrow";       expr = "1 / min(UT, NV) / MT";
    doc = "short pieces of W's rows stop the hardware prefetcher"; },
  { name = "pages";        expr = "(N >= 1024) * PASSES / MT"; doc = "each row of W lies on a page of its own"; },
  { name = "pages_narrow"; expr = "(N >= 1024) * PASSES / MT / min(UT, NV)"; doc = "the same, for short pieces"; },
  { name = "alias";        expr = "ALIAS * (1 - W_CLOSE) / ROWS"; doc = "W's rows push each other out of L1"; },
  { name = "alias_near";   expr = "ALIAS * (1 - W_NEAR) / ROWS"; doc = "and out of L2"; },
  { name = "prefetch";     expr = "PF > 0"; doc = "prefetches issued"; },
  { name = "prefetch_few"; expr = "(PF > 0) / ROWS"; doc = "the same, for few rows"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define MR 8
#define NV 3
#define UK 1
#define KC 256
#define PF 0
#define HOLD 1
#define CALLS 0
#define ORDER 0
#define EVEN 1
#define SPLIT 0
#define R 8
#endif
/* KERNEL: MR x (NV*LANES) tiles of Y, k innermost.
 *   X[m][k]     at X + m*K + k
 *   W[k][n]     at W + k*N + n
 *   acc[r][v]   sum over k of X[m+r][k] * W[k][v-th vector of the tile]
 * The last N % LANES columns are computed as the last LANES columns, of which only they are stored; N < LANES has a loop. */
#include "../gemm/rows.h"
#include "addend.h"
#include "finish.h"
#include "../gemm/store_part.h"
#include "../gemm/sums.h"
#include "store_tile.h"

/* The q-th value of k from x and w on. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_step(const int rows, const int vectors, KERNEL_vec acc[MR][NV], const float *const *x, const float *w, const int q,
            int64_t K, int64_t N)
{
    KERNEL_vec wv[NV];
    w += q * N;
    PACKAGE_UNROLL(32)
    for (int v = 0; v < vectors; v++) {
        KERNEL_vec load = *(const KERNEL_vec *)(w + v * LANES);
#if HOLD
        PACKAGE_IN_REGISTER(load);
#endif
#if PF
        __builtin_prefetch(w + PF * N + v * LANES);
#endif
        wv[v] = load;
    }
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        KERNEL_vec xv = KERNEL_row(x, r, K)[q] - (KERNEL_vec){0};
#if HOLD
        PACKAGE_IN_REGISTER(xv);
#endif
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++) {
#if HOLD
            PACKAGE_FMA(acc[r][v], xv, wv[v]);
#else
            acc[r][v] += xv * wv[v];
#if VECTOR_BYTES > 16
            PACKAGE_IN_REGISTER(acc[r][v]); /* clang would else load many values of X first, for which there are no registers */
#endif
#endif
        }
    }
}

/* Rows m.., columns n.., k0 <= k < k1: adds to Y unless k0 is 0. `rows` and `vectors` are constants of each call.
 * The first `done` columns are not stored: they belong to the tile before. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int rows, const int vectors, const NAME_args *a, int64_t m, int64_t n, int64_t done, int64_t k0,
            int64_t k1)
{
    const int64_t N = a->N, K = a->K;
    const float *x[(MR + 2) / 3], *w = a->W + k0 * N + n;
    KERNEL_vec acc[MR][NV];
    KERNEL_clear(rows, vectors, acc);
    int64_t k = k1 - k0;
    KERNEL_point(rows, x, a->X + m * K + k0, K);
    for (; k >= UK; k -= UK, w += UK * N, KERNEL_advance(rows, x, UK))
        PACKAGE_UNROLL(4)
        for (int q = 0; q < UK; q++)
            KERNEL_step(rows, vectors, acc, x, w, q, K, N);
#if UK > 1
    for (; k > 0; k--, w += N, KERNEL_advance(rows, x, 1))
        KERNEL_step(rows, vectors, acc, x, w, 0, K, N);
#endif
    if (done)
        KERNEL_store_columns(rows, 1, acc, a, m, n, done, LANES, k0, k1);
    else
        KERNEL_store(rows, vectors, acc, a, m, n, k0, k1);
}

/* The tile as a function for each height, full width or one vector. */
static TARGET_ATTRIBUTE void
KERNEL_rows(const NAME_args *a, int64_t rows, int64_t width, int64_t m, int64_t n, int64_t done, int64_t k0, int64_t k1)
{
#if NV > 1
    if (width == NV * LANES)
        switch (rows) {
        case R: KERNEL_tile(R, NV, a, m, n, 0, k0, k1); return; //@ repeat R = 1..MR
        }
#else
    (void)width;
#endif
    switch (rows) {
    case R: KERNEL_tile(R, 1, a, m, n, done, k0, k1); return; //@ repeat R = 1..MR
    }
}

/* N shorter than a vector. */
static TARGET_ATTRIBUTE void KERNEL_narrow(const NAME_args *a, int64_t m0, int64_t m1)
{
    const int64_t N = a->N, K = a->K;
    for (int64_t m = m0; m < m1; m++) {
        float *y = a->Y + m * N;
        for (int64_t n = 0; n < N; n++)
            y[n] = 0;
        for (int64_t k = 0; k < K; k++)
            for (int64_t n = 0; n < N; n++)
                y[n] += a->X[m * K + k] * a->W[k * N + n];
    }
#if HAS_EPILOGUE
    KERNEL_finish(a, m0, 0, m1 - m0, N);
#endif
}

#if !SPLIT
/* The first column of a part: whole tiles, except at the end of a row. */
static int64_t KERNEL_begin(int64_t N, int64_t task, int64_t ntask)
{
    const int64_t vectors = (N + LANES - 1) / LANES, n = (vectors * task / ntask + NV / 2) / NV * NV * LANES;
    return task == ntask || n > N ? N : n;
}
#endif

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t M = a->M, N = a->N, K = a->K;
#if SPLIT
    const int64_t n0 = 0, n1 = N, m0 = M * task / ntask, m1 = M * (task + 1) / ntask;
#else
    const int64_t m0 = 0, m1 = M, n0 = KERNEL_begin(N, task, ntask), n1 = KERNEL_begin(N, task + 1, ntask);
#endif
    const int64_t ntile = (m1 - m0 + MR - 1) / MR;
    if (N < LANES) {
        KERNEL_narrow(a, m0, n0 < n1 ? m1 : m0);
        return 0;
    }
#if KC
    for (int64_t k0 = 0; k0 == 0 || k0 < K; k0 += KC) {
        const int64_t k1 = K - k0 < KC ? K : k0 + KC;
#else
    {
        const int64_t k0 = 0, k1 = K;
#endif
#if ORDER
        for (int64_t i = 0; i < ntile; i++)
            for (int64_t n = n0; n < n1; n += n1 - n < NV * LANES ? LANES : NV * LANES) {
#else
        for (int64_t n = n0; n < n1; n += n1 - n < NV * LANES ? LANES : NV * LANES)
            for (int64_t i = 0; i < ntile; i++) {
#endif
                const int64_t width = n1 - n < NV * LANES ? LANES : NV * LANES, at = n1 - n < LANES ? n1 - LANES : n;
#if EVEN
                const int64_t m = m0 + (m1 - m0) * i / ntile, rows = m0 + (m1 - m0) * (i + 1) / ntile - m;
#else
                const int64_t m = m0 + i * MR, rows = m1 - m < MR ? m1 - m : MR;
#endif
                KERNEL_rows(a, rows, width, m, at, n - at, k0, k1);
            }
    }
    return 0;
}
