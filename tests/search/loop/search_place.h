/* SPDX-License-Identifier: Apache-2.0
 *
 * search_place: what the tests of search share: a lab whose times and clock are made up, and all that is built and
 * measured beside its work. Included once by each.
 */
#ifndef DCGEN_TEST_SEARCH_PLACE_H
#define DCGEN_TEST_SEARCH_PLACE_H

#include "search/loop/search.h"
#include "search/measure/request.h"
#include "tests/search/workshop.h"

/* Of the space one candidate in EVERY is proposed. */
enum { MOST_CALLS = 400, MOST_MET = 48, CANDIDATES = 72, EVERY = 8, NSHAPE = 8 };
static const char few_shapes[] =
    "name = \"few\"; op = \"dense\"; target = [\"host\"]; dims = { T = { min = 1; max = 32; }; };\n"
    "shapes = ( { M = \"T\"; N = 768; K = 768; }, { M = \"T\"; N = 768; K = 3072; } );\n"
    "tune = { T = [1, 8, 16, 32]; }; layout = { W = \"NK\"; packed = true; };\n"
    "budget = { kernels = 4; code_kib = 512; trials = 30; seconds = 100; }; threads = [1];\n";

static Search q;
static Strategy strategy;

/* ---- the lab ---- */

static double batch_s, bout_s; /* what each takes */
static Proposal batch[MOST_CALLS][16];
static int nbatch, size[MOST_CALLS];
static double begun_s[MOST_CALLS];
static struct {
    const Instance *inst;
    int64_t trial[MOST_MET];
    int n;
    bool tunes;
    double begun_s;
} bout[MOST_CALLS];
static const Instance *wrong_on; /* the kernels of the first bout there turn out wrong, but for the general one */
static int nbout;
static double gain; /* of all that is proposed, but for rounds that are named in `poor`: of those 0 */
static const char *poor;
static int nround;
static int64_t nproposed; /* so far */
static int nasked;        /* shapes of each */
static bool kernels_fail;
static double step_ns; /* from the fastest kernel to the next */

/* The general kernel takes 200 us; of the others each 5 us more than the one proposed before, but for the first eight,
 * of which each takes as much less. */
static inline double time_of(const Lab *s, int64_t trial)
{
    if (candidate_same(&s->study->trial[trial].c, s->anchor))
        return 2e5;
    for (int64_t i = 0; i < CANDIDATES; i++)
        if (candidate_same(&s->study->trial[trial].c, &y.space->candidate[EVERY * i]))
            return 1e5 + step_ns * (double)(i > 8 ? i : 9 - i);
    fail_msg("nobody proposed that");
    return 0;
}

static inline void take(const Lab *s, int64_t trial, const Instance *inst, bool final, bool tunes)
{
    MeasureRecord m = measured(s->study, trial, inst, time_of(s, trial), 2e5);
    m.final = final;
    m.tunes = tunes;
    study_measure(s->study, &m);
}

static inline bool trials(Lab *s, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    assert_true(share == 0.6 && nbatch < MOST_CALLS);
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
            take(s, trial, s->study->shape[p[i].shape[k]], false, false);
    }
    lab.now_s += batch_s;
    return true;
}

/* Of kernels that are named in wrong_on, one turns out wrong on the shape. */
static inline bool compare(Lab *s, Arena *scratch, const Instance *inst, const int64_t *trial, int n, bool tunes,
                           const char **err)
{
    assert_true(nbout < MOST_CALLS && n <= MOST_MET);
    bout[nbout].inst = inst;
    bout[nbout].n = n;
    bout[nbout].begun_s = lab.now_s;
    bout[nbout].tunes = tunes;
    memcpy(bout[nbout++].trial, trial, (size_t)n * sizeof *trial);
    for (int i = 0; i < n; i++) {
        take(s, trial[i], inst, true, tunes);
        if (inst == wrong_on && trial[i] != lab_anchor(s))
            s->study->trial[trial[i]].status = STATUS_WRONG;
    }
    wrong_on = inst == wrong_on ? NULL : wrong_on;
    s->ntimed++;
    lab.now_s += bout_s;
    return true;
}

static int nlimit, limits_at_first;   /* how many are known, and how many were when the lab was asked for anything */
static int nbegun, ndropped, nlesser; /* proposals that were begun, and how often they were dropped */
static int nfirst;                    /* of the first round */

static inline bool lesser(Lab *s, Arena *scratch, const char **err)
{
    assert_int_equal(nbatch, q.ahead); /* built beside the first round */
    if (!q.ahead)
        limits_at_first = nlimit;
    return true;
}

/* ---- what comes beside the lab's work ---- */

