/* SPDX-License-Identifier: Apache-2.0 */
#include "search/choose/heldout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model/rank.h"
#include "search/measure/lab_machine.h"
#include "search/space/propose.h"

enum { MAX_MEET = 48, LEAST_RIVAL = 3, MAX_RIVAL = 12, PASSES = 3, MOST_PASSES = 5, FIRST_REPEATS = 3, REPEATS = 5 };
static const double NEAR_BEST =
    1.25; /* of the best prediction: rivals of the package's kernels; but the model may err, so there are some */
static const double CLOSE = 1.1; /* of the best time: worth another pass */
static const double AGAIN =
    1.03; /* of the best time: the chosen kernel's, above which further passes must confirm it */
static const double LATER_PASSES = 1.5; /* all later passes together, as a part of the first */

/* ---- the sample ---- */

typedef struct {
    Arena *arena;
    const Spec *spec;
    bool *free; /* one an instance: held out, with a weight, not in the sample */
    int64_t *out;
    int n, most;
} Sample;

static bool is_held_out(const Instance *inst) { return !inst->tuned && inst->weight > 0; }

int64_t heldout_count(const Spec *spec)
{
    int64_t n = 0;
    for (int64_t i = 0; i < spec->ninstance; i++)
        n += is_held_out(&spec->instance[i]);
    return n;
}

static void take(Sample *s, int64_t instance)
{
    if (instance < 0 || !s->free[instance] || s->n >= s->most)
        return;
    s->free[instance] = false;
    s->out[s->n++] = instance;
}

/* At most `most` of n, evenly. */
static void take_evenly(Sample *s, const int64_t *at, int64_t n, int64_t most)
{
    for (int64_t i = 0; i < n && i < most; i++)
        take(s, at[n > most ? i * n / most : i]);
}

static bool is_corner(const Spec *spec, const Instance *inst)
{
    for (int i = 0; i < spec->ndim; i++)
        if (inst->dim[i] != spec->dim[i].min && inst->dim[i] != spec->dim[i].max)
            return false;
    return true;
}

static void take_corners(Sample *s, int most)
{
    int64_t *at = ARENA_ARRAY(s->arena, (size_t)s->spec->ninstance + 1, int64_t), n = 0;
    for (int64_t i = 0; i < s->spec->ninstance; i++)
        if (s->free[i] && is_corner(s->spec, &s->spec->instance[i]))
            at[n++] = i;
    take_evenly(s, at, n, most);
}

static int64_t feature_of(const Spec *spec, const Instance *inst, int feature)
{
    return feature < spec->op->naxis ? inst->extent[feature] : inst->threads;
}

/* The instances nearest to each threshold of the tree, of those that come to it; places in the order of the nodes, two a node. */
typedef struct {
    const TreeNode *node;
    int64_t beside[2]; /* below or at the threshold, above it; -1: none */
} Threshold;

static int list_thresholds(const TreeNode *t, Threshold *out)
{
    if (t->feature < 0)
        return 0;
    out[0] = (Threshold){ t, { -1, -1 } };
    int n = 1 + list_thresholds(t->left, out + 1);
    return n + list_thresholds(t->right, out + n);
}

static int inner_nodes(const TreeNode *t)
{
    return t->feature < 0 ? 0 : 1 + inner_nodes(t->left) + inner_nodes(t->right);
}

/* a is nearer to the threshold than b; of those alike the weightier. */
static bool is_nearer(const Spec *spec, const TreeNode *t, int64_t a, int64_t b)
{
    if (b < 0)
        return true;
    const Instance *x = &spec->instance[a], *y = &spec->instance[b];
    const int64_t from_x = llabs(feature_of(spec, x, t->feature) - t->threshold);
    const int64_t from_y = llabs(feature_of(spec, y, t->feature) - t->threshold);
    return from_x != from_y ? from_x < from_y : x->weight > y->weight;
}

