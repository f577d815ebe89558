/* SPDX-License-Identifier: Apache-2.0
 *
 * dtype: the table of element types, and how 16-bit numbers are read and written.
 */
#include "gen/spec/dtype.h"

#include <math.h>
#include <string.h>

static double load_f32(const void *p, int64_t i) { return ((const float *)p)[i]; }
static void store_f32(void *p, int64_t i, double v) { ((float *)p)[i] = (float)v; }

/* ---- 16-bit IEEE-like formats: a sign, `exponent` bits, `mantissa` bits */

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
    const int lowest = 2 - (1 << (exponent - 1));
    double v =
        field ? ldexp(fraction + (1 << mantissa), lowest + field - 1 - mantissa) : ldexp(fraction, lowest - mantissa);
    if (field == (1 << exponent) - 1)
        v = fraction ? NAN : INFINITY;
    return bits & 0x8000 ? -v : v;
}

enum { F16_MANTISSA = 10, F16_EXPONENT = 5, BF16_MANTISSA = 7, BF16_EXPONENT = 8 };

static double load_f16(const void *p, int64_t i)
{
    return decode(((const uint16_t *)p)[i], F16_MANTISSA, F16_EXPONENT);
}

static void store_f16(void *p, int64_t i, double v) { ((uint16_t *)p)[i] = encode(v, F16_MANTISSA, F16_EXPONENT); }

static double load_bf16(const void *p, int64_t i)
{
    return decode(((const uint16_t *)p)[i], BF16_MANTISSA, BF16_EXPONENT);
}

static void store_bf16(void *p, int64_t i, double v) { ((uint16_t *)p)[i] = encode(v, BF16_MANTISSA, BF16_EXPONENT); }

/* ---- the table */

/* Storing f32 rounds no more than the last sum did, so its eps_out is 0. Tensor cores drop 13 bits of a tf32 operand:
 * 10 are left, truncated. */
static const Dtype dtypes[] = {
    { "f32", "F32", "float", 4, 0, 0x1p-24, 0, 0, load_f32, store_f32 },
    { "tf32", "TF32", "float", 4, 0x1p-10, 0x1p-24, 0, 0, load_f32, store_f32 },
    { "f16", "F16", "unsigned short", 2, 0, 0x1p-24, 0x1p-11, 0x1p-25, load_f16, store_f16 },
    { "bf16", "BF16", "unsigned short", 2, 0, 0x1p-24, 0x1p-8, 0, load_bf16, store_bf16 },
};

const Dtype *dtype_find(const char *name)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (strcmp(dtypes[i].name, name) == 0)
            return &dtypes[i];
    return NULL;
}

double dtype_tolerance(const Dtype *t, double terms, double bound, double y)
{
    const double root = sqrt(terms);
    return (t->eps_acc * (4 * root + 8) + t->eps_in * fmin(2, 12 / root)) * bound + t->eps_out * fabs(y) + t->tiny;
}
