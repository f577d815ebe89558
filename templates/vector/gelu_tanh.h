/* SPDX-License-Identifier: MIT-0 */
/* gelu(x) in its form with tanh, in each lane: x S(x), S(x) = (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
 *
 * gelu(x) = max(x, 0) - a S(-a) with a = |x|. AVX-512 and AVX2: S(-a) is piecewise polynomial; the coefficients
 * are looked up in vectors. The pieces are minimax for the error of gelu (1e-8, and 5e-8 in the last one, which
 * ends in 0). Elsewhere: S(-a) = 1 / (1 + exp(2 sqrt(2 / pi) (a + 0.044715 a^3))).
 *
 * Error: 4 ULP or 1e-7. From x = -5.25 down it is 0. gelu(inf) = inf, gelu(-inf) = 0, gelu(NaN) = NaN. */
#ifndef DCGEN
#pragma once
#include "exp2.h"
#include "max.h"
#include "min.h"
#include "piecewise.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_gelu_tanh_MACHINE(
    PACKAGE_floats_MACHINE x)
{
    const PACKAGE_floats_MACHINE zero = {0};
#if VECTOR_BYTES == 64
    static const PACKAGE_floats_MACHINE c[] = {
        { -6.616658e-5f, -1.31789e-5f, -1.0835228e-6f, 8.424973e-6f, 1.0724747e-5f, 7.3077736e-6f,
          2.6475204e-6f, -5.870013e-7f, -1.8134592e-6f, -1.7268242e-6f, -1.1258909e-6f, -5.530508e-7f,
          -2.0774029e-7f, -5.957357e-8f, -1.2917624e-8f, -5.572946e-5f },
        { 6.098296e-5f, -8.054606e-5f, -.0001167485f, -9.645267e-5f, -4.560255e-5f, 8.9446985e-7f,
          2.5524894e-5f, 2.9852765e-5f, 2.3161805e-5f, 1.3942643e-5f, 6.7316137e-6f, 2.606403e-6f,
          8.004747e-7f, 1.922722e-7f, 3.5581e-8f, -6.9535665e-5f },
        { .0009509549f, .0008065372f, .0003890535f, -5.573049e-5f, -.0003444927f, -.000427477f,
          -.00036546518f, -.00024844537f, -.0001400741f, -6.605064e-5f, -2.5866242e-5f, -8.29403e-6f,
          -2.1411956e-6f, -4.373157e-7f, -6.944196e-8f, -3.0366078e-5f },
        { 4.9184146e-6f, .0027588124f, .0045884303f, .005067404f, .004415225f, .003210194f, .0019961842f,
          .0010713319f, .00049549196f, .00019565177f, 6.5014756e-5f, 1.7873492e-5f, 3.9923084e-6f,
          7.114327e-7f, 9.932934e-8f, -5.3946337e-6f },
        { -.048265543f, -.045419633f, -.037861563f, -.027981604f, -.018354153f, -.010687842f, -.005513341f,
          -.0025049164f, -.0009924949f, -.00033834312f, -9.7658776e-5f, -2.345319e-5f, -4.6024256e-6f,
          -7.247229e-7f, -8.992715e-8f, -3.4510964e-7f },
        { .17391305f, .12660804f, .084661305f, .051660605f, .028603164f, .014284586f, .0063871494f,
          .0025322894f, .00087932183f, .00026356278f, 6.7092995e-5f, 1.42576655e-5f, 2.4848628e-6f,
          3.4886367e-7f, 3.875227e-8f, 0 }
    };
    const PACKAGE_floats_MACHINE t = __builtin_ia32_rangeps512_mask(x * 2.875f, zero + 15, 10, x, -1, 4); /* NaN: 15 */
    return PACKAGE_max_MACHINE(zero, x) - t * PACKAGE_piecewise_MACHINE(c, 5, t);
#elif VECTOR_BYTES == 32
    static const PACKAGE_floats_MACHINE c[] = {
        { 4.1230283e-5f, .00037998345f, -8.867431e-5f, -.00011473282f, 5.1024454e-6f, 1.8262626e-5f,
          3.5086823e-6f, -.0010326975f },
        { -.0016280876f, 3.0463818e-5f, .00095923676f, .00010639156f, -.00017675727f, -6.8489564e-5f,
          -7.542265e-6f, -.0015448314f },
        { -9.1964735e-5f, -.0052725333f, -.0013864619f, .0013252251f, .00080409f, .00015796888f,
          1.0767111e-5f, -.0008653893f },
        { .020522863f, .0067784283f, -.008109738f, -.0066773547f, -.0019732174f, -.00025046951f,
          -1.200571e-5f, -.00022355492f },
        { -3.8057706e-6f, .046399716f, .040231917f, .015337064f, .0029484034f, .00026418304f, 9.383204e-6f,
          -2.5908354e-5f },
        { -.22093919f, -.16735564f, -.073122635f, -.018430956f, -.0025408915f, -.00016866793f,
          -4.555511e-6f, -1.1481208e-6f },
        { .37209302f, .17002594f, .050957702f, .009420459f, .0009788823f, 4.9710434e-5f, 1.0435032e-6f, 0 }
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
