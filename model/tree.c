/* SPDX-License-Identifier: Apache-2.0
 *
 * tree: takes points with a cost for every class, gives a small binary tree of thresholds that chooses a class.
 *
 *   points  --merge-->  distinct points, in one order whatever the input's order
 *           --grow--->  split where the total cost falls most, until every point has its own best class
 *           --prune-->  the weakest link first: the inner node whose merge into one leaf raises the cost least for
 *                       each leaf it saves (Breiman et al., Classification and Regression Trees, 3.3)
 *
 * Each feature is sorted once; the sorted orders are split with the nodes, so a level of the tree costs
 * O(npoint * nfeature * nclass). Sums run from both ends instead of being subtracted: large costs of one class do not
 * blur small ones of another.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* qsort_r */
#endif
#include "model/tree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/order.h"

/* Differences below this part of a cost are rounding: they decide nothing. */
static const double ROUNDING = 1e-12;

enum {
    BALANCE_DEPTH = 32, /* below this depth large nodes are split near their middle: depth stays O(log npoint) */
    BALANCE_POINTS = 64,
    LOOK_PLACES = 16,          /* first thresholds tried on each feature when two features must be split together */
    LOOK_POINTS = 1 << 22,     /* points scanned for one such node */
    LOOK_POINTS_ALL = 1 << 25, /* points scanned for all such nodes */
    LOOK_REFINE = 4            /* rounds in which the second splits are tried as the first */
};

/* A node while the tree grows and is pruned. */
typedef struct Grown {
    TreeNode node; /* first: node.left and node.right point to Grown */
    double sub;    /* cost of the leaves below it */
    int64_t nleaf;
    struct Grown *parent;
    int64_t index, end; /* preorder: the subtree is index .. end-1 */
} Grown;

static Grown *grown_left(const Grown *t) { return (Grown *)t->node.left; }
static Grown *grown_right(const Grown *t) { return (Grown *)t->node.right; }

static void grown_sum(Grown *t)
{
    t->sub = grown_left(t)->sub + grown_right(t)->sub;
    t->nleaf = grown_left(t)->nleaf + grown_right(t)->nleaf;
}

/* Is a less than b by more than rounding? */
static bool is_less(double a, double b) { return a < b - ROUNDING * fabs(b); }

typedef struct {
    double start; /* the least (cost left of i) - (cost of the class left of i) so far */
    int64_t at;   /* that i; 0: none yet */
} Band;

/* Distinct points and the state of growing. Orders hold, for each feature, the points of every node as one sorted run;
 * all features place a node at the same [lo, lo + n). */
typedef struct {
    Arena *scratch;
    int64_t n;
    int nfeature, nclass;
    int64_t *x;             /* [feature][point] */
    double *cost;           /* [point][class] */
    int64_t *npoint;        /* given points that this one stands for */
    int32_t *order, *spare; /* [feature][place] */
    uint8_t *right;         /* [point]: side of the split at hand */
    double *suffix;         /* [place]: cost of the rest of a run with its best single class */
    double *sum;            /* [class]: running sums */
    Band *band;             /* [class] */
    int64_t look_left, nnode;
    Grown **node; /* in preorder */
} Grower;

typedef struct {
    int feature; /* -1: none */
    int64_t threshold;
    double cost; /* of both sides */
} Split;

static void sums_clear(Grower *g) { memset(g->sum, 0, (size_t)g->nclass * sizeof *g->sum); }

static void sums_add(Grower *g, int64_t point)
{
    for (int c = 0; c < g->nclass; c++)
        g->sum[c] += g->cost[point * g->nclass + c];
}

static double sums_best(const Grower *g)
{
    double best = g->sum[0];
    for (int c = 1; c < g->nclass; c++)
        best = g->sum[c] < best ? g->sum[c] : best;
    return best;
}

/* The cost of a run with its best single class; g->sum then holds the costs of all classes. */
static double run_best(Grower *g, const int32_t *run, int64_t n)
{
    sums_clear(g);
    for (int64_t i = 0; i < n; i++)
        sums_add(g, run[i]);
    return sums_best(g);
}

/* ---- merging: distinct points, in canonical order ---- */

typedef struct {
    const int64_t *x;
    const double *cost;
} Given;

