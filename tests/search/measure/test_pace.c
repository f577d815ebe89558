/* SPDX-License-Identifier: Apache-2.0
 *
 * pace: the time that requests take is learnt from those before, with a prior; which times count as taken at rest, and when a machine counts as
 * slower for good.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "search/measure/pace.h"

enum { MANY = 200 };

static void assert_about(double got, double want)
{
    if (!(fabs(got - want) <= 0.05 * want))
        fail_msg("%g is not about %g", got, want);
}

static void at_first_requests_take_little_more_than_their_samples(void **state)
{
    (void)state;
    const Pace p = pace_new();
    const double ten_s = pace_expect_s(&p, 10, 7);
    assert_true(ten_s > 7 && ten_s < 8);
    assert_true(pace_expect_s(&p, 0, 0) == 0);
}

/* Small requests that wait, and large ones that neighbours slow: neither says much of the other. */
static void start_and_slope_are_told_apart(void **state)
{
    (void)state;
    Pace p = pace_new();
    for (int i = 0; i < MANY; i++) {
        pace_learn(&p, 0.01, 0.4 + 1.5 * 0.01);
        pace_learn(&p, 2, 0.4 + 1.5 * 2);
    }
    assert_about(pace_expect_s(&p, 100, 1), 100 * 0.4 + 1.5);
    assert_about(pace_expect_s(&p, 1, 40), 0.4 + 60);
}

/* Of requests that are all alike the sum is right, whatever is taken for the start. */
static void alike_requests_tell_their_sum(void **state)
{
    (void)state;
    Pace p = pace_new();
    for (int i = 0; i < MANY; i++)
        pace_learn(&p, 1, 3);
    assert_about(pace_expect_s(&p, 10, 10), 30);
}

/* Nothing is negative, even where larger requests took less. */
static void expectations_stay_sane(void **state)
{
    (void)state;
    Pace p = pace_new();
    for (int i = 0; i < MANY; i++) {
        pace_learn(&p, 0.01, 2);
        pace_learn(&p, 1, 0.1);
    }
    assert_true(pace_expect_s(&p, 0, 1) > 0 && pace_expect_s(&p, 1, 0) >= 0 && isfinite(pace_expect_s(&p, 5, 5)));
}

/* By hand: the prior is two empty requests of 0.05 s and two of 0.5 s of samples and 0.55 s; three more are learnt. */
static void least_squares_by_hand(void **state)
{
    (void)state;
    Pace p = pace_new();
    assert_true(fabs(pace_expect_s(&p, 1, 0) - 0.05) < 1e-12 && fabs(pace_expect_s(&p, 3, 2) - (3 * 0.05 + 2)) < 1e-12);
    pace_learn(&p, 1, 2.05);
    pace_learn(&p, 1, 2.05);
    pace_learn(&p, 2, 4.05);
    /* n 7, x 5, y 9.35, xx 6.5, xy 12.75: slope (89.25 - 46.75) / (45.5 - 25), start (9.35 - slope x) / 7 below 0 */
    const double slope = 12.75 / 6.5;
    assert_true(fabs(pace_expect_s(&p, 0, 1) - slope) < 1e-12);
    assert_true(slope * 5 > 9.35 && pace_expect_s(&p, 1, 0) == 0); /* no request takes less than nothing */
    Pace slow = pace_new();
    for (int i = 0; i < 3; i++)
        pace_learn(&slow, 1, 0.1);
    assert_true(fabs(pace_expect_s(&slow, 0, 1) - 0.5) < 1e-12); /* nor half of what its samples would */
}

/* ---- at rest ---- */

static const Instance small = { .extent = { 16, 64, 64 }, .threads = 1 },
                      large = { .extent = { 256, 64, 64 }, .threads = 1 },
                      shared = { .extent = { 16, 64, 64 }, .threads = 2 };

static int make(void **state)
{
    Arena *a = arena_new();
    Quiet *q = *state = ARENA_NEW(a, Quiet);
    q->arena = a;
    return 0;
}

static int drop(void **state)
{
    arena_free(((Quiet *)*state)->arena);
    return 0;
}

static void nothing_is_known_at_first(void **state)
{
    Quiet *q = *state;
    assert_true(quiet_ns(q, &small, 0) == 0 && !quiet_known(q, &small) && !quiet_disturbed(q, &small, 1e9, 0));
    quiet_take(q, &small, 100, 0);
    assert_true(quiet_ns(q, &large, 0) == 0 && quiet_ns(q, &shared, 0) == 0);
}

static void two_times_must_agree(void **state)
{
    Quiet *q = *state;
    quiet_take(q, &small, 180, 0);
    assert_false(quiet_known(q, &small));
    quiet_take(q, &small, 100, 0); /* now it is quiet, or was it ever? */
    assert_false(quiet_known(q, &small));
    quiet_take(q, &small, 170, 0);
    assert_false(quiet_known(q, &small));
    quiet_take(q, &small, 101, 0);
    assert_true(quiet_known(q, &small));
    assert_true(quiet_ns(q, &small, 0) == 100);
}

static void longer_than_at_rest_is_disturbed(void **state)
{
    Quiet *q = *state;
    quiet_take(q, &small, 100, 0);
    quiet_take(q, &large, 1000, 0);
    assert_true(quiet_disturbed(q, &small, 150, 0) && !quiet_disturbed(q, &small, 105, 0));
    assert_true(quiet_disturbed(q, &large, 1500, 0) && !quiet_disturbed(q, &large, 990, 0));
}

