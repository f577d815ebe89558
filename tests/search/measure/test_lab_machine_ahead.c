/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_machine, ahead: what was begun before it was wanted is built once, and what comes too late is left.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include "tests/search/measure/lab_place.h"

/* One of the first of a run is waited for however long it takes, as something must be known in the end. */
TEST(what_was_begun_is_not_built_again)
{
    const char *err = NULL;
    for (int i = 0; i < 2; i++)
        assert_true(lab_machine_ahead(&lab, p + i, 1, &err));
    assert_int_equal(nbuilt, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(kind.trials(&lab, y.arena, p + i, 1, 0.5, &err));
        assert_true(waited_until_s == (i ? 1050 : 1030) && nwaited_for_one == 1);
    }
    assert_true(nbuilt == 2 && nwaited == 2);
    assert_int_equal(recorded()->nkernel, 2);
    assert_int_equal(recorded()->nmeasure, 3 + 2 * 2); /* the anchor beside the second */
    assert_true(kind.trials(&lab, y.arena, p + 2, 1, 0.5, &err));
    assert_true(nbuilt == 3 && nwaited == 3);
}

TEST(others_than_were_begun_are_built)
{
    const char *err = NULL;
    assert_true(lab_machine_ahead(&lab, p, 2, &err));
    assert_true(try_three(&err));
    assert_true(nbuilt == 5 && nwaited == 1 && recorded()->nkernel == 3);
    lab_machine_drop(&lab);
    assert_true(was_cancelled);
    assert_true(kind.trials(&lab, y.arena, p, 2, 0.5, &err));
    assert_true(nbuilt == 7 && nwaited == 2);
}

/* Nothing of it is recorded or run: the next search begins there. */
TEST(builds_that_come_too_late)
{
    const char *err = NULL;
    is_late = true;
    assert_true(lab_machine_ahead(&lab, p, THREE, &err));
    assert_true(try_three(&err)); /* nothing works yet, so one was waited for */
    assert_int_equal(recorded()->nkernel, 1);
    assert_non_null(kernel_of(0));
    assert_true(lab.brief && lab.ntimed > 0);
    const int64_t before = ncall;
    assert_true(lab_machine_ahead(&lab, p + 1, 2, &err));
    assert_true(kind.trials(&lab, y.arena, p + 1, 2, 1, &err));
    assert_int_equal(recorded()->nkernel, 1);
    assert_int_equal(ncall, before);
    assert_true(lab_machine_ahead(&lab, p, THREE, &err));
    stop = 1;
    assert_false(try_three(&err));
    assert_string_equal(err, "interrupted");
}

TEST(lesser_targets_begin_ahead)
{
    const char *err = NULL;
    assert_true(lab_machine_lesser_ahead(&lab, &err));
    const int n = nbuilt;
    assert_true(n > 0 && ncall == 0);
    assert_true(lab_machine.lesser(&lab, y.arena, &err));
    assert_true(nbuilt == n && nwaited == 1 && isinf(waited_until_s));
    assert_int_equal(recorded()->nkernel, n);
    assert_true(lab_machine.lesser(&lab, y.arena, &err));
    assert_int_equal(nbuilt, n);
}

/* The package has to have them: what was ended with a round whose time was up is built again. */
TEST(lesser_targets_are_built_in_any_case)
{
    const char *err = NULL;
    is_late = true;
    assert_true(lab_machine_lesser_ahead(&lab, &err));
    const int n = nbuilt;
    assert_true(lab_machine.lesser(&lab, y.arena, &err));
    assert_in_range(nbuilt, n + 1, 2 * n);
    assert_int_equal(recorded()->nkernel, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(recorded()->kernel[i].status, STATUS_OK);
}

TEST_EACH(make, drop)
