/* SPDX-License-Identifier: Apache-2.0
 *
 * deliver: the last steps of a command that writes a package, each with what it says when it fails.
 */
#include "gen/command/deliver.h"

#include <stdio.h>
#include "gen/command/command.h"
#include "gen/command/replay.h"
#include "gen/command/summary.h"
#include "gen/command/tools.h"
#include "gen/package/emit.h"
#include "gen/report/report.h"

static const double PROVE_DEADLINE_S = 60;

bool deliver_check(Arena *a, const Workload *w, const Options *o, int *code)
{
    const char *err = NULL;
    return package_check(w->out, o->force, &err, a) || command_fails(err, EXIT_ENVIRONMENT, code);
}

static bool is_told(const Options *o) { return o->json || !o->quiet; }

const Package *deliver_make(Arena *a, const Workload *w, Result *part, int n, const Options *o, int *code)
{
    Diag *d = diag_new(a);
    const char *err = NULL;
    if (is_told(o) || w->report)
        replay_cost(a, part, n);
    const char *report = w->report ? report_html(a, part, n, DCGEN_VERSION, &err) : NULL;
    if (w->report && !report) {
        command_fails(err, EXIT_ENVIRONMENT, code);
        return NULL;
    }
    const Package *p = replay_package(a, w, part, n, report, d);
    diag_print(d, stderr);
    if (!p)
        command_fails("a template cannot be filled", EXIT_FAILED, code);
    return p;
}

bool deliver_prove(Arena *a, const Workload *w, const Result *part, int n, const Package *p, const Options *o,
                   const volatile int *stop, Proof *proof, int *code)
{
    const char *why = NULL;
    const Toolchain cc = tools_cc(a, o);
    Builder *b = builder_new(a, &cc, 1, PROVE_DEADLINE_S, stop, &why);
    ProofStatus status = PROOF_NONE;
    if (b) {
        status = prove_text(a, package_dispatcher(a, part, n), package_text(p, "dispatch.h"), b, stop, proof, &why);
        builder_free(b);
    }
    if (status == PROOF_FAILS)
        return command_fails(arena_printf(a, "internal error: the dispatcher of %s is wrong: %s", w->spec->name, why),
                             EXIT_FAILED, code);
    if (*stop) {
        *code = command_interrupted(w, true);
        return false;
    }
    if (status == PROOF_NONE && !o->quiet)
        diag_say(stderr, DIAG_WARNING, "the dispatcher was not checked: %s", why);
    return true;
}

int deliver_write(Arena *a, const Workload *w, const Result *part, int n, const Package *p, const Options *o,
                  const Proof *proof)
{
    const char *err = NULL;
    if (!package_write(p, w->out, o->force, &err, a))
        return command_fail(err, EXIT_ENVIRONMENT);
    for (int i = 0; i < n && o->verbose; i++)
        summary_failures(&part[i], stderr);
    if (is_told(o))
        summary_package(w, part, n, proof && proof->ndeclared ? proof : NULL, o->json, stdout);
    for (int i = 0; i < n; i++)
        summary_contract(&part[i], n > 1, stderr);
    return EXIT_DONE;
}
