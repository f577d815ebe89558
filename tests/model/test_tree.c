/* SPDX-License-Identifier: Apache-2.0
 *
 * tree: splits against a search of all, ties, look-ahead, pruning, chance, extremes, speed.
 * ctest: label=slow
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "model/tree.h"

static const TreeOptions FULL = { .tolerance = 0 };

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((seed >> 32) * below) >> 32);
}

typedef struct {
    int64_t n;
    int nfeature, nclass;
    int64_t *x;
    double *cost;
} Data;

static Data data_new(Arena *a, int64_t n, int nfeature, int nclass)
{
    Data d = { .n = n, .nfeature = nfeature, .nclass = nclass };
    d.x = ARENA_ARRAY(a, (size_t)(n * nfeature), int64_t);
    d.cost = ARENA_ARRAY(a, (size_t)(n * nclass), double);
    return d;
}

static TreeNode *train(Arena *a, const Data *d, TreeOptions options)
{
    TreeNode *t = tree_train(a, d->x, d->cost, d->n, d->nfeature, d->nclass, options);
    assert_non_null(t);
    return t;
}

/* Whole costs, so that sums are exact and ties are ties. */
static Data random_data(Arena *a, int64_t n, int nfeature, int nclass, uint32_t values, uint32_t costs)
{
    Data d = data_new(a, n, nfeature, nclass);
    for (int64_t i = 0; i < n * nfeature; i++)
        d.x[i] = (int64_t)draw(values) - values / 2;
    for (int64_t i = 0; i < n * nclass; i++)
        d.cost[i] = draw(costs);
    return d;
}

static double cost_of_tree(const Data *d, const TreeNode *t)
{
    double sum = 0;
    for (int64_t i = 0; i < d->n; i++)
        sum += d->cost[i * d->nclass + tree_choose(t, d->x + i * d->nfeature)];
    return sum;
}

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * (1 + fabs(want))))
        fail_msg("%.17g, not %.17g", got, want);
}

static void assert_same_tree(const TreeNode *a, const TreeNode *b)
{
    assert_int_equal(a->feature, b->feature);
    assert_int_equal(a->threshold, b->threshold);
    assert_int_equal(a->class, b->class);
    assert_int_equal(a->npoint, b->npoint);
    assert_memory_equal(&a->cost, &b->cost, sizeof a->cost);
    if (a->feature >= 0) {
        assert_same_tree(a->left, b->left);
        assert_same_tree(a->right, b->right);
    }
}

/* Every node's number of points, class and cost are those of the points that reach it. */
static void check_nodes(const Data *d, const TreeNode *t, const bool *here)
{
    int64_t n = 0;
    double *sum = calloc((size_t)d->nclass, sizeof *sum);
    for (int64_t i = 0; i < d->n; i++) {
        n += here[i];
        for (int c = 0; here[i] && c < d->nclass; c++)
            sum[c] += d->cost[i * d->nclass + c];
    }
    assert_int_equal(t->npoint, n);
    for (int c = 0; c < d->nclass; c++)
        assert_true(t->cost <= sum[c] * (1 + 1e-9));
    assert_near(t->cost, sum[t->class]);
    free(sum);
    if (t->feature < 0)
        return;
    bool *side = calloc((size_t)d->n, sizeof *side);
    for (int right = 0; right < 2; right++) {
        for (int64_t i = 0; i < d->n; i++)
            side[i] = here[i] && (d->x[i * d->nfeature + t->feature] > t->threshold) == right;
        check_nodes(d, right ? t->right : t->left, side);
    }
    free(side);
}

static void check_tree(const Data *d, const TreeNode *t)
{
    bool *all = malloc((size_t)d->n * sizeof *all);
    memset(all, true, (size_t)d->n * sizeof *all);
    check_nodes(d, t, all);
    free(all);
}

static int setup(void **state)
{
    seed = 7;
    *state = arena_new();
    return 0;
}

static int teardown(void **state)
{
    arena_free(*state);
    return 0;
}

/* ---- one split against all ---- */

typedef struct {
    int feature;
    int64_t threshold;
    double cost;
} Best;

static double best_class_cost(const Data *d, int feature, int64_t threshold, bool right)
{
    double best = INFINITY;
    for (int c = 0; c < d->nclass; c++) {
        double sum = 0;
        for (int64_t i = 0; i < d->n; i++)
            if (feature < 0 || (d->x[i * d->nfeature + feature] > threshold) == right)
                sum += d->cost[i * d->nclass + c];
        best = fmin(best, sum);
    }
    return best;
}

static int64_t next_value(const Data *d, int feature, int64_t after)
{
    int64_t next = INT64_MAX;
    for (int64_t i = 0; i < d->n; i++) {
        int64_t v = d->x[i * d->nfeature + feature];
        next = v > after && v < next ? v : next;
    }
    return next;
}

