/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_instance: turns the declared shapes, which are expressions over dims, into instances, whose extents are numbers.
 * A point is one value for each dim.
 *
 * Points: every combination of the dims' values, as long as points * shapes * thread counts * functions <=
 * SPEC_MAX_INSTANCE; else a sample of that many: the tuned points, the corners of the ranges and points of a
 * low-discrepancy sequence (points.c). Tuned points of a shape: the product of the tuned values of the dims that it
 * uses, at most 64 of them, or of many shapes so many that a search can measure what it chooses: the corners first,
 * then the same kind of sequence.
 * Instances of equal extents are one, with the weights added: each value of a dim that a shape does not use adds its
 * weight to the same instance.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/order.h"
#include "gen/spec/dtype.h"
#include "gen/spec/spec_private.h"
#include "templates/package/pieces.h"

/* A sample of tuned points meets some points again. It draws at most MOST_REPEATS times as many as are wanted: a shape
 * whose dims have few values would never have enough. */
enum { TUNE_PER_DIM = 8, MOST_REPEATS = 8, TUNE_TOGETHER = 512, TUNE_LEAST = 8 };

/* ---- the sampler ---- */

double spec_log2(double x)
{
    int e;
    double m = frexp(x, &e); /* x = m * 2^e, 0.5 <= m < 1 */
    return e - 1 + (2 * m - 1);
}

/* Position of v in lo..hi from 0 to 1: the mean of its place on a linear and on a logarithmic scale. */
static double position(int64_t v, int64_t lo, int64_t hi)
{
    double shift = lo < 1 ? (double)(1 - lo) : 0;
    double linear = (double)(v - lo) / (double)(hi - lo);
    double base = spec_log2((double)lo + shift), top = spec_log2((double)hi + shift);
    return (linear + (spec_log2((double)v + shift) - base) / (top - base)) / 2;
}

/* Up to 8 values: min and max, and between them those at equal steps of `position`: dense where shapes are small and
 * times change fast, yet with the large half of the range covered. For 1..128: 1 4 12 26 47 72 100 128. */
int spec_tune_values(int64_t min, int64_t max, int64_t *out)
{
    int64_t n = max - min + 1 < TUNE_PER_DIM ? max - min + 1 : TUNE_PER_DIM;
    out[0] = min;
    for (int k = 1; k < n; k++) {
        int64_t lo = out[k - 1] + 1, hi = max - (n - 1 - k); /* leaves room for the later ones */
        while (lo < hi) {                                    /* the first at or beyond step k */
            int64_t mid = lo + (hi - lo) / 2;
            if (position(mid, min, max) < (double)k / (double)(n - 1))
                lo = mid + 1;
            else
                hi = mid;
        }
        out[k] = lo;
    }
    return (int)n;
}

/* ---- points ---- */

/* Sorted and without duplicates after points_sort. */
typedef struct {
    Point *p;
    int64_t n;
} PointSet;

static int compare_points(const void *x, const void *y) { return order_numbers(x, y, SPEC_MAX_DIM); }

static void points_sort(PointSet *s)
{
    int64_t n = 0;
    qsort(s->p, (size_t)s->n, sizeof *s->p, compare_points);
    for (int64_t i = 0; i < s->n; i++)
        if (n == 0 || compare_points(&s->p[n - 1], &s->p[i]) != 0)
            s->p[n++] = s->p[i];
    s->n = n;
}

static bool points_have(const PointSet *s, const Point *v)
{
    return s->n > 0 && bsearch(v, s->p, (size_t)s->n, sizeof *s->p, compare_points) != NULL;
}

/* How many sizes of a shape are tuned at most: its share of what a search of minutes can measure. The 18 shapes of a
 * network of convolutions at 64 sizes each, on one and two threads, would be 2300. */
