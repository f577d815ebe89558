/* SPDX-License-Identifier: Apache-2.0
 *
 * offline: which candidates are looked at where nothing can be timed, and on which shapes the choice is checked. What
 * compilers and the emulator would say is made up.
 */
#include "tests/test.h"
#include <stdlib.h>
#include "search/loop/search.h"
#include "tests/gen/kernel_record.h"
#include "tests/search/workshop.h"

enum { MOST_CALLS = 64, MOST_CHECKS = 2000, BATCH = 12, MOST_TRIALS = 48 };

#define SPEC(shapes, tune)                                                                              \
    "name = \"small\"; op = \"dense\"; target = [\"host\"]; dims = { T = { min = 1; max = 128; }; };\n" \
    "shapes = ( " shapes " );\n"                                                                        \
    "tune = { T = [" tune "]; }; layout = { W = \"NK\"; packed = true; };\n"                            \
    "budget = { kernels = 4; trials = 60; seconds = 100; };\n"                                          \
    "space = { MR = [4, 6, 8]; KC = [0]; UK = [4]; PF = [16, 32]; HOLD = [1]; };\n"
static const char small_spec[] =
    SPEC("{ M = \"64*T\"; N = 768; K = 3072; }, { M = \"T\"; N = 768; K = 768; }", "1, 24, 60, 100, 128");
static const char large_spec[] = SPEC("{ M = \"T\"; N = 98304; K = 196608; }", "1, 128");

static Search q;
static int batch[MOST_CALLS], nbatch, nlesser, nother; /* how many candidates each time */
static struct {
    int64_t extent[3];
    char key[40];
} check[MOST_CHECKS];
static int ncheck, spoil;            /* spoil: the first so many that are checked turn out wrong */
static double trial_s, check_s;      /* what each takes */
static bool all_wrong, all_left_out; /* left out: the machine lacks what it takes */

static void add_kernel(const Trial *t, Status status)
{
    const char *err = NULL;
    KernelRecord k = kernel_record(&t->c, t->key, &y.device);
    k.status = status;
    k.retry = t->retried;
    k.why = status == STATUS_OK ? "" : "it is said";
    assert_true(record_add_kernel(shop.records, &k, &err));
    study_kernel(lab.study, &k);
}

static bool trials(Lab *s, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    assert_true(nbatch < MOST_CALLS && n > 0 && share == SEARCH_SHARE);
    s->now_s += n * trial_s;
    batch[nbatch++] = n;
    for (int i = 0; i < n; i++) {
        const int64_t trial = study_add(s->study, &p[i].c);
        assert_false(s->study->trial[trial].built); /* each once */
        if (all_left_out)
            study_leave(s->study, trial, "No space left on device");
        else
            add_kernel(&s->study->trial[trial], all_wrong ? STATUS_WRONG : STATUS_OK);
    }
    return true;
}

static bool check_one(Lab *s, Arena *scratch, int64_t trial, const int64_t *extent, const char **err)
{
    Instance inst = { .threads = 1 };
    memcpy(inst.extent, extent, 3 * sizeof *extent);
    MeasureRecord m = measured(s->study, trial, &inst, 0, 0);
    m.nsample = 0;
    m.status = ncheck < spoil ? STATUS_WRONG : STATUS_OK;
    assert_true(ncheck < MOST_CHECKS);
    s->now_s += check_s;
    memcpy(check[ncheck].extent, extent, 3 * sizeof *extent);
    snprintf(check[ncheck++].key, sizeof check->key, "%s", m.key);
    if (!record_add_measure(shop.records, &m, err))
        fail_msg("%s", *err);
    study_measure(s->study, &m);
    return true;
}

/* What another target has counts for nothing here. */
static bool lesser(Lab *s, Arena *scratch, const char **err)
{
    assert_int_equal(nbatch, 0);
    nlesser++;
    for (int i = 0; i < y.targets.n; i++)
        for (int j = 0; j < y.templates.n; j++) {
            Candidate c;
            if (!target_is_fallback(&y.targets, &y.targets.t[i], s->study->target) ||
                !template_suits(y.templates.t[j], y.spec, &y.targets.t[i]) ||
                !candidate_general(y.templates.t[j], &y.targets.t[i], 0, &c) || study_find(s->study, &c) >= 0)
                continue;
            const int64_t trial = study_add(s->study, &c);
            add_kernel(&s->study->trial[trial], STATUS_OK);
            nother++;
        }
    return true;
}

static void begin(void)
{
    lab.study = study_loaded(recorded());
    lab.now_s = lab.began_s;
    nbatch = ncheck = nlesser = nother = 0;
}

