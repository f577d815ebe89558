/* SPDX-License-Identifier: Apache-2.0
 *
 * verify_shapes: the shapes that candidates are verified on before anything is timed: where tiles end.
 */
#ifndef DCGEN_VERIFY_SHAPES_H
#define DCGEN_VERIFY_SHAPES_H

#include <stdint.h>
#include "search/record/study.h"

enum { VERIFY_SHAPES_MAX = 96 };

typedef struct {
    int n;
    int64_t extent[VERIFY_SHAPES_MAX][OP_MAX_EXTENT];
} VerifyShapes;

/* What the candidate does at once along an axis, at least 1. */
int64_t verify_shapes_tile(const Study *s, const Candidate *c, int axis);
/* Extents around the largest tile of n candidates, an axis at a time: the smallest ones, the tile and its neighbours, more than two tiles; and those
 * that a kernel is fixed for. Along the first axis the smallest are all up to the tile, 24 at most; along the others they end with 2. */
void verify_shapes(const Study *s, const Candidate *const *c, int n, VerifyShapes *w);

#endif
