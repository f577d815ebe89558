/* SPDX-License-Identifier: Apache-2.0
 *
 * replay: makes a package of records. Those of one device make the result of a job, and the results of all jobs make
 * the package.
 */
#include "gen/driver/replay.h"

#include <string.h>
#include "gen/base/index.h"
#include "gen/package/emit.h"
#include "search/record/record_spec.h"

/* Devices and kernels of records, found by their names. */
typedef struct {
    const Records *records;
    const Target **target; /* one a device: the one that it runs; NULL: none of the job's */
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

const Device *replay_device(Arena *a, const Job *job, const Records *r, int64_t *ntime, const char **err)
{
    const char *why = "the records name no device";
    Arena *scratch = arena_new();
    const Target **target = ARENA_ARRAY(scratch, (size_t)r->ndevice + 1, const Target *);
    int64_t best = -1;
    for (int64_t i = 0; i < r->ndevice; i++)
        target[i] = job_target(a, job, &r->device[i], &why);
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

bool replay_job(Arena *a, const Job *job, const Records *r, const char **err)
{
    int64_t ntime;
    const Device *device = job->device ? recorded_device(r, job->device) : replay_device(a, job, r, &ntime, err);
    const Target *target = device ? job_target(a, job, device, err) : NULL;
    if (!target)
        return false;
    const UnitContext u = job_unit(a, job, device, target);
    return result_make(a, &u, job->templates, r, job_present(a, job), job->result, err);
}

/* The records that these results were made of, every line once. */
static const char *all_records(Arena *a, const ResultList *of)
{
    const Records **set = ARENA_ARRAY(a, (size_t)of->n, const Records *);
    for (int i = 0; i < of->n; i++)
        set[i] = of->item[i].records;
    return record_text_of(a, set, of->n);
}

const Package *replay_package(Arena *a, const Workload *w, const char *report, Diag *d)
{
    ResultList *function = ARENA_ARRAY(a, (size_t)w->nfunction, ResultList);
    for (int i = 0; i < w->nfunction; i++)
        function[i] = w->function[i].results;
    const EmitInput in = { .nfunction = w->nfunction,
                           .function = function,
                           .graph = w->graph && w->nfunction == w->file->nfunction ? w->graph : NULL,
                           .spec_text = w->spec_text,
                           .records = all_records(a, &w->results),
                           .report = report,
                           .version = DCGEN_VERSION };
    return package_make(a, &in, d);
}

void replay_number(Arena *a, const Function *f)
{
    const Dispatcher *d = package_dispatcher(a, &f->results);
    for (int i = 0; i < f->njob; i++)
        for (int k = 0; k < d->nentry; k++)
            if (d->entry[k].tree == f->job[i].result->assignment->tree)
                f->job[i].result->first = d->entry[k].first;
}

/* Templates change, and what was measured of them before is left out: a package of the rest may be a poor one. */
static void tell_outdated(const Run *r, const Result *result, const Records *records)
{
    const char *outdated = record_holds(r->a, result->study, &result->unit, result->templates, records, HOLD_OUTDATED);
    if (*outdated && !r->o->quiet)
        diag_say(stderr, DIAG_NOTE, "%s: of the records for target '%s' these do not count: %s",
                 result->unit.spec->name, result->unit.target->name, outdated);
}

static bool make_results(Run *r, const Workload *w)
{
    Records records;
    const char *last = NULL;
    for (Job *job = w->job; job < w->job + w->njob; job++) {
        const bool is_read = last && strcmp(job->records, last) == 0;
        /* A search, which knows the device, has already said what is wrong with its record file. */
        if (!is_read && !record_read(r->a, job->records, &records, job->device ? NULL : stderr, &r->err))
            return false;
        if (!replay_job(r->a, job, &records, &r->err))
            return run_fails(r, EXIT_FAILED, "%s%s%s", job->spec->function ? job->spec->name : "",
                             job->spec->function ? ": " : "", r->err);
        if (!job->device)
            tell_outdated(r, job->result, &records);
        last = job->records;
    }
    for (int i = 0; i < w->nfunction; i++)
        replay_number(r->a, &w->function[i]);
    return true;
}

bool replay_all(Run *r, const Workload *w, const char *last_words)
{
    run_may_end(r, last_words);
    const bool ok = make_results(r, w);
    run_may_end(r, NULL);
    return ok;
}