/* Nine tenths of the time a neighbour is there. */
static void neighbours_do_not_become_the_rule(void **state)
{
    Quiet *q = *state;
    for (int i = 0; i < 200; i++)
        quiet_take(q, &small, i % 10 ? 180 : 100, 0);
    assert_true(quiet_ns(q, &small, 0) == 100);
}

/* The clock is lowered, and stays low: what was rest is no more, on shapes that were not met since either. */
static void a_slower_machine_is_accepted(void **state)
{
    Quiet *q = *state;
    quiet_take(q, &large, 1000, 0);
    for (int i = 0; i < 50; i++)
        quiet_take(q, &small, 100, 0);
    quiet_take(q, &small, 125, 0);
    assert_true(quiet_disturbed(q, &small, 125, 0));
    for (int i = 0; i < 50; i++)
        quiet_take(q, &small, 125, 0);
    assert_false(quiet_disturbed(q, &small, 125, 0));
    assert_false(quiet_disturbed(q, &large, 1250, 0));
    for (int i = 0; i < 50; i++)
        quiet_take(q, &small, 100, 0);
    assert_true(quiet_disturbed(q, &small, 125, 0));
}

/* At a lower clock all takes longer, unless it waits for memory. */
static void a_lower_clock_is_no_disturbance(void **state)
{
    Quiet *q = *state;
    quiet_take(q, &small, 100, 3.4);
    assert_true(quiet_disturbed(q, &small, 121, 3.4) && quiet_disturbed(q, &small, 140, 2.8));
    assert_false(quiet_disturbed(q, &small, 121, 2.8));
    assert_false(quiet_disturbed(q, &small, 100, 2.8));
    assert_true(fabs(quiet_ns(q, &small, 2.8) - 100 * 3.4 / 2.8) < 1e-9 && quiet_ns(q, &small, 3.8) == 100);
    quiet_take(q, &small, 120, 2.8);
    assert_true(quiet_known(q, &small) && quiet_ns(q, &small, 3.4) == 100);
    for (int i = 0; i < 50; i++)
        quiet_take(q, &small, 121, 2.8); /* that the clock is low says nothing of the machine at a high one */
    assert_true(quiet_disturbed(q, &small, 121, 3.4));
}

/* Times beyond the borders by a hair: 8 % for a disturbance, 3 % for two that agree, 4 ms for calls of which nobody can say. */
static void borders(void **state)
{
    Quiet *q = *state;
    quiet_take(q, &small, 100, 0);
    assert_true(!quiet_disturbed(q, &small, 108, 0) && quiet_disturbed(q, &small, 108.01, 0));
    quiet_take(q, &small, 103.01, 0);
    assert_false(quiet_known(q, &small));
    quiet_take(q, &small, 103, 0);
    assert_true(quiet_known(q, &small));
    quiet_take(q, &large, 3e6, 0);
    assert_true(quiet_disturbed(q, &large, 4e6, 0) && !quiet_disturbed(q, &large, 4.0001e6, 0));
}

/* A time at a lower clock says as much as the same part of one at the clock of the least; the least keeps its own clock. */
static void times_at_other_clocks_agree(void **state)
{
    Quiet *q = *state;
    quiet_take(q, &small, 100, 3);
    quiet_take(q, &small, 156, 2); /* 150 would be as fast */
    assert_false(quiet_known(q, &small));
    quiet_take(q, &small, 153, 2);
    assert_true(quiet_known(q, &small));
    assert_true(quiet_ns(q, &small, 3) == 100 && quiet_ns(q, &small, 0) == 100);
    quiet_take(q, &small, 90, 0); /* of which the clock is not known */
    assert_true(quiet_ns(q, &small, 2) == 90);
}

/* The best of the 32 latest counts, each as a part of the least of its shape, and none before there are so many. */
static void the_latest_times_tell_how_fast_it_is(void **state)
{
    Quiet *q = *state;
    quiet_take(q, &small, 100, 0);
    for (int i = 0; i < QUIET_RECENT - 2; i++)
        quiet_take(q, &small, 150, 0);
    assert_true(quiet_ns(q, &small, 0) == 100); /* there are 31 */
    quiet_take(q, &small, 130, 0);
    assert_true(quiet_ns(q, &small, 0) == 100); /* the first is still among them */
    quiet_take(q, &small, 150, 0);
    assert_true(fabs(quiet_ns(q, &small, 0) - 130) < 1e-9);
    quiet_take(q, &large, 1000, 0);
    assert_true(quiet_ns(q, &large, 0) == 1000);
}

int main(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, make, drop)
    const struct CMUnitTest tests[] = { cmocka_unit_test(at_first_requests_take_little_more_than_their_samples),
                                        cmocka_unit_test(start_and_slope_are_told_apart),
                                        cmocka_unit_test(alike_requests_tell_their_sum),
                                        cmocka_unit_test(expectations_stay_sane),
                                        cmocka_unit_test(least_squares_by_hand),
                                        FRESH(nothing_is_known_at_first),
                                        FRESH(two_times_must_agree),
                                        FRESH(longer_than_at_rest_is_disturbed),
                                        FRESH(neighbours_do_not_become_the_rule),
                                        FRESH(a_slower_machine_is_accepted),
                                        FRESH(a_lower_clock_is_no_disturbance),
                                        FRESH(borders),
                                        FRESH(times_at_other_clocks_agree),
                                        FRESH(the_latest_times_tell_how_fast_it_is) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
