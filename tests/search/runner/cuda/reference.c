/* SPDX-License-Identifier: Apache-2.0
 *
 * dense with a bias, which candidate.c computes: what runners compare it with.
 */
#define DCGEN_DTYPE dcgen_as_f32
#define dcgen_reference_rows product_rows
#define dcgen_reference_check product_check
#include "templates/package/element.h"
#include "templates/dense/reference.c"
#undef dcgen_reference_rows
#undef dcgen_reference_check

void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y,
                          double *bound)
{
    const float *bias = operand[2];
    product_rows(extent, operand, row0, row1, y, bound);
    for (int64_t i = 0; i < (row1 - row0) * extent[1]; i++) {
        y[i] += bias[i % extent[1]];
        bound[i] += fabs(bias[i % extent[1]]);
    }
}

void dcgen_reference_check(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *sum,
                           double *bound)
{
    const float *bias = operand[2];
    product_check(extent, operand, row0, row1, sum, bound);
    for (int64_t row = 0; row < row1 - row0; row++)
        for (int64_t n = 0; n < extent[1]; n++) {
            sum[row] += bias[n];
            bound[row] += fabs(bias[n]);
        }
}
