/* SPDX-License-Identifier: Apache-2.0
 *
 * conf: getters and places, in a whole text and in a part of one. The golden files of spec and op cover faults.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen/conf.h"
#include "gen/name.h"

static Arena *arena;
static Diag *diag;
static Source src;

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    diag = diag_new(arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static Conf *parse_part(const char *text, size_t begin, size_t end)
{
    src = (Source){ "t.cfg", text, strlen(text) };
    Conf *c = conf_parse(arena, &src, begin, end, diag);
    if (!c)
        diag_print(diag, stderr);
    assert_non_null(c);
    return c;
}

static Conf *parse(const char *text) { return parse_part(text, 0, strlen(text)); }

static void assert_loc(Loc at, int line, int col, int width)
{
    assert_ptr_equal(at.src, &src);
    assert_int_equal(at.line, line);
    assert_int_equal(at.col, col);
    assert_int_equal(at.width, width);
}

static void test_values(void **state)
{
    (void)state;
    Conf *c = parse("i = 42; h = 0x2A; l = 5000000000L; r = 2.5; b = true;\n"
                    "s = \"a\" \"b\\n\"; v = [1, 2]; w = (\"x\", \"y\");");
    const ConfSetting *root = conf_root(c);
    int64_t i = 0, v[4];
    double r = 0;
    const char *s = NULL, *w[4];
    bool b = false;
    int n = 0;
    assert_true(conf_int(c, root, "i", 0, 100, &i) && i == 42);
    assert_true(conf_int(c, root, "h", 0, 100, &i) && i == 42);
    assert_true(conf_int(c, root, "l", 0, INT64_MAX, &i) && i == 5000000000);
    assert_true(conf_real(c, root, "r", &r) && r == 2.5);
    assert_true(conf_real(c, root, "i", &r) && r == 42);
    assert_true(conf_string(c, root, "s", &s));
    assert_true(conf_bool(c, root, "b", &b) && b);
    assert_true(conf_ints(c, root, "v", 1, 2, v, 4, &n) && n == 2 && v[1] == 2);
    assert_true(conf_strings(c, root, "w", w, 4, &n) && n == 2);
    conf_free(c);
    assert_string_equal(s, "ab\n"); /* lives on in the arena */
    assert_string_equal(w[1], "y");
    assert_int_equal(diag_nerror(diag), 0);
}

static void test_absent(void **state)
{
    (void)state;
    Conf *c = parse("x = 1;");
    int64_t i = 7;
    const char *s = "kept";
    Expr *e = NULL;
    int n = 3;
    assert_true(conf_int(c, conf_root(c), "y", 0, 1, &i) && i == 7);
    assert_true(conf_string(c, conf_root(c), "y", &s));
    assert_string_equal(s, "kept");
    assert_true(conf_expr(c, conf_root(c), "y", &e) && !e);
    assert_true(conf_strings(c, conf_root(c), "y", NULL, 0, &n) && n == 3);
    assert_null(conf_group(c, conf_root(c), "y"));
    assert_null(conf_list(c, conf_root(c), "y"));
    assert_null(conf_member(NULL, "y"));
    assert_int_equal(conf_length(NULL), 0);
    assert_int_equal(diag_nerror(diag), 0);
    conf_free(c);
}

static void test_wrong(void **state)
{
    (void)state;
    Conf *c = parse("i = 42; s = \"x\"; v = [1, 2, 3]; g = {};");
    const ConfSetting *root = conf_root(c);
    int64_t i = 7, v[4];
    const char *s = "kept";
    int n = -1, choice = -1;
    static const char *const names[] = { "y", "z" };
    assert_false(conf_int(c, root, "i", 0, 41, &i));
    assert_false(conf_int(c, root, "s", 0, 41, &i));
    assert_false(conf_string(c, root, "i", &s));
    assert_false(conf_ints(c, root, "v", 0, 9, v, 2, &n));
    assert_false(conf_ints(c, root, "v", 0, 2, v, 4, &n));
    assert_false(conf_choice(c, root, "s", "letter", names, 2, &choice));
    assert_null(conf_list(c, root, "g"));
    assert_null(conf_group(c, root, "v"));
    assert_int_equal(diag_nerror(diag), 8);
    assert_int_equal(i, 7); /* nothing was written */
    assert_string_equal(s, "kept");
    assert_int_equal(n, -1);
    assert_int_equal(choice, -1);
    conf_free(c);
}

/* Same keys on one line, strings that hold brackets, comments that hold quotes. */
static void test_places(void **state)
{
    (void)state;
    Conf *c = parse("l = ( { M = 1; }, { M = \"}{\"; /* M = \" */ N = 2; },\n  3, \"four\" );\nM : [ 5,\n6 ];");
    const ConfSetting *l = conf_member(conf_root(c), "l"), *m = conf_member(conf_root(c), "M");
    const ConfSetting *second = conf_elem(l, 1);
    assert_loc(conf_name_loc(c, l), 1, 1, 1);
    assert_loc(conf_value_loc(c, l), 1, 5, 1);
    assert_loc(conf_name_loc(c, conf_member(conf_elem(l, 0), "M")), 1, 9, 1);
    assert_loc(conf_name_loc(c, conf_member(second, "M")), 1, 21, 1);
    assert_loc(conf_value_loc(c, conf_member(second, "M")), 1, 25, 4);
    assert_loc(conf_name_loc(c, conf_member(second, "N")), 1, 43, 1);
    assert_loc(conf_value_loc(c, conf_elem(l, 2)), 2, 3, 1);
    assert_loc(conf_name_loc(c, conf_elem(l, 3)), 2, 6, 6);
    assert_loc(conf_value_loc(c, conf_elem(m, 1)), 4, 1, 1);
    assert_loc(conf_name_loc(c, conf_root(c)), 1, 1, 1);
    assert_string_equal(conf_name(c, m), "M");
    assert_null(conf_name(c, second));
    conf_free(c);
}

