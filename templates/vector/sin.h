/* SPDX-License-Identifier: MIT-0 */
/* sin(x) in each lane, of any float: a = |x| is brought within pi / 4 of 0 (quarter.h), and the sign of x is that of the sine.
 *
 * Error: 2 ULP. sin(-0) = -0; NaN for infinities and NaN. */
#ifndef DCGEN
#pragma once
#include "quarter.h"
#include "wave.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_sin_MACHINE(PACKAGE_floats_MACHINE x)
{
    const PACKAGE_ints_MACHINE a = (PACKAGE_ints_MACHINE)x & 0x7fffffff, sign = (PACKAGE_ints_MACHINE)x ^ a;
    PACKAGE_ints_MACHINE quarter = { 0 };
    const PACKAGE_floats_MACHINE r = PACKAGE_quarter_MACHINE((PACKAGE_floats_MACHINE)a, &quarter);
    return (PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)PACKAGE_wave_MACHINE(r, quarter) ^ sign);
}
