/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_uses: what is made of expressions: others, with their values, names and text; conditions, true where they are;
 * bounds that every value lies within; C, which computes the same when it is compiled.
 */
#include "tests/test.h"
#include <inttypes.h>
#include "gen/base/expr.h"
#include "gen/base/process.h"
#include "gen/base/rng.h"
#include "gen/base/text.h"
#include "tests/arena.h"
#include "tests/tmp_folder.h"

/* Expressions at random over three names. */
enum { RANDOM_NAMES = 3 };
static const char *const random_names[RANDOM_NAMES] = { "a", "b", "c" };

static const char *random_text(Rng *r, int depth, const char *const *leaf, int nleaf)
{
    static const char *const form[] = { "(%s) + (%s)",      "(%s) - (%s)",     "(%s) * (%s)",  "(%s) * (%s)",
                                        "(%s) / (%s)",      "(%s) % (%s)",     "(%s) < (%s)",  "(%s) <= (%s)",
                                        "(%s) > (%s)",      "(%s) >= (%s)",    "(%s) == (%s)", "(%s) != (%s)",
                                        "(%s) && (%s)",     "(%s) || (%s)",    "min(%s, %s)",  "max(%s, %s)",
                                        "ceil_div(%s, %s)", "ceil_to(%s, %s)", "-(%s)",        "!(%s)" };
    enum { NFORM = sizeof form / sizeof *form, NARITHMETIC = 6 };
    if (depth == 0 || rng_below(r, 5) == 0)
        return leaf[rng_below(r, nleaf)];
    Text t = { .arena = arena };
    /* tests give 0 and 1, on which most else is dull */
    for (const char *f = form[rng_below(r, rng_below(r, 2) ? NARITHMETIC : NFORM)]; *f; f++)
        if (f[0] == '%' && f[1] == 's')
            text_add(&t, random_text(r, depth - 1, leaf, nleaf)), f++;
        else
            text_addn(&t, f, 1);
    return text_str(&t);
}

/* Of its text, with the three names bound to slots 0, 1, 2. */
static Expr *parse_bound(const char *text)
{
    Diag *d = diag_new(arena);
    Expr *e = expr_parse(arena, text, (Loc){ 0 }, d);
    if (!e)
        diag_print(d, stderr);
    assert_non_null(e);
    expr_bind(e, NAMES(random_names, RANDOM_NAMES));
    return e;
}

/* ---- made of others ---- */

/* What stands in the place of each name; NULL: the name stays. */
typedef struct {
    Expr *by[RANDOM_NAMES];
} Replacement;

static Expr *replacement_of(void *ctx, const char *name)
{
    const int i = names_find(NAMES(random_names, RANDOM_NAMES), name);
    return i < 0 ? NULL : ((Replacement *)ctx)->by[i];
}

static Expr *substitute(const char *text, const char *a, const char *b)
{
    Replacement r = { { a ? parse_bound(a) : NULL, b ? parse_bound(b) : NULL, NULL } };
    return expr_substitute(arena, parse_bound(text), replacement_of, &r);
}

TEST(made_of_others)
{
    assert_string_equal(expr_text(substitute("2*a*(b + c)", "b + 1", NULL)), "2*(b + 1)*(b + c)");
    assert_string_equal(expr_text(substitute("a - b", "b", "a")), "b - a");
    assert_string_equal(expr_text(substitute("max(a, -b) % 0.5", "1.0", "-b")), "max(1.0, -(-b)) % 0.5");
    assert_string_equal(expr_text(substitute("a && b || !a", "a < 1", "a || b")), "(a < 1 && (a || b)) || !(a < 1)");
    const Expr *x = expr_name(arena, "x"), *minus = expr_number(arena, -3), *least = expr_number(arena, INT64_MIN);
    assert_string_equal(expr_text(expr_apply(arena, "ceil_div", x, minus)), "ceil_div(x, -3)");
    assert_string_equal(expr_text(expr_apply(arena, "*", minus, expr_apply(arena, "-", x, least))),
                        "-3*(x - (-9223372036854775807 - 1))");
}

