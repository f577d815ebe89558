/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_extents: M, N, K around every kind of tail: below a vector and a panel of 16, one less, just so many and one
 * more; sums that are empty, shorter than a block of k and several blocks long.
 */
#ifndef DCGEN_TESTS_KERNEL_EXTENTS_H
#define DCGEN_TESTS_KERNEL_EXTENTS_H

#include <stdint.h>

enum { MOST_M = 29, MOST_N = 200, MOST_K = 1100, PARTS = 3 };

static const int64_t kernel_extent[][3] = { { 1, 1, 1 },     { 2, 17, 3 },    { 4, 3, 6 },     { 3, 100, 8 },
                                            { 9, 15, 17 },   { 5, 33, 39 },   { 12, 47, 64 },  { 14, 48, 0 },
                                            { 29, 200, 71 }, { 7, 16, 1100 }, { 13, 131, 530 } };
enum { NEXTENT = sizeof kernel_extent / sizeof *kernel_extent };

#endif
