/* SPDX-License-Identifier: Apache-2.0
 *
 * inspect: the commands that only look: at a spec (check, --dump), at a package (explain, --dump, bench --regret).
 */
#include <stdio.h>
#include <string.h>
#include "gen/command/command.h"
#include "gen/command/regret.h"
#include "gen/command/tried.h"
#include "gen/driver/tools.h"
#include "gen/print/drift.h"
#include "gen/print/dump.h"
#include "gen/print/summary.h"
#include "gen/report/explain.h"

/* ---- a package ---- */

/* Does the command line name the job's target, or none? */
static bool has_target(const Options *o, const Job *job)
{
    return !o->target.n || text_list_has(&o->target, job->result->study->target->name);
}

/* Reads the package's own spec and records, and gives the results of its jobs. NULL: it fails. */
static const Workload *read_package(Run *r)
{
    const Workload *w = run_package(r, (TextList){ 0 });
    const TextList *target = &r->o->target;
    TextList has = { 0 };
    if (!w || !replay_all(r, w, "interrupted"))
        return NULL;
    for (int i = 0; i < w->njob; i++)
        text_list_add(r->a, &has, w->results.item[i].study->target->name);
    for (int i = 0; i < target->n; i++)
        if (!text_list_has(&has, target->item[i])) {
            run_fails(r, EXIT_USAGE, "--target: the package is not tuned for '%s', but for %s", target->item[i],
                      text_list_join(r->a, &has, ", "));
            return NULL;
        }
    return w;
}

/* Checks that the command line names a function of the package where there are several, and none else. */
static bool check_function(Run *r, const Workload *w)
{
    const char *asked = r->o->function;
    TextList has = { 0 };
    for (int i = 0; i < w->nfunction && w->function[i].spec->function; i++)
        text_list_add(r->a, &has, w->function[i].spec->function);
    if (!has.n && asked)
        return run_fails(r, EXIT_USAGE, "'%s': the package has one function; expected NAME=VALUE, such as T=37", asked);
    if (has.n && !asked)
        return run_fails(r, EXIT_USAGE, "which function? Name one behind the package: %s",
                         text_list_join(r->a, &has, ", "));
    if (has.n && !text_list_has(&has, asked))
        return run_fails(r, EXIT_USAGE, "the package has no function '%s'; expected one of %s", asked,
                         text_list_join(r->a, &has, ", "));
    return true;
}

/* Is the job of the function that the command line names, or of the only one there is, and of such a target? */
static bool is_explained(const Options *o, const Job *job)
{
    const char *function = job->spec->function;
    return has_target(o, job) && (!function || strcmp(function, o->function) == 0);
}

/* Explains a shape of the function that o names, for each target. */
static bool explain_function(Run *r, const Workload *w, const Options *o, bool *is_first)
{
    for (const Job *job = w->job; job < w->job + w->njob; job++) {
        if (!is_explained(o, job))
            continue;
        if (!*is_first && !o->json)
            printf("\n");
        *is_first = false;
        r->code = explain(r->a, job->result, o->binding, o->nbinding, o->json, stdout, stderr);
        if (r->code != EXIT_DONE)
            return false;
    }
    return true;
}

/* ---- a node of the package's model ---- */

/* The dims that the command line gives. False: one lacks. */
static bool read_node_dims(Run *r, const Graph *g, int64_t *dims)
{
    for (int i = 0; i < polys_ndim(g->polys); i++) {
        const ExplainBinding *b = NULL;
        for (int k = 0; k < r->o->nbinding; k++)
            if (strcmp(r->o->binding[k].name, polys_dim_name(g->polys, i)) == 0)
                b = &r->o->binding[k];
        if (!b)
            return run_fails(r, EXIT_USAGE, "a node's sizes follow from the model's dims; %s=VALUE is missing",
                             polys_dim_name(g->polys, i));
        dims[i] = b->value;
    }
    return true;
}

