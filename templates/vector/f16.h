/* SPDX-License-Identifier: MIT-0 */
/* x rounded to the nearest number that an f16 can hold, to the even one of two, in each lane. NaN remains.
 *
 * Where |x| is below 2^-14, f16 are multiples of 2^-24, which is the distance of floats from 1/2 on: adding 1/2 rounds. Elsewhere 13 bits of the
 * mantissa are rounded away. From 65520 on the nearest number is infinite. */
#ifndef DCGEN
#pragma once
#include "select_ints.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_f16_MACHINE(PACKAGE_floats_MACHINE x)
{
    const PACKAGE_ints_MACHINE bits = (PACKAGE_ints_MACHINE)x, a_bits = bits & 0x7fffffff, sign = bits ^ a_bits;
    const PACKAGE_floats_MACHINE a = (PACKAGE_floats_MACHINE)a_bits;
    PACKAGE_floats_MACHINE sum = a + 0.5f;
#if VECTOR_BYTES == 16
#if __FLT_EVAL_METHOD__
    __asm__("" : "+m"(sum)); /* a register would have more bits than a float */
#endif
#endif
    const PACKAGE_ints_MACHINE small = (PACKAGE_ints_MACHINE)(sum - 0.5f);
    const PACKAGE_ints_MACHINE normal =
        (PACKAGE_ints_MACHINE)(((PACKAGE_bits_MACHINE)a_bits + 0xfff + (PACKAGE_bits_MACHINE)(a_bits >> 13 & 1)) & 0xffffe000);
    const PACKAGE_ints_MACHINE infinite = (PACKAGE_ints_MACHINE){ 0 } + 0x7f800000;
    PACKAGE_ints_MACHINE y = PACKAGE_select_ints_MACHINE(a < 0x1p-14f, small, normal);
    y = PACKAGE_select_ints_MACHINE(a >= 65520.0f, infinite, y);
    return (PACKAGE_floats_MACHINE)(PACKAGE_select_ints_MACHINE(a == a, y, a_bits) | sign);
}
