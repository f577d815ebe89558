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
    const int64_t *list = onnx_ints(l->node->onnx, "axes", &n);
    double given[LOWER_MAX_RANK];
    *axes = 0;
    if (!n && lower_input(l, 1)) {
        if (!lower_input(l, 1)->nlist && lower_input(l, 1)->rank == 1)
            n = 0; /* an empty list */
        else if (!value_numbers(l, lower_input(l, 1), LOWER_MAX_RANK, given, &n))
            return lower_error(l, "its axes are not known");
    } else {
        for (int i = 0; i < n && i < LOWER_MAX_RANK; i++)
            given[i] = (double)list[i];
    }
    if (n > LOWER_MAX_RANK)
        return lower_error(l, "%d axes, expected at most %d", n, LOWER_MAX_RANK);
    for (int i = 0; i < n; i++) {
        const double axis = given[i] < 0 ? given[i] + v->rank : given[i];
        if (!(axis >= 0 && axis < v->rank))
            return lower_error(l, "the axis %.0f is none of its %d", given[i], v->rank);
        *axes |= 1u << (int)axis;
    }
    if (!n && !onnx_int(l->node->onnx, "noop_with_empty_axes", 0))
        *axes = (1u << v->rank) - 1;
    return true;
}

/* What is summed up along a row, and what is made of the sum. */
static const Elem *before_row(Lower *l, const char *op, const Elem *x)
{
    if (strcmp(op, "ReduceL1") == 0)
        return ELEM(l->elems, "abs", x);
    if (strcmp(op, "ReduceL2") == 0 || strcmp(op, "ReduceSumSquare") == 0)
        return ELEM(l->elems, "*", x, x);
    return strcmp(op, "ReduceLogSumExp") == 0 ? ELEM(l->elems, "exp", x) : x;
}

static const Elem *behind_row(Lower *l, const char *op, const Elem *x)
{
    if (strcmp(op, "ReduceL2") == 0)
        return ELEM(l->elems, "sqrt", x);
    return strcmp(op, "ReduceLogSumExp") == 0 || strcmp(op, "ReduceLogSum") == 0 ? ELEM(l->elems, "log", x) : x;
}

