/* SPDX-License-Identifier: Apache-2.0
 *
 * settle: what follows the last comparison of a search that measures. The choice is made as the package's will be, from the records; every
 * chosen pair of kernel and tuned shape that had no part in the comparison there is verified and timed now, beside its best rival; then
 * the choice is made again, until nothing is missing. Then shapes that are held out are measured (heldout.c). A kernel that turns out
 * wrong there is dropped, and all of this begins anew. With the time that is left, shapes whose times differ too much to say their regret
 * (contract.h) are measured again.
 *
 * When time is up before nothing is missing, the pairs that are left are told by the package's contract and by dcgen, and the same
 * command again goes on with them.
 */
#include "search/choose/contract.h"
#include "search/choose/match.h"
#include "search/choose/search.h"

enum { MAX_ROUND = 8, MAX_RESTART = 4 };

int64_t settle_missing(const Study *s, const Assignment *as, SettlePair *out)
{
    const bool alone = match_usable(s, -1, NULL) == 1; /* no kernel has another to be compared with */
    int64_t n = 0;
    for (int64_t i = 0, shape = 0; i < s->spec->ninstance; i++) {
        if (!s->spec->instance[i].tuned)
            continue;
        const int64_t trial = as->kernel[as->chosen[i]];
        if (!s->trial[trial].final[shape] || !(alone || match_usable(s, shape, NULL) > 1))
            out[n++] = (SettlePair){ shape, trial };
        shape++;
    }
    return n;
}

/* The pair's kernel, and the one that it must beat: the best of the others there, of those compared if there are any. */
static Match match_of(const Study *s, Arena *scratch, const CostModel *m, const SettlePair *pair)
{
    const Trial *t = &s->trial[pair->trial];
    Match x = { .inst = s->shape[pair->shape] };
    int64_t *trial = ARENA_ARRAY(scratch, (size_t)s->ntrial + 1, int64_t);
    int64_t n = match_usable(s, pair->shape, trial);
    if (n == (study_may_choose(s, t) && t->final[pair->shape])) /* no other was compared */
        n = match_usable(s, -1, trial);
    match_enter(&x, pair->trial, cost_trial(m, pair->trial, x.inst));
    match_near(&x, &match_rules[MATCH_MISSING], m, trial, n, pair->trial);
    return x;
}

/* The first pass has the time of the held-out shapes too: that every pair is measured once comes before them. *in_time becomes false when
 * that pass had to leave one out. */
static bool measure_missing(Lab *l, Arena *scratch, const CostModel *m, const SettlePair *pair, int64_t n,
                            bool *in_time, const char **err)
{
    const MatchRule *rule = &match_rules[MATCH_MISSING];
    progress_phase(l->progress, "settle", (double)(rule->passes * n));
    for (int64_t i = 0; i < rule->passes * n; i++) {
        const Match x = match_of(l->study, scratch, m, &pair[i % n]);
        const double end_s = lab_until_s(l, i < n ? HELD_OUT_SHARE : SETTLE_SHARE);
        const bool fits = match_expect_s(l, &x, rule->repeats) <= end_s - lab_now_s(l);
        lab_advance(l, i, end_s);
        *in_time = *in_time && (fits || i >= n);
        if (fits && !match_hold(l, scratch, &x, rule->repeats, true, NULL, err))
            return false;
    }
    return true;
}

/* Chooses, and compares what the choice lacks, until it lacks nothing. Each round compares other pairs, and there are only so many. */
static bool settle_choice(Search *q, Arena *scratch, Selection *c, const char **err)
{
    bool in_time = true;
    for (int round = 0; round < MAX_ROUND; round++) {
        if (!reselect(q, scratch, c, err))
            return false;
        SettlePair *pair = ARENA_ARRAY(scratch, (size_t)q->lab->study->nshape + 1, SettlePair);
        const int64_t n = settle_missing(q->lab->study, c->as, pair);
        if (n == 0 || !in_time)
            return true;
        if (!measure_missing(q->lab, scratch, c->m, pair, n, &in_time, err))
            return false;
    }
    return reselect(q, scratch, c, err);
}

static const Contract *contract_of(const Lab *l, Arena *scratch, const Selection *c)
{
    const Workshop *m = l->shop;
    return contract_make(scratch, l->study, record_all(m->records), l->templates, m->unit->targets, c->as);
}

/* ---- shapes whose times differ too much ---- */

/* The shape's chosen kernel and the fastest of the others; each is expected to take the chosen one's time. */
static Match contenders_of(const Assignment *as, const ContractShape *s)
{
    Match m = { .inst = s->inst };
    match_enter(&m, as->kernel[s->kernel], s->chosen_ns);
    for (int i = 0; i < s->nmet && m.n < match_rules[MATCH_UNSAID].most; i++)
        match_enter(&m, s->met[i], s->chosen_ns);
    return m;
}

/* Measures each of these shapes once, as far as there is time. *n: how many were measured. */
static bool measure_unsaid(Lab *l, Arena *scratch, const Selection *c, int64_t *n, const char **err)
{
    const Contract *contract = contract_of(l, scratch, c);
    const int repeats = match_rules[MATCH_UNSAID].repeats;
    const double end_s = lab_until_s(l, AGAIN_SHARE);
    *n = 0;
    for (int64_t i = 0; i < contract->nshape; i++) {
        const ContractShape *s = &contract->shape[i];
        const Match m = contenders_of(c->as, s);
        if (!s->measured || s->said || lab_now_s(l) + match_expect_s(l, &m, repeats) > end_s)
            continue;
        lab_advance(l, i, end_s);
        if (!match_hold(l, scratch, &m, repeats, true, NULL, err))
            return false;
        ++*n;
    }
    return true;
}

/* Measures them round by round, until every regret can be said or the time is up. New times may change the choice. */
static bool settle_unsaid(Search *q, Arena *scratch, Selection *c, const char **err)
{
    int64_t n = 1;
    for (int round = 0; round < match_rules[MATCH_UNSAID].passes && n > 0; round++) {
        if (!settle_choice(q, scratch, c, err))
            return false;
        progress_phase(q->lab->progress, "again", (double)(q->lab->study->nshape + HELD_OUT_MOST));
        if (!measure_unsaid(q->lab, scratch, c, &n, err))
            return false;
    }
    return n == 0 || settle_choice(q, scratch, c, err);
}

bool settle(Search *q, Arena *scratch, bool measured, const char **err)
{
    Lab *l = q->lab;
    const int64_t all = heldout_count(l->study->spec), enough = all < HELD_OUT_LEAST ? all : HELD_OUT_LEAST;
    for (int round = 0; round < MAX_RESTART; round++) {
        Selection c;
        if (!settle_choice(q, scratch, &c, err))
            return false;
        /* A run before judged the choice; what settling changed of it is little. */
        if (!measured && contract_of(l, scratch, &c)->held_out.nmeasured >= enough)
            return true;
        const int64_t usable = match_usable(l->study, -1, NULL);
        if (!heldout_run(l, scratch, c.as, c.m, q->seed, lab_until_s(l, HELD_OUT_SHARE), err))
            return false;
        if (match_usable(l->study, -1, NULL) == usable)
            return settle_unsaid(q, scratch, &c, err);
    }
    return true;
}
