/* SPDX-License-Identifier: Apache-2.0
 *
 * points: a Points is a sequence of grids. For declared shapes there is one grid a shape, over the dims that it uses.
 * For cuts there is one over the values at the cuts; where it is only a sample, one an axis comes before it. The sample
 * of a grid is Richtmyer's sequence, x_k = frac(k * sqrt(prime)), in 64-bit fixed point: the same on every machine.
 */
#include "gen/spec/points.h"

#include <stdlib.h>
#include <string.h>
#include "gen/base/order.h"

_Static_assert((int)POINTS_MAX_AXIS <= (int)GRID_MAX_DIM && (int)SPEC_MAX_DIM < (int)GRID_MAX_DIM,
               "a grid has room for all axes");

/* ---- grids ---- */

/* frac(sqrt(p)) * 2^64 for the first primes p = 2, 3, 5 ... */
static const uint64_t root_fraction[GRID_MAX_DIM] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1,
    0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179, 0xcbbb9d5dc1059ed8, 0x629a292a367cd507,
    0x9159015a3070dd17, 0x152fecd8f70e5939, 0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7,
    0x47b5481dbefa4fa4, 0xae5f9156e7b6d99b, 0xcf6c85d39d1a1e15, 0x2f73477d6a4563ca, 0x6d1826cafd82e1ed,
    0x8b43d4570a51b936, 0xe360b596dc380c3f, 0x1c456002ce13e9f8, 0x6f19633143a0af0e, 0xd94ebeb1ab313933,
};

/* Dims that have two ends. */
static int count_wide(const Grid *g)
{
    int n = 0;
    for (int i = 0; i < g->ndim; i++)
        n += g->count[i] > 1;
    return n;
}

Grid grid_make(int ndim, const int64_t *count, int64_t limit)
{
    Grid g = { .ndim = ndim, .all = true, .npoint = 1 };
    for (int i = 0; i < ndim; i++) {
        g.count[i] = count[i];
        if (__builtin_mul_overflow(g.npoint, count[i], &g.npoint) || g.npoint > limit) {
            g.npoint = limit; /* too many already; stays so whatever follows */
            g.all = false;
        }
    }
    const int64_t corners = (int64_t)1 << count_wide(&g);
    g.ncorner = corners <= limit ? corners : limit / 2;
    return g;
}

static void set_point_in_order(const Grid *g, int64_t k, int64_t *index)
{
    for (int i = g->ndim; i-- > 0; k /= g->count[i])
        index[i] = k % g->count[i];
}

/* A corner: bit j of its number chooses the end of the j-th dim that has two. */
static void set_corner(const Grid *g, uint64_t number, int64_t *index)
{
    int wide = 0;
    for (int i = 0; i < g->ndim; i++) {
        index[i] = number >> wide & 1 ? g->count[i] - 1 : 0;
        wide += g->count[i] > 1;
    }
}

/* The number of the k-th corner of a sample: of some of many the least, the greatest, and then any of them. */
static uint64_t corner_number(const Grid *g, int64_t k)
{
    const int wide = count_wide(g);
    const uint64_t last = ((uint64_t)1 << wide) - 1;
    if ((uint64_t)g->ncorner > last)
        return (uint64_t)k;
    return k == 0 ? 0 : k == 1 ? last : (uint64_t)k * root_fraction[0] >> (64 - wide);
}

static void set_point_of_sequence(const Grid *g, int64_t k, int64_t *index)
{
    for (int i = 0; i < g->ndim; i++) {
        uint64_t x = ((uint64_t)k + 1) * root_fraction[i];
        index[i] = (int64_t)(((unsigned __int128)x * (uint64_t)g->count[i]) >> 64);
    }
}

bool grid_next(Grid *g, int64_t *index)
{
    if (g->next >= g->npoint)
        return false;
    const int64_t k = g->next++;
    if (g->all)
        set_point_in_order(g, k, index);
    else if (k < g->ncorner)
        set_corner(g, corner_number(g, k), index);
    else
        set_point_of_sequence(g, k - g->ncorner, index);
    return true;
}

/* ---- points of several grids ---- */

/* A grid's indices stand for the values in these lists, or count up from a first value. */
typedef struct {
    Grid grid;
    const int64_t *value[GRID_MAX_DIM]; /* NULL: first + index */
    int64_t first[GRID_MAX_DIM];
    /* The grid is over dims and threads, and a point has the extents of this shape there; NULL: it is over extents. */
    const ShapeDecl *shape;
} Part;

struct Points {
    const Spec *spec;
    int64_t row, nrow; /* instances of a log; 0: there is none */
    int naxis, npart, at;
    Part *part;
    bool all;
};

/* The extents and threads at a place of the grid. False: nothing is declared there, as the extents are not legal. */
static bool find_extents(const Points *p, const Part *part, const int64_t *index, int64_t *x)
{
    int64_t value[GRID_MAX_DIM];
    for (int i = 0; i < part->grid.ndim; i++)
        value[i] = part->value[i] ? part->value[i][index[i]] : part->first[i] + index[i];
    if (!part->shape) {
        memcpy(x, value, (size_t)p->naxis * sizeof *x);
        return true;
    }
    x[p->naxis - 1] = value[part->grid.ndim - 1];
    return spec_shape_extents(p->spec, part->shape, value, x);
}

