/* SPDX-License-Identifier: MIT-0 */
/* The smallest of all lanes: of the upper and the lower half, until one lane is left. */
#ifndef DCGEN
#pragma once
#include "min.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE float PACKAGE_smallest_of_MACHINE(PACKAGE_floats_MACHINE v)
{
#if VECTOR_BYTES == 64
    v = PACKAGE_min_MACHINE(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    v = PACKAGE_min_MACHINE(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
    v = PACKAGE_min_MACHINE(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
#elif VECTOR_BYTES == 32
    v = PACKAGE_min_MACHINE(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
    v = PACKAGE_min_MACHINE(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
#else
    v = PACKAGE_min_MACHINE(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
#endif
#if VECTOR_BYTES == 64
    return PACKAGE_min_MACHINE(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14))[0];
#elif VECTOR_BYTES == 32
    return PACKAGE_min_MACHINE(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6))[0];
#else
    return PACKAGE_min_MACHINE(v, __builtin_shufflevector(v, v, 1, 0, 3, 2))[0];
#endif
}
