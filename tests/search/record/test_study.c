/* SPDX-License-Identifier: Apache-2.0
 *
 * study: what becomes of measurements: times as parts of the anchor's, the last comparison before all others, failures for
 * good, and how far times of one kernel are apart.
 */
#include "search/record/samples.h"
#include "tests/search/record/study_of_three.h"

static void a_shape_is_extents_and_threads(void **state)
{
    (void)state;
    const Study *s = y.study;
    for (int64_t j = 0; j < s->nshape; j++) {
        assert_int_equal(study_shape(s, s->shape[j]->extent, 1), j);
        assert_int_equal(study_shape(s, s->shape[j]->extent, 2), -1);
    }
}

/* With attributes, as these decide what is computed. */
static void a_failure_names_its_shape(void **state)
{
    (void)state;
    Op op = *y.spec->op;
    Spec spec = *y.spec;
    Study s = *y.study;
    op.extent[3] = (Extent){ .name = "PAD", .kind = EXTENT_ATTRIBUTE, .least = -4, .most = 4 };
    op.ngiven = op.nextent = 4;
    spec.op = &op;
    s.spec = &spec;
    assert_string_equal(study_why(&s, y.arena, (int64_t[]){ 5, 6, 7, -1 }, 2, "off"),
                        "on M=5 N=6 K=7 PAD=-1 threads=2: off");
}

static void a_candidate_is_added_once(void **state)
{
    (void)state;
    Study *s = study_of_three();
    assert_int_equal(study_add(s, &y.space->candidate[1]), 1);
    assert_int_equal(s->ntrial, 3);
    assert_int_equal(study_find_key(s, s->trial[2].key), 2);
    assert_int_equal(study_find(s, &y.space->candidate[3]), -1);
    assert_string_not_equal(s->trial[0].key, s->trial[1].key);
}

static void without_an_anchor_the_least_counts(void **state)
{
    (void)state;
    Study *s = study_of_three();
    take(s, (Taken){ 0, 2, 100, 0, false });
    take(s, (Taken){ 0, 2, 140, 0, false });
    assert_near(s->trial[0].ns[2], 100);
    assert_int_equal(s->trial[0].count[2], 2);
    assert_true(s->trial[0].ns[1] == 0 && s->trial[1].ns[2] == 0);
}

/* The machine is half as fast when kernel 1 is timed: both take the same part of the anchor's time. */
static void slow_moments_cancel_out(void **state)
{
    (void)state;
    Study *s = study_of_three();
    take(s, (Taken){ 0, 0, 80, 100, false });
    take(s, (Taken){ 1, 0, 160, 200, false });
    assert_near(s->trial[0].ns[0], 0.8 * 100);
    assert_near(s->trial[1].ns[0], s->trial[0].ns[0]);
    assert_near(s->anchor[0].ns, 100);
    take(s, (Taken){ 2, 0, 75, 50, false }); /* the best moment so far: all are what they would be then */
    assert_near(s->trial[2].ns[0], 75);
    assert_near(s->trial[0].ns[0], 0.8 * 50);
    assert_true(s->trial[0].ns[1] == 0);
}

/* Where the anchor may be at rest the least part counts; where its calls are too long for that, the mean, and what the parts are apart. */
static void of_long_calls_the_mean_counts(void **state)
{
    (void)state;
    Study *s = study_of_three();
    take(s, (Taken){ 0, 0, 80, 100, true });
    take(s, (Taken){ 0, 0, 120, 100, true });
    assert_near(s->trial[0].ratio[0], 0.8);
    assert_near(s->trial[0].second[0], 1.2);
    take(s, (Taken){ 0, 1, 8e6, 10e6, true });
    take(s, (Taken){ 0, 1, 12e6, 10e6, true });
    assert_near(s->trial[0].ratio[1], 1.0);
    assert_near(s->trial[0].second[1], 1.2); /* the standard error of two */
    take(s, (Taken){ 0, 1, 10e6, 10e6, true });
    assert_near(s->trial[0].ratio[1], 1.0);
    assert_true(s->trial[0].second[1] > 1.1 && s->trial[0].second[1] < 1.15);
    MeasureRecord m = record_of(s, (Taken){ 0, 2, 5e6, 10e6, true }); /* twice the same: their own error counts */
    m.nsample = 2;
    m.ns[0] = 4.9e6;
    m.ns[1] = 5.1e6;
    study_measure(s, &m);
    study_measure(s, &m);
    assert_near(s->trial[0].second[2], 0.5 * (1 + sqrt(0.5) * samples_error(m.ns, 2, false)));
}

