/* SPDX-License-Identifier: Apache-2.0
 *
 * dtype: the table of element types, and how 16-bit numbers are read and written.
 */
#include "gen/spec/dtype.h"

#include <math.h>
#include "gen/base/text.h"

/* ---- 16-bit IEEE-like formats: a sign, `exponent` bits, `mantissa` bits ---- */

static uint16_t encode(double v, int mantissa, int exponent)
{
    const uint16_t sign = signbit(v) ? 0x8000 : 0;
    const int64_t infinity = (int64_t)((1 << exponent) - 1) << mantissa;
    const int lowest = 2 - (1 << (exponent - 1)); /* exponent of the least normal number, and of denormals */
    if (isnan(v))
        return (uint16_t)(sign | infinity | 1 << (mantissa - 1));
    if (isinf(v))
        return (uint16_t)(sign | infinity);
    int e;
    frexp(v, &e); /* |v| = 1.xxx * 2^(e-1) */
    e = v == 0 || e - 1 < lowest ? lowest : e - 1;
    /* The leading 1 of a normal number counts as one more exponent, and so does a carry out of the mantissa. */
    double digits = nearbyint(ldexp(fabs(v), mantissa - e));
    int64_t bits = ((int64_t)(e - lowest) << mantissa) + (digits < 0x1p30 ? (int64_t)digits : 1 << 30);
    return (uint16_t)(sign | (bits < infinity ? bits : infinity));
}

static double decode(uint16_t bits, int mantissa, int exponent)
{
    const int field = bits >> mantissa & ((1 << exponent) - 1), fraction = bits & ((1 << mantissa) - 1);
    const int lowest = 2 - (1 << (exponent - 1)), is_normal = field > 0;
    double v = ldexp(fraction + (is_normal << mantissa), lowest + field - is_normal - mantissa);
    if (field == (1 << exponent) - 1)
        v = fraction ? NAN : INFINITY;
    return bits & 0x8000 ? -v : v;
}

/* ---- the table ---- */

/* Storing f32 rounds no more than the last sum did, so its eps_out is 0. Tensor cores drop 13 bits of a tf32 operand:
 * 10 are left, truncated. */
static const Dtype dtypes[] = {
    { "f32", "F32", "float", 4, 0, 0x1p-24, 0, 0, 0, 0 },
    { "tf32", "TF32", "float", 4, 0x1p-10, 0x1p-24, 0, 0, 0, 0 },
    { "f16", "F16", "unsigned short", 2, 0, 0x1p-24, 0x1p-11, 0x1p-25, 10, 5 },
    { "bf16", "BF16", "unsigned short", 2, 0, 0x1p-24, 0x1p-8, 0, 7, 8 },
};

const Dtype *dtype_find(const char *name) { return names_row(NAMES(dtypes, LENGTH(dtypes)), name); }

double dtype_load(const Dtype *t, const void *p, int64_t i)
{
    return t->mantissa ? decode(((const uint16_t *)p)[i], t->mantissa, t->exponent) : ((const float *)p)[i];
}

void dtype_store(const Dtype *t, void *p, int64_t i, double v)
{
    if (t->mantissa)
        ((uint16_t *)p)[i] = encode(v, t->mantissa, t->exponent);
    else
        ((float *)p)[i] = (float)v;
}

double dtype_tolerance(const Dtype *t, double terms, double bound, double y)
{
    const double root = sqrt(terms);
    return (t->eps_acc * (4 * root + 8) + t->eps_in * fmin(2, 12 / root)) * bound + t->eps_out * fabs(y) + t->tiny;
}
