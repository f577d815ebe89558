/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_rows: operators of ONNX that make something of all elements along axes: reductions, softmax and norms, which
 * formulas say with rows. A row goes along one place; several axes at once are counted as one.
 */
#include <math.h>
#include <string.h>
#include "gen/import/lower.h"

static const Elem *number(Lower *l, double x) { return elem_number(l->elems, x); }
static const char *as(const NetNode *n) { return lower_row(n->op)->as; }

enum { ROW_PLACE = 128 }; /* places that rows run along are numbered from here on */

/* Axes of a reduction, as bits; without any: all. */
static bool reduced_axes(Lower *l, const Value *v, unsigned *axes)
{
    int n = 0;
    int64_t axis[LOWER_MAX_LIST];
    *axes = 0;
    if (!lower_numbers(l, "axes", 1, axis, &n))
        return false;
    for (int i = 0; i < n; i++) {
        if (!lower_axis(l, &axis[i], v->rank))
            return false;
        *axes |= 1u << axis[i];
    }
    if (n <= 0 && !onnx_int(l->node->onnx, "noop_with_empty_axes", 0))
        *axes = (1u << v->rank) - 1;
    return true;
}

/* What is summed up along a row, and what is made of the sum. */
static const Elem *before_row(Lower *l, const char *op, const Elem *x)
{
    if (strcmp(op, "ReduceL1") == 0)
        return ELEM(l->elems, "abs", x);
    return strcmp(op, "ReduceL2") == 0 || strcmp(op, "ReduceSumSquare") == 0 ? ELEM(l->elems, "*", x, x) : x;
}

static const Elem *behind_row(Lower *l, const char *op, const Elem *x)
{
    if (strcmp(op, "ReduceL2") == 0)
        return ELEM(l->elems, "sqrt", x);
    return strcmp(op, "ReduceLogSum") == 0 ? ELEM(l->elems, "log", x) : x;
}

/* Of no elements at all. Of truths the largest is false, and the smallest true. */
static const Elem *of_nothing(Lower *l, const char *op, ElementType type)
{
    static const struct {
        const char *op;
        double value;
    } known[] = { { "sum", 0 }, { "prod", 1 }, { "logsumexp", -INFINITY }, { "max", -INFINITY }, { "min", INFINITY } };
    const bool is_end = strcmp(op, "max") == 0 || strcmp(op, "min") == 0;
    if (is_end && type == ELEMENT_BOOL)
        return elem_truth(l->elems, strcmp(op, "min") == 0);
    for (size_t i = 0; i < LENGTH(known); i++)
        if (strcmp(known[i].op, op) == 0 && (!is_end || elem_type_of(type) == ELEM_REAL))
            return number(l, known[i].value);
    return lower_error(l, "its rows have no elements"), NULL;
}

/* The row of x, which runs along a place. log(sum(exp)) is taken of what lies below the largest. */
static const Elem *row(Lower *l, const char *op, int along, const Poly *extent, const Elem *x)
{
    if (strcmp(op, "logsumexp") != 0)
        return elem_row(l->elems, op, along, extent, NULL, x, NULL);
    const Elem *most = elem_row(l->elems, "max", along, extent, NULL, x, NULL);
    const Elem *below = ELEM(l->elems, "exp", ELEM(l->elems, "-", x, most));
    return ELEM(l->elems, "+", most,
                ELEM(l->elems, "log", elem_row(l->elems, "sum", along, extent, NULL, below, NULL)));
}

/* One value of the elements of x along these axes: x with its places along them made one place. */
const Elem *lower_reduced(Lower *l, const char *op, const Value *v, const Elem *x, unsigned axes)
{
    const Poly *extent = poly_number(l->polys, 1);
    int place[LOWER_MAX_RANK], n = 0;
    const Elem *by[LOWER_MAX_RANK];
    for (int i = 0; i < v->rank; i++)
        extent = axes >> i & 1 ? poly_mul(l->polys, extent, v->dim[i]) : extent;
    if (poly_is(extent, 1))
        return strcmp(op, "argmax") == 0 ? elem_int(l->elems, 0) : x;
    if (poly_is(extent, 0))
        return of_nothing(l, op, v->type);
    const int along = lower_place(l, ROW_PLACE, extent);
    const Poly *behind = poly_number(l->polys, 1);
    for (int i = v->rank - 1; i >= 0; i--) {
        if (!(axes >> i & 1))
            continue;
        const Poly *at = poly_apply(l->polys, "/", poly_dim(l->polys, along), behind);
        behind = poly_mul(l->polys, behind, v->dim[i]);
        place[n] = lower_place(l, i, v->dim[i]);
        by[n++] = elem_size(l->elems, poly_compare(l->polys, behind, extent) == POLY_EQUAL
                                          ? at
                                          : poly_apply(l->polys, "%", at, v->dim[i]));
    }
    return row(l, op, along, extent, elem_replace(l->elems, x, n, place, by));
}

