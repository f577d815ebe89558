/* SPDX-License-Identifier: Apache-2.0
 *
 * propose: makes a pool of candidates, lets the model predict all of it on a sample of shapes, and picks a batch slot
 * by slot. The strategies that it is compared with (bench/tuning) stand at the end. They predict no gain: their
 * searches end with the budget, or when the space is used up.
 */
#include "search/space/propose.h"

#include <math.h>
#include "model/rank.h"

enum {
    POOL_RANDOM = 800,
    POOL_NEAR = 800,
    GENERATIONS = 4,
    PARENTS = 32,
    CHILDREN = 200,
    POOL_MAX = POOL_RANDOM + POOL_NEAR + GENERATIONS * CHILDREN,
    NEAR_TRIALS = 48,
    SHAPES_SEEN = 48,
    ROUND_SHAPES = 16
};
enum { RANDOM_TRIES = 1000, LOOK_FOR_SHAPE = 4000, LOCAL_TRIALS = 3, MAX_BATCH = 64 };
static const double BELIEF = 0.5;   /* times are drawn with this part of the model's standard deviation */
static const double FIXED_NS = 3e6; /* what a measurement takes besides the kernel's time */

typedef struct {
    const Study *s;
    const Space *space;
    const CostModel *m;
    Rng *rng;
    int npool;
    Candidate *pool;
    int nshape; /* shapes that the gain is summed over, a sample when there are many */
    int64_t shape[SHAPES_SEEN];
    double best[SHAPES_SEEN];        /* log2 of the best time of each of these shapes, lowered as a batch grows */
    double sigma[SHAPES_SEEN];       /* the model's standard deviation on each of them */
    double *log2t;                   /* npool x nshape: predictions, INFINITY: it does not serve that */
    int nround, round[ROUND_SHAPES]; /* places in shape[] of those that this batch is measured on */
    double total_weight;
} Proposer;

static bool is_known(const Proposer *p, const Candidate *c)
{
    for (int i = 0; i < p->npool; i++)
        if (candidate_same(&p->pool[i], c))
            return true;
    return study_find(p->s, c) >= 0;
}

static bool fits(const Proposer *p, const Candidate *c) { return candidate_fits(c, p->s->spec, p->s->device); }

/* Does it serve any of the shapes? If not, it would not be measured. */
static bool is_wanted(const Proposer *p, const Candidate *c)
{
    bool any = false;
    for (int j = 0; j < p->nshape && !any; j++)
        any = candidate_serves(c, p->s->spec, p->s->shape[p->shape[j]]->extent);
    return any;
}

static void add_to_pool(Proposer *p, const Candidate *c)
{
    if (p->npool < POOL_MAX && is_wanted(p, c) && !is_known(p, c))
        p->pool[p->npool++] = *c;
}

/* A random candidate. Many are fixed for an extent, each much like the one that is not: half become that one. */
static Candidate draw_candidate(const Proposer *p)
{
    const Candidate c = p->space->candidate[rng_below(p->rng, p->space->n)];
    Candidate plain = c;
    if (!candidate_is_fixed(&c) || rng_below(p->rng, 2))
        return c;
    for (int i = 0; i < c.t->nparam; i++)
        if (c.t->param[i].axis >= 0)
            plain.choice[i] = 0;
    return fits(p, &plain) ? plain : c;
}

static void change_one(const Proposer *p, Candidate *c)
{
    if (c->t->nparam == 0)
        return;
    const int i = (int)rng_below(p->rng, c->t->nparam);
    c->choice[i] = (uint8_t)rng_below(p->rng, c->t->param[i].nchoice);
}

/* The trials that are best somewhere, or nearly: their neighbours are worth a look. */
static int best_trials(const Proposer *p, int64_t *out)
{
    int n = 0;
    for (int64_t j = 0; j < p->s->nshape && n < NEAR_TRIALS; j++) {
        int64_t trial = -1;
        int i = 0;
        study_best(p->s, j, &trial);
        while (i < n && out[i] != trial)
            i++;
        if (trial >= 0 && i == n)
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
        for (int changes = 1 + (int)rng_below(p->rng, 2); changes > 0; changes--)
            change_one(p, &c);
        if (fits(p, &c))
            add_to_pool(p, &c);
    }
}

