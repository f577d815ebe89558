/* SPDX-License-Identifier: MIT-0
 *
 * words by its definition.
 */
#include <math.h>
#include <stdint.h>

int64_t dcgen_reference_terms(const int64_t *extent) { return extent[2] + 1; }

void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    const int64_t N = extent[1], K = extent[2], KW = extent[3];
    const float *x = operand[0], *scale = operand[2];
    const int32_t *w = operand[1];
    for (int64_t m = row0; m < row1; m++)
        for (int64_t n = 0; n < N; n++, y++, bound++) {
            double sum = 0, size = 0;
            for (int64_t k = 0; k < K; k++) {
                const double term = x[m * K + k] * (double)((int)((uint32_t)w[n * KW + k / 4] >> 8 * (k % 4) & 255) - 128);
                sum += term;
                size += fabs(term);
            }
            *y = scale[n] * sum;
            *bound = fabs(scale[n]) * size;
        }
}