/* All single splits, straight from the definition; values are small here. */
static Best best_single(const Data *d)
{
    Best best = { -1, 0, best_class_cost(d, -1, 0, false) };
    for (int f = 0; f < d->nfeature; f++) {
        int64_t low = next_value(d, f, INT64_MIN), high;
        for (; (high = next_value(d, f, low)) != INT64_MAX; low = high) {
            int64_t threshold = (int64_t)floor((double)(low + high) / 2);
            double cost = best_class_cost(d, f, threshold, false) + best_class_cost(d, f, threshold, true);
            if (cost < best.cost)
                best = (Best){ f, threshold, cost };
        }
    }
    return best;
}

static void root_is_the_best_single_split(void **state)
{
    int nsplit = 0;
    for (int round = 0; round < 2000; round++) {
        Data d = random_data(*state, 1 + draw(12), 1 + (int)draw(3), 1 + (int)draw(4), 2 + draw(8), 2 + draw(6));
        Best want = best_single(&d);
        TreeNode *t = train(*state, &d, FULL);
        check_tree(&d, t);
        if (want.feature < 0)
            continue;
        nsplit++;
        assert_int_equal(t->feature, want.feature);
        assert_int_equal(t->threshold, want.threshold);
        assert_near(t->left->cost + t->right->cost, want.cost);
    }
    assert_true(nsplit > 1000);
}

/* ---- the whole tree ---- */

/* The least that any function of x can cost: points that agree in x share a class. */
static double ideal_cost(const Data *d)
{
    double sum = 0;
    for (int64_t i = 0; i < d->n; i++) {
        const int64_t *x = d->x + i * d->nfeature;
        double best = INFINITY;
        int64_t first = i;
        for (int c = 0; c < d->nclass; c++) {
            double group = 0;
            for (int64_t j = 0; j < d->n; j++) {
                if (memcmp(d->x + j * d->nfeature, x, (size_t)d->nfeature * sizeof *x) != 0)
                    continue;
                group += d->cost[j * d->nclass + c];
                first = j < first ? j : first;
            }
            best = fmin(best, group);
        }
        sum += first == i ? best : 0;
    }
    return sum;
}

static void one_feature_reaches_the_ideal(void **state)
{
    for (int round = 0; round < 300; round++) {
        Data d = random_data(*state, 1 + draw(40), 1, 1 + (int)draw(5), 1 + draw(40), 2 + draw(20));
        TreeNode *t = train(*state, &d, FULL);
        check_tree(&d, t);
        assert_near(cost_of_tree(&d, t), ideal_cost(&d));
    }
}

/* Greedy: a first threshold may fall inside a segment whose class is neither side's, which then takes two leaves. */
static void segments_give_few_leaves(void **state)
{
    static const int class_of[] = { 2, 0, 1, 0, 2, 1 };
    Data d = data_new(*state, 600, 1, 3);
    for (int64_t i = 0; i < d.n; i++) {
        d.x[i] = 16 * i;
        for (int c = 0; c < 3; c++)
            d.cost[i * 3 + c] = c == class_of[i / 100] ? 1 : 1.25 + 0.01 * (double)((i * 7 + c) % 10);
    }
    TreeNode *t = train(*state, &d, (TreeOptions){ .tolerance = 1e-3 });
    assert_in_range(tree_nleaf(t), 6, 7);
    assert_near(cost_of_tree(&d, t), 600);
    for (int i = 0; i < 6; i++) {
        int64_t last = 16 * (100 * i + 99);
        assert_int_equal(tree_choose(t, &last), class_of[i]);
    }
}

static void order_of_points_does_not_matter(void **state)
{
    for (int round = 0; round < 40; round++) {
        Data d = random_data(*state, 200, 3, 4, 6, 5), s = data_new(*state, 200, 3, 4);
        for (int64_t i = 0; i < d.n * d.nclass; i++)
            d.cost[i] += draw(1000) / 997.0; /* sums depend on the order */
        memcpy(s.x, d.x, 200 * 3 * sizeof *d.x);
        memcpy(s.cost, d.cost, 200 * 4 * sizeof *d.cost);
        for (uint32_t i = 199; i > 0; i--) {
            uint32_t j = draw(i + 1);
            for (int f = 0; f < 3; f++) {
                int64_t t = s.x[i * 3 + f];
                s.x[i * 3 + f] = s.x[j * 3 + f];
                s.x[j * 3 + f] = t;
            }
            for (int c = 0; c < 4; c++) {
                double t = s.cost[i * 4 + c];
                s.cost[i * 4 + c] = s.cost[j * 4 + c];
                s.cost[j * 4 + c] = t;
            }
        }
        TreeOptions options = { .tolerance = round % 2 ? 0.1 : 0.01 };
        assert_same_tree(train(*state, &d, options), train(*state, &s, options));
    }
}

