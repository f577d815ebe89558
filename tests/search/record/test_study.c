/* SPDX-License-Identifier: Apache-2.0
 *
 * study: what becomes of measurements: times as parts of the anchor's, the last comparison before all others, failures for
 * good, and the order of records without any meaning.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "search/record/samples.h"
#include "tests/gen/synthetic.h"

static Synthetic y;

static int make(void **state)
{
    (void)state;
    return synthetic_make(&y, synthetic_spec, 4) ? 0 : -1;
}

static int drop(void **state)
{
    (void)state;
    arena_free(y.arena);
    return 0;
}

/* A study without measurements of three candidates. */
static Study *study_of_three(void)
{
    Study *s = study_new(y.arena, y.spec, &y.device, y.study->target, "0123456789abcdef");
    for (int i = 0; i < 3; i++) {
        int64_t added = study_add(s, &y.space->candidate[i]);
        s->trial[added].built = true;
    }
    return s;
}

typedef struct {
    int trial, shape;
    double ns, anchor_ns;
    bool final;
} Taken;

static MeasureRecord record_of(const Study *s, Taken t)
{
    MeasureRecord m = { .key = s->trial[t.trial].key,
                        .device = y.device.id,
                        .naxis = s->spec->op->naxis,
                        .threads = s->shape[t.shape]->threads,
                        .status = STATUS_OK,
                        .nsample = 1,
                        .ns = { t.ns },
                        .time_ns = t.ns,
                        .anchor_ns = t.anchor_ns,
                        .final = t.final,
                        .why = "" };
    memcpy(m.extent, s->shape[t.shape]->extent, sizeof s->shape[t.shape]->extent);
    return m;
}

static void take(Study *s, Taken t)
{
    MeasureRecord m = record_of(s, t);
    study_measure(s, &m);
}

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * want))
        fail_msg("%.17g is not %.17g", got, want);
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
    assert_near(s->trial[0].part[0], 0.8);
    assert_near(s->trial[0].second[0], 1.2);
    take(s, (Taken){ 0, 1, 8e6, 10e6, true });
    take(s, (Taken){ 0, 1, 12e6, 10e6, true });
    assert_near(s->trial[0].part[1], 1.0);
    assert_near(s->trial[0].second[1], 1.2); /* the standard error of two */
    take(s, (Taken){ 0, 1, 10e6, 10e6, true });
    assert_near(s->trial[0].part[1], 1.0);
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

static KernelRecord kernel_of(const Study *s, int trial)
{
    const Candidate *c = &s->trial[trial].c;
    int64_t value[TEMPLATE_MAX_PARAM];
    KernelRecord k = { .key = candidate_key(y.arena, c, "0123456789abcdef", &y.device),
                       .device = y.device.id,
                       .template_name = c->t->name,
                       .template_hash = c->t->hash,
                       .target = c->target->name,
                       .nparam = c->t->nparam,
                       .status = STATUS_OK,
                       .why = "" };
    candidate_values(c, value);
    for (int i = 0; i < k.nparam; i++)
        k.param[i] = (Param){ c->t->param[i].name, value[i] };
    return k;
}

/* A line of a kernel, or of a measurement of it: its status, and these. */
enum { AGAIN = 16, MEASURED = 32 };

