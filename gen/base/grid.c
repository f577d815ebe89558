/* SPDX-License-Identifier: Apache-2.0
 *
 * grid: the sequence is Richtmyer's, x_k = frac(k * sqrt(prime)), in 64-bit fixed point: the same on every machine.
 */
#include "gen/base/grid.h"

/* frac(sqrt(p)) * 2^64 for p = 2, 3, 5, 7, 11, 13, 17 */
static const uint64_t root_fraction[GRID_MAX_DIM] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b,
};

Grid grid_make(int ndim, const int64_t *count, int64_t limit)
{
    Grid g = { .ndim = ndim, .all = true, .npoint = 1 };
    for (int i = 0; i < ndim; i++) {
        g.count[i] = count[i];
        if (__builtin_mul_overflow(g.npoint, count[i], &g.npoint) || g.npoint > limit) {
            g.npoint = limit; /* too many already; stays so whatever follows */
            g.all = false;
        }
    }
    return g;
}

static void point_all(const Grid *g, int64_t k, int64_t *index)
{
    for (int i = g->ndim; i-- > 0; k /= g->count[i])
        index[i] = k % g->count[i];
}

/* Bit j of k says which end of the j-th dim that has two. False when k is beyond the corners; *ncorner counts them. */
static bool point_corner(const Grid *g, int64_t k, int64_t *index, int64_t *ncorner)
{
    *ncorner = 1;
    for (int i = 0; i < g->ndim; i++) {
        bool wide = g->count[i] > 1;
        index[i] = wide && (k & *ncorner) ? g->count[i] - 1 : 0;
        *ncorner *= wide ? 2 : 1;
    }
    return k < *ncorner;
}

static void point_sequence(const Grid *g, int64_t k, int64_t *index)
{
    for (int i = 0; i < g->ndim; i++) {
        uint64_t x = ((uint64_t)k + 1) * root_fraction[i];
        index[i] = (int64_t)(((unsigned __int128)x * (uint64_t)g->count[i]) >> 64);
    }
}

bool grid_next(Grid *g, int64_t *index)
{
    if (g->next >= g->npoint)
        return false;
    int64_t k = g->next++, ncorner;
    if (g->all)
        point_all(g, k, index);
    else if (!point_corner(g, k, index, &ncorner))
        point_sequence(g, k - ncorner, index);
    return true;
}