/* Gives x, over the places of v, with the places along these axes gone, or 1. */
static bool give_reduced(Lower *l, const Value *v, const Elem *x, unsigned axes, bool keeps, ElementType type)
{
    const Poly *dim[LOWER_MAX_RANK];
    int place[LOWER_MAX_RANK], rank = 0, n = 0;
    const Elem *by[LOWER_MAX_RANK];
    for (int i = 0; i < v->rank; i++) {
        const bool gone = axes >> i & 1;
        if (gone && !keeps)
            continue;
        if (!gone) {
            place[n] = lower_place(l, i, v->dim[i]);
            by[n++] = lower_place_elem(l, rank, v->dim[i]);
        }
        dim[rank++] = gone ? poly_number(l->polys, 1) : v->dim[i];
    }
    return lower_give(l, 0, type, rank, dim, elem_replace(l->elems, x, n, place, by));
}

/* Expressions of rows that something is reduced of again are computed once. */
static const Elem *row_value(Lower *l, const Value *v)
{
    Value *own = &l->value[v - l->value];
    if (own->elem && own->elem->kind == ELEM_ROW && own->elem->at && !store_value(l, own))
        return NULL;
    return value_elem(l, own);
}

/* The product along an axis, factor by factor. */
static const Elem *product(Lower *l, const Value *v, const Elem *x, int axis)
{
    enum { MOST = 8 };
    int64_t extent;
    const Elem *all = NULL;
    if (!poly_is_number(v->dim[axis], &extent) || extent > MOST)
        return lower_error(l, "products of more than %d elements are not supported", MOST), NULL;
    const int place = lower_place(l, axis, v->dim[axis]);
    for (int64_t i = 0; i < extent; i++) {
        const Elem *at = elem_int(l->elems, i), *factor = elem_replace(l->elems, x, 1, &place, &at);
        all = all ? ELEM(l->elems, "*", all, factor) : factor;
    }
    return all ? all : of_nothing(l, "prod", v->type);
}

/* Axis by axis; what is in between lies in memory. */
static const Elem *products(Lower *l, const Value *v, const Elem *x, unsigned axes)
{
    Value part = *v;
    part.nlist = 0;
    part.elem = x;
    for (int i = 0; i < v->rank && part.elem; i++) {
        if (!(axes >> i & 1) || poly_is(part.dim[i], 1))
            continue;
        part.elem = product(l, &part, part.elem, i);
        part.dim[i] = poly_number(l->polys, 1);
        if (part.elem && axes >> (i + 1) && part.elem->nload && !store_value(l, &part))
            return NULL;
    }
    return part.elem;
}

/* Of all elements of a list that is known. */
static bool reduce_list(Lower *l, const NetNode *n, const Value *v)
{
    const Elem *all = NULL;
    const Poly *dim[LOWER_MAX_RANK];
    const char *op = as(n), *two = strcmp(op, "prod") == 0                             ? "*"
                                   : strcmp(op, "sum") == 0 || strcmp(op, "mean") == 0 ? "+"
                                                                                       : op;
    const bool keeps = onnx_int(n->onnx, "keepdims", 1);
    for (int i = 0; i < v->nlist; i++) {
        const Elem *x = before_row(l, n->op, v->list[i]);
        all = all ? ELEM(l->elems, two, all, x) : x;
    }
    if (strcmp(op, "mean") == 0)
        all = ELEM(l->elems, all->type == ELEM_INT ? "div" : "/", all, elem_int(l->elems, v->nlist));
    all = behind_row(l, n->op, all);
    for (int i = 0; i < v->rank; i++)
        dim[i] = poly_number(l->polys, 1);
    return lower_give_list(l, 0, v->type, keeps ? v->rank : 0, dim, 1, &all);
}

