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
#include "gen/template/fill.h"
#include "gen/template/primitive.h"
#include "gen/template/template.h"

typedef struct {
    const Template *t;
    const Target *target;
    const int64_t *value; /* one a parameter */
    KernelFacts facts;
    /* in a package: another function's kernel of this very text, which is not written again; NULL: none */
    const char *as;
    /* in a package: one a part of the packed operand (Op.pack): where that is there, as a condition on the extents that
     * the operand depends on; NULL: wherever it may be */
    Expr *const *part;
} UnitKernel;

/* What all units of a workload are made from. */
typedef struct {
    const Spec *spec;
    const Device *device; /* the one that parameters were chosen for */
    const TargetList *targets;
    const char *package_dir; /* templates/package: the folder of patterns */
    const Target *target;    /* the tuned one */
} UnitContext;

/* C of one candidate, ready to compile. NULL after errors in d (faulty templates only). */
char *unit_candidate(Arena *a, const UnitContext *u, const UnitKernel *k, Diag *d);

/* The op by a library (Family.rival), ready to compile, and part of packages. NULL: there is none, or errors in d. */
bool unit_has_library(Arena *a, const UnitContext *u);
char *unit_library(Arena *a, const UnitContext *u, Diag *d);

/* The kernels that measure what a device of the family does at most (Family.limits), ready to compile like a candidate.
 * NULL: there are none, or errors in d. */
char *unit_limits(Arena *a, const UnitContext *u, Diag *d);

/* A scope of the names in patterns that follow from the spec and the tuned target's family: words of the op and of the
 * family; the lists axes, packed_axes (those of the constant operands), operands (that calls take), all_operands,
 * packed_operands (the constant ones), epilogues, asked, layouts, instruction_sets. */
FillScope *unit_scope(Arena *a, const UnitContext *u);
/* Does the packed operand depend on an extent that calls give? */
bool unit_packs_by(Arena *a, const Spec *s, int extent);
/* Does the kernel read that part of the packed operand (Op.pack)? Then its head has a value of the part's name. */
bool unit_reads_part(const UnitContext *u, const UnitKernel *k, int part);
/* Begins the list constants of s again, with those alone that the elements of the constant operands depend on. */
void unit_keep_packed_constants(FillScope *s, const Spec *spec);
/* Adds the words that say what of the formula a library of linear algebra does by itself. */
void unit_blas_words(FillScope *s, const Spec *spec);
/* May any expression of the operator, printed as C, call functions of templates/package/arithmetic.h? */
bool unit_calls_arithmetic(const Op *op);
/* Adds to a kernel's row the words of its launch and memory, and the lists plan_extents and plan_names. */
void unit_add_plan(FillScope *row, const Binding *b);
/* Adds the tensor maps that the kernel is given: the lists maps, with box in each row, and map_extents. */
void unit_add_maps(FillScope *row, const Binding *b);
/* Adds the list kernels (<name>_k0, _k1 ...) and the texts arguments, pack, kernels, entry. False after errors. */
bool unit_add_kernels(FillScope *s, const UnitContext *u, const UnitKernel *k, int n, Diag *d);
/* A hash of how the packed operand is packed, where these kernels read it, whatever the function and the package are
 * called. 16 hex digits; NULL after errors. */
const char *unit_packing_hash(Arena *a, const UnitContext *u, const UnitKernel *k, int n, Diag *d);
/* Adds what stands before all kernels, whose texts `kernels` are: preamble, device, emulation. False after errors. */
bool unit_add_shared(FillScope *s, const UnitContext *u, const char *kernels, Diag *d);
/* The texts of kernels that unit_add_kernels added, with their entry. */
const char *unit_kernel_texts(const FillScope *s);
/* Adds the words guard and unguard to a row: lines around what is for one architecture, once for rows side by side.
 * before, behind: the targets of the rows before and behind it; NULL: there is none. */
void unit_add_guard(FillScope *row, const Target *before, const Target *t, const Target *behind);
/* The texts of `of` for all targets of the tuned one's family, within guards of architectures. NULL: one failed. */
const char *unit_of_targets(Arena *a, const UnitContext *u, const char *of(void *ctx, const UnitContext *u), void *ctx);
/* The primitives that `text` uses, each after those that it uses itself: templates/device/<primitive>.cuh. */
const char *unit_device(const UnitContext *u, const FillScope *s, const char *text, Diag *d);
/* What the emulator executes in the place of such primitives of other folders than dcgen's own, and of those that call
 * them; "": `text` uses none. NULL after errors. */
const char *unit_emulation(const UnitContext *u, const FillScope *s, const char *text, Diag *d);
/* All primitives of dcgen's own and what they call, where they count (primitives_all_count); else none. */
Primitives unit_primitives(Arena *a, const UnitContext *u, Diag *d);
char *unit_kernel_text(Arena *a, const UnitKernel *k); /* "packed_gemm avx512 MR=8 NP=3 ..." */

/* The path of a pattern of the package; and of one that the op's folder may have instead. */
const char *unit_pattern(Arena *a, const UnitContext *u, const char *name);
const char *unit_op_pattern(Arena *a, const UnitContext *u, const char *name);
/* The text of a file, filled; of a part without its licence, which a text names once. NULL after errors. */
char *unit_fill(const UnitContext *u, const char *path, const FillScope *s, Diag *d);
char *unit_fill_part(const UnitContext *u, const char *path, const FillScope *s, Diag *d);

/* What kernels call for each element of their results (docs/templates-reference.md): for CPUs one for each instruction
 * set that the text of the kernels calls it for ("": for all); for a GPU one. "": there is no formula. NULL: errors. */
const char *unit_formula(Arena *a, const UnitContext *u, const char *kernels, Diag *d);
/* The formula in double precision, behind an operator's definition whose functions were renamed; has_check: it has
 * dcgen_reference_check. package_dir: the folder of patterns. NULL after errors. */
char *unit_formula_reference(Arena *a, const Spec *s, const char *package_dir, bool has_check, Diag *d);
/* A pattern of what is exact, filled with words, without its first line. NULL after errors. */
char *unit_exact_pattern(Arena *a, const char *package_dir, const char *name, const FillScope *words, Diag *d);
/* The op's reference, `text`, behind lines that define layout and element type and what reads elements, and with the
 * formula behind it: for runners, and for the package's own test. NULL after errors. */
char *unit_reference(Arena *a, const Spec *s, const char *package_dir, const char *text, Diag *d);

/* What a candidate's text depends on besides its template: op, dtype, layout, epilogues, packing, patterns, targets,
 * primitives, and all that is written around it. The spec's name does not count. 16 hex digits. */
const char *unit_context_hash(Arena *a, const UnitContext *u);

#endif
