/* SPDX-License-Identifier: MIT-0 */
/* A function that is a polynomial of its own from each integer i to the next, at t: the sum of c[k][i] r^(degree - k) for
 * k = 0 .. degree, where i is the integer part of t and r = t - i. 0 <= t < lanes: the coefficients of one degree are one vector.
 * NaN stays NaN. Not for vectors of 16 bytes. */
#ifndef DCGEN
#pragma once
#include "look_up.h"
#endif
#if VECTOR_BYTES > 16
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_piecewise_MACHINE(const PACKAGE_floats_MACHINE *c, const int degree, PACKAGE_floats_MACHINE t)
{
    const PACKAGE_ints_MACHINE i = __builtin_convertvector(t, PACKAGE_ints_MACHINE);
    const PACKAGE_floats_MACHINE r = t - __builtin_convertvector(i, PACKAGE_floats_MACHINE);
    PACKAGE_floats_MACHINE p = PACKAGE_look_up_MACHINE(c[0], i);
    for (int k = 1; k <= degree; k++)
        p = p * r + PACKAGE_look_up_MACHINE(c[k], i);
    return p;
}
#endif
