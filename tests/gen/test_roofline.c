/* SPDX-License-Identifier: Apache-2.0
 *
 * roofline: bounds worked out by hand, the level that data lie in, and what keeps a kernel from the bound.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gen/roofline.h"
#include "synthetic.h"

static Synthetic bert;

static int make(void **state)
{
    (void)state;
    return synthetic_make(&bert, synthetic_spec, 8) ? 0 : -1;
}

static int drop(void **state)
{
    (void)state;
    arena_free(bert.arena);
    return 0;
}

/* 100 GFLOP/s; 200, 100, 20 and 10 GB/s. */
static LimitRecord limit_of(int threads)
{
    return (LimitRecord){ .device = bert.device.id,
                          .target = bert.study->target->name,
                          .dtype = "f32",
                          .threads = threads,
                          .flops_per_s = 1e11,
                          .bytes_per_s = { 2e11, 1e11, 2e10, 1e10 } };
}

static Roofline roofline_of(LimitRecord *l, int n)
{
    return roofline_make(bert.arena, bert.study, &(Records){ .nlimit = n, .limit = l });
}

static void assert_near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-9 * fabs(wanted)))
        fail_msg("%.12g is not %.12g", got, wanted);
}

/* 2 * 100 * 768 * 768 operations; X and Y of 100 * 768, W of 768 * 768, a bias of 768, four bytes each. */
static void bounds_are_those_worked_out(void **state)
{
    (void)state;
    static const int64_t extent[] = { 100, 768, 768 }, row[] = { 1, 768, 3072 };
    LimitRecord l = limit_of(1);
    const Roofline f = roofline_of(&l, 1);
    Bound b;
    assert_true(roofline_bound(&f, extent, 1, &b));
    assert_false(f.modelled);
    assert_near(b.flops, 117964800);
    assert_near(b.compute_ns, 1179648);
    assert_near(b.bytes, 4 * (2 * 76800 + 589824 + 768.0));
    assert_int_equal(b.level, LEVEL_L3); /* 2.8 MiB: more than the L2 cache of 1 MiB holds */
    assert_near(b.memory_ns, b.bytes / 20);
    assert_near(b.ns, 1179648);
    assert_true(roofline_bound(&f, row, 1, &b)); /* a row: W alone is 9.4 MB, and takes longer than the arithmetic */
    assert_near(b.compute_ns, 2 * 768 * 3072 / 100.0);
    assert_near(b.memory_ns, 4 * (768 * 3072 + 3072 + 2 * 768) / 20.0);
    assert_near(b.ns, b.memory_ns);
}

static void data_lie_in_the_nearest_level_that_holds_them(void **state)
{
    (void)state;
    static const struct {
        int64_t extent[3];
        int threads;
        Level level;
    } row[] = { { { 16, 16, 16 }, 1, LEVEL_L1 },    { { 128, 128, 128 }, 1, LEVEL_L2 },
                { { 512, 512, 512 }, 1, LEVEL_L3 }, { { 4096, 4096, 4096 }, 1, LEVEL_MEMORY },
                { { 512, 512, 512 }, 4, LEVEL_L2 }, /* four cores' caches */ };
    LimitRecord l[] = { limit_of(1), limit_of(4) };
    const Roofline f = roofline_of(l, 2);
    Bound b;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_true(roofline_bound(&f, row[i].extent, row[i].threads, &b));
        assert_int_equal(b.level, row[i].level);
    }
    assert_false(roofline_bound(&f, row[0].extent, 2, &b)); /* nothing is known of two threads */
}

/* The rate of a level that was not measured is not that of a slower one. */
static void a_level_that_was_not_measured_makes_no_bound_too_high(void **state)
{
    (void)state;
    static const int64_t large[] = { 4096, 4096, 4096 }, middle[] = { 128, 128, 128 };
    LimitRecord l = limit_of(1);
    l.bytes_per_s[LEVEL_MEMORY] = l.bytes_per_s[LEVEL_L2] = 0;
    Roofline f = roofline_of(&l, 1);
    Bound b;
    assert_true(roofline_bound(&f, large, 1, &b));
    assert_int_equal(b.level, LEVEL_L3);
    assert_true(roofline_bound(&f, middle, 1, &b));
    assert_int_equal(b.level, LEVEL_L1);
    memset(l.bytes_per_s, 0, sizeof l.bytes_per_s);
    f = roofline_of(&l, 1);
    assert_true(roofline_bound(&f, large, 1, &b));
    assert_near(b.memory_ns, 0);
    assert_near(b.ns, b.compute_ns);
}

