/* SPDX-License-Identifier: MIT-0 */
/* erf(x) in each lane.
 *
 * erf is odd, so a = |x| decides; it counts as 3.96875 where it is larger, as the result is 1 from 3.84 on.
 * AVX-512: piecewise polynomial, 4 pieces in 1; the coefficients are looked up in vectors. In the first piece
 * erf(a) - a is the polynomial and a is added last: rounding the slope of erf itself would cost an ULP. Of the other pieces
 * the constant is larger than r, so one maximum decides what is added.
 * Elsewhere: a + a p(a^2) where a < 1, else 1 - q(a)^4, with polynomials p and q; the fourth root of 1 - erf falls so slowly that
 * one polynomial is enough. The larger of both is right: each falls below erf where the other one is meant.
 * All polynomials are minimax for the error in ULP (0.6, mostly from rounding coefficients).
 *
 * Error: 2 ULP. erf(inf) = 1, erf(-inf) = -1, erf(NaN) = NaN. */
#ifndef DCGEN
#pragma once
#include "look_up.h"
#include "max.h"
#include "min.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_erf_MACHINE(PACKAGE_floats_MACHINE x)
{
    const PACKAGE_floats_MACHINE zero = { 0 };
    const PACKAGE_ints_MACHINE a_bits = (PACKAGE_ints_MACHINE)x & 0x7fffffff, sign = (PACKAGE_ints_MACHINE)x ^ a_bits;
    const PACKAGE_floats_MACHINE a = PACKAGE_min_MACHINE(zero + 3.96875f, (PACKAGE_floats_MACHINE)a_bits);
#if VECTOR_BYTES == 64
    const int degree = 5, pieces = 4; /* pieces in 1 */
    static const PACKAGE_floats_MACHINE c[] = {
        { .10599384f, .046433713f, -.02890652f, -.07650745f, -.05414065f, -.0366066f, -.010932729f, .0034907789f,
          .00088118325f, -.001386213f, .019172376f, -.003136726f, .012551105f, -.005728833f, -.014557039f,
          .002882581f },
        { .0019977025f, .13635452f, .19350685f, .15996434f, .062226333f, -.0070184004f, -.042493135f, -.044328805f,
          -.026960324f, -.012351348f, -.0174586f, 4.7458558e-5f, -.008414441f, .0034345987f, .009065889f,
          -.0018077955f },
        { -.37632722f, -.31032592f, -.14787485f, .025084969f, .13966174f, .16728245f, .13796484f, .08921408f,
          .046606105f, .020313153f, .010332191f, .0020638197f, .0024123518f, -.0006144625f, -.0019546323f,
          .00040064563f },
        { 6.641173e-6f, -.26494294f, -.43930417f, -.48205957f, -.4152106f, -.295607f, -.17830981f, -.09226688f,
          -.041190863f, -.015947193f, -.0056250133f, -.001551297f, -.0005631975f, -2.2686714e-5f, .00015935246f,
          -3.8376686e-5f },
        { .12837914f, 1.0600132f, .8787806f, .642927f, .41511044f, .23651923f, .11892728f, .052772097f, .020662544f,
          .0071385405f, .0021839382f, .0005843983f, .00014380875f, 2.6936998e-5f, -1.6992959e-7f, 1.9776385e-6f },
        { 0, .2763264f, .5204999f, .71115565f, .8427008f, .92290014f, .96610516f, .9866717f, .9953223f, .9985373f,
          .999593f, .9998994f, .9999779f, .9999957f, .9999993f, .9999999f }
    };
    const PACKAGE_ints_MACHINE i = __builtin_convertvector(a * (float)pieces, PACKAGE_ints_MACHINE);
    const PACKAGE_floats_MACHINE r = a - __builtin_convertvector(i, PACKAGE_floats_MACHINE) * (1.0f / (float)pieces);
    PACKAGE_floats_MACHINE y = PACKAGE_look_up_MACHINE(c[0], i);
    for (int k = 1; k < degree; k++)
        y = y * r + PACKAGE_look_up_MACHINE(c[k], i);
    y = y * r + PACKAGE_max_MACHINE(r, PACKAGE_look_up_MACHINE(c[degree], i)); /* r in the first piece alone */
#else
    const PACKAGE_floats_MACHINE s = a * a, s2 = s * s;
    PACKAGE_floats_MACHINE p = (0x1.42c49ap-8f - s * 0x1.28aa0ap-11f) * s2 + (0x1.ce0c6cp-4f - s * 0x1.b5c25cp-6f);
    p = p * s2 + (0x1.06eba4p-3f - s * 0x1.812692p-2f);
    PACKAGE_floats_MACHINE q = (0x1.84efdcp-13f - a * 0x1.7e3522p-16f) * a + 0x1.7e141cp-11f;
    q = q * s2 + ((0x1.63f850p-5f - a * 0x1.9c5b64p-7f) * s - (a * 0x1.16709ep-6f + 0x1.7fff24p-4f));
    q = q * a - 0x1.2c6d36p-2f;
    q = q * a + 0x1.008c1ep+0f;
    q *= q;
    const PACKAGE_floats_MACHINE small = a + a * p, large = 1 - q * q;
    const PACKAGE_floats_MACHINE y = PACKAGE_max_MACHINE(large, small);
#endif
    return (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)y | sign);
}