static bool lower_reduce(Lower *l, const NetNode *n)
{
    unsigned axes;
    if (!lower_has(l, 1))
        return false;
    const Value *v = lower_input(l, 0);
    const bool keeps = onnx_int(n->onnx, "keepdims", 1);
    if (!reduced_axes(l, v, &axes))
        return false;
    if (v->nlist && axes == (1u << v->rank) - 1 && strcmp(as(n), "logsumexp") != 0)
        return reduce_list(l, n, v);
    if (v->rank == 4 && axes == 0xc && elem_type_of(v->type) == ELEM_REAL && strcmp(n->op, "ReduceMean") == 0)
        return lower_mean_of_images(l, keeps);
    const Elem *x = row_value(l, v);
    if (!x)
        return false;
    x = before_row(l, n->op, x);
    x = strcmp(as(n), "prod") == 0 ? products(l, v, x, axes) : lower_reduced(l, as(n), v, x, axes);
    return x && give_reduced(l, v, behind_row(l, n->op, x), axes, keeps, v->type);
}

/* The number of an element, counted in order, along these axes. */
static const Elem *number_along(Lower *l, const Value *v, unsigned axes)
{
    const Poly *at = poly_number(l->polys, 0);
    for (int i = 0; i < v->rank; i++)
        if (axes >> i & 1)
            at = poly_add(l->polys, poly_mul(l->polys, at, v->dim[i]), elem_as_size(lower_place_elem(l, i, v->dim[i])));
    return elem_size(l->elems, at);
}

/* The place of the largest or smallest element along an axis. The last one of several is the first from the end. */
static const Elem *place_of_most(Lower *l, const NetNode *n, const Value *v, int axis)
{
    const Elem *x = value_elem(l, v);
    const bool is_last = onnx_int(n->onnx, "select_last_index", 0);
    const int place = lower_place(l, axis, v->dim[axis]);
    const Elem *end = elem_size(l->elems, poly_sub(l->polys, v->dim[axis], poly_number(l->polys, 1)));
    const Elem *from_end = ELEM(l->elems, "-", end, elem_place(l->elems, place));
    x = is_last ? elem_replace(l->elems, x, 1, &place, &from_end) : x;
    x = strcmp(n->op, "ArgMin") == 0 ? ELEM(l->elems, "neg", x) : x;
    x = lower_reduced(l, "argmax", v, x, 1u << axis);
    return is_last ? ELEM(l->elems, "-", end, x) : x;
}

static bool lower_arg(Lower *l, const NetNode *n)
{
    if (!lower_has(l, 1))
        return false;
    const Value *v = lower_input(l, 0);
    int64_t axis = onnx_int(n->onnx, "axis", 0);
    if (!lower_axis(l, &axis, v->rank))
        return false;
    return give_reduced(l, v, place_of_most(l, n, v, (int)axis), 1u << axis, onnx_int(n->onnx, "keepdims", 1),
                        ELEMENT_S64);
}

static bool is_one(const Value *v, int first, int end)
{
    bool one = true;
    for (int i = first; i < end && one; i++)
        one = poly_is(v->dim[i], 1);
    return one;
}

/* 1 at the place of the largest element, else 0. */
static bool lower_hardmax(Lower *l, const NetNode *n)
{
    if (!lower_has(l, 1))
        return false;
    const Value *v = lower_input(l, 0);
    int64_t axis = onnx_int(n->onnx, "axis", l->model->opset < 13 ? 1 : -1);
    if (!lower_axis(l, &axis, v->rank))
        return false;
    const unsigned axes = l->model->opset < 13 ? ~0u << axis & ((1u << v->rank) - 1) : 1u << axis; /* all from it on */
    const Elem *is =
        ELEM(l->elems, "==", number_along(l, v, axes), lower_reduced(l, "argmax", v, value_elem(l, v), axes));
    return lower_give(l, 0, v->type, v->rank, v->dim, ELEM(l->elems, "?", is, number(l, 1), number(l, 0)));
}

/* ---- functions of rows ---- */

/* What a function of rows makes of v along one axis. */
static const Elem *along_axis(Lower *l, const char *op, const Value *v, int axis, const Elem *more)
{
    const int place = lower_place(l, axis, v->dim[axis]), along = lower_place(l, ROW_PLACE, v->dim[axis]);
    const Elem *at = elem_place(l->elems, along), *x = elem_replace(l->elems, value_elem(l, v), 1, &place, &at);
    return elem_row(l->elems, op, along, v->dim[axis], elem_place(l->elems, place), x, more);
}