static void make_pool(Proposer *p)
{
    add_neighbours(p);
    if (p->space->n <= POOL_RANDOM + POOL_NEAR)
        for (int64_t i = 0; i < p->space->n; i++)
            add_to_pool(p, &p->space->candidate[i]);
    else
        for (int tries = 0; tries < POOL_RANDOM; tries++) {
            const Candidate c = draw_candidate(p);
            add_to_pool(p, &c);
        }
}

/* Chooses the shapes that the gain is summed over: all, or of too many an even part, another one each time. */
static void choose_seen_shapes(Proposer *p)
{
    const Study *s = p->s;
    p->nshape = s->nshape < SHAPES_SEEN ? (int)s->nshape : SHAPES_SEEN;
    const int64_t first = s->nshape > p->nshape ? rng_below(p->rng, s->nshape) : 0;
    for (int i = 0; i < p->nshape; i++) {
        p->shape[i] = (first + s->nshape * i / p->nshape) % s->nshape;
        double best = study_best(s, p->shape[i], NULL);
        p->best[i] = isfinite(best) ? log2(best) : INFINITY;
        p->sigma[i] = p->m->sigma[p->shape[i]];
        p->total_weight += instance_stands(s->shape[p->shape[i]]);
    }
}

/* log2 of the time that the model predicts on shape j; INFINITY: it does not serve that. */
static double predict(const Proposer *p, const Candidate *c, int j)
{
    const Instance *inst = p->s->shape[p->shape[j]];
    return log2(cost_predict(p->m, c, inst->extent, inst->threads));
}

static void predict_member(Proposer *p, int i)
{
    for (int j = 0; j < p->nshape; j++)
        p->log2t[i * p->nshape + j] = predict(p, &p->pool[i], j);
}

/* Predicts the times of the whole pool. Without any measurement the best prediction stands for the best time. */
static void predict_pool(Proposer *p)
{
    for (int i = 0; i < p->npool; i++)
        predict_member(p, i);
    for (int j = 0; j < p->nshape; j++)
        if (isinf(p->best[j]))
            for (int i = 0; i < p->npool; i++)
                p->best[j] = fmin(p->best[j], p->log2t[i * p->nshape + j]);
}

/* Adds a candidate to the pool with its predictions, and gives its place. A batch fits beyond POOL_MAX. */
static int enter_pool(Proposer *p, const Candidate *c)
{
    p->pool[p->npool] = *c;
    predict_member(p, p->npool);
    return p->npool++;
}

static bool is_measurable(const Proposer *p, int i, int j) { return isfinite(p->log2t[i * p->nshape + j]); }

/* What member i of the pool is expected to gain on shape j, times the shape's weight: E[max(0, best - t)] for a normal
 * t, in octaves. Near the best, an octave is ln 2 of relative time. */
static double shape_gain(const Proposer *p, int i, int j)
{
    if (!is_measurable(p, i, j))
        return 0;
    double z = (p->best[j] - p->log2t[i * p->nshape + j]) / p->sigma[j];
    double pdf = exp(-z * z / 2) / sqrt(2 * M_PI), cdf = erfc(-z / M_SQRT2) / 2;
    return instance_stands(p->s->shape[p->shape[j]]) * p->sigma[j] * (z * cdf + pdf) * M_LN2;
}

static double expected_gain(const Proposer *p, int i)
{
    double sum = 0;
    for (int j = 0; j < p->nshape; j++)
        sum += shape_gain(p, i, j);
    return sum / p->total_weight;
}

static double shape_value(const Proposer *p, int i, int j)
{
    return shape_gain(p, i, j) / sqrt(exp2(p->log2t[i * p->nshape + j]) + FIXED_NS);
}

