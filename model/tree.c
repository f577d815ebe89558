/* SPDX-License-Identifier: Apache-2.0
 *
 * tree: takes points with a cost for every class, gives a small binary tree of thresholds that chooses a class.
 * Grows the full tree (tree_grow.c), merges what may be chance, then prunes the weakest link first: the inner node whose merge into one leaf
 * raises the cost least for each leaf it saves (Breiman et al., Classification and Regression Trees, 3.3).
 */
#include "model/tree.h"

#include <math.h>
#include <string.h>
#include "model/tree_grow.h"

/* A tournament over the nodes: win[1] is the inner node whose merge raises the cost least for each leaf it saves. */
typedef struct {
    Grown **node;       /* by index */
    int64_t *win, size; /* -1: none */
} Links;

static Cost merge_rise(const Grown *t) { return cost_sub(t->own, t->sub); }

static bool weaker(const Grown *a, const Grown *b)
{
    Cost ra = merge_rise(a), rb = merge_rise(b);
    double na = (double)(a->nleaf - 1), nb = (double)(b->nleaf - 1);
    double da = (double)ra.ndenied / na, db = (double)rb.ndenied / nb;
    return da != db ? da < db : ra.sum / na < rb.sum / nb;
}

static void link_set(Links *l, int64_t index, bool in)
{
    int64_t at = l->size + index;
    l->win[at] = in ? index : -1;
    for (at /= 2; at > 0; at /= 2) {
        int64_t a = l->win[2 * at], b = l->win[2 * at + 1];
        l->win[at] = a < 0 || (b >= 0 && weaker(l->node[b], l->node[a])) ? b : a;
    }
}

static void links_collect(Links *l, Grown *t)
{
    l->node[t->index] = t;
    if (t->node.feature < 0)
        return;
    links_collect(l, grown_left(t));
    links_collect(l, grown_right(t));
}

static Links links_new(Arena *scratch, Grown *root)
{
    Links l = { .size = 1 };
    while (l.size < root->end)
        l.size *= 2;
    l.node = ARENA_ARRAY(scratch, (size_t)root->end, Grown *);
    l.win = ARENA_ARRAY(scratch, (size_t)(2 * l.size), int64_t);
    memset(l.win, -1, (size_t)(2 * l.size) * sizeof *l.win);
    links_collect(&l, root);
    return l;
}

static void node_merge(Links *l, Grown *t)
{
    for (int64_t i = t->index; i < t->end; i++) {
        l->node[i]->node.feature = -1;
        if (l->win[l->size + i] >= 0)
            link_set(l, i, false);
    }
    t->sub = t->own;
    t->nleaf = 1;
    t->end = t->index + 1;
    for (Grown *up = t->parent; up; up = up->parent) {
        grown_sum(up);
        link_set(l, up->index, true); /* back in if it was set aside: its merge has become cheaper */
    }
}

static void all_links(Links *l, const Grown *root)
{
    for (int64_t i = 0; i < root->end; i++)
        if (l->node[i]->node.feature >= 0)
            link_set(l, i, true);
}

/* Merges weakest links while each leaf less costs less than `worth`. */
static void prune_unworthy(Links *l, Grown *root, double worth)
{
    all_links(l, root);
    while (l->win[1] >= 0) {
        Grown *t = l->node[l->win[1]];
        const Cost more = merge_rise(t);
        if (more.ndenied > 0 || !(more.sum < worth * (double)(t->nleaf - 1)))
            return;
        node_merge(l, t);
    }
}

/* Merges weakest links while the total cost rises by at most `rise` and at most `nleaf` leaves go. */
static void prune(Links *l, Grown *root, Cost rise, int64_t nleaf)
{
    all_links(l, root);
    while (l->win[1] >= 0) {
        Grown *t = l->node[l->win[1]];
        Cost more = merge_rise(t);
        if (cost_less(rise, more) || t->nleaf - 1 > nleaf) {
            link_set(l, t->index, false);
            continue;
        }
        rise = cost_sub(rise, more);
        nleaf -= t->nleaf - 1;
        node_merge(l, t);
    }
}

/* ---- what may be chance ---- */

/* Of the measured points of a node, for each class: their costs, and the squares of the errors of these. */
typedef struct {
    int nclass;
    int64_t *npoint;      /* [node] */
    double *sum, *square; /* [node][class] */
} Evidence;

static void evidence_add(const Evidence *e, int64_t node, const double *cost, const double *error)
{
    e->npoint[node]++;
    for (int c = 0; c < e->nclass; c++)
        if (isfinite(cost[c])) {
            e->sum[node * e->nclass + c] += cost[c];
            e->square[node * e->nclass + c] += error[c] * error[c];
        }
}

