/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_sizes: operators of ONNX whose results follow from sizes, which are known when a call's dims are.
 */
#include <math.h>
#include "gen/import/lower.h"

static bool lower_shape(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const Elem *list[LOWER_MAX_RANK];
    int64_t from = onnx_int(n->onnx, "start", 0), to = onnx_int(n->onnx, "end", v->rank);
    from += from < 0 ? v->rank : 0;
    to += to < 0 ? v->rank : 0;
    from = from < 0 ? 0 : from;
    to = to > v->rank ? v->rank : to;
    int count = 0;
    for (int64_t i = from; i < to; i++)
        list[count++] = elem_size(l->elems, v->dim[i]);
    const Poly *dim = poly_number(l->polys, count);
    return lower_give_list(l, 0, ELEMENT_S64, 1, &dim, count, list);
}

static bool lower_size(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const Elem *x = elem_size(l->elems, poly_product(l->polys, v->rank, v->dim));
    (void)n;
    return lower_give_list(l, 0, ELEMENT_S64, 0, NULL, 1, &x);
}

static bool lower_constant_of_shape(Lower *l, const NetNode *n)
{
    const OnnxTensor *t = onnx_tensor(n->onnx, "value");
    const Value *shape = lower_input(l, 0);
    const Poly *dim[LOWER_MAX_LIST];
    const Elem *list[LOWER_MAX_LIST];
    int rank = 0;
    int64_t count = 1, extent;
    if (!shape || (shape->nlist && !value_sizes(l, shape, LOWER_MAX_RANK, dim, &rank)) ||
        (!shape->nlist && !poly_is(shape->dim[0], 0)))
        return lower_error(l, "its shape is not made of sizes");
    const ElementType type = t ? t->type : ELEMENT_F32;
    const Elem *x = t ? lower_constant_elem(l, t, 0) : elem_number(l->elems, 0);
    for (int i = 0; i < rank; i++)
        count = count >= 0 && poly_is_number(dim[i], &extent) && extent >= 0 && extent <= LOWER_MAX_LIST &&
                        count * extent <= LOWER_MAX_LIST
                    ? count * extent
                    : -1;
    for (int i = 0; i < count; i++)
        list[i] = x;
    if (count > 0)
        return lower_give_list(l, 0, type, rank, dim, (int)count, list);
    return lower_give(l, 0, type, rank, dim, x);
}

static bool lower_eye(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    if (!v || v->rank != 2)
        return lower_error(l, "expected a matrix");
    const int type = (int)onnx_int(n->onnx, "dtype", 0);
    const Elem *diagonal = elem_int(l->elems, onnx_int(n->onnx, "k", 0));
    const Elem *is = ELEM(l->elems, "==", lower_place_elem(l, 1, v->dim[1]),
                          ELEM(l->elems, "+", lower_place_elem(l, 0, v->dim[0]), diagonal));
    return lower_give(l, 0, type ? element_of_onnx(type) : v->type, 2, v->dim,
                      ELEM(l->elems, "?", is, elem_number(l->elems, 1), elem_number(l->elems, 0)));
}

static bool lower_range(Lower *l, const NetNode *n)
{
    const Poly *from, *to, *step;
    double of[3];
    int one;
    (void)n;
    if (!lower_has(l, 3))
        return false;
    if (lower_input(l, 0)->type != ELEMENT_S64 && value_numbers(l, lower_input(l, 0), 1, &of[0], &one) &&
        value_numbers(l, lower_input(l, 1), 1, &of[1], &one) && value_numbers(l, lower_input(l, 2), 1, &of[2], &one) &&
        of[2] != 0) {
        const double many = ceil((of[1] - of[0]) / of[2]);
        const Poly *known = poly_number(l->polys, many > 0 && many < INT32_MAX ? (int64_t)many : 0);
        const Elem *at = ELEM(l->elems, "*", lower_place_elem(l, 0, known), elem_number(l->elems, of[2]));
        return lower_give(l, 0, lower_input(l, 0)->type, 1, &known,
                          ELEM(l->elems, "+", at, elem_number(l->elems, of[0])));
    }
    if (!value_sizes(l, lower_input(l, 0), 1, &from, &one) || !value_sizes(l, lower_input(l, 1), 1, &to, &one) ||
        !value_sizes(l, lower_input(l, 2), 1, &step, &one))
        return lower_error(l, "expected a range of whole numbers that follow from sizes");
    int64_t least, most;
    poly_range(l->polys, step, &least, &most);
    const Poly *zero = poly_number(l->polys, 0), *length = poly_sub(l->polys, to, from);
    const Poly *extent =
        most < 0 ? poly_apply(l->polys, "ceil_div", poly_sub(l->polys, zero, length), poly_sub(l->polys, zero, step))
                 : poly_apply(l->polys, "ceil_div", length, step);
    if (!extent || (least <= 0 && most >= 0))
        return lower_error(l, "how long the range is is not known");
    poly_range(l->polys, extent, &least, &most);
    if (least < 0 && most >= 0)
        extent = poly_apply(l->polys, "max", extent, zero);
    const Elem *place = lower_place_elem(l, 0, extent);
    const Elem *x =
        ELEM(l->elems, "+", ELEM(l->elems, "*", place, elem_size(l->elems, step)), elem_size(l->elems, from));
    int64_t many;
    if (poly_is_number(extent, &many) && many > 0 && many <= LOWER_MAX_LIST) {
        const Elem *list[LOWER_MAX_LIST];
        for (int64_t i = 0; i < many; i++)
            list[i] = elem_size(l->elems, poly_add(l->polys, from, poly_mul(l->polys, step, poly_number(l->polys, i))));
        return lower_give_list(l, 0, lower_input(l, 0)->type, 1, &extent, (int)many, list);
    }
    return lower_give(l, 0, lower_input(l, 0)->type, 1, &extent, x);
}

const LowerRow lower_sizes[] = {
    { "Shape", lower_shape, LOWERS_SIZES, NULL },
    { "Size", lower_size, LOWERS_SIZES, NULL },
    { "ConstantOfShape", lower_constant_of_shape, LOWERS_VIEW, NULL },
    { "EyeLike", lower_eye, LOWERS_SIZES, NULL },
    { "Range", lower_range, 0, NULL },
    { NULL, NULL, 0, NULL },
};
