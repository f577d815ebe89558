/* SPDX-License-Identifier: Apache-2.0
 *
 * contract: finds who met whom on each shape, and sums up what follows from it.
 */
#include "search/choose/contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model/rank.h"
#include "search/choose/match.h"

static const double MEAN_ERRORS = 3, WORST_ERRORS = 4;
static const double SPREAD_MOST = 0.04, SPREAD_PART = 0.25; /* of a regret that is said: so much, or that part of it */
static const double MEAN_MOST = 0.05, WORST_MOST = 0.08;    /* that noise may add */
static const double MEAN_FLOOR = 0.005, WORST_FLOOR = 0.02;
static const double SPREAD_UNKNOWN = 0.01; /* when each was taken once */
static const double BOUND_STEP = 1e-4;     /* bounds are stated in whole steps */

/* ---- sums ---- */

bool contract_says(double regret, double spread) { return spread <= fmax(SPREAD_MOST, SPREAD_PART * regret); }

bool contract_is_vague(const ContractSum *sum) { return 2 * sum->nsaid < sum->nmeasured; }

/* Upwards; a bound that is a whole number of steps but for rounding stays. */
static double stated(double bound) { return BOUND_STEP * ceil(bound / BOUND_STEP - 1e-6); }

ContractSum contract_sum(const ContractShape *shape, int64_t n)
{
    ContractSum sum = { .nshape = n };
    double logs = 0, weights = 0, squares = 0, spreads = 0;
    for (int64_t i = 0; i < n; i++) {
        const double w = shape[i].inst->weight, spread = shape[i].spread > 0 ? shape[i].spread : SPREAD_UNKNOWN;
        sum.nmeasured += shape[i].measured;
        sum.nsaid += shape[i].said;
        if (!shape[i].said || !(w > 0))
            continue;
        logs += w * log1p(shape[i].regret);
        weights += w;
        squares += w * w;
        spreads += w * (spread * spread);
        sum.worst = fmax(sum.worst, shape[i].regret);
    }
    if (weights > 0) {
        sum.mean = expm1(logs / weights);
        sum.noise = 2 * sqrt(spreads / weights);
        const double count = weights * weights / squares;
        sum.mean_bound = stated(sum.mean + fmin(MEAN_ERRORS * sum.noise / sqrt(count), MEAN_MOST) + MEAN_FLOOR);
        sum.worst_bound = stated(sum.worst + fmin(WORST_ERRORS * sum.noise, WORST_MOST) + WORST_FLOOR);
    }
    return sum;
}

/* ---- shapes ---- */

typedef struct {
    Arena *arena;
    const Study *s;
    const Records *records;
    const Assignment *as;
    Contract *out;
} Maker;

/* `times` knows that shape as its `shape`; its trials are not numbered as the study's are. */
static void meet(const Maker *m, const Study *times, int64_t shape, ContractShape *out)
{
    Ranked *met = ARENA_ARRAY(m->arena, (size_t)times->ntrial + 1, Ranked);
    double *gap = ARENA_ARRAY(m->arena, (size_t)m->s->ntrial + 1, double); /* how far its two least times are apart */
    const int64_t chosen = m->as->kernel[out->kernel];
    for (int64_t i = 0; i < times->ntrial; i++) {
        const Trial *t = &times->trial[i];
        const int64_t own = times == m->s ? i : study_find_key(m->s, t->key);
        if (own < 0 || !trial_usable(t) || !trial_usable(&m->s->trial[own]) || !t->final[shape] || !(t->ns[shape] > 0))
            continue;
        met[out->nmet++] = (Ranked){ t->ns[shape], own };
        gap[own] = trial_gap(t, shape);
    }
    qsort(met, (size_t)out->nmet, sizeof *met, ranked_compare);
    out->met = ARENA_ARRAY(m->arena, (size_t)out->nmet + 1, int64_t);
    for (int i = 0; i < out->nmet; i++) {
        out->met[i] = met[i].at;
        if (met[i].at == chosen && (out->nmet > 1 || match_usable(m->s, -1, NULL) == 1)) {
            out->measured = true;
            out->chosen_ns = met[i].key;
            out->best_ns = met[0].key;
            out->regret = met[i].key / met[0].key - 1;
            out->spread = fmax(gap[chosen], gap[met[i == 0 && out->nmet > 1].at]);
            out->said = contract_says(out->regret, out->spread);
        }
    }
}

