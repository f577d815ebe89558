/* SPDX-License-Identifier: MIT-0 */
/* The whole number nearest to x, of two that are equally near the even one, in each lane.
 *
 * Error: 0 ULP. round(-0.5) = -0. */
#ifndef DCGEN
#pragma once
#include "whole.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_round_MACHINE(PACKAGE_floats_MACHINE x)
{
#if VECTOR_BYTES == 64
    return __builtin_ia32_rndscaleps_mask(x, 8, x, (PACKAGE_lanes_MACHINE)-1, 4);
#elif VECTOR_BYTES == 32
    return __builtin_ia32_roundps256(x, 8);
#else
    return PACKAGE_whole_MACHINE(x);
#endif
}
