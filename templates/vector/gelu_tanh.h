/* SPDX-License-Identifier: MIT-0 */
/* gelu(x) in its form with tanh, in each lane: x S(x), S(x) = (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
 *
 * gelu(x) = max(x, 0) - a S(-a) with a = |x|. S(-a) = p(a)^4 with a polynomial p, minimax for the error of gelu (1e-8), as in gelu.h. p has
 * a root at 5.6; a counts as 5.6 from there on.
 *
 * Error: 2 ULP or 1e-7. gelu(inf) = inf, gelu(-inf) = 0 (but for 1e-25), gelu(NaN) = NaN. */
#ifndef DCGEN
#pragma once
#include "max.h"
#include "min.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_gelu_tanh_MACHINE(PACKAGE_floats_MACHINE x)
{
    const PACKAGE_floats_MACHINE zero = { 0 };
    const PACKAGE_floats_MACHINE a = (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)x & 0x7fffffff);
    const PACKAGE_floats_MACHINE t = PACKAGE_min_MACHINE(zero + 5.59989643f, a);
    PACKAGE_floats_MACHINE p = t * 0x1.61d536p-26f - 0x1.4f815ep-21f;
    p = p * t + 0x1.07e3cep-17f;
    p = p * t - 0x1.b9bdb4p-15f;
    p = p * t + 0x1.9ca276p-13f;
    p = p * t - 0x1.87c590p-12f;
    p = p * t + 0x1.f3654ap-13f;
    p = p * t - 0x1.271266p-11f;
    p = p * t + 0x1.0e661cp-8f;
    p = p * t + 0x1.35f05cp-8f;
    p = p * t - 0x1.9b3aaep-5f;
    p = p * t - 0x1.578388p-3f;
    p = p * t + 0x1.ae89f2p-1f;
    p *= p;
    return PACKAGE_max_MACHINE(zero, x) - t * (p * p);
}
