/* SPDX-License-Identifier: MIT-0 */
/* log(x), the natural logarithm, in each lane.
 *
 * x = 2^n m with 3/4 <= m < 3/2; log(x) = n ln 2 + log(m), and log(m) = r + r^2 P(r) with r = m - 1, which is exact. P is a
 * polynomial, minimax for the relative error of log(m) (2.8e-8). AVX-512 has instructions for n and m, which take
 * denormal, infinite and negative x as they should be. Elsewhere integers are subtracted: of x the bits of 3/4, and the
 * exponent of the difference is n.
 *
 * Error: 1.5 ULP. log(0) = -inf, log(inf) = inf; NaN for x < 0 and NaN. */
#ifndef DCGEN
#pragma once
#include "max.h"
#include "select.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_log_MACHINE(PACKAGE_floats_MACHINE x)
{
#if VECTOR_BYTES == 64
    const PACKAGE_floats_MACHINE m = __builtin_ia32_getmantps512_mask(x, 11, x, (PACKAGE_lanes_MACHINE)-1, 4);
    const PACKAGE_floats_MACHINE n = __builtin_ia32_getexpps512_mask(x, x, (PACKAGE_lanes_MACHINE)-1, 4) -
                                     __builtin_ia32_getexpps512_mask(m, m, (PACKAGE_lanes_MACHINE)-1, 4);
#else
    const PACKAGE_floats_MACHINE zero = { 0 };
    const PACKAGE_ints_MACHINE denormal = x < 0x1p-126f, negative = x < 0, none = x <= 0;
    const PACKAGE_ints_MACHINE bits = (PACKAGE_ints_MACHINE)PACKAGE_select_MACHINE(denormal, x * 0x1p23f, x);
    const PACKAGE_ints_MACHINE above = (PACKAGE_ints_MACHINE)((PACKAGE_bits_MACHINE)bits - 0x3f400000);
    const PACKAGE_floats_MACHINE m =
        (PACKAGE_floats_MACHINE)((PACKAGE_bits_MACHINE)bits - (PACKAGE_bits_MACHINE)(above & -0x800000));
    const PACKAGE_floats_MACHINE n = __builtin_convertvector((above >> 23) - (denormal & 23), PACKAGE_floats_MACHINE);
#endif
    const PACKAGE_floats_MACHINE r = m - 1;
    PACKAGE_floats_MACHINE p = r * 0x1.bb98aap-5f - 0x1.ee45bep-4f;
    p = p * r + 0x1.32d644p-3f;
    p = p * r - 0x1.58855cp-3f;
    p = p * r + 0x1.99221ap-3f;
    p = p * r - 0x1.ffdde0p-3f;
    p = p * r + 0x1.5555e4p-2f;
    p = p * r - 0x1.000014p-1f;
    p = n * 0x1.62e430p-1f + (r * r * p + r);
#if VECTOR_BYTES == 64
    return p;
#else
    p += PACKAGE_max_MACHINE(zero + 0x1.fffffep127f, x) - 0x1.fffffep127f; /* 0, but where x is infinite or NaN */
    return PACKAGE_select_MACHINE(none, (PACKAGE_floats_MACHINE)(negative | -0x800000), p);
#endif
}
