/* SPDX-License-Identifier: MIT-0 */
/* x^y in each lane, by way of double precision (power.h).
 *
 * Error: 1 ULP, denormal results included. As C's pow: pow(x, 0) = pow(1, y) = 1, even of NaN; a negative number to a whole power has the sign that
 * its factors make, to any other power it is NaN. */
#ifndef DCGEN
#pragma once
#include "power.h"
#include "trunc.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_pow_MACHINE(PACKAGE_floats_MACHINE x, PACKAGE_floats_MACHINE y)
{
    const PACKAGE_floats_MACHINE zero = { 0 }, infinity = zero + __builtin_inff();
    const PACKAGE_floats_MACHINE a = (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)x & 0x7fffffff);
    PACKAGE_floats_MACHINE v;
    for (int half = 0; half < 2; half++) {
        PACKAGE_half_floats_MACHINE of, to;
        __builtin_memcpy(&of, (const char *)&a + half * (VECTOR_BYTES / 2), VECTOR_BYTES / 2);
        __builtin_memcpy(&to, (const char *)&y + half * (VECTOR_BYTES / 2), VECTOR_BYTES / 2);
        of = __builtin_convertvector(PACKAGE_power_MACHINE(__builtin_convertvector(of, PACKAGE_doubles_MACHINE),
                                                           __builtin_convertvector(to, PACKAGE_doubles_MACHINE)),
                                     PACKAGE_half_floats_MACHINE);
        __builtin_memcpy((char *)&v + half * (VECTOR_BYTES / 2), &of, VECTOR_BYTES / 2);
    }
    const PACKAGE_floats_MACHINE half = y * 0.5f;
    const PACKAGE_ints_MACHINE whole = PACKAGE_trunc_MACHINE(y) == y, odd = whole & (PACKAGE_trunc_MACHINE(half) != half);
    const PACKAGE_ints_MACHINE negative = (PACKAGE_ints_MACHINE)x & ~0x7fffffff;
    const PACKAGE_ints_MACHINE large = (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)y & 0x7fffffff) == infinity;
    const PACKAGE_ints_MACHINE one = (x == 1) | (y == 0) | ((a == 1) & large);
    const PACKAGE_ints_MACHINE none = (x != x) | (y != y) | ((x < 0) & (a != infinity) & ~whole);
    v = (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)v | (negative & odd));
    v = (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)v | (none & 0x7fc00000));
    return (PACKAGE_floats_MACHINE)(((PACKAGE_ints_MACHINE)v & ~one) | ((PACKAGE_ints_MACHINE)(zero + 1) & one));
}