/* v with all extents from one on as a single one. */
static Value joined(Lower *l, const Value *v, int first)
{
    Value j = { .type = v->type, .is_known = true, .rank = first + 1 };
    int place[LOWER_MAX_RANK];
    const Elem *by[LOWER_MAX_RANK];
    memcpy(j.dim, v->dim, (size_t)first * sizeof *j.dim);
    j.dim[first] = poly_number(l->polys, 1);
    for (int i = first; i < v->rank; i++)
        j.dim[first] = poly_mul(l->polys, j.dim[first], v->dim[i]);
    lower_places(l, v->rank, v->dim, place);
    const Poly *at = elem_as_size(lower_place_elem(l, first, j.dim[first]));
    for (int i = v->rank - 1; i >= first; i--) {
        by[i] = elem_size(l->elems, i == first ? at : poly_apply(l->polys, "%", at, v->dim[i]));
        at = poly_apply(l->polys, "/", at, v->dim[i]);
    }
    j.elem = elem_replace(l->elems, value_elem(l, v), v->rank - first, place + first, by + first);
    return j;
}

/* What a function of rows makes of v along all axes from one on, over the places of v. NULL after an error. */
static const Elem *along_rest(Lower *l, const char *op, const Value *v, int first, const Elem *more)
{
    int only = -1, n = 0;
    for (int i = first; i < v->rank; i++)
        if (!poly_is(v->dim[i], 1)) {
            only = i;
            n++;
        }
    if (n == 1)
        return along_axis(l, op, v, only, more);
    Value j = joined(l, v, first);
    if (n == 0)
        j.elem = NULL;
    else
        j.elem = along_axis(l, op, &j, first, more);
    if (!j.elem || !store_value(l, &j))
        return lower_error(l, "rows of one element are not supported"), NULL;
    const Poly *at = poly_number(l->polys, 0);
    for (int i = first; i < v->rank; i++)
        at = poly_add(l->polys, poly_mul(l->polys, at, v->dim[i]), elem_as_size(lower_place_elem(l, i, v->dim[i])));
    const int place = lower_place(l, first, j.dim[first]);
    const Elem *by = elem_size(l->elems, at);
    return elem_replace(l->elems, j.elem, 1, &place, &by);
}

/* Softmax and its like along an axis; before opset 13 along all from that one on. */
static bool lower_softmax(Lower *l, const NetNode *n)
{
    if (!lower_has(l, 1))
        return false;
    const Value *v = lower_input(l, 0);
    const bool is_old = l->model->opset < 13;
    int64_t axis = onnx_int(n->onnx, "axis", is_old ? 1 : -1);
    if (is_old && axis == v->rank)
        return lower_give(l, 0, v->type, v->rank, v->dim, number(l, strcmp(as(n), "softmax") == 0));
    if (!lower_axis(l, &axis, v->rank))
        return false;
    if (is_one(v, (int)axis, is_old ? v->rank : (int)axis + 1))
        return lower_give(l, 0, v->type, v->rank, v->dim, number(l, strcmp(as(n), "softmax") == 0));
    if (!row_value(l, v))
        return false;
    const Elem *x = is_old ? along_rest(l, as(n), v, (int)axis, NULL) : along_axis(l, as(n), v, (int)axis, NULL);
    return x && lower_give(l, 0, v->type, v->rank, v->dim, x);
}

/* ---- norms ---- */

/* The norm of v along all axes from one on. Rows of one element are their own mean. */
static const Elem *norm(Lower *l, const char *op, const Value *v, int first, double eps)
{
    if (!is_one(v, first, v->rank))
        return row_value(l, v) ? along_rest(l, op, v, first, number(l, eps)) : NULL;
    const Elem *x = value_elem(l, v);
    if (strcmp(op, "layernorm") == 0)
        return ELEM(l->elems, "*", x, number(l, 0));
    return ELEM(l->elems, "*", x,
                ELEM(l->elems, "rsqrt", ELEM(l->elems, "+", ELEM(l->elems, "*", x, x), number(l, eps))));
}

