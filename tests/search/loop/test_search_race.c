/* SPDX-License-Identifier: Apache-2.0
 *
 * search, the race behind the loop: what the choice rests on is measured, on tuned shapes first, then on some that are held out.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include "tests/search/loop/search_place.h"

static Arena *scratch; /* of the last choice */

static Selection choice_now(void)
{
    Selection c;
    const char *err = NULL;
    assert_true(choose(&q, scratch, &c, &err));
    return c;
}

static int bouts_on(const Instance *inst)
{
    int n = 0;
    for (int i = 0; i < nbout; i++)
        n += bout[i].inst == inst;
    return n;
}

/* Every chosen kernel has a time on every tuned shape and beside it a rival; so it is on 24 shapes that are held out, and these come last. */
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

/* A run that adds nothing to a finished one measures nothing; if what a chosen kernel takes somewhere is missing, that is measured. */
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

/* The tuned shapes have the time up to 88 % of the budget, those held out up to 98 %, and what would not be over by then is not begun. */
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
    drop(NULL), make(NULL);
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
        drop(NULL), make(NULL);
        for (int64_t i = 0; i < y.spec->ninstance; i++)
            y.spec->instance[i].weight = &y.spec->instance[i] == lab.study->shape[heavy] ? 1000 : 1;
        run();
        assert_ptr_equal(bout[0].inst, lab.study->shape[heavy]);
    }
}

/* Of kernels that turn out wrong on a held-out shape none is in the choice that is made then, and the race is held again. */
TEST(what_turns_out_wrong_is_replaced)
{
    run();
    for (int i = 0; i < nbout && !wrong_on; i++)
        wrong_on = bout[i].tunes ? NULL : bout[i].inst;
    assert_non_null(wrong_on);
    const int64_t there = wrong_on - y.spec->instance; /* the spec that the next line drops */
    drop(NULL), make(NULL);
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

TEST_EACH(make, drop)

static int open_scratch(void **state)
{
    (void)state;
    scratch = arena_new();
    return 0;
}

static int close_scratch(void **state)
{
    (void)state;
    arena_free(scratch);
    return 0;
}

TEST_FILE(open_scratch, close_scratch)
