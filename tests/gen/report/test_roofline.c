/* SPDX-License-Identifier: Apache-2.0
 *
 * roofline: bounds worked out by hand, the level that data lie in, limits that kernels beat, and what keeps a kernel from the bound.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gen/report/roofline.h"
#include "tests/gen/synthetic.h"

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

/* Of the limits alone: no kernel was timed. */
static Roofline roofline_of(LimitRecord *l, int n)
{
    Study untimed = *bert.study;
    untimed.ntrial = 0;
    return roofline_make(bert.arena, &untimed, &(Records){ .nlimit = n, .limit = l });
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

/* An operator that is a formula alone has the time of its bytes, and does not raise the peak. */
static void a_formula_alone_is_bound_by_its_bytes(void **state)
{
    (void)state;
    static const int64_t extent[] = { 100, 768, 768 };
    Study moving = *bert.study;
    Spec spec = *bert.spec;
    Op op = *spec.op;
    op.reference = NULL;
    spec.op = &op;
    moving.spec = &spec;
    LimitRecord l = limit_of(1);
    l.flops_per_s = 1;
    const Roofline f = roofline_make(bert.arena, &moving, &(Records){ .nlimit = 1, .limit = &l });
    Bound b;
    assert_true(roofline_bound(&f, extent, 1, &b));
    assert_near(b.bytes, 4 * (2 * 76800 + 589824 + 768.0));
    assert_true(b.flops == 0 && b.compute_ns == 0 && b.ns == b.memory_ns);
    assert_near(b.memory_ns, 1e9 * b.bytes / b.bytes_per_s);
    assert_near(f.limit[0].flops_per_s, 1);
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

/* Of L1 and L2 each core has its own, the L3 cache is one for all; data that fill a level exactly still lie in it. */
static void levels_end_at_their_last_byte(void **state)
{
    (void)state;
    static const int64_t extent[] = { 512, 512, 512 };
    LimitRecord l[] = { limit_of(1), limit_of(4) };
    Roofline f = roofline_of(l, 2);
    const int64_t bytes = 4 * (3 * 512 * 512 + 512);
    const struct {
        int64_t l1, l2, l3;
        int threads;
        Level level;
    } row[] = { { bytes, bytes, bytes, 1, LEVEL_L1 },     { bytes - 1, bytes, bytes, 1, LEVEL_L2 },
                { 1, bytes - 1, bytes, 1, LEVEL_L3 },     { 1, 1, bytes - 1, 1, LEVEL_MEMORY },
                { bytes / 4, bytes, bytes, 4, LEVEL_L1 }, { bytes / 4 - 1, bytes / 4, bytes, 4, LEVEL_L2 },
                { 1, bytes / 4 - 1, bytes, 4, LEVEL_L3 }, { 1, 1, bytes - 1, 4, LEVEL_MEMORY } };
    Bound b;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        f.bytes[LEVEL_L1] = row[i].l1;
        f.bytes[LEVEL_L2] = row[i].l2;
        f.bytes[LEVEL_L3] = row[i].l3;
        assert_true(roofline_bound(&f, extent, row[i].threads, &b));
        assert_near(b.bytes, (double)bytes);
        assert_int_equal(b.level, row[i].level);
    }
}

/* Limits that a neighbour hid: slower than what kernels did on the same machine. */
static Bound bound_at(const Roofline *f, int64_t shape)
{
    Bound b;
    assert_true(roofline_bound(f, bert.study->shape[shape]->extent, 1, &b));
    return b;
}

static void nothing_that_was_measured_is_above_the_roofline(void **state)
{
    (void)state;
    LimitRecord slow = limit_of(1), compute = limit_of(1), memory = limit_of(1);
    slow.flops_per_s = compute.flops_per_s = 1e9;
    memory.flops_per_s = 1e16;
    for (int i = 0; i < LEVEL_COUNT; i++) {
        slow.bytes_per_s[i] = memory.bytes_per_s[i] = 1e7;
        compute.bytes_per_s[i] = 1e16;
    }
    LimitRecord *const row[] = { &slow, &compute, &memory };
    const Study *s = bert.study;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const Roofline f = roofline_make(bert.arena, s, &(Records){ .nlimit = 1, .limit = row[k] });
        double most = 0;
        assert_true(f.raised);
        for (int64_t i = 0; i < s->ntrial; i++)
            for (int64_t j = 0; trial_usable(&s->trial[i]) && j < s->nshape; j++) {
                const Bound b = bound_at(&f, j);
                assert_true(bound_allows(&b, s->trial[i].ns[j]));
                most = fmax(most, roofline_shares(&b, s->trial[i].ns[j], 1, 1).reached);
            }
        assert_near(most, 1); /* and no further than it must be */
        for (int i = 0; i + 1 < LEVEL_COUNT; i++)
            assert_true(f.limit[0].bytes_per_s[i] >= f.limit[0].bytes_per_s[i + 1]);
    }
}

