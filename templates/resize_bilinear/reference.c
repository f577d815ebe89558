/* SPDX-License-Identifier: MIT-0
 *
 * resize_bilinear, by its definition, in double precision. What kernels are checked against; slow on purpose.
 *
 *   extent   the axes, attributes and derived extents of op.cfg, in its order
 *   element  as DCGEN_DTYPE says (package/element.h)
 *   operand  X, Y (not looked at), in the layouts that DCGEN_LAYOUT_X_NCHW and DCGEN_LAYOUT_Y_NCHW name; else NHWC
 */
#include <math.h>

/* Places in extent[]. */
enum { AT_N, AT_C, AT_H, AT_W, AT_P, AT_Q, AT_COORDINATES };

static double x_at(const int64_t *e, const void *x, int64_t n, int64_t h, int64_t w, int64_t c)
{
#ifdef DCGEN_LAYOUT_X_NCHW
    return dcgen_load(DCGEN_DTYPE, x, ((n * e[AT_C] + c) * e[AT_H] + h) * e[AT_W] + w);
#else
    return dcgen_load(DCGEN_DTYPE, x, ((n * e[AT_H] + h) * e[AT_W] + w) * e[AT_C] + c);
#endif
}

/* Rounded operations behind one element: weights, products and sums. */
int64_t dcgen_reference_terms(const int64_t *extent) { return (void)extent, 12; }

/* The place of X, of `size` pixels in a row, that pixel p of `results` in Y stands for: num / den, from 0 to size - 1. */
static int64_t place_of(const int64_t *e, int64_t p, int64_t results, int64_t size, int64_t *den)
{
    const int64_t corners = results > 1 ? results - 1 : 1;
    *den = e[AT_COORDINATES] == 0 ? 2 * results : e[AT_COORDINATES] == 1 ? results : corners;
    const int64_t num = e[AT_COORDINATES] == 0 ? (2 * p + 1) * size - results : e[AT_COORDINATES] == 1 ? p * size : p * (size - 1);
    return num < 0 ? 0 : num < (size - 1) * *den ? num : (size - 1) * *den;
}

/* The i-th element of Y as it lies, and the weighted mean of its terms' magnitudes. */
static double element_of(const int64_t *e, const void *x, int64_t i, double *bound)
{
#ifdef DCGEN_LAYOUT_Y_NCHW
    const int64_t q = i % e[AT_Q], p = i / e[AT_Q] % e[AT_P], c = i / e[AT_Q] / e[AT_P] % e[AT_C], n = i / e[AT_Q] / e[AT_P] / e[AT_C];
#else
    const int64_t c = i % e[AT_C], q = i / e[AT_C] % e[AT_Q], p = i / e[AT_C] / e[AT_Q] % e[AT_P], n = i / e[AT_C] / e[AT_Q] / e[AT_P];
#endif
    int64_t h_den, w_den;
    const int64_t h_num = place_of(e, p, e[AT_P], e[AT_H], &h_den), w_num = place_of(e, q, e[AT_Q], e[AT_W], &w_den);
    double sum = 0;
    *bound = 0;
    for (int64_t r = 0; r < 2; r++)
        for (int64_t s = 0; s < 2; s++) {
            const int64_t h_part = r ? h_num % h_den : h_den - h_num % h_den, w_part = s ? w_num % w_den : w_den - w_num % w_den;
            if (h_part == 0 || w_part == 0)
                continue;
            const double weight = (double)h_part / (double)h_den * ((double)w_part / (double)w_den);
            const double term = weight * x_at(e, x, n, h_num / h_den + r, w_num / w_den + s, c);
            sum += term;
            *bound += fabs(term);
        }
    return sum;
}

/* Rows row0 to row1-1 of Y, each of C elements, as op.cfg says. */
void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    for (int64_t i = row0 * extent[AT_C]; i < row1 * extent[AT_C]; i++)
        *y++ = element_of(extent, operand[0], i, bound++);
}
