/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_make: makes expressions of others. Their trees are copied, as each has its names bound for itself.
 */
#include "gen/base/expr_private.h"

#include <string.h>

typedef struct {
    Arena *arena;
    Expr *(*of)(void *ctx, const char *name);
    void *ctx;
    int nnode;
    ExprName **end; /* where the next name is linked in */
} Maker;

static Expr *keep_name(void *ctx, const char *name) { return (void)ctx, (void)name, NULL; }

/* NULL: the expression would be too long. */
static Node *new_node(Maker *m, Node init)
{
    if (++m->nnode > EXPR_MAX_NODE)
        return NULL;
    Node *n = ARENA_NEW(m->arena, Node);
    *n = init;
    for (int i = 0; i < 2; i++)
        if (n->arg[i] && n->arg[i]->depth >= n->depth)
            n->depth = n->arg[i]->depth + 1;
    return n->depth > EXPR_MAX_DEPTH ? NULL : n;
}

static Node *copy_node(Maker *m, const Node *n)
{
    Expr *by = n->kind == NAME ? m->of(m->ctx, n->name.name) : NULL;
    if (by) {
        Maker plain = *m;
        plain.of = keep_name;
        Node *copy = copy_node(&plain, by->root);
        m->nnode = plain.nnode;
        m->end = plain.end;
        return copy;
    }
    Node init = *n;
    init.depth = 1;
    init.name.slot = -1;
    init.name.next = NULL;
    for (int i = 0; i < 2; i++)
        if (n->arg[i] && !(init.arg[i] = copy_node(m, n->arg[i])))
            return NULL;
    Node *copy = new_node(m, init);
    if (copy && copy->kind == NAME) {
        *m->end = &copy->name;
        m->end = &copy->name.next;
    }
    return copy;
}

/* Completes an expression, whose names are there, by its root. */
static Expr *with_root(Arena *a, Expr *e, Node *root)
{
    if (!root)
        return NULL;
    e->root = root;
    e->text = expr_written(a, root);
    e->source = e->source ? e->source : e->text;
    expr_list_steps(a, e);
    return e;
}

Expr *expr_substitute(Arena *a, const Expr *e, Expr *(*of)(void *ctx, const char *name), void *ctx)
{
    Expr *made = ARENA_NEW(a, Expr);
    *made = (Expr){ .source = e->source, .at = e->at };
    Maker m = { .arena = a, .of = of, .ctx = ctx, .end = &made->names };
    return with_root(a, made, copy_node(&m, e->root));
}

/* Is it the same number whatever its names stand for? */
static bool is_decided(const Node *n, int64_t *value)
{
    int64_t side[2] = { 0 };
    bool known[2] = { true, true };
    *value = n->value;
    if (n->kind != APPLY)
        return n->kind == INT;
    if (!n->op->on_int && !op_is_test(n->op))
        return false;
    for (int i = 0; i < n->op->narg; i++) {
        known[i] = is_decided(n->arg[i], &side[i]);
        if (i == 0 && known[i] && n->op->how & (side[i] ? BY_TRUE : BY_FALSE)) { /* the other side is not looked at */
            *value = side[i] != 0;
            return true;
        }
    }
    return known[0] && known[1] && expr_apply_int(n->op, side[0], side[1], value) == EXPR_OK;
}

/* The side that the operator gives as it is, as 1 * K gives K; NULL: neither. truth: it counts only whether that is 0.
 * *zero: it gives 0, as 0 * K does. */
static Node *same_as(const Node *n, bool truth, bool *zero)
{
    const char op = *n->op->text;
    const bool joins = n->op->how & (BY_TRUE | BY_FALSE);
    for (int i = 0; i < 2; i++) {
        Node *other = n->arg[!i];
        const int64_t value = n->arg[i]->value;
        if (n->arg[i]->kind != INT)
            continue;
        *zero = *zero || (op == '*' && value == 0);
        if (joins ? (truth || (other->kind == APPLY && op_is_test(other->op))) &&
                        !(n->op->how & (value ? BY_TRUE : BY_FALSE))
                  : (op == '*' && value == 1) || (value == 0 && (op == '+' || (op == '-' && i == 1))))
            return other;
    }
    return NULL;
}

