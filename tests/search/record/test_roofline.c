/* SPDX-License-Identifier: Apache-2.0
 *
 * roofline: bounds worked out by hand, the level that data lie in, and limits that kernels beat.
 */
#include "tests/test.h"
#include "search/record/roofline.h"
#include "tests/search/study_place.h"

/* 100 GFLOP/s; 200, 100, 20 and 10 GB/s. */
static LimitRecord limit_of(int threads)
{
    return (LimitRecord){ .device = y.device.id,
                          .target = y.study->target->name,
                          .dtype = "f32",
                          .threads = threads,
                          .flops_per_s = 1e11,
                          .bytes_per_s = { 2e11, 1e11, 2e10, 1e10 } };
}

/* Of the limits alone: no kernel was timed. */
static Roofline roofline_of(LimitRecord *l, int n)
{
    Study *untimed = ARENA_NEW(y.arena, Study);
    *untimed = *y.study;
    untimed->ntrial = 0;
    return *roofline_make(y.arena, untimed, &(Records){ .nlimit = n, .limit = l });
}

/* What a kernel took in a request. */
static MeasureRecord time_of(const Study *s, int64_t trial, const Instance *inst, double ns)
{
    return measured(s, trial, inst, ns, 0);
}

/* Of limits and one time; NULL: none. */
static const Roofline *roofline_with(const Study *s, LimitRecord *l, MeasureRecord *m)
{
    return roofline_make(y.arena, s, &(Records){ .nlimit = 1, .limit = l, .nmeasure = m != NULL, .measure = m });
}

/* Records of limits, and of every time of the study. */
static Records records_of(const Study *s, LimitRecord *l)
{
    Records r = { .nlimit = 1,
                  .limit = l,
                  .measure = ARENA_ARRAY(y.arena, (size_t)(s->ntrial * s->nshape) + 1, MeasureRecord) };
    for (int64_t i = 0; i < s->ntrial; i++)
        for (int64_t j = 0; j < s->nshape; j++)
            if (s->trial[i].ns[j] > 0)
                r.measure[r.nmeasure++] = time_of(s, i, s->shape[j], s->trial[i].ns[j]);
    return r;
}

/* 2 * 100 * 768 * 768 operations; X and Y of 100 * 768, W of 768 * 768, a bias of 768, four bytes each. */
TEST(bounds_are_those_worked_out)
{
    static const int64_t extent[] = { 100, 768, 768 }, row[] = { 1, 768, 3072 };
    LimitRecord l = limit_of(1);
    const Roofline f = roofline_of(&l, 1);
    Bound b;
    assert_true(roofline_bound(&f, extent, 1, &b));
    assert_false(f.modelled);
    assert_near(b.flops, 117964800);
    assert_near(b.compute_ns, 1179648);
    const double near = (double)(f.bytes[LEVEL_L1] + f.bytes[LEVEL_L2]);
    assert_near(b.bytes, 4 * (2 * 76800 + 589824 + 768.0) - near);
    assert_int_equal(b.level, LEVEL_L3); /* 2.8 MiB: more than the L2 cache of 1 MiB holds */
    assert_near(b.memory_ns, b.bytes / 20);
    assert_near(b.ns, 1179648);
    assert_true(roofline_bound(&f, row, 1, &b)); /* a row: W alone is 9.4 MB, and takes longer than the arithmetic */
    assert_near(b.compute_ns, 2 * 768 * 3072 / 100.0);
    assert_near(b.memory_ns, (4 * (768 * 3072 + 3072 + 2 * 768) - near) / 20.0);
    assert_near(b.ns, b.memory_ns);
}

/* A packed operand that comes from memory takes its own bytes over the bandwidth of memory; one that fits L2 stays
 * there. A cold call that is faster raises that bandwidth, and no other. */
TEST(a_cold_operand_comes_from_memory)
{
    static const int64_t row[] = { 1, 768, 3072 }, small[] = { 1, 256, 256 };
    LimitRecord l = limit_of(1);
    Bound b;
    Study *s = ARENA_NEW(y.arena, Study);
    *s = *y.study;
    s->has_cold = true;
    const Roofline *f = roofline_with(s, &l, NULL);
    assert_true(roofline_bound(f, row, 1, &b));
    assert_int_equal(b.level, LEVEL_MEMORY);
    assert_near(b.bytes, 4 * 768 * 3072.0);
    assert_near(b.memory_ns, b.bytes / 10);
    assert_true(roofline_bound(f, small, 1, &b));
    assert_int_equal(b.level, LEVEL_L2);
    LimitRecord short_one = l; /* which had no time for memory: that is no faster than the last level that it reached */
    short_one.bytes_per_s[LEVEL_MEMORY] = 0;
    f = roofline_with(s, &short_one, NULL);
    assert_true(roofline_bound(f, row, 1, &b));
    assert_int_equal(b.level, LEVEL_L3);
    assert_near(b.bytes, 4 * 768 * 3072.0);
    const Instance inst = { .extent = { 1, 768, 3072 }, .threads = 1 };
    MeasureRecord m = time_of(s, 0, &inst, 4 * 768 * 3072 / 40.0);
    m.cold = true;
    f = roofline_with(s, &l, &m);
    assert_near(f->limit[0].bytes_per_s[LEVEL_MEMORY], 4e10);
    assert_near(f->limit[0].bytes_per_s[LEVEL_L1], 2e11);
    assert_true(roofline_bound(f, row, 1, &b));
    assert_near(b.ns, m.time_ns);
}

