/* SPDX-License-Identifier: MIT-0 */
/* a where c is -1, b where it is 0, in each lane. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_choose_MACHINE(
    PACKAGE_ints_MACHINE c, PACKAGE_floats_MACHINE a, PACKAGE_floats_MACHINE b)
{
    return (PACKAGE_floats_MACHINE)((c & (PACKAGE_ints_MACHINE)a) | (~c & (PACKAGE_ints_MACHINE)b));
}
