/* SPDX-License-Identifier: Apache-2.0
 *
 * rates: see rates.h. Sums up all measurements of a device, and puts them into a copy of the target.
 */
#include "search/record/rates.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include "search/record/samples.h"

bool rates_match(const LimitRecord *l, const Target *t, const Device *device, const char *dtype)
{
    return strcmp(l->device, device->id) == 0 && strcmp(l->target, t->name) == 0 && strcmp(l->dtype, dtype) == 0;
}

/* Of all measurements. */
typedef struct {
    double flops_per_s, l2, memory;           /* the best */
    double clock_mhz, launch_ns, handover_ns; /* the median of those that are known; 0: none is */
} Rates;

static double median_of(Arena *a, const LimitRecord *l, int64_t n, size_t field)
{
    double *v = ARENA_ARRAY(a, (size_t)n + 1, double);
    int known = 0;
    for (int64_t i = 0; i < n; i++) {
        const double value = *(const double *)((const char *)&l[i] + field);
        if (value > 0)
            v[known++] = value;
    }
    return known ? samples_median(v, known) : 0;
}

/* Are all numbers the same? A package keeps such a line once, and must be the same again from what it keeps. */
static bool same_limit(const LimitRecord *x, const LimitRecord *y)
{
    const size_t from = offsetof(LimitRecord, flops_per_s);
    return x->threads == y->threads && memcmp((const char *)x + from, (const char *)y + from, sizeof *x - from) == 0;
}

/* Of the device, target and dtype, each once. */
static int64_t matching(const Records *r, const Target *t, const Device *device, const char *dtype, LimitRecord *out)
{
    int64_t n = 0;
    for (int64_t i = 0; i < r->nlimit; i++) {
        bool is_new = rates_match(&r->limit[i], t, device, dtype);
        for (int64_t j = 0; j < n && is_new; j++)
            is_new = !same_limit(&r->limit[i], &out[j]);
        if (is_new)
            out[n++] = r->limit[i];
    }
    return n;
}

static Rates sum_up(Arena *a, const LimitRecord *l, int64_t n)
{
    Rates r = { .clock_mhz = median_of(a, l, n, offsetof(LimitRecord, clock_mhz)),
                .launch_ns = median_of(a, l, n, offsetof(LimitRecord, launch_ns)),
                .handover_ns = median_of(a, l, n, offsetof(LimitRecord, handover_ns)) };
    for (int64_t i = 0; i < n; i++) {
        r.flops_per_s = fmax(r.flops_per_s, l[i].flops_per_s);
        r.l2 = fmax(r.l2, l[i].bytes_per_s[LEVEL_L2]);
        r.memory = fmax(r.memory, l[i].bytes_per_s[LEVEL_MEMORY]);
    }
    return r;
}

/* Facts are whole numbers from 1 on. */
static void set_fact(Target *t, const char *name, double value)
{
    if (value > 0)
        target_set_fact(t, name, (int64_t)fmin(fmax(rint(value), 1), 1e15));
}

const Target *rates_of(Arena *a, const Target *t, const Device *device, const char *dtype, const Records *r)
{
    LimitRecord *l = ARENA_ARRAY(a, (size_t)r->nlimit + 1, LimitRecord);
    const int64_t n = matching(r, t, device, dtype, l);
    const RateRow *fma = target_rate(t, dtype);
    if (!n || !fma)
        return t;
    const Rates rates = sum_up(a, l, n);
    Target *out = ARENA_NEW(a, Target);
    *out = *t;
    set_fact(out, "CLOCK_MHZ", rates.clock_mhz);
    const double clock_hz = 1e6 * (double)target_number(out, "CLOCK_MHZ");
    set_fact(out, fma->fact, rates.flops_per_s / (2 * clock_hz * device->sms));
    set_fact(out, "L2_GBS", 1e-9 * rates.l2);
    set_fact(out, "DRAM_GBS", 1e-9 * rates.memory);
    set_fact(out, "LAUNCH_NS", rates.launch_ns);
    set_fact(out, "HANDOVER_NS", rates.handover_ns);
    return out;
}
