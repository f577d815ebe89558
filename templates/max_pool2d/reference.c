/* SPDX-License-Identifier: MIT-0
 *
 * max_pool2d, by its definition. What kernels are checked against; slow on purpose.
 *
 *   extent   the axes, attributes and derived extents of op.cfg, in its order
 *   element  as DCGEN_DTYPE says (package/element.h)
 *   operand  X, Y (not looked at), in the layouts that DCGEN_LAYOUT_X_NCHW and DCGEN_LAYOUT_Y_NCHW name; else NHWC
 */
#include <math.h>

/* Places in extent[]. */
enum { AT_N, AT_C, AT_H, AT_W, AT_R, AT_S, AT_STRIDE_H, AT_STRIDE_W, AT_PAD_T, AT_PAD_B, AT_PAD_L, AT_PAD_R, AT_DIL_H, AT_DIL_W, AT_P, AT_Q };

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

/* The i-th element of Y as it lies. */
static double element_of(const int64_t *e, const void *x, int64_t i)
{
#ifdef DCGEN_LAYOUT_Y_NCHW
    const int64_t q = i % e[AT_Q], p = i / e[AT_Q] % e[AT_P], c = i / e[AT_Q] / e[AT_P] % e[AT_C], n = i / e[AT_Q] / e[AT_P] / e[AT_C];
#else
    const int64_t c = i % e[AT_C], q = i / e[AT_C] % e[AT_Q], p = i / e[AT_C] / e[AT_Q] % e[AT_P], n = i / e[AT_C] / e[AT_Q] / e[AT_P];
#endif
    double most = -INFINITY;
    for (int64_t r = 0; r < e[AT_R]; r++)
        for (int64_t s = 0; s < e[AT_S]; s++) {
            const int64_t h = p * e[AT_STRIDE_H] + r * e[AT_DIL_H] - e[AT_PAD_T], w = q * e[AT_STRIDE_W] + s * e[AT_DIL_W] - e[AT_PAD_L];
            if (h >= 0 && h < e[AT_H] && w >= 0 && w < e[AT_W])
                most = fmax(most, x_at(e, x, n, h, w, c));
        }
    return most;
}

/* Rows row0 to row1-1 of Y, each of C elements, as op.cfg says. */
void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    for (int64_t i = row0 * extent[AT_C]; i < row1 * extent[AT_C]; i++, y++) {
        *y = element_of(extent, operand[0], i);
        *bound++ = isfinite(*y) ? fabs(*y) : 0;
    }
}
