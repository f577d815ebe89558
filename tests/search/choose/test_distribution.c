/* SPDX-License-Identifier: Apache-2.0
 *
 * distribution: shares of calls and of time along an extent, and the most frequent shapes, of numbers set by hand.
 */
#include "tests/test.h"
#include <math.h>
#include "search/choose/distribution.h"
#include "tests/gen/by_hand.h"

/* M = 1 .. 8 is called 1, 9, 2, 1, 1, 3, 5 and 1 times; the time of all calls is 96500 ns. */
TEST(shares_along_extents)
{
    const Distribution d = distribution_of(hand.y.arena, hand.y.study, &hand.as);
    assert_true(d.calls == 23 && d.ns == 96500);
    assert_true(fabs(d.tuned_calls - 4.0 / 23) < 1e-12 && fabs(d.tuned_time - 13000.0 / 96500) < 1e-12);
    assert_int_equal(d.nspread, 1); /* the others do not vary */
    const Spread *s = d.spread;
    assert_int_equal(s->extent, 0);
    assert_int_equal(s->n, 8);
    assert_true(fabs(s->calls[1] - 10.0 / 23) < 1e-12 && fabs(s->time[5] - 50000.0 / 96500) < 1e-12);
    static const struct {
        double part;
        int64_t calls, time;
    } of[] = { { 0, 1, 1 }, { 0.1, 2, 2 }, { 0.5, 3, 6 }, { 0.9, 7, 7 }, { 1, 8, 8 } };
    for (size_t i = 0; i < LENGTH(of); i++) {
        assert_int_equal(spread_quantile(s, s->calls, of[i].part), of[i].calls);
        assert_int_equal(spread_quantile(s, s->time, of[i].part), of[i].time);
    }
}

TEST(frequent_shapes_come_first)
{
    static const int64_t m[] = { 2, 7, 6, 3, 1, 4, 5, 8 };
    const Distribution d = distribution_of(hand.y.arena, hand.y.study, &hand.as);
    assert_int_equal(d.nfrequent, LENGTH(m));
    for (size_t i = 0; i < LENGTH(m); i++)
        assert_int_equal(hand.y.spec->instance[d.frequent[i]].extent[0], m[i]);
}

static void has_word(const FillScope *s, const char *name, const char *want)
{
    assert_string_equal(fill_find(s, name, strlen(name)), want);
}

TEST(words_for_patterns)
{
    const ShapeLog log = { .calls = 1234567, .n = 8 };
    Spec spec = *hand.y.spec;
    Study study = *hand.y.study;
    FillScope *s = fill_scope(hand.y.arena, NULL);
    const Distribution d = distribution_of(hand.y.arena, hand.y.study, &hand.as);
    spec.log = &log;
    study.spec = &spec;
    distribution_words(s, &study, &hand.as, 3, &d);
    has_word(s, "LOG_CALLS", "1,234,567");
    has_word(s, "TUNED_CALLS", "17.4 %");
    const FillScope *m = fill_row_at(s, "spreads", 0), *first = fill_row_at(s, "frequent", 0);
    has_word(m, "SPREAD_OF", "M");
    has_word(m, "UP_TO_90", "7");
    has_word(m, "HALF_OF_TIME", "6");
    has_word(first, "LOG_SHAPE", "M = 2, N = 16, K = 16");
    has_word(first, "LOG_COUNT", "9");
    has_word(first, "TAKEN_KERNEL", "k4");
    has_word(first, "HOW_KNOWN", "held out");
}

TEST_FILE(by_hand_setup, by_hand_teardown)
