/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_make: expressions made of others have their values, names and text; what would be too long is NULL.
 */
#include "tests/test.h"
#include "tests/gen/base/random_expr.h"

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

TEST(test_text)
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

TEST(test_names)
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

TEST(test_too_long)
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

/* A substitution has the value of the expression where each name has the value of what takes its place, and so has its text. */
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

TEST(test_random)
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

TEST_FILE(setup, teardown)
