/* SPDX-License-Identifier: Apache-2.0
 *
 * agent: a runner, with what is known of the machine that it measures on: how long requests take there, and when its
 * limits are measured next. Requests wait in a queue for the next agent that is free, and all agents are waited for at
 * once. Compilers in the background and the display have threads of their own, which go on meanwhile (build.h,
 * progress.h).
 */
#ifndef DCGEN_AGENT_H
#define DCGEN_AGENT_H

#include "search/measure/request.h"

/* What requests for times took besides their samples, in sum. */
typedef struct {
    double extra_s;
    int64_t nrequest;
} Pace;

typedef struct Agent {
    Runner *runner;
    Pace pace;
    double limits_due_s; /* on the clock of the lab; 0: not measured yet in this run; infinite: never */
    Request *request;    /* under way; NULL: it is free */
    Exchange *exchange;
} Agent;

/* The agents of a workshop, and the requests that no agent has begun. */
typedef struct {
    Agent *agent;
    int n;
    Request *first, *last; /* NULL: none */
    struct pollfd *fds;    /* two an agent: what is waited for */
} Agents;

/* Starts a runner (runner_new), and gives a list of one. NULL with *err set; stop may be NULL. */
Agents *agents_start(Arena *a, const char *const *command, const Spec *spec, const char *reference_so, uint64_t seed,
                     const volatile int *stop, const char **err);
Agents *agents_of(Arena *a, Runner *r);       /* a list of one, which may be started by its first request */
const Device *agents_device(const Agents *x); /* what they measure on */
void agents_stop(Agents *x);                  /* ends the runners; x may be NULL */

/* Puts a request behind all others. It stays where it is. */
void agents_ask(Agents *x, Request *q);
/* Lets agents take requests until none is left. Each is taken over (Request.take) as soon as it is over: in the order
 * in which they end. False with *err set: one failed or could not be taken over, or *stop became true; then the others
 * are forgotten, and runners that were at one are killed. */
bool agents_work(Agents *x, const volatile int *stop, const char **err);

/* How long the agents' next request will take besides its samples. x may be NULL. */
double agents_extra_s(const Agents *x);

#endif
