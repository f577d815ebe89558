/* SPDX-License-Identifier: Apache-2.0
 *
 * deliver: from the results of all targets to the package on the disk: makes its files, proves its dispatcher, writes
 * it and says what it holds.
 */
#include <stdio.h>
#include "gen/command/replay.h"
#include "gen/command/summary.h"
#include "gen/command/tools.h"
#include "gen/package/emit.h"
#include "gen/report/report.h"

static const double PROVE_DEADLINE_S = 60; /* for compiling the dispatcher */

static const Package *make_package(Run *r, const Workload *w, Result *result)
{
    Diag *d = diag_new(r->a);
    const int n = workload_npart(w);
    const bool shows_cost = r->o->json || !r->o->quiet || w->report;
    for (int i = 0; i < n && shows_cost; i++) {
        CostReport *cost = ARENA_NEW(r->a, CostReport);
        *cost = cost_report(r->a, result[i].study, result[i].templates);
        result[i].cost = cost;
    }
    const char *report = w->report ? report_html(r->a, result, n, DCGEN_VERSION, &r->err) : NULL;
    if (w->report && !report)
        return NULL;
    const Package *p = replay_package(r->a, w, result, report, d);
    diag_print(d, stderr);
    if (!p)
        run_fails(r, EXIT_FAILED, "a template cannot be filled");
    return p;
}

const Package *deliver_make(Run *r, const Workload *w, Result *result)
{
    run_may_end(r, "interrupted");
    const Package *p = make_package(r, w, result);
    run_may_end(r, NULL);
    return p;
}

/* The dispatcher of one function. */
static bool prove_function(Run *r, const Workload *w, const Result *result, const Package *p, Proof *proof)
{
    const char *why = NULL, *own = w->spec->function;
    const char *path = own ? arena_printf(r->a, "dispatch_%s.h", own) : "dispatch.h";
    const Toolchain cc = tools_cc(r->a, r->o);
    Builder *b = builder_new(r->a, &cc, 1, PROVE_DEADLINE_S, r->stop, &why);
    ProofStatus status = PROOF_NONE;
    if (b) {
        const Dispatcher *d = package_dispatcher(r->a, result, workload_ntarget(w));
        status = prove_text(r->a, d, package_text(p, path), b, r->stop, proof, &why);
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

bool deliver_prove(Run *r, const Workload *w, const Result *result, const Package *p, Proof *proof)
{
    for (int i = 0; i < w->nfunction; i++)
        if (!prove_function(r, workload_of_function(r->a, w, i), result + i * workload_ntarget(w), p, &proof[i]))
            return false;
    return true;
}

bool deliver_write(Run *r, const Workload *w, const Result *result, const Package *p, const Proof *proof)
{
    const int n = workload_npart(w);
    if (!package_write(p, w->out, r->o->force, &r->err, r->a))
        return false;
    for (int i = 0; i < n && r->o->verbose; i++)
        summary_failures(r->a, result[i].study, stderr);
    for (int i = 0; i < n && !r->o->quiet; i++)
        summary_templates(r->a, &result[i], stderr);
    const int ntarget = workload_ntarget(w);
    for (int i = 0; i < w->nfunction && !r->o->quiet; i++)
        summary_lacking(r->a, result + i * ntarget, ntarget, stderr);
    for (int i = 0; i < w->nfunction && (r->o->json || !r->o->quiet); i++)
        summary_package(workload_of_function(r->a, w, i), result + i * ntarget, ntarget,
                        proof[i].ndeclared ? &proof[i] : NULL, r->o->json, stdout);
    for (int i = 0; i < n; i++)
        summary_contract(r->a, &result[i], ntarget > 1, stderr);
    return true;
}
