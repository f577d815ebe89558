/* SPDX-License-Identifier: MIT-0 */
/* The first `lanes` bf16 from p on, as floats; 0 in the lanes behind them. Nothing else is read. */
#ifndef DCGEN
#pragma once
#include "load_halves.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_load_bf16_MACHINE(const uint16_t *p, int64_t lanes)
{
    return (PACKAGE_floats_MACHINE)(PACKAGE_load_halves_MACHINE(p, lanes) << 16);
}
