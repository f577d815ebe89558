/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "dot_gemm";
op      = "dense";
family  = "cpu";
doc     = "Y = X * W + bias with W as it is, one row an output column: MR x NR dot products along rows of X and W";
packed  = false;
layouts = { W = ["NK"]; };
dtypes  = ["f32"];
params = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 10]; doc = "rows of X in the tallest tile"; },
  { name = "NR";    choices = [1, 2, 3, 4, 5, 6, 8, 12];
    doc = "columns of Y in a tile: rows of W read side by side"; },
  { name = "UK";    choices = [1, 2, 4];                    doc = "vectors of k in one round of the inner loop"; },
  { name = "KC";    choices = [0, 512, 768, 1536];
    doc = "block of K that is finished for all tiles before the next begins; 0: all of K"; },
  { name = "HOLD";  choices = [0, 1];
    doc = "1: load each vector into a register once; 0: the compiler may fold the loads into the FMAs"; },
  { name = "ORDER"; choices = [0, 1];
    doc = "0: all row tiles before the next columns (W stays close); 1: all columns before the next rows (X does)"; },
  { name = "EVEN";  choices = [0, 1];
    doc = "1: row tiles of nearly equal height (17 = 9 + 8); 0: MR rows each and the rest last"; },
  { name = "SPLIT"; choices = [0, 1];                       doc = "what threads share out: 0 columns, 1 rows"; } );
values = (
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; } );
constraints = (
  { need = "MR*NR + MR + 1 <= VECTOR_REGISTERS";
    why = "accumulators, a vector of each row of X and one of W must fit the vector registers"; },
  { need = "MR*NR >= 4";
    why = "fewer than 4 accumulators cannot hide the latency of an FMA on any CPU"; },
  { need = "UK == 1 || MR*NR*UK <= 48";          why = "a longer loop body only costs instruction cache"; },
  { need = "MR > 1 || (ORDER == 0 && EVEN == 0)"; why = "with single rows there is no tail to even out"; },
  { need = "SPLIT == 0 || MAX_THREADS > 1"; why = "one thread shares out nothing"; } );
general = (
  { target = "avx512"; MR = 5; NR = 4; UK = 1; KC = 0; HOLD = 1; ORDER = 0; EVEN = 1; SPLIT = 0; },
  { target = "avx2"; MR = 2; NR = 4; UK = 1; KC = 0; HOLD = 1; ORDER = 0; EVEN = 1; SPLIT = 0; },
  { target = "portable"; MR = 2; NR = 4; UK = 1; KC = 0; HOLD = 0; ORDER = 0; EVEN = 1; SPLIT = 0; } );
tile = { M = "MR"; N = "NR"; K = "max(KC, LANES*UK)"; };
derived = (
  { name = "COL";    expr = "1"; doc = "a column of Y, that is a row of W, with vectors along k"; },
  { name = "STEPS";  expr = "ceil_div(K, LANES)"; doc = "vectors along k"; },
  { name = "FLOPS_EACH"; expr = "2 * ceil_to(K, LANES)"; doc = "operations for an element of Y"; },
  { name = "VECTORS"; expr = "MR*NR + MR + 1"; doc = "vector registers: sums, one of each row of X, one of W"; },
  { name = "X_CLOSE"; expr = "ORDER * (ROWS*KB*8 <= L1_BYTES) + (1 - ORDER) * (MT*KB*8 <= L1_BYTES)";
    doc = "X stays in L1 from one column tile to the next"; },
  { name = "X_PASSES"; expr = "GROUPS + SINGLES - 1"; doc = "how often later column tiles fetch X"; },
  { name = "W_USE"; expr = "W_CLOSE * MT + (1 - W_CLOSE) * ROWS"; doc = "FMAs for a vector of W brought to L1"; },
  { name = "X_USE"; expr = "X_CLOSE * UT + (1 - X_CLOSE) * min(UT, NR)";
    doc = "FMAs for a vector of X brought to L1"; } );
terms = (
  { name = "sums";     expr = "MT * UT * ceil_div(K, KB) * 2"; doc = "the elements of a vector added up"; } );
