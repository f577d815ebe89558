/* SPDX-License-Identifier: Apache-2.0
 *
 * study: what becomes of measurements: times as parts of the anchor's, the last comparison before all others, failures
 * for good, and how far times of one kernel are apart.
 */
#include "tests/test.h"
#include "search/record/samples.h"
#include "tests/search/study_place.h"

static Study *s; /* of three candidates, without measurements */

static int begin(void **state)
{
    s = study_of_three();
    return 0;
}

static void take(Study *of, Taken t) { measure_once(of, t.trial, of->shape[t.shape], t.ns, t.anchor_ns); }

TEST(a_shape_is_extents_and_threads)
{
    for (int64_t j = 0; j < s->nshape; j++) {
        assert_int_equal(study_shape(s, s->shape[j]->extent, 1), j);
        assert_int_equal(study_shape(s, s->shape[j]->extent, 2), -1);
    }
}

/* With attributes, as these decide what is computed. */
TEST(a_failure_names_its_shape)
{
    Op op = *y.spec->op;
    Spec spec = *y.spec;
    Study with = *s;
    op.extent[3] = (Extent){ .name = "PAD", .kind = EXTENT_ATTRIBUTE, .least = -4, .most = 4 };
    op.ngiven = op.nextent = 4;
    spec.op = &op;
    with.spec = &spec;
    assert_string_equal(study_why(&with, y.arena, (int64_t[]){ 5, 6, 7, -1 }, 2, "off"),
                        "on M=5 N=6 K=7 PAD=-1 threads=2: off");
}

TEST(a_candidate_is_added_once)
{
    assert_int_equal(study_add(s, &y.space->candidate[1]), 1);
    assert_int_equal(s->ntrial, 3);
    assert_int_equal(study_find_key(s, s->trial[2].key), 2);
    assert_int_equal(study_find(s, &y.space->candidate[3]), -1);
    assert_string_not_equal(s->trial[0].key, s->trial[1].key);
}

TEST(without_an_anchor_a_time_counts_as_it_is)
{
    take(s, (Taken){ 0, 2, 100, 0 });
    take(s, (Taken){ 0, 2, 140, 0 });
    assert_near(s->trial[0].ns[2], 120);
    assert_int_equal(s->trial[0].count[2], 2);
    assert_true(s->trial[0].ns[1] == 0 && s->trial[1].ns[2] == 0);
}

/* The machine is half as fast when kernel 1 is timed: both take the same part of the anchor's time. */
TEST(slow_moments_cancel_out)
{
    take(s, (Taken){ 0, 0, 80, 100 });
    take(s, (Taken){ 1, 0, 160, 200 });
    assert_near(s->trial[0].ns[0], 0.8 * 100);
    assert_near(s->trial[1].ns[0], s->trial[0].ns[0]);
    assert_near(s->anchor[0].ns, 100);
    take(s, (Taken){ 2, 0, 75, 50 }); /* the best moment so far: all are what they would be then */
    assert_near(s->trial[2].ns[0], 75);
    assert_near(s->trial[0].ns[0], 0.8 * 50);
    assert_true(s->trial[0].ns[1] == 0);
}

/* One in three that something disturbed has no say; of two the middle counts. */
TEST(of_several_the_median_counts)
{
    double least, most;
    take(s, (Taken){ 0, 0, 80, 100 });
    take(s, (Taken){ 0, 0, 90, 100 });
    assert_near(s->trial[0].ns[0], 85);
    take(s, (Taken){ 0, 0, 180, 100 });
    assert_near(s->trial[0].ns[0], 90);
    assert_int_equal(s->trial[0].count[0], 3);
    trial_range(s, &s->trial[0], 0, &least, &most);
    assert_true(least == 80 && most == 180);
}

/* A time weighs less that was taken while the anchor was slow, or whose samples are far apart. */
TEST(bad_moments_weigh_less)
{
    take(s, (Taken){ 0, 0, 80, 100 });
    take(s, (Taken){ 0, 0, 180, 150 }); /* the anchor took half as much again */
    assert_near(s->trial[0].ns[0], 80);
    take(s, (Taken){ 1, 0, 90, 100 });
    MeasureRecord m = record_of(s, (Taken){ 1, 0, 70, 100 });
    m.nsample = 2;
    m.ns = KEPT(double, 70, 84);
    study_measure(s, &m);
    assert_near(s->trial[1].ns[0], 90);
}