/* What the command line would say of the node's function: its extents at these dims, and what is no dim. */
static bool node_options(Run *r, const Graph *g, const GraphNode *n, const int64_t *dims, Options *o)
{
    const Spec *f = g->file->function[n->function];
    ExplainBinding *b = ARENA_ARRAY(r->a, (size_t)(f->op->ngiven + r->o->nbinding), ExplainBinding);
    *o = *r->o;
    o->function = f->function;
    o->binding = b;
    o->nbinding = 0;
    for (int i = 0; i < f->op->ngiven; i++) {
        int64_t size;
        if (!poly_at(g->polys, n->extent[i], dims, &size))
            return run_fails(r, EXIT_USAGE, "the node has no size %s at these dims", f->op->extent[i].name);
        b[o->nbinding++] = (ExplainBinding){ f->op->extent[i].name, size };
    }
    for (int i = 0; i < r->o->nbinding; i++)
        if (polys_find(g->polys, r->o->binding[i].name) < 0)
            b[o->nbinding++] = r->o->binding[i];
    return true;
}

static bool is_node(const Workload *w, const char *name)
{
    bool is = false;
    for (int i = 0; w->graph && name && i < w->graph->nnode && !is; i++)
        is = strcmp(w->graph->node[i].name, name) == 0;
    return is;
}

/* Explains all calls that the model's node is made of. */
static bool explain_node(Run *r, const Workload *w)
{
    const Graph *g = w->graph;
    int64_t dims[SPEC_MAX_DIM];
    bool is_first = true;
    if (!read_node_dims(r, g, dims))
        return false;
    for (const GraphNode *n = g->node; n < g->node + g->nnode; n++) {
        Options o;
        if (strcmp(n->name, r->o->function) == 0 &&
            (!node_options(r, g, n, dims, &o) || !explain_function(r, w, &o, &is_first)))
            return false;
    }
    return true;
}

bool explain_package(Run *r)
{
    const Workload *w = read_package(r);
    bool is_first = true;
    if (w && is_node(w, r->o->function))
        return explain_node(r, w);
    return w && check_function(r, w) && explain_function(r, w, r->o, &is_first);
}

bool regret_package(Run *r)
{
    const Workload *w = read_package(r);
    if (!w)
        return false;
    const Job **asked = ARENA_ARRAY(r->a, (size_t)w->njob, const Job *);
    int n = 0;
    for (int i = 0; i < w->njob; i++)
        if (has_target(r->o, &w->job[i]))
            asked[n++] = &w->job[i];
    command_warn_of_code(r->o);
    return regret(r, asked, n);
}

/* ---- replay --check ---- */

/* The folder's own report.html: another gnuplot would draw it otherwise. "": it is missing; NULL: the package has
 * none. */
static const char *report_there(Arena *a, const Workload *w, const char *folder)
{
    if (!w->report)
        return NULL;
    const char *report = text_read_file(a, arena_printf(a, "%s/report.html", folder), NULL);
    return report ? report : "";
}

/* Compares the folder with what this dcgen makes of the package's own spec and records. False: nothing can be made of
 * them. */
static bool compare_remade(Run *r, Drift *d)
{
    Diag *diag = diag_new(r->a);
    const Workload *w = run_package(r, (TextList){ 0 });
    if (!w)
        return false;
    drift_of_templates(r->a, &w->folders, d);
    if (!replay_all(r, w, "interrupted"))
        return false;
    const Package *remade = replay_package(r->a, w, report_there(r->a, w, r->o->operand), diag);
    diag_print(diag, stderr);
    if (remade)
        drift_of_package(r->a, remade, d);
    else
        r->code = EXIT_FAILED;
    return remade;
}

bool replay_check(Run *r)
{
    Drift d;
    const char *err = NULL;
    if (!drift_of_files(r->a, r->o->operand, &d, &err))
        return run_fails(r, EXIT_USAGE, "%s", err);
    const bool ok = !drift_may_replay(&d) || compare_remade(r, &d);
    if (!ok)
        run_say(r);
    drift_print(&d, r->o->json, stdout);
    if (drift_found(&d))
        r->code = EXIT_FAILED;
    return ok && !drift_found(&d);
}

/* ---- check ---- */

/* Finds the space that a search would have on this machine, and what its kernels would run on. False: it fails. */
static bool probe_job(Run *r, const Job *job, Probe *p)
{
    Site site;
    if (!site_find(r, job, true, &site) || !site_device(r, job, &site, &p->device))
        return false;
    const char *why = NULL;
    const Target *target = job_target(r->a, job, &p->device, &why);
    if (!target) /* another machine will run it; the caches of this one stand for its caches */
        target = target_find(job->workload->targets, job->target);
    if (!target)
        return run_fails(r, EXIT_USAGE, "%s", why);
    const UnitContext u = job_unit(r->a, job, &p->device, target);
    p->space = r->o->command == COMMAND_TRY ? tried_space(r, job, &u) : run_space(r, job, &u);
    return p->space;
}

