/* SPDX-License-Identifier: Apache-2.0
 *
 * job: one function on one target, and the workload that it is a part of. Each job is searched, replayed and chosen by
 * itself, with the whole budget of its function, but for the seconds; what is chosen for a package is a pass over its
 * jobs in their order.
 */
#ifndef DCGEN_JOB_H
#define DCGEN_JOB_H

#include "gen/base/arena.h"
#include "gen/base/text_list.h"
#include "gen/graph/graph.h"
#include "gen/spec/spec.h"
#include "gen/target/device.h"
#include "gen/template/template.h"
#include "gen/unit/unit.h"
#include "search/choose/result.h"

typedef struct {
    const struct Workload *workload; /* that it is a part of */
    const Spec *spec;                /* the function */
    const TemplateList *templates;   /* of its op */
    const char *target;              /* as the command line or the spec says it */
    bool fresh;                      /* it begins the record file anew */
    double seconds;                  /* for its search, once that begins */
    const char *records;             /* the file that it is made of */
    const Device *device;            /* whose times count; NULL: the one with the most */
    Result *result;                  /* without an assignment until a choice was made */
} Job;

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
    Graph *graph; /* of the file; NULL: it has none */
    int nfunction;
    Function *function; /* at hand: all of the file, or some */
    int njob;
    Job *job;           /* of all these functions, one function after the other */
    ResultList results; /* of all jobs */
    const TargetList *targets;
    TextList target; /* those of the package as the command line or the spec says them, by descending rank */
    int ntuned;
    const Target **tuned;      /* the same; none where the one target is host, cuda or auto */
    const char *package_dir;   /* patterns of the package's files */
    const char *spec_text;     /* spec.cfg of the package: the spec, with the options that change the choice */
    bool report;               /* the package has a report.html */
    const char *out, *records; /* where the package and the record file go */
    bool fresh;                /* the record file is begun anew */
    TextList folders;          /* of templates, in the order in which they are searched */
    TextList target_folders;   /* the folder `targets` of each */
} Workload;

/* The target to tune for on this device. NULL with *err set: it runs none that the job names. */
const Target *job_target(Arena *a, const Job *job, const Device *device, const char **err);
/* Does some template serve the job on that target? */
bool job_has_template(const Job *job, const Target *t);
/* How the job's kernels are written for that target, and its spec as such devices are concerned: the numbers of threads
 * are a CPU's matter. */
UnitContext job_unit(Arena *a, const Job *job, const Device *device, const Target *target);
/* The kernels that were chosen for the jobs before this one, which take no bytes of the package again. */
const KernelKeys *job_present(Arena *a, const Job *job);

#endif
