/* SPDX-License-Identifier: MIT-0 */
/* The square root of x, in each lane, correctly rounded.
 *
 * Error: 0.5 ULP. sqrt(-0) = -0; NaN for x < 0 and NaN. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_sqrt_MACHINE(PACKAGE_floats_MACHINE x)
{
#if VECTOR_BYTES == 64
#ifdef __clang__
    return __builtin_ia32_sqrtps512(x, 4);
#else
    return __builtin_ia32_sqrtps512_mask(x, x, -1, 4);
#endif
#elif VECTOR_BYTES == 32
    return __builtin_ia32_sqrtps256(x);
#else
#ifdef __SSE__
    return __builtin_ia32_sqrtps(x);
#else
    for (int i = 0; i < 4; i++)
        x[i] = __builtin_sqrtf(x[i]);
    return x;
#endif
#endif
}
