/* SPDX-License-Identifier: Apache-2.0
 *
 * learn: decides whether the records of a target will do, finds the device and the tools for a search, and runs it.
 */
#include "gen/command/learn.h"

#include <string.h>
#include <unistd.h>
#include "gen/base/dir.h"
#include "gen/base/process.h"
#include "gen/command/command.h"
#include "gen/command/site.h"
#include "gen/command/tools.h"
#include "gen/package/foreign.h"
#include "gen/report/plot.h"
#include "search/choose/search.h"
#include "search/measure/lab.h"

/* Finds the device and the target, and puts both into *u. */
static bool find_unit(Arena *a, const Workload *w, const Site *site, Tools *run, UnitContext *u, int *code,
                      const char **err)
{
    Device *device = ARENA_NEW(a, Device);
    *device = site->modelled ? device_typical(a, site->target) : *runner_device(run->runner);
    device_set_compiler(a, device, site->family, run->compiler, run->flags);
    run->device = device;
    *code = EXIT_USAGE;
    const Target *target = workload_target(a, w, device, err);
    if (!target) {
        *err = arena_printf(a, "%s; records of a machine that runs it may take its place (--records)", *err);
        return false;
    }
    *u = workload_unit(w, device, target);
    return true;
}

/* All candidates for this target. NULL with *err set: there are none. */
static const Space *find_space(Arena *a, const Workload *w, const UnitContext *u, const char **err)
{
    Diag *d = diag_new(a);
    const Space *space = command_space(a, u, &w->templates, u->target, d);
    diag_print(d, stderr);
    if (!space)
        *err = "there is nothing to search";
    return space;
}

/* Makes a study of all records in the file. */
static Study *load_study(Arena *a, const Workload *w, const UnitContext *u, RecordFile *records)
{
    Study *s = study_new(a, w->spec, u->device, u->target, unit_context_hash(a, u));
    study_load(s, record_all(records), &w->templates, w->targets);
    return s;
}

static bool search_workload(Arena *a, const Workload *w, const Options *o, const Site *site, Tools *run, double began_s,
                            const volatile int *stop, int *code, const char **err)
{
    UnitContext u;
    if (!find_unit(a, w, site, run, &u, code, err))
        return false;
    const Family *family = u.target->family;
    const Space *space = find_space(a, w, &u, err);
    if (!space)
        return false;
    *code = EXIT_ENVIRONMENT;
    if (!tools_open_records(a, w, o, run, err) || !record_add_device(run->records, u.device, err))
        return false;
    run->progress = progress_open(o->quiet ? PROGRESS_NONE : o->progress, stderr, NULL);
    if (w->ntuned > 1 && !o->quiet)
        progress_line(run->progress, "tuning for %s", u.target->name);
    Workshop shop = tools_workshop(a, run, w, o, &u);
    Lab lab = { .kind = site->modelled ? &lab_emulator : &lab_machine,
                .shop = &shop,
                .arena = a,
                .templates = &w->templates,
                .study = load_study(a, w, &u, run->records),
                .progress = run->progress,
                .began_s = began_s,
                .seconds = w->spec->budget.seconds,
                .stop = stop };
    Search q = {
        .lab = &lab, .strategy = &strategies[o->search], .space = space, .seed = o->seed, .ahead = family->aside
    };
    const bool ok = search_run(&q, err);
    progress_close(run->progress);
    run->progress = NULL;
    diag_print(shop.diag, stderr);
    if (shop.library.why && !o->quiet)
        diag_say(stderr, DIAG_WARNING, "%s was not timed%s: %s", family->rival,
                 shop.library.timed ? " on every shape" : "", shop.library.why);
    if (!ok && q.fruitless)
        *code = EXIT_FAILED;
    return ok;
}

/* True if the file has measured times of a device that runs the target. Then no model need stand in for them. */
static bool has_times(Arena *a, const Workload *w, const char *path)
{
    const char *err = NULL;
    Records r;
    return access(path, R_OK) == 0 && record_read(a, path, &r, NULL, &err) && replay_timed(a, w, &r);
}