features = (
  { name = "traffic";      expr = "log2(max(1, 4 / W_USE + 4 / X_USE))";
    doc = "operands arrive in L1 at 32 bytes a cycle: that bounds tiles that use them few times"; },
  { name = "w_traffic";    expr = "1 / W_USE"; doc = "bytes of W brought to L1 for an FMA"; },
  { name = "x_traffic";    expr = "1 / X_USE"; doc = "bytes of X brought to L1 for an FMA"; },
  { name = "x_over_l2";    expr = "(ORDER == 0 && MT*KB*4 > L2_BYTES) / NR";
    doc = "bytes of X from beyond L2 for an FMA"; },
  { name = "sums";         expr = "LANES / KB"; doc = "adding up the lanes at a tile's end, against its length"; },
  { name = "sums_odd";     expr = "LANES / KB * (ceil_to(NR, 4) - NR) / NR";
    doc = "the same, for lanes that no column uses"; },
  { name = "drain";        expr = "LANES / KB / (ROWS*NR)"; doc = "start and end of a tile against its work"; },
  { name = "k_tail";       expr = "(K % LANES != 0) * LANES / KB"; doc = "the masked step for the last values of k"; },
  { name = "alias";        expr = "(K % 1024 == 0) * (KB >= 1024) * max(0, ROWS + NR - 8)";
    doc = "rows a multiple of 4 KiB apart share a set of L1"; },
  { name = "streams";      expr = "NR"; doc = "parallel streams of W"; },
  { name = "streams_few";  expr = "NR / MT"; doc = "the same, for few rows"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define MR 6
#define NR 4
#define UK 1
#define KC 0
#define HOLD 1
#define ORDER 0
#define EVEN 1
#define SPLIT 0
#define R 6
#endif
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "NAME needs gcc 12 or later, or clang, for __builtin_shufflevector."
#endif
/* KERNEL: MR x NR tiles of Y, k along the vectors.
 *   X[m][k]     at X + m*K + k
 *   W[n][k]     at W + n*K + k
 *   acc[r][c]   lane l: sum over k = l (mod LANES) of X[m+r][k] * W[n+c][k]; Y[m+r][n+c] is the sum of its lanes */
typedef int32_t KERNEL_mask __attribute__((vector_size(VECTOR_BYTES)));

#include "../gemm/rows.h"
#include "../gemm/lane_sums.h"
#include "addend.h"
#include "finish.h"

/* The q-th vector of k for all of the tile; with `last`, of its lanes only those in keep. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_step(const int rows, const int cols, KERNEL_vec acc[MR][NR], const float *const *x, const float *const *w,
            const int q, int64_t K, const int last, KERNEL_mask keep)
{
    KERNEL_vec xv[MR];
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        KERNEL_vec v = *(const KERNEL_vec *)(KERNEL_row(x, r, K) + q * LANES);
        if (last)
            v = (KERNEL_vec)((KERNEL_mask)v & keep);
#if HOLD
        PACKAGE_IN_REGISTER(v);
#endif
        xv[r] = v;
    }
    PACKAGE_UNROLL(16)
    for (int c = 0; c < cols; c++) {
        KERNEL_vec wv = *(const KERNEL_vec *)(KERNEL_row(w, c, K) + q * LANES);
        if (last)
            wv = (KERNEL_vec)((KERNEL_mask)wv & keep);
#if HOLD
        PACKAGE_IN_REGISTER(wv);
#endif
        PACKAGE_UNROLL(16)
        for (int r = 0; r < rows; r++)
#if HOLD
            PACKAGE_FMA(acc[r][c], xv[r], wv);
#else
            acc[r][c] += xv[r] * wv;
#endif
    }
}

/* Rows m.., columns n.., k0 <= k < k1: adds to Y unless k0 is 0. `rows`, `cols` are constants of each call; K >= LANES. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int rows, const int cols, const NAME_args *a, int64_t m, int64_t n, int64_t k0, int64_t k1)
{
    const int64_t N = a->N, K = a->K;
    const float *x[(MR + 2) / 3], *w[(NR + 2) / 3];
    float *y = a->Y + m * N + n;
    KERNEL_vec acc[MR][NR];
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++)
        PACKAGE_UNROLL(16)
        for (int c = 0; c < cols; c++)
            acc[r][c] = (KERNEL_vec){0};
    int64_t k = k1 - k0;
    KERNEL_point(rows, x, a->X + m * K + k0, K);
    KERNEL_point(cols, w, a->W + n * K + k0, K);
    for (; k >= LANES * UK; k -= LANES * UK, KERNEL_advance(rows, x, LANES * UK), KERNEL_advance(cols, w, LANES * UK))
        PACKAGE_UNROLL(4)
        for (int q = 0; q < UK; q++)
            KERNEL_step(rows, cols, acc, x, w, q, K, 0, (KERNEL_mask){0});
#if UK > 1
    for (; k >= LANES; k -= LANES, KERNEL_advance(rows, x, LANES), KERNEL_advance(cols, w, LANES))
        KERNEL_step(rows, cols, acc, x, w, 0, K, 0, (KERNEL_mask){0});
#endif
    if (k > 0) {   /* the last LANES values of the rows, without those that were added already */
        KERNEL_mask keep;
        for (int i = 0; i < LANES; i++)
            keep[i] = i < LANES - k ? 0 : -1;
        KERNEL_advance(rows, x, k - LANES);
        KERNEL_advance(cols, w, k - LANES);
        KERNEL_step(rows, cols, acc, x, w, 0, K, 1, keep);
    }
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++, y += N) {
        const float *add = KERNEL_addend(y, k0);
        PACKAGE_UNROLL(4)
        for (int c = 0; c < cols; c += 4) {
            const int left = cols - c;
            KERNEL_quad sum = KERNEL_sum4(left, &acc[r][c]);
            if (left >= 4) {
                if (add)
                    sum += *(const KERNEL_quad *)(add + c);
                *(KERNEL_quad *)(y + c) = sum;
                continue;
            }
            y[c] = add ? sum[0] + add[c] : sum[0]; /* not a loop: gcc would leave all sums on the stack for its sake */
            if (left > 1)
                y[c + 1] = add ? sum[1] + add[c + 1] : sum[1];
            if (left > 2)
                y[c + 2] = add ? sum[2] + add[c + 2] : sum[2];
        }
    }
}

