/* SPDX-License-Identifier: MIT-0 */
/* x without its fraction, in each lane.
 *
 * Error: 0 ULP. trunc(-0.5) = -0. */
#ifndef DCGEN
#pragma once
#include "whole.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_trunc_MACHINE(PACKAGE_floats_MACHINE x)
{
#if VECTOR_BYTES == 64
    return __builtin_ia32_rndscaleps_mask(x, 11, x, (PACKAGE_lanes_MACHINE)-1, 4);
#elif VECTOR_BYTES == 32
    return __builtin_ia32_roundps256(x, 11);
#else
    const PACKAGE_floats_MACHINE zero = { 0 };
    const PACKAGE_ints_MACHINE a = (PACKAGE_ints_MACHINE)x & 0x7fffffff, sign = (PACKAGE_ints_MACHINE)x ^ a;
    const PACKAGE_floats_MACHINE whole = PACKAGE_whole_MACHINE((PACKAGE_floats_MACHINE)a);
    const PACKAGE_floats_MACHINE below = PACKAGE_select_MACHINE(whole > (PACKAGE_floats_MACHINE)a, whole - (zero + 1), whole);
    return (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)below | sign);
#endif
}
