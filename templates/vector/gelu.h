/* SPDX-License-Identifier: MIT-0 */
/* gelu(x) = x Phi(x) in each lane, where Phi is the normal distribution: Phi(x) = (1 + erf(x / sqrt 2)) / 2.
 *
 * gelu(x) = max(x, 0) - a Phi(-a) with a = |x|. Phi(-a) = p(a)^4 with a polynomial p, minimax for the error of gelu (2e-8); the fourth
 * root falls so slowly that one polynomial is enough. p has a root at 6.4, where a counts as 6.4 from there on.
 *
 * Error: 2 ULP or 1e-7. gelu(inf) = inf, gelu(-inf) = 0 (but for 1e-25), gelu(NaN) = NaN. */
#ifndef DCGEN
#pragma once
#include "max.h"
#include "min.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_gelu_MACHINE(PACKAGE_floats_MACHINE x)
{
    const PACKAGE_floats_MACHINE zero = { 0 };
    const PACKAGE_floats_MACHINE a = (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)x & 0x7fffffff);
    const PACKAGE_floats_MACHINE t = PACKAGE_min_MACHINE(zero + 6.39998007f, a);
    PACKAGE_floats_MACHINE p = t * 0x1.1af096p-25f - 0x1.173cd0p-21f;
    p = p * t - 0x1.570b6cp-22f;
    p = p * t + 0x1.a9df60p-15f;
    p = p * t - 0x1.410bc6p-12f;
    p = p * t + 0x1.7773fap-24f;
    p = p * t + 0x1.e6f092p-9f;
    p = p * t + 0x1.35fb62p-8f;
    p = p * t - 0x1.9b89a6p-5f;
    p = p * t - 0x1.5780a0p-3f;
    p = p * t + 0x1.ae89e8p-1f;
    p *= p;
    return PACKAGE_max_MACHINE(zero, x) - t * (p * p);
}
