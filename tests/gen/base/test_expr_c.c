/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_c: what expressions are printed as, and that compiled C computes what expr_int_at and expr_real_at compute.
 */
#include "tests/test.h"
#include "tests/gen/base/random_expr.h"

#include <inttypes.h>
#include "gen/base/process.h"
#include "tests/tmp_folder.h"

TEST(test_text)
{
    static const struct {
        const char *text, *as_int, *as_real;
    } cases[] = {
        { "2*a*b*c", "2*a*b*c", "2*a*b*c" },
        { "((a)) *(b  *c)", "a*(b*c)", "a*(b*c)" },
        { "(a + 2*b - c) / 2 + 1", "(a + 2*b - c) / 2 + 1", "(a + 2*b - c) / 2 + 1" },
        { "a - (b - c) - 1", "a - (b - c) - 1", "a - (b - c) - 1" },
        { "-a * -(b + 1) - -1", "-a*-(b + 1) - -1", "-a*-(b + 1) - -1" },
        { "-(-a)", "-(-a)", "-(-a)" },
        { "7/2*a", "INT64_C(7) / 2*a", "7.0 / 2*a" },
        { "2147483647 + 1", "INT64_C(2147483647) + 1", "2147483647.0 + 1" },
        { "2147483648", "INT64_C(2147483648)", "2147483648.0" },
        { "-2147483648 * 2", "-INT64_C(2147483648)*2", "-2147483648.0*2" },
        { "-3 * 4", "-INT64_C(3)*4", "-3.0*4" },
        { "(a < b) * 100000 * 100000", "(int64_t)(a < b)*100000*100000", "(double)(a < b)*100000*100000" },
        { "!a + 1", "(int64_t)!a + 1", "(double)!a + 1" },
        { "min(a, 3) + ceil_to(b, 2*4)", "PACKAGE_min(a, 3) + PACKAGE_ceil_to(b, INT64_C(2)*4)",
          "PACKAGE_real_min(a, 3) + PACKAGE_real_ceil_to(b, 2.0*4)" },
        { "max(1, 2) * ceil_div(a, b)", "PACKAGE_max(1, 2)*PACKAGE_ceil_div(a, b)",
          "PACKAGE_real_max(1, 2)*PACKAGE_real_ceil_div(a, b)" },
        { "a % 8 * b", "a % 8*b", "PACKAGE_real_mod(a, 8)*b" },
        { "a && b || !c && a != 1", "(a && b) || (!c && a != 1)", "(a && b) || (!c && a != 1)" },
        { "a && (b || c)", "a && (b || c)", "a && (b || c)" },
        { "(a < b) == (b < c) || (!a) < b", "(a < b) == (b < c) || (!a) < b", "(a < b) == (b < c) || (!a) < b" },
        { "0.5*a", NULL, "0.5*a" },
        { "1e30 + 2.0 + .1", NULL, "1e+30 + 2.0 + 0.1" },
        { "a*log2(b)", NULL, NULL },
        { "max(sqrt(a), exp2(b))", NULL, NULL },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const Expr *e = parse_bound(cases[i].text);
        const char *const want[] = { cases[i].as_int, cases[i].as_real };
        const char *const got[] = { expr_c_int(arena, e, "PACKAGE"), expr_c_real(arena, e, "PACKAGE", "") };
        for (int k = 0; k < 2; k++) {
            if (!got[k] || !want[k])
                assert_ptr_equal(got[k], want[k]);
            else
                assert_string_equal(got[k], want[k]);
        }
    }
    assert_string_equal(expr_c_real(arena, parse_bound("2*a - -b"), "x", "(double)"), "2*(double)a - -(double)b");
}

