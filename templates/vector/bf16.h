/* SPDX-License-Identifier: MIT-0 */
/* x rounded to the nearest number that a bf16 can hold, to the even one of two, in each lane. NaN remains. */
#ifndef DCGEN
#pragma once
#include "select.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_bf16_MACHINE(PACKAGE_floats_MACHINE x)
{
    const PACKAGE_bits_MACHINE bits = (PACKAGE_bits_MACHINE)x, rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    return PACKAGE_select_MACHINE(x == x, (PACKAGE_floats_MACHINE)rounded, x);
}