static int open_on(const char *spec)
{
    const LabKind of = { .lesser = lesser, .trials = trials, .check = check_one };
    if (open_lab(spec, of) != 0)
        return -1;
    y.device.modelled = true;
    spoil = 0;
    trial_s = check_s = 0;
    all_wrong = all_left_out = false;
    keep_records();
    q = (Search){ .lab = &lab, .space = y.space };
    begin();
    return 0;
}

static int open_small(void **state) { return open_on(small_spec); }

static void anew_on(const char *spec)
{
    close_lab(NULL);
    open_on(spec);
}

static void fail_with(const char *why)
{
    const char *err = "";
    assert_false(search_run(&q, &err));
    assert_non_null(strstr(err, why));
}

static void run(void)
{
    const char *err = NULL;
    if (!search_run(&q, &err))
        fail_msg("%s", err);
}

static double predicted(const CostModel *m, const Candidate *c, const Instance *inst)
{
    return cost_predict(m, c, inst->extent, inst->threads);
}

/* ---- which candidates ---- */

/* General kernels first, all of them; then batches of twelve up to the budget, each of them worth a look for some
 * shape, and none fixed for extents. */
TEST(candidates_come_in_batches)
{
    y.spec->budget.trials = 30;
    run();
    const int ngeneral = y.space->ngeneral;
    int n = 0;
    assert_int_equal(nlesser, 1);
    assert_true(nother > 0);
    assert_int_equal(batch[0], ngeneral);
    for (int i = 0; i < nbatch; n += batch[i++])
        if (i > 0)
            assert_int_equal(batch[i], 30 - n < BATCH ? 30 - n : BATCH);
    assert_int_equal(n, 30);
    y.spec->budget.trials = 1000;
    begin();
    run(); /* goes on with what is there, up to a bound of its own */
    for (int i = 0; i < nbatch; i++)
        n += batch[i];
    assert_int_equal(n, MOST_TRIALS);
    begin();
    run();
    assert_int_equal(nbatch, 0);
}

/* Nothing is known of the candidates but the closed form: those are looked at that come within a quarter of the best on
 * some shape, and no others; none that is fixed for extents. */
TEST(what_is_worth_a_look)
{
    enum { FEW = 10, FAR = 30 };
    const CostModel *law = cost_analytic(y.arena, lab.study, &y.templates);
    const int64_t nshape = lab.study->nshape;
    Space some = *y.space;
    double *best = ARENA_ARRAY(y.arena, (size_t)nshape, double);
    int near = 0, far = 0;
    for (int64_t j = 0; j < nshape; j++) {
        best[j] = INFINITY;
        for (int64_t i = 0; i < y.space->n; i++)
            best[j] = fmin(best[j], predicted(law, &y.space->candidate[i], lab.study->shape[j]));
    }
    some.n = 0;
    some.candidate = ARENA_ARRAY(y.arena, (size_t)y.space->n, Candidate);
    for (int64_t i = 0; i < y.space->n; i++) {
        const Candidate *c = &y.space->candidate[i];
        bool is_best = false, is_far = true;
        for (int64_t j = 0; j < nshape; j++) {
            is_best = is_best || predicted(law, c, lab.study->shape[j]) == best[j];
            is_far = is_far && predicted(law, c, lab.study->shape[j]) > 1.26 * best[j];
        }
        if (is_best || (is_far ? far++ < FAR : near++ < FEW))
            some.candidate[some.n++] = *c;
    }
    assert_true(far > 5 && near >= FEW);
    q.space = &some;
    y.spec->budget.trials = 1000;
    run();
    for (int64_t i = 0; i < some.n; i++) {
        const Candidate *c = &some.candidate[i];
        bool worth = candidate_is_general(c);
        for (int64_t j = 0; j < nshape; j++)
            worth = worth || predicted(law, c, lab.study->shape[j]) <= 1.25 * best[j];
        assert_int_equal(study_find(lab.study, c) >= 0, worth);
    }
}

/* On every shape the one is predicted to take more than `factor` times as long as the other. */
static bool is_slower(const CostModel *law, const Candidate *slow, double factor, const Candidate *fast)
{
    for (int64_t j = 0; j < lab.study->nshape; j++)
        if (predicted(law, slow, lab.study->shape[j]) <= factor * predicted(law, fast, lab.study->shape[j]))
            return false;
    return true;
}

/* A fast candidate and a slow one of those that are fixed for no extents; `near`: two that are as good as the fast
 * one. */
typedef struct {
    Candidate fast, slow, near[2];
} Field;

