/* SPDX-License-Identifier: MIT-0 */
/* a - q pi / 2 in each lane, for the integer q that makes it least; *quarter: the last two bits of q, with any others before them. a is 0 or more.
 *
 * With FMA, up to 100000: pi / 2 is split in three. q times the first part has no bits below 2^-23, as a has none that count, so the difference is
 * exact; the next part is rounded where there are bits enough. Larger numbers, and all where there is no FMA, are taken one by one. */
#ifndef DCGEN
#pragma once
#include "fma.h"
#include "turned.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_quarter_MACHINE(PACKAGE_floats_MACHINE a, PACKAGE_ints_MACHINE *quarter)
{
    PACKAGE_floats_MACHINE r = { 0 };
#if VECTOR_BYTES == 16
    for (int i = 0; i < VECTOR_BYTES / 4; i++) {
        int32_t q;
        r[i] = (float)PACKAGE_turned_MACHINE(a[i], &q);
        (*quarter)[i] = q;
    }
#else
    const float magic = 0x1.8p23f; /* q lies in the low bits of the sum, and remains when this is subtracted */
    const PACKAGE_floats_MACHINE zero = { 0 }, sum = a * 0x1.45f306p-1f + magic, q = sum - magic;
    r = PACKAGE_fma_MACHINE(q, zero - 0x1.921fb6p0f, a);
    r = PACKAGE_fma_MACHINE(q, zero + 0x1.777a5cp-25f, r);
    r = PACKAGE_fma_MACHINE(q, zero + 0x1.ee59dap-50f, r);
    *quarter = (PACKAGE_ints_MACHINE)sum;
#if VECTOR_BYTES == 64
    const uint32_t large = (uint16_t)__builtin_ia32_cmpps512_mask(a, zero + 100000.0f, 5, (uint16_t)0xffff, 4);
#else
    const uint32_t large = (uint32_t)__builtin_ia32_movmskps256((PACKAGE_floats_MACHINE)~(a < zero + 100000.0f));
#endif
    if (large)
        for (int i = 0; i < VECTOR_BYTES / 4; i++)
            if (large >> i & 1) {
                int32_t own;
                r[i] = (float)PACKAGE_turned_MACHINE(a[i], &own);
                (*quarter)[i] = own;
            }
#endif
    return r;
}
