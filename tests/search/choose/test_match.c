/* SPDX-License-Identifier: Apache-2.0
 *
 * match: who takes part, who stays, and who leaves for want of time.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "search/choose/match.h"
#include "tests/gen/synthetic.h"

static Synthetic y;
static CostModel *model;

static int make(void **state)
{
    (void)state;
    if (!synthetic_make(&y, synthetic_spec, 40))
        return -1;
    model = cost_fit(y.arena, y.study, &y.templates);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    arena_free(y.arena);
    return 0;
}

/* By ascending time, those near the best; `least` in any case, no more than `most`; one that is in is not added again. */
static void near_the_best(void **state)
{
    (void)state;
    int64_t trial[64];
    const int64_t n = match_usable(y.study, -1, trial);
    assert_in_range(n, 10, 64);
    assert_int_equal(match_usable(y.study, -1, NULL), n);
    Match all = { .inst = y.study->shape[3] };
    const double best = match_near(&all, &(MatchRule){ .near = 1e9, .most = 40 }, model, trial, n, -1);
    assert_int_equal(all.n, n < 40 ? n : 40);
    assert_true(all.ns[0] == best);
    for (int i = 0; i + 1 < all.n; i++)
        assert_true(all.ns[i] <= all.ns[i + 1] && all.ns[i] == cost_trial(model, all.trial[i], all.inst));
    int near = 0;
    while (near < all.n && all.ns[near] <= 1.3 * best)
        near++;
    Match some = { .inst = all.inst };
    match_near(&some, &(MatchRule){ .near = 1.3, .most = 40 }, model, trial, n, -1);
    assert_int_equal(some.n, near);
    some.n = 0;
    match_near(&some, &(MatchRule){ .near = 1, .least = 3, .most = 40 }, model, trial, n, all.trial[1]);
    assert_int_equal(some.n, 3);
    assert_true(some.trial[0] == all.trial[0] && some.trial[1] == all.trial[2] && some.trial[2] == all.trial[3]);
    match_near(&some, &(MatchRule){ .near = 1e9, .most = 5 }, model, trial, n, -1);
    assert_int_equal(some.n, 5);
    assert_int_equal(some.trial[3], all.trial[1]);
    for (int64_t i = 0; i < 2 * MATCH_MOST; i++)
        match_enter(&some, 1000 + i, 1);
    assert_int_equal(some.n, MATCH_MOST);
}

static void those_close_to_the_best_stay(void **state)
{
    (void)state;
    Match m = { .n = 5, .trial = { 10, 11, 12, 13, 14 } };
    assert_true(match_keep_close(&m, (const double[]){ 104, 100, 0, 109, 111 })); /* more than 3 % above the best */
    assert_int_equal(m.n, 3);
    assert_true(m.trial[0] == 10 && m.trial[1] == 11 && m.trial[2] == 13 && m.ns[2] == 109);
    assert_false(match_keep_close(&m, (const double[]){ 100, 120, 130 })); /* none is close, but one stays */
    assert_true(m.n == 2 && m.trial[1] == 11);
    assert_false(match_keep_close(&m, (const double[]){ 0, 120 })); /* the first failed */
    assert_true(m.n == 1 && m.trial[0] == 11);
}

/* Samples count as long as the shortest that are taken; the two fastest and the last stay in any case. */
static void the_slowest_leave(void **state)
{
    (void)state;
    const Lab lab = { .pace = pace_new() };
    Match m = { .n = 5, .trial = { 1, 2, 3, 4, 5 }, .ns = { 1e5, 4e5, 5e5, 6e5, 7e5 } };
    assert_true(match_ns(&m) == 25e5);
    m.library_ns = 2e5;
    assert_true(match_ns(&m) == 28e5);
    const double all_s = match_expect_s(&lab, &m, 5);
    match_shrink(&lab, &m, 5, all_s);
    assert_int_equal(m.n, 5);
    match_shrink(&lab, &m, 5, all_s * 0.999);
    assert_true(m.n == 4 && m.trial[3] == 5 && m.ns[3] == 7e5 && m.trial[2] == 3);
    match_shrink(&lab, &m, 5, 0);
    assert_true(m.n == 3 && m.trial[1] == 2 && m.trial[2] == 5);
}

static void who_was_compared(void **state)
{
    (void)state;
    Study *s = y.study;
    int64_t trial[64];
    Match m = { .n = 2 };
    match_usable(s, -1, trial);
    for (int i = 0; i < 2; i++) {
        m.trial[i] = trial[i];
        assert_int_equal(match_usable(s, 3, NULL), i);
        s->trial[trial[i]].final[3] = true;
        s->trial[trial[i]].count[3] = 2 + i;
    }
    assert_int_equal(match_usable(s, 3, NULL), 2);
    assert_true(match_was_held(s, 3, &m, 2));
    assert_false(match_was_held(s, 3, &m, 3) || match_was_held(s, 4, &m, 0));
    s->trial[trial[0]].status = STATUS_WRONG;
    assert_int_equal(match_usable(s, 3, NULL), 1);
}

int main(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, make, drop)
    const struct CMUnitTest tests[] = { FRESH(near_the_best), FRESH(those_close_to_the_best_stay),
                                        FRESH(the_slowest_leave), FRESH(who_was_compared) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