/* 0.1 + 0.2 + ... differs by the order of adding up; equal features and mirrored ones still tie. */
static void ties_go_low_despite_rounding(void **state)
{
    Data d = data_new(*state, 100, 3, 3);
    for (int64_t i = 0; i < d.n; i++) {
        d.x[i * 3] = -i;
        d.x[i * 3 + 1] = d.x[i * 3 + 2] = i;
        for (int c = 0; c < 3; c++)
            d.cost[i * 3 + c] = 0.1 * (double)(1 + (c == 0 ? i : 99 - i) % 100); /* classes 1 and 2 are equal */
    }
    TreeNode *t = train(*state, &d, FULL);
    assert_int_equal(t->feature, 0);
    assert_int_equal(tree_nleaf(t), 2);
    assert_int_equal(t->left->class, 1);
    assert_int_equal(t->right->class, 0);
}

static void a_node_without_use_is_a_leaf(void **state)
{
    Data d = random_data(*state, 50, 2, 3, 10, 2);
    for (int64_t i = 0; i < d.n; i++)
        d.cost[i * 3 + 2] = 0;
    TreeNode *t = train(*state, &d, FULL);
    assert_int_equal(t->feature, -1);
    assert_int_equal(t->npoint, 50);
    assert_int_equal(tree_depth(t), 0);
}

static void degenerate_inputs(void **state)
{
    double cost[] = { 3, 1, 2, 3, 1, 2 };
    int64_t x[] = { 5, 5 };
    TreeNode *t = tree_train(*state, x, cost, 2, 1, 3, FULL); /* the same point twice */
    assert_int_equal(tree_choose(t, x), 1);
    assert_int_equal(t->npoint, 2);
    assert_near(t->cost, 2);
    t = tree_train(*state, x, cost, 2, 1, 1, FULL); /* no choice */
    assert_int_equal(tree_nleaf(t), 1);
}

/* ---- looking ahead ---- */

static void a_class_useful_only_in_the_middle(void **state)
{
    Data d = data_new(*state, 90, 2, 2);
    for (int64_t i = 0; i < d.n; i++) {
        d.x[i * 2] = i % 7;
        d.x[i * 2 + 1] = i;
        d.cost[i * 2] = 2;
        d.cost[i * 2 + 1] = i >= 40 && i < 50 ? 1 : 3;
    }
    assert_int_equal(best_single(&d).feature, -1);
    TreeNode *t = train(*state, &d, FULL);
    assert_int_equal(tree_nleaf(t), 3);
    assert_int_equal(t->feature, 1);
    assert_int_equal(t->threshold, 39);
    assert_near(cost_of_tree(&d, t), 170);
}

/* The points on one side. */
static Data side_of(Arena *a, const Data *d, int feature, int64_t threshold, bool right)
{
    Data side = data_new(a, d->n, d->nfeature, d->nclass);
    side.n = 0;
    for (int64_t i = 0; i < d->n; i++) {
        if ((d->x[i * d->nfeature + feature] > threshold) != right)
            continue;
        memcpy(side.x + side.n * d->nfeature, d->x + i * d->nfeature, (size_t)d->nfeature * sizeof *d->x);
        memcpy(side.cost + side.n++ * d->nclass, d->cost + i * d->nclass, (size_t)d->nclass * sizeof *d->cost);
    }
    return side;
}

typedef struct {
    double cost;
    int n; /* first splits that reach it */
    Best first[64];
} Ahead;

static void ahead_take(Ahead *b, int feature, int64_t threshold, double cost)
{
    if (cost < b->cost)
        b->n = 0;
    if (cost > b->cost || cost == INFINITY)
        return;
    b->cost = cost;
    b->first[b->n++] = (Best){ feature, threshold, cost };
}

/* All pairs of thresholds on one feature, with a class of its own for each of the three runs. */
static Ahead best_bands(Arena *a, const Data *d, double below)
{
    Ahead b = { .cost = below };
    for (int f = 0; f < d->nfeature && b.n == 0; f++)
        for (int64_t i = next_value(d, f, INT64_MIN), j; (j = next_value(d, f, i)) != INT64_MAX; i = j) {
            const Data rest = side_of(a, d, f, i, true);
            double least = INFINITY;
            for (int64_t k = j, l; (l = next_value(d, f, k)) != INT64_MAX; k = l)
                least = fmin(least, best_class_cost(&rest, f, k, false) + best_class_cost(&rest, f, k, true));
            const double cost = best_class_cost(d, f, i, false) + least;
            if (cost < below)
                ahead_take(&b, f, (int64_t)floor((double)(i + j) / 2), cost);
        }
    return b;
}

