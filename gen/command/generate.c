/* SPDX-License-Identifier: Apache-2.0
 *
 * generate: runs all steps of dcgen, from a spec to the finished package. Each step takes finished values and gives new
 * ones.
 */
#include "gen/base/process.h"
#include "gen/command/replay.h"
#include "gen/command/timetable.h"
#include "gen/command/tools.h"
#include "search/space/nearest.h"

static const double PROOF_S = 0.2; /* for the proof and the report of a job: about so long */

/* Reads the spec, the targets and the templates. Checks that the op has all that a package takes, and that the package
 * can be written where it is to go. */
static const Workload *read_workload(Run *r)
{
    const Workload *w = command_workload(r);
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
    return named || !f || f->aside || !device_probe(a, targets, &here, &why) ? named : device_best(targets, &here);
}

/* Says of each function which no template is for, before others are searched for long. True: there is none. */
static bool check_templates(Run *r, const Workload *w)
{
    Diag *d = diag_new(r->a);
    for (const Job *job = w->job; job < w->job + w->njob; job++) {
        const Target *t = known_target(r->a, job);
        const char *why = NULL;
        bool suits = !t;
        for (int k = 0; k < job->templates->n; k++)
            suits = suits || template_suits(job->templates->t[k], job->spec, t);
        if (!suits && space_find(r->a, job->spec, job->templates, t, NULL, &why, d))
            nearest_say(r->a, job->spec, job->templates, t, NULL, w->targets, why, d);
    }
    diag_print(d, stderr);
    r->code = diag_nerror(d) ? EXIT_USAGE : r->code;
    return !diag_nerror(d);
}

/* Makes the choice that the records so far say, for the functions behind this job's. */
static void choose_so_far(Run *r, const Job *job)
{
    Records records;
    const char *why;
    if (record_read(r->a, job->records, &records, NULL, &why))
        replay_job(r->a, job, &records, &why);
}

/* What the display says of the job: "function 3 of 10, scores", "target 2 of 2, avx2", "part 4 of 6, scores for
 * avx2". */
static ProgressPart part_of(const Run *r, const Job *job, double began_s, double total_s)
{
    const Workload *w = job->workload;
    const bool of_targets = w->target.n > 1;
    const char *kind = !of_targets ? "function" : w->nfunction == 1 ? "target" : "part";
    const char *function = job->spec->function ? job->spec->function : "";
    const char *name =
        arena_printf(r->a, "%s%s%s", function, *function && of_targets ? " for " : "", of_targets ? job->target : "");
    return (ProgressPart){ kind, name, (int)(job - w->job) + 1, w->njob, began_s, total_s };
}

/* Finds or measures the records of every job, within the seconds that there are for all of them. A function's kernels
 * take no bytes of those behind it. */
static bool learn_jobs(Run *r, const Workload *w, double began_s)
{
    double *weight = ARENA_ARRAY(r->a, (size_t)w->njob, double);
    Effort effort = { 0 };
    Timetable t = { .seconds = w->file->budget.seconds, .n = w->njob, .weight = weight };
    for (int i = 0; i < w->njob; i++)
        weight[i] = w->job[i].spec->share;
    for (Job *job = w->job; job < w->job + w->njob; job++, t.done++) {
        const double elapsed_s = process_clock_s() - began_s;
        const Turn turn = { part_of(r, job, began_s, timetable_expected(&t, elapsed_s)), &effort };
        job->seconds = timetable_share(&t, elapsed_s);
        if (!learn_job(r, job, &turn))
            return false;
        const double learnt_s = process_clock_s();
        if (job->spec != w->function[w->nfunction - 1].spec)
            choose_so_far(r, job);
        t.ending_s += process_clock_s() - learnt_s + PROOF_S; /* in the end the choice is made again */
    }
    return true;
}

bool generate(Run *r)
{
    Proof proof[SPEC_MAX_FUNCTION] = { 0 };
    const double began_s = process_clock_s();
    const Workload *w = read_workload(r);
    /* Search: propose, build and measure kernels and fit the model, until the budget is used. This gives records. */
    bool ok = w && check_templates(r, w) && learn_jobs(r, w, began_s);
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
