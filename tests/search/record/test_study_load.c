/* SPDX-License-Identifier: Apache-2.0
 *
 * study, loaded from records: failures of the moment and for good, records in any order, several of one kernel, and
 * those not believed.
 */
#include "tests/test.h"
#include "search/space/cost.h"
#include "tests/gen/kernel_record.h"
#include "tests/search/study_place.h"

static KernelRecord kernel_of(const Study *s, int trial)
{
    const Candidate *c = &s->trial[trial].c;
    return kernel_record(c, candidate_key(y.arena, c, "0123456789abcdef", &y.device), &y.device);
}

/* A line of a kernel, or of a measurement of it: its status, and these. */
enum { RETRY = 16, MEASURED = 32 };

/* The records of one candidate in a file, and what a study makes of them, in whatever order they come. */
TEST(failures_of_the_moment)
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
        { false, 2, { STATUS_TIMED_OUT, STATUS_OK | RETRY }, STATUS_OK, false },
        { false, 2, { STATUS_TIMED_OUT, STATUS_TIMED_OUT | RETRY }, STATUS_TIMED_OUT, false },
        { false, 2, { STATUS_TIMED_OUT, STATUS_WRONG | RETRY }, STATUS_WRONG, false },
        { false, 1, { STATUS_BUILD_FAILED }, STATUS_BUILD_FAILED, false },
        { false, 2, { STATUS_CRASHED, STATUS_OK | RETRY }, STATUS_CRASHED, false },
        { false, 2, { STATUS_OK, STATUS_TIMED_OUT | MEASURED }, STATUS_TIMED_OUT, true },
        { false, 3, { STATUS_OK, STATUS_TIMED_OUT | MEASURED, STATUS_OK | RETRY }, STATUS_OK, false },
        { false, 3, { STATUS_OK, STATUS_TIMED_OUT | MEASURED, STATUS_TIMED_OUT | RETRY }, STATUS_TIMED_OUT, false },
        { false,
          4,
          { STATUS_OK, STATUS_TIMED_OUT | MEASURED, STATUS_OK | RETRY, STATUS_TIMED_OUT | RETRY | MEASURED },
          STATUS_TIMED_OUT,
          false },
        { true, 1, { STATUS_BUILD_FAILED }, STATUS_BUILD_FAILED, true },
        { true, 1, { STATUS_CRASHED }, STATUS_CRASHED, true },
        { true, 1, { STATUS_INVALID }, STATUS_INVALID, true },
        { true, 1, { STATUS_WRONG }, STATUS_WRONG, false },
        { true, 2, { STATUS_CRASHED, STATUS_CRASHED | RETRY }, STATUS_CRASHED, false },
        { true, 2, { STATUS_CRASHED, STATUS_OK | RETRY }, STATUS_OK, false },
        { true, 2, { STATUS_OK, STATUS_WRONG | RETRY }, STATUS_WRONG, false },
    };
    const Candidate *other = &y.space->candidate[0], *general = &y.space->general[0];
    assert_false(candidate_is_general(other));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int turn = 0; turn < 3; turn++) { /* turn 1: backwards; 2: nothing works, as there is no other kernel */
            const Candidate *tried = cases[c].general ? general : other;
            Study *names = study_of_three();
            const int64_t it = study_add(names, tried), good = study_add(names, &y.space->candidate[2]);
            KernelRecord kernel[MOST + 1] = { kernel_of(names, (int)good) };
            MeasureRecord measure[2 * MOST + 1] = { record_of(names, (Taken){ (int)good, 0, 100, 100 }) };
            Records r = { .nkernel = turn < 2, .kernel = kernel, .nmeasure = 1, .measure = measure };
            for (int k = 0; k < cases[c].n; k++) {
                const int line = cases[c].kept[turn == 1 ? cases[c].n - 1 - k : k];
                const Status status = (Status)(line % RETRY);
                MeasureRecord *m = &measure[r.nmeasure];
                *m = record_of(names, (Taken){ (int)it, 0, 100, 100 });
                if (line & MEASURED) {
                    m->status = status;
                    m->retry = line & RETRY;
                    m->nsample = 0;
                    r.nmeasure++;
                    continue;
                }
                kernel[r.nkernel] = kernel_of(names, (int)it);
                kernel[r.nkernel].status = status;
                kernel[r.nkernel++].retry = line & RETRY;
                r.nmeasure += status == STATUS_OK; /* and its time */
            }
            Study *s = study_loaded(&r);
            const int64_t i = study_find(s, tried);
            assert_true(i >= 0);
            assert_int_equal(s->trial[i].status, cases[c].status);
            const bool failed = cases[c].status != STATUS_OK && cases[c].status != STATUS_WRONG;
            Candidate due[2];
            assert_int_equal(s->trial[i].due, cases[c].due || (turn == 2 && cases[c].general && failed));
            assert_int_equal(study_due(s, due, 2), cases[c].due || (turn == 2 && cases[c].general && failed));
            assert_int_equal(study_due(s, due, 2), 0); /* once in a run */
        }
}

