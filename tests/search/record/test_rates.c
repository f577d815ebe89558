/* SPDX-License-Identifier: Apache-2.0
 *
 * rates: what was measured on a device takes the place of its target's file, for the model and the roofline alone.
 */
#include "tests/test.h"
#include "search/record/roofline.h"
#include "tests/search/study_place.h"

static const Target *hopper, *turing;
static Device gpu = { .id = "aa", .name = "a GPU", .arch = "sm_90", .sms = 100, .l2_bytes = 50 << 20 };

static int begin(void **state)
{
    if (make(state) != 0)
        return -1;
    hopper = target_find(&y.targets, "sm_90a");
    turing = target_find(&y.targets, "sm_75");
    return hopper && turing ? 0 : -1;
}

/* 100 multiprocessors at 1500 MHz, `fma` FMAs a cycle each. */
static LimitRecord limit_of(const char *dtype, double fma)
{
    return (LimitRecord){ .device = "aa",
                          .target = "sm_90a",
                          .dtype = dtype,
                          .threads = 1,
                          .flops_per_s = 2 * fma * 100 * 1500e6,
                          .bytes_per_s = { [LEVEL_L2] = 5e12, [LEVEL_MEMORY] = 3.01e12 },
                          .clock_mhz = 1500,
                          .launch_ns = 1200,
                          .handover_ns = 700 };
}

static int64_t fact(const Target *t, const char *name)
{
    int64_t value = -1;
    assert_true(target_fact(t, name, &value));
    return value;
}

static const Target *rated(const Target *t, const char *dtype, LimitRecord *l, int n)
{
    return rates_of(y.arena, t, &gpu, dtype, &(Records){ .nlimit = n, .limit = l });
}

TEST(measured_rates_count)
{
    static const char *const measured[] = { "CLOCK_MHZ", "FMA_SM",   "TENSOR_F16_SM", "TENSOR_TF32_SM",
                                            "L2_GBS",    "DRAM_GBS", "LAUNCH_NS",     "HANDOVER_NS" };
    static const struct {
        const char *dtype, *unit;
        int64_t fma;
    } row[] = { { "f32", "FMA_SM", 125 }, { "tf32", "TENSOR_TF32_SM", 500 }, { "bf16", "TENSOR_F16_SM", 1010 } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        LimitRecord l = limit_of(row[i].dtype, (double)row[i].fma);
        const Target *t = rated(hopper, row[i].dtype, &l, 1);
        assert_string_equal(target_rate(hopper, row[i].dtype)->fact, row[i].unit);
        assert_int_equal(fact(t, row[i].unit), row[i].fma);
        assert_int_equal(fact(t, "CLOCK_MHZ"), 1500);
        assert_int_equal(fact(t, "L2_GBS"), 5000);
        assert_int_equal(fact(t, "DRAM_GBS"), 3010);
        assert_int_equal(fact(t, "LAUNCH_NS"), 1200);
        assert_int_equal(fact(t, "HANDOVER_NS"), 700);
        for (int k = 0; target_fact_name(k); k++) { /* all else is as the file says */
            bool is_rate = false;
            for (size_t m = 0; m < sizeof measured / sizeof *measured; m++)
                is_rate |= strcmp(measured[m], target_fact_name(k)) == 0;
            if (!is_rate)
                assert_int_equal(fact(t, target_fact_name(k)), fact(hopper, target_fact_name(k)));
        }
        for (size_t k = 0; k < sizeof row / sizeof *row; k++)
            if (k != i)
                assert_int_equal(fact(t, row[k].unit), fact(hopper, row[k].unit));
    }
    assert_string_equal(target_rate(turing, "tf32")->fact, "FMA_SM"); /* it has no tensor cores for it */
    /* a third of what the same unit does */
    LimitRecord l = limit_of("tf32x3", 170);
    const Target *t = rated(hopper, "tf32x3", &l, 1);
    assert_int_equal(fact(t, "TENSOR_TF32_SM"), 510);
    assert_true(target_fmas(t, target_rate(t, "tf32x3")) == 170);
}

/* Best rates, medians of the rest; what one of them lacks is not counted, and the same line again says nothing more. */
TEST(several_measurements_are_one)
{
    LimitRecord l[] = { limit_of("f32", 120), limit_of("f32", 126), limit_of("f32", 110), limit_of("f32", 110) };
    l[0].clock_mhz = 1500, l[1].clock_mhz = 1490, l[2].clock_mhz = 1510, l[3].clock_mhz = 1510;
    l[0].launch_ns = 0, l[1].launch_ns = 1100;
    l[0].bytes_per_s[LEVEL_L2] = 0, l[1].bytes_per_s[LEVEL_L2] = 4e12;
    const Target *t = rated(hopper, "f32", l, 4);
    assert_int_equal(fact(t, "CLOCK_MHZ"), 1500); /* 1505 if the last counted */
    assert_int_equal(fact(t, "FMA_SM"), 126);
    assert_int_equal(fact(t, "LAUNCH_NS"), 1150);
    assert_int_equal(fact(t, "L2_GBS"), 5000);
    LimitRecord back[] = { l[2], l[1], l[0] };
    assert_memory_equal(rated(hopper, "f32", back, 3)->fact, t->fact, sizeof t->fact);
}

