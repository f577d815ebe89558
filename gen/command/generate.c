/* SPDX-License-Identifier: Apache-2.0
 *
 * generate: the way of the data, from a spec to the package of its kernels. Each step takes finished values and gives new ones; one that
 * fails has said why, and *code is the exit code.
 */
#include "gen/command/generate.h"

#include "gen/command/command.h"
#include "gen/command/deliver.h"
#include "gen/command/learn.h"
#include "gen/command/replay.h"

/* Records of every target of the workload. Only the first search of a run begins the file of records anew (--fresh). */
static const Known *learn_all(Arena *a, const Workload *w, const Options *o, const volatile int *stop, int *code)
{
    const int n = workload_ntarget(w);
    Known *known = ARENA_ARRAY(a, (size_t)n, Known);
    Options each = *o;
    for (int i = 0; i < n; i++, each.fresh = false)
        if (!learn_target(a, workload_for(a, w, i), &each, stop, &known[i], code))
            return NULL;
    return known;
}

int generate(Arena *a, const Options *o, const volatile int *stop)
{
    int code = EXIT_DONE;
    Proof proof = { 0 };
    /* the spec, the targets and the templates; the package must have a place to go to */
    const Workload *w = command_workload(a, o->operand, o, &code);
    if (!w || !deliver_check(a, w, o, &code))
        return code;
    /* propose, build, measure, fit, until it is enough: records */
    const Known *known = learn_all(a, w, o, stop, &code);
    /* of these, for each target: study, model, kernels, tree and contract */
    const int n = workload_ntarget(w);
    Result *part = known ? replay_all(a, known, n, &code) : NULL;
    /* the files of the package, in memory; its dispatcher does as the trees say */
    const Package *p = part ? deliver_make(a, w, part, n, o, &code) : NULL;
    if (!p || !deliver_prove(a, w, part, n, p, o, stop, &proof, &code))
        return code;
    /* a temporary folder, then renamed; and the summary */
    return deliver_write(a, w, part, n, p, o, &proof);
}

int replay(Arena *a, const Options *o)
{
    int code = EXIT_DONE;
    const Workload *w = command_workload(a, o->operand, o, &code);
    if (!w || !deliver_check(a, w, o, &code))
        return code;
    const int n = workload_ntarget(w);
    Result *part = replay_read_all(a, w, &code);
    const Package *p = part ? deliver_make(a, w, part, n, o, &code) : NULL;
    return p ? deliver_write(a, w, part, n, p, o, NULL) : code;
}
