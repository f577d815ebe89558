/* SPDX-License-Identifier: Apache-2.0
 *
 * rank: correlations and recalls that were computed by hand; things of equal key stand in the order of their places.
 */
#include "tests/test.h"
#include <math.h>
#include "model/rank.h"
#include "tests/arena.h"

static RankOrder order_of(const double *truth, const double *predicted, int n)
{
    RankOrder o = rank_new(arena, n);
    for (int i = 0; i < n; i++)
        rank_add(&o, truth[i], predicted[i], i);
    rank_sort(&o);
    return o;
}

TEST(agreement)
{
    const double truth[] = { 30, 10, 20, 40 }, same[] = { 3, 1, 2, 4 }, reversed[] = { 2, 4, 3, 1 };
    const double one_off[] = { 2, 1, 3, 4 }; /* ranks differ by 1 and 1: 1 - 6 * 2 / (4 * 15) */
    RankOrder o = order_of(truth, same, 4);
    assert_true(rank_spearman(arena, &o) == 1 && rank_recall(&o, 2) == 1);
    o = order_of(truth, reversed, 4);
    assert_true(rank_spearman(arena, &o) == -1 && rank_recall(&o, 2) == 0);
    o = order_of(truth, one_off, 4);
    assert_true(fabs(rank_spearman(arena, &o) - 0.8) < 1e-12);
    assert_true(rank_recall(&o, 2) == 0.5);
}

TEST(equals_keep_their_places)
{
    const double alike[] = { 5, 5, 5, 1 };
    const RankOrder o = order_of(alike, alike, 4);
    const int64_t want[] = { 3, 0, 1, 2 };
    for (int i = 0; i < 4; i++)
        assert_int_equal(o.truth[i].at, want[i]);
}

/* Whatever the order in which they come; places may have gaps, and there may be fewer than are asked for. */
TEST(places_in_any_order)
{
    RankOrder o = rank_new(arena, 9);
    static const int64_t at[] = { 8, 0, 5, 3 }, want[] = { 5, 0, 3, 8 };
    for (int i = 0; i < 4; i++)
        rank_add(&o, at[i] == 5 ? 1 : 2, at[i] == 5 ? 7 : 2, at[i]);
    rank_sort(&o);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(o.truth[i].at, want[i]);
        assert_int_equal(o.predicted[i].at, want[(i + 1) % 4]);
    }
    /* 5 is at 0 and 3, the others one off: 1 - 6 * (9 + 1 + 1 + 1) / (4 * 15) */
    assert_true(fabs(rank_spearman(arena, &o) + 0.2) < 1e-12);
    assert_true(rank_recall(&o, 1) == 0);
    assert_true(rank_recall(&o, 3) == 2 / 3.0);
    assert_true(rank_recall(&o, 8) == 0.5);
    const Ranked one = { 1, 7 }, again = { 1, 7 }, later = { 1, 8 }, more = { 2, 0 };
    assert_int_equal(ranked_compare(&one, &again), 0);
    assert_true(ranked_compare(&one, &later) < 0 && ranked_compare(&later, &one) > 0);
    assert_true(ranked_compare(&later, &more) < 0 && ranked_compare(&more, &later) > 0);
}

/* Behind those with the same key; the last leaves when there is no more room. */
TEST(the_least_are_kept_in_order)
{
    static const double key[] = { 3, 1, 2, 1, 5, 0 };
    Ranked list[4];
    int n = 0;
    for (int i = 0; i < 6; i++) {
        n = ranked_insert(list, n, 4, key[i], i);
        assert_int_equal(n, i < 4 ? i + 1 : 4);
    }
    static const int64_t want[] = { 5, 1, 3, 2 };
    for (int i = 0; i < 4; i++)
        assert_true(list[i].at == want[i] && list[i].key == key[want[i]]);
}

TEST_EACH(setup, teardown)
