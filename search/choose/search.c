/* SPDX-License-Identifier: Apache-2.0 */
#include "search/choose/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/target/family.h"
#include "search/choose/ending.h"
#include "search/choose/select.h"
#include "search/choose/settle.h"
#include "search/measure/calibrate.h"
#include "search/measure/lab_machine.h"
#include "search/space/cost.h"

enum {
    BATCH = 12,
    AHEAD_BATCH = 16,
    DEPTH = 2,
    FIRST_BATCH = 8,
    FINAL_PASSES = 3,
    FINAL_REPEATS = 5,
    FINAL_REPEATS_MIN = 3
};
/* Of the budget, when each phase should be over; what comes then has the rest (settle.c). */
static const double SEARCH_SHARE = 0.55, FINAL_SHARE = 0.76;
static const double WORTH = 5e-4; /* expected gain below which the search ends */
enum {
    PATIENCE = 2,
    LEAST_ROUNDS = 4
}; /* but not before so many rounds in succession, nor before so many in all: a model of little data may think that it knows */
static const double NEAR_BEST = 1.3;
static const double LIMITS_SHARE = 0.03; /* of the budget, for the machine's limits */
enum { LIMITS_TIMES = 8 };               /* the budget is cut so often for them, but not below LIMITS_LEAST_S a time */
static const double LIMITS_LEAST_S = 0.12, LIMITS_MOST_S = 0.25;

static double left_s(const Search *q, double share) { return q->began_s + share * q->seconds - q->lab->now_s(q); }

int64_t search_anchor(const Search *q) { return q->anchor ? study_find(q->study, q->anchor) : -1; }

/* Of the general kernels the first; on a GPU, where they are made for different shapes, the one that the analytic model gives the least
 * time over all tuned shapes, each relative to its best. It must not depend on measurements, of rates neither: times are parts of its own,
 * in later runs too. */
static const Candidate *choose_anchor(const Search *q, Arena *scratch)
{
    const Space *s = q->space;
    Study unrated = *q->study;
    unrated.rated = NULL;
    const CostModel *m = cost_analytic(scratch, &unrated, q->templates);
    double least = INFINITY;
    const Candidate *best = s->ngeneral ? &s->general[0] : NULL;
    for (int i = 0; i < s->ngeneral && target_is_cuda(q->study->target); i++) {
        double sum = 0;
        for (int64_t j = 0; j < q->study->nshape; j++) {
            const Instance *inst = q->study->shape[j];
            double fastest = INFINITY;
            for (int k = 0; k < s->ngeneral; k++)
                fastest = fmin(fastest, cost_predict(m, &s->general[k], inst->extent, inst->threads));
            sum += cost_predict(m, &s->general[i], inst->extent, inst->threads) / fastest;
        }
        if (sum < least) {
            least = sum;
            best = &s->general[i];
        }
    }
    return best;
}

/* ---- the machine's limits ---- */

/* Measures and records them; the model of a GPU takes them over. A device that has none is not asked again. */
static bool ask_limits(Search *q, Arena *scratch, double most_s, const char **err)
{
    LimitRecord *limit = ARENA_ARRAY(scratch, (size_t)q->study->spec->nthread + 1, LimitRecord);
    Calibration c = { q->unit, q->builder, q->runner, q->stop, q->limits_so };
    const char *why = NULL;
    int n = 0;
    if (!calibrate(&c, scratch, most_s, limit, &n, &why, err))
        return false;
    q->limits_so = c.so ? arena_strdup(q->arena, c.so) : NULL;
    if (n == 0)
        q->limits_due_s = INFINITY;
    for (int i = 0; i < n; i++)
        if (!record_add_limit(q->records, &limit[i], err))
            return false;
    study_rate(q->study, record_all(q->records));
    return true;
}

/* What the device does at most, to judge times by, and on GPUs for the analytic model. Whatever else uses the machine hides it for a while,
 * so it is measured at the start of a run that measures, every now and then, and before the choice is settled. */
static bool measure_limits(Search *q, Arena *scratch, bool last, const char **err)
{
    const double now_s = q->lab->now_s(q);
    if (!q->lab->measures || (last ? !(q->limits_due_s > 0 && isfinite(q->limits_due_s)) : now_s < q->limits_due_s))
        return true;
    const double most_s = fmin(fmax(LIMITS_SHARE * q->seconds / LIMITS_TIMES, LIMITS_LEAST_S), LIMITS_MOST_S);
    q->limits_due_s = now_s + most_s / LIMITS_SHARE;
    return ask_limits(q, scratch, most_s, err);
}

