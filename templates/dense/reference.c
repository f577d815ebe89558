/* SPDX-License-Identifier: MIT-0
 *
 * dense, by its definition, in double precision: Y[m][n] = sum_k X[m][k] W(n,k).
 * What kernels are checked against; slow on purpose.
 *
 *   extent   M, N, K
 *   element  as DCGEN_DTYPE says (package/element.h)
 *   operand  X [M][K];  W [N][K], or [K][N] when compiled with DCGEN_LAYOUT_W_KN;  Y (not looked at)
 */
#include <math.h>

static double w_at(const void *w, int64_t N, int64_t K, int64_t n, int64_t k)
{
#ifndef DCGEN_LAYOUT_W_KN
    (void)N;
    return dcgen_load(DCGEN_DTYPE, w, n * K + k);
#else
    (void)K;
    return dcgen_load(DCGEN_DTYPE, w, k * N + n);
#endif
}

/* Rounded operations behind one element: K products that are summed, and one more. */
int64_t dcgen_reference_terms(const int64_t *extent)
{
    return extent[2] + 1;
}

/* y[][] is rows row0..row1-1 of the result, bound[][] the sum of the magnitudes of each element's terms. */
void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1,
                          double *y, double *bound)
{
    const int64_t N = extent[1], K = extent[2];
    const void *X = operand[0], *W = operand[1];
    for (int64_t m = row0; m < row1; m++) {
        for (int64_t n = 0; n < N; n++) {
            double sum = 0, magnitude = 0;
            for (int64_t k = 0; k < K; k++) {
                double term = dcgen_load(DCGEN_DTYPE, X, m * K + k) * w_at(W, N, K, n, k);
                sum += term;
                magnitude += fabs(term);
            }
            *y++ = sum;
            *bound++ = magnitude;
        }
    }
}

/* The sum of each row without the product of three extents: sum_n Y[m][n] = sum_k X[m][k] (sum_n W(n,k)). Goes
 * block by block over k, so that the sums of W's columns fit on the stack. */
void dcgen_reference_check(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1,
                           double *sum, double *bound)
{
    enum { BLOCK = 256 };
    const int64_t N = extent[1], K = extent[2];
    const void *X = operand[0], *W = operand[1];
    for (int64_t m = row0; m < row1; m++)
        sum[m - row0] = bound[m - row0] = 0;
    for (int64_t k0 = 0; k0 < K; k0 += BLOCK) {
        const int64_t nk = K - k0 < BLOCK ? K - k0 : BLOCK;
        double w_sum[BLOCK] = { 0 }, w_magnitude[BLOCK] = { 0 };
        for (int64_t n = 0; n < N; n++) {
            for (int64_t k = 0; k < nk; k++) {
                double w = w_at(W, N, K, n, k0 + k);
                w_sum[k] += w;
                w_magnitude[k] += fabs(w);
            }
        }
        for (int64_t m = row0; m < row1; m++) {
            for (int64_t k = 0; k < nk; k++) {
                double x = dcgen_load(DCGEN_DTYPE, X, m * K + k0 + k);
                sum[m - row0] += x * w_sum[k];
                bound[m - row0] += fabs(x) * w_magnitude[k];
            }
        }
    }
}