bool proposal_has(const Proposal *p, int64_t shape)
{
    for (int k = 0; k < p->nshape; k++)
        if (p->shape[k] == shape)
            return true;
    return false;
}

void proposal_add(Proposal *p, int64_t shape, int most)
{
    if (!proposal_has(p, shape) && p->nshape < most)
        p->shape[p->nshape++] = shape;
}

/* Lists the shapes of this batch that candidate i may be measured on, or else all such shapes; returns how many. */
static int list_shapes(const Proposer *p, int i, int *out)
{
    int n = 0;
    for (int k = 0; k < p->nround; k++)
        if (is_measurable(p, i, p->round[k]))
            out[n++] = p->round[k];
    for (int j = 0, none = !n; none && j < p->nshape; j++)
        if (is_measurable(p, i, j))
            out[n++] = j;
    return n;
}

/* The shape that candidate i was proposed for (-1: none), a random one, then those that are worth most. */
static void choose_shapes(const Proposer *p, int i, int first, Proposal *out)
{
    int at[SHAPES_SEEN];
    const int n = list_shapes(p, i, at);
    if (first >= 0 && is_measurable(p, i, first))
        proposal_add(out, p->shape[first], PROPOSE_SHAPES);
    proposal_add(out, p->shape[at[rng_below(p->rng, n)]], PROPOSE_SHAPES);
    while (out->nshape < PROPOSE_SHAPES && out->nshape < n) {
        int best = -1;
        for (int k = 0; k < n; k++)
            if (!proposal_has(out, p->shape[at[k]]) && (best < 0 || shape_value(p, i, at[k]) > shape_value(p, i, best)))
                best = at[k];
        proposal_add(out, p->shape[best], PROPOSE_SHAPES);
    }
}

/* Draws the shapes of this batch by what they promise: few, so that several candidates meet on each. */
static void draw_round(Proposer *p)
{
    double left[SHAPES_SEEN] = { 0 }; /* what the most promising candidate is expected to gain there; -1: drawn */
    for (int j = 0; j < p->nshape; j++)
        for (int i = 0; i < p->npool; i++)
            left[j] = fmax(left[j], shape_gain(p, i, j));
    for (p->nround = 0; p->nround < ROUND_SHAPES && p->nround < p->nshape; p->nround++) {
        int best = -1;
        double most = -1;
        for (int j = 0; j < p->nshape; j++) {
            double value = rng_uniform(p->rng) * left[j];
            if (left[j] >= 0 && value > most) {
                most = value;
                best = j;
            }
        }
        p->round[p->nround] = best;
        left[best] = -1;
    }
}

/* log2 of a time on shape j, drawn from the model's distribution (Thompson sampling). */
static double draw_time(const Proposer *p, const Candidate *c, int j)
{
    return predict(p, c, j) + BELIEF * p->sigma[j] * rng_normal(p->rng);
}

/* Finds the candidate with the least drawn time on shape j, of those that differ in one parameter from one of the
 * trials that were fastest there. False: none is new. */
static bool step_on_shape(const Proposer *p, int j, Candidate *found)
{
    Ranked best[LOCAL_TRIALS];
    double least = INFINITY;
    int n = 0;
    for (int64_t i = 0; i < p->s->ntrial; i++) {
        const double ns = p->s->trial[i].ns[p->shape[j]];
        if (trial_usable(&p->s->trial[i]) && ns > 0)
            n = ranked_insert(best, n, LOCAL_TRIALS, ns, i);
    }
    if (!n)
        return false;
    const Candidate *from = &p->s->trial[best[rng_below(p->rng, n)].at].c;
    for (int i = 0; i < from->t->nparam; i++)
        for (int k = 0; k < from->t->param[i].nchoice; k++) {
            Candidate c = *from;
            c.choice[i] = (uint8_t)k;
            if (k == from->choice[i] || !fits(p, &c) || is_known(p, &c))
                continue;
            const double t = draw_time(p, &c, j);
            if (t < least) {
                least = t;
                *found = c;
            }
        }
    return isfinite(least);
}

