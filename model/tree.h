/* SPDX-License-Identifier: Apache-2.0
 *
 * tree: a cost-sensitive decision tree. Each point has a cost for every class; a leaf takes the class with the smallest
 * weighted cost of its points; a split is taken where it lowers the total cost most. Knows no dcgen type. Where no
 * single split lowers the cost, one level is looked ahead: the best pair of thresholds on one feature (a class that is
 * useful only in the middle of a range), then the best of some first thresholds followed by the best second ones on any
 * feature (XOR). Below 32 levels, nodes of 64 points or more are split near their middle, so that no pattern of costs
 * gives a deep tree. After growing, leaves are merged, those first that save least for each leaf, while the total cost
 * rises by at most `tolerance` of the full tree's (a smaller tree), and further while a leaf saves less than `worth` of
 * it.
 */
#ifndef DCGEN_TREE_H
#define DCGEN_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gen/base/arena.h"

typedef struct TreeNode {
    int feature;       /* -1: leaf */
    int64_t threshold; /* go left when x[feature] <= threshold */
    struct TreeNode *left, *right;
    int class;      /* that is best for all of its points; a leaf's choice */
    int64_t npoint; /* given points that end up in it */
    double cost;    /* of its points with that class */
} TreeNode;

typedef struct {
    double tolerance; /* relative rise of the total cost allowed by pruning, e.g. 1e-3 */
    double worth;     /* part of the total cost that a leaf must save at least to stay, e.g. 1e-4 */
} TreeOptions;

/* x: npoint x nfeature integers; cost: npoint x nclass, already weighted, finite; at least one of each.
 * Thresholds lie half-way between neighbouring values (rounded down). Ties (differences below 1e-12 of the cost) go to
 * the lower feature, then the lower threshold, then the lower class: same points in any order, same tree. Points that
 * agree in all features share a leaf. */
TreeNode *tree_train(Arena *a, const int64_t *x, const double *cost, int64_t npoint, int nfeature, int nclass,
                     TreeOptions options);
const TreeNode *tree_leaf(const TreeNode *t, const int64_t *x); /* that x ends up in */
int tree_choose(const TreeNode *t, const int64_t *x);
int tree_nleaf(const TreeNode *t);
int tree_depth(const TreeNode *t);

#endif