/* A kernel that was built and is refused for what was found in its code is nothing of the moment, be it a general one.
 * But one of a CPU that stands in for the tuned one, which was refused once and now is not, is tried again. */
TEST(a_finding_is_for_good)
{
    const Target *portable = target_find(&y.targets, "portable");
    Candidate c[2] = { y.space->general[0] }, due;
    for (int i = 0; !c[1].t; i++)
        if (template_suits(y.templates.t[i], y.spec, portable))
            candidate_general(y.templates.t[i], portable, 0, &c[1]);
    for (int lesser = 0; lesser < 2; lesser++)
        for (int retry = 0; retry < 2; retry++) {
            Study *names = study_of_three();
            KernelRecord k = kernel_of(names, (int)study_add(names, &c[lesser]));
            k.status = STATUS_BUILD_FAILED;
            k.retry = retry;
            k.nfact = 1;
            k.fact = KEPT(Param, { "spilled", 4 });
            Study *s = study_loaded(&(Records){ .nkernel = 1, .kernel = &k });
            assert_int_equal(s->ntrial, 1);
            assert_int_equal(s->trial[0].due, lesser && !retry);
            assert_int_equal(study_due(s, &due, 1), 0); /* it is of no search */
        }
}

/* To the last bit: a choice between near equals must not depend on which of two files the records come from. */
TEST(records_in_any_order_make_the_same_study)
{
    enum { NKERNEL = 3, NSHAPE = 3, NMEASURE = 90 };
    const Study *names = study_of_three();
    KernelRecord kernel[NKERNEL];
    MeasureRecord measure[NMEASURE], back[NMEASURE];
    Study *loaded[2];
    for (int i = 0; i < NKERNEL; i++)
        kernel[i] = kernel_of(names, i);
    for (int i = 0; i < NMEASURE; i++) {
        const int shape = i * NSHAPE / NMEASURE; /* on the second one, means of long calls */
        const double anchor_ns = shape ? 5e6 + 1e6 * (i % 4 / 2) : 90 + 20 * synthetic_draw();
        const double part = shape && i % 3 == 0 ? 0.7 : 0.5 + synthetic_draw();
        measure[i] = record_of(names, (Taken){ i % 3, shape, anchor_ns * part, anchor_ns });
        measure[i].library_ns = anchor_ns * (1 + synthetic_draw());
        if (shape ==
            /* on the third, measurements that are alike but for their samples, which say how far the time may be off */
            2) {
            measure[i] = record_of(names, (Taken){ i % 3, shape, 5e6, 6e6 });
            measure[i].nsample = 3;
            measure[i].ns = KEPT(double, 5e6, 5e6 * (1 + 0.01 * synthetic_draw()), 5e6 * (1 + 0.01 * synthetic_draw()));
        }
        measure[i].key = kernel[i % 3].key;
        back[NMEASURE - 1 - i] = measure[i];
    }
    for (int i = 0; i < 2; i++) {
        const Records r = { .nkernel = NKERNEL, .kernel = kernel, .nmeasure = NMEASURE, .measure = i ? back : measure };
        loaded[i] = study_loaded(&r);
        assert_int_equal(loaded[i]->ntrial, NKERNEL);
    }
    for (int j = 0; j < NSHAPE; j++) {
        for (int i = 0; i < NKERNEL; i++) {
            const double error = trial_error(loaded[0], &loaded[0]->trial[i], j, 0);
            assert_true(loaded[0]->trial[i].ns[j] > 0 && error > 0);
            assert_true(loaded[0]->trial[i].ns[j] == loaded[1]->trial[i].ns[j]);
            assert_true(error == trial_error(loaded[1], &loaded[1]->trial[i], j, 0));
        }
        assert_true(study_library(loaded[0], j) == study_library(loaded[1], j));
    }
}

