/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* qsort_r */
#include "gen/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/dump.h"
#include "gen/emit.h"
#include "gen/dir.h"
#include "gen/explain.h"
#include "gen/family.h"
#include "gen/place.h"
#include "gen/plot.h"
#include "gen/prove.h"
#include "gen/regret.h"
#include "gen/report.h"
#include "gen/site.h"
#include "gen/summary.h"
#include "gen/tools.h"
#include "gen/text.h"
#include "gen/trace.h"
#include "gen/unit.h"
#include "search/intake.h"
#include "search/offline.h"
#include "search/search.h"

static const double PROVE_DEADLINE_S = 60;

static int fail(const char *err, int code)
{
    fprintf(stderr, "dcgen: %s\n", err);
    return code;
}

static int interrupted(const Workload *w, bool recorded)
{
    if (recorded)
        fprintf(stderr, "dcgen: interrupted; what was measured is in %s, and the same command goes on from there\n",
                w->records);
    else
        fprintf(stderr, "dcgen: interrupted; nothing was measured yet\n");
    return EXIT_INTERRUPTED;
}

/* Reads the workload or says what is wrong with it. */
static const Workload *read_workload(Arena *a, const char *spec_path, const Options *o, int *code)
{
    Diag *d = diag_new(a);
    const char *err = NULL;
    const Workload *w = workload_read(a, spec_path, o, d, &err);
    diag_print(d, stderr);
    if (!w)
        *code = err ? fail(err, EXIT_ENVIRONMENT) : EXIT_USAGE;
    return w;
}

static UnitContext unit_context(const Workload *w, const Device *device, const Target *target)
{
    return (UnitContext){
        .spec = w->spec, .device = device, .targets = w->targets, .package_dir = w->package_dir, .target = target
    };
}

/* ---- from records to a package ---- */

/* Times taken on that device. */
static int64_t timed_count(const Records *r, const Device *d)
{
    int64_t n = 0;
    for (int64_t j = 0; j < r->nmeasure; j++)
        n += r->measure[j].nsample > 0 && strcmp(r->measure[j].device, d->id) == 0;
    return n;
}

/* The device that most times come from, of those that run the target; the smaller id of several. */
static const Device *main_device(Arena *a, const Workload *w, const Records *r, const char **err)
{
    const Device *best = NULL;
    const char *why = "the records name no device";
    int64_t most = -1;
    for (int64_t i = 0; i < r->ndevice; i++) {
        int64_t n = timed_count(r, &r->device[i]);
        if (!workload_target(a, w, &r->device[i], &why))
            continue;
        if (n > most || (n == most && strcmp(r->device[i].id, best->id) < 0)) {
            best = &r->device[i];
            most = n;
        }
    }
    if (!best)
        *err = why;
    return best;
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
        if (study_find_key(s, r->measure[i].key) >= 0 && strcmp(r->measure[i].device, s->device->id) == 0)
            out->measure[out->nmeasure++] = r->measure[i];
    for (int64_t i = 0; i < r->nlimit; i++)
        if (strcmp(r->limit[i].device, s->device->id) == 0 && strcmp(r->limit[i].target, s->target->name) == 0 &&
            strcmp(r->limit[i].dtype, s->spec->dtype) == 0)
            out->limit[out->nlimit++] = r->limit[i];
    return out;
}

