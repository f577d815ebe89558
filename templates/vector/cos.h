/* SPDX-License-Identifier: MIT-0 */
/* cos(x) in each lane, of any float: |x| is brought within pi / 4 of 0 (quarter.h), and a quarter more is a sine.
 *
 * Error: 2 ULP. NaN for infinities and NaN. */
#ifndef DCGEN
#pragma once
#include "quarter.h"
#include "wave.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_cos_MACHINE(PACKAGE_floats_MACHINE x)
{
    PACKAGE_ints_MACHINE quarter = { 0 };
    const PACKAGE_floats_MACHINE r = PACKAGE_quarter_MACHINE((PACKAGE_floats_MACHINE)((PACKAGE_ints_MACHINE)x & 0x7fffffff), &quarter);
    return PACKAGE_wave_MACHINE(r, quarter + 1);
}
