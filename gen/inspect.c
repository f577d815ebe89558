/* SPDX-License-Identifier: Apache-2.0
 *
 * inspect: the commands that only look: at a spec (check, --dump), at a package (explain, --dump, bench --regret).
 */
#include <stdio.h>
#include <string.h>
#include "gen/command.h"
#include "gen/dump.h"
#include "gen/explain.h"
#include "gen/generate.h"
#include "gen/outcome.h"
#include "gen/regret.h"
#include "gen/site.h"
#include "gen/summary.h"
#include "gen/trace.h"

/* What a package was made from, out of its own spec and records. */
static bool read_package(Arena *a, const Options *o, Outcome *out, int *code)
{
    const char *err = NULL;
    const Workload *w = command_package(a, o, code);
    const bool ok = w && outcome_read(a, w, w->records, out, code, &err);
    if (w && !ok)
        command_fail(err, *code);
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
    if (!read_package(a, o, &out, &code))
        return code;
    command_warn_of_code(o);
    return regret(a, &out, o, stop);
}

/* ---- check ---- */

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
        *code = command_fail(err, EXIT_ENVIRONMENT);
        return NULL;
    }
    const Target *target = workload_target(a, w, device, &err);
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
    Device device;
    const Workload *w = command_workload(a, o->operand, o, &code);
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

int dump_stage(Arena *a, const Options *o)
{
    int code = EXIT_DONE;
    const bool of_package = o->command == COMMAND_EXPLAIN || o->command == COMMAND_BENCH;
    DumpInput in;
    const Workload *w = of_package ? command_package(a, o, &code) : command_workload(a, o->operand, o, &code);
    if (w && dump_input(a, o, w, &in, &code))
        dump(a, o->dump, &in, o->json, stdout);
    return code;
}
