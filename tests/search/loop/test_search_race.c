/* SPDX-License-Identifier: Apache-2.0
 *
 * search, the race behind the loop: what the choice rests on is measured, on tuned shapes first, then on some that are
 * held out. And what comes beside both: the limits of the machine are measured, the library is built.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include "tests/search/loop/search_place.h"

static Arena *scratch;

static int begin(void **state)
{
    scratch = arena_new();
    return open_search(state);
}

static int end(void **state)
{
    arena_free(scratch);
    return close_lab(state);
}

static Selection choice_now(void)
{
    Selection c;
    const char *err = NULL;
    assert_true(choose(&q, scratch, &c, &err)); /* which resets scratch */
    return c;
}

static int bouts_on(const Instance *inst)
{
    int n = 0;
    for (int i = 0; i < nbout; i++)
        n += bout[i].inst == inst;
    return n;
}

/* Every chosen kernel has a time on every tuned shape and beside it a rival; so it is on 24 shapes that are held out,
 * and these come last. */
TEST(all_that_is_stated_is_measured)
{
    run();
    const Selection c = choice_now();
    const Contract *made = contract_make(y.arena, lab.study, c.as);
    assert_int_equal(made->tuned.nmeasured, lab.study->nshape);
    assert_int_equal(made->held_out.nmeasured, HELD_OUT_MOST);
    bool held_out = false;
    for (int i = 0; i < nbout; i++) {
        assert_true(!held_out || !bout[i].tunes);
        assert_true(bout[i].tunes == study_tunes(lab.study, bout[i].inst));
        held_out = !bout[i].tunes;
        assert_in_range(bout[i].n, 2, RACE_MOST);
    }
    assert_true(held_out);
    for (int64_t j = 0; j < NSHAPE;
         j++) { /* times do not scatter here: of few measurements each best kernel is known */
        assert_in_range(bouts_on(lab.study->shape[j]), 0, 12);
        assert_true(made->shape[j].regret < 0.06);
    }
}

/* Shapes that the race takes in are tuned from then on, for contract and choice. */
TEST(what_joins_is_tuned)
{
    step_ns = 500; /* kernels are close, and predictions are in doubt */
    run();
    const Selection c = choice_now();
    const Contract *made = contract_make(y.arena, lab.study, c.as);
    assert_in_range(lab.study->nshape, NSHAPE + 1, NSHAPE + NSHAPE / 2);
    assert_int_equal(made->tuned.nshape, lab.study->nshape);
    int njoined = 0;
    for (int64_t i = 0; i < made->nshape; i++) {
        assert_int_equal(made->shape[i].tuned, i < lab.study->nshape);
        njoined += made->shape[i].tuned && !made->shape[i].inst->tuned;
    }
    assert_int_equal(njoined, lab.study->nshape - NSHAPE);
    for (int64_t j = NSHAPE; j < lab.study->nshape; j++) {
        assert_false(lab.study->shape[j]->tuned);
        assert_true(j == NSHAPE || lab.study->shape[j - 1] < lab.study->shape[j]);
        assert_true(lab.study->trial[c.as->kernel[c.as->chosen[lab.study->shape[j] - y.spec->instance]]].ns[j] > 0);
    }
}

/* A run that adds nothing to a finished one measures nothing; if what a chosen kernel takes somewhere is missing, that
 * is measured. */
TEST(what_is_known_is_not_measured_again)
{
    run();
    nbatch = nbout = 0;
    run();
    assert_int_equal(nbatch + nbout, 0);
    for (Trial *t = lab.study->trial; t < lab.study->trial + lab.study->ntrial; t++)
        t->ns[5] = t->count[5] = 0;
    run();
    assert_int_equal(nbatch, 0);
    assert_true(bout[0].inst == lab.study->shape[5] && bouts_on(lab.study->shape[5]) > 0);
    assert_int_equal(contract_make(y.arena, lab.study, choice_now().as)->tuned.nmeasured, lab.study->nshape);
}

/* The tuned shapes have the time up to 88 % of the budget, those held out up to 98 %, and what would not be over by
 * then is not begun. */