/* What is wrong, was computed, or is no faster raises nothing. The library does. */
static void only_what_was_verified_and_faster_raises_a_limit(void **state)
{
    (void)state;
    Study s = *bert.study;
    Device modelled = bert.device;
    Trial wrong = s.trial[0];
    Anchor library[64] = { { 0 } };
    LimitRecord l = limit_of(1);
    const Records r = { .nlimit = 1, .limit = &l };
    double instant[64];
    for (int64_t j = 0; j < s.nshape; j++)
        instant[j] = 1;
    wrong.status = STATUS_WRONG;
    wrong.ns = instant;
    s.trial = &wrong;
    s.ntrial = 1;
    assert_false(roofline_make(bert.arena, &s, &r).raised);
    wrong.status = STATUS_OK;
    assert_true(roofline_make(bert.arena, &s, &r).raised);
    modelled.modelled = true;
    s.device = &modelled;
    assert_false(roofline_make(bert.arena, &s, &r).raised);
    s.device = &bert.device;
    s.ntrial = 0;
    s.anchor = library;
    assert_false(roofline_make(bert.arena, &s, &r).raised);
    for (int64_t j = 0; j < s.nshape; j++)
        library[j] = (Anchor){ .ns = 1000, .library = 0.5, .nlibrary = 1 };
    const Roofline f = roofline_make(bert.arena, &s, &r);
    assert_true(f.raised);
    assert_near(f.limit[0].flops_per_s, 1e9 * 2.0 * 16 * 128 * 768 * 3072 / 500);
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
    d.sms = 108;
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
    spec.dtype = "bf16";
    f = roofline_make(bert.arena, &s, NULL);
    assert_near(f.limit[0].flops_per_s, 16 * 108.0 * 64 * 2 * 1410e6);
    spec.dtype = "tf32";
    f = roofline_make(bert.arena, &s, NULL);
    assert_near(f.limit[0].flops_per_s, 8 * 108.0 * 64 * 2 * 1410e6);
    assert_int_equal(f.bytes[LEVEL_L1], 0);
    assert_near(f.limit[0].bytes_per_s[LEVEL_L1], 0);
    assert_true(f.limit[0].bytes_per_s[LEVEL_L2] > 1555e9);
    Target unknown = *s.target; /* its file says nothing of rates */
    memset(unknown.fact, 0, sizeof unknown.fact);
    s.target = &unknown;
    f = roofline_make(bert.arena, &s, NULL);
    assert_int_equal(f.nlimit, 0);
    assert_false(roofline_bound(&f, large, 1, &b));
}

static void limits_stand_by_ascending_threads(void **state)
{
    (void)state;
    LimitRecord l[] = { limit_of(8), limit_of(1), limit_of(4), limit_of(1), limit_of(8) };
    static const struct {
        int threads;
        double flops_per_s;
    } wanted[] = { { 1, 2e11 }, { 4, 4e11 }, { 8, 8e11 } };
    l[0].flops_per_s = 8e11;
    l[2].flops_per_s = 4e11;
    l[3].flops_per_s = 2e11;
    l[1].bytes_per_s[LEVEL_MEMORY] = 3e10; /* faster than the L3 cache: then so is that */
    const Roofline f = roofline_of(l, 5);
    assert_int_equal(f.nlimit, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(f.limit[i].threads, wanted[i].threads);
        assert_near(f.limit[i].flops_per_s, wanted[i].flops_per_s);
        assert_near(f.limit[i].bytes_per_s[LEVEL_L3], i == 0 ? 3e10 : 2e10);
    }
}

/* A kernel on the first shape alone: where only arithmetic has a limit, and where its threads have none. */
static void a_kernel_raises_what_is_known(void **state)
{
    (void)state;
    Study s = *bert.study;
    Trial right = s.trial[0];
    LimitRecord l = limit_of(1), other = limit_of(2);
    double ns[64] = { 0 };
    const double flops = spec_flops(bert.spec, s.shape[0]->extent);
    right.status = STATUS_OK;
    right.built = true;
    right.ns = ns;
    s.trial = &right;
    s.ntrial = 1;
    memset(l.bytes_per_s, 0, sizeof l.bytes_per_s);
    ns[0] = flops / 50;
    Roofline f = roofline_make(bert.arena, &s, &(Records){ .nlimit = 1, .limit = &l });
    assert_false(f.raised);
    assert_near(f.limit[0].flops_per_s, 1e11);
    ns[0] = flops / 150;
    f = roofline_make(bert.arena, &s, &(Records){ .nlimit = 1, .limit = &l });
    assert_true(f.raised);
    assert_near(f.limit[0].flops_per_s, 1.5e11);
    f = roofline_make(bert.arena, &s, &(Records){ .nlimit = 1, .limit = &other });
    assert_false(f.raised);
    assert_near(f.limit[0].flops_per_s, 1e11);
}