/* The rows' means, and 1 by their deviations, where the model asks for them. */
static bool give_moments(Lower *l, const Value *v, int first, double eps)
{
    const Poly *dim[LOWER_MAX_RANK];
    const unsigned axes = ((1u << v->rank) - 1) & ~((1u << first) - 1);
    if (!lower_output(l, 1) && !lower_output(l, 2))
        return true;
    const Elem *x = row_value(l, v), *mean = x ? lower_reduced(l, "mean", v, x, axes) : NULL;
    Value off = { .type = v->type, .is_known = true, .rank = v->rank, .elem = ELEM(l->elems, "-", x, mean) };
    memcpy(off.dim, v->dim, sizeof off.dim);
    for (int i = 0; i < v->rank; i++)
        dim[i] = i < first ? v->dim[i] : poly_number(l->polys, 1);
    if (!mean || !lower_give(l, 1, ELEMENT_F32, v->rank, dim, mean))
        return false;
    if (!lower_output(l, 2))
        return true;
    if (lower_output(l, 1) && !store_value(l, lower_output(l, 1)))
        return false;
    if (lower_output(l, 1))
        off.elem = ELEM(l->elems, "-", x, lower_output(l, 1)->elem);
    const Elem *variance = lower_reduced(l, "mean", v, ELEM(l->elems, "*", off.elem, off.elem), axes);
    return lower_give(l, 2, ELEMENT_F32, v->rank, dim,
                      ELEM(l->elems, "rsqrt", ELEM(l->elems, "+", variance, number(l, eps))));
}

/* x scale + shift: inputs of the node, of which the second may be left out. */
static const Elem *scaled(Lower *l, const Elem *x, const Value *v, int scale, int shift)
{
    x = ELEM(l->elems, "*", x, lower_broadcast(l, lower_input(l, scale), v->rank, v->dim));
    if (lower_input(l, shift))
        x = ELEM(l->elems, "+", x, lower_broadcast(l, lower_input(l, shift), v->rank, v->dim));
    return x;
}

/* LayerNormalization, RMSNormalization: along the axes from one on, with scale and shift of these. */
static bool lower_layer_norm(Lower *l, const NetNode *n)
{
    if (!lower_has(l, 2))
        return false;
    const Value *v = lower_input(l, 0);
    int64_t axis = onnx_int(n->onnx, "axis", -1);
    const double eps = onnx_float(n->onnx, "epsilon", 1e-5f);
    if (!lower_axis(l, &axis, v->rank))
        return false;
    const Elem *x = norm(l, as(n), v, (int)axis, eps);
    return x && give_moments(l, v, (int)axis, eps) && lower_give(l, 0, v->type, v->rank, v->dim, scaled(l, x, v, 1, 2));
}

/* ONNX Runtime's norm of a sum: of input, skip and bias; the sum is its fourth output. */
static bool lower_skip_norm(Lower *l, const NetNode *n)
{
    const bool is_simple = strcmp(as(n), "rmsnorm") == 0;
    if (!lower_has(l, 3))
        return false;
    if (lower_output(l, 1) || lower_output(l, 2))
        return lower_error(l, "its mean and deviation as outputs are not supported");
    const Value *v = lower_input(l, 0), *bias = lower_input(l, is_simple ? 3 : 4);
    Value sum = *v;
    sum.nlist = 0;
    sum.elem = ELEM(l->elems, "+", value_elem(l, v), lower_broadcast(l, lower_input(l, 1), v->rank, v->dim));
    if (bias)
        sum.elem = ELEM(l->elems, "+", sum.elem, lower_broadcast(l, bias, v->rank, v->dim));
    if (!store_value(l, &sum) || !lower_give(l, 3, v->type, v->rank, v->dim, sum.elem))
        return false;
    const double eps = onnx_float(n->onnx, "epsilon", 1e-12f);
    const Elem *x = along_rest(l, as(n), &sum, v->rank - 1, number(l, eps));
    return x && lower_give(l, 0, v->type, v->rank, v->dim, scaled(l, x, v, 2, is_simple ? LOWER_MAX_LIST : 3));
}

/* A value of each channel, at places of images. */
static const Elem *of_channel(Lower *l, const Value *c, const Value *v, const Elem *channel)
{
    const int place = lower_place(l, 0, c->dim[0]);
    return lower_require(l, c->dim[0], v->dim[1]) ? elem_replace(l->elems, value_elem(l, c), 1, &place, &channel)
                                                  : NULL;
}