/* The tile as a function for each height, full width or one column. */
static TARGET_ATTRIBUTE void
KERNEL_rows(const NAME_args *a, int64_t rows, int64_t cols, int64_t m, int64_t n, int64_t k0, int64_t k1)
{
    if (cols == NR)
        switch (rows) {
        case R: KERNEL_tile(R, NR, a, m, n, k0, k1); break; //@ repeat R = 1..MR
        }
#if NR > 1
    else
        switch (rows) {
        case R: KERNEL_tile(R, 1, a, m, n, k0, k1); break; //@ repeat R = 1..MR
        }
#endif
}

/* K shorter than a vector. */
static void KERNEL_short(const NAME_args *a, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    for (int64_t m = m0; m < m1; m++)
        for (int64_t n = n0; n < n1; n++) {
            float sum = 0;
            for (int64_t k = 0; k < a->K; k++)
                sum += a->X[m * a->K + k] * a->W[n * a->K + k];
            a->Y[m * a->N + n] = sum;
        }
}

#if !SPLIT
/* The first column of a part: whole tiles, except at the end of a row. */
static int64_t KERNEL_begin(int64_t N, int64_t task, int64_t ntask)
{
    const int64_t n = (N * task / ntask + NR / 2) / NR * NR;
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
    if (K < LANES)
        KERNEL_short(a, m0, m1, n0, n1);
#if KC
    for (int64_t k0 = 0; K >= LANES && k0 < K; k0 += KC) {
        const int64_t k1 = K - k0 < KC ? K : k0 + KC;
#else
    if (K >= LANES) {
        const int64_t k0 = 0, k1 = K;
#endif
#if ORDER
        for (int64_t i = 0; i < ntile; i++)
            for (int64_t n = n0; n < n1; n += n1 - n < NR ? 1 : NR) {
#else
        for (int64_t n = n0; n < n1; n += n1 - n < NR ? 1 : NR)
            for (int64_t i = 0; i < ntile; i++) {
#endif
#if EVEN
                const int64_t m = m0 + (m1 - m0) * i / ntile, rows = m0 + (m1 - m0) * (i + 1) / ntile - m;
#else
                const int64_t m = m0 + i * MR, rows = m1 - m < MR ? m1 - m : MR;
#endif
                KERNEL_rows(a, rows, n1 - n < NR ? 1 : NR, m, n, k0, k1);
            }
    }
#if HAS_EPILOGUE
    KERNEL_finish(a, m0, n0, m1 - m0, n1 - n0);
#endif
    return 0;
}
