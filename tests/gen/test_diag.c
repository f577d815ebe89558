/* SPDX-License-Identifier: Apache-2.0
 *
 * diag: the form of a message, order, hostile text, nearest names.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen/diag.h"
#include "tests/gen/golden.h"

static Arena *arena;

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static char *printed(const Diag *d) { return golden_diag(arena, d); }

static Source source(const char *path, const char *text) { return (Source){ path, text, strlen(text) }; }

static void test_form(void **state)
{
    (void)state;
    Source s = source("x.cfg", "a = 1;\n\tweigth = 2;\nlast");
    Diag *d = diag_new(arena);
    assert_string_equal(printed(d), "");
    diag_error(d, (Loc){ &s, 2, 2, 6 }, "unknown key '%s'", "weigth");
    diag_warn(d, (Loc){ &s, 3, 1, 4 }, "odd");
    assert_int_equal(diag_nerror(d), 1);
    assert_string_equal(printed(d), "x.cfg:2:2: error: unknown key 'weigth'\n    \tweigth = 2;\n    \t^~~~~~\n"
                                    "x.cfg:3:1: warning: odd\n    last\n    ^~~~\n");
}

static void test_unknown_place(void **state)
{
    (void)state;
    Source s = source("x.cfg", "a = 1;\n"), unread = { .path = "y.cfg" };
    Diag *d = diag_new(arena);
    diag_error(d, (Loc){ .src = &s }, "no place");
    diag_error(d, (Loc){ .src = &s, .line = 1 }, "only a line");
    diag_error(d, (Loc){ .src = &s, .line = 9, .col = 9 }, "beyond the end");
    diag_error(d, (Loc){ .src = &s, .line = 1, .col = 99, .width = 99 }, "beyond the line");
    diag_error(d, (Loc){ .src = &unread, .line = 1, .col = 1 }, "not read");
    diag_error(d, (Loc){ 0 }, "no file");
    assert_string_equal(printed(d), "x.cfg: error: no place\n"
                                    "x.cfg:1: error: only a line\n    a = 1;\n"
                                    "x.cfg:1:99: error: beyond the line\n    a = 1;\n          ^\n"
                                    "x.cfg:9:9: error: beyond the end\n"
                                    "y.cfg:1:1: error: not read\n"
                                    "dcgen: error: no file\n");
}

/* By file in order of first appearance, then by place; equal places in order of report; repetitions once. */
static void test_order(void **state)
{
    (void)state;
    Source b = source("b", ""), a = source("a", "");
    Diag *d = diag_new(arena);
    diag_error(d, (Loc){ &b, 3, 1, 1 }, "4");
    diag_error(d, (Loc){ &a, 1, 1, 1 }, "5");
    diag_error(d, (Loc){ &b, 1, 7, 1 }, "2");
    diag_error(d, (Loc){ &b, 1, 2, 1 }, "1");
    diag_error(d, (Loc){ &b, 1, 7, 1 }, "3");
    diag_error(d, (Loc){ &b, 1, 7, 1 }, "2");
    assert_string_equal(printed(d),
                        "b:1:2: error: 1\nb:1:7: error: 2\nb:1:7: error: 3\nb:3:1: error: 4\na:1:1: error: 5\n");
    assert_string_equal(printed(d), printed(d));
}

/* Escapes, control characters and broken UTF-8 do not reach the terminal; whole UTF-8 does, one column a character. */
static void test_hostile_text(void **state)
{
    (void)state;
    Source s = source("x\033[31m.cfg", "gr\xc3\xb6\xc3\x9f"
                                       "e \033[2J\x07 \xff\xc3( \xc2\x9b"
                                       "1m x");
    Diag *d = diag_new(arena);
    diag_error(d, (Loc){ &s, 1, 24, 1 }, "bad \033]0;title\007 \xe2\x82");
    assert_string_equal(printed(d), "x?[31m.cfg:1:24: error: bad ?]0;title? ??\n"
                                    "    gr\xc3\xb6\xc3\x9f"
                                    "e ?[2J? ?"
                                    "?( ??1m x\n"
                                    "                         ^\n");
}

