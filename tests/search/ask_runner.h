/* SPDX-License-Identifier: Apache-2.0
 *
 * ask_runner: for tests of what runners and kernels do: starts one runner, and asks it for one thing at a time.
 */
#ifndef DCGEN_TEST_ASK_RUNNER_H
#define DCGEN_TEST_ASK_RUNNER_H

#include <string.h>
#include "search/measure/agent.h"

/* Has a runner answer one request, and waits for that. */
static inline bool ask_runner(Runner *r, Request *q, const volatile int *stop, const char **err)
{
    Agents *x = agents_of(q->arena, r);
    agents_ask(x, q);
    return agents_work(x, stop, err);
}

/* NULL with *err set: it cannot be started. */
static inline Runner *runner_start(Arena *a, const char *const *command, const Spec *spec, const char *reference_so,
                                   uint64_t seed, const volatile int *stop, const char **err)
{
    Runner *r = runner_new(a, command, spec, reference_so, seed, err);
    return r && ask_runner(r, &(Request){ .arena = a }, stop, err) ? r : NULL;
}

/* Measures n shared objects on one shape. */
static inline bool measure(Runner *r, Arena *a, const MeasureRequest *m, const char *const *key, const char *const *so,
                           int n, MeasureRecord *out, const volatile int *stop, const char **err)
{
    Request q = { .arena = a, .measure = *m };
    for (int i = 0; i < n; i++)
        kernels_add(&q.kernel, key[i], so[i], i);
    const bool ok = ask_runner(r, &q, stop, err);
    for (int i = 0; i < n && q.out; i++)
        out[i] = q.out[i];
    return ok;
}

/* Asks for limits; *n are there. */
static inline bool limit_measure(Runner *r, Arena *a, const LimitRequest *l, LimitRecord *out, int *n,
                                 const volatile int *stop, const char **err)
{
    Request q = { .arena = a, .limits = *l };
    const bool ok = ask_runner(r, &q, stop, err);
    *n = q.nlimit;
    for (int i = 0; i < q.nlimit; i++)
        out[i] = q.limit[i];
    return ok;
}

#endif
