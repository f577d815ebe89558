/* SPDX-License-Identifier: MIT-0
 *
 * negate: Y[b][m][n] = -X[b][m][n], element by element.
 *
 *   extent  B, M, N
 */
#include <math.h>
#include <stdint.h>

int64_t dcgen_reference_terms(const int64_t *extent)
{
    (void)extent;
    return 1;
}

void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y,
                          double *bound)
{
    (void)extent;
    for (int64_t i = row0; i < row1; i++) {
        const double x = ((const float *)operand[0])[i];
        *y++ = -x;
        *bound++ = fabs(x);
    }
}
