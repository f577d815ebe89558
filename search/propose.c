/* SPDX-License-Identifier: Apache-2.0 */
#include "search/propose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_RANDOM = 1200, POOL_NEAR = 800, POOL_MAX = POOL_RANDOM + POOL_NEAR, NEAR_TRIALS = 24, SHAPES_SEEN = 48 };
/* One in so many proposals is drawn at random, so that a model that is wrong somewhere learns of it. */
enum { EXPLORE_EVERY = 8 };
static const double FIXED_NS = 1e6;                /* of a measurement, whatever its shape */

uint64_t rng_next(Rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t rng_below(Rng *r, int64_t n) { return (int64_t)(rng_next(r) % (uint64_t)n); }

typedef struct {
    const Study *s;
    const Space *space;
    const CostModel *m;
    Rng *rng;
    int npool;
    Candidate *pool;
    int nshape;                        /* shapes that the gain is summed over, a sample when there are many */
    int64_t *shape;
    double *best;                      /* log2 of the best time of each of them, lowered as a batch grows */
    double *log2t;                     /* npool x nshape: predictions */
    double total_weight, sigma;
} Proposer;

static bool known(const Proposer *p, const Candidate *c)
{
    for (int i = 0; i < p->npool; i++)
        if (candidate_same(&p->pool[i], c))
            return true;
    return study_find(p->s, c) >= 0;
}

static void add(Proposer *p, const Candidate *c)
{
    if (p->npool < POOL_MAX && !known(p, c))
        p->pool[p->npool++] = *c;
}

/* The trials that are best somewhere, or nearly: their neighbours are worth a look. */
static int best_trials(const Proposer *p, int64_t *out)
{
    int n = 0;
    for (int64_t j = 0; j < p->s->nshape && n < NEAR_TRIALS; j++) {
        int64_t trial = -1;
        study_best(p->s, j, &trial);
        bool seen = trial < 0;
        for (int i = 0; i < n; i++)
            seen = seen || out[i] == trial;
        if (!seen)
            out[n++] = trial;
    }
    return n;
}

static void add_neighbours(Proposer *p)
{
    int64_t near[NEAR_TRIALS];
    int n = best_trials(p, near);
    for (int tries = 0; n && tries < 2 * POOL_NEAR && p->npool < POOL_NEAR; tries++) {
        Candidate c = p->s->trial[near[rng_below(p->rng, n)]].c;
        for (int changes = 1 + (int)rng_below(p->rng, 2); changes > 0; changes--) {
            int i = (int)rng_below(p->rng, c.t->nparam);
            c.choice[i] = (uint8_t)rng_below(p->rng, c.t->param[i].nchoice);
        }
        if (candidate_fits(&c, p->s->spec, p->s->device))
            add(p, &c);
    }
}

static void make_pool(Proposer *p)
{
    add_neighbours(p);
    if (p->space->n <= POOL_RANDOM)
        for (int64_t i = 0; i < p->space->n; i++)
            add(p, &p->space->candidate[i]);
    else
        for (int tries = 0; tries < POOL_RANDOM; tries++)
            add(p, &p->space->candidate[rng_below(p->rng, p->space->n)]);
}

static void see_shapes(Proposer *p)
{
    const Study *s = p->s;
    p->nshape = s->nshape < SHAPES_SEEN ? (int)s->nshape : SHAPES_SEEN;
    for (int i = 0; i < p->nshape; i++) {
        p->shape[i] = s->nshape * i / p->nshape;
        double best = study_best(s, p->shape[i], NULL);
        p->best[i] = isfinite(best) ? log2(best) : INFINITY;
        p->total_weight += s->shape[p->shape[i]]->weight;
    }
}

static void predict(Proposer *p)
{
    for (int i = 0; i < p->npool; i++)
        for (int j = 0; j < p->nshape; j++) {
            const Instance *inst = p->s->shape[p->shape[j]];
            p->log2t[i * p->nshape + j] = log2(cost_predict(p->m, &p->pool[i], inst->extent, inst->threads));
        }
    for (int j = 0; j < p->nshape; j++)        /* a shape without any measurement: the best prediction stands for its best time */
        if (isinf(p->best[j]))
            for (int i = 0; i < p->npool; i++)
                p->best[j] = fmin(p->best[j], p->log2t[i * p->nshape + j]);
}

/* E[max(0, best - t)] for t normal, in octaves; an octave is worth ln 2 of relative time near the best. */
static double shape_gain(const Proposer *p, int i, int j)
{
    double z = (p->best[j] - p->log2t[i * p->nshape + j]) / p->sigma;
    double pdf = exp(-z * z / 2) / sqrt(2 * M_PI), cdf = erfc(-z / M_SQRT2) / 2;
    return p->s->shape[p->shape[j]]->weight * p->sigma * (z * cdf + pdf) * M_LN2;
}

static double gain(const Proposer *p, int i)
{
    double sum = 0;
    for (int j = 0; j < p->nshape; j++)
        sum += shape_gain(p, i, j);
    return sum / p->total_weight;
}

/* What a measurement there is worth: the gain, against the root of what it costs. */
static double shape_value(const Proposer *p, int i, int j)
{
    return shape_gain(p, i, j) / sqrt(exp2(p->log2t[i * p->nshape + j]) + FIXED_NS);
}

/* The shapes where measuring candidate i is worth most; the last place goes to a random one, to learn from. */
static void choose_shapes(Proposer *p, int i, Proposal *out)
{
    int most = p->nshape < PROPOSE_SHAPES ? p->nshape : PROPOSE_SHAPES;
    out->nshape = 0;
    while (out->nshape < most) {
        int best = -1;
        for (int j = 0; j < p->nshape; j++) {
            bool taken = false;
            for (int k = 0; k < out->nshape; k++)
                taken = taken || out->shape[k] == p->shape[j];
            if (!taken && (best < 0 || shape_value(p, i, j) > shape_value(p, i, best)))
                best = j;
        }
        out->shape[out->nshape++] = p->shape[best];
    }
    if (p->nshape > PROPOSE_SHAPES) {
        int64_t any = p->shape[rng_below(p->rng, p->nshape)];
        bool taken = false;
        for (int k = 0; k + 1 < out->nshape; k++)
            taken = taken || out->shape[k] == any;
        if (!taken)
            out->shape[out->nshape - 1] = any;
    }
}

static int best_of_pool(const Proposer *p, const bool *taken, double *value)
{
    int best = -1;
    for (int i = 0; i < p->npool; i++) {
        if (taken[i])
            continue;
        double g = gain(p, i);
        if (best < 0 || g > *value) {
            best = i;
            *value = g;
        }
    }
    return best;
}

/* As if candidate i keeps its promise: what the next ones gain is counted from there. */
static void believe(Proposer *p, int i)
{
    for (int j = 0; j < p->nshape; j++)
        p->best[j] = fmin(p->best[j], p->log2t[i * p->nshape + j]);
}

int propose(Arena *a, const Study *s, const Space *space, const CostModel *m, Rng *rng, Proposal *out, int n)
{
    Proposer p = { .s = s, .space = space, .m = m, .rng = rng, .sigma = cost_sigma(m) };
    p.pool = ARENA_ARRAY(a, POOL_MAX, Candidate);
    p.shape = ARENA_ARRAY(a, SHAPES_SEEN, int64_t);
    p.best = ARENA_ARRAY(a, SHAPES_SEEN, double);
    p.log2t = ARENA_ARRAY(a, (size_t)POOL_MAX * SHAPES_SEEN, double);
    bool *taken = ARENA_ARRAY(a, POOL_MAX, bool);
    make_pool(&p);
    see_shapes(&p);
    predict(&p);
    int count = 0;
    while (count < n && count < p.npool) {
        double value = 0;
        int i = best_of_pool(&p, taken, &value);
        if (count % EXPLORE_EVERY == EXPLORE_EVERY - 1) {
            int any = (int)rng_below(rng, p.npool);
            i = taken[any] ? i : any;
            value = gain(&p, i);
        }
        taken[i] = true;
        out[count] = (Proposal){ .c = p.pool[i], .gain = value };
        choose_shapes(&p, i, &out[count++]);
        believe(&p, i);
    }
    return count;
}