TEST(names_of_what_is_made)
{
    Source src = { .path = "e", .text = "", .len = 0 };
    const Expr *e = expr_parse(arena, "a + c", (Loc){ &src, 3, 5, 1 }, diag_new(arena));
    Replacement r = { { expr_parse(arena, "min(x, y)", (Loc){ &src, 9, 1, 1 }, diag_new(arena)), NULL, NULL } };
    Expr *made = expr_apply(arena, "*", expr_substitute(arena, e, replacement_of, &r), expr_name(arena, "z"));
    static const char *const want[] = { "x", "y", "c", "z" };
    static const int line[] = { 9, 9, 3, 0 };
    size_t n = 0;
    for (const ExprName *name = expr_names(made); name; name = name->next, n++) {
        assert_in_range(n, 0, LENGTH(want) - 1);
        assert_string_equal(name->name, want[n]);
        assert_int_equal(name->at.line, line[n]);
        assert_int_equal(name->slot, -1);
    }
    assert_int_equal(n, LENGTH(want));
    assert_int_equal(expr_loc(made).line, 3);
    /* what it was made of is not bound with it */
    expr_bind(made, NAMES(want, LENGTH(want)));
    for (const ExprName *name = expr_names(e); name; name = name->next)
        assert_int_equal(name->slot, -1);
    int64_t value;
    assert_int_equal(expr_int_at(made, (const int64_t[]){ 7, 4, 10, 2 }, &value), EXPR_OK);
    assert_int_equal(value, 28);
}

TEST(too_long)
{
    Expr *sum = expr_number(arena, 1), *tree = sum;
    int nsum = 0, ntree = 0;
    for (; sum && nsum < 1000; nsum++)
        sum = expr_apply(arena, "+", sum, expr_number(arena, 1));
    for (; tree && ntree < 1000; ntree++)
        tree = expr_apply(arena, "*", tree, tree);
    assert_int_equal(nsum, 200); /* as deep as what is read */
    assert_int_equal(ntree, 12); /* 2^12 leaves */
    assert_null(expr_apply(arena, "+", expr_name(arena, "a"), NULL));
    Replacement r = { { expr_number(arena, 1), NULL, NULL } };
    for (int i = 0; i < 150; i++)
        r.by[0] = expr_apply(arena, "+", r.by[0], expr_number(arena, 1));
    const Expr *e = parse_bound("a*a");
    for (int i = 0; i < 60; i++)
        e = expr_apply(arena, "+", e, expr_number(arena, 1));
    assert_non_null(e);
    assert_null(expr_substitute(arena, e, replacement_of, &r));
}

/* A substitution has the value of the expression where each name has the value of what takes its place, and so has its
 * text. */
static void check_substitution(const char *text, const char *a, const char *b, const int64_t *at)
{
    const Expr *e = parse_bound(text), *parts[] = { parse_bound(a), parse_bound(b) };
    Expr *made = substitute(text, a, b), *again = parse_bound(expr_text(made));
    expr_bind(made, NAMES(random_names, RANDOM_NAMES));
    int64_t slot[] = { 0, 0, at[2] }, want = 0, got = 0, read = 0;
    for (int i = 0; i < 2; i++)
        if (expr_int_at(parts[i], at, &slot[i]) != EXPR_OK)
            return;
    const ExprStatus s = expr_int_at(e, slot, &want);
    assert_int_equal(expr_int_at(made, at, &got), s);
    assert_int_equal(expr_int_at(again, at, &read), s);
    if (s == EXPR_OK && (got != want || read != want))
        fail_msg("%s with %s, %s: %s", text, a, b, expr_text(made));
}

