/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_grow: the first half of tree.c, growing. Private to the tree.
 */
#ifndef DCGEN_TREE_GROW_H
#define DCGEN_TREE_GROW_H

#include <math.h>
#include "model/tree.h"

/* A cost of +inf is not added up but counted: costs compare by the points
 * that got a class not allowed to them first. */
typedef struct {
    int64_t ndenied; /* points whose class is not allowed */
    double sum;      /* of the others */
} Cost;

/* Differences below this part are rounding: they decide nothing. */
#define TREE_ROUNDING 1e-12

static inline Cost cost_add(Cost a, Cost b) { return (Cost){ a.ndenied + b.ndenied, a.sum + b.sum }; }
static inline Cost cost_sub(Cost a, Cost b) { return (Cost){ a.ndenied - b.ndenied, a.sum - b.sum }; }

static inline bool cost_less(Cost a, Cost b) { return a.ndenied != b.ndenied ? a.ndenied < b.ndenied : a.sum < b.sum; }

/* a is less than b by more than rounding. */
static inline bool cost_lowers(Cost a, Cost b)
{
    return a.ndenied != b.ndenied ? a.ndenied < b.ndenied : a.sum < b.sum - TREE_ROUNDING * fabs(b.sum);
}

/* A node while the tree grows and is pruned; sub and nleaf are those of the subtree below it. */
typedef struct Grown {
    TreeNode node; /* first: node.left and node.right point to Grown */
    Cost own, sub;
    int64_t nleaf;
    struct Grown *parent;
    int64_t index, end; /* preorder: the subtree is index .. end-1 */
} Grown;

static inline Grown *grown_left(const Grown *t) { return (Grown *)t->node.left; }
static inline Grown *grown_right(const Grown *t) { return (Grown *)t->node.right; }

/* Sums sub and nleaf up from the children. */
void grown_sum(Grown *t);

/* The full tree, in `scratch`; npoint, nclass >= 1. */
Grown *tree_grow(Arena *scratch, const int64_t *x, const double *cost, int64_t npoint, int nfeature, int nclass);

#endif
