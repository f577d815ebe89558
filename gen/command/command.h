/* SPDX-License-Identifier: Apache-2.0
 *
 * command: the commands. Each is given its run, and is true if all is well.
 */
#ifndef DCGEN_COMMAND_H
#define DCGEN_COMMAND_H

#include "gen/driver/run.h"

/* Searches, then makes the package from the records that the search left, as replay does, so that the package depends
 * on nothing else. */
bool generate(Run *r);
/* Makes the package from recorded measurements: nothing is compiled or measured, the bytes are the same on any
 * machine. */
bool replay(Run *r);
/* replay --check PKG: is the package as dcgen wrote it, and as this dcgen would write it? (gen/print/drift.h) */
bool replay_check(Run *r);
/* Is the spec right, and what would be searched? Every rejection of the space with its reason. */
bool check(Run *r);
/* Measures what the device does at most, and records it. */
bool limits(Run *r);
/* Compiles into the folder of --builds what a search would compile first. */
bool build_ahead(Run *r);
/* try: builds, verifies and times one kernel of a template. Nothing is recorded or written. */
bool try_kernel(Run *r);
/* import MODEL: writes the model's spec and its weights (gen/import). */
bool import_model(Run *r);
/* Is the operand a model, not a spec? */
bool import_is_model(const char *path);
/* Imports the model o->operand beside where its package goes. The path of the spec; NULL: it fails. */
const char *import_for_package(Run *r);
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

/* Warns the user; called before code of a package runs here. */
void command_warn_of_code(const Options *o);

#endif