/* The records of one candidate in a file, and what a study makes of them, in whatever order they come. */
static void failures_of_the_moment(void **state)
{
    enum { MOST = 4 };
    static const struct {
        bool general;
        int n;
        int kept[MOST];
        Status status;
        bool due;
    } cases[] = {
        { false, 1, { STATUS_TIMED_OUT }, STATUS_TIMED_OUT, true },
        { false, 2, { STATUS_TIMED_OUT, STATUS_OK | AGAIN }, STATUS_OK, false },
        { false, 2, { STATUS_TIMED_OUT, STATUS_TIMED_OUT | AGAIN }, STATUS_TIMED_OUT, false },
        { false, 2, { STATUS_TIMED_OUT, STATUS_WRONG | AGAIN }, STATUS_WRONG, false },
        { false, 1, { STATUS_BUILD_FAILED }, STATUS_BUILD_FAILED, false },
        { false, 2, { STATUS_CRASHED, STATUS_OK | AGAIN }, STATUS_CRASHED, false },
        { false, 2, { STATUS_OK, STATUS_TIMED_OUT | MEASURED }, STATUS_TIMED_OUT, true },
        { false, 3, { STATUS_OK, STATUS_TIMED_OUT | MEASURED, STATUS_OK | AGAIN }, STATUS_OK, false },
        { false, 3, { STATUS_OK, STATUS_TIMED_OUT | MEASURED, STATUS_TIMED_OUT | AGAIN }, STATUS_TIMED_OUT, false },
        { false,
          4,
          { STATUS_OK, STATUS_TIMED_OUT | MEASURED, STATUS_OK | AGAIN, STATUS_TIMED_OUT | AGAIN | MEASURED },
          STATUS_TIMED_OUT,
          false },
        { true, 1, { STATUS_BUILD_FAILED }, STATUS_BUILD_FAILED, true },
        { true, 1, { STATUS_CRASHED }, STATUS_CRASHED, true },
        { true, 1, { STATUS_INVALID }, STATUS_INVALID, true },
        { true, 1, { STATUS_WRONG }, STATUS_WRONG, false },
        { true, 2, { STATUS_CRASHED, STATUS_CRASHED | AGAIN }, STATUS_CRASHED, false },
        { true, 2, { STATUS_CRASHED, STATUS_OK | AGAIN }, STATUS_OK, false },
        { true, 2, { STATUS_OK, STATUS_WRONG | AGAIN }, STATUS_WRONG, false },
    };
    (void)state;
    const Candidate *other = &y.space->candidate[0], *general = &y.space->general[0];
    assert_false(candidate_is_general(other));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int turn = 0; turn < 3; turn++) { /* turn 1: backwards; 2: nothing works, as there is no other kernel */
            const Candidate *tried = cases[c].general ? general : other;
            Study *s = study_new(y.arena, y.spec, &y.device, y.study->target, "0123456789abcdef"),
                  *names = study_of_three();
            const int64_t it = study_add(names, tried), good = study_add(names, &y.space->candidate[2]);
            KernelRecord kernel[MOST + 1] = { kernel_of(names, (int)good) };
            MeasureRecord measure[2 * MOST + 1] = { record_of(names, (Taken){ (int)good, 0, 100, 100, false }) };
            Records r = { .nkernel = turn < 2, .kernel = kernel, .nmeasure = 1, .measure = measure };
            for (int k = 0; k < cases[c].n; k++) {
                const int line = cases[c].kept[turn == 1 ? cases[c].n - 1 - k : k];
                const Status status = (Status)(line % AGAIN);
                MeasureRecord *m = &measure[r.nmeasure];
                *m = record_of(names, (Taken){ (int)it, 0, 100, 100, false });
                if (line & MEASURED) {
                    m->status = status;
                    m->again = line & AGAIN;
                    m->nsample = 0;
                    r.nmeasure++;
                    continue;
                }
                kernel[r.nkernel] = kernel_of(names, (int)it);
                kernel[r.nkernel].status = status;
                kernel[r.nkernel++].again = line & AGAIN;
                r.nmeasure += status == STATUS_OK; /* and its time */
            }
            study_load(s, &r, &y.templates, &y.targets);
            const int64_t i = study_find(s, tried);
            assert_true(i >= 0);
            assert_int_equal(s->trial[i].status, cases[c].status);
            const bool failed = cases[c].status != STATUS_OK && cases[c].status != STATUS_WRONG;
            Candidate again[2];
            assert_int_equal(s->trial[i].again, cases[c].due || (turn == 2 && cases[c].general && failed));
            assert_int_equal(study_due(s, again, 2), cases[c].due || (turn == 2 && cases[c].general && failed));
            assert_int_equal(study_due(s, again, 2), 0); /* once in a run */
        }
}

/* A general kernel that was built and is refused for what was found in its code: nothing of the moment. */
static void a_finding_is_for_good(void **state)
{
    (void)state;
    Study *s = study_new(y.arena, y.spec, &y.device, y.study->target, "0123456789abcdef"), *names = study_of_three();
    KernelRecord k = kernel_of(names, (int)study_add(names, &y.space->general[0]));
    Records r = { .nkernel = 1, .kernel = &k };
    Candidate again;
    k.status = STATUS_BUILD_FAILED;
    k.fact[k.nfact++] = (Param){ "spilled", 4 };
    study_load(s, &r, &y.templates, &y.targets);
    assert_int_equal(s->ntrial, 1);
    assert_int_equal(study_due(s, &again, 1), 0);
}

/* What is left out for want of something counts as tried, and as failed, in this run. */
static void left_out_of_a_run(void **state)
{
    (void)state;
    Study *s = study_of_three();
    study_leave(s, 1, "out of memory");
    assert_true(s->trial[1].built && s->trial[1].aside && !trial_usable(&s->trial[1]));
    assert_string_equal(s->trial[1].why, "out of memory");
}

