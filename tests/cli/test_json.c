/* SPDX-License-Identifier: Apache-2.0
 *
 * --json: every line on standard error is a JSON object with the same keys, whatever is wrong and wherever --json
 * stands; standard output is empty or JSON; the exit code is the one without --json.
 */
#include "tests/test.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gen/base/arena.h"

#define SPECS DCGEN_SOURCE_DIR "/tests/gen/spec/cases/"

/* What dcgen says with these arguments: its lines on standard error, as JSON. */
typedef struct {
    Arena *a;
    json_t *line;
    int code;
} Said;

static int run(Arena *a, const char *arguments, const char *streams, char **text)
{
    size_t cap = 0;
    FILE *f = popen(arena_printf(a, "'%s/dcgen' %s %s", DCGEN_BINARY_DIR, arguments, streams), "r");
    assert_non_null(f);
    *text = NULL;
    if (getdelim(text, &cap, '\0', f) < 0)
        (*text)[0] = '\0';
    const int status = pclose(f);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void has_keys(const json_t *o)
{
    static const char *const key[] = { "severity", "file", "line", "column", "width", "message", "expected" };
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        assert_non_null(json_object_get(o, key[i]));
    assert_int_equal(json_object_size(o), sizeof key / sizeof *key);
    assert_true(json_is_string(json_object_get(o, "message")));
}

static Said say(const char *arguments)
{
    char *text, *save = NULL;
    Said s = { .a = arena_new(), .line = json_array() };
    const int plain = run(s.a, arguments, "2>&1", &text);
    free(text);
    s.code = run(s.a, arena_printf(s.a, "--json %s", arguments), "2>/dev/null", &text);
    assert_int_equal(s.code, plain);
    json_t *out = json_loads(text, 0, NULL);
    if (*text && !out)
        fail_msg("%s: standard output is no JSON: %s", arguments, text);
    json_decref(out);
    free(text);
    run(s.a, arena_printf(s.a, "--json %s", arguments), "2>&1 >/dev/null", &text);
    for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
        json_t *o = json_loads(l, JSON_REJECT_DUPLICATES, NULL);
        if (!o)
            fail_msg("%s: this line is no JSON: %s", arguments, l);
        has_keys(o);
        json_array_append_new(s.line, o);
    }
    free(text);
    return s;
}

static void said_free(Said *s)
{
    json_decref(s->line);
    arena_free(s->a);
}

static const char *text(const Said *s, size_t i, const char *key)
{
    const char *v = json_string_value(json_object_get(json_array_get(s->line, i), key));
    return v ? v : "";
}

static int64_t number(const Said *s, size_t i, const char *key)
{
    return json_integer_value(json_object_get(json_array_get(s->line, i), key));
}

TEST(a_specs_errors_have_places)
{
    Said s = say("check " SPECS "bad_unknown_keys.cfg");
    assert_int_equal(s.code, 2);
    assert_true(json_array_size(s.line) >= 3);
    assert_string_equal(text(&s, 0, "severity"), "error");
    assert_string_equal(text(&s, 0, "file"), SPECS "bad_unknown_keys.cfg");
    assert_true(number(&s, 0, "line") > 0 && number(&s, 0, "column") > 0 && number(&s, 0, "width") > 1);
    bool expects = false;
    for (size_t i = 0; i < json_array_size(s.line); i++)
        expects = expects || strcmp(text(&s, i, "expected"), "weight") == 0 ||
                  strcmp(text(&s, i, "expected"), "weights") == 0;
    assert_true(expects);
    said_free(&s);
}

TEST(what_was_expected_is_a_key)
{
    static const struct {
        const char *arguments, *expected;
    } row[] = {
        { "check " SPECS "bad_syntax_equals.cfg", "'=' after 'name'" },
        { "--colour auto " SPECS "good_bert.cfg", "--color" },
        { "chek " SPECS "good_bert.cfg x", "check" },
        { "--search joined " SPECS "good_bert.cfg", "joint" },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Said s = say(row[i].arguments);
        assert_int_equal(s.code, 2);
        assert_string_equal(text(&s, 0, "expected"), row[i].expected);
        said_free(&s);
    }
}

TEST(commands_that_fail_say_it_as_json)
{
    static const struct {
        const char *arguments;
        int code;
        const char *message;
    } row[] = {
        { "check /nowhere/x.cfg", 2, "No such file" },
        { "replay --check /nowhere", 2, "is no package" },
        { "explain /nowhere T=1", 2, "No such file" },
        { "bench /nowhere", 2, "is not a dcgen package" },
        { "replay " SPECS "good_bert.cfg --records /nowhere/x.jsonl", 3, "x.jsonl" },
        { SPECS "good_bert.cfg -o /proc/x --records /proc/y", 3, "/proc/" },
        { "--jobs 0 x", 2, "is not a whole number" },
        { "--runner", 2, "missing COMMAND" },
        { "", 2, "missing SPEC" },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Said s = say(row[i].arguments);
        assert_int_equal(s.code, row[i].code);
        assert_true(json_array_size(s.line) >= 1);
        assert_string_equal(text(&s, 0, "severity"), "error");
        if (!strstr(text(&s, 0, "message"), row[i].message))
            fail_msg("%s: %s", row[i].arguments, text(&s, 0, "message"));
        said_free(&s);
    }
}

/* A records file that is foreign: its lines are named, its bytes stay out of the JSON's structure. */
TEST(warnings_of_records_have_lines)
{
    char path[] = "/tmp/dcgen-test-json-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    static const char bad[] = "no record \"\\\xff\n{\"torn\":";
    assert_int_equal(write(fd, bad, sizeof bad - 1), sizeof bad - 1);
    close(fd);
    Arena *a = arena_new();
    Said s = say(arena_printf(a, "replay " SPECS "good_bert.cfg --records %s", path));
    assert_int_equal(s.code, 1);
    assert_string_equal(text(&s, 0, "severity"), "warning");
    assert_string_equal(text(&s, 0, "file"), path);
    assert_int_equal(number(&s, 0, "line"), 1);
    assert_string_equal(text(&s, json_array_size(s.line) - 1, "severity"), "error");
    said_free(&s);
    unlink(path);
    arena_free(a);
}

/* What is said past gen/base/diag.h is no JSON. */
TEST(all_is_said_in_one_place)
{
    assert_int_not_equal(
        system("grep -n 'fprintf(stderr' '" DCGEN_SOURCE_DIR "'/gen/*.c '" DCGEN_SOURCE_DIR "'/search/*.c"), 0);
}
