/* SPDX-License-Identifier: Apache-2.0
 *
 * search, beside the loop and the race: the limits of the machine are measured, the library is built.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include "tests/search/loop/search_place.h"

/* A GPU's model is made of its rates: they are measured before anything is asked of the lab, by kernels that are built once; those that
 * are recorded do. What does not compile is not tried again. */
TEST(a_gpu_is_measured_first)
{
    int64_t clock_mhz = 0;
    for (int round = 0; round < 3; round++) {
        if (round)
            drop(NULL), make(NULL);
        measure_here();
        Target *gpu = (Target *)target_find(&y.targets, y.study->target->name);
        const LimitRecord known = {
            .device = y.device.id, .target = gpu->name, .dtype = "f32", .threads = 1, .flops_per_s = 1e9
        };
        gpu->family = &family_cuda;
        target_set_fact(gpu, "CLOCK_MHZ", 1000);
        limits_compile = round < 2;
        bout_s = 20; /* few of them */
        if (round == 1)
            assert_true(record_add_limit(shop.records, &known, &(const char *){ NULL }));
        study_rate(lab.study, record_all(shop.records));
        run();
        assert_int_equal(limits_at_first, round == 0);
        assert_int_equal(nlimits_built, 1);
        assert_true(round < 2 ? nlimit > 1 : nlimit == 0);
        assert_true(target_fact(study_rated(lab.study, gpu), "CLOCK_MHZ", &clock_mhz));
        assert_int_equal(clock_mhz, round < 2 ? 999 : 1000);
    }
}

/* At the start and every now and then, so that they take a small part of the time. */
TEST(limits_are_asked_now_and_then)
{
    static const double want_s[] = { 1000, 1010, 1015, 1024 };
    const char *err = NULL;
    measure_here();
    batch_s = 5;
    bout_s = 1;
    run();
    assert_int_equal(nlimit, 4);
    for (int i = 0; i < nlimit; i++)
        assert_true(asked_s[i] == want_s[i]);
    assert_true(most_ns == 0.25e9);
    const Records *r = record_all(shop.records);
    assert_int_equal(r->nlimit, 4);
    for (int i = 0; i < r->nlimit; i++)
        assert_string_equal(r->limit[i].device, y.device.id);
    drop(NULL), make(NULL);
    measure_here();
    lab.seconds = 10;
    run();
    assert_true(nlimit > 1 && most_ns == 0.12e9);
    drop(NULL), make(NULL);
    measure_here();
    batch_s = 5;
    bout_s = 1;
    knows_limits = false; /* it is not asked again */
    run();
    assert_int_equal(nlimit, 1);
    drop(NULL), make(NULL);
    measure_here();
    limits_fail = true;
    assert_false(search_run(&q, &err));
    assert_string_equal(err, "no limits");
    drop(NULL), make(NULL);
    run();
    assert_true(nlimit == 0 && nbuilt == 0); /* nothing is measured there */
}

/* It is built before the race; why it was not is kept. */
TEST(the_library_is_built_for_the_race)
{
    static const struct {
        const char *text;
        bool broken;
        Status status;
        const char *so, *why;
    } rows[] = {
        { "int l;", false, STATUS_OK, "/library.so", NULL },
        { "int l;", false, STATUS_BUILD_FAILED, NULL, "it does not compile: no such header" },
        { NULL, false, STATUS_OK, NULL, NULL },
        { NULL, true, STATUS_OK, NULL, "it does not compile: a name or condition in it is wrong" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        drop(NULL), make(NULL);
        measure_here();
        library_text = rows[i].text;
        bout_s = 20;
        library_is_broken = rows[i].broken;
        library_status = rows[i].status;
        run();
        assert_int_equal(nbuilt, rows[i].text != NULL);
        if (rows[i].so)
            assert_string_equal(shop.library.so, rows[i].so);
        else
            assert_null(shop.library.so);
        if (rows[i].why)
            assert_string_equal(shop.library.why, rows[i].why);
        else
            assert_null(shop.library.why);
    }
}

TEST_EACH(make, drop)