/* To the last bit: a choice between near equals must not depend on which of two files the records come from. */
static void records_in_any_order_make_the_same_study(void **state)
{
    (void)state;
    enum { NKERNEL = 3, NMEASURE = 60 };
    const Study *names = study_of_three();
    KernelRecord kernel[NKERNEL];
    MeasureRecord measure[NMEASURE], back[NMEASURE];
    Study *loaded[2];
    for (int i = 0; i < NKERNEL; i++)
        kernel[i] = kernel_of(names, i);
    for (int i = 0; i < NMEASURE; i++) {
        const int shape = i >= NMEASURE / 2; /* on the second one, means of long calls */
        const double anchor_ns = shape ? 5e6 + 1e6 * (i % 4 / 2) : 90 + 20 * synthetic_draw();
        const double part = shape && i % 3 == 0 ? 0.7 : 0.5 + synthetic_draw();
        measure[i] = record_of(names, (Taken){ i % 3, shape, anchor_ns * part, anchor_ns, i % 2 });
        measure[i].key = kernel[i % 3].key;
        measure[i].library_ns = anchor_ns * (1 + synthetic_draw());
        back[NMEASURE - 1 - i] = measure[i];
    }
    for (int i = 0; i < 2; i++) {
        const Records r = { .nkernel = NKERNEL, .kernel = kernel, .nmeasure = NMEASURE, .measure = i ? back : measure };
        loaded[i] = study_new(y.arena, y.spec, &y.device, y.study->target, "0123456789abcdef");
        study_load(loaded[i], &r, &y.templates, &y.targets);
        assert_int_equal(loaded[i]->ntrial, NKERNEL);
    }
    for (int j = 0; j < 2; j++) {
        for (int i = 0; i < NKERNEL; i++) {
            assert_true(loaded[0]->trial[i].ns[j] > 0);
            assert_true(loaded[0]->trial[i].ns[j] == loaded[1]->trial[i].ns[j]);
            assert_true(loaded[0]->trial[i].second[j] == loaded[1]->trial[i].second[j]);
        }
        assert_true(study_library(loaded[0], j) == study_library(loaded[1], j));
    }
}

/* One file holds the searches of two targets, each with an anchor of its own, the lesser one faster: neither knows the other's times, nor
 * any of its kernels but the general one, which stands in. */
static void another_targets_search_is_no_part_of_it(void **state)
{
    (void)state;
    enum { NKERNEL = 4 };
    const Study *names = study_of_three();
    const Target *avx2 = target_find(&y.targets, "avx2");
    Study *lesser = study_new(y.arena, y.spec, &y.device, avx2, "0123456789abcdef"), *s = NULL;
    Candidate c = y.space->candidate[0];
    assert_true(candidate_general(c.t, avx2, &c));
    study_add(lesser, &c);
    c = y.space->candidate[0];
    c.target = avx2;
    study_add(lesser, &c);
    KernelRecord kernel[NKERNEL] = { kernel_of(names, 0), kernel_of(names, 1), kernel_of(lesser, 0),
                                     kernel_of(lesser, 1) };
    MeasureRecord measure[NKERNEL];
    for (int i = 0; i < NKERNEL; i++) {
        measure[i] = record_of(i < 2 ? names : lesser, (Taken){ i % 2, 0, i < 2 ? 80 : 20, i < 2 ? 100 : 30, true });
        measure[i].key = kernel[i].key;
    }
    const Records r = { .nkernel = NKERNEL, .kernel = kernel, .nmeasure = NKERNEL, .measure = measure };
    s = study_new(y.arena, y.spec, &y.device, y.study->target, "0123456789abcdef");
    study_load(s, &r, &y.templates, &y.targets);
    assert_int_equal(s->ntrial, 3);
    assert_int_equal(study_find_key(s, kernel[3].key), -1);
    assert_true(s->trial[study_find_key(s, kernel[2].key)].ns[0] == 0);
    assert_near(s->anchor[0].ns, 100);
    assert_near(study_best(s, 0, NULL), 80);
    lesser = study_new(y.arena, y.spec, &y.device, avx2, "0123456789abcdef");
    study_load(lesser, &r, &y.templates, &y.targets);
    assert_int_equal(lesser->ntrial, 2);
    assert_near(study_best(lesser, 0, NULL), 20);
}

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

