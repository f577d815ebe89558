/* SPDX-License-Identifier: MIT-0
 *
 * conv1d by its definition.
 */
#include <math.h>
#include <stdint.h>

/* In the order of op.cfg: axes, attributes, derived extents. */
enum { B, O, C, W, R, STRIDE, PAD, DILATION, P };

int64_t dcgen_reference_terms(const int64_t *extent) { return extent[C] * extent[R] + 1; }

void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    const float *x = operand[0], *f = operand[1];
    for (int64_t row = row0; row < row1; row++) {
        const int64_t b = row / extent[O], o = row % extent[O];
        for (int64_t p = 0; p < extent[P]; p++) {
            double sum = 0, magnitude = 0;
            for (int64_t c = 0; c < extent[C]; c++)
                for (int64_t r = 0; r < extent[R]; r++) {
                    const int64_t w = p * extent[STRIDE] + r * extent[DILATION] - extent[PAD];
                    if (w < 0 || w >= extent[W])
                        continue;
                    const double term = (double)x[(b * extent[C] + c) * extent[W] + w] * f[(o * extent[C] + c) * extent[R] + r];
                    sum += term;
                    magnitude += fabs(term);
                }
            *y++ = sum;
            *bound++ = magnitude;
        }
    }
}
