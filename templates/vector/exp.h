/* SPDX-License-Identifier: MIT-0 */
/* exp(x) in each lane.
 *
 * x = n ln 2 + r with an integer n and |r| <= (ln 2) / 2; exp(x) = 2^n exp(r). ln 2 is split in two: n times its upper
 * part, which has 9 bits, is exact. n is found by adding 1.5 * 2^23: it lies in the low bits of the sum, and n itself
 * remains when this is subtracted. exp(r) is a polynomial, minimax for the error in ULP: of degree 5 (1.07), or 6 (0.04).
 * 2^n is not always a float where exp(x) is. AVX-512 has an instruction that scales; elsewhere exp(r) is scaled
 * twice, by about half of n each time.
 *
 * Error: 2 ULP, denormal results included. exp(-inf) = 0, exp(inf) = inf, exp(NaN) = NaN. */
#ifndef DCGEN
#pragma once
#include "max.h"
#include "min.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_exp_MACHINE(PACKAGE_floats_MACHINE x)
{
    const PACKAGE_floats_MACHINE zero = { 0 };
#if VECTOR_BYTES == 64
    const float magic = 0x1.8p23f;
#else
    const float magic = 0x1.8p23f + 254; /* the exponents of two floats, whose product is 2^n, sum up to n + 254 */
    x = PACKAGE_min_MACHINE(zero + 89, PACKAGE_max_MACHINE(zero - 104, x));
#endif
    PACKAGE_floats_MACHINE sum = x * 0x1.715476p0f + magic;
#if VECTOR_BYTES == 16
#if __FLT_EVAL_METHOD__
    __asm__("" : "+m"(sum)); /* a register would have more bits than a float */
#endif
#endif
    const PACKAGE_floats_MACHINE n = sum - magic;
    PACKAGE_floats_MACHINE r = x - n * 0x1.63p-1f + n * 0x1.bd0106p-13f;
#if VECTOR_BYTES == 64
    /* Where x is infinite, NaN or very large, r is anything. Then n decides, if r is small. */
    r = __builtin_ia32_rangeps512_mask(r, zero + 0.375f, 2, r, (PACKAGE_lanes_MACHINE)-1, 4);
#endif
#if VECTOR_BYTES == 16
    /* One degree more makes up for products that are rounded where there is no FMA. */
    PACKAGE_floats_MACHINE p = r * 0x1.697a38p-10f + 0x1.1239a8p-7f;
    p = p * r + 0x1.555a02p-5f;
    p = p * r + 0x1.555492p-3f;
    p = p * r + 0x1.fffffap-2f;
    p = p * r + 1;
#else
    PACKAGE_floats_MACHINE p = r * 0x1.0ebee6p-7f + 0x1.573b92p-5f;
    p = p * r + 0x1.555d3ep-3f;
    p = p * r + 0x1.fffdc2p-2f;
    p = p * r + 0x1.ffffeep-1f;
#endif
    p = p * r + 1;
#if VECTOR_BYTES == 64
    return __builtin_ia32_scalefps512_mask(p, n, p, (PACKAGE_lanes_MACHINE)-1, 4);
#else
    const PACKAGE_bits_MACHINE whole = (PACKAGE_bits_MACHINE)sum << 23;
    const PACKAGE_bits_MACHINE half = (PACKAGE_bits_MACHINE)sum << 22 & 0xff800000;
    return p * (PACKAGE_floats_MACHINE)half * (PACKAGE_floats_MACHINE)(whole - half);
#endif
}
