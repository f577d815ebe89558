/* SPDX-License-Identifier: MIT-0 */
/* table[i] in each lane, where i is the lane's index modulo the length of the table: one vector. AVX-512
 * alone has so large a vector that a table is worth it. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
#if VECTOR_BYTES == 64
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_look_up_MACHINE(PACKAGE_floats_MACHINE table, PACKAGE_ints_MACHINE index)
{
#ifndef __clang__
    return __builtin_shuffle(table, index);
#else
    return __builtin_ia32_permvarsf512(table, index);
#endif
}
#endif
