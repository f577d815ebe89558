/* SPDX-License-Identifier: Apache-2.0
 *
 * grid: the points of a box of integers, all of them or a sample that covers it evenly.
 */
#ifndef DCGEN_GRID_H
#define DCGEN_GRID_H

#include <stdbool.h>
#include <stdint.h>

enum { GRID_MAX_DIM = 7 };

typedef struct {
    int ndim;
    int64_t count[GRID_MAX_DIM]; /* indices 0..count-1 along each dim; count >= 1 */
    bool all;                    /* every point, in lexicographic order; else a sample, which may repeat points */
    int64_t npoint, next;
} Grid;

/* All points if there are at most limit, else limit of them: the corners first, then a low-discrepancy sequence. */
Grid grid_make(int ndim, const int64_t *count, int64_t limit);
bool grid_next(Grid *g, int64_t *index);

#endif
