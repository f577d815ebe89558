/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_grow: takes points with a cost for every class, gives the full tree.
 *
 *   points  --merge-->  distinct points, in one order whatever the input's order
 *           --grow--->  split where the total cost falls most, until every point has its own best class
 *
 * Each feature is sorted once; the sorted orders are split with the nodes, so a level of the tree costs
 * O(npoint * nfeature * nclass). Sums run from both ends instead of being subtracted: large costs of one class do not
 * blur small ones of another.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* qsort_r */
#endif
#include "model/tree_grow.h"

#include <stdlib.h>
#include <string.h>
#include "gen/base/order.h"

enum {
    BALANCE_DEPTH = 32, /* below this depth large nodes are split near their middle: depth stays O(log npoint) */
    BALANCE_POINTS = 64,
    LOOK_PLACES = 16,      /* first thresholds tried on each feature when two features must be split together */
    LOOK_POINTS = 1 << 22, /* points scanned for one such node, and for all of them */
    LOOK_POINTS_ALL = 1 << 25,
    LOOK_REFINE = 4
};

typedef struct {
    Cost start; /* best of (cost left of i) - (cost of the class left of i) */
    int64_t at; /* that i */
} Band;

/* Distinct points and the state of growing. Orders hold, for each feature, the points of every node as one sorted run;
 * all features place a node at the same [lo, lo + n). */
typedef struct {
    Arena *scratch;
    int64_t n;
    int nfeature, nclass;
    int64_t *x;             /* [feature][point] */
    double *cost;           /* [point][class], 0 where denied */
    int64_t *denied;        /* [point][class]; NULL: none at all */
    int64_t *npoint;        /* given points that this one stands for */
    Cost *ideal;            /* each point with its own best class */
    int32_t *order, *spare; /* [feature][place] */
    uint8_t *right;         /* [point]: side of the split at hand */
    Cost *suffix;           /* [place]: best single class of the rest of a run */
    double *sum;            /* [class]: running sums */
    int64_t *nsum;
    Band *band; /* [class] */
    int64_t look_left, nnode;
} Grower;

typedef struct {
    int feature; /* -1: none */
    int64_t threshold;
    Cost cost; /* of both sides */
} Split;

static void sums_clear(Grower *g)
{
    memset(g->sum, 0, (size_t)g->nclass * sizeof *g->sum);
    memset(g->nsum, 0, (size_t)g->nclass * sizeof *g->nsum);
}

static void sums_add(Grower *g, int32_t point)
{
    const double *cost = g->cost + (int64_t)point * g->nclass;
    for (int c = 0; c < g->nclass; c++)
        g->sum[c] += cost[c];
    if (!g->denied)
        return;
    const int64_t *denied = g->denied + (int64_t)point * g->nclass;
    for (int c = 0; c < g->nclass; c++)
        g->nsum[c] += denied[c];
}

static Cost sums_class(const Grower *g, int c) { return (Cost){ g->nsum[c], g->sum[c] }; }

/* The class, if wanted, is the lowest of those that cost as little but for rounding. */
static Cost sums_best(const Grower *g, int *class)
{
    Cost best = sums_class(g, 0);
    if (!g->denied)
        for (int c = 1; c < g->nclass; c++)
            best.sum = g->sum[c] < best.sum ? g->sum[c] : best.sum;
    else
        for (int c = 1; c < g->nclass; c++)
            best = cost_less(sums_class(g, c), best) ? sums_class(g, c) : best;
    if (class)
        for (*class = 0; cost_lowers(best, sums_class(g, *class)); ++*class)
            ;
    return best;
}

static Cost run_best(Grower *g, const int32_t *run, int64_t n, int *class)
{
    sums_clear(g);
    for (int64_t i = 0; i < n; i++)
        sums_add(g, run[i]);
    return sums_best(g, class);
}

/* ---- merging: distinct points, in canonical order ---- */