/* A model that takes the device's rates, and has none yet, needs them before its first proposal. */
static bool rate_device(Search *q, Arena *scratch, const char **err)
{
    const Study *s = q->study;
    const bool wanted =
        q->lab->measures && family_find(s->target->family)->limits && study_rated(s, s->target) == s->target;
    return !wanted || measure_limits(q, scratch, false, err);
}

/* "1.14x of the general kernel": geometric mean over the shapes that both were measured on. */
static const char *best_text(const Search *q, Arena *a)
{
    const Study *s = q->study;
    int64_t base = search_anchor(q);
    double sum = 0;
    int n = 0;
    for (int64_t j = 0; base >= 0 && j < s->nshape; j++)
        if (s->trial[base].ns[j] > 0) {
            sum += log(s->trial[base].ns[j] / study_best(s, j, NULL));
            n++;
        }
    return n ? arena_printf(a, "%.2fx of the general kernel", exp(sum / n)) : "";
}

static int64_t measured_trials(const Study *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        n += s->trial[i].built && s->trial[i].c.target == s->target;
    return n;
}

/* On shapes all over the ranges. */
static Proposal proposal_of(const Search *q, const Candidate *c)
{
    Proposal p = { .c = *c, .gain = 1 };
    for (; p.nshape < PROPOSE_SHAPES && p.nshape < q->study->nshape; p.nshape++)
        p.shape[p.nshape] = q->study->nshape * p.nshape / PROPOSE_SHAPES;
    return p;
}

/* The general kernels come first: they are the baseline, and the model's first foothold. */
static int first_proposals(const Search *q, Proposal *out)
{
    int n = 0;
    for (int i = 0; i < q->space->ngeneral && n < FIRST_BATCH; i++) {
        int64_t trial = study_add(q->study, &q->space->general[i]);
        if (!q->study->trial[trial].built && !q->study->trial[trial].in_flight)
            out[n++] = proposal_of(q, &q->space->general[i]);
    }
    return n;
}

/* What a former run failed with and is to be tried once more; *any: there was something. */
static bool try_again(Search *q, Arena *scratch, bool *any, const char **err)
{
    Candidate c[BATCH];
    Proposal p[BATCH];
    for (int n; left_s(q, SEARCH_SHARE) > 0 && (n = study_due(q->study, c, BATCH)) > 0; *any = true) {
        for (int i = 0; i < n; i++)
            p[i] = proposal_of(q, &c[i]);
        if (!q->lab->trials(q, scratch, p, n, SEARCH_SHARE, err))
            return false;
        arena_reset(scratch);
    }
    return true;
}

/* ---- the library for this op and target (a CBLAS, the vendor's), if there is one, as a shared object ---- */

static Build *library_text(Search *q)
{
    Diag *d = diag_new(q->arena);
    Build *b = ARENA_NEW(q->arena, Build);
    *b = (Build){ .name = "library", .text = unit_library(q->arena, q->unit, d) };
    if (!b->text && diag_nerror(d))
        q->library_why = "it does not compile: a name or condition in it is wrong";
    return b->text ? b : NULL;
}

/* In the background. */
static void begin_library(Search *q)
{
    q->library_build = library_text(q);
    if (q->library_build)
        build_start(q->builder, q->arena, q->library_build, 1);
}

static void build_library(Search *q)
{
    Build *b = q->ahead ? q->library_build : library_text(q);
    if (b && (!q->ahead || b->status == STATUS_INVALID)) /* it was not done when the search ended */
        build_all(q->builder, q->arena, b, 1, q->stop);
    if (b && b->status == STATUS_OK)
        q->library = b->so;
    else if (b)
        q->library_why = arena_printf(q->arena, "it does not compile: %s", b->why);
}

/* ---- rounds ---- */

/* Candidates that are proposed together. */
typedef struct {
    int n;
    Proposal p[AHEAD_BATCH];
} Round;

/* Those of a search: how many it had, how many of the last ones promised nothing, and which wait to be measured: one, or where candidates
 * are built ahead as many as keep compilers and device busy. */
typedef struct {
    int64_t n, idle, nmeasured;
    int nwaiting;
    Round waiting[DEPTH];
} Rounds;

/* The same however many compilers run at a time, so that machines of one kind try the same. */
static int round_size(const Search *q) { return q->ahead ? AHEAD_BATCH : BATCH; }

static int64_t waiting_trials(const Rounds *r)
{
    int64_t n = 0;
    for (int i = 0; i < r->nwaiting; i++)
        n += r->waiting[i].n;
    return n;
}