/* A template's head: the rest of the file is not looked at, places count from its beginning. */
static void test_part(void **state)
{
    (void)state;
    const char *text = "/* dcgen\n  a = 1;\n  b = \"x\" # the end\n*/\nint main(void) { \"";
    size_t begin = strlen("/* dcgen"), end = (size_t)(strstr(text, "*/") - text);
    Conf *c = parse_part(text, begin, end);
    assert_int_equal(conf_length(conf_root(c)), 2);
    assert_loc(conf_name_loc(c, conf_member(conf_root(c), "a")), 2, 3, 1);
    assert_loc(conf_value_loc(c, conf_member(conf_root(c), "b")), 3, 7, 3);
    conf_free(c);
    assert_null(conf_parse(arena, &src, begin, strlen(text), diag)); /* "*" + "/" is no libconfig */
    assert_int_equal(diag_nerror(diag), 1);
}

static void visit(void *ctx, const char *name, Loc at)
{
    char *out = ctx;
    sprintf(out + strlen(out), "%s@%d:%d ", name, at.line, at.col);
}

/* Places inside an expression hold across strings side by side. */
static void test_expr(void **state)
{
    (void)state;
    Conf *c = parse("a = \"1 +\\tB\"  /* \" */ \" * C\" # \"\n    \"- D\";\nn = -7;");
    Expr *e = NULL;
    assert_true(conf_expr(c, conf_root(c), "a", &e));
    assert_string_equal(expr_text(e), "1 + B * C - D");
    char names[100] = "";
    expr_names(e, visit, names);
    assert_string_equal(names, "B@1:11 C@1:27 D@2:8 ");
    static const char *const known[] = { "B", "C" };
    assert_false(conf_check_names(diag, e, "name", known, 2));
    assert_int_equal(diag_nerror(diag), 1);
    int64_t value = 0;
    assert_true(conf_expr(c, conf_root(c), "n", &e));
    assert_int_equal(expr_int(e, NULL, NULL, &value), EXPR_OK);
    assert_int_equal(value, -7);
    conf_free(c);
}

static void test_keys(void **state)
{
    (void)state;
    static const ConfKey keys[] = { { "a", true, NULL }, { "b", false, NULL }, { "c", true, "the third" } };
    Conf *c = parse("a = 1; c = 2;");
    assert_true(conf_keys(c, conf_root(c), keys, 3));
    conf_free(c);
    c = parse("a = 1; d = 2; e = 3;");
    assert_false(conf_keys(c, conf_root(c), keys, 3));
    assert_int_equal(diag_nerror(diag), 3); /* d, e unknown; c missing */
    conf_free(c);
    conf_free(NULL);
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool ok, package_ok;
    } cases[] = {
        { "x", true, true },           { "bert_dense", true, true }, { "T2", true, false },
        { "", false, false },          { "2d", false, false },       { "_x", false, false },
        { "a-b", false, false },       { "a/b", false, false },      { "..", false, false },
        { "a b", false, false },       { "int", false, false },      { "class", false, false },
        { "alignas", false, false },   { "xor_eq", false, false },   { "main", true, false },
        { "abort", true, false },      { "write", true, false },     { "sm_90a", true, true },
        { "h\xc3\xa4", false, false }, { "size_t", true, false },    { "NULL", true, false },
        { "INT64_MAX", true, false },  { "offsetof", true, false },  { "index", true, false },
        { "sinf", true, false },       { "asctime_r", true, false }, { "pthread_x", true, false },
        { "string", true, false },     { "String", true, false },    { "test", true, false },
        { "float4", true, false },     { "sinful", true, true },     { "indexed", true, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(name_fault(cases[i].name) == NULL, cases[i].ok);
        assert_int_equal(name_package_fault(cases[i].name) == NULL, cases[i].package_ok);
    }
    static const char *const like[][2] = { { "size_t", "size" },
                                           { "NULL", "null" },
                                           { "GEMM", "gemm" },
                                           { "index", "index_op" },
                                           { "pthread_x", "my_pthread_x" } };
    for (size_t i = 0; i < sizeof like / sizeof *like; i++)
        assert_string_equal(name_package_like(arena, like[i][0]), like[i][1]);
    char name[NAME_MAX_LENGTH + 2];
    memset(name, 'x', sizeof name);
    name[NAME_MAX_LENGTH] = '\0';
    assert_null(name_fault(name));
    name[NAME_MAX_LENGTH] = 'x';
    name[NAME_MAX_LENGTH + 1] = '\0';
    assert_non_null(name_fault(name));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_values), TEST(test_absent), TEST(test_wrong), TEST(test_places),
        TEST(test_part),   TEST(test_expr),   TEST(test_keys),  TEST(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