static int given_compare(const void *pa, const void *pb, void *grower)
{
    const Given *a = pa, *b = pb;
    const Grower *g = grower;
    int order = order_numbers(a->x, b->x, g->nfeature);
    for (int c = 0; order == 0 && c < g->nclass; c++)
        order = (a->cost[c] > b->cost[c]) - (a->cost[c] < b->cost[c]);
    return order;
}

/* Sets n, x, cost and npoint. Feature f of distinct point i lies at x[f * n + i]. */
static void points_merge(Grower *g, const int64_t *x, const double *cost, int64_t n)
{
    Given *given = ARENA_ARRAY(g->scratch, (size_t)n, Given);
    int64_t *first = ARENA_ARRAY(g->scratch, (size_t)n, int64_t);
    for (int64_t i = 0; i < n; i++)
        given[i] = (Given){ x + i * g->nfeature, cost + i * g->nclass };
    qsort_r(given, (size_t)n, sizeof *given, given_compare, g);
    g->cost = ARENA_ARRAY(g->scratch, (size_t)n * (size_t)g->nclass, double);
    g->npoint = ARENA_ARRAY(g->scratch, (size_t)n, int64_t);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || order_numbers(given[i - 1].x, given[i].x, g->nfeature) != 0)
            first[g->n++] = i;
        g->npoint[g->n - 1]++;
        for (int c = 0; c < g->nclass; c++)
            g->cost[(g->n - 1) * g->nclass + c] += given[i].cost[c];
    }
    g->x = ARENA_ARRAY(g->scratch, (size_t)g->n * (size_t)g->nfeature, int64_t);
    for (int f = 0; f < g->nfeature; f++)
        for (int64_t i = 0; i < g->n; i++)
            g->x[f * g->n + i] = given[first[i]].x[f];
}

static int place_compare(const void *pa, const void *pb, void *ctx)
{
    int32_t a = *(const int32_t *)pa, b = *(const int32_t *)pb;
    const int64_t *x = ctx;
    return x[a] != x[b] ? order_number(&x[a], &x[b]) : (a > b) - (a < b);
}

static void orders_sort(Grower *g)
{
    const size_t nplace = (size_t)g->n * (size_t)g->nfeature;
    g->order = ARENA_ARRAY(g->scratch, nplace, int32_t);
    g->spare = ARENA_ARRAY(g->scratch, nplace, int32_t);
    for (int f = 0; f < g->nfeature; f++) {
        int32_t *order = g->order + f * g->n;
        for (int32_t i = 0; i < g->n; i++)
            order[i] = i;
        qsort_r(order, (size_t)g->n, sizeof *order, place_compare, g->x + f * g->n);
    }
}

/* ---- one split ---- */

/* Half-way, rounded down, without overflow: low <= result < high. */
static int64_t threshold_between(int64_t low, int64_t high) { return (low & high) + ((low ^ high) >> 1); }

/* Sets suffix[k] for each place k of the run at which it may be split. */
static void suffix_set(Grower *g, const int64_t *x, const int32_t *run, int64_t n)
{
    sums_clear(g);
    for (int64_t k = n - 1; k > 0; k--) {
        sums_add(g, run[k]);
        if (x[run[k - 1]] != x[run[k]])
            g->suffix[k] = sums_best(g);
    }
}

/* The best split of a run on one feature with keep <= points left of it <= n - keep, if it beats *best. */
static void split_on(Grower *g, int feature, const int32_t *run, int64_t n, int64_t keep, Split *best)
{
    const int64_t *x = g->x + feature * g->n;
    if (x[run[0]] == x[run[n - 1]])
        return;
    suffix_set(g, x, run, n);
    sums_clear(g);
    for (int64_t k = 1; k <= n - keep; k++) {
        sums_add(g, run[k - 1]);
        if (k < keep || x[run[k - 1]] == x[run[k]])
            continue;
        const double cost = sums_best(g) + g->suffix[k];
        if (is_less(cost, best->cost))
            *best = (Split){ feature, threshold_between(x[run[k - 1]], x[run[k]]), cost };
    }
}

/* The best split that lowers `from`; feature -1 and cost `from` when there is none. */
static Split split_find(Grower *g, const int32_t *orders, int64_t lo, int64_t n, int64_t keep, double from)
{
    Split best = { .feature = -1, .cost = from };
    for (int f = 0; f < g->nfeature && n > 1; f++)
        split_on(g, f, orders + f * g->n + lo, n, keep, &best);
    return best;
}