TEST(random_substitutions)
{
    static const char *const leaf[] = { "a", "b", "c", "a", "b", "c", "1", "2", "7", "3000000000" };
    Rng r = { 3 };
    for (int i = 0; i < 3000; i++) {
        const char *text[3];
        for (int k = 0; k < 3; k++)
            text[k] = random_text(&r, k == 0 ? 4 : 2, leaf, LENGTH(leaf));
        const int64_t at[] = { rng_below(&r, 9) - 4, rng_below(&r, 9) - 4, rng_below(&r, 9) - 4 };
        check_substitution(text[0], text[1], text[2], at);
    }
}

/* ---- what numbers decide ---- */

static bool is_true(const Expr *e)
{
    int64_t value;
    return expr_is_number(e, &value) && value;
}

TEST(folds)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "2 * 3 + a", "6 + a" },
        { "0 * a + 2 * 3", "6" },
        { "1 * a * 1 + 0 + (b - 0)", "a + b" },
        { "0 - a", "0 - a" },
        { "a * (b - b * 1)", "a*(b - b)" },
        { "(2 > 1) * a * (3 > 5)", "0" },
        { "1 + (1 - 1) * (a <= 4096)", "1" },
        { "(1 && a) + (1 && a > 2)", "(1 && a) + (a > 2)" },
        { "max(0 * a, 7)", "7" },
        { "ceil_div(a * 1, 8 * 8)", "ceil_div(a, 64)" },
        { "-(0 * a)", "0" },
        { "7 / 2", "3" },
        { "0.5 * 1", "0.5" },
        { "a / 0", "a / 0" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const Expr *made = expr_fold(arena, parse_bound(cases[i].text));
        if (strcmp(expr_text(made), expr_text(parse_bound(cases[i].want))) != 0)
            fail_msg("%s: %s", cases[i].text, expr_text(made));
        assert_int_equal(expr_names(made) != NULL, strpbrk(cases[i].want, "ab") && !strstr(cases[i].want, "max"));
    }
    assert_null(expr_fold(arena, NULL));
}

static bool is_b(void *ctx, const char *name) { return (void)ctx, strcmp(name, "b") == 0; }

TEST(operators_over_names)
{
    assert_true(expr_applies(parse_bound("a + max(b / 2, 1)"), "/", is_b, NULL));
    assert_true(expr_applies(parse_bound("a + max(2 / (1 + b), 1)"), "/", is_b, NULL));
    assert_true(expr_applies(parse_bound("a + max(b / 2, 1)"), "max", is_b, NULL));
    assert_false(expr_applies(parse_bound("b + max(a / 2, 1)"), "/", is_b, NULL));
    assert_false(expr_applies(parse_bound("a + max(b * 2, 1)"), "/", is_b, NULL));
}

/* Numbers decide what they can; of what they leave nothing is worked out. What decides "&&" or "||" from the right
 * stays, as the left may have no value; what does not goes. */
TEST(conditions)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "(2 == 0 || a == 2) && 1", "a == 2" },
        { "(0 == 0 || a == 2) && b", "b" },
        { "a && 3", "a" },
        { "3 && a", "a" },
        { "a && 0", "a && 0" },
        { "0 && a", "0" },
        { "a || 0", "a" },
        { "0 || a", "a" },
        { "a || -7", "a || 1" },
        { "-7 || a", "1" },
        { "a && (b || 2)", "a && (b || 1)" },
        { "(a || 0) && (1 < 0 || b)", "a && b" },
        { "a || (b && (c || 1))", "a || (b && (c || 1))" },
        { "a || ((1 || b) && 0)", "a" },
        { "(a || b) && (c || !1)", "(a || b) && c" },
        { "2 + 3", "1" },
        { "2 - 2", "0" },
        { "!(1 == 2)", "1" },
        { "max(1, ceil_div(7, 2)) == 4 && a", "a" },
        { "7", "1" },
        { "a", "a" },
        { "a == 2 + 3", "a == 5" },
        { "!(a && 1)", "!(a && 1)" },
        { "a && a", "a && a" },
        { "a < 1 && 0.5 < 1", "a < 1 && 0.5 < 1" },
        { "1 / 0", "1 / 0" },
        { "a && 1 % 0", "a && 1 % 0" },
        { "a || 9223372036854775807 + 1", "a || 9223372036854775807 + 1" },
        { "0 && 1 / 0", "0" },
        { "1 || 1 / 0", "1" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const Expr *e = parse_bound(cases[i].text), *made = expr_condition(arena, e);
        if (strcmp(expr_text(made), cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].text, expr_text(made));
        assert_int_equal(is_true(e), strcmp(cases[i].want, "1") == 0);
        assert_int_equal(is_true(made), is_true(e));
        assert_int_equal(expr_names(made) != NULL, strpbrk(cases[i].want, "abc") != NULL);
    }
}

