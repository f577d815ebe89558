/* SPDX-License-Identifier: Apache-2.0
 *
 * tools: what measuring needs: the compilers, a runner that is set up for the workload's operator, the record file, the progress display.
 */
#ifndef DCGEN_TOOLS_H
#define DCGEN_TOOLS_H

#include <stdbool.h>
#include "gen/base/arena.h"
#include "gen/base/progress.h"
#include "gen/command/cli.h"
#include "gen/command/site.h"
#include "gen/command/workload.h"
#include "search/build/build.h"
#include "search/build/build_cache.h"
#include "search/measure/lab.h"
#include "search/record/record.h"

/* Each NULL until it is open; tools_close releases what is. */
typedef struct {
    Builder *builder;   /* makes of candidates what the runner runs */
    Builder *assembler; /* without a GPU: makes the code that a GPU would run, for what the compiler says of it */
    Builder *reference; /* C, for the op's definition */
    BuildCache *builds; /* of --builds */
    const Options *options;
    Runner *runner;
    RecordFile *records;
    Progress *progress;
    const Device *device;         /* what kernels are for, with the compiler; set by who chooses the target */
    const char *compiler, *flags; /* of the code that ships */
} Tools;

int tools_jobs(const Options *o); /* compilers at a time: one a core that we may run on, unless told otherwise */

/* Starts the compilers for kernels on that site, and builds the op's definition: with a GPU's site no GPU need be there. */
bool tools_open_compilers(Arena *a, const Workload *w, const Options *o, const Site *site, Tools *t,
                          const volatile int *stop, const char **err);
/* The same, and starts the runner for kernels on that site; nothing is written yet. False with *err set; call tools_close all the same. */
bool tools_open(Arena *a, const Workload *w, const Options *o, const Site *site, Tools *t, const volatile int *stop,
                const char **err);
/* How C is compiled to be run on this CPU, and candidates to be run by the emulator; for all else toolchain_make. */
Toolchain tools_cc(Arena *a, const Options *o);
Toolchain tools_emulator(Arena *a, const Options *o, const Workload *w);
/* The compiler of a family's kernels: as its option says, else in PATH or where it is installed. NULL: it is in none of these. */
const char *tools_program(Arena *a, const Options *o, const Family *f);
/* The folder of --builds, made if it is not there; *out is NULL where none is given. False with *err set. */
bool tools_open_builds(Arena *a, const Options *o, BuildCache **out, const char **err);
/* What is to be said at the end of it: what was found there, and what went wrong. It is closed. */
void tools_close_builds(const Options *o, BuildCache *c);
/* How many it could not store, and why; NULL: none. c may be NULL. */
const char *tools_lost_builds(Arena *a, const Options *o, BuildCache *c);
/* Opens w->records for appending (with o->fresh a new one, the old one kept beside it), its folders made. */
bool tools_open_records(Arena *a, const Workload *w, const Options *o, Tools *t, const char **err);
/* What a lab that compiles has of them, and of the workload (search/measure/lab.h). */
Workshop tools_workshop(Arena *a, const Tools *t, const Workload *w, const Options *o, const UnitContext *u);
void tools_close(Tools *t);

#endif
