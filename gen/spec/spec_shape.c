/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_shape: dims, tune and weights of a spec, the points that the dims span, and the shapes. Every extent is
 * evaluated over the whole range of the dims that it uses: all values where that is affordable, else the corners and a
 * sample.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/name.h"
#include "gen/base/order.h"
#include "gen/base/text.h"
#include "gen/spec/spec_private.h"

/* How many points are tried: at most for all extents together, at least for each, at most for each weight. */
enum { CHECK_MAX_POINT = 1 << 21, CHECK_MIN_POINT = 256, WEIGHT_MAX_CHECKED = 1 << 18 };

/* ---- points ---- */

/* Bit i: dim i occurs in e. */
static unsigned dims_of(const Expr *e)
{
    unsigned dims = 0;
    for (const ExprName *n = expr_names(e); n; n = n->next)
        dims |= n->slot < 0 ? 0 : 1u << n->slot;
    return dims;
}

Grid spec_grid(const Spec *s, unsigned dims, int64_t limit)
{
    int64_t count[SPEC_MAX_DIM];
    for (int i = 0; i < s->ndim; i++)
        count[i] = dims >> i & 1 ? s->dim[i].max - s->dim[i].min + 1 : 1;
    return grid_make(s->ndim, count, limit);
}

bool spec_grid_next(const Spec *s, Grid *g, Point *p)
{
    if (!grid_next(g, p->value))
        return false;
    for (int i = 0; i < s->ndim; i++)
        p->value[i] += s->dim[i].min;
    return true;
}

const char *spec_point_text(SpecReader *r, unsigned dims, const int64_t *value)
{
    Text t = { .arena = r->arena };
    for (int i = 0; i < r->spec->ndim; i++)
        if (dims >> i & 1)
            text_printf(&t, "%s%s = %" PRId64, t.len ? ", " : " for ", r->spec->dim[i].name, value[i]);
    return text_str(&t);
}

/* Reads an expression over the dims, and binds it to them; false after an error. */
static bool read_expr(SpecReader *r, const ConfSetting *s, Expr **out)
{
    Expr *e = NULL;
    if (!conf_expr(r->conf, s, NULL, &e) ||
        (r->dims_known && !conf_check_names(r->diag, e, "dim", NAMES(r->spec->dim, r->spec->ndim))))
        return false;
    expr_bind(e, NAMES(r->spec->dim, r->spec->ndim));
    *out = e;
    return true;
}

/* ---- dims ---- */

static bool read_dim(SpecReader *r, const ConfSetting *s)
{
    static const ConfKey keys[] = { { "min", true, "the smallest value" }, { "max", true, "the largest value" } };
    Spec *spec = r->spec;
    const char *name = s->name;
    Dim *dim = &spec->dim[spec->ndim++];
    *dim = (Dim){ .name = name, .loc = s->name_at };
    const bool is_name = conf_check_name(r->diag, dim->loc, "dim", name, name_fault(name));
    if (!conf_group(r->conf, s, NULL))
        return false;
    bool ok = conf_keys(r->conf, s, keys, LENGTH(keys));
    ok = conf_int(r->conf, s, "min", 0, INT32_MAX, &dim->min) && ok;
    ok = conf_int(r->conf, s, "max", 0, INT32_MAX, &dim->max) && ok;
    if (ok && dim->min > dim->max)
        return diag_error(r->diag, conf_member(s, "max")->at,
                          "the range of '%s' is empty: max %" PRId64 " is below min %" PRId64, name, dim->max,
                          dim->min);
    return ok && is_name;
}

static void read_dims(SpecReader *r)
{
    const ConfSetting *group = conf_group(r->conf, r->root, "dims");
    r->dims_known = r->dims_ok = group || !conf_member(r->root, "dims");
    for (int i = 0; i < conf_length(group); i++) {
        const ConfSetting *s = conf_elem(group, i);
        if (r->spec->ndim == SPEC_MAX_DIM) {
            diag_error(r->diag, s->name_at, "%d dims, at most %d are allowed", conf_length(group), SPEC_MAX_DIM);
            r->dims_known = r->dims_ok = false;
            return;
        }
        r->dims_ok = read_dim(r, s) && r->dims_ok;
    }
}

/* The dim that a key of tune or weights names; NULL after an error. */
static Dim *find_dim(SpecReader *r, const ConfSetting *s)
{
    if (!r->dims_known)
        return NULL;
    int i = conf_lookup(r->diag, s->name_at, "dim", s->name, NAMES(r->spec->dim, r->spec->ndim));
    return i < 0 ? NULL : &r->spec->dim[i];
}

