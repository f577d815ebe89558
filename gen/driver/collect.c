/* SPDX-License-Identifier: Apache-2.0
 *
 * collect: finds or measures the records of all jobs, one after the other. Existing ones will do if nothing shall be
 * measured (--offline), or if another machine has measured the target. Else the job is searched: its space is made, and
 * rounds of candidates are proposed, built, verified, measured and recorded, and the model is fitted again after each
 * (search/loop/search.h).
 */
#include <string.h>
#include <unistd.h>
#include "gen/base/dir.h"
#include "gen/base/process.h"
#include "gen/driver/collect.h"
#include "gen/driver/replay.h"
#include "gen/driver/timetable.h"
#include "gen/driver/tools.h"
#include "gen/package/foreign.h"
#include "gen/print/summary.h"
#include "gen/report/plot.h"
#include "gen/report/words.h"
#include "search/loop/search.h"
#include "search/measure/lab.h"
#include "search/record/record_spec.h"

static const double PROOF_S = 0.2; /* for the proof and the report of a job: about so long */

/* What a job's turn in a command is, beside its seconds. */
typedef struct {
    double began_s;
    ProgressPart part; /* what the display says of it */
    Effort *effort;    /* what candidates took in the jobs before; what they take in this one is noted there */
} Turn;

/* Runs the search and shows its progress. */
static bool search_space(Run *r, const Job *job, const Site *site, Tools *t, const UnitContext *u, const Space *space,
                         const Turn *turn)
{
    const Family *family = u->target->family;
    const bool is_told = !r->o->quiet;
    Workshop shop = tools_workshop(r, t, job, u);
    const char *part = words_part(r->a, job->spec, u->target, job->workload->ntuned > 1);
    t->progress = progress_open(is_told ? r->o->progress : PROGRESS_NONE, stderr, NULL);
    progress_part(t->progress, &turn->part);
    if (*part && is_told)
        progress_line(t->progress, "tuning %s%s", job->spec->function ? "" : "for ", part);
    Lab lab = { .kind = site->modelled ? &lab_emulator : &lab_machine,
                .shop = &shop,
                .arena = r->a,
                .templates = job->templates,
                .study = study_new(r->a, u->spec, u->device, u->target, unit_context_hash(r->a, u)),
                .progress = t->progress,
                .began_s = turn->began_s,
                .seconds = job->seconds,
                .effort = turn->effort,
                .stop = r->stop };
    lab.study->present = job_present(r->a, job);
    study_load(lab.study, record_all(t->records), job->templates, u->targets);
    Search q = { .lab = &lab,
                 .strategy = &strategies[r->o->search],
                 .space = space,
                 .seed = r->o->seed,
                 .ahead = search_builds_ahead(lab.study) };
    const bool ok = search_run(&q, &r->err);
    progress_close(t->progress);
    t->progress = NULL;
    diag_print(shop.diag, stderr);
    if (shop.library.why && is_told)
        diag_say(stderr, DIAG_WARNING, "%s was not timed%s: %s", family->rival,
                 shop.library.timed ? " on every shape" : "", shop.library.why);
    if (!ok && *part)
        r->err = arena_printf(r->a, "%s: %s", part, r->err);
    if (!ok && q.fruitless) {
        r->code = EXIT_FAILED;
        if (r->o->verbose)
            summary_failures(r->a, lab.study, stderr);
    }
    return ok;
}

/* Finds the target, its space and the record file for the device at hand, and searches. */
static bool search_device(Run *r, const Job *job, const Site *site, Tools *t, const Turn *turn)
{
    const Device *device = tools_device(r, site, t);
    const Target *target = job_target(r->a, job, device, &r->err);
    if (!target)
        return run_fails(r, EXIT_USAGE, "%s; records of a machine that runs it may take its place (--records)", r->err);
    const UnitContext u = job_unit(r->a, job, device, target);
    const Space *space = run_space(r, job, &u);
    if (!space)
        return run_fails(r, EXIT_USAGE, "there is nothing to search");
    const SpecRecord spec = record_spec(r->a, &u);
    return tools_open_records(r, job, t) && record_add_device(t->records, device, &r->err) &&
           record_add_spec(t->records, &spec, &r->err) && search_space(r, job, site, t, &u, space, turn);
}

/* True if the file has measured times of a device that runs the target. */
static bool has_times(Arena *a, const Job *job, const char *path)
{
    const char *err;
    int64_t ntime;
    Records r;
    return access(path, R_OK) == 0 && record_read(a, path, &r, NULL, &err) && replay_device(a, job, &r, &ntime, &err) &&
           ntime > 0;
}

/* The file with times of this job: its own records, else one of those that come with dcgen,
 * records/<device>/<package>.jsonl. NULL: no file has any. */