/* All first splits, each with the best split behind it on either side. */
static Ahead best_ahead(Arena *a, const Data *d, double below)
{
    Ahead b = { .cost = below };
    for (int f = 0; f < d->nfeature; f++)
        for (int64_t i = next_value(d, f, INT64_MIN), j; (j = next_value(d, f, i)) != INT64_MAX; i = j) {
            const Data left = side_of(a, d, f, i, false), right = side_of(a, d, f, i, true);
            const double cost = best_single(&left).cost + best_single(&right).cost;
            if (cost < below)
                ahead_take(&b, f, (int64_t)floor((double)(i + j) / 2), cost);
        }
    return b;
}

/* Where no single split helps, the root is one of the best bands of the first feature that has any; where there is none, one of the best
 * first splits of two. */
static void root_is_the_best_of_two(void **state)
{
    int nband = 0, nahead = 0;
    for (int round = 0; round < 6000; round++) {
        Arena *a = arena_new();
        const Data d = random_data(a, 3 + draw(6), 1 + (int)draw(3), 2 + (int)draw(2), 2 + draw(4), 2 + draw(3));
        const Best one = best_single(&d);
        if (one.feature < 0) {
            Ahead want = best_bands(a, &d, one.cost);
            nband += want.n > 0;
            if (want.n == 0) {
                want = best_ahead(a, &d, one.cost);
                nahead += want.n > 0;
            }
            const TreeNode *t = train(a, &d, FULL);
            check_tree(&d, t);
            bool found = want.n == 0 && t->feature < 0;
            for (int i = 0; i < want.n; i++)
                found = found || (t->feature == want.first[i].feature && t->threshold == want.first[i].threshold);
            assert_true(found);
        }
        arena_free(a);
    }
    assert_true(nband > 200 && nahead > 50);
    (void)state;
}

/* +1 and -1 in a few runs, as many of each. */
static void draw_signs(int *sign, int n, int nrun)
{
    int sum;
    do {
        int s = draw(2) ? 1 : -1;
        sum = 0;
        for (int i = 0; i < n; i++) {
            s = draw((uint32_t)(n / nrun)) == 0 ? -s : s;
            sum += sign[i] = s;
        }
    } while (sum != 0);
}

/* More values than thresholds that are tried at first: the places that these lead to are the best ones all the same. */
static void rough_places_lead_to_the_best(void **state)
{
    enum { SIDE = 30 };
    for (int round = 0; round < 40; round++) {
        int sign[2][SIDE];
        Arena *a = arena_new();
        Data d = data_new(a, SIDE * SIDE, 2, 2);
        draw_signs(sign[0], SIDE, 2 + (int)draw(3));
        draw_signs(sign[1], SIDE, 2 + (int)draw(3));
        for (int64_t i = 0; i < d.n; i++) {
            d.x[i * 2] = i % SIDE;
            d.x[i * 2 + 1] = i / SIDE;
            d.cost[i * 2] = 2;
            d.cost[i * 2 + 1] = 2 + sign[0][i % SIDE] * sign[1][i / SIDE];
        }
        assert_int_equal(best_single(&d).feature, -1);
        const Ahead want = best_ahead(a, &d, 2.0 * (double)d.n);
        const TreeNode *t = train(a, &d, FULL);
        bool found = false;
        for (int i = 0; i < want.n; i++)
            found = found || (t->feature == want.first[i].feature && t->threshold == want.first[i].threshold);
        assert_true(found);
        arena_free(a);
    }
    (void)state;
}

static Data exclusive_or(Arena *a, int side, int from0, int from1, int nfeature)
{
    Data d = data_new(a, side * side, nfeature, 2);
    for (int64_t i = 0; i < d.n; i++) {
        int64_t u = i % side, v = i / side;
        for (int f = 0; f < nfeature; f++)
            d.x[i * nfeature + f] = 8;
        d.x[i * nfeature] = u;
        d.x[i * nfeature + nfeature - 1] = v;
        int best = (u >= from0) != (v >= from1);
        d.cost[i * 2 + best] = 1;
        d.cost[i * 2 + !best] = 2;
    }
    return d;
}

