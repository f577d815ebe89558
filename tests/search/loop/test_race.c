/* SPDX-License-Identifier: Apache-2.0
 *
 * race: who meets on a shape, and what that is worth, against numbers computed by hand.
 */
#include "tests/test.h"
#include "search/loop/race.h"
#include "tests/search/study_place.h"

enum { KERNELS = 20 };
static const double NOISE = 0.02;

static Study *s;
static Selection c;

/* Twenty kernels, measured once on every tuned shape: kernel 0 takes 100 us there, each of the others 10 us more than
 * the one before. */
static int begin(void **state)
{
    if (make(state) != 0)
        return -1;
    s = study_of(KERNELS, 7, 1000);
    return 0;
}

static void take(int k, int64_t shape, double ns) { measure_once(s, k, s->shape[shape], ns, 1e5); }

static void take_all(int64_t but)
{
    for (int k = 0; k < KERNELS; k++)
        for (int64_t j = 0; j < s->nshape; j++)
            if (j != but)
                take(k, j, 1e5 + 1e4 * k);
}

static Heat heat_on(int64_t shape)
{
    c.m = cost_fit(y.arena, s, &y.templates);
    c.as = select_kernels(y.arena, s, c.m);
    assert_int_equal(c.as->kernel[c.as->chosen[s->shape[shape] - y.spec->instance]], 0);
    return race_heat(s, &c, s->shape[shape], true, NOISE);
}

static bool takes_part(const Heat *h, int64_t trial)
{
    for (int i = 0; i < h->n; i++)
        if (h->trial[i] == trial)
            return true;
    return false;
}

/* All are known to be slower by far more than the noise: the two that are best of them meet the chosen one, and there
 * is nothing to be gained. */
TEST(far_ones_stay_away)
{
    take_all(-1);
    const Heat h = heat_on(3);
    assert_ptr_equal(h.inst, s->shape[3]);
    assert_int_equal(h.n, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(h.trial[i], i);
    assert_true(h.gain < 1e-4);
    assert_true(h.ns == 3 * 300e3); /* samples are no shorter */
}

/* Of two that took the same once, with an error of 2 % each, one more measurement moves the difference by 2 %: sqrt(2 *
 * 0.02^2 / 2). That gains 0.02 / sqrt(2 pi). Of four measurements each it is sqrt(2 e^2 / 5), where e is what four
 * leave of the error. */
TEST(what_a_measurement_gains)
{
    take_all(-1);
    for (int n = 1; n <= 4; n++) {
        if (n > 1)
            take(0, 5, 1e5);
        take(1, 5, n == 1 ? 0.9e5 : 1e5); /* with the 110 us of before, 100 us are the median */
    }
    const double noise = study_noise_at(s, 5, NOISE);
    double error[2];
    for (int k = 0; k < 2; k++)
        error[k] = trial_error(s, &s->trial[k], 5, noise);
    const Heat h = heat_on(5);
    const double moved =
        sqrt(error[0] * error[0] / (s->trial[0].count[5] + 1) + error[1] * error[1] / (s->trial[1].count[5] + 1));
    assert_true(s->trial[1].ns[5] == 1e5);
    assert_true(fabs(h.gain - moved / sqrt(2 * M_PI)) < 1e-12);
}

/* A kernel that is as close as that takes part even if it is not among the best two; at most six do, the closest. */
TEST(close_ones_meet)
{
    for (int k = 0; k < KERNELS; k++)
        for (int64_t j = 0; j < s->nshape; j++)
            take(k, j, k < 5 ? 1e5 + 100 * k : 3e5);
    const Heat few = heat_on(2);
    assert_int_equal(few.n, 5);
    for (int k = 0; k < 5; k++)
        assert_true(takes_part(&few, k));
    drop(NULL), begin(NULL);
    for (int k = 0; k < KERNELS; k++)
        for (int64_t j = 0; j < s->nshape; j++)
            take(k, j, 1e5 + 100 * k);
    const Heat many = heat_on(2);
    assert_int_equal(many.n, RACE_MOST);
    assert_int_equal(many.trial[0], 0);
}

/* Where the chosen kernel has no time, or met nobody, its own error counts on top: the shape comes before others. */
TEST(what_cannot_be_stated_comes_first)
{
    take_all(4);
    const Heat unmeasured = heat_on(4);
    const double doubt = cost_doubt(c.m, 0, s->shape[4]);
    assert_true(unmeasured.gain > doubt && doubt > 0);
    take(0, 4, 1e5);
    const Heat alone = heat_on(4);
    assert_true(alone.gain > trial_error(s, &s->trial[0], 4, study_noise_at(s, 4, NOISE)));
    take(1, 4, 1.1e5);
    assert_true(heat_on(4).gain < alone.gain);
}

/* The second kernel is slower by a tenth, but was once faster than the first: which one is faster is not resolved,
 * until so many measurements agree that the spread is small. */
TEST(what_is_not_resolved_is_measured_again)
{
    take_all(-1);
    take(0, 5, 1e5);
    take(1, 5, 0.95e5);
    take(1, 5, 1.6e5);
    const double noise = study_noise_at(s, 5, NOISE);
    const double own = trial_error(s, &s->trial[0], 5, noise), other = trial_error(s, &s->trial[1], 5, noise);
    const double shrinks = hypot(own, other) - hypot(own * sqrt(2 / 3.0), other * sqrt(3 / 4.0)),
                 moved = sqrt(own * own / 3 + other * other / 4);
    const Heat unresolved = heat_on(5);
    assert_true(takes_part(&unresolved, 1));
    assert_true(hypot(own, other) > 0.04 && shrinks > 0.005);
    assert_true(unresolved.gain >= shrinks && unresolved.gain <= shrinks + moved / sqrt(2 * M_PI));
    for (int n = 0; n < 40; n++)
        take(0, 5, 1e5); /* it is the other one that is not known well */
    assert_true(heat_on(5).gain > 0.005);
    for (int n = 0; n < 40; n++)
        take(1, 5, 1.1e5);
    assert_true(heat_on(5).gain < 1e-4);
}

/* On a held-out shape all that is known is the model's, until it is a place. */
TEST(held_out_shapes_are_raced_too)
{
    take_all(-1);
    heat_on(0);
    const Instance *inst = first_held_out(y.spec);
    const Heat before = race_heat(s, &c, inst, false, NOISE);
    assert_int_equal(before.trial[0], c.as->kernel[c.as->chosen[inst - y.spec->instance]]);
    assert_true(before.gain > cost_doubt(c.m, before.trial[0], inst));
    const double joining = race_heat(s, &c, inst, true, NOISE).gain; /* nothing is to be stated of it */
    assert_true(joining < before.gain);
    for (int i = 0; i < before.n; i++)
        measure_once(s, before.trial[i], inst, 1e5 * (1 + i), 1e5);
    assert_true(race_heat(s, &c, inst, false, NOISE).gain < before.gain / 2);
    assert_true(race_heat(s, &c, inst, true, NOISE).gain == joining); /* the choice does not see these times */
}

TEST_EACH(begin, drop)