/* A split near the middle, the best of those, whether it lowers the cost or not (pruning takes it back if not). */
static Split split_balanced(Grower *g, int64_t lo, int64_t n)
{
    Split s = { .feature = -1 };
    for (int64_t keep = n / 4; keep > 0 && s.feature < 0; keep /= 2)
        s = split_find(g, g->order, lo, n, keep, DBL_MAX);
    return s;
}

/* ---- two splits at once, where no single one helps ---- */

/* Best pair of thresholds on one feature: a band of one class between two runs with their own best classes.
 * The cost left + band + right is, for each class, a difference of prefix sums, so one pass finds the best pair.
 * Fills the pair as places (from, to); false when there is none. Differences round: the caller adds up again. */
static bool band_find(Grower *g, const int64_t *x, const int32_t *run, int64_t n, int64_t *from, int64_t *to)
{
    Band *band = g->band;
    double best = DBL_MAX;
    *from = 0;
    memset(band, 0, (size_t)g->nclass * sizeof *band);
    suffix_set(g, x, run, n);
    sums_clear(g);
    for (int64_t k = 1; k < n; k++) {
        sums_add(g, run[k - 1]);
        if (x[run[k - 1]] == x[run[k]])
            continue;
        const double left = sums_best(g);
        for (int c = 0; c < g->nclass; c++) {
            const double start = left - g->sum[c], cost = band[c].start + g->sum[c] + g->suffix[k];
            if (band[c].at > 0 && is_less(cost, best)) {
                best = cost;
                *from = band[c].at;
                *to = k;
            }
            if (band[c].at == 0 || is_less(start, band[c].start))
                band[c] = (Band){ start, k };
        }
    }
    return *from > 0;
}

/* If a band on the feature costs less than *best, makes its first threshold the best split. */
static void look_band(Grower *g, int feature, const int32_t *run, int64_t n, Split *best)
{
    const int64_t *x = g->x + feature * g->n;
    int64_t i, j;
    if (n < 3 || x[run[0]] == x[run[n - 1]] || !band_find(g, x, run, n, &i, &j))
        return;
    const double cost = run_best(g, run, i) + run_best(g, run + i, j - i) + run_best(g, run + j, n - j);
    if (is_less(cost, best->cost))
        *best = (Split){ feature, threshold_between(x[run[i - 1]], x[run[i]]), cost };
}

/* Writes the runs of both sides of a split to `spare`, sorted as before; gives the number of points on the left. */
static int64_t split_runs(Grower *g, int64_t lo, int64_t n, Split s)
{
    const int32_t *any = g->order + lo;
    int64_t nleft = 0;
    for (int64_t i = 0; i < n; i++) {
        g->right[any[i]] = g->x[s.feature * g->n + any[i]] > s.threshold;
        nleft += !g->right[any[i]];
    }
    for (int f = 0; f < g->nfeature; f++) {
        const int32_t *run = g->order + f * g->n + lo;
        int32_t *left = g->spare + f * g->n + lo, *right = left + nleft;
        for (int64_t i = 0; i < n; i++)
            *(g->right[run[i]] ? right++ : left++) = run[i];
    }
    return nleft;
}

/* Tries a split followed by the best single one of each side. If these cost less, *best becomes the split, and next[]
 * those behind it. */
static bool look_try(Grower *g, int64_t lo, int64_t n, Split s, Split *best, Split next[2])
{
    const int64_t nleft = split_runs(g, lo, n, s);
    const int32_t *left = g->spare + lo, *right = left + nleft;
    const Split behind[] = { split_find(g, g->spare, lo, nleft, 1, run_best(g, left, nleft)),
                             split_find(g, g->spare, lo + nleft, n - nleft, 1, run_best(g, right, n - nleft)) };
    g->look_left -= 2 * n * g->nfeature;
    s.cost = behind[0].cost + behind[1].cost;
    if (!is_less(s.cost, best->cost))
        return false;
    *best = s;
    memcpy(next, behind, sizeof behind);
    return true;
}

/* Looks one level ahead on all features (XOR). It tries some first thresholds of each, evenly spread over the points.
 * Then it tries the second splits that the best of them leads to as the first, which finds the exact places from rough
 * ones. */
