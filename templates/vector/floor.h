/* SPDX-License-Identifier: MIT-0 */
/* The largest whole number that is not above x, in each lane.
 *
 * Error: 0 ULP. floor(-0) = -0. */
#ifndef DCGEN
#pragma once
#include "whole.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_floor_MACHINE(PACKAGE_floats_MACHINE x)
{
#if VECTOR_BYTES == 64
    return __builtin_ia32_rndscaleps_mask(x, 9, x, (PACKAGE_lanes_MACHINE)-1, 4);
#elif VECTOR_BYTES == 32
    return __builtin_ia32_roundps256(x, 9);
#else
    const PACKAGE_floats_MACHINE zero = { 0 }, whole = PACKAGE_whole_MACHINE(x);
    return PACKAGE_select_MACHINE(whole > x, whole - (zero + 1), whole);
#endif
}
