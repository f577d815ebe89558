/* SPDX-License-Identifier: Apache-2.0 */
#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "model/cost.h"
#include "search/intake.h"
#include "search/propose.h"
#include "search/select.h"

enum { BATCH = 12, FIRST_BATCH = 8, FINAL_REPEATS = 11, FINAL_REPEATS_MIN = 3, FINAL_TOP = 4, FINAL_ROUNDS = 8, MAX_PAIRS = 4096 };
static const double SEARCH_SHARE = 0.68, FINAL_SHARE = 0.94;    /* of the budget, when each phase should be over */
static const double WORTH = 1e-3;                  /* expected gain below which the search ends */
static const double CLOSE = 1.06;                  /* candidates this near the best of a shape meet again in the last comparison */
static const double NEAR_CHOSEN = 1.15;            /* so do chosen kernels this near the best of them */

double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double left_s(const Search *q, double share) { return q->began_s + share * q->seconds - clock_s(); }

/* "1.14x of the general kernel": geometric mean over the shapes that both were measured on. */
static const char *best_text(const Search *q, Arena *a)
{
    const Study *s = q->study;
    int64_t base = q->space->ngeneral ? study_find(s, &q->space->general[0]) : -1;
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
        n += s->trial[i].built;
    return n;
}

/* The general kernels come first: they are the baseline, and the model's first foothold. */
static int first_proposals(const Search *q, Proposal *out)
{
    int n = 0;
    for (int i = 0; i < q->space->ngeneral && n < FIRST_BATCH; i++) {
        int64_t known = study_find(q->study, &q->space->general[i]);
        if (known >= 0 && q->study->trial[known].built)
            continue;
        Proposal *p = &out[n++];
        *p = (Proposal){ .c = q->space->general[i], .gain = 1 };
        for (; p->nshape < PROPOSE_SHAPES && p->nshape < q->study->nshape; p->nshape++)
            p->shape[p->nshape] = q->study->nshape * p->nshape / PROPOSE_SHAPES;
    }
    return n;
}

/* One round. *go_on: false when nothing worth the time is expected. */
static bool search_round(Search *q, Arena *scratch, Rng *rng, bool *go_on, const char **err)
{
    Proposal p[BATCH];
    CostModel *m = cost_fit(scratch, q->study, q->templates);
    int64_t left = q->study->spec->budget.trials - measured_trials(q->study);
    int n = first_proposals(q, p), most = left < BATCH ? (int)left : BATCH;
    if (n < most)
        n += propose(scratch, q->study, q->space, m, rng, p + n, most - n);
    double gain = 0;
    for (int i = 0; i < n; i++)
        gain = fmax(gain, p[i].gain);
    *go_on = n > 0 && gain > WORTH;
    return !*go_on || intake(q, scratch, p, n, SEARCH_SHARE, err);
}

static bool search_phase(Search *q, Arena *scratch, const char **err)
{
    Rng rng = { q->seed };
    bool go_on = true;
    progress_phase(q->progress, "search", q->study->spec->budget.trials);
    while (go_on && measured_trials(q->study) < q->study->spec->budget.trials && left_s(q, SEARCH_SHARE) > 0) {
        if (*q->stop) {
            *err = "interrupted";
            return false;
        }
        if (!search_round(q, scratch, &rng, &go_on, err))
            return false;
        progress_update(q->progress, (double)measured_trials(q->study), best_text(q, scratch), fmax(left_s(q, FINAL_SHARE), 0));
        arena_reset(scratch);
    }
    return true;
}

/* ---- the last comparison ---- */

enum { MAX_ENTRANT = 24 };

/* Who meets whom on one shape. */
typedef struct {
    int n;
    int64_t trial[MAX_ENTRANT];
    bool needed;                       /* the choice relies on a pair that was not compared yet: done even when time is up */
    double ns;                         /* of one sample of each, and its share of verification */
} Bout;

static void enter(const Study *s, Bout *b, int64_t trial)
{
    bool there = trial < 0 || !trial_usable(&s->trial[trial]) || b->n == MAX_ENTRANT;
    for (int i = 0; i < b->n; i++)
        there = there || b->trial[i] == trial;
    if (!there)
        b->trial[b->n++] = trial;
}

typedef struct { double t; int64_t trial; } Entrant;

static int by_time(const void *x, const void *y)
{
    const Entrant *a = x, *b = y;
    return a->t != b->t ? (a->t > b->t) - (a->t < b->t) : (a->trial > b->trial) - (a->trial < b->trial);
}

/* After the search: the few that are best there, measured or predicted, and the general kernel as the baseline. */
static void enter_best(const Search *q, const CostModel *m, int64_t shape, Bout *b, Arena *scratch)
{
    const Study *s = q->study;
    Entrant *all = ARENA_ARRAY(scratch, (size_t)s->ntrial + 1, Entrant);
    int n = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        if (trial_usable(&s->trial[i]))
            all[n++] = (Entrant){ cost_trial(m, i, s->shape[shape]), i };
    qsort(all, (size_t)n, sizeof *all, by_time);
    for (int i = 0; i < n && i < FINAL_TOP && all[i].t <= CLOSE * all[0].t; i++)
        enter(s, b, all[i].trial);
    if (q->space->ngeneral)
        enter(s, b, study_find(s, &q->space->general[0]));
}

