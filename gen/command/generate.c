/* SPDX-License-Identifier: Apache-2.0
 *
 * generate: runs all steps of dcgen, from a spec to the finished package. Each step takes finished values and gives new ones. A step
 * that fails prints the reason, sets *code to the exit code, and returns NULL or false.
 */
#include "gen/command/generate.h"

#include "gen/command/command.h"
#include "gen/command/deliver.h"
#include "gen/command/learn.h"
#include "gen/command/replay.h"

/* Finds or measures the records of every target. Only for the first target may --fresh begin the record file anew. */
static const Known *learn_targets(Arena *a, const Workload *w, const Options *o, const volatile int *stop, int *code)
{
    const int ntarget = workload_ntarget(w);
    Known *known = ARENA_ARRAY(a, (size_t)ntarget, Known);
    Options each = *o;
    for (int i = 0; i < ntarget; i++, each.fresh = false)
        if (!learn_target(a, workload_for(a, w, i), &each, stop, &known[i], code))
            return NULL;
    return known;
}

int generate(Arena *a, const Options *o, const volatile int *stop)
{
    int code = EXIT_DONE;
    Proof proof = { 0 };
    /* Read the spec, the targets and the templates. Check that the package can be written where it is to go. */
    const Workload *w = command_workload(a, o->operand, o, &code);
    if (!w || !deliver_check(a, w, o, &code))
        return code;
    /* Search: propose, build and measure kernels and fit the model, until the budget is used. This gives records. */
    const Known *known = learn_targets(a, w, o, stop, &code);
    /* Work out from the records, for each target: study, model, chosen kernels, dispatch tree, stated regret. */
    const int n = workload_ntarget(w);
    Result *results = known ? replay_all(a, known, n, &code) : NULL;
    /* Make the files of the package in memory, and prove that its dispatcher does as the trees say. */
    const Package *p = results ? deliver_make(a, w, results, n, o, &code) : NULL;
    if (!p || !deliver_prove(a, w, results, n, p, o, stop, &proof, &code))
        return code;
    /* Write them into a temporary folder, rename it, print the summary. */
    return deliver_write(a, w, results, n, p, o, &proof);
}

/* Makes the package from its records alone: it compiles and measures nothing, so the dispatcher is not proven. */
int replay(Arena *a, const Options *o)
{
    int code = EXIT_DONE;
    const Workload *w = command_workload(a, o->operand, o, &code);
    if (!w || !deliver_check(a, w, o, &code))
        return code;
    const int n = workload_ntarget(w);
    Result *results = replay_read_all(a, w, &code);
    const Package *p = results ? deliver_make(a, w, results, n, o, &code) : NULL;
    return p ? deliver_write(a, w, results, n, p, o, NULL) : code;
}
