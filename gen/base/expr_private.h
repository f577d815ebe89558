/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_private: the tree of an expression and the rows of its operators, for the files that read, evaluate, bound,
 * print and make trees, and for gen/spec/formula*.c, which give the trees of formulas their meaning.
 */
#ifndef DCGEN_EXPR_PRIVATE_H
#define DCGEN_EXPR_PRIVATE_H

#include "gen/base/expr.h"

/* Whoever walks a tree recurses, and a template's expressions are evaluated for every candidate: both are bounded. */
enum { EXPR_MAX_DEPTH = 200, EXPR_MAX_NODE = 4096 };

/* How tightly an operator binds. Comparisons do not chain. */
enum { PREC_OR = 1, PREC_AND, PREC_CMP, PREC_SUM, PREC_TERM, PREC_UNARY, PREC_PRIMARY };

enum { PLAIN, DIVIDES = 1, BY_FALSE = 2, BY_TRUE = 4, LESS = 8, EQUAL = 16, GREATER = 32 };

typedef struct {
    int64_t min, max;
} ExprRange;

typedef struct {
    const char *text; /* "<=", "min" */
    int narg, prec;   /* prec: of a function PREC_PRIMARY */
    /* What it gives; the second argument of a unary one is 0. Both NULL: true or false, as `how` says. */
    bool (*on_int)(int64_t a, int64_t b, int64_t *out); /* true: overflow. NULL beside on_real: it is for reals alone */
    double (*on_real)(double a, double b);
    /* DIVIDES: b must not be 0. BY_FALSE, BY_TRUE: a left side that is false, or true, decides the value, else the
     * right one does. LESS, EQUAL, GREATER: the value is true where a is less than b, equal to it, or greater. */
    int how;
    /* All values for a in one range and b in another, which does not hold 0; true: overflow. NULL: the least and the
     * greatest value lie at ends of the ranges, and so does any overflow. */
    bool (*on_range)(ExprRange a, ExprRange b, ExprRange *out);
} OpRow;

bool expr_mod_range(ExprRange a, ExprRange b, ExprRange *out);
bool expr_ceil_to_range(ExprRange a, ExprRange b, ExprRange *out);

/* The operator of two sides or the function that is written so; NULL: there is none. */
const OpRow *expr_operator(const char *s, size_t len);
const OpRow *expr_function(const char *s, size_t len);

/* The kinds from CALL on are those of formulas alone: a call of a function that the reader of the formula knows, an
 * element of an operand (x[m,n]), a reduction over an axis (sum[n](x)), and a choice (c ? a : b). */
typedef struct Node {
    enum { INT, REAL, NAME, APPLY, CALL, ELEMENT, REDUCE, CHOICE } kind;
    int64_t value;
    double real;
    ExprName name; /* of a call, an element and a reduction too, there without a link to the next */
    const OpRow *op;
    struct Node *arg[2]; /* of an element the first one, or NULL: what it is outside of its operand */
    /* Values of a call or choice, indices of an element, of a reduction its axis and then its values. */
    struct Node **list;
    int nlist;
    size_t offset; /* in the text as given */
    int depth;
} Node;

/* What evaluation does one after the other, with a stack of values: the tree's nodes, each behind its arguments. An
 * operator whose right side is a number or a name has it in its own step. SKIP stands between the sides of "&&" and
 * "||": where the left one decides the value it goes on behind the operator. */
typedef enum { STEP_NONE, STEP_INT, STEP_REAL, STEP_NAME, STEP_APPLY, STEP_SKIP } StepKind;

typedef struct {
    StepKind kind, right; /* right: of APPLY; STEP_APPLY: it is on the stack, STEP_NONE: there is none */
    int count;            /* of a name its slot, of SKIP how many steps it leaves out */
    const OpRow *op;      /* of APPLY and SKIP */
    int64_t value;
    double real; /* of an integer too */
    const ExprName *name;
} ExprStep;

struct Expr {
    Node *root;
    ExprStep *step; /* of a formula NULL */
    int nstep;
    ExprName *names;
    const char *source; /* as given */
    const char *text;
    Loc at;
};

const char *expr_written(Arena *a, const Node *n); /* as specs write it */
void expr_list_steps(Arena *a, Expr *e);           /* completes an expression whose tree is there */

/* An operator's or a function's value of two integers; of one with one side b is 0. */
ExprStatus expr_apply_int(const OpRow *op, int64_t a, int64_t b, int64_t *out);

/* Is it an operator that gives true or false? */
static inline bool op_is_test(const OpRow *op) { return !op->on_int && !op->on_real; }

#endif
