/* SPDX-License-Identifier: Apache-2.0
 *
 * job: one function on one target. Each is searched, replayed and chosen by itself, with the whole budget of its
 * function, but for the seconds; what is chosen for a package is a pass over its jobs in their order.
 */
#ifndef DCGEN_JOB_H
#define DCGEN_JOB_H

#include "gen/base/arena.h"
#include "gen/spec/spec.h"
#include "gen/target/device.h"
#include "gen/template/template.h"
#include "gen/unit/unit.h"
#include "search/choose/result.h"

typedef struct {
    const struct Workload *workload; /* that it is a part of (gen/command/workload.h) */
    const Spec *spec;                /* the function */
    const TemplateList *templates;   /* of its op */
    const char *target;              /* as the command line or the spec says it */
    bool fresh;                      /* it begins the record file anew */
    double seconds;                  /* for its search, once that begins */
    const char *records;             /* the file that it is made of */
    const Device *device;            /* whose times count; NULL: the one with the most */
    Result *result;                  /* without an assignment until a choice was made */
} Job;

/* The target to tune for on this device. NULL with *err set: it runs none that the job names. */
const Target *job_target(Arena *a, const Job *job, const Device *device, const char **err);
/* How the job's kernels are written for that target, and its spec as such devices are concerned: the numbers of threads
 * are a CPU's matter. */
UnitContext job_unit(Arena *a, const Job *job, const Device *device, const Target *target);
/* The kernels that were chosen for the jobs before this one, which take no bytes of the package again. */
const KernelKeys *job_present(Arena *a, const Job *job);

#endif