static void only_limits_of_this_device_and_target_count(void **state)
{
    (void)state;
    static const int64_t extent[] = { 100, 768, 768 };
    LimitRecord l[] = { limit_of(1), limit_of(1), limit_of(1), limit_of(1), limit_of(1) };
    l[0].device = "another";
    l[1].target = "portable";
    l[2].dtype = "f16";
    for (int i = 0; i < 3; i++)
        l[i].flops_per_s = 9e15;
    l[4].flops_per_s = 2e11; /* of two measurements the better */
    l[4].bytes_per_s[LEVEL_L3] = 1;
    const Roofline f = roofline_of(l, 5), none = roofline_of(l, 3);
    Bound b;
    assert_true(roofline_bound(&f, extent, 1, &b));
    assert_near(b.flops_per_s, 2e11);
    assert_near(b.bytes_per_s, 2e10);
    assert_false(roofline_bound(&none, extent, 1, &b));
    assert_false(roofline_bound(&(Roofline){ .spec = bert.spec }, extent, 1, &b));
    static const int64_t nothing[] = { 0, 768, 768 };
    assert_false(roofline_bound(&f, nothing, 1, &b));
}

/* An A100: 108 multiprocessors of 64 FMAs a cycle at 1410 MHz make 19.5 TFLOP/s; f16 on tensor cores sixteen times that. */
static void gpus_are_as_their_data_sheets_say(void **state)
{
    (void)state;
    static const int64_t small[] = { 128, 1024, 1024 }, large[] = { 8192, 8192, 8192 };
    Device d = bert.device;
    d.cores = 108;
    d.l2_bytes = 40 << 20;
    Spec spec = *bert.spec;
    Study s = { .spec = &spec, .device = &d, .target = target_find(&bert.targets, "sm_80") };
    Roofline f = roofline_make(bert.arena, &s, NULL);
    Bound b;
    assert_true(f.modelled);
    assert_true(roofline_bound(&f, small, 1, &b));
    assert_near(b.flops_per_s, 108.0 * 64 * 2 * 1410e6);
    assert_int_equal(b.level, LEVEL_L2);
    assert_true(roofline_bound(&f, large, 1, &b));
    assert_int_equal(b.level, LEVEL_MEMORY);
    assert_near(b.bytes_per_s, 1555e9);
    spec.dtype = "f16";
    f = roofline_make(bert.arena, &s, NULL);
    assert_true(roofline_bound(&f, large, 1, &b));
    assert_near(b.flops_per_s, 16 * 108.0 * 64 * 2 * 1410e6);
}

static void assert_product(const Shares *s) { assert_near(s->padding * s->balance * s->kernel, s->reached); }

/* 100 us of arithmetic; memory takes less, or more. */
static void shares_multiply_up_to_what_is_reached(void **state)
{
    (void)state;
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
        { &memory, 2.1e5, 0.6, 0.9, 1, 1, 2 / 2.1, "memory" }, /* hidden behind memory */
        { &memory, 4e5, 0.25, 1, 0.5, 1, 1, "padding" },       /* 400 us of arithmetic are not */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const Shares s = roofline_shares(row[i].b, row[i].ns, row[i].pad, row[i].occ);
        assert_product(&s);
        assert_near(s.reached, row[i].b->ns / row[i].ns);
        assert_near(s.padding, row[i].padding);
        assert_near(s.balance, row[i].balance);
        assert_near(s.kernel, row[i].kernel);
        assert_string_equal(s.limited_by, row[i].limited_by);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(bounds_are_those_worked_out),
                                        cmocka_unit_test(data_lie_in_the_nearest_level_that_holds_them),
                                        cmocka_unit_test(a_level_that_was_not_measured_makes_no_bound_too_high),
                                        cmocka_unit_test(only_limits_of_this_device_and_target_count),
                                        cmocka_unit_test(gpus_are_as_their_data_sheets_say),
                                        cmocka_unit_test(shares_multiply_up_to_what_is_reached) };
    return cmocka_run_group_tests(tests, make, drop);
}
