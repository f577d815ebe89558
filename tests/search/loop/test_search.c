/* SPDX-License-Identifier: Apache-2.0
 *
 * search: the loop: what is tried, on which shapes and for how long.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include "tests/gen/serve.h"
#include "tests/search/loop/search_place.h"

/* With a race of few bouts behind the loop. */
static int begin(void **state)
{
    const int failed = open_search(state);
    bout_s = 20;
    return failed;
}

static void begin_anew(void)
{
    close_lab(NULL);
    begin(NULL);
}

/* ---- the loop ---- */

/* Measured batches have these sizes. */
static void assert_sizes(const int *want, int n)
{
    assert_int_equal(nbatch, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(size[i], want[i]);
}

/* The general kernels come first, on shapes all over the ranges; then what is proposed, twelve at a time, up to the
 * budget. */
TEST(batches_fill_the_budget)
{
    run();
    const int ngeneral = y.space->ngeneral;
    assert_ptr_equal(lab.anchor, &y.space->general[0]);
    assert_int_equal(lab_anchor(&lab), 0);
    for (int i = 0; i < ngeneral; i++) {
        assert_true(candidate_same(&batch[0][i].c, &y.space->general[i]));
        assert_int_equal(batch[0][i].nshape, PROPOSE_SHAPES);
        for (int k = 0; k < PROPOSE_SHAPES; k++)
            assert_int_equal(batch[0][i].shape[k], NSHAPE * k / PROPOSE_SHAPES);
    }
    assert_sizes((const int[]){ 12, 12, 6 }, 3);
}

/* Where there are many general kernels a round has eight of them at most, and never more than the budget. */
TEST(general_kernels_keep_to_the_budget)
{
    for (int budget = 5; budget <= 13; budget += 8) {
        Candidate general[12];
        begin_anew();
        Space some = *y.space;
        for (int i = 0; i < 12; i++)
            general[i] = some.candidate[EVERY * (CANDIDATES - 1 - i)];
        some.general = general;
        some.ngeneral = 12;
        q.space = &some;
        y.spec->budget.trials = budget;
        run();
        assert_int_equal(ntried(), budget);
        for (int i = 0; i < 12 && i < size[0]; i++)
            assert_true(candidate_same(&batch[0][i].c, &general[i]) == (i < 8));
    }
}

TEST(without_a_model)
{
    strategy.models = false;
    run();
    assert_int_equal(ntried(), 30);
}

/* More than half of the time goes by with the search: no batch begins behind it. */
TEST(the_search_has_its_part_of_the_time)
{
    y.spec->budget.trials = 1000;
    batch_s = 20;
    run();
    assert_int_equal(nbatch, 3);
    assert_true(begun_s[2] == 1040);
}

/* Where nothing is to be gained it ends, but not before the fourth round. */
TEST(the_search_ends_when_nothing_is_to_be_gained)
{
    static const double gains[] = { 0, 4e-4, 6e-4 };
    static const int want[] = { 4, 4, 0 };
    for (int i = 0; i < 3; i++) {
        y.spec->budget.trials = 1000;
        nproposed = 1;
        gain = gains[i];
        run();
        const int rounds = (CANDIDATES - 1 + y.space->ngeneral + 11) / 12; /* all that is proposed */
        assert_int_equal(nbatch, want[i] && want[i] < rounds ? want[i] : rounds);
        begin_anew();
    }
}

/* Two rounds in succession, that is: one that promises something begins anew. */
TEST(patience_begins_anew)
{
    y.spec->budget.trials = 1000;
    poor = "13567";
    run();
    assert_int_equal(nbatch, 6);
}

TEST(it_can_be_interrupted)
{
    stop_now = 1;
    fail_with("interrupted");
    assert_int_equal(nbatch + nbout, 0);
}

/* A failure that is to be tried once more comes before all others, on shapes all over the ranges, and once. */
TEST(what_is_due_is_tried_first)
{
    const int64_t trial = study_add(lab.study, &y.space->candidate[EVERY]);
    lab.study->trial[trial].built = lab.study->trial[trial].due = true;
    lab.study->trial[trial].status = STATUS_TIMED_OUT;
    nproposed = 2;
    run();
    assert_int_equal(size[0], 1);
    assert_true(candidate_same(&batch[0][0].c, &y.space->candidate[EVERY]));
    assert_int_equal(batch[0][0].nshape, PROPOSE_SHAPES);
    assert_true(lab.study->trial[trial].retried && trial_usable(&lab.study->trial[trial]));
    assert_int_equal(ntried(), 30);
}

/* Where there are few shapes all of them are asked for; a candidate with fixed extents is tried where it is meant to
 * be, and nowhere else. */
TEST(a_candidate_is_tried_where_it_is_meant_to_be)
{
    Proposal p[1];
    lab.study->nshape = 3;
    assert_int_equal(search_general(&q, p, 1), 1);
    assert_int_equal(p->nshape, 3);
    for (int k = 0; k < 3; k++)
        assert_int_equal(p->shape[k], k);
    Synthetic z;
    bool any = false;
    const char *err = NULL;
    assert_true(synthetic_make(&z, synthetic_strides, 4));
    lab.study = study_on(&z);
    const Candidate *fixed = z.space->candidate;
    while (!candidate_is_fixed(fixed))
        fixed++;
    const int64_t trial = study_add(lab.study, fixed);
    lab.study->trial[trial].built = lab.study->trial[trial].due = true;
    lab.study->trial[trial].status = STATUS_TIMED_OUT;
    kernels_fail = true;          /* its times are not made up */
    Arena *scratch = arena_new(); /* which it resets */
    assert_true(search_retries(&q, scratch, SEARCH_SHARE, &any, &err) && any);
    arena_free(scratch);
    assert_in_range(batch[0][0].nshape, 1, lab.study->nshape - 1);
    for (int k = 0; k < batch[0][0].nshape; k++)
        assert_true(candidate_serves(fixed, z.spec, lab.study->shape[batch[0][0].shape[k]]->extent));
    arena_free(z.arena);
}

TEST(nothing_works)
{
    kernels_fail = true;
    fail_with("none of 30 kernels that could be built works: 30 crashed");
    assert_int_equal(nbout, 0);
}

/* The predicted time of a candidate over all shapes. */
static double predicted(const CostModel *law, const Candidate *c)
{
    double sum = 0;
    for (int64_t j = 0; j < NSHAPE; j++)
        sum += cost_predict(law, c, lab.study->shape[j]->extent, 1);
    return sum;
}

/* On a GPU the general kernel that is predicted to take least; else the first, unless it takes several times as
 * long. */
TEST(the_anchor_is_predicted)
{
    static Target gpu;
    static const double from[] = { 5, 1.5, 1 }, to[] = { INFINITY, 2.5, 1 };
    const CostModel *law = cost_analytic(y.arena, lab.study, &y.templates);
    enum { MANY = 256 };
    const Candidate *some_of[MANY];
    double ns[MANY], least = INFINITY;
    for (int i = 0; i < MANY; i++) {
        some_of[i] = &y.space->candidate[i * y.space->n / MANY];
        ns[i] = predicted(law, some_of[i]);
        least = fmin(least, ns[i]);
    }
    Candidate few[3] = { 0 }; /* far slower than the fastest, a little, and that one */
    for (int i = 0; i < MANY; i++)
        for (int k = 0; k < 3; k++)
            if (ns[i] >= from[k] * least && ns[i] <= to[k] * least)
                few[k] = *some_of[i];
    assert_true(few[0].t && few[1].t);
    Space some = *y.space;
    some.general = few;
    some.ngeneral = 3;
    q.space = &some;
    stop_now = 1;
    for (int cuda = 0; cuda < 2; cuda++) {
        gpu = *y.study->target;
        gpu.family = cuda ? &family_cuda : gpu.family;
        lab.study = study_new(y.arena, y.spec, &y.device, &gpu, "0123456789abcdef");
        fail_with("interrupted");
        assert_ptr_equal(lab.anchor, &few[1 + cuda]);
    }
}

/* However fast one is predicted to be, it is no anchor unless it serves every shape of the spec. One that is several
 * times slower than another wherever both serve, or that serves no tuned shape, is not timed. */
TEST(the_anchor_serves_every_shape)
{
    static const struct {
        const char *serves[3]; /* of three alike, the last of which does more work */
        int anchor;
        bool timed[3];
    } cases[] = {
        { { NULL, NULL, NULL }, 0, { true, true, false } },
        { { "K == 768", NULL, NULL }, 1, { true, true, false } },
        { { "K == 768", "K == 3072", NULL }, 2, { true, true, false } },
        { { "K == 768", "K == 768", NULL }, 2, { true, true, true } },
        { { "K == 1", NULL, NULL }, 1, { false, true, false } },
    };
    TemplateList list = y.templates;
    const Candidate *most = y.space->general;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        Candidate few[3];
        Space some = *y.space;
        Proposal p[3];
        bool timed[3] = { false };
        for (int k = 0; k < 3; k++) {
            Template *t = serve_some(y.arena, &list, most->t, y.spec, cases[i].serves[k]);
            few[k] = *most;
            few[k].t = t;
            for (int term = 0; term < t->nterm && k == 2; term++) {
                t->term[term].expr = expr_apply(y.arena, "*", t->term[term].expr, expr_number(y.arena, 100));
                expr_bind(t->term[term].expr, NAMES(t->slot, t->nslot));
            }
        }
        some.general = few;
        some.ngeneral = 3;
        q.space = &some;
        lab.templates = &list;
        lab.study = new_study();
        stop_now = 1;
        fail_with("interrupted");
        assert_ptr_equal(lab.anchor, &few[cases[i].anchor]);
        lab.study = new_study();
        for (int n = search_general(&q, p, 3), k = 0; k < n; k++)
            for (int of = 0; of < 3; of++)
                timed[of] = timed[of] || p[k].c.t == few[of].t;
        for (int k = 0; k < 3; k++)
            if (timed[k] != cases[i].timed[k])
                fail_msg("row %d: kernel %d", (int)i, k);
    }
}

