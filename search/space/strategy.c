/* SPDX-License-Identifier: Apache-2.0
 *
 * strategy: the table of strategies, and those that a joint search is judged against. They expect nothing: such a search ends with its
 * budget, or when the space is used up.
 */
#include "search/space/propose.h"

#include <math.h>

enum { MANY_TRIES = 1000 };

static bool among(const Proposal *p, int n, const Candidate *c)
{
    for (int i = 0; i < n; i++)
        if (candidate_same(&p[i].c, c))
            return true;
    return false;
}

/* Any candidates, each on as many shapes as the joint search measures. */
static int propose_random(Arena *a, const Study *s, const Space *space, const CostModel *m, Rng *rng, Proposal *out,
                          int n)
{
    (void)a;
    (void)m;
    int count = 0;
    for (int tries = 0; count < n && tries < MANY_TRIES; tries++) {
        const Candidate *c = &space->candidate[rng_below(rng, space->n)];
        if (study_find(s, c) >= 0 || among(out, count, c))
            continue;
        Proposal *p = &out[count++];
        *p = (Proposal){ .c = *c, .gain = INFINITY };
        while (p->nshape < PROPOSE_SHAPES && p->nshape < s->nshape) {
            const int64_t shape = rng_below(rng, s->nshape);
            if (!proposal_has(p, shape))
                p->shape[p->nshape++] = shape;
        }
    }
    return count;
}

/* The shapes that a candidate was not measured on, as far as there is room. One that is in the study and not built is in this batch. */
static void add_missing(const Study *s, Proposal *p)
{
    const int64_t trial = study_find(s, &p->c);
    if (trial >= 0 && !trial_usable(&s->trial[trial]))
        return;
    for (int64_t j = 0; p->nshape < PROPOSE_MAX_SHAPES && j < s->nshape; j++)
        if (trial < 0 || !(s->trial[trial].ns[j] > 0))
            p->shape[p->nshape++] = j;
}

/* All candidates in order, on all shapes. */
static int propose_all(Arena *a, const Study *s, const Space *space, const CostModel *m, Rng *rng, Proposal *out, int n)
{
    (void)a;
    (void)m;
    (void)rng;
    int count = 0;
    for (int64_t i = 0; i < space->n && count < n; i++) {
        Proposal *p = &out[count];
        *p = (Proposal){ .c = space->candidate[i], .gain = INFINITY };
        add_missing(s, p);
        count += p->nshape > 0;
    }
    return count;
}

const Strategy strategies[STRATEGY_COUNT] = {
    [STRATEGY_JOINT] = { "joint", true, false, propose },
    [STRATEGY_RANDOM] = { "random", false, false, propose_random },
    [STRATEGY_EXHAUSTIVE] = { "exhaustive", false, true, propose_all },
};
