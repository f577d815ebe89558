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

/* A regret is said if its spread is no more than the larger of these: so much, and this part of the regret. */
static const double SPREAD_MOST = 0.04, SPREAD_PART = 0.25;
static const double MEAN_ERRORS = 3, WORST_ERRORS = 4;      /* standard errors that a bound lies above the regret */
static const double MEAN_MOST = 0.05, WORST_MOST = 0.08;    /* the most that these add */
static const double MEAN_FLOOR = 0.005, WORST_FLOOR = 0.02; /* what a bound has on top of that */
static const double SPREAD_UNKNOWN = 0.01;                  /* taken for the spread where each kernel was timed once */
static const double BOUND_STEP = 1e-4;                      /* bounds are stated in whole steps */

/* ---- sums ---- */

bool contract_says(double regret, double spread) { return spread <= fmax(SPREAD_MOST, SPREAD_PART * regret); }

bool contract_is_vague(const ContractSum *sum) { return 2 * sum->nsaid < sum->nmeasured; }

/* Rounds a bound up to a whole number of steps; one that is whole but for rounding errors stays. */
static double round_bound(double bound) { return BOUND_STEP * ceil(bound / BOUND_STEP - 1e-6); }

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
        sum.mean_bound = round_bound(sum.mean + fmin(MEAN_ERRORS * sum.noise / sqrt(count), MEAN_MOST) + MEAN_FLOOR);
        sum.worst_bound = round_bound(sum.worst + fmin(WORST_ERRORS * sum.noise, WORST_MOST) + WORST_FLOOR);
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

/* Fills in who met on a shape and what follows. `times` is the study that has the times there: the shape is its `shape`, and it may number its
 * trials otherwise than m->s. */
static void fill_shape(const Maker *m, const Study *times, int64_t shape, ContractShape *out)
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

/* Adds the tuned instances of the spec of `times`, in its order. */
static void add_shapes(const Maker *m, const Study *times)
{
    for (int64_t i = 0, shape = 0; i < times->spec->ninstance; i++) {
        const Instance *inst = &m->s->spec->instance[i];
        ContractShape c = { .instance = i, .inst = inst, .kernel = m->as->chosen[i] };
        if (!times->spec->instance[i].tuned)
            continue;
        fill_shape(m, times, shape++, &c);
        if (c.measured || inst->tuned)
            m->out->shape[m->out->nshape++] = c;
    }
}

/* True if one of n measurements was taken on these extents with so many threads. */
static bool is_measured_at(const MeasureRecord *const *r, int64_t n, const int64_t *extent, int threads)
{
    for (int64_t i = 0; i < n; i++)
        if (r[i]->threads == threads && memcmp(r[i]->extent, extent, (size_t)r[i]->naxis * sizeof *extent) == 0)
            return true;
    return false;
}

/* Lists one measurement of each place (extents and threads) where kernels were compared and that is no tuned instance. There are far fewer
 * places than records and instances. */
static int64_t list_compared_places(const Maker *m, const MeasureRecord **out)
{
    const Study *s = m->s;
    int64_t n = 0;
    for (int64_t i = 0; i < m->records->nmeasure; i++) {
        const MeasureRecord *r = &m->records->measure[i];
        if (r->final && r->status == STATUS_OK && r->nsample > 0 && r->naxis == s->spec->op->ngiven &&
            strcmp(r->device, s->device->id) == 0 && study_shape(s, r->extent, r->threads) < 0 &&
            !is_measured_at(out, n, r->extent, r->threads))
            out[n++] = r;
    }
    return n;
}

/* A copy of the spec whose tuned instances are the held-out ones where kernels were compared: a study of it knows their times. NULL: there
 * are none. */
static const Spec *spec_of_held_out(const Maker *m)
{
    const MeasureRecord **place = ARENA_ARRAY(m->arena, (size_t)m->records->nmeasure + 1, const MeasureRecord *);
    const int64_t n = list_compared_places(m, place);
    Spec *spec = ARENA_NEW(m->arena, Spec);
    *spec = *m->s->spec;
    spec->instance = ARENA_ARRAY(m->arena, (size_t)spec->ninstance + 1, Instance);
    for (int64_t i = 0; i < spec->ninstance; i++) {
        const Instance *inst = &m->s->spec->instance[i];
        spec->instance[i] = *inst;
        spec->instance[i].tuned = is_measured_at(place, n, inst->extent, inst->threads);
    }
    return n ? spec : NULL;
}

/* ---- the contract ---- */

static void take_demanded_bounds(Contract *c, const Spec *spec)
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
    const Spec *spec = spec_of_held_out(&m);
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
    take_demanded_bounds(c, s->spec);
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