/* One value of the elements of x along these axes: x with its places along them made one place. */
static const Elem *reduce(Lower *l, const char *op, const Value *v, const Elem *x, unsigned axes)
{
    const Poly *extent = poly_number(l->polys, 1);
    int place[LOWER_MAX_RANK], n = 0;
    const Elem *by[LOWER_MAX_RANK];
    for (int i = 0; i < v->rank; i++)
        extent = axes >> i & 1 ? poly_mul(l->polys, extent, v->dim[i]) : extent;
    if (poly_is(extent, 1))
        return strcmp(op, "argmax") == 0 ? elem_int(l->elems, 0) : x;
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
    return elem_row(l->elems, op, along, extent, NULL, elem_replace(l->elems, x, n, place, by), NULL);
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

static bool lower_reduce(Lower *l, const NetNode *n)
{
    unsigned axes;
    if (!lower_has(l, 1))
        return false;
    const Value *v = lower_input(l, 0);
    if (!reduced_axes(l, v, &axes))
        return false;
    if (v->rank == 4 && axes == 0xc && v->type != ELEMENT_S64 && strcmp(n->op, "ReduceMean") == 0)
        return lower_mean_of_images(l, onnx_int(n->onnx, "keepdims", 1));
    const Elem *x = row_value(l, v);
    if (!x)
        return false;
    if (v->nlist > 1 && strcmp(as(n), "sum") != 0 && v->type != ELEMENT_F32)
        return lower_error(l, "a reduction of sizes is not supported");
    x = behind_row(l, n->op, reduce(l, as(n), v, before_row(l, n->op, x), axes));
    return give_reduced(l, v, x, axes, onnx_int(n->onnx, "keepdims", 1), v->type);
}

static bool lower_arg(Lower *l, const NetNode *n)
{
    if (!lower_has(l, 1))
        return false;
    const Value *v = lower_input(l, 0);
    int64_t axis = onnx_int(n->onnx, "axis", 0);
    axis = axis < 0 ? axis + v->rank : axis;
    if (axis < 0 || axis >= v->rank)
        return lower_error(l, "it has no axis %d", (int)axis);
    if (onnx_int(n->onnx, "select_last_index", 0))
        return lower_error(l, "of several largest the last one is not supported");
    const Elem *x = value_elem(l, v);
    x = strcmp(n->op, "ArgMin") == 0 ? ELEM(l->elems, "neg", x) : x;
    return give_reduced(l, v, reduce(l, "argmax", v, x, 1u << axis), 1u << axis, onnx_int(n->onnx, "keepdims", 1),
                        ELEMENT_S64);
}

/* Softmax and its like along an axis; before opset 13 along all from that one on. */
static bool lower_softmax(Lower *l, const NetNode *n)
{
    if (!lower_has(l, 1))
        return false;
    Value *v = &l->value[n->input[0]];
    const bool is_old = l->model->opset < 13;
    int64_t axis = onnx_int(n->onnx, "axis", is_old ? 1 : -1);
    axis = axis < 0 ? axis + v->rank : axis;
    if (axis < 0 || axis >= v->rank)
        return lower_error(l, "it has no axis %d", (int)axis);
    if (is_old && axis != v->rank - 1) {
        for (int i = (int)axis + 1; i < v->rank; i++)
            if (!poly_is(v->dim[i], 1))
                return lower_error(l, "a softmax along several axes at once is not supported");
    }
    if (poly_is(v->dim[axis], 1))
        return lower_give(l, 0, v->type, v->rank, v->dim, strcmp(as(n), "softmax") == 0 ? number(l, 1) : number(l, 0));
    const Elem *x = row_value(l, v), *along = elem_place(l->elems, lower_place(l, ROW_PLACE, v->dim[axis]));
    const int place = lower_place(l, (int)axis, v->dim[axis]);
    x = elem_row(l->elems, as(n), lower_place(l, ROW_PLACE, v->dim[axis]), v->dim[axis], elem_place(l->elems, place),
                 elem_replace(l->elems, x, 1, &place, &along), NULL);
    return lower_give(l, 0, v->type, v->rank, v->dim, x);
}

/* LayerNormalization, RMSNormalization: along the axes from one on, with scale and shift of these. */
static bool lower_layer_norm(Lower *l, const NetNode *n)
{
    if (!lower_has(l, 2))
        return false;
    Value *v = &l->value[n->input[0]];
    int64_t axis = onnx_int(n->onnx, "axis", -1);
    const double eps = onnx_float(n->onnx, "epsilon", 1e-5f);
    axis = axis < 0 ? axis + v->rank : axis;
    if (axis < 0 || axis >= v->rank)
        return lower_error(l, "it has no axis %d", (int)axis);
    if (axis != v->rank - 1)
        return lower_error(l, "a norm along several axes at once is not supported");
    const Elem *x = row_value(l, v), *along = elem_place(l->elems, lower_place(l, ROW_PLACE, v->dim[axis]));
    const int place = lower_place(l, (int)axis, v->dim[axis]);
    if (!poly_is(v->dim[axis], 1))
        x = elem_row(l->elems, as(n), lower_place(l, ROW_PLACE, v->dim[axis]), v->dim[axis],
                     elem_place(l->elems, place), elem_replace(l->elems, x, 1, &place, &along), number(l, eps));
    x = ELEM(l->elems, "*", x, lower_broadcast(l, lower_input(l, 1), v->rank, v->dim));
    if (lower_input(l, 2))
        x = ELEM(l->elems, "+", x, lower_broadcast(l, lower_input(l, 2), v->rank, v->dim));
    if (n->noutput > 1)
        return lower_error(l, "its mean and deviation as outputs are not supported");
    return lower_give(l, 0, v->type, v->rank, v->dim, x);
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
    { "ReduceLogSumExp", lower_reduce, LOWERS_ROWS, "sum" },
    { "ArgMax", lower_arg, LOWERS_ROWS, NULL },
    { "ArgMin", lower_arg, LOWERS_ROWS, NULL },
    { "Softmax", lower_softmax, LOWERS_ROWS, "softmax" },
    { "LogSoftmax", lower_softmax, LOWERS_ROWS, "log_softmax" },
    { "LayerNormalization", lower_layer_norm, LOWERS_ROWS, "layernorm" },
    { "SimplifiedLayerNormalization", lower_layer_norm, LOWERS_ROWS, "rmsnorm" },
    { "RMSNormalization", lower_layer_norm, LOWERS_ROWS, "rmsnorm" },
    { NULL, NULL, 0, NULL },
};
