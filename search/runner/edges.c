/* SPDX-License-Identifier: Apache-2.0
 *
 * edges: fills rows with what programs meet and random normal numbers never show: constant rows, outliers, ties,
 * numbers far from 0 or near the ends of the floats. Formulas that reduce a row must be right for all of them. The
 * numbers suit the type, as f16 has a shorter range. Where a formula's sum or product of such numbers is beyond the
 * floats, any result will do (templates/package/formula.h).
 */
#include "search/runner/runner.h"

#include <math.h>

/* Nearly a normal number: the sum of four that are spread evenly. */
static double draw(Rng *r)
{
    const uint64_t bits = rng_next(r);
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (double)(int16_t)(bits >> 16 * i) * 0x1p-15;
    return sum * 0.866;
}

void edges_fill(Rng *r, const Storage *t, void *to, const Draw *d)
{
    const int64_t n = d->elems, row_elems = d->most;
    enum { KINDS = 10 };
    const bool narrow = t->exponent <= 5;
    /* The squares of some hundreds of `large` numbers add up to just less than the largest float. */
    const double far = narrow ? 1000 : 1e7, large = narrow ? 0x1p8 : 0x1p58, most = narrow ? 0x1p12 : 0x1p122,
                 least = narrow ? 0x1p-20 : 0x1p-130;
    int64_t outlier = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = i % row_elems, row = i / row_elems;
        const double z = draw(r);
        outlier = at == 0 ? rng_below(r, row_elems) : outlier;
        const double kind[KINDS] = { z,        /* normal */
                                     1234.567, /* constant */
                                     z - 50,   /* 50 times their spread from 0 */
                                     far + 4 * z,
                                     fabs(z), /* of one sign */
                                     at == outlier ? far : z,
                                     rint(z), /* ties */
                                     large * z,
                                     most * z,
                                     least * z };
        storage_store(t, to, i, kind[(row + n) % KINDS]);
    }
}
