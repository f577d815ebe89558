/* SPDX-License-Identifier: Apache-2.0
 *
 * command: reads what a command is to work on, and says what went wrong.
 */
#include "gen/command/command.h"

#include <stdio.h>

int command_fail(const char *err, int code)
{
    diag_say(stderr, DIAG_ERROR, "%s", err);
    return code;
}

bool command_fails(const char *err, int as, int *code)
{
    *code = command_fail(err, as);
    return false;
}

int command_interrupted(const Workload *w, bool recorded)
{
    if (recorded)
        diag_say(stderr, DIAG_ERROR, "interrupted; what was measured is in %s, and the same command goes on from there",
                 w->records);
    else
        diag_say(stderr, DIAG_ERROR, "interrupted; nothing was measured yet");
    return EXIT_INTERRUPTED;
}

void command_warn_of_code(const Options *o)
{
    if (!o->quiet)
        diag_say(stderr, DIAG_NOTE,
                 "bench builds and runs code that comes with '%s': do it only with a package that you trust",
                 o->operand);
}

const Workload *command_workload(Arena *a, const char *spec_path, const Options *o, int *code)
{
    Diag *d = diag_new(a);
    const char *err = NULL;
    const Workload *w = workload_read(a, spec_path, o, d, &err);
    diag_print(d, stderr);
    if (!w)
        *code = err ? command_fail(err, EXIT_ENVIRONMENT) : EXIT_USAGE;
    return w;
}

const Workload *command_package(Arena *a, const Options *o, int *code)
{
    Options of_package = *o;
    of_package.records = arena_printf(a, "%s/records.jsonl", o->operand);
    return command_workload(a, arena_printf(a, "%s/spec.cfg", o->operand), &of_package, code);
}

const Space *command_space(Arena *a, const UnitContext *u, const TemplateList *templates, const Target *target, Diag *d)
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