static Field field_of(void)
{
    const CostModel *law = cost_analytic(y.arena, lab.study, &y.templates);
    const Candidate *all = y.space->candidate;
    Field f;
    int found = 0, nnear = 0;
    for (int64_t i = 0; i < y.space->n; i++)
        if (!candidate_is_fixed(&all[i]) && (!found++ || is_slower(law, &f.fast, 1, &all[i])))
            f.fast = all[i];
    found = 0;
    for (int64_t i = 0; i < y.space->n; i++) {
        if (candidate_is_fixed(&all[i]))
            continue;
        if (nnear < 2 && !candidate_same(&all[i], &f.fast) && !is_slower(law, &all[i], 1.2, &f.fast))
            f.near[nnear++] = all[i];
        if (!found && is_slower(law, &all[i], 1.3, &f.fast)) {
            f.slow = all[i];
            found = 1;
        }
    }
    assert_true(found && nnear == 2);
    return f;
}

static bool was_tried(const Candidate *c) { return study_find(lab.study, c) >= 0; }

/* The best that is known bounds what is worth a look: of those tried, too. */
TEST(the_best_bounds_the_others)
{
    Field f = field_of();
    Space some = { .n = 1, .candidate = &f.slow, .ngeneral = 1, .general = &f.fast };
    q.space = &some;
    run();
    assert_true(was_tried(&f.fast) && !was_tried(&f.slow));
}

/* Of more than there is time to rank, every so manieth is. */
TEST(large_spaces_are_thinned)
{
    enum { MOST_RANKED = 20000 };
    for (int thin = 0; thin < 2; thin++) {
        anew_on(large_spec);
        Field f = field_of();
        Candidate *all = ARENA_ARRAY(y.arena, MOST_RANKED, Candidate);
        Space some = { .candidate = all, .ngeneral = 1, .general = &f.fast };
        for (; some.n < MOST_RANKED - 1 + thin; some.n++)
            all[some.n] = some.n == 1 ? f.near[0] : some.n == 2 ? f.near[1] : f.slow;
        q.space = &some;
        run();
        assert_true(was_tried(&f.near[1]));
        assert_int_equal(was_tried(&f.near[0]), !thin);
    }
}

/* However many general kernels there are, and no more than the budget has. */
TEST(general_kernels_come_in_batches)
{
    static const struct {
        int budget, nbatch, batch[2];
    } rows[] = { { BATCH + 1, 2, { BATCH, 1 } }, { 5, 1, { 5 } } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        anew_on(small_spec);
        Space some = *y.space;
        some.general = y.space->candidate;
        some.ngeneral = BATCH + 1;
        q.space = &some;
        y.spec->budget.trials = rows[i].budget;
        run();
        assert_int_equal(nbatch, rows[i].nbatch);
        for (int k = 0; k < nbatch; k++)
            assert_int_equal(batch[k], rows[i].batch[k]);
        assert_int_equal(was_tried(&some.general[BATCH]), i == 0);
    }
}

/* ---- the choice ---- */

static bool is_end(const Instance *inst)
{
    const Instance *all = y.spec->instance;
    return inst == all || inst == all + y.spec->ninstance - 1 || inst->decl != inst[-1].decl ||
           inst->decl != inst[1].decl;
}

static double work_of(const int64_t *extent) { return (double)extent[0] * (double)extent[1] * (double)extent[2]; }

/* An instance, and the kernel that serves it. */
typedef struct {
    const Instance *inst;
    const char *key;
} Pair;

static int by_work(const void *x, const void *y_)
{
    const Pair *a = x, *b = y_;
    const double wa = work_of(a->inst->extent), wb = work_of(b->inst->extent);
    return wa != wb ? (wa > wb) - (wa < wb) : memcmp(a->inst->extent, b->inst->extent, sizeof a->inst->extent);
}

/* The tuned shapes and the ends of the ranges, the smallest first, as long as all together have no more than so much
 * work; but each kernel is looked at once. What was right is not looked at again. */
TEST(the_choice_is_checked)
{
    Pair *pair = ARENA_ARRAY(y.arena, (size_t)y.spec->ninstance, Pair);
    double work = 0;
    int n = 0, want = 0, first_only = 0;
    y.spec->budget.trials = 20;
    run();
    const CostModel *m = cost_fit(y.arena, lab.study, &y.templates);
    const Assignment *as = select_kernels(y.arena, lab.study, m);
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        if (y.spec->instance[i].tuned || is_end(&y.spec->instance[i]))
            pair[n++] = (Pair){ &y.spec->instance[i], lab.study->trial[as->kernel[as->chosen[i]]].key };
    qsort(pair, (size_t)n, sizeof *pair, by_work);
    for (int i = 0; i < n; i++) {
        bool first = true;
        for (int j = 0; j < i; j++)
            first = first && strcmp(pair[j].key, pair[i].key) != 0;
        if (work + work_of(pair[i].inst->extent) > 12e9 && !first) {
            first_only++;
            continue;
        }
        work += work_of(pair[i].inst->extent);
        assert_true(want < ncheck);
        assert_memory_equal(check[want].extent, pair[i].inst->extent, sizeof check[want].extent);
        assert_string_equal(check[want++].key, pair[i].key);
    }
    assert_int_equal(ncheck, want);
    assert_true(first_only > 0);
    begin();
    run();
    assert_int_equal(ncheck, 0);
}

