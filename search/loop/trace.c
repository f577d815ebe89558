/* SPDX-License-Identifier: Apache-2.0
 *
 * trace: runs a search on its own records (search/measure/lab_records.c), and notes what it asks for, round by round,
 * and why.
 */
#include "search/loop/trace.h"

#include <math.h>
#include <string.h>
#include "search/loop/search.h"

typedef struct {
    Arena *arena;
    SearchTrace *trace;
    int64_t round;
} Tracer;

static void note_batch(void *ctx, Lab *l, const Proposal *p, int n)
{
    Tracer *t = ctx;
    (void)l;
    for (int i = 0; i < n; i++) {
        const size_t at = (size_t)t->trace->nstep;
        if ((at & (at - 1)) == 0) /* the list is full: it doubles whenever its length is a power of two */
            t->trace->step = arena_grow(t->arena, t->trace->step, at, at ? 2 * at : 1, sizeof *t->trace->step);
        t->trace->step[t->trace->nstep++] = (TraceStep){ t->round, p[i].c, p[i].gain, p[i].nshape };
    }
    t->round++;
}

/* Compares the kernels that were recorded on this device for this target with those that the search asked for. */
static void compare_order(SearchTrace *t, const Study *s, const Records *r)
{
    t->same = true;
    for (int64_t i = 0; i < r->nkernel; i++) {
        if (strcmp(r->kernel[i].device, s->device->id) != 0 || strcmp(r->kernel[i].target, s->target->name) != 0)
            continue;
        const int64_t at = t->nrecord++;
        const Trial *trial = at < s->ntrial ? &s->trial[at] : NULL;
        t->same = t->same && at < t->nstep && trial && strcmp(trial->key, r->kernel[i].key) == 0;
    }
    t->same = t->same && t->nrecord == t->nstep;
}

const SearchTrace *trace_make(Arena *a, const Result *out, const Records *r, const Strategy *strategy, uint64_t seed,
                              const char **err)
{
    const volatile int stop = 0;
    const Study *study = out->study;
    Diag *d = diag_new(a);
    const Space *space = space_make(a, study->spec, out->templates, study->target, study->device, d);
    if (!space) {
        *err = "there is nothing to search";
        return NULL;
    }
    SearchTrace *t = ARENA_NEW(a, SearchTrace);
    Tracer tracer = { .arena = a, .trace = t };
    Lab lab = { .kind = &lab_records,
                .data = lab_records_new(a, r, LAB_ONCE, (LabCost){ 0 }, note_batch, &tracer),
                .arena = a,
                .templates = out->templates,
                .study = study_new(a, study->spec, study->device, study->target, study->context_hash),
                .seconds = INFINITY,
                .stop = &stop };
    Search q = { .lab = &lab, .strategy = strategy, .space = space, .seed = seed, .ahead = search_builds_ahead(study) };
    const char *why = NULL;
    study_rate(lab.study, r);
    search_run(&q, &why); /* it ends where the records do */
    compare_order(t, lab.study, r);
    return t;
}
