/* SPDX-License-Identifier: MIT-0 */
/* gelu(x) = x Phi(x) in each lane, where Phi is the normal distribution: Phi(x) = (1 + erf(x / sqrt 2)) / 2.
 *
 * gelu(x) = max(x, 0) - a Phi(-a) with a = |x|; a Phi(-a) counts as 0 from a = 5.58 on, where it is below 7e-8.
 * AVX-512 and AVX2: Phi(-a) is piecewise polynomial; the coefficients are looked up in vectors. They are those of Phi(-a) / k as
 * a function of t = k a, minimax for the error of gelu (5e-9, or 3e-8 on AVX2).
 * Elsewhere: Phi(-a) = 2^q(a) with a polynomial q, minimax alike (4e-8).
 *
 * Error: 1 ULP or 1e-7. gelu(inf) = inf, gelu(-inf) = 0, gelu(NaN) = NaN. */
#ifndef DCGEN
#pragma once
#include "exp2.h"
#include "max.h"
#include "min.h"
#include "piecewise.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_gelu_MACHINE(PACKAGE_floats_MACHINE x)
{
    const PACKAGE_floats_MACHINE zero = { 0 };
#if VECTOR_BYTES == 64
    static const PACKAGE_floats_MACHINE c[] = {
        { -2.3814933e-5f, -8.646691e-6f, 9.012243e-6f, 1.606125e-5f, 1.2572426e-5f, 4.8406764e-6f, -9.644747e-7f,
          -3.0217432e-6f, -2.5466659e-6f, -1.4394213e-6f, -6.2155914e-7f, -2.150659e-7f, -6.140844e-8f, -1.4626875e-8f,
          -2.9316618e-9f, 0 },
        { -4.214886e-6f, -.00012950492f, -.00017433813f, -.00012626457f, -4.1467134e-5f, 2.2904396e-5f, 4.602438e-5f,
          3.9788854e-5f, 2.4098332e-5f, 1.1363568e-5f, 4.3440264e-6f, 1.3741046e-6f, 3.6482555e-7f, 8.186392e-8f,
          1.5608894e-8f, 0 },
        { .0012772101f, .0010313818f, .00043725868f, -.00016753f, -.0005142489f, -.00055842305f, -.00042141398f,
          -.0002482077f, -.00011902618f, -4.7478123e-5f, -1.5943886e-5f, -4.541729e-6f, -1.1036253e-6f, -2.2955768e-7f,
          -4.098172e-8f, 0 },
        { -7.136182e-7f, .003566202f, .005796112f, .00615201f, .005053239f, .0033878197f, .00189834f, .00090039894f,
          .00036420822f, .00012625082f, 3.7628583e-5f, 9.6652575e-6f, 2.1433932e-6f, 4.109018e-7f, 6.816439e-8f, 0 },
        { -.055234775f, -.051540297f, -.04187478f, -.029623097f, -.018246476f, -.009785823f, -.004569672f,
          -.0018579843f, -.0006577579f, -.00020274788f, -5.4414002e-5f, -1.2715302e-5f, -2.5870502e-6f, -4.5829182e-7f,
          -7.0686355e-8f, 0 },
        { .18604651f, .1320602f, .08497933f, .049172595f, .025423776f, .011687396f, .004758716f, .0017110297f,
          .0005420036f, .00015097938f, 3.6928373e-5f, 7.92156e-6f, 1.4888353e-6f, 2.4497442e-7f, 3.5265078e-8f, 0 }
    };
    const PACKAGE_floats_MACHINE t =
        __builtin_ia32_rangeps512_mask(x * 2.6875f, zero + 15, 10, x, (PACKAGE_lanes_MACHINE)-1, 4); /* NaN: 15 */
    return PACKAGE_max_MACHINE(zero, x) - t * PACKAGE_piecewise_MACHINE(c, 5, t);
#elif VECTOR_BYTES == 32
    static const PACKAGE_floats_MACHINE c[] = {
        { .0005910657f, .00015425238f, -.0002734781f, -1.4578046e-5f, 3.3711018e-5f, 6.491773e-6f, 4.2093e-7f, 0 },
        { -.0033947036f, .0009890372f, .0014181748f, -.0002456785f, -.0002276513f, -3.464454e-5f, -2.013488e-6f, 0 },
        { .0005481547f, -.008003993f, -.0010474824f, .0021335552f, .00074238976f, 8.675103e-5f, 4.364645e-6f, 0 },
        { .027026461f, .007324651f, -.0118250875f, -.0073140436f, -.0014992902f, -.00013426808f, -5.6906765e-6f, 0 },
        { 3.9247232e-5f, .059291143f, .04543602f, .013765303f, .0019522309f, .00013659161f, 4.825238e-6f, 0 },
        { -.25532594f, -.18539995f, -.07098956f, -.014332882f, -.0015257625f, -8.5623615e-5f, -2.5326906e-6f, 0 },
        { .40000004f, .16948429f, .043839436f, .0065580327f, .0005497098f, 2.5336712e-5f, 6.3463744e-7f, 0 }
    };
    const PACKAGE_floats_MACHINE a = (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)x & 0x7fffffff);
    const PACKAGE_floats_MACHINE t = PACKAGE_min_MACHINE(zero + 7, a * 1.25f);
    return PACKAGE_max_MACHINE(zero, x) - t * PACKAGE_piecewise_MACHINE(c, 6, t);
#else
    const PACKAGE_floats_MACHINE a = (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)x & 0x7fffffff);
    PACKAGE_floats_MACHINE q = a * -0x1.130c50p-19f + 0x1.f9e0a8p-16f;
    q = q * a - 0x1.2cf2bap-13f;
    q = q * a - 0x1.ef9840p-13f;
    q = q * a + 0x1.d6fd46p-8f;
    q = q * a - 0x1.aeb278p-5f;
    q = q * a - 0x1.d63494p-2f;
    q = q * a - 0x1.26aefap+0f;
    q = q * a - 1;
    const PACKAGE_floats_MACHINE g = a * PACKAGE_exp2_MACHINE(q);
    const PACKAGE_ints_MACHINE inside = a < 5.6f;
    return PACKAGE_max_MACHINE(zero, x) - (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)g & inside);
#endif
}
