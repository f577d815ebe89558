/* SPDX-License-Identifier: MIT-0 */
/* The magnitude of x, in each lane. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_abs_MACHINE(PACKAGE_floats_MACHINE x)
{
    return (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)x & 0x7fffffff);
}