/* All tuned instances of that study's spec, in its order. */
static void add_shapes(const Maker *m, const Study *times)
{
    for (int64_t i = 0, shape = 0; i < times->spec->ninstance; i++) {
        const Instance *inst = &m->s->spec->instance[i];
        ContractShape c = { .instance = i, .inst = inst, .kernel = m->as->chosen[i] };
        if (!times->spec->instance[i].tuned)
            continue;
        meet(m, times, shape++, &c);
        if (c.measured || inst->tuned)
            m->out->shape[m->out->nshape++] = c;
    }
}

/* The spec with those of its held-out instances for tuned ones where something was compared: a study of it knows their times. NULL: there are
 * none. */
static const Spec *spec_held_out(const Maker *m)
{
    const Study *s = m->s;
    Spec *spec = ARENA_NEW(m->arena, Spec);
    bool any = false;
    *spec = *s->spec;
    spec->instance = ARENA_ARRAY(m->arena, (size_t)spec->ninstance + 1, Instance);
    for (int64_t i = 0; i < spec->ninstance; i++) {
        spec->instance[i] = s->spec->instance[i];
        spec->instance[i].tuned = false;
    }
    for (int64_t k = 0; k < m->records->nmeasure; k++) {
        const MeasureRecord *r = &m->records->measure[k];
        if (!r->final || r->status != STATUS_OK || r->nsample == 0 || r->naxis != spec->op->naxis ||
            strcmp(r->device, s->device->id) != 0 || study_shape(s, r->extent, r->threads) >= 0)
            continue;
        for (int64_t i = 0; i < spec->ninstance; i++) {
            Instance *inst = &spec->instance[i];
            if (inst->threads == r->threads &&
                memcmp(inst->extent, r->extent, (size_t)r->naxis * sizeof *r->extent) == 0)
                any = inst->tuned = true;
        }
    }
    return any ? spec : NULL;
}

/* ---- the contract ---- */

static void demand(Contract *c, const Spec *spec)
{
    ContractSum *sums[] = { &c->tuned, &c->held_out };
    c->mean_demanded = spec->regret.mean > 0;
    c->worst_demanded = spec->regret.worst > 0;
    for (int i = 0; i < 2; i++) {
        if (c->mean_demanded && sums[i]->mean_bound > 0)
            sums[i]->mean_bound = spec->regret.mean;
        if (c->worst_demanded && sums[i]->worst_bound > 0)
            sums[i]->worst_bound = spec->regret.worst;
    }
}

const Contract *contract_make(Arena *a, const Study *s, const Records *r, const TemplateList *templates,
                              const TargetList *targets, const Assignment *as)
{
    Contract *c = ARENA_NEW(a, Contract);
    Maker m = { a, s, r, as, c };
    c->modelled = s->device->modelled;
    if (c->modelled)
        return c;
    const Spec *spec = spec_held_out(&m);
    Study *held = spec ? study_new(a, spec, s->device, s->target, s->context_hash) : NULL;
    if (held)
        study_load(held, r, templates, targets);
    c->shape = ARENA_ARRAY(a, (size_t)(s->nshape + (held ? held->nshape : 0)) + 1, ContractShape);
    add_shapes(&m, s);
    const int64_t ntuned = c->nshape;
    if (held)
        add_shapes(&m, held);
    c->tuned = contract_sum(c->shape, ntuned);
    c->held_out = contract_sum(c->shape + ntuned, c->nshape - ntuned);
    demand(c, s->spec);
    return c;
}

int64_t contract_unsaid(const Contract *c)
{
    return c->tuned.nmeasured - c->tuned.nsaid + c->held_out.nmeasured - c->held_out.nsaid;
}

const char *contract_broken(Arena *a, const Contract *c)
{
    const ContractSum *t = &c->tuned, *h = &c->held_out;
    const struct {
        const char *what;
        bool demanded;
        double is, bound;
    } rows[] = { { "mean of the tuned shapes", c->mean_demanded, t->mean, t->mean_bound },
                 { "worst of the tuned shapes", c->worst_demanded, t->worst, t->worst_bound },
                 { "mean of the shapes held out", c->mean_demanded, h->mean, h->mean_bound },
                 { "worst of the shapes held out", c->worst_demanded, h->worst, h->worst_bound } };
    const char *all = NULL;
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (rows[i].demanded && rows[i].bound > 0 && rows[i].is > rows[i].bound)
            all = arena_printf(a, "%s%s%s %.2f %%, not %.2f %%", all ? all : "", all ? "; " : "", rows[i].what,
                               100 * rows[i].is, 100 * rows[i].bound);
    return all ? arena_printf(a, "the regret is above what the spec demands: %s", all) : NULL;
}