static bool give_of_channels(Lower *l, const Value *v, const Elem *x, const Elem *channel, const Value *as)
{
    const Value *scale = lower_input(l, 1), *shift = lower_input(l, 2);
    if (!x || scale->rank != 1 || shift->rank != 1)
        return x ? lower_error(l, "expected one scale and one shift a channel") : false;
    x = ELEM(l->elems, "*", x, of_channel(l, scale, as, channel));
    return lower_give(l, 0, v->type, v->rank, v->dim, ELEM(l->elems, "+", x, of_channel(l, shift, as, channel)));
}

/* Of each image and channel, over its pixels. */
static bool lower_instance_norm(Lower *l, const NetNode *n)
{
    if (!lower_has(l, 3))
        return false;
    const Value *v = lower_input(l, 0);
    if (v->rank < 3)
        return lower_error(l, "expected images");
    const Elem *x = norm(l, "layernorm", v, 2, onnx_float(n->onnx, "epsilon", 1e-5f));
    return give_of_channels(l, v, x, lower_place_elem(l, 1, v->dim[1]), v);
}

/* Of each image and group of channels. Scale and shift are those of channels, before opset 21 those of groups. */
static bool lower_group_norm(Lower *l, const NetNode *n)
{
    const int64_t groups = onnx_int(n->onnx, "num_groups", 1);
    const Value *v = lower_input(l, 0);
    if (!lower_has(l, 3) || v->rank < 3 || groups < 1 || v->rank == LOWER_MAX_RANK)
        return lower_error(l, "expected images of at least one group");
    const Poly *count = poly_number(l->polys, groups), *each = poly_quotient(l->polys, v->dim[1], count);
    if (!each)
        return lower_error(l, "its channels are no multiple of its groups");
    Value g = { .type = v->type, .is_known = true, .rank = v->rank + 1, .dim = { v->dim[0], count, each } };
    int place[LOWER_MAX_RANK];
    const Elem *by[LOWER_MAX_RANK];
    memcpy(g.dim + 3, v->dim + 2, (size_t)(v->rank - 2) * sizeof *g.dim);
    lower_places(l, v->rank, v->dim, place);
    for (int i = 0; i < v->rank; i++)
        by[i] = lower_place_elem(l, i + (i > 1), v->dim[i]);
    by[1] = ELEM(l->elems, "+", ELEM(l->elems, "*", lower_place_elem(l, 1, count), elem_size(l->elems, each)),
                 lower_place_elem(l, 2, each));
    g.elem = elem_replace(l->elems, value_elem(l, v), v->rank, place, by);
    const Elem *x = along_rest(l, "layernorm", &g, 2, number(l, onnx_float(n->onnx, "epsilon", 1e-5f)));
    if (!x)
        return false;
    lower_places(l, g.rank, g.dim, place);
    const Poly *at = elem_as_size(lower_place_elem(l, 1, v->dim[1]));
    for (int i = 0; i < g.rank; i++)
        by[i] = lower_place_elem(l, i - (i > 1), g.dim[i]);
    by[1] = elem_size(l->elems, poly_apply(l->polys, "/", at, each));
    by[2] = elem_size(l->elems, poly_apply(l->polys, "%", at, each));
    x = elem_replace(l->elems, x, g.rank, place, by);
    const bool of_groups = l->model->opset < 21;
    return give_of_channels(l, v, x, of_groups ? by[1] : elem_size(l->elems, at), of_groups ? &g : v);
}

/* Something of all elements along axes, in memory, with extents of 1 there. False after an error. */
static bool reduced_value(Lower *l, const char *op, const Value *v, const Elem *x, unsigned axes, Value *out)
{
    *out = *v;
    out->nlist = 0;
    if (!(out->elem = lower_reduced(l, op, v, x, axes)))
        return false;
    for (int i = 0; i < v->rank; i++)
        out->dim[i] = axes >> i & 1 ? poly_number(l->polys, 1) : v->dim[i];
    return store_value(l, out);
}