bool check(Run *r)
{
    const Workload *w = run_workload(r);
    if (!w || !op_files_check(r, w))
        return false;
    Probe *probe = ARENA_ARRAY(r->a, (size_t)w->njob, Probe);
    bool ok = true;
    for (int i = 0; i < w->njob; i++) {
        ok = probe_job(r, &w->job[i], &probe[i]) && ok;
        if (r->err) /* of the machine; what is wrong with a function is printed, and others may have faults too */
            return false;
    }
    for (const Function *f = w->function; ok && f < w->function + w->nfunction; f++) {
        summary_check(r->a, f->spec, probe, f->njob, r->o->json, r->o->verbose, stdout);
        probe += f->njob;
    }
    return ok;
}

/* ---- dump ---- */

/* Reads the records, and makes of them what the stage needs. */
static bool read_records(Run *r, const Job *job, DumpInput *in)
{
    const DumpStage stage = r->o->dump;
    Records *records = ARENA_NEW(r->a, Records);
    r->code = EXIT_ENVIRONMENT;
    run_may_end(r, "interrupted"); /* a dump holds nothing to its end */
    if (!record_read(r->a, job->records, records, stderr, &r->err))
        return false;
    r->code = EXIT_FAILED;
    if (stage != DUMP_RECORDS && !replay_job(r->a, job, records, &r->err))
        return false;
    in->result = *job->result;
    if (stage == DUMP_RECORDS)
        in->result.records = records;
    if (stage == DUMP_TRACE)
        in->trace = trace_make(r->a, &in->result, records, &strategies[r->o->search], r->o->seed, &r->err);
    return stage != DUMP_TRACE || in->trace;
}

/* Makes everything that the stage needs. */
static bool make_input(Run *r, const Job *job, DumpInput *in)
{
    *in = (DumpInput){ .spec = job->spec, .trials = r->o->trials, .seed = r->o->seed };
    if (r->o->dump == DUMP_SPEC)
        return true;
    if (r->o->dump != DUMP_SPACE && r->o->dump != DUMP_SOURCE)
        return read_records(r, job, in);
    Probe *p = ARENA_NEW(r->a, Probe);
    if (!probe_job(r, job, p))
        return false;
    in->space = p->space;
    in->result.unit = job_unit(r->a, job, &p->device, p->space->general[0].target);
    return true;
}

/* Is the job printed? Records are of no job alone, and a spec is of no target alone. */
static bool is_printed(DumpStage stage, const Function *f, const Job *job)
{
    return stage == DUMP_RECORDS ? job == job->workload->job : stage != DUMP_SPEC || job == f->job;
}

/* What stands over a job where there are several. */
static void print_job(DumpStage stage, const Job *job)
{
    const Workload *w = job->workload;
    const char *function = stage == DUMP_RECORDS ? NULL : job->spec->function;
    if (job > w->job)
        printf("\n");
    if (function)
        printf("function %s\n", function);
    if (stage != DUMP_SPEC && stage != DUMP_RECORDS && w->ntuned > 1)
        printf("target %s\n", job->target);
}

static const Workload *read_dumped(Run *r)
{
    if (r->o->command == COMMAND_EXPLAIN || r->o->command == COMMAND_BENCH)
        return run_package(r, r->o->target);
    return r->o->command == COMMAND_TRY ? tried_workload(r) : run_workload(r);
}

bool dump_stage(Run *r)
{
    const Options *o = r->o;
    const Workload *w = read_dumped(r);
    Diag *d = diag_new(r->a);
    if (!w)
        return false;
    for (const Function *f = w->function; f < w->function + w->nfunction; f++)
        for (const Job *job = f->job; job < f->job + f->njob; job++) {
            DumpInput in;
            if (!is_printed(o->dump, f, job))
                continue;
            if (!make_input(r, job, &in))
                return false;
            if (!o->json)
                print_job(o->dump, job);
            dump(r->a, o->dump, &in, o->json, stdout, d);
        }
    diag_print(d, stderr);
    if (diag_nerror(d))
        r->code = EXIT_USAGE;
    return !diag_nerror(d);
}