/* ---- built ahead ---- */

static Candidate begun[MOST_CALLS]; /* in order */

static bool ahead(Lab *s, const Proposal *p, int n, const char **err)
{
    if (nbegun == 0)
        limits_at_first = nlimit;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < nbegun; k++)
            assert_false(candidate_same(&begun[k], &p[i].c));
        assert_true(nbegun < MOST_CALLS);
        begun[nbegun++] = p[i].c;
    }
    return true;
}

static bool lesser_ahead(Lab *s, const char **err)
{
    assert_int_equal(nbegun, nfirst);
    nlesser++;
    return true;
}

static void drop_begun(Lab *s) { ndropped++; }

/* For a device that compilers do not disturb. */
static void build_ahead(void)
{
    static Family apart;
    apart = *lab.study->target->family;
    apart.off_cpu = true;
    ((Target *)lab.study->target)->family = &apart;
    q.ahead = true;
    kind.ahead = ahead;
    kind.lesser_ahead = lesser_ahead;
    kind.drop = drop_begun;
}

static int nin_flight; /* the most that were, when others were proposed */

static int propose_beside(Arena *a, const Study *s, const Space *space, const CostModel *m, Rng *rng, Proposal *out,
                          int n)
{
    int in_flight = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        in_flight += s->trial[i].in_flight;
    nin_flight = in_flight > nin_flight ? in_flight : nin_flight;
    for (nproposed = 1;
         study_find(s, &space->candidate[EVERY * nproposed]) >= 0;) /* what was refused is proposed again */
        nproposed++;
    return propose_next(a, s, space, m, rng, out, n);
}

