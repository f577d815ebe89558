/* SPDX-License-Identifier: MIT-0 */
/* a^y for a >= 0, in double precision, where a is none of a power of 0, of an infinite power of 1, and of NaN.
 *
 * a = 2^n m with sqrt(1/2) <= m < sqrt(2), and log2(m) = f P(f^2) with f = (m - 1) / (m + 1); 0 and infinity have logarithms that are large enough.
 * 2^z = 2^n 2^t with |t| <= 1/2, and 2^t is a polynomial. Both are off by less than 1e-10; beyond 2^200 all floats are infinite, or 0. */
#ifndef DCGEN
#pragma once
#include "doubles.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_doubles_MACHINE
PACKAGE_power_MACHINE(PACKAGE_doubles_MACHINE a, PACKAGE_doubles_MACHINE y)
{
    const PACKAGE_doubles_MACHINE zero = { 0 };
    const PACKAGE_longs_MACHINE bits = (PACKAGE_longs_MACHINE)a;
    const PACKAGE_longs_MACHINE n = (bits - 0x3fe6a09e667f3bcd) >> 52;
    const PACKAGE_doubles_MACHINE m = (PACKAGE_doubles_MACHINE)(bits - n * ((int64_t)1 << 52));
    const PACKAGE_doubles_MACHINE f = (m - 1) / (m + 1), s = f * f;
    PACKAGE_doubles_MACHINE p = s * 0x1.21b6a4918d987p-2 + 0x1.4794ff9367629p-2;
    p = p * s + 0x1.a61a3072f891fp-2;
    p = p * s + 0x1.2776c291e1477p-1;
    p = p * s + 0x1.ec709dc53c835p-1;
    p = p * s + 0x1.71547652b8252p+1;
    PACKAGE_doubles_MACHINE log2 = p * f + ((PACKAGE_doubles_MACHINE)(n + 0x4338000000000000) - 0x1.8p52);
    const PACKAGE_longs_MACHINE none = a == zero, infinite = bits == 0x7ff0000000000000;
    log2 = (PACKAGE_doubles_MACHINE)(((PACKAGE_longs_MACHINE)log2 & ~none & ~infinite) |
                                     ((PACKAGE_longs_MACHINE)(zero - 1e200) & none) |
                                     ((PACKAGE_longs_MACHINE)(zero + 1e200) & infinite));
    PACKAGE_doubles_MACHINE z = log2 * y;
    const PACKAGE_longs_MACHINE above = z > zero + 200, below = z < zero - 200;
    z = (PACKAGE_doubles_MACHINE)(((PACKAGE_longs_MACHINE)z & ~above & ~below) | ((PACKAGE_longs_MACHINE)(zero + 200) & above) |
                                  ((PACKAGE_longs_MACHINE)(zero - 200) & below));
    const PACKAGE_doubles_MACHINE sum = z + 0x1.8p52, t = z - (sum - 0x1.8p52);
    p = t * 0x1.00c0e5263812dp-16 + 0x1.446c79f169bc7p-13;
    p = p * t + 0x1.5d877597b8d5ap-10;
    p = p * t + 0x1.3b29d8bb08993p-7;
    p = p * t + 0x1.c6b08da70d53dp-5;
    p = p * t + 0x1.ebfbe0aa03e5ap-3;
    p = p * t + 0x1.62e42fef9cc64p-1;
    p = p * t + 1;
    return (PACKAGE_doubles_MACHINE)((PACKAGE_double_bits_MACHINE)p + ((PACKAGE_double_bits_MACHINE)sum << 52));
}
