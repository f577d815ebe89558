/* SPDX-License-Identifier: MIT-0 */
/* tanh(x) in each lane.
 *
 * tanh is odd, so a = |x| decides; it counts as 9.125 where it is larger, as the result is 1 from 9.02 on.
 * AVX-512: piecewise polynomial, minimax for the error in ULP (0.5, mostly from rounding coefficients). The exponent of
 * u = 1 + 1.63 a, which is below 16, and the next two bits are the number of the piece: pieces are short where a is
 * small. Looked up in vectors are the point that a piece is expanded around, and its coefficients. The piece of u = 1 is that of lane 12,
 * as the exponent of 1 ends in bits 11.
 * Elsewhere: a + a^3 P(a^2) with a polynomial P (0.6 ULP) where a < 0.55, else 1 - 2 / (1 + exp(2a)).
 *
 * Error: 2 ULP. tanh(inf) = 1, tanh(-inf) = -1, tanh(NaN) = NaN. */
#ifndef DCGEN
#pragma once
#include "exp2.h"
#include "look_up.h"
#include "min.h"
#include "select.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_tanh_MACHINE(PACKAGE_floats_MACHINE x)
{
    const PACKAGE_floats_MACHINE zero = { 0 };
    const PACKAGE_ints_MACHINE a_bits = (PACKAGE_ints_MACHINE)x & 0x7fffffff, sign = (PACKAGE_ints_MACHINE)x ^ a_bits;
    const PACKAGE_floats_MACHINE a = PACKAGE_min_MACHINE(zero + 9.125f, (PACKAGE_floats_MACHINE)a_bits);
#if VECTOR_BYTES == 64
    static const PACKAGE_floats_MACHINE centre = { .76687115f, 1.0736196f, 1.3803681f, 1.6871166f,
                                                   2.1472392f, 2.7607362f, 3.3742332f, 3.98773f,
                                                   4.9079757f, 6.134969f,  7.3619633f, 8.58773f,
                                                   0,          .23006135f, .38343558f, .5368098f };
    static const PACKAGE_floats_MACHINE c[] = {
        { -.06325076f, -.03786679f, -.009236815f, .0026819296f, .004361345f, .0018816378f, .0006098085f, .0001834498f,
          3.1080974e-5f, 2.6419698e-6f, 2.2683224e-7f, 1.9545299e-8f, .12832218f, .082968965f, .014210873f,
          -.015929513f },
        { .09406263f, .012828862f, -.021373322f, -.0248041f, -.014558549f, -.005098891f, -.0015408432f, -.00046715065f,
          -7.775695e-5f, -5.426903e-6f, -2.1683757e-6f, 5.119227e-7f, .00086743466f, .13226148f, .16682945f,
          .16266075f },
        { .048351433f, .109409064f, .09911156f, .06897364f, .0325916f, .010329457f, .0030976487f, .0009142217f,
          .00014505137f, 1.2489445e-5f, 1.0736109e-6f, 9.2503996e-8f, -.3333835f, -.26780188f, -.1729044f,
          -.07048685f },
        { -.37663004f, -.29624715f, -.19715677f, -.119569086f, -.05168356f, -.015741445f, -.0046698735f, -.0013727688f,
          -.00021770863f, -1.9194786e-5f, -1.0092681e-6f, -3.491088e-7f, 8.6077904e-7f, -.21453343f, -.31677562f,
          -.3725334f },
        { .58383775f, .3746021f, .22377966f, .12805684f, .053115446f, .015872583f, .004679724f, .0013742418f,
          .00021829197f, 1.8762441e-5f, 1.6126481e-6f, 1.3894777e-7f, 1.f, .94888484f, .86627275f, .7593418f },
        { .6451064f, .790821f, .88103366f, .93377894f, .9730799f, .99203193f, .9976574f, .99931264f, .99989086f,
          .99999064f, .99999917f, .99999994f, 0, .22608657f, .36568734f, .49056932f }
    };
    const PACKAGE_ints_MACHINE piece = (PACKAGE_ints_MACHINE)(a * 1.63f + 1) >> 21;
    const PACKAGE_floats_MACHINE r = a - PACKAGE_look_up_MACHINE(centre, piece);
    PACKAGE_floats_MACHINE y = PACKAGE_look_up_MACHINE(c[0], piece);
    for (int k = 1; k <= 5; k++)
        y = y * r + PACKAGE_look_up_MACHINE(c[k], piece);
#else
    const PACKAGE_floats_MACHINE s = a * a;
    PACKAGE_floats_MACHINE p = s * 0x1.0d5176p-6f - 0x1.af7d36p-5f;
    p = p * s + 0x1.10cefcp-3f;
    p = p * s - 0x1.555452p-2f;
    const PACKAGE_floats_MACHINE small = p * s * a + a;
    const PACKAGE_floats_MACHINE large = 1 - 2 / (PACKAGE_exp2_MACHINE(a * 0x1.715476p1f) + 1);
    const PACKAGE_ints_MACHINE is_large = a >= 0.55f; /* NaN is not */
    const PACKAGE_floats_MACHINE y = PACKAGE_select_MACHINE(is_large, large, small);
#endif
    return (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)y | sign);
}
