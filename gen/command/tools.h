/* SPDX-License-Identifier: Apache-2.0
 *
 * tools: where the kernels of a workload run (site.c), and what measuring there needs: the compilers, a runner that is set up for the
 * workload's operator, the record file, the progress display (tools.c).
 */
#ifndef DCGEN_TOOLS_H
#define DCGEN_TOOLS_H

#include "gen/command/command.h"
#include "search/build/build_cache.h"
#include "search/measure/lab.h"

/* ---- where kernels run ---- */

/* This CPU, a GPU beside it or at the other end of --runner, or no device: then kernels are compiled, executed by the emulator, and their times
 * computed. */
typedef struct {
    const Family *family; /* of what runs kernels */
    const Target *target; /* of a device beside this CPU, or of none; NULL for this CPU: its runner says what it is */
    bool modelled;        /* there is no device */
} Site;

/* The site for the workload's target. `model`: the user wants no measurement (--offline). It fails if the target needs a GPU that is not
 * there. */
bool site_find(Run *r, const Workload *w, bool model, Site *out);
/* The family that the workload asks for by its own name or a target's; NULL: by none, it takes what is here. */
const Family *site_family(const Workload *w);
/* The device there: this CPU, what the runner says of the one beside it or at the other end of --runner, or what is typical of the target. */
bool site_device(Run *r, const Workload *w, const Site *site, Device *out);

/* ---- what measuring needs ---- */

/* Each NULL until it is open; tools_close releases what is. */
typedef struct {
    Builder *builder;   /* makes of candidates what the runner runs */
    Builder *assembler; /* without a GPU: makes the code that a GPU would run, for what the compiler says of it */
    Builder *reference; /* C, for the op's definition */
    BuildCache *builds; /* of --builds */
    Runner *runner;
    RecordFile *records;
    Progress *progress;
    const Device *device;         /* what kernels are for, with the compiler (tools_device) */
    const char *compiler, *flags; /* of the code that ships */
} Tools;

/* Starts the compilers for kernels on that site, and gives the op's definition as a shared object: with a GPU's site no GPU need be there. */
const char *tools_open_compilers(Run *r, const Workload *w, const Site *site, Tools *t);
/* The same, and starts the runner for kernels on that site; nothing is written yet. */
bool tools_open(Run *r, const Workload *w, const Site *site, Tools *t);
/* Opens w->records for appending (with w->fresh a new one, the old one kept beside it), its folders made. */
bool tools_open_records(Run *r, const Workload *w, Tools *t);
/* Also after one of them failed. Says what was found in the folder of --builds, and what went wrong there. */
void tools_close(const Run *r, Tools *t);

/* The device that the runner runs on, or what is typical of the site's target, with the compiler; from then on t->device. */
const Device *tools_device(Run *r, const Site *site, Tools *t);
/* What a lab that compiles has of them, and of the workload (search/measure/lab.h). */
Workshop tools_workshop(Run *r, const Tools *t, const Workload *w, const UnitContext *u);
/* How many builds could not be stored, and why; NULL: none. */
const char *tools_lost_builds(const Run *r, const Tools *t);
int tools_jobs(const Options *o); /* compilers at a time: one a core that we may run on, unless told otherwise */
/* How C is compiled to be run on this CPU, and candidates to be run by the emulator; for all else toolchain_make. */
Toolchain tools_cc(Arena *a, const Options *o);
Toolchain tools_emulator(Arena *a, const Options *o, const Workload *w);
/* The compiler of a family's kernels: as its option says, else in PATH or where it is installed. NULL: it is in none of these. */
const char *tools_program(Arena *a, const Options *o, const Family *f);

#endif
