/* SPDX-License-Identifier: Apache-2.0
 *
 * roofline: works out what the device does at most, then what that means for a shape.
 */
#include "search/record/roofline.h"

#include <math.h>
#include <string.h>

static LimitRecord *find_limit(const Roofline *f, int threads)
{
    for (LimitRecord *l = f->limit; l < f->limit + f->nlimit; l++)
        if (l->threads == threads)
            return l;
    return NULL;
}

/* Finds the limits of a thread count, or adds them. They are sorted by threads, whatever the order of the records. */
static LimitRecord *find_or_add_limit(Roofline *f, int threads)
{
    LimitRecord *l = find_limit(f, threads);
    if (l)
        return l;
    for (l = &f->limit[f->nlimit++]; l > f->limit && l[-1].threads > threads; l--)
        *l = l[-1];
    *l = (LimitRecord){ .threads = threads };
    return l;
}

/* Takes a measurement over. Of several the best of each rate counts. */
static void take_measured(Roofline *f, const LimitRecord *l)
{
    LimitRecord *to = find_or_add_limit(f, l->threads);
    to->flops_per_s = fmax(to->flops_per_s, fmax(l->flops_per_s, l->reuse_flops_per_s));
    for (int i = 0; i < LEVEL_COUNT; i++)
        to->bytes_per_s[i] = fmax(to->bytes_per_s[i], l->bytes_per_s[i]);
}

static void set_if_unknown(double *rate, double value)
{
    if (!(*rate > 0))
        *rate = value;
}

/* Rates that were not measured are as the target's file says. */
static void take_data_sheet(Roofline *f, const Study *s, const RateRow *rate)
{
    const Target *t = s->target;
    f->modelled = f->nlimit == 0;
    LimitRecord *l = find_or_add_limit(f, 1);
    set_if_unknown(&l->flops_per_s, /* an FMA is 2 operations; 1e6: the clock is in MHz */
                   2e6 * target_fmas(t, rate) * s->device->sms * (double)target_number(t, "CLOCK_MHZ"));
    set_if_unknown(&l->bytes_per_s[LEVEL_L2], 1e9 * (double)target_number(t, "L2_GBS"));
    set_if_unknown(&l->bytes_per_s[LEVEL_MEMORY], 1e9 * (double)target_number(t, "DRAM_GBS"));
    if (!(l->flops_per_s > 0))
        f->nlimit = 0;
}

/* What the levels before this one hold together. Each core has an L1 and an L2. */
static double held_before(const Roofline *f, const LimitRecord *l, int level)
{
    double sum = 0;
    for (int i = 0; i < level; i++)
        sum += (double)f->bytes[i] * (i < LEVEL_L3 ? l->threads : 1);
    return sum;
}

/* Of so many bytes that calls find where the last call left them, those from this level or beyond. */
static double bytes_from(const Roofline *f, const LimitRecord *l, int level, double bytes)
{
    return f->bytes[level] && l->bytes_per_s[level] > 0 ? fmax(0, bytes - held_before(f, l, level)) : 0;
}

/* The last level whose rate is known; LEVEL_COUNT: none is. */
static Level last_level(const LimitRecord *l)
{
    int i = LEVEL_COUNT - 1;
    while (i >= 0 && !(l->bytes_per_s[i] > 0))
        i--;
    return i < 0 ? LEVEL_COUNT : (Level)i;
}

static void raise_to(Roofline *f, double *rate, double to)
{
    f->raised = f->raised || to > *rate;
    *rate = fmax(*rate, to);
}

static double bounded_flops(const Spec *s, const int64_t *extent) { return spec_moves(s) ? 0 : spec_flops(s, extent); }

static void raise_level(Roofline *f, LimitRecord *l, Level level, double bytes, double ns)
{
    if (level < LEVEL_COUNT && bytes > 0)
        raise_to(f, &l->bytes_per_s[level], 1e9 * bytes / ns);
}

/* A kernel or the library took `ns` on the shape, 0 if it took no part: raises the limits that this exceeds. */
static void take_time(Roofline *f, const int64_t *extent, int threads, bool cold, double ns)
{
    LimitRecord *l = find_limit(f, threads);
    const double packed = cold ? spec_packed_bytes(f->spec, extent) : 0, others = spec_bytes(f->spec, extent) - packed;
    if (!l || !(ns > 0))
        return;
    raise_to(f, &l->flops_per_s, 1e9 * bounded_flops(f->spec, extent) / ns);
    for (int i = 0; i < LEVEL_COUNT; i++)
        raise_level(f, l, (Level)i, bytes_from(f, l, i, others), ns);
    if (cold)
        raise_level(f, l, last_level(l), packed, ns);
}

