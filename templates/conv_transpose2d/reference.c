/* SPDX-License-Identifier: MIT-0
 *
 * conv_transpose2d, by its definition, in double precision. What kernels are checked against; slow on purpose.
 *
 *   extent   the axes, attributes and derived extents of op.cfg, in its order
 *   element  as DCGEN_DTYPE says (package/element.h)
 *   operand  X, F, Y (not looked at), in the layouts that DCGEN_LAYOUT_X_NCHW, DCGEN_LAYOUT_F_CRSK and the like name; else in op.cfg's first ones
 */
#include <math.h>

/* Places in extent[]. */
enum {
    AT_N, AT_G, AT_H, AT_W, AT_C, AT_K, AT_R, AT_S,
    AT_STRIDE_H, AT_STRIDE_W, AT_PAD_T, AT_PAD_B, AT_PAD_L, AT_PAD_R, AT_DIL_H, AT_DIL_W, AT_MORE_H, AT_MORE_W,
    AT_P, AT_Q, AT_IC, AT_OC
};

static double x_at(const int64_t *e, const void *x, int64_t n, int64_t h, int64_t w, int64_t ic)
{
#ifdef DCGEN_LAYOUT_X_NCHW
    return dcgen_load(DCGEN_DTYPE, x, ((n * e[AT_IC] + ic) * e[AT_H] + h) * e[AT_W] + w);
#else
    return dcgen_load(DCGEN_DTYPE, x, ((n * e[AT_H] + h) * e[AT_W] + w) * e[AT_IC] + ic);
#endif
}

static double f_at(const int64_t *e, const void *f, int64_t ic, int64_t k, int64_t r, int64_t s)
{
#if defined(DCGEN_LAYOUT_F_CRSK)
    return dcgen_load(DCGEN_DTYPE, f, ((ic * e[AT_R] + r) * e[AT_S] + s) * e[AT_K] + k);
#elif defined(DCGEN_LAYOUT_F_RSKC)
    return dcgen_load(DCGEN_DTYPE, f, ((r * e[AT_S] + s) * e[AT_K] + k) * e[AT_IC] + ic);
#else
    return dcgen_load(DCGEN_DTYPE, f, ((ic * e[AT_K] + k) * e[AT_R] + r) * e[AT_S] + s);
#endif
}

/* Rounded operations behind one element: the products that are summed, and one more. */
int64_t dcgen_reference_terms(const int64_t *extent) { return extent[AT_C] * extent[AT_R] * extent[AT_S] + 1; }

/* The i-th element of Y as it lies, and the sum of the magnitudes of its terms. */
static double element_of(const int64_t *e, const void *x, const void *f, int64_t i, double *bound)
{
#ifdef DCGEN_LAYOUT_Y_NCHW
    const int64_t q = i % e[AT_Q], p = i / e[AT_Q] % e[AT_P], oc = i / e[AT_Q] / e[AT_P] % e[AT_OC], n = i / e[AT_Q] / e[AT_P] / e[AT_OC];
#else
    const int64_t oc = i % e[AT_OC], q = i / e[AT_OC] % e[AT_Q], p = i / e[AT_OC] / e[AT_Q] % e[AT_P], n = i / e[AT_OC] / e[AT_Q] / e[AT_P];
#endif
    double sum = 0;
    *bound = 0;
    for (int64_t r = 0; r < e[AT_R]; r++)
        for (int64_t s = 0; s < e[AT_S]; s++) {
            const int64_t down = p + e[AT_PAD_T] - r * e[AT_DIL_H], across = q + e[AT_PAD_L] - s * e[AT_DIL_W];
            const int64_t h = down / e[AT_STRIDE_H], w = across / e[AT_STRIDE_W];
            if (down < 0 || across < 0 || down % e[AT_STRIDE_H] || across % e[AT_STRIDE_W] || h >= e[AT_H] || w >= e[AT_W])
                continue;
            for (int64_t c = 0; c < e[AT_C]; c++) {
                const int64_t ic = oc / e[AT_K] * e[AT_C] + c;
                const double term = x_at(e, x, n, h, w, ic) * f_at(e, f, ic, oc % e[AT_K], r, s);
                sum += term;
                *bound += fabs(term);
            }
        }
    return sum;
}

/* Rows row0 to row1-1 of Y, each of OC elements, as op.cfg says. */
void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    for (int64_t i = row0 * extent[AT_OC]; i < row1 * extent[AT_OC]; i++)
        *y++ = element_of(extent, operand[0], operand[1], i, bound++);
}