static int nahead[MOST_CALLS]; /* of those begun, how many had not been measured when the n-th batch was */

static bool trials_behind(Lab *s, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    int done = ntried();
    nahead[nbatch] = nbegun - done;
    for (int i = 0; i < n; i++)
        assert_true(candidate_same(&begun[done + i], &p[i].c));
    return trials(s, scratch, p, n, share, err);
}

/* One round is measured, the next is built, sixteen in each however many compilers run; none is proposed twice. On a
 * CPU the first round, which nothing waits for, is of twelve, and others of eight. */
TEST(the_next_round_is_built_while_one_is_measured)
{
    static const int want[] = { 32, 32, 28, 12 };
    for (int cpu = 0; cpu < 2; cpu++) {
        begin_anew();
        const Family *family = lab.study->target->family;
        build_ahead();
        if (cpu)
            ((Target *)lab.study->target)->family = family;
        nfirst = cpu ? 12 : 16;
        strategy.propose = propose_beside;
        kind.trials = trials_behind;
        y.spec->budget.trials = cpu ? 30 : 60;
        shop.jobs = 3;
        nin_flight = 0;
        run();
        assert_sizes(cpu ? (const int[]){ 12, 8, 8, 2 } : (const int[]){ 16, 16, 16, 12 }, 4);
        assert_true(cpu || memcmp(nahead, want, sizeof want) == 0);
        assert_int_equal(nin_flight, cpu ? 12 : 16);
        assert_int_equal(ndropped, 1);
        for (int64_t i = 0; i < lab.study->ntrial; i++)
            assert_false(lab.study->trial[i].in_flight);
    }
}

