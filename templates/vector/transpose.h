/* SPDX-License-Identifier: MIT-0 */
/* As many vectors as one has lanes, as a matrix with a vector a row, become its transpose: blocks of 4 x 4 within 16 bytes first, and then these
 * change places. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void PACKAGE_transpose_MACHINE(PACKAGE_floats_MACHINE *v)
{
    PACKAGE_UNROLL(4)
    for (int i = 0; i < VECTOR_BYTES / 4; i += 4) {
#if VECTOR_BYTES == 64
        const PACKAGE_floats_MACHINE
            a = __builtin_shufflevector(v[i], v[i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29),
            b = __builtin_shufflevector(v[i], v[i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31),
            c = __builtin_shufflevector(v[i + 2], v[i + 3], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29),
            d = __builtin_shufflevector(v[i + 2], v[i + 3], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
        v[i] = __builtin_shufflevector(a, c, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        v[i + 1] = __builtin_shufflevector(a, c, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        v[i + 2] = __builtin_shufflevector(b, d, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        v[i + 3] = __builtin_shufflevector(b, d, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
#elif VECTOR_BYTES == 32
        const PACKAGE_floats_MACHINE a = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 1, 9, 4, 12, 5, 13),
                                     b = __builtin_shufflevector(v[i], v[i + 1], 2, 10, 3, 11, 6, 14, 7, 15),
                                     c = __builtin_shufflevector(v[i + 2], v[i + 3], 0, 8, 1, 9, 4, 12, 5, 13),
                                     d = __builtin_shufflevector(v[i + 2], v[i + 3], 2, 10, 3, 11, 6, 14, 7, 15);
        v[i] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
        v[i + 1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
        v[i + 2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
        v[i + 3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
#else
        const PACKAGE_floats_MACHINE a = __builtin_shufflevector(v[i], v[i + 1], 0, 4, 1, 5), b = __builtin_shufflevector(v[i], v[i + 1], 2, 6, 3, 7),
                                     c = __builtin_shufflevector(v[i + 2], v[i + 3], 0, 4, 1, 5), d = __builtin_shufflevector(v[i + 2], v[i + 3], 2, 6, 3, 7);
        v[i] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
        v[i + 1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
        v[i + 2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
        v[i + 3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#endif
    }
    PACKAGE_UNROLL(4)
    for (int i = 0; i < 4; i++) {
#if VECTOR_BYTES == 64
        const PACKAGE_floats_MACHINE
            a = __builtin_shufflevector(v[i], v[i + 4], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27),
            b = __builtin_shufflevector(v[i], v[i + 4], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31),
            c = __builtin_shufflevector(v[i + 8], v[i + 12], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27),
            d = __builtin_shufflevector(v[i + 8], v[i + 12], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
        v[i] = __builtin_shufflevector(a, c, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
        v[i + 4] = __builtin_shufflevector(b, d, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
        v[i + 8] = __builtin_shufflevector(a, c, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
        v[i + 12] = __builtin_shufflevector(b, d, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
#elif VECTOR_BYTES == 32
        const PACKAGE_floats_MACHINE a = v[i], b = v[i + 4];
        v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
        v[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
#endif
    }
}
