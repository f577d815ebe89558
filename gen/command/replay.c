/* SPDX-License-Identifier: Apache-2.0
 *
 * replay: makes a package of records. Those of one device make the result of a target, and the results of all targets make the package.
 */
#include "gen/command/replay.h"

#include <stdlib.h>
#include <string.h>
#include "gen/base/order.h"
#include "gen/package/emit.h"
#include "search/record/record_spec.h"

/* Counts the times of that target's kernels that were taken on that device. */
static int64_t count_times(Arena *a, const Records *r, const Device *d, const Target *target)
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

const Device *replay_device(Arena *a, const Workload *w, const Records *r, int64_t *ntime, const char **err)
{
    const Device *best = NULL;
    const char *why = "the records name no device";
    for (const Device *d = r->device; d < r->device + r->ndevice; d++) {
        const Target *target = workload_target(a, w, d, &why);
        const int64_t n = target ? count_times(a, r, d, target) : 0;
        if (target && (!best || n > *ntime || (n == *ntime && strcmp(d->id, best->id) < 0))) {
            best = d;
            *ntime = n;
        }
    }
    if (!best)
        *err = why;
    return best;
}

/* The device as the records describe it, which is all that a package is made of: a runner may have said more than fits a line of text. */
static const Device *recorded_device(const Records *r, const Device *d)
{
    for (int64_t i = 0; i < r->ndevice; i++)
        if (strcmp(r->device[i].id, d->id) == 0)
            return &r->device[i];
    return d;
}

bool replay_target(Arena *a, const Workload *w, const Records *r, const Device *device, Result *out, const char **err)
{
    int64_t ntime;
    device = device ? recorded_device(r, device) : replay_device(a, w, r, &ntime, err);
    const Target *target = device ? workload_target(a, w, device, err) : NULL;
    const UnitContext u = workload_unit(w, device, target);
    return target && result_make(a, &u, &w->templates, r, w->present, out, err);
}

/* The records that all n results were made of, every line once. */
static const char *all_records(Arena *a, const Result *out, int n)
{
    Records *all = ARENA_NEW(a, Records);
    *all = *out->records;
    for (int i = 1; i < n; i++)
        *all = record_join(a, all, out[i].records);
    return record_text(a, all);
}

const Package *replay_package(Arena *a, const Workload *w, const Result *result, const char *report, Diag *d)
{
    const int n = workload_npart(w);
    const EmitInput in = { .result = result,
                           .nfunction = w->nfunction,
                           .nresult = workload_ntarget(w),
                           .spec_text = w->spec_text,
                           .records = all_records(a, result, n),
                           .report = report,
                           .version = DCGEN_VERSION };
    return package_make(a, &in, d);
}

void replay_number(Arena *a, Result *out, int n)
{
    const Dispatcher *d = package_dispatcher(a, out, n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < d->nentry; k++)
            if (d->entry[k].tree == out[i].assignment->tree)
                out[i].first = d->entry[k].first;
}

void replay_note(Arena *a, const Result *result, KernelKeys *present)
{
    const Assignment *as = result->assignment;
    const char **key = ARENA_ARRAY(a, (size_t)(present->n + as->nkernel) + 1, const char *);
    if (present->n)
        memcpy(key, present->key, (size_t)present->n * sizeof *key);
    for (int k = 0; k < as->nkernel; k++)
        key[present->n++] = result->study->trial[as->kernel[k]].key;
    present->key = key;
}

/* Templates change, and what was measured of them before is left out: a package of the rest may be a poor one. */
static void tell_outdated(const Run *r, const Result *result, const Records *records)
{
    const char *outdated = record_outdated(r->a, result->study, &result->unit, result->templates, records);
    if (*outdated && !r->o->quiet)
        diag_say(stderr, DIAG_NOTE, "%s: of the records for target '%s' these do not count: %s",
                 result->unit.spec->name, result->unit.target->name, outdated);
}

Result *replay_all(Run *r, const Workload *w, const Known *known)
{
    const int n = workload_npart(w);
    Result *result = ARENA_ARRAY(r->a, (size_t)n, Result);
    Records records;
    KernelKeys *present = ARENA_NEW(r->a, KernelKeys);
    Workload all = *w;
    const char *last = NULL;
    all.present = present;
    for (int i = 0; i < n; i++) {
        const Known k = known ? known[i] : (Known){ w->records, NULL };
        const bool is_read = last && strcmp(k.records, last) == 0;
        /* A search, which sets k.device, has already said what is wrong with its record file. */
        if (!is_read && !record_read(r->a, k.records, &records, k.device ? NULL : stderr, &r->err))
            return NULL;
        const Workload *part = workload_for(r->a, &all, i); /* results refer to it */
        if (!replay_target(r->a, part, &records, k.device, &result[i], &r->err)) {
            run_fails(r, EXIT_FAILED, "%s%s%s", part->spec->function ? part->spec->name : "",
                      part->spec->function ? ": " : "", r->err);
            return NULL;
        }
        if (!k.device)
            tell_outdated(r, &result[i], &records);
        replay_note(r->a, &result[i], present);
        last = k.records;
    }
    for (int i = 0; i < w->nfunction; i++)
        replay_number(r->a, result + i * workload_ntarget(w), workload_ntarget(w));
    return result;
}
