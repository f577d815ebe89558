/* SPDX-License-Identifier: MIT-0 */
/* sin(r + quarter pi / 2) in each lane, for |r| <= pi / 4. Polynomials, of errors below 4e-9: an odd one for the sine, where the quarter is even, and
 * an even one for the cosine. The second half of a turn has the other sign. */
#ifndef DCGEN
#pragma once
#include "select.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
PACKAGE_wave_MACHINE(PACKAGE_floats_MACHINE r, PACKAGE_ints_MACHINE quarter)
{
    const PACKAGE_floats_MACHINE s = r * r;
    PACKAGE_floats_MACHINE sine = s * -0x1.9ac96cp-13f + 0x1.110c28p-7f;
    sine = sine * s - 0x1.555552p-3f;
    sine = sine * s * r + r;
    PACKAGE_floats_MACHINE cosine = s * 0x1.9bd864p-16f - 0x1.6c12d2p-10f;
    cosine = cosine * s + 0x1.555554p-5f;
    cosine = cosine * s - 0.5f;
    cosine = cosine * s + 1;
    const PACKAGE_floats_MACHINE y = PACKAGE_select_MACHINE((quarter & 1) == 1, cosine, sine);
    return (PACKAGE_floats_MACHINE)((PACKAGE_bits_MACHINE)y ^ (PACKAGE_bits_MACHINE)(quarter & 2) << 30);
}
