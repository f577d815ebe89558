/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* qsort_r */
#include "gen/command/result.h"

#include <stdlib.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/command/command.h"
#include "gen/package/emit.h"
#include "gen/report/report.h"
#include "gen/report/roofline.h"
#include "search/record/rates.h"

UnitContext outcome_unit(const Workload *w, const Device *device, const Target *target)
{
    return (UnitContext){
        .spec = w->spec, .device = device, .targets = w->targets, .package_dir = w->package_dir, .target = target
    };
}

static int by_text(const void *x, const void *y) { return strcmp(*(const char *const *)x, *(const char *const *)y); }

/* Times of that target's kernels taken on that device. */
static int64_t timed_count(Arena *a, const Records *r, const Device *d, const Target *target)
{
    const char **key = ARENA_ARRAY(a, (size_t)r->nkernel + 1, const char *);
    size_t nkey = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < r->nkernel; i++)
        if (strcmp(r->kernel[i].target, target->name) == 0 && strcmp(r->kernel[i].device, d->id) == 0)
            key[nkey++] = r->kernel[i].key;
    qsort(key, nkey, sizeof *key, by_text);
    for (int64_t j = 0; j < r->nmeasure; j++)
        n += r->measure[j].nsample > 0 && strcmp(r->measure[j].device, d->id) == 0 &&
             bsearch(&r->measure[j].key, key, nkey, sizeof *key, by_text);
    return n;
}

/* The device that most times of the target's kernels come from, of those that run it; the smaller id of several. */
const Device *outcome_device(Arena *a, const Workload *w, const Records *r, const char **err)
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

/* Did the study take this over? Of a general kernel of a lesser target only that it failed. */
static bool says_something(const Study *s, const MeasureRecord *m)
{
    const int64_t i = strcmp(m->device, s->device->id) == 0 ? study_find_key(s, m->key) : -1;
    return i >= 0 && (s->trial[i].c.target == s->target || m->status != STATUS_OK);
}

/* The records that this study was made of. */
static const Records *records_of(Arena *a, const Study *s, const Records *r)
{
    Records *out = ARENA_NEW(a, Records);
    out->device = ARENA_ARRAY(a, 1, Device);
    out->kernel = ARENA_ARRAY(a, (size_t)r->nkernel + 1, KernelRecord);
    out->measure = ARENA_ARRAY(a, (size_t)r->nmeasure + 1, MeasureRecord);
    out->limit = ARENA_ARRAY(a, (size_t)r->nlimit + 1, LimitRecord);
    out->device[out->ndevice++] = *s->device;
    for (int64_t i = 0; i < r->nkernel; i++)
        if (study_find_key(s, r->kernel[i].key) >= 0 && strcmp(r->kernel[i].device, s->device->id) == 0)
            out->kernel[out->nkernel++] = r->kernel[i];
    for (int64_t i = 0; i < r->nmeasure; i++)
        if (says_something(s, &r->measure[i]))
            out->measure[out->nmeasure++] = r->measure[i];
    for (int64_t i = 0; i < r->nlimit; i++)
        if (rates_match(&r->limit[i], s->target, s->device, s->spec->dtype))
            out->limit[out->nlimit++] = r->limit[i];
    return out;
}

/* As the records have it: a package is made of nothing else, and a runner may have said more than fits a line of text. */
static const Device *recorded(const Records *r, const Device *d)
{
    for (int64_t i = 0; i < r->ndevice; i++)
        if (strcmp(r->device[i].id, d->id) == 0)
            return &r->device[i];
    return d;
}

bool outcome_make(Arena *a, const Workload *w, const Records *r, const Device *device, Outcome *out, const char **err)
{
    device = device ? recorded(r, device) : outcome_device(a, w, r, err);
    if (!device)
        return false;
    const Target *target = workload_target(a, w, device, err);
    if (!target)
        return false;
    UnitContext u = outcome_unit(w, device, target);
    Study *s = study_new(a, w->spec, device, target, unit_context_hash(a, &u));
    study_load(s, r, &w->templates, w->targets, device);
    CostModel *m = cost_fit(a, s, &w->templates);
    *out = (Outcome){
        .workload = w, .device = device, .study = s, .model = m, .assignment = select_kernels(a, s, m, SELECT_PACKAGE)
    };
    if (!out->assignment) {
        *err = arena_printf(a,
                            "the records hold no verified measurement for this spec, these templates and this compiler "
                            "(target '%s')",
                            target->name);
        return false;
    }
    out->records = records_of(a, s, r);
    out->contract = contract_make(a, s, out->records, &w->templates, w->targets, out->assignment);
    return true;
}

