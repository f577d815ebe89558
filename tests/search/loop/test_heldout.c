/* SPDX-License-Identifier: Apache-2.0
 *
 * heldout: the sample has what it should and nothing that was tuned; the same seed gives the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "search/loop/search.h"
#include "tests/gen/synthetic.h"

enum { MOST = 24 };

static Synthetic y;

static int make(void **state)
{
    (void)state;
    return synthetic_make(&y, synthetic_spec, 40) ? 0 : -1;
}

static int drop(void **state)
{
    (void)state;
    arena_free(y.arena);
    return 0;
}

static int sample(uint64_t seed, int most, int64_t *at)
{
    return heldout_sample(y.arena, y.spec, y.assignment, seed, most, at);
}

static bool contains(const int64_t *at, int n, int64_t instance)
{
    for (int i = 0; i < n; i++)
        if (at[i] == instance)
            return true;
    return false;
}

static void it_is_held_out_and_each_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        int64_t at[MOST];
        assert_int_equal(sample(seed, MOST, at), MOST);
        for (int i = 0; i < MOST; i++) {
            assert_in_range(at[i], 0, y.spec->ninstance - 1);
            assert_false(y.spec->instance[at[i]].tuned);
            assert_false(contains(at, i, at[i]));
        }
    }
}

static void a_seed_means_a_sample(void **state)
{
    (void)state;
    int64_t a[MOST], b[MOST], c[MOST];
    sample(7, MOST, a);
    sample(7, MOST, b);
    sample(8, MOST, c);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
}

/* The spec with all dims at an end. */
static void corners_are_in_it(void **state)
{
    (void)state;
    int64_t at[MOST];
    int corners = 0;
    for (int64_t i = 0; i < y.spec->ninstance; i++) {
        Instance *inst = &y.spec->instance[i];
        if (inst->dim[0] == 1 || inst->dim[0] == 128)
            inst->tuned = false;
    }
    const int n = sample(1, MOST, at);
    for (int i = 0; i < n; i++)
        corners += y.spec->instance[at[i]].dim[0] == 1 || y.spec->instance[at[i]].dim[0] == 128;
    assert_true(corners >= MOST / 4);
}

/* A tree with one threshold, M <= 200: the nearest M on either side that are held out are 192 and 208. */
static void both_sides_of_a_threshold_are_in_it(void **state)
{
    (void)state;
    TreeNode leaf = { .feature = -1 }, root = { .feature = 0, .threshold = 200, .left = &leaf, .right = &leaf };
    Assignment as = *y.assignment;
    bool below = false, above = false;
    int64_t at[MOST];
    as.tree = &root;
    const int n = heldout_sample(y.arena, y.spec, &as, 1, 8, at);
    assert_int_equal(n, 8);
    for (int i = 0; i < n; i++) {
        below = below || y.spec->instance[at[i]].extent[0] == 192;
        above = above || y.spec->instance[at[i]].extent[0] == 208;
    }
    assert_true(below && above);
}

/* M at the threshold goes the way of those below it, so the nearest above is the next one. */
static void a_threshold_belongs_to_those_below(void **state)
{
    (void)state;
    TreeNode leaf = { .feature = -1 }, root = { .feature = 0, .threshold = 192, .left = &leaf, .right = &leaf };
    Assignment as = *y.assignment;
    int64_t at[MOST];
    as.tree = &root;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const int n = heldout_sample(y.arena, y.spec, &as, seed, 4, at);
        bool below = false, above = false;
        for (int i = 0; i < n; i++) {
            below = below || y.spec->instance[at[i]].extent[0] == 192;
            above = above || y.spec->instance[at[i]].extent[0] == 208;
        }
        assert_true(below && above);
    }
}

/* Each threshold is beside those that come to it; 992, which is nearer to the last one, is tuned. */
static void thresholds_below_others_count(void **state)
{
    (void)state;
    static const int64_t want[] = { 192, 208, 40, 41, 976, 1008, 10, 11 };
    TreeNode leaf = { .feature = -1 }, tiny = { .feature = 0, .threshold = 10, .left = &leaf, .right = &leaf },
             small = { .feature = 0, .threshold = 40, .left = &tiny, .right = &leaf },
             large = { .feature = 0, .threshold = 1000, .left = &leaf, .right = &leaf },
             root = { .feature = 0, .threshold = 200, .left = &small, .right = &large };
    Assignment as = *y.assignment;
    int64_t at[MOST];
    as.tree = &root;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const int n = heldout_sample(y.arena, y.spec, &as, seed, 16, at);
        assert_int_equal(n, 16);
        for (int k = 0; k < 8; k++) {
            bool there = false;
            for (int i = 0; i < n; i++)
                there = there || y.spec->instance[at[i]].extent[0] == want[k];
            assert_true(there);
        }
    }
}

