/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_elements: operators of ONNX whose results are functions of elements at the same place, reductions, softmax and
 * norms, which formulas say.
 */
#include <math.h>
#include <string.h>
#include "gen/import/lower.h"

/* The extents of values that are brought to one shape. False after an error. */
static bool broadcast(Lower *l, int n, int *rank, const Poly **dim)
{
    *rank = 0;
    for (int i = 0; i < n; i++)
        *rank = lower_input(l, i)->rank > *rank ? lower_input(l, i)->rank : *rank;
    for (int i = 0; i < *rank; i++)
        dim[i] = poly_number(l->polys, 1);
    for (int i = 0; i < n; i++) {
        const Value *v = lower_input(l, i);
        for (int k = 0; k < v->rank; k++) {
            const Poly **at = &dim[*rank - v->rank + k];
            if (poly_is(*at, 1))
                *at = v->dim[k];
            else if (!poly_is(v->dim[k], 1) && !lower_require(l, *at, v->dim[k]))
                return false;
        }
    }
    return true;
}

static bool has_inputs(Lower *l, int n)
{
    for (int i = 0; i < n; i++)
        if (!lower_input(l, i))
            return lower_error(l, "expected %d inputs", n);
    return true;
}

/* What formulas make of one value, with attributes of the node. */
typedef const Elem *OfOne(Lower *l, const Elem *x);

/* What is made of n elements: a function of formulas, or what `of` makes. */
typedef struct Maker {
    const Elem *(*of)(Lower *l, const struct Maker *m, int n, const Elem *const *arg);
    const char *op;
    OfOne *one;
} Maker;

/* Gives what is made of n inputs; of those that are known element by element, element by element. */
static bool give(Lower *l, int n, ElementType type, Maker of)
{
    const Poly *dim[LOWER_MAX_RANK];
    const Elem *arg[8];
    int rank, most = 1;
    bool listed = true;
    if (n > 8 || !has_inputs(l, n) || !broadcast(l, n, &rank, dim))
        return n <= 8 ? false : lower_error(l, "expected at most 8 inputs");
    for (int i = 0; i < n; i++) {
        const Value *v = lower_input(l, i);
        most = v->nlist > most ? v->nlist : most;
    }
    for (int i = 0; i < n; i++) {
        const Value *v = lower_input(l, i);
        listed = listed && v->nlist && (v->nlist == 1 || (v->nlist == most && v->rank == rank));
    }
    if (!listed) {
        for (int i = 0; i < n; i++)
            arg[i] = lower_broadcast(l, lower_input(l, i), rank, dim);
        return lower_give(l, 0, type, rank, dim, of.of(l, &of, n, arg));
    }
    const Elem *list[LOWER_MAX_LIST];
    for (int k = 0; k < most; k++) {
        for (int i = 0; i < n; i++)
            arg[i] = lower_input(l, i)->list[lower_input(l, i)->nlist == 1 ? 0 : k];
        if (!(list[k] = of.of(l, &of, n, arg)))
            return lower_error(l, "an element of its result has no form that formulas can say");
    }
    return lower_give_list(l, 0, type, rank, dim, most, list);
}

static const Elem *apply(Lower *l, const Maker *m, int n, const Elem *const *arg)
{
    return elem_apply(l->elems, m->op, n, arg);
}

static const char *as(const NetNode *n) { return lower_row(n->op)->as; }

static bool lower_function(Lower *l, const NetNode *n)
{
    return has_inputs(l, n->ninput) && give(l, n->ninput, lower_input(l, 0)->type, (Maker){ .of = apply, .op = as(n) });
}

/* Comparisons and what joins them. */
static bool lower_test(Lower *l, const NetNode *n)
{
    return give(l, n->ninput, ELEMENT_BOOL, (Maker){ .of = apply, .op = as(n) });
}

static const Elem *fold(Lower *l, const Maker *m, int n, const Elem *const *arg)
{
    const Elem *x = arg[0];
    for (int i = 1; i < n; i++)
        x = ELEM(l->elems, m->op, x, arg[i]);
    return x;
}

