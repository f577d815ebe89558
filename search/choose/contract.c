/* SPDX-License-Identifier: Apache-2.0
 *
 * contract: finds the best known time of each shape, and sums up what follows from it.
 */
#include "search/choose/contract.h"

#include <math.h>
#include "gen/base/rng.h"

enum { DRAWS = 200 }; /* of the bootstrap */

/* A regret is resolved if its spread is no more than the larger of these: so much, and this part of the regret. */
static const double SPREAD_MOST = 0.04, SPREAD_PART = 0.25;
static const double MEAN_ERRORS = 3, WORST_ERRORS = 4;      /* standard errors that a bound lies above the regret */
static const double MEAN_MOST = 0.05, WORST_MOST = 0.08;    /* the most that these add */
static const double MEAN_FLOOR = 0.005, WORST_FLOOR = 0.02; /* what a bound has on top of that */
static const double BOUND_STEP = 1e-4;                      /* bounds are stated in whole steps */

bool contract_is_mostly_unresolved(const ContractSum *sum) { return 2 * sum->nresolved < sum->nmeasured; }

/* Rounds a bound up to a whole number of steps; one that is whole but for rounding errors stays. */
static double round_bound(double bound) { return BOUND_STEP * ceil(bound / BOUND_STEP - 1e-6); }

ContractSum contract_sum(const ContractShape *shape, int64_t n)
{
    ContractSum sum = { n, 0, 0, NAN, NAN, NAN, NAN, NAN };
    double logs = 0, weights = 0, squares = 0, spreads = 0;
    for (const ContractShape *c = shape; c < shape + n; c++) {
        const double w = c->inst->weight;
        const bool compared = c->measured && c->rival >= 0;
        sum.nmeasured += compared;
        sum.nresolved += compared && c->resolved;
        if (!compared || !(w > 0))
            continue;
        logs += w * log1p(c->regret + c->hidden);
        weights += w;
        squares += w * w;
        spreads += w * c->spread * c->spread;
        sum.worst = fmax(sum.worst, c->regret + c->hidden); /* of NAN and a number the number */
    }
    if (weights > 0) {
        sum.mean = expm1(logs / weights);
        sum.noise = sqrt(2 * spreads / weights);
    }
    if (weights > 0 && sum.nresolved) { /* nothing is promised where nothing is resolved */
        const double count = weights * weights / squares;
        sum.mean_bound = round_bound(sum.mean + fmin(MEAN_ERRORS * sum.noise / sqrt(count), MEAN_MOST) + MEAN_FLOOR);
        sum.worst_bound = round_bound(sum.worst + fmin(WORST_ERRORS * sum.noise, WORST_MOST) + WORST_FLOOR);
    }
    return sum;
}

/* True if the measurements of two trials scatter so that some of each lie among those of the other. */
static bool times_overlap(const Study *s, const Trial *x, const Trial *y, int64_t place)
{
    double x_least, x_most, y_least, y_most;
    trial_range(s, x, place, &x_least, &x_most);
    trial_range(s, y, place, &y_least, &y_most);
    return x_least <= y_most && y_least <= x_most;
}

void contract_judge(const Study *s, const Assignment *as, double all, ContractShape *out)
{
    const int64_t chosen = as->kernel[out->kernel], place = study_place(s, out->inst);
    const Trial *t = &s->trial[chosen];
    out->rival = -1;
    out->chosen_ns = out->best_ns = out->regret = NAN;
    if (place < 0 || !trial_usable(t) || !(t->ns[place] > 0))
        return;
    out->chosen_ns = t->ns[place];
    study_best_but(s, place, chosen, &out->rival);
    if (out->rival < 0) {
        out->measured = study_choosable(s, -1, NULL) <= 1;
        return;
    }
    const Trial *rival = &s->trial[out->rival];
    const double noise = study_noise_at(s, place, all);
    out->measured = true;
    out->best_ns = fmin(t->ns[place], rival->ns[place]);
    out->regret = out->chosen_ns / out->best_ns - 1;
    out->spread = hypot(trial_error(s, t, place, noise), trial_error(s, rival, place, noise));
    out->resolved = out->spread <= fmax(SPREAD_MOST, SPREAD_PART * out->regret) || !times_overlap(s, t, rival, place);
}

typedef struct {
    double ns, error;
    bool kept; /* it is in the package */
} Racer;

/* One measurement of all again: the true regret of the package's kernel that seems best then, less the one seen. */
static double remeasure(const Racer *r, int64_t n, double best_ns, Rng *rng)
{
    double best = INFINITY, chosen = INFINITY, truth = best_ns;
    for (int64_t i = 0; i < n; i++) {
        const double seen = r[i].ns * exp(r[i].error * rng_normal(rng));
        best = fmin(best, seen);
        if (r[i].kept && seen < chosen) {
            chosen = seen;
            truth = r[i].ns;
        }
    }
    return truth / best_ns - chosen / best;
}

