/* SPDX-License-Identifier: Apache-2.0
 *
 * op: an operator as data, read from templates/<op>/op.cfg. Nothing in dcgen's C code names an operator.
 */
#ifndef DCGEN_OP_H
#define DCGEN_OP_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/base/expr.h"

enum { OP_MAX_AXIS = 6, OP_MAX_OPERAND = 8, OP_MAX_NAME = 8 };

typedef enum { AXIS_SPATIAL, AXIS_REDUCE } AxisKind;
typedef enum { ROLE_IN, ROLE_CONST, ROLE_OUT, ROLE_COUNT } Role; /* CONST: constant over calls, may be packed once */
extern const char *const role_names[ROLE_COUNT];                 /* "in", "const", "out" */

typedef struct {
    const char *name; /* "M" */
    AxisKind kind;
    const char *doc;
} Axis;

typedef struct {
    const char *name; /* "X" */
    Role role;
    const char *dtype;    /* "f32"; NULL: the spec's dtype */
    Expr *elems;          /* number of elements, bound to the axes: its slots are a shape's extents */
    const char *doc;      /* layout, e.g. "[M][K] row-major" */
    const char *epilogue; /* this operand is there only when the spec asks for that epilogue; NULL: always */
    int nlayout;
    const char *layout[OP_MAX_NAME]; /* layouts a spec may ask for ("NK", "KN"); the first is the default */
} Operand;

typedef struct {
    const char *name, *doc, *dir; /* dir: the folder of op.cfg */
    const Source *src;
    int naxis;
    Axis axis[OP_MAX_AXIS];
    int noperand;
    Operand operand[OP_MAX_OPERAND]; /* in the order of the C API */
    int ndtype;
    const char *dtype[OP_MAX_NAME];
    int nepilogue;
    const char *epilogue[OP_MAX_NAME];
    Expr *flops;            /* useful floating-point operations of one call, bound to the axes, as are the next two */
    Expr *rows, *row_elems; /* the output seen as rows x row_elems, for verification */
    const char *reference;  /* path of the naive reference, C (see search/runner/abi.h) */
} Op;

/* Reads <dir>/op.cfg. NULL after errors in d. */
Op *op_read(Arena *a, const char *dir, Diag *d);
/* Reads the op from the text of its op.cfg. */
Op *op_parse(Arena *a, const char *dir, const Source *src, Diag *d);

int op_axis(const Op *op, const char *name); /* index or -1 */
/* Is the operand there when these epilogues are asked for? */
bool op_has_operand(const Operand *o, const char *const *epilogues, int nepilogue);

#endif
