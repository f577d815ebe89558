/* SPDX-License-Identifier: MIT-0 */
/* Stores the first `lanes` elements of v, and nothing else. */
#ifndef DCGEN
#pragma once
#include "copy.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void PACKAGE_store_MACHINE(float *p, PACKAGE_floats_MACHINE v, int64_t lanes)
{
    if (lanes >= VECTOR_BYTES / 4)
        __builtin_memcpy(p, &v, VECTOR_BYTES);
#if VECTOR_BYTES == 64
    else
        __builtin_ia32_storeups512_mask(p, v, (uint16_t)((1u << lanes) - 1));
#else
    else
        PACKAGE_copy_MACHINE(p, &v, lanes, 4);
#endif
}
