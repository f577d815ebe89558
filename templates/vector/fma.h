/* SPDX-License-Identifier: MIT-0 */
/* a b + c in each lane, rounded once, whatever the compiler's flags say of a * b + c. Where vectors have less than 32 bytes there is none. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
#if VECTOR_BYTES > 16
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_fma_MACHINE(PACKAGE_floats_MACHINE a, PACKAGE_floats_MACHINE b, PACKAGE_floats_MACHINE c)
{
#if VECTOR_BYTES == 64
    return __builtin_ia32_vfmaddps512_mask(a, b, c, (PACKAGE_lanes_MACHINE)-1, 4);
#else
    return __builtin_ia32_vfmaddps256(a, b, c);
#endif
}
#endif