/* FMAs are as fast as they are in the better order. */
TEST(the_peak_is_the_better_of_two_probes)
{
    LimitRecord l = limit_of(1);
    l.reuse_flops_per_s = 1.2e11;
    assert_near(roofline_with(y.study, &l, NULL)->limit[0].flops_per_s, 1.2e11);
    l.reuse_flops_per_s = 9e10;
    assert_near(roofline_with(y.study, &l, NULL)->limit[0].flops_per_s, 1e11);
}

/* An operator that is a formula alone has the time of its bytes, and does not raise the peak. */
TEST(a_formula_alone_is_bound_by_its_bytes)
{
    static const int64_t extent[] = { 100, 768, 768 };
    Study moving = *y.study;
    Spec spec = *y.spec;
    Op op = *spec.op;
    op.reference = NULL;
    spec.op = &op;
    moving.spec = &spec;
    LimitRecord l = limit_of(1);
    l.flops_per_s = 1;
    const Records r = records_of(&moving, &l);
    const Roofline f = *roofline_make(y.arena, &moving, &r);
    Bound b;
    assert_true(roofline_bound(&f, extent, 1, &b));
    assert_near(b.bytes, 4 * (2 * 76800 + 589824 + 768.0) - (double)(f.bytes[LEVEL_L1] + f.bytes[LEVEL_L2]));
    assert_true(b.flops == 0 && b.compute_ns == 0 && b.ns == b.memory_ns);
    assert_near(b.memory_ns, 1e9 * b.bytes / b.bytes_per_s);
    assert_near(f.limit[0].flops_per_s, 1);
}

/* Of L1 and L2 each core has its own, the L3 cache is one for all. */
TEST(what_a_level_cannot_hold_comes_from_the_next)
{
    static const int64_t extent[] = { 512, 512, 512 };
    LimitRecord l[] = { limit_of(1), limit_of(4) };
    Roofline f = roofline_of(l, 2);
    const int64_t bytes = 4 * (3 * 512 * 512 + 512);
    const struct {
        int64_t l1, l2, l3;
        int threads;
        Level level;
        int64_t from; /* bytes that come from that level */
    } row[] = { { bytes, bytes, bytes, 1, LEVEL_L1, bytes },
                { bytes - 1000, bytes, bytes, 1, LEVEL_L1,
                  bytes }, /* a thousand bytes of the L2 cache take no longer than all of the L1 cache */
                { bytes / 4, bytes, bytes, 1, LEVEL_L2, bytes - bytes / 4 },
                { 1, bytes - 1, bytes, 1, LEVEL_L2, bytes - 1 }, /* what L1 and L2 hold together */
                { 1, bytes / 2 - 1, bytes, 1, LEVEL_L3, bytes - bytes / 2 },
                { 1, 1, bytes / 2 - 2, 1, LEVEL_MEMORY, bytes - bytes / 2 },
                { bytes / 4, bytes, bytes, 4, LEVEL_L1, bytes },
                { bytes / 16, bytes, bytes, 4, LEVEL_L2, bytes - bytes / 4 },
                { 1, 1, bytes - 8, 4, LEVEL_L3, bytes - 8 } };
    Bound b;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        f.bytes[LEVEL_L1] = row[i].l1;
        f.bytes[LEVEL_L2] = row[i].l2;
        f.bytes[LEVEL_L3] = row[i].l3;
        assert_true(roofline_bound(&f, extent, row[i].threads, &b));
        assert_int_equal(b.level, row[i].level);
        assert_near(b.bytes, (double)row[i].from);
        assert_near(b.memory_ns, 1e9 * b.bytes / b.bytes_per_s);
    }
    assert_false(roofline_bound(&f, extent, 2, &b)); /* nothing is known of two threads */
}