/* What all parts were made of, every line once. */
static const char *all_records(Arena *a, const Outcome *out, int n)
{
    Records *all = ARENA_NEW(a, Records);
    *all = *out->records;
    for (int i = 1; i < n; i++)
        *all = record_join(a, all, out[i].records);
    return record_text(a, all);
}

static int by_n(const void *x, const void *y, void *study)
{
    const Trial *trial = ((const Study *)study)->trial;
    const int64_t a = trial[*(const int64_t *)x].n, b = trial[*(const int64_t *)y].n;
    return (a > b) - (a < b);
}

/* The tuned target's trials as they were recorded, one after the other. NULL: of some the records do not tell. */
static const int64_t *search_order(Arena *a, const Study *s, int64_t *n)
{
    int64_t *order = ARENA_ARRAY(a, (size_t)s->ntrial + 1, int64_t);
    *n = 0;
    for (int64_t i = 0; i < s->ntrial; i++) {
        if (s->trial[i].c.target == s->target && !s->trial[i].n)
            return NULL;
        if (s->trial[i].c.target == s->target)
            order[(*n)++] = i;
    }
    qsort_r(order, (size_t)*n, sizeof *order, by_n, (void *)s);
    return order;
}

/* What kernels and dispatcher depend on. */
static EmitInput emit_input(Arena *a, const Outcome *out, int n)
{
    const Workload *w = out->workload;
    EmitPart *part = ARENA_ARRAY(a, (size_t)n, EmitPart);
    for (int i = 0; i < n; i++)
        part[i] = (EmitPart){ out[i].study, out[i].assignment, out[i].contract };
    return (EmitInput){ .unit = outcome_unit(w, out->device, out->study->target),
                        .templates = &w->templates,
                        .part = part,
                        .npart = n,
                        .version = DCGEN_VERSION };
}

const Dispatcher *outcome_dispatcher(Arena *a, const Outcome *out, int n)
{
    const EmitInput in = emit_input(a, out, n);
    return package_dispatcher(a, &in);
}

const Package *outcome_package(Arena *a, const Outcome *out, int n, const char *report, Diag *d)
{
    EmitInput in = emit_input(a, out, n);
    in.spec_text = out->workload->spec_text;
    in.records = all_records(a, out, n);
    in.report = report;
    return package_make(a, &in, d);
}

static ReportInput report_input(Arena *a, const Outcome *out, const CostReport *cost)
{
    Roofline *roofline = ARENA_NEW(a, Roofline);
    *roofline = roofline_make(a, out->study, out->records);
    ReportInput in = { .spec = out->workload->spec,
                       .study = out->study,
                       .model = out->model,
                       .assignment = out->assignment,
                       .first = out->first,
                       .device = out->device,
                       .roofline = roofline,
                       .contract = out->contract,
                       .cost = *cost,
                       .version = DCGEN_VERSION };
    in.order = search_order(a, out->study, &in.norder);
    return in;
}

bool outcome_report(Arena *a, const Outcome *out, int n, const CostReport *cost, const char **report, const char **err)
{
    *report = NULL;
    if (!out->workload->report)
        return true;
    ReportInput *in = ARENA_ARRAY(a, (size_t)n, ReportInput);
    for (int i = n - 1; i >= 0; i--) {
        in[i] = report_input(a, &out[i], &cost[i]);
        in[i].next = i + 1 < n ? &in[i + 1] : NULL;
    }
    *report = report_html(a, in, err);
    return *report != NULL;
}

void outcome_number(Arena *a, Outcome *out, int n)
{
    const Dispatcher *d = outcome_dispatcher(a, out, n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < d->nentry; k++)
            if (d->entry[k].tree == out[i].assignment->tree)
                out[i].first = d->entry[k].first;
}

int outcome_read_all(Arena *a, const Workload *w, Outcome **out, int *code, const char **err)
{
    const int n = workload_ntarget(w);
    Records r;
    *code = EXIT_ENVIRONMENT;
    *out = ARENA_ARRAY(a, (size_t)n, Outcome);
    if (!record_read(a, w->records, &r, stderr, err))
        return 0;
    *code = EXIT_FAILED;
    for (int i = 0; i < n; i++)
        if (!outcome_make(a, workload_for(a, w, i), &r, NULL, &(*out)[i], err))
            return 0;
    *code = EXIT_DONE;
    outcome_number(a, *out, n);
    return n;
}

bool outcome_timed(Arena *a, const Workload *w, const Records *r)
{
    const char *err = NULL;
    const Device *d = outcome_device(a, w, r, &err);
    const Target *target = d ? workload_target(a, w, d, &err) : NULL;
    return target && timed_count(a, r, d, target) > 0;
}