/* No more than the spread: kernels that were measured so badly that they might be anything would else decide it. */
static double hidden_of(Arena *scratch, const Study *s, const Assignment *as, const ContractShape *c, double all)
{
    const int64_t place = study_place(s, c->inst);
    const double noise = study_noise_at(s, place, all);
    int64_t *at = ARENA_ARRAY(scratch, (size_t)s->ntrial + 1, int64_t);
    const int64_t n = study_choosable(s, place, at);
    Racer *r = ARENA_ARRAY(scratch, (size_t)n + 1, Racer);
    for (int64_t i = 0; i < n; i++) {
        const Trial *t = &s->trial[at[i]];
        r[i] = (Racer){ t->ns[place], trial_error(s, t, place, noise), select_kernel_of(as, at[i]) >= 0 };
    }
    Rng rng = { 1 };
    double sum = 0;
    for (int i = 0; i < DRAWS; i++)
        sum += remeasure(r, n, c->best_ns, &rng);
    return fmin(fmax(sum / DRAWS, 0), c->spread);
}

/* Adds the tuned instances, or the held-out ones that were measured; returns their sums, with the spec's bounds. */
static ContractSum add_shapes(Arena *scratch, const Study *s, const Assignment *as, bool tuned, Contract *out)
{
    const double all = study_noise(s);
    const int64_t before = out->nshape;
    for (int64_t i = 0; i < s->spec->ninstance; i++) {
        const Instance *inst = &s->spec->instance[i];
        ContractShape c = { .inst = inst, .tuned = study_tunes(s, inst), .kernel = as->chosen[i] };
        const int64_t place = tuned ? 0 : study_place(s, inst);
        if (c.tuned != tuned || place < 0 ||
            (!tuned && s->shape[place] != inst)) /* several instances may be one place */
            continue;
        contract_judge(s, as, all, &c);
        if (tuned && c.rival >= 0)
            c.hidden = hidden_of(scratch, s, as, &c, all);
        if (c.measured || tuned)
            out->shape[out->nshape++] = c;
    }
    ContractSum sum = contract_sum(out->shape + before, out->nshape - before);
    if (s->spec->regret.mean > 0 && sum.mean_bound > 0)
        sum.mean_bound = s->spec->regret.mean;
    if (s->spec->regret.worst > 0 && sum.worst_bound > 0)
        sum.worst_bound = s->spec->regret.worst;
    return sum;
}

const Contract *contract_make(Arena *a, const Study *s, const Assignment *as)
{
    Contract *c = ARENA_NEW(a, Contract);
    *c = (Contract){ .modelled = s->device->modelled,
                     .tuned = contract_sum(NULL, 0),
                     .held_out = contract_sum(NULL, 0) };
    if (c->modelled)
        return c;
    c->shape = ARENA_ARRAY(a, (size_t)s->nplace + 1, ContractShape);
    Arena *scratch = arena_new();
    c->tuned = add_shapes(scratch, s, as, true, c);
    c->held_out = add_shapes(scratch, s, as, false, c);
    arena_free(scratch);
    return c;
}

const char *contract_unknown(const Contract *c)
{
    if (isfinite(c->tuned.mean) && !c->modelled)
        return NULL;
    for (const ContractShape *x = c->shape; x < c->shape + c->nshape; x++)
        if (x->measured && x->rival < 0)
            return "one kernel was measured, and no other beside it";
    return c->modelled ? "no time was measured" : "on no tuned shape was the chosen kernel measured beside another";
}

int64_t contract_missing(const Contract *c)
{
    int64_t n = 0;
    for (const ContractShape *x = c->shape; x < c->shape + c->nshape; x++)
        n += x->tuned && !x->measured;
    return n;
}

int64_t contract_unresolved(const Contract *c)
{
    return c->tuned.nmeasured - c->tuned.nresolved + c->held_out.nmeasured - c->held_out.nresolved;
}

const char *contract_broken(Arena *a, const Contract *c)
{
    const ContractSum *t = &c->tuned, *h = &c->held_out;
    const struct {
        const char *what;
        double is, bound;
    } rows[] = { { "mean of the tuned shapes", t->mean, t->mean_bound },
                 { "worst of the tuned shapes", t->worst, t->worst_bound },
                 { "mean of the shapes held out", h->mean, h->mean_bound },
                 { "worst of the shapes held out", h->worst, h->worst_bound } };
    const char *all = NULL;
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (rows[i].bound > 0 && rows[i].is > rows[i].bound) /* never above a bound that was worked out */
            all = arena_printf(a, "%s%s %.2f %%, not %.2f %%", all ? arena_printf(a, "%s; ", all) : "", rows[i].what,
                               100 * rows[i].is, 100 * rows[i].bound);
    return all ? arena_printf(a, "the regret is above what the spec demands: %s", all) : NULL;
}
