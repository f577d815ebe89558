/* SPDX-License-Identifier: Apache-2.0
 *
 * samples: medians, spreads, and the time that counts.
 */
#include "tests/test.h"
#include <math.h>
#include "search/record/samples.h"

TEST(medians_and_spreads)
{
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
    double zeros[] = { 0, 0, 0, 8 };
    assert_true(samples_spread(zeros, 4) == 0);
}

TEST(the_time_that_counts)
{
    static const double v[] = { 12, 10, 30, 11 };
    assert_true(samples_time(v, 4, true) == 10 && samples_time(v, 4, false) == 11);
    assert_true(samples_time(v, 2, false) == 11 && samples_time(v, 1, false) == 12); /* nothing to leave out */
    assert_true(samples_time(v, 0, true) == 0 && samples_time(v, 0, false) == 0);
    assert_true(fabs(samples_error(v, 4, true) - 0.1) < 1e-12);
    static const double even[] = { 9, 11, 9, 11 };
    const double mean = 29 / 3., squares = 2 * (9 / mean - 1) * (9 / mean - 1) + 2 * (11 / mean - 1) * (11 / mean - 1);
    assert_true(fabs(samples_error(even, 4, false) - sqrt(squares / 12)) < 1e-12);
    assert_true(samples_error(v, 1, true) == 0 && samples_error(v, 1, false) == 0 && samples_error(v, 0, false) == 0);
}

TEST(quartiles_by_hand)
{
    static const double v[] = { 10, 20, 40, 80 }; /* quartiles at 0.75 and 2.25: 17.5 and 50; the median 30 */
    assert_true(fabs(samples_spread(v, 4) - 32.5 / 30) < 1e-12 && samples_median(v, 4) == 30);
    assert_true(samples_error(v, 4, true) == 1);
    static const double twice[] = { 10, 10, 40 };
    assert_true(samples_error(twice, 3, true) == 0);
    assert_true(samples_compare(&v[0], &v[1]) < 0 && samples_compare(&v[1], &v[0]) > 0 && samples_compare(v, v) == 0);
}
