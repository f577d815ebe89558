/* SPDX-License-Identifier: Apache-2.0
 *
 * dtype: what a spec computes in, one row for each word that it may say: how the operands of an arithmetic are stored,
 * what its sums are held in, and how far a correct kernel's result may be off.
 */
#ifndef DCGEN_DTYPE_H
#define DCGEN_DTYPE_H

#include "gen/spec/storage.h"

/* What takes part: sums over left * right become results. */
typedef enum {
    PART_LEFT,   /* an op's first operand */
    PART_RIGHT,  /* its other operands, such as weights */
    PART_MORE,   /* operands that a formula brings */
    PART_ACC,    /* what products are summed in */
    PART_RESULT, /* the output */
    PART_COUNT
} DtypePart;

typedef struct Dtype {
    const char *name; /* "bf16" */
    const Storage *part[PART_COUNT];
    double eps_in; /* relative error of operands as the arithmetic rounds them; 0: it takes them as they are */
} Dtype;

enum { DTYPE_COUNT = 5 };
extern const Dtype dtypes[DTYPE_COUNT];
const Dtype *dtype_find(const char *name); /* NULL: unknown */

/* What the type of an operand is called where it has its own. */
typedef struct {
    const char *name;
    const Storage *stored;
} OperandType;

/* The table of these: a dtype stands for how its results are stored, what it has not is called as it is stored. */
enum { OPERAND_TYPE_MOST = DTYPE_COUNT + STORAGE_COUNT };
int operand_types(OperandType type[OPERAND_TYPE_MOST]);

/* How rounding changes results that are stored so: relative errors, but for the last one. */
typedef struct Rounding {
    double sums, inputs;
    double output;    /* 0: storing a sum does not round it once more */
    double denormals; /* the largest error of numbers near 0 */
} Rounding;

Rounding dtype_rounding(const Dtype *t, const Storage *out);
/* How far a result y may be from the exact one: `terms` rounded operations on terms whose magnitudes sum up to
 * `bound`. Errors of different terms are independent, hence the roots. */
double rounding_tolerance(const Rounding *r, double terms, double bound, double y);

#endif