static void two_features_decide_together(void **state)
{
    static const struct {
        int side, from0, from1, nfeature;
    } cases[] = {
        { 2, 1, 1, 2 }, { 4, 2, 2, 2 }, { 64, 32, 32, 2 }, { 64, 32, 32, 4 }, { 100, 50, 50, 3 }, { 150, 75, 75, 6 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Data d = exclusive_or(*state, cases[i].side, cases[i].from0, cases[i].from1, cases[i].nfeature);
        if (d.n <= 4096)
            assert_int_equal(best_single(&d).feature, -1);
        TreeNode *t = train(*state, &d, FULL);
        assert_near(cost_of_tree(&d, t), (double)d.n);
        assert_int_equal(tree_nleaf(t), 4);
    }
}

/* Uneven corners: single splits lower the cost a little, and the exact cost is still reached. */
static void uneven_corners_are_found(void **state)
{
    for (int round = 0; round < 30; round++) {
        Data d = exclusive_or(*state, 30, 1 + (int)draw(29), 1 + (int)draw(29), 2);
        TreeNode *t = train(*state, &d, FULL);
        assert_near(cost_of_tree(&d, t), (double)d.n);
        assert_true(tree_nleaf(t) <= 6);
    }
}

/* ---- pruning ---- */

/* No pair of sibling leaves could still be merged within what is left of the tolerance. */
static void assert_nothing_left_to_merge(const TreeNode *t, double left)
{
    if (t->feature < 0)
        return;
    if (t->left->feature < 0 && t->right->feature < 0)
        assert_true(t->cost - t->left->cost - t->right->cost > left);
    assert_nothing_left_to_merge(t->left, left);
    assert_nothing_left_to_merge(t->right, left);
}

static void pruning_respects_the_tolerance(void **state)
{
    static const double tolerance[] = { 0, 1e-4, 1e-3, 1e-2, 0.1, 1, 100 };
    for (int round = 0; round < 20; round++) {
        Data d = random_data(*state, 500, 2, 4, 30, 1000);
        double full = cost_of_tree(&d, train(*state, &d, FULL));
        int nleaf = INT32_MAX;
        for (size_t i = 0; i < sizeof tolerance / sizeof *tolerance; i++) {
            TreeNode *t = train(*state, &d, (TreeOptions){ .tolerance = tolerance[i] });
            double allowed = full * (1 + tolerance[i]), cost = cost_of_tree(&d, t);
            check_tree(&d, t);
            assert_true(cost <= allowed * (1 + 1e-11));
            assert_nothing_left_to_merge(t, (allowed - cost) * (1 - 1e-9) - 1e-6);
            assert_true(tree_nleaf(t) <= nleaf);
            nleaf = tree_nleaf(t);
        }
        assert_int_equal(nleaf, 1);
    }
}

/* Each pair of leaves that is left saves its worth. */
static void leaves_are_worth_their_place(void **state)
{
    static const double worth[] = { 1e-4, 1e-3, 1e-2, 0.1 };
    for (int round = 0; round < 20; round++) {
        Data d = random_data(*state, 500, 2, 4, 30, 1000);
        double full = cost_of_tree(&d, train(*state, &d, FULL));
        int nleaf = INT32_MAX;
        for (size_t i = 0; i < sizeof worth / sizeof *worth; i++) {
            TreeNode *t = train(*state, &d, (TreeOptions){ .worth = worth[i] });
            check_tree(&d, t);
            assert_nothing_left_to_merge(t, worth[i] * full * (1 - 1e-9));
            assert_true(tree_nleaf(t) <= nleaf);
            assert_true(cost_of_tree(&d, t) <= full * (1 + worth[i] * 500));
            nleaf = tree_nleaf(t);
        }
        assert_true(nleaf < 10);
    }
}

/* ---- what may be chance ---- */

enum { LINE = 40 };

/* Points 0 .. LINE-1 of two classes: class 0 costs 1, class 1 a bit more; nothing was measured but what a test says. */
typedef struct {
    int64_t x[LINE];
    double cost[LINE][2], error[LINE][2];
} Line;

static Line line_of(double second, double error)
{
    Line l;
    for (int i = 0; i < LINE; i++) {
        l.x[i] = i;
        l.cost[i][0] = 1;
        l.cost[i][1] = second;
        l.error[i][0] = l.error[i][1] = error;
    }
    return l;
}

static TreeNode *train_line(Arena *a, const Line *l, bool known)
{
    return tree_train(a, l->x, l->cost[0], LINE, 1, 2,
                      (TreeOptions){ .error = known ? l->error[0] : NULL, .errors = 2 });
}

/* A third more than its neighbours, of times that differ by a fifth; and predictions beside it that follow it. */
static void one_noisy_outlier_makes_no_leaf(void **state)
{
    Line l = line_of(1.05, 0.02);
    l.cost[20][0] = 1.34;
    l.error[20][0] = 0.2;
    assert_int_equal(tree_nleaf(train_line(*state, &l, false)), 3);
    assert_int_equal(tree_nleaf(train_line(*state, &l, true)), 1);
    for (int i = 17; i <= 23; i++)
        if (i != 20) {
            l.cost[i][0] = 1.2;
            l.error[i][0] = l.error[i][1] = -1;
        }
    assert_int_equal(tree_nleaf(train_line(*state, &l, true)), 1);
    l.error[20][0] = 0.02; /* the same of times that agree is no chance */
    assert_int_equal(tree_nleaf(train_line(*state, &l, true)), 3);
}

/* 5 % on one point is as much as the error of the difference, on sixteen it is four times that: 0.8 beside 0.2. */
static void a_difference_that_repeats_makes_a_leaf(void **state)
{
    const double error = 0.05 / sqrt(2);
    for (int n = 1; n <= 16; n += n == 3 ? 2 : 1) {
        Line l = line_of(1.05, error);
        for (int i = 0; i < n; i++)
            l.cost[i][0] = 1.10;
        assert_int_equal(tree_nleaf(train_line(*state, &l, true)), sqrt(n) > 2 ? 2 : 1);
    }
}

/* Leaves that no measurement speaks for or against are left to the other rules. */
static void only_what_was_measured_is_judged(void **state)
{
    Line l = line_of(1.05, 0.5);
    for (int i = 30; i < LINE; i++) {
        l.cost[i][0] = 1.2;
        l.error[i][0] = l.error[i][1] = -1;
    }
    assert_int_equal(tree_nleaf(train_line(*state, &l, true)), 2);
}

/* Points of two features, of which the second one decides: class 2 is better behind 19, by far, and a noisy outlier stands on either side.
 * Each is merged by itself, below the split that stays. */
static void chance_below_what_is_none(void **state)
{
    for (int outlier = 7; outlier < LINE; outlier += 23) {
        int64_t x[LINE][2];
        double cost[LINE][3], error[LINE][3];
        for (int i = 0; i < LINE; i++) {
            x[i][0] = 100 - 3 * i % 7;
            x[i][1] = i;
            for (int c = 0; c < 3; c++) {
                cost[i][c] = c == 1 ? 1.02 : (c == 2) == (i > 19) ? 1 : 1.5;
                error[i][c] = 0.01;
            }
        }
        cost[outlier][outlier > 19 ? 2 : 0] = 1.3;
        error[outlier][1] = 0.2;
        TreeOptions options = { .error = error[0], .errors = 2 };
        const TreeNode *t = tree_train(*state, x[0], cost[0], LINE, 2, 3, options);
        assert_int_equal(tree_nleaf(t), 2);
        assert_int_equal(t->feature, 1);
        assert_int_equal(t->threshold, 19);
        assert_int_equal(tree_choose(t, x[outlier]), outlier > 19 ? 2 : 0);
        error[outlier][1] = 0.01; /* the same of times that agree */
        t = tree_train(*state, x[0], cost[0], LINE, 2, 3, options);
        assert_int_equal(tree_choose(t, x[outlier]), 1);
        assert_int_equal(tree_choose(t, x[outlier - 1]), outlier > 19 ? 2 : 0);
    }
}

/* What saves just as much as it is off by may be chance; what saves just its worth is kept. */
static void at_the_borders(void **state)
{
    static const int64_t x[] = { 1, 2 };
    static const double cost[] = { 4, 4.5, 6, 4 }, save[] = { 4, 5, 5.5, 4 }, save_more[] = { 4, 5.5, 5.5, 4 };
    const double off[] = { 0, 0.25, 0.25, 0 }, less[] = { 0, 0.24, 0.25, 0 };
    TreeOptions chance = { .error = off, .errors = 2 }, none = { .error = less, .errors = 2 };
    assert_int_equal(tree_nleaf(tree_train(*state, x, cost, 2, 1, 2, chance)), 1);
    assert_int_equal(tree_nleaf(tree_train(*state, x, cost, 2, 1, 2, none)), 2);
    assert_int_equal(tree_nleaf(tree_train(*state, x, save, 2, 1, 2, (TreeOptions){ .worth = 1 / 8.0 })), 2);
    assert_int_equal(tree_nleaf(tree_train(*state, x, save, 2, 1, 2, (TreeOptions){ .worth = 1.01 / 8 })), 1);
    assert_int_equal(tree_nleaf(tree_train(*state, x, save_more, 2, 1, 2, (TreeOptions){ .worth = 1.01 / 8 })), 2);
}

static void depth_is_of_the_longer_side(void **state)
{
    (void)state;
    TreeNode leaf = { .feature = -1, .class = 3 }, two = { .left = &leaf, .right = &leaf };
    TreeNode left = { .left = &two, .right = &leaf }, right = { .left = &leaf, .right = &left },
             both = { .left = &right, .right = &two };
    assert_int_equal(tree_depth(&leaf), 0);
    assert_int_equal(tree_depth(&two), 1);
    assert_int_equal(tree_depth(&left), 2);
    assert_int_equal(tree_depth(&right), 3);
    assert_int_equal(tree_depth(&both), 4);
    assert_int_equal(tree_nleaf(&both), 6);
}

static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += draw(1 << 20) / (double)(1 << 20);
    return sum;
}