TEST(an_anchor_ends_what_came_without)
{
    take(s, (Taken){ 0, 0, 50, 0 });
    take(s, (Taken){ 1, 0, 90, 100 });
    assert_true(s->trial[0].ns[0] == 0 && s->trial[0].count[0] == 0);
    take(s, (Taken){ 0, 0, 50, 0 });
    assert_true(s->trial[0].ns[0] == 0);
    take(s, (Taken){ 0, 0, 110, 100 });
    assert_near(s->trial[0].ns[0], 110);
}

/* A place whose measurement says so becomes a tuned shape, with all that was measured there, behind those that the spec
 * tunes and in the order of the spec. */
TEST(a_place_is_taken_in)
{
    const int64_t ntuned = s->nshape;
    const Instance *held[3];
    int n = 0;
    for (int64_t i = y.spec->ninstance - 1; n < 3; i--) /* the last ones first */
        if (!y.spec->instance[i].tuned)
            held[n++] = &y.spec->instance[i];
    for (int i = 0; i < 3; i++) {
        MeasureRecord m = measured(s, 1, held[i], 50 + 10 * i, 100);
        m.tunes = i != 1;
        study_measure(s, &m);
    }
    assert_int_equal(s->nshape, ntuned); /* not before the next choice */
    assert_int_equal(study_nheld_out(s), y.spec->ninstance - ntuned);
    study_take_in(s);
    study_take_in(s);
    assert_int_equal(s->nshape, ntuned + 2);
    assert_int_equal(s->nplace, ntuned + 3);
    assert_int_equal(study_nheld_out(s), y.spec->ninstance - ntuned - 2);
    static const int at[] = { 2, 0, 1 };
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(s->shape[ntuned + i], held[at[i]]);
        assert_near(s->trial[1].ns[ntuned + i], 50 + 10 * at[i]);
        assert_int_equal(s->trial[1].count[ntuned + i], 1);
        assert_near(s->anchor[ntuned + i].ns, 100);
        assert_true(study_tunes(s, held[at[i]]) == (i < 2));
        assert_true(study_holds_out(s, held[at[i]]) == (i == 2));
    }
    assert_true(study_tunes(s, s->shape[0]) && s->trial[0].ns[ntuned] == 0);
}

/* Where W exceeds L2, times of hot caches count until there is a cold one; where it does not, and where the spec says
 * that caches are hot, only hot ones do. Whatever comes first. */
TEST(cold_times_take_the_place_of_hot_ones)
{
    for (int order = 0; order < 2; order++) {
        s = study_of_three();
        MeasureRecord hot = record_of(s, (Taken){ 0, 0, 50, 100 }), cold = record_of(s, (Taken){ 1, 0, 180, 200 });
        cold.cold = true;
        assert_true(study_wants_cold(s, s->shape[0]->extent) && !study_is_cold(s, s->shape[0]->extent));
        study_measure(s, order ? &cold : &hot);
        assert_true(order || s->trial[0].ns[0] == 50);
        study_measure(s, order ? &hot : &cold);
        assert_true(s->trial[0].ns[0] == 0 && s->trial[0].count[0] == 0);
        assert_near(s->trial[1].ns[0], 180);
        assert_true(s->anchor[0].ns == 200 && s->anchor[0].count == 1);
        assert_true(study_is_cold(s, s->shape[0]->extent));
    }
    s = study_of_three();
    MeasureRecord cold = record_of(s, (Taken){ 1, 0, 180, 200 });
    cold.cold = true;
    const int64_t few[] = { 8, 16, 16 };
    assert_false(study_wants_cold(s, few));
    y.spec->hot = true;
    study_measure(s, &cold);
    assert_true(s->trial[1].ns[0] == 0 && !study_is_cold(s, s->shape[0]->extent));
    y.spec->hot = false;
    y.device.l2_bytes = 64 << 20;
    assert_false(study_wants_cold(s, s->shape[0]->extent));
    y.device.l2_bytes = 1 << 20;
    y.device.arch = "riscv64"; /* where no program may flush */
    assert_false(study_wants_cold(s, s->shape[0]->extent));
    y.device.arch = "x86_64";
}

