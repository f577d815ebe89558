/* SPDX-License-Identifier: MIT-0 */
/* gelu(x) in its form with tanh, in each lane: x S(x), S(x) = (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
 *
 * S(-a) = p(a)^4 with a polynomial p, minimax for the error of gelu (1e-8), as in gelu.h.
 *
 * Error: 2 ULP or 1e-7. gelu(inf) = inf, gelu(-inf) = 0 (but for 1e-25), gelu(NaN) = NaN. */
#ifndef DCGEN
#pragma once
#include "gelu_by.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_gelu_tanh_MACHINE(PACKAGE_floats_MACHINE x)
{
    static const float p[] = { 0x1.61d536p-26f,  -0x1.4f815ep-21f, 0x1.07e3cep-17f,  -0x1.b9bdb4p-15f, 0x1.9ca276p-13f,
                               -0x1.87c590p-12f, 0x1.f3654ap-13f,  -0x1.271266p-11f, 0x1.0e661cp-8f,   0x1.35f05cp-8f,
                               -0x1.9b3aaep-5f,  -0x1.578388p-3f,  0x1.ae89f2p-1f };
    return PACKAGE_gelu_by_MACHINE(p, sizeof p / sizeof *p, 5.59989643f, x);
}
