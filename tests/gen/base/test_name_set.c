/* SPDX-License-Identifier: Apache-2.0
 *
 * name_set: each name is there once, in alphabetical order, however many there are; others are not there.
 */
#include "tests/test.h"
#include "gen/base/name_set.h"
#include "tests/arena.h"

TEST(each_name_is_there_once)
{
    enum { MANY = 1000 };
    NameSet s = { 0 };
    for (int i = 0; i < 2 * MANY; i++)
        name_set_add(arena, &s, arena_printf(arena, "n%d", i * 7 % MANY));
    name_set_sort(&s);
    assert_int_equal(s.n, MANY);
    for (int i = 0; i < MANY; i++) {
        assert_true(name_set_has(&s, arena_printf(arena, "n%d", i)));
        assert_true(i == 0 || strcmp(s.name[i - 1], s.name[i]) < 0);
    }
    assert_false(name_set_has(&s, "n"));
    assert_false(name_set_has(&s, "n1000"));
}

TEST(an_empty_one_has_nothing)
{
    NameSet s = { 0 };
    name_set_sort(&s);
    assert_int_equal(s.n, 0);
    assert_false(name_set_has(&s, ""));
}

TEST_EACH(setup, teardown)
