/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_dim: dims, tune and weights of a spec, and the points that the dims span.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/name.h"
#include "gen/base/order.h"
#include "gen/base/text.h"
#include "gen/spec/spec_private.h"

enum { WEIGHT_MAX_CHECKED = 1 << 18 };

/* ---- points ---- */

unsigned spec_dims_of(const Expr *e)
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

const char *spec_point_text(SpecReader *r, unsigned dims, const Point *p)
{
    Text t = { .arena = r->arena };
    for (int i = 0; i < r->spec->ndim; i++)
        if (dims >> i & 1)
            text_printf(&t, "%s%s = %" PRId64, t.len ? ", " : " for ", r->dim_name[i], p->value[i]);
    return text_str(&t);
}

bool spec_read_expr(SpecReader *r, const ConfSetting *s, Expr **out)
{
    Expr *e = NULL;
    if (!conf_expr(r->conf, s, NULL, &e))
        return false;
    if (r->dims_known && !conf_check_names(r->diag, e, "dim", r->dim_name, (size_t)r->spec->ndim))
        return false;
    expr_bind(e, r->dim_name, (size_t)r->spec->ndim);
    *out = e;
    return true;
}

/* ---- dims ---- */

static bool read_dim(SpecReader *r, const ConfSetting *s)
{
    static const ConfKey keys[] = { { "min", true, "the smallest value" }, { "max", true, "the largest value" } };
    Spec *spec = r->spec;
    const char *name = s->name, *why = name_fault(name);
    Dim *dim = &spec->dim[spec->ndim];
    *dim = (Dim){ .name = name, .loc = s->name_at };
    r->dim_name[spec->ndim++] = name;
    if (why)
        diag_error(r->diag, dim->loc, "the dim '%s' %s", name, why);
    if (!conf_group(r->conf, s, NULL))
        return false;
    bool ok = conf_keys(r->conf, s, keys, LENGTH(keys));
    ok = conf_int(r->conf, s, "min", 0, INT32_MAX, &dim->min) && ok;
    ok = conf_int(r->conf, s, "max", 0, INT32_MAX, &dim->max) && ok;
    if (ok && dim->min > dim->max) {
        diag_error(r->diag, conf_member(s, "max")->at,
                   "the range of '%s' is empty: max %" PRId64 " is below min %" PRId64, name, dim->max, dim->min);
        return false;
    }
    return ok && !why;
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
    int i = conf_lookup(r->diag, s->name_at, "dim", s->name, r->dim_name, (size_t)r->spec->ndim);
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
    for (int i = 0; i < n; i++) {
        const ConfSetting *e = conf_elem(s, i);
        if (conf_real(r->conf, e, NULL, &list[i]) && list[i] < 0)
            diag_error(r->diag, e->at, "a weight must not be negative");
    }
    dim->weight_list = list;
}

/* The weight of one dim; false after an error. */
static bool dim_weight(SpecReader *r, const Dim *dim, const Point *p, double *out)
{
    *out = 1;
    if (dim->weight_list) {
        *out = dim->weight_list[p->value[dim - r->spec->dim] - dim->min];
        return true;
    }
    if (!dim->weight)
        return true;
    const unsigned dims = spec_dims_of(dim->weight);
    const ExprStatus s = expr_real_at(dim->weight, p->value, out);
    if (s != EXPR_OK)
        diag_error(r->diag, expr_loc(dim->weight), "the weight '%s' %s%s", expr_text(dim->weight), expr_status_text(s),
                   spec_point_text(r, dims, p));
    else if (*out < 0)
        diag_error(r->diag, expr_loc(dim->weight), "the weight '%s' is %g%s; it must not be negative",
                   expr_text(dim->weight), *out, spec_point_text(r, dims, p));
    return s == EXPR_OK && *out >= 0;
}

static void check_weight(SpecReader *r, const Dim *dim)
{
    Point p = { 0 };
    double w;
    Grid g = spec_grid(r->spec, spec_dims_of(dim->weight), WEIGHT_MAX_CHECKED);
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
    else if (spec_read_expr(r, s, &dim->weight) && r->dims_ok)
        check_weight(r, dim);
}

bool spec_point_weight(SpecReader *r, const Point *p, double *out)
{
    *out = 1;
    for (int i = 0; i < r->spec->ndim; i++) {
        double w;
        if (!dim_weight(r, &r->spec->dim[i], p, &w))
            return false;
        *out *= w;
    }
    return true;
}

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