/* The way of one instance through the tree. */
static void pass_thresholds(const Spec *spec, const TreeNode *root, Threshold *list, int64_t instance)
{
    const TreeNode *t = root;
    while (t->feature >= 0) {
        const bool above = feature_of(spec, &spec->instance[instance], t->feature) > t->threshold;
        if (is_nearer(spec, t, instance, list->beside[above]))
            list->beside[above] = instance;
        list += 1 + (above ? inner_nodes(t->left) : 0);
        t = above ? t->right : t->left;
    }
}

static void take_thresholds(Sample *s, const TreeNode *tree, int most)
{
    Threshold *list = ARENA_ARRAY(s->arena, (size_t)inner_nodes(tree) + 1, Threshold);
    const int n = list_thresholds(tree, list);
    int64_t *at = ARENA_ARRAY(s->arena, 2 * (size_t)n + 1, int64_t), nat = 0;
    for (int64_t i = 0; n && i < s->spec->ninstance; i++)
        if (is_held_out(&s->spec->instance[i]))
            pass_thresholds(s->spec, tree, list, i);
    for (int i = 0; i < 2 * n; i++)
        if (list[i / 2].beside[i % 2] >= 0)
            at[nat++] = list[i / 2].beside[i % 2];
    take_evenly(s, at, nat, most);
}

/* Steps of equal weight from a place drawn at random: what is asked for often is in it, and no part of the ranges is left out. */
static void take_by_weight(Sample *s, Rng *rng)
{
    double total = 0, sum = 0;
    const int want = s->most - s->n;
    for (int64_t i = 0; i < s->spec->ninstance; i++)
        total += s->free[i] ? s->spec->instance[i].weight : 0;
    if (want <= 0 || !(total > 0))
        return;
    const double step = total / want;
    double next = step * rng_uniform(rng);
    for (int64_t i = 0; i < s->spec->ninstance; i++) {
        if (!s->free[i])
            continue;
        sum += s->spec->instance[i].weight;
        if (sum > next)
            take(s, i);
        while (next < sum)
            next += step;
    }
}

static void shuffle(Sample *s, Rng *rng)
{
    for (int i = s->n - 1; i > 0; i--) {
        const int64_t k = rng_below(rng, i + 1), was = s->out[i];
        s->out[i] = s->out[k];
        s->out[k] = was;
    }
}

int heldout_sample(Arena *a, const Spec *spec, const Assignment *as, uint64_t seed, int most, int64_t *instance)
{
    Sample s = { .arena = a,
                 .spec = spec,
                 .free = ARENA_ARRAY(a, (size_t)spec->ninstance + 1, bool),
                 .out = instance,
                 .most = most };
    Rng rng = { seed };
    for (int64_t i = 0; i < spec->ninstance; i++)
        s.free[i] = is_held_out(&spec->instance[i]);
    take_corners(&s, most / 4);
    take_thresholds(&s, as->tree, most / 2);
    for (int before = -1; s.n < most && s.n > before;) { /* one that outweighs a step leaves room for others */
        before = s.n;
        take_by_weight(&s, &rng);
    }
    shuffle(&s, &rng);
    return s.n;
}

/* ---- the races ---- */

typedef struct {
    const Instance *inst;
    int n;
    int64_t trial[MAX_MEET]; /* the chosen one first */
    double ns;               /* predicted, then measured, of one sample of each */
    bool doubtful;           /* the chosen one was not among the best in the last pass */
} Race;

static void enter(Race *r, const Ranked *rival)
{
    for (int i = 0; i < r->n; i++)
        if (r->trial[i] == rival->at)
            return;
    if (r->n == MAX_MEET)
        return;
    r->trial[r->n++] = rival->at;
    r->ns += fmax(rival->key, STOPWATCH_SAMPLE_NS);
}

static void make_race(const Search *q, Arena *scratch, const Assignment *as, const CostModel *m, int64_t instance,
                      Race *r)
{
    const Study *s = q->study;
    Ranked *all = ARENA_ARRAY(scratch, (size_t)s->ntrial + 1, Ranked);
    const int64_t chosen = as->kernel[as->chosen[instance]];
    int64_t n = 0;
    *r = (Race){ .inst = &s->spec->instance[instance] };
    enter(r, &(Ranked){ cost_trial(m, chosen, r->inst), chosen });
    for (int k = 0; k < as->nkernel; k++)
        enter(r, &(Ranked){ cost_trial(m, as->kernel[k], r->inst), as->kernel[k] });
    for (int64_t i = 0; i < s->ntrial; i++)
        if (study_may_choose(s, &s->trial[i]))
            all[n++] = (Ranked){ cost_trial(m, i, r->inst), i };
    qsort(all, (size_t)n, sizeof *all, ranked_compare);
    for (int64_t i = 0; i < n && i < MAX_RIVAL && (i < LEAST_RIVAL || all[i].key <= NEAR_BEST * all[0].key); i++)
        enter(r, &all[i]);
}

