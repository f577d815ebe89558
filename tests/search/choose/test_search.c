/* SPDX-License-Identifier: Apache-2.0
 *
 * search: the loop and the last comparison on a lab whose times and clock are made up: what is tried, on which shapes, for how long, and
 * who meets whom in the end.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gen/unit/unit.h"
#include "search/choose/search.h"
#include "search/measure/runner.h"
#include "search/measure/stopwatch.h"
#include "tests/gen/synthetic.h"
#include "tests/tmp_folder.h"

enum { MOST_CALLS = 400, MOST_MET = 48, CANDIDATES = 100 };
static const char few_shapes[] =
    "name = \"few\"; op = \"dense\"; target = [\"host\"]; dims = { T = { min = 1; max = 64; }; };\n"
    "shapes = ( { M = \"T\"; N = 768; K = 768; }, { M = \"T\"; N = 768; K = 3072; } );\n"
    "tune = { T = [1, 16, 32, 64]; }; layout = { W = \"NK\"; packed = true; };\n"
    "budget = { kernels = 4; code_kib = 512; trials = 30; seconds = 100; }; threads = [1];\n";
enum { NSHAPE = 8 };

static Synthetic y;
static Search q;
static LabKind kind;
static Workshop shop;
static Lab lab;
static Strategy strategy;
static volatile int stop;

/* ---- the lab ---- */

static double batch_s, bout_s; /* what each takes */
static Proposal batch[MOST_CALLS][16];
static int nbatch, size[MOST_CALLS];
static double begun_s[MOST_CALLS];
static struct {
    int64_t shape, trial[MOST_MET];
    int n, repeats;
    double begun_s;
} bout[MOST_CALLS];
static int nbout;
static double gain; /* of all that is proposed, but for rounds that are named in `poor`: of those 0 */
static const char *poor;
static int nround;
static int64_t nproposed; /* so far */
static int nasked;        /* shapes of each */
static bool kernels_fail;
static double step_ns; /* from the fastest kernel to the next */

/* The general kernel takes 200 us; of the others each 5 us more than the one proposed before, but for the first eight, of which each takes
 * as much less. */
static double time_of(const Lab *s, int64_t trial)
{
    if (candidate_same(&s->study->trial[trial].c, s->anchor))
        return 2e5;
    for (int64_t i = 0; i < CANDIDATES; i++)
        if (candidate_same(&s->study->trial[trial].c, &y.space->candidate[7 * i]))
            return 1e5 + step_ns * (double)(i > 8 ? i : 9 - i);
    fail_msg("nobody proposed that");
    return 0;
}

static void take(const Lab *s, int64_t trial, int64_t shape, bool final)
{
    const Instance *inst = s->study->shape[shape];
    const double ns = time_of(s, trial);
    MeasureRecord m = { .key = s->study->trial[trial].key,
                        .device = y.device.id,
                        .naxis = 3,
                        .threads = 1,
                        .nsample = 1,
                        .ns = { ns },
                        .time_ns = ns,
                        .anchor_ns = 2e5,
                        .final = final,
                        .why = "" };
    memcpy(m.extent, inst->extent, sizeof inst->extent);
    study_measure(s->study, &m);
}

static bool trials(Lab *s, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    (void)scratch, (void)err;
    assert_true(share == 0.55 && nbatch < MOST_CALLS);
    memcpy(batch[nbatch], p, (size_t)n * sizeof *p);
    begun_s[nbatch] = lab.now_s;
    size[nbatch++] = n;
    for (int i = 0; i < n; i++) {
        const int64_t trial = study_add(s->study, &p[i].c);
        Trial *t = &s->study->trial[trial];
        t->built = true;
        t->code_bytes = 1000;
        t->status = kernels_fail ? STATUS_CRASHED : STATUS_OK;
        t->why = kernels_fail ? "killed" : "";
        for (int k = 0; k < p[i].nshape && !kernels_fail; k++)
            take(s, trial, p[i].shape[k], false);
    }
    lab.now_s += batch_s;
    return true;
}

