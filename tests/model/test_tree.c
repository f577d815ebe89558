/* SPDX-License-Identifier: Apache-2.0
 *
 * tree: splits against a search of all, ties, look-ahead, extremes, and which leaves are merged after growing.
 */
#include "tests/test.h"
#include "tests/model/tree_points.h"

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

TEST(root_is_the_best_single_split)
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
    assert_true(nsplit > 900);
}

/* ---- the whole tree (test_tree_large.c has the cost that is reached) ---- */

TEST(order_of_points_does_not_matter)
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
TEST(ties_go_low_despite_rounding)
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

TEST(degenerate_inputs)
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

TEST(depth_is_of_the_longer_side)
{
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

/* ---- looking ahead ---- */

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

/* Where no single split helps, the root is one of the best bands of the first feature that has any; where there is
 * none, one of the best first splits of two. */
TEST(root_is_the_best_of_two)
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
TEST(rough_places_lead_to_the_best)
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

/* Corners of any size, of two features among others that are constant: single splits lower the cost a little or not at
 * all, and the exact cost is reached. */
TEST(two_features_decide_together)
{
    static const int sides[] = { 2, 4, 30, 64, 150 };
    for (int round = 0; round < 40; round++) {
        const int side = sides[round % 5], middle = round < 10 ? side / 2 : 0;
        const int from0 = middle ? middle : 1 + (int)draw((uint32_t)side - 1),
                  from1 = middle ? middle : 1 + (int)draw((uint32_t)side - 1);
        Data d = exclusive_or(*state, side, from0, from1, 2 + round % 3 * 2);
        if (middle && d.n <= 4096)
            assert_int_equal(best_single(&d).feature, -1);
        TreeNode *t = train(*state, &d, FULL);
        assert_near(cost_of_tree(&d, t), (double)d.n);
        assert_true(tree_nleaf(t) <= (middle ? 4 : 6));
    }
}

/* ---- extremes ---- */

TEST(negative_and_huge_costs)
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

TEST(extreme_values_do_not_overflow)
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

TEST(pruning_respects_the_tolerance)
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
TEST(leaves_are_worth_their_place)
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

/* What saves just its worth is kept. */
TEST(at_the_border)
{
    static const int64_t x[] = { 1, 2 };
    static const double save[] = { 4, 5, 5.5, 4 }, save_more[] = { 4, 5.5, 5.5, 4 };
    assert_int_equal(tree_nleaf(tree_train(*state, x, save, 2, 1, 2, (TreeOptions){ .worth = 1 / 8.0 })), 2);
    assert_int_equal(tree_nleaf(tree_train(*state, x, save, 2, 1, 2, (TreeOptions){ .worth = 1.01 / 8 })), 1);
    assert_int_equal(tree_nleaf(tree_train(*state, x, save_more, 2, 1, 2, (TreeOptions){ .worth = 1.01 / 8 })), 2);
}

TEST_EACH(setup, teardown)
