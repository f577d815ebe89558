/* SPDX-License-Identifier: Apache-2.0
 *
 * storage: the table of ways to store an element, and how numbers are read and written by what a row says of their
 * bits.
 */
#include "gen/spec/storage.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "gen/base/text.h"

const Storage storages[STORAGE_COUNT] = {
    [STORED_F32] = { "f32", "float", "", 4, NUMBER_REAL, 8, 23, false, false },
    [STORED_F16] = { "f16", "unsigned short", "_f16", 2, NUMBER_REAL, 5, 10, false, true },
    [STORED_BF16] = { "bf16", "unsigned short", "_bf16", 2, NUMBER_REAL, 8, 7, false, true },
    [STORED_S32] = { "s32", "int32_t", "_ints", 4, NUMBER_SIGNED, 0, 0, false, false },
};

const Storage *storage_find(const char *name) { return names_row(NAMES(storages, STORAGE_COUNT), name); }

bool storage_is_whole(const Storage *s) { return s->kind != NUMBER_REAL; }

/* ---- bits ---- */

static int nbit(const Storage *s) { return 8 * (int)s->bytes; }

static uint64_t sign_of(const Storage *s) { return UINT64_C(1) << (nbit(s) - 1); }

/* The exponent of infinities and NaNs, or, where there are no infinities, of the largest numbers. */
static uint64_t last_exponent(const Storage *s) { return (UINT64_C(1) << s->exponent) - 1; }

/* The least pattern without sign that is no finite number. */
static uint64_t beyond(const Storage *s) { return s->is_finite ? sign_of(s) - 1 : last_exponent(s) << s->mantissa; }

/* The exponent of the least normal number, and of denormals. */
static int least_exponent(const Storage *s) { return 2 - (1 << (s->exponent - 1)); }

static uint64_t encode(const Storage *s, double v)
{
    const uint64_t sign = signbit(v) ? sign_of(s) : 0, nan = s->is_finite ? 0 : UINT64_C(1) << (s->mantissa - 1);
    const int least = least_exponent(s);
    if (isnan(v))
        return sign | beyond(s) | nan;
    if (isinf(v))
        return sign | (beyond(s) - s->is_finite);
    int e;
    frexp(v, &e); /* |v| = 1.xxx * 2^(e-1) */
    e = v == 0 || e - 1 < least ? least : e - 1;
    /* The leading 1 of a normal number counts as one more exponent, and so does a carry out of the mantissa. */
    const uint64_t digits = (uint64_t)nearbyint(ldexp(fabs(v), s->mantissa - e));
    const uint64_t bits = ((uint64_t)(e - least) << s->mantissa) + digits;
    return sign | (bits < beyond(s) ? bits : beyond(s) - s->is_finite);
}

static double decode(const Storage *s, uint64_t bits)
{
    const uint64_t positive = bits & (sign_of(s) - 1), leading = UINT64_C(1) << s->mantissa;
    const uint64_t exponent = positive >> s->mantissa, fraction = positive & (leading - 1);
    const int least = least_exponent(s) - s->mantissa;
    double v = ldexp((double)fraction, least); /* a denormal, or zero */
    if (positive >= beyond(s))
        v = s->is_finite || fraction ? NAN : INFINITY;
    else if (exponent > 0) /* a normal number has a leading 1 that is not stored */
        v = ldexp((double)(fraction + leading), least + (int)exponent - 1);
    return bits & sign_of(s) ? -v : v;
}

/* ---- elements ---- */

static bool is_float(const Storage *s) { return s->kind == NUMBER_REAL && !s->is_raw && s->bytes == sizeof(float); }

static double lowest_whole(const Storage *s) { return s->kind == NUMBER_SIGNED ? -ldexp(1, nbit(s) - 1) : 0; }

/* Of 64 bits the largest one that a double has. */
static double largest_whole(const Storage *s)
{
    const int n = nbit(s) - (s->kind == NUMBER_SIGNED);
    return ldexp(1, n) - ldexp(1, n > DBL_MANT_DIG ? n - DBL_MANT_DIG : 0);
}

double storage_load(const Storage *s, const void *p, int64_t i)
{
    if (is_float(s)) /* as decode does, but faster */
        return ((const float *)p)[i];
    uint64_t bits = 0;
    memcpy(&bits, (const char *)p + (size_t)i * s->bytes, s->bytes); /* the least byte comes first */
    if (!storage_is_whole(s))
        return decode(s, bits);
    const bool is_negative = s->kind == NUMBER_SIGNED && bits & sign_of(s);
    return is_negative ? (double)(int64_t)(bits | ~(sign_of(s) - 1)) : (double)bits;
}

void storage_store(const Storage *s, void *p, int64_t i, double v)
{
    if (is_float(s)) {
        ((float *)p)[i] = (float)v;
        return;
    }
    const double whole = nearbyint(fmax(lowest_whole(s), fmin(v, largest_whole(s))));
    const uint64_t bits = !storage_is_whole(s) ? encode(s, v) : whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
    memcpy((char *)p + (size_t)i * s->bytes, &bits, s->bytes);
}

double storage_largest(const Storage *s) { return storage_is_whole(s) ? largest_whole(s) : decode(s, beyond(s) - 1); }

double storage_least(const Storage *s) { return storage_is_whole(s) ? 1 : decode(s, 1); }

double storage_roundoff(const Storage *s) { return storage_is_whole(s) ? 0 : ldexp(1, -s->mantissa - 1); }
