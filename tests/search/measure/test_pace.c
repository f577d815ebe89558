/* SPDX-License-Identifier: Apache-2.0
 *
 * pace: the time that requests take is learnt from those before, with a prior.
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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(at_first_requests_take_little_more_than_their_samples),
                                        cmocka_unit_test(start_and_slope_are_told_apart),
                                        cmocka_unit_test(alike_requests_tell_their_sum),
                                        cmocka_unit_test(expectations_stay_sane),
                                        cmocka_unit_test(least_squares_by_hand) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
