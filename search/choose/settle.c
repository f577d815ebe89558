/* SPDX-License-Identifier: Apache-2.0 */
#include "search/choose/settle.h"

#include <math.h>
#include "search/choose/contract.h"
#include "search/choose/ending.h"
#include "search/choose/heldout.h"
#include "search/measure/lab_machine.h"

enum { MAX_ROUND = 8, MAX_RESTART = 4, MAX_AGAIN = 6, PASSES = 2, REPEATS = 5, CONTENDERS = 3 };
static const double SETTLE_SHARE = 0.84, HELD_OUT_SHARE = 0.96,
                    AGAIN_SHARE = 0.98; /* of the time budget, when each is over */

void settle_reload(Search *q)
{
    const Study *old = q->study;
    Study *s = study_new(q->arena, old->spec, old->device, old->target, old->context_hash);
    study_load(s, record_all(q->records), q->templates, q->unit->targets, old->device);
    for (int64_t i = 0; i < s->ntrial; i++) {
        const int64_t before = study_find_key(old, s->trial[i].key);
        s->trial[i].so = before >= 0 ? old->trial[before].so : NULL;
    }
    q->study = s;
}

/* Trials of the tuned target that can be used: all of them, or those that were compared on one shape. */
static int64_t usable_trials(const Study *s, int64_t shape)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        n += study_may_choose(s, &s->trial[i]) && (shape < 0 || s->trial[i].final[shape]);
    return n;
}

/* The chosen one was compared there, with another one if there is another. */
static bool is_compared(const Study *s, int64_t trial, int64_t shape)
{
    return s->trial[trial].final[shape] && (usable_trials(s, shape) > 1 || usable_trials(s, -1) == 1);
}

int64_t settle_missing(const Study *s, const Assignment *as, SettlePair *out)
{
    int64_t n = 0;
    for (int64_t i = 0, shape = 0; i < s->spec->ninstance; i++) {
        if (!s->spec->instance[i].tuned)
            continue;
        const int64_t trial = as->kernel[as->chosen[i]];
        if (!is_compared(s, trial, shape))
            out[n++] = (SettlePair){ shape, trial };
        shape++;
    }
    return n;
}

static double until_s(const Search *q, double share) { return q->began_s + share * q->seconds; }

/* The best of the others there, of those compared if there are any. -1: there is no other. */
static int64_t best_rival(const Study *s, const CostModel *m, const SettlePair *pair)
{
    int64_t best = -1;
    bool final = false;
    double least = INFINITY;
    for (int64_t i = 0; i < s->ntrial; i++) {
        const Trial *t = &s->trial[i];
        if (i == pair->trial || !study_may_choose(s, t) || (final && !t->final[pair->shape]))
            continue;
        const double ns = cost_trial(m, i, s->shape[pair->shape]);
        if (ns < least || (t->final[pair->shape] && !final)) {
            best = i;
            least = ns;
            final = t->final[pair->shape];
        }
    }
    return best;
}

/* The pair's kernel, and the one that it must beat. */
static int rivals_of(const Study *s, const CostModel *m, const SettlePair *pair, int64_t *trial)
{
    const int64_t rival = best_rival(s, m, pair);
    trial[0] = pair->trial;
    trial[1] = rival;
    return rival < 0 ? 1 : 2;
}

static double sample_ns(const Search *q, const CostModel *m, const SettlePair *pair)
{
    int64_t trial[2];
    double ns = 0;
    for (int i = 0, n = rivals_of(q->study, m, pair, trial); i < n; i++)
        ns += fmax(cost_trial(m, trial[i], q->study->shape[pair->shape]), STOPWATCH_SAMPLE_NS);
    return ns;
}

/* That every pair is measured once comes before the shapes that are held out. False in *in_time when one had to be left out. */
static bool measure_missing(Search *q, Arena *scratch, const CostModel *m, const SettlePair *pair, int64_t n,
                            bool *in_time, const char **err)
{
    progress_phase(q->progress, "settle", (double)(PASSES * n));
    for (int64_t i = 0; i < PASSES * n; i++) {
        const SettlePair *p = &pair[i % n];
        int64_t trial[2];
        const double left_s = until_s(q, i < n ? HELD_OUT_SHARE : SETTLE_SHARE) - q->lab->now_s(q);
        const bool fits = stopwatch_expect_s(q, 1, sample_ns(q, m, p), REPEATS) <= left_s;
        progress_update(q->progress, (double)i, "", fmax(left_s, 0));
        *in_time = *in_time && (fits || i >= n);
        if (fits && !q->lab->compare(q, scratch, p->shape, trial, rivals_of(q->study, m, p, trial), REPEATS, err))
            return false;
    }
    return true;
}

