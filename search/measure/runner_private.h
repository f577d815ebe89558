/* SPDX-License-Identifier: Apache-2.0
 *
 * runner_private: a runner's process and the lines to and from it, for exchange.c and agent.c. Nothing here waits.
 */
#ifndef DCGEN_RUNNER_PRIVATE_H
#define DCGEN_RUNNER_PRIVATE_H

#include <poll.h>
#include "gen/base/lines.h"
#include "gen/base/process.h"
#include "search/measure/request.h"

/* What a runner is about. */
typedef enum { RUNNER_OFF, RUNNER_GREETS, RUNNER_SETS_UP, RUNNER_READY } RunnerStage;

struct Runner {
    Arena *a;
    const char *const *command;
    const Op *op;
    const char *setup; /* the line that sets a new runner up */
    Device device;     /* id NULL: none has said hello yet */
    const Layout *layout[OP_MAX_OPERAND];
    Child child; /* its stderr is kept */
    int fd;
    Lines lines;
    int64_t last_id;
    const char *unsent;          /* what is left of the line to it; "": nothing */
    double deadline_s, silent_s; /* silence that counts as a hang, and when it will have been silent for so long */
    double closed_s;             /* when it was seen to have closed the socket; 0: it has not */
    RunnerStage stage;
    int nstart;      /* tries of starting it in succession */
    double began_s;  /* when the last of them began */
    const char *why; /* it failed */
};

/* What came of listening to the runner. */
typedef enum {
    WAITING, /* nothing yet */
    HEARD,
    DEAD,    /* it has closed the socket, and had a moment to end by itself */
    SILENT,  /* the deadline passed */
    NONSENSE /* what it sent is not of the protocol */
} RunnerAnswer;

/* Begins to say a line, which stays where it is. From then on silence for deadline_s is a hang. */
void runner_say(Runner *r, const char *line, double deadline_s);
/* Sends what is not yet sent, and takes the next line. *event: that line as JSON, for the caller to release; else
 * NULL. */
RunnerAnswer runner_hear(Runner *r, json_t **event);
/* Sets what to wait for until the runner can be heard, and gives the longest time for that in milliseconds. */
int runner_watch(const Runner *r, struct pollfd fds[2]);
void runner_listen(Runner *r); /* takes what is there of its stderr */

/* A runner is wanted: one that has ended meanwhile is started anew. */
void runner_want(Runner *r);
/* Has the runner that is wanted been started and set up? HEARD: it has; WAITING; DEAD: it cannot be, *why says why. */
RunnerAnswer runner_ready(Runner *r, const char **why);
int runner_end(Runner *r); /* kills the runner. Gives its wait status; 0 if none ran */

bool runner_says(const json_t *event, const char *name); /* the event has this name */
/* A text of an event, "" if it has none. */
const char *runner_text(Arena *a, const json_t *event, const char *field);
double runner_rate(const json_t *json, const char *field); /* a number of an object; 0: not there, or not above 0 */
/* Gives an object as a line of text, and releases the object. NULL where the object is NULL. */
char *runner_line(Arena *a, json_t *request);

/* The line that asks a runner to measure those kernels of a request that `which` names. NULL: a size overflows. */
char *request_measure_line(const Runner *r, const Request *q, int repeats, const int *which, int n);
char *request_limits_line(const Runner *r, const Request *q); /* NULL: a text is not UTF-8 */

#endif
