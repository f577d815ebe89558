/* SPDX-License-Identifier: Apache-2.0
 *
 * generate: runs all steps of dcgen, from a spec to the finished package. Each step takes finished values and gives new
 * ones.
 */
#include "gen/base/process.h"
#include "gen/command/command.h"
#include "gen/driver/deliver.h"
#include "gen/driver/collect.h"
#include "gen/driver/replay.h"
#include "gen/driver/tools.h"
#include "search/space/space.h"

/* Reads the spec, the targets and the templates. Checks that the op has all that a package takes, and that the package
 * can be written where it is to go. */
static const Workload *read_workload(Run *r)
{
    const char *spec = import_is_model(r->o->operand) ? import_for_package(r) : r->o->operand;
    const Workload *w = spec ? run_read(r, spec, r->o) : NULL;
    return w && op_files_check(r, w) && package_check(w->out, r->o->force, &r->err, r->a) ? w : NULL;
}

/* The job's target, as far as it is known before a device is asked for; NULL: it is not. */
static const Target *known_target(Arena *a, const Job *job)
{
    const TargetList *targets = job->workload->targets;
    const Family *f = site_family(job);
    const Target *named = target_find(targets, job->target);
    const char *why;
    Device here;
    return named || !f || f->off_cpu || !device_probe(a, targets, &here, &why) ? named : device_best(targets, &here);
}

/* Says of each function which no template is for, before others are searched for long. True: there is none. */
static bool check_templates(Run *r, const Workload *w)
{
    Diag *d = diag_new(r->a);
    for (const Job *job = w->job; job < w->job + w->njob; job++) {
        const Target *t = known_target(r->a, job);
        const char *why = NULL;
        if (t && !job_has_template(job, t) && space_find(r->a, job->spec, job->templates, t, NULL, &why, d))
            nearest_say(r->a, job->spec, job->templates, t, NULL, w->targets, why, d);
    }
    diag_print(d, stderr);
    r->code = diag_nerror(d) ? EXIT_USAGE : r->code;
    return !diag_nerror(d);
}

bool generate(Run *r)
{
    Proof proof[SPEC_MAX_FUNCTION] = { 0 };
    const double began_s = process_clock_s();
    const Workload *w = read_workload(r);
    /* Search: propose, build and measure kernels and fit the model, until the budget is used. This gives records. */
    bool ok = w && check_templates(r, w) && collect_records(r, w, began_s);
    /* Work out from the records, for each job: study, model, chosen kernels, dispatch tree, stated regret. */
    ok = ok && replay_all(r, w, run_kept(r, w->job->records));
    /* Make the files of the package in memory, and prove that its dispatcher does as the trees say. */
    const Package *p = ok ? deliver_make(r, w) : NULL;
    return p && deliver_prove(r, w, p, proof) && deliver_write(r, w, p, proof);
}

/* Replay compiles nothing, so the dispatcher is not proven. */
bool replay(Run *r)
{
    const Proof none[SPEC_MAX_FUNCTION] = { 0 };
    const Workload *w = read_workload(r);
    const Package *p = w && replay_all(r, w, "interrupted") ? deliver_make(r, w) : NULL;
    return p && deliver_write(r, w, p, none);
}