/* The level that the operands lie in, and those nearer, are at least as fast as a kernel was; those behind it stay. */
static void a_kernel_raises_its_level_and_those_nearer(void **state)
{
    (void)state;
    Study s = *bert.study;
    Trial right = s.trial[0];
    LimitRecord l = limit_of(1);
    double ns[64] = { 0 };
    int64_t j = 0;
    while (!(s.shape[j]->extent[0] == 81 && s.shape[j]->extent[1] == 3072)) /* 10.7 MB: in the L3 cache of 32 MiB */
        j++;
    const double bytes = 4.0 * (81 * 768 + 3072 * 768 + 3072 + 81 * 3072);
    right.status = STATUS_OK;
    right.built = true;
    right.ns = ns;
    ns[j] = bytes / 150; /* 150 GB/s: more than L3's 20 and L2's 100, less than L1's 200 */
    s.trial = &right;
    s.ntrial = 1;
    const Roofline f = roofline_make(bert.arena, &s, &(Records){ .nlimit = 1, .limit = &l });
    assert_true(f.raised);
    assert_near(f.limit[0].bytes_per_s[LEVEL_L1], 2e11);
    assert_near(f.limit[0].bytes_per_s[LEVEL_L2], 1.5e11);
    assert_near(f.limit[0].bytes_per_s[LEVEL_L3], 1.5e11);
    assert_near(f.limit[0].bytes_per_s[LEVEL_MEMORY], 1e10);
    assert_near(f.limit[0].flops_per_s, 2.0 * 81 * 3072 * 768 / ns[j] * 1e9);
}

static void levels_have_names(void **state)
{
    (void)state;
    static const char *const name[] = { "the L1 cache", "the L2 cache", "the L3 cache", "memory", "nowhere" };
    for (int i = 0; i <= LEVEL_COUNT; i++)
        assert_string_equal(level_text((Level)i), name[i]);
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
        { &memory, 2.1e5, 0.6, 0.9, 1, 1, 2 / 2.1, "memory" },           /* hidden behind memory */
        { &memory, 4e5, 0.25, 1, 0.5, 1, 1, "padding" },                 /* 400 us of arithmetic are not */
        { &arithmetic, 1.6e5, 0.5, 0.5, 0.625, 1, 1, "padding" },        /* no part of it was more than there was */
        { &arithmetic, 1e5 * (1 - 1e-12), 1, 1, 1, 1, 1, "arithmetic" }, /* but for rounding */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const Shares s = roofline_shares(row[i].b, row[i].ns, row[i].pad, row[i].occ);
        assert_product(&s);
        assert_true(bound_allows(row[i].b, row[i].ns) && s.reached <= 1);
        assert_near(s.reached, row[i].b->ns / row[i].ns);
        assert_near(s.padding, row[i].padding);
        assert_near(s.balance, row[i].balance);
        assert_near(s.kernel, row[i].kernel);
        assert_string_equal(s.limited_by, row[i].limited_by);
    }
    assert_false(bound_allows(&arithmetic, 0.999e5));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(bounds_are_those_worked_out),
                                        cmocka_unit_test(a_formula_alone_is_bound_by_its_bytes),
                                        cmocka_unit_test(data_lie_in_the_nearest_level_that_holds_them),
                                        cmocka_unit_test(levels_end_at_their_last_byte),
                                        cmocka_unit_test(nothing_that_was_measured_is_above_the_roofline),
                                        cmocka_unit_test(only_what_was_verified_and_faster_raises_a_limit),
                                        cmocka_unit_test(a_level_that_was_not_measured_makes_no_bound_too_high),
                                        cmocka_unit_test(only_limits_of_this_device_and_target_count),
                                        cmocka_unit_test(gpus_are_as_their_data_sheets_say),
                                        cmocka_unit_test(limits_stand_by_ascending_threads),
                                        cmocka_unit_test(a_kernel_raises_what_is_known),
                                        cmocka_unit_test(a_kernel_raises_its_level_and_those_nearer),
                                        cmocka_unit_test(levels_have_names),
                                        cmocka_unit_test(shares_multiply_up_to_what_is_reached) };
    return cmocka_run_group_tests(tests, make, drop);
}
