/* SPDX-License-Identifier: MIT-0 */
/* 2^x in each lane, for finite x; where vectors have less than 64 bytes, for -126 <= x < 127.5 only.
 *
 * x = n + r with an integer n; 2^r is a polynomial, minimax for the error in ULP. AVX-512 has instructions that round x down, so that
 * 0 <= r < 1, and that multiply by 2^n (error of the polynomial: 1.0 ULP). Elsewhere |r| <= 1/2 (0.04 ULP). There n is found by
 * adding 1.5 * 2^23: it lies in the low bits of the sum, and n itself remains when this is subtracted.
 *
 * Error: 2 ULP. NaN on AVX-512 gives NaN, elsewhere anything. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_exp2_MACHINE(PACKAGE_floats_MACHINE x)
{
#if VECTOR_BYTES == 64
    const PACKAGE_floats_MACHINE r = x - __builtin_ia32_rndscaleps_mask(x, 9, x, (PACKAGE_lanes_MACHINE)-1, 4);
    PACKAGE_floats_MACHINE p = r * 0x1.ee51aep-10f + 0x1.260326p-7f;
    p = p * r + 0x1.c969bcp-5f;
    p = p * r + 0x1.ebd524p-3f;
    p = p * r + 0x1.62e4e2p-1f;
    p = p * r + 1;
    return __builtin_ia32_scalefps512_mask(p, x, p, (PACKAGE_lanes_MACHINE)-1, 4);
#else
    const float magic = 0x1.8p23f;
    PACKAGE_floats_MACHINE sum = x + magic;
#if VECTOR_BYTES == 16
#if __FLT_EVAL_METHOD__
    __asm__("" : "+m"(sum)); /* a register would have more bits than a float */
#endif
#endif
    const PACKAGE_floats_MACHINE r = x - (sum - magic);
    PACKAGE_floats_MACHINE p = r * 0x1.40b072p-13f + 0x1.5f0964p-10f;
    p = p * r + 0x1.3b2f1cp-7f;
    p = p * r + 0x1.c6af7ap-5f;
    p = p * r + 0x1.ebfbdap-3f;
    p = p * r + 0x1.62e430p-1f;
    p = p * r + 1;
    return (PACKAGE_floats_MACHINE)((PACKAGE_bits_MACHINE)p + ((PACKAGE_bits_MACHINE)sum << 23));
#endif
}
