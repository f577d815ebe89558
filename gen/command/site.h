/* SPDX-License-Identifier: Apache-2.0
 *
 * site: where the kernels of a workload are to run, and how that is found out: on this CPU, on a GPU beside it (or at the other end of
 * --runner), or nowhere: then kernels are compiled, executed by the emulator, and their times computed.
 */
#ifndef DCGEN_SITE_H
#define DCGEN_SITE_H

#include "gen/base/arena.h"
#include "gen/command/cli.h"
#include "gen/command/workload.h"

typedef enum { SITE_CPU, SITE_GPU, SITE_MODEL } SiteKind;

typedef struct {
    SiteKind kind;
    const Target *target; /* of a GPU, or of none; NULL for a CPU: its runner says what it is */
} Site;

/* The site for the workload's target. `model`: the user wants no measurement (--offline). False with *err set: the target needs a GPU
 * that is not there, or *stop became true (stop may be NULL). */
bool site_find(Arena *a, const Workload *w, const Options *o, bool model, Site *out, const volatile int *stop,
               const char **err);

/* Does the workload ask for CUDA by name? */
bool site_wants_cuda(const Workload *w);

/* The GPU of this machine, or at the other end of --runner, as the runner describes it. False with *why set. */
bool site_probe_gpu(Arena *a, const Options *o, Device *out, const volatile int *stop, const char **why);

#endif