/* What was right on other extents, be they the same in all but one byte, or on another device says nothing. */
TEST(records_of_something_else_do_not_count)
{
    const char *err = NULL;
    y.spec->budget.trials = 20;
    run();
    const int n = ncheck;
    anew_on(small_spec);
    y.spec->budget.trials = 20;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++) {
            int64_t *extent = kept(check[i].extent, sizeof check->extent);
            MeasureRecord m = {
                .key = check[i].key, .device = y.device.id, .naxis = 3, .extent = extent, .threads = 1
            };
            m.device = k < 3 ? y.device.id : "fedcba9876543210";
            m.why = "";
            if (k < 3)
                extent[k] += 1 << 16;
            assert_true(record_add_measure(shop.records, &m, &err));
        }
    run();
    assert_int_equal(ncheck, n);
}

/* A kernel that is wrong on its own shape is replaced, and the choice is made and checked again: so often, and no
 * more. */
TEST(a_wrong_choice_is_replaced)
{
    y.spec->budget.trials = 20;
    spoil = 3;
    run();
    for (int i = 0; i < spoil; i++) {
        assert_false(trial_usable(&lab.study->trial[study_find_key(lab.study, check[i].key)]));
        for (int j = i + 1; j < ncheck; j++)
            assert_string_not_equal(check[i].key, check[j].key);
    }
    assert_true(ncheck > 4);
    anew_on(small_spec);
    y.spec->budget.trials = 20;
    spoil = MOST_CHECKS;
    fail_with("too many of the kernels chosen turn out wrong on their own shapes");
    assert_int_equal(ncheck, 8);
}

/* What could not be run is in no record, yet it was tried. */
TEST(nothing_works)
{
    y.spec->budget.trials = 14;
    all_wrong = true;
    fail_with("none of 14 kernels that could be built works: 14 wrong");
    anew_on(small_spec);
    y.spec->budget.trials = 14;
    all_left_out = true;
    fail_with("the machine could neither build nor run any of 14 candidates");
    assert_false(q.fruitless);
    assert_int_equal(ncheck, 0);
}

/* ---- the time ---- */

static Effort effort;

static void has_effort(void)
{
    effort = (Effort){ 0 };
    lab.effort = &effort;
}

/* Looking at candidates has six tenths of the time, and no batch is begun behind it; checks are begun while they end in
 * time. */
TEST(the_time_bounds_it)
{
    trial_s = 4;
    run();
    assert_int_equal(nbatch, 3); /* the general kernel, and twice twelve */
    assert_true(lab.now_s >= 1060 && lab.now_s <= 1060 + BATCH * trial_s);
    begin();
    y.spec->budget.trials = 30;
    trial_s = 0;
    check_s = 30;
    run();
    assert_true(ncheck >= 1 && ncheck <= 4);
    assert_true(lab.now_s <= 1100 + check_s);
}

/* Where it is short, no more candidates are taken than fit, and of those one always. */
TEST(little_time_is_for_few_candidates)
{
    has_effort();
    lab.seconds = 8;
    trial_s = 2;
    run();
    assert_int_equal(nbatch, 2);
    assert_int_equal(batch[0], y.space->ngeneral);
    assert_int_equal(batch[1], 3); /* in 4.8 s, each in the mean of 2 s and the first guess, which is half a second */
    assert_int_equal(effort.n, 4);
    assert_true(effort.spent_s == 8);
    anew_on(small_spec);
    has_effort();
    lab.seconds = 0;
    run();
    assert_int_equal(nbatch, 1);
    assert_int_equal(batch[0], 1);
    assert_int_equal(ncheck, 0);
}

/* But a kernel that works there must be: others are tried as long as none of the first dozen does. */
TEST(time_goes_on_until_one_works)
{
    has_effort();
    lab.seconds = 0;
    all_wrong = true;
    fail_with("");
    assert_int_equal(nbatch, BATCH);
}

TEST_EACH(open_small, close_lab)
