/* SPDX-License-Identifier: MIT-0
 *
 * affine by its definition. X is of the spec's dtype: floats, or the bits of 16-bit numbers.
 */
#include <math.h>
#include <stdint.h>

#if defined(DCGEN_DTYPE_F16)
static double element(const void *x, int64_t i)
{
    const int bits = ((const uint16_t *)x)[i], exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}
#elif defined(DCGEN_DTYPE_BF16)
static double element(const void *x, int64_t i)
{
    const union { uint32_t bits; float value; } u = { (uint32_t)((const uint16_t *)x)[i] << 16 };
    return u.value;
}
#else
static double element(const void *x, int64_t i) { return ((const float *)x)[i]; }
#endif

int64_t dcgen_reference_terms(const int64_t *extent) { (void)extent; return 2; }

void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    const int64_t C = extent[2];
    for (int64_t i = row0; i < row1; i++) { /* op.cfg has no 'rows': an element is a row */
        const double x = element(operand[0], i), scale = ((const float *)operand[1])[i % C], shift = ((const float *)operand[2])[i / C];
        *y++ = x * scale + shift;
        *bound++ = fabs(x * scale) + fabs(shift);
    }
}
