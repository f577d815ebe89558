/* SPDX-License-Identifier: Apache-2.0
 *
 * parts: an extent divided into parts, as the rows of ragged batches are: their lengths, or offsets of where each
 * begins. What kernels get wrong shows in some divisions alone, so there are several ways (PartsWay in gen/spec/op.h;
 * templates/package/problem.h has the same).
 */
#include "search/runner/runner.h"

/* How large the i-th of n parts is beside the others; `all` is the one that has all. */
static int64_t weight(Rng *r, PartsWay way, int64_t i, int64_t n, int64_t all)
{
    if (way == WAY_EQUAL || way == WAY_ONE)
        return way == WAY_EQUAL || i == all;
    if (way == WAY_EMPTY)
        return i % 4 == 2 && i + 1 < n;
    return rng_below(r, 4) ? 1 + rng_below(r, 16) : 0;
}

/* Fills one row: sums of the parts' weights give the offsets. The last has all if there is none. */
static void fill_row(Rng *r, const Storage *t, void *to, const Draw *d, int64_t at, int64_t n)
{
    const Rng begin = *r;
    const PartsWay way = (PartsWay)(d->way % WAY_COUNT);
    const int64_t one = n > 0 ? rng_below(r, n) : 0;
    const bool offsets = d->kind == DATA_OFFSETS;
    int64_t sum = 0, total = 0, before = 0;
    for (int64_t i = 0; i < n; i++)
        total += weight(r, way, i, n, one);
    *r = begin;
    rng_below(r, n > 0 ? n : 1);
    for (int64_t i = 0; i < n; i++) {
        sum += weight(r, way, i, n, one);
        const int64_t end = total ? (int64_t)((double)sum / (double)total * (double)d->most) : i + 1 == n ? d->most : 0;
        storage_store(t, to, at + i, (double)(offsets ? before : end - before));
        before = end;
    }
    if (offsets)
        storage_store(t, to, at + n, (double)before);
}

void parts_fill(Rng *r, const Storage *t, void *to, const Draw *d)
{
    for (int64_t at = 0; at < d->elems; at += d->row)
        fill_row(r, t, to, d, at, d->row - (d->kind == DATA_OFFSETS));
}
