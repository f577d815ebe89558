/* SPDX-License-Identifier: Apache-2.0
 *
 * inspect: the commands that only look: at a spec (check, --dump), at a package (explain, --dump, bench --regret).
 */
#include <stdio.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/command/command.h"
#include "gen/command/dump.h"
#include "gen/command/generate.h"
#include "gen/command/regret.h"
#include "gen/command/result.h"
#include "gen/command/site.h"
#include "gen/command/summary.h"
#include "gen/command/trace.h"
#include "gen/report/explain.h"

/* ---- a package ---- */

/* One of the outcomes is of the target; else says which targets the package has. */
static bool is_tuned_for(Arena *a, const Outcome *out, int n, const char *name)
{
    Text has = { .arena = a };
    for (int i = 0; i < n; i++) {
        if (strcmp(out[i].study->target->name, name) == 0)
            return true;
        text_printf(&has, "%s%s", i ? ", " : "", out[i].study->target->name);
    }
    command_fail(arena_printf(a, "--target: the package is not tuned for '%s', but for %s", name, text_str(&has)),
                 EXIT_USAGE);
    return false;
}

static bool is_asked_for(const Options *o, const Outcome *out)
{
    for (int i = 0; i < o->target.n; i++)
        if (strcmp(o->target.item[i], out->study->target->name) == 0)
            return true;
    return !o->target.n;
}

/* What a package was made from, out of its own spec and records: of each target, or of those that --target names. 0 with *code set. */
static int read_package(Arena *a, const Options *o, Outcome **out, int *code)
{
    const char *err = NULL;
    Options whole = *o;
    whole.target = (CliList){ 0 };
    const Workload *w = command_package(a, &whole, code);
    const int n = w ? outcome_read_all(a, w, out, code, &err) : 0;
    int kept = 0;
    if (w && !n)
        command_fail(err, *code);
    for (int i = 0; n && i < o->target.n; i++)
        if (!is_tuned_for(a, *out, n, o->target.item[i])) {
            *code = EXIT_USAGE;
            return 0;
        }
    for (int i = 0; i < n; i++)
        if (is_asked_for(o, &(*out)[i]))
            (*out)[kept++] = (*out)[i];
    return kept;
}

int explain_package(Arena *a, const Options *o)
{
    int code = EXIT_DONE;
    Outcome *out;
    const int n = read_package(a, o, &out, &code);
    for (int i = 0; i < n && code == EXIT_DONE; i++) {
        const Roofline roofline = roofline_make(a, out[i].study, out[i].records);
        if (i && !o->json)
            printf("\n");
        code = explain(a, out[i].study, out[i].model, out[i].assignment, out[i].first, &roofline, o, stdout, stderr);
    }
    return code;
}

int regret_package(Arena *a, const Options *o, const volatile int *stop)
{
    int code = EXIT_DONE;
    Outcome *out;
    const int n = read_package(a, o, &out, &code);
    if (!n)
        return code;
    command_warn_of_code(o);
    return regret(a, out, n, o, stop);
}

/* ---- check ---- */

/* What kernels would run on: this CPU, its GPU, or without one what is typical of the target. */
static bool probe_device(Arena *a, const Workload *w, const Options *o, Device *out, const char **err)
{
    Site site;
    if (!site_find(a, w, o, true, &site, NULL, err))
        return false;
    if (site.kind == SITE_MODEL)
        *out = device_typical(a, site.target);
    return site.kind == SITE_MODEL || (site.kind == SITE_GPU ? site_probe_gpu(a, o, out, NULL, err)
                                                             : device_probe(a, w->targets, "", "", out, err));
}

/* What could be searched on this machine. */
static const Space *probe_space(Arena *a, const Workload *w, const Options *o, Device *device, int *code)
{
    const char *err = NULL;
    Diag *d = diag_new(a);
    *code = EXIT_USAGE;
    if (!probe_device(a, w, o, device, &err)) {
        *code = command_fail(err, EXIT_ENVIRONMENT);
        return NULL;
    }
    const Target *target = workload_target(a, w, device, &err);
    if (!target && w->target.n) /* another machine is to run it; this one's caches stand for that one's */
        target = target_find(w->targets, w->target.item[0]);
    if (!target) {
        command_fail(err, EXIT_USAGE);
        return NULL;
    }
    UnitContext u = outcome_unit(w, device, target);
    const Space *space = command_space(a, &u, &w->templates, target, d);
    diag_print(d, stderr);
    *code = space ? EXIT_DONE : EXIT_USAGE;
    return space;
}

int check(Arena *a, const Options *o)
{
    int code = EXIT_DONE;
    const Workload *w = command_workload(a, o->operand, o, &code);
    const int n = w ? workload_ntarget(w) : 0;
    Device *device = ARENA_ARRAY(a, (size_t)n + 1, Device);
    const Space **space = ARENA_ARRAY(a, (size_t)n + 1, const Space *);
    for (int i = 0; i < n; i++) {
        space[i] = probe_space(a, workload_for(a, w, i), o, &device[i], &code);
        if (!space[i])
            return code;
    }
    if (w)
        summary_check(w, space, device, n, o->json, stdout);
    return code;
}

/* ---- dump ---- */

static bool dump_space(Arena *a, const Options *o, const Workload *w, DumpInput *in, int *code)
{
    Device *device = ARENA_NEW(a, Device);
    UnitContext *u = ARENA_NEW(a, UnitContext);
    in->space = probe_space(a, w, o, device, code);
    if (!in->space)
        return false;
    *u = outcome_unit(w, device, in->space->general[0].target);
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
        *code = command_fail(err, EXIT_ENVIRONMENT);
        return false;
    }
    if (o->dump == DUMP_RECORDS)
        return true;
    if (!outcome_make(a, w, r, NULL, &out, &err)) {
        *code = command_fail(err, EXIT_FAILED);
        return false;
    }
    in->study = out.study;
    in->model = out.model;
    in->assignment = out.assignment;
    in->trace = o->dump == DUMP_TRACE ? trace_make(a, &out, r, &strategies[o->search], o->seed, &err) : NULL;
    if (err)
        *code = command_fail(err, EXIT_FAILED);
    return err == NULL;
}

/* Spec and records are not of one target alone. */
static bool is_of_all(DumpStage stage) { return stage == DUMP_SPEC || stage == DUMP_RECORDS; }

int dump_stage(Arena *a, const Options *o)
{
    int code = EXIT_DONE;
    const bool of_package = o->command == COMMAND_EXPLAIN || o->command == COMMAND_BENCH;
    const Workload *w = of_package ? command_package(a, o, &code) : command_workload(a, o->operand, o, &code);
    const int n = !w ? 0 : is_of_all(o->dump) ? 1 : workload_ntarget(w);
    for (int i = 0; i < n && code == EXIT_DONE; i++) {
        DumpInput in;
        const Workload *one = workload_for(a, w, i);
        if (!dump_input(a, o, one, &in, &code))
            break;
        if (n > 1 && !o->json)
            printf("%starget %s\n", i ? "\n" : "", one->target.item[0]);
        dump(a, o->dump, &in, o->json, stdout);
    }
    return code;
}