/* Functions of any number of values. */
static bool lower_fold(Lower *l, const NetNode *n)
{
    return has_inputs(l, 1) && give(l, n->ninput, lower_input(l, 0)->type, (Maker){ .of = fold, .op = as(n) });
}

static const Elem *quotient(Lower *l, const Maker *m, int n, const Elem *const *arg)
{
    const bool whole = arg[0]->type == ELEM_INT && arg[1]->type == ELEM_INT;
    return elem_apply(l->elems, whole ? "div" : m->op, n, arg);
}

static bool lower_div(Lower *l, const NetNode *n)
{
    (void)n;
    return has_inputs(l, 2) && give(l, 2, lower_input(l, 0)->type, (Maker){ .of = quotient, .op = "/" });
}

static const Elem *power(Lower *l, const Maker *m, int n, const Elem *const *arg)
{
    double exponent;
    if (arg[0]->type == ELEM_INT && elem_is_number(arg[1], &exponent) && exponent == 2)
        return ELEM(l->elems, "*", arg[0], arg[0]);
    return elem_apply(l->elems, m->op, n, arg);
}

static bool lower_pow(Lower *l, const NetNode *n)
{
    (void)n;
    return has_inputs(l, 2) && give(l, 2, lower_input(l, 0)->type, (Maker){ .of = power, .op = "pow" });
}

static bool lower_where(Lower *l, const NetNode *n)
{
    (void)n;
    return has_inputs(l, 3) && give(l, 3, lower_input(l, 1)->type, (Maker){ .of = apply, .op = "?" });
}

static const Elem *one_of(Lower *l, const Maker *m, int n, const Elem *const *arg)
{
    return (void)n, m->one(l, arg[0]);
}

static bool give_one(Lower *l, ElementType type, OfOne *one)
{
    return has_inputs(l, 1) && give(l, 1, type, (Maker){ .of = one_of, .one = one });
}

static double attribute(Lower *l, const char *name, double otherwise)
{
    return onnx_float(l->node->onnx, name, otherwise);
}
static const Elem *number(Lower *l, double x) { return elem_number(l->elems, x); }

static const Elem *of_reciprocal(Lower *l, const Elem *x) { return ELEM(l->elems, "/", number(l, 1), x); }
static const Elem *of_cast(Lower *l, const Elem *x) { return (void)l, x; }
static const Elem *of_is_nan(Lower *l, const Elem *x) { return ELEM(l->elems, "!=", x, x); }
static const Elem *of_sign(Lower *l, const Elem *x)
{
    const Elem *zero = number(l, 0);
    return ELEM(l->elems, "?", ELEM(l->elems, ">", x, zero), number(l, 1),
                ELEM(l->elems, "?", ELEM(l->elems, "<", x, zero), number(l, -1), x));
}

static const Elem *of_leaky_relu(Lower *l, const Elem *x)
{
    const Elem *below = ELEM(l->elems, "*", x, number(l, attribute(l, "alpha", 0.01f)));
    return ELEM(l->elems, "?", ELEM(l->elems, "<", x, number(l, 0)), below, x);
}

static const Elem *exp_less_one(Lower *l, const Elem *x)
{
    return ELEM(l->elems, "-", ELEM(l->elems, "exp", x), number(l, 1));
}

static const Elem *of_elu(Lower *l, const Elem *x)
{
    const Elem *below = ELEM(l->elems, "*", exp_less_one(l, x), number(l, attribute(l, "alpha", 1)));
    return ELEM(l->elems, "?", ELEM(l->elems, "<", x, number(l, 0)), below, x);
}

static const Elem *of_selu(Lower *l, const Elem *x)
{
    const Elem *below =
        ELEM(l->elems, "*", exp_less_one(l, x), number(l, attribute(l, "alpha", 1.67326319217681884765625f)));
    const Elem *both = ELEM(l->elems, "?", ELEM(l->elems, "<=", x, number(l, 0)), below, x);
    return ELEM(l->elems, "*", both, number(l, attribute(l, "gamma", 1.05070102214813232421875f)));
}

