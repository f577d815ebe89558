/* SPDX-License-Identifier: Apache-2.0
 *
 * template: a micro-kernel family. A template is a C file that compiles as it stands; its head, a comment that begins
 * with "/"+"* dcgen" and that libconfig can read, declares parameters, constraints, resources and features.
 *
 * Filling (template_fill) turns it into one kernel's text:
 *   - a declared name, as a whole identifier, becomes its value; NAME and KERNEL become the package's and the kernel's name,
 *     also as the first part of an identifier (KERNEL_tile -> bert_dense_k3_tile);
 *   - "#if EXPR", "#elif", "#else", "#endif" over declared names alone are folded: the branch that holds stays, the lines go;
 *   - lines between "#ifndef DCGEN" and "#endif" serve only the stand-alone compile and are dropped;
 *   - the head comment and the SPDX line are dropped.
 * A name used but not declared, or declared but not used, is an error at the template's own line.
 */
#ifndef DCGEN_TEMPLATE_H
#define DCGEN_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/arena.h"
#include "gen/diag.h"
#include "gen/expr.h"
#include "gen/op.h"
#include "gen/target.h"

enum { TEMPLATE_MAX_PARAM = RECORD_MAX_PARAM, TEMPLATE_MAX_CHOICE = 32, TEMPLATE_MAX_CONSTRAINT = 16, TEMPLATE_MAX_VALUE = 24,
       TEMPLATE_MAX_FEATURE = 48 };

typedef struct {
    const char *name, *doc;
    int nchoice;
    int64_t choice[TEMPLATE_MAX_CHOICE];
    Loc loc;
} TemplateParam;

typedef struct { Expr *need; const char *why; } Constraint;
typedef struct { const char *name, *doc; Expr *expr; Loc loc; } NamedExpr;

typedef struct {
    const char *name, *doc, *path, *hash;      /* hash: 16 hex digits of the text */
    const Source *src;
    const char *body;                          /* text after the head */
    int nparam;
    TemplateParam param[TEMPLATE_MAX_PARAM];
    int nconstraint;
    Constraint constraint[TEMPLATE_MAX_CONSTRAINT];
    int nvalue;                                /* "resources": derived values; later ones may use earlier ones; also replaced in the body */
    NamedExpr value[TEMPLATE_MAX_VALUE];
    Expr *tile[OP_MAX_AXIS];                   /* tile along each axis; NULL: 1 */
    Expr *padded_flops;                        /* work done for a shape, tails included (f_pad = flops / padded_flops) */
    Expr *serial_flops;                        /* work of the busiest of `threads` tasks (f_occ = padded / (threads * serial)) */
    Expr *bytes;                               /* bytes that must move between the last-level cache and a core */
    int nfeature;
    NamedExpr feature[TEMPLATE_MAX_FEATURE];   /* of f_MK: reals over parameters, values, target facts, extents */
    int ntarget;
    const char *family;                        /* "cpu": which targets it is for */
    const char *layout[OP_MAX_NAME];           /* layouts of the constant operand that it reads */
    int nlayout;
    bool packed;                               /* reads the packed operand */
    int ngeneral;                              /* parameter values of the general kernel, one row a target */
    struct { const char *target; int64_t value[TEMPLATE_MAX_PARAM]; } general[TARGET_MAX];
} Template;

/* All templates of an op: every *.c in op->dir whose head says so, by name. */
bool template_read_all(Arena *a, const Op *op, const Template ***out, int *n, Diag *d);

/* A candidate's names: parameters, then target facts, then derived values, then extents if given. */
typedef struct {
    const Template *t;
    const Target *target;
    const Device *device;
    const Op *op;
    const int64_t *value;                      /* one a parameter */
    const int64_t *extent;                     /* NULL: not bound */
    int threads;
} Binding;
ExprLookup template_lookup;                    /* ctx: Binding* */

/* The kernel's text, named `kernel`, in package `name`. NULL after errors (only a faulty template has any). */
char *template_fill(Arena *a, const Binding *b, const char *name, const char *kernel, Diag *d);

#endif