/* Shapes that joined are tuned shapes of a study of the records too, the same in the same order, whichever line says
 * so. */
TEST(what_joined_comes_back)
{
    enum { NJOIN = 3, NMEASURE = 2 * (NJOIN + 1) };
    const Study *names = study_of_three();
    const KernelRecord kernel[2] = { kernel_of(names, 0), kernel_of(names, 1) };
    MeasureRecord measure[NMEASURE], back[NMEASURE];
    const Instance *held[NJOIN + 1];
    int n = 0;
    for (const Instance *inst = y.spec->instance; n <= NJOIN; inst++)
        if (!inst->tuned)
            held[n++] = inst;
    for (int i = 0; i < NMEASURE; i++) {
        const Instance *inst = held[NJOIN - i / 2];
        MeasureRecord *m = &measure[i];
        *m = measured(names, i % 2, inst, 50 + i, 100);
        m->tunes = inst != held[1] && i % 2 == i / 2 % 2; /* the first of both kernels, or the second */
        back[NMEASURE - 1 - i] = *m;
    }
    static const int order[] = { 0, 2, 3 };
    for (int turn = 0; turn < 2; turn++) {
        const Records r = { .nkernel = 2,
                            .kernel = (KernelRecord[]){ kernel[turn], kernel[!turn] },
                            .nmeasure = NMEASURE,
                            .measure = turn ? back : measure };
        Study *s = new_study();
        const int64_t ntuned = s->nshape;
        study_load(s, &r, &y.templates, &y.targets);
        assert_int_equal(s->ntrial, 2);
        assert_int_equal(s->nshape, ntuned + NJOIN);
        assert_int_equal(s->nplace, ntuned + NJOIN + 1);
        for (int j = 0; j < NJOIN; j++) {
            assert_ptr_equal(s->shape[ntuned + j], held[order[j]]);
            assert_near(s->trial[study_find_key(s, kernel[1].key)].ns[ntuned + j], 50 + 2 * (NJOIN - order[j]) + 1);
        }
    }
}

/* Two that failed alike for reasons that differ: the same one is told, and the same facts, whichever line comes first.
 * A reason may also come with a measurement. */
TEST(the_same_reason_in_any_order)
{
    const Study *names = study_of_three();
    KernelRecord kernel[3] = { kernel_of(names, 0), kernel_of(names, 0), kernel_of(names, 1) };
    MeasureRecord measure[2] = { record_of(names, (Taken){ 1, 0, 80, 100 }),
                                 record_of(names, (Taken){ 1, 0, 80, 100 }) };
    static const char *const why[] = { "killed", "a signal" };
    for (int i = 0; i < 2; i++) {
        kernel[i].status = STATUS_CRASHED;
        kernel[i].why = measure[i].why = why[i];
        kernel[i].nfact = 1;
        kernel[i].fact = KEPT(Param, { "regs", 40 - i });
        measure[i].status = STATUS_CRASHED;
        measure[i].nsample = 0;
    }
    for (int turn = 0; turn < 2; turn++) {
        const Records r = { .nkernel = 3, .kernel = kernel, .nmeasure = 2, .measure = measure };
        Study *s = study_loaded(&r);
        assert_int_equal(s->ntrial, 2);
        const Trial *t = &s->trial[study_find_key(s, kernel[0].key)];
        assert_string_equal(t->why, "a signal");
        assert_int_equal(t->facts.fact[0].value, 39);
        assert_non_null(strstr(s->trial[study_find_key(s, kernel[2].key)].why, ": a signal"));
        const KernelRecord k = kernel[0];
        kernel[0] = kernel[1];
        kernel[1] = k;
        const MeasureRecord m = measure[0];
        measure[0] = measure[1];
        measure[1] = m;
    }
}

