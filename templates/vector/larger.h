/* SPDX-License-Identifier: MIT-0 */
/* Takes the lanes of v that are larger than `largest`, and their places, which begin with `first`. */
#ifndef DCGEN
#pragma once
#include "places.h"
#include "select.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
PACKAGE_larger_MACHINE(PACKAGE_floats_MACHINE *largest, PACKAGE_ints_MACHINE *at, PACKAGE_floats_MACHINE v, int32_t first)
{
    const PACKAGE_ints_MACHINE larger = v > *largest;
    *largest = PACKAGE_select_MACHINE(larger, v, *largest);
    *at = (*at & ~larger) | (PACKAGE_places_MACHINE(first) & larger);
}
