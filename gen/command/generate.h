/* SPDX-License-Identifier: Apache-2.0
 *
 * generate: the commands. Each returns dcgen's exit code (gen/command/command.h).
 *
 *   generate   search, then the package from the records that the search left
 *   replay     the package from recorded measurements: nothing is compiled or measured, the same bytes on any machine
 *   limits     what the device does at most, measured and recorded
 *   check      is the spec right, and what would be searched? Every rejection of the space with its reason
 *
 * generate ends with what replay does: the package never depends on anything that is not in its records.
 */
#ifndef DCGEN_GENERATE_H
#define DCGEN_GENERATE_H

#include "gen/base/arena.h"
#include "gen/command/cli.h"

int generate(Arena *a, const Options *o, const volatile int *stop);
int replay(Arena *a, const Options *o);
/* replay --check PKG: is the package as dcgen wrote it, and as this dcgen would write it? (gen/command/drift.h) */
int replay_check(Arena *a, const Options *o);
int check(Arena *a, const Options *o);
int limits(Arena *a, const Options *o, const volatile int *stop);
/* build: into the folder of --builds, what a search would compile first. */
int build_ahead(Arena *a, const Options *o, const volatile int *stop);
/* --dump STAGE: what that stage makes of the spec, or of the records that there are. Nothing is measured or written. */
int dump_stage(Arena *a, const Options *o);
/* explain PKG: from the spec and records in the package itself. */
int explain_package(Arena *a, const Options *o);
/* bench PKG --regret: likewise. */
int regret_package(Arena *a, const Options *o, const volatile int *stop);

#endif
