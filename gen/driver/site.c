/* SPDX-License-Identifier: Apache-2.0
 *
 * site: finds the device that the kernels of a job run on, and what compiles them. A device other than this CPU is
 * found by starting its runner with --probe.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/dir.h"
#include "gen/base/process.h"
#include "gen/base/text.h"
#include "gen/driver/tools.h"
#include "search/measure/runner.h"

static const double PROBE_DEADLINE_S = 30; /* a driver that starts its GPU may take many seconds */

const char *site_compiler(Arena *a, const Options *o, const Family *f)
{
    const FamilyCompiler *c = &f->compiler;
    const char *const given[][2] = { { "cc", o->cc }, { "nvcc", o->nvcc } };
    for (size_t i = 0; i < LENGTH(given); i++)
        if (given[i][1] && strcmp(given[i][0], c->option) == 0)
            return given[i][1];
    const char *found = process_find(a, c->option);
    if (found || !c->home)
        return found;
    const char *const home[] = { getenv(c->home_variable), c->home };
    for (size_t i = 0; i < LENGTH(home); i++) {
        const char *installed = home[i] ? arena_printf(a, "%s/bin/%s", home[i], c->option) : NULL;
        if (installed && access(installed, X_OK) == 0)
            return installed;
    }
    return NULL;
}

TextList site_runner(Arena *a, const Workload *w, const char *kind)
{
    const TextList *folders = &w->target_folders;
    const char *program = dir_runner(a, kind);
    TextList command = { 0 };
    bool any = false; /* folders besides dcgen's own, the last */
    for (int i = 0; i + 1 < folders->n; i++)
        any = any || access(folders->item[i], F_OK) == 0;
    if (program)
        text_list_add(a, &command, program);
    for (int i = 0; program && any && i < folders->n; i++) {
        text_list_add(a, &command, "--targets");
        text_list_add(a, &command, folders->item[i]);
    }
    return command;
}

/* Runs the program, and gives what it prints; NULL with *why set. */
static const char *run_probe(Run *r, const char *const *argv, const char **why)
{
    const ProcessPlan plan = { .argv = argv, .out = PROCESS_KEEP, .err = PROCESS_KEEP };
    const ProcessEnd e = process_run(r->a, &plan, PROBE_DEADLINE_S, r->stop);
    const char *errors = text_str(&e.err);
    if (e.stopped)
        *why = "interrupted";
    else if (e.error)
        *why = arena_printf(r->a, "cannot start %s: %s", argv[0], strerror(e.error));
    else if (e.late)
        *why = arena_printf(r->a, "the GPU's driver says nothing for %g s", PROBE_DEADLINE_S);
    else if (e.wait_status != 0)
        *why = *errors ? arena_strndup(r->a, errors, strcspn(errors, "\n")) : process_status_text(r->a, e.wait_status);
    return process_is_well(&e) ? text_str(&e.out) : NULL;
}

/* Asks for the device beside this CPU, or at the other end of --runner: the command of the runner that would measure,
 * with --probe behind it, describes it. False with *why set. */
static bool probe_device(Run *r, const Job *job, const Family *f, Device *out, const char **why)
{
    const TextList own = site_runner(r->a, job->workload, f->runner), *command = r->o->runner.n ? &r->o->runner : &own;
    TextList argv = { 0 };
    for (int i = 0; i < command->n; i++)
        text_list_add(r->a, &argv, command->item[i]);
    if (!argv.n) {
        *why = arena_printf(r->a, "this dcgen was built without %s, so it has no program dcgen-runner-%s to ask",
                            f->system, f->runner);
        return false;
    }
    text_list_add(r->a, &argv, "--probe");
    const char *answer = run_probe(r, argv.item, why);
    if (!answer)
        return false;
    json_t *device = json_loads(answer, JSON_REJECT_DUPLICATES, NULL);
    const bool ok = device && device_of_json(r->a, device, out);
    if (!ok)
        *why = arena_printf(r->a, "%s --probe prints no device", argv.item[0]);
    json_decref(device);
    return ok;
}

bool site_device(Run *r, const Job *job, const Site *site, Device *out)
{
    if (site->modelled) {
        *out = device_typical(r->a, site->target);
        return true;
    }
    return site->family->off_cpu ? probe_device(r, job, site->family, out, &r->err)
                                 : device_probe(r->a, job->workload->targets, out, &r->err);
}

const Family *site_family(const Job *job)
{
    const Target *t = target_find(job->workload->targets, job->target);
    return t ? t->family : family_of_best(job->target);
}

/* Finds a device of the family that runs the named target. named NULL: takes the best target that the device runs. */
static bool find_device(Run *r, const Job *job, const Family *f, const Target *named, Site *out, const char **why)
{
    Device d;
    if (!probe_device(r, job, f, &d, why))
        return false;
    const Target *t = named ? named : device_best(job->workload->targets, &d);
    *why = arena_printf(r->a, "%s does not run it", d.name);
    if (!t || t->family != f || !device_runs(&d, t))
        return false;
    *out = (Site){ f, t, false };
    return true;
}

/* For a job that asks for no family: a device beside this CPU if one can be used, else this CPU. */
static Site find_any_site(Run *r, const Job *job)
{
    const char *why;
    Site site = { 0 }, cpu = { 0 };
    for (int i = 0; i < FAMILY_COUNT; i++) {
        const Family *f = families[i];
        if (!f->off_cpu)
            cpu.family = f;
        else if (site_compiler(r->a, r->o, f) && find_device(r, job, f, NULL, &site, &why) &&
                 job_has_template(job, site.target))
            return site;
    }
    return cpu;
}

/* Fails for want of a device to measure on, and says what can be done about it. */
static bool fail_without_device(Run *r, const Family *f, const Target *named, bool model, const char *why)
{
    const bool can_offline = r->o->command == COMMAND_GENERATE;
    if (named)
        return run_fails(r, EXIT_ENVIRONMENT, "no %s here to measure target '%s' on: %s%s", f->device, named->name, why,
                         can_offline ? "; with --offline, recorded measurements or a model take its place" : "");
    return run_fails(r, EXIT_ENVIRONMENT, "target '%s' asks the %s of this machine: %s%s%s", f->best, f->device, why,
                     can_offline || model ? "; name a target instead, as in --target sm_90a" : "",
                     can_offline ? " --offline" : "");
}

bool site_find(Run *r, const Job *job, bool model, Site *out)
{
    const char *why = "";
    const Target *named = target_find(job->workload->targets, job->target);
    const Family *f = site_family(job);
    if (!f) {
        *out = find_any_site(r, job);
        return true;
    }
    *out = (Site){ f, f->off_cpu ? named : NULL, f->off_cpu && model && named };
    return !f->off_cpu || out->modelled || find_device(r, job, f, named, out, &why) ||
           fail_without_device(r, f, named, model, why);
}
