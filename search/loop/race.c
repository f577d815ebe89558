/* SPDX-License-Identifier: Apache-2.0
 *
 * race: works out for each shape who should meet there and what that is worth, and holds what is worth most.
 */
#include "search/loop/race.h"

#include <math.h>
#include <stdlib.h>
#include "search/choose/contract.h"
#include "search/measure/stopwatch.h"

static const double WORTH = 1e-3;    /* a smaller gain than this part of a shape's time is no reason to measure */
static const double NEAR_GAIN = 0.5; /* a kernel takes part if its gain is so large a part of the largest */
static const double ROUND = 5;       /* a round lasts so many times as long as making the choice took */
enum {
    BEST = 2,          /* of the others: they take part in any case */
    PART = 3,          /* a round has one in so many of the heats that are worth it, however short it is */
    DOUBTFUL_OF = 4096 /* instances that race_doubtful looks at, at most: an even part of them where there are more */
};

typedef struct {
    double ns, error;
    int n; /* measurements */
} Known;

static Known known_of(const Study *s, const Selection *c, const Instance *inst, int64_t place, double noise,
                      int64_t trial)
{
    const Trial *t = &s->trial[trial];
    if (place >= 0 && t->ns[place] > 0)
        return (Known){ t->ns[place], trial_error(s, t, place, noise), t->count[place] };
    return (Known){ cost_trial(c->m, trial, inst), cost_doubt(c->m, trial, inst), 0 };
}

static double gain_of(const Known *a, const Known *b)
{
    const double moved = sqrt(a->error * a->error / (a->n + 1) + b->error * b->error / (b->n + 1));
    const double z = moved > 0 ? fabs(log(a->ns / b->ns)) / moved : INFINITY;
    return isfinite(z) ? moved * (exp(-z * z / 2) / sqrt(2 * M_PI) - z * erfc(z / M_SQRT2) / 2) : 0;
}

static double error_after(const Known *k) { return k->error * sqrt(k->n / (k->n + 1.0)); }

static void enter(Heat *h, int64_t trial, double ns)
{
    for (int i = 0; i < h->n; i++)
        if (h->trial[i] == trial)
            return;
    if (h->n == RACE_MOST)
        return;
    h->trial[h->n++] = trial;
    h->ns += fmax(ns, STOPWATCH_SAMPLE_NS);
}

/* Adds what a measurement gains for what the package states of the shape: all of the chosen kernel's doubt where
 * nothing can be stated yet; where the regret is not resolved, what it takes off the spread; the rival takes part. */
static void add_statement(Heat *h, const Study *s, const Selection *c, int64_t place, double noise, double all,
                          const Known *own)
{
    ContractShape stated = { .inst = h->inst, .kernel = c->as->chosen[h->inst - s->spec->instance] };
    contract_judge(s, c->as, all, &stated);
    if (!stated.measured)
        h->gain += own->error;
    if (!stated.measured || stated.resolved || stated.rival < 0)
        return;
    const Known rival = known_of(s, c, h->inst, place, noise, stated.rival);
    enter(h, stated.rival, rival.ns);
    h->gain += stated.spread - hypot(error_after(own), error_after(&rival));
}

int race_doubtful(const Study *s, const Selection *c, int most, Ranked *out)
{
    const Assignment *as = c->as;
    const int64_t stride = s->spec->ninstance / DOUBTFUL_OF + 1;
    int n = 0;
    for (int64_t i = 0; i < s->spec->ninstance; i += stride) {
        const Instance *inst = &s->spec->instance[i];
        const double *ns = as->cost + i * as->nkernel;
        double gain = 0;
        if (!study_holds_out(s, inst))
            continue;
        const Known own = { ns[as->chosen[i]], cost_doubt(c->m, as->kernel[as->chosen[i]], inst), 0 };
        for (int k = 0; k < as->nkernel; k++)
            if (k != as->chosen[i])
                gain = fmax(gain, gain_of(&own, &(Known){ ns[k], cost_doubt(c->m, as->kernel[k], inst), 0 }));
        n = gain > WORTH ? ranked_insert(out, n, most, -gain * inst->weight, i) : n;
    }
    return n;
}

