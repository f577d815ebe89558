/* SPDX-License-Identifier: Apache-2.0
 *
 * workload: everything that a command needs from files before anything is measured: the spec with the command line's
 * changes, the targets, the op's templates.
 */
#ifndef DCGEN_WORKLOAD_H
#define DCGEN_WORKLOAD_H

#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/command/cli.h"
#include "gen/spec/spec.h"
#include "gen/target/device.h"
#include "gen/template/template.h"
#include "gen/unit/unit.h"
#include "search/record/study.h"

typedef struct {
    const SpecFile *file;
    int nfunction; /* at hand: all of the file, or one */
    Spec *const *function;
    const TemplateList *all_templates; /* one a function */
    const Spec *spec;                  /* the first of these functions */
    TemplateList templates;            /* of its op */
    const TargetList *targets;
    const char *package_dir;    /* patterns of the package's files */
    CliList target;             /* from the command line; n 0: the spec's */
    const char *spec_text;      /* spec.cfg of the package: the spec, with the options that change the choice */
    bool report;                /* the package has a report.html */
    const char *out, *records;  /* where the package and the record file go */
    bool fresh;                 /* the record file is begun anew; workload_for says so for the first target alone */
    CliList folders;            /* of templates, in the order in which they are searched */
    CliList target_folders;     /* the folder `targets` of each */
    const Target *const *tuned; /* set by workload_for: all targets of the package, by descending rank; else NULL */
    int ntuned;
    const KernelKeys *present; /* chosen for functions before this one; NULL: none */
} Workload;

/* NULL after errors in d; or with *err set when dcgen's own files are not found. */
Workload *workload_read(Arena *a, const char *spec_path, const Options *o, Diag *d, const char **err);

/* A workload may have several functions and name several targets of one family. Each function is worked on for each
 * target as a workload of its own, a part of the whole one: function by function, and within each by descending rank of
 * the targets. Each target has the whole budget, but for the seconds. */
int workload_ntarget(const Workload *w);
int workload_npart(const Workload *w);
const Workload *workload_for(Arena *a, const Workload *w, int part);
const Workload *workload_of(Arena *a, const Workload *w, const Spec *function, const Target *t);
/* The workload of one function and all targets. */
const Workload *workload_of_function(Arena *a, const Workload *w, int i);

const char *workload_target_name(const Workload *w, int i); /* as the command line or the spec says it */

/* The target to tune for on this device, from the spec or the command line. NULL with *err set. */
const Target *workload_target(Arena *a, const Workload *w, const Device *device, const char **err);
/* How the workload's kernels are written for that target, and its spec as such devices are concerned: the numbers of
 * threads are a CPU's matter. */
UnitContext workload_unit(Arena *a, const Workload *w, const Device *device, const Target *target);

#endif
