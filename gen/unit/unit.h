/* SPDX-License-Identifier: Apache-2.0
 *
 * unit: C or CUDA text with kernels in it. The same pieces make a candidate (one kernel behind the uniform entry of
 * search/runner/abi.h) and a package (all its kernels behind its C API), so that what is measured is what ships.
 */
#ifndef DCGEN_UNIT_H
#define DCGEN_UNIT_H

#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/spec/spec.h"
#include "gen/target/target.h"
#include "gen/template/template.h"

typedef struct {
    const Template *t;
    const Target *target;
    const int64_t *value; /* one a parameter */
    KernelFacts facts;
} UnitKernel;

/* Folder of the package files' patterns, and the device that parameters were chosen for. */
typedef struct {
    const Spec *spec;
    const Device *device;
    const TargetList *targets;
    const char *package_dir; /* templates/package */
    const Target *target;    /* the tuned one */
} UnitContext;

/* C of one candidate, ready to compile. NULL after errors in d (faulty templates only). */
char *unit_candidate(Arena *a, const UnitContext *u, const UnitKernel *k, Diag *d);

/* The op by a library (Family.rival), ready to compile like a candidate. NULL: there is none, or errors in d. */
char *unit_library(Arena *a, const UnitContext *u, Diag *d);

/* The kernels that measure what a device of the family does at most (Family.limits), ready to compile like a candidate. NULL: there are
 * none, or errors in d. */
char *unit_limits(Arena *a, const UnitContext *u, Diag *d);

/* The pieces, as text for the sections of package files. */
char *unit_preamble(Arena *a, const UnitContext *u);
/* cuda: the primitives that `text` uses, each after those that it uses itself: templates/device/<primitive>.cuh. */
char *unit_device(Arena *a, const UnitContext *u, const char *text, Diag *d);
/* The files of all of them. False: the family has none. */
bool unit_primitives(Arena *a, const UnitContext *u, char ***path, int *n);
char *unit_pack(Arena *a, const UnitContext *u, Diag *d); /* templates/<op>/pack.c or pack.cu, filled */
char *unit_pack_declarations(Arena *a, const UnitContext *u);
char *unit_kernels(Arena *a, const UnitContext *u, const UnitKernel *k, int n, Diag *d); /* named <name>_k0, _k1 ... */
char *unit_table(Arena *a, const UnitContext *u, const UnitKernel *k, int n);
char *unit_kernel_text(Arena *a, const UnitKernel *k); /* "packed_gemm avx512 MR=8 NP=3 ..." */

/* "int64_t M, int64_t N, int64_t K" of the axes that `elems` uses; NULL: all axes. */
char *unit_extents(Arena *a, const Op *op, const Expr *elems);
char *unit_axes(Arena *a, const Op *op, const Expr *elems); /* "M, N, K" of the same */
bool unit_uses_axis(const Expr *elems, const char *axis);   /* NULL: uses all */
/* C type of an operand as a parameter: "const float *"; a packed constant one: "const void *". */
const char *unit_operand_type(const Spec *s, const Operand *o);
/* Does this package have the operand (its epilogue is asked for)? */
bool unit_has_operand(const Spec *s, const Operand *o);

/* "a, b" of the axes, by position in `extent`: "extent[0], extent[1]". */
char *unit_extent_list(Arena *a, const Op *op, const Expr *elems, const char *cast);
/* The path of a pattern of the tuned target's family. */
const char *unit_pattern(Arena *a, const UnitContext *u, const char *name);

/* The op's reference, told of layout and element type: for runners, and for the package's own test. */
char *unit_reference(Arena *a, const Spec *s, const char *text);

/* What a candidate's text depends on besides its template: op, dtype, layout, epilogues, packing, patterns, targets,
 * primitives, and all that is written around it. The spec's name does not count. 16 hex digits. */
const char *unit_context_hash(Arena *a, const UnitContext *u);

#endif
