/* SPDX-License-Identifier: Apache-2.0
 *
 * tree: which leaves are merged after growing: those that save too little, and those whose saving may be chance.
 */
#include "tests/model/tree_points.h"

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

/* Nor does one bad measurement, which says nothing, make chance of what all others agree on. */
static void a_bad_measurement_drowns_no_others(void **state)
{
    Line l = line_of(1.05, 0.02);
    for (int i = 0; i < 8; i++)
        l.cost[i][0] = 1.10;
    l.error[3][0] = 1;
    assert_int_equal(tree_nleaf(train_line(*state, &l, true)), 2);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pruning_respects_the_tolerance, setup, teardown),
        cmocka_unit_test_setup_teardown(leaves_are_worth_their_place, setup, teardown),
        cmocka_unit_test_setup_teardown(one_noisy_outlier_makes_no_leaf, setup, teardown),
        cmocka_unit_test_setup_teardown(a_difference_that_repeats_makes_a_leaf, setup, teardown),
        cmocka_unit_test_setup_teardown(only_what_was_measured_is_judged, setup, teardown),
        cmocka_unit_test_setup_teardown(a_bad_measurement_drowns_no_others, setup, teardown),
        cmocka_unit_test_setup_teardown(chance_below_what_is_none, setup, teardown),
        cmocka_unit_test_setup_teardown(at_the_borders, setup, teardown),
        cmocka_unit_test_setup_teardown(the_rule_costs_nothing_in_truth, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
