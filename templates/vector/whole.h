/* SPDX-License-Identifier: MIT-0 */
/* The whole number nearest to x in each lane, of two that are equally near the even one. Only floats below 2^23 have a fraction: to these 2^23 is added
 * and taken off again, with the sign of x.
 *
 * Error: exact. whole(-0.5) = -0. */
#ifndef DCGEN
#pragma once
#include "select.h"
#endif
#if VECTOR_BYTES == 16
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_whole_MACHINE(PACKAGE_floats_MACHINE x)
{
    const PACKAGE_ints_MACHINE bits = (PACKAGE_ints_MACHINE)x & 0x7fffffff, sign = (PACKAGE_ints_MACHINE)x ^ bits;
    const PACKAGE_floats_MACHINE a = (PACKAGE_floats_MACHINE)bits;
    PACKAGE_floats_MACHINE sum = a + 0x1p23f;
#if __FLT_EVAL_METHOD__
    __asm__("" : "+m"(sum)); /* a register would have more bits than a float */
#endif
    const PACKAGE_floats_MACHINE whole = (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)(sum - 0x1p23f) | sign);
    return PACKAGE_select_MACHINE(a < 0x1p23f, whole, x);
}
#endif
