/* SPDX-License-Identifier: Apache-2.0
 *
 * run: what a command works with, how it reads what it works on, and how it says what went wrong.
 */
#ifndef DCGEN_RUN_H
#define DCGEN_RUN_H

#include "gen/driver/cli.h"
#include "gen/driver/workload.h"
#include "search/space/space.h"

/* A command that runs. A function that is given a Run and fails sets `err` and `code`, and returns false or NULL. */
typedef struct {
    Arena *a;
    const Options *o;
    const volatile int *stop;         /* becomes true when the user interrupts */
    const char *volatile *last_words; /* run_may_end */
    const char *err;                  /* the message of a failure, not yet printed; NULL: there is none */
    int code;                         /* the exit code of a failure: EXIT_ENVIRONMENT, unless a function sets another */
} Run;

/* Sets `err` and `code`; returns false. */
bool run_fails(Run *r, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What is said of an interrupt once there are records in that file. */
const char *run_kept(Run *r, const char *records);
/* Fails because the user interrupted; the message says where records are. NULL: nothing was recorded. Returns false. */
bool run_is_interrupted(Run *r, const char *records);
/* From here on nothing is held that must be put in order (half a package, a runner, compilers), so that an interrupt
 * ends dcgen at once: it prints this and no more. NULL: from here on an interrupt sets `stop` again. */
void run_may_end(Run *r, const char *last_words);
/* Prints `err` on stderr, and clears it. After an interrupt the message says that instead: it is why anything else
 * failed. */
void run_say(Run *r);

/* The workload of a spec. What is wrong with it is printed. */
Workload *run_read(Run *r, const char *spec_path, const Options *o);
/* That of the spec o->operand. */
const Workload *run_workload(Run *r);
/* The workload of the package in the folder o->operand: its own spec.cfg, with its records.jsonl as records. target:
 * which of its targets, as --target names them; n 0: all. */
const Workload *run_package(Run *r, TextList target);
/* All candidates that fit the unit's target. Errors in templates are found here, before anything is built, and
 * printed. */
const Space *run_space(Run *r, const Job *job, const UnitContext *u);

#endif