/* A held-out shape becomes a place behind the tuned ones when it is measured; there is room for many. */
TEST(a_held_out_shape_is_a_place)
{
    int n = 0;
    for (int64_t i = 0; i < y.spec->ninstance; i++) {
        const Instance *inst = &y.spec->instance[i];
        if (inst->tuned || study_shape(s, inst->extent, inst->threads) >= 0 || study_place(s, inst) >= 0)
            continue;
        measure_once(s, n % 3, inst, 100 + n, 100);
        assert_int_equal(study_place(s, inst), s->nshape + n);
        assert_int_equal(study_shape(s, inst->extent, inst->threads), -1);
        assert_near(s->trial[n % 3].ns[s->nshape + n], 100 + n);
        n++;
    }
    assert_true(n > 0 && s->nplace == s->nshape + n);
    assert_near(s->trial[0].ns[s->nshape], 100); /* what was there moved along */
    assert_false(trial_timed(s, &s->trial[0]));
    assert_int_equal(study_choosable(s, s->nshape, NULL), 1);
}

/* The vendor's library is timed beside the anchor, as kernels are; at half the speed in the second moment. */
TEST(the_library_is_on_the_same_scale)
{
    assert_true(study_library(s, 0) == 0);
    const double library_ns[] = { 120, 260, 70 }; /* the last without an anchor: it says nothing */
    const Taken beside[] = { { 0, 0, 80, 100 }, { 1, 0, 180, 200 }, { 1, 0, 90, 0 } };
    for (int i = 0; i < 3; i++) {
        MeasureRecord m = record_of(s, beside[i]);
        m.library_ns = library_ns[i];
        study_measure(s, &m);
    }
    assert_near(study_library(s, 0), 1.25 * 100);
    assert_true(study_library(s, 1) == 0);
}

TEST(a_failure_is_for_good)
{
    MeasureRecord m = record_of(s, (Taken){ 0, 0, 70, 100 });
    m.status = STATUS_WRONG;
    study_measure(s, &m);
    take(s, (Taken){ 0, 0, 70, 100 });
    assert_false(trial_usable(&s->trial[0]));
    assert_true(isinf(study_best(s, 0, NULL)));
    m.status = STATUS_CRASHED; /* the worst of several */
    study_measure(s, &m);
    assert_int_equal(s->trial[0].status, STATUS_WRONG);
}

TEST(what_is_not_known_is_ignored)
{
    MeasureRecord m = record_of(s, (Taken){ 0, 0, 70, 100 });
    m.key = "ffffffffffffffffffffffffffffffff";
    study_measure(s, &m);
    m = record_of(s, (Taken){ 0, 0, 70, 100 });
    m.extent = KEPT(int64_t, 123457, m.extent[1], m.extent[2]); /* a shape that is not tuned */
    study_measure(s, &m);
    for (int i = 0; i < 3; i++)
        for (int64_t j = 0; j < s->nshape; j++)
            assert_true(s->trial[i].ns[j] == 0);
    assert_int_equal(s->nplace, s->nshape);
}

TEST(order_means_nothing)
{
    static const Taken all[] = { { 0, 0, 70, 100 }, { 1, 0, 61, 103 }, { 2, 0, 55, 99 },  { 0, 0, 73, 104 },
                                 { 1, 0, 66, 0 },   { 0, 0, 71, 97 },  { 2, 0, 58, 101 }, { 1, 0, 63, 98 } };
    const int n = sizeof all / sizeof *all;
    Study *back = study_of_three();
    for (int i = 0; i < n; i++) {
        take(s, all[i]);
        take(back, all[n - 1 - i]);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(back->trial[i].ns[0] == s->trial[i].ns[0]);
        assert_int_equal(back->trial[i].count[0], s->trial[i].count[0]);
    }
}

/* What is left out because the machine lacked something counts as tried, and as failed, in this run. */
TEST(left_out_of_a_run)
{
    study_leave(s, 1, "out of memory");
    assert_true(s->trial[1].built && s->trial[1].left_out && !trial_usable(&s->trial[1]));
    assert_string_equal(s->trial[1].why, "out of memory");
}

/* ---- noise ---- */

/* Two kernels, each seen twice, 2 % and 4 % apart; one that was seen once, and the anchor, which is as fast as itself,
 * say nothing. */
TEST(noise_is_how_far_measurements_scatter)
{
    assert_near(study_noise(s), 0.02); /* nothing is known */
    for (int k = 0; k < 2; k++) {
        take(s, (Taken){ k, 0, 99 - k, 100 });
        take(s, (Taken){ k, 0, 101 + k, 100 });
    }
    take(s, (Taken){ 2, 0, 300, 100 });
    take(s, (Taken){ 2, 1, 100, 100 });
    take(s, (Taken){ 2, 1, 100, 100 });
    assert_near(study_noise(s), sqrt((2 * 0.01 * 0.01 + 2 * 0.02 * 0.02) / 2));
}