bool outcome_make(Arena *a, const Workload *w, const Records *r, const Device *device, Outcome *out, const char **err)
{
    if (!device)
        device = main_device(a, w, r, err);
    if (!device)
        return false;
    const Target *target = workload_target(a, w, device, err);
    if (!target)
        return false;
    UnitContext u = unit_context(w, device, target);
    Study *s = study_new(a, w->spec, device, target, unit_context_hash(a, &u));
    study_load(s, r, &w->templates, w->targets, device);
    CostModel *m = cost_fit(a, s, &w->templates);
    *out = (Outcome){
        .workload = w, .device = device, .study = s, .model = m, .assignment = select_kernels(a, s, m, SELECT_PACKAGE)
    };
    if (!out->assignment) {
        *err = "the records hold no verified measurement for this spec, these templates and this compiler";
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
    return (EmitInput){ .unit = unit_context(w, out->device, out->study->target),
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

bool outcome_report(Arena *a, const Outcome *out, const CostReport *cost, const char **report, const char **err)
{
    const Roofline roofline = roofline_make(a, out->study, out->records);
    ReportInput in = { .spec = out->workload->spec,
                       .study = out->study,
                       .model = out->model,
                       .assignment = out->assignment,
                       .device = out->device,
                       .roofline = &roofline,
                       .cost = *cost,
                       .version = DCGEN_VERSION };
    in.order = search_order(a, out->study, &in.norder);
    *report = out->workload->report ? report_html(a, &in, err) : NULL;
    return *report || !out->workload->report;
}

/* The dispatcher, as it will be written, against the trees. False, said on stderr, when they differ: no such package leaves. */
static bool prove_package(Arena *a, const Outcome *out, int n, const Package *p, const Options *o,
                          const volatile int *stop, Proof *proof)
{
    const char *why = NULL;
    const Toolchain cc = tools_cc(a, o);
    Builder *b = builder_new(a, &cc, 1, PROVE_DEADLINE_S, stop, &why);
    ProofStatus status = PROOF_NONE;
    if (b) {
        status = prove_text(a, outcome_dispatcher(a, out, n), out->workload->spec, package_text(p, "dispatch.h"), b,
                            stop, proof, &why);
        builder_free(b);
    }
    if (status == PROOF_FAILS)
        fprintf(stderr, "dcgen: internal error: the dispatcher of %s is wrong: %s\n", out->workload->spec->name, why);
    else if (status == PROOF_NONE && !*stop && !o->quiet)
        fprintf(stderr, "dcgen: the dispatcher was not checked: %s\n", why);
    return status != PROOF_FAILS;
}

/* One package of n outcomes, one a target. stop: of a run that may compile, which checks the dispatcher first; NULL: nothing is compiled. */
static int write_outcomes(Arena *a, const Outcome *out, int n, const Options *o, const volatile int *stop)
{
    Diag *d = diag_new(a);
    const char *err = NULL, *report = NULL;
    const bool told = o->json || !o->quiet;
    CostReport cost = { 0 };
    if (told || out->workload->report)
        cost = cost_report(a, out->study, &out->workload->templates);
    if (!outcome_report(a, out, &cost, &report, &err))
        return fail(err, EXIT_ENVIRONMENT);
    const Package *p = outcome_package(a, out, n, report, d);
    diag_print(d, stderr);
    if (!p)
        return fail("a template cannot be filled", EXIT_FAILED);
    Proof proof = { 0 };
    if (stop && !prove_package(a, out, n, p, o, stop, &proof))
        return EXIT_FAILED;
    if (stop && *stop)
        return interrupted(out->workload, true);
    if (!package_write(p, out->workload->out, &err, a))
        return fail(err, EXIT_ENVIRONMENT);
    for (int i = 0; i < n && o->verbose; i++)
        summary_failures(&out[i], stderr);
    for (int i = 0; i < n && told; i++) {
        const CostReport own = i ? cost_report(a, out[i].study, &out->workload->templates) : cost;
        summary_package(&out[i], &own, proof.ndeclared ? &proof : NULL, o->json, stdout);
    }
    for (int i = 0; i < n; i++)
        summary_contract(&out[i], stderr);
    return EXIT_DONE;
}

bool outcome_read(Arena *a, const Workload *w, const char *path, Outcome *out, int *code, const char **err)
{
    Records r;
    *code = EXIT_ENVIRONMENT;
    if (!record_read(a, path, &r, stderr, err))
        return false;
    *code = EXIT_FAILED;
    return outcome_make(a, w, &r, NULL, out, err);
}

int replay(Arena *a, const Options *o)
{
    int code = EXIT_DONE;
    const char *err = NULL;
    const Workload *w = read_workload(a, o->operand, o, &code);
    if (!w)
        return code;
    const int n = workload_ntarget(w);
    Outcome *out = ARENA_ARRAY(a, (size_t)n, Outcome);
    for (int i = 0; i < n; i++)
        if (!outcome_read(a, workload_for(a, w, i), w->records, &out[i], &code, &err))
            return fail(err, code);
    return write_outcomes(a, out, n, o, NULL);
}

/* What a package was made from, out of its own spec and records. */
static bool read_package(Arena *a, const Options *o, Outcome *out, int *code)
{
    const char *err = NULL;
    Options of_package = *o;
    of_package.records = arena_printf(a, "%s/records.jsonl", o->operand);
    const Workload *w = read_workload(a, arena_printf(a, "%s/spec.cfg", o->operand), &of_package, code);
    if (!w)
        return false;
    const bool ok = outcome_read(a, w, w->records, out, code, &err);
    if (!ok)
        fail(err, *code);
    return ok;
}

int explain_package(Arena *a, const Options *o)
{
    int code = EXIT_DONE;
    Outcome out;
    if (!read_package(a, o, &out, &code))
        return code;
    const Roofline roofline = roofline_make(a, out.study, out.records);
    return explain(a, out.study, out.model, out.assignment, &roofline, o, stdout, stderr);
}

int regret_package(Arena *a, const Options *o, const volatile int *stop)
{
    int code = EXIT_DONE;
    Outcome out;
    return read_package(a, o, &out, &code) ? regret(a, &out, o, stop) : code;
}

/* ---- check ---- */

/* Everything that fits; what is wrong with templates is found before anything is built. NULL after errors in d. */
static const Space *make_space(Arena *a, const UnitContext *u, const TemplateList *templates, const Target *target,
                               Diag *d)
{
    const Space *s = space_make(a, u->spec, templates, target, u->device, d);
    bool ok = s != NULL;
    for (int i = 0; s && i < s->ngeneral; i++) {
        int64_t value[TEMPLATE_MAX_PARAM];
        candidate_values(&s->general[i], value);
        ok = unit_candidate(a, u, &(UnitKernel){ s->general[i].t, target, value, { 0 } }, d) && ok;
    }
    return ok ? s : NULL;
}

/* What kernels would run on: this CPU, its GPU, or without one what is typical of the target. */
static bool probe_device(Arena *a, const Workload *w, const Options *o, Device *out, const char **err)
{
    Site site;
    if (!site_find(a, w, o, true, &site, NULL, err))
        return false;
    if (site.kind == SITE_MODEL)
        *out = target_typical_device(a, site.target);
    return site.kind == SITE_MODEL || (site.kind == SITE_GPU ? site_probe_gpu(a, o, out, NULL, err)
                                                             : target_probe(a, w->targets, "", "", out, err));
}

/* What could be searched on this machine. */
static const Space *probe_space(Arena *a, const Workload *w, const Options *o, Device *device, int *code)
{
    const char *err = NULL;
    Diag *d = diag_new(a);
    *code = EXIT_USAGE;
    if (!probe_device(a, w, o, device, &err)) {
        *code = fail(err, EXIT_ENVIRONMENT);
        return NULL;
    }
    const Target *target = workload_target(a, w, device, &err);
    if (!target) {
        fail(err, EXIT_USAGE);
        return NULL;
    }
    UnitContext u = unit_context(w, device, target);
    const Space *space = make_space(a, &u, &w->templates, target, d);
    diag_print(d, stderr);
    *code = space ? EXIT_DONE : EXIT_USAGE;
    return space;
}

int check(Arena *a, const Options *o)
{
    int code = EXIT_DONE;
    Device device;
    const Workload *w = read_workload(a, o->operand, o, &code);
    const Space *space = w ? probe_space(a, w, o, &device, &code) : NULL;
    if (!space)
        return code;
    summary_check(w, space, &device, o->json, stdout);
    return EXIT_DONE;
}

/* ---- dump ---- */

static bool dump_space(Arena *a, const Options *o, const Workload *w, DumpInput *in, int *code)
{
    Device *device = ARENA_NEW(a, Device);
    UnitContext *u = ARENA_NEW(a, UnitContext);
    in->space = probe_space(a, w, o, device, code);
    if (!in->space)
        return false;
    *u = unit_context(w, device, in->space->general[0].target);
    in->unit = u;
    in->options = o;
    return true;
}

/* Everything that the stage needs; false with *code set. */
static bool dump_input(Arena *a, const Options *o, const Workload *w, DumpInput *in, int *code)
{
    const char *err = NULL;
    Records *r = ARENA_NEW(a, Records);
    Outcome out;
    *in = (DumpInput){ .workload = w, .records = r };
    if (o->dump == DUMP_SPEC)
        return true;
    if (o->dump == DUMP_SPACE || o->dump == DUMP_SOURCE)
        return dump_space(a, o, w, in, code);
    if (!record_read(a, w->records, r, stderr, &err)) {
        *code = fail(err, EXIT_ENVIRONMENT);
        return false;
    }
    if (o->dump == DUMP_RECORDS)
        return true;
    if (!outcome_make(a, w, r, NULL, &out, &err)) {
        *code = fail(err, EXIT_FAILED);
        return false;
    }
    in->study = out.study;
    in->model = out.model;
    in->assignment = out.assignment;
    in->trace = o->dump == DUMP_TRACE ? trace_make(a, &out, r, &strategies[o->search], o->seed, &err) : NULL;
    if (err)
        *code = fail(err, EXIT_FAILED);
    return err == NULL;
}

int dump_stage(Arena *a, const Options *o)
{
    int code = EXIT_DONE;
    bool of_package = o->command == COMMAND_EXPLAIN || o->command == COMMAND_BENCH;
    Options use = *o;
    DumpInput in;
    if (of_package)
        use.records = arena_printf(a, "%s/records.jsonl", o->operand);
    const Workload *w =
        read_workload(a, of_package ? arena_printf(a, "%s/spec.cfg", o->operand) : o->operand, &use, &code);
    if (w && dump_input(a, &use, w, &in, &code))
        dump(a, o->dump, &in, o->json, stdout);
    return code;
}

/* ---- generate ---- */

/* What is searched, and what is known of it. */
static bool prepare(Arena *a, const Workload *w, const Options *o, const Site *site, Tools *run, UnitContext *u,
                    Search *q, int *code, const char **err)
{
    Device *device = ARENA_NEW(a, Device);
    *device = site->kind == SITE_MODEL ? target_typical_device(a, site->target) : *runner_device(run->runner);
    device_set_compiler(a, device, run->compiler, tools_flags(a, run));
    run->device = device;
    *code = EXIT_USAGE;
    const Target *target = workload_target(a, w, device, err);
    if (!target)
        return false;
    *u = unit_context(w, device, target);
    q->space = make_space(a, u, &w->templates, target, q->diag);
    diag_print(q->diag, stderr);
    if (!q->space) {
        *err = "there is nothing to search";
        return false;
    }
    *code = EXIT_ENVIRONMENT;
    if (!tools_open_records(a, w, o, run, err) || !record_add_device(run->records, device, err))
        return false;
    q->study = study_new(a, w->spec, device, target, unit_context_hash(a, u));
    study_load(q->study, record_all(run->records), &w->templates, w->targets, device);
    return true;
}

/* Every candidate for the tuned target failed: no fault of the environment. */
static bool nothing_works(const Study *s, const Records *r)
{
    for (int64_t i = 0; i < s->ntrial; i++)
        if (trial_usable(&s->trial[i]) && s->trial[i].c.target == s->target)
            return false;
    return s->ntrial > 0 && r->nkernel >= s->ntrial;
}

static bool search_workload(Arena *a, const Workload *w, const Options *o, const Site *site, Tools *run, double began_s,
                            const volatile int *stop, int *code, const char **err)
{
    UnitContext u;
    Search q = { .arena = a,
                 .lab = &lab_intake,
                 .strategy = &strategies[o->search],
                 .unit = &u,
                 .templates = &w->templates,
                 .builder = run->builder,
                 .assembler = run->assembler,
                 .runner = run->runner,
                 .diag = diag_new(a),
                 .seed = o->seed,
                 .jobs = tools_jobs(o),
                 .began_s = began_s,
                 .seconds = w->spec->budget.seconds,
                 .stop = stop };
    if (!prepare(a, w, o, site, run, &u, &q, code, err))
        return false;
    run->progress = progress_open(o->quiet ? PROGRESS_NONE : o->progress, stderr);
    q.records = run->records;
    q.progress = run->progress;
    q.diag = diag_new(a);
    bool ok = site->kind == SITE_MODEL ? offline_run(&q, err) : search_run(&q, err);
    progress_close(run->progress);
    run->progress = NULL;
    diag_print(q.diag, stderr);
    if (q.library_why && !o->quiet)
        fprintf(stderr, "dcgen: %s was not timed%s: %s\n", family_find(u.target->family)->rival,
                q.library_timed ? " on every shape" : "", q.library_why);
    if (!ok && nothing_works(q.study, record_all(run->records)))
        *code = EXIT_FAILED;
    return ok;
}

/* The file holds times of a device that runs the target: then nothing need be guessed. */
static bool has_times(Arena *a, const Workload *w, const char *path)
{
    const char *err = NULL;
    Records r;
    if (access(path, R_OK) != 0 || !record_read(a, path, &r, NULL, &err))
        return false;
    const Device *d = main_device(a, w, &r, &err);
    return d && timed_count(&r, d) > 0;
}

/* What was measured for this target: in the workload's own records, else in those that come with dcgen, records/<device>/<name>.jsonl.
 * NULL: nothing. */
static const char *recorded_times(Arena *a, const Workload *w, const Options *o)
{
    const char *own = place_records(a);
    char **folder;
    int n = 0;
    if (has_times(a, w, w->records))
        return w->records;
    if (o->records || !own || !dir_list(a, own, "", &folder, &n))
        return NULL;
    for (int i = 0; i < n; i++) {
        const char *path = arena_printf(a, "%s/%s.jsonl", folder[i], w->spec->name);
        if (has_times(a, w, path))
            return path;
    }
    return NULL;
}

/* The search for one target, and what its records say. */
static bool search_target(Arena *a, const Workload *w, const Options *o, const Site *site, const volatile int *stop,
                          Outcome *out, int *code)
{
    const double began_s = clock_s();
    const char *err = NULL;
    Tools run = { 0 };
    *code = EXIT_ENVIRONMENT;
    bool ok = package_check(w->out, &err, a) && tools_open(a, w, o, site, &run, stop, &err) &&
              (!w->report || plot_check(a, &err)) && search_workload(a, w, o, site, &run, began_s, stop, code, &err);
    if (ok && !outcome_make(a, w, record_all(run.records), run.device, out, &err)) {
        ok = false;
        *code = EXIT_FAILED;
    }
    if (*stop)
        *code = interrupted(w, run.records != NULL);
    else if (!ok)
        *code = fail(err, *code);
    tools_close(&run);
    return ok && !*stop;
}

int generate(Arena *a, const Options *o, const volatile int *stop)
{
    int code = EXIT_ENVIRONMENT;
    const char *err = NULL;
    const Workload *w = read_workload(a, o->operand, o, &code);
    if (!w)
        return code;
    const int n = workload_ntarget(w);
    Outcome *out = ARENA_ARRAY(a, (size_t)n, Outcome);
    Options each = *o;
    for (int i = 0; i < n; i++) {
        Site site;
        const Workload *one = workload_for(a, w, i);
        const char *recorded = o->offline ? (site_wants_cuda(one) ? recorded_times(a, one, o) : one->records) : NULL;
        if (recorded) {
            if (!outcome_read(a, one, recorded, &out[i], &code, &err))
                return fail(err, code);
            continue;
        }
        const bool found = site_find(a, one, o, o->offline, &site, stop, &err);
        if (*stop)
            return interrupted(w, false);
        if (!found)
            return fail(err, EXIT_ENVIRONMENT);
        each.fresh = o->fresh && i == 0; /* the first target's search has begun the file anew */
        if (!search_target(a, one, &each, &site, stop, &out[i], &code))
            return code;
    }
    return write_outcomes(a, out, n, o, stop);
}
