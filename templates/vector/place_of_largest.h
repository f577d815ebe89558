/* SPDX-License-Identifier: MIT-0 */
/* The place of the largest of all lanes of n vectors, the first one of those that are equal. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
static inline TARGET_ATTRIBUTE int64_t
PACKAGE_place_of_largest_MACHINE(const PACKAGE_floats_MACHINE *v, const PACKAGE_ints_MACHINE *at, int n)
{
    float largest = v[0][0];
    int32_t place = at[0][0];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < VECTOR_BYTES / 4; k++)
            if (v[i][k] > largest || (v[i][k] == largest && at[i][k] < place)) {
                largest = v[i][k];
                place = at[i][k];
            }
    return place;
}