/* What waits may change what is expected: it is measured before the search ends. */
TEST(rounds_that_promise_nothing_wait_for_the_others)
{
    for (int i = 0; i < 2; i++) {
        begin_anew();
        build_ahead();
        strategy.propose = propose_beside;
        y.spec->budget.trials = 66;
        gain = i;
        poor = "1";
        run();
        assert_int_equal(nbatch, i ? 5 : 4);
    }
}

TEST(what_is_not_measured_any_more_is_dropped)
{
    build_ahead();
    y.spec->budget.trials = 1000;
    batch_s = 30;
    run();
    assert_int_equal(nbatch, 2);
    assert_int_equal(nbegun, 48);
    assert_int_equal(ndropped, 1);
}

TEST(the_library_is_built_beside_the_first_round)
{
    for (int late = 0; late < 2; late++) {
        begin_anew();
        measure_here();
        build_ahead();
        library_text = "int l;";
        library_is_late = late;
        run();
        assert_string_equal(shop.library.so, "/library.so");
        assert_int_equal(nbuilt, 1 + late);
    }
}

/* Compilers and runner took all of it to start: one round comes all the same. */
TEST(something_is_known_when_time_is_up)
{
    for (int i = 0; i < 2; i++) {
        begin_anew();
        if (i)
            build_ahead();
        lab.now_s = 1000 + 60;
        run();
        assert_int_equal(nbatch, 1);
        assert_int_equal(ntried(), i ? 16 : 12);
    }
}

/* Where the time is too short for a round of the usual size, rounds have what fits: by a first guess, half a second
 * each; then by what candidates took in searches before, which is 9 s for three: 5.4 s are for candidates of 2.4 s, the
 * guess among them. */
TEST(little_time_is_for_few_candidates)
{
    static const struct {
        double seconds, batch_s;
        int first, n; /* the first batch; candidates that the effort is known of then */
    } rows[] = { { 2.5, 9, 3, 3 }, { 9, 3, 2, 5 }, { 100, 200, 12, 17 } };
    for (int ahead = 0; ahead < 2; ahead++) {
        Effort effort = { 0 };
        for (size_t i = 0; i < LENGTH(rows); i++) {
            begin_anew();
            if (ahead && i == 0)
                build_ahead();
            nfirst = 3;
            lab.effort = &effort;
            lab.seconds = rows[i].seconds;
            batch_s = rows[i].batch_s;
            run();
            assert_true(i > 0 || (nbatch == 1 && effort.spent_s == 9));
            assert_int_equal(size[0], rows[i].first);
            assert_int_equal(effort.n, rows[i].n);
        }
    }
}

/* A kernel that works there must be, even if the time was up before: so long others are tried, as many as a usual round
 * has. */
TEST(time_goes_on_until_one_works)
{
    for (int fail = 0; fail < 2; fail++) {
        Effort effort = { 0 };
        const char *err = NULL;
        begin_anew();
        lab.effort = &effort;
        lab.seconds = 0;
        kernels_fail = fail;
        assert_true(search_run(&q, &err) == !fail);
        assert_int_equal(ntried(), fail ? 12 : 1);
    }
}

/* What a package can do without is not built then: it has nothing to meet in a race. */
TEST(little_time_is_not_for_the_library)
{
    Effort effort = { 0 };
    measure_here();
    library_text = "int l;";
    lab.effort = &effort;
    lab.seconds = 1;
    run();
    assert_int_equal(nbuilt, 0);
}

/* A device of its own is not disturbed by compilers; a CPU is, unless calls leave it a core. */
TEST(compilers_have_a_core_to_themselves)
{
    Target gpu = *lab.study->target;
    gpu.family = &family_cuda;
    y.device.cores = 2;
    assert_true(search_builds_ahead(lab.study));
    y.device.cores = 1;
    assert_false(search_builds_ahead(lab.study));
    y.spec->nthread = 2;
    y.spec->threads[1] = y.device.cores = 8;
    assert_false(search_builds_ahead(lab.study));
    lab.study->target = &gpu;
    assert_true(search_builds_ahead(lab.study));
}

TEST_EACH(begin, close_lab)