/* What the shapes will take: all in the first pass, fewer later. */
static double cost_s(const Search *q, const Race *race, int n)
{
    double ns = 0;
    for (int i = 0; i < n; i++)
        ns += race[i].ns;
    return stopwatch_expect_s(q, PASSES * n, ns * (1 + LATER_PASSES), FIRST_REPEATS);
}

/* As many shapes as there is time for, HELD_OUT_LEAST if there are so many. */
static int make_races(const Search *q, Arena *scratch, const Assignment *as, const CostModel *m, double until_s,
                      Race **out)
{
    int64_t at[HELD_OUT_MOST];
    int n = 0;
    *out = ARENA_ARRAY(scratch, HELD_OUT_MOST, Race);
    for (int most = HELD_OUT_MOST; most >= HELD_OUT_LEAST; most -= 4) {
        n = heldout_sample(scratch, q->study->spec, as, q->seed, most, at);
        for (int i = 0; i < n; i++)
            make_race(q, scratch, as, m, at[i], &(*out)[i]);
        if (cost_s(q, *out, n) <= until_s - q->lab->now_s(q))
            break;
    }
    return n;
}

/* Those that may be the best there, and the chosen one, whose time must be known best; no fewer than two, if there are. */
static void keep_close(Race *r, const double *ns)
{
    double rival = INFINITY;
    int n = 0;
    for (int i = 1; i < r->n; i++)
        rival = ns[i] > 0 ? fmin(rival, ns[i]) : rival;
    const double best = ns[0] > 0 ? fmin(ns[0], rival) : rival;
    r->doubtful = ns[0] > AGAIN * best;
    r->ns = 0;
    for (int i = 0; i < r->n; i++)
        if (ns[i] > 0 && (i == 0 || ns[i] <= fmax(CLOSE * best, rival))) {
            r->trial[n++] = r->trial[i];
            r->ns += fmax(ns[i], STOPWATCH_SAMPLE_NS);
        }
    r->n = n;
}

/* A pass that may begin: there is time, and a reason. */
static bool is_due(const Search *q, const Race *r, int pass, int repeats, double until_s)
{
    const double end_s = q->lab->now_s(q) + stopwatch_expect_s(q, 1, r->ns, repeats);
    return r->n > 0 && (pass < PASSES || r->doubtful) && end_s <= until_s;
}

/* The first pass only says who may be the best: the one whose luck it was would keep that time for good. What counts are the later ones. */
bool heldout_run(Search *q, Arena *scratch, const Assignment *as, const CostModel *m, double until_s, const char **err)
{
    Race *race;
    double ns[MAX_MEET];
    const int n = make_races(q, scratch, as, m, until_s, &race);
    const Instance *inst[HELD_OUT_MOST];
    for (int i = 0; i < n; i++)
        inst[i] = race[i].inst;
    if (!intake_quiet(q, scratch, inst, n, err))
        return false;
    if (n)
        progress_phase(q->progress, "hold out", (double)(MOST_PASSES * n));
    for (int i = 0; i < MOST_PASSES * n; i++) {
        Race *r = &race[i % n];
        const int pass = i / n, repeats = pass ? REPEATS : FIRST_REPEATS;
        progress_update(q->progress, (double)i, "", fmax(until_s - q->lab->now_s(q), 0));
        if (!is_due(q, r, pass, repeats, until_s))
            continue;
        if (!intake_race(q, scratch, r->inst, r->trial, r->n, repeats, pass > 0, ns, err))
            return false;
        keep_close(r, ns);
    }
    return true;
}
