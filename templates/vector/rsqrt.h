/* SPDX-License-Identifier: MIT-0 */
/* 1 / sqrt(x) in each lane.
 *
 * AVX-512: 14 bits from an instruction, twice as many by a step of Newton's method; infinite and 0 remain as the
 * instruction gives them. Elsewhere a square root and a division; or, where the compiler has no square root of vectors, a first
 * guess from the bits of x, which halves the exponent, and four steps.
 *
 * Error: 1.5 ULP. rsqrt(0) = inf, rsqrt(-0) = -inf, rsqrt(inf) = 0; NaN for x < 0 and NaN. */
#ifndef DCGEN
#pragma once
#include "select.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_rsqrt_MACHINE(PACKAGE_floats_MACHINE x)
{
#if VECTOR_BYTES == 64
    const PACKAGE_ints_MACHINE keep =
        (PACKAGE_ints_MACHINE){ 0 } + 0x110100; /* the second operand where it is infinite or 0 */
    const PACKAGE_floats_MACHINE y = __builtin_ia32_rsqrt14ps512_mask(x, x, 0xffff);
    const PACKAGE_floats_MACHINE better = y * 0.5f * (1 - x * y * y) + y;
    return __builtin_ia32_fixupimmps512_mask(better, y, keep, 0, (PACKAGE_lanes_MACHINE)-1, 4);
#elif VECTOR_BYTES == 32
    return 1 / __builtin_ia32_sqrtps256(x);
#else
#ifdef __SSE__
    return 1 / __builtin_ia32_sqrtps(x);
#else
    const PACKAGE_ints_MACHINE tiny = x < 0x1p-100f, negative = x < 0, end = x == x + x; /* 0 or infinite */
    const PACKAGE_floats_MACHINE a = PACKAGE_select_MACHINE(tiny, x * 0x1p48f, x);
    PACKAGE_floats_MACHINE y = (PACKAGE_floats_MACHINE)(0x5f375a86 - ((PACKAGE_ints_MACHINE)a >> 1));
    for (int i = 0; i < 4; i++)
        y += y * 0.5f * (1 - a * y * y);
    y = PACKAGE_select_MACHINE(tiny, y * 0x1p24f, y);
    y = PACKAGE_select_MACHINE(end, 1 / x, y);
    return (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)y | negative);
#endif
#endif
}
