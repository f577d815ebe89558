/* SPDX-License-Identifier: MIT-0 */
/* The first `lanes` elements from p on; 0 in the lanes behind them. Nothing else is read. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_load_MACHINE(const float *p, int64_t lanes)
{
    PACKAGE_floats_MACHINE v = { 0 };
    if (lanes >= VECTOR_BYTES / 4)
        __builtin_memcpy(&v, p, VECTOR_BYTES);
#if VECTOR_BYTES == 64
    else
        v = __builtin_ia32_loadups512_mask(p, v, (uint16_t)((1u << lanes) - 1));
#else
    else
        for (int64_t i = 0; i < lanes; i++)
            v[i] = p[i];
#endif
    return v;
}
