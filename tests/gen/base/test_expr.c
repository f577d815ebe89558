/* SPDX-License-Identifier: Apache-2.0
 *
 * expr: precedence, every operator's overflow, short circuit, places of errors, hostile texts.
 */
#include "tests/test.h"
#include <inttypes.h>
#include <math.h>
#include "gen/base/expr.h"
#include "tests/arena.h"
#include "tests/gen/pairs.h"

#define MAX "9223372036854775807"
#define MIN "(-9223372036854775807 - 1)"

static int nlookup;

static bool lookup(void *ctx, const char *name, int64_t *value)
{
    nlookup++;
    static const struct {
        const char *name;
        int64_t value;
    } names[] = {
        { "T", 5 }, { "zero", 0 }, { "big", INT64_MAX }, { "small", INT64_MIN }, { "min", 7 },
    };
    for (size_t i = 0; i < LENGTH(names); i++)
        if (strcmp(name, names[i].name) == 0) {
            *value = names[i].value;
            return true;
        }
    return false;
}

static Expr *parse(const char *text)
{
    Diag *d = diag_new(arena);
    Expr *e = expr_parse(arena, text, (Loc){ 0 }, d);
    if (!e)
        diag_print(d, stderr);
    assert_non_null(e);
    assert_int_equal(diag_nerror(d), 0);
    return e;
}

/* As a real number; of the same names as lookup knows. */
static ExprStatus real_of(const char *text, double *value)
{
    Expr *e = parse(text);
    const char *name[8];
    int64_t slot[8] = { 0 };
    size_t n = 0;
    for (const ExprName *use = expr_names(e); use && n < 8; use = use->next)
        if (lookup(NULL, use->name, &slot[n]))
            name[n++] = use->name;
    expr_bind(e, NAMES(name, n));
    return expr_real_at(e, slot, value);
}

/* "EXPRESSION -> VALUE; ...": as integers, or as reals; or what stands in its way. */
static void check(const char *cases, bool real)
{
    static const char *const status[] = {
        [EXPR_OVERFLOW] = "overflow",      [EXPR_DIV_BY_ZERO] = "by zero",   [EXPR_UNKNOWN_NAME] = "unknown",
        [EXPR_NOT_INTEGER] = "no integer", [EXPR_NOT_FINITE] = "not finite", [EXPR_OK] = NULL
    };
    for (Pairs p = { .rest = cases }; pairs_next(arena, &p);) {
        int64_t whole = -99;
        double v = -99;
        const ExprStatus s = real ? real_of(p.text, &v) : expr_int(parse(p.text), lookup, NULL, &whole);
        const char *got = s != EXPR_OK ? status[s]
                          : real       ? arena_printf(arena, "%.17g", v)
                                       : arena_printf(arena, "%" PRId64, whole);
        if (strcmp(got, p.value) != 0)
            fail_msg("%s: %s, not %s", p.text, got, p.value);
    }
}

