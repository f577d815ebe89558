/* SPDX-License-Identifier: MIT-0 */
/* The first `lanes` elements of 16 bits from p on, as integers; 0 in the lanes behind them. Nothing else is read. */
#ifndef DCGEN
#pragma once
#include "copy.h"
#include "halves.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_bits_MACHINE
PACKAGE_load_halves_MACHINE(const uint16_t *p, int64_t lanes)
{
    PACKAGE_halves_MACHINE v = { 0 };
    if (lanes >= VECTOR_BYTES / 4)
        __builtin_memcpy(&v, p, VECTOR_BYTES / 2);
#if VECTOR_BYTES == 64
    else
        v = (PACKAGE_halves_MACHINE)__builtin_ia32_loaddquhi256_mask((const void *)p, (short __attribute__((vector_size(32))))v, (uint16_t)((1u << lanes) - 1));
#else
    else
        PACKAGE_copy_MACHINE(&v, p, lanes, 2);
#endif
    return __builtin_convertvector(v, PACKAGE_bits_MACHINE);
}
