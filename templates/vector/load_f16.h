/* SPDX-License-Identifier: MIT-0 */
/* The first `lanes` f16 from p on, as floats; 0 in the lanes behind them. Nothing else is read.
 *
 * Exponent and mantissa move to where floats have them; multiplying by 2^112 sets the exponent right, of denormal f16 too. Infinite ones and NaN
 * get the largest exponent. */
#ifndef DCGEN
#pragma once
#include "load_halves.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_load_f16_MACHINE(const uint16_t *p, int64_t lanes)
{
    const PACKAGE_bits_MACHINE bits = PACKAGE_load_halves_MACHINE(p, lanes);
    const PACKAGE_floats_MACHINE a = (PACKAGE_floats_MACHINE)((bits & 0x7fff) << 13) * 0x1p112f;
    const PACKAGE_ints_MACHINE special = (PACKAGE_ints_MACHINE)(bits & 0x7c00) == 0x7c00;
    return (PACKAGE_floats_MACHINE)((PACKAGE_bits_MACHINE)a | (bits & 0x8000) << 16 | ((PACKAGE_bits_MACHINE)special & 0x7f800000));
}
