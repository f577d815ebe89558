/* SPDX-License-Identifier: Apache-2.0
 *
 * replay: makes a package of records. The records of a workload are sorted by device and target, and
 * what they say of each target becomes one package.
 */
#include "gen/command/replay.h"

#include <stdlib.h>
#include <string.h>
#include "gen/base/order.h"
#include "gen/package/emit.h"

/* Times of that target's kernels taken on that device. */
static int64_t timed_count(Arena *a, const Records *r, const Device *d, const Target *target)
{
    const char **key = ARENA_ARRAY(a, (size_t)r->nkernel + 1, const char *);
    size_t nkey = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < r->nkernel; i++)
        if (strcmp(r->kernel[i].target, target->name) == 0 && strcmp(r->kernel[i].device, d->id) == 0)
            key[nkey++] = r->kernel[i].key;
    qsort(key, nkey, sizeof *key, order_word);
    for (int64_t j = 0; j < r->nmeasure; j++)
        n += r->measure[j].nsample > 0 && strcmp(r->measure[j].device, d->id) == 0 &&
             bsearch(&r->measure[j].key, key, nkey, sizeof *key, order_word);
    return n;
}

/* The device that most times of the target's kernels come from, of those that run it; the smaller id of several. */
const Device *replay_device(Arena *a, const Workload *w, const Records *r, const char **err)
{
    const Device *best = NULL;
    const char *why = "the records name no device";
    int64_t most = -1;
    for (int64_t i = 0; i < r->ndevice; i++) {
        const Target *target = workload_target(a, w, &r->device[i], &why);
        if (!target)
            continue;
        const int64_t n = timed_count(a, r, &r->device[i], target);
        if (n > most || (n == most && strcmp(r->device[i].id, best->id) < 0)) {
            best = &r->device[i];
            most = n;
        }
    }
    if (!best)
        *err = why;
    return best;
}

/* As the records have it: a package is made of nothing else, and a runner may have said more than fits a line of text. */
static const Device *recorded(const Records *r, const Device *d)
{
    for (int64_t i = 0; i < r->ndevice; i++)
        if (strcmp(r->device[i].id, d->id) == 0)
            return &r->device[i];
    return d;
}

bool replay_target(Arena *a, const Workload *w, const Records *r, const Device *device, Result *out, const char **err)
{
    device = device ? recorded(r, device) : replay_device(a, w, r, err);
    const Target *target = device ? workload_target(a, w, device, err) : NULL;
    const UnitContext u = workload_unit(w, device, target);
    return target && result_make(a, &u, &w->templates, r, out, err);
}

/* What all parts were made of, every line once. */
static const char *all_records(Arena *a, const Result *out, int n)
{
    Records *all = ARENA_NEW(a, Records);
    *all = *out->records;
    for (int i = 1; i < n; i++)
        *all = record_join(a, all, out[i].records);
    return record_text(a, all);
}

const Package *replay_package(Arena *a, const Workload *w, const Result *part, int n, const char *report, Diag *d)
{
    const EmitInput in = { .part = part,
                           .npart = n,
                           .spec_text = w->spec_text,
                           .records = all_records(a, part, n),
                           .report = report,
                           .version = DCGEN_VERSION };
    return package_make(a, &in, d);
}

void replay_cost(Arena *a, Result *part, int n)
{
    for (int i = 0; i < n; i++) {
        CostReport *cost = ARENA_NEW(a, CostReport);
        *cost = cost_report(a, part[i].study, part[i].templates);
        part[i].cost = cost;
    }
}

void replay_number(Arena *a, Result *out, int n)
{
    const Dispatcher *d = package_dispatcher(a, out, n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < d->nentry; k++)
            if (d->entry[k].tree == out[i].assignment->tree)
                out[i].first = d->entry[k].first;
}

/* What is wrong with a file that was searched with was said when it was opened. */
Result *replay_all(Run *r, const Known *known, int n)
{
    Result *part = ARENA_ARRAY(r->a, (size_t)n, Result);
    Records records;
    for (int i = 0; i < n; i++) {
        const Known *k = &known[i];
        const bool again = i > 0 && strcmp(k->records, k[-1].records) == 0;
        if (!again && !record_read(r->a, k->records, &records, k->device ? NULL : stderr, &r->err))
            return NULL;
        if (!replay_target(r->a, k->workload, &records, k->device, &part[i], &r->err)) {
            r->code = EXIT_FAILED;
            return NULL;
        }
    }
    replay_number(r->a, part, n);
    return part;
}

Result *replay_read_all(Run *r, const Workload *w)
{
    const int n = workload_ntarget(w);
    Known *known = ARENA_ARRAY(r->a, (size_t)n, Known);
    for (int i = 0; i < n; i++)
        known[i] = (Known){ workload_for(r->a, w, i), w->records, NULL };
    return replay_all(r, known, n);
}

bool replay_timed(Arena *a, const Workload *w, const Records *r)
{
    const char *err = NULL;
    const Device *d = replay_device(a, w, r, &err);
    const Target *target = d ? workload_target(a, w, d, &err) : NULL;
    return target && timed_count(a, r, d, target) > 0;
}
