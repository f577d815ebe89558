/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* How elements are read by all that knows what is right: the definitions of operators, formulas, and a package's own programs. It stands before a
 * definition, which reads those of the spec's type as DCGEN_DTYPE. */
#endif
#include <stdint.h>

#define DCGEN_INLINE static inline __attribute__((unused))

/* How an element is stored. Rounding to tf32 is left to the arithmetic of kernels. */
typedef enum { dcgen_as_f32, dcgen_as_f16, dcgen_as_bf16, dcgen_as_s32 } dcgen_format;

#ifndef DCGEN_ALL_DOUBLE
#define DCGEN_ALL_DOUBLE 0 /* 1: real numbers are stored as doubles, whatever their format is, to define a whole model with them */
#endif

/* The value of the i-th element. */
DCGEN_INLINE double dcgen_load(dcgen_format format, const void *from, int64_t i)
{
    if (DCGEN_ALL_DOUBLE && format != dcgen_as_s32)
        return ((const double *)from)[i];
    union { uint32_t bits; float value; } u;
    if (format == dcgen_as_f32)
        return (double)((const float *)from)[i];
    if (format == dcgen_as_s32)
        return ((const int32_t *)from)[i];
    const uint32_t half = ((const uint16_t *)from)[i];
    if (format == dcgen_as_bf16) {
        u.bits = half << 16;
        return (double)u.value;
    }
    /* The fields at the places of a float's; the product sets its exponent right, of denormals too. */
    u.bits = (half & 0x7fff) << 13;
    u.value *= 0x1p112f;
    u.bits |= ((half & 0x7c00) == 0x7c00 ? 0x7f800000u : 0) | (half & 0x8000) << 16; /* infinity, NaN; the sign */
    return (double)u.value;
}
