/* SPDX-License-Identifier: Apache-2.0
 *
 * verify_shapes: extents around the tiles of the candidates, on all axes, in a number of shapes that grows with the
 * number of axes and not with its power.
 *
 *   pairs   a covering array: each pair of axes meets each pair of {1, tile - 1, tile, tile + 1}. It is made
 *           greedily: a shape begins with a pair that was not met, and every further axis takes the extent that
 *           adds the most such pairs
 *   small   extents up to the tile, of several axes at once, as most code for a tail looks at one axis; in each shape
 *           every third axis has more than a tile
 *   alone   what only one axis needs: no extent, two tiles and a bit, what the op wants tried, while the others have a
 *           little more than a tile
 *   served  for each candidate that does not serve all calls (Template.serves), calls like those before that it does
 *           serve
 *   apart   where operands are strided: with gaps between rows and between blocks of rows, all axes within a tile, or
 *           beyond one, or of two points, and some of all these again
 *   ways    where operands divide an extent into parts, each shape in another way than the one before, and some of them
 *           in all ways
 *   edges   where a formula reads rows: many rows of all kinds, within a tile and beyond one
 */
#include "search/space/verify_shapes.h"

#include <string.h>

enum { SMALL_MOST = 24, NLEVEL = 4, BASE_TILE = 64, USUAL_TILE = 16, BEYOND = 3 };
static const double most_points = 1 << 20; /* shapes have more only for what one axis or a pair needs */

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t tile_of(const Spec *spec, const Device *device, const UnitKernel *k, int axis)
{
    Binding b = { .t = k->t, .spec = spec, .target = k->target, .device = device, .value = k->value, .threads = 1 };
    int64_t tile = 1;
    return expr_int(k->t->tile[axis], template_lookup, &b, &tile) == EXPR_OK && tile > 0 ? tile : 1;
}

int64_t verify_shapes_tile(const Study *s, const Candidate *c, int axis)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    candidate_values(c, value);
    return tile_of(s->spec, s->device, &(UnitKernel){ .t = c->t, .target = c->target, .value = value }, axis);
}

/* An empty sum has a result, an empty row has none. */
static int64_t least_extent(const Extent *axis) { return axis->kind == AXIS_REDUCE ? axis->least : 1; }

static double points_of(const Op *op, const int64_t *extent)
{
    double points = 1;
    for (int i = 0; i < op->naxis; i++)
        points *= (double)extent[i];
    return points;
}

static void add_shape(VerifyShapes *w, int naxis, const int64_t *extent)
{
    for (int k = 0; k < w->n; k++)
        if (memcmp(w->extent[k], extent, (size_t)naxis * sizeof *extent) == 0)
            return;
    if (w->n < VERIFY_SHAPES_MAX)
        memcpy(w->extent[w->n++], extent, (size_t)naxis * sizeof *extent);
}

static void add_alone(VerifyShapes *w, int naxis, int axis, int64_t v, const int64_t *other)
{
    int64_t extent[OP_MAX_AXIS];
    memcpy(extent, other, (size_t)naxis * sizeof *extent);
    extent[axis] = v;
    add_shape(w, naxis, extent);
}

/* ---- small extents ---- */

/* The extents of the next shape: `other`, and on some axes the next small one, of one however large the shape is. */
static void next_small(int naxis, int turn, const int64_t *most, int64_t *next, const int64_t *other, int64_t *extent)
{
    bool any = false;
    double points = 1;
    for (int i = 0; i < naxis; i++)
        points *= (double)other[i];
    for (int i = 0; i < naxis; i++) {
        const double with_small = points / (double)other[i] * (double)next[i];
        const bool takes = (turn + i) % 3 < 2 && next[i] <= most[i] && (!any || with_small <= most_points);
        extent[i] = takes ? next[i]++ : other[i];
        points = takes ? with_small : points;
        any = any || takes;
    }
}

