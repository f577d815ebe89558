/* SPDX-License-Identifier: Apache-2.0
 *
 * generate: runs all steps of dcgen, from a spec to the finished package. Each step takes finished values and gives new ones.
 */
#include <math.h>
#include "gen/base/process.h"
#include "gen/command/replay.h"
#include "gen/command/tools.h"
#include "search/space/nearest.h"

/* Reads the spec, the targets and the templates. Checks that the op has all that a package takes, and that the package can be written where it
 * is to go. */
static const Workload *read_workload(Run *r)
{
    const Workload *w = command_workload(r);
    return w && op_files_check(r, w) && package_check(w->out, r->o->force, &r->err, r->a) ? w : NULL;
}

/* The part's target, as far as it is known before a device is asked for; NULL: it is not. */
static const Target *known_target(Arena *a, const Workload *part)
{
    const char *name = workload_target_name(part, 0), *why;
    const Family *f = site_family(part);
    const Target *named = target_find(part->targets, name);
    Device here;
    return named || !f || f->aside || !device_probe(a, part->targets, &here, &why) ? named
                                                                                   : device_best(part->targets, &here);
}

/* Says of each function which no template is for, before others are searched for long. True: there is none. */
static bool check_templates(Run *r, const Workload *w)
{
    Diag *d = diag_new(r->a);
    for (int i = 0; i < workload_npart(w); i++) {
        const Workload *part = workload_for(r->a, w, i);
        const Target *t = known_target(r->a, part);
        const char *why = NULL;
        bool suits = !t;
        for (int k = 0; k < part->templates.n; k++)
            suits = suits || template_suits(part->templates.t[k], part->spec, t);
        if (!suits && space_find(r->a, part->spec, &part->templates, t, NULL, &why, d))
            nearest_say(r->a, part->spec, &part->templates, t, NULL, part->targets, why, d);
    }
    diag_print(d, stderr);
    r->code = diag_nerror(d) ? EXIT_USAGE : r->code;
    return !diag_nerror(d);
}

/* The workload, which may take so many seconds more. */
static const Workload *with_more_time(Arena *a, const Workload *w, int more_s)
{
    Workload *longer = ARENA_NEW(a, Workload);
    Spec *spec = ARENA_NEW(a, Spec);
    *longer = *w;
    *spec = *w->spec;
    spec->budget.seconds += more_s;
    longer->spec = spec;
    return longer;
}

/* Adds the kernels that the records so far say to choose. */
static void note_choice(Run *r, const Workload *part, const Known *known, KernelKeys *present)
{
    Records records;
    Result result;
    const char *why;
    if (record_read(r->a, known->records, &records, NULL, &why) &&
        replay_target(r->a, part, &records, known->device, &result, &why))
        replay_note(r->a, &result, present);
}

/* Finds or measures the records of every function and target. What a function leaves of its time goes to those after it; its kernels take no bytes
 * of theirs. */
static const Known *learn_parts(Run *r, const Workload *w)
{
    const int npart = workload_npart(w), ntarget = npart / w->nfunction;
    int more_s[TARGET_MAX] = { 0 };
    KernelKeys *present = ARENA_NEW(r->a, KernelKeys);
    Workload all = *w;
    Known *known = ARENA_ARRAY(r->a, (size_t)npart, Known);
    all.present = present;
    for (int i = 0; i < npart; i++) {
        const Workload *part = with_more_time(r->a, workload_for(r->a, &all, i), more_s[i % ntarget]);
        const double began_s = process_clock_s();
        if (!learn_target(r, part, &known[i]))
            return NULL;
        more_s[i % ntarget] = (int)fmax(0, part->spec->budget.seconds - (process_clock_s() - began_s));
        if (i + ntarget < npart)
            note_choice(r, part, &known[i], present);
    }
    return known;
}

bool generate(Run *r)
{
    Proof proof[SPEC_MAX_FUNCTION] = { 0 };
    const Workload *w = read_workload(r);
    /* Search: propose, build and measure kernels and fit the model, until the budget is used. This gives records. */
    const Known *known = w && check_templates(r, w) ? learn_parts(r, w) : NULL;
    /* Work out from the records, for each function and target: study, model, chosen kernels, dispatch tree, stated regret. */
    Result *result = known ? replay_all(r, w, known) : NULL;
    /* Make the files of the package in memory, and prove that its dispatcher does as the trees say. */
    const Package *p = result ? deliver_make(r, w, result) : NULL;
    return p && deliver_prove(r, w, result, p, proof) && deliver_write(r, w, result, p, proof);
}

/* Replay compiles nothing, so the dispatcher is not proven. */
bool replay(Run *r)
{
    const Proof none[SPEC_MAX_FUNCTION] = { 0 };
    const Workload *w = read_workload(r);
    Result *result = w ? replay_all(r, w, NULL) : NULL;
    const Package *p = result ? deliver_make(r, w, result) : NULL;
    return p && deliver_write(r, w, result, p, none);
}
