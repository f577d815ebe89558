/* SPDX-License-Identifier: Apache-2.0
 *
 * rates: a target as one device is. Rates that were measured on the device (LimitRecord) take the place of those in the
 * target's file: of several measurements the best rate, and the median of clock and latencies. The analytic model and
 * the roofline take them from here. Nothing else may: which kernels there are, their text and their keys must be the
 * same before the device was measured and after.
 */
#include <math.h>
#include <string.h>
#include "search/record/samples.h"
#include "search/record/study.h"

bool rates_match(const LimitRecord *l, const Target *t, const Device *device, const char *dtype)
{
    return strcmp(l->device, device->id) == 0 && strcmp(l->target, t->name) == 0 && strcmp(l->dtype, dtype) == 0;
}

static const struct {
    const char *fact;
    size_t at; /* in a LimitRecord: double */
    bool is_rate;
    double scale;
} measured[] = { { "CLOCK_MHZ", offsetof(LimitRecord, clock_mhz), false, 1 },
                 { "L2_GBS", offsetof(LimitRecord, bytes_per_s[LEVEL_L2]), true, 1e-9 },
                 { "DRAM_GBS", offsetof(LimitRecord, bytes_per_s[LEVEL_MEMORY]), true, 1e-9 },
                 { "LAUNCH_NS", offsetof(LimitRecord, launch_ns), false, 1 },
                 { "HANDOVER_NS", offsetof(LimitRecord, handover_ns), false, 1 } };

/* What the limits say together of the value at `at`: the best of rates, else the median. 0: none is known. */
static double combine_limits(Arena *a, const LimitRecord *l, int64_t n, size_t at, bool is_rate)
{
    double *v = ARENA_ARRAY(a, (size_t)n + 1, double), best = 0;
    int known = 0;
    for (int64_t i = 0; i < n; i++) {
        const double value = *(const double *)((const char *)&l[i] + at);
        best = fmax(best, value);
        if (value > 0)
            v[known++] = value;
    }
    return is_rate ? best : samples_median(v, known);
}

/* True if all numbers are the same. A package keeps only one of such lines, and must come out the same from it. */
static bool same_limit(const LimitRecord *x, const LimitRecord *y)
{
    const size_t from = offsetof(LimitRecord, flops_per_s);
    return x->threads == y->threads && memcmp((const char *)x + from, (const char *)y + from, sizeof *x - from) == 0;
}

static bool has_limit(const Index *x, uint64_t hash, const LimitRecord *l, const LimitRecord *taken)
{
    size_t from = 0;
    int64_t i;
    while ((i = index_next(x, hash, &from)) >= 0 && !same_limit(l, &taken[i]))
        continue;
    return i >= 0;
}

/* Gives the limits of the device, target and dtype, equal ones once, and how many there are. */
static int64_t take_matching(Arena *scratch, const Records *r, const Target *t, const Device *device, const char *dtype,
                             LimitRecord *out)
{
    const size_t from = offsetof(LimitRecord, flops_per_s);
    Index taken = { .arena = scratch };
    int64_t n = 0;
    for (const LimitRecord *l = r->limit; l < r->limit + r->nlimit; l++) {
        const uint64_t hash = index_hash((const char *)l + from, sizeof *l - from, 0);
        if (!rates_match(l, t, device, dtype) || has_limit(&taken, hash, l, out))
            continue;
        index_add(&taken, hash, n);
        out[n++] = *l;
    }
    return n;
}

/* Sets a fact where the value is known. Facts are whole numbers from 1 on. */
static void set_fact(Target *t, const char *name, double value)
{
    if (value > 0)
        target_set_fact(t, name, (int64_t)fmin(fmax(rint(value), 1), 1e15));
}

static const Target *rate_by(Arena *a, Arena *scratch, const Target *t, const Device *device, const RateRow *fma,
                             const LimitRecord *l, int64_t n)
{
    Target *out = ARENA_NEW(a, Target);
    *out = *t;
    for (size_t i = 0; i < LENGTH(measured); i++)
        set_fact(out, measured[i].fact,
                 measured[i].scale * combine_limits(scratch, l, n, measured[i].at, measured[i].is_rate));
    const double clock_hz = 1e6 * (double)target_number(out, "CLOCK_MHZ");
    const double flops_per_s = fma->times * combine_limits(scratch, l, n, offsetof(LimitRecord, flops_per_s), true);
    set_fact(out, fma->fact, flops_per_s / (2 * clock_hz * device->sms));
    return out;
}

const Target *rates_of(Arena *a, const Target *t, const Device *device, const char *dtype, const Records *r)
{
    const RateRow *fma = target_rate(t, dtype);
    Arena *scratch = arena_new();
    LimitRecord *l = ARENA_ARRAY(scratch, (size_t)r->nlimit + 1, LimitRecord);
    const int64_t n = fma ? take_matching(scratch, r, t, device, dtype, l) : 0;
    const Target *rated = n ? rate_by(a, scratch, t, device, fma, l, n) : t;
    arena_free(scratch);
    return rated;
}