/* Names that are left stand where they stood, each by itself, and are not bound. */
TEST(names_of_conditions)
{
    Source src = { .path = "e", .text = "", .len = 0 };
    Expr *made = expr_condition(
        arena, expr_parse(arena, "(0 && x) || y < z && (1 || x) && y", (Loc){ &src, 3, 5, 1 }, diag_new(arena)));
    static const char *const want[] = { "y", "z", "y" };
    size_t n = 0;
    assert_string_equal(expr_text(made), "y < z && y");
    for (const ExprName *name = expr_names(made); name; name = name->next, n++) {
        assert_in_range(n, 0, LENGTH(want) - 1);
        assert_string_equal(name->name, want[n]);
        assert_int_equal(name->at.line, 3);
        assert_int_equal(name->slot, -1);
    }
    assert_int_equal(n, LENGTH(want));
    assert_int_equal(expr_loc(made).line, 3);
}

/* Wherever the expression has a value, its condition is true or false as that is; and so it is where it is read
 * again. */
static void check_condition(const char *text, Rng *r)
{
    const Expr *e = parse_bound(text);
    Expr *made = expr_condition(arena, e), *again = parse_bound(expr_text(made)), *fold = expr_fold(arena, e);
    expr_bind(made, NAMES(random_names, RANDOM_NAMES));
    expr_bind(fold, NAMES(random_names, RANDOM_NAMES));
    for (int i = 0; i < 20; i++) {
        const int64_t at[] = { rng_below(r, 7) - 3, rng_below(r, 7) - 3, rng_below(r, 7) - 3 };
        int64_t want, got = 0, read = 0, same = 0;
        if (expr_int_at(e, at, &want) != EXPR_OK)
            continue;
        if (expr_int_at(fold, at, &same) != EXPR_OK || same != want)
            fail_msg("%s at %d %d %d: %s", text, (int)at[0], (int)at[1], (int)at[2], expr_text(fold));
        assert_int_equal(expr_int_at(made, at, &got), EXPR_OK);
        assert_int_equal(expr_int_at(again, at, &read), EXPR_OK);
        if ((got != 0) != (want != 0) || (read != 0) != (want != 0) || (is_true(e) && !want))
            fail_msg("%s at %d %d %d: %s", text, (int)at[0], (int)at[1], (int)at[2], expr_text(made));
    }
}

TEST(random_conditions)
{
    static const char *const leaf[] = { "a", "b", "c", "0", "1", "2", "7" };
    Rng r = { 5 };
    int nshorter = 0;
    for (int i = 0; i < 3000; i++) {
        const char *text = arena_printf(arena, "((%s) %s (%s)) %s (%s)", random_text(&r, 3, leaf, LENGTH(leaf)),
                                        rng_below(&r, 2) ? "&&" : "||", random_text(&r, 3, leaf, LENGTH(leaf)),
                                        rng_below(&r, 2) ? "&&" : "||", random_text(&r, 3, leaf, LENGTH(leaf)));
        check_condition(text, &r);
        const Expr *made = expr_condition(arena, parse_bound(text));
        nshorter += expr_names(made) && !expr_uses(made, "a") && strchr(text, 'a');
    }
    assert_true(nshorter > 50);
}