static bool compare(Lab *s, Arena *scratch, const Instance *inst, const int64_t *trial, int n, int repeats, bool final,
                    double *ns, const char **err)
{
    (void)scratch, (void)ns, (void)err;
    const int64_t shape = study_shape(s->study, inst->extent, inst->threads);
    assert_true(final && nbout < MOST_CALLS && n <= MOST_MET);
    bout[nbout].shape = shape;
    bout[nbout].n = n;
    bout[nbout].repeats = repeats;
    bout[nbout].begun_s = lab.now_s;
    memcpy(bout[nbout++].trial, trial, (size_t)n * sizeof *trial);
    for (int i = 0; i < n; i++)
        take(s, trial[i], shape, true);
    lab.now_s += bout_s;
    return true;
}

static int limits_at_first; /* how many were known when the lab was asked for anything */
static int known_limits(void);
static int nbegun, ndropped; /* proposals that were begun, in order, and how often they were dropped */
static Candidate begun[MOST_CALLS];

static bool ahead(Lab *s, const Proposal *p, int n, const char **err)
{
    (void)s, (void)err;
    if (nbegun == 0)
        limits_at_first = known_limits();
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < nbegun; k++)
            assert_false(candidate_same(&begun[k], &p[i].c));
        assert_true(nbegun < MOST_CALLS);
        begun[nbegun++] = p[i].c;
    }
    return true;
}

static int nlesser;

static bool lesser_ahead(Lab *s, const char **err)
{
    (void)s, (void)err;
    assert_int_equal(nbegun, 16);
    nlesser++;
    return true;
}

static void drop_begun(Lab *s)
{
    (void)s;
    ndropped++;
}

static bool lesser(Lab *s, Arena *scratch, const char **err)
{
    (void)s, (void)scratch, (void)err;
    assert_int_equal(nbatch, q.ahead); /* built beside the first round */
    if (!q.ahead)
        limits_at_first = known_limits();
    return true;
}

/* ---- what comes beside the lab's work ---- */

static char folder[TMP_FOLDER_BYTES];
static double asked_s[MOST_CALLS], most_ns; /* when for limits */
static int nlimit, nsettled, nbuilt;
static int nlimits_built;
static bool limits_compile;
static int limits_settled; /* how many were known when the choice was settled */
static bool knows_limits, limits_fail, settle_fails, settle_measured;
static const char *library_text;
static bool library_is_broken, library_is_late;
static Status library_status;

static int known_limits(void) { return nlimit; }

bool measure(Runner *r, Arena *a, const MeasureRequest *req, const char *const *key, const char *const *so, int n,
             MeasureRecord *out, const volatile int *stopped, const char **err)
{
    (void)r, (void)a, (void)req, (void)key, (void)so, (void)n, (void)out, (void)stopped, (void)err;
    fail_msg("the lab is made up");
    return false;
}

bool limit_measure(Runner *r, Arena *a, const LimitRequest *req, LimitRecord *out, int *n, const volatile int *stopped,
                   const char **err)
{
    (void)r, (void)a;
    assert_ptr_equal(stopped, &stop);
    assert_true(req->nthread == 1 && req->threads[0] == 1 && nlimit < MOST_CALLS);
    assert_string_equal(req->target, lab.study->target->name);
    assert_string_equal(req->dtype, "f32");
    if (lab.study->target->family == &family_cuda)
        assert_string_equal(req->so, "/limits.so");
    else
        assert_null(req->so);
    most_ns = req->max_ns;
    asked_s[nlimit++] = lab.now_s;
    *err = "no limits";
    *n = knows_limits;
    out[0] = (LimitRecord){
        .target = req->target, .dtype = req->dtype, .threads = 1, .flops_per_s = 1e9 * nlimit, .clock_mhz = 999
    };
    return !limits_fail;
}

bool settle(Search *s, Arena *scratch, bool measured, const char **err)
{
    (void)s, (void)scratch;
    *err = "not settled";
    settle_measured = measured;
    limits_settled = nlimit;
    nsettled++;
    return !settle_fails;
}

char *unit_library(Arena *a, const UnitContext *u, Diag *d)
{
    static const Source none = { .path = "library.c", .text = "" };
    (void)u;
    if (library_is_broken)
        diag_error(d, (Loc){ .src = &none }, "unknown name");
    return library_text ? arena_strdup(a, library_text) : NULL;
}

char *unit_limits(Arena *a, const UnitContext *u, Diag *d)
{
    (void)d;
    assert_true(u->target->family == &family_cuda); /* a CPU's runner needs no kernels for that */
    return arena_strdup(a, "limits");
}

