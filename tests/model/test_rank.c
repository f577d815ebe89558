/* SPDX-License-Identifier: Apache-2.0
 *
 * rank: correlations and recalls that were computed by hand; things of equal key stand in the order of their places.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "model/rank.h"

static RankOrder order_of(Arena *a, const double *truth, const double *predicted, int n)
{
    RankOrder o = rank_new(a, n);
    for (int i = 0; i < n; i++)
        rank_add(&o, truth[i], predicted[i], i);
    rank_sort(&o);
    return o;
}

static void agreement(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const double truth[] = { 30, 10, 20, 40 }, same[] = { 3, 1, 2, 4 }, reversed[] = { 2, 4, 3, 1 };
    const double one_off[] = { 2, 1, 3, 4 }; /* ranks differ by 1 and 1: 1 - 6 * 2 / (4 * 15) */
    RankOrder o = order_of(a, truth, same, 4);
    assert_true(rank_spearman(a, &o) == 1 && rank_recall(&o, 2) == 1);
    o = order_of(a, truth, reversed, 4);
    assert_true(rank_spearman(a, &o) == -1 && rank_recall(&o, 2) == 0);
    o = order_of(a, truth, one_off, 4);
    assert_true(fabs(rank_spearman(a, &o) - 0.8) < 1e-12);
    assert_true(rank_recall(&o, 2) == 0.5);
    arena_free(a);
}

static void equals_keep_their_places(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const double alike[] = { 5, 5, 5, 1 };
    const RankOrder o = order_of(a, alike, alike, 4);
    const int64_t want[] = { 3, 0, 1, 2 };
    for (int i = 0; i < 4; i++)
        assert_int_equal(o.truth[i].at, want[i]);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(agreement), cmocka_unit_test(equals_keep_their_places) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