/* Is this a time of a right kernel of the study, on its device? Packages keep just these, and are made of them. */
static bool is_seen(const Study *s, const MeasureRecord *m)
{
    if (m->status != STATUS_OK || !m->nsample || m->naxis != s->spec->op->ngiven ||
        strcmp(m->device, s->device->id) != 0)
        return false;
    const int64_t i = study_find_key(s, m->key);
    return i >= 0 && study_may_choose(s, &s->trial[i]);
}

/* Takes the times as they were measured. Those of a Trial are not: they are parts of the anchor's least time. */
static void take_times(Roofline *f, const Study *s, const Records *r)
{
    int64_t extent[OP_MAX_EXTENT];
    for (const MeasureRecord *m = r->measure; m < r->measure + r->nmeasure; m++) {
        if (!is_seen(s, m))
            continue;
        memcpy(extent, m->extent, (size_t)m->naxis * sizeof *extent);
        if (!op_derive(s->spec->op, extent))
            continue;
        take_time(f, extent, study_threads(s, m->threads), m->cold, m->time_ns);
        take_time(f, extent, study_threads(s, m->threads), m->cold, m->library_ns);
    }
}

/* Raises the rate of each level to that of the levels behind it: a nearer level is no slower. */
static void order_levels(LimitRecord *l)
{
    double behind = 0;
    for (int i = LEVEL_COUNT - 1; i >= 0; i--)
        if (l->bytes_per_s[i] > 0)
            behind = l->bytes_per_s[i] = fmax(l->bytes_per_s[i], behind);
}

const Roofline *roofline_make(Arena *a, const Study *s, const Records *r)
{
    Roofline *f = ARENA_NEW(a, Roofline);
    *f = (Roofline){ .study = s, .spec = s->spec, .limit = ARENA_ARRAY(a, (size_t)r->nlimit + 2, LimitRecord) };
    const Device *d = s->device;
    const RateRow *rate = target_rate(s->target, s->spec->dtype);
    f->bytes[LEVEL_L1] = s->target->family->has_smem ? 0 : d->l1_bytes;
    f->bytes[LEVEL_L2] = d->l2_bytes;
    f->bytes[LEVEL_L3] = d->l3_bytes;
    f->bytes[LEVEL_MEMORY] = INT64_MAX;
    for (int64_t i = 0; i < r->nlimit; i++)
        if (rates_match(&r->limit[i], s->target, d, s->spec->dtype))
            take_measured(f, &r->limit[i]);
    if (rate)
        take_data_sheet(f, s, rate);
    if (!d->modelled && !s->spec->op->by_data)
        take_times(f, s, r);
    for (int i = 0; i < f->nlimit; i++)
        order_levels(&f->limit[i]);
    return f;
}

/* So many bytes come from that level or from beyond: sets what follows, unless more time follows from others. */
static void bound_memory(const LimitRecord *l, Level level, double bytes, Bound *out)
{
    const double rate = level < LEVEL_COUNT ? l->bytes_per_s[level] : 0, ns = rate > 0 ? 1e9 * bytes / rate : 0;
    if (ns <= out->memory_ns)
        return;
    out->level = level;
    out->bytes = bytes;
    out->bytes_per_s = rate;
    out->memory_ns = ns;
}

bool roofline_bound(const Roofline *f, const int64_t *extent, int threads, Bound *out)
{
    const LimitRecord *l = f ? find_limit(f, threads) : NULL;
    const double flops = l ? spec_flops(f->spec, extent) : 0;
    *out = (Bound){ .level = LEVEL_COUNT,
                    .flops = l && !spec_moves(f->spec) ? flops : 0,
                    .by_data = f && f->spec->op->by_data };
    if (!(flops > 0))
        return false;
    out->flops_per_s = l->flops_per_s;
    out->compute_ns = 1e9 * out->flops / l->flops_per_s;
    const bool cold = study_is_cold(f->study, extent);
    const double packed = cold ? spec_packed_bytes(f->spec, extent) : 0, others = spec_bytes(f->spec, extent) - packed;
    for (int i = 0; i < LEVEL_COUNT; i++)
        bound_memory(l, (Level)i, bytes_from(f, l, i, others), out);
    if (cold)
        bound_memory(l, last_level(l), packed, out);
    out->ns = fmax(out->compute_ns, out->memory_ns);
    return out->ns > 0;
}
