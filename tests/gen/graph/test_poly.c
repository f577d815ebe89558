/* SPDX-License-Identifier: Apache-2.0
 *
 * poly: equal sizes have one form, whatever they are written as, and the same value; what must be equal is known from
 * then on, and what cannot be is told.
 */
#include "tests/test.h"
#include <inttypes.h>
#include "gen/graph/poly.h"
#include "tests/arena.h"

static Polys *polys;

static void make_dims(void)
{
    polys = polys_new(arena);
    polys_dim(polys, "B", 1, 16);
    polys_dim(polys, "T", 1, 512);
    polys_dim(polys, "S", 1, 512);
    polys_dim(polys, "P", 0, 1024);
}

static const Poly *size(const char *text)
{
    Diag *d = diag_new(arena);
    Expr *e = expr_parse(arena, text, (Loc){ 0 }, d);
    assert_non_null(e);
    return poly_of(polys, e);
}

static const char *text_of(const char *text)
{
    const Poly *x = size(text);
    return x ? poly_text(arena, polys, x) : "none";
}

TEST(equal_sizes_have_one_form)
{
    make_dims();
    static const char *const pair[][2] = {
        { "(B*T)*768 - T*(768*B)", "0" },
        { "T*(768*B)", "768*B*T" },
        { "(P + T) * B - P*B", "B*T" },
        { "B*T*768 / (T*12)", "64*B" },
        { "(16*T + 12) / 16", "T" },
        { "(16*T + 18) / 16", "T + 1" },
        { "(2*T + P + 1) / 2", "T + (P + 1) / 2" },
        { "(T - 1) / 2 + 1", "(T + 1) / 2" },
        { "((T + 1) / 2 + 1) / 2", "(T + 3) / 4" },
        { "T / 3 / 5", "T / 15" },
        { "T / 300 / 9223372036854775807", "0" },
        { "(2*T - 1) / 2", "T - 1" },
        { "(3*T + 5) / 2 * 2 + (T + 1) % 2", "3*T + 5" },
        { "(P - 1) / 2", "(P - 1) / 2" },
        { "ceil_div(T, 8) - (T + 7) / 8", "0" },
        { "ceil_to(T, 8)", "8*((T + 7) / 8)" },
        { "T % 8", "T - 8*(T / 8)" },
        { "8*T % 4", "0" },
        { "min(T, 600)", "T" },
        { "max(T, 0)", "T" },
        { "min(T, S) - min(T, S)", "0" },
        { "max(T + 3, 100) * 2", "2*max(T + 3, 100)" },
        { "T <= 512", "1" },
        { "1 + (T == 128)", "(T == 128) + 1" },
        { "-T", "-T" },
        { "!T", "0" },
        { "Q", "none" },
        { "T / 0", "none" },
        { "9223372036854775807 * 2", "none" },
        { "sqrt(T)", "none" },
        { "4611686018427387904 * T * 2", "none" },
    };
    for (size_t i = 0; i < LENGTH(pair); i++)
        assert_string_equal(text_of(pair[i][0]), pair[i][1]);
}

/* The normal form has the value of the expression, which expr_int_at gives, wherever that gives one. */
TEST(the_form_has_the_value_of_the_expression)
{
    make_dims();
    static const char *const text[] = { "(T*B + P*3) / (B + 1) % 7",
                                        "ceil_to(T + P, 16) / 8 - min(T, P)",
                                        "(T - P) / 3",
                                        "(T*2 - P) % 5 + max(P - T, B)",
                                        "(P + 2*1 - 2*(3 - 1) - 1) / 2",
                                        "(T - 4) * (P - 2) * (B - 1)",
                                        "(-4*T + 3) / 4",
                                        "(T < P) + (T == S)*T",
                                        "ceil_div(2*B - 3*P + 2, 6) + ceil_to(T - P, 5)",
                                        "4 - T + 4*(T / 4)",
                                        "7*((T + P + 6) / 7) - T - P",
                                        "2*T - 6*((T + 3) / 3) + S",
                                        "3*((T + P + 1) / 2) - 9*((T + P + 5) / 6) + T - 2*(T / 2)",
                                        "T / 2 - 2*(T / 4) - (T / 3) + 2*((T + 3) / 6)",
                                        "3*(T / 3) - T + 5*((T + 1) / 5) - T" };
    static const char *const name[] = { "B", "T", "S", "P" };
    for (size_t i = 0; i < LENGTH(text); i++) {
        Expr *e = expr_parse(arena, text[i], (Loc){ 0 }, diag_new(arena));
        const Poly *x = poly_of(polys, e);
        int64_t least, most;
        expr_bind(e, NAMES(name, 4));
        poly_range(polys, x, &least, &most);
        for (int64_t t = 1; t < 40; t++) {
            const int64_t dim[] = { 1 + t % 5, t, 1 + t * 7 % 64, t * 5 % 23 };
            int64_t want, value;
            assert_int_equal(expr_int_at(e, dim, &want), EXPR_OK);
            assert_true(poly_at(polys, x, dim, &value));
            assert_int_equal(value, want);
            assert_true(least <= value && value <= most);
        }
    }
}

TEST(what_is_missing_to_a_multiple)
{
    static const struct {
        const char *text;
        int64_t least, most;
    } row[] = { { "4 - T + 4*(T / 4)", 1, 4 },         { "8*((T + P + 7) / 8) - T - P", 0, 7 },
                { "T - 16*(T / 16) + 100", 100, 115 }, { "2*T - 6*(T / 3)", 0, 4 },
                { "T / 2 - 2*(T / 4)", 0, 1 },         { "3*((T + P + 1) / 2) - 9*((T + P + 5) / 6) + 10", 4, 10 } };
    make_dims();
    for (size_t i = 0; i < LENGTH(row); i++) {
        int64_t least, most;
        poly_range(polys, size(row[i].text), &least, &most);
        assert_int_equal(least, row[i].least);
        assert_int_equal(most, row[i].most);
    }
}

