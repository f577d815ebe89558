/* SPDX-License-Identifier: Apache-2.0
 *
 * runner_private: a runner's process and the lines to and from it, for measure.c.
 */
#ifndef DCGEN_RUNNER_PRIVATE_H
#define DCGEN_RUNNER_PRIVATE_H

#include <jansson.h>
#include "gen/base/lines.h"
#include "gen/base/process.h"
#include "search/measure/runner.h"

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
};

/* What came of waiting for the runner. */
typedef enum {
    HEARD,
    DEAD,     /* it has closed the socket */
    SILENT,   /* the deadline passed */
    NONSENSE, /* what it said is not of the protocol */
    STOPPED   /* *stop became true */
} RunnerAnswer;

RunnerAnswer runner_send(Runner *r, const char *line, double deadline_s, const volatile int *stop);
/* Waits for a line. *event becomes that line as JSON, which the caller releases; else it becomes NULL or stays as it
 * was. */
RunnerAnswer runner_hear(Runner *r, double deadline_s, const volatile int *stop, json_t **event);
bool runner_says(const json_t *event, const char *name); /* the event has this name */
/* A text of an event, "" if it has none. */
const char *runner_text(Arena *a, const json_t *event, const char *field);
double runner_rate(const json_t *json, const char *field); /* a number of an object; 0: not there, or not above 0 */
/* Sees to it that a runner runs and is set up: the one that is there, or a new one. False with *err set. */
bool runner_ensure(Runner *r, Arena *a, const volatile int *stop, const char **err);
/* True if the runner ends by itself within `patience_s`. */
bool runner_await(const Runner *r, double patience_s);
/* Kills the runner if it does not end by itself within `patience_s`. Gives its wait status; 0 if none ran. */
int runner_end(Runner *r, double patience_s);
extern const double runner_patience_s; /* for a runner that was told to end, or seems to be ending */
/* Gives an object as a line of text, and releases the object. NULL where the object is NULL. */
char *runner_line(Arena *a, json_t *request);

#endif
