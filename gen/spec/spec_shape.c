/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_shape: the shapes of a spec. Every extent is evaluated over the whole range of the dims that it uses: all values
 * where that is affordable, else the corners and a sample.
 */
#include <inttypes.h>
#include <string.h>
#include "gen/spec/spec_private.h"

enum { CHECK_MAX_POINT = 1 << 21, CHECK_MIN_POINT = 256 };

static bool check_extent(SpecReader *r, const Expr *e, const char *axis, const Point *p, int64_t *out)
{
    const ExprStatus s = expr_int_at(e, p->value, out);
    if (s == EXPR_OK && *out >= 1 && *out <= INT32_MAX)
        return true;
    const unsigned dims = s == EXPR_NOT_INTEGER ? 0 : spec_dims_of(e);
    const char *where = spec_point_text(r, dims, p);
    const char *what = dims || s != EXPR_OK ? arena_printf(r->arena, "%s = %s", axis, expr_text(e)) : axis;
    if (s != EXPR_OK)
        diag_error(r->diag, expr_loc(e), "the extent %s %s%s", what, expr_status_text(s), where);
    else
        diag_error(r->diag, expr_loc(e), "the extent %s is %" PRId64 "%s; expected 1 to %d", what, *out, where,
                   INT32_MAX);
    return false;
}

static void box_take(Box *box, int axis, int64_t value)
{
    const bool first = box->max[axis] == 0; /* no extent is 0 */
    box->min[axis] = first || value < box->min[axis] ? value : box->min[axis];
    box->max[axis] = first || value > box->max[axis] ? value : box->max[axis];
}

/* Stops at the first fault: one extent, one error. */
static void check_range(SpecReader *r, const Expr *e, int axis, int64_t limit)
{
    Point p = { 0 };
    Grid g = spec_grid(r->spec, spec_dims_of(e), limit);
    for (int64_t value;
         spec_grid_next(r->spec, &g, &p) && check_extent(r, e, r->spec->op->axis[axis].name, &p, &value);)
        box_take(&r->spec->box, axis, value);
}

bool spec_point_extents(SpecReader *r, const ShapeDecl *shape, const Point *p, int64_t *extent)
{
    const Op *op = r->spec->op;
    for (int x = 0; x < op->naxis; x++)
        if (!check_extent(r, shape->extent[x], op->axis[x].name, p, &extent[x]))
            return false;
    return true;
}

unsigned spec_shape_dims(const Spec *s, const ShapeDecl *shape)
{
    unsigned dims = 0;
    for (int x = 0; x < s->op->naxis; x++)
        dims |= spec_dims_of(shape->extent[x]);
    return dims;
}

bool spec_shape_extents(const Spec *s, const ShapeDecl *shape, const int64_t *dim, int64_t *extent)
{
    for (int x = 0; x < s->op->naxis; x++)
        if (expr_int_at(shape->extent[x], dim, &extent[x]) != EXPR_OK || extent[x] < 1 || extent[x] > INT32_MAX)
            return false;
    return true;
}

static void read_weight(SpecReader *r, const ConfSetting *group, ShapeDecl *shape)
{
    shape->weight = 1;
    if (conf_real(r->conf, group, "weight", &shape->weight) && shape->weight < 0)
        diag_error(r->diag, conf_member(group, "weight")->at, "a weight must not be negative");
}

/* The keys of a shape: the op's axes and weight. */
static size_t shape_keys(SpecReader *r, const Op *op, ConfKey *keys)
{
    size_t n = 0;
    for (; n < (size_t)op->naxis; n++)
        keys[n] = (ConfKey){ op->axis[n].name, true,
                             *op->axis[n].doc ? op->axis[n].doc : arena_printf(r->arena, "an extent of %s", op->name) };
    keys[n++] = (ConfKey){ "weight", false, NULL };
    return n;
}

static void read_shape(SpecReader *r, const ConfSetting *group, int64_t limit)
{
    const Op *op = r->spec->op;
    ShapeDecl *shape = &r->spec->shape[r->spec->nshape++];
    shape->loc = group->at;
    if (!conf_group(r->conf, group, NULL))
        return;
    read_weight(r, group, shape);
    if (!op)
        return;
    ConfKey keys[OP_MAX_AXIS + 1];
    conf_keys(r->conf, group, keys, shape_keys(r, op, keys));
    for (int x = 0; x < op->naxis; x++) {
        const ConfSetting *s = conf_member(group, op->axis[x].name);
        if (s && spec_read_expr(r, s, &shape->extent[x]) && r->dims_ok)
            check_range(r, shape->extent[x], x, limit);
    }
}

/* A dim that no shape uses is most likely a slip, but harmless. */
static void warn_unused_dims(SpecReader *r)
{
    unsigned used = 0;
    for (int i = 0; i < r->spec->nshape; i++)
        used |= spec_shape_dims(r->spec, &r->spec->shape[i]);
    for (int i = 0; i < r->spec->ndim; i++)
        if (!(used >> i & 1))
            diag_warn(r->diag, r->spec->dim[i].loc, "no shape uses the dim '%s'", r->spec->dim[i].name);
}

void spec_read_shapes(SpecReader *r)
{
    const ConfSetting *list = conf_list(r->conf, r->root, "shapes");
    if (!list)
        return;
    int n = conf_length(list);
    if (n < 1 || n > SPEC_MAX_SHAPE) {
        diag_error(r->diag, list->at, "'shapes': %d shapes, expected 1 to %d", n, SPEC_MAX_SHAPE);
        return;
    }
    int64_t limit = CHECK_MAX_POINT / n / OP_MAX_AXIS;
    r->spec->shape = ARENA_ARRAY(r->arena, (size_t)n, ShapeDecl);
    for (int i = 0; i < n; i++)
        read_shape(r, conf_elem(list, i), limit > CHECK_MIN_POINT ? limit : CHECK_MIN_POINT);
    if (r->spec->op && diag_nerror(r->diag) == r->nerror)
        warn_unused_dims(r);
}
