/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_eval: evaluates expressions in checked 64-bit integers and in doubles. A search does this for every candidate on
 * every shape, so an evaluation does not walk the tree: it goes through a list of steps. Values of names come from a
 * lookup or from slots.
 */
#include "gen/base/expr_private.h"

#include <math.h>

static ExprStep *add_step(Expr *e, ExprStep s)
{
    e->step[e->nstep] = s;
    return &e->step[e->nstep++];
}

/* The step of a number or a name; of any other node one of kind STEP_NONE. */
static ExprStep leaf_step(const Node *n)
{
    switch (n->kind) {
    case INT:
        return (ExprStep){ .kind = STEP_INT, .value = n->value, .real = (double)n->value };
    case REAL:
        return (ExprStep){ .kind = STEP_REAL, .real = n->real };
    case NAME:
        return (ExprStep){ .kind = STEP_NAME, .count = n->name.slot, .name = &n->name };
    default:
        return (ExprStep){ .kind = STEP_NONE };
    }
}

static void add_steps(Expr *e, const Node *n)
{
    ExprStep step = leaf_step(n), *skip = NULL;
    if (n->kind != APPLY) {
        if (step.kind)
            add_step(e, step);
        return;
    }
    add_steps(e, n->arg[0]);
    if (n->op->how & (BY_FALSE | BY_TRUE))
        skip = add_step(e, (ExprStep){ .kind = STEP_SKIP, .op = n->op });
    if (n->arg[1]) {
        step = leaf_step(n->arg[1]);
        step.right = step.kind ? step.kind : STEP_APPLY;
        if (!step.kind)
            add_steps(e, n->arg[1]);
    }
    step.kind = STEP_APPLY;
    step.op = n->op;
    const ExprStep *last = add_step(e, step);
    if (skip)
        skip->count = (int)(last - skip);
}

static int count_nodes(const Node *n)
{
    return n ? 1 + (n->kind == APPLY ? count_nodes(n->arg[0]) + count_nodes(n->arg[1]) : 0) : 0;
}

void expr_list_steps(Arena *a, Expr *e)
{
    e->step = ARENA_ARRAY(a, 2 * (size_t)count_nodes(e->root), ExprStep); /* a node has two at most */
    e->nstep = 0;
    add_steps(e, e->root);
}

void expr_bind(Expr *e, Names names)
{
    for (ExprName *n = e->names; n; n = n->next)
        n->slot = names_find(names, n->name);
    for (ExprStep *s = e->step; s < e->step + e->nstep; s++)
        if (s->name)
            s->count = s->name->slot;
}

/* Where names get their values from: slots, if there are any, which expr_bind has numbered; else a lookup by name. */
typedef struct {
    const int64_t *slots;
    ExprLookup *lookup;
    void *ctx;
} Env;

static bool name_value(const ExprStep *s, const Env *env, int64_t *out)
{
    if (!env->slots)
        return env->lookup && env->lookup(env->ctx, s->name->name, out);
    if (s->count >= 0)
        *out = env->slots[s->count];
    return s->count >= 0;
}

/* Does the left side of "&&" or "||" decide its value? */
static bool left_decides(const OpRow *op, bool left) { return op->how & (left ? BY_TRUE : BY_FALSE); }

/* The value of an operator that gives true or false, and does not take it from its left side alone. order: -1, 0 or 1
 * as its left side is less than, equal to or greater than the right. */
static bool is_true(const OpRow *op, bool right, int order)
{
    if (op->how & (BY_FALSE | BY_TRUE))
        return right;
    return op->how & (order < 0 ? LESS : order == 0 ? EQUAL : GREATER);
}

ExprStatus expr_apply_int(const OpRow *op, int64_t a, int64_t b, int64_t *out)
{
    if (op->how & DIVIDES && b == 0)
        return EXPR_DIV_BY_ZERO;
    if (op->on_int)
        return op->on_int(a, b, out) ? EXPR_OVERFLOW : EXPR_OK;
    *out = is_true(op, b != 0, (a > b) - (a < b));
    return op->on_real ? EXPR_NOT_INTEGER : EXPR_OK;
}

