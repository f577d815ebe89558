/* SPDX-License-Identifier: MIT-0
 *
 * pick: Y[b][t] = X[b][order[b][t]] where t < many[b], else 0. Nothing is rounded.
 *
 *   extent  B, T
 */
#include <stdint.h>

int64_t dcgen_reference_terms(const int64_t *extent)
{
    (void)extent;
    return 1;
}

void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y,
                          double *bound)
{
    const int64_t T = extent[1];
    const float *X = operand[0];
    const int32_t *order = operand[1], *many = operand[2];
    for (int64_t i = row0; i < row1; i++) {
        *y++ = i % T < many[i / T] ? X[i / T * T + order[i]] : 0;
        *bound++ = 0;
    }
}
