/* SPDX-License-Identifier: Apache-2.0
 *
 * edges: rows as programs meet them and random normal numbers never are: what goes along them must be right for all. Numbers are as the type has them:
 * f16 has a shorter range. Where a formula's sum or product of such numbers is beyond the floats, its result is not determined
 * (templates/package/formula.h), and any will do.
 */
#include "search/runner/runner.h"

#include <math.h>

typedef enum { NORMAL, CONSTANT, NEAR, FAR, POSITIVE, OUTLIER, TIES, LARGE, HUGEST, TINY, EDGE_COUNT } Edge;

/* Of types of 5 bits of exponent, and of others. */
typedef struct {
    double far, spread, outlier;
    double large;   /* squares of these, and sums of some hundreds, are within the floats' range by a little */
    double hugest, tiny;
} Range;
static const Range narrow = { 1000, 1, 1000, 0x1p8, 0x1p12, 0x1p-20 }, wide = { 1e7, 4, 1e4, 0x1p58, 0x1p122, 0x1p-130 };

/* Nearly a normal number: the sum of four even ones. */
static double draw(Rng *r)
{
    const uint64_t bits = rng_next(r);
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (double)(int16_t)(bits >> 16 * i) * 0x1p-15;
    return sum * 0.866;
}

static double element(Edge edge, const Range *range, Rng *r, bool stands_out)
{
    const double z = draw(r);
    switch (edge) {
    case CONSTANT:
        return 1234.567;
    case NEAR:
        return z - 50;
    case FAR:
        return range->far + range->spread * z;
    case POSITIVE:
        return fabs(z);
    case OUTLIER:
        return stands_out ? range->outlier : z;
    case TIES:
        return rint(z);
    case LARGE:
        return range->large * z;
    case HUGEST:
        return range->hugest * z;
    case TINY:
        return range->tiny * z;
    default:
        return z;
    }
}

void edges_fill(Rng *r, const Dtype *t, void *to, int64_t n, int64_t row_elems)
{
    const Range *range = t->exponent == 5 ? &narrow : &wide;
    int64_t outlier = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = i % row_elems, row = i / row_elems;
        outlier = at == 0 ? rng_below(r, row_elems) : outlier;
        dtype_store(t, to, i, element((Edge)((row + n) % EDGE_COUNT), range, r, at == outlier));
    }
}