static void look_ahead(Grower *g, int64_t lo, int64_t n, Split *best)
{
    int64_t places = LOOK_POINTS / (2 * n * g->nfeature * g->nfeature);
    places = places < 1 ? 1 : places > LOOK_PLACES ? LOOK_PLACES : places;
    Split next[2] = { { .feature = -1 }, { .feature = -1 } };
    for (int f = 0; f < g->nfeature; f++) {
        const int64_t *x = g->x + f * g->n;
        const int32_t *run = g->order + f * g->n + lo;
        int64_t last = 0; /* place after the last threshold tried */
        for (int64_t p = 1; p <= places && g->look_left > 0; p++) {
            int64_t k = n * p / (places + 1);
            k = k <= last ? last + 1 : k;
            while (k < n && x[run[k - 1]] == x[run[k]])
                k++;
            if (k >= n)
                break;
            last = k;
            look_try(g, lo, n, (Split){ f, threshold_between(x[run[k - 1]], x[run[k]]), best->cost }, best, next);
        }
    }
    for (int round = 0; round < LOOK_REFINE; round++) {
        Split first[2] = { next[0], next[1] };
        bool better = first[0].feature >= 0 && look_try(g, lo, n, first[0], best, next);
        better |= first[1].feature >= 0 && look_try(g, lo, n, first[1], best, next);
        if (!better)
            break;
    }
}

/* ---- growing ---- */

static Split split_choose(Grower *g, int64_t lo, int64_t n, int depth, double own)
{
    if (depth >= BALANCE_DEPTH && n >= BALANCE_POINTS)
        return split_balanced(g, lo, n);
    Split s = split_find(g, g->order, lo, n, 1, own);
    for (int f = 0; s.feature < 0 && f < g->nfeature; f++)
        look_band(g, f, g->order + f * g->n + lo, n, &s);
    if (s.feature < 0 && g->look_left > 0)
        look_ahead(g, lo, n, &s);
    return s;
}

static bool every_point_has_its_best(Grower *g, const int32_t *run, int64_t n, double own)
{
    double ideal = 0;
    for (int64_t i = 0; i < n; i++)
        ideal += run_best(g, run + i, 1);
    return !is_less(ideal, own);
}

static Grown *grow(Grower *g, Grown *parent, int64_t lo, int64_t n, int depth)
{
    Grown *t = ARENA_NEW(g->scratch, Grown);
    const int32_t *run = g->order + lo;
    *t = (Grown){ .node.feature = -1, .nleaf = 1, .parent = parent, .index = g->nnode, .end = g->nnode + 1 };
    g->node[g->nnode++] = t;
    t->sub = t->node.cost = run_best(g, run, n);
    while (is_less(t->sub, g->sum[t->node.class])) /* the lowest class of those that cost as little but for rounding */
        t->node.class ++;
    for (int64_t i = 0; i < n; i++)
        t->node.npoint += g->npoint[run[i]];
    if (n < 2 || every_point_has_its_best(g, run, n, t->sub))
        return t;
    const Split s = split_choose(g, lo, n, depth, t->sub);
    if (s.feature < 0)
        return t;
    const int64_t nleft = split_runs(g, lo, n, s);
    for (int f = 0; f < g->nfeature; f++)
        memcpy(g->order + f * g->n + lo, g->spare + f * g->n + lo, (size_t)n * sizeof *g->order);
    t->node.feature = s.feature;
    t->node.threshold = s.threshold;
    t->node.left = &grow(g, t, lo, nleft, depth + 1)->node;
    t->node.right = &grow(g, t, lo + nleft, n - nleft, depth + 1)->node;
    t->end = g->nnode;
    grown_sum(t);
    return t;
}

static Grower grower_new(Arena *scratch, const int64_t *x, const double *cost, int64_t npoint, int nfeature, int nclass)
{
    Grower g = { .scratch = scratch, .nfeature = nfeature, .nclass = nclass, .look_left = LOOK_POINTS_ALL };
    g.sum = ARENA_ARRAY(scratch, (size_t)nclass, double);
    g.band = ARENA_ARRAY(scratch, (size_t)nclass, Band);
    points_merge(&g, x, cost, npoint);
    g.right = ARENA_ARRAY(scratch, (size_t)g.n, uint8_t);
    g.suffix = ARENA_ARRAY(scratch, (size_t)g.n, double);
    g.node = ARENA_ARRAY(scratch, 2 * (size_t)g.n, Grown *);
    orders_sort(&g);
    return g;
}

/* ---- pruning ---- */

