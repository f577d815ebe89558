/* SPDX-License-Identifier: Apache-2.0
 *
 * contract: finds who met whom on each shape, and sums up what follows from it.
 */
#include "search/choose/contract.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
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

static bool counts(const ContractShape *s) { return s->said && s->inst->weight > 0; }

/* Upwards; a bound that is a whole number of steps but for rounding stays. */
static double stated(double bound) { return BOUND_STEP * ceil(bound / BOUND_STEP - 1e-6); }

static void state_bounds(ContractSum *sum, double count)
{
    sum->mean_bound = stated(sum->mean + fmin(MEAN_ERRORS * sum->noise / sqrt(count), MEAN_MOST) + MEAN_FLOOR);
    sum->worst_bound = stated(sum->worst + fmin(WORST_ERRORS * sum->noise, WORST_MOST) + WORST_FLOOR);
}

static double squared_spread(const ContractShape *s)
{
    const double spread = s->spread > 0 ? s->spread : SPREAD_UNKNOWN;
    return spread * spread;
}

ContractSum contract_sum(const ContractShape *shape, int64_t n)
{
    ContractSum sum = { .nshape = n };
    double logs = 0, weights = 0, squares = 0, spreads = 0;
    for (int64_t i = 0; i < n; i++) {
        const double w = shape[i].inst->weight;
        sum.nmeasured += shape[i].measured;
        sum.nsaid += shape[i].said;
        if (!counts(&shape[i]))
            continue;
        logs += w * log1p(shape[i].regret);
        weights += w;
        squares += w * w;
        spreads += w * squared_spread(&shape[i]);
        sum.worst = fmax(sum.worst, shape[i].regret);
    }
    if (weights > 0) {
        sum.mean = expm1(logs / weights);
        sum.noise = 2 * sqrt(spreads / weights);
        state_bounds(&sum, weights * weights / squares);
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

typedef struct {
    double ns, gap; /* gap: how far its two least times are apart; 0: not known */
    int64_t trial;
} Met;

static int by_time(const void *x, const void *y)
{
    const Met *a = x, *b = y;
    return a->ns != b->ns ? (a->ns > b->ns) - (a->ns < b->ns) : (a->trial > b->trial) - (a->trial < b->trial);
}

/* `times` knows that shape as its `shape`; its trials are not numbered as the study's are. */
static void meet(const Maker *m, const Study *times, int64_t shape, ContractShape *out)
{
    Met *met = ARENA_ARRAY(m->arena, (size_t)times->ntrial + 1, Met);
    const int64_t chosen = m->as->kernel[out->kernel];
    for (int64_t i = 0; i < times->ntrial; i++) {
        const Trial *t = &times->trial[i];
        const int64_t own = times == m->s ? i : study_find_key(m->s, t->key);
        if (own >= 0 && trial_usable(t) && trial_usable(&m->s->trial[own]) && t->final[shape] && t->ns[shape] > 0)
            met[out->nmet++] = (Met){ t->ns[shape], trial_gap(t, shape), own };
    }
    qsort(met, (size_t)out->nmet, sizeof *met, by_time);
    out->met = ARENA_ARRAY(m->arena, (size_t)out->nmet + 1, int64_t);
    for (int i = 0; i < out->nmet; i++) {
        out->met[i] = met[i].trial;
        if (met[i].trial == chosen && (out->nmet > 1 || match_usable(m->s, NULL) == 1)) {
            out->measured = true;
            out->chosen_ns = met[i].ns;
            out->best_ns = met[0].ns;
            out->regret = met[i].ns / met[0].ns - 1;
            out->spread = fmax(met[i].gap, met[i == 0 && out->nmet > 1].gap);
            out->said = contract_says(out->regret, out->spread);
        }
    }
}

static void add_shape(Maker *m, const Study *times, int64_t shape, int64_t instance)
{
    const Instance *inst = &m->s->spec->instance[instance];
    ContractShape c = { .instance = instance, .inst = inst, .kernel = m->as->chosen[instance] };
    meet(m, times, shape, &c);
    if (c.measured || inst->tuned)
        m->out->shape[m->out->nshape++] = c;
}

/* ---- held-out shapes ---- */

typedef struct {
    const int64_t *extent;
    int threads;
} Place;

static bool is_at(const Place *p, const int64_t *extent, int threads, int naxis)
{
    return p->threads == threads && memcmp(p->extent, extent, (size_t)naxis * sizeof *extent) == 0;
}

static bool is_known(const Place *place, int64_t n, const MeasureRecord *m)
{
    for (int64_t i = 0; i < n; i++)
        if (is_at(&place[i], m->extent, m->threads, m->naxis))
            return true;
    return false;
}

/* Where something was compared that is no tuned instance, each once. */
static int64_t compared_places(Arena *a, const Study *s, const Records *r, Place **out)
{
    int64_t n = 0;
    *out = NULL;
    for (int64_t i = 0; i < r->nmeasure; i++) {
        const MeasureRecord *m = &r->measure[i];
        if (!m->final || m->status != STATUS_OK || m->nsample == 0 || m->naxis != s->spec->op->naxis ||
            strcmp(m->device, s->device->id) != 0 || study_shape(s, m->extent, m->threads) >= 0 || is_known(*out, n, m))
            continue;
        *out = arena_grow(a, *out, (size_t)n, (size_t)n + 1, sizeof **out);
        (*out)[n++] = (Place){ m->extent, m->threads };
    }
    return n;
}

/* The spec with those of its held-out instances for tuned ones where something was compared: a study of it knows their times. */
static const Spec *spec_held_out(Arena *a, const Study *s, const Records *r)
{
    Place *place;
    const int64_t nplace = compared_places(a, s, r, &place);
    Spec *spec = ARENA_NEW(a, Spec);
    *spec = *s->spec;
    spec->instance = ARENA_ARRAY(a, (size_t)spec->ninstance + 1, Instance);
    for (int64_t i = 0; i < spec->ninstance; i++) {
        Instance *inst = &spec->instance[i];
        *inst = s->spec->instance[i];
        bool compared = false;
        for (int64_t k = 0; k < nplace && !compared && !inst->tuned; k++)
            compared = is_at(&place[k], inst->extent, inst->threads, spec->op->naxis);
        inst->tuned = compared;
    }
    return nplace ? spec : NULL;
}

static const Study *study_held_out(const Maker *m, const TemplateList *templates, const TargetList *targets)
{
    const Study *s = m->s;
    const Records *r = m->records;
    const Spec *spec = spec_held_out(m->arena, s, r);
    if (!spec)
        return NULL;
    Study *held = study_new(m->arena, spec, s->device, s->target, s->context_hash);
    study_load(held, r, templates, targets, s->device);
    return held;
}

/* All tuned instances of that study's spec, in its order. */
static void add_shapes(Maker *m, const Study *times)
{
    for (int64_t i = 0, shape = 0; i < times->spec->ninstance; i++)
        if (times->spec->instance[i].tuned)
            add_shape(m, times, shape++, i);
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
    const Study *held = study_held_out(&m, templates, targets);
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

static const char *broken_sum(Arena *a, const char *what, double is, bool demanded, double bound)
{
    return demanded && bound > 0 && is > bound ? arena_printf(a, "%s %.2f %%, not %.2f %%", what, 100 * is, 100 * bound)
                                               : NULL;
}

const char *contract_broken(Arena *a, const Contract *c)
{
    const ContractSum *t = &c->tuned, *h = &c->held_out;
    const char *const broken[] = {
        broken_sum(a, "mean of the tuned shapes", t->mean, c->mean_demanded, t->mean_bound),
        broken_sum(a, "worst of the tuned shapes", t->worst, c->worst_demanded, t->worst_bound),
        broken_sum(a, "mean of the shapes held out", h->mean, c->mean_demanded, h->mean_bound),
        broken_sum(a, "worst of the shapes held out", h->worst, c->worst_demanded, h->worst_bound)
    };
    const char *all = NULL;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        if (broken[i])
            all = all ? arena_printf(a, "%s; %s", all, broken[i]) : broken[i];
    return all ? arena_printf(a, "the regret is above what the spec demands: %s", all) : NULL;
}