TEST(the_race_keeps_to_its_time)
{
    int tuned = 0, held_out = 0;
    batch_s = 20;
    bout_s = 2;
    run();
    for (int i = 0; i < nbout; i++) {
        assert_true(bout[i].begun_s < (bout[i].tunes ? 1088 : 1098));
        tuned += bout[i].tunes;
        held_out += !bout[i].tunes;
    }
    assert_in_range(tuned, 1, 15);
    assert_in_range(held_out, 1, 10);
    anew();
    batch_s = 99; /* no time is left, but something is known */
    run();
    assert_int_equal(nbout, 0);
    assert_non_null(choice_now().as);
}

/* A heavy shape comes before all others that are as uncertain: of those on which nothing was measured. */
TEST(weight_comes_first)
{
    static const int64_t untouched[] = { 1, 2, 4, 6, 7 };
    for (size_t k = 0; k < LENGTH(untouched); k++) {
        const int64_t heavy = untouched[k];
        anew();
        for (int64_t i = 0; i < y.spec->ninstance; i++)
            y.spec->instance[i].weight = &y.spec->instance[i] == lab.study->shape[heavy] ? 1000 : 1;
        run();
        assert_ptr_equal(bout[0].inst, lab.study->shape[heavy]);
    }
}

/* Of kernels that turn out wrong on a held-out shape none is in the choice that is made then, and the race is held
 * again. */
TEST(what_turns_out_wrong_is_replaced)
{
    run();
    for (int i = 0; i < nbout && !wrong_on; i++)
        wrong_on = bout[i].tunes ? NULL : bout[i].inst;
    assert_non_null(wrong_on);
    const int64_t there = wrong_on - y.spec->instance; /* the spec that the next line drops */
    anew();
    wrong_on = &y.spec->instance[there];
    run();
    const Selection c = choice_now();
    int nwrong = 0;
    for (int64_t i = 0; i < lab.study->ntrial; i++)
        nwrong += lab.study->trial[i].status == STATUS_WRONG;
    assert_true(nwrong > 0);
    for (int k = 0; k < c.as->nkernel; k++)
        assert_true(trial_usable(&lab.study->trial[c.as->kernel[k]]));
    assert_int_equal(contract_make(y.arena, lab.study, c.as)->tuned.nmeasured, lab.study->nshape);
}

/* ---- beside the loop and the race ---- */

/* A GPU's model is made of its rates: they are measured before anything is asked of the lab, by kernels that are built
 * once; those that are recorded do. What does not compile is not tried again. */
TEST(a_gpu_is_measured_first)
{
    int64_t clock_mhz = 0;
    for (int round = 0; round < 3; round++) {
        if (round)
            anew();
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
    measure_here();
    batch_s = 5;
    bout_s = 1;
    run();
    assert_int_equal(nlimit, 4);
    for (int i = 0; i < nlimit; i++)
        assert_true(asked_s[i] == want_s[i]);
    assert_true(most_ns == 0.25e9);
    assert_int_equal(recorded()->nlimit, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(recorded()->limit[i].device, y.device.id);
    anew();
    measure_here();
    lab.seconds = 10;
    run();
    assert_true(nlimit == 1 && most_ns == 0.06e9); /* it takes no time, so nothing is due at its end */
    anew();
    measure_here();
    lab.seconds = 10;
    batch_s = 1.5;
    run();
    assert_true(nlimit > 1);
    anew();
    measure_here();
    knows_limits = false; /* it is not asked again */
    run();
    assert_int_equal(nlimit, 1);
    anew();
    measure_here();
    limits_fail = true;
    fail_with("no limits");
    anew();
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
        const char *so, *why; /* "": none */
    } rows[] = {
        { "int l;", false, STATUS_OK, "/library.so", "" },
        { "int l;", false, STATUS_BUILD_FAILED, "", "it does not compile: no such header" },
        { NULL, false, STATUS_OK, "", "" },
        { NULL, true, STATUS_OK, "", "it does not compile: a name or condition in it is wrong" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        anew();
        measure_here();
        library_text = rows[i].text;
        bout_s = 20;
        library_is_broken = rows[i].broken;
        library_status = rows[i].status;
        run();
        assert_int_equal(nbuilt, rows[i].text != NULL);
        assert_string_equal(shop.library.so ? shop.library.so : "", rows[i].so);
        assert_string_equal(shop.library.why ? shop.library.why : "", rows[i].why);
    }
}

TEST_EACH(begin, end)
