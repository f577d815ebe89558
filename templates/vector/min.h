/* SPDX-License-Identifier: MIT-0 */
/* The smaller of a and x, in each lane; x where x is NaN. a is no NaN. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_min_MACHINE(PACKAGE_floats_MACHINE a, PACKAGE_floats_MACHINE x)
{
#if VECTOR_BYTES == 64
#ifdef __clang__
    return __builtin_ia32_minps512(a, x, 4);
#else
    return __builtin_ia32_minps512_mask(a, x, x, (PACKAGE_lanes_MACHINE)-1, 4);
#endif
#elif VECTOR_BYTES == 32
    return __builtin_ia32_minps256(a, x);
#else
#ifdef __SSE__
    return __builtin_ia32_minps(a, x);
#else
    for (int i = 0; i < 4; i++)
        x[i] = a[i] < x[i] ? a[i] : x[i];
    return x;
#endif
#endif
}
