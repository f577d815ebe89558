/* SPDX-License-Identifier: Apache-2.0
 *
 * ragged: a row times the last byte of its group's word.
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
    const float *x = operand[0];
    const int32_t *begin = operand[1], *many = operand[2], *words = operand[3];
    for (int64_t m = row0; m < row1; m++) {
        int64_t g = 0;
        while (g + 1 < extent[1] && m >= begin[g] + many[g])
            g++;
        *y++ = x[m] * (double)((uint32_t)words[g] >> 24);
        *bound++ = 255 * fabs(x[m]);
    }
}