static void add_small(VerifyShapes *w, int naxis, const int64_t *tile, const int64_t *other)
{
    int64_t next[OP_MAX_AXIS], most[OP_MAX_AXIS], extent[OP_MAX_AXIS]; /* next: the least that was not met */
    bool more = true;
    for (int i = 0; i < naxis; i++) {
        next[i] = 1;
        most[i] = tile[i] < SMALL_MOST ? tile[i] : SMALL_MOST;
    }
    for (int turn = 0; more; turn++) {
        next_small(naxis, turn, most, next, other, extent);
        add_shape(w, naxis, extent);
        more = false;
        for (int i = 0; i < naxis; i++)
            more = more || next[i] <= most[i];
    }
}

/* ---- pairs ---- */

typedef struct {
    int naxis, nlevel[OP_MAX_AXIS];
    int64_t level[OP_MAX_AXIS][NLEVEL];
    bool met[OP_MAX_AXIS][NLEVEL][OP_MAX_AXIS][NLEVEL]; /* of pairs of axes, the first before the second */
} Pairs;

static void set_levels(Pairs *p, int axis, int64_t tile)
{
    const int64_t level[NLEVEL] = { 1, tile - 1, tile, tile + 1 };
    for (int i = 0; i < NLEVEL; i++)
        if (level[i] > (p->nlevel[axis] ? p->level[axis][p->nlevel[axis] - 1] : 0))
            p->level[axis][p->nlevel[axis]++] = level[i];
}

/* How many pairs that were not met a level of an axis makes with the axes that have one (the others have -1). */
static int count_new(const Pairs *p, const int *chosen, int axis, int level)
{
    int n = 0;
    for (int i = 0; i < p->naxis; i++)
        if (chosen[i] >= 0)
            n += i < axis ? !p->met[i][chosen[i]][axis][level] : !p->met[axis][level][i][chosen[i]];
    return n;
}

/* Chooses the level of an axis that adds the most pairs; of equal ones that which comes first from `start` on. */
static int best_level(const Pairs *p, const int *chosen, int axis, int start, double points)
{
    int best = 0, most = -1;
    for (int i = 0; i < p->nlevel[axis]; i++) {
        const int level = (start + i) % p->nlevel[axis], n = count_new(p, chosen, axis, level);
        if (n > most && points * (double)p->level[axis][level] <= most_points) {
            best = level;
            most = n;
        }
    }
    return best;
}

static void add_pair(VerifyShapes *w, Pairs *p, int a, int level_a, int b, int level_b)
{
    int chosen[OP_MAX_AXIS];
    int64_t extent[OP_MAX_AXIS];
    double points = (double)p->level[a][level_a] * (double)p->level[b][level_b];
    for (int i = 0; i < p->naxis; i++)
        chosen[i] = i == a ? level_a : i == b ? level_b : -1;
    for (int i = 0; i < p->naxis; i++) {
        if (chosen[i] < 0) {
            chosen[i] = best_level(p, chosen, i, level_a + level_b, points);
            points *= (double)p->level[i][chosen[i]];
        }
        extent[i] = p->level[i][chosen[i]];
    }
    for (int i = 0; i < p->naxis; i++)
        for (int k = i + 1; k < p->naxis; k++)
            p->met[i][chosen[i]][k][chosen[k]] = true;
    add_shape(w, p->naxis, extent);
}

static void add_pairs(VerifyShapes *w, int naxis, const int64_t *tile)
{
    Pairs p = { .naxis = naxis };
    for (int i = 0; i < naxis; i++)
        set_levels(&p, i, tile[i]);
    for (int a = 0; a < naxis; a++)
        for (int b = a + 1; b < naxis; b++)
            for (int i = 0; i < p.nlevel[a]; i++)
                for (int k = 0; k < p.nlevel[b]; k++)
                    if (!p.met[a][i][b][k])
                        add_pair(w, &p, a, i, b, k);
}