TEST(test_integers)
{
    check("1+2*3 -> 7; (1+2)*3 -> 9; 2*3+1 -> 7; 10-3-2 -> 5; 100/10/2 -> 5; 100/10*2 -> 20; 7%4*2 -> 6; "
          "-2*3 -> -6; 2*-3 -> -6; -T+1 -> -4; !0+1 -> 2; !T -> 0; 1+1==2 -> 1; 1 < 2 && 2 < 1 -> 0; "
          "1 || 0 && 0 -> 1; (1 || 0) && 0 -> 0; 3 >= 3 -> 1; 3 > 3 -> 0; 3 <= 2 -> 0; 3 != 2 -> 1; "
          "2 && 3 -> 1; 0 || 7 -> 1; 16*T -> 80;   16 * T   -> 80; min(3, max(4, 2)) -> 3; min + 1 -> 8; "
          "ceil_div(7,2) -> 4; ceil_div(8,2) -> 4; ceil_div(-7,2) -> -3; ceil_div(7,-2) -> -3; "
          "ceil_div(-7,-2) -> 4; ceil_to(13,8) -> 16; ceil_to(16,8) -> 16; ceil_to(0,8) -> 0; -7/2 -> -3; "
          "-7%2 -> -1; 7%-2 -> 1; 16\n*\tT -> 80; 9223372036854775807 -> 9223372036854775807; "
          "(-9223372036854775807 - 1) -> -9223372036854775808; "
          "1 < 2 && 2 < 3 && T == 5 && !(T < 5) && T-1 >= 4 && T+1 != 5 -> 1",
          0);
    check("9223372036854775807 + 1 -> overflow; (-9223372036854775807 - 1) - 1 -> overflow; "
          "big * 2 -> overflow; small * -1 -> overflow; -small -> overflow; small / -1 -> overflow; "
          "small % -1 -> 0; small / 7 -> -1317624576693539401; ceil_div(small, -1) -> overflow; "
          "ceil_to(big, 2) -> overflow; ceil_to(big, big) -> 9223372036854775807; "
          "ceil_to(small, -1) -> overflow; big + zero -> 9223372036854775807; small + big -> -1; "
          "-big -> -9223372036854775807; big / 0 -> by zero; T % zero -> by zero; "
          "ceil_div(T, zero) -> by zero; ceil_to(T, zero) -> by zero; 1 + (big * big) * 0 -> overflow; "
          "nobody -> unknown; 1 + nobody -> unknown; log2(8) -> no integer; sqrt(4) -> no integer; "
          "exp2(2) -> no integer; 0.5 + 1 -> no integer; max(small, big) -> 9223372036854775807; "
          "min(small, big) -> -9223372036854775808",
          0);
}

TEST(test_short_circuit)
{
    check("zero && 1/zero -> 0; 1 || 1/zero -> 1; 1 && 1/zero -> by zero; 0 || 1/zero -> by zero; "
          "zero != 0 && T % zero == 0 -> 0; 1 || nobody -> 1; 0 && nobody || T == 5 -> 1",
          0);
    int64_t value;
    nlookup = 0;
    assert_int_equal(expr_int(parse("0 && T && T"), lookup, NULL, &value), EXPR_OK);
    assert_int_equal(nlookup, 0);
}

TEST(test_real)
{
    check("7/2 -> 3.5; 7%4 -> 3; ceil_div(7,2) -> 4; ceil_to(13,8) -> 16; log2(8) -> 3; sqrt(9) -> 3; "
          "exp2(3) -> 8; 0.5*T -> 2.5; 1e-3*1000 -> 1; .5+.25 -> 0.75; 2.5e+1 -> 25; 1E3 -> 1000; "
          "T > 4.5 -> 1; -T -> -5; !T -> 0; min(T, 2.5) -> 2.5; max(T, 2.5) -> 5; big*big -> "
          "8.5070591730234616e+37; "
          "1/0 -> by zero; 1%zero -> by zero; ceil_div(T, zero) -> by zero; ceil_to(T, zero) -> by zero; "
          "log2(0) -> not finite; sqrt(-1) -> not finite; exp2(1024) -> not finite; "
          "1e300*1e300 -> not finite; nobody*2 -> unknown; 1 || 1/zero -> 1",
          1);
}

TEST(test_no_lookup)
{
    int64_t value;
    assert_int_equal(expr_int(parse("T"), NULL, NULL, &value), EXPR_UNKNOWN_NAME);
    assert_string_equal(expr_text(parse("  16 \n  * T ")), "16 * T");
}