static ExprStatus apply_real(const OpRow *op, double a, double b, double *out)
{
    if (op->how & DIVIDES && b == 0)
        return EXPR_DIV_BY_ZERO;
    *out = op->on_real ? op->on_real(a, b) : is_true(op, b != 0, (a > b) - (a < b));
    return isfinite(*out) ? EXPR_OK : EXPR_NOT_FINITE;
}

/* The number or the name that a step has, which is of this kind. */
static ExprStatus leaf_int(const ExprStep *s, StepKind kind, const Env *env, int64_t *out)
{
    *out = s->value;
    if (kind == STEP_REAL)
        return EXPR_NOT_INTEGER;
    return kind == STEP_INT || name_value(s, env, out) ? EXPR_OK : EXPR_UNKNOWN_NAME;
}

static ExprStatus leaf_real(const ExprStep *s, StepKind kind, const Env *env, double *out)
{
    int64_t value = 0;
    const bool found = kind != STEP_NAME || name_value(s, env, &value);
    *out = kind == STEP_NAME ? (double)value : s->real;
    return found ? EXPR_OK : EXPR_UNKNOWN_NAME;
}

static ExprStatus int_value(const Expr *e, const Env *env, int64_t *out)
{
    int64_t stack[EXPR_MAX_DEPTH + 1], *top = stack, b; /* the first value stays below all others */
    ExprStatus status = EXPR_OK;
    *top = *out = 0;
    for (const ExprStep *s = e->step, *end = s + e->nstep; s < end && status == EXPR_OK; s++) {
        if (s->kind == STEP_APPLY) {
            b = s->right == STEP_APPLY ? *top-- : 0;
            if (s->right != STEP_APPLY && s->right)
                status = leaf_int(s, s->right, env, &b);
            if (status == EXPR_OK)
                status = expr_apply_int(s->op, *top, b, top);
        } else if (s->kind != STEP_SKIP) {
            status = leaf_int(s, s->kind, env, ++top);
        } else if (left_decides(s->op, *top != 0)) {
            *top = *top != 0;
            s += s->count;
        }
    }
    if (status == EXPR_OK)
        *out = *top;
    return status;
}

static ExprStatus real_value(const Expr *e, const Env *env, double *out)
{
    double stack[EXPR_MAX_DEPTH + 1], *top = stack, b;
    ExprStatus status = EXPR_OK;
    *top = *out = 0;
    for (const ExprStep *s = e->step, *end = s + e->nstep; s < end && status == EXPR_OK; s++) {
        if (s->kind == STEP_APPLY) {
            b = s->right == STEP_APPLY ? *top-- : 0;
            if (s->right != STEP_APPLY && s->right)
                status = leaf_real(s, s->right, env, &b);
            if (status == EXPR_OK)
                status = apply_real(s->op, *top, b, top);
        } else if (s->kind != STEP_SKIP) {
            status = leaf_real(s, s->kind, env, ++top);
        } else if (left_decides(s->op, *top != 0)) {
            *top = *top != 0;
            s += s->count;
        }
    }
    if (status == EXPR_OK)
        *out = *top;
    return status;
}

ExprStatus expr_int(const Expr *e, ExprLookup *lookup, void *ctx, int64_t *out)
{
    return int_value(e, &(Env){ .lookup = lookup, .ctx = ctx }, out);
}

ExprStatus expr_int_at(const Expr *e, const int64_t *slots, int64_t *out)
{
    return int_value(e, &(Env){ .slots = slots }, out);
}

ExprStatus expr_real_at(const Expr *e, const int64_t *slots, double *out)
{
    return real_value(e, &(Env){ .slots = slots }, out);
}
