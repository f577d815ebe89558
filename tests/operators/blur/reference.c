/* SPDX-License-Identifier: MIT-0
 *
 * blur by its definition.
 */
#include <math.h>
#include <stdint.h>

enum { B, H, W, R, S, P, Q };

int64_t dcgen_reference_terms(const int64_t *extent) { return extent[R] * extent[S]; }

void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    const float *x = operand[0], *f = operand[1];
    for (int64_t row = row0; row < row1; row++)
        for (int64_t q = 0; q < extent[Q]; q++, y++, bound++) {
            *y = *bound = 0;
            for (int64_t r = 0; r < extent[R]; r++)
                for (int64_t s = 0; s < extent[S]; s++) {
                    const int64_t h = row / extent[P] * extent[H] + row % extent[P] + r;
                    const double term = (double)f[r] * x[h * extent[W] + q + s];
                    *y += term;
                    *bound += fabs(term);
                }
        }
}