/* A tree that asks for threads asks for the parts that a call is worth. Of 1000 threads the calls of M=T N=3072 K=768 are worth 18 for each T:
 * those nearest to a threshold of 60 parts have T = 3 and T = 4. */
static void a_threshold_of_threads_is_one_of_parts(void **state)
{
    (void)state;
    TreeNode leaf = { .feature = -1 },
             root = { .feature = y.spec->op->naxis, .threshold = 60, .left = &leaf, .right = &leaf };
    Assignment as = *y.assignment;
    int64_t at[MOST];
    bool below = false, above = false;
    as.tree = &root;
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        y.spec->instance[i].threads = 1000;
    const int n = heldout_sample(y.arena, y.spec, &as, 1, 4, at); /* a corner, two at the threshold, one by weight */
    for (int i = 0; i < n; i++) {
        const int parts = spec_parts(y.spec, y.spec->instance[at[i]].extent, 1000);
        below = below || parts == 55;
        above = above || parts == 73;
    }
    assert_true(below && above);
}

/* Of those that are as near to a threshold the one with the most weight. */
static void beside_a_threshold_weight_counts(void **state)
{
    (void)state;
    TreeNode leaf = { .feature = -1 }, root = { .feature = 0, .threshold = 200, .left = &leaf, .right = &leaf };
    Assignment as = *y.assignment;
    int64_t at[MOST];
    as.tree = &root;
    for (int heavy = 0; heavy < 2; heavy++) { /* both declarations have M = 16 T */
        for (int64_t i = 0; i < y.spec->ninstance; i++)
            y.spec->instance[i].weight = y.spec->instance[i].decl == heavy ? 1.5 : 1;
        const int n =
            heldout_sample(y.arena, y.spec, &as, 1, 4, at); /* a corner, two at the threshold, one by weight */
        bool below = false, above = false;
        for (int i = 0; i < n; i++) {
            below = below || (y.spec->instance[at[i]].extent[0] == 192 && y.spec->instance[at[i]].decl == heavy);
            above = above || (y.spec->instance[at[i]].extent[0] == 208 && y.spec->instance[at[i]].decl == heavy);
        }
        assert_true(below && above);
    }
}

static void what_never_occurs_is_not_in_it(void **state)
{
    (void)state;
    int64_t at[MOST], few[3] = { -1, -1, -1 }, n = 0;
    for (int64_t i = 0; i < y.spec->ninstance; i++) {
        Instance *inst = &y.spec->instance[i];
        if (!inst->tuned && n < 3 && i % 100 == 50)
            few[n++] = i;
        else
            inst->weight = 0;
    }
    assert_int_equal(n, 3);
    assert_int_equal(contract_nheld_out(y.spec), 3);
    assert_int_equal(sample(1, MOST, at), 3);
    for (int i = 0; i < 3; i++)
        assert_true(contains(at, 3, few[i]));
}

/* Nine tenths of the weight on one shape declaration: most of the even part is there. */
static void weight_draws(void **state)
{
    (void)state;
    int64_t at[MOST];
    int heavy = 0;
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        y.spec->instance[i].weight = y.spec->instance[i].decl == 1 ? 27 : 1;
    const int n = sample(3, MOST, at);
    for (int i = 0; i < n; i++)
        heavy += y.spec->instance[at[i]].decl == 1;
    assert_true(heavy > MOST / 3);
}

/* One shape as weighty as all others together: the rest of the sample is spread over these, and not taken from beside it. */
static void a_heavy_one_does_not_draw_its_neighbours(void **state)
{
    (void)state;
    TreeNode leaf = { .feature = -1 };
    Assignment as = *y.assignment;
    int64_t at[MOST], heavy = 0;
    as.tree = &leaf;
    while (y.spec->instance[heavy].tuned)
        heavy++;
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        y.spec->instance[i].weight = i == heavy ? (double)y.spec->ninstance : 1;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        int beside = 0;
        assert_int_equal(heldout_sample(y.arena, y.spec, &as, seed, MOST, at), MOST);
        assert_true(contains(at, MOST, heavy));
        for (int i = 0; i < MOST; i++)
            beside += y.spec->instance[at[i]].decl == y.spec->instance[heavy].decl;
        assert_in_range(beside, 4, MOST / 2 - 2); /* a fourth of the shapes */
    }
}

int main(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, make, drop)
    const struct CMUnitTest tests[] = {
        FRESH(it_is_held_out_and_each_once),
        FRESH(a_seed_means_a_sample),
        FRESH(corners_are_in_it),
        FRESH(both_sides_of_a_threshold_are_in_it),
        FRESH(a_threshold_belongs_to_those_below),
        FRESH(thresholds_below_others_count),
        FRESH(a_threshold_of_threads_is_one_of_parts),
        FRESH(beside_a_threshold_weight_counts),
        FRESH(what_never_occurs_is_not_in_it),
        FRESH(weight_draws),
        FRESH(a_heavy_one_does_not_draw_its_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
