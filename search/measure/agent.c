/* SPDX-License-Identifier: Apache-2.0
 *
 * agent: the list of agents, which has one.
 */
#include "search/measure/agent.h"

/* Before any request was made, one is expected to take REQUEST_S beside its samples, as surely as if PRIOR had. */
enum { PRIOR = 4 };
static const double REQUEST_S = 0.05;

Agents *agents_of(Arena *a, Runner *r)
{
    Agents *x = ARENA_NEW(a, Agents);
    x->agent = ARENA_NEW(a, Agent);
    x->agent[x->n++].runner = r;
    return x;
}

const Device *agents_device(const Agents *x) { return runner_device(x->agent->runner); }

void agents_stop(Agents *x)
{
    for (int i = 0; x && i < x->n; i++)
        runner_stop(x->agent[i].runner);
}

void pace_learn(Pace *p, double extra_s)
{
    p->extra_s += extra_s;
    p->nrequest++;
}

double agents_extra_s(const Agents *x)
{
    const Pace p = x ? x->agent->pace : (Pace){ 0 };
    return (PRIOR * REQUEST_S + p.extra_s) / (double)(PRIOR + p.nrequest);
}