typedef struct {
    const int64_t *x;
    const double *cost;
} Given;
typedef struct {
    int nfeature, nclass;
} Width;

static double allowed_or_inf(double cost) { return isfinite(cost) ? cost : INFINITY; }

static int given_compare(const void *pa, const void *pb, void *ctx)
{
    const Given *a = pa, *b = pb;
    const Width *width = ctx;
    int order = order_numbers(a->x, b->x, width->nfeature);
    for (int c = 0; order == 0 && c < width->nclass; c++) {
        double u = allowed_or_inf(a->cost[c]), v = allowed_or_inf(b->cost[c]);
        order = (u > v) - (u < v);
    }
    return order;
}

static void point_add(Grower *g, int64_t point, const double *cost)
{
    g->npoint[point]++;
    for (int c = 0; c < g->nclass; c++) {
        if (isfinite(cost[c]))
            g->cost[point * g->nclass + c] += cost[c];
        else
            g->denied[point * g->nclass + c]++;
    }
}

static bool any_denied(const double *cost, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(cost[i]))
            return true;
    return false;
}

static Given *given_sorted(Arena *scratch, const int64_t *x, const double *cost, int64_t n, Width width)
{
    Given *given = ARENA_ARRAY(scratch, (size_t)n, Given);
    for (int64_t i = 0; i < n; i++)
        given[i] = (Given){ x + i * width.nfeature, cost + i * width.nclass };
    qsort_r(given, (size_t)n, sizeof *given, given_compare, &width);
    return given;
}

/* Sets n, x, cost, denied, npoint. Feature f of distinct point i lies at x[f * n + i]. */
static void points_merge(Grower *g, const int64_t *x, const double *cost, int64_t n)
{
    Given *given = given_sorted(g->scratch, x, cost, n, (Width){ g->nfeature, g->nclass });
    int64_t *first = ARENA_ARRAY(g->scratch, (size_t)n, int64_t);
    size_t ncost = (size_t)n * (size_t)g->nclass;
    g->cost = ARENA_ARRAY(g->scratch, ncost, double);
    g->denied = ARENA_ARRAY(g->scratch, ncost, int64_t);
    g->npoint = ARENA_ARRAY(g->scratch, (size_t)n, int64_t);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || order_numbers(given[i - 1].x, given[i].x, g->nfeature) != 0)
            first[g->n++] = i;
        point_add(g, g->n - 1, given[i].cost);
    }
    if (!any_denied(cost, n * g->nclass))
        g->denied = NULL;
    g->x = ARENA_ARRAY(g->scratch, (size_t)g->n * (size_t)g->nfeature, int64_t);
    for (int f = 0; f < g->nfeature; f++)
        for (int64_t i = 0; i < g->n; i++)
            g->x[f * g->n + i] = given[first[i]].x[f];
}

static void ideal_set(Grower *g)
{
    g->ideal = ARENA_ARRAY(g->scratch, (size_t)g->n, Cost);
    for (int32_t i = 0; i < g->n; i++)
        g->ideal[i] = run_best(g, &i, 1, NULL);
}

static int place_compare(const void *pa, const void *pb, void *ctx)
{
    int32_t a = *(const int32_t *)pa, b = *(const int32_t *)pb;
    const int64_t *x = ctx;
    return x[a] != x[b] ? order_number(&x[a], &x[b]) : (a > b) - (a < b);
}