/* Every fourth point was measured, off by 3 %, one in ten by 20 %; the others follow the nearest. Class 1 is the better one from a point on,
 * by up to 10 %, or nowhere. What the tree costs in truth is no more for the rule, and its leaves are fewer. */
static void the_rule_costs_nothing_in_truth(void **state)
{
    double cost[2] = { 0, 0 };
    int nleaf[2] = { 0, 0 };
    seed = 7;
    for (int round = 0; round < 1000; round++) {
        Line truth = line_of(1 + 0.05 * draw(100) / 100, 0), seen = truth;
        const int from = (int)draw(2 * LINE);
        const double gain = 0.1 * draw(100) / 100;
        for (int i = from; i < LINE; i++)
            truth.cost[i][1] = 1 - gain;
        for (int i = 0; i < LINE; i++)
            for (int c = 0; c < 2; c++) {
                const int near = i / 4 * 4;
                const double error = draw(10) == 0 ? 0.2 : 0.03;
                seen.error[i][c] = i == near ? error : -1;
                seen.cost[i][c] = i == near ? truth.cost[i][c] * (1 + error * normal()) : seen.cost[near][c];
            }
        for (int known = 0; known < 2; known++) {
            const TreeNode *t = train_line(*state, &seen, known);
            nleaf[known] += tree_nleaf(t);
            for (int i = 0; i < LINE; i++)
                cost[known] += truth.cost[i][tree_choose(t, &truth.x[i])];
        }
    }
    assert_true(cost[1] <= cost[0]);
    assert_true(2 * nleaf[1] < nleaf[0]);
}

