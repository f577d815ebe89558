/* SPDX-License-Identifier: MIT-0 */
/* gelu(x) = x Phi(x) in each lane, where Phi is the normal distribution: Phi(x) = (1 + erf(x / sqrt 2)) / 2.
 *
 * gelu(x) = max(x, 0) - a Phi(-a) with a = |x|. AVX-512 and AVX2: Phi(-a) is piecewise polynomial; the coefficients
 * are looked up in vectors. The pieces are minimax for the error of gelu (1e-8, and 7e-8 in the last one, which
 * ends in 0). Elsewhere: Phi(-a) = 2^q(a) with a polynomial q, minimax alike.
 *
 * Error: 4 ULP or 1e-7. From x = -5.6 down it is 0. gelu(inf) = inf, gelu(-inf) = 0, gelu(NaN) = NaN. */
#ifndef DCGEN
#pragma once
#include "exp2.h"
#include "max.h"
#include "min.h"
#include "piecewise.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_gelu_MACHINE(
    PACKAGE_floats_MACHINE x)
{
    const PACKAGE_floats_MACHINE zero = {0};
#if VECTOR_BYTES == 64
    static const PACKAGE_floats_MACHINE c[] = {
        { -1.5549223e-5f, -1.7419296e-5f, -2.9831185e-7f, 1.373697e-5f, 1.5683914e-5f, 9.110898e-6f,
          1.5443001e-6f, -2.437543e-6f, -2.960458e-6f, -1.9892097e-6f, -9.74165e-7f, -3.7540124e-7f,
          -1.1775617e-7f, -3.064555e-8f, -6.68793e-9f, -7.395862e-5f },
        { -1.3483183e-5f, -.00011722518f, -.00016191269f, -.00012402271f, -4.6055342e-5f, 1.7440114e-5f,
          4.3051998e-5f, 3.9182767e-5f, 2.466784e-5f, 1.2044615e-5f, 4.7651465e-6f, 1.5614171e-6f,
          4.2925302e-7f, 9.982582e-8f, 1.975076e-8f, -9.228645e-5f },
        { .0012804789f, .0010245258f, .00043123978f, -.00016820511f, -.0005116895f, -.0005558139f,
          -.00042013777f, -.00024799467f, -.000119319346f, -4.779193e-5f, -1.6129772e-5f, -4.6222744e-6f,
          -1.1305359e-6f, -2.3686441e-7f, -4.2627736e-8f, -4.029547e-5f },
        { -1.0637945e-6f, .0035679857f, .0057974793f, .006152082f, .0050525875f, .0033872398f,
          .0018980873f, .00090036425f, .00036427515f, .00012631713f, 3.7666683e-5f, 9.68148e-6f,
          2.1486776e-6f, 4.1230592e-7f, 6.84747e-8f, -7.1637814e-6f },
        { -.055234775f, -.051540468f, -.04187494f, -.0296231f, -.018246407f, -.009785764f, -.0045696474f,
          -.0018579804f, -.0006577639f, -.00020275405f, -5.441764e-5f, -1.27168805e-5f, -2.587571e-6f,
          -4.5843262e-7f, -7.071803e-8f, -4.5604776e-7f },
        { .18604651f, .1320602f, .08497934f, .049172595f, .025423774f, .011687394f, .004758715f,
          .0017110294f, .0005420037f, .00015097955f, 3.692849e-5f, 7.921613e-6f, 1.4888544e-6f,
          2.4497984e-7f, 3.5266364e-8f, 0 }
    };
    const PACKAGE_floats_MACHINE t = __builtin_ia32_rangeps512_mask(x * 2.6875f, zero + 15, 10, x, -1, 4); /* NaN: 15 */
    return PACKAGE_max_MACHINE(zero, x) - t * PACKAGE_piecewise_MACHINE(c, 5, t);
#elif VECTOR_BYTES == 32
    static const PACKAGE_floats_MACHINE c[] = {
        { .00096637174f, .0005740199f, -.00019937391f, -.00014617587f, 3.6688733e-5f, 1.7485248e-5f,
          1.8541726e-6f, -.0011655206f },
        { -.003806803f, .0002452494f, .0013774382f, -5.927071e-5f, -.00023978444f, -4.951354e-5f,
          -3.7352997e-6f, -.0017431567f },
        { .0006317896f, -.007458581f, -.0010671795f, .002024771f, .00075448636f, 9.500507e-5f, 5.18605e-6f,
          -.0009766483f },
        { .027073523f, .0071217557f, -.011809059f, -.007279537f, -.0015040934f, -.00013681059f,
          -5.920892e-6f, -.00025218f },
        { 1.8930765e-5f, .05932809f, .0454332f, .0137592545f, .0019530258f, .00013704145f, 4.868447e-6f,
          -2.9271243e-5f },
        { -.2553239f, -.1854026f, -.07098944f, -.014332424f, -.0015258087f, -8.5658554e-5f, -2.5364627e-6f,
          -1.2878489e-6f },
        { .4f, .16948433f, .043839432f, .006558028f, .00054971053f, 2.5337014e-5f, 6.3465654e-7f, 0 }
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
