/* SPDX-License-Identifier: MIT-0 */
/* The first `lanes` elements from p on; 0 in the lanes behind them. Nothing else is read. */
#ifndef DCGEN
#pragma once
#include "copy.h"
#include "places.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_load_MACHINE(const float *p, int64_t lanes)
{
    PACKAGE_floats_MACHINE v = { 0 };
    if (lanes >= VECTOR_BYTES / 4)
        __builtin_memcpy(&v, p, VECTOR_BYTES);
#if VECTOR_BYTES == 64
    else
        v = __builtin_ia32_loadups512_mask(p, v, (uint16_t)((1u << lanes) - 1));
#elif VECTOR_BYTES == 32
    else
        v = __builtin_ia32_maskloadps256((const PACKAGE_floats_MACHINE *)(const void *)p, PACKAGE_places_MACHINE(0) < (int32_t)lanes);
#else
    else
        PACKAGE_copy_MACHINE(&v, p, lanes, 4);
#endif
    return v;
}
