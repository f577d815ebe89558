/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "search/pace.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(at_first_requests_take_little_more_than_their_samples),
                                        cmocka_unit_test(start_and_slope_are_told_apart),
                                        cmocka_unit_test(alike_requests_tell_their_sum),
                                        cmocka_unit_test(expectations_stay_sane) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
