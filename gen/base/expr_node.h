/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_node: the tree of an expression, shared by its parser (expr.c) and its evaluators (expr_eval.c) alone.
 */
#ifndef DCGEN_EXPR_NODE_H
#define DCGEN_EXPR_NODE_H

#include <stddef.h>
#include <stdint.h>
#include "gen/base/expr.h"

typedef enum {
    OP_OR,
    OP_AND,
    OP_LE,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_GT,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_NEG,
    OP_NOT,
    OP_MIN,
    OP_MAX,
    OP_CEIL_DIV,
    OP_CEIL_TO,
    OP_LOG2,
    OP_SQRT
} OpKind;

typedef struct {
    const char *text; /* "<=", "min" */
    OpKind kind;
    int narg;
    int prec; /* of a binary operator */
} OpRow;

typedef struct Node {
    enum { INT, REAL, NAME, APPLY } kind;
    int64_t value;
    double real;
    const char *name;
    const OpRow *op;
    struct Node *arg[2];
    int slot;             /* of a NAME, once bound; -1 */
    size_t offset, width; /* in the text as given */
    int depth;
} Node;

struct Expr {
    Node *root;
    const char *source; /* as given: node offsets count from here */
    const char *text;
    Loc at;
};

#endif