/* A little more than a tile of each axis, if that is small. Of many axes some have less, those without tiles first. */
static void set_base(int naxis, const int64_t *tile, int64_t *base)
{
    static const struct {
        int64_t most_tile, extent;
    } less[] = { { 1, 2 }, { 1, 1 }, { INT64_MAX, 1 } };
    double points = 1;
    for (int i = 0; i < naxis; i++) {
        base[i] = (tile[i] < BASE_TILE ? tile[i] : BASE_TILE) + BEYOND;
        points *= (double)base[i];
    }
    for (size_t k = 0; k < LENGTH(less); k++)
        for (int i = 0; i < naxis && points > most_points; i++)
            if (tile[i] <= less[k].most_tile) {
                points = points / (double)base[i] * (double)less[k].extent;
                base[i] = less[k].extent;
            }
}

static bool is_met(const VerifyShapes *w, int axis, int64_t v)
{
    for (int k = 0; k < w->n; k++)
        if (w->extent[k][axis] == v)
            return true;
    return false;
}

static void add_lacking(VerifyShapes *w, const Op *op, int axis, int64_t tile, const int64_t *base)
{
    const Extent *x = &op->extent[axis];
    int64_t extent[5 + LENGTH(x->tries)] = { 0, tile - 1, tile, tile + 1, 2 * tile + 5 };
    memcpy(extent + 5, x->tries, sizeof x->tries);
    for (int k = 0; k < 5 + x->ntry; k++)
        if (extent[k] >= least_extent(x) && !is_met(w, axis, extent[k]))
            add_alone(w, op->naxis, axis, extent[k], base);
}

static void add_of_tiles(VerifyShapes *w, const Op *op, const int64_t *tile)
{
    int64_t base[OP_MAX_AXIS];
    set_base(op->naxis, tile, base);
    add_small(w, op->naxis, tile, base);
    add_pairs(w, op->naxis, tile);
    for (int i = 0; i < op->naxis; i++)
        add_lacking(w, op, i, tile[i], base);
}

void verify_shapes_of_tiles(const Op *op, const int64_t *tile, VerifyShapes *w)
{
    *w = (VerifyShapes){ 0 };
    add_of_tiles(w, op, tile);
}

/* Takes the attributes of shapes of the spec, in turn from *at on, until the call is legal. False: none will do. */
static bool take_attributes(const Spec *spec, int64_t *at, int64_t *extent)
{
    const Op *op = spec->op;
    const size_t bytes = (size_t)(op->ngiven - op->naxis) * sizeof(int64_t);
    int64_t tried = 0;
    do {
        memcpy(extent + op->naxis, spec->instance[(*at)++ % spec->ninstance].extent + op->naxis, bytes);
    } while (!spec_is_legal(spec, extent) && ++tried < spec->ninstance && bytes);
    return spec_is_legal(spec, extent);
}

/* Completes a call. Where its indices would leave an operand, its axes are rounded up to multiples, or all are those of
 * a shape of the spec. False: it is not legal. */
static bool complete(const Spec *spec, int64_t *at, int64_t *extent)
{
    const Op *op = spec->op;
    int64_t other[OP_MAX_EXTENT];
    if (take_attributes(spec, at, extent) || !spec->formula || !formula_has_limits(spec->formula, op))
        return spec_is_legal(spec, extent);
    for (int64_t multiple = 2; multiple <= 16; multiple++) {
        memcpy(other, extent, sizeof other);
        for (int i = 0; i < op->naxis; i++)
            other[i] = (extent[i] + multiple - 1) / multiple * multiple;
        if (!take_attributes(spec, at, other))
            continue;
        memcpy(extent, other, sizeof other);
        return true;
    }
    memcpy(extent, spec->instance[(*at)++ % spec->ninstance].extent, sizeof other);
    return points_of(op, extent) <= most_points && spec_is_legal(spec, extent);
}

