/* SPDX-License-Identifier: Apache-2.0
 *
 * heldout: which of the shapes that are not tuned are measured, to know how good the choice is there. The results are records, for the
 * package's contract (contract.h); choice, model and dispatcher never see them, or these shapes would not be held out any more.
 */
#include <stdlib.h>
#include "gen/base/rng.h"
#include "search/loop/search.h"

typedef struct {
    Arena *arena;
    const Spec *spec;
    bool *free; /* one an instance: held out, with a weight, not in the sample */
    int64_t *out;
    int n, most;
} Sample;

static void take_instance(Sample *s, int64_t instance)
{
    if (!s->free[instance] || s->n >= s->most)
        return;
    s->free[instance] = false;
    s->out[s->n++] = instance;
}

/* Takes at most `most` of n instances, evenly spread. */
static void take_evenly(Sample *s, const int64_t *at, int64_t n, int64_t most)
{
    for (int64_t i = 0; i < n && i < most; i++)
        take_instance(s, at[n > most ? i * n / most : i]);
}

static void take_corners(Sample *s, int most)
{
    const Spec *spec = s->spec;
    int64_t *at = ARENA_ARRAY(s->arena, (size_t)spec->ninstance + 1, int64_t), n = 0;
    for (int64_t i = 0; i < spec->ninstance; i++) {
        bool corner = s->free[i];
        for (int k = 0; k < spec->ndim; k++) {
            const int64_t value = spec->instance[i].dim[k];
            corner = corner && (value == spec->dim[k].min || value == spec->dim[k].max);
        }
        if (corner)
            at[n++] = i;
    }
    take_evenly(s, at, n, most);
}

static int64_t feature_of(const Spec *spec, const Instance *inst, int feature)
{
    return select_feature(spec, inst->extent, inst->threads, feature);
}

/* True if instance a is nearer to the node's threshold than b is, or as near and weightier. b < 0: there is no b. */
static bool is_nearer(const Spec *spec, const TreeNode *t, int64_t a, int64_t b)
{
    if (b < 0)
        return true;
    const Instance *x = &spec->instance[a], *y = &spec->instance[b];
    const int64_t from_x = llabs(feature_of(spec, x, t->feature) - t->threshold);
    const int64_t from_y = llabs(feature_of(spec, y, t->feature) - t->threshold);
    return from_x != from_y ? from_x < from_y : x->weight > y->weight;
}

/* Lists of n instances that come to a node of the tree the nearest to its threshold on either side, the one below or at it first; then those
 * of the nodes behind it. out[] has room for two a node. Returns how many. */
static int64_t list_beside(const Sample *s, const TreeNode *t, const int64_t *instance, int64_t n, int64_t *out)
{
    int64_t *side[2], nside[2] = { 0 }, nearest[2] = { -1, -1 }, nout = 0;
    if (t->feature < 0)
        return 0;
    for (int k = 0; k < 2; k++)
        side[k] = ARENA_ARRAY(s->arena, (size_t)n + 1, int64_t);
    for (int64_t i = 0; i < n; i++) {
        const bool above = feature_of(s->spec, &s->spec->instance[instance[i]], t->feature) > t->threshold;
        if (is_nearer(s->spec, t, instance[i], nearest[above]))
            nearest[above] = instance[i];
        side[above][nside[above]++] = instance[i];
    }
    for (int k = 0; k < 2; k++)
        if (nearest[k] >= 0)
            out[nout++] = nearest[k];
    nout += list_beside(s, t->left, side[0], nside[0], out + nout);
    return nout + list_beside(s, t->right, side[1], nside[1], out + nout);
}

static void take_thresholds(Sample *s, const TreeNode *tree, int most)
{
    int64_t *held = ARENA_ARRAY(s->arena, (size_t)s->spec->ninstance + 1, int64_t), n = 0;
    int64_t *at = ARENA_ARRAY(s->arena, 2 * (size_t)tree_nleaf(tree), int64_t);
    for (int64_t i = 0; i < s->spec->ninstance; i++)
        if (contract_holds_out(&s->spec->instance[i]))
            held[n++] = i;
    take_evenly(s, at, list_beside(s, tree, held, n, at), most);
}

/* Fills the sample in steps of equal weight, from a random place on: it holds what is asked for often, and no part of the ranges is left out. */
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
            take_instance(s, i);
        while (next < sum)
            next += step;
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
        s.free[i] = contract_holds_out(&spec->instance[i]);
    take_corners(&s, most / 4);
    take_thresholds(&s, as->tree, most / 2);
    for (int before = -1; s.n < most && s.n > before;) { /* an instance that outweighs a step leaves room for others */
        before = s.n;
        take_by_weight(&s, &rng);
    }
    return s.n;
}