static void set_in_flight(Search *q, const Round *x, bool in_flight)
{
    for (int i = 0; i < x->n && q->ahead; i++) {
        const int64_t trial = study_add(q->study, &x->p[i].c);
        q->study->trial[trial].in_flight = in_flight;
    }
}

/* False: nothing is worth the time, or it is to be seen what comes of those that wait. */
static bool propose_round(Search *q, Arena *scratch, Rng *rng, Rounds *r, Round *out)
{
    CostModel *m = q->strategy->models ? cost_fit(scratch, q->study, q->templates) : NULL;
    const int64_t left = q->study->spec->budget.trials - measured_trials(q->study) - waiting_trials(r);
    const int most = left < round_size(q) ? (int)left : round_size(q);
    double gain = 0;
    if (most <= 0)
        return false;
    out->n = first_proposals(q, out->p);
    if (out->n < most)
        out->n += q->strategy->propose(scratch, q->study, q->space, m, rng, out->p + out->n, most - out->n);
    for (int i = 0; i < out->n; i++)
        gain = fmax(gain, out->p[i].gain);
    if (!(gain > WORTH) && r->nwaiting > 0)
        return false;
    r->idle = gain > WORTH ? 0 : r->idle + 1;
    r->n++;
    return out->n > 0 && (r->idle < PATIENCE || r->n <= LEAST_ROUNDS);
}

/* One more waits, if there is one that is worth it. */
static bool plan_round(Search *q, Arena *scratch, Rng *rng, Rounds *r, const char **err)
{
    Round *x = &r->waiting[r->nwaiting];
    if (!propose_round(q, scratch, rng, r, x))
        return true;
    r->nwaiting++;
    set_in_flight(q, x, true);
    return !q->ahead || q->lab->ahead(q, x->p, x->n, err);
}

static bool plan_rounds(Search *q, Arena *scratch, Rng *rng, Rounds *r, const char **err)
{
    for (int before = -1; r->nwaiting < (q->ahead ? DEPTH : 1) && r->nwaiting > before;) {
        before = r->nwaiting;
        if (!plan_round(q, scratch, rng, r, err))
            return false;
    }
    return true;
}

/* Of those that wait the first. */
static bool measure_round(Search *q, Arena *scratch, Rounds *r, const char **err)
{
    const Round x = r->waiting[0];
    memmove(r->waiting, r->waiting + 1, (size_t)--r->nwaiting * sizeof *r->waiting);
    const bool ok = measure_limits(q, scratch, false, err) && q->lab->trials(q, scratch, x.p, x.n, SEARCH_SHARE, err);
    set_in_flight(q, &x, false);
    return ok;
}

void search_show(Search *q, Arena *scratch)
{
    progress_update(q->progress, (double)measured_trials(q->study), best_text(q, scratch), fmax(left_s(q, 1), 0));
}

/* Something must be known when time is up: the first round comes in any case. */
static bool search_rounds(Search *q, Arena *scratch, Rng *rng, Rounds *r, int64_t most, const char **err)
{
    for (; r->nmeasured < most && measured_trials(q->study) < q->study->spec->budget.trials &&
           (left_s(q, SEARCH_SHARE) > 0 || measured_trials(q->study) == 0);
         r->nmeasured++) {
        if (*q->stop) {
            *err = "interrupted";
            return false;
        }
        if (!plan_rounds(q, scratch, rng, r, err))
            return false;
        if (!r->nwaiting)
            return true;
        if (!measure_round(q, scratch, r, err))
            return false;
        search_show(q, scratch);
        arena_reset(scratch);
    }
    return true;
}

/* The device has work as soon as the first round is built; all else is built while that is measured. */
static bool begin_rounds(Search *q, Arena *scratch, Rng *rng, Rounds *r, const char **err)
{
    if (!plan_round(q, scratch, rng, r, err) || !q->lab->lesser_ahead(q, err))
        return false;
    begin_library(q);
    const bool ok = search_rounds(q, scratch, rng, r, 1, err);
    arena_reset(scratch);
    return ok;
}

/* *any: something was tried again. */
static bool search_phase(Search *q, Arena *scratch, bool *any, const char **err)
{
    Rng rng = { q->seed };
    Rounds *r = ARENA_NEW(q->arena, Rounds);
    progress_phase(q->progress, "search", q->study->spec->budget.trials);
    const bool ok = (!q->ahead || begin_rounds(q, scratch, &rng, r, err)) && q->lab->lesser(q, scratch, err) &&
                    try_again(q, scratch, any, err) && search_rounds(q, scratch, &rng, r, INT64_MAX, err);
    if (q->ahead)
        q->lab->drop(q);
    return ok;
}

