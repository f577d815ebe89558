/* SPDX-License-Identifier: MIT-0
 *
 * tri_product by its definition.
 */
#include <math.h>
#include <stdint.h>

int64_t dcgen_reference_terms(const int64_t *extent) { return extent[0]; }

void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    const int64_t M = extent[0], N = extent[1];
    const float *l = operand[0], *x = operand[1];
    for (int64_t m = row0; m < row1; m++)
        for (int64_t n = 0; n < N; n++, y++, bound++) {
            *y = *bound = 0;
            for (int64_t k = 0; k <= m; k++) {
                *y += (double)l[m * M + k] * x[k * N + n];
                *bound += fabs((double)l[m * M + k] * x[k * N + n]);
            }
        }
}