void build_all(Builder *b, Arena *a, Build *builds, int n, const volatile int *stopped)
{
    (void)b, (void)a;
    assert_true(n == 1 && stopped == &stop && nbout == 0);
    if (strcmp(builds->name, "limits") == 0) {
        assert_string_equal(builds->text, "limits");
        builds->status = limits_compile ? STATUS_OK : STATUS_BUILD_FAILED;
        builds->so = limits_compile ? "/limits.so" : NULL;
        builds->why = "bad";
        nlimits_built++;
        return;
    }
    assert_string_equal(builds->text, library_text);
    builds->status = library_status;
    builds->so = library_status == STATUS_OK ? "/library.so" : NULL;
    builds->why = "no such header";
    nbuilt++;
}

void build_start(Builder *b, Arena *a, Build *builds, int n)
{
    assert_true(q.ahead && nbegun == 16 && nbatch == 0 && nlesser == 1);
    build_all(b, a, builds, n, &stop);
    if (library_is_late)
        builds->status = STATUS_INVALID;
}

/* A lab whose work is recorded. */
static void measure_here(void)
{
    const char *err = NULL;
    assert_non_null(tmp_folder(folder));
    kind.measures = true;
    shop.records = record_open(y.arena, arena_printf(y.arena, "%s/r", folder), NULL, &err);
    assert_non_null(shop.records);
}

/* The next ones of the space, on the first shapes. */
static int propose_next(Arena *a, const Study *s, const Space *space, const CostModel *m, Rng *rng, Proposal *out,
                        int n)
{
    (void)a, (void)s, (void)rng;
    assert_int_equal(m != NULL, strategy.models);
    int k = 0;
    const char named[] = { (char)('0' + nround++), 0 };
    const double promised = strstr(poor, named) ? 0 : gain;
    for (; k < n && nproposed < CANDIDATES; k++, nproposed++)
        out[k] = (Proposal){ .c = space->candidate[7 * nproposed],
                             .nshape = nasked,
                             .shape = { 0, 3, 5, 1, 2, 4, 6, 7 },
                             .gain = promised };
    return k;
}

static UnitContext unit;

static int make(void **state)
{
    (void)state;
    if (!synthetic_make(&y, few_shapes, 4))
        return -1;
    batch_s = bout_s = 0.01;
    nbatch = nbout = stop = 0;
    gain = 1;
    poor = "";
    nround = 0;
    nasked = 3;
    nproposed = 1; /* the first is left out, as it may be the general kernel */
    kernels_fail = false;
    step_ns = 5e3;
    nlimit = nsettled = nbuilt = nlimits_built = limits_at_first = 0;
    limits_compile = true;
    nbegun = ndropped = nlesser = 0;
    library_is_late = false;
    knows_limits = true;
    limits_fail = settle_fails = library_is_broken = false;
    library_text = NULL;
    library_status = STATUS_OK;
    kind = (LabKind){ .own_clock = true, .lesser = lesser, .trials = trials, .compare = compare };
    strategy = (Strategy){ "next", true, true, propose_next };
    unit = (UnitContext){ .spec = y.spec, .device = &y.device, .targets = &y.targets, .target = y.study->target };
    shop = (Workshop){ .unit = &unit };
    lab = (Lab){ .kind = &kind,
                 .shop = &shop,
                 .arena = y.arena,
                 .templates = &y.templates,
                 .study = study_new(y.arena, y.spec, &y.device, y.study->target, "0123456789abcdef"),
                 .began_s = 1000,
                 .now_s = 1000,
                 .seconds = 100,
                 .stop = &stop };
    q = (Search){ .lab = &lab, .strategy = &strategy, .space = y.space, .seed = 1 };
    assert_int_equal(lab.study->nshape, NSHAPE);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    if (shop.records) {
        record_close(shop.records);
        assert_int_equal(tmp_folder_remove(folder), 0);
    }
    arena_free(y.arena);
    return 0;
}

static void run(void)
{
    const char *err = NULL;
    if (!search_run(&q, &err))
        fail_msg("%s", err);
}

static int ntried(void)
{
    int n = 0;
    for (int i = 0; i < nbatch; i++)
        n += size[i];
    return n;
}

/* ---- the loop ---- */