static void an_anchor_ends_what_came_without(void **state)
{
    (void)state;
    Study *s = study_of_three();
    take(s, (Taken){ 0, 0, 50, 0, false });
    take(s, (Taken){ 1, 0, 90, 100, false });
    assert_true(s->trial[0].ns[0] == 0 && s->trial[0].count[0] == 0);
    take(s, (Taken){ 0, 0, 50, 0, false });
    assert_true(s->trial[0].ns[0] == 0);
    take(s, (Taken){ 0, 0, 110, 100, false });
    assert_near(s->trial[0].ns[0], 110);
    take(s, (Taken){ 0, 1, 50, 0, true });
    take(s, (Taken){ 1, 1, 90, 100, false });
    assert_false(s->trial[0].final[1]);
    take(s, (Taken){ 0, 1, 110, 100, false });
    assert_near(s->trial[0].ns[1], 110);
}

static void the_last_comparison_counts_alone(void **state)
{
    (void)state;
    Study *s = study_of_three();
    int64_t trial = -1;
    take(s, (Taken){ 0, 0, 70, 100, false });
    take(s, (Taken){ 1, 0, 60, 100, false });
    take(s, (Taken){ 0, 0, 90, 100, true });
    take(s, (Taken){ 0, 0, 94, 100, true });
    take(s, (Taken){ 0, 0, 10, 100, false });
    assert_near(s->trial[0].ns[0], 90);
    assert_int_equal(s->trial[0].count[0], 2);
    assert_near(study_best(s, 0, &trial), 90); /* kernel 1 was not compared */
    assert_int_equal(trial, 0);
    take(s, (Taken){ 1, 0, 88, 100, true });
    assert_near(study_best(s, 0, &trial), 88); /* now it was */
    assert_int_equal(trial, 1);
    take(s, (Taken){ 0, 1, 70, 100, false });
    take(s, (Taken){ 1, 1, 90, 100, true });
    take(s, (Taken){ 2, 1, 80, 100, false });
    assert_near(study_best(s, 1, &trial), 90); /* whatever comes before it, or behind */
    assert_int_equal(trial, 1);
}

/* The vendor's library is timed beside the anchor, as kernels are; at half the speed in the second moment. */
static void the_library_is_on_the_same_scale(void **state)
{
    (void)state;
    Study *s = study_of_three();
    assert_true(study_library(s, 0) == 0);
    const double library_ns[] = { 120, 260, 70 }; /* the last without an anchor: it says nothing */
    const Taken beside[] = { { 0, 0, 80, 100, true }, { 1, 0, 180, 200, true }, { 1, 0, 90, 0, true } };
    for (int i = 0; i < 3; i++) {
        MeasureRecord m = record_of(s, beside[i]);
        m.library_ns = library_ns[i];
        study_measure(s, &m);
    }
    assert_near(study_library(s, 0), 1.25 * 100);
    assert_true(study_library(s, 1) == 0);
}

static void a_failure_is_for_good(void **state)
{
    (void)state;
    Study *s = study_of_three();
    MeasureRecord m = record_of(s, (Taken){ 0, 0, 70, 100, false });
    m.status = STATUS_WRONG;
    study_measure(s, &m);
    take(s, (Taken){ 0, 0, 70, 100, false });
    assert_false(trial_usable(&s->trial[0]));
    assert_true(isinf(study_best(s, 0, NULL)));
    m.status = STATUS_CRASHED; /* the worst of several */
    study_measure(s, &m);
    assert_int_equal(s->trial[0].status, STATUS_WRONG);
}

static void what_is_not_known_is_ignored(void **state)
{
    (void)state;
    Study *s = study_of_three();
    MeasureRecord m = record_of(s, (Taken){ 0, 0, 70, 100, false });
    m.key = "ffffffffffffffffffffffffffffffff";
    study_measure(s, &m);
    m = record_of(s, (Taken){ 0, 0, 70, 100, false });
    m.extent[0] = 123457; /* a shape that is not tuned */
    study_measure(s, &m);
    for (int i = 0; i < 3; i++)
        for (int64_t j = 0; j < s->nshape; j++)
            assert_true(s->trial[i].ns[j] == 0);
}

static void order_means_nothing(void **state)
{
    (void)state;
    static const Taken all[] = { { 0, 0, 70, 100, false }, { 1, 0, 61, 103, false }, { 2, 0, 55, 99, true },
                                 { 0, 0, 73, 104, true },  { 1, 0, 66, 0, false },   { 0, 0, 71, 97, true },
                                 { 2, 0, 58, 101, true },  { 1, 0, 63, 98, false } };
    const int n = sizeof all / sizeof *all;
    Study *s = study_of_three(), *back = study_of_three();
    for (int i = 0; i < n; i++) {
        take(s, all[i]);
        take(back, all[n - 1 - i]);
    }
    for (int i = 0; i < 3; i++) {
        assert_near(back->trial[i].ns[0], s->trial[i].ns[0]);
        assert_int_equal(back->trial[i].final[0], s->trial[i].final[0]);
        assert_int_equal(back->trial[i].count[0], s->trial[i].count[0]);
    }
}