static int most_tuned(const Spec *s)
{
    const int share = TUNE_TOGETHER / (s->nshape * s->nthread);
    return share < TUNE_LEAST ? TUNE_LEAST : share < SPEC_TUNE_PER_SHAPE ? share : SPEC_TUNE_PER_SHAPE;
}

/* The points at which the shape is measured. A dim that it does not use stands at its minimum. */
static PointSet tuned_points(SpecReader *r, const ShapeDecl *shape)
{
    const Spec *s = r->spec;
    const unsigned dims = spec_shape_dims(s, shape);
    int most = most_tuned(s);
    const int64_t *value[SPEC_MAX_DIM];
    int64_t sampled[SPEC_MAX_DIM][TUNE_PER_DIM], count[SPEC_MAX_DIM], index[SPEC_MAX_DIM];
    for (int i = 0; i < s->ndim; i++) {
        const Dim *dim = &s->dim[i];
        const bool is_used = dims >> i & 1;
        const int nsampled = spec_tune_values(dim->min, is_used ? dim->max : dim->min, sampled[i]);
        value[i] = is_used && dim->tune ? dim->tune : sampled[i];
        count[i] = is_used && dim->tune ? dim->ntune : nsampled;
        most = is_used && dim->tune ? SPEC_TUNE_PER_SHAPE : most;
    }
    PointSet set = { .p = ARENA_ARRAY(r->arena, (size_t)most + 1, Point) };
    Grid g = grid_make(s->ndim, count, most);
    if (!g.all)
        g.npoint *= MOST_REPEATS;
    while (set.n < most && grid_next(&g, index)) {
        Point *v = &set.p[set.n++];
        for (int i = 0; i < s->ndim; i++)
            v->value[i] = value[i][index[i]];
        points_sort(&set); /* drops a point that is there already */
    }
    return set;
}

/* ---- instances ---- */

/* Where an instance is declared: its shape, or the line of a log. */
static Loc instance_loc(const SpecReader *r, const Instance *in)
{
    const Spec *s = r->spec;
    return s->log ? shape_log_loc(s->log, shape_log_find(s->log, in->extent)) : s->shape[in->decl].loc;
}

/* " for T = 5": the dims' values that an instance's extents follow from. */
static const char *instance_text(SpecReader *r, const Instance *in)
{
    return spec_point_text(r, spec_shape_dims(r->spec, &r->spec->shape[in->decl]), in->dim);
}

/* What a shape makes of its points. */
typedef struct {
    int64_t legal, tuned, left_out;
    Instance first, last; /* of those left out, as a derived extent is negative there */
} ShapePoints;

/* The first derived extent that is not legal, behind legal ones, which are filled in; and how that came. */
static int no_call(const Op *op, int64_t *extent, ExprStatus *s)
{
    int i = op->ngiven;
    do
        *s = expr_int_at(op->extent[i].expr, extent, &extent[i]);
    while (*s == EXPR_OK && extent[i] >= op->extent[i].least && extent[i] <= op->extent[i].most && ++i < op->nextent);
    return i;
}

/* "the extent P of this shape, H - R + 1, is -1 for T = 1", of the first derived extent that is not legal. */
static const char *no_call_text(SpecReader *r, const Instance *in)
{
    const Op *op = r->spec->op;
    int64_t extent[OP_MAX_EXTENT];
    ExprStatus s;
    memcpy(extent, in->extent, sizeof extent);
    const int i = no_call(op, extent, &s);
    const char *what = s == EXPR_OK ? arena_printf(r->arena, "is %" PRId64, extent[i]) : expr_status_text(s);
    return arena_printf(r->arena, "the extent %s of this shape, %s, %s%s", op->extent[i].name,
                        expr_text(op->extent[i].expr), what, instance_text(r, in));
}

static bool report_no_call(SpecReader *r, const Instance *in)
{
    return diag_error(r->diag, instance_loc(r, in), "%s; expected 0 to %d", no_call_text(r, in), OP_MAX_NUMBER);
}