/* ---- tune ---- */

/* Between measured shapes the dispatcher interpolates; beyond them it can only hope. `value` is sorted. */
static void check_tune_reaches(SpecReader *r, const ConfSetting *s, const Dim *dim, const int64_t *value, int n)
{
    if (value[0] > dim->min)
        diag_warn(r->diag, s->at, "no value to tune for below '%s' = %" PRId64 ": add %" PRId64 ", the least",
                  dim->name, value[0], dim->min);
    if (value[n - 1] < dim->max)
        diag_warn(r->diag, s->at, "no value to tune for above '%s' = %" PRId64 ": add %" PRId64 ", the greatest",
                  dim->name, value[n - 1], dim->max);
}

static void read_tune_of(SpecReader *r, const ConfSetting *s)
{
    Dim *dim = find_dim(r, s);
    const bool ranged = dim && r->dims_ok;
    int64_t *value = ARENA_ARRAY(r->arena, SPEC_MAX_TUNE, int64_t);
    int n = 0;
    if (!conf_ints(r->conf, s, NULL, ranged ? dim->min : 0, ranged ? dim->max : INT32_MAX, value, SPEC_MAX_TUNE, &n) ||
        !dim)
        return;
    if (n == 0)
        diag_error(r->diag, s->at, "'%s': expected at least one value; omit it and a sampler chooses", dim->name);
    for (int i = 0; i < n; i++)
        conf_twice(r->conf, s, i, "");
    qsort(value, (size_t)n, sizeof *value, order_number);
    if (n > 0 && r->dims_ok)
        check_tune_reaches(r, s, dim, value, n);
    dim->tune = value;
    dim->ntune = n;
}

/* ---- weights ---- */

static void read_weight(SpecReader *r, const ConfSetting *s, double *out)
{
    if (conf_real(r->conf, s, NULL, out) && *out < 0)
        diag_error(r->diag, s->at, "a weight must not be negative");
}

static void read_weight_list(SpecReader *r, const ConfSetting *s, Dim *dim)
{
    int n = conf_length(s);
    int64_t want = dim->max - dim->min + 1;
    if (r->dims_ok && n != want) {
        diag_error(r->diag, s->at,
                   "'%s': expected %" PRId64 " weights, one a value of %" PRId64 "..%" PRId64 ", found %d", dim->name,
                   want, dim->min, dim->max, n);
        return;
    }
    double *list = ARENA_ARRAY(r->arena, (size_t)n, double);
    for (int i = 0; i < n; i++)
        read_weight(r, conf_elem(s, i), &list[i]);
    dim->weight_list = list;
}

/* The weight of one dim; false after an error. */
static bool dim_weight(SpecReader *r, const Dim *dim, const Point *p, double *out)
{
    const Expr *e = dim->weight;
    *out = dim->weight_list ? dim->weight_list[p->value[dim - r->spec->dim] - dim->min] : 1;
    if (dim->weight_list || !e)
        return true;
    const ExprStatus s = expr_real_at(e, p->value, out);
    if (s == EXPR_OK && *out >= 0)
        return true;
    const char *where = spec_point_text(r, dims_of(e), p->value);
    if (s != EXPR_OK)
        return diag_error(r->diag, expr_loc(e), "the weight '%s' %s%s", expr_text(e), expr_status_text(s), where);
    return diag_error(r->diag, expr_loc(e), "the weight '%s' is %g%s; it must not be negative", expr_text(e), *out,
                      where);
}

static void check_weight(SpecReader *r, const Dim *dim)
{
    Point p = { 0 };
    double w;
    Grid g = spec_grid(r->spec, dims_of(dim->weight), WEIGHT_MAX_CHECKED);
    while (spec_grid_next(r->spec, &g, &p) && dim_weight(r, dim, &p, &w)) {
    }
}

static void read_weight_of(SpecReader *r, const ConfSetting *s)
{
    Dim *dim = find_dim(r, s);
    if (!dim)
        return;
    if (s->type == CONF_ARRAY || s->type == CONF_LIST)
        read_weight_list(r, s, dim);
    else if (read_expr(r, s, &dim->weight) && r->dims_ok)
        check_weight(r, dim);
}

bool spec_point_weight(SpecReader *r, const Point *p, double *out)
{
    *out = 1;
    for (int i = 0; i < r->spec->ndim; i++) {
        double w = 1;
        if (r->spec->dims >> i & 1 && !dim_weight(r, &r->spec->dim[i], p, &w))
            return false;
        *out *= w;
    }
    return true;
}

