/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_private: what emit.c shares with the sections that only one family's packages have.
 */
#ifndef DCGEN_EMIT_PRIVATE_H
#define DCGEN_EMIT_PRIVATE_H

#include "gen/base/text.h"
#include "gen/package/emit.h"
#include "gen/target/family.h"

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
    const Family *family;
    UnitKernel *kernel; /* in the order of the entries */
    int *of;            /* each kernel's entry */
    int nkernel;
    EmitEntry entry[EMIT_MAX_ENTRY]; /* by descending rank; of one target what was tuned, then what others get of it */
    int nentry;
} Emitter;

/* The text behind a line "//@ WORD" of a pattern. NULL after errors. */
typedef struct {
    const char *word;
    const char *(*text)(Emitter *e);
} EmitSection;
extern const EmitSection emit_cpu_sections[], emit_cuda_sections[]; /* the last has a NULL word */

const Spec *emit_spec(const Emitter *e);
const char *emit_axes(Emitter *e); /* "M, N, K" */
/* "const float *X, const void *W, " of the operands that this package has. */
const char *emit_operand_params(Emitter *e);
/* Checks at the beginning of a function: extents are legal, else `result` is returned; operands that have elements are not NULL. */
void emit_extent_check(Emitter *e, Text *t, const char *result);
void emit_null_checks(Emitter *e, Text *t);
/* What kernels get for the operand. Where it has no elements any address will do but NULL, which bears no arithmetic. */
const char *emit_argument(Emitter *e, int operand);
/* The text of package.json for a package that has its other files, but for MANIFEST. In emit_json.c. */
const char *emit_json(Emitter *e, const Package *p);
/* The text of MANIFEST for a package that has all its other files. NULL after errors. In emit_manifest.c. */
const char *emit_manifest(Emitter *e, const Package *p);
/* Comment lines on axes and operands, for the header. */
void emit_argument_docs(Emitter *e, Text *t, const char *pack);

#endif
