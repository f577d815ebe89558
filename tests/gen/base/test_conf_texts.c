/* SPDX-License-Identifier: Apache-2.0
 *
 * conf on files of the tree, and on texts drawn by chance: what it reads lies where it says, and means the same when
 * printed and read again.
 */
#include "tests/test.h"
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <strings.h>
#include "gen/base/conf.h"
#include "tests/arena.h"
#include "tests/gen/golden.h"

static void print_setting(Text *t, const ConfSetting *s, bool is_root)
{
    static const char *const brackets[] = { [CONF_GROUP] = "{}", [CONF_ARRAY] = "[]", [CONF_LIST] = "()" };
    const bool is_plain = s->type != CONF_GROUP && s->type != CONF_ARRAY && s->type != CONF_LIST;
    if (s->name)
        text_printf(t, "%s = ", s->name);
    if (!is_plain && !is_root)
        text_addn(t, brackets[s->type], 1);
    if (s->type == CONF_BOOL)
        text_add(t, s->integer ? "true" : "false");
    else if (s->type == CONF_INT || s->type == CONF_INT64)
        text_printf(t, "%" PRId64 "%s", s->integer, s->type == CONF_INT ? "" : "L");
    else if (s->type == CONF_REAL && isfinite(s->real))
        text_printf(t, "%.17e", s->real);
    else if (s->type == CONF_REAL)
        text_add(t, s->real < 0 ? "-1e999" : "1e999");
    else if (s->type == CONF_STRING) {
        text_add(t, "\"");
        for (const char *p = s->text; *p; p++)
            text_printf(t, "\\x%02X", (unsigned char)*p);
        text_add(t, "\"");
    }
    for (int i = 0; i < s->n; i++) {
        text_add(t, i ? "," : "");
        print_setting(t, &s->elem[i], false);
    }
    if (!is_plain && !is_root)
        text_addn(t, brackets[s->type] + 1, 1);
}

/* The text at a place, which lies between two others. */
static const char *text_at(const Source *from, Loc at, const char *after)
{
    const char *line = from->text;
    for (int i = 1; i < at.line; i++)
        line = strchr(line, '\n') + 1;
    const char *p = line + at.col - 1;
    assert_true(p >= after && p + at.width <= from->text + from->len && !memchr(p, '\n', (size_t)at.width));
    return p;
}

/* From quote to quote, with blanks for what is not text. */
static void check_expr(const char *expr, const char *p)
{
    const size_t n = strlen(expr);
    assert_true(n > 1 && p[0] == '"' && p[n - 1] == '"');
    for (size_t i = 0; i < n; i++)
        assert_true(expr[i] == p[i] || (expr[i] == ' ' && p[i] != '\n'));
}

/* Names and values lie at their places, in the order of the text, and nothing else. Gives where the last one begins. */
static const char *check_places(const Source *from, const ConfSetting *s, const char *after, bool is_root)
{
    const char *name = text_at(from, s->name_at, after), *p = text_at(from, s->at, name);
    const size_t n = (size_t)s->at.width;
    assert_true(is_root || !s->name == (name == p));
    if (s->name)
        assert_true(strlen(s->name) == (size_t)s->name_at.width && memcmp(s->name, name, strlen(s->name)) == 0);
    if (s->type == CONF_BOOL)
        assert_true(n == (s->integer ? 4 : 5) && strncasecmp(p, s->integer ? "true" : "false", n) == 0);
    else if (s->type == CONF_REAL)
        assert_true(strtod(arena_strndup(arena, p, n), NULL) == s->real);
    else if (s->type == CONF_INT || s->type == CONF_INT64)
        assert_true(strtoll(arena_strndup(arena, p, n), NULL, n > 1 && (p[1] | 32) == 'x' ? 16 : 10) == s->integer &&
                    (p[n - 1] == 'L') == (s->type == CONF_INT64));
    else if (s->type == CONF_STRING)
        check_expr(s->expr, p);
    else if (!is_root)
        assert_true(*p == (s->type == CONF_GROUP ? '{' : s->type == CONF_LIST ? '(' : '['));
    for (int i = 0; i < s->n; i++)
        p = check_places(from, &s->elem[i], p, false);
    return p;
}