/* The choice, and the model that it was made with, both in scratch. */
typedef struct {
    const Assignment *as;
    const CostModel *m;
} Choice;

static bool choose(Search *q, Arena *scratch, Choice *c, const char **err)
{
    arena_reset(scratch);
    settle_reload(q);
    c->m = cost_fit(scratch, q->study, q->templates);
    c->as = select_kernels(scratch, q->study, c->m, SELECT_PACKAGE);
    if (!c->as)
        *err = ending_text(q);
    return c->as;
}

/* Each round compares pairs that were not, and there are only so many. */
static bool settle_choice(Search *q, Arena *scratch, Choice *c, const char **err)
{
    bool in_time = true;
    for (int round = 0; round < MAX_ROUND; round++) {
        if (!choose(q, scratch, c, err))
            return false;
        SettlePair *pair = ARENA_ARRAY(scratch, (size_t)q->study->nshape + 1, SettlePair);
        const int64_t n = settle_missing(q->study, c->as, pair);
        if (n == 0 || !in_time)
            return true;
        if (!measure_missing(q, scratch, c->m, pair, n, &in_time, err))
            return false;
    }
    return choose(q, scratch, c, err);
}

static const Contract *contract_of(const Search *q, Arena *scratch, const Choice *c)
{
    return contract_make(scratch, q->study, record_all(q->records), q->templates, q->unit->targets, c->as);
}

/* The choice was judged on enough shapes that are held out, by a run before; what settling changed of it is little. */
static bool is_judged(const Search *q, Arena *scratch, const Choice *c)
{
    const int64_t all = heldout_count(q->study->spec), enough = all < HELD_OUT_LEAST ? all : HELD_OUT_LEAST;
    return contract_of(q, scratch, c)->held_out.nmeasured >= enough;
}

/* ---- shapes whose times differ too much ---- */

/* The chosen kernel there, and the fastest of the others. */
static int contenders_of(const Assignment *as, const ContractShape *s, int64_t *trial)
{
    int n = 0;
    trial[n++] = as->kernel[s->kernel];
    for (int i = 0; i < s->nmet && n < CONTENDERS; i++)
        if (s->met[i] != trial[0])
            trial[n++] = s->met[i];
    return n;
}

/* Each once, as far as there is time. *n: how many were. */
static bool measure_unsaid(Search *q, Arena *scratch, const Choice *c, int64_t *n, const char **err)
{
    const Contract *contract = contract_of(q, scratch, c);
    const double end_s = until_s(q, AGAIN_SHARE);
    *n = 0;
    for (int64_t i = 0; i < contract->nshape; i++) {
        const ContractShape *s = &contract->shape[i];
        int64_t trial[CONTENDERS];
        const int ntrial = contenders_of(c->as, s, trial);
        const double ns = ntrial * fmax(s->chosen_ns, STOPWATCH_SAMPLE_NS), now_s = q->lab->now_s(q);
        if (!s->measured || s->said || now_s + stopwatch_expect_s(q, 1, ns, REPEATS) > end_s)
            continue;
        progress_update(q->progress, (double)i, "", fmax(end_s - now_s, 0));
        if (!intake_race(q, scratch, s->inst, trial, ntrial, REPEATS, true, NULL, err))
            return false;
        ++*n;
    }
    return true;
}

/* Round by round, until of all shapes the regret can be said or the time is up. New times may change the choice. */
static bool settle_unsaid(Search *q, Arena *scratch, Choice *c, const char **err)
{
    int64_t n = 1;
    for (int round = 0; round < MAX_AGAIN && n > 0; round++) {
        if (!settle_choice(q, scratch, c, err))
            return false;
        progress_phase(q->progress, "again", (double)(q->study->nshape + HELD_OUT_MOST));
        if (!measure_unsaid(q, scratch, c, &n, err))
            return false;
    }
    return n == 0 || settle_choice(q, scratch, c, err);
}

bool settle(Search *q, Arena *scratch, bool measured, const char **err)
{
    for (int round = 0; round < MAX_RESTART; round++) {
        Choice c;
        if (!settle_choice(q, scratch, &c, err))
            return false;
        if (!measured && is_judged(q, scratch, &c))
            return true;
        const int64_t usable = usable_trials(q->study, -1);
        if (!heldout_run(q, scratch, c.as, c.m, until_s(q, HELD_OUT_SHARE), err))
            return false;
        if (usable_trials(q->study, -1) == usable)
            return settle_unsaid(q, scratch, &c, err);
    }
    return true;
}
