/* SPDX-License-Identifier: Apache-2.0
 *
 * table: reads the records of an exhaustive search and keeps, for each kernel and shape, the time that was measured.
 */
#include "bench/tuning/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *give_up(const char *what, const char *why)
{
    fprintf(stderr, "tuning: %s: %s\n", what, why);
    return NULL;
}

/* The first job. */
static const Job *read_job(Arena *a, const char *spec, const char *records)
{
    static Options o = { .cc = "gcc", .cxx = "g++", .trials = -1, .seconds = -1, .kernels = -1, .code_kib = -1 };
    Diag *d = diag_new(a);
    const char *err = NULL;
    o.records = records;
    const Workload *w = workload_read(a, spec, &o, d, &err);
    diag_print(d, stderr);
    return w ? w->job : give_up(spec, err ? err : "it has errors");
}

/* Candidates that failed are no part of the space; any other must have its times, but for shapes that it does not
 * serve. */
static bool is_complete(const Table *t)
{
    int64_t missing = 0;
    for (int64_t i = 0; i < t->space->n; i++) {
        const int64_t trial = study_find(t->truth, &t->space->candidate[i]);
        for (int64_t j = 0; j < t->truth->nshape; j++)
            missing +=
                trial < 0 || (trial_usable(&t->truth->trial[trial]) && !(t->truth->trial[trial].ns[j] > 0) &&
                              candidate_serves(&t->space->candidate[i], t->truth->spec, t->truth->shape[j]->extent));
    }
    if (missing)
        fprintf(stderr,
                "tuning: %" PRId64 " pairs of kernel and shape were not measured; run dcgen --search exhaustive\n",
                missing);
    return missing == 0;
}

const Table *table_read(Arena *a, const char *spec, const char *records)
{
    Table *t = ARENA_NEW(a, Table);
    Records *r = ARENA_NEW(a, Records);
    Diag *d = diag_new(a);
    const char *err = NULL;
    t->job = read_job(a, spec, records);
    if (!t->job)
        return NULL;
    if (!record_read(a, records, r, stderr, &err) || !replay_job(a, t->job, r, &err))
        return give_up(records, err);
    t->records = r;
    t->truth = t->job->result->study;
    t->device = t->truth->device;
    t->target = t->truth->target;
    t->space = space_make(a, t->job->spec, t->job->templates, t->target, t->device, d);
    diag_print(d, stderr);
    if (!t->space || !is_complete(t))
        return NULL;
    t->best = ARENA_ARRAY(a, (size_t)t->truth->nshape + 1, double);
    for (int64_t j = 0; j < t->truth->nshape; j++)
        t->best[j] = study_best(t->truth, j, NULL);
    return t;
}

static Spec *spec_of(Arena *a, const Table *t, int64_t n)
{
    Spec *s = ARENA_NEW(a, Spec);
    *s = *t->job->spec;
    s->ninstance = n;
    s->instance = ARENA_ARRAY(a, (size_t)n + 1, Instance);
    return s;
}

Spec *table_spec(Arena *a, const Table *t, const int64_t *shown, int nshown)
{
    Spec *s = spec_of(a, t, t->truth->nshape);
    for (int64_t j = 0; j < s->ninstance; j++) {
        s->instance[j] = *t->truth->shape[j];
        s->instance[j].tuned = false;
        for (int i = 0; i < nshown; i++)
            s->instance[j].tuned = s->instance[j].tuned || s->instance[j].dim[0] == shown[i];
    }
    return s;
}

Spec *table_one_shape(Arena *a, const Table *t, int64_t shape)
{
    Spec *s = spec_of(a, t, 1);
    s->instance[0] = *t->truth->shape[shape];
    return s;
}

double table_ns(const Table *t, const Candidate *c, const Instance *inst)
{
    const int64_t i = study_find(t->truth, c), j = study_shape(t->truth, inst->extent, inst->threads);
    return i >= 0 && j >= 0 && t->truth->trial[i].ns[j] > 0 ? fmax(t->truth->trial[i].ns[j], t->best[j]) : INFINITY;
}

double table_best(const Table *t, const Instance *inst)
{
    return t->best[study_shape(t->truth, inst->extent, inst->threads)];
}

void quality_add(Quality *q, double ratio, double weight, double *total_weight)
{
    const double before = *total_weight, after = before + weight;
    if (!(weight > 0))
        return;
    q->mean = (q->mean * before + (ratio - 1) * weight) / after;
    q->geomean = expm1((log1p(q->geomean) * before + log(ratio) * weight) / after);
    q->worst = fmax(q->worst, ratio - 1);
    q->n++;
    *total_weight = after;
}