TEST(test_factors)
{
    static const struct {
        const char *text, *zero, *positive;
    } cases[] = {
        { "2*a*(b*c)", "a == 0 || b == 0 || c == 0", "a > 0 && b > 0 && c > 0" },
        { "a*(b + 1)*max(a, b)", "a == 0 || b + 1 == 0 || N_max(a, b) == 0", "a > 0 && b + 1 > 0 && N_max(a, b) > 0" },
        { "a*!b*(b < c)", "a == 0 || (!b) == 0 || (b < c) == 0", "a > 0 && (!b) > 0 && (b < c) > 0" },
        { "3", "1 == 0", "1 > 0" },
        { "a*0", "a == 0 || 0 == 0", "a > 0 && 0 > 0" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const Expr *e = parse_bound(cases[i].text);
        assert_string_equal(expr_c_factors(arena, e, "N", " == 0", " || "), cases[i].zero);
        assert_string_equal(expr_c_factors(arena, e, "N", " > 0", " && "), cases[i].positive);
    }
    assert_string_equal(expr_c_factors(arena, parse_bound("2*a*b"), "N", " > 0", NULL), "2*a*b > 0");
    assert_string_equal(expr_c_factors(arena, parse_bound("a < b"), "N", " > 0", NULL), "(a < b) > 0");
    assert_string_equal(expr_c_factors(arena, parse_bound("3"), "N", " > 0", NULL), "3 > 0");
    assert_null(expr_c_factors(arena, parse_bound("a*0.5"), "N", " == 0", " || "));
}

TEST(test_calls)
{
    assert_false(expr_c_calls(parse_bound("-a*b + (c < 2) / 3")));
    assert_true(expr_c_calls(parse_bound("-(a + max(b, 1))")));
    assert_true(expr_c_calls(parse_bound("2 + a % b")));
}

/* ---- compiled ---- */

typedef struct {
    Text functions, checks;
    int nfunction, nint, nreal;
} Program;

/* A function of the text, and a check of each value that it must give. */
static void add_function(Program *p, const char *type, const char *c, const char *checks)
{
    text_printf(&p->functions, "static %s f%d(%s a, %s b, %s c) { (void)a, (void)b, (void)c; return %s; }\n", type,
                p->nfunction, type, type, type, c);
    text_printf(&p->checks, "    { const char *text = \"%s\"; %s *f = f%d;\n%s    }\n", c,
                strcmp(type, "double") == 0 ? "real" : "integer", p->nfunction, checks);
    p->nfunction++;
}

static const char *literal(int64_t v)
{
    return v == INT64_MIN ? "INT64_MIN" : arena_printf(arena, "INT64_C(%" PRId64 ")", v);
}

static void add_expression(Program *p, Rng *r, const Expr *e)
{
    static const int64_t value[] = { -7, -3, -2, -1, 0, 0, 1, 2, 3, 5, 16, 100, 2147483647, 1099511627776, INT64_MAX };
    Text ints = { .arena = arena }, reals = ints;
    for (int i = 0; i < 6; i++) {
        int64_t at[RANDOM_NAMES], whole;
        double real;
        for (int k = 0; k < RANDOM_NAMES; k++)
            at[k] = value[rng_below(r, LENGTH(value))];
        const char *where = arena_printf(arena, "%s, %s, %s", literal(at[0]), literal(at[1]), literal(at[2]));
        if (expr_int_at(e, at, &whole) == EXPR_OK)
            text_printf(&ints, "        check(f(%s) == %s, text);\n", where, literal(whole));
        if (expr_real_at(e, at, &real) == EXPR_OK)
            text_printf(&reals, "        check(f(%s) == %a, text);\n", where, real);
    }
    const char *as_int = expr_c_int(arena, e, "PACKAGE"), *as_real = expr_c_real(arena, e, "PACKAGE", "");
    assert_true(as_int || strstr(expr_text(e), "0.5"));
    assert_non_null(as_real);
    p->nint += as_int && ints.len > 0;
    p->nreal += reals.len > 0;
    if (as_int && ints.len)
        add_function(p, "int64_t", as_int, text_str(&ints));
    if (reals.len)
        add_function(p, "double", as_real, text_str(&reals));
}

static bool run(const char *const *argv)
{
    const ProcessEnd end =
        process_run(arena, &(ProcessPlan){ .argv = argv, .out = PROCESS_KEEP, .err = PROCESS_WITH_OUT },
                    process_clock_s() + 60, NULL);
    if (!process_is_well(&end))
        print_error("%s: %s\n", argv[0], text_str(&end.out));
    return process_is_well(&end);
}

/* Signed overflow traps: no printed expression overflows where expr_int_at does not. */
TEST(test_compiled)
{
    static const char *const leaf[] = { "a", "b", "c", "a", "b", "c", "a", "b",          "c",  "0",
                                        "1", "2", "3", "8", "7", "2", "1", "3000000000", "0.5" };
    Program p = { .functions = { .arena = arena }, .checks = { .arena = arena } };
    Rng r = { 2 };
    for (int i = 0; i < 300; i++)
        add_expression(&p, &r, parse_bound(random_text(&r, 4, leaf, LENGTH(leaf) - (i % 2))));
    assert_in_range(p.nint, 150, 300);
    assert_in_range(p.nreal, 150, 300);
    const char *source = arena_printf(
        arena,
        "#include <stdint.h>\n#include <stdio.h>\n#include \"%s/templates/package/arithmetic.h\"\n"
        "typedef int64_t integer(int64_t, int64_t, int64_t);\ntypedef double real(double, double, double);\n"
        "static int nbad;\nstatic void check(int good, const char *text) { if (!good) nbad++, puts(text); }\n"
        "%sint main(void)\n{\n%s    return nbad != 0;\n}\n",
        DCGEN_SOURCE_DIR, text_str(&p.functions), text_str(&p.checks));
    char folder[TMP_FOLDER_BYTES];
    assert_non_null(tmp_folder(folder));
    const char *c = arena_printf(arena, "%s/x.c", folder), *program = arena_printf(arena, "%s/x", folder);
    assert_true(text_write_file(c, source, strlen(source)));
    const bool good =
        run((const char *[]){ "gcc", "-O0", "-Wall", "-Werror=parentheses", "-Werror=logical-not-parentheses",
                              "-Wno-overflow", "-fsanitize=signed-integer-overflow",
                              "-fsanitize-undefined-trap-on-error", "-o", program, c, NULL }) &&
        run((const char *[]){ program, NULL });
    assert_int_equal(tmp_folder_remove(folder), 0);
    assert_true(good);
}

TEST_FILE(setup, teardown)
