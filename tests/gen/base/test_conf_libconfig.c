/* SPDX-License-Identifier: Apache-2.0
 *
 * What conf reads, libconfig reads too, and as the same: the files of the tree, and forms that they do not use. Skipped
 * where libconfig is not installed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/text.h"

#ifndef DCGEN_HAVE_LIBCONFIG
int main(void)
{
    puts("libconfig is not installed: skipped");
    return 77;
}
#else
#include <glob.h>
#include <libconfig.h>

static void compare(const ConfSetting *s, const config_setting_t *t)
{
    static const int type[] = {
        [CONF_GROUP] = CONFIG_TYPE_GROUP, [CONF_BOOL] = CONFIG_TYPE_BOOL,  [CONF_INT] = CONFIG_TYPE_INT,
        [CONF_INT64] = CONFIG_TYPE_INT64, [CONF_REAL] = CONFIG_TYPE_FLOAT, [CONF_STRING] = CONFIG_TYPE_STRING,
        [CONF_ARRAY] = CONFIG_TYPE_ARRAY, [CONF_LIST] = CONFIG_TYPE_LIST,
    };
    assert_int_equal(type[s->type], config_setting_type(t));
    assert_int_equal(s->name != NULL, config_setting_name(t) != NULL);
    if (s->name)
        assert_string_equal(s->name, config_setting_name(t));
    if (s->type == CONF_STRING)
        assert_string_equal(s->text, config_setting_get_string(t));
    else if (s->type == CONF_REAL)
        assert_true(s->real == config_setting_get_float(t));
    else if (s->type == CONF_BOOL)
        assert_int_equal(s->integer, config_setting_get_bool(t));
    else if (s->type == CONF_INT || s->type == CONF_INT64)
        assert_int_equal(s->integer, config_setting_get_int64(t));
    assert_int_equal(conf_length(s), config_setting_length(t));
    for (int i = 0; i < conf_length(s); i++)
        compare(conf_elem(s, i), config_setting_get_elem(t, (unsigned)i));
}

/* False if conf refuses it. */
static bool compare_text(Arena *a, const Source *src, size_t begin, size_t end)
{
    const Conf *c = conf_parse(a, src, begin, end, diag_new(a));
    if (!c)
        return false;
    config_t config;
    config_init(&config);
    /* libconfig does not see a comment that the end of the text cuts off: hence the line's end */
    if (!config_read_string(&config, arena_printf(a, "%.*s\n", (int)(end - begin), src->text + begin)))
        fail_msg("%s: libconfig says: %s in line %d of %s", src->path, config_error_text(&config),
                 config_error_line(&config), src->text + begin);
    compare(c->root, config_root_setting(&config));
    config_destroy(&config);
    return true;
}

static void test_files(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "specs/*.cfg",           "templates/*/*.cfg",      "templates/*/*.c",         "templates/*/*.cu",
        "tests/package/*/*.cfg", "tests/gen/spec/*/*.cfg", "tests/gen/spec/*/*/*.cfg"
    };
    Arena *a = arena_new();
    int nread = 0;
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        glob_t found;
        assert_int_equal(glob(arena_printf(a, "%s/%s", DCGEN_SOURCE_DIR, patterns[k]), 0, NULL, &found), 0);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            static const char mark[] = "/* dcgen\n";
            const Source *src = conf_source(a, found.gl_pathv[i], diag_new(a));
            const char *head = src ? strstr(src->text, mark) : NULL, *end = head ? strstr(head, "*/") : NULL;
            if (end)
                nread += compare_text(a, src, (size_t)(head - src->text) + sizeof mark - 1, (size_t)(end - src->text));
            else if (src)
                nread += compare_text(a, src, 0, src->len);
        }
        globfree(&found);
    }
    assert_true(nread > 100);
    arena_free(a);
}

/* Texts of pieces of the language, drawn by chance: most are refused by both, and none is read in two ways. */
static void test_pieces(void **state)
{
    (void)state;
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
    for (int i = 0; i < 200000; i++) {
        Arena *a = arena_new();
        Text t = { .arena = a };
        text_add(&t, "a = ");
        for (int k = 0; k < 1 + i % 7; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text_add(&t, pieces[(seed >> 33) % n]);
        }
        const Source src = { "pieces", text_str(&t), t.len };
        nread += compare_text(a, &src, 0, t.len);
        arena_free(a);
    }
    assert_true(nread > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_files), cmocka_unit_test(test_pieces) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
