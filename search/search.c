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

enum { BATCH = 12, FIRST_BATCH = 8, FINAL_REPEATS = 11, FINAL_REPEATS_MIN = 3, FINAL_TOP = 4, FINAL_ROUNDS = 6, MAX_PAIRS = 4096 };
static const double SEARCH_SHARE = 0.68, FINAL_SHARE = 0.94;    /* of the budget, when each phase should be over */
static const double WORTH = 1e-3;                  /* expected gain below which the search ends */
static const double CLOSE = 1.05;                  /* candidates this near the best of a shape meet again in the last comparison */

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

/* The general kernels come first, on all shapes: they are the baseline, and the model's first foothold. */
static int first_proposals(const Search *q, Proposal *out)
{
    int n = 0;
    for (int i = 0; i < q->space->ngeneral && n < FIRST_BATCH; i++) {
        int64_t known = study_find(q->study, &q->space->general[i]);
        if (known >= 0 && q->study->trial[known].built)
            continue;
        out[n++] = (Proposal){ .c = q->space->general[i], .nshape = -1 };
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
        gain = fmax(gain, p[i].nshape < 0 ? 1 : p[i].gain);
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

typedef struct { double t; int64_t trial; } Entrant;

static int by_time(const void *x, const void *y)
{
    const Entrant *a = x, *b = y;
    return a->t != b->t ? (a->t > b->t) - (a->t < b->t) : (a->trial > b->trial) - (a->trial < b->trial);
}

/* Who meets on one shape: the few that are best there, measured or predicted, the general kernel, and the kernels chosen so far. */
static int entrants(const Search *q, const CostModel *m, int64_t shape, const Assignment *as, int64_t *out, int max, Arena *scratch)
{
    const Study *s = q->study;
    Entrant *all = ARENA_ARRAY(scratch, (size_t)s->ntrial + 1, Entrant);
    int n = 0, nout = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        if (trial_usable(&s->trial[i]))
            all[n++] = (Entrant){ cost_trial(m, i, s->shape[shape]), i };
    qsort(all, (size_t)n, sizeof *all, by_time);
    for (int i = 0; i < n && nout < FINAL_TOP && all[i].t <= CLOSE * all[0].t; i++)
        out[nout++] = all[i].trial;
    int64_t base = q->space->ngeneral ? study_find(s, &q->space->general[0]) : -1;
    for (int k = -1; k < (as ? as->nkernel : 0) && nout < max; k++) {
        int64_t trial = k < 0 ? base : as->kernel[k];
        bool there = trial < 0 || !trial_usable(&s->trial[trial]);
        for (int i = 0; i < nout; i++)
            there = there || out[i] == trial;
        if (!there)
            out[nout++] = trial;
    }
    return nout;
}

static bool all_final(const Study *s, int64_t shape, const int64_t *trial, int n)
{
    for (int i = 0; i < n; i++)
        if (!s->trial[trial[i]].final[shape])
            return false;
    return true;
}

/* Samples that the time left allows for what is still to do. */
static int repeats_for(const Search *q, double todo_ns)
{
    double fit = fmax(left_s(q, FINAL_SHARE), 0) * 1e9 / fmax(todo_ns, 1);
    return fit > FINAL_REPEATS ? FINAL_REPEATS : fit < FINAL_REPEATS_MIN ? FINAL_REPEATS_MIN : (int)fit;
}

static double shape_ns(const Study *s, const int64_t *trial, int n, int64_t shape, const CostModel *m)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fmax(cost_trial(m, trial[i], s->shape[shape]), INTAKE_SAMPLE_NS);
    return 1.4 * sum;                              /* verification and warm-up */
}

enum { MAX_ENTRANT = 32 };
typedef struct { int n; int64_t trial[MAX_ENTRANT]; double ns; } Bout;

/* Measures every shape's entrants against each other; skips what was measured so already. */
static bool compare(Search *q, Arena *scratch, const CostModel *m, const Assignment *as, const char **err)
{
    const Study *s = q->study;
    Bout *bout = ARENA_ARRAY(scratch, (size_t)s->nshape + 1, Bout);
    double todo = 0;
    for (int64_t j = 0; j < s->nshape; j++) {
        bout[j].n = entrants(q, m, j, as, bout[j].trial, MAX_ENTRANT, scratch);
        if (all_final(s, j, bout[j].trial, bout[j].n))
            bout[j].n = 0;
        bout[j].ns = shape_ns(s, bout[j].trial, bout[j].n, j, m);
        todo += bout[j].ns;
    }
    progress_phase(q->progress, as ? "confirm" : "compare", (double)s->nshape);
    for (int64_t j = 0; j < s->nshape; todo -= bout[j].ns, j++) {
        progress_update(q->progress, (double)j, best_text(q, scratch), fmax(left_s(q, FINAL_SHARE), 0));
        if (bout[j].n && !intake_final(q, scratch, j, bout[j].trial, bout[j].n, repeats_for(q, todo), err))
            return false;
    }
    return true;
}

/* Pairs that the choice relies on and that were never compared side by side; false: none are left (or an error, with *err set). */
static bool confirm(Search *q, Arena *scratch, const char **err)
{
    Pair *pair = ARENA_ARRAY(scratch, MAX_PAIRS, Pair);
    CostModel *m = cost_fit(scratch, q->study, q->templates);
    Assignment *as = select_kernels(scratch, q->study, m);
    if (!as) {
        *err = "no candidate could be built, verified and measured";
        return false;
    }
    int n = select_unmeasured(q->study, as, pair, MAX_PAIRS);
    return n && compare(q, scratch, m, as, err);
}

static bool final_phase(Search *q, Arena *scratch, const char **err)
{
    *err = NULL;
    CostModel *m = cost_fit(scratch, q->study, q->templates);
    if (!compare(q, scratch, m, NULL, err))
        return false;
    arena_reset(scratch);
    for (int round = 0; round < FINAL_ROUNDS && confirm(q, scratch, err); round++)
        arena_reset(scratch);
    return *err == NULL;
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
