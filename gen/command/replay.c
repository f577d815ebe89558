/* SPDX-License-Identifier: Apache-2.0
 *
 * replay: makes a package of records. Those of one device make the result of a target, and the results of all targets
 * make the package.
 */
#include "gen/command/replay.h"

#include <string.h>
#include "gen/base/index.h"
#include "gen/package/emit.h"
#include "search/record/record_spec.h"

/* Devices and kernels of records, found by their names. */
typedef struct {
    const Records *records;
    const Target **target; /* one a device: the one that it runs; NULL: none of the workload */
    Index device, kernel;  /* kernels of the target of their device */
} Named;

/* The first device with that id; -1: there is none. */
static int64_t find_device(const Named *x, const char *id)
{
    size_t from = 0;
    int64_t i;
    while ((i = index_next(&x->device, index_word(id, 0), &from)) >= 0 && strcmp(x->records->device[i].id, id) != 0)
        continue;
    return i;
}

static bool has_kernel(const Named *x, const char *key, const char *device)
{
    size_t from = 0;
    int64_t i;
    while ((i = index_next(&x->kernel, index_word(device, index_word(key, 0)), &from)) >= 0)
        if (strcmp(x->records->kernel[i].key, key) == 0 && strcmp(x->records->kernel[i].device, device) == 0)
            return true;
    return false;
}

static void add_kernel(Named *x, int64_t i)
{
    const KernelRecord *k = &x->records->kernel[i];
    const int64_t device = find_device(x, k->device);
    const Target *target = device < 0 ? NULL : x->target[device];
    if (target && strcmp(k->target, target->name) == 0 && !has_kernel(x, k->key, k->device))
        index_add(&x->kernel, index_word(k->device, index_word(k->key, 0)), i);
}

/* Counts, for each device, the times of its target's kernels that were taken on it. A device that the records describe
 * again has none then. */
static int64_t *count_times(Arena *scratch, const Records *r, const Target **target)
{
    Named x = { .records = r, .target = target, .device = { .arena = scratch }, .kernel = { .arena = scratch } };
    int64_t *n = ARENA_ARRAY(scratch, (size_t)r->ndevice + 1, int64_t);
    for (int64_t i = 0; i < r->ndevice; i++)
        if (find_device(&x, r->device[i].id) < 0)
            index_add(&x.device, index_word(r->device[i].id, 0), i);
    for (int64_t i = 0; i < r->nkernel; i++)
        add_kernel(&x, i);
    for (const MeasureRecord *m = r->measure; m < r->measure + r->nmeasure; m++)
        if (m->nsample > 0 && has_kernel(&x, m->key, m->device))
            n[find_device(&x, m->device)]++;
    return n;
}

const Device *replay_device(Arena *a, const Workload *w, const Records *r, int64_t *ntime, const char **err)
{
    const char *why = "the records name no device";
    Arena *scratch = arena_new();
    const Target **target = ARENA_ARRAY(scratch, (size_t)r->ndevice + 1, const Target *);
    int64_t best = -1;
    for (int64_t i = 0; i < r->ndevice; i++)
        target[i] = workload_target(a, w, &r->device[i], &why);
    const int64_t *n = count_times(scratch, r, target);
    for (int64_t i = 0; i < r->ndevice; i++)
        if (target[i] &&
            (best < 0 || n[i] > n[best] || (n[i] == n[best] && strcmp(r->device[i].id, r->device[best].id) < 0)))
            best = i;
    *ntime = best < 0 ? 0 : n[best];
    arena_free(scratch);
    if (best < 0)
        *err = why;
    return best < 0 ? NULL : &r->device[best];
}

/* The device as the records describe it, which is all that a package is made of: a runner may have said more than fits
 * a line of text. */
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
    if (!target)
        return false;
    const UnitContext u = workload_unit(a, w, device, target);
    return result_make(a, &u, &w->templates, r, w->present, out, err);
}

/* The records that all n results were made of, every line once. */
static const char *all_records(Arena *a, const Result *out, int n)
{
    const Records **set = ARENA_ARRAY(a, (size_t)n, const Records *);
    for (int i = 0; i < n; i++)
        set[i] = out[i].records;
    return record_text_of(a, set, n);
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

static Result *make_results(Run *r, const Workload *w, const Known *known)
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

Result *replay_all(Run *r, const Workload *w, const Known *known)
{
    run_may_end(r, known ? run_kept(r, known->records) : "interrupted");
    Result *result = make_results(r, w, known);
    run_may_end(r, NULL);
    return result;
}