static void test_long_line(void **state)
{
    (void)state;
    char *text = arena_alloc(arena, 10001);
    memset(text, 'a', 10000);
    text[5000] = 'X';
    Source s = source("x", text);
    Diag *d = diag_new(arena);
    diag_error(d, (Loc){ &s, 1, 5001, 3 }, "here");
    char *out = printed(d), *line = strchr(out, '\n') + 1, *caret = strchr(line, '\n') + 1;
    assert_true(strlen(line) < 400);
    assert_memory_equal(line, "    ...aaa", 10);
    assert_int_equal(line[strcspn(caret, "^")], 'X');
    assert_non_null(strstr(caret, "^~~\n"));
    diag_error(d, (Loc){ &s, 1, 1, 1 }, "%s", text); /* a message of any length is clipped */
    assert_true(strlen(printed(d)) < 2000);
}

static void test_many(void **state)
{
    (void)state;
    Source s = source("x", "");
    Diag *d = diag_new(arena);
    for (int i = 0; i < 150; i++)
        diag_error(d, (Loc){ &s, i + 1, 1, 1 }, "n%d", i);
    assert_int_equal(diag_nerror(d), 150);
    char *out = printed(d);
    assert_non_null(strstr(out, "x:100:1: error: n99\n"));
    assert_null(strstr(out, "n100"));
    assert_non_null(strstr(out, "50 more are not shown"));
    for (int i = 0; i < 100000; i++)
        diag_error(d, (Loc){ &s, 1, i + 1, 1 }, "m");
    assert_int_equal(diag_nerror(d), 100150);
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const names[] = { "weight", "width", "M", "N", "epilogue", "f32", "T", "" };
    static const struct {
        const char *word, *want;
    } cases[] = {
        { "weigth", "weight" },
        { "wieght", "weight" },
        { "Weight", "weight" },
        { "wait", NULL },
        { "widht", "width" },
        { "m", "M" },
        { "K", NULL },
        { "t", "T" },
        { "epilog", "epilogue" },
        { "eipilogeu", "epilogue" },
        { "F32", "f32" },
        { "f64", NULL },
        { "f16", NULL },
        { "", NULL },
        { "MM", NULL },
        { "f3", "f32" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = diag_nearest(cases[i].word, names, sizeof names / sizeof *names);
        if (!got != !cases[i].want || (got && strcmp(got, cases[i].want) != 0))
            print_error("%s: %s\n", cases[i].word, got ? got : "none");
        assert_int_equal(!got, !cases[i].want);
        if (got)
            assert_string_equal(got, cases[i].want);
    }
    assert_null(diag_nearest("x", NULL, 0));
    char *long_word = arena_alloc(arena, 100001);
    memset(long_word, 'w', 100000);
    assert_null(diag_nearest(long_word, names, sizeof names / sizeof *names));
}

static void test_loc(void **state)
{
    (void)state;
    Source s = source("x", "ab\n\ncd");
    static const struct {
        size_t offset;
        int line, col;
    } cases[] = {
        { 0, 1, 1 }, { 1, 1, 2 }, { 2, 1, 3 }, { 3, 2, 1 }, { 4, 3, 1 }, { 5, 3, 2 }, { 6, 3, 3 }, { 99, 3, 3 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Loc at = loc_at(&s, cases[i].offset, 4);
        assert_ptr_equal(at.src, &s);
        assert_int_equal(at.line, cases[i].line);
        assert_int_equal(at.col, cases[i].col);
        assert_int_equal(at.width, 4);
    }
    Source unread = { .path = "y" };
    assert_int_equal(loc_at(&unread, 3, 1).line, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),         cmocka_unit_test(test_unknown_place), cmocka_unit_test(test_order),
        cmocka_unit_test(test_hostile_text), cmocka_unit_test(test_long_line),     cmocka_unit_test(test_many),
        cmocka_unit_test(test_nearest),      cmocka_unit_test(test_loc),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
