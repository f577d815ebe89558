/* SPDX-License-Identifier: MIT-0 */
/* The places from `first` on, one a lane. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline, unused)) TARGET_ATTRIBUTE PACKAGE_ints_MACHINE PACKAGE_places_MACHINE(int32_t first)
{
#if VECTOR_BYTES == 64
    return first + (PACKAGE_ints_MACHINE){ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
#elif VECTOR_BYTES == 32
    return first + (PACKAGE_ints_MACHINE){ 0, 1, 2, 3, 4, 5, 6, 7 };
#else
    return first + (PACKAGE_ints_MACHINE){ 0, 1, 2, 3 };
#endif
}
