/* SPDX-License-Identifier: Apache-2.0
 *
 * edges: rows as programs meet them and random normal numbers never are: what goes along them must be right for all. Numbers are as the type has them:
 * f16 has a shorter range. Where a formula's sum or product of such numbers is beyond the floats, its result is not determined
 * (templates/package/formula.h), and any will do.
 */
#include "search/runner/runner.h"

#include <math.h>

/* Nearly a normal number: the sum of four even ones. */
static double draw(Rng *r)
{
    const uint64_t bits = rng_next(r);
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (double)(int16_t)(bits >> 16 * i) * 0x1p-15;
    return sum * 0.866;
}

void edges_fill(Rng *r, const Dtype *t, void *to, int64_t n, int64_t row_elems)
{
    enum { KINDS = 10 };
    const bool narrow = t->exponent == 5;
    /* The squares of `large` ones, some hundreds of them, are within the floats' range by a little. */
    const double far = narrow ? 1000 : 1e7, large = narrow ? 0x1p8 : 0x1p58, most = narrow ? 0x1p12 : 0x1p122,
                 least = narrow ? 0x1p-20 : 0x1p-130;
    int64_t outlier = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = i % row_elems, row = i / row_elems;
        const double z = draw(r);
        outlier = at == 0 ? rng_below(r, row_elems) : outlier;
        const double kind[KINDS] = { z,        /* normal */
                                     1234.567, /* constant */
                                     z - 50,   /* near 0, for their spread, and far */
                                     far + 4 * z,
                                     fabs(z), /* of one sign */
                                     at == outlier ? far : z,
                                     rint(z), /* ties */
                                     large * z,
                                     most * z,
                                     least * z };
        dtype_store(t, to, i, kind[(row + n) % KINDS]);
    }
}
