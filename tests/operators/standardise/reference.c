/* SPDX-License-Identifier: MIT-0
 *
 * standardise by its definition. An error of the mean or of the deviation changes every element of the row, so each is allowed an error of the
 * size that the row's largest element has.
 */
#include <math.h>
#include <stdint.h>

int64_t dcgen_reference_terms(const int64_t *extent) { return extent[1]; }

void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    const int64_t C = extent[1];
    for (int64_t r = row0; r < row1; r++, y += C, bound += C) {
        const float *x = (const float *)operand[0] + r * C;
        double mean = 0, variance = 0, most = 0;
        for (int64_t c = 0; c < C; c++)
            mean += x[c] / (double)C;
        for (int64_t c = 0; c < C; c++) {
            variance += (x[c] - mean) * (x[c] - mean) / (double)C;
            most = fmax(most, fabs(x[c]));
        }
        for (int64_t c = 0; c < C; c++) {
            y[c] = (x[c] - mean) / sqrt(variance + 1e-5);
            bound[c] = most / sqrt(variance + 1e-5);
        }
    }
}