/* What does not follow from its own contents is of no use, nor what is another device's: such records are as if they were not there. */
static void records_are_not_believed(void **state)
{
    (void)state;
    const Study *names = study_of_three();
    for (int broken = 0; broken < 9; broken++) {
        KernelRecord k = kernel_of(names, 0);
        MeasureRecord m = record_of(names, (Taken){ 0, 0, 80, 100, false });
        const Records r = { .nkernel = 1, .kernel = &k, .nmeasure = 1, .measure = &m };
        Study *s = study_new(y.arena, y.spec, &y.device, y.study->target, "0123456789abcdef");
        switch (broken) {
        case 1:
            k.device = "another";
            break;
        case 2:
            m.device = "another";
            break;
        case 3:
            k.key = names->trial[1].key;
            break;
        case 4:
            k.template_hash = "0000000000000000";
            break;
        case 5:
            k.template_name = "no_gemm";
            break;
        case 6:
            k.param[0].name = "NONE";
            break;
        case 7:
            k.param[0].value = 12345;
            break;
        case 8:
            k.target = "sm_90a";
            break;
        }
        study_load(s, &r, &y.templates, &y.targets);
        assert_int_equal(s->ntrial, broken == 0); /* without a time it is as good as unknown */
    }
}

/* Of several records of one kernel the largest code, the earliest number, and the facts of the one that has most; of its measurements the worst
 * error. */
static void several_records_of_one_kernel(void **state)
{
    (void)state;
    Study *s = study_of_three();
    KernelRecord k = kernel_of(s, 0);
    k.code_bytes = 700;
    k.n = 9;
    k.nfact = 2;
    k.fact[0] = (Param){ "regs", 40 };
    k.fact[1] = (Param){ "spilled", 0 };
    study_kernel(s, &k);
    k.code_bytes = 900;
    k.n = 4;
    k.nfact = 1;
    k.fact[0].value = 50;
    study_kernel(s, &k);
    k.code_bytes = 800;
    k.n = 0;
    study_kernel(s, &k);
    k.n = 5;
    study_kernel(s, &k);
    const Trial *t = &s->trial[0];
    assert_true(t->code_bytes == 900 && t->n == 4 && t->facts.n == 2 && t->facts.fact[0].value == 40);
    assert_string_equal(t->facts.fact[1].name, "spilled");
    static const double errors[] = { 0.25, 0.5, 0.125 };
    for (int i = 0; i < 3; i++) {
        MeasureRecord m = record_of(s, (Taken){ 0, i, 70, 100, false });
        m.max_err = errors[i];
        study_measure(s, &m);
    }
    assert_true(t->max_err == 0.5);
}

/* Only where nothing was ever timed, as without a device, a kernel without a time is known. */
static void a_model_needs_no_times(void **state)
{
    (void)state;
    KernelRecord k = kernel_of(study_of_three(), 0);
    const Records r = { .nkernel = 1, .kernel = &k };
    Device modelled = y.device;
    for (int model = 0; model < 2; model++) {
        modelled.modelled = model;
        Study *s = study_new(y.arena, y.spec, &modelled, y.study->target, "0123456789abcdef");
        study_load(s, &r, &y.templates, &y.targets);
        assert_int_equal(s->ntrial, model);
    }
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

static void a_shape_is_extents_and_threads(void **state)
{
    (void)state;
    const Study *s = y.study;
    for (int64_t j = 0; j < s->nshape; j++) {
        assert_int_equal(study_shape(s, s->shape[j]->extent, 1), j);
        assert_int_equal(study_shape(s, s->shape[j]->extent, 2), -1);
    }
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
        cmocka_unit_test(failures_of_the_moment),
        cmocka_unit_test(a_finding_is_for_good),
        cmocka_unit_test(left_out_of_a_run),
        cmocka_unit_test(records_in_any_order_make_the_same_study),
        cmocka_unit_test(another_targets_search_is_no_part_of_it),
        cmocka_unit_test(noise_is_how_far_the_least_are_apart),
        cmocka_unit_test(noise_of_one_pass_is_that_of_its_samples),
        cmocka_unit_test(noise_has_its_place),
        cmocka_unit_test(a_candidate_is_added_once),
        cmocka_unit_test(records_are_not_believed),
        cmocka_unit_test(several_records_of_one_kernel),
        cmocka_unit_test(a_model_needs_no_times),
        cmocka_unit_test(one_accident_is_not_the_noise),
        cmocka_unit_test(a_shape_is_extents_and_threads),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