static void widen(Spec *s, const Instance *in)
{
    for (int i = s->op->ngiven; i < s->op->nextent; i++)
        box_widen(&s->box, i, in->extent[i]);
}

bool spec_derive_instance(SpecReader *r, Instance *in)
{
    if (!op_derive(r->spec->op, in->extent))
        return report_no_call(r, in);
    widen(r->spec, in);
    return true;
}

/* Leaves out a call where a derived extent is negative, as of an image smaller than a window: the package refuses that
 * call. All else that is not legal is an error. */
static bool leave_out(SpecReader *r, const Instance *in, ShapePoints *made)
{
    int64_t extent[OP_MAX_EXTENT];
    ExprStatus s;
    memcpy(extent, in->extent, sizeof extent);
    const int i = no_call(r->spec->op, extent, &s);
    if (s != EXPR_OK || extent[i] >= 0)
        return report_no_call(r, in);
    made->last = *in;
    if (!made->left_out++)
        made->first = *in;
    return true;
}

/* Adds the shape at a point; one without work is none. False after an error. */
static bool add_instance(SpecReader *r, int decl, const Point *p, bool tuned, ShapePoints *made)
{
    Spec *s = r->spec;
    const ShapeDecl *shape = &s->shape[decl];
    Instance *in = &s->instance[s->ninstance];
    *in = (Instance){ .decl = decl, .tuned = tuned };
    memcpy(in->dim, p->value, sizeof in->dim);
    if (!spec_point_extents(r, shape, p, in->extent) || !spec_point_weight(r, p, &in->weight))
        return false;
    in->weight *= shape->weight;
    if (!op_derive(s->op, in->extent))
        return leave_out(r, in, made);
    widen(s, in);
    s->ninstance += spec_has_work(s, in->extent);
    made->legal++;
    made->tuned += tuned;
    return true;
}

/* Says which points were left out; false, with an error, if those are all, or all to tune for. */
static bool report_left_out(SpecReader *r, const ShapeDecl *shape, const ShapePoints *made)
{
    if (!made->left_out)
        return true;
    if (!made->legal)
        return report_no_call(r, &made->first);
    const char *first = no_call_text(r, &made->first);
    if (!made->tuned)
        return diag_error(r->diag, shape->loc,
                          "%s, and negative wherever 'tune' has this shape measured; expected a "
                          "value there that makes it 0 or more",
                          first);
    const char *from = instance_text(r, &made->first), *to = instance_text(r, &made->last);
    if (!strcmp(from, to))
        diag_warn(r->diag, shape->loc, "%s: this call is left out; the package refuses it", first);
    else
        diag_warn(r->diag, shape->loc,
                  "%s: this call, and all others where it is negative, up to the one%s, are left "
                  "out; the package refuses them",
                  first, to);
    return true;
}

static bool add_shape(SpecReader *r, int decl, const PointSet *points)
{
    PointSet tuned = tuned_points(r, &r->spec->shape[decl]);
    ShapePoints made = { 0 };
    for (int64_t i = 0; i < points->n; i++)
        if (!add_instance(r, decl, &points->p[i], points_have(&tuned, &points->p[i]), &made))
            return false;
    for (int64_t i = 0; i < tuned.n; i++)
        if (!points_have(points, &tuned.p[i]) && !add_instance(r, decl, &tuned.p[i], true, &made))
            return false;
    return report_left_out(r, &r->spec->shape[decl], &made);
}

static int compare_extents(const Instance *x, const Instance *y)
{
    return order_numbers(x->extent, y->extent, OP_MAX_EXTENT);
}

static int by_declaration(const void *a, const void *b)
{
    const Instance *x = a, *y = b;
    return x->decl != y->decl ? x->decl - y->decl : order_numbers(x->dim, y->dim, SPEC_MAX_DIM);
}

static int by_extents(const void *a, const void *b)
{
    const int c = compare_extents(a, b);
    return c ? c : by_declaration(a, b);
}

