/* SPDX-License-Identifier: Apache-2.0
 *
 * number: what people read, at the places where a digit, a unit or a sign changes.
 */
#include "tests/test.h"
#include "gen/base/number.h"
#include "tests/arena.h"
#include "tests/gen/pairs.h"

/* "VALUE -> TEXT; ..." */
static void check(char *(*text)(Arena *a, double v), const char *cases)
{
    for (Pairs p = { .rest = cases }; pairs_next(arena, &p);)
        assert_string_equal(text(arena, strtod(p.text, NULL)), p.value);
}

/* The same of whole numbers. */
static void check_whole(char *(*text)(Arena *a, int64_t n), const char *cases)
{
    for (Pairs p = { .rest = cases }; pairs_next(arena, &p);)
        assert_string_equal(text(arena, strtoll(p.text, NULL, 10)), p.value);
}

static char *three(Arena *a, double v) { return number_sig(a, v, 3); }

/* Three digits that count, whatever rounding does to the first; all in front of the point. */
TEST(digits)
{
    check(three, "0 -> 0; 12.345 -> 12.3; -12.345 -> -12.3; 0.012345 -> 0.0123; 1236 -> 1236; 9.994 -> 9.99; "
                 "9.996 -> 10.0; 99.96 -> 100; 0.9996 -> 1.00; 0.0001 -> 0.000100; 0.00009 -> 9.00e-05; "
                 "1e14 -> 100000000000000; 1.2e15 -> 1.20e+15; nan -> -; inf -> -; -inf -> -");
    assert_string_equal(number_sig(arena, 12.345, 1), "12");
    assert_string_equal(number_sig(arena, 12.346, 4), "12.35");
}

TEST(times)
{
    check(number_time, "0 -> 0 ns; 0.5 -> 0.500 ns; 999.4 -> 999 ns; 999.6 -> 1.00 us; 1000 -> 1.00 us; "
                       "1500 -> 1.50 us; 999400 -> 999 us; 999600 -> 1.00 ms; 2.5e6 -> 2.50 ms; 9.996e8 -> 1.00 s; "
                       "3e9 -> 3.00 s; 4e12 -> 4000 s; inf -> -; nan -> -");
}

TEST(bytes)
{
    check_whole(number_bytes, "0 -> 0 bytes; 1023 -> 1023 bytes; 1024 -> 1.00 KiB; 1536 -> 1.50 KiB; "
                              "15360 -> 15.0 KiB; 1048575 -> 1.00 MiB; 3145728 -> 3.00 MiB; 1024000 -> 1000 KiB; "
                              "5368709120 -> 5.00 GiB");
}

TEST(parts)
{
    check(number_percent, "0.0123 -> 1.2 %; 0.0127 -> 1.3 %; 1 -> 100.0 %; -0.0001 -> 0.0 %; -0.012 -> -1.2 %; "
                          "0 -> 0.0 %; nan -> -; inf -> -");
    check(number_ratio, "1 -> 1.000; 1.0234 -> 1.023; 0.95 -> 0.950; 1.2 -> 1.20; 0.85 -> 0.850; 2.346 -> 2.35; "
                        "12.34 -> 12.3; inf -> -");
}

TEST(counts)
{
    check_whole(number_count, "0 -> 0; 999 -> 999; 1000 -> 1,000; -999 -> -999; -1000 -> -1,000; 12345 -> 12,345; "
                              "123456 -> 123,456; 1234567 -> 1,234,567; -123456 -> -123,456; "
                              "-9223372036854775808 -> -9,223,372,036,854,775,808");
    static const int64_t many[] = { 0, 2, 11, -1, (1LL << 32) + 1, INT64_MAX };
    for (size_t i = 0; i < LENGTH(many); i++)
        assert_string_equal(number_plural(many[i]), "s");
    assert_string_equal(number_plural(1), "");
}

TEST_FILE(setup, teardown)
