/* SPDX-License-Identifier: Apache-2.0
 *
 * workload: everything that a command needs from files before anything is measured: the spec with the command line's
 * changes, the targets, the op's templates.
 */
#ifndef DCGEN_WORKLOAD_H
#define DCGEN_WORKLOAD_H

#include "gen/base/diag.h"
#include "gen/command/cli.h"
#include "gen/command/job.h"

/* A function, and its jobs: one a target, by descending rank. */
typedef struct {
    const Spec *spec;
    TemplateList templates; /* of its op */
    int njob;
    Job *job;
    ResultList results; /* of these jobs */
} Function;

typedef struct Workload {
    const SpecFile *file;
    int nfunction;
    Function *function; /* at hand: all of the file, or some */
    int njob;
    Job *job;           /* of all these functions, one function after the other */
    ResultList results; /* of all jobs */
    const TargetList *targets;
    CliList target; /* those of the package as the command line or the spec says them, by descending rank */
    int ntuned;
    const Target **tuned;      /* the same; none where the one target is host, cuda or auto */
    const char *package_dir;   /* patterns of the package's files */
    const char *spec_text;     /* spec.cfg of the package: the spec, with the options that change the choice */
    bool report;               /* the package has a report.html */
    const char *out, *records; /* where the package and the record file go */
    bool fresh;                /* the record file is begun anew */
    CliList folders;           /* of templates, in the order in which they are searched */
    CliList target_folders;    /* the folder `targets` of each */
} Workload;

/* NULL after errors in d; or with *err set when dcgen's own files are not found. */
Workload *workload_read(Arena *a, const char *spec_path, const Options *o, Diag *d, const char **err);
/* Makes a job of each function at hand and each target. */
void workload_make_jobs(Arena *a, Workload *w);

#endif
