/* SPDX-License-Identifier: MIT-0 */
/* gelu(x) = x Phi(x) in each lane, where Phi is the normal distribution: Phi(x) = (1 + erf(x / sqrt 2)) / 2.
 *
 * Phi(-a) = p(a)^4 with a polynomial p, minimax for the error of gelu (2e-8); the fourth root falls so slowly that one polynomial is enough.
 *
 * Error: 2 ULP or 1e-7. gelu(inf) = inf, gelu(-inf) = 0 (but for 1e-25), gelu(NaN) = NaN. */
#ifndef DCGEN
#pragma once
#include "gelu_by.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_gelu_MACHINE(PACKAGE_floats_MACHINE x)
{
    static const float p[] = { 0x1.1af096p-25f,  -0x1.173cd0p-21f, -0x1.570b6cp-22f, 0x1.a9df60p-15f,
                               -0x1.410bc6p-12f, 0x1.7773fap-24f,  0x1.e6f092p-9f,   0x1.35fb62p-8f,
                               -0x1.9b89a6p-5f,  -0x1.5780a0p-3f,  0x1.ae89e8p-1f };
    return PACKAGE_gelu_by_MACHINE(p, sizeof p / sizeof *p, 6.39998007f, x);
}
