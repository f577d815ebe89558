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

/* ---- conditions ---- */

/* Is it true, or false, whatever its names stand for? */
static bool is_decided(const Node *n, int64_t *value)
{
    int64_t side[2] = { 0 };
    bool known[2] = { true, true };
    *value = n->value;
    if (n->kind != APPLY)
        return n->kind == INT;
    for (int i = 0; i < n->op->narg; i++) {
        known[i] = is_decided(n->arg[i], &side[i]);
        if (i == 0 && known[i] && n->op->how & (side[i] ? BY_TRUE : BY_FALSE)) { /* the other side is not looked at */
            *value = side[i] != 0;
            return true;
        }
    }
    return known[0] && known[1] && expr_apply_int(n->op, side[0], side[1], value) == EXPR_OK;
}

static Node *copy_condition(Maker *m, const Node *n)
{
    int64_t value;
    if (is_decided(n, &value))
        return new_node(m, (Node){ .kind = INT, .value = value != 0, .depth = 1 });
    if (n->kind != APPLY || !(n->op->how & (BY_TRUE | BY_FALSE)))
        return copy_node(m, n);
    for (int i = 0; i < 2; i++)
        if (is_decided(n->arg[i], &value) && !(n->op->how & (value ? BY_TRUE : BY_FALSE)))
            return copy_condition(m, n->arg[!i]);
    Node init = { .kind = APPLY, .op = n->op, .depth = 1 };
    init.arg[0] = copy_condition(m, n->arg[0]);
    init.arg[1] = init.arg[0] ? copy_condition(m, n->arg[1]) : NULL;
    return init.arg[1] ? new_node(m, init) : NULL;
}

Expr *expr_condition(Arena *a, const Expr *e)
{
    Expr *made = ARENA_NEW(a, Expr);
    *made = (Expr){ .at = e->at };
    Maker m = { .arena = a, .of = keep_name, .end = &made->names };
    return with_root(a, made, copy_condition(&m, e->root));
}

bool expr_is_true(const Expr *e)
{
    int64_t value;
    return is_decided(e->root, &value) && value;
}

/* ---- parts of expressions ---- */

/* An expression of one node. */
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
