/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_private: what a package has, as those see it who write its files.
 */
#ifndef DCGEN_EMIT_PRIVATE_H
#define DCGEN_EMIT_PRIVATE_H

#include "gen/package/emit.h"

typedef struct {
    Arena *arena;
    const EmitInput *in;
    Diag *diag;
    const Spec *spec;
    const Family *family;
    UnitKernel *kernel; /* in the order of the entries */
    int *of;            /* each kernel's entry */
    int nkernel;
    Dispatcher dispatcher;
} Emitter;

Emitter *emit_new(Arena *a, const EmitInput *in, Diag *d);
/* The text of MANIFEST for a package that has all its other files. NULL after errors. In emit_manifest.c. */
const char *emit_manifest(Emitter *e, const Package *p);

#endif