/* Each bad text, the column (from 1) of its error and a part of the message. */
TEST(test_errors)
{
    static const struct {
        const char *text;
        int col, width;
        const char *part;
    } cases[] = {
        { "", 1, 1, "empty expression" },
        { "   ", 1, 1, "empty expression" },
        { "16*", 4, 1, "found the end" },
        { "16 T", 4, 1, "expected an operator, found 'T'" },
        { "16T", 1, 3, "written 16*T" },
        { "(1+2", 1, 1, "not closed" },
        { "1+2)", 4, 1, "found ')'" },
        { "mni(1,2)", 1, 3, "did you mean 'min'?" },
        { "frobnicate(1)", 1, 10, "there are min" },
        { "min(1)", 6, 1, "expected ',', found ')'; min takes 2 values" },
        { "min(1,2,3)", 8, 1, "expected ')'" },
        { "1 < 2 < 3", 7, 1, "do not chain" },
        { "1 == 2 != 3", 8, 2, "do not chain" },
        { "--1", 2, 1, "expected a number" },
        { "1 = 2", 3, 1, "expected an operator, found '='" },
        { "9223372036854775808", 1, 19, "does not fit 64 bits" },
        { "1e999", 1, 5, "does not fit" },
        { "T & 1", 3, 1, "found '&'" },
        { "T ^ 2", 3, 1, "found '^'" },
        { "\xff", 1, 1, "expected a number" },
        { "1 +\n  $", 3, 1, "found '$'" },
        { "0x10", 1, 4, "malformed number '0x10'" },
    };
    Source src = { .path = "e", .text = "irrelevant", .len = 10 };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        Diag *d = diag_new(arena);
        char out[512] = { 0 };
        FILE *f = fmemopen(out, sizeof out - 1, "w");
        assert_null(expr_parse(arena, cases[i].text, (Loc){ &src, 1, 1, 1 }, d));
        diag_print(d, f);
        fclose(f);
        assert_int_equal(diag_nerror(d), 1);
        int line, col;
        assert_int_equal(sscanf(out, "e:%d:%d:", &line, &col), 2);
        if (col != cases[i].col || !strstr(out, cases[i].part))
            print_error("%s gave %s\n", cases[i].text, out);
        assert_int_equal(col, cases[i].col);
        assert_int_equal(line, strchr(cases[i].text, '\n') ? 2 : 1);
        assert_has(out, cases[i].part);
    }
}

typedef struct {
    int n;
    char text[128];
} Visit;

static Visit visit(const Expr *e)
{
    Visit v = { 0 };
    for (const ExprName *n = expr_names(e); n; n = n->next, v.n++) {
        size_t used = strlen(v.text);
        snprintf(v.text + used, sizeof v.text - used, "%s@%d:%d+%d ", n->name, n->at.line, n->at.col, n->at.width);
    }
    return v;
}

TEST(test_names)
{
    Source src = { .path = "e", .text = "", .len = 0 };
    Expr *e = expr_parse(arena, "min(T, S) +\n  T*3", (Loc){ &src, 4, 10, 1 }, diag_new(arena));
    Visit v = visit(e);
    assert_true(expr_uses(e, "S"));
    assert_false(expr_uses(e, "min"));
    assert_int_equal(v.n, 3);
    assert_string_equal(v.text, "T@4:14+1 S@4:17+1 T@5:3+1 ");
    Loc at = expr_loc(e);
    assert_int_equal(at.line, 4);
    assert_int_equal(at.col, 10);
    assert_int_equal(at.width, (int)strlen("min(T, S) +"));
    at = expr_loc(expr_parse(arena, " T \n ", (Loc){ &src, 1, 1, 1 }, diag_new(arena)));
    assert_int_equal(at.col * 10 + at.width, 21);
    v = visit(expr_parse(arena, " A_1  * Z - _z", (Loc){ &src, 1, 1, 1 }, diag_new(arena)));
    assert_string_equal(v.text, "A_1@1:2+3 Z@1:9+1 _z@1:13+2 ");
}

static char *repeat(const char *s, size_t n)
{
    size_t len = strlen(s);
    char *out = calloc(n * len + 2, 1);
    assert_non_null(out);
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * len, s, len);
    return out;
}

/* Hostile texts must end in an error: nesting, chains to the left and to the right, endless names. */
TEST(test_bombs)
{
    static const char *const bombs[] = { "(", "1+", "-(", "min(", "min(1,", "1||", "1<(", "!(", "a&&", "1*(2+" };
    for (size_t i = 0; i < LENGTH(bombs); i++) {
        char *text = repeat(bombs[i], 100000);
        text[strlen(text)] = '1';
        Diag *d = diag_new(arena);
        assert_null(expr_parse(arena, text, (Loc){ 0 }, d));
        assert_int_equal(diag_nerror(d), 1);
        free(text);
    }
    char *chain = repeat("1+", 150);
    chain[strlen(chain)] = '1';
    int64_t value;
    assert_int_equal(expr_int(parse(chain), NULL, NULL, &value), EXPR_OK);
    assert_int_equal(value, 151);
    free(chain);
    for (int n = 198; n <= 202; n++) { /* deeper than that evaluation would go */
        char *sum = repeat("1+", (size_t)n);
        sum[strlen(sum)] = '1';
        Diag *d = diag_new(arena);
        const Expr *e = expr_parse(arena, sum, (Loc){ 0 }, d);
        assert_int_equal(e != NULL, n < 200);
        assert_int_equal(diag_nerror(d), n < 200 ? 0 : 1);
        free(sum);
    }
}

