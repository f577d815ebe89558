/* SPDX-License-Identifier: MIT-0 */
/* Stores the first `lanes` elements of v: a whole vector past the caches if stream is true, and then p is a multiple of the vector's size. What went
 * past the caches others see after fence.h. */
#ifndef DCGEN
#pragma once
#include "store.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
PACKAGE_stream_MACHINE(float *p, PACKAGE_floats_MACHINE v, int64_t lanes, int stream)
{
#ifdef __SSE__
    if (stream && lanes >= VECTOR_BYTES / 4) {
#ifdef __clang__
        __builtin_nontemporal_store(v, (PACKAGE_floats_MACHINE *)(void *)p);
#elif VECTOR_BYTES == 64
        __builtin_ia32_movntps512(p, v);
#elif VECTOR_BYTES == 32
        __builtin_ia32_movntps256(p, v);
#else
        __builtin_ia32_movntps(p, v);
#endif
        return;
    }
#endif
    (void)stream;
    PACKAGE_store_MACHINE(p, v, lanes);
}
