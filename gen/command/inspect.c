/* SPDX-License-Identifier: Apache-2.0
 *
 * inspect: the commands that only look: at a spec (check, --dump), at a package (explain, --dump, bench --regret).
 */
#include <stdio.h>
#include <string.h>
#include "gen/command/dump.h"
#include "gen/command/regret.h"
#include "gen/command/summary.h"
#include "gen/command/tools.h"
#include "gen/report/explain.h"

/* ---- a package ---- */

/* Reads the package's own spec and records, and gives the results of its targets, or of those that --target names.
 * Returns how many; 0: none. */
static int read_package(Run *r, const Workload **w, Result **out)
{
    const CliList *target = &r->o->target;
    CliList has = { 0 };
    *w = command_package(r, (CliList){ 0 });
    *out = *w ? replay_all(r, *w, NULL) : NULL;
    const int n = *out ? workload_npart(*w) : 0;
    for (int i = 0; i < n; i++)
        cli_list_add(r->a, &has, (*out)[i].study->target->name);
    for (int i = 0; *out && i < target->n; i++)
        if (!cli_list_has(&has, target->item[i]))
            return run_fails(r, EXIT_USAGE, "--target: the package is not tuned for '%s', but for %s", target->item[i],
                             cli_list_text(r->a, &has, ", "));
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!target->n || cli_list_has(target, has.item[i]))
            (*out)[kept++] = (*out)[i];
    return kept;
}

/* Is it of the function that the command line names, or of the only one there is? */
static bool is_asked(const Options *o, const Result *out)
{
    const char *function = out->study->spec->function;
    return !function || (o->function && strcmp(function, o->function) == 0);
}

/* Checks that the command line names a function of the package where there are several, and none else. */
static bool check_function(Run *r, const Workload *w)
{
    const char *asked = r->o->function;
    CliList has = { 0 };
    for (int i = 0; i < w->nfunction && w->function[i]->function; i++)
        cli_list_add(r->a, &has, w->function[i]->function);
    if (!has.n && asked)
        return run_fails(r, EXIT_USAGE, "'%s': the package has one function; expected NAME=VALUE, such as T=37", asked);
    if (has.n && !asked)
        return run_fails(r, EXIT_USAGE, "which function? Name one behind the package: %s",
                         cli_list_text(r->a, &has, ", "));
    if (has.n && !cli_list_has(&has, asked))
        return run_fails(r, EXIT_USAGE, "the package has no function '%s'; expected one of %s", asked,
                         cli_list_text(r->a, &has, ", "));
    return true;
}

bool explain_package(Run *r)
{
    const Options *o = r->o;
    const Workload *w;
    Result *out;
    const int n = read_package(r, &w, &out);
    if (!n || !check_function(r, w))
        return false;
    bool is_first = true;
    for (int i = 0; i < n; i++) {
        if (!is_asked(o, &out[i]))
            continue;
        if (!is_first && !o->json)
            printf("\n");
        is_first = false;
        r->code = explain(r->a, &out[i], o->binding, o->nbinding, o->json, stdout, stderr);
        if (r->code != EXIT_DONE)
            return false;
    }
    return true;
}

bool regret_package(Run *r)
{
    const Workload *w;
    Result *out;
    const int n = read_package(r, &w, &out);
    if (n)
        command_warn_of_code(r->o);
    return n && regret(r, w, out, n);
}

/* ---- check ---- */

/* The space that a search would have on this machine. *device: what its kernels would run on. NULL: it fails. */
static const Space *probe_space(Run *r, const Workload *w, Device *device)
{
    Site site;
    if (!site_find(r, w, true, &site) || !site_device(r, w, &site, device))
        return NULL;
    const char *why = NULL;
    const Target *target = workload_target(r->a, w, device, &why);
    if (!target && w->target.n) /* another machine will run it; the caches of this one stand for its caches */
        target = target_find(w->targets, w->target.item[0]);
    if (!target) {
        run_fails(r, EXIT_USAGE, "%s", why);
        return NULL;
    }
    const UnitContext u = workload_unit(r->a, w, device, target);
    return r->o->command == COMMAND_TRY ? command_tried(r, w, &u) : command_space(r, w, &u);
}

