/* SPDX-License-Identifier: MIT-0 */
/* table[i] in each lane, where i is the lane's index modulo the length of the table: one vector. Not for vectors of 16
 * bytes, for which few CPUs have an instruction. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
#if VECTOR_BYTES > 16
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_look_up_MACHINE(PACKAGE_floats_MACHINE table, PACKAGE_ints_MACHINE index)
{
#ifndef __clang__
    return __builtin_shuffle(table, index);
#elif VECTOR_BYTES == 64
    return __builtin_ia32_permvarsf512(table, index);
#else
    return __builtin_ia32_permvarsf256(table, index);
#endif
}
#endif
