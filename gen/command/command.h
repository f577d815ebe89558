/* SPDX-License-Identifier: Apache-2.0
 *
 * command: what the commands share: exit codes, reading a workload, complaining.
 */
#ifndef DCGEN_COMMAND_H
#define DCGEN_COMMAND_H

#include "gen/base/arena.h"
#include "gen/command/cli.h"
#include "gen/command/workload.h"
#include "gen/unit/unit.h"
#include "search/space/space.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3, EXIT_INTERRUPTED = 130 };

/* Says it on stderr; gives the code. */
int command_fail(const char *err, int code);
/* The same for functions that return false and set *code. */
bool command_fails(const char *err, int as, int *code);
/* The user interrupted: says whether anything was recorded, and where. Gives the code. */
int command_interrupted(const Workload *w, bool recorded);
/* To be said before code of a package runs here. */
void command_warn_of_code(const Options *o);
/* The workload of a spec; NULL with *code set after it was said what is wrong with it. */
const Workload *command_workload(Arena *a, const char *spec_path, const Options *o, int *code);
/* The same for the package in the folder o->operand: its own spec.cfg, and records.jsonl as the workload's records. */
const Workload *command_package(Arena *a, const Options *o, int *code);
/* Everything that fits; what is wrong with templates is found before anything is built. NULL after errors in d. */
const Space *command_space(Arena *a, const UnitContext *u, const TemplateList *templates, const Target *target,
                           Diag *d);

#endif