/* A tournament over the nodes: win[1] is the inner node whose merge raises the cost least for each leaf it saves. */
typedef struct {
    Grown **node; /* by index */
    int64_t *win; /* a heap of indices, in which those of the nodes begin at `size`; -1: none */
    int64_t size;
} Links;

static double merge_rise(const Grown *t) { return t->node.cost - t->sub; }

/* Does the merge of a raise the cost less for each leaf that it saves than that of b? */
static bool is_weaker(const Grown *a, const Grown *b)
{
    return merge_rise(a) / (double)(a->nleaf - 1) < merge_rise(b) / (double)(b->nleaf - 1);
}

/* Puts a node into the tournament, or takes it out. */
static void link_set(Links *l, int64_t index, bool in)
{
    int64_t at = l->size + index;
    l->win[at] = in ? index : -1;
    for (at /= 2; at > 0; at /= 2) {
        int64_t a = l->win[2 * at], b = l->win[2 * at + 1];
        l->win[at] = a < 0 || (b >= 0 && is_weaker(l->node[b], l->node[a])) ? b : a;
    }
}

static Links links_new(Arena *scratch, Grown **node, int64_t n)
{
    Links l = { .node = node, .size = 1 };
    while (l.size < n)
        l.size *= 2;
    l.win = ARENA_ARRAY(scratch, (size_t)(2 * l.size), int64_t);
    memset(l.win, -1, (size_t)(2 * l.size) * sizeof *l.win);
    return l;
}

/* Makes an inner node a leaf. */
static void node_merge(Links *l, Grown *t)
{
    for (int64_t i = t->index; i < t->end; i++) {
        l->node[i]->node.feature = -1;
        if (l->win[l->size + i] >= 0)
            link_set(l, i, false);
    }
    t->sub = t->node.cost;
    t->nleaf = 1;
    t->end = t->index + 1;
    for (Grown *up = t->parent; up; up = up->parent) {
        grown_sum(up);
        link_set(l, up->index, true); /* back in if it was taken out: its merge has become cheaper */
    }
}

/* Merges weakest links while the total cost rises by at most `rise`, and each that costs less than `worth` for each
 * leaf that goes. */
static void prune(Links *l, const Grown *root, double rise, double worth)
{
    for (int64_t i = 0; i < root->end; i++)
        if (l->node[i]->node.feature >= 0)
            link_set(l, i, true);
    while (l->win[1] >= 0) {
        Grown *t = l->node[l->win[1]];
        const double more = merge_rise(t);
        if (more <= rise || more < worth * (double)(t->nleaf - 1)) {
            rise -= more;
            node_merge(l, t);
        } else {
            link_set(l, t->index, false);
        }
    }
}

/* ---- the whole ---- */

static TreeNode *tree_copy(Arena *a, const TreeNode *t)
{
    TreeNode *copy = ARENA_NEW(a, TreeNode);
    *copy = *t;
    copy->left = t->feature < 0 ? NULL : tree_copy(a, t->left);
    copy->right = t->feature < 0 ? NULL : tree_copy(a, t->right);
    return copy;
}

TreeNode *tree_train(Arena *a, const int64_t *x, const double *cost, int64_t npoint, int nfeature, int nclass,
                     TreeOptions options)
{
    Arena *scratch = arena_new();
    Grower g = grower_new(scratch, x, cost, npoint, nfeature, nclass);
    Grown *root = grow(&g, NULL, 0, g.n, 0);
    Links links = links_new(scratch, g.node, g.nnode);
    const double full = fabs(root->sub);
    prune(&links, root, (options.tolerance + ROUNDING) * full, 0);
    prune(&links, root, -INFINITY, options.worth * full);
    TreeNode *t = tree_copy(a, &root->node);
    arena_free(scratch);
    return t;
}

const TreeNode *tree_leaf(const TreeNode *t, const int64_t *x)
{
    while (t->feature >= 0)
        t = x[t->feature] <= t->threshold ? t->left : t->right;
    return t;
}

int tree_choose(const TreeNode *t, const int64_t *x) { return tree_leaf(t, x)->class; }

int tree_nleaf(const TreeNode *t) { return t->feature < 0 ? 1 : tree_nleaf(t->left) + tree_nleaf(t->right); }

int tree_depth(const TreeNode *t)
{
    if (t->feature < 0)
        return 0;
    int left = tree_depth(t->left), right = tree_depth(t->right);
    return 1 + (left > right ? left : right);
}