/* Merges instances of equal extents: the one declared first gets all the weights. */
static void merge_instances(Spec *s)
{
    Instance *last = NULL;
    qsort(s->instance, (size_t)s->ninstance, sizeof *s->instance, by_extents);
    for (int64_t i = 0; i < s->ninstance; i++) {
        const Instance *in = &s->instance[i];
        if (last && compare_extents(last, in) == 0) {
            last->weight += in->weight;
            last->tuned |= in->tuned;
        } else {
            last = last ? last + 1 : s->instance;
            *last = *in;
        }
    }
    s->ninstance = last + 1 - s->instance;
    qsort(s->instance, (size_t)s->ninstance, sizeof *s->instance, by_declaration);
}

/* ---- work and checks of whole instances ---- */

double spec_flops(const Spec *s, const int64_t *extent)
{
    double flops = 0;
    return expr_real_at(s->op->flops, extent, &flops) == EXPR_OK && flops > 0 ? flops : 0;
}

bool spec_moves(const Spec *s) { return !s->op->reference; }

bool spec_has_output(const Spec *s, const int64_t *extent)
{
    double elems = 0;
    return expr_real_at(spec_output(s)->elems, extent, &elems) != EXPR_OK || elems > 0;
}

bool spec_has_work(const Spec *s, const int64_t *extent)
{
    return spec_has_output(s, extent) && (!expr_names(s->op->flops) || spec_flops(s, extent) > 0);
}

/* Of an operand, as far as a call reads it. */
static double operand_bytes(const Spec *s, const Operand *o, const int64_t *extent)
{
    double elems;
    return expr_real_at(o->reads ? o->reads : o->elems, extent, &elems) == EXPR_OK ? elems * spec_element(s, o)->bytes
                                                                                   : 0;
}

double spec_bytes(const Spec *s, const int64_t *extent)
{
    double sum = 0;
    for (int i = 0; i < s->op->noperand; i++)
        sum += operand_bytes(s, &s->op->operand[i], extent);
    return sum;
}

double spec_packed_bytes(const Spec *s, const int64_t *extent)
{
    double sum = 0;
    for (int i = 0; i < s->op->noperand; i++)
        sum += s->packed && s->op->operand[i].role == ROLE_CONST ? operand_bytes(s, &s->op->operand[i], extent) : 0;
    return sum;
}

int spec_parts(const Spec *s, const int64_t *extent, int threads)
{
    const double flops = threads > 1 ? spec_flops(s, extent) : 0;
    return flops > 0 ? PACKAGE_worthwhile(threads, flops, PACKAGE_POOLED_FLOPS) : threads;
}

/* False after an error: for this instance the expression e, which messages call `what` and then `of` ("the size of "
 * and "X"), must be at least 0 and so small that its bytes fit 64 bits. */
static bool check_size(SpecReader *r, const Instance *in, const Expr *e, const char *what, const char *of)
{
    enum { ROOM = 16 }; /* bytes an element, at least as many as any type has: 2^63 / 16 is 2^59 */
    int64_t value;
    ExprStatus s = expr_int_at(e, in->extent, &value);
    if (s == EXPR_OK && value >= 0 && value <= INT64_MAX / ROOM)
        return true;
    return diag_error(r->diag, instance_loc(r, in), "%s%s of this shape, %s, %s%s", what, of, expr_text(e),
                      s != EXPR_OK ? expr_status_text(s)
                      : value < 0  ? "is negative"
                                   : "is beyond 2^59",
                      instance_text(r, in));
}