/* ---- bounds ---- */

#define BIG INT64_C(2147483647)

TEST(ranges)
{
    static const struct {
        const char *text;
        int64_t lo[3], hi[3]; /* of a, b, c */
        ExprStatus status;
        int64_t min, max;
    } cases[] = {
        { "7", { 0 }, { 0 }, EXPR_OK, 7, 7 },
        { "(a + 2*b - c) / 2 + 1", { 0, 0, 1 }, { BIG, 64, 11 }, EXPR_OK, -4, (BIG + 127) / 2 + 1 },
        { "(a - 3*(b - 1) - 1) / c + 1", { 0, 0, 1 }, { BIG, BIG, 8 }, EXPR_OK, -3 * (BIG - 1), BIG + 3 },
        { "a*b", { 0, 0, 0 }, { BIG, BIG, BIG }, EXPR_OK, 0, BIG * BIG },
        { "a*b*c", { 0, 0, 0 }, { BIG, BIG, BIG }, EXPR_OVERFLOW, 0, 0 },
        { "a*b*c*0", { 0, 0, 0 }, { BIG, BIG, BIG }, EXPR_OVERFLOW, 0, 0 },
        { "a*b", { -3, -5 }, { 2, 4 }, EXPR_OK, -12, 15 },
        { "-a", { -3 }, { 2 }, EXPR_OK, -2, 3 },
        { "-a", { INT64_MIN }, { 2 }, EXPR_OVERFLOW, 0, 0 },
        { "a / b", { -7, 2 }, { 9, 3 }, EXPR_OK, -3, 4 },
        { "a / b", { 7, -3 }, { 9, -2 }, EXPR_OK, -4, -2 },
        { "a / b", { 1, 0 }, { 9, 3 }, EXPR_DIV_BY_ZERO, 0, 0 },
        { "a / b", { 1, -1 }, { 9, 3 }, EXPR_DIV_BY_ZERO, 0, 0 },
        { "a / b", { INT64_MIN, -2 }, { 0, -1 }, EXPR_OVERFLOW, 0, 0 },
        { "a % b", { INT64_MIN, -2 }, { 0, -1 }, EXPR_OVERFLOW, 0, 0 },
        { "a % b", { INT64_MIN, -3 }, { 5, -2 }, EXPR_OK, -2, 2 },
        { "a % b", { 0, 5 }, { 3, 7 }, EXPR_OK, 0, 3 },
        { "a % b", { 0, INT64_MIN }, { INT64_MAX, -1 }, EXPR_OK, 0, INT64_MAX },
        { "1 / (7 % 4)", { 0 }, { 0 }, EXPR_OK, 0, 0 },
        { "ceil_div(a, b)", { -7, 2 }, { 9, 4 }, EXPR_OK, -3, 5 },
        { "ceil_to(a, b)", { 0, 8 }, { 100, 16 }, EXPR_OK, 0, 115 },
        { "ceil_to(a, b)", { 0, -16 }, { 100, -8 }, EXPR_OK, -15, 100 },
        { "ceil_to(a, b)", { 0, 1 }, { INT64_MAX, 2 }, EXPR_OVERFLOW, 0, 0 },
        { "ceil_to(13, 8)", { 0 }, { 0 }, EXPR_OK, 16, 16 },
        { "min(a, b)", { 1, 3 }, { 9, 5 }, EXPR_OK, 1, 5 },
        { "max(a, b)", { 1, 3 }, { 9, 5 }, EXPR_OK, 3, 9 },
        { "a < b", { 1, 3 }, { 2, 5 }, EXPR_OK, 1, 1 },
        { "a <= b", { 1, 3 }, { 3, 5 }, EXPR_OK, 1, 1 },
        { "a < b", { 1, 3 }, { 3, 5 }, EXPR_OK, 0, 1 },
        { "a > b", { 1, 3 }, { 3, 5 }, EXPR_OK, 0, 0 },
        { "a == b", { 1, 4 }, { 3, 5 }, EXPR_OK, 0, 0 },
        { "a != b", { 1, 4 }, { 3, 5 }, EXPR_OK, 1, 1 },
        { "!a", { 1 }, { 2 }, EXPR_OK, 0, 0 },
        { "!a", { -1 }, { 2 }, EXPR_OK, 0, 1 },
        { "a && b", { 1, 1 }, { 2, 2 }, EXPR_OK, 1, 1 },
        { "a && b", { 1, 0 }, { 2, 2 }, EXPR_OK, 0, 1 },
        { "a || b", { 0, 0 }, { 2, 2 }, EXPR_OK, 0, 1 },
        { "a && 1 / b", { 0, 0 }, { 0, 2 }, EXPR_OK, 0, 0 },
        { "a || 1 / b", { 1, 0 }, { 2, 2 }, EXPR_OK, 1, 1 },
        { "a && 1 / b", { 0, 0 }, { 1, 2 }, EXPR_DIV_BY_ZERO, 0, 0 },
        { "a + 0.5", { 0 }, { 0 }, EXPR_NOT_INTEGER, 0, 0 },
        { "log2(a)", { 1 }, { 1 }, EXPR_NOT_INTEGER, 0, 0 },
        { "a + nobody", { 1 }, { 1 }, EXPR_UNKNOWN_NAME, 0, 0 },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t min = 0, max = 0;
        const ExprStatus s = expr_bounds(parse_bound(cases[i].text), cases[i].lo, cases[i].hi, &min, &max);
        if (s != cases[i].status || min != cases[i].min || max != cases[i].max)
            fail_msg("%s: %s, %" PRId64 "..%" PRId64, cases[i].text, expr_status_text(s), min, max);
    }
}

