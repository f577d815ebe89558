/* SPDX-License-Identifier: Apache-2.0
 *
 * index: every place is found by its hash, in whatever number they are added; places of one hash are all given.
 * name_set: each name is there once, in alphabetical order, however many there are; others are not there.
 */
#include "tests/test.h"
#include "gen/base/index.h"
#include "gen/base/name_set.h"
#include "tests/arena.h"

enum { MANY = 5000, ALIKE = 7 };

/* How many of the places of a hash there are; all must be congruent to it, each once. */
static int count(const Index *x, uint64_t hash, int64_t remainder)
{
    bool seen[MANY] = { false };
    size_t from = 0;
    int n = 0;
    for (int64_t i; (i = index_next(x, hash, &from)) >= 0; n++) {
        assert_true(i % (MANY / ALIKE) == remainder && !seen[i]);
        seen[i] = true;
    }
    return n;
}

/* Hashes that begin in the same slots, at the end of the table too. */
TEST(places_of_one_hash_are_all_given)
{
    Index x = { .arena = arena };
    const int ngroup = MANY / ALIKE;
    for (int64_t i = 0; i < ngroup * ALIKE; i++)
        index_add(&x, UINT64_MAX - 64 * (uint64_t)(i % ngroup), i);
    for (int64_t i = 0; i < ngroup; i++)
        assert_int_equal(count(&x, UINT64_MAX - 64 * (uint64_t)i, i), ALIKE);
    assert_int_equal(count(&x, 1, 0), 0);
}

TEST(an_empty_one_has_nothing)
{
    const Index x = { .arena = arena };
    assert_int_equal(count(&x, 0, 0), 0);
}

TEST(a_hash_goes_on_with_what_was_before)
{
    assert_true(index_word("ab", 0) == index_hash("ab", 2, 0));
    assert_true(index_word("b", index_word("a", 0)) != index_word("a", index_word("b", 0)));
    assert_true(index_word("b", 1) != index_word("b", 2));
}

/* ---- names ---- */

TEST(each_name_is_there_once)
{
    enum { NAMED = 1000 };
    NameSet s = { 0 };
    for (int i = 0; i < 2 * NAMED; i++)
        name_set_add(arena, &s, arena_printf(arena, "n%d", i * 7 % NAMED));
    name_set_sort(&s);
    assert_int_equal(s.n, NAMED);
    for (int i = 0; i < NAMED; i++) {
        assert_true(name_set_has(&s, arena_printf(arena, "n%d", i)));
        assert_true(i == 0 || strcmp(s.name[i - 1], s.name[i]) < 0);
    }
    assert_false(name_set_has(&s, "n"));
    assert_false(name_set_has(&s, "n1000"));
}

TEST(an_empty_one_has_no_names)
{
    NameSet s = { 0 };
    name_set_sort(&s);
    assert_int_equal(s.n, 0);
    assert_false(name_set_has(&s, ""));
}

TEST_EACH(setup, teardown)
