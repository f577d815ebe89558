/* SPDX-License-Identifier: MIT-0
 *
 * product: Y[b][m][n] = epilogue( sum_k X[b][m][k] Z[b][k][n] ), element by element. There is no dcgen_reference_check.
 *
 *   extent  B, M, N, K
 */
#include <math.h>
#include <stdint.h>

int64_t dcgen_reference_terms(const int64_t *extent) { return extent[3] + 1; }

void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y,
                          double *bound)
{
    const int64_t M = extent[1], N = extent[2], K = extent[3];
    for (int64_t i = row0; i < row1; i++) {
        const float *x = (const float *)operand[0] + i / N * K,
                    *z = (const float *)operand[1] + i / (M * N) * K * N + i % N;
        double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < K; k++) {
            sum += (double)x[k] * z[k * N];
            magnitude += fabs((double)x[k] * z[k * N]);
        }
        *y++ = sum;
        *bound++ = magnitude;
    }
}