/* One file holds the searches of two targets, each with an anchor of its own, the lesser one faster: neither knows the
 * other's times, nor any of its kernels but the general one, which stands in. */
TEST(another_targets_search_is_no_part_of_it)
{
    enum { NKERNEL = 4 };
    const Study *names = study_of_three();
    const Target *avx2 = target_find(&y.targets, "avx2");
    Study *lesser = study_new(y.arena, y.spec, &y.device, avx2, "0123456789abcdef"), *s = NULL;
    Candidate c = y.space->candidate[0];
    assert_true(candidate_general(c.t, avx2, 0, &c));
    study_add(lesser, &c);
    c = y.space->candidate[0];
    c.target = avx2;
    study_add(lesser, &c);
    KernelRecord kernel[NKERNEL] = { kernel_of(names, 0), kernel_of(names, 1), kernel_of(lesser, 0),
                                     kernel_of(lesser, 1) };
    MeasureRecord measure[NKERNEL];
    for (int i = 0; i < NKERNEL; i++) {
        measure[i] = record_of(i < 2 ? names : lesser, (Taken){ i % 2, 0, i < 2 ? 80 : 20, i < 2 ? 100 : 30 });
        measure[i].key = kernel[i].key;
    }
    const Records r = { .nkernel = NKERNEL, .kernel = kernel, .nmeasure = NKERNEL, .measure = measure };
    s = study_loaded(&r);
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

/* What does not follow from its own contents is of no use, nor what is another device's: such records are as if they
 * were not there. */
TEST(records_are_not_believed)
{
    const Study *names = study_of_three();
    KernelRecord k;
    MeasureRecord m;
    Param param[TEMPLATE_MAX_PARAM];
    const struct {
        const char **text, *instead; /* NULL: nothing is wrong */
    } broken[] = { { NULL, NULL },
                   { &k.device, "another" },
                   { &m.device, "another" },
                   { &k.key, names->trial[1].key },
                   { &k.template_hash, "0000000000000000" },
                   { &k.template_name, "no_gemm" },
                   { &param[0].name, "NONE" },
                   { &k.target, "sm_90a" } };
    for (size_t i = 0; i <= LENGTH(broken); i++) {
        k = kernel_of(names, 0);
        m = record_of(names, (Taken){ 0, 0, 80, 100 });
        memcpy(param, k.param, (size_t)k.nparam * sizeof *param);
        k.param = param;
        if (i == LENGTH(broken))
            param[0].value = 12345;
        else if (i > 0)
            *broken[i].text = broken[i].instead;
        const Study *s = study_loaded(&(Records){ .nkernel = 1, .kernel = &k, .nmeasure = 1, .measure = &m });
        assert_int_equal(s->ntrial, i == 0); /* without a time it is as good as unknown */
    }
}

/* Of several records of one kernel the largest code, the earliest number, and the facts of the one that has most; of
 * its measurements the worst error. */
TEST(several_records_of_one_kernel)
{
    Study *s = study_of_three();
    KernelRecord k = kernel_of(s, 0);
    k.code_bytes = 700;
    k.n = 9;
    k.nfact = 2;
    k.fact = KEPT(Param, { "regs", 40 }, { "spilled", 0 });
    study_kernel(s, &k);
    k.code_bytes = 900;
    k.n = 4;
    k.nfact = 1;
    k.fact = KEPT(Param, { "regs", 50 });
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
        MeasureRecord m = record_of(s, (Taken){ 0, i, 70, 100 });
        m.max_err = errors[i];
        study_measure(s, &m);
    }
    assert_true(t->max_err == 0.5);
}

