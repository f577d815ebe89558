/* SPDX-License-Identifier: Apache-2.0
 *
 * tree: a cost-sensitive decision tree. Each point has a cost for every class; a leaf takes the class with the smallest
 * weighted cost of its points; a split is taken where it lowers the total cost most. Knows no dcgen type.
 * After growing, leaves are merged while the total cost rises by less than `tolerance` of itself (a smaller tree).
 */
#ifndef DCGEN_TREE_H
#define DCGEN_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gen/arena.h"

typedef struct TreeNode {
    int feature;                       /* -1: leaf */
    int64_t threshold;                 /* go left when x[feature] <= threshold */
    struct TreeNode *left, *right;
    int class;                         /* leaf: the class */
    int64_t npoint;
    double cost;                       /* of its points with its best single class */
} TreeNode;

typedef struct {
    int max_leaf;                      /* 0: no limit */
    double tolerance;                  /* relative rise of the total cost allowed by pruning, e.g. 1e-3 */
} TreeOptions;

/* x: npoint x nfeature integers; cost: npoint x nclass, already weighted, finite or +inf (class not allowed there).
 * Thresholds lie half-way between neighbouring values (rounded down). Ties go to the lower feature, then the lower
 * threshold, then the lower class: same input, same tree. Points that agree in all features share a leaf. */
TreeNode *tree_train(Arena *a, const int64_t *x, const double *cost, int64_t npoint, int nfeature, int nclass,
                     TreeOptions options);
int tree_choose(const TreeNode *t, const int64_t *x);
int tree_nleaf(const TreeNode *t);
int tree_depth(const TreeNode *t);

#endif
