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
    bool has_epilogue[OP_MAX_OPERAND];
    Child child; /* its stderr is kept */
    int fd;
    Lines lines;
    int64_t last_id;
};

/* What came of waiting for the runner. */
typedef enum { HEARD, DEAD, SILENT, NONSENSE, STOPPED } RunnerAnswer;

RunnerAnswer runner_send(Runner *r, const char *line, double deadline_s, const volatile int *stop);
/* The next line as JSON, which the caller releases; *event is NULL or as it was if there is none. */
RunnerAnswer runner_hear(Runner *r, double deadline_s, const volatile int *stop, json_t **event);
bool runner_says(const json_t *event, const char *name); /* the event has this name */
/* A text of an event, "" if it has none. */
const char *runner_text(Arena *a, const json_t *event, const char *field);
double runner_rate(const json_t *json, const char *field); /* a number of an object; 0: not there, or not above 0 */
/* Sees to it that a runner runs and is set up: the one that is there, or a new one. False with *err set. */
bool runner_ensure(Runner *r, Arena *a, const volatile int *stop, const char **err);
/* True if it ends by itself within `patience_s`. */
bool runner_await(const Runner *r, double patience_s);
/* Kills it, if it does not end by itself within `patience_s`; its wait status. */
int runner_end(Runner *r, double patience_s);
extern const double runner_patience_s; /* for a runner that was told to end, or seems to be ending */
/* Writes an object as a line and releases it. NULL where the object is NULL. */
char *runner_line(Arena *a, json_t *request);

#endif
