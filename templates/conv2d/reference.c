/* SPDX-License-Identifier: MIT-0
 *
 * conv2d, by its definition, in double precision. What kernels are checked against; slow on purpose.
 *
 *   extent   the axes, attributes and derived extents of op.cfg, in its order
 *   element  float, or with DCGEN_DTYPE_F16 or DCGEN_DTYPE_BF16 the 16 bits of such a number
 *   operand  X, F, Y (not looked at), in the layouts that DCGEN_LAYOUT_X_NCHW, DCGEN_LAYOUT_F_KCRS and the like name; else in op.cfg's first ones
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { N, G, H, W, C, K, R, S, STRIDE_H, STRIDE_W, PAD_T, PAD_B, PAD_L, PAD_R, DIL_H, DIL_W, P, Q, IC, OC };

#if defined(DCGEN_DTYPE_F16) || defined(DCGEN_DTYPE_BF16)
typedef uint16_t Element;
#else
typedef float Element; /* f32, and tf32: rounding it is left to the arithmetic of kernels */
#endif

/* The value of a stored element. */
static float element(Element e)
{
#if defined(DCGEN_DTYPE_BF16)
    union { uint32_t bits; float value; } u = { (uint32_t)e << 16 };
    return u.value;
#elif defined(DCGEN_DTYPE_F16)
    /* The fields at the places of a float's; the product sets its exponent right, of denormals too. */
    union { uint32_t bits; float value; } u = { (uint32_t)(e & 0x7fff) << 13 };
    u.value *= 0x1p112f;
    u.bits |= (e & 0x7c00) == 0x7c00 ? 0x7f800000u : 0; /* infinity, NaN */
    u.bits |= (uint32_t)(e & 0x8000) << 16;
    return u.value;
#else
    return e;
#endif
}

static double x_at(const int64_t *e, const Element *x, int64_t n, int64_t h, int64_t w, int64_t ic)
{
#ifdef DCGEN_LAYOUT_X_NCHW
    return element(x[((n * e[IC] + ic) * e[H] + h) * e[W] + w]);
#else
    return element(x[((n * e[H] + h) * e[W] + w) * e[IC] + ic]);
#endif
}

static double f_at(const int64_t *e, const Element *f, int64_t oc, int64_t r, int64_t s, int64_t c)
{
#if defined(DCGEN_LAYOUT_F_KCRS)
    return element(f[((oc * e[C] + c) * e[R] + r) * e[S] + s]);
#elif defined(DCGEN_LAYOUT_F_RSCK)
    return element(f[((r * e[S] + s) * e[C] + c) * e[OC] + oc]);
#else
    return element(f[((oc * e[R] + r) * e[S] + s) * e[C] + c]);
#endif
}

/* Rounded operations behind one element: the products that are summed, and one more. */
int64_t dcgen_reference_terms(const int64_t *extent) { return extent[C] * extent[R] * extent[S] + 1; }

/* The i-th element of Y as it lies, and the sum of the magnitudes of its terms. */
static double element_of(const int64_t *e, const Element *x, const Element *f, int64_t i, double *bound)
{
#ifdef DCGEN_LAYOUT_Y_NCHW
    const int64_t q = i % e[Q], p = i / e[Q] % e[P], oc = i / e[Q] / e[P] % e[OC], n = i / e[Q] / e[P] / e[OC];
#else
    const int64_t oc = i % e[OC], q = i / e[OC] % e[Q], p = i / e[OC] / e[Q] % e[P], n = i / e[OC] / e[Q] / e[P];
#endif
    double sum = 0;
    *bound = 0;
    for (int64_t r = 0; r < e[R]; r++)
        for (int64_t s = 0; s < e[S]; s++) {
            const int64_t h = p * e[STRIDE_H] + r * e[DIL_H] - e[PAD_T], w = q * e[STRIDE_W] + s * e[DIL_W] - e[PAD_L];
            if (h < 0 || h >= e[H] || w < 0 || w >= e[W])
                continue;
            for (int64_t c = 0; c < e[C]; c++) {
                const double term = x_at(e, x, n, h, w, oc / e[K] * e[C] + c) * f_at(e, f, oc, r, s, c);
                sum += term;
                *bound += fabs(term);
            }
        }
    return sum;
}

/* Rows row0 to row1-1 of Y, each of OC elements, as op.cfg says. */
void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    for (int64_t i = row0 * extent[OC]; i < row1 * extent[OC]; i++)
        *y++ = element_of(extent, operand[0], operand[1], i, bound++);
}
