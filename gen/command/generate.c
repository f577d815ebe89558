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

static const double PROOF_S = 0.2; /* for the proof and the report of a part: about so long */

/* Reads the spec, the targets and the templates. Checks that the op has all that a package takes, and that the package
 * can be written where it is to go. */
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

/* What the display says of the part: "function 3 of 10, scores", "target 2 of 2, avx2", "part 4 of 6, scores for
 * avx2". */
static ProgressPart part_of(const Run *r, const Workload *w, int i, double began_s, double total_s)
{
    const int npart = workload_npart(w), ntarget = npart / w->nfunction;
    const char *kind = ntarget == 1 ? "function" : w->nfunction == 1 ? "target" : "part";
    const char *function = w->function[i / ntarget]->function;
    const char *target = ntarget > 1 ? workload_target_name(workload_for(r->a, w, i), 0) : "";
    const char *name =
        arena_printf(r->a, "%s%s%s", function ? function : "", function && *target ? " for " : "", target);
    return (ProgressPart){ kind, name, i + 1, npart, began_s, total_s };
}

/* Finds or measures the records of every function and target, within the seconds that there are for all of them. A
 * function's kernels take no bytes of those behind it. */
static const Known *learn_parts(Run *r, const Workload *w, double began_s)
{
    const int npart = workload_npart(w), ntarget = npart / w->nfunction;
    double *weight = ARENA_ARRAY(r->a, (size_t)npart, double);
    KernelKeys *present = ARENA_NEW(r->a, KernelKeys);
    Workload all = *w;
    Known *known = ARENA_ARRAY(r->a, (size_t)npart, Known);
    Effort effort = { 0 };
    Timetable t = { .seconds = w->file->budget.seconds, .n = npart, .weight = weight };
    all.present = present;
    for (int i = 0; i < npart; i++)
        weight[i] = w->function[i / ntarget]->share;
    for (; t.done < npart; t.done++) {
        const Workload *part = workload_for(r->a, &all, t.done);
        const double elapsed_s = process_clock_s() - began_s;
        const Turn turn = { timetable_share(&t, elapsed_s),
                            part_of(r, w, t.done, began_s, timetable_expected(&t, elapsed_s)), &effort };
        if (!learn_target(r, part, &turn, &known[t.done]))
            return NULL;
        const double learnt_s = process_clock_s();
        if (t.done + ntarget < npart)
            note_choice(r, part, &known[t.done], present);
        t.ending_s += process_clock_s() - learnt_s + PROOF_S; /* in the end the choice is made again */
    }
    return known;
}

bool generate(Run *r)
{
    Proof proof[SPEC_MAX_FUNCTION] = { 0 };
    const double began_s = process_clock_s();
    const Workload *w = read_workload(r);
    /* Search: propose, build and measure kernels and fit the model, until the budget is used. This gives records. */
    const Known *known = w && check_templates(r, w) ? learn_parts(r, w, began_s) : NULL;
    /* Work out from the records, for each function and target: study, model, chosen kernels, dispatch tree, stated
     * regret. */
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