/* ---- shapes ---- */

static bool check_extent(SpecReader *r, const Expr *e, const Extent *x, const Point *p, int64_t *out)
{
    const ExprStatus s = expr_int_at(e, p->value, out);
    if (s == EXPR_OK && *out >= x->least && *out <= x->most)
        return true;
    const unsigned dims = s == EXPR_NOT_INTEGER ? 0 : dims_of(e);
    const char *where = spec_point_text(r, dims, p->value);
    const char *what = dims || s != EXPR_OK ? arena_printf(r->arena, "%s = %s", x->name, expr_text(e)) : x->name;
    const char *kind = x->kind == EXTENT_ATTRIBUTE ? "attribute" : "extent";
    if (s != EXPR_OK)
        return diag_error(r->diag, expr_loc(e), "the %s %s %s%s", kind, what, expr_status_text(s), where);
    return diag_error(r->diag, expr_loc(e), "the %s %s is %" PRId64 "%s; expected %" PRId64 " to %" PRId64, kind, what,
                      *out, where, x->least, x->most);
}

/* A box that nothing was put into has its ends the wrong way round. */
static Box box_empty(void)
{
    Box box;
    for (int i = 0; i < OP_MAX_EXTENT; i++) {
        box.min[i] = INT64_MAX;
        box.max[i] = INT64_MIN;
    }
    return box;
}

void box_widen(Box *box, int axis, int64_t value)
{
    box->min[axis] = value < box->min[axis] ? value : box->min[axis];
    box->max[axis] = value > box->max[axis] ? value : box->max[axis];
}

/* Tries an extent over the range of its dims, and widens the box by its values, up to the first fault. */
static void check_range(SpecReader *r, const Expr *e, int axis, int64_t limit)
{
    Point p = { 0 };
    Grid g = spec_grid(r->spec, dims_of(e), limit);
    for (int64_t value; spec_grid_next(r->spec, &g, &p) && check_extent(r, e, &r->spec->op->extent[axis], &p, &value);)
        box_widen(&r->spec->box, axis, value);
}

bool spec_point_extents(SpecReader *r, const ShapeDecl *shape, const Point *p, int64_t *extent)
{
    const Op *op = r->spec->op;
    for (int x = 0; x < op->ngiven; x++)
        if (!check_extent(r, shape->extent[x], &op->extent[x], p, &extent[x]))
            return false;
    return true;
}

unsigned spec_shape_dims(const Spec *s, const ShapeDecl *shape)
{
    unsigned dims = 0;
    for (int x = 0; x < s->op->ngiven; x++)
        dims |= dims_of(shape->extent[x]);
    return dims;
}

bool spec_shape_extents(const Spec *s, const ShapeDecl *shape, const int64_t *dim, int64_t *extent)
{
    for (int i = 0; i < s->op->ngiven; i++) {
        const Extent *x = &s->op->extent[i];
        if (expr_int_at(shape->extent[i], dim, &extent[i]) != EXPR_OK || extent[i] < x->least || extent[i] > x->most)
            return false;
    }
    return spec_is_legal(s, extent) && spec_has_work(s, extent);
}

const char **spec_shape_texts(Arena *a, const Spec *s, int shape)
{
    const char **text = ARENA_ARRAY(a, (size_t)s->op->ngiven, const char *);
    for (int i = 0; i < s->op->ngiven; i++)
        text[i] = s->log && s->box.min[i] < s->box.max[i]
                      ? arena_printf(a, "%" PRId64 "..%" PRId64, s->box.min[i], s->box.max[i])
                      : expr_text(s->shape[shape].extent[i]);
    return text;
}

/* The keys of a shape: the op's axes and attributes, what attributes are given by together, and weight. */
static size_t shape_keys(SpecReader *r, const Op *op, ConfKey *keys)
{
    size_t n = 0;
    for (const Extent *x = op->extent; n < (size_t)op->ngiven; n++, x++)
        keys[n] =
            (ConfKey){ x->name, !x->has_usual, *x->doc ? x->doc : arena_printf(r->arena, "an extent of %s", op->name) };
    for (int x = 0; x < op->ngiven; x++)
        if (op_is_first_brief(op, x))
            keys[n++] = (ConfKey){ op->extent[x].brief, false, NULL };
    keys[n++] = (ConfKey){ "weight", false, NULL };
    return n;
}

/* Adds the keys of a shape that are derived extents, in letters of either kind, and says what they follow from: nobody
 * gives them. */
