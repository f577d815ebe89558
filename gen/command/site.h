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

typedef struct {
    const Family *family; /* of what runs kernels */
    const Target *target; /* of a device beside this CPU, or of none; NULL for this CPU: its runner says what it is */
    bool modelled;        /* there is no device */
} Site;

/* The site for the workload's target. `model`: the user wants no measurement (--offline). False with *err set: the target needs a GPU
 * that is not there, or *stop became true (stop may be NULL). */
bool site_find(Arena *a, const Workload *w, const Options *o, bool model, Site *out, const volatile int *stop,
               const char **err);

/* The family that the workload asks for by its own name or a target's; NULL: by none, it takes what is here. */
const Family *site_family(const Workload *w);

/* The device there: this CPU, what the runner says of the one beside it or at the other end of --runner, or what is typical of the target. False
 * with *why set. */
bool site_device(Arena *a, const Workload *w, const Options *o, const Site *site, Device *out, const volatile int *stop,
                 const char **why);

#endif