/* truth: it counts only whether its value is 0. */
static Node *fold_node(Maker *m, const Node *n, bool truth)
{
    int64_t value;
    bool zero = false;
    const bool decided = is_decided(n, &value); /* by a left side, whatever the right one is */
    if (!decided && n->kind != APPLY)
        return copy_node(m, n);
    Node init = { .kind = APPLY, .op = n->op, .depth = 1 };
    for (int i = 0; !decided && i < n->op->narg; i++)
        if (!(init.arg[i] = fold_node(m, n->arg[i], n->op->how & (BY_TRUE | BY_FALSE))))
            return NULL;
    Node *same = !decided && n->op->narg == 2 ? same_as(&init, truth, &zero) : NULL;
    if (!decided && !zero && !is_decided(&init, &value))
        return same ? same : new_node(m, init);
    return new_node(m, (Node){ .kind = INT, .value = zero ? 0 : truth ? value != 0 : value, .depth = 1 });
}

static Expr *folded(Arena *a, const Expr *e, bool truth)
{
    ExprName *dropped; /* names of what is left out are among those that fold_node meets */
    Maker fold = { .arena = a, .of = keep_name, .end = &dropped };
    const Node *root = e ? fold_node(&fold, e->root, truth) : NULL;
    Expr *made = ARENA_NEW(a, Expr);
    Maker copy = { .arena = a, .of = keep_name, .end = &made->names };
    if (!root)
        return NULL;
    *made = (Expr){ .at = e->at };
    return with_root(a, made, copy_node(&copy, root));
}

Expr *expr_fold(Arena *a, const Expr *e) { return folded(a, e, false); }

Expr *expr_condition(Arena *a, const Expr *e) { return folded(a, e, true); }

bool expr_is_number(const Expr *e, int64_t *value) { return is_decided(e->root, value); }

/* Does a name stand in it for which `is` is true? With an operator or function: below that one. */
static bool has_name(const Node *n, const char *op, bool is(void *ctx, const char *name), void *ctx)
{
    bool found = !op && n->kind == NAME && is(ctx, n->name.name);
    op = op && n->kind == APPLY && strcmp(n->op->text, op) == 0 ? NULL : op;
    for (int i = 0; i < 2 && n->kind == APPLY && n->arg[i]; i++)
        found = found || has_name(n->arg[i], op, is, ctx);
    return found;
}

bool expr_applies(const Expr *e, const char *op, bool is(void *ctx, const char *name), void *ctx)
{
    return has_name(e->root, op, is, ctx);
}

static Expr *leaf(Arena *a, Node init)
{
    Maker m = { .arena = a };
    Expr *made = ARENA_NEW(a, Expr);
    init.depth = 1;
    Node *n = new_node(&m, init);
    *made = (Expr){ .names = init.kind == NAME ? &n->name : NULL };
    return with_root(a, made, n);
}

Expr *expr_number(Arena *a, int64_t value) { return leaf(a, (Node){ .kind = INT, .value = value }); }

Expr *expr_name(Arena *a, const char *name)
{
    return leaf(a, (Node){ .kind = NAME, .name = { arena_strdup(a, name), { 0 }, -1, NULL } });
}

Expr *expr_apply(Arena *a, const char *op, const Expr *x, const Expr *y)
{
    const OpRow *row = expr_operator(op, strlen(op));
    Node init = { .kind = APPLY, .op = row ? row : expr_function(op, strlen(op)), .depth = 1 };
    if (!x || !y)
        return NULL;
    Expr *made = ARENA_NEW(a, Expr);
    *made = (Expr){ .source = x->source, .at = x->at };
    Maker m = { .arena = a, .of = keep_name, .end = &made->names };
    init.arg[0] = copy_node(&m, x->root);
    init.arg[1] = init.arg[0] ? copy_node(&m, y->root) : NULL;
    return with_root(a, made, init.arg[1] ? new_node(&m, init) : NULL);
}
