/* SPDX-License-Identifier: Apache-2.0
 *
 * text_list: words are added, split off a text, found and joined.
 */
#include "tests/test.h"
#include "gen/base/text_list.h"
#include "tests/arena.h"

TEST(words_are_added_and_joined)
{
    TextList list = { 0 };
    assert_string_equal(text_list_join(arena, &list, ","), "");
    text_list_add(arena, &list, "one");
    text_list_add(arena, &list, "");
    text_list_add(arena, &list, "two");
    assert_int_equal(list.n, 3);
    assert_null(list.item[3]);
    assert_string_equal(text_list_join(arena, &list, ", "), "one, , two");
    assert_true(text_list_has(&list, "two") && text_list_has(&list, "") && !text_list_has(&list, "tw"));
}

TEST(a_text_is_split_at_any_separator)
{
    TextList list = { 0 };
    text_list_split(arena, &list, ",a,,b c ,", ", ");
    assert_string_equal(text_list_join(arena, &list, "|"), "a|b|c");
    text_list_split(arena, &list, "", ",");
    text_list_split(arena, &list, "d", ",");
    assert_string_equal(text_list_join(arena, &list, "|"), "a|b|c|d");
    assert_null(list.item[4]);
}

TEST_EACH(setup, teardown)
