/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_bounds: every value lies within the bounds; what may overflow or divide by zero is never called well.
 */
#include "tests/test.h"
#include "tests/gen/base/random_expr.h"

#include <inttypes.h>

#define BIG INT64_C(2147483647)

TEST(test_ranges)
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

TEST(test_random)
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

TEST_FILE(setup, teardown)
