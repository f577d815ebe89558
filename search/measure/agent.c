/* SPDX-License-Identifier: Apache-2.0
 *
 * agent: hands requests to agents that are free, and waits for all of them at once.
 */
#include "search/measure/agent.h"

#include <limits.h>
#include "search/measure/runner_private.h"

/* Before any request was made, one is expected to take REQUEST_S beside its samples, as surely as if PRIOR had. */
enum { PRIOR = 4 };
static const double REQUEST_S = 0.05;

Agents *agents_of(Arena *a, Runner *r)
{
    Agents *x = ARENA_NEW(a, Agents);
    x->agent = ARENA_NEW(a, Agent);
    x->agent[x->n++].runner = r;
    x->fds = ARENA_ARRAY(a, 2 * (size_t)x->n, struct pollfd);
    return x;
}

Agents *agents_start(Arena *a, const char *const *command, const Spec *spec, const char *reference_so, uint64_t seed,
                     const volatile int *stop, const char **err)
{
    Runner *r = runner_new(a, command, spec, reference_so, seed, err);
    Agents *x = r ? agents_of(a, r) : NULL;
    Request ready = { .arena = a };
    if (x)
        agents_ask(x, &ready);
    return x && agents_work(x, stop, err) ? x : NULL;
}

const Device *agents_device(const Agents *x) { return runner_device(x->agent->runner); }

void agents_stop(Agents *x)
{
    for (int i = 0; x && i < x->n; i++)
        runner_stop(x->agent[i].runner);
}

void agents_ask(Agents *x, Request *q)
{
    q->later = NULL;
    *(x->first ? &x->last->later : &x->first) = q;
    x->last = q;
}

static void begin_next(Agents *x, Agent *g)
{
    while (x->first && !g->request) {
        Request *q = x->first;
        x->first = q->later;
        q->agent = g;
        if (!q->fill || q->fill(q)) {
            g->request = q;
            g->exchange = exchange_begin(g->runner, q);
        }
    }
}

/* Takes each agent a step on. STEP_WAITS: all that have a request wait for their runners; STEP_OVER: none has one. */
static Step step_all(Agents *x, const char **err)
{
    bool busy = false, moved = false;
    for (Agent *g = x->agent; g < x->agent + x->n; g++) {
        begin_next(x, g);
        Request *q = g->request;
        const Step step = q ? exchange_step(g->exchange, err) : STEP_WAITS;
        if (step == STEP_OVER || step == STEP_FAILED)
            g->request = NULL;
        if (step == STEP_FAILED || (step == STEP_OVER && q->take && !q->take(q, err)))
            return STEP_FAILED;
        busy = busy || g->request;
        moved = moved || step != STEP_WAITS;
    }
    return moved && (busy || x->first) ? STEP_ON : busy ? STEP_WAITS : STEP_OVER;
}

static void wait_for_any(Agents *x)
{
    nfds_t n = 0;
    int most_ms = INT_MAX;
    for (const Agent *g = x->agent; g < x->agent + x->n; g++) {
        const int ms = g->request ? runner_watch(g->runner, x->fds + n) : INT_MAX;
        most_ms = ms < most_ms ? ms : most_ms;
        n += g->request ? 2 : 0;
    }
    poll(x->fds, n, most_ms);
    for (const Agent *g = x->agent; g < x->agent + x->n; g++)
        if (g->request)
            runner_listen(g->runner);
}

static void drop_all(Agents *x)
{
    x->first = NULL;
    for (Agent *g = x->agent; g < x->agent + x->n; g++) {
        if (g->request)
            runner_end(g->runner);
        g->request = NULL;
    }
}

bool agents_work(Agents *x, const volatile int *stop, const char **err)
{
    Step step = x->first ? STEP_ON : STEP_OVER;
    while (step == STEP_ON || step == STEP_WAITS) {
        if (step == STEP_WAITS)
            wait_for_any(x);
        if (stop && *stop)
            *err = "interrupted";
        step = stop && *stop ? STEP_FAILED : step_all(x, err);
    }
    if (step == STEP_FAILED)
        drop_all(x);
    return step == STEP_OVER;
}

double agents_extra_s(const Agents *x)
{
    const Pace p = x ? x->agent->pace : (Pace){ 0 };
    return (PRIOR * REQUEST_S + p.extra_s) / (double)(PRIOR + p.nrequest);
}
