/* SPDX-License-Identifier: MIT-0 */
/* sigmoid(x) = 1 / (1 + exp(-x)) in each lane.
 *
 * With e = exp(-|x|) it is 1 / (1 + e), or e / (1 + e) for x < 0: this keeps small results, denormal ones included, exact to the
 * last places.
 *
 * Error: 4 ULP. sigmoid(-inf) = 0, sigmoid(inf) = 1, sigmoid(NaN) = NaN. */
#ifndef DCGEN
#pragma once
#include "exp.h"
#include "select.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_sigmoid_MACHINE(PACKAGE_floats_MACHINE x)
{
    const PACKAGE_floats_MACHINE one = (PACKAGE_floats_MACHINE){ 0 } + 1;
    const PACKAGE_ints_MACHINE minus_a = (PACKAGE_ints_MACHINE)x | ~0x7fffffff;
    const PACKAGE_floats_MACHINE e = PACKAGE_exp_MACHINE((PACKAGE_floats_MACHINE)minus_a);
    return PACKAGE_select_MACHINE((PACKAGE_ints_MACHINE)x >> 31, e, one) / (one + e);
}