static void negative_and_huge_costs(void **state)
{
    Data d = random_data(*state, 100, 2, 3, 50, 100);
    for (int64_t i = 0; i < 300; i++)
        d.cost[i] = (d.cost[i] - 50) * 1e300;
    TreeNode *t = train(*state, &d, (TreeOptions){ .tolerance = 0.01 });
    assert_true(isfinite(cost_of_tree(&d, t)));
    assert_true(cost_of_tree(&d, t) <= best_class_cost(&d, -1, 0, false));
    for (int64_t i = 0; i < 300; i++)
        d.cost[i] = 1e308; /* sums overflow: no split is better, and nothing hangs */
    assert_int_equal(tree_nleaf(train(*state, &d, FULL)), 1);
}

/* ---- extremes ---- */

static void extreme_values_do_not_overflow(void **state)
{
    static const int64_t x[] = { INT64_MIN, INT64_MIN + 1, -3, 0, INT64_MAX - 1, INT64_MAX };
    static const int64_t threshold[] = { INT64_MIN, INT64_MIN / 2 - 1, -2, INT64_MAX / 2, INT64_MAX - 1 };
    for (int cut = 0; cut < 5; cut++) {
        double cost[12];
        for (int i = 0; i < 6; i++) {
            cost[i * 2] = i <= cut ? 0 : 1;
            cost[i * 2 + 1] = 1 - cost[i * 2];
        }
        TreeNode *t = tree_train(*state, x, cost, 6, 1, 2, FULL);
        assert_int_equal(tree_nleaf(t), 2);
        assert_int_equal(t->threshold, threshold[cut]);
        for (int i = 0; i < 6; i++)
            assert_int_equal(tree_choose(t, x + i), i > cut);
    }
    int64_t ends[] = { INT64_MIN, INT64_MAX };
    double cost[] = { 0, 1, 1, 0 };
    assert_int_equal(tree_train(*state, ends, cost, 2, 1, 2, FULL)->threshold, -1);
}

/* ---- speed ---- */

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
enum { TIMED = 1 };
#else
enum { TIMED = 0 };
#endif

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check_speed(Arena *a, const Data *d, double limit, const char *what)
{
    double start = seconds();
    TreeNode *t = train(a, d, (TreeOptions){ .tolerance = 1e-3 });
    double took = seconds() - start;
    if (!TIMED)
        print_message("%s: %.2f s; skipped: no limit on time without optimisation\n", what, took);
    else if (took > limit)
        fail_msg("%s: %.2f s, limit %.2f s", what, took, limit);
    assert_true(tree_depth(t) < 200);
}

static void many_points_are_fast(void **state)
{
    Data d = data_new(*state, 200000, 4, 9);
    for (int64_t i = 0; i < d.n; i++) {
        int64_t *x = d.x + i * 4;
        for (int f = 0; f < 4; f++)
            x[f] = 1 + draw(4096);
        for (int c = 0; c < 9; c++) /* tiles of different sizes: a saw-tooth of padded work, and noise */
            d.cost[i * 9 + c] = ceil((double)x[0] / (4 << c % 3)) * (4 << c % 3) * (double)(20 + x[1] % (32 << c / 3)) *
                                (1 + 0.01 * draw(3));
    }
    check_speed(*state, &d, 4, "200000 points x 4 x 9"); /* meant to be under 2 s on a machine of today */
}