Heat race_heat(const Study *s, const Selection *c, const Instance *inst, bool tunes, double all)
{
    const bool known = !tunes || study_tunes(s, inst); /* of a shape that may join the choice knows no time yet */
    const int64_t place = known ? study_place(s, inst) : -1,
                  chosen = c->as->kernel[c->as->chosen[inst - s->spec->instance]];
    const double noise = place >= 0 ? study_noise_at(s, place, all) : all;
    const Known own = known_of(s, c, inst, place, noise, chosen);
    Ranked fast[BEST], worth[RACE_MOST]; /* worth: by falling gain */
    int nfast = 0, nworth = 0;
    Heat h = { .inst = inst };
    enter(&h, chosen, own.ns);
    for (int64_t i = 0; i < s->ntrial; i++) {
        if (i == chosen || !study_may_choose(s, &s->trial[i]))
            continue;
        const Known other = known_of(s, c, inst, place, noise, i);
        nfast = ranked_insert(fast, nfast, BEST, other.ns, i);
        nworth = ranked_insert(worth, nworth, RACE_MOST, -gain_of(&own, &other), i);
    }
    h.gain = nworth ? -worth[0].key : 0;
    const double near = NEAR_GAIN * h.gain;
    if (known)
        add_statement(&h, s, c, place, noise, all, &own);
    for (int i = 0; i < nfast; i++)
        enter(&h, fast[i].at, fast[i].key);
    for (int i = 0; i < nworth && -worth[i].key >= near; i++)
        enter(&h, worth[i].at, known_of(s, c, inst, place, noise, worth[i].at).ns);
    return h;
}

/* Of a tuned shape where the library is still to be timed: that it was met there. NULL elsewhere. */
static bool *library_unmet(const Lab *l, const Instance *inst)
{
    const Library *x = l->shop ? &l->shop->library : NULL;
    const int64_t place = x && x->so ? study_shape(l->study, inst->extent, inst->threads) : -1;
    bool *met = place >= 0 ? &x->met[inst - l->study->spec->instance] : NULL;
    return met && !l->study->anchor[place].nlibrary && !*met ? met : NULL;
}

/* Heats by falling worth: gain by weight, over seconds; returns how many are worth it; meeting the library is. */
static int64_t rank_heats(const Lab *l, const Heat *heat, int64_t n, Ranked *order)
{
    int64_t nworth = 0;
    for (int64_t i = 0; i < n; i++)
        if (heat[i].gain > WORTH || library_unmet(l, heat[i].inst))
            order[nworth++] = (Ranked){
                -heat[i].gain * instance_stands(heat[i].inst) / stopwatch_expect_s(l, heat[i].inst, heat[i].ns), i
            };
    qsort(order, (size_t)nworth, sizeof *order, ranked_compare);
    return nworth;
}

bool race_round(Lab *l, Arena *scratch, const Selection *c, const Instance *const *inst, int64_t n, bool tunes,
                double until_s, int64_t *held, const char **err)
{
    const double began_s = lab_now_s(l), noise = study_noise(l->study);
    Heat *heat = ARENA_ARRAY(scratch, (size_t)n + 1, Heat);
    Ranked *order = ARENA_ARRAY(scratch, (size_t)n + 1, Ranked);
    for (int64_t i = 0; i < n; i++)
        heat[i] = race_heat(l->study, c, inst[i], tunes, noise);
    const int64_t nworth = rank_heats(l, heat, n, order);
    *held = 0;
    for (int64_t i = 0; i < nworth && (*held <= nworth / PART || lab_now_s(l) - began_s < ROUND * c->took_s); i++) {
        const Heat *h = &heat[order[i].at];
        progress_update(l->progress, fmin(lab_now_s(l) - l->began_s, l->seconds), lab_best_text(l, scratch),
                        fmax(until_s - lab_now_s(l), 0));
        if (lab_now_s(l) + stopwatch_expect_s(l, h->inst, h->ns) > until_s)
            continue;
        const int64_t timed = l->ntimed;
        bool *met = library_unmet(l, h->inst);
        if (!l->kind->compare(l, scratch, h->inst, h->trial, h->n, tunes, err))
            return false;
        if (met)
            *met = true;
        *held += l->ntimed > timed;
    }
    return true;
}