/* ---- every operator ---- */

enum { NPAIR_OP = 17 };

/* What each operator gives, in words of C; false: it divides by 0. */
static bool want_of(int op, int64_t a, int64_t b, int64_t *i, double *r)
{
    const int64_t up = b ? (int64_t)ceil((double)a / (double)b) : 0;
    const int64_t want[NPAIR_OP] = {
        a + b,  a - b,  a * b,  b ? a / b : 0, b ? a % b : 0, a <= b,        a<b, a >= b, a> b,
        a == b, a != b, a && b, a || b,        a < b ? a : b, a > b ? a : b, up,
        up * b
    };
    *i = want[op];
    *r = op == 3 && b ? (double)a / (double)b : (double)want[op];
    return b != 0 || (op != 3 && op != 4 && op < 15);
}

static const int64_t *pair; /* a, b */

static bool pair_lookup(void *ctx, const char *name, int64_t *value)
{
    *value = pair[*name == 'b'];
    return true;
}

/* On whole numbers around 0, as integers and as reals, by name and by slot. */
TEST(test_every_operator)
{
    static const char *const text[NPAIR_OP] = { "a + b",          "a - b",        "a * b",  "a / b",     "a % b",
                                                "a <= b",         "a < b",        "a >= b", "a > b",     "a == b",
                                                "a != b",         "a && b",       "a || b", "min(a, b)", "max(a, b)",
                                                "ceil_div(a, b)", "ceil_to(a, b)" };
    static const char *const names[] = { "unused", "a", "b", "a" }; /* the first of two of a name counts */
    for (int op = 0; op < NPAIR_OP; op++) {
        const Expr *by_name = parse(text[op]);
        Expr *by_slot = parse(text[op]);
        expr_bind(by_slot, NAMES(names, LENGTH(names)));
        for (int64_t a = -3; a <= 3; a++)
            for (int64_t b = -3; b <= 3; b++) {
                const int64_t values[] = { a, b }, slots[] = { 77, a, b, 78 };
                int64_t want_int, i[2] = { 99, 99 };
                double want_real, r = 99;
                pair = values;
                const bool ok = want_of(op, a, b, &want_int, &want_real);
                const ExprStatus s[] = { expr_int(by_name, pair_lookup, NULL, &i[0]),
                                         expr_int_at(by_slot, slots, &i[1]), expr_real_at(by_slot, slots, &r) };
                for (size_t k = 0; k < LENGTH(s); k++)
                    assert_int_equal(s[k], ok ? EXPR_OK : EXPR_DIV_BY_ZERO);
                for (int k = 0; ok && k < 2; k++)
                    if (i[k] != want_int || r != want_real)
                        fail_msg("%s with %d and %d: %d and %g", text[op], (int)a, (int)b, (int)i[k], r);
            }
    }
}

TEST(test_unary)
{
    static const char *const names[] = { "a" };
    Expr *minus = parse("-a"), *not = parse("!a"), *sum = parse("a + b");
    expr_bind(minus, NAMES(names, 1));
    expr_bind(not, NAMES(names, 1));
    expr_bind(sum, NAMES(names, 1));
    for (int64_t a = -2; a <= 2; a++) {
        int64_t i;
        double r;
        assert_int_equal(expr_int_at(minus, &a, &i), EXPR_OK);
        assert_int_equal(i, -a);
        assert_int_equal(expr_real_at(minus, &a, &r), EXPR_OK);
        assert_true(r == (double)-a);
        assert_int_equal(expr_int_at(not, &a, &i), EXPR_OK);
        assert_int_equal(i, a == 0);
        assert_int_equal(expr_real_at(not, &a, &r), EXPR_OK);
        assert_true(r == (a == 0));
        assert_int_equal(expr_int_at(sum, &a, &i), EXPR_UNKNOWN_NAME); /* b has no slot */
        assert_int_equal(expr_real_at(sum, &a, &r), EXPR_UNKNOWN_NAME);
    }
}

TEST_FILE(setup, teardown)