/* Every measured point counts in each node on its way. */
static Evidence evidence_new(Arena *scratch, const Grown *root, const int64_t *x, const double *cost, int64_t npoint,
                             int nfeature, int nclass, const double *error)
{
    const size_t n = (size_t)root->end * (size_t)nclass;
    const Evidence e = { nclass, ARENA_ARRAY(scratch, (size_t)root->end, int64_t), ARENA_ARRAY(scratch, n, double),
                         ARENA_ARRAY(scratch, n, double) };
    for (int64_t i = 0; i < npoint; i++) {
        if (error[i * nclass] < 0)
            continue;
        const Grown *t = root;
        evidence_add(&e, t->index, cost + i * nclass, error + i * nclass);
        while (t->node.feature >= 0) {
            t = x[i * nfeature + t->node.feature] <= t->node.threshold ? grown_left(t) : grown_right(t);
            evidence_add(&e, t->index, cost + i * nclass, error + i * nclass);
        }
    }
    return e;
}

/* What leaves of another class save of the cost that their points have with `class`, and the square of its error. */
typedef struct {
    int64_t npoint;
    double sum, square;
} Saving;

static void add_savings(const Evidence *e, const Grown *t, int class, Saving *out)
{
    if (t->node.feature >= 0) {
        add_savings(e, grown_left(t), class, out);
        add_savings(e, grown_right(t), class, out);
        return;
    }
    const int64_t with = t->index * e->nclass + class, own = t->index * e->nclass + t->node.class;
    if (t->node.class == class)
        return;
    out->npoint += e->npoint[t->index];
    out->sum += e->sum[with] - e->sum[own];
    out->square += e->square[with] + e->square[own];
}

/* Lowest first: what is left below a node has proved its worth. */
static void prune_chance(Links *l, Grown *t, const Evidence *e, double errors)
{
    if (t->node.feature < 0)
        return;
    prune_chance(l, grown_left(t), e, errors);
    prune_chance(l, grown_right(t), e, errors);
    Saving s = { 0 };
    add_savings(e, t, t->node.class, &s);
    if (merge_rise(t).ndenied <= 0 && s.npoint > 0 && s.sum <= errors * sqrt(s.square))
        node_merge(l, t);
}

static TreeNode *tree_copy(Arena *a, const TreeNode *t)
{
    TreeNode *copy = ARENA_NEW(a, TreeNode);
    *copy = *t;
    copy->left = t->feature < 0 ? NULL : tree_copy(a, t->left);
    copy->right = t->feature < 0 ? NULL : tree_copy(a, t->right);
    return copy;
}

static TreeNode *tree_pruned(Arena *a, Arena *scratch, Grown *root, const Evidence *e, TreeOptions options)
{
    Links links = links_new(scratch, root);
    if (e)
        prune_chance(&links, root, e, options.errors);
    double tolerance = options.tolerance > 0 ? options.tolerance : 0;
    const double full = fabs(root->sub.sum);
    prune(&links, root, (Cost){ 0, (tolerance + TREE_ROUNDING) * full }, INT64_MAX);
    prune_unworthy(&links, root, options.worth * full);
    if (options.max_leaf > 0 && root->nleaf > options.max_leaf)
        prune(&links, root, (Cost){ INT64_MAX / 2, INFINITY }, root->nleaf - options.max_leaf);
    return tree_copy(a, &root->node);
}

TreeNode *tree_train(Arena *a, const int64_t *x, const double *cost, int64_t npoint, int nfeature, int nclass,
                     TreeOptions options)
{
    if (npoint < 0 || npoint > INT32_MAX || nfeature < 0 || nclass < 1)
        return NULL;
    if (npoint == 0) {
        TreeNode *leaf = ARENA_NEW(a, TreeNode);
        leaf->feature = -1;
        return leaf;
    }
    Arena *scratch = arena_new();
    Grown *root = tree_grow(scratch, x, cost, npoint, nfeature, nclass);
    Evidence e = { 0 };
    if (options.error)
        e = evidence_new(scratch, root, x, cost, npoint, nfeature, nclass, options.error);
    TreeNode *t = tree_pruned(a, scratch, root, options.error ? &e : NULL, options);
    arena_free(scratch);
    return t;
}

int tree_choose(const TreeNode *t, const int64_t *x)
{
    while (t->feature >= 0)
        t = x[t->feature] <= t->threshold ? t->left : t->right;
    return t->class;
}

int tree_nleaf(const TreeNode *t) { return t->feature < 0 ? 1 : tree_nleaf(t->left) + tree_nleaf(t->right); }

int tree_depth(const TreeNode *t)
{
    if (t->feature < 0)
        return 0;
    int left = tree_depth(t->left), right = tree_depth(t->right);
    return 1 + (left > right ? left : right);
}