TEST(what_is_added_and_what_is_taken_away)
{
    make_dims();
    assert_string_equal(poly_text(arena, polys, poly_side(polys, size("3*T - S - 1"), false)), "3*T");
    assert_string_equal(poly_text(arena, polys, poly_side(polys, size("3*T - S - 1"), true)), "S + 1");
    assert_true(poly_is(poly_side(polys, size("T"), true), 0));
}

TEST(what_must_be_equal_is_known_from_then_on)
{
    make_dims();
    const PolyCondition *all;
    assert_int_equal(poly_compare(polys, size("T"), size("S")), POLY_MAY_BE);
    assert_int_equal(poly_compare(polys, size("T"), size("T + 1")), POLY_NEVER);
    assert_int_equal(poly_compare(polys, size("B*T"), size("8193")), POLY_NEVER);
    assert_true(polys_require(polys, size("768*B*T"), size("768*B*S"), "a and b")); /* B and 768 are never 0 */
    assert_int_equal(polys_conditions(polys, &all), 1);
    assert_string_equal(poly_text(arena, polys, all[0].x), "S");
    assert_string_equal(poly_text(arena, polys, all[0].y), "T");
    assert_int_equal(poly_compare(polys, size("S*S + P"), size("T*S + P")), POLY_EQUAL);
    assert_true(polys_require(polys, size("S"), size("T"), "known"));
    assert_int_equal(polys_conditions(polys, &all), 1);
    assert_false(polys_require(polys, size("S"), size("T + 1"), "never"));
    assert_true(polys_require(polys, size("T"), size("T / 2 * 2"), "pairs"));
    assert_int_equal(polys_conditions(polys, &all), 2);
    assert_int_equal(poly_compare(polys, size("12*S*B"), size("24*B*(S / 2)")), POLY_EQUAL);
}

/* Whichever of its dims came first. */
TEST(offsets_into_rows_that_become_wider)
{
    static const char *const order[][2] = { { "T", "P" }, { "P", "T" } };
    static const char *const pair[][2] = {
        { "4*P", "4*P" },
        { "4*P + 3", "4*P + 3" },
        { "4*(P + T) - 4", "4*P + 4*T - 4" },
        { "4*(P + T)", "36" },
        { "12*(P + T) + 4*P", "4*P + 108" },
        { "4", "4" },
        { "8*P - 4*T", "none" },
    };
    for (int i = 0; i < 2; i++) {
        polys = polys_new(arena);
        for (int k = 0; k < 2; k++)
            polys_dim(polys, order[i][k], *order[i][k] == 'T', 8);
        for (size_t k = 0; k < LENGTH(pair); k++) {
            const Poly *x = poly_widened(polys, size(pair[k][0]), size("4*(P + T)"), size("36"));
            const bool is_none = strcmp(pair[k][1], "none") == 0;
            assert_true(is_none ? !x : x && poly_same(x, size(pair[k][1])));
        }
    }
}

TEST(places_are_below_their_sizes)
{
    make_dims();
    polys_place(polys, "b", size("B"));
    polys_place(polys, "t", size("T"));
    polys_place(polys, "n", size("768"));
    static const char *const pair[][2] = {
        { "t / T", "0" },
        { "(b*T + t) / T", "b" },
        { "(b*T + t) % T", "t" },
        { "(768*T*b + 768*t + n) / (768*T)", "b" },
        { "(768*T*b + 768*t + n) % (768*T) / 768", "t" },
        { "64*(n / 64) + n % 64", "n" },
        { "t < T", "1" },
        { "t >= T", "0" },
        { "min(t, T)", "t" },
        { "(t + 1) / T", "(t + 1) / T" },
        { "(P + t) / T", "(P + t) / T" },
    };
    for (size_t i = 0; i < LENGTH(pair); i++)
        assert_string_equal(text_of(pair[i][0]), pair[i][1]);
    const int place[] = { polys_find(polys, "b"), polys_find(polys, "t"), polys_find(polys, "n") };
    const Poly *by[3], *rest;
    assert_true(poly_linear(polys, size("768*(T*b + t) + n + 5*P"), place, 3, by, &rest));
    assert_string_equal(poly_text(arena, polys, by[0]), "768*T");
    assert_string_equal(poly_text(arena, polys, by[1]), "768");
    assert_string_equal(poly_text(arena, polys, by[2]), "1");
    assert_string_equal(poly_text(arena, polys, rest), "5*P");
    assert_false(poly_linear(polys, size("n / 64"), place, 3, by, &rest));
    assert_false(poly_linear(polys, size("b*t"), place, 3, by, &rest));
}

TEST(quotients_and_replaced_dims)
{
    make_dims();
    assert_string_equal(poly_text(arena, polys, poly_quotient(polys, size("B*T*64 + 128*T"), size("T*64"))), "B + 2");
    assert_null(poly_quotient(polys, size("B*T"), size("2")));
    assert_null(poly_quotient(polys, size("T + 1"), size("T")));
    assert_null(poly_quotient(polys, size("T"), size("0")));
    assert_string_equal(poly_text(arena, polys, poly_quotient(polys, size("T*T - S*S"), size("T + S"))), "T - S");
    assert_string_equal(poly_text(arena, polys, poly_substitute(polys, size("P*T + (P + 3) / 2"), 3, size("2*B + 1"))),
                        "2*B*T + B + T + 2");
}

TEST_EACH(setup, teardown)