/* False after an error: the output is not as large as its rows together. */
static bool check_rows(SpecReader *r, const Instance *in)
{
    const Op *op = r->spec->op;
    int64_t rows = 0, row_elems = 0, elems = 0, product;
    if (!check_size(r, in, op->rows, "the rows", "") || !check_size(r, in, op->row_elems, "the elements of a row", ""))
        return false;
    expr_int_at(op->rows, in->extent, &rows);
    expr_int_at(op->row_elems, in->extent, &row_elems);
    expr_int_at(op_output(op)->elems, in->extent, &elems);
    if (!__builtin_mul_overflow(rows, row_elems, &product) && product == elems)
        return true;
    return diag_error(r->diag, instance_loc(r, in),
                      "%s of this shape has %" PRId64 " elements, but by op.cfg its rows, %s, are %" PRId64
                      ", of %s = %" PRId64 " elements%s",
                      op_output(op)->name, elems, expr_text(op->rows), rows, expr_text(op->row_elems), row_elems,
                      instance_text(r, in));
}

static bool check_sizes(SpecReader *r, const Instance *in)
{
    const Op *op = r->spec->op;
    bool ok = check_size(r, in, op->flops, "the number of operations", "");
    for (int i = 0; i < op->noperand; i++)
        ok = check_size(r, in, op->operand[i].elems, "the size of ", op->operand[i].name) && ok;
    return ok && check_rows(r, in);
}

/* Checks every instance. Those of one declared shape stand together, and at most one error is reported for them; of a
 * log one is for each row, the first ones. */
static void check_all(SpecReader *r)
{
    int last_failed = -1, nfailed = 0;
    double sum = 0;
    for (int64_t i = 0; i < r->spec->ninstance; i++) {
        const Instance *in = &r->spec->instance[i];
        sum += in->weight;
        if (in->decl == last_failed || check_sizes(r, in))
            continue;
        last_failed = r->spec->log && ++nfailed < SPEC_MAX_ROW_ERROR ? -1 : in->decl;
    }
    Loc at = conf_member(r->root, "weights") ? conf_member(r->root, "weights")->name_at
                                             : conf_member(r->group, "shapes")->name_at;
    if (!(sum > 0))
        diag_error(r->diag, at, "all weights are zero: nothing is left to tune for");
    else if (!isfinite(sum))
        diag_error(r->diag, at, "the weights add up to infinity");
}

/* Adds the declared shapes at all points. */
static bool add_shapes(SpecReader *r)
{
    Spec *s = r->spec;
    enum { LEAST = 2 * SPEC_TUNE_PER_SHAPE };
    const int nfunction = conf_length(conf_member(r->root, "functions"));
    const int64_t most = SPEC_MAX_INSTANCE / s->nshape / s->nthread, part = nfunction ? most / nfunction : most;
    const int64_t least = most < LEAST ? most : LEAST, limit = part > least ? part : least;
    Grid g = spec_grid(s, s->dims, limit);
    if (!g.all)
        g = spec_grid(s, s->dims, limit - SPEC_TUNE_PER_SHAPE);
    PointSet points = { .p = ARENA_ARRAY(r->arena, (size_t)g.npoint + 1, Point) };
    while (spec_grid_next(s, &g, &points.p[points.n]))
        points.n++;
    points_sort(&points);
    s->instance = ARENA_ARRAY(r->arena, (size_t)((points.n + SPEC_TUNE_PER_SHAPE) * s->nshape * s->nthread), Instance);
    bool ok = true; /* each shape tells its own first error */
    for (int i = 0; i < s->nshape; i++)
        ok = add_shape(r, i, &points) && ok;
    return ok;
}

void spec_make_instances(SpecReader *r)
{
    Spec *s = r->spec;
    if (!(s->log ? spec_add_rows(r) : add_shapes(r)))
        return;
    if (!s->ninstance) {
        diag_error(r->diag, s->shape[0].loc, "no shape has anything to compute: an extent of each is always 0");
        return;
    }
    if (!s->log)
        merge_instances(s);
    check_all(r);
    const int64_t n = s->ninstance; /* once for each thread count */
    s->ninstance *= s->nthread;
    for (int64_t i = 0; i < s->ninstance; i++) {
        s->instance[i] = s->instance[i % n];
        s->instance[i].threads = s->threads[i / n];
    }
}
