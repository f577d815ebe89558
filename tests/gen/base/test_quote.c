/* SPDX-License-Identifier: Apache-2.0
 *
 * quote: each language by itself. What a package does with hostile text: tests/package/test_hostile.c.
 */
#include "tests/test.h"
#include <jansson.h>
#include "gen/base/quote.h"
#include "tests/arena.h"
#include "tests/gen/printed.h"

typedef char *Quote(Arena *a, const char *s);

typedef struct {
    const char *text, *want;
} Row;

static void check_rows(Quote *quote, const Row *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_string_equal(quote(arena, row[i].text), row[i].want);
}

TEST(plain_text_stays)
{
    static const char text[] = "AMD EPYC 9R45, 2 x 16 cores (\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82) @ 2.8 GHz; -O3 a=b";
    assert_string_equal(quote_comment(arena, text), text);
    assert_string_equal(quote_markdown(arena, text), text);
    assert_string_equal(quote_line(arena, text), text);
    assert_string_equal(quote_string(arena, text), arena_printf(arena, "\"%s\"", text));
    assert_string_equal(quote_line(arena, NULL), "");
    assert_string_equal(quote_comment(arena, NULL), "");
}

/* Controls, what is not UTF-8 (also overlong forms, surrogates, and more than 21 bits), and what turns or hides
 * text. */
TEST(what_cannot_be_shown)
{
    static const Row row[] = { { "a\nb\tc\rd", "a b c d" },
                               { "\x1b[31m\x07", "?[31m?" },
                               { "|\x7f|\xc2\x85|", "|?|??|" },
                               { "|\xc3|\xc0\xaf|\xe0\x80\x80|", "|?|??|???|" },
                               { "|\xed\xa0\x80|\xf4\x90\x80\x80|\xf8|\x80|", "|???|????|?|?|" },
                               { "\xe2\x80\xae|\xe2\x81\xa6|\xe2\x80\x8b|\xef\xbb\xbf", "???|???|???|???" },
                               { "\xc3", "?" },
                               { "\xf0\x9f\x99", "???" } };
    /* The first and last of what 2, 3 and 4 bytes may say, and the neighbours of surrogates. */
    static const char ends[] =
        "\xc2\xa0\xdf\xbf|\xe0\xa0\x80\xef\xbf\xbd|\xf0\x90\x80\x80\xf4\x8f\xbf\xbf|\xed\x9f\xbf\xee\x80\x80";
    assert_string_equal(quote_line(arena, ends), ends);
    assert_string_equal(quote_line(arena, "|\xc1\xbf|\xe0\x9f\xbf|\xf0\x8f\xbf\xbf|\xed\xbf\xbf|"),
                        "|??|???|????|???|");
    check_rows(quote_line, row, sizeof row / sizeof *row);
    check_rows(quote_comment, row, 2);
}

TEST(comments)
{
    static const Row row[] = { { "x */ int y; /* z", "x * / int y; / * z" },
                               { "/x", " /x" },
                               { "x*", "x* " },
                               { "*/*/*", "* / * / * " },
                               { "**//**/", "** // ** /" },
                               { "a\\", "a?" },
                               { "a\\ \t\n", "a?" },
                               { "a\\b", "a\\b" },
                               { "a \t\n", "a" },
                               { "a* ", "a* " },
                               { " ", "" },
                               { "*?\?/", "*? ?/" },
                               { "?\?\?", "? ? ?" },
                               { "*\\\n/", "*\\ /" },
                               { "\xff\xff/*\x01/", "? ?/ *?/" } };
    check_rows(quote_comment, row, sizeof row / sizeof *row);
}

TEST(strings)
{
    static const Row row[] = { { "a\"b\\", "\"a\\\"b\\\\\"" }, { "?\?/", "\"?\\?/\"" }, { "\n%s", "\" %s\"" } };
    check_rows(quote_string, row, sizeof row / sizeof *row);
}

TEST(markdown)
{
    static const Row row[] = { { "a|b`c`*_[x](y)<script>&amp;", "a\\|b\\`c\\`\\*\\_\\[x\\](y)\\<script\\>\\&amp;" },
                               { "\\| http://x a: b", "\\\\\\| http\\://x a: b" },
                               { "a:/b c:d/", "a\\:/b c:d/" },
                               { "a\n\n# b", "a  \\# b" } };
    check_rows(quote_markdown, row, sizeof row / sizeof *row);
}

TEST(scripts)
{
    static const Row plot[] = { { "M'`$\\{}\xc3\xa4", "'M???????"
                                                      "?'" },
                                { "N = 768, K = 64*S", "'N = 768, K = 64*S'" },
                                { "\xe2\x82\x80", "'??"
                                                  "?'" } };
    static const Row cmake[] = { { "a;\"$ENV{HOME}\\${X}", "\"a\\;\\\"\\$ENV{HOME}\\\\\\${X}\"" } };
    check_rows(quote_gnuplot, plot, sizeof plot / sizeof *plot);
    check_rows(quote_cmake, cmake, sizeof cmake / sizeof *cmake);
}

TEST(html)
{
    Text t = { .arena = arena };
    quote_html(&t, "a<b>&\"'\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82|\xc3|\xc0\xaf|\xed\xa0\x80|\x7f|\xc2\x85|\n");
    assert_string_equal(text_str(&t), "a&lt;b&gt;&amp;&quot;&#39;\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82|\xef\xbf\xbd|"
                                      "\xef\xbf\xbd\xef\xbf\xbd|"
                                      "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd| ");
}

TEST(json)
{
    assert_string_equal(quote_json_text(arena, "\"\x7f\x1b\xe2\x80\xae\\"), "\"\\\"\\u007F\\u001B\\u202E\\\\\"");
    assert_string_equal(quote_json_text(arena, "a\xff"), "\"a?\"");
    assert_string_equal(quote_json_text(arena, NULL), "null");
    assert_string_equal(quote_json_lines(arena, json_pack("{s:f, s:[s]}", "third", 1 / 3.0, "x", "\xc3\xa4")),
                        "{\n \"third\": 0.333333333,\n \"x\": [\n  \"\\u00E4\"\n ]\n}\n");
}

TEST(long_text_is_cut)
{
    char text[3 * QUOTE_MAX];
    memset(text, '|', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_int_equal(strlen(quote_line(arena, text)), QUOTE_MAX + 3);
    assert_int_equal(strlen(quote_markdown(arena, text)), QUOTE_MAX + 3);
    assert_int_equal(strlen(quote_gnuplot(arena, text)), QUOTE_MAX + 3 + 2);
    assert_string_equal(quote_markdown(arena, text) + QUOTE_MAX - 2, "\\|...");
    assert_int_equal(strlen(quote_string(arena, text)), sizeof text + 1);
}

static void print(FILE *to)
{
    quote_printf(to, "%s: a\tb\n\x1b[1m\xc3\xa4\xc3%c\n", "x\r", 7);
    quote_print(to, "ab\xc3\xa4", 3); /* the rest of the character is beyond the end */
    quote_print_json(json_pack("[i]", 7), to);
}

TEST(printed) { assert_string_equal(PRINTED(arena, to, print(to)), "x?: a\tb\n?[1m\xc3\xa4??\nab?[\n 7\n]\n"); }

TEST_FILE(setup, teardown)
