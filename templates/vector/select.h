/* SPDX-License-Identifier: MIT-0 */
/* a in the lanes where the mask is -1, b where it is 0. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_select_MACHINE(PACKAGE_ints_MACHINE mask, PACKAGE_floats_MACHINE a, PACKAGE_floats_MACHINE b)
{
#if VECTOR_BYTES == 32
    return __builtin_ia32_blendvps256(b, a, (PACKAGE_floats_MACHINE)mask);
#else
    return (PACKAGE_floats_MACHINE)(((PACKAGE_ints_MACHINE)a & mask) | ((PACKAGE_ints_MACHINE)b & ~mask));
#endif
}