static double asked_s[MOST_CALLS], most_ns; /* when for limits */
static int nbuilt, nlimits_built;
static bool limits_compile, knows_limits, limits_fail;
static const char *library_text;
static bool library_is_broken, library_is_late;
static Status library_status;

Exchange *exchange_begin(Runner *r, Request *request)
{
    const LimitRequest *l = &request->limits;
    assert_int_equal(request->kernel.n, 0); /* the lab is made up */
    assert_true(l->nthread == 1 && l->threads[0] == 1 && nlimit < MOST_CALLS);
    assert_string_equal(l->target, lab.study->target->name);
    assert_string_equal(l->dtype, "f32");
    if (lab.study->target->family == &family_cuda)
        assert_string_equal(l->so, "/limits.so");
    else
        assert_null(l->so);
    most_ns = l->max_ns;
    asked_s[nlimit++] = lab.now_s;
    request->nlimit = knows_limits;
    request->limit =
        KEPT(LimitRecord,
             { .target = l->target, .dtype = l->dtype, .threads = 1, .flops_per_s = 1e9 * nlimit, .clock_mhz = 999 });
    return NULL;
}

Step exchange_step(Exchange *x, const char **err)
{
    if (limits_fail)
        *err = "no limits";
    return limits_fail ? STEP_FAILED : STEP_OVER;
}

char *unit_library(Arena *a, const UnitContext *u, Diag *d)
{
    static const Source none = { .path = "library.c", .text = "" };
    if (library_is_broken)
        diag_error(d, (Loc){ .src = &none }, "unknown name");
    return library_text ? arena_strdup(a, library_text) : NULL;
}

char *unit_limits(Arena *a, const UnitContext *u, Diag *d)
{
    assert_true(u->target->family == &family_cuda); /* a CPU's runner needs no kernels for that */
    return arena_strdup(a, "limits");
}

void build_all(Builder *b, Arena *a, Build *builds, int n, const volatile int *stopped)
{
    assert_true(n == 1 && stopped == &stop_now && nbout == 0);
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
    assert_true(q.ahead && nbegun == nfirst && nbatch == 0 && nlesser == 1);
    build_all(b, a, builds, n, &stop_now);
    if (library_is_late)
        builds->status = STATUS_INVALID;
}

/* A lab whose work is recorded. */
static inline void measure_here(void)
{
    kind.measures = true;
    have_agent();
    keep_records();
}

/* The next ones of the space, on the first shapes. */
static inline int propose_next(Arena *a, const Study *s, const Space *space, const CostModel *m, Rng *rng,
                               Proposal *out, int n)
{
    assert_int_equal(m != NULL, strategy.models);
    int k = 0;
    const char named[] = { (char)('0' + nround++), 0 };
    const double promised = strstr(poor, named) ? 0 : gain;
    for (; k < n && nproposed < CANDIDATES; k++, nproposed++)
        out[k] = (Proposal){ .c = space->candidate[EVERY * nproposed],
                             .nshape = nasked,
                             .shape = { 0, 3, 5, 1, 2, 4, 6, 7 },
                             .gain = promised };
    return k;
}

static inline int open_search(void **state)
{
    const LabKind of = { .lesser = lesser, .trials = trials, .compare = compare };
    if (open_lab(few_shapes, of) != 0)
        return -1;
    batch_s = bout_s = 0.01;
    nbatch = nbout = nround = 0;
    gain = 1;
    poor = "";
    nasked = 3;
    nproposed = 1; /* the first is left out, as it may be the general kernel */
    step_ns = 5e3;
    nlimit = nbuilt = nlimits_built = limits_at_first = nbegun = ndropped = nlesser = 0;
    limits_compile = knows_limits = true;
    kernels_fail = library_is_late = limits_fail = library_is_broken = false;
    nfirst = 16;
    wrong_on = NULL;
    library_text = NULL;
    library_status = STATUS_OK;
    strategy = (Strategy){ "next", true, propose_next };
    q = (Search){ .lab = &lab, .strategy = &strategy, .space = y.space, .seed = 1 };
    assert_int_equal(lab.study->nshape, NSHAPE);
    return 0;
}

static inline void anew(void)
{
    close_lab(NULL);
    open_search(NULL);
}

/* The search, which fails and says so. */
static inline void fail_with(const char *why)
{
    const char *err = "";
    assert_false(search_run(&q, &err));
    assert_non_null(strstr(err, why));
}

static inline void run(void)
{
    const char *err = NULL;
    if (!search_run(&q, &err))
        fail_msg("%s", err);
}

static inline int ntried(void)
{
    int n = 0;
    for (int i = 0; i < nbatch; i++)
        n += size[i];
    return n;
}

#endif