/* What was measured for this target: in the workload's own records, else in those that come with dcgen, records/<device>/<name>.jsonl.
 * NULL: nothing. */
static const char *recorded_times(Arena *a, const Workload *w, const Options *o)
{
    const char *own = dir_records(a);
    char **folder;
    int n = 0;
    if (has_times(a, w, w->records))
        return w->records;
    if (o->records || !own || !dir_list(a, own, "", &folder, &n))
        return NULL;
    for (int i = 0; i < n; i++) {
        const char *path = arena_printf(a, "%s/%s.jsonl", folder[i], w->spec->name);
        if (has_times(a, w, path))
            return path;
    }
    return NULL;
}

/* Checks where the record file lies: it must not be a file that the package overwrites, and in the package's folder only with --force. */
static bool check_records(Arena *a, const Workload *w, const Options *o, const char **err)
{
    const char *place = package_place(a, w->out, w->records), *why;
    const Manifest *m = place ? foreign_manifest(a, w->out, &why) : NULL;
    if (place && (strcmp(place, "records.jsonl") == 0 || (m && manifest_lists(m, place))))
        *err = arena_printf(a, "--records: '%s' is a file of the package itself, which is written anew: name another",
                            w->records);
    else if (place && !o->force)
        *err = arena_printf(
            a, "--records: '%s' is in the folder of the package; put it elsewhere, or give --force, which keeps it",
            w->records);
    else
        return record_check(a, w->records, err);
    return false;
}

/* The machine of the runner lacks the target; another one measured it, and its times are in the records. */
static bool is_measured_elsewhere(Arena *a, const Workload *w, const Options *o, const Site *site, const Tools *run)
{
    const char *why = NULL;
    const Device *here = runner_device(run->runner);
    const bool is = !site->modelled && !o->fresh && !workload_target(a, w, here, &why) && has_times(a, w, w->records);
    if (is && !o->quiet)
        diag_say(stderr, DIAG_NOTE, "%s: the times in the records are taken", why);
    return is;
}

/* The search for one target. */
static bool search_target(Arena *a, const Workload *w, const Options *o, const Site *site, const volatile int *stop,
                          Known *known, int *code)
{
    const double began_s = process_clock_s();
    const char *err = NULL;
    Tools run = { 0 };
    *code = EXIT_ENVIRONMENT;
    const bool ok =
        check_records(a, w, o, &err) && tools_open(a, w, o, site, &run, stop, &err) &&
        (!w->report || plot_check(a, &err)) &&
        (is_measured_elsewhere(a, w, o, site, &run) || search_workload(a, w, o, site, &run, began_s, stop, code, &err));
    *known = (Known){ w, w->records, run.device };
    if (*stop)
        *code = command_interrupted(w, run.records != NULL);
    else if (!ok)
        *code = command_fail(err, *code);
    if (!*stop && !ok && *code == EXIT_ENVIRONMENT && run.records)
        diag_say(stderr, DIAG_NOTE,
                 "nothing is lost: what was measured is in %s, and the same command goes on from there", w->records);
    tools_close(&run);
    return ok && !*stop;
}

bool learn_target(Arena *a, const Workload *w, const Options *o, const volatile int *stop, Known *known, int *code)
{
    Site site;
    const char *err = NULL;
    const Family *wanted = site_family(w);
    const char *recorded = o->offline ? (wanted && wanted->aside ? recorded_times(a, w, o) : w->records) : NULL;
    *known = (Known){ w, recorded, NULL };
    if (recorded)
        return true;
    const bool found = site_find(a, w, o, o->offline, &site, stop, &err);
    if (*stop)
        *code = command_interrupted(w, false);
    else if (!found)
        *code = command_fail(err, EXIT_ENVIRONMENT);
    return found && !*stop && search_target(a, w, o, &site, stop, known, code);
}
