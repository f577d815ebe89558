/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "direct_bmm";
op      = "batch_matmul";
family  = "cpu";
doc     = "Y[b] = A[b] * B[b] with B as it is, one row a k: register tiles of MR rows x NV vectors of LANES floats";
packed  = false;
layouts = { B = ["KN"]; };
dtypes  = ["f32"];
params  = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14]; doc = "rows of the tallest tile"; },
  { name = "NV";    choices = [1, 2, 3, 4, 5, 6, 8];         doc = "vectors of the widest tile, side by side"; },
  { name = "LANES"; choices = [4, 8, 16];                    doc = "floats in a vector"; },
  { name = "HOLD";  choices = [1, 2];
    doc = "how a value of A comes to all lanes: 1 once for all vectors, 2 within each FMA (AVX-512)"; } );
constraints = (
  { need = "4*LANES <= VECTOR_BYTES && 8*LANES >= VECTOR_BYTES"; why = "vectors are the target's, or half of those"; },
  { need = "HOLD == 1 || VECTOR_BYTES == 64"; why = "only AVX-512 broadcasts within an FMA"; },
  { need = "MR*NV + NV + (HOLD == 1) <= VECTOR_REGISTERS"; why = "accumulators, B's vectors and a value of A must fit the vector registers"; } );
general = (
  { target = "avx512";   MR = 8; NV = 3; LANES = 8; HOLD = 1; },
  { target = "avx2";     MR = 4; NV = 2; LANES = 8; HOLD = 1; },
  { target = "portable"; MR = 4; NV = 2; LANES = 4; HOLD = 1; } );
tile    = { B0 = "1"; B1 = "1"; M = "MR"; N = "NV*LANES"; K = "2"; };
derived = ( { name = "COL"; expr = "LANES"; doc = "columns of a unit"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define MR 8
#define NV 3
#define LANES 16
#define HOLD 1
#define VECTOR_BYTES 64
#define LAYOUT_A_KM 0
#define R 8
#define V 3
#endif
/* KERNEL: problem by problem, tiles of Y from above to below, then to the right: B's columns stay in L1. */
#include "first_lanes.h"
#include "../dense/row_pointers.h"
#include "batch_share.h"
#include "batch_step.h"

/* rows x vectors of Y, all of k. Small tiles keep two sums for each element, of even and of odd k, so that FMAs need not wait. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_tile(const int rows, const int vectors, KERNEL_mask last, const float *a, int64_t xs, const float *w, int64_t ws, int64_t k,
            float *y, int64_t ys)
{
    const int two = rows * vectors < 8 && 2 * rows * vectors + vectors < VECTOR_BYTES / 4;
    const float *x[(MR + 2) / 3];
    KERNEL_vec acc[2][MR][NV];
#pragma GCC unroll 32
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 32
        for (int v = 0; v < vectors; v++)
            acc[0][r][v] = acc[1][r][v] = (KERNEL_vec){0};
    KERNEL_point(KERNEL_A_ROWS(rows), x, a, xs);
    for (; k >= 2; k -= 2, w += 2 * ws, KERNEL_advance(KERNEL_A_ROWS(rows), x, 2 * KERNEL_A_STEP(xs))) {
        KERNEL_step(rows, vectors, acc[0], x, xs, w, 1, last, 0);
        KERNEL_step(rows, vectors, acc[two], x, xs, w + ws, 1, last, 1);
    }
    if (k > 0)
        KERNEL_step(rows, vectors, acc[0], x, xs, w, 1, last, 0);
#pragma GCC unroll 32
    for (int r = 0; r < rows; r++, y += ys)
#pragma GCC unroll 32
        for (int v = 0; v < vectors; v++) {
            KERNEL_vec sum = acc[0][r][v];
            if (two)
                sum += acc[1][r][v];
            if (v + 1 < vectors)
                *(KERNEL_vec *)(y + v * LANES) = sum;
            else
                KERNEL_store_first(y + v * LANES, sum, last);
        }
}

/* The tile as a function for each height and width. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_rows(int64_t rows, int64_t vectors, KERNEL_mask last, const float *a, int64_t xs, const float *w, int64_t ws, int64_t k, float *y,
            int64_t ys)
{
//@ repeat V = 1..NV
    if (vectors == V)
        switch (rows) {
        case R: KERNEL_tile(R, V, last, a, xs, w, ws, k, y, ys); return; //@ repeat R = 1..MR
        }
//@ end
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const KERNEL_share share = KERNEL_share_of(a, task, ntask);
    const int64_t M = a->M, N = a->N, xs = a->A_stride[2], ws = a->B_stride[2], ys = a->Y_stride[2];
    if (share.begin >= share.end || M <= 0 || N <= 0)
        return 0;
    const KERNEL_cut across = KERNEL_cut_of((N + LANES - 1) / LANES, NV);
    const KERNEL_mask all = KERNEL_first(LANES), rest = KERNEL_first((N - 1) % LANES + 1);
    KERNEL_cut down = KERNEL_cut_of(M, MR);
    int64_t b0 = share.begin / share.parts / a->B1, b1 = share.begin / share.parts % a->B1, part = share.begin % share.parts;
    for (int64_t i = share.begin; i < share.end; i++) {
        const float *x = a->A + b0 * a->A_stride[0] + b1 * a->A_stride[1], *w = a->B + b0 * a->B_stride[0] + b1 * a->B_stride[1];
        float *y = a->Y + b0 * a->Y_stride[0] + b1 * a->Y_stride[1];
        if (share.parts > 1) {
            const int64_t m = M * part / share.parts;
            down = KERNEL_cut_of(M * (part + 1) / share.parts - m, MR);
            x += m * (LAYOUT_A_KM ? 1 : xs);
            y += m * ys;
        }
        for (int64_t t = 0, n = 0, width; t < across.count; t++, n += width) {
            const int64_t vectors = across.size + (t < across.larger);
            width = vectors * LANES;
            for (int64_t u = 0, m = 0, rows; u < down.count; u++, m += rows) {
                rows = down.size + (u < down.larger);
                KERNEL_rows(rows, vectors, t + 1 < across.count ? all : rest, x + m * (LAYOUT_A_KM ? 1 : xs), xs, w + n, ws, a->K,
                            y + m * ys + n, ys);
            }
        }
        if (++part == share.parts) {
            part = 0;
            if (++b1 == a->B1)
                b1 = 0, b0++;
        }
    }
    return 0;
}