/* Limits that a neighbour hid: slower than what kernels did on the same machine. */
TEST(nothing_that_was_measured_is_above_the_roofline)
{
    LimitRecord slow = limit_of(1), compute = limit_of(1), memory = limit_of(1);
    slow.flops_per_s = compute.flops_per_s = 1e9;
    memory.flops_per_s = 1e16;
    for (int i = 0; i < LEVEL_COUNT; i++) {
        slow.bytes_per_s[i] = memory.bytes_per_s[i] = 1e7;
        compute.bytes_per_s[i] = 1e16;
    }
    LimitRecord *const row[] = { &slow, &compute, &memory };
    const Study *s = y.study;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const Records r = records_of(s, row[k]);
        const Roofline *f = roofline_make(y.arena, s, &r);
        double most = 0;
        Bound b;
        assert_true(f->raised);
        for (int64_t i = 0; i < r.nmeasure; i++) {
            const int64_t j = study_shape(s, r.measure[i].extent, 1);
            assert_true(roofline_bound(f, s->shape[j]->extent, 1, &b));
            if (trial_usable(&s->trial[study_find_key(s, r.measure[i].key)]))
                most = fmax(most, b.ns / r.measure[i].time_ns);
        }
        assert_near(most, 1); /* and no further than it must be */
        for (int i = 0; i + 1 < LEVEL_COUNT; i++)
            assert_true(f->limit[0].bytes_per_s[i] >= f->limit[0].bytes_per_s[i + 1]);
    }
}

/* On a shared machine the anchor was once seen 1.5 times as fast as beside this kernel, which then counts with a time
 * that nobody saw: at 150 GFLOP/s where the machine does 100. The roofline goes by what was seen. */
TEST(a_part_of_the_best_time_of_another_raises_nothing)
{
    Study *s = new_study();
    const int64_t kernel = study_add(s, &y.space->candidate[0]), other = study_add(s, &y.space->candidate[1]);
    const double peak_ns = spec_flops(y.spec, s->shape[0]->extent) / 100;
    s->trial[kernel].built = s->trial[other].built = true;
    MeasureRecord m[] = { time_of(s, kernel, s->shape[0], peak_ns), time_of(s, other, s->shape[0], 3 * peak_ns) };
    m[0].anchor_ns = 1.5 * peak_ns;
    m[1].anchor_ns = peak_ns;
    for (int i = 0; i < 2; i++)
        study_measure(s, &m[i]);
    LimitRecord l = limit_of(1);
    const Records r = { .nlimit = 1, .limit = &l, .nmeasure = 2, .measure = m };
    study_rate(s, &r);
    Bound b;
    assert_true(s->trial[kernel].ns[0] < 0.7 * peak_ns);
    assert_false(s->roofline->raised);
    assert_true(roofline_bound(s->roofline, s->shape[0]->extent, 1, &b));
    assert_near(b.flops_per_s, 1e11);
    assert_near(b.ns, peak_ns);
    m[0].time_ns = peak_ns / 1.02; /* this was seen */
    study_rate(s, &r);
    assert_true(s->roofline->raised);
    assert_near(s->roofline->limit[0].flops_per_s, 1.02e11);
}

/* Where data decide how much work there is, a time that is too short for all of it raises nothing, and the bound says
 * what it is of. */
TEST(work_by_data_raises_nothing)
{
    Study s = *y.study;
    Spec spec = *s.spec;
    Op op = *spec.op;
    LimitRecord l = limit_of(1);
    MeasureRecord m = time_of(&s, 0, s.shape[0], 1);
    Bound b;
    s.spec = &spec;
    spec.op = &op;
    assert_true(roofline_bound(roofline_with(&s, &l, &m), s.shape[0]->extent, 1, &b) && !b.by_data);
    assert_near(b.flops_per_s, 1e9 * spec_flops(&spec, s.shape[0]->extent));
    op.by_data = true;
    const Roofline *f = roofline_with(&s, &l, &m);
    assert_false(f->raised);
    assert_true(roofline_bound(f, s.shape[0]->extent, 1, &b) && b.by_data);
    assert_near(b.flops_per_s, 1e11);
}

/* What is wrong, was computed, is another device's or nobody's raises nothing; nor where its threads have no limit. The
 * library does raise one, also where only arithmetic has a limit. */
TEST(only_what_was_verified_raises_a_limit)
{
    Study s = *y.study;
    Device modelled = y.device;
    Trial trial = s.trial[0];
    LimitRecord l = limit_of(1);
    const double flops = spec_flops(y.spec, s.shape[0]->extent);
    modelled.modelled = true;
    s.trial = &trial;
    s.ntrial = 1;
    for (int i = 0; i < 9; i++) {
        MeasureRecord m = time_of(&s, 0, s.shape[0], i == 8 ? flops / 50 : 1);
        m.device = i == 1 ? "another" : m.device;
        m.key = i == 2 ? "another" : m.key;
        m.status = i == 3 ? STATUS_WRONG : STATUS_OK;
        m.nsample = i != 4;
        trial.status = i == 5 ? STATUS_WRONG : STATUS_OK;
        s.device = i == 6 ? &modelled : &y.device;
        l.threads = i == 7 ? 2 : 1;
        const Roofline *f = roofline_with(&s, &l, &m);
        assert_int_equal(f->raised, i == 0);
    }
    MeasureRecord m = time_of(&s, 0, s.shape[0], flops / 50);
    m.library_ns = flops / 150;
    for (int i = 0; i < 2; i++) {
        assert_near(roofline_with(&s, &l, &m)->limit[0].flops_per_s, 1.5e11);
        memset(l.bytes_per_s, 0, sizeof l.bytes_per_s);
    }
}

