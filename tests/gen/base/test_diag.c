/* SPDX-License-Identifier: Apache-2.0
 *
 * diag: the form of a message, order, hostile text, nearest names.
 */
#include "tests/test.h"
#include "tests/arena.h"
#include "tests/gen/golden.h"
#include "tests/gen/pairs.h"

static char *printed(const Diag *d) { return golden_diag(arena, d); }

static Source source(const char *path, const char *text) { return (Source){ path, text, strlen(text) }; }

TEST(test_form)
{
    Source s = source("x.cfg", "a = 1;\n\tweigth = 2;\nlast");
    Diag *d = diag_new(arena);
    assert_string_equal(printed(d), "");
    diag_error(d, (Loc){ &s, 2, 2, 6 }, "unknown key '%s'", "weigth");
    diag_warn(d, (Loc){ &s, 3, 1, 4 }, "odd");
    assert_int_equal(diag_nerror(d), 1);
    assert_string_equal(printed(d), "x.cfg:2:2: error: unknown key 'weigth'\n    \tweigth = 2;\n    \t^~~~~~\n"
                                    "x.cfg:3:1: warning: odd\n    last\n    ^~~~\n");
}

TEST(test_unknown_place)
{
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

/* By file in order of first appearance, then by place; equal places in order of report; repetitions once, but for those
 * of another file. */
TEST(test_order)
{
    Source b = source("b", ""), a = source("a", "");
    Diag *d = diag_new(arena);
    diag_error(d, (Loc){ &b, 3, 1, 1 }, "4");
    diag_error(d, (Loc){ &a, 1, 1, 1 }, "5");
    diag_error(d, (Loc){ &b, 1, 7, 1 }, "2");
    diag_error(d, (Loc){ &b, 1, 2, 1 }, "1");
    diag_error(d, (Loc){ &b, 1, 7, 1 }, "3");
    diag_error(d, (Loc){ &b, 1, 7, 1 }, "2");
    diag_error(d, (Loc){ &a, 3, 1, 1 }, "4");
    diag_error(d, (Loc){ &a, 3, 1, 1 }, "4");
    assert_string_equal(printed(d),
                        "b:1:2: error: 1\nb:1:7: error: 2\nb:1:7: error: 3\nb:3:1: error: 4\na:1:1: error: 5\n"
                        "a:3:1: error: 4\n");
    assert_string_equal(printed(d), printed(d));
}

/* Escapes, control characters and broken UTF-8 do not reach the terminal; whole UTF-8 does, one column a character. */
TEST(test_hostile_text)
{
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

TEST(test_long_line)
{
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
    assert_has(caret, "^~~\n");
    diag_error(d, (Loc){ &s, 1, 1, 1 }, "%s", text); /* a message of any length is clipped */
    assert_true(strlen(printed(d)) < 2000);
}

TEST(test_many)
{
    Source s = source("x", "");
    Diag *d = diag_new(arena);
    for (int i = 0; i < 150; i++)
        diag_error(d, (Loc){ &s, i + 1, 1, 1 }, "n%d", i);
    assert_int_equal(diag_nerror(d), 150);
    char *out = printed(d);
    assert_has(out, "x:100:1: error: n99\n");
    assert_lacks(out, "n100");
    assert_has(out, "50 more are not shown");
    for (int i = 0; i < 100000; i++)
        diag_error(d, (Loc){ &s, 1, i + 1, 1 }, "m");
    assert_int_equal(diag_nerror(d), 100150);
}

TEST(test_loc)
{
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

/* A line's end of two characters is no part of it; text on the way to the caret may be cut on either side. */
TEST(test_windows)
{
    Source s = source("x", "a = 1;\r\nbc = 2;\r\n");
    Diag *d = diag_new(arena);
    diag_error(d, (Loc){ &s, 2, 1, 99 }, "whole");
    assert_string_equal(printed(d), "x:2:1: error: whole\n    bc = 2;\n    ^~~~~~~\n");
    char text[301] = "";
    for (int i = 0; i < 300; i++)
        text[i] = (char)('a' + i % 26);
    static const struct {
        int col, from, to; /* of 300: 160 are shown, the caret's in the middle */
    } cases[] = {
        { 1, 0, 160 }, { 81, 0, 160 }, { 82, 1, 161 }, { 200, 119, 279 }, { 221, 140, 300 }, { 300, 219, 300 }
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int n = cases[i].to - cases[i].from;
        s = source("x", text);
        d = diag_new(arena);
        diag_error(d, (Loc){ &s, 1, cases[i].col, 1 }, "m");
        assert_string_equal(printed(d), arena_printf(arena, "x:1:%d: error: m\n    %s%.*s%s\n    %*s^\n", cases[i].col,
                                                     cases[i].from ? "..." : "", n, text + cases[i].from,
                                                     cases[i].to < 300 ? "..." : "",
                                                     (cases[i].from ? 3 : 0) + cases[i].col - 1 - cases[i].from, ""));
    }
    s = source("x", text + 140); /* 160 are no more than there is room for */
    d = diag_new(arena);
    diag_error(d, (Loc){ &s, 1, 160, 1 }, "m");
    assert_string_equal(printed(d), arena_printf(arena, "x:1:160: error: m\n    %s\n    %159s^\n", text + 140, ""));
}

TEST(test_order_within_a_line)
{
    Source s = source("x", "");
    Diag *d = diag_new(arena);
    static const int line[] = { 2, 10, 2, 1, 10, 3 }, col[] = { 10, 1, 9, 5, 1, 100 };
    for (int i = 0; i < 40; i++) /* more than sorting by insertion would keep in order by chance */
        diag_warn(d, (Loc){ &s, line[i % 6], col[i % 6], 1 }, "%02d", i);
    const char *out = printed(d);
    int before[3] = { 0, 0, 0 }, at[3], n = 0;
    for (const char *p = out; *p; p += strcspn(p, "\n") + 1, n++) {
        assert_int_equal(sscanf(p, "x:%d:%d: warning: %d", &at[0], &at[1], &at[2]), 3);
        assert_true(at[0] > before[0] ||
                    (at[0] == before[0] && (at[1] > before[1] || (at[1] == before[1] && at[2] > before[2]))));
        memcpy(before, at, sizeof at);
    }
    assert_int_equal(n, 40);
    assert_int_equal(diag_nerror(d), 0);
}

TEST(test_colors)
{
    Source s = source("x", "ab");
    Diag *d = diag_new(arena);
    diag_error(d, (Loc){ &s, 1, 1, 2 }, "m");
    diag_warn(d, (Loc){ &s, 1, 2, 1 }, "n");
    diag_use_color(true);
    const char *out = printed(d);
    diag_use_color(false);
    assert_string_equal(out, "\033[1mx:1:1:\033[0m \033[1;31merror:\033[0m m\n    ab\n    \033[1;32m^~\033[0m\n"
                             "\033[1mx:1:2:\033[0m \033[1;35mwarning:\033[0m n\n    ab\n     \033[1;32m^\033[0m\n");
    assert_null(strchr(printed(d), '\033'));
}

/* ---- what no text is shown for ---- */

static char *said(DiagSeverity severity, const char *path, int64_t line, const char *message)
{
    return path ? PRINTED(arena, to, diag_say_at(to, severity, path, line, "%s", message))
                : PRINTED(arena, to, diag_say(to, severity, "%s", message));
}

TEST(test_say)
{
    assert_string_equal(said(DIAG_ERROR, NULL, 0, "no\033"), "dcgen: no?\n");
    assert_string_equal(said(DIAG_WARNING, NULL, 0, "m"), "dcgen: m\n");
    assert_string_equal(said(DIAG_NOTE, NULL, 0, "m"), "m\n");
    assert_string_equal(said(DIAG_ERROR, "f", 7, "m"), "f:7: error: m\n");
    assert_string_equal(said(DIAG_WARNING, "f", 0, "m"), "f: warning: m\n");
    assert_string_equal(said(DIAG_NOTE, "f", 1, "m"), "f:1: note: m\n");
}

#define JSON(severity, file, line, column, width, message, expected)                                            \
    "{\"severity\":\"" severity "\",\"file\":" file ",\"line\":" line ",\"column\":" column ",\"width\":" width \
    ",\"message\":\"" message "\",\"expected\":" expected "}\n"

TEST(test_json)
{
    static const struct {
        const char *message, *expected;
    } cases[] = {
        { "unknown key 'a'; did you mean 'b'?", "\"b\"" },
        { "expected 1 to 5, found 6", "\"1 to 5\"" },
        { "unknown 'a'; expected one of b, c", "\"one of b, c\"" },
        { "expected a name; it is kept, found x", "\"a name\"" },
        { "expected letters", "\"letters\"" },
        { "nothing is right", "null" },
    };
    Source s = source("x.cfg", "a = 1;\n");
    Diag *d = diag_new(arena);
    diag_error(d, (Loc){ &s, 1, 2, 3 }, "m");
    diag_error(d, (Loc){ &s, 1, 5, 0 }, "narrow");
    diag_warn(d, (Loc){ .src = &s }, "\xc3\xa4");
    diag_error(d, (Loc){ 0 }, "no file");
    diag_use_json(true);
    const char *all = printed(d);
    const char *say_at = said(DIAG_WARNING, "f", 7, "m"), *say = said(DIAG_NOTE, NULL, 0, "m"), *expected[6];
    for (int i = 0; i < 6; i++)
        expected[i] = said(DIAG_ERROR, "f", 0, cases[i].message);
    diag_use_json(false);
    assert_string_equal(all, JSON("warning", "\"x.cfg\"", "null", "null", "null", "\\u00E4", "null")
                                 JSON("error", "\"x.cfg\"", "1", "2", "3", "m", "null")
                                     JSON("error", "\"x.cfg\"", "1", "5", "1", "narrow", "null")
                                         JSON("error", "null", "null", "null", "null", "no file", "null"));
    assert_string_equal(say_at, JSON("warning", "\"f\"", "7", "null", "null", "m", "null"));
    assert_string_equal(say, JSON("note", "null", "null", "null", "null", "m", "null"));
    for (int i = 0; i < 6; i++)
        assert_string_equal(expected[i], arena_printf(arena, JSON("error", "\"f\"", "null", "null", "null", "%s", "%s"),
                                                      cases[i].message, cases[i].expected));
}

/* "WORD -> NAME; ...": the nearest of these names; none: none is near. */
static void check_nearest(Names names, const char *words)
{
    for (Pairs p = { .rest = words }; pairs_next(arena, &p);) {
        const char *got = diag_nearest(p.text, names);
        if (strcmp(got ? got : "", p.value) != 0)
            fail_msg("%s: %s, not %s", p.text, got ? got : "none", p.value);
    }
}

/* A third of the letters may be wrong, one at least; of equal distance the first. What shares nothing but its length is
 * not near. */
TEST(test_nearest)
{
    static const char *const keys[] = { "weight", "width", "M", "N", "epilogue", "f32", "T", "" };
    static const char *const names[] = { "abcdef", "abcdeg", "abcdefghi", "xy", "trials", "wxyz12" };
    check_nearest(NAMES(keys, sizeof keys / sizeof *keys),
                  "weigth -> weight; wieght -> weight; Weight -> weight; wait; widht -> width; m -> M; K; "
                  "t -> T; epilog -> epilogue; eipilogeu -> epilogue; F32 -> f32; f64; f16; MM; f3 -> f32");
    check_nearest(NAMES(names, sizeof names / sizeof *names),
                  "abcdex -> abcdef; abcdeg -> abcdeg; abxxef -> abcdef; abxxxf; bacdef -> abcdef; "
                  "badcef -> abcdef; bcdef -> abcdef; xabcdef -> abcdef; abcdefg -> abcdef; "
                  "abcdefgh -> abcdefghi; abcxxxghi -> abcdefghi; axcxxxghi; yx -> xy; zx; zz; "
                  "tirals -> trials; tials -> trials; TRAILS -> trials; wzyx12 -> wxyz12; 21zyxw");
    assert_null(diag_nearest("", NAMES(keys, sizeof keys / sizeof *keys)));
    assert_null(diag_nearest("x", (Names){ 0 }));
    char *long_word = arena_alloc(arena, 100001);
    memset(long_word, 'w', 100000);
    assert_null(diag_nearest(long_word, NAMES(names, sizeof names / sizeof *names)));
    char word[131], name[131];
    const char *const one[] = { name };
    for (int n = 126; n <= 130; n++) {
        memset(word, 'w', sizeof word);
        word[n] = '\0';
        memcpy(name, word, sizeof word);
        name[0] = 'v';
        assert_int_equal(diag_nearest(word, NAMES(one, 1)) != NULL, n <= 128);
    }
}

TEST_FILE(setup, teardown)
