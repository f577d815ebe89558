/* SPDX-License-Identifier: MIT-0 */
/* The first `lanes` lanes of v, and `rest` in those behind them. */
#ifndef DCGEN
#pragma once
#include "places.h"
#include "select.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_first_MACHINE(PACKAGE_floats_MACHINE v, int64_t lanes, float rest)
{
    if (lanes >= VECTOR_BYTES / 4)
        return v;
    return PACKAGE_select_MACHINE(PACKAGE_places_MACHINE(0) < (int32_t)lanes, v, rest - (PACKAGE_floats_MACHINE){ 0 });
}
