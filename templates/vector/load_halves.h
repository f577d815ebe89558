/* SPDX-License-Identifier: MIT-0 */
/* The first `lanes` elements of 16 bits from p on, as integers; 0 in the lanes behind them. Nothing else is read. */
#ifndef DCGEN
#pragma once
#include "halves.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_bits_MACHINE
PACKAGE_load_halves_MACHINE(const uint16_t *p, int64_t lanes)
{
    PACKAGE_halves_MACHINE v = { 0 };
    if (lanes >= VECTOR_BYTES / 4)
        __builtin_memcpy(&v, p, VECTOR_BYTES / 2);
    else
        for (int64_t i = 0; i < lanes; i++)
            v[i] = p[i];
    return __builtin_convertvector(v, PACKAGE_bits_MACHINE);
}
