/* SPDX-License-Identifier: MIT-0 */
/* x in each lane. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_all_MACHINE(float x)
{
    return x - (PACKAGE_floats_MACHINE){ 0 };
}
