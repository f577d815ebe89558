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
#include "gen/command/replay.h"
#include "gen/command/site.h"
#include "gen/command/summary.h"
#include "gen/command/trace.h"
#include "gen/report/explain.h"

/* ---- a package ---- */

/* One of the results is of the target; else says which targets the package has. */
static bool is_tuned_for(Arena *a, const Result *out, int n, const char *name)
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

/* What a package was made from, out of its own spec and records: of each target, or of those that --target names. 0 with *code set. */
static int read_package(Arena *a, const Options *o, const Workload **w, Result **out, int *code)
{
    Options whole = *o;
    whole.target = (CliList){ 0 };
    *w = command_package(a, &whole, code);
    *out = *w ? replay_read_all(a, *w, code) : NULL;
    const int n = *out ? workload_ntarget(*w) : 0;
    int kept = 0;
    for (int i = 0; n && i < o->target.n; i++)
        if (!is_tuned_for(a, *out, n, o->target.item[i])) {
            *code = EXIT_USAGE;
            return 0;
        }
    for (int i = 0; i < n; i++)
        if (!o->target.n || cli_list_has(&o->target, (*out)[i].study->target->name))
            (*out)[kept++] = (*out)[i];
    return kept;
}

int explain_package(Arena *a, const Options *o)
{
    int code = EXIT_DONE;
    const Workload *w;
    Result *out;
    const int n = read_package(a, o, &w, &out, &code);
    for (int i = 0; i < n && code == EXIT_DONE; i++) {
        if (i && !o->json)
            printf("\n");
        code = explain(a, &out[i], o->binding, o->nbinding, o->json, stdout, stderr);
    }
    return code;
}

int regret_package(Arena *a, const Options *o, const volatile int *stop)
{
    int code = EXIT_DONE;
    const Workload *w;
    Result *out;
    const int n = read_package(a, o, &w, &out, &code);
    if (!n)
        return code;
    command_warn_of_code(o);
    return regret(a, w, out, n, o, stop);
}

/* ---- check ---- */

/* What kernels would run on. */
static bool probe_device(Arena *a, const Workload *w, const Options *o, Device *out, const char **err)
{
    Site site;
    return site_find(a, w, o, true, &site, NULL, err) && site_device(a, w, o, &site, out, NULL, err);
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
    UnitContext u = workload_unit(w, device, target);
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

/* Everything that the stage needs; false with *code set. */
static bool dump_input(Arena *a, const Options *o, const Workload *w, DumpInput *in, int *code)
{
    const char *err = NULL;
    Records *r = ARENA_NEW(a, Records);
    *in = (DumpInput){ .workload = w, .options = o, .result.records = r };
    if (o->dump == DUMP_SPEC)
        return true;
    if (o->dump == DUMP_SPACE || o->dump == DUMP_SOURCE) {
        Device *device = ARENA_NEW(a, Device);
        in->space = probe_space(a, w, o, device, code);
        if (in->space)
            in->result.unit = workload_unit(w, device, in->space->general[0].target);
        return in->space != NULL;
    }
    *code = EXIT_ENVIRONMENT;
    if (record_read(a, w->records, r, stderr, &err)) {
        *code = EXIT_FAILED;
        if (o->dump == DUMP_RECORDS || (replay_target(a, w, r, NULL, &in->result, &err) && o->dump != DUMP_TRACE))
            *code = EXIT_DONE;
        else if (!err && (in->trace = trace_make(a, &in->result, r, &strategies[o->search], o->seed, &err)))
            *code = EXIT_DONE;
    }
    if (err)
        command_fail(err, *code);
    return *code == EXIT_DONE;
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