/* Finds the candidate with the least drawn time on shape j, of many random ones. False: none is new. */
static bool leap_on_shape(const Proposer *p, int j, Candidate *found)
{
    double least = INFINITY;
    for (int tries = 0; tries < LOOK_FOR_SHAPE; tries++) {
        const Candidate c = draw_candidate(p);
        const double t = draw_time(p, &c, j);
        if (t < least && !is_known(p, &c)) {
            least = t;
            *found = c;
        }
    }
    return isfinite(least);
}

/* A child takes each parameter from one of two parents of a template; one time in two one is then drawn anew. */
static Candidate make_child(const Proposer *p, const Candidate *mother, const Candidate *father)
{
    Candidate c = *mother;
    for (int i = 0; c.t == father->t && i < c.t->nparam; i++)
        if (rng_below(p->rng, 2))
            c.choice[i] = father->choice[i];
    if (rng_below(p->rng, 2))
        change_one(p, &c);
    return c;
}

/* Adds generations of children of those members that the model thinks best. A small space is in the pool already. */
static void evolve(Proposer *p)
{
    Ranked parent[PARENTS];
    for (int generation = 0; generation < GENERATIONS && p->space->n > POOL_RANDOM + POOL_NEAR; generation++) {
        int n = 0; /* those members of the pool that promise most, by descending gain */
        for (int i = 0; i < p->npool; i++)
            n = ranked_insert(parent, n, PARENTS, -expected_gain(p, i), i);
        for (int k = 0; n && k < CHILDREN && p->npool < POOL_MAX; k++) {
            const Candidate c =
                make_child(p, &p->pool[parent[rng_below(p->rng, n)].at], &p->pool[parent[rng_below(p->rng, n)].at]);
            if (fits(p, &c) && is_wanted(p, &c) && !is_known(p, &c))
                enter_pool(p, &c);
        }
    }
}

/* Takes candidates that are being built or measured to be as fast as the model predicts: others gain from there on. */
static void believe_in_flight(Proposer *p)
{
    for (int64_t i = 0; i < p->s->ntrial; i++)
        for (int j = 0; p->s->trial[i].in_flight && j < p->nshape; j++)
            p->best[j] = fmin(p->best[j], predict(p, &p->s->trial[i].c, j));
}

/* Takes member i of the pool to be as fast as predicted, for the choice of the next one. */
static void believe(Proposer *p, int i)
{
    for (int j = 0; j < p->nshape; j++)
        p->best[j] = fmin(p->best[j], p->log2t[i * p->nshape + j]);
}

/* The member of the pool with the largest expected gain, *value, of those not taken; -1: all are taken. */
static int best_of_pool(const Proposer *p, const bool *taken, double *value)
{
    int best = -1;
    for (int i = 0; i < p->npool; i++) {
        if (taken[i])
            continue;
        const double gain = expected_gain(p, i);
        if (best < 0 || gain > *value) {
            best = i;
            *value = gain;
        }
    }
    return best;
}

/* Picks the candidate of a slot of the batch, and returns its place in the pool. Slots take in turn: the largest
 * expected gain over all shapes; a step from what is best on one shape; a leap to what should be best on one shape; and
 * a step again or, every other time, any candidate, so that a model that is wrong somewhere learns of it. *shape: that
 * one shape, or -1. *value: the largest expected gain. */
static int pick_for_slot(Proposer *p, const bool *taken, int slot, int *shape, double *value)
{
    Candidate found;
    int best = best_of_pool(p, taken, value), any = (int)rng_below(p->rng, p->npool);
    *shape = -1;
    if (slot % 4 == 0)
        return best;
    if (slot % 8 == 7)
        return taken[any] ? best : any;
    *shape = p->round[rng_below(p->rng, p->nround)];
    const bool any_new = slot % 4 == 2 ? leap_on_shape(p, *shape, &found) : step_on_shape(p, *shape, &found);
    return any_new ? enter_pool(p, &found) : best;
}