static size_t derived_keys(SpecReader *r, const ConfSetting *group, const Op *op, ConfKey *keys, size_t n)
{
    for (int i = 0; i < conf_length(group); i++)
        for (const Extent *x = op->extent + op->ngiven; x < op->extent + op->nextent; x++) {
            const ConfSetting *s = conf_elem(group, i);
            const bool small = strcmp(text_letters(arena_strdup(r->arena, x->name), tolower), s->name) == 0;
            if ((!small && strcmp(x->name, s->name) != 0) || names_find(NAMES(keys, n), s->name) >= 0)
                continue;
            diag_error(r->diag, s->name_at, "'%s' follows from other extents; expected those of %s = %s", s->name,
                       x->name, expr_text(x->expr));
            keys[n++] = (ConfKey){ s->name, false, NULL };
        }
    return n;
}

/* The key of a shape that gives an extent: its own, else the one for several. NULL: there is none. */
static const ConfSetting *extent_key(const ConfSetting *group, const Extent *x)
{
    const ConfSetting *own = conf_member(group, x->name);
    return own || !x->brief ? own : conf_member(group, x->brief);
}

static void read_shape(SpecReader *r, const ConfSetting *group, int64_t limit)
{
    const Op *op = r->spec->op;
    ShapeDecl *shape = &r->spec->shape[r->spec->nshape++];
    shape->loc = group->at;
    if (!conf_group(r->conf, group, NULL))
        return;
    shape->weight = 1;
    read_weight(r, conf_member(group, "weight"), &shape->weight);
    if (!op)
        return;
    ConfKey keys[4 * OP_MAX_EXTENT + 1];
    conf_keys(r->conf, group, keys, derived_keys(r, group, op, keys, shape_keys(r, op, keys)));
    for (int x = 0; x < op->ngiven; x++) {
        const ConfSetting *s = extent_key(group, &op->extent[x]);
        if (s && read_expr(r, s, &shape->extent[x]) && r->dims_ok)
            check_range(r, shape->extent[x], x, limit);
        else if (!s && op->extent[x].has_usual) {
            const char *usual = arena_printf(r->arena, "%" PRId64, op->extent[x].usual);
            shape->extent[x] = expr_parse(r->arena, usual, op->extent[x].loc, r->diag);
            box_widen(&r->spec->box, x, op->extent[x].usual);
        }
    }
}

/* ---- all ---- */

void spec_read_dims(SpecReader *r)
{
    const ConfSetting *tune = conf_group(r->conf, r->root, "tune");
    const ConfSetting *weights = conf_group(r->conf, r->root, "weights");
    read_dims(r);
    for (int i = 0; i < conf_length(tune); i++)
        read_tune_of(r, conf_elem(tune, i));
    for (int i = 0; i < conf_length(weights); i++)
        read_weight_of(r, conf_elem(weights, i));
}

unsigned spec_named_dims(SpecReader *r)
{
    unsigned dims = 0;
    const Conf unheard = { r->arena, diag_new(r->arena), r->root };
    const ConfSetting *list = conf_member(r->group, "shapes");
    for (int i = 0; i < conf_length(list); i++) {
        const ConfSetting *shape = conf_elem(list, i);
        for (int k = 0; k < conf_length(shape); k++) {
            Expr *e = NULL;
            if (!conf_expr(&unheard, conf_elem(shape, k), NULL, &e))
                continue;
            expr_bind(e, NAMES(r->spec->dim, r->spec->ndim));
            dims |= dims_of(e);
        }
    }
    return dims;
}

void spec_read_shapes(SpecReader *r)
{
    const ConfSetting *log = conf_member(r->group, "shapes");
    r->spec->box = box_empty();
    if (log && log->type == CONF_STRING) {
        spec_read_log(r, log);
        return;
    }
    const ConfSetting *list = conf_list(r->conf, r->group, "shapes");
    const int n = conf_length(list);
    if (!list)
        return;
    if (n < 1 || n > SPEC_MAX_SHAPE) {
        diag_error(r->diag, list->at, "'shapes': %d shapes, expected 1 to %d", n, SPEC_MAX_SHAPE);
        return;
    }
    int64_t limit = CHECK_MAX_POINT / n / OP_MAX_AXIS;
    r->spec->shape = ARENA_ARRAY(r->arena, (size_t)n, ShapeDecl);
    for (int i = 0; i < n; i++)
        read_shape(r, conf_elem(list, i), limit > CHECK_MIN_POINT ? limit : CHECK_MIN_POINT);
}
