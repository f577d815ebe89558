/* SPDX-License-Identifier: Apache-2.0
 *
 * formula: what a spec says of each element of the output, in a small language (docs/spec.md, "Formulas"):
 *
 *   epilogue = "gelu(acc + bias[n]) + residual[m,n]"
 *
 * `acc` is what the operator computed (an op of several sums names the others), bias and residual are operands that
 * the function gets as arguments, m and n the element's place along the output's extents M and N. A formula is kept as
 * a graph: a part that is written twice is one node, which is computed once.
 */
#ifndef DCGEN_FORMULA_H
#define DCGEN_FORMULA_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/base/expr.h"
#include "gen/spec/op.h"

enum { FORMULA_MAX_NODE = 256, FORMULA_MAX_ARG = 4 };

/* Of a value: a real number, an integer, true or false. */
typedef enum { FORMULA_REAL, FORMULA_INT, FORMULA_TRUTH } FormulaType;

typedef enum {
    FORMULA_NUMBER,
    FORMULA_ACC,     /* the operator's result, or one of its sums */
    FORMULA_EXTENT,  /* the number of an axis, an attribute, a derived extent */
    FORMULA_INDEX,   /* the element's place along an extent */
    FORMULA_ELEMENT, /* of an operand */
    FORMULA_APPLY,   /* a function of values */
    FORMULA_REDUCE   /* one value of all elements along an axis */
} FormulaKind;

/* Operators and functions: rows of formula_functions. Those from FORMULA_SUM on reduce. */
typedef enum {
    FORMULA_ADD,
    FORMULA_SUB,
    FORMULA_MUL,
    FORMULA_DIV,
    FORMULA_NEG,
    FORMULA_MIN,
    FORMULA_MAX,
    FORMULA_QUOTIENT, /* of integers, towards 0 */
    FORMULA_REMAINDER,
    FORMULA_LT,
    FORMULA_LE,
    FORMULA_GT,
    FORMULA_GE,
    FORMULA_EQ,
    FORMULA_NE,
    FORMULA_AND,
    FORMULA_OR,
    FORMULA_NOT,
    FORMULA_CHOOSE,  /* c ? a : b */
    FORMULA_TO_REAL, /* of an integer; nobody writes it */
    FORMULA_TO_INT,  /* of a real number without a fraction, which an output of integers stores; nobody writes it */
    FORMULA_ABS,
    FORMULA_SQRT,
    FORMULA_RSQRT,
    FORMULA_EXP,
    FORMULA_LOG,
    FORMULA_TANH,
    FORMULA_ERF,
    FORMULA_SIGMOID,
    FORMULA_SILU,
    FORMULA_GELU,
    FORMULA_GELU_TANH,
    FORMULA_SIN,
    FORMULA_COS,
    FORMULA_POW,
    FORMULA_FLOOR,
    FORMULA_CEIL,
    FORMULA_TRUNC,
    FORMULA_ROUND,
    FORMULA_F16,
    FORMULA_BF16,
    FORMULA_OFF, /* these three are parts of centre and layernorm, and of nothing else */
    FORMULA_CENTRED,
    FORMULA_VARIANCE,
    FORMULA_SUM,
    FORMULA_GREATEST,
    FORMULA_LEAST,
    FORMULA_ARGMAX,
    FORMULA_FUNCTION_COUNT
} FormulaOp;

typedef struct {
    const char *name; /* as it is written: "+", "exp"; of reductions before the axis: "sum" */
    int narg;
    bool of_int;       /* integers give an integer; else they count as real numbers */
    FormulaType value; /* of real numbers */
    bool is_call;      /* of many instructions: kernels compute it when their sums are out of the registers */
} FormulaFunction;

extern const FormulaFunction formula_functions[FORMULA_FUNCTION_COUNT];