int propose(Arena *a, const Study *s, const Space *space, const CostModel *m, Rng *rng, Proposal *out, int n)
{
    Proposer p = { .s = s, .space = space, .m = m, .rng = rng };
    p.pool = ARENA_ARRAY(a, POOL_MAX + MAX_BATCH, Candidate);
    p.log2t = ARENA_ARRAY(a, (size_t)(POOL_MAX + MAX_BATCH) * SHAPES_SEEN, double);
    bool *taken = ARENA_ARRAY(a, POOL_MAX + MAX_BATCH, bool);
    int count = cover(a, s, space, m, out, n);
    if (count == n)
        return n;
    for (int i = 0; i < count; i++) {
        p.pool[p.npool++] = out[i].c;
        taken[i] = true;
    }
    choose_seen_shapes(&p);
    make_pool(&p);
    predict_pool(&p);
    believe_in_flight(&p);
    for (int i = 0; i < count; i++)
        believe(&p, i);
    evolve(&p);
    draw_round(&p);
    for (; count < n && count < MAX_BATCH && count < p.npool; count++) {
        int shape;
        double value = 0;
        int i = pick_for_slot(&p, taken, count, &shape, &value);
        taken[i] = true;
        out[count] = (Proposal){ .c = p.pool[i], .gain = value };
        choose_shapes(&p, i, shape, &out[count]);
        believe(&p, i);
    }
    return count;
}

/* ---- the other strategies ---- */

static int propose_random(Arena *a, const Study *s, const Space *space, const CostModel *m, Rng *rng, Proposal *out,
                          int n)
{
    (void)a;
    (void)m;
    int count = 0;
    for (int tries = 0; count < n && tries < RANDOM_TRIES; tries++) {
        const Candidate *c = &space->candidate[rng_below(rng, space->n)];
        int64_t nserved = 0;
        for (int64_t j = 0; j < s->nshape; j++)
            nserved += candidate_serves(c, s->spec, s->shape[j]->extent);
        bool known = study_find(s, c) >= 0;
        for (int i = 0; i < count; i++)
            known = known || candidate_same(&out[i].c, c);
        if (known || !nserved)
            continue;
        Proposal *p = &out[count++];
        *p = (Proposal){ .c = *c, .gain = INFINITY };
        while (p->nshape < PROPOSE_SHAPES && p->nshape < nserved) {
            const int64_t shape = rng_below(rng, s->nshape);
            if (candidate_serves(c, s->spec, s->shape[shape]->extent))
                proposal_add(p, shape, PROPOSE_SHAPES);
        }
    }
    return count;
}

/* Proposes all candidates in order, on all shapes that they serve and were not measured on, as far as there is room.
 * One that is in the study and not usable has failed, or is being built. */
static int propose_all(Arena *a, const Study *s, const Space *space, const CostModel *m, Rng *rng, Proposal *out, int n)
{
    (void)a;
    (void)m;
    (void)rng;
    int count = 0;
    for (int64_t i = 0; i < space->n && count < n; i++) {
        Proposal *p = &out[count];
        *p = (Proposal){ .c = space->candidate[i], .gain = INFINITY };
        const int64_t at = study_find(s, &p->c);
        const Trial *t = at >= 0 ? &s->trial[at] : NULL;
        for (int64_t j = 0; (!t || trial_usable(t)) && p->nshape < PROPOSE_MAX_SHAPES && j < s->nshape; j++)
            if (candidate_serves(&p->c, s->spec, s->shape[j]->extent) && (!t || !(t->ns[j] > 0)))
                p->shape[p->nshape++] = j;
        count += p->nshape > 0;
    }
    return count;
}

const Strategy strategies[STRATEGY_COUNT] = {
    [STRATEGY_JOINT] = { "joint", true, propose },
    [STRATEGY_RANDOM] = { "random", false, propose_random },
    [STRATEGY_EXHAUSTIVE] = { "exhaustive", false, propose_all },
};
