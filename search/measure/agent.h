/* SPDX-License-Identifier: Apache-2.0
 *
 * agent: a runner, with what is known of the machine that it measures on: how long requests take there, and when its
 * limits are measured next.
 */
#ifndef DCGEN_AGENT_H
#define DCGEN_AGENT_H

#include "search/measure/runner.h"

/* What requests for times took besides their samples, in sum. */
typedef struct {
    double extra_s;
    int64_t nrequest;
} Pace;

typedef struct {
    Runner *runner;
    Pace pace;
    double limits_due_s; /* on the clock of the lab; 0: not measured yet in this run; infinite: never */
} Agent;

/* The agents of a workshop. */
typedef struct {
    Agent *agent;
    int n;
} Agents;

/* A list of one, of a runner that was started. */
Agents *agents_of(Arena *a, Runner *r);
const Device *agents_device(const Agents *x); /* what they measure on */
void agents_stop(Agents *x);                  /* ends the runners; x may be NULL */

void pace_learn(Pace *p, double extra_s); /* of one request */
/* How long the agents' next request will take besides its samples. x may be NULL. */
double agents_extra_s(const Agents *x);

#endif