bool points_next(Points *p, int64_t *x)
{
    int64_t index[GRID_MAX_DIM];
    if (p->row < p->nrow) {
        const Instance *in = &p->spec->instance[p->row++];
        memcpy(x, in->extent, (size_t)(p->naxis - 1) * sizeof *x);
        x[p->naxis - 1] = in->threads;
        return true;
    }
    for (; p->at < p->npart; p->at++)
        while (grid_next(&p->part[p->at].grid, index))
            if (find_extents(p, &p->part[p->at], index, x))
                return true;
    return false;
}

bool points_are_all(const Points *p) { return p->all; }

/* ---- declared shapes ---- */

/* A grid over the dims, then the thread counts. Dims that the shape does not use stand at their least value. */
static Part declared_part(const Spec *s, const ShapeDecl *shape, const int64_t *threads, int64_t limit)
{
    const unsigned dims = spec_shape_dims(s, shape);
    int64_t count[GRID_MAX_DIM];
    Part p = { .shape = shape };
    for (int i = 0; i < s->ndim; i++) {
        count[i] = dims >> i & 1 ? s->dim[i].max - s->dim[i].min + 1 : 1;
        p.first[i] = s->dim[i].min;
    }
    count[s->ndim] = s->nthread;
    p.value[s->ndim] = threads;
    p.grid = grid_make(s->ndim + 1, count, limit);
    return p;
}

Points *points_declared(Arena *a, const Spec *s, int64_t limit)
{
    Points *p = ARENA_NEW(a, Points);
    if (s->log) {
        const bool has_all = s->log->n * s->nthread <= SPEC_MAX_INSTANCE;
        *p = (Points){ .spec = s, .naxis = s->op->nextent + 1, .nrow = s->ninstance };
        p->nrow = p->nrow < limit ? p->nrow : limit;
        p->all = has_all && p->nrow == s->ninstance;
        return p;
    }
    int64_t *threads = ARENA_ARRAY(a, SPEC_MAX_NAME, int64_t);
    for (int i = 0; i < s->nthread; i++)
        threads[i] = s->threads[i];
    *p = (Points){ .spec = s, .naxis = s->op->nextent + 1, .npart = s->nshape, .all = true };
    p->part = ARENA_ARRAY(a, (size_t)p->npart, Part);
    for (int i = 0; i < p->npart; i++) {
        p->part[i] = declared_part(s, &s->shape[i], threads, limit / s->nshape);
        p->all = p->all && p->part[i].grid.all;
    }
    return p;
}

/* ---- around cuts ---- */

typedef struct {
    int64_t *value; /* ascending, each once */
    int64_t end[2]; /* of the range */
    int n;
} Values;

/* Adds t-1, t and t+1, as far as these are 64-bit numbers. */
static void add_cut(Values *v, int64_t t)
{
    if (t > INT64_MIN)
        v->value[v->n++] = t - 1;
    v->value[v->n++] = t;
    if (t < INT64_MAX)
        v->value[v->n++] = t + 1;
}

static Values axis_values(Arena *a, const PointAxis *axis)
{
    const int64_t upper = (int64_t)1 << 32; /* a number that lost its upper half would be within the range */
    const int64_t beyond = axis->max <= INT64_MAX - upper ? axis->max + upper : 0;
    const int64_t far[] = { INT64_MIN, INT32_MIN, 0, INT32_MAX, (int64_t)INT32_MAX + 1, INT64_MAX, beyond };
    Values v = { ARENA_ARRAY(a, 3 * ((size_t)axis->ncut + 2) + LENGTH(far), int64_t), { axis->min, axis->max }, 0 };
    for (size_t i = 0; i < LENGTH(far); i++)
        v.value[v.n++] = far[i];
    add_cut(&v, axis->min);
    add_cut(&v, axis->max);
    for (int i = 0; i < axis->ncut; i++)
        add_cut(&v, axis->cut[i]);
    qsort(v.value, (size_t)v.n, sizeof *v.value, order_number);
    int n = 0;
    for (int i = 0; i < v.n; i++)
        if (n == 0 || v.value[i] != v.value[n - 1])
            v.value[n++] = v.value[i];
    v.n = n;
    return v;
}

/* A grid over all values of axis `whole` (-1: of every axis), and the ends of the others' ranges. */
static Part cuts_part(const Values *v, int naxis, int whole, int64_t limit)
{
    int64_t count[POINTS_MAX_AXIS];
    Part p = { .shape = NULL };
    for (int i = 0; i < naxis; i++) {
        const bool all = whole < 0 || whole == i;
        p.value[i] = all ? v[i].value : v[i].end;
        count[i] = all ? v[i].n : 1 + (v[i].end[0] != v[i].end[1]);
    }
    p.grid = grid_make(naxis, count, limit);
    return p;
}

Points *points_cuts(Arena *a, const PointAxis *axis, int naxis, int64_t limit)
{
    Points *p = ARENA_NEW(a, Points);
    Values *v = ARENA_ARRAY(a, POINTS_MAX_AXIS, Values);
    *p = (Points){ .naxis = naxis, .part = ARENA_ARRAY(a, POINTS_MAX_AXIS + 1, Part) };
    for (int i = 0; i < naxis; i++)
        v[i] = axis_values(a, &axis[i]);
    const Part whole = cuts_part(v, naxis, -1, limit);
    p->all = whole.grid.all;
    for (int i = 0; i < naxis && !p->all; i++)
        p->part[p->npart++] = cuts_part(v, naxis, i, limit / (2 * naxis));
    p->part[p->npart++] = p->all ? whole : cuts_part(v, naxis, -1, limit - limit / 2);
    return p;
}
