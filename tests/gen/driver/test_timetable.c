/* SPDX-License-Identifier: Apache-2.0
 *
 * timetable: how the seconds of a command are shared among its parts.
 */
#include "tests/test.h"
#include <math.h>
#include "gen/driver/timetable.h"

static const double even[10] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, uneven[3] = { 0.5, 0.3, 0.2 };

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

/* One part has all but what the end takes; several have equal shares, or by weight. */
TEST(shares_are_by_weight)
{
    Timetable one = { .seconds = 40, .n = 1, .weight = even }, ten = { .seconds = 43, .n = 10, .weight = even };
    Timetable three = { .seconds = 100.9, .n = 3, .weight = uneven };
    assert_true(near(timetable_share(&one, 0), 39.7));
    assert_true(near(timetable_share(&ten, 0), 4));
    assert_true(near(timetable_share(&three, 0), 50));
    one.ninstance = 100000; /* the choice, the tree and the report take a while for these */
    assert_true(near(timetable_share(&one, 0), 37.7));
}

/* If each part takes its share exactly, the shares are those that a plan made at the start would have. */
TEST(a_plan_that_is_kept_stays)
{
    Timetable t = { .seconds = 100.9, .n = 3, .weight = uneven };
    double elapsed_s = 0;
    for (; t.done < t.n; t.done++) {
        const double share_s = timetable_share(&t, elapsed_s);
        assert_true(near(share_s, 100 * uneven[t.done]));
        elapsed_s += share_s;
        t.ending_s += 0.3;
    }
    assert_true(near(elapsed_s, 100));
}

/* What one leaves goes to those behind it, and what one takes too much is taken from them: all of it, and all together
 * never more than there is. */
TEST(what_is_left_is_shared)
{
    static const double takes[] = { 0, 0.1, 3, 30, 1000 }; /* of the first; the others take what they are given */
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
        Timetable t = { .seconds = 43, .n = 10, .weight = even };
        double elapsed_s = 0;
        for (; t.done < t.n; t.done++) {
            const double share_s = timetable_share(&t, elapsed_s);
            assert_true(share_s >= 0);
            assert_true(t.done == 0 || near(share_s, fmax(40 - takes[i], 0) / 9));
            elapsed_s += t.done ? share_s : takes[i];
            t.ending_s += 0.3;
        }
        assert_true(near(elapsed_s, fmax(40, takes[i])));
    }
}

/* What the end takes for the parts that are over says what it takes for all of them. */
TEST(the_end_is_set_aside)
{
    const Timetable t = { .seconds = 40, .n = 4, .done = 2, .weight = even, .ending_s = 5 };
    assert_true(near(timetable_share(&t, 10), (40 - 10 - 10) / 2.0));
    assert_true(timetable_share(&t, 30) == 0);
}

/* A command takes what it was given; where that is up, it takes longer by what the parts that are left must have. */
TEST(what_is_expected)
{
    const Timetable t = { .seconds = 40, .n = 4, .done = 2, .weight = even, .ending_s = 1 };
    assert_true(timetable_expected(&t, 20) == 40);
    assert_true(near(timetable_expected(&t, 50), 50 + 2 * 25 + 2));
    const Timetable first = { .seconds = 1, .n = 10, .weight = even };
    assert_true(near(timetable_expected(&first, 0.5), 0.5 + 3));
}