/* Once kernels are chosen: those that come near on this shape, and the best known there. */
static void enter_chosen(const Search *q, const CostModel *m, const Assignment *as, int64_t shape, Bout *b)
{
    const Study *s = q->study;
    double best = INFINITY;
    int64_t known = -1;
    for (int k = 0; k < as->nkernel; k++)
        best = fmin(best, cost_trial(m, as->kernel[k], s->shape[shape]));
    for (int k = 0; k < as->nkernel; k++)
        if (cost_trial(m, as->kernel[k], s->shape[shape]) <= NEAR_CHOSEN * best)
            enter(s, b, as->kernel[k]);
    study_best(s, shape, &known);
    enter(s, b, known);
}

static bool all_final(const Study *s, int64_t shape, const Bout *b)
{
    for (int i = 0; i < b->n; i++)
        if (!s->trial[b->trial[i]].final[shape])
            return false;
    return true;
}

static void set_time(const Study *s, const CostModel *m, int64_t shape, Bout *b)
{
    for (int i = 0; i < b->n; i++)
        b->ns += fmax(cost_trial(m, b->trial[i], s->shape[shape]), INTAKE_SAMPLE_NS);
}

/* Samples that the time left allows when `todo_ns` is one sample of everything still to do; verification costs about three. */
static int repeats_for(const Search *q, double todo_ns)
{
    double fit = fmax(left_s(q, FINAL_SHARE), 0) * 1e9 / fmax(todo_ns, 1) - 3;
    return fit > FINAL_REPEATS ? FINAL_REPEATS : fit < FINAL_REPEATS_MIN ? FINAL_REPEATS_MIN : (int)fit;
}

static bool fight(Search *q, Arena *scratch, Bout *bout, const char *phase, const char **err)
{
    const Study *s = q->study;
    double todo = 0;
    int64_t n = 0, done = 0;
    for (int64_t j = 0; j < s->nshape; j++) {
        todo += bout[j].ns;
        n += bout[j].n > 0;
    }
    progress_phase(q->progress, phase, (double)n);
    for (int64_t j = 0; j < s->nshape; todo -= bout[j++].ns) {
        if (!bout[j].n || (!bout[j].needed && left_s(q, FINAL_SHARE) <= 0))
            continue;
        progress_update(q->progress, (double)done++, best_text(q, scratch), fmax(left_s(q, 1), 0));
        if (!intake_final(q, scratch, j, bout[j].trial, bout[j].n, repeats_for(q, todo), err))
            return false;
    }
    return true;
}

/* Every shape's best against each other; what was measured so already is skipped. */
static bool compare(Search *q, Arena *scratch, const char **err)
{
    const Study *s = q->study;
    CostModel *m = cost_fit(scratch, s, q->templates);
    Bout *bout = ARENA_ARRAY(scratch, (size_t)s->nshape + 1, Bout);
    for (int64_t j = 0; j < s->nshape; j++) {
        enter_best(q, m, j, &bout[j], scratch);
        if (all_final(s, j, &bout[j]))
            bout[j].n = 0;
        set_time(s, m, j, &bout[j]);
    }
    return fight(q, scratch, bout, "compare", err);
}

/* Chooses, and measures what the choice relies on. *stands: nothing was missing. */
static bool confirm(Search *q, Arena *scratch, bool *stands, const char **err)
{
    const Study *s = q->study;
    Pair *pair = ARENA_ARRAY(scratch, MAX_PAIRS, Pair);
    CostModel *m = cost_fit(scratch, s, q->templates);
    Assignment *as = select_kernels(scratch, s, m);
    if (!as) {
        *err = "no candidate could be built, verified and measured";
        return false;
    }
    Bout *bout = ARENA_ARRAY(scratch, (size_t)s->nshape + 1, Bout);
    int n = select_unmeasured(s, as, pair, MAX_PAIRS);
    for (int i = 0; i < n; i++) {
        bout[pair[i].shape].needed = true;
        enter(s, &bout[pair[i].shape], pair[i].trial);
    }
    for (int64_t j = 0; j < s->nshape; j++) {
        enter_chosen(q, m, as, j, &bout[j]);
        if (all_final(s, j, &bout[j]))
            bout[j].n = 0;
        set_time(s, m, j, &bout[j]);
    }
    *stands = n == 0;
    return *stands || fight(q, scratch, bout, "confirm", err);
}

static bool final_phase(Search *q, Arena *scratch, const char **err)
{
    bool stands = false;
    bool ok = compare(q, scratch, err);
    for (int round = 0; ok && !stands && round < FINAL_ROUNDS; round++) {
        arena_reset(scratch);
        ok = confirm(q, scratch, &stands, err);
    }
    return ok;
}

bool search_run(Search *q, const char **err)
{
    Arena *scratch = arena_new();
    *err = NULL;
    bool ok = search_phase(q, scratch, err);
    if (ok) {
        arena_reset(scratch);
        ok = final_phase(q, scratch, err);
    }
    arena_free(scratch);
    return ok;
}
