/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch_parts: where the parts of a packed operand are kept that only some kernels read (Op.pack), as transformed
 * filters: in those calls' operands for which a tree chooses such a kernel. Of a tree that is what it asks of the
 * extents that the operand depends on; what it asks of others, each call may answer otherwise.
 */
#include <string.h>
#include "gen/package/dispatch.h"

/* One part, and a tuned entry's tree. */
typedef struct {
    Arena *arena;
    const Dispatcher *d;
    const DispatchEntry *entry;
    int part;
    const TreeNode **leaf; /* dispatch_leaves */
} Reading;

static const UnitContext *unit_of(const Dispatcher *d) { return &d->results.item->unit; }

/* Is the condition this number, 0 or 1, everywhere? */
static bool is_just(const Expr *e, int64_t number)
{
    int64_t value;
    return expr_is_number(e, &value) && value == number;
}

static bool is_same(Arena *a, const Expr *x, const Expr *y)
{
    return strcmp(expr_c_int(a, x, ""), expr_c_int(a, y, "")) == 0;
}

/* What nobody could read is true everywhere: then there is more in memory than need be. */
static Expr *apply(Arena *a, const char *op, Expr *x, Expr *y)
{
    enum { MOST = 1000 }; /* letters, far fewer than an expression may have */
    Expr *e = expr_apply(a, op, x, y);
    return e && strlen(expr_c_int(a, e, "")) <= MOST ? e : expr_number(a, 1);
}

static Expr *either(Arena *a, Expr *x, Expr *y)
{
    if (is_just(x, 1) || is_just(y, 0) || is_same(a, x, y))
        return x;
    return is_just(y, 1) || is_just(x, 0) ? y : apply(a, "||", x, y);
}

static Expr *both(Arena *a, Expr *x, Expr *y) { return is_just(y, 1) ? x : is_just(y, 0) ? y : apply(a, "&&", x, y); }

/* Does any declared call that the tree leads to the leaf take a kernel that reads the part? Where there is none, any
 * other may take the leaf's own. */
static bool leaf_reads(const Reading *r, const TreeNode *leaf)
{
    const UnitKernel *kernel = &r->d->kernel[r->entry->first];
    const int *chosen = r->entry->result->assignment->chosen;
    bool any = false, does = false;
    for (int64_t i = 0; i < r->d->spec->ninstance && !does; i++)
        if (r->leaf[i] == leaf) {
            any = true;
            does = unit_reads_part(unit_of(r->d), &kernel[chosen[i]], r->part);
        }
    return any ? does : unit_reads_part(unit_of(r->d), &kernel[leaf->class], r->part);
}

static Expr *tree_reads(const Reading *r, const TreeNode *n)
{
    Arena *a = r->arena;
    if (n->feature < 0)
        return expr_number(a, leaf_reads(r, n));
    Expr *left = tree_reads(r, n->left), *right = tree_reads(r, n->right);
    if (is_same(a, left, right))
        return left;
    if (n->feature >= r->d->spec->op->nextent || !unit_packs_by(a, r->d->spec, n->feature))
        return either(a, left, right);
    const Expr *name = expr_name(a, r->d->spec->op->extent[n->feature].name), *at = expr_number(a, n->threshold);
    Expr *below = both(a, expr_apply(a, "<=", name, at), left), *above = both(a, expr_apply(a, ">", name, at), right);
    return either(a, is_just(right, 1) ? left : below, is_just(left, 1) ? right : above);
}

/* Where an entry reads the part: one that was tuned by its tree. Calls outside the declared ranges take a kernel that
 * reads it where it is there. leaf: dispatch_leaves of the tree. */
static Expr *entry_reads(Arena *a, const Dispatcher *d, const DispatchEntry *e, int part, const TreeNode **leaf)
{
    const Reading r = { a, d, e, part, leaf };
    bool any = false;
    for (int k = e->first; k < e->first + e->nkernel; k++)
        any = any || unit_reads_part(unit_of(d), &d->kernel[k], part);
    return any && e->tree ? tree_reads(&r, e->tree) : expr_number(a, any);
}

void dispatch_keep_parts(Arena *a, Dispatcher *d)
{
    Expr **where = ARENA_ARRAY(a, OP_MAX_NAME, Expr *);
    for (int i = 0; i < d->spec->op->npack; i++)
        where[i] = expr_number(a, 0);
    for (const DispatchEntry *e = d->entry; e < d->entry + d->nentry && d->spec->op->npack; e++) {
        const TreeNode **leaf = e->tree ? dispatch_leaves(a, e->result->study, e->result->assignment) : NULL;
        for (int i = 0; i < d->spec->op->npack; i++)
            where[i] = either(a, where[i], entry_reads(a, d, e, i, leaf));
    }
    for (UnitKernel *k = d->kernel; k < d->kernel + d->nkernel; k++) {
        k->part = where;
        for (int i = 0; i < d->spec->op->npack; i++)
            if (!is_just(where[i], 1) && unit_reads_part(unit_of(d), k, i)) {
                Template *narrow = ARENA_NEW(a, Template);
                *narrow = *k->t;
                narrow->serves = k->t->serves ? expr_apply(a, "&&", k->t->serves, where[i]) : where[i];
                k->t = narrow;
            }
    }
}