/* The general kernels come first, on shapes all over the ranges; then what is proposed, twelve at a time, up to the budget. */
static void batches_fill_the_budget(void **state)
{
    (void)state;
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
    assert_int_equal(nbatch, 3);
    assert_int_equal(size[0], 12);
    assert_int_equal(size[1], 12);
    assert_int_equal(ntried(), 30);
}

/* Where there are many general kernels a round has eight of them at most, and never more than the budget. */
static void general_kernels_keep_to_the_budget(void **state)
{
    (void)state;
    for (int budget = 5; budget <= 13; budget += 8) {
        Candidate general[12];
        drop(NULL), make(NULL);
        Space some = *y.space;
        for (int i = 0; i < 12; i++)
            general[i] = some.candidate[7 * (CANDIDATES - 1 - i)];
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

/* ---- built ahead ---- */

static void build_ahead(void)
{
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
    for (nproposed = 1; study_find(s, &space->candidate[7 * nproposed]) >= 0;) /* what was refused is proposed again */
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

/* One round is measured, the next is built, sixteen in each however many compilers run; none is proposed twice. */
static void the_next_round_is_built_while_one_is_measured(void **state)
{
    (void)state;
    build_ahead();
    strategy.propose = propose_beside;
    kind.trials = trials_behind;
    y.spec->budget.trials = 60;
    shop.jobs = 3;
    nin_flight = 0;
    run();
    static const int want[] = { 32, 32, 28, 12 };
    assert_int_equal(nbatch, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(nahead[i], want[i]);
        assert_int_equal(size[i], i < 3 ? 16 : 12);
    }
    assert_int_equal(ntried(), 60);
    assert_int_equal(nin_flight, 16);
    assert_int_equal(ndropped, 1);
    for (int64_t i = 0; i < lab.study->ntrial; i++)
        assert_false(lab.study->trial[i].in_flight);
}

/* What waits may change what is expected: it is measured before the search ends. */
static void rounds_that_promise_nothing_wait_for_the_others(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        drop(NULL), make(NULL);
        build_ahead();
        strategy.propose = propose_beside;
        y.spec->budget.trials = 80;
        gain = i;
        poor = "1";
        run();
        assert_int_equal(nbatch, i ? 5 : 4);
    }
}

static void what_is_not_measured_any_more_is_dropped(void **state)
{
    (void)state;
    build_ahead();
    y.spec->budget.trials = 1000;
    batch_s = 30;
    run();
    assert_int_equal(nbatch, 2);
    assert_int_equal(nbegun, 48);
    assert_int_equal(ndropped, 1);
}

static void the_library_is_built_beside_the_first_round(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        drop(NULL), make(NULL);
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
static void something_is_known_when_time_is_up(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        drop(NULL), make(NULL);
        if (i)
            build_ahead();
        lab.now_s = 1000 + 60;
        run();
        assert_int_equal(nbatch, 1);
        assert_int_equal(ntried(), i ? 16 : 12);
    }
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

static void without_a_model(void **state)
{
    (void)state;
    strategy.models = false;
    run();
    assert_int_equal(ntried(), 30);
}

/* More than half of the time goes by with the search: no batch begins behind it. */
static void the_search_has_its_part_of_the_time(void **state)
{
    (void)state;
    y.spec->budget.trials = 1000;
    batch_s = 20;
    run();
    assert_int_equal(nbatch, 3);
    assert_true(begun_s[2] == 1040);
}

/* Where nothing is to be gained it ends, but not before the fourth round. */
static void the_search_ends_when_nothing_is_to_be_gained(void **state)
{
    (void)state;
    static const double gains[] = { 0, 4e-4, 6e-4 };
    static const int want[] = { 4, 4, 0 };
    for (int i = 0; i < 3; i++) {
        y.spec->budget.trials = 1000;
        nproposed = 1;
        gain = gains[i];
        run();
        const int rounds = (CANDIDATES - 1 + y.space->ngeneral + 11) / 12; /* all that is proposed */
        assert_int_equal(nbatch, want[i] && want[i] < rounds ? want[i] : rounds);
        drop(NULL), make(NULL);
    }
}

/* Two rounds in succession, that is: one that promises something begins anew. */
static void patience_begins_anew(void **state)
{
    (void)state;
    y.spec->budget.trials = 1000;
    poor = "13567";
    run();
    assert_int_equal(nbatch, 6);
}

static void it_can_be_interrupted(void **state)
{
    (void)state;
    const char *err = NULL;
    stop = 1;
    assert_false(search_run(&q, &err));
    assert_string_equal(err, "interrupted");
    assert_int_equal(nbatch + nbout, 0);
}

/* A failure that is to be tried once more comes before all others, on shapes all over the ranges, and once. */
static void what_is_due_is_tried_first(void **state)
{
    (void)state;
    const int64_t trial = study_add(lab.study, &y.space->candidate[7]);
    lab.study->trial[trial].built = lab.study->trial[trial].again = true;
    lab.study->trial[trial].status = STATUS_TIMED_OUT;
    nproposed = 2;
    run();
    assert_int_equal(size[0], 1);
    assert_true(candidate_same(&batch[0][0].c, &y.space->candidate[7]));
    assert_int_equal(batch[0][0].nshape, PROPOSE_SHAPES);
    assert_true(lab.study->trial[trial].tried_again && trial_usable(&lab.study->trial[trial]));
    assert_int_equal(ntried(), 30);
}

static void nothing_works(void **state)
{
    (void)state;
    const char *err = NULL;
    kernels_fail = true;
    assert_false(search_run(&q, &err));
    assert_non_null(strstr(err, "none of 30 kernels that could be built works: 30 crashed"));
    assert_int_equal(nbout, 0);
}

/* ---- the last comparison ---- */

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

/* Passes go on as long as the time does. */
static void later_passes_need_time(void **state)
{
    (void)state;
    bout_s = 76 / 14.5; /* the fifteenth begins before 76 % of it are over */
    run();
    assert_int_equal(nbout, 15);
}

/* ---- the anchor, the machine's limits, the library ---- */

/* On a GPU the general kernel that is predicted to take least; else the first. */
static void the_anchor_of_a_gpu_is_predicted(void **state)
{
    (void)state;
    static Target gpu;
    const char *err = NULL;
    const CostModel *law = cost_analytic(y.arena, lab.study, &y.templates);
    Candidate few[3] = { y.space->candidate[0], y.space->candidate[0], y.space->candidate[0] };
    double total[2] = { 0, INFINITY };
    for (int64_t i = 0; i < y.space->n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < NSHAPE; j++)
            sum += cost_predict(law, &y.space->candidate[i], lab.study->shape[j]->extent, 1);
        if (sum > total[0]) {
            total[0] = sum;
            few[0] = few[2] = y.space->candidate[i];
        }
        if (sum < total[1]) {
            total[1] = sum;
            few[1] = y.space->candidate[i];
        }
    }
    Space some = *y.space;
    some.general = few;
    some.ngeneral = 3;
    q.space = &some;
    stop = 1;
    for (int cuda = 0; cuda < 2; cuda++) {
        gpu = *y.study->target;
        gpu.family = cuda ? &family_cuda : gpu.family;
        lab.study = study_new(y.arena, y.spec, &y.device, &gpu, "0123456789abcdef");
        assert_false(search_run(&q, &err));
        assert_ptr_equal(lab.anchor, &few[cuda]);
    }
}

/* A GPU's model is made of its rates: they are measured before anything is asked of the lab, by kernels that are built once; those that
 * are recorded do. What does not compile is not tried again. */
static void a_gpu_is_measured_first(void **state)
{
    (void)state;
    int64_t clock_mhz = 0;
    for (int round = 0; round < 3; round++) {
        if (round)
            drop(NULL), make(NULL);
        measure_here();
        Target *gpu = (Target *)target_find(&y.targets, y.study->target->name);
        const LimitRecord known = {
            .device = y.device.id, .target = gpu->name, .dtype = "f32", .threads = 1, .flops_per_s = 1e9
        };
        gpu->family = &family_cuda;
        target_set_fact(gpu, "CLOCK_MHZ", 1000);
        limits_compile = round < 2;
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

/* At the start, every now and then, and before the choice is settled, so that they take a small part of the time. */
static void limits_are_asked_now_and_then(void **state)
{
    (void)state;
    static const double want_s[] = { 1000, 1010, 1019, 1028, 1037, 1039 };
    const char *err = NULL;
    measure_here();
    batch_s = 5;
    bout_s = 1;
    run();
    assert_int_equal(nlimit, 6);
    assert_int_equal(limits_settled, 6); /* what is settled does not change afterwards */
    for (int i = 0; i < nlimit; i++)
        assert_true(asked_s[i] == want_s[i]);
    assert_true(most_ns == 0.25e9);
    const Records *r = record_all(shop.records);
    assert_int_equal(r->nlimit, 6);
    for (int i = 0; i < r->nlimit; i++)
        assert_string_equal(r->limit[i].device, y.device.id);
    drop(NULL), make(NULL);
    measure_here();
    lab.seconds = 10;
    run();
    assert_true(nlimit > 1 && most_ns == 0.12e9);
    drop(NULL), make(NULL);
    measure_here();
    batch_s = 5;
    bout_s = 1;
    knows_limits = false; /* it is not asked again */
    run();
    assert_int_equal(nlimit, 1);
    drop(NULL), make(NULL);
    measure_here();
    limits_fail = true;
    assert_false(search_run(&q, &err));
    assert_string_equal(err, "no limits");
    drop(NULL), make(NULL);
    run();
    assert_true(nlimit == 0 && nsettled == 0 && nbuilt == 0); /* nothing is measured there */
}

/* It is built before the last comparison; why it was not is kept. */
static void the_library_is_built_for_the_last_comparison(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool broken;
        Status status;
        const char *so, *why;
    } rows[] = {
        { "int l;", false, STATUS_OK, "/library.so", NULL },
        { "int l;", false, STATUS_BUILD_FAILED, NULL, "it does not compile: no such header" },
        { NULL, false, STATUS_OK, NULL, NULL },
        { NULL, true, STATUS_OK, NULL, "it does not compile: a name or condition in it is wrong" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        drop(NULL), make(NULL);
        measure_here();
        library_text = rows[i].text;
        library_is_broken = rows[i].broken;
        library_status = rows[i].status;
        run();
        assert_int_equal(nbuilt, rows[i].text != NULL);
        if (rows[i].so)
            assert_string_equal(shop.library.so, rows[i].so);
        else
            assert_null(shop.library.so);
        if (rows[i].why)
            assert_string_equal(shop.library.why, rows[i].why);
        else
            assert_null(shop.library.why);
    }
}

/* Which is told whether this run measured anything. */
static void settling_comes_last(void **state)
{
    (void)state;
    const char *err = NULL;
    measure_here();
    nasked = NSHAPE;
    run();
    assert_true(nsettled == 1 && settle_measured && nbout > 0);
    nbatch = nbout = 0;
    run();
    assert_true(nsettled == 2 && !settle_measured);
    settle_fails = true;
    assert_false(search_run(&q, &err));
    assert_string_equal(err, "not settled");
}

int main(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, make, drop)
    const struct CMUnitTest tests[] = {
        FRESH(batches_fill_the_budget),
        FRESH(general_kernels_keep_to_the_budget),
        FRESH(the_next_round_is_built_while_one_is_measured),
        FRESH(rounds_that_promise_nothing_wait_for_the_others),
        FRESH(what_is_not_measured_any_more_is_dropped),
        FRESH(the_library_is_built_beside_the_first_round),
        FRESH(something_is_known_when_time_is_up),
        FRESH(no_bout_begins_behind_the_budget),
        FRESH(without_a_model),
        FRESH(the_search_has_its_part_of_the_time),
        FRESH(the_search_ends_when_nothing_is_to_be_gained),
        FRESH(patience_begins_anew),
        FRESH(it_can_be_interrupted),
        FRESH(what_is_due_is_tried_first),
        FRESH(nothing_works),
        FRESH(those_near_the_best_meet),
        FRESH(finalists_are_few),
        FRESH(what_was_compared_is_not_compared_again),
        FRESH(the_first_pass_is_held_in_any_case),
        FRESH(later_passes_need_time),
        FRESH(samples_are_as_many_as_the_time_allows),
        FRESH(bouts_shrink_to_their_part),
        FRESH(a_bout_has_room_for_so_many),
        FRESH(the_anchor_of_a_gpu_is_predicted),
        FRESH(a_gpu_is_measured_first),
        FRESH(limits_are_asked_now_and_then),
        FRESH(the_library_is_built_for_the_last_comparison),
        FRESH(settling_comes_last),
    };
    return cmocka_run_group_tests_name("search/search", tests, NULL, NULL);
}