static const char *find_times(Arena *a, const Job *job, const Options *o)
{
    const char *shipped = dir_records(a);
    char **folder;
    int n = 0;
    if (has_times(a, job, job->records))
        return job->records;
    if (o->records || !shipped || !dir_list(a, shipped, "", &folder, &n))
        return NULL;
    for (int i = 0; i < n; i++) {
        const char *path = arena_printf(a, "%s/%s.jsonl", folder[i], job->spec->package);
        if (has_times(a, job, path))
            return path;
    }
    return NULL;
}

/* With --offline: the record file that will do without a search. NULL: there is none, or --offline was not given. */
static const char *offline_records(Arena *a, const Job *job, const Options *o)
{
    const Family *wanted = site_family(job);
    if (!o->offline)
        return NULL;
    return wanted && wanted->off_cpu ? find_times(a, job, o) : job->records;
}

/* Checks where the record file lies: it must be no file that the package overwrites, and it may be in the package's
 * folder with --force alone. */
static bool check_records(Run *r, const Workload *w)
{
    const char *place = package_place(r->a, w->out, w->records), *why;
    const Manifest *m = place ? foreign_manifest(r->a, w->out, &why) : NULL;
    if (place && (strcmp(place, "records.jsonl") == 0 || (m && manifest_lists(m, place))))
        return run_fails(r, EXIT_ENVIRONMENT,
                         "--records: '%s' is a file of the package itself, which is written anew: name another",
                         w->records);
    if (place && !r->o->force)
        return run_fails(r, EXIT_ENVIRONMENT,
                         "--records: '%s' is in the folder of the package; put it elsewhere, or give --force, which "
                         "keeps it",
                         w->records);
    return record_check(r->a, w->records, &r->err);
}

/* True if the runner's machine cannot run the target, but the records have times of one that can. Then *why says what
 * is lacking here. */
static bool is_measured_elsewhere(Arena *a, const Job *job, const Site *site, const Tools *t, const char **why)
{
    return !site->modelled && !job->fresh && !job_target(a, job, agents_device(t->agents), why) &&
           has_times(a, job, job->records);
}

/* Takes the records that another machine made, or searches. */
static bool measure_job(Run *r, const Job *job, const Site *site, Tools *t, const Turn *turn)
{
    const char *why = NULL;
    if (!check_records(r, job->workload) || !tools_open(r, job, site, t) ||
        (job->workload->report && !plot_check(r->a, &r->err)))
        return false;
    if (!is_measured_elsewhere(r->a, job, site, t, &why))
        return search_device(r, job, site, t, turn);
    if (!r->o->quiet)
        diag_say(stderr, DIAG_NOTE, "%s: the times in the records are taken", why);
    return true;
}

/* Finds or measures the records of one job, and says where they are. A failure is printed. */
static bool collect_job(Run *r, Job *job, const Turn *turn)
{
    const char *there = offline_records(r->a, job, r->o);
    Site site;
    Tools t = { 0 };
    if (there) {
        job->records = there;
        return true;
    }
    bool ok = site_find(r, job, r->o->offline, &site) && measure_job(r, job, &site, &t, turn);
    job->device = t.device;
    if (*r->stop)
        ok = run_is_interrupted(r, t.records ? job->records : NULL);
    if (ok)
        r->err = NULL; /* the search went on in spite of it */
    else
        run_say(r);
    if (!ok && r->code == EXIT_ENVIRONMENT && t.records)
        diag_say(stderr, DIAG_NOTE,
                 "nothing is lost: what was measured is in %s, and the same command goes on from there", job->records);
    tools_close(r, &t);
    return ok;
}

/* ---- all jobs ---- */

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

bool collect_records(Run *r, const Workload *w, double began_s)
{
    double *weight = ARENA_ARRAY(r->a, (size_t)w->njob, double);
    Effort effort = { 0 };
    Timetable t = { .seconds = w->file->budget.seconds, .n = w->njob, .weight = weight };
    for (int i = 0; i < w->njob; i++) {
        weight[i] = w->job[i].spec->share;
        t.ninstance += w->job[i].spec->ninstance;
    }
    for (Job *job = w->job; job < w->job + w->njob; job++, t.done++) {
        const double now_s = process_clock_s(), elapsed_s = now_s - began_s;
        const Turn turn = { now_s, part_of(r, job, began_s, timetable_expected(&t, elapsed_s)), &effort };
        job->seconds = timetable_share(&t, elapsed_s);
        if (!collect_job(r, job, &turn))
            return false;
        const double collected_s = process_clock_s();
        if (job->spec != w->function[w->nfunction - 1].spec)
            choose_so_far(r, job);
        t.ending_s += process_clock_s() - collected_s + PROOF_S; /* in the end the choice is made again */
    }
    return true;
}
