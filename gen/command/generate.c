/* SPDX-License-Identifier: Apache-2.0
 *
 * generate: runs all steps of dcgen, from a spec to the finished package. Each step takes finished values and gives new ones.
 */
#include "gen/command/replay.h"
#include "gen/command/tools.h"

/* Reads the spec, the targets and the templates. Checks that the op has all that a package takes, and that the package can be written where it
 * is to go. */
static const Workload *read_workload(Run *r)
{
    const Workload *w = command_workload(r);
    return w && site_check_op(r, w) && package_check(w->out, r->o->force, &r->err, r->a) ? w : NULL;
}

/* Finds or measures the records of every function and target. */
static const Known *learn_parts(Run *r, const Workload *w)
{
    const int npart = workload_npart(w);
    Known *known = ARENA_ARRAY(r->a, (size_t)npart, Known);
    for (int i = 0; i < npart; i++)
        if (!learn_target(r, workload_for(r->a, w, i), &known[i]))
            return NULL;
    return known;
}

bool generate(Run *r)
{
    Proof proof[SPEC_MAX_FUNCTION] = { 0 };
    const Workload *w = read_workload(r);
    /* Search: propose, build and measure kernels and fit the model, until the budget is used. This gives records. */
    const Known *known = w ? learn_parts(r, w) : NULL;
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
