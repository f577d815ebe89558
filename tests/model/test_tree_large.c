/* SPDX-License-Identifier: Apache-2.0
 *
 * tree, grown large: very many points take little time, no pattern of costs makes a deep tree, and a deep one is split
 * to the end.
 * ctest: label=slow
 */
#include "tests/test.h"
#include <time.h>
#include "tests/model/tree_points.h"

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef Data Make(Arena *a, int64_t n);

/* The processor's seconds for a tree of n points. */
static double seconds_of(Arena *a, Make *make, int64_t n)
{
    const Data d = make(a, n);
    const double start = seconds();
    const TreeNode *t = train(a, &d, (TreeOptions){ .tolerance = 1e-3 });
    const double took = seconds() - start;
    assert_true(tree_depth(t) < 200);
    return took;
}

/* Time grows hardly faster than points: for eight times as many it would be 64 times as much where each were compared
 * with each. What else runs may slow one tree down, but not the same of three pairs. */
static void check_growth(Arena *a, Make *make, int64_t most, const char *what)
{
    double least = INFINITY;
    for (int i = 0; i < 3 && least >= 40; i++) {
        const double few = seconds_of(a, make, most / 8);
        least = fmin(least, seconds_of(a, make, most) / few);
    }
    print_message("%s: %.1f times as long as an eighth of them\n", what, least);
    assert_true(least < 40);
}

/* Tiles of different sizes: a saw-tooth of padded work, and noise. */
static Data padded_work(Arena *a, int64_t n)
{
    Data d = data_new(a, n, 4, 9);
    for (int64_t i = 0; i < d.n; i++) {
        int64_t *x = d.x + i * 4;
        for (int f = 0; f < 4; f++)
            x[f] = 1 + draw(4096);
        for (int c = 0; c < 9; c++)
            d.cost[i * 9 + c] = ceil((double)x[0] / (4 << c % 3)) * (4 << c % 3) * (double)(20 + x[1] % (32 << c / 3)) *
                                (1 + 0.01 * draw(3));
    }
    return d;
}

TEST(many_points_are_fast) { check_growth(*state, padded_work, 40000, "40000 points x 4 x 9"); }

/* Below the depth where nodes are split in their middle every point still gets its own best class. */
TEST(balanced_nodes_are_split_to_the_end)
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

/* Points on five axes: no threshold leaves a quarter of them on either side, nor do those that the greedy splits peel
 * off before. */
TEST(balanced_nodes_need_no_middle)
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

/* Costs that make the greedy split peel off one point at a time. */
static bool growing; /* with the point's number */

static Data saw_tooth(Arena *a, int64_t n)
{
    Data d = data_new(a, n, 1, 2);
    for (int64_t i = 0; i < d.n; i++) {
        d.x[i] = i;
        for (int c = 0; c < 2; c++)
            d.cost[i * 2 + c] = (i % 2 == c ? 1 : 2) * (growing ? (double)(i + 1) : 1);
    }
    return d;
}

/* The tree must not become a list. */
TEST(no_pattern_makes_a_deep_tree)
{
    for (int i = 0; i < 2; i++) {
        growing = i;
        check_growth(*state, saw_tooth, 30000, growing ? "growing saw-tooth" : "even saw-tooth");
    }
}

TEST_EACH(setup, teardown)
