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

static inline uint64_t rng_next(Rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline int64_t rng_below(Rng *r, int64_t n) { return (int64_t)(rng_next(r) % (uint64_t)n); }

/* 0 <= x < 1 */
static inline double rng_uniform(Rng *r) { return (double)(rng_next(r) >> 11) / 0x1p53; }

/* Standard normal, by the sum of twelve uniforms. */
static inline double rng_normal(Rng *r)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += rng_uniform(r);
    return sum;
}

#endif
