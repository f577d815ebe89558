/* SPDX-License-Identifier: MIT-0 */
/* table[i] in each lane, where i, the lane's index, is a lane of the table. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_pick_MACHINE(PACKAGE_floats_MACHINE table, PACKAGE_ints_MACHINE index)
{
#if VECTOR_BYTES == 64
#ifndef __clang__
    return __builtin_shuffle(table, index);
#else
    return __builtin_ia32_permvarsf512(table, index);
#endif
#elif VECTOR_BYTES == 32
    return __builtin_ia32_permvarsf256(table, index);
#else
    return (PACKAGE_floats_MACHINE){ table[index[0]], table[index[1]], table[index[2]], table[index[3]] };
#endif
}