/* What is left out because the machine lacked something counts as tried, and as failed, in this run. */
static void left_out_of_a_run(void **state)
{
    (void)state;
    Study *s = study_of_three();
    study_leave(s, 1, "out of memory");
    assert_true(s->trial[1].built && s->trial[1].aside && !trial_usable(&s->trial[1]));
    assert_string_equal(s->trial[1].why, "out of memory");
}

/* ---- noise ---- */

/* Two kernels, each seen three times: the two least are 1 % apart. */
static void noise_is_how_far_the_least_are_apart(void **state)
{
    (void)state;
    Study *s = study_of_three();
    assert_true(study_noise(s) == 0);
    for (int k = 0; k < 2; k++) {
        take(s, (Taken){ k, 0, 101, 100, true });
        take(s, (Taken){ k, 0, 100, 100, true });
        take(s, (Taken){ k, 0, 180, 100, true }); /* a neighbour */
    }
    take(s, (Taken){ 2, 0, 300, 100, true }); /* once: says nothing */
    assert_true(fabs(study_noise(s) - 0.01) < 1e-6);
}

/* One pass: its two least samples tell, until there is another. */
static void noise_of_one_pass_is_that_of_its_samples(void **state)
{
    (void)state;
    Study *s = study_of_three();
    MeasureRecord m = record_of(s, (Taken){ 0, 0, 100, 100, true });
    m.ns[1] = 150;
    m.ns[2] = 104;
    m.nsample = 3;
    study_measure(s, &m);
    assert_true(fabs(study_noise(s) - 0.04) < 1e-6);
    take(s, (Taken){ 0, 0, 102, 100, true });
    assert_true(fabs(study_noise(s) - 0.02) < 1e-6);
}

/* Shape 0 is quiet and shape 2 is not; the noise of both together counts as four more measurements. */
static void noise_has_its_place(void **state)
{
    (void)state;
    Study *s = study_of_three();
    for (int shape = 0; shape < 3; shape += 2)
        for (int k = 0; k < 3; k++) {
            take(s, (Taken){ k, shape, 100, 100, true });
            take(s, (Taken){ k, shape, shape ? 105 : 100.1, 100, true });
        }
    const double all = (0.05 * 0.05 + 0.001 * 0.001) / 2;
    assert_near(study_noise(s), sqrt(all));
    assert_near(study_noise_at(s, 0, study_noise(s)), sqrt((3 * 0.001 * 0.001 + 4 * all) / 7));
    assert_near(study_noise_at(s, 1, study_noise(s)), sqrt(all));
    assert_near(study_noise_at(s, 2, study_noise(s)), sqrt((3 * 0.05 * 0.05 + 4 * all) / 7));
}

/* An accident of a half counts as a tenth; a kernel that failed and a shape by itself say nothing. */
static void one_accident_is_not_the_noise(void **state)
{
    (void)state;
    Study *s = study_of_three();
    for (int k = 0; k < 2; k++) {
        take(s, (Taken){ k, 0, 100, 100, true });
        take(s, (Taken){ k, 0, k ? 150 : 100.1, 100, true });
    }
    assert_near(trial_gap(&s->trial[1], 0), 0.5);
    assert_near(study_noise(s), sqrt((0.1 * 0.1 + 0.001 * 0.001) / 2));
    s->trial[1].status = STATUS_WRONG;
    assert_true(fabs(study_noise(s) - 0.001) < 1e-9);
    s->trial[0].final[0] = false;
    assert_true(study_noise(s) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_an_anchor_the_least_counts),
        cmocka_unit_test(slow_moments_cancel_out),
        cmocka_unit_test(of_long_calls_the_mean_counts),
        cmocka_unit_test(an_anchor_ends_what_came_without),
        cmocka_unit_test(the_last_comparison_counts_alone),
        cmocka_unit_test(the_library_is_on_the_same_scale),
        cmocka_unit_test(a_failure_is_for_good),
        cmocka_unit_test(what_is_not_known_is_ignored),
        cmocka_unit_test(order_means_nothing),
        cmocka_unit_test(left_out_of_a_run),
        cmocka_unit_test(noise_is_how_far_the_least_are_apart),
        cmocka_unit_test(noise_of_one_pass_is_that_of_its_samples),
        cmocka_unit_test(noise_has_its_place),
        cmocka_unit_test(a_failure_names_its_shape),
        cmocka_unit_test(a_candidate_is_added_once),
        cmocka_unit_test(one_accident_is_not_the_noise),
        cmocka_unit_test(a_shape_is_extents_and_threads),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