/* Only where nothing was ever timed, as without a device, a kernel without a time is known. */
TEST(a_model_needs_no_times)
{
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

/* Of many kernels those count that come near the best time anywhere, and general ones; what failed is no part of it. */
TEST(slow_ones_of_many_are_behind)
{
    enum { FAST = STUDY_MOST - 2, SLOW = 40, ELSEWHERE = FAST + SLOW, GENERAL, NKERNEL };
    Study *names = new_study(), *s = NULL;
    static KernelRecord kernel[NKERNEL + 1];
    static MeasureRecord measure[NKERNEL + 1];
    assert_true(y.space->n > 2 * NKERNEL);
    for (int i = 0, from = 0; i < NKERNEL; i++) {
        while (i < GENERAL && candidate_is_general(&y.space->candidate[from]))
            from++;
        const int64_t at = study_add(names, i < GENERAL ? &y.space->candidate[from++] : &y.space->general[0]);
        assert_int_equal(at, i);
        kernel[i] = kernel_of(names, i);
        measure[i] = record_of(names, (Taken){ i, i == ELSEWHERE, 1000 + 10 * i, 100 });
    }
    for (int failed = 0; failed < 2; failed++) { /* of one more kernel that is fast, but wrong, nothing changes */
        Records r = { .nkernel = NKERNEL + failed, .kernel = kernel, .nmeasure = NKERNEL, .measure = measure };
        if (failed) {
            Study *with = new_study();
            kernel[NKERNEL] = kernel_of(with, (int)study_add(with, &y.space->candidate[y.space->n - 1]));
            kernel[NKERNEL].status = STATUS_WRONG;
        }
        s = study_loaded(&r);
        assert_int_equal(s->ntrial, NKERNEL + failed);
        assert_int_equal(study_nbehind(s), SLOW);
        for (int i = 0; i < NKERNEL; i++) {
            const int64_t at = study_find_key(s, kernel[i].key);
            assert_int_equal(s->trial[at].behind, i >= FAST && i < FAST + SLOW);
            assert_int_equal(study_may_choose(s, &s->trial[at]), !s->trial[at].behind);
            assert_int_equal(cost_counts(s, at, i == ELSEWHERE), !s->trial[at].behind);
        }
        assert_int_equal(study_choosable(s, -1, NULL), STUDY_MOST);
    }
    Records fewer = { .nkernel = FAST + 2, .kernel = kernel, .nmeasure = FAST + 2, .measure = measure };
    s = study_loaded(&fewer);
    assert_int_equal(study_nbehind(s), 0);
}

/* A general kernel that serves every call is of use though it was never timed, where others do not serve every call.
 * Other kernels are unknown then. */
TEST(what_serves_every_call_needs_no_times)
{
    enum { NKERNEL = 4 };
    const Synthetic was = y;
    assert_true(synthetic_make(&y, synthetic_strides, 3));
    const Candidate *general = y.space->general, *all = general, *less = general;
    while (!candidate_serves_all(all, y.spec))
        all++;
    while (candidate_serves_all(less, y.spec))
        less++;
    const Candidate *c[NKERNEL] = { &y.study->trial[0].c, all, less, &y.study->trial[1].c };
    Study *names = new_study();
    KernelRecord kernel[NKERNEL];
    for (int i = 0; i < NKERNEL; i++)
        kernel[i] = kernel_of(names, (int)study_add(names, c[i]));
    int shape = 0;
    while (!candidate_serves(c[0], y.spec, names->shape[shape]->extent))
        shape++;
    MeasureRecord m = record_of(names, (Taken){ 0, shape, 100, 100 });
    const Study *s = study_loaded(&(Records){ .nkernel = NKERNEL, .kernel = kernel, .nmeasure = 1, .measure = &m });
    assert_int_equal(s->ntrial, 2);
    assert_true(study_find(s, c[0]) >= 0 && study_find(s, all) >= 0);
    s = study_loaded(&(Records){ .nkernel = 1, .kernel = &kernel[1] }); /* alone it is as good as unknown */
    assert_int_equal(s->ntrial, 0);
    arena_free(y.arena);
    y = was;
}

TEST_FILE(make, drop)
