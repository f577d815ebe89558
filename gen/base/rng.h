/* SPDX-License-Identifier: Apache-2.0
 *
 * rng: random numbers, the same of one seed on every machine (splitmix64).
 */
#ifndef DCGEN_RNG_H
#define DCGEN_RNG_H

#include <stdint.h>

typedef struct {
    uint64_t state; /* at first the seed */
} Rng;

uint64_t rng_next(Rng *r);
int64_t rng_below(Rng *r, int64_t n);
double rng_uniform(Rng *r); /* 0 <= x < 1 */
double rng_normal(Rng *r);  /* standard normal, by the sum of twelve uniforms */

#endif
