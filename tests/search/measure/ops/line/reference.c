/* SPDX-License-Identifier: Apache-2.0
 *
 * line: X times a slope, and a level.
 */
#include <math.h>
#include <stdint.h>

int64_t dcgen_reference_terms(const int64_t *extent)
{
    (void)extent;
    return 2;
}

void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y,
                          double *bound)
{
    const float *x = operand[0], *level = operand[3];
    const int32_t *slope = operand[1];
    (void)extent;
    for (int64_t m = row0; m < row1; m++) {
        *y++ = (double)x[m] * slope[m] + level[m];
        *bound++ = fabs((double)x[m] * slope[m]) + fabs(level[m]);
    }
}