/* ---- the last comparison ---- */

enum { MAX_FINALIST = 24, MAX_BOUT = 40, LEAST_BOUT = 3 };

/* Who meets whom on one shape. */
typedef struct {
    int n;
    int64_t trial[MAX_BOUT + 1];
    double time[MAX_BOUT + 1], ns; /* ns: of one sample of each */
} Bout;

/* Of one sample. */
static double bout_ns(const Bout *b, int i) { return fmax(b->time[i], STOPWATCH_SAMPLE_NS); }

/* By ascending time; the slowest one leaves when there is no room. */
static void enter_bout(Bout *b, int64_t trial, double time)
{
    int k = b->n < MAX_BOUT ? b->n++ : MAX_BOUT;
    for (; k > 0 && b->time[k - 1] > time; k--)
        if (k < MAX_BOUT) {
            b->trial[k] = b->trial[k - 1];
            b->time[k] = b->time[k - 1];
        }
    if (k < MAX_BOUT) {
        b->trial[k] = trial;
        b->time[k] = time;
    }
}

/* Those of n trials that come near the best of them on this shape, and the general kernel, which is the baseline. */
static void make_bout(const Search *q, const CostModel *m, const int64_t *trial, int64_t n, int64_t shape, Bout *b)
{
    const Study *s = q->study;
    int64_t base = search_anchor(q);
    double best = INFINITY;
    *b = (Bout){ 0 };
    for (int64_t k = 0; k < n; k++)
        best = fmin(best, cost_trial(m, trial[k], s->shape[shape]));
    for (int64_t k = 0; k < n; k++) {
        const double time = cost_trial(m, trial[k], s->shape[shape]);
        if (time <= NEAR_BEST * best && trial[k] != base)
            enter_bout(b, trial[k], time);
    }
    if (base >= 0 && trial_usable(&s->trial[base])) {
        b->time[b->n] = cost_trial(m, base, s->shape[shape]);
        b->trial[b->n++] = base;
    }
    for (int i = 0; i < b->n; i++)
        b->ns += bout_ns(b, i);
    if (q->library)
        b->ns += fmax(best, STOPWATCH_SAMPLE_NS);
}

static double make_bouts(const Search *q, const CostModel *m, const int64_t *trial, int64_t n, Bout *bout)
{
    double ns = 0;
    for (int64_t j = 0; j < q->study->nshape; j++) {
        make_bout(q, m, trial, n, j, &bout[j]);
        ns += bout[j].ns;
    }
    return ns;
}

/* Every one of them was compared there in so many passes. */
static bool met(const Study *s, int64_t shape, const Bout *b, int passes)
{
    for (int i = 0; i < b->n; i++) {
        const Trial *t = &s->trial[b->trial[i]];
        if (!t->final[shape] || t->count[shape] < passes)
            return false;
    }
    return true;
}

/* Bouts that are still to be held: how many, and one sample of all their kernels. */
typedef struct {
    double n, ns;
} Remaining;

static void take_off(Remaining *r, double ns)
{
    r->n--;
    r->ns -= ns;
}

/* Samples that the time left allows. */
static int repeats_for(const Search *q, Remaining r)
{
    int n = FINAL_REPEATS;
    while (n > FINAL_REPEATS_MIN && stopwatch_expect_s(q, r.n, r.ns, n) > left_s(q, FINAL_SHARE))
        n--;
    return n;
}

/* The time left does not do for them. */
static bool too_late(const Search *q, Remaining r)
{
    return stopwatch_expect_s(q, r.n, r.ns, FINAL_REPEATS_MIN) > left_s(q, FINAL_SHARE);
}

/* The slowest stay away until the bout has no more than its part of the time left, but for the two fastest and the general kernel, which
 * comes last. */
static void shrink_bout(const Search *q, Bout *b, Remaining r)
{
    const double part =
        stopwatch_expect_s(q, 1, b->ns, FINAL_REPEATS_MIN) / stopwatch_expect_s(q, r.n, r.ns, FINAL_REPEATS_MIN);
    const double most_s = part * left_s(q, FINAL_SHARE);
    while (b->n > LEAST_BOUT && stopwatch_expect_s(q, 1, b->ns, FINAL_REPEATS_MIN) > most_s) {
        b->ns -= bout_ns(b, b->n - 2);
        b->trial[b->n - 2] = b->trial[b->n - 1];
        b->time[b->n - 2] = b->time[b->n - 1];
        b->n--;
    }
}

