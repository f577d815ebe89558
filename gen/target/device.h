/* SPDX-License-Identifier: Apache-2.0
 *
 * device: what a measurement depends on besides the candidate: a machine, a compiler and its flags.
 */
#ifndef DCGEN_DEVICE_H
#define DCGEN_DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/target/target.h"

enum { DEVICE_MAX_ISA = 8 };

/* The package says what its times were measured on in these words. */
typedef struct Device {
    const char *id;   /* 16 hex digits: hash of all that follows */
    const char *name; /* "AMD EPYC 9R45" */
    const char *arch; /* "x86_64" */
    union {
        int cores;
        int sms; /* of a GPU: multiprocessors */
    };
    union {
        int64_t l1_bytes;
        int64_t smem_bytes; /* of a GPU: shared memory of a multiprocessor */
    };
    int64_t l2_bytes, l3_bytes;
    int nisa;
    const char *isa[DEVICE_MAX_ISA]; /* targets that it can run, best first, but for those with the code of another */
    const char *compiler;            /* first line of `cc --version` */
    const char *flags;               /* all compiler flags, one space between */
    bool modelled; /* there was no such device: kernels were compiled for it, and their times computed */
} Device;

/* This machine: hwloc for cores and caches, cpuid for what it runs; without a compiler. */
bool device_probe(Arena *a, const TargetList *list, Device *out, const char **err);
/* A GPU of this target's kind, as its file describes it: for work without one. */
Device device_typical(Arena *a, const Target *t);
/* Sets the compiler of a device, and with it a new id, as times depend on it. */
void device_set_compiler(Arena *a, Device *d, const Family *f, const char *compiler, const char *flags);
/* Does it run the target's code? A typical device is that of one target alone. */
bool device_runs(const Device *d, const Target *t);
/* The best-ranked target that `device` runs; NULL: it runs none of the list. */
const Target *device_best(const TargetList *list, const Device *device);

#endif
