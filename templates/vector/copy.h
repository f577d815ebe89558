/* SPDX-License-Identifier: MIT-0 */
/* Copies `lanes` elements of so many bytes, fewer than a vector has: eight, four, two and one at a time. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline, unused)) void PACKAGE_copy_MACHINE(void *to, const void *from, int64_t lanes, const int bytes)
{
    char *t = to;
    const char *f = from;
    PACKAGE_UNROLL(4)
    for (int some = VECTOR_BYTES / 8; some > 0; some /= 2)
        if (lanes & some) {
            __builtin_memcpy(t, f, (size_t)(some * bytes));
            t += some * bytes;
            f += some * bytes;
        }
}