static const Elem *of_softplus(Lower *l, const Elem *x)
{
    const Elem *less = ELEM(l->elems, "exp", ELEM(l->elems, "neg", ELEM(l->elems, "abs", x)));
    return ELEM(l->elems, "+", ELEM(l->elems, "relu", x),
                ELEM(l->elems, "log", ELEM(l->elems, "+", less, number(l, 1))));
}

static const Elem *of_softsign(Lower *l, const Elem *x)
{
    return ELEM(l->elems, "/", x, ELEM(l->elems, "+", number(l, 1), ELEM(l->elems, "abs", x)));
}

static const Elem *clamp(Lower *l, const Elem *x, double least, double most)
{
    return ELEM(l->elems, "min", ELEM(l->elems, "max", x, number(l, least)), number(l, most));
}

static const Elem *of_hard_sigmoid(Lower *l, const Elem *x)
{
    const Elem *line = ELEM(l->elems, "+", ELEM(l->elems, "*", x, number(l, attribute(l, "alpha", 0.2f))),
                            number(l, attribute(l, "beta", 0.5f)));
    return clamp(l, line, 0, 1);
}

static const Elem *of_hard_swish(Lower *l, const Elem *x)
{
    const Elem *line = ELEM(l->elems, "+", ELEM(l->elems, "*", x, number(l, 1.0 / 6)), number(l, 0.5));
    return ELEM(l->elems, "*", x, clamp(l, line, 0, 1));
}

static const Elem *of_gelu(Lower *l, const Elem *x)
{
    const bool is_tanh = strcmp(onnx_string(l->node->onnx, "approximate", "none"), "tanh") == 0;
    return ELEM(l->elems, is_tanh ? "gelu_tanh" : "gelu", x);
}

static const Elem *of_thresholded(Lower *l, const Elem *x)
{
    return ELEM(l->elems, "?", ELEM(l->elems, ">", x, number(l, attribute(l, "alpha", 1))), x, number(l, 0));
}

static const Elem *of_mish(Lower *l, const Elem *x)
{
    return ELEM(l->elems, "*", x, ELEM(l->elems, "tanh", of_softplus(l, x)));
}

/* Of operators whose formula is made by one of these. */
static const struct {
    const char *op;
    OfOne *of;
} ones[] = { { "Reciprocal", of_reciprocal },
             { "Sign", of_sign },
             { "LeakyRelu", of_leaky_relu },
             { "Elu", of_elu },
             { "Selu", of_selu },
             { "Softplus", of_softplus },
             { "Softsign", of_softsign },
             { "HardSigmoid", of_hard_sigmoid },
             { "HardSwish", of_hard_swish },
             { "Gelu", of_gelu },
             { "ThresholdedRelu", of_thresholded },
             { "Mish", of_mish },
             { "Identity", of_cast },
             { "Dropout", of_cast } };

static bool lower_one(Lower *l, const NetNode *n)
{
    for (size_t i = 0; i < LENGTH(ones); i++)
        if (strcmp(ones[i].op, n->op) == 0)
            return has_inputs(l, 1) && give_one(l, lower_input(l, 0)->type, ones[i].of);
    return false;
}

static bool lower_is_nan(Lower *l, const NetNode *n) { return (void)n, give_one(l, ELEMENT_BOOL, of_is_nan); }

static bool lower_cast(Lower *l, const NetNode *n)
{
    const ElementType type = element_of_onnx((int)onnx_int(n->onnx, "to", 0));
    if (type == ELEMENT_NONE || type == ELEMENT_STRING)
        return lower_error(l, "elements of that type are not supported");
    return give_one(l, type, of_cast);
}

static bool lower_cast_like(Lower *l, const NetNode *n)
{
    (void)n;
    return has_inputs(l, 2) && give_one(l, lower_input(l, 1)->type, of_cast);
}

