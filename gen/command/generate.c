/* SPDX-License-Identifier: Apache-2.0
 *
 * generate: runs all steps of dcgen, from a spec to the finished package. Each step takes finished values and gives new ones.
 */
#include <stdio.h>
#include "gen/command/command.h"
#include "gen/command/replay.h"
#include "gen/command/summary.h"
#include "gen/command/tools.h"
#include "gen/package/emit.h"
#include "gen/report/report.h"

static const double PROVE_DEADLINE_S = 60;

/* Reads the spec, the targets and the templates. Checks that the package can be written where it is to go. */
static const Workload *read_workload(Run *r)
{
    const Workload *w = command_workload(r);
    return w && package_check(w->out, r->o->force, &r->err, r->a) ? w : NULL;
}

/* Finds or measures the records of every target. */
static const Known *learn_targets(Run *r, const Workload *w)
{
    const int ntarget = workload_ntarget(w);
    Known *known = ARENA_ARRAY(r->a, (size_t)ntarget, Known);
    for (int i = 0; i < ntarget; i++)
        if (!learn_target(r, workload_for(r->a, w, i), &known[i]))
            return NULL;
    return known;
}

/* Makes all files of the package, report.html among them, from the results of all targets; sets their `cost`. */
static const Package *make_package(Run *r, const Workload *w, Result *part)
{
    Diag *d = diag_new(r->a);
    const int n = workload_ntarget(w);
    const bool is_told = r->o->json || !r->o->quiet || w->report;
    for (int i = 0; i < n && is_told; i++) {
        CostReport *cost = ARENA_NEW(r->a, CostReport);
        *cost = cost_report(r->a, part[i].study, part[i].templates);
        part[i].cost = cost;
    }
    const char *report = w->report ? report_html(r->a, part, n, DCGEN_VERSION, &r->err) : NULL;
    if (w->report && !report)
        return NULL;
    const Package *p = replay_package(r->a, w, part, n, report, d);
    diag_print(d, stderr);
    if (!p)
        run_fails(r, EXIT_FAILED, "a template cannot be filled");
    return p;
}

/* Compiles the dispatcher, as it will be written, and compares it with the trees. Fails if they differ, so that such a package is not
 * written. Without a compiler it prints a warning. *proof says what was compared. */
static bool prove_dispatcher(Run *r, const Workload *w, const Result *part, const Package *p, Proof *proof)
{
    const char *why = NULL;
    const Toolchain cc = tools_cc(r->a, r->o);
    Builder *b = builder_new(r->a, &cc, 1, PROVE_DEADLINE_S, r->stop, &why);
    ProofStatus status = PROOF_NONE;
    if (b) {
        const Dispatcher *d = package_dispatcher(r->a, part, workload_ntarget(w));
        status = prove_text(r->a, d, package_text(p, "dispatch.h"), b, r->stop, proof, &why);
        builder_free(b);
    }
    if (status == PROOF_FAILS)
        return run_fails(r, EXIT_FAILED, "internal error: the dispatcher of %s is wrong: %s", w->spec->name, why);
    if (*r->stop)
        return run_is_interrupted(r, w, true);
    if (status == PROOF_NONE && !r->o->quiet)
        diag_say(stderr, DIAG_WARNING, "the dispatcher was not checked: %s", why);
    return true;
}

/* Writes the package into a temporary folder, renames it, and prints the summary. */
static bool write_package(Run *r, const Workload *w, const Result *part, const Package *p, const Proof *proof)
{
    const int n = workload_ntarget(w);
    if (!package_write(p, w->out, r->o->force, &r->err, r->a))
        return false;
    for (int i = 0; i < n && r->o->verbose; i++)
        summary_failures(r->a, &part[i], stderr);
    if (r->o->json || !r->o->quiet)
        summary_package(w, part, n, proof->ndeclared ? proof : NULL, r->o->json, stdout);
    for (int i = 0; i < n; i++)
        summary_contract(r->a, &part[i], n > 1, stderr);
    return true;
}

bool generate(Run *r)
{
    Proof proof = { 0 };
    const Workload *w = read_workload(r);
    /* Search: propose, build and measure kernels and fit the model, until the budget is used. This gives records. */
    const Known *known = w ? learn_targets(r, w) : NULL;
    /* Work out from the records, for each target: study, model, chosen kernels, dispatch tree, stated regret. */
    Result *part = known ? replay_all(r, w, known) : NULL;
    /* Make the files of the package in memory, and prove that its dispatcher does as the trees say. */
    const Package *p = part ? make_package(r, w, part) : NULL;
    return p && prove_dispatcher(r, w, part, p, &proof) && write_package(r, w, part, p, &proof);
}

/* It compiles nothing, so the dispatcher is not proven. */
bool replay(Run *r)
{
    const Workload *w = read_workload(r);
    Result *part = w ? replay_all(r, w, NULL) : NULL;
    const Package *p = part ? make_package(r, w, part) : NULL;
    return p && write_package(r, w, part, p, &(Proof){ 0 });
}
