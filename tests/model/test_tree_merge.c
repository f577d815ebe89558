/* SPDX-License-Identifier: Apache-2.0
 *
 * tree: which leaves are merged after growing: those that save too little.
 */
#include "tests/test.h"
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
