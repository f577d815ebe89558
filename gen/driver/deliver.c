/* SPDX-License-Identifier: Apache-2.0
 *
 * deliver: from the results of all jobs to the package on the disk: makes its files, proves its dispatcher, writes
 * it and says what it holds.
 */
#include <stdio.h>
#include "gen/driver/deliver.h"
#include "gen/driver/replay.h"
#include "gen/driver/tools.h"
#include "gen/package/emit.h"
#include "gen/print/summary.h"
#include "gen/report/report.h"

static const double PROVE_DEADLINE_S = 60; /* for compiling the dispatcher */

static const Package *make_package(Run *r, const Workload *w)
{
    Diag *d = diag_new(r->a);
    const bool shows_cost = r->o->json || !r->o->quiet || w->report;
    for (Job *job = w->job; job < w->job + w->njob && shows_cost; job++) {
        CostReport *cost = ARENA_NEW(r->a, CostReport);
        *cost = cost_report(r->a, job->result->study, job->templates);
        job->result->cost = cost;
    }
    const char *report = w->report ? report_html(r->a, w->results.item, w->results.n, DCGEN_VERSION, &r->err) : NULL;
    if (w->report && !report)
        return NULL;
    const Package *p = replay_package(r->a, w, report, d);
    diag_print(d, stderr);
    if (!p)
        run_fails(r, EXIT_FAILED, "a template cannot be filled");
    return p;
}

const Package *deliver_make(Run *r, const Workload *w)
{
    run_may_end(r, "interrupted");
    const Package *p = make_package(r, w);
    run_may_end(r, NULL);
    return p;
}

/* The dispatcher of one function. */
static bool prove_function(Run *r, const Function *f, const Package *p, Proof *proof)
{
    const char *why = NULL, *own = f->spec->function;
    const char *path = own ? arena_printf(r->a, "dispatch_%s.h", own) : "dispatch.h";
    const Toolchain cc = tools_cc(r->a, r->o);
    Builder *b = builder_new(r->a, &cc, 1, PROVE_DEADLINE_S, r->stop, &why);
    ProofStatus status = PROOF_NONE;
    if (b) {
        const Dispatcher *d = package_dispatcher(r->a, &f->results);
        status = prove_text(r->a, d, package_text(p, path), b, r->stop, proof, &why);
        builder_free(b);
    }
    if (status == PROOF_FAILS)
        return run_fails(r, EXIT_FAILED, "internal error: the dispatcher of %s is wrong: %s", f->spec->name, why);
    if (*r->stop)
        return run_is_interrupted(r, f->job->workload->records);
    if (status == PROOF_NONE && !r->o->quiet)
        diag_say(stderr, DIAG_WARNING, "the dispatcher was not checked: %s", why);
    return true;
}

bool deliver_prove(Run *r, const Workload *w, const Package *p, Proof *proof)
{
    for (int i = 0; i < w->nfunction; i++)
        if (!prove_function(r, &w->function[i], p, &proof[i]))
            return false;
    return true;
}

bool deliver_write(Run *r, const Workload *w, const Package *p, const Proof *proof)
{
    const Job *const end = w->job + w->njob;
    if (!package_write(p, w->out, r->o->force, &r->err, r->a))
        return false;
    for (const Job *job = w->job; job < end && r->o->verbose; job++)
        summary_failures(r->a, job->result->study, stderr);
    for (const Job *job = w->job; job < end && !r->o->quiet; job++)
        summary_templates(r->a, job->result, stderr);
    for (int i = 0; i < w->nfunction && !r->o->quiet; i++)
        summary_lacking(r->a, &w->function[i].results, stderr);
    for (int i = 0; i < w->nfunction && (r->o->json || !r->o->quiet); i++)
        summary_package(w->out, w->records, &w->function[i].results, proof[i].ndeclared ? &proof[i] : NULL, r->o->json,
                        stdout);
    for (const Job *job = w->job; job < end; job++)
        summary_contract(r->a, job->result, w->ntuned > 1, stderr);
    return true;
}
