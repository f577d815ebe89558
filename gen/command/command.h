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

/* A command that runs. A function that is given one and fails says so in `err` and `code`, and returns false or NULL. */
typedef struct {
    Arena *a;
    const Options *o;
    const volatile int *stop; /* becomes true when the user interrupts */
    const char *err;          /* what is still to be printed of a failure; NULL: nothing */
    int code;                 /* the exit code of one: EXIT_ENVIRONMENT, unless a function sets another */
} Run;

/* Sets both; returns false. */
bool run_fails(Run *r, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The user interrupted: tells whether anything was recorded, and where. Returns false. */
bool run_is_interrupted(Run *r, const Workload *w, bool recorded);
/* Prints `err` on stderr, once. Where the user interrupted, that is the reason, whatever else it made fail. */
void run_say(Run *r);

/* ---- the commands: true if all is well ---- */

/* Searches, then makes the package from the records that the search left, as replay does: it never depends on anything else. */
bool generate(Run *r);
/* Makes the package from recorded measurements: nothing is compiled or measured, the bytes are the same on any machine. */
bool replay(Run *r);
/* replay --check PKG: is the package as dcgen wrote it, and as this dcgen would write it? (gen/command/drift.h) */
bool replay_check(Run *r);
/* Is the spec right, and what would be searched? Every rejection of the space with its reason. */
bool check(Run *r);
/* Measures what the device does at most, and records it. */
bool limits(Run *r);
/* Compiles into the folder of --builds what a search would compile first. */
bool build_ahead(Run *r);
/* --dump STAGE: what that stage makes of the spec, or of the records that there are. Nothing is measured or written. */
bool dump_stage(Run *r);
/* explain PKG, from the spec and records in the package itself. */
bool explain_package(Run *r);
/* Builds a package by CMake, as a product would, in a private temporary folder, and runs its own benchmark, which prints by itself. */
bool bench_package(Run *r);
/* bench PKG --regret (gen/command/regret.h). */
bool regret_package(Run *r);

/* ---- what they share ---- */

/* The workload of the spec o->operand. What is wrong with the spec is printed. */
const Workload *command_workload(Run *r);
/* The same for the package in the folder o->operand: its own spec.cfg, and records.jsonl as the workload's records. target: those that are
 * meant, as --target names them; n 0: all of the package's. */
const Workload *command_package(Run *r, CliList target);
/* Everything that fits the unit's target; what is wrong with templates is found before anything is built, and printed. */
const Space *command_space(Run *r, const Workload *w, const UnitContext *u);
/* To be said before code of a package runs here. */
void command_warn_of_code(const Options *o);

#endif
