/* SPDX-License-Identifier: Apache-2.0
 *
 * target: a machine to generate for, as data (templates/targets/<name>.cfg), and what this machine is.
 *
 * A CPU target is an instruction set: vector width, registers, the function attribute that enables it and the run-time
 * check that guards it. "host" is not a file: it is the best target that this CPU can run, with the others as fallbacks.
 */
#ifndef DCGEN_TARGET_H
#define DCGEN_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/arena.h"
#include "gen/diag.h"
#include "search/record.h"

typedef struct {
    const char *name;   /* "avx512" */
    const char *family; /* "cpu" */
    const char *doc;
    const char *attribute;     /* "avx512f,avx512vl,..."; "": none */
    const char *runtime_check; /* C expression, true where it may run; "1": always */
    const char *arch;          /* "x86_64"; "": any */
    int rank;                  /* higher is tried first */
    int64_t vector_bytes, vector_registers;
} Target;

enum { TARGET_MAX = 16 };

typedef struct {
    int n;
    Target t[TARGET_MAX];
} TargetList; /* by descending rank */

/* All targets of a folder, one a .cfg file. */
bool target_read_all(Arena *a, const char *dir, TargetList *out, Diag *d);
const Target *target_find(const TargetList *list, const char *name);

/* This machine: hwloc for cores and caches, cpuid for what it runs; compiler and flags as given. */
bool target_probe(Arena *a, const TargetList *list, const char *compiler, const char *flags, Device *out,
                  const char **err);
/* The same machine with this compiler: another id, as times depend on it. */
void device_set_compiler(Arena *a, Device *d, const char *compiler, const char *flags);
/* Best-ranked target that `device` runs. */
const Target *target_best(const TargetList *list, const Device *device);

#endif