/* Completes all shapes. What is no legal call is left out. */
static void complete_all(const Spec *spec, VerifyShapes *w)
{
    int64_t at = 0;
    int n = 0;
    for (int k = 0; k < w->n; k++) {
        memmove(w->extent[n], w->extent[k], sizeof w->extent[k]);
        n += complete(spec, &at, w->extent[n]);
    }
    w->n = n;
}

/* ---- calls that a kernel serves ---- */

static bool serves(const Spec *spec, const UnitKernel *k, const int64_t *extent)
{
    return template_serves(
        &(Binding){ .t = k->t, .spec = spec, .target = k->target, .value = k->value, .extent = extent });
}

enum { STEP = 61 }; /* a prime: neighbours in a list are alike */

/* The next instance of the spec that the kernel serves, from the *at-th on and round; else the first. */
static const Instance *served_instance(const Spec *spec, const UnitKernel *k, int64_t *at)
{
    const int64_t step = spec->ninstance % STEP ? STEP : 1;
    for (int64_t i = 0; i < spec->ninstance; i++) {
        *at = (*at + step) % spec->ninstance;
        if (serves(spec, k, spec->instance[*at].extent))
            return &spec->instance[*at];
    }
    return spec->instance;
}

/* An axis of a served call, from one that is not: rounded up to a multiple of 2, 4, 8 or 16, or the instance's. */
static int64_t changed(int64_t extent, const Instance *like, int axis, int how)
{
    enum { AS_INSTANCE = 4 };
    const int64_t multiple = (int64_t)2 << how;
    return how == AS_INSTANCE ? like->extent[axis] : (extent + multiple - 1) / multiple * multiple;
}

/* Makes a call that the kernel serves of one that it does not: it takes the attributes of the instance `like`, and on
 * the axes that Template.serves names, as few of them as will do, other extents. False: no such call serves. */
static bool make_served(const Spec *spec, const UnitKernel *k, const Instance *like, int64_t *extent)
{
    const Op *op = spec->op;
    int axis[OP_MAX_AXIS], n = 0;
    for (int i = 0; i < op->naxis; i++)
        if (expr_uses(k->t->serves, op->extent[i].name))
            axis[n++] = i;
    for (int size = 0; size <= n; size++)
        for (unsigned set = 0; set < 1u << n; set++)
            for (int how = 0; how <= 4 && __builtin_popcount(set) == size; how++) {
                int64_t other[OP_MAX_EXTENT];
                memcpy(other, like->extent, sizeof other);
                memcpy(other, extent, (size_t)op->naxis * sizeof *other);
                for (int i = 0; i < n; i++)
                    if (set >> i & 1)
                        other[axis[i]] = changed(extent[axis[i]], like, axis[i], how);
                if (spec_is_legal(spec, other) && serves(spec, k, other)) {
                    memcpy(extent, other, sizeof other);
                    return true;
                }
            }
    return false;
}

/* Adds calls that the kernel serves, where it does not serve all: made of some of the first n shapes. */
static void add_served(const Spec *spec, const UnitKernel *k, int n, VerifyShapes *w)
{
    enum { MOST = 24 };
    const int most = n < MOST ? n : MOST;
    int64_t instance = 0;
    for (int i = 0; k->t->serves && i < most && w->n < VERIFY_SHAPES_MAX; i++) {
        int64_t *extent = w->extent[w->n];
        memcpy(extent, w->extent[n % STEP ? i * STEP % n : i * n / most], sizeof w->extent[0]);
        if (serves(spec, k, extent) || !make_served(spec, k, served_instance(spec, k, &instance), extent))
            continue;
        int at = 0;
        while (memcmp(w->extent[at], extent, (size_t)spec->op->ngiven * sizeof *extent) != 0)
            at++;
        w->n += at == w->n;
    }
}

static bool has_strides(const Op *op)
{
    int i = 0;
    while (i < op->noperand && !op->operand[i].strided)
        i++;
    return i < op->noperand;
}

