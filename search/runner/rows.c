/* SPDX-License-Identifier: Apache-2.0
 *
 * rows: which rows of a large output are compared with the reference. Kernels work on tiles whose sizes nobody tells a
 * runner, and what is wrong is wrong in a part of a tile, or in the tail that an extent ends with. So the sample has
 * the corners, the last rows, rows that lie at either end of an extent or where the tail of tiles of 2, 3, 4, 6, 8 ...
 * begins, in any mixture, and rows spread evenly. The rows are the points of the output's first extents; the last ones
 * lie within a row.
 */
#include "search/runner/runner.h"

#include <math.h>
#include <stdlib.h>

enum {
    MIN_ROWS = 3,
    MAX_ROWS = 32, /* where the sums of all rows are compared too */
    /* Where they are not: elements that are compared however much they cost, and rows. */
    MIN_ELEMS = 256,
    MAX_LONE_ROWS = 2048,
    LAST_ROWS = 4, /* so many of the sample are the last rows */
    TILE_SIZES = 8
};
static const double full_terms = 1 << 26;  /* up to so many products are all computed */
static const int64_t full_elems = 1 << 23; /* up to so many results are all kept */

typedef struct {
    int n;
    int64_t extent[OP_MAX_RANK];
} Grid;

static Grid rows_grid(const Shape *s)
{
    Grid g = { 0 };
    int64_t rows = 1;
    for (; rows < s->rows && g.n < OP_MAX_RANK && s->out_extent[g.n] > 0; g.n++)
        rows *= g.extent[g.n] = s->out_extent[g.n];
    return rows == s->rows ? g : (Grid){ 1, { s->rows } };
}

/* The row at corner number `which`: its bits say of each extent whether its first or its last point. */
static int64_t corner(const Grid *g, int64_t which)
{
    int64_t row = 0;
    for (int i = 0; i < g->n; i++)
        row = row * g->extent[i] + (which >> i & 1 ? g->extent[i] - 1 : 0);
    return row;
}

/* A point of an extent where something begins or ends: the extent, or the last tile of some size. */
static int64_t draw_end(Rng *r, int64_t extent)
{
    const int64_t tile = (2 + rng_below(r, 2)) << rng_below(r, TILE_SIZES), tail = extent / tile * tile;
    const int64_t point[] = { 0, extent - 1, tail, tail - 1 };
    const int64_t at = point[rng_below(r, 4)];
    return at >= 0 && at < extent ? at : extent - 1;
}

static int64_t draw_ends(Rng *r, const Grid *g)
{
    int64_t row = 0;
    for (int i = 0; i < g->n; i++)
        row = row * g->extent[i] + draw_end(r, g->extent[i]);
    return row;
}

static int64_t draw_part(Rng *r, int64_t rows, int64_t i, int64_t n)
{
    const int64_t begin = (int64_t)((double)rows / (double)n * (double)i);
    const int64_t row = begin + rng_below(r, rows / n + 1);
    return row < rows ? row : rows - 1;
}

static void draw_rows(uint64_t seed, Shape *s)
{
    const Grid g = rows_grid(s);
    const int64_t corners = (int64_t)1 << g.n <= s->nrow / 8 ? (int64_t)1 << g.n : 1;
    Rng r = { seed ^ (uint64_t)s->rows };
    for (int64_t i = 0; i < s->nrow; i++) {
        const int64_t from_end = s->nrow - i;
        if (i < corners)
            s->row[i] = corner(&g, i);
        else if (from_end <= LAST_ROWS)
            s->row[i] = s->rows - from_end;
        else
            s->row[i] = i % 2 ? draw_part(&r, s->rows, i, s->nrow) : draw_ends(&r, &g);
    }
}

static int64_t sample_size(const Setup *setup, const Shape *s)
{
    const int64_t lone = (MIN_ELEMS + s->row_elems - 1) / s->row_elems;
    const int64_t least = setup->check || lone < MIN_ROWS ? MIN_ROWS : lone;
    const int64_t most = setup->check ? MAX_ROWS : MAX_LONE_ROWS;
    const double elems = fmin(2 * full_terms / (double)s->terms, (double)full_elems);
    const int64_t fit = (int64_t)(elems / (double)s->row_elems);
    const int64_t n = fit < least ? least : fit > most ? most : fit;
    return n < s->rows ? n : s->rows;
}

bool shape_choose_rows(const Setup *setup, Shape *s)
{
    const double all = (double)s->rows * (double)s->row_elems * (double)s->terms;
    s->full = all <= full_terms && s->rows * s->row_elems <= full_elems;
    s->nrow = s->full ? s->rows : sample_size(setup, s);
    s->nsum = s->full || !setup->check ? 0 : s->rows;
    s->row = calloc((size_t)s->nrow + 1, sizeof *s->row);
    if (s->row && s->nrow < s->rows)
        draw_rows(setup->seed, s);
    for (int64_t i = 0; s->row && s->nrow == s->rows && i < s->nrow; i++)
        s->row[i] = i;
    return s->row;
}
