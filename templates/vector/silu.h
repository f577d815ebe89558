/* SPDX-License-Identifier: MIT-0 */
/* silu(x) = x / (1 + exp(-x)) in each lane.
 *
 * silu(x) = max(x, 0) - a / (1 + exp(a)) with a = |x|. The second term counts as 0 where a is large: on AVX-512, which scales to
 * infinity, from 128 on; elsewhere from 64 on.
 *
 * Error: 1.5 ULP or 1e-7. silu(inf) = inf, silu(-inf) = 0, silu(NaN) = NaN. */
#ifndef DCGEN
#pragma once
#include "exp2.h"
#include "max.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_silu_MACHINE(PACKAGE_floats_MACHINE x)
{
    const PACKAGE_floats_MACHINE zero = { 0 };
#if VECTOR_BYTES == 64
    const PACKAGE_floats_MACHINE a =
        __builtin_ia32_rangeps512_mask(x, zero + 128, 10, x, (PACKAGE_lanes_MACHINE)-1, 4); /* NaN: 128 */
#else
    const PACKAGE_floats_MACHINE a = (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)x & 0x7fffffff);
#endif
    const PACKAGE_floats_MACHINE g = a / (PACKAGE_exp2_MACHINE(a * 0x1.715476p0f) + 1);
#if VECTOR_BYTES == 64
    return PACKAGE_max_MACHINE(zero, x) - g;
#else
    const PACKAGE_ints_MACHINE inside = a < 64;
    return PACKAGE_max_MACHINE(zero, x) - (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)g & inside);
#endif
}
