/* SPDX-License-Identifier: Apache-2.0
 *
 * site: finds the device that the kernels of a workload run on. A device that is not this CPU is
 * asked for by running its runner with --probe.
 */
#include "gen/command/site.h"

#include <jansson.h>
#include <string.h>
#include "gen/base/dir.h"
#include "gen/base/process.h"
#include "gen/command/tools.h"
#include "search/measure/runner.h"

static const double probe_s = 30; /* a driver that starts its GPU may take many seconds */

/* What the program prints; NULL with *why set. */
static const char *run_probe(Arena *a, const char *const *argv, const volatile int *stop, const char **why)
{
    const ProcessPlan plan = { .argv = argv, .out = PROCESS_KEEP, .err = PROCESS_KEEP };
    const ProcessEnd e = process_run(a, &plan, probe_s, stop);
    const char *said = text_str(&e.err);
    if (e.stopped)
        *why = "interrupted";
    else if (e.error)
        *why = arena_printf(a, "cannot start %s: %s", argv[0], strerror(e.error));
    else if (e.late)
        *why = arena_printf(a, "the GPU's driver says nothing for %g s", probe_s);
    else if (e.wait_status != 0)
        *why = *said ? arena_strndup(a, said, strcspn(said, "\n")) : process_status_text(a, e.wait_status);
    return process_is_well(&e) ? text_str(&e.out) : NULL;
}

/* The runner that would measure, with --probe behind its words. NULL: there is none. */
static const char *const *probe_command(Arena *a, const Options *o, const Family *f)
{
    const char *own = dir_runner(a, f->runner);
    const char **argv = ARENA_ARRAY(a, (size_t)o->runner.n + 3, const char *);
    int n = 0;
    for (; n < o->runner.n; n++)
        argv[n] = o->runner.item[n];
    if (!n && own)
        argv[n++] = own;
    argv[n] = "--probe";
    return n ? argv : NULL;
}

/* The device beside this CPU, or at the other end of --runner, as the runner describes it. */
static bool probe(Arena *a, const Options *o, const Family *f, Device *out, const volatile int *stop, const char **why)
{
    const char *const *command = probe_command(a, o, f);
    *why = arena_printf(a, "this dcgen was built without %s, so it has no program dcgen-runner-%s to ask", f->system,
                        f->runner);
    const char *said = command ? run_probe(a, command, stop, why) : NULL;
    if (!said)
        return false;
    json_t *device = json_loads(said, JSON_REJECT_DUPLICATES, NULL);
    const bool ok = device && device_of_json(a, device, out);
    if (!ok)
        *why = arena_printf(a, "%s --probe prints no device", command[0]);
    json_decref(device);
    return ok;
}

bool site_device(Arena *a, const Workload *w, const Options *o, const Site *site, Device *out, const volatile int *stop,
                 const char **why)
{
    if (site->modelled)
        *out = device_typical(a, site->target);
    return site->modelled ||
           (site->family->aside ? probe(a, o, site->family, out, stop, why) : device_probe(a, w->targets, out, why));
}

static const char *target_name(const Workload *w) { return w->target.n ? w->target.item[0] : w->spec->target[0]; }

const Family *site_family(const Workload *w)
{
    const Target *t = target_find(w->targets, target_name(w));
    return t ? t->family : family_of_best(target_name(w));
}

/* A device of the family that runs the named target; where none is named, the best that it runs. */
static bool find_device(Arena *a, const Workload *w, const Options *o, const Family *f, const Target *named, Site *out,
                        const volatile int *stop, const char **why)
{
    Device d;
    if (!probe(a, o, f, &d, stop, why))
        return false;
    const Target *t = named ? named : device_best(w->targets, &d);
    *why = arena_printf(a, "%s does not run it", d.name);
    if (!t || t->family != f || !device_runs(&d, t->name))
        return false;
    *out = (Site){ f, t, false };
    return true;
}

/* Some template serves this spec there. */
static bool has_template(const Workload *w, const Target *t)
{
    for (int i = 0; i < w->templates.n; i++)
        if (template_suits(w->templates.t[i], w->spec, t))
            return true;
    return false;
}

/* What there is beside this CPU if it can be used, else this CPU. */
static Site find_any(Arena *a, const Workload *w, const Options *o, const volatile int *stop)
{
    const char *why;
    Site site = { 0 }, cpu = { 0 };
    for (int i = 0; i < FAMILY_COUNT; i++) {
        const Family *f = families[i];
        if (!f->aside)
            cpu.family = f;
        else if (tools_program(a, o, f) && find_device(a, w, o, f, NULL, &site, stop, &why) &&
                 has_template(w, site.target))
            return site;
    }
    return cpu;
}

/* Why it cannot be measured, and what can be done about it. */
static const char *no_device(Arena *a, const Options *o, const Family *f, const Target *named, bool model,
                             const char *why)
{
    const bool can_offline = o->command == COMMAND_GENERATE;
    if (named)
        return arena_printf(a, "no %s here to measure target '%s' on: %s%s", f->device, named->name, why,
                            can_offline ? "; with --offline, recorded measurements or a model take its place" : "");
    return arena_printf(a, "target '%s' asks the %s of this machine: %s%s%s", f->best, f->device, why,
                        can_offline || model ? "; name a target instead, as in --target sm_90a" : "",
                        can_offline ? " --offline" : "");
}

bool site_find(Arena *a, const Workload *w, const Options *o, bool model, Site *out, const volatile int *stop,
               const char **err)
{
    const char *why = "";
    const Target *named = target_find(w->targets, target_name(w));
    const Family *f = site_family(w);
    *out = f ? (Site){ f, f->aside ? named : NULL, f->aside && model && named } : find_any(a, w, o, stop);
    if (!f || !f->aside || out->modelled || find_device(a, w, o, f, named, out, stop, &why))
        return true;
    *err = no_device(a, o, f, named, model, why);
    return false;
}
