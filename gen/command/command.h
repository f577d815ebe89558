/* SPDX-License-Identifier: Apache-2.0
 *
 * command: the commands, the run that each is given, and what they share.
 */
#ifndef DCGEN_COMMAND_H
#define DCGEN_COMMAND_H

#include "gen/command/cli.h"
#include "gen/command/workload.h"
#include "gen/unit/unit.h"
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

/* ---- the commands: true if all is well ---- */

/* Searches, then makes the package from the records that the search left, as replay does, so that the package depends
 * on nothing else. */
bool generate(Run *r);
/* Makes the package from recorded measurements: nothing is compiled or measured, the bytes are the same on any
 * machine. */
bool replay(Run *r);
/* replay --check PKG: is the package as dcgen wrote it, and as this dcgen would write it? (gen/command/drift.h) */
bool replay_check(Run *r);
/* Is the spec right, and what would be searched? Every rejection of the space with its reason. */
bool check(Run *r);
/* Measures what the device does at most, and records it. */
bool limits(Run *r);
/* Compiles into the folder of --builds what a search would compile first. */
bool build_ahead(Run *r);
/* try: builds, verifies and times one kernel of a template. Nothing is recorded or written. */
bool try_kernel(Run *r);
/* --dump STAGE: prints what that stage makes of the spec, or of the records that there are. Nothing is measured or
 * written. */
bool dump_stage(Run *r);
/* explain PKG: says which kernel the package takes for a shape, and why, from the spec and records in the package
 * itself. */
bool explain_package(Run *r);
/* bench PKG: builds the package by CMake, as a product would, in a temporary folder, and runs its own benchmark, which
 * prints its results. */
bool bench_package(Run *r);
/* bench PKG --regret: measures the package's regret again (gen/command/regret.h). */
bool regret_package(Run *r);

/* ---- what they share ---- */

/* The workload of a spec. What is wrong with it is printed. */
Workload *command_read(Run *r, const char *spec_path, const Options *o);
/* That of the spec o->operand. */
const Workload *command_workload(Run *r);
/* The workload of the package in the folder o->operand: its own spec.cfg, with its records.jsonl as records. target:
 * which of its targets, as --target names them; n 0: all. */
const Workload *command_package(Run *r, CliList target);
/* All candidates that fit the unit's target. Errors in templates are found here, before anything is built, and
 * printed. */
const Space *command_space(Run *r, const Job *job, const UnitContext *u);
/* Warns the user; called before code of a package runs here. */
void command_warn_of_code(const Options *o);

#endif