/* Lists the shapes of which every axis has more than one point, so that every stride counts. */
static int list_thick(const Op *op, const VerifyShapes *w, int *at)
{
    int n = 0;
    for (int k = 0; k < w->n; k++) {
        int axis = 0;
        while (axis < op->naxis && w->extent[k][axis] > 1)
            axis++;
        at[n] = k;
        n += axis == op->naxis;
    }
    return n;
}

/* Shapes with paths of their own: all axes within a tile, all beyond one, all of two points. False: none is legal. */
static bool usual_apart(const Spec *spec, const int64_t *base, int i, int64_t *extent)
{
    int64_t at = 0;
    for (int axis = 0; axis < spec->op->naxis; axis++) {
        const int64_t wanted = i == 0 ? base[axis] - BEYOND : i == 1 ? base[axis] : 0;
        extent[axis] = larger(wanted, 2); /* so that every stride counts */
    }
    return complete(spec, &at, extent);
}

/* Adds shapes with gaps: the usual ones, and some of those that there are already, up to a tenth of all, while they are
 * no more than a sixth of the work. Gaps are of two kinds in turn: rows aligned for vectors, or not. */
static void add_apart(const Spec *spec, const int64_t *base, VerifyShapes *w)
{
    enum { USUAL = 3 };
    static const int64_t gap[] = { 16, 3 };
    const Op *op = spec->op;
    int at[VERIFY_SHAPES_MAX];
    const int all = w->n, n = list_thick(op, w, at), more = n < all / 10 ? n : all / 10, most = USUAL + more;
    double left = 0; /* of the work */
    for (int k = 0; k < all; k++)
        left += points_of(op, w->extent[k]) / 6;
    for (int i = 0; i < most && w->n < VERIFY_SHAPES_MAX; i++) {
        int64_t extent[OP_MAX_EXTENT];
        if (i >= USUAL)
            memcpy(extent, w->extent[at[(i - USUAL) * n / more]], sizeof extent);
        else if (!usual_apart(spec, base, i, extent))
            continue;
        left -= points_of(op, extent);
        if (i >= USUAL && left < 0)
            return;
        memcpy(w->extent[w->n], extent, sizeof extent);
        w->gap[w->n++] = gap[i % 2];
    }
}

/* Adds the usual shapes with operands that lie otherwise. */
static void add_lies(const Spec *spec, const int64_t *base, VerifyShapes *w)
{
    static const Lie lie[] = { LIE_REPEATED, LIE_TURNED };
    for (int i = 0; i < 4 && w->n < VERIFY_SHAPES_MAX; i++)
        if (usual_apart(spec, base, i % 2, w->extent[w->n])) {
            w->gap[w->n] = ALIGN_MOST;
            w->lie[w->n++] = lie[i / 2];
        }
}

/* Adds some of the shapes with the other ways to divide an extent into parts, up to half of the work. */
static void add_ways(const Op *op, VerifyShapes *w)
{
    int at[VERIFY_SHAPES_MAX];
    const int all = w->n, n = list_thick(op, w, at), fit = all / 2 / (WAY_COUNT - 1), most = n < fit ? n : fit;
    double left = 0; /* of the work */
    for (int k = 0; k < all; k++) {
        w->way[k] = k % WAY_COUNT;
        left += points_of(op, w->extent[k]) / 2;
    }
    for (int i = 0; i < most; i++) {
        const int from = at[i * n / most];
        for (int more = 1; more < WAY_COUNT && left > 0 && w->n < VERIFY_SHAPES_MAX; more++) {
            memcpy(w->extent[w->n], w->extent[from], sizeof *w->extent);
            w->gap[w->n] = w->gap[from];
            w->lie[w->n] = w->lie[from];
            w->way[w->n++] = (w->way[from] + more) % WAY_COUNT;
            left -= points_of(op, w->extent[from]);
        }
    }
}

/* The extent along which a formula's operands have rows; -1: none has. */
static int row_extent(const Op *op)
{
    for (int i = 0; i < op->noperand; i++)
        if (op_has_rows(&op->operand[i]))
            return op->operand[i].of;
    return -1;
}

