/* SPDX-License-Identifier: MIT-0 */
/* gelu(x) in its form with tanh, in each lane: x S(x), S(x) = (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
 *
 * gelu(x) = max(x, 0) - a S(-a) with a = |x|; a S(-a) counts as 0 from a = 5.2 on, where it is below 6e-8.
 * AVX-512 and AVX2: S(-a) is piecewise polynomial; the coefficients are looked up in vectors. They are those of S(-a) / k as
 * a function of t = k a, minimax for the error of gelu (3e-9, or 2e-8 on AVX2).
 * Elsewhere: S(-a) = 1 / (1 + 2^q), q = 2 sqrt(2 / pi) (a + 0.044715 a^3) / ln 2.
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
PACKAGE_gelu_tanh_MACHINE(PACKAGE_floats_MACHINE x)
{
    const PACKAGE_floats_MACHINE zero = { 0 };
#if VECTOR_BYTES == 64
    static const PACKAGE_floats_MACHINE c[] = {
        { -1.7359076e-5f, -7.4649784e-6f, 4.2681095e-6f, 1.0316812e-5f, 9.20288e-6f, 4.7981225e-6f, 7.032056e-7f,
          -1.4102719e-6f, -1.8763096e-6f, -1.4431328e-6f, -8.150083e-7f, -3.5040833e-7f, -1.1513834e-7f, -2.874747e-8f,
          -5.3972e-9f, 0 },
        { -1.0474991e-7f, -8.731861e-5f, -.00012327243f, -9.828889e-5f, -4.325673e-5f, 4.2039705e-6f, 2.7961474e-5f,
          3.079338e-5f, 2.3179824e-5f, 1.3563745e-5f, 6.345753e-6f, 2.364132e-6f, 6.9277837e-7f, 1.5740297e-7f,
          2.73076e-8f, 0 },
        { .0009772549f, .0008092565f, .00039196157f, -5.527976e-5f, -.00034598552f, -.0004291346f, -.00036658178f,
          -.0002488317f, -.0001400499f, -6.585924e-5f, -2.5687432e-5f, -8.186898e-6f, -2.0952216e-6f, -4.229658e-7f,
          -6.616604e-8f, 0 },
        { 5.371364e-7f, .0027584056f, .0045878636f, .0050674253f, .0044156564f, .0032105746f, .0019964222f,
          .0010714039f, .00049548125f, .00019560785f, 6.497654e-5f, 1.7851478e-5f, 3.9831293e-6f, 7.0865053e-7f,
          9.871427e-8f, 0 },
        { -.048265334f, -.04541962f, -.037861522f, -.027981615f, -.018354196f, -.010687878f, -.005513366f, -.002504923f,
          -.0009924939f, -.000338339f, -9.765517e-5f, -2.3451084e-5f, -4.601534e-6f, -7.244464e-7f, -8.9864315e-8f, 0 },
        { .17391305f, .12660804f, .084661305f, .051660605f, .028603164f, .0142845865f, .0063871504f, .0025322896f,
          .00087932183f, .0002635627f, 6.709289e-5f, 1.4257598e-5f, 2.4848318e-6f, 3.4885326e-7f, 3.8749693e-8f, 0 }
    };
    const PACKAGE_floats_MACHINE t =
        __builtin_ia32_rangeps512_mask(x * 2.875f, zero + 15, 10, x, (PACKAGE_lanes_MACHINE)-1, 4); /* NaN: 15 */
    return PACKAGE_max_MACHINE(zero, x) - t * PACKAGE_piecewise_MACHINE(c, 5, t);
#elif VECTOR_BYTES == 32
    static const PACKAGE_floats_MACHINE c[] = {
        { .00036612852f, .00015058494f, -.00016472144f, -4.1931777e-5f, 2.1373466e-5f, 9.651346e-6f, 8.961026e-7f, 0 },
        { -.0022390357f, .00043070037f, .0010364109f, -2.3354446e-6f, -.00019504581f, -5.5388435e-5f, -4.265094e-6f,
          0 },
        { .00037111962f, -.005557124f, -.0014121094f, .0013926199f, .00081170164f, .00014973649f, 9.1110305e-6f, 0 },
        { .020347431f, .006880018f, -.008105185f, -.006699682f, -.0019750146f, -.0002477428f, -1.1525451e-5f, 0 },
        { 2.881376e-5f, .04638205f, .040230855f, .01534099f, .0029487375f, .00026371123f, 9.295849e-6f, 0 },
        { -.22094157f, -.16735445f, -.073122494f, -.018431243f, -.0025409244f, -.00016863414f, -4.54825e-6f, 0 },
        { .37209305f, .17002593f, .050957702f, .009420462f, .0009788824f, 4.9710077e-5f, 1.0434555e-6f, 0 }
    };
    const PACKAGE_floats_MACHINE a = (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)x & 0x7fffffff);
    const PACKAGE_floats_MACHINE t = PACKAGE_min_MACHINE(zero + 7, a * 1.34375f);
    return PACKAGE_max_MACHINE(zero, x) - t * PACKAGE_piecewise_MACHINE(c, 6, t);
#else
    const PACKAGE_floats_MACHINE a = (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)x & 0x7fffffff);
    const PACKAGE_floats_MACHINE q = a * (a * a * 0.10294324f + 2.3022082f); /* in units of ln 2 */
    const PACKAGE_floats_MACHINE g = a / (PACKAGE_exp2_MACHINE(q) + 1);
    const PACKAGE_ints_MACHINE inside = a < 5.25f;
    return PACKAGE_max_MACHINE(zero, x) - (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)g & inside);
#endif
}