/* Of another device, target or type; of a runner that knows arithmetic alone. */
TEST(what_is_unknown_stays)
{
    LimitRecord l = limit_of("f32", 120), other[] = { l, l, l };
    other[0].device = "bb";
    other[1].target = "sm_80";
    other[2].dtype = "bf16";
    assert_ptr_equal(rated(hopper, "f32", other, 3), hopper);
    l.clock_mhz = l.launch_ns = l.handover_ns = 0;
    memset(l.bytes_per_s, 0, sizeof l.bytes_per_s);
    const Target *t = rated(hopper, "f32", &l, 1);
    static const char *const same[] = { "CLOCK_MHZ", "L2_GBS", "DRAM_GBS", "LAUNCH_NS", "HANDOVER_NS" };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_int_equal(fact(t, same[i]), fact(hopper, same[i]));
    assert_int_equal(fact(t, "FMA_SM"), (int64_t)(120 * 1500.0 / (double)fact(hopper, "CLOCK_MHZ") + 0.5));
    LimitRecord cpu = { .device = "aa", .target = "avx2", .dtype = "f32", .threads = 1, .flops_per_s = 1e11 };
    const Target *avx2 = target_find(&y.targets, "avx2");
    assert_ptr_equal(rated(avx2, "f32", &cpu, 1), avx2); /* its file has no rates */
}

static Study study_of_gpu(void)
{
    return (Study){ .arena = y.arena, .spec = y.spec, .device = &gpu, .target = hopper, .context_hash = "c" };
}

/* The model's times follow the rates, as they would if the file had them. */
TEST(the_model_takes_them)
{
    static const int64_t large[] = { 8192, 8192, 8192 }, row[] = { 1, 8192, 8192 };
    LimitRecord l = limit_of("f32", 64);
    l.clock_mhz = 750;
    l.bytes_per_s[LEVEL_MEMORY] = 1e12;
    Study s = study_of_gpu(), unrated = s;
    const Spec plain = *y.spec;
    y.spec->packed = false;
    Diag *d = diag_new(y.arena);
    const Space *space = space_make(y.arena, y.spec, &y.templates, hopper, &gpu, d);
    assert_non_null(space);
    study_rate(&s, &(Records){ .nlimit = 1, .limit = &l });
    assert_ptr_equal(study_rated(&s, turing), turing);
    assert_ptr_equal(study_rated(&unrated, hopper), hopper);
    assert_int_equal(fact(study_rated(&s, hopper), "CLOCK_MHZ"), 750);
    const CostModel *with = cost_analytic(y.arena, &s, &y.templates),
                    *without = cost_analytic(y.arena, &unrated, &y.templates);
    for (int i = 0; i < space->ngeneral; i++) {
        const Candidate *c = &space->general[i];
        const bool gemv = strcmp(c->t->name, "gemv") == 0;
        const int64_t *extent = gemv ? row : large;
        assert_ptr_equal(c->target, hopper);
        /* twice the cycles at less than half the clock; a third of the memory's bandwidth */
        assert_true(cost_predict(with, c, extent, 1) > 1.9 * cost_predict(without, c, extent, 1));
    }
    *y.spec = plain;
}

/* A study, and so a replay, takes them from its records; keys do not. */
TEST(records_bring_them)
{
    LimitRecord l = limit_of("f32", 64);
    Study *s = study_new(y.arena, y.spec, &gpu, hopper, "c");
    assert_ptr_equal(study_rated(s, hopper), hopper);
    study_load(s, &(Records){ .nlimit = 1, .limit = &l }, &y.templates, &y.targets);
    assert_int_equal(fact(study_rated(s, hopper), "CLOCK_MHZ"), 1500);
    assert_ptr_equal(s->target, hopper);
    assert_int_equal(fact(s->target, "CLOCK_MHZ"), fact(target_find(&y.targets, "sm_90a"), "CLOCK_MHZ"));
}

TEST(the_roofline_takes_them)
{
    static const int64_t small[] = { 128, 1024, 1024 }, large[] = { 8192, 8192, 8192 };
    LimitRecord l[] = { limit_of("f32", 120), limit_of("f32", 110) };
    Study s = study_of_gpu();
    Bound b;
    l[0].bytes_per_s[LEVEL_L1] = 3e13;
    l[0].bytes_per_s[LEVEL_MEMORY] = l[1].bytes_per_s[LEVEL_MEMORY] = 0;
    Roofline f = *roofline_make(y.arena, &s, &(Records){ .nlimit = 2, .limit = l });
    assert_false(f.modelled);
    assert_true(roofline_bound(&f, small, 1, &b));
    assert_true(b.flops_per_s == l[0].flops_per_s && b.level == LEVEL_L2 && b.bytes_per_s == 5e12);
    assert_true(roofline_bound(&f, large, 1, &b)); /* what was not measured is the data sheet's */
    assert_true(b.level == LEVEL_MEMORY && b.bytes_per_s == 1e9 * (double)fact(hopper, "DRAM_GBS"));
    f = *roofline_make(y.arena, &s, &(Records){ 0 });
    assert_true(f.modelled);
    assert_true(roofline_bound(&f, small, 1, &b));
    assert_true(b.flops_per_s == 2e6 * 100 * (double)(fact(hopper, "FMA_SM") * fact(hopper, "CLOCK_MHZ")));
}

TEST_FILE(begin, drop)
