/* SPDX-License-Identifier: Apache-2.0
 *
 * points: integer points at which two functions of a call's extents and parts are compared.
 *
 *   points_declared   every shape that a spec declares: all integer values of its dims, with each thread count
 *   points_cuts       every combination of values at and around the cuts, the places where such a function may change,
 *                     inside and outside of the declared ranges. Two functions that only compare numbers with cuts, and
 *                     agree on these points, agree everywhere
 *
 * Where there are more points than the limit, the corners come first and then an even sample, the same on every
 * machine.
 */
#ifndef DCGEN_POINTS_H
#define DCGEN_POINTS_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/spec/spec.h"

enum { GRID_MAX_DIM = OP_MAX_EXTENT + 2, POINTS_MAX_AXIS = OP_MAX_EXTENT + 2 };

/* The points of a box of integers, all of them or a sample that covers it evenly. */
typedef struct {
    int ndim;
    int64_t count[GRID_MAX_DIM]; /* indices 0..count-1 along each dim; count >= 1 */
    bool all;                    /* every point, in lexicographic order; else a sample, which may repeat points */
    int64_t npoint, next;
    int64_t ncorner; /* of a sample: so many corners come first */
} Grid;

/* All points if there are at most limit, else limit of them: the corners first, then a low-discrepancy sequence. Where
 * the limit is below the number of corners, half of the points are some of these, spread over all. */
Grid grid_make(int ndim, const int64_t *count, int64_t limit);
bool grid_next(Grid *g, int64_t *index);

/* One axis of points_cuts. */
typedef struct {
    int64_t min, max; /* the ends of its range, which are cuts too */
    int64_t *cut;     /* something changes between cut and cut + 1; in any order, also several times */
    int ncut;
} PointAxis;

typedef struct Points Points;

Points *points_declared(Arena *a, const Spec *s, int64_t limit);
/* Along each axis: each cut and each end of the range with its neighbours (t-1, t, t+1), 0, the ends of 32 and of 64
 * bits, and the end of the range with bit 32 set. All combinations; above the limit every value of one axis with the
 * ends of the other ranges, then a sample, `limit` points in all: with many axes these too are samples. */
Points *points_cuts(Arena *a, const PointAxis *axis, int naxis, int64_t limit);

/* The next point: a number for each axis; of points_declared the extents, then the threads. False at the end. */
bool points_next(Points *p, int64_t *x);
/* Was no declared point, or no combination, left out? */
bool points_are_all(const Points *p);

#endif
