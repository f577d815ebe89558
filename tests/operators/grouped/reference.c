/* SPDX-License-Identifier: MIT-0
 *
 * grouped by its definition. `begin` and `len` say the same; a row that they say different things of is no number.
 */
#include <math.h>
#include <stdint.h>

int64_t dcgen_reference_terms(const int64_t *extent) { return extent[3]; }

void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    const int64_t G = extent[1], N = extent[2], K = extent[3];
    const float *x = operand[0], *w = operand[3];
    const int32_t *begin = operand[1], *len = operand[2];
    for (int64_t m = row0; m < row1; m++) {
        int64_t g = 0;
        while (g + 1 < G && m >= begin[g + 1])
            g++;
        for (int64_t n = 0; n < N; n++, y++, bound++) {
            *y = *bound = m - begin[g] < len[g] ? 0 : NAN;
            for (int64_t k = 0; k < K; k++) {
                const double term = (double)x[m * K + k] * w[(g * K + k) * N + n];
                *y += term;
                *bound += fabs(term);
            }
        }
    }
}
