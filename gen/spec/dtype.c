/* SPDX-License-Identifier: Apache-2.0
 *
 * dtype: the table of element types, and how 16-bit numbers are read and written.
 */
#include "gen/spec/dtype.h"

#include <float.h>
#include <math.h>
#include "gen/base/text.h"

/* 16-bit IEEE-like formats: a sign bit, then the exponent, then the mantissa. */

static uint16_t encode(double v, int mantissa_bits, int exponent_bits)
{
    const uint16_t sign = signbit(v) ? 0x8000 : 0;
    const int64_t infinity = (int64_t)((1 << exponent_bits) - 1) << mantissa_bits;
    const int least = 2 - (1 << (exponent_bits - 1)); /* exponent of the least normal number, and of denormals */
    if (isnan(v))
        return (uint16_t)(sign | infinity | 1 << (mantissa_bits - 1));
    if (isinf(v))
        return (uint16_t)(sign | infinity);
    int e;
    frexp(v, &e); /* |v| = 1.xxx * 2^(e-1) */
    e = v == 0 || e - 1 < least ? least : e - 1;
    /* The leading 1 of a normal number counts as one more exponent, and so does a carry out of the mantissa. */
    const int64_t digits = (int64_t)nearbyint(ldexp(fabs(v), mantissa_bits - e));
    const int64_t bits = ((int64_t)(e - least) << mantissa_bits) + digits;
    return (uint16_t)(sign | (bits < infinity ? bits : infinity));
}

static double decode(uint16_t bits, int mantissa_bits, int exponent_bits)
{
    const int special = (1 << exponent_bits) - 1; /* the exponent of infinities and NaNs */
    const int exponent = bits >> mantissa_bits & special, fraction = bits & ((1 << mantissa_bits) - 1);
    const int least = 2 - (1 << (exponent_bits - 1));
    double v = ldexp(fraction, least - mantissa_bits); /* a denormal, or zero */
    if (exponent == special)
        v = fraction ? NAN : INFINITY;
    else if (exponent > 0) /* a normal number has a leading 1 that is not stored */
        v = ldexp(fraction + (1 << mantissa_bits), least + exponent - 1 - mantissa_bits);
    return bits & 0x8000 ? -v : v;
}

/* The columns are in the order of Dtype. Storing f32 rounds no more than the last sum did, so its eps_out is 0. Tensor
 * cores truncate the mantissa of a tf32 operand to 10 bits. s32 is of indices, which are not computed with. */
const Dtype dtypes[DTYPE_COUNT] = {
    { "f32", "F32", "f32", "float", 4, 0, 0x1p-24, 0, 0, 0, 0, false },
    { "tf32", "TF32", "f32", "float", 4, 0x1p-10, 0x1p-24, 0, 0, 0, 0, false },
    { "f16", "F16", "f16", "unsigned short", 2, 0, 0x1p-24, 0x1p-11, 0x1p-25, 10, 5, false },
    { "bf16", "BF16", "bf16", "unsigned short", 2, 0, 0x1p-24, 0x1p-8, 0x1p-134, 7, 8, false },
    { "s32", "S32", "s32", "int32_t", 4, 0, 0, 0, 0, 0, 0, true },
};

const Dtype *dtype_find(const char *name) { return names_row(NAMES(dtypes, DTYPE_COUNT), name); }

double dtype_load(const Dtype *t, const void *p, int64_t i)
{
    if (t->is_integer)
        return ((const int32_t *)p)[i];
    return t->mantissa ? decode(((const uint16_t *)p)[i], t->mantissa, t->exponent) : ((const float *)p)[i];
}

void dtype_store(const Dtype *t, void *p, int64_t i, double v)
{
    if (t->is_integer)
        ((int32_t *)p)[i] = (int32_t)v;
    else if (t->mantissa)
        ((uint16_t *)p)[i] = encode(v, t->mantissa, t->exponent);
    else
        ((float *)p)[i] = (float)v;
}

double dtype_largest(const Dtype *t)
{
    return t->mantissa ? ldexp(2 - ldexp(1, -t->mantissa), (1 << (t->exponent - 1)) - 1) : FLT_MAX;
}

double dtype_tolerance(const Dtype *t, double terms, double bound, double y)
{
    const double root = sqrt(terms);
    return (t->eps_acc * (4 * root + 8) + t->eps_in * fmin(2, 12 / root)) * bound + t->eps_out * fabs(y) + t->tiny;
}