/* Below the depth where nodes are split in their middle every point still gets its own best class. */
static void balanced_nodes_are_split_to_the_end(void **state)
{
    Data d = data_new(*state, 3000, 1, 2);
    for (int64_t i = 0; i < d.n; i++) {
        d.x[i] = i;
        for (int c = 0; c < 2; c++)
            d.cost[i * 2 + c] = (i % 2 == c ? 1 : 2) * (double)(i + 1);
    }
    TreeNode *t = train(*state, &d, FULL);
    assert_near(cost_of_tree(&d, t), 3000 * 3001 / 2.0);
    assert_int_equal(tree_nleaf(t), 3000);
    assert_in_range(tree_depth(t), 33, 32 + 14 + 63); /* greedy, 3000 to 64 by three quarters, greedy */
}

/* Points on five axes: no threshold leaves a quarter of them on either side, nor do those that the greedy splits peel off before. */
static void balanced_nodes_need_no_middle(void **state)
{
    enum { AXES = 5, LENGTH = 60 };
    Data d = data_new(*state, AXES * LENGTH, AXES, 2);
    double ideal = 0;
    for (int64_t i = 0; i < d.n; i++) {
        d.x[i * AXES + i % AXES] = 1 + i / AXES;
        for (int c = 0; c < 2; c++)
            d.cost[i * 2 + c] = (i / AXES % 2 == c ? 1 : 2) * (double)(i + 1);
        ideal += (double)(i + 1);
    }
    TreeNode *t = train(*state, &d, FULL);
    assert_near(cost_of_tree(&d, t), ideal);
    assert_true(tree_depth(t) > 33);
}

/* Costs that make the greedy split peel off one point at a time: the tree must not become a list. */
static void no_pattern_makes_a_deep_tree(void **state)
{
    Data d = data_new(*state, 100000, 1, 2);
    for (int growing = 0; growing < 2; growing++) {
        for (int64_t i = 0; i < d.n; i++) {
            d.x[i] = i;
            for (int c = 0; c < 2; c++)
                d.cost[i * 2 + c] = (i % 2 == c ? 1 : 2) * (growing ? (double)(i + 1) : 1);
        }
        check_speed(*state, &d, 2, growing ? "growing saw-tooth" : "even saw-tooth");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(root_is_the_best_single_split, setup, teardown),
        cmocka_unit_test_setup_teardown(one_feature_reaches_the_ideal, setup, teardown),
        cmocka_unit_test_setup_teardown(segments_give_few_leaves, setup, teardown),
        cmocka_unit_test_setup_teardown(order_of_points_does_not_matter, setup, teardown),
        cmocka_unit_test_setup_teardown(ties_go_low_despite_rounding, setup, teardown),
        cmocka_unit_test_setup_teardown(a_node_without_use_is_a_leaf, setup, teardown),
        cmocka_unit_test_setup_teardown(degenerate_inputs, setup, teardown),
        cmocka_unit_test_setup_teardown(a_class_useful_only_in_the_middle, setup, teardown),
        cmocka_unit_test_setup_teardown(root_is_the_best_of_two, setup, teardown),
        cmocka_unit_test_setup_teardown(rough_places_lead_to_the_best, setup, teardown),
        cmocka_unit_test_setup_teardown(two_features_decide_together, setup, teardown),
        cmocka_unit_test_setup_teardown(uneven_corners_are_found, setup, teardown),
        cmocka_unit_test_setup_teardown(pruning_respects_the_tolerance, setup, teardown),
        cmocka_unit_test_setup_teardown(leaves_are_worth_their_place, setup, teardown),
        cmocka_unit_test_setup_teardown(one_noisy_outlier_makes_no_leaf, setup, teardown),
        cmocka_unit_test_setup_teardown(a_difference_that_repeats_makes_a_leaf, setup, teardown),
        cmocka_unit_test_setup_teardown(only_what_was_measured_is_judged, setup, teardown),
        cmocka_unit_test_setup_teardown(chance_below_what_is_none, setup, teardown),
        cmocka_unit_test_setup_teardown(at_the_borders, setup, teardown),
        cmocka_unit_test_setup_teardown(depth_is_of_the_longer_side, setup, teardown),
        cmocka_unit_test_setup_teardown(the_rule_costs_nothing_in_truth, setup, teardown),
        cmocka_unit_test_setup_teardown(negative_and_huge_costs, setup, teardown),
        cmocka_unit_test_setup_teardown(extreme_values_do_not_overflow, setup, teardown),
        cmocka_unit_test_setup_teardown(many_points_are_fast, setup, teardown),
        cmocka_unit_test_setup_teardown(balanced_nodes_are_split_to_the_end, setup, teardown),
        cmocka_unit_test_setup_teardown(balanced_nodes_need_no_middle, setup, teardown),
        cmocka_unit_test_setup_teardown(no_pattern_makes_a_deep_tree, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