static const Elem *within(Lower *l, const Elem *const *arg)
{
    const Elem *x = arg[0];
    x = arg[1] ? ELEM(l->elems, "max", x, arg[1]) : x;
    return arg[2] ? ELEM(l->elems, "min", x, arg[2]) : x;
}

static bool lower_clip(Lower *l, const NetNode *n)
{
    (void)n;
    if (!has_inputs(l, 1))
        return false;
    const Value *v = lower_input(l, 0);
    const Elem *arg[3] = { v->nlist == 1 ? v->list[0] : lower_broadcast(l, v, v->rank, v->dim) };
    for (int i = 1; i < 3; i++)
        if (lower_input(l, i))
            arg[i] = lower_broadcast(l, lower_input(l, i), v->rank, v->dim);
    const Elem *x = within(l, arg);
    if (v->nlist == 1)
        return lower_give_list(l, 0, v->type, v->rank, v->dim, 1, &x);
    return lower_give(l, 0, v->type, v->rank, v->dim, x);
}

/* ---- rows ---- */

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
    if (!has_inputs(l, 1))
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
    if (!has_inputs(l, 1))
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
    if (!has_inputs(l, 1))
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
    if (!has_inputs(l, 2))
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

/* A batch norm that no convolution before it takes over: scale and shift of each channel. */
static bool lower_batch_norm(Lower *l, const NetNode *n)
{
    if (!has_inputs(l, 5))
        return false;
    const Value *v = lower_input(l, 0);
    const Elem *of[5] = { value_elem(l, v) };
    if (onnx_int(n->onnx, "training_mode", 0) || v->rank < 2)
        return lower_error(l, "expected a batch norm for inference");
    for (int i = 1; i < 5; i++) { /* one value a channel */
        const Value *c = lower_input(l, i);
        const int place = lower_place(l, 0, c->dim[0]);
        const Elem *by = lower_place_elem(l, 1, v->dim[1]);
        if (c->rank != 1 || !lower_require(l, c->dim[0], v->dim[1]))
            return false;
        of[i] = elem_replace(l->elems, value_elem(l, c), 1, &place, &by);
    }
    const Elem *deviation =
        ELEM(l->elems, "sqrt", ELEM(l->elems, "+", of[4], number(l, onnx_float(n->onnx, "epsilon", 1e-5f))));
    const Elem *x = ELEM(l->elems, "*", ELEM(l->elems, "/", ELEM(l->elems, "-", of[0], of[3]), deviation), of[1]);
    return lower_give(l, 0, v->type, v->rank, v->dim, ELEM(l->elems, "+", x, of[2]));
}

static bool lower_range(Lower *l, const NetNode *n)
{
    const Poly *from, *to, *step;
    int one;
    (void)n;
    if (!has_inputs(l, 3))
        return false;
    if (!value_sizes(l, lower_input(l, 0), 1, &from, &one) || !value_sizes(l, lower_input(l, 1), 1, &to, &one) ||
        !value_sizes(l, lower_input(l, 2), 1, &step, &one))
        return lower_error(l, "expected a range of whole numbers that follow from sizes");
    const Poly *extent = poly_apply(l->polys, "ceil_div", poly_sub(l->polys, to, from), step);
    if (!extent)
        return lower_error(l, "how long the range is is not known");
    const Elem *place = lower_place_elem(l, 0, extent);
    const Elem *x =
        ELEM(l->elems, "+", ELEM(l->elems, "*", place, elem_size(l->elems, step)), elem_size(l->elems, from));
    return lower_give(l, 0, lower_input(l, 0)->type, 1, &extent, x);
}