/* Adds shapes whose rows are of all kinds: two for ops that may reduce them, one for others. There are as many rows as
 * the work allows, along the first axis that they do not go along. */
static void add_edges(const Spec *spec, const int64_t *tile, const int64_t *base, VerifyShapes *w)
{
    enum { MANY = 22, LONG = 1100 };
    const Op *op = spec->op;
    const int row = row_extent(op), nshape = op->reference ? 1 : 2;
    const double most = op->reference ? most_points : 1 << 16;
    int many = 0;
    while (many < op->naxis && (many == row || op->extent[many].kind == AXIS_REDUCE))
        many++;
    if (row < 0 || (!op->reference && row >= op->naxis) || many == op->naxis)
        return;
    for (int i = 0; i < nshape && w->n < VERIFY_SHAPES_MAX; i++) {
        int64_t at = 0, *extent = w->extent[w->n];
        for (int axis = 0; axis < op->naxis; axis++)
            extent[axis] = op->reference && axis != many ? base[axis] : 1;
        if (!op->reference)
            extent[row] = i > 0 ? larger(2 * tile[row] + 5, LONG) : larger(tile[row] - 1, 3);
        const double fit = most / points_of(op, extent);
        extent[many] = fit >= MANY ? MANY : fit >= 2 ? (int64_t)fit : 2;
        if (complete(spec, &at, extent))
            w->edges[w->n++] = true;
    }
}

void verify_shapes(const Study *s, const Candidate *const *c, int n, VerifyShapes *w)
{
    const Op *op = s->spec->op;
    int64_t tile[OP_MAX_AXIS], base[OP_MAX_AXIS];
    for (int i = 0; i < op->naxis; i++) {
        tile[i] = 1;
        for (int j = 0; j < n; j++)
            tile[i] = larger(tile[i], verify_shapes_tile(s, c[j], i));
    }
    verify_shapes_of_tiles(op, tile, w);
    set_base(op->naxis, tile, base);
    complete_all(s->spec, w);
    for (int j = 0, all = w->n; j < n; j++) {
        int64_t value[TEMPLATE_MAX_PARAM];
        candidate_values(c[j], value);
        add_served(s->spec, &(UnitKernel){ .t = c[j]->t, .target = c[j]->target, .value = value }, all, w);
    }
    if (has_strides(op)) {
        add_apart(s->spec, base, w);
        add_lies(s->spec, base, w);
    }
    if (op_has_parts(op))
        add_ways(op, w);
    add_edges(s->spec, tile, base, w);
}

void verify_shapes_of_kernels(const Spec *spec, const Device *device, const UnitKernel *k, int n, VerifyShapes *w)
{
    const Op *op = spec->op;
    int64_t tile[OP_MAX_AXIS], usual[OP_MAX_AXIS], base[OP_MAX_AXIS];
    for (int i = 0; i < op->naxis; i++) {
        tile[i] = 1;
        for (int j = 0; j < n; j++)
            tile[i] = larger(tile[i], tile_of(spec, device, &k[j], i));
        usual[i] = larger(tile[i], USUAL_TILE);
    }
    verify_shapes_of_tiles(op, tile, w);
    set_base(op->naxis, tile, base);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < op->naxis; i++)
            add_lacking(w, op, i, tile_of(spec, device, &k[j], i), base);
    add_of_tiles(w, op, usual);
    complete_all(spec, w);
    for (int j = 0, all = w->n; j < n; j++)
        add_served(spec, &k[j], all, w);
}

bool verify_shapes_one_tile(const Study *s, const Candidate *c, int64_t steps, int64_t *extent)
{
    const Op *op = s->spec->op;
    int64_t at = 0;
    for (int i = 0; i < op->naxis; i++)
        extent[i] = verify_shapes_tile(s, c, i) * (op->extent[i].kind == AXIS_REDUCE ? steps : 1);
    return complete(s->spec, &at, extent) && candidate_serves(c, s->spec, extent);
}
