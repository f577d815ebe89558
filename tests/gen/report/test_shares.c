/* SPDX-License-Identifier: Apache-2.0
 *
 * shares: what keeps a kernel from the bound, and the names of levels.
 */
#include "tests/test.h"
#include <math.h>
#include "gen/report/shares.h"

static void assert_near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-9 * fabs(wanted)))
        fail_msg("%.12g is not %.12g", got, wanted);
}

TEST(levels_have_names)
{
    static const char *const name[] = { "the L1 cache", "the L2 cache", "the L3 cache", "memory", "nowhere" };
    for (int i = 0; i <= LEVEL_COUNT; i++)
        assert_string_equal(level_text((Level)i), name[i]);
}

static void assert_product(const Shares *s) { assert_near(s->padding * s->balance * s->kernel, s->reached); }

/* 100 us of arithmetic; memory takes less, or more. */
TEST(shares_multiply_up_to_what_is_reached)
{
    const Bound arithmetic = { .compute_ns = 1e5, .memory_ns = 1e4, .ns = 1e5 };
    const Bound memory = { .compute_ns = 1e5, .memory_ns = 2e5, .ns = 2e5 };
    const struct {
        const Bound *b;
        double ns, pad, occ, padding, balance, kernel;
        const char *limited_by;
    } row[] = {
        { &arithmetic, 1.05e5, 1, 1, 1, 1, 1 / 1.05, "arithmetic" },
        { &arithmetic, 4e5, 0.5, 0.8, 0.5, 0.8, 0.625, "padding" },
        { &arithmetic, 4e5, 0.8, 0.5, 0.8, 0.5, 0.625, "balance" },
        { &arithmetic, 4e5, 1, 1, 1, 1, 0.25, "kernel" },
        { &memory, 2.1e5, 0.6, 0.9, 1, 1, 2 / 2.1, "memory" },           /* hidden behind memory */
        { &memory, 4e5, 0.25, 1, 0.5, 1, 1, "padding" },                 /* 400 us of arithmetic are not */
        { &arithmetic, 1.6e5, 0.5, 0.5, 0.625, 1, 1, "padding" },        /* no part of it was more than there was */
        { &arithmetic, 1e5 * (1 - 1e-12), 1, 1, 1, 1, 1, "arithmetic" }, /* but for rounding */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const Shares s = shares_of(row[i].b, row[i].ns, row[i].pad, row[i].occ);
        assert_product(&s);
        assert_true(shares_exist(row[i].b, row[i].ns) && s.reached <= 1);
        assert_near(s.reached, row[i].b->ns / row[i].ns);
        assert_near(s.padding, row[i].padding);
        assert_near(s.balance, row[i].balance);
        assert_near(s.kernel, row[i].kernel);
        assert_string_equal(s.limited_by, row[i].limited_by);
    }
    assert_false(shares_exist(&arithmetic, 0.999e5));
}
