/* SPDX-License-Identifier: MIT-0
 *
 * resize_nearest, by its definition. What kernels are checked against; slow on purpose.
 *
 *   extent   the axes, attributes and derived extents of op.cfg, in its order
 *   element  as DCGEN_DTYPE says (package/element.h)
 *   operand  X, Y (not looked at), in the layouts that DCGEN_LAYOUT_X_NCHW and DCGEN_LAYOUT_Y_NCHW name; else NHWC
 */
#include <math.h>

/* Places in extent[]. */
enum { AT_N, AT_C, AT_H, AT_W, AT_P, AT_Q, AT_COORDINATES, AT_ROUNDING };

static double x_at(const int64_t *e, const void *x, int64_t n, int64_t h, int64_t w, int64_t c)
{
#ifdef DCGEN_LAYOUT_X_NCHW
    return dcgen_load(DCGEN_DTYPE, x, ((n * e[AT_C] + c) * e[AT_H] + h) * e[AT_W] + w);
#else
    return dcgen_load(DCGEN_DTYPE, x, ((n * e[AT_H] + h) * e[AT_W] + w) * e[AT_C] + c);
#endif
}

/* Nothing is rounded. */
int64_t dcgen_reference_terms(const int64_t *extent) { return (void)extent, 1; }

/* The place of X, of `size` pixels in a row, that pixel p of `results` in Y stands for: num / den, from 0 to size - 1. */
static int64_t place_of(const int64_t *e, int64_t p, int64_t results, int64_t size, int64_t *den)
{
    const int64_t corners = results > 1 ? results - 1 : 1;
    *den = e[AT_COORDINATES] == 0 ? 2 * results : e[AT_COORDINATES] == 1 ? results : corners;
    const int64_t num = e[AT_COORDINATES] == 0 ? (2 * p + 1) * size - results : e[AT_COORDINATES] == 1 ? p * size : p * (size - 1);
    return num < 0 ? 0 : num < (size - 1) * *den ? num : (size - 1) * *den;
}

/* The pixel that is nearest to num / den. */
static int64_t nearest(const int64_t *e, int64_t num, int64_t den)
{
    const int64_t before = num / den, beyond = num % den;
    switch (e[AT_ROUNDING]) {
    case 0: return before + (2 * beyond > den);
    case 1: return before;
    case 2: return before + (2 * beyond >= den);
    default: return before + (beyond > 0);
    }
}

/* The i-th element of Y as it lies. */
static double element_of(const int64_t *e, const void *x, int64_t i)
{
#ifdef DCGEN_LAYOUT_Y_NCHW
    const int64_t q = i % e[AT_Q], p = i / e[AT_Q] % e[AT_P], c = i / e[AT_Q] / e[AT_P] % e[AT_C], n = i / e[AT_Q] / e[AT_P] / e[AT_C];
#else
    const int64_t c = i % e[AT_C], q = i / e[AT_C] % e[AT_Q], p = i / e[AT_C] / e[AT_Q] % e[AT_P], n = i / e[AT_C] / e[AT_Q] / e[AT_P];
#endif
    int64_t h_den, w_den;
    const int64_t h_num = place_of(e, p, e[AT_P], e[AT_H], &h_den), w_num = place_of(e, q, e[AT_Q], e[AT_W], &w_den);
    return x_at(e, x, n, nearest(e, h_num, h_den), nearest(e, w_num, w_den), c);
}

/* Rows row0 to row1-1 of Y, each of C elements, as op.cfg says. */
void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    for (int64_t i = row0 * extent[AT_C]; i < row1 * extent[AT_C]; i++, y++) {
        *y = element_of(extent, operand[0], i);
        *bound++ = isfinite(*y) ? fabs(*y) : 0;
    }
}
