/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_private: what the files emit*.c share.
 */
#ifndef DCGEN_EMIT_PRIVATE_H
#define DCGEN_EMIT_PRIVATE_H

#include "gen/package/emit.h"
#include "gen/package/manifest.h"

/* One function of the package. The package itself is written with the first one's. */
typedef struct {
    Arena *arena;
    const EmitInput *in;
    const ResultList *results; /* of this function */
    Diag *diag;
    const Spec *spec;
    const Family *family;
    const UnitContext *unit;
    const Dispatcher *dispatcher;
    UnitKernel *kernel; /* the dispatcher's, with those named that other functions have too */
    /* Texts without the function's name, which are equal where functions and kernels are: what kernels rely on (a
     * call's arguments, what is packed how), and each kernel. */
    const char *basis, **text;
    FillScope *scope; /* of what is written for this function */
    Manifest *manifest;
} Emitter;

/* emit_common.c: finds what the i-th of the functions e has in common with those before it, for which this was done.
 * Fills in its basis and text, and names in its `kernel` those that another function has. Gives the first function with
 * its arguments and packing: an earlier one, or itself. NULL after errors. */
const Emitter *emit_common(Emitter *e, int i);

/* emit.c: a pattern of JSON filled in, laid out as all JSON of dcgen's. NULL after errors. */
const char *emit_json(Emitter *e, const char *pattern, const FillScope *s);

/* emit_graph.c: adds the words and lists of the model that the package holds, for its n functions e, whose scopes are
 * there; HAS_GRAPH is 0 where it holds none. False after errors. */
bool emit_graph(Emitter *e, int n, FillScope *s);
/* Does the package have files of this row? */
bool emit_has(const Emitter *e, const PackageRow *row);

/* emit_sbom.c: the text of NAME.spdx.json for a package that has all its other files but MANIFEST. s: names that all
 * files know. NULL after errors. */
const char *emit_sbom(Emitter *e, const Package *p, const FillScope *s);

/* emit_manifest.c: the pattern of a program: the op's own knows no formula but a bias. */
const char *emit_program(const Emitter *e, const char *pattern);
/* The text of MANIFEST for a package of n functions that has all its other files. NULL after errors. */
const char *emit_manifest(Emitter *e, int n, const Package *p);

#endif