/* Shape 0 is quiet and shape 2 is not; the noise of both together counts as four more measurements. */
TEST(noise_has_its_place)
{
    for (int shape = 0; shape < 3; shape += 2)
        for (int k = 0; k < 3; k++) {
            take(s, (Taken){ k, shape, shape ? 95 : 99, 100 });
            take(s, (Taken){ k, shape, shape ? 105 : 101, 100 });
        }
    const double quiet = 2 * 0.01 * 0.01, loud = 2 * 0.05 * 0.05, all = (quiet + loud) / 2;
    assert_near(study_noise(s), sqrt(all));
    assert_near(study_noise_at(s, 0, study_noise(s)), sqrt((3 * quiet + 4 * all) / 7));
    assert_near(study_noise_at(s, 1, study_noise(s)), sqrt(all));
    assert_near(study_noise_at(s, 2, study_noise(s)), sqrt((3 * loud + 4 * all) / 7));
}

/* Of one measurement the noise of its place is all that is known; more of them make it less, and never less than what a
 * request can tell. */
TEST(an_error_falls_with_measurements)
{
    take(s, (Taken){ 0, 0, 100, 100 });
    assert_near(trial_error(s, &s->trial[0], 0, 0.03), 0.03);
    for (int n = 1; n < 4; n++)
        take(s, (Taken){ 0, 0, 100, 100 });
    assert_near(trial_error(s, &s->trial[0], 0, 0.03), sqrt(2 * 0.03 * 0.03 / 5 / 4));
    assert_near(trial_error(s, &s->trial[0], 0, 0), 0.01 / 2);
    assert_near(trial_error(s, &s->trial[1], 0, 0.03), 0.03); /* not measured */
}

/* An accident of twice the time counts as one of 30 %; a kernel that failed says nothing. */
TEST(one_accident_is_not_the_noise)
{
    for (int k = 0; k < 2; k++)
        for (int n = 0; n < 3; n++)
            take(s, (Taken){ k, 0, n < 2 ? 100 : k ? 200 : 101, 100 });
    assert_near(study_noise(s), sqrt((0.01 * 0.01 + 0.3 * 0.3) / 2 / 2));
    s->trial[1].status = STATUS_WRONG;
    assert_near(study_noise(s), sqrt(0.01 * 0.01 / 2));
}

/* A GPU is told no number of threads: each shape is there once, whatever the spec's thread counts, and times of all of
 * them are times of it. */
TEST(a_device_that_is_told_no_threads_has_each_shape_once)
{
    static const char spec[] = "name = \"two\"; op = \"dense\"; target = [\"host\"]; threads = [2, 4];\n"
                               "dims = { T = { min = 1; max = 5; }; }; shapes = ( { M = \"T\"; N = 16; K = 8; } );\n"
                               "tune = { T = [1, 5]; };\n"
                               "budget = { kernels = 2; code_kib = 64; trials = 8; seconds = 10; };\n";
    Synthetic two;
    assert_true(synthetic_make(&two, spec, 4));
    Family gpu = *two.study->target->family;
    Target target = *two.study->target;
    gpu.splits_calls = false;
    target.family = &gpu;
    const Spec *once = spec_of_one_thread(two.arena, two.spec);
    Study *t = study_new(two.arena, once, &two.device, &target, "0123456789abcdef");
    assert_int_equal(two.spec->ninstance, 10);
    assert_int_equal(once->ninstance, 5);
    assert_int_equal(t->nshape, 2);
    assert_int_equal(t->shape[0]->threads, 1);
    Candidate c = two.space->candidate[0];
    c.target = &target;
    const int64_t trial = study_add(t, &c);
    t->trial[trial].built = true;
    for (int threads = 2; threads <= 4; threads += 2) {
        Instance split = *t->shape[1];
        split.threads = threads;
        measure_once(t, trial, &split, 1000 * threads, 0);
    }
    assert_int_equal(t->nplace, 2);
    assert_int_equal(t->trial[trial].count[1], 2);
    arena_free(two.arena);
}

TEST_EACH(begin, NULL)
TEST_FILE(make, drop)
