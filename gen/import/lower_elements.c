/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_elements: operators of ONNX whose results are functions of elements at the same place, which formulas say.
 */
#include <math.h>
#include <string.h>
#include "gen/import/lower_elements.h"

static const Elem *number(Lower *l, double x) { return elem_number(l->elems, x); }

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

bool elements_give(Lower *l, int n, ElementType type, ElementsMaker of)
{
    const Poly *dim[LOWER_MAX_RANK];
    const Elem *arg[8];
    int rank, most = 1;
    bool listed = true;
    if (n > 8 || !lower_has(l, n) || !broadcast(l, n, &rank, dim))
        return n <= 8 ? false : lower_error(l, "expected at most 8 inputs");
    for (int i = 0; i < n; i++) {
        const Value *v = lower_input(l, i);
        most = v->nlist > most ? v->nlist : most;
    }
    for (int i = 0; i < n; i++) {
        const Value *v = lower_input(l, i);
        listed = listed && v->nlist && (v->nlist == 1 || v->rank == rank);
        for (int k = 0; k < v->rank && listed && v->nlist > 1; k++)
            listed = poly_compare(l->polys, v->dim[k], dim[k]) == POLY_EQUAL;
    }
    if (!listed) {
        bool is_there = true;
        for (int i = 0; i < n; i++) {
            arg[i] = lower_broadcast(l, lower_input(l, i), rank, dim);
            is_there = is_there && arg[i];
        }
        return lower_give(l, 0, type, rank, dim, is_there ? of.of(l, &of, n, arg) : NULL);
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

static const Elem *apply(Lower *l, const ElementsMaker *m, int n, const Elem *const *arg)
{
    return elem_apply(l->elems, m->op, n, arg);
}

static const char *as(const NetNode *n) { return lower_row(n->op)->as; }

static bool lower_function(Lower *l, const NetNode *n)
{
    return lower_has(l, n->ninput) &&
           elements_give(l, n->ninput, lower_input(l, 0)->type, (ElementsMaker){ .of = apply, .op = as(n) });
}

/* Comparisons and what joins them. */
static bool lower_test(Lower *l, const NetNode *n)
{
    return elements_give(l, n->ninput, ELEMENT_BOOL, (ElementsMaker){ .of = apply, .op = as(n) });
}

static const Elem *fold(Lower *l, const ElementsMaker *m, int n, const Elem *const *arg)
{
    const Elem *x = arg[0];
    for (int i = 1; i < n; i++)
        x = ELEM(l->elems, m->op, x, arg[i]);
    return x;
}

/* Functions of any number of values. */
static bool lower_fold(Lower *l, const NetNode *n)
{
    return lower_has(l, 1) &&
           elements_give(l, n->ninput, lower_input(l, 0)->type, (ElementsMaker){ .of = fold, .op = as(n) });
}

/* Is it a size that is never less? */
static bool at_least(Lower *l, const Elem *x, int64_t number)
{
    int64_t least, most;
    if (!elem_as_size(x))
        return false;
    poly_range(l->polys, x->size, &least, &most);
    return least >= number;
}

/* Of whole numbers without its fraction. What formulas divide whole numbers by is the same in all of a call. */
static const Elem *quotient(Lower *l, const ElementsMaker *m, int n, const Elem *const *arg)
{
    if (arg[0]->type != ELEM_INT || arg[1]->type != ELEM_INT)
        return elem_apply(l->elems, m->op, n, arg);
    if (elem_as_size(arg[1]) && at_least(l, arg[1], 1))
        return elem_apply(l->elems, "div", n, arg);
    return elem_as(l->elems, ELEM(l->elems, "trunc", ELEM(l->elems, "/", arg[0], arg[1])), ELEM_INT);
}

static bool lower_div(Lower *l, const NetNode *n)
{
    (void)n;
    return lower_has(l, 2) &&
           elements_give(l, 2, lower_input(l, 0)->type, (ElementsMaker){ .of = quotient, .op = "/" });
}

/* What remains of whole numbers: it has the sign of the second number or, with fmod, of the first one. */
static const Elem *remainder_of(Lower *l, const ElementsMaker *m, int n, const Elem *const *arg)
{
    const bool of_first = onnx_int(l->node->onnx, "fmod", 0);
    if (at_least(l, arg[1], 1) && (of_first || at_least(l, arg[0], 0)))
        return elem_apply(l->elems, m->op, n, arg);
    const Elem *minus = ELEM(l->elems, "neg", arg[0]);
    if (at_least(l, arg[1], 1) && at_least(l, minus, 0)) /* what is missing to the next multiple */
        return ELEM(l->elems, "%", ELEM(l->elems, "-", arg[1], ELEM(l->elems, "%", minus, arg[1])), arg[1]);
    const Elem *times = ELEM(l->elems, of_first ? "trunc" : "floor", ELEM(l->elems, "/", arg[0], arg[1]));
    const Elem *left = ELEM(l->elems, "-", arg[0], ELEM(l->elems, "*", arg[1], times));
    return elem_as(l->elems, left, ELEM_INT);
}

/* The same of real numbers. What an infinite number does not go into stays, or becomes that number. */
static const Elem *real_remainder(Lower *l, const ElementsMaker *m, int n, const Elem *const *arg)
{
    const bool of_first = onnx_int(l->node->onnx, "fmod", 0);
    const Elem *x = arg[0], *y = arg[1];
    const Elem *times = ELEM(l->elems, of_first ? "trunc" : "floor", ELEM(l->elems, "/", x, y));
    const Elem *same = ELEM(l->elems, ">=", ELEM(l->elems, "*", x, y), number(l, 0));
    const Elem *whole = of_first ? x : ELEM(l->elems, "?", same, x, y);
    (void)m, (void)n;
    return ELEM(l->elems, "?", ELEM(l->elems, "==", ELEM(l->elems, "abs", y), number(l, INFINITY)), whole,
                ELEM(l->elems, "-", x, ELEM(l->elems, "*", times, y)));
}

static bool lower_mod(Lower *l, const NetNode *n)
{
    (void)n;
    if (!lower_has(l, 2))
        return false;
    const Value *v = lower_input(l, 0);
    const bool is_real = elem_type_of(v->type) == ELEM_REAL;
    return elements_give(l, 2, v->type, (ElementsMaker){ .of = is_real ? real_remainder : remainder_of, .op = "%" });
}

static const Elem *power(Lower *l, const ElementsMaker *m, int n, const Elem *const *arg)
{
    double exponent;
    if (arg[0]->type == ELEM_INT && elem_is_number(arg[1], &exponent) && exponent == 2)
        return ELEM(l->elems, "*", arg[0], arg[0]);
    return elem_apply(l->elems, m->op, n, arg);
}

static bool lower_pow(Lower *l, const NetNode *n)
{
    (void)n;
    return lower_has(l, 2) && elements_give(l, 2, lower_input(l, 0)->type, (ElementsMaker){ .of = power, .op = "pow" });
}

static bool lower_where(Lower *l, const NetNode *n)
{
    (void)n;
    return lower_has(l, 3) && elements_give(l, 3, lower_input(l, 1)->type, (ElementsMaker){ .of = apply, .op = "?" });
}

static const Elem *one_of(Lower *l, const ElementsMaker *m, int n, const Elem *const *arg)
{
    return (void)n, m->one(l, arg[0]);
}

bool elements_give_one(Lower *l, ElementType type, ElementsOfOne *one)
{
    return lower_has(l, 1) && elements_give(l, 1, type, (ElementsMaker){ .of = one_of, .one = one });
}

static const Elem *of_cast(Lower *l, const Elem *x) { return (void)l, x; }

/* Of inference: all are kept. */
static bool lower_dropout(Lower *l, const NetNode *n)
{
    double trains = 0;
    int one;
    (void)n;
    if (!lower_has(l, 1))
        return false;
    if (lower_input(l, 2) && (!value_numbers(l, lower_input(l, 2), 1, &trains, &one) || trains != 0))
        return lower_error(l, "expected a dropout for inference");
    const Value *v = lower_input(l, 0);
    return elements_give_one(l, v->type, of_cast) &&
           lower_give(l, 1, ELEMENT_BOOL, v->rank, v->dim, elem_truth(l->elems, true));
}

static bool lower_cast(Lower *l, const NetNode *n)
{
    const ElementType type = element_of_onnx((int)onnx_int(n->onnx, "to", 0));
    if (type == ELEMENT_NONE || type == ELEMENT_STRING)
        return lower_error(l, "elements of that type are not supported");
    return elements_give_one(l, type, of_cast);
}

static bool lower_cast_like(Lower *l, const NetNode *n)
{
    (void)n;
    return lower_has(l, 2) && elements_give_one(l, lower_input(l, 1)->type, of_cast);
}

static const Elem *mean_of(Lower *l, const ElementsMaker *m, int n, const Elem *const *arg)
{
    return ELEM(l->elems, "/", fold(l, m, n, arg), number(l, n));
}

static bool lower_mean(Lower *l, const NetNode *n)
{
    return lower_has(l, 1) &&
           elements_give(l, n->ninput, lower_input(l, 0)->type, (ElementsMaker){ .of = mean_of, .op = "+" });
}

static const Elem *slope(Lower *l, const ElementsMaker *m, int n, const Elem *const *arg)
{
    (void)m, (void)n;
    return ELEM(l->elems, "?", ELEM(l->elems, "<", arg[0], number(l, 0)), ELEM(l->elems, "*", arg[0], arg[1]), arg[0]);
}

static bool lower_prelu(Lower *l, const NetNode *n)
{
    (void)n;
    return lower_has(l, 2) && elements_give(l, 2, lower_input(l, 0)->type, (ElementsMaker){ .of = slope });
}

/* A function of the sum of two, of which the second may be left out. */
static const Elem *of_sum(Lower *l, const ElementsMaker *m, int n, const Elem *const *arg)
{
    return ELEM(l->elems, m->op, n > 1 ? ELEM(l->elems, "+", arg[0], arg[1]) : arg[0]);
}

static bool lower_biased(Lower *l, const NetNode *n)
{
    return lower_has(l, 1) && elements_give(l, lower_input(l, 1) ? 2 : 1, lower_input(l, 0)->type,
                                            (ElementsMaker){ .of = of_sum, .op = as(n) });
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
    if (!lower_has(l, 1))
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

/* A batch norm that no convolution before it takes over: scale and shift of each channel. */
static bool lower_batch_norm(Lower *l, const NetNode *n)
{
    if (!lower_has(l, 5))
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
    const int channel = lower_place(l, 1, v->dim[1]);
    const char *name = n->onnx->name;
    const Elem *eps = number(l, onnx_float(n->onnx, "epsilon", 1e-5f)), *x = of[0], *before = number(l, 0);
    const Elem *scale = ELEM(l->elems, "*", ELEM(l->elems, "rsqrt", ELEM(l->elems, "+", of[4], eps)), of[1]);
    if (x->kind == ELEM_APPLY && strcmp(x->op, "+") == 0) { /* a convolution's bias */
        before = x->arg[1];
        x = x->arg[0];
    }
    const Elem *shift = ELEM(l->elems, "-", of[2], ELEM(l->elems, "*", ELEM(l->elems, "-", of[3], before), scale));
    if (store_is_constant(l, shift) && store_scaled(l, x, scale, channel))
        return lower_give(l, 0, v->type, v->rank, v->dim,
                          ELEM(l->elems, "+", x, store_vector(l, shift, channel, name)));
    shift = ELEM(l->elems, "-", of[2], ELEM(l->elems, "*", of[3], scale));
    x = ELEM(l->elems, "*", of[0], store_vector(l, scale, channel, arena_printf(l->arena, "%s: scale", name)));
    x = ELEM(l->elems, "+", x, store_vector(l, shift, channel, arena_printf(l->arena, "%s: shift", name)));
    return lower_give(l, 0, v->type, v->rank, v->dim, x);
}

/* Is the place along a new axis the index? Then the second of two values. */
static bool lower_one_hot(Lower *l, const NetNode *n)
{
    const Poly *dim[LOWER_MAX_RANK], *depth;
    const Elem *by[LOWER_MAX_RANK], *choice[2];
    int place[LOWER_MAX_RANK], one;
    if (!lower_has(l, 3) || !value_sizes(l, lower_input(l, 1), 1, &depth, &one))
        return lower_error(l, "how many places it has is not made of sizes");
    const Value *at = lower_input(l, 0), *values = lower_input(l, 2);
    int64_t axis = onnx_int(n->onnx, "axis", -1);
    if (at->rank + 1 > LOWER_MAX_RANK || !lower_axis(l, &axis, at->rank + 1))
        return false;
    for (int i = 0; i <= at->rank; i++)
        dim[i] = i == axis ? depth : at->dim[i - (i > axis)];
    for (int i = 0; i < at->rank; i++)
        by[i] = lower_place_elem(l, i + (i >= axis), at->dim[i]);
    lower_places(l, at->rank, at->dim, place);
    const Elem *index = elem_replace(l->elems, value_elem(l, at), at->rank, place, by);
    for (int i = 0; i < 2; i++) {
        const int along = lower_place(l, 0, poly_number(l->polys, 2));
        const Elem *which = elem_int(l->elems, i);
        choice[i] =
            values->nlist == 2 ? values->list[i] : elem_replace(l->elems, value_elem(l, values), 1, &along, &which);
    }
    const Elem *here = lower_place_elem(l, (int)axis, depth);
    const Elem *below = ELEM(l->elems, "==", index, ELEM(l->elems, "-", here, elem_size(l->elems, depth)));
    const Elem *is = ELEM(l->elems, "||", ELEM(l->elems, "==", index, here), below);
    return lower_give(l, 0, values->type, at->rank + 1, dim, ELEM(l->elems, "?", is, choice[1], choice[0]));
}

const LowerRow lower_elements[] = {
    { "Add", lower_function, LOWERS_ELEMENTS, "+" },
    { "Sub", lower_function, LOWERS_ELEMENTS, "-" },
    { "Mul", lower_function, LOWERS_ELEMENTS, "*" },
    { "Div", lower_div, LOWERS_ELEMENTS, NULL },
    { "Pow", lower_pow, LOWERS_ELEMENTS, NULL },
    { "Mod", lower_mod, LOWERS_ELEMENTS, NULL },
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
    { "Mean", lower_mean, LOWERS_ELEMENTS, NULL },
    { "PRelu", lower_prelu, LOWERS_ELEMENTS, NULL },
    { "com.microsoft.BiasGelu", lower_biased, LOWERS_ELEMENTS, "gelu" },
    { "com.microsoft.FastGelu", lower_biased, LOWERS_ELEMENTS, "gelu_tanh" },
    { "Where", lower_where, LOWERS_ELEMENTS, NULL },
    { "Cast", lower_cast, LOWERS_ELEMENTS, NULL },
    { "CastLike", lower_cast_like, LOWERS_ELEMENTS, NULL },
    { "Clip", lower_clip, LOWERS_ELEMENTS, NULL },
    { "Dropout", lower_dropout, LOWERS_ELEMENTS, NULL },
    { "BatchNormalization", lower_batch_norm, LOWERS_ELEMENTS, NULL },
    { "OneHot", lower_one_hot, LOWERS_ROWS, NULL },
    { NULL, NULL, 0, NULL },
};
