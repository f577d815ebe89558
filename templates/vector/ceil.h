/* SPDX-License-Identifier: MIT-0 */
/* The least whole number that is not below x, in each lane.
 *
 * Error: 0 ULP. ceil(-0.5) = -0. */
#ifndef DCGEN
#pragma once
#include "whole.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_ceil_MACHINE(PACKAGE_floats_MACHINE x)
{
#if VECTOR_BYTES == 64
    return __builtin_ia32_rndscaleps_mask(x, 10, x, (PACKAGE_lanes_MACHINE)-1, 4);
#elif VECTOR_BYTES == 32
    return __builtin_ia32_roundps256(x, 10);
#else
    const PACKAGE_floats_MACHINE zero = { 0 }, whole = PACKAGE_whole_MACHINE(x);
    const PACKAGE_ints_MACHINE sign = (PACKAGE_ints_MACHINE)x & ~0x7fffffff; /* -0.5 becomes -0 */
    const PACKAGE_floats_MACHINE above = PACKAGE_select_MACHINE(whole < x, whole + (zero + 1), whole);
    return (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)above | sign);
#endif
}