static void orders_sort(Grower *g)
{
    int norder = g->nfeature > 0 ? g->nfeature : 1; /* node runs are read from the first */
    size_t nplace = (size_t)g->n * (size_t)norder;
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

static void suffix_set(Grower *g, const int64_t *x, const int32_t *run, int64_t n)
{
    sums_clear(g);
    for (int64_t k = n - 1; k > 0; k--) {
        sums_add(g, run[k]);
        if (x[run[k - 1]] != x[run[k]])
            g->suffix[k] = sums_best(g, NULL);
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
        Cost cost = cost_add(sums_best(g, NULL), g->suffix[k]);
        if (cost_lowers(cost, best->cost))
            *best = (Split){ feature, threshold_between(x[run[k - 1]], x[run[k]]), cost };
    }
}

/* The best split that lowers `from`; feature -1 and cost `from` when there is none. */
static Split split_find(Grower *g, const int32_t *orders, int64_t lo, int64_t n, int64_t keep, Cost from)
{
    Split best = { .feature = -1, .cost = from };
    for (int f = 0; f < g->nfeature && n > 1; f++)
        split_on(g, f, orders + f * g->n + lo, n, keep, &best);
    return best;
}

/* A split near the middle, the best of those, whether it lowers the cost or not (pruning takes it back if not). */
static Split split_balanced(Grower *g, int64_t lo, int64_t n)
{
    Split none = { .feature = -1, .cost = { INT64_MAX, 0 } };
    for (int64_t keep = n / 4; keep > 0; keep /= 2) {
        Split s = split_find(g, g->order, lo, n, keep, none.cost);
        if (s.feature >= 0)
            return s;
    }
    return none;
}

/* ---- two splits at once, where no single one helps ---- */

/* Best pair of thresholds on one feature: a band of one class between two runs with their own best classes.
 * The cost left + band + right is, for each class, a difference of prefix sums, so one pass finds the best pair.
 * Fills the pair as places (from, to); false when there is none. Differences round: the caller adds up again. */
static bool band_find(Grower *g, const int64_t *x, const int32_t *run, int64_t n, int64_t *from, int64_t *to)
{
    Band *band = g->band;
    Cost best = { INT64_MAX, 0 };
    *from = 0;
    memset(band, 0, (size_t)g->nclass * sizeof *band);
    suffix_set(g, x, run, n);
    sums_clear(g);
    for (int64_t k = 1; k < n; k++) {
        sums_add(g, run[k - 1]);
        if (x[run[k - 1]] == x[run[k]])
            continue;
        Cost left = sums_best(g, NULL);
        for (int c = 0; c < g->nclass; c++) {
            Cost start = cost_sub(left, sums_class(g, c));
            Cost cost = cost_add(cost_add(band[c].start, sums_class(g, c)), g->suffix[k]);
            if (band[c].at > 0 && cost_lowers(cost, best)) {
                best = cost;
                *from = band[c].at;
                *to = k;
            }
            if (band[c].at == 0 || cost_lowers(start, band[c].start))
                band[c] = (Band){ start, k };
        }
    }
    return *from > 0;
}

static void look_band(Grower *g, int feature, const int32_t *run, int64_t n, Split *best)
{
    const int64_t *x = g->x + feature * g->n;
    int64_t i, j;
    if (n < 3 || x[run[0]] == x[run[n - 1]] || !band_find(g, x, run, n, &i, &j))
        return;
    Cost cost = cost_add(run_best(g, run, i, NULL), run_best(g, run + i, j - i, NULL));
    cost = cost_add(cost, run_best(g, run + j, n - j, NULL));
    if (cost_lowers(cost, best->cost))
        *best = (Split){ feature, threshold_between(x[run[i - 1]], x[run[i]]), cost };
}

/* Writes the runs of both sides of a split to `to`, sorted as before; gives the number of points on the left. */
static int64_t split_runs(Grower *g, int32_t *to, int64_t lo, int64_t n, Split s)
{
    const int32_t *any = g->order + lo;
    int64_t nleft = 0;
    for (int64_t i = 0; i < n; i++) {
        g->right[any[i]] = g->x[s.feature * g->n + any[i]] > s.threshold;
        nleft += !g->right[any[i]];
    }
    for (int f = 0; f < g->nfeature; f++) {
        const int32_t *run = g->order + f * g->n + lo;
        int32_t *left = to + f * g->n + lo, *right = left + nleft;
        for (int64_t i = 0; i < n; i++)
            *(g->right[run[i]] ? right++ : left++) = run[i];
    }
    return nleft;
}

/* Cost after `s` and then the best single split of each side; next[] are those. */
static Cost look_behind(Grower *g, int64_t lo, int64_t n, Split s, Split next[2])
{
    int64_t nleft = split_runs(g, g->spare, lo, n, s);
    const int32_t *left = g->spare + lo, *right = left + nleft;
    next[0] = split_find(g, g->spare, lo, nleft, 1, run_best(g, left, nleft, NULL));
    next[1] = split_find(g, g->spare, lo + nleft, n - nleft, 1, run_best(g, right, n - nleft, NULL));
    g->look_left -= 2 * n * g->nfeature;
    return cost_add(next[0].cost, next[1].cost);
}

static bool look_try(Grower *g, int64_t lo, int64_t n, Split s, Split *best, Split next[2])
{
    Split behind[2];
    s.cost = look_behind(g, lo, n, s, behind);
    if (!cost_lowers(s.cost, best->cost))
        return false;
    *best = s;
    memcpy(next, behind, sizeof behind);
    return true;
}

/* One level ahead on all features (XOR): some first thresholds of each, evenly spread over the points; then the second
 * splits that the best of them leads to are tried as the first, which finds the exact places from rough ones. */
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

static Split split_choose(Grower *g, int64_t lo, int64_t n, int depth, Cost own)
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

static Grown *node_new(Grower *g, int64_t lo, int64_t n)
{
    Grown *node = ARENA_NEW(g->scratch, Grown);
    const int32_t *run = g->order + lo;
    node->own = run_best(g, run, n, &node->node.class);
    node->sub = node->own;
    node->nleaf = 1;
    node->node.feature = -1;
    node->node.cost = node->own.ndenied > 0 ? INFINITY : node->own.sum;
    for (int64_t i = 0; i < n; i++)
        node->node.npoint += g->npoint[run[i]];
    return node;
}

static bool every_point_has_its_best(const Grower *g, int64_t lo, int64_t n, Cost own)
{
    Cost ideal = { 0, 0 };
    for (int64_t i = 0; i < n; i++)
        ideal = cost_add(ideal, g->ideal[g->order[lo + i]]);
    return !cost_lowers(ideal, own);
}

void grown_sum(Grown *t)
{
    t->sub = cost_add(grown_left(t)->sub, grown_right(t)->sub);
    t->nleaf = grown_left(t)->nleaf + grown_right(t)->nleaf;
}

static Grown *grow(Grower *g, Grown *parent, int64_t lo, int64_t n, int depth)
{
    Grown *t = node_new(g, lo, n);
    t->parent = parent;
    t->index = g->nnode++;
    t->end = g->nnode;
    if (n < 2 || g->nfeature == 0 || every_point_has_its_best(g, lo, n, t->own))
        return t;
    Split s = split_choose(g, lo, n, depth, t->own);
    if (s.feature < 0)
        return t;
    int64_t nleft = split_runs(g, g->spare, lo, n, s);
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

Grown *tree_grow(Arena *scratch, const int64_t *x, const double *cost, int64_t npoint, int nfeature, int nclass)
{
    Grower g = { .scratch = scratch, .nfeature = nfeature, .nclass = nclass, .look_left = LOOK_POINTS_ALL };
    g.sum = ARENA_ARRAY(scratch, (size_t)nclass, double);
    g.nsum = ARENA_ARRAY(scratch, (size_t)nclass, int64_t);
    g.band = ARENA_ARRAY(scratch, (size_t)nclass, Band);
    points_merge(&g, x, cost, npoint);
    g.right = ARENA_ARRAY(scratch, (size_t)g.n, uint8_t);
    g.suffix = ARENA_ARRAY(scratch, (size_t)g.n, Cost);
    ideal_set(&g);
    orders_sort(&g);
    return grow(&g, NULL, 0, g.n, 0);
}
