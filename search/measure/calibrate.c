/* SPDX-License-Identifier: Apache-2.0
 *
 * calibrate: measures what a device does at most, in the search and by `dcgen limits`. Where the device's family has
 * kernels for that (Family.limits) they are compiled first, like a candidate; elsewhere the runner knows how.
 */
#include "search/measure/lab.h"

#include <math.h>

/* Measuring limits takes LIMITS_SHARE of the time budget: LIMITS_TIMES times in a search, within bounds. */
static const double LIMITS_SHARE = 0.03, LIMITS_TIMES = 8;
static const double LEAST_S = 0.06, MOST_S = 0.25;

bool calibrate_build(Workshop *m, Arena *a, const volatile int *stop, const char **why)
{
    if (m->limits_so || !m->unit->target->family->limits)
        return true;
    Build b = { .name = "limits", .text = unit_limits(a, m->unit, diag_new(a)) };
    *why = "dcgen's own kernels that measure it are not there";
    if (!b.text)
        return false;
    build_all(m->builder, a, &b, 1, stop);
    *why = arena_printf(a, "what measures it does not compile: %s", b.why);
    m->limits_so = b.status == STATUS_OK ? b.so : NULL;
    return m->limits_so;
}

bool calibrate(Workshop *m, Arena *a, double most_s, LimitRecord *out, int *n, const volatile int *stop,
               const char **why, const char **err)
{
    const UnitContext *u = m->unit;
    *n = 0;
    if (!calibrate_build(m, a, stop, why)) {
        if (*stop)
            *err = "interrupted";
        return !*stop;
    }
    Request q = { .arena = a,
                  .limits = { target_root(u->target)->name, u->spec->dtype, u->spec->nthread, u->spec->threads,
                              1e9 * most_s, m->limits_so } };
    agents_ask(m->agents, &q);
    if (!agents_work(m->agents, stop, err))
        return false;
    *n = q.nlimit;
    *why = "the runner measures no limits of this target and data type";
    for (int i = 0; i < *n; i++) {
        out[i] = q.limit[i];
        out[i].device = u->device->id;
        out[i].target = u->target->name;
        if (m->records && !record_add_limit(m->records, &out[i], err))
            return false;
    }
    return true;
}

static bool is_known(const Lab *l)
{
    const Study *s = l->study;
    const Records *r = record_all(l->shop->records);
    for (int64_t i = 0; i < r->nlimit; i++)
        if (rates_match(&r->limit[i], s->target, s->device, s->spec->dtype))
            return true;
    return false;
}

bool calibrate_when_due(Lab *l, Arena *scratch, bool last, const char **err)
{
    if (!l->kind->measures || (l->brief && is_known(l)))
        return true;
    Workshop *m = l->shop;
    double *due_s = &m->agents->agent->limits_due_s;
    const double now_s = lab_now_s(l), most_s = fmin(fmax(LIMITS_SHARE * l->seconds / LIMITS_TIMES, LEAST_S), MOST_S);
    const double every_s = most_s / LIMITS_SHARE, early_s = last ? every_s / 2 : 0;
    if (now_s < *due_s - early_s || (last && *due_s == 0))
        return true;
    LimitRecord *limit = ARENA_ARRAY(scratch, (size_t)l->study->spec->nthread + 1, LimitRecord);
    const char *why = NULL;
    int n = 0;
    *due_s = now_s + every_s;
    if (!calibrate(m, l->arena, most_s, limit, &n, l->stop, &why, err))
        return false;
    if (n == 0)
        *due_s = INFINITY;
    study_rate(l->study, record_all(m->records));
    return true;
}

bool calibrate_first(Lab *l, Arena *scratch, const char **err)
{
    const Study *s = l->study;
    const bool wanted = l->kind->measures && s->target->family->limits && study_rated(s, s->target) == s->target;
    return !wanted || calibrate_when_due(l, scratch, false, err);
}