/* All bouts, several times over: what slows a machine for seconds, as others' use of a shared cache does, must not decide which kernel
 * is best. The first pass is held, with fewer kernels where time is short, as long as there is any. */
static bool hold_bouts(Search *q, Arena *scratch, Bout *bout, double ns, const char **err)
{
    const Study *s = q->study;
    Remaining all = { (double)(FINAL_PASSES * s->nshape), FINAL_PASSES * ns }, first = { (double)s->nshape, ns };
    progress_phase(q->progress, "compare", (double)(FINAL_PASSES * s->nshape));
    for (int64_t i = 0; i < FINAL_PASSES * s->nshape; i++) {
        const int pass = (int)(i / s->nshape);
        const int64_t j = i % s->nshape;
        const double planned_ns = bout[j].ns;
        progress_update(q->progress, (double)i, best_text(q, scratch), fmax(left_s(q, FINAL_SHARE), 0));
        if (pass == 0)
            shrink_bout(q, &bout[j], first);
        if (!met(s, j, &bout[j], pass + 1) && left_s(q, 1) > 0 &&
            !(pass > 0 && too_late(q, (Remaining){ 1, bout[j].ns })) &&
            !(measure_limits(q, scratch, false, err) &&
              q->lab->compare(q, scratch, j, bout[j].trial, bout[j].n, repeats_for(q, all), err)))
            return false;
        take_off(&all, planned_ns);
        take_off(&first, planned_ns);
    }
    return true;
}

/* Every trial that a package could keep. */
static int64_t all_trials(const Study *s, int64_t *trial)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        if (study_may_choose(s, &s->trial[i]))
            trial[n++] = i;
    return n;
}

/* The finalists: twice as many as the package may keep, fewer when time is short; all trials where the search is to know the best of them.
 * Each meets the others on every shape where it comes near the best, so that the choice is made between times that were taken side by
 * side. */
static bool final_phase(Search *q, Arena *scratch, const char **err)
{
    const Study *s = q->study;
    CostModel *m = cost_fit(scratch, s, q->templates);
    Assignment *as = select_kernels(scratch, s, m, SELECT_FINALISTS);
    if (!as) {
        *err = ending_text(q);
        return false;
    }
    if (q->lab->measures)
        build_library(q);
    Bout *bout = ARENA_ARRAY(scratch, (size_t)s->nshape + 1, Bout);
    int64_t *all = ARENA_ARRAY(scratch, (size_t)s->ntrial + 1, int64_t);
    const int64_t *trial = q->strategy->compares_all ? all : as->kernel;
    int64_t n = q->strategy->compares_all    ? all_trials(s, all)
                : as->nkernel < MAX_FINALIST ? as->nkernel
                                             : MAX_FINALIST;
    double ns = make_bouts(q, m, trial, n, bout);
    while (!q->strategy->compares_all && n > 1 && too_late(q, (Remaining){ (double)s->nshape, ns }))
        ns = make_bouts(q, m, trial, --n, bout);
    return hold_bouts(q, scratch, bout, ns, err);
}

bool search_compile(Search *q, const char **err)
{
    Arena *scratch = arena_new();
    bool any = false;
    *err = NULL;
    q->anchor = choose_anchor(q, scratch);
    const bool ok = search_phase(q, scratch, &any, err);
    if (ok)
        build_library(q);
    arena_free(scratch);
    return ok;
}

/* Every shape has had its comparison. */
static bool all_compared(const Study *s)
{
    for (int64_t j = 0; j < s->nshape; j++) {
        bool compared = false;
        for (int64_t i = 0; i < s->ntrial; i++)
            compared = compared || (trial_usable(&s->trial[i]) && s->trial[i].final[j]);
        if (!compared)
            return false;
    }
    return true;
}

/* A run that adds no trial to a finished one measures nothing: the same command again gives the same package. */
bool search_run(Search *q, const char **err)
{
    Arena *scratch = arena_new();
    *err = NULL;
    q->anchor = choose_anchor(q, scratch);
    q->quiet = quiet_new(q->arena);
    q->pace = pace_new();
    int64_t before = measured_trials(q->study);
    bool again = false, ok = rate_device(q, scratch, err) && search_phase(q, scratch, &again, err);
    const bool fresh = ok && (again || measured_trials(q->study) > before || !all_compared(q->study));
    if (fresh) {
        arena_reset(scratch);
        ok = final_phase(q, scratch, err);
    }
    ok = ok && measure_limits(q, scratch, true, err) && (!q->lab->measures || settle(q, scratch, fresh, err));
    arena_free(scratch);
    return ok;
}