/* Every value in a box of values, or what stands in its way. */
static void check_box(const char *text, const int64_t *lo, const int64_t *hi)
{
    const Expr *e = parse_bound(text);
    int64_t min, max, slot[RANDOM_NAMES], value;
    const ExprStatus bounds = expr_bounds(e, lo, hi, &min, &max);
    for (slot[0] = lo[0]; bounds == EXPR_OK; slot[0]++) {
        for (slot[1] = lo[1]; slot[1] <= hi[1]; slot[1]++)
            for (slot[2] = lo[2]; slot[2] <= hi[2]; slot[2]++) {
                const ExprStatus s = expr_int_at(e, slot, &value);
                if (s != EXPR_OK || value < min || value > max)
                    fail_msg("%s at %" PRId64 " %" PRId64 " %" PRId64 ": %s", text, slot[0], slot[1], slot[2],
                             expr_status_text(s));
            }
        if (slot[0] == hi[0])
            break;
    }
}

TEST(random_boxes)
{
    static const char *const leaf[] = { "a", "b", "c", "a", "b", "c", "1", "2", "5", "9223372036854775800" };
    Rng r = { 1 };
    for (int i = 0; i < 3000; i++) {
        int64_t lo[RANDOM_NAMES], hi[RANDOM_NAMES];
        for (int k = 0; k < RANDOM_NAMES; k++) {
            lo[k] = rng_below(&r, 4) ? rng_below(&r, 12) - 6 : INT64_MAX - 20 + rng_below(&r, 10);
            hi[k] = lo[k] + rng_below(&r, 6);
        }
        check_box(random_text(&r, 3, leaf, LENGTH(leaf)), lo, hi);
    }
}

/* ---- C ---- */

TEST(text_of_c)
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

TEST(factors)
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

TEST(calls)
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
TEST(compiled)
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