static bool lower_mean_variance(Lower *l, const NetNode *n)
{
    static const int64_t usual[] = { 0, 2, 3 };
    int count = 0;
    unsigned axes = 0;
    Value mean, variance;
    if (!lower_has(l, 1))
        return false;
    const Value *v = lower_input(l, 0);
    const int64_t *given = onnx_ints(n->onnx, "axes", &count);
    for (int i = 0; i < (count ? count : 3); i++) {
        int64_t axis = count ? given[i] : usual[i];
        if (!lower_axis(l, &axis, v->rank))
            return false;
        axes |= 1u << axis;
    }
    if (!reduced_value(l, "mean", v, value_elem(l, v), axes, &mean))
        return false;
    const Elem *off = ELEM(l->elems, "-", value_elem(l, v), mean.elem);
    if (!reduced_value(l, "mean", v, ELEM(l->elems, "*", off, off), axes, &variance))
        return false;
    const Elem *deviation = ELEM(l->elems, "+", ELEM(l->elems, "sqrt", variance.elem), number(l, 1e-9));
    return lower_give(l, 0, v->type, v->rank, v->dim, ELEM(l->elems, "/", off, deviation));
}

static bool lower_lp_norm(Lower *l, const NetNode *n)
{
    if (!lower_has(l, 1))
        return false;
    const Value *v = lower_input(l, 0);
    int64_t axis = onnx_int(n->onnx, "axis", -1);
    const bool is_l1 = onnx_int(n->onnx, "p", 2) == 1;
    if (!lower_axis(l, &axis, v->rank))
        return false;
    const Elem *x = row_value(l, v);
    if (!x)
        return false;
    const Elem *sum =
        lower_reduced(l, "sum", v, is_l1 ? ELEM(l->elems, "abs", x) : ELEM(l->elems, "*", x, x), 1u << axis);
    const Elem *by = is_l1 ? sum : ELEM(l->elems, "sqrt", sum);
    const Elem *is_zero = ELEM(l->elems, "==", sum, number(l, 0)); /* what is 0 stays so */
    return lower_give(l, 0, v->type, v->rank, v->dim,
                      ELEM(l->elems, "?", is_zero, number(l, 0), ELEM(l->elems, "/", x, by)));
}

const LowerRow lower_rows[] = {
    { "ReduceSum", lower_reduce, LOWERS_ROWS, "sum" },
    { "ReduceMean", lower_reduce, LOWERS_ROWS, "mean" },
    { "ReduceMax", lower_reduce, LOWERS_ROWS, "max" },
    { "ReduceMin", lower_reduce, LOWERS_ROWS, "min" },
    { "ReduceL1", lower_reduce, LOWERS_ROWS, "sum" },
    { "ReduceL2", lower_reduce, LOWERS_ROWS, "sum" },
    { "ReduceSumSquare", lower_reduce, LOWERS_ROWS, "sum" },
    { "ReduceLogSum", lower_reduce, LOWERS_ROWS, "sum" },
    { "ReduceLogSumExp", lower_reduce, LOWERS_ROWS, "logsumexp" },
    { "ReduceProd", lower_reduce, LOWERS_ROWS, "prod" },
    { "ArgMax", lower_arg, LOWERS_ROWS, NULL },
    { "ArgMin", lower_arg, LOWERS_ROWS, NULL },
    { "Softmax", lower_softmax, LOWERS_ROWS, "softmax" },
    { "LogSoftmax", lower_softmax, LOWERS_ROWS, "log_softmax" },
    { "LayerNormalization", lower_layer_norm, LOWERS_ROWS, "layernorm" },
    { "SimplifiedLayerNormalization", lower_layer_norm, LOWERS_ROWS, "rmsnorm" },
    { "RMSNormalization", lower_layer_norm, LOWERS_ROWS, "rmsnorm" },
    { "Hardmax", lower_hardmax, LOWERS_ROWS, NULL },
    { "InstanceNormalization", lower_instance_norm, LOWERS_ROWS, NULL },
    { "GroupNormalization", lower_group_norm, LOWERS_ROWS, NULL },
    { "MeanVarianceNormalization", lower_mean_variance, LOWERS_ROWS, NULL },
    { "LpNormalization", lower_lp_norm, LOWERS_ROWS, NULL },
    { "com.microsoft.SkipLayerNormalization", lower_skip_norm, LOWERS_ROWS, "layernorm" },
    { "com.microsoft.SkipSimplifiedLayerNormalization", lower_skip_norm, LOWERS_ROWS, "rmsnorm" },
    { NULL, NULL, 0, NULL },
};
