/* SPDX-License-Identifier: MIT-0 */
/* 2^x in each lane; for -126 <= x < 127.5 where vectors have less than 64 bytes, else for any x.
 *
 * x = n + r with an integer n and |r| <= 1/2. 2^r is a polynomial, minimax for the error in ULP (1.06). n is found by
 * adding 1.5 * 2^23: it lies in the low bits of the sum, and n itself remains when this is subtracted.
 *
 * Error: 2 ULP. */
#ifndef DCGEN
#pragma once
#include "reduce.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_exp2_MACHINE(
    PACKAGE_floats_MACHINE x)
{
#if VECTOR_BYTES == 64
    const PACKAGE_floats_MACHINE r = PACKAGE_reduce_MACHINE(x);
#else
    const float magic = 0x1.8p23f;
    const PACKAGE_floats_MACHINE sum = x + magic, r = x - (sum - magic);
#endif
    PACKAGE_floats_MACHINE p = r * 0x1.5aabb0p-10f + 0x1.3cec56p-7f;
    p = p * r + 0x1.c6babcp-5f;
    p = p * r + 0x1.ebf9b6p-3f;
    p = p * r + 0x1.62e424p-1f;
    p = p * r + 1;
#if VECTOR_BYTES == 64
    return __builtin_ia32_scalefps512_mask(p, x - r, p, -1, 4);
#else
    return (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)p + ((PACKAGE_ints_MACHINE)sum << 23));
#endif
}
