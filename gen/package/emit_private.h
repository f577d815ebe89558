/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_private: what a package has for each kind of machine, as those see it who write its files.
 */
#ifndef DCGEN_EMIT_PRIVATE_H
#define DCGEN_EMIT_PRIVATE_H

#include "gen/package/emit.h"

enum { EMIT_MAX_ENTRY = 2 * TARGET_MAX };

/* What the package has for one kind of machine. */
typedef struct {
    const Target *target;
    const Result *part; /* what was tuned for it; NULL: it has the general kernel alone */
    int first, nkernel; /* the number of its first kernel; how many it has */
    int general;        /* the number of the kernel that serves every shape */
} EmitEntry;

typedef struct {
    Arena *arena;
    const EmitInput *in;
    Diag *diag;
    const Spec *spec;
    const Family *family;
    UnitKernel *kernel; /* in the order of the entries */
    int *of;            /* each kernel's entry */
    int nkernel;
    EmitEntry entry[EMIT_MAX_ENTRY]; /* by descending rank; of one target what was tuned, then what others get of it */
    int nentry;
} Emitter;

Emitter *emit_new(Arena *a, const EmitInput *in, Diag *d);
/* The text of MANIFEST for a package that has all its other files. NULL after errors. In emit_manifest.c. */
const char *emit_manifest(Emitter *e, const Package *p);

#endif
