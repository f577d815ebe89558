/* SPDX-License-Identifier: MIT-0 */
/* x in each lane. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_ints_MACHINE PACKAGE_all_ints_MACHINE(int32_t x)
{
    return x + (PACKAGE_ints_MACHINE){ 0 };
}