typedef struct {
    FormulaKind kind;
    FormulaType type;
    double real; /* of a number; its value too where it is an integer */
    /* extent or index: which extent of the op; element: which operand; reduction: along which extent; acc: which sum */
    int at;
    FormulaOp op; /* of a function, of a reduction */
    int narg;
    /* nodes, all before this one: values of a function or a reduction; indices of an element, and behind them, where it
     * is `guarded`, what it is outside of its operand */
    int arg[OP_MAX_RANK + 1];
    bool guarded;
    int level;      /* reductions that come before it, one behind the other */
    unsigned along; /* bit i: it is not the same for all places along extent i */
    int nuse;       /* of it in other nodes */
    Loc at_text;    /* where it stands in the spec; of the op's result nowhere */
} FormulaNode;

typedef struct {
    const char *text; /* as written, of several words of the short form one behind the other */
    int nnode;
    FormulaNode node[FORMULA_MAX_NODE]; /* the last one is the element's value */
    bool calls;                         /* a function of many instructions is in it */
    bool reads; /* an operand's elements differ along two extents or more, as those of residual[m,n] or mask[b0,n] */
    /* the operand of which it adds one element a column to acc, as libraries can; -1: it does something else */
    int bias;
    /* the extent that kernels go along: the one that is reduced; else one that the op reduces and the output lacks;
     * else the output's last */
    int row;
    /* the output has that extent: a value for each place of a row is stored, though all may be the same; else one value
     * of a row */
    bool fills;
    /* the extent that neighbouring rows differ along: the output's last one but the row; -1: there is none */
    int beside;
    int nacross; /* elements that lie across the rows, as those of x[n,m]; 0 where something is reduced */
    /* how often kernels go along a row: once a level of reductions, and once more if rows are filled; at least once */
    int npass;
    bool is_affine; /* it is acc times a number, which is the same for all elements, plus what does not depend on acc */
} Formula;

/* The extents of an operand that the formula brings, where its places do not say them. */
typedef struct {
    const char *operand;
    Loc at;
    int rank; /* 0: there was an error */
    Expr *extent[OP_MAX_RANK];
} FormulaExtents;

/* What stands in a spec: the formula, or words of the short form, each at its place. */
typedef struct {
    const Expr *expr; /* NULL: words */
    int nword;
    const char *word[OP_MAX_NAME];
    Loc at[OP_MAX_NAME];
    int ntype; /* element types of operands that the formula brings: others have the spec's */
    const char *operand[OP_MAX_OPERAND];
    const Storage *stored[OP_MAX_OPERAND];
    Loc type_at[OP_MAX_OPERAND];
    int nextents;
    FormulaExtents extents[OP_MAX_OPERAND];
    int nsize; /* whole numbers, each one more extent that shapes give */
    const char *size[OP_MAX_NAME];
    Loc size_at[OP_MAX_NAME];
} FormulaText;

/* The indices of an element. */
static inline int formula_rank(const FormulaNode *element) { return element->narg - element->guarded; }
/* Is index i of an element a place along that very extent of its operand? Then it never lies outside. */
bool formula_is_plain(const Formula *f, const Op *op, const FormulaNode *element, int i);
/* May index i of an element lie outside of its operand, as far as nothing else is known? Places that an operand holds
 * are taken to be there. */
bool formula_is_computed(const Formula *f, const Op *op, const FormulaNode *element, int i);
/* Are there calls that are not legal since an index would lie outside, or a divisor be 0? */
bool formula_has_limits(const Formula *f, const Op *op);

/* Do its elements lie one behind the other not along the row, but from one row to the next? */
bool formula_is_across(const Formula *f, const FormulaNode *element);

/* Reads a formula of a function of `op`. *of becomes that op with the operands that the formula brings, before the
 * output, and their new extents, as attributes. NULL after errors in d; *of then has what was read. */
const Formula *formula_read(Arena *a, const Op *op, const FormulaText *text, const Op **of, Diag *d);

#endif
