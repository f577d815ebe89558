/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "search/samples.h"

static void medians_and_spreads(void **state)
{
    (void)state;
    double v[] = { 9, 1, 5, 3, 7 }, same[] = { 4, 4, 4 }, many[1001];
    assert_true(samples_median(v, 5) == 5 && samples_median(v, 4) == 4 && samples_median(v, 1) == 9);
    assert_true(samples_median(v, 2) == 5 && samples_median(v, 0) == 0);
    assert_true(v[0] == 9 && v[4] == 7);
    assert_true(samples_spread(v, 5) == 0.8 && samples_spread(v, 1) == 0 && samples_spread(v, 0) == 0);
    assert_true(samples_spread(same, 3) == 0);
    for (int i = 0; i < 1001; i++)
        many[i] = (i * 8) % 1001;
    assert_true(samples_median(many, 1001) == 500 && samples_spread(many, 1001) == 1);
    assert_true(samples_least(v, 5) == 1 && samples_least(v, 1) == 9 && samples_least(v, 0) == 0);
    assert_true(samples_second(v, 5) == 3 && samples_second(same, 3) == 4 && samples_second(v, 1) == 0 &&
                samples_second(v, 0) == 0);
    double zeros[] = { 0, 0, 0, 8 };
    assert_true(samples_spread(zeros, 4) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(medians_and_spreads) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
