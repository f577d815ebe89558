/* SPDX-License-Identifier: MIT-0 */
/* max(x, 0) - a p(a)^4 in each lane, a = |x|: x F(x) for a function F with F(-a) = 1 - F(a) = p(a)^4 and a polynomial p, its n coefficients from the
 * highest power on. p has a root at `end`, and a counts as `end` from there on. NaN stays NaN. */
#ifndef DCGEN
#pragma once
#include "max.h"
#include "min.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_gelu_by_MACHINE(const float *p, const int n, const float end, PACKAGE_floats_MACHINE x)
{
    const PACKAGE_floats_MACHINE zero = { 0 };
    const PACKAGE_floats_MACHINE a = (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)x & 0x7fffffff);
    const PACKAGE_floats_MACHINE t = PACKAGE_min_MACHINE(zero + end, a);
    PACKAGE_floats_MACHINE root = zero + p[0];
    PACKAGE_UNROLL(16)
    for (int i = 1; i < n; i++)
        root = root * t + p[i];
    root *= root;
    return PACKAGE_max_MACHINE(zero, x) - t * (root * root);
}
