/* SPDX-License-Identifier: Apache-2.0
 *
 * search, the last comparison: who meets whom, with how many samples, and for how long.
 */
#include "tests/search/choose/search_place.h"

#include "search/measure/stopwatch.h"

/* On every shape, three times over: all within 30 % of the best, the fastest first, and last the general kernel. */
static void those_near_the_best_meet(void **state)
{
    (void)state;
    run();
    assert_int_equal(nbout, 3 * NSHAPE);
    for (int i = 0; i < nbout; i++) {
        assert_int_equal(bout[i].shape, i % NSHAPE);
        assert_int_equal(bout[i].repeats, 5);
        assert_int_equal(bout[i].trial[bout[i].n - 1], lab_anchor(&lab));
        assert_in_range(bout[i].n, 3, 30);
        for (int k = 0; k + 1 < bout[i].n; k++)
            assert_int_not_equal(bout[i].trial[k], lab_anchor(&lab));
    }
    const int64_t measured = 3; /* all were measured there */
    int64_t want = 0;
    for (double ns = 1.05e5; ns <= 1.3 * 1.05e5; ns += 5e3)
        want++;
    assert_int_equal(bout[measured].n, want + 1);
    for (int k = 0; k < want; k++)
        assert_true(time_of(&lab, bout[measured].trial[k]) == 1.05e5 + 5e3 * k);
}

/* Of a budget of kernels at most twice as many meet. */
static void finalists_are_few(void **state)
{
    (void)state;
    strategy.compares_all = false;
    y.spec->budget.kernels = 1;
    run();
    assert_int_equal(nbout, 3 * NSHAPE);
    for (int i = 0; i < nbout; i++)
        assert_in_range(bout[i].n, 2, 3);
}

/* A run that adds nothing to a finished one measures nothing; what is missing of a comparison is held. */
static void what_was_compared_is_not_compared_again(void **state)
{
    (void)state;
    nasked = NSHAPE;
    run();
    nbatch = nbout = 0;
    run();
    assert_int_equal(nbatch + nbout, 0);
    for (int64_t i = 0; i < lab.study->ntrial; i++) {
        lab.study->trial[i].final[5] = false;
        lab.study->trial[i].count[5] = 0;
    }
    run();
    assert_int_equal(nbatch, 0);
    assert_int_equal(nbout, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(bout[i].shape, 5);
}

/* Without any time the first pass is held all the same, by the two fastest and the general kernel, with fewer samples. */
static void the_first_pass_is_held_in_any_case(void **state)
{
    (void)state;
    batch_s = 80;
    run();
    assert_int_equal(nbatch, 1);
    assert_int_equal(nbout, NSHAPE);
    for (int i = 0; i < nbout; i++) {
        assert_int_equal(bout[i].n, 3);
        assert_int_equal(bout[i].repeats, 3);
        assert_int_equal(bout[i].trial[2], lab_anchor(&lab));
    }
    assert_true(time_of(&lab, bout[3].trial[0]) == 1.05e5 && time_of(&lab, bout[3].trial[1]) == 1.10e5);
}

/* Passes go on as long as the time does. */
static void later_passes_need_time(void **state)
{
    (void)state;
    bout_s = 76 / 14.5; /* the fifteenth begins before 76 % of it are over */
    run();
    assert_int_equal(nbout, 15);
}

static void no_bout_begins_behind_the_budget(void **state)
{
    (void)state;
    batch_s = 98;
    bout_s = 1.5;
    run();
    assert_int_equal(nbout, 2);
    assert_true(bout[1].begun_s < 1100);
}

/* What so many bouts take, with so many kernels in all of them, each of which has a sample of the usual length. */
static double expected_s(double bouts, double kernels, int repeats)
{
    return stopwatch_expect_s(&lab, bouts, kernels * STOPWATCH_SAMPLE_NS, repeats);
}

/* As many samples, from three to five, as all bouts that are left have time for. */
static void samples_are_as_many_as_the_time_allows(void **state)
{
    (void)state;
    int seen[6] = { 0 };
    batch_s = 74.42;
    run();
    assert_int_equal(nbout, 3 * NSHAPE);
    for (int i = 0; i < nbout; i++) {
        double kernels = 0;
        int want = 5;
        for (int k = i; k < nbout; k++)
            kernels += bout[k].n;
        while (want > 3 && expected_s(nbout - i, kernels, want) > 1076 - bout[i].begun_s)
            want--;
        assert_int_equal(bout[i].repeats, want);
        seen[want]++;
    }
    assert_true(seen[3] + seen[4] > 0 && seen[5] > 0);
}

/* In the first pass the slowest stay away until a bout has its part of the time. */
static void bouts_shrink_to_their_part(void **state)
{
    (void)state;
    int planned[NSHAPE], shrunk = 0;
    double kernels = 0;
    y.spec->budget.trials = 12;
    nasked = NSHAPE;
    run();
    for (int j = 0; j < NSHAPE; j++) {
        planned[j] = bout[j].n;
        kernels += bout[j].n;
    }
    const double all_s = expected_s(NSHAPE, kernels, 3);
    drop(NULL), make(NULL);
    y.spec->budget.trials = 12;
    nasked = NSHAPE;
    batch_s = 76 - 0.95 * all_s;
    bout_s = 0.05;
    run();
    for (int j = 0; j < NSHAPE; j++) {
        const double part = expected_s(1, planned[j], 3) / expected_s(NSHAPE - j, kernels, 3);
        int want = planned[j];
        while (want > 3 && expected_s(1, want, 3) > part * (1076 - bout[j].begun_s))
            want--;
        assert_int_equal(bout[j].n, want);
        assert_int_equal(bout[j].trial[want - 1], lab_anchor(&lab));
        for (int k = 0; k + 2 < want; k++)
            assert_true(time_of(&lab, bout[j].trial[k]) == 1.05e5 + 5e3 * k);
        kernels -= planned[j];
        shrunk += want < planned[j] && want > 3;
    }
    assert_true(shrunk > 0);
}

/* Of more than there is room for the fastest forty, and the general kernel. */
static void a_bout_has_room_for_so_many(void **state)
{
    (void)state;
    step_ns = 100;
    y.spec->budget.trials = 60;
    nasked = NSHAPE;
    run();
    for (int i = 0; i < nbout; i++) {
        assert_int_equal(bout[i].n, 41);
        for (int k = 0; k < 40; k++)
            assert_true(time_of(&lab, bout[i].trial[k]) == 1e5 + 100 * (k + 1));
        assert_int_equal(bout[i].trial[40], lab_anchor(&lab));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(those_near_the_best_meet),
        FRESH(finalists_are_few),
        FRESH(what_was_compared_is_not_compared_again),
        FRESH(the_first_pass_is_held_in_any_case),
        FRESH(later_passes_need_time),
        FRESH(no_bout_begins_behind_the_budget),
        FRESH(samples_are_as_many_as_the_time_allows),
        FRESH(bouts_shrink_to_their_part),
        FRESH(a_bout_has_room_for_so_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