/* The rate of a level that was not measured is not that of a slower one. */
TEST(a_level_that_was_not_measured_makes_no_bound_too_high)
{
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

TEST(only_limits_of_this_device_and_target_count)
{
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
    assert_false(roofline_bound(&(Roofline){ .spec = y.spec }, extent, 1, &b));
    static const int64_t nothing[] = { 0, 768, 768 };
    assert_false(roofline_bound(&f, nothing, 1, &b));
}

/* An A100: 108 multiprocessors of 64 FMAs a cycle at 1410 MHz make 19.5 TFLOP/s; f16 on tensor cores sixteen times
 * that. */
TEST(gpus_are_as_their_data_sheets_say)
{
    static const int64_t small[] = { 128, 1024, 1024 }, large[] = { 8192, 8192, 8192 };
    static const struct {
        const char *dtype;
        double times;
    } rows[] = { { "f16", 16 }, { "bf16", 16 }, { "tf32", 8 }, { "tf32x3", 8 / 3.0 }, { "f32", 1 } };
    Device d = y.device;
    d.sms = 108;
    d.l2_bytes = 40 << 20;
    Spec spec = *y.spec;
    Study s = { .spec = &spec, .device = &d, .target = target_find(&y.targets, "sm_80") };
    Roofline f;
    Bound b;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        spec.dtype = rows[i].dtype;
        f = *roofline_make(y.arena, &s, &(Records){ 0 });
        assert_true(f.modelled);
        assert_true(roofline_bound(&f, large, 1, &b));
        assert_near(b.flops_per_s, rows[i].times * 108.0 * 64 * 2 * 1410e6);
    }
    assert_int_equal(b.level, LEVEL_MEMORY);
    assert_near(b.bytes_per_s, 1555e9);
    assert_true(roofline_bound(&f, small, 1, &b));
    assert_int_equal(b.level, LEVEL_L2);
    assert_int_equal(f.bytes[LEVEL_L1], 0);
    assert_near(f.limit[0].bytes_per_s[LEVEL_L1], 0);
    assert_true(f.limit[0].bytes_per_s[LEVEL_L2] > 1555e9);
    Target unknown = *s.target; /* its file says nothing of rates */
    memset(unknown.fact, 0, sizeof unknown.fact);
    s.target = &unknown;
    f = *roofline_make(y.arena, &s, &(Records){ 0 });
    assert_int_equal(f.nlimit, 0);
    assert_false(roofline_bound(&f, large, 1, &b));
}

TEST(limits_stand_by_ascending_threads)
{
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

/* The level that the operands lie in, and those nearer, are at least as fast as a kernel was; those behind it stay. */
TEST(a_kernel_raises_its_level_and_those_nearer)
{
    Instance inst = { .extent = { 82, 3072, 768 },
                      .threads = 1 }; /* none that was tuned; 10.7 MB: in the L3 cache of 32 MiB */
    LimitRecord l = limit_of(1);
    const double bytes = 4.0 * (82 * 768 + 3072 * 768 + 3072 + 82 * 3072);
    const double ns = bytes / 150; /* 150 GB/s: more than L3's 20 and L2's 100, less than L1's 200 */
    MeasureRecord m = time_of(y.study, 0, &inst, ns);
    const Roofline *f = roofline_with(y.study, &l, &m);
    assert_true(f->raised);
    assert_near(f->limit[0].bytes_per_s[LEVEL_L1], 2e11);
    const double l1 = (double)f->bytes[LEVEL_L1],
                 l2 = (double)f->bytes[LEVEL_L2]; /* what they kept did not come from behind */
    assert_near(f->limit[0].bytes_per_s[LEVEL_L2], 1e9 * (bytes - l1) / ns);
    assert_near(f->limit[0].bytes_per_s[LEVEL_L3], 1e9 * (bytes - l1 - l2) / ns);
    assert_near(f->limit[0].bytes_per_s[LEVEL_MEMORY], 1e10);
    assert_near(f->limit[0].flops_per_s, 2.0 * 82 * 3072 * 768 / ns * 1e9);
}

TEST_FILE(make, drop)