const LowerRow lower_elements[] = {
    { "Add", lower_function, LOWERS_ELEMENTS, "+" },
    { "Sub", lower_function, LOWERS_ELEMENTS, "-" },
    { "Mul", lower_function, LOWERS_ELEMENTS, "*" },
    { "Div", lower_div, LOWERS_ELEMENTS, NULL },
    { "Pow", lower_pow, LOWERS_ELEMENTS, NULL },
    { "Mod", lower_function, LOWERS_ELEMENTS, "%" },
    { "Min", lower_fold, LOWERS_ELEMENTS, "min" },
    { "Max", lower_fold, LOWERS_ELEMENTS, "max" },
    { "Sum", lower_fold, LOWERS_ELEMENTS, "+" },
    { "Neg", lower_function, LOWERS_ELEMENTS, "neg" },
    { "Abs", lower_function, LOWERS_ELEMENTS, "abs" },
    { "Sqrt", lower_function, LOWERS_ELEMENTS, "sqrt" },
    { "Exp", lower_function, LOWERS_ELEMENTS, "exp" },
    { "Log", lower_function, LOWERS_ELEMENTS, "log" },
    { "Tanh", lower_function, LOWERS_ELEMENTS, "tanh" },
    { "Erf", lower_function, LOWERS_ELEMENTS, "erf" },
    { "Sigmoid", lower_function, LOWERS_ELEMENTS, "sigmoid" },
    { "Relu", lower_function, LOWERS_ELEMENTS, "relu" },
    { "Sin", lower_function, LOWERS_ELEMENTS, "sin" },
    { "Cos", lower_function, LOWERS_ELEMENTS, "cos" },
    { "Floor", lower_function, LOWERS_ELEMENTS, "floor" },
    { "Ceil", lower_function, LOWERS_ELEMENTS, "ceil" },
    { "Round", lower_function, LOWERS_ELEMENTS, "round" },
    { "Equal", lower_test, LOWERS_ELEMENTS, "==" },
    { "Less", lower_test, LOWERS_ELEMENTS, "<" },
    { "LessOrEqual", lower_test, LOWERS_ELEMENTS, "<=" },
    { "Greater", lower_test, LOWERS_ELEMENTS, ">" },
    { "GreaterOrEqual", lower_test, LOWERS_ELEMENTS, ">=" },
    { "And", lower_test, LOWERS_ELEMENTS, "&&" },
    { "Or", lower_test, LOWERS_ELEMENTS, "||" },
    { "Xor", lower_test, LOWERS_ELEMENTS, "!=" },
    { "Not", lower_test, LOWERS_ELEMENTS, "!" },
    { "IsNaN", lower_is_nan, LOWERS_ELEMENTS, NULL },
    { "Where", lower_where, LOWERS_ELEMENTS, NULL },
    { "Cast", lower_cast, LOWERS_ELEMENTS, NULL },
    { "CastLike", lower_cast_like, LOWERS_ELEMENTS, NULL },
    { "Clip", lower_clip, LOWERS_ELEMENTS, NULL },
    { "Reciprocal", lower_one, LOWERS_ELEMENTS, NULL },
    { "Sign", lower_one, LOWERS_ELEMENTS, NULL },
    { "LeakyRelu", lower_one, LOWERS_ELEMENTS, NULL },
    { "Elu", lower_one, LOWERS_ELEMENTS, NULL },
    { "Selu", lower_one, LOWERS_ELEMENTS, NULL },
    { "Softplus", lower_one, LOWERS_ELEMENTS, NULL },
    { "Softsign", lower_one, LOWERS_ELEMENTS, NULL },
    { "HardSigmoid", lower_one, LOWERS_ELEMENTS, NULL },
    { "HardSwish", lower_one, LOWERS_ELEMENTS, NULL },
    { "Gelu", lower_one, LOWERS_ELEMENTS, NULL },
    { "ThresholdedRelu", lower_one, LOWERS_ELEMENTS, NULL },
    { "Mish", lower_one, LOWERS_ELEMENTS, NULL },
    { "Identity", lower_one, LOWERS_ELEMENTS, NULL },
    { "Dropout", lower_one, LOWERS_ELEMENTS, NULL },
    { "BatchNormalization", lower_batch_norm, LOWERS_ELEMENTS, NULL },
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
    { "Range", lower_range, 0, NULL },
    { NULL, NULL, 0, NULL },
};
