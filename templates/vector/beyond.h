/* SPDX-License-Identifier: MIT-0 */
/* What remains of a / by, as over.h divides. */
#ifndef DCGEN
#pragma once
#include "over.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE int32_t PACKAGE_beyond_MACHINE(int64_t a, int64_t by)
{
    return (int32_t)a - PACKAGE_over_MACHINE(a, by) * (int32_t)by;
}
