/* SPDX-License-Identifier: Apache-2.0
 *
 * verify_shapes: the shapes that candidates are verified on before anything is timed: where tiles end.
 */
#ifndef DCGEN_VERIFY_SHAPES_H
#define DCGEN_VERIFY_SHAPES_H

#include "gen/unit/unit.h"
#include "search/record/study.h"

enum { VERIFY_SHAPES_MAX = 256 };

/* How strided operands lie that do not lie densely: with gaps; inputs with the same rows for several places, by strides
 * of 0; with the outer extents in the opposite order in memory, as heads of attention lie that are views of rows. */
typedef enum { LIE_APART, LIE_REPEATED, LIE_TURNED } Lie;

typedef struct {
    int n;
    int64_t extent[VERIFY_SHAPES_MAX][OP_MAX_EXTENT];
    int64_t gap[VERIFY_SHAPES_MAX]; /* elements between the rows of strided operands (MeasureRequest); 0: none */
    Lie lie[VERIFY_SHAPES_MAX];     /* of those with gaps */
    bool edges[VERIFY_SHAPES_MAX];  /* the formula's operands hold rows of all kinds */
    int way[VERIFY_SHAPES_MAX];     /* how extents are divided into parts: a PartsWay */
} VerifyShapes;

/* What the candidate does at once along an axis, at least 1. */
int64_t verify_shapes_tile(const Study *s, const Candidate *c, int axis);
/* Extents around the largest tile of n candidates, of the kinds that verify_shapes.c lists. */
void verify_shapes(const Study *s, const Candidate *const *c, int n, VerifyShapes *w);
/* The same for the kernels of a package, around the tiles of each of them, and as if none of these were small: what a
 * template's head calls a tile need not be all that its code does at once. */
void verify_shapes_of_kernels(const Spec *spec, const Device *device, const UnitKernel *k, int n, VerifyShapes *w);
/* The same for an op's axes and their tiles alone. */
void verify_shapes_of_tiles(const Op *op, const int64_t *tile, VerifyShapes *w);
/* One whole tile of a candidate, `steps` tiles along reduced axes, with the attributes of one of the spec's shapes.
 * False: no such call is legal, or it does not serve that. */
bool verify_shapes_one_tile(const Study *s, const Candidate *c, int64_t steps, int64_t *extent);

#endif