bool check(Run *r)
{
    const Workload *w = command_workload(r);
    if (w && !op_files_check(r, w))
        return false;
    const int n = w ? workload_npart(w) : 0;
    Device *device = ARENA_ARRAY(r->a, (size_t)n + 1, Device);
    const Space **space = ARENA_ARRAY(r->a, (size_t)n + 1, const Space *);
    bool ok = w;
    for (int i = 0; i < n; i++) {
        space[i] = probe_space(r, workload_for(r->a, w, i), &device[i]);
        ok = ok && space[i];
        if (r->err) /* of the machine; what is wrong with a function is printed, and others may have faults too */
            return false;
    }
    if (!ok)
        return false;
    const int ntarget = w ? workload_ntarget(w) : 0;
    for (int i = 0; w && i < w->nfunction; i++)
        summary_check(r->a, workload_of_function(r->a, w, i), space + i * ntarget, device + i * ntarget, ntarget, r->o,
                      stdout);
    return ok;
}

/* ---- dump ---- */

/* Reads the records, and makes of them what the stage needs. */
static bool read_records(Run *r, const Workload *w, DumpInput *in)
{
    const DumpStage stage = r->o->dump;
    Records *records = ARENA_NEW(r->a, Records);
    in->result.records = records;
    r->code = EXIT_ENVIRONMENT;
    run_may_end(r, "interrupted"); /* a dump holds nothing to its end */
    if (!record_read(r->a, w->records, records, stderr, &r->err))
        return false;
    r->code = EXIT_FAILED;
    if (stage != DUMP_RECORDS && !replay_target(r->a, w, records, NULL, &in->result, &r->err))
        return false;
    if (stage == DUMP_TRACE)
        in->trace = trace_make(r->a, &in->result, records, &strategies[r->o->search], r->o->seed, &r->err);
    return stage != DUMP_TRACE || in->trace;
}

/* Makes everything that the stage needs. */
static bool make_input(Run *r, const Workload *w, DumpInput *in)
{
    *in = (DumpInput){ .workload = w, .options = r->o };
    if (r->o->dump == DUMP_SPEC)
        return true;
    if (r->o->dump != DUMP_SPACE && r->o->dump != DUMP_SOURCE)
        return read_records(r, w, in);
    Device *device = ARENA_NEW(r->a, Device);
    in->space = probe_space(r, w, device);
    if (in->space)
        in->result.unit = workload_unit(r->a, w, device, in->space->general[0].target);
    return in->space;
}

/* Is the part printed? Records are of no part alone, and a spec is of no target alone. */
static bool is_printed(DumpStage stage, const Workload *w, int part)
{
    return stage == DUMP_RECORDS ? part == 0 : stage != DUMP_SPEC || part % workload_ntarget(w) == 0;
}

/* What stands over a part where there are several. */
static void print_part(DumpStage stage, const Workload *w, const Workload *part, bool is_first)
{
    const char *function = stage == DUMP_RECORDS ? NULL : part->spec->function;
    const bool of_target = stage != DUMP_SPEC && stage != DUMP_RECORDS && workload_ntarget(w) > 1;
    if (!is_first)
        printf("\n");
    if (function)
        printf("function %s\n", function);
    if (of_target)
        printf("target %s\n", part->target.item[0]);
}

bool dump_stage(Run *r)
{
    const Options *o = r->o;
    const bool of_package = o->command == COMMAND_EXPLAIN || o->command == COMMAND_BENCH;
    const Workload *w = of_package ? command_package(r, o->target) : command_workload(r);
    Diag *d = diag_new(r->a);
    KernelKeys *present = ARENA_NEW(r->a, KernelKeys);
    Workload all = w ? *w : (Workload){ 0 };
    const int n = w ? workload_npart(w) : 0;
    all.present = present;
    for (int i = 0; i < n; i++) {
        DumpInput in;
        const Workload *one = workload_for(r->a, &all, i);
        if (!is_printed(o->dump, w, i))
            continue;
        if (!make_input(r, one, &in))
            return false;
        if (in.result.assignment)
            replay_note(r->a, &in.result, present);
        if (!o->json)
            print_part(o->dump, w, one, i == 0);
        dump(r->a, o->dump, &in, o->json, stdout, d);
    }
    diag_print(d, stderr);
    if (diag_nerror(d))
        r->code = EXIT_USAGE;
    return w && !diag_nerror(d);
}
