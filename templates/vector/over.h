/* SPDX-License-Identifier: MIT-0 */
/* a / by without its fraction, for a from 0 on and `by` from 1 on, of 32 bits both. The reciprocal is the same for many a, and a multiplication takes
 * fewer cycles than a division of integers. (a + 1/2) / by is at least 1 / (2 by) away from whole numbers, and its error in doubles is far less. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE int32_t PACKAGE_over_MACHINE(int64_t a, int64_t by)
{
    const double reciprocal = 1.0 / (double)by;
    return (int32_t)(((double)(int32_t)a + 0.5) * reciprocal);
}
