/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_points: what the tests of tree share: points with costs drawn at random, and what must hold of every tree that
 * is trained on them.
 */
#ifndef DCGEN_TEST_TREE_POINTS_H
#define DCGEN_TEST_TREE_POINTS_H

#include "tests/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model/tree.h"
#include "tests/near.h"

static const TreeOptions FULL = { .tolerance = 0 };

static uint64_t seed;

static inline uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((seed >> 32) * below) >> 32);
}

typedef struct {
    int64_t n;
    int nfeature, nclass;
    int64_t *x;
    double *cost;
} Data;

static inline Data data_new(Arena *a, int64_t n, int nfeature, int nclass)
{
    Data d = { .n = n, .nfeature = nfeature, .nclass = nclass };
    d.x = ARENA_ARRAY(a, (size_t)(n * nfeature), int64_t);
    d.cost = ARENA_ARRAY(a, (size_t)(n * nclass), double);
    return d;
}

static inline TreeNode *train(Arena *a, const Data *d, TreeOptions options)
{
    TreeNode *t = tree_train(a, d->x, d->cost, d->n, d->nfeature, d->nclass, options);
    assert_non_null(t);
    return t;
}

/* Whole costs, so that sums are exact and ties are ties. */
static inline Data random_data(Arena *a, int64_t n, int nfeature, int nclass, uint32_t values, uint32_t costs)
{
    Data d = data_new(a, n, nfeature, nclass);
    for (int64_t i = 0; i < n * nfeature; i++)
        d.x[i] = (int64_t)draw(values) - values / 2;
    for (int64_t i = 0; i < n * nclass; i++)
        d.cost[i] = draw(costs);
    return d;
}

static inline double cost_of_tree(const Data *d, const TreeNode *t)
{
    double sum = 0;
    for (int64_t i = 0; i < d->n; i++)
        sum += d->cost[i * d->nclass + tree_choose(t, d->x + i * d->nfeature)];
    return sum;
}

/* Every node's number of points, class and cost are those of the points that reach it: those `here`; NULL: all. */
static inline void check_nodes(const Data *d, const TreeNode *t, const bool *here)
{
    int64_t n = 0;
    double *sum = calloc((size_t)d->nclass, sizeof *sum);
    for (int64_t i = 0; i < d->n; i++) {
        const bool in = !here || here[i];
        n += in;
        for (int c = 0; in && c < d->nclass; c++)
            sum[c] += d->cost[i * d->nclass + c];
    }
    assert_int_equal(t->npoint, n);
    for (int c = 0; c < d->nclass; c++)
        assert_true(t->cost <= sum[c] * (1 + 1e-9));
    assert_near(t->cost, sum[t->class]);
    free(sum);
    if (t->feature < 0)
        return;
    bool *side = calloc((size_t)d->n, sizeof *side);
    for (int right = 0; right < 2; right++) {
        for (int64_t i = 0; i < d->n; i++)
            side[i] = (!here || here[i]) && (d->x[i * d->nfeature + t->feature] > t->threshold) == right;
        check_nodes(d, right ? t->right : t->left, side);
    }
    free(side);
}

static inline void check_tree(const Data *d, const TreeNode *t) { check_nodes(d, t, NULL); }

static inline int setup(void **state)
{
    seed = 7;
    *state = arena_new();
    return 0;
}

static inline int teardown(void **state)
{
    arena_free(*state);
    return 0;
}

#endif
