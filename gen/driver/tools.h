/* SPDX-License-Identifier: Apache-2.0
 *
 * tools: where the kernels of a job run (site.c), and what measuring there needs: complete folders of the
 * operators (op_files.c), the compilers, a runner that is set up for the job's operator, the record file, the
 * progress display (tools.c).
 */
#ifndef DCGEN_TOOLS_H
#define DCGEN_TOOLS_H

#include "gen/driver/run.h"
#include "search/build/build_cache.h"
#include "search/measure/lab.h"

/* ---- where kernels run ---- */

/* Kernels run on this CPU, on a GPU beside it or at the other end of --runner, or on no device. In the last case they
 * are compiled and executed by the emulator, and their times are computed. */
typedef struct {
    const Family *family; /* the one whose kernels run there */
    /* The GPU's target, also where there is no device. NULL: this CPU, whose target follows from what its runner
     * says. */
    const Target *target;
    bool modelled; /* there is no device */
} Site;

/* The site for the job's target. model: nothing will be measured (--offline, check, build), so no GPU need be
 * there. Else it fails if the target needs a GPU that is not there. */
bool site_find(Run *r, const Job *job, bool model, Site *out);
/* The family that the job asks for, by a target's name or by the family's word for the best one here; NULL: it
 * takes what is here. */
const Family *site_family(const Job *job);
/* The device of the site: this CPU, what the runner says of the GPU, or, where there is no device, what is typical of
 * the target. */
bool site_device(Run *r, const Job *job, const Site *site, Device *out);

/* The command that starts dcgen's own runner of this kind ("c"); an empty list: it is not there. It is told of folders
 * of targets that it does not know. */
TextList site_runner(Arena *a, const Workload *w, const char *kind);

/* The compiler of a family's kernels: what its option names, else it is looked for in PATH and where it is installed.
 * NULL: it is not found. */
const char *site_compiler(Arena *a, const Options *o, const Family *f);

/* Checks that the operators' folders hold their definitions, and that their files have the functions that runners and
 * packages call. What they lack is printed. */
bool op_files_check(Run *r, const Workload *w);

/* ---- what measuring needs ---- */

/* Each is NULL until it is open; tools_close closes those that are. */
typedef struct {
    Builder *builder;   /* compiles candidates to what the runner runs */
    Builder *assembler; /* without a GPU: makes the code that a GPU would run, for what the compiler says of it */
    Builder *reference; /* compiles the op's definition, which is C; NULL: `builder` can do that */
    BuildCache *builds; /* the folder of --builds */
    Agents *agents;     /* one; it measures on the site */
    RecordFile *records;
    Progress *progress;
    const Device *device;         /* what kernels are for, with the compiler (tools_device) */
    const char *compiler, *flags; /* of the code that ships */
} Tools;

/* Starts the compilers for kernels on that site, and gives the path of the op's definition, compiled. No GPU need be
 * there. */
const char *tools_open_compilers(Run *r, const Job *job, const Site *site, Tools *t);
/* Starts the compilers, and the runner for kernels on that site; no record is written yet. */
bool tools_open(Run *r, const Job *job, const Site *site, Tools *t);
/* Makes the folders of the job's records and opens them for appending. With job->fresh it begins a new file, and keeps
 * the old one beside it. */
bool tools_open_records(Run *r, const Job *job, Tools *t);
/* Closes all tools that are open, also after one could not be opened. Says what was found in the folder of --builds,
 * and what went wrong there. */
void tools_close(const Run *r, Tools *t);

/* Sets t->device, and returns it: what the runner runs on, or what is typical of the site's target, each with the
 * compiler. */
const Device *tools_device(Run *r, const Site *site, Tools *t);
/* What a lab that compiles needs of the tools and of the job (search/measure/lab.h). */
Workshop tools_workshop(Run *r, const Tools *t, const Job *job, const UnitContext *u);
/* Says how many builds could not be stored, and why; NULL: all were stored. */
const char *tools_lost_builds(const Run *r, const Tools *t);
/* How many compilers run at a time: as --jobs says, else one for each core that dcgen may run on. */
int tools_jobs(const Options *o);
/* The C compiler for this CPU. */
Toolchain tools_cc(Arena *a, const Options *o);
#endif