/* False if conf refuses it, with one error whose place is in it. What it reads lies where it says, and is read again
 * when it is printed. */
static bool check_text(const Source *from, size_t begin, size_t end)
{
    Diag *d = diag_new(arena);
    const Conf *c = conf_parse(arena, from, begin, end, d);
    const char *shown = golden_diag(arena, d);
    int line = 0, col = 0;
    assert_int_equal(diag_nerror(d), !c);
    if (!c) {
        assert_int_equal(sscanf(shown + strlen(from->path), ":%d:%d: error", &line, &col), 2);
        text_at(from, (Loc){ from, line, col, 0 }, from->text + begin);
        return false;
    }
    Text t = { .arena = arena }, again = t;
    check_places(from, c->root, from->text + begin, true);
    print_setting(&t, c->root, true);
    const Source printed = { "printed", text_str(&t), t.len };
    const Conf *reread = conf_parse(arena, &printed, 0, t.len, d);
    assert_non_null(reread);
    print_setting(&again, reread->root, true);
    assert_string_equal(text_str(&again), text_str(&t));
    return true;
}

TEST(test_files)
{
    static const char *const patterns[] = {
        "specs/*.cfg",           "templates/*/*.cfg",      "templates/*/*.c",         "templates/*/*.cu",
        "tests/package/*/*.cfg", "tests/gen/spec/*/*.cfg", "tests/gen/spec/*/*/*.cfg"
    };
    int nread = 0;
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        glob_t found;
        assert_int_equal(glob(arena_printf(arena, "%s/%s", DCGEN_SOURCE_DIR, patterns[k]), 0, NULL, &found), 0);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            static const char mark[] = "/* dcgen\n";
            const Source *from = conf_source(arena, found.gl_pathv[i], diag_new(arena));
            const char *head = from ? strstr(from->text, mark) : NULL, *end = head ? strstr(head, "*/") : NULL;
            if (end)
                nread += check_text(from, (size_t)(head - from->text) + sizeof mark - 1, (size_t)(end - from->text));
            else if (from)
                nread += check_text(from, 0, from->len);
        }
        globfree(&found);
    }
    assert_true(nread > 100);
}

/* Texts of pieces of the language, drawn by chance; most are refused. */
TEST(test_pieces)
{
    static const char *const pieces[] = {
        "a = ",    "b: ",        "c-*=",
        ";",       ",",          "{ ",
        " }",      "(",          ")",
        "[",       "]",          "1",
        "-7",      "+3L",        "0x1F",
        "0XaLL",   "1.",         ".5e1",
        "2E3",     "1e",         "T",
        "true",    "FAlse",      "*",
        "-",       ".",          "\n",
        " ",       "# x\n",      "// \"\n",
        "/* ; */", "\"x\"",      "\"\\n\\\\\\\"\\q\\x41\\X7a\\x4\\t\"",
        "\"#\" ",  "\"/*\"",     "\"é\"",
        "\f",      "2147483648",
    };
    const size_t n = sizeof pieces / sizeof *pieces;
    uint64_t seed = 1;
    int nread = 0;
    for (int i = 0; i < 60000; i++) {
        arena_reset(arena);
        Text t = { .arena = arena };
        text_add(&t, "a = ");
        for (int k = 0; k < 1 + i % 7; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text_add(&t, pieces[(seed >> 33) % n]);
        }
        const Source from = { "pieces", text_str(&t), t.len };
        nread += check_text(&from, 0, t.len);
    }
    assert_true(nread > 3000);
}

TEST_EACH(setup, teardown)
