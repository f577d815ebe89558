/* SPDX-License-Identifier: MIT-0 */
/* a in the lanes where the mask is -1, b where it is 0. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_ints_MACHINE
PACKAGE_select_ints_MACHINE(PACKAGE_ints_MACHINE mask, PACKAGE_ints_MACHINE a, PACKAGE_ints_MACHINE b)
{
    return (a & mask) | (b & ~mask);
}
