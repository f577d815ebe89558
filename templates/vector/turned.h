/* SPDX-License-Identifier: MIT-0 */
/* a - q pi / 2 for the q that makes it least, in double precision; *quarter: the last two bits of q. a is a float from 0 on; NaN and infinity give NaN.
 *
 * Below 2^27 q is found by a multiplication, and pi / 2 is split in two: q times its upper part, which has 25 bits, is exact. Above, a = m 2^e with an
 * integer m of 24 bits, of a / (pi / 2) the part below 4 counts, and so of 2 / pi the bits that are worth less than 4 once they are multiplied by
 * 2^e: 96 of them are enough (Payne and Hanek). */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static __attribute__((noinline, unused)) double PACKAGE_turned_MACHINE(float a, int32_t *quarter)
{
    static const uint32_t two_over_pi[] = { 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab };
    if (a < 0x1p27f) {
        *quarter = (int32_t)((double)a * 0x1.45f306dc9c883p-1 + 0.5);
        return (double)a - *quarter * 0x1.921fb5p0 - *quarter * 0x1.110b4611a6263p-26;
    }
    *quarter = 0;
    if (!(a <= 0x1.fffffep127f))
        return (double)(a - a);
    uint32_t bits;
    __builtin_memcpy(&bits, &a, 4);
    const uint32_t first = (bits >> 23) - 152, word = first / 32, shift = first % 32; /* of e - 2: the first bit that counts */
    const uint64_t m = (bits & 0x7fffff) | 0x800000;
    uint32_t part[3];
    for (uint32_t i = 0; i < 3; i++)
        part[i] = (uint32_t)(((uint64_t)two_over_pi[word + i] << 32 | two_over_pi[word + i + 1]) >> (32 - shift));
    const uint64_t turns = (m * part[0] << 32) + m * part[1] + (m * part[2] >> 32); /* two bits, and 62 behind the point */
    const uint64_t q = (turns + ((uint64_t)1 << 61)) >> 62;
    *quarter = (int32_t)q;
    return (double)(int64_t)(turns - (q << 62)) * 0x1.921fb54442d18p-62;
}
