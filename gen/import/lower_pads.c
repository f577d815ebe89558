/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_pads: operators of ONNX in which the place of an element says whether, or which one of the input, it is:
 * padding, triangles of matrices, sums up to a place, pixels that become channels and back.
 */
#include <string.h>
#include "gen/import/lower.h"

static const Poly *number(Lower *l, int64_t x) { return poly_number(l->polys, x); }

/* A value, or `otherwise` where a condition does not hold. */
static bool give_where(Lower *l, int rank, const Poly *const *dim, const Elem *is, const Elem *const *by,
                       const Elem *otherwise)
{
    Value *v = &l->value[l->node->input[0]];
    int place[LOWER_MAX_RANK];
    if (value_elem(l, v)->is_heavy && !store_value(l, v))
        return false;
    lower_places(l, v->rank, v->dim, place);
    const Elem *x = elem_replace(l->elems, value_elem(l, v), v->rank, place, by);
    return lower_give(l, 0, v->type, rank, dim, ELEM(l->elems, "?", is, x, otherwise));
}

/* Which element stands at a place that may lie outside, at most an extent away. */
static const Elem *padded(Lower *l, const char *mode, const Elem *at, const Poly *extent)
{
    const Elem *zero = elem_int(l->elems, 0),
               *last = ELEM(l->elems, "-", elem_size(l->elems, extent), elem_int(l->elems, 1));
    if (strcmp(mode, "edge") == 0)
        return ELEM(l->elems, "min", ELEM(l->elems, "max", at, zero), last);
    if (strcmp(mode, "wrap") == 0)
        return ELEM(l->elems, "%", ELEM(l->elems, "+", at, elem_size(l->elems, extent)), elem_size(l->elems, extent));
    if (strcmp(mode, "reflect") != 0)
        return lower_error(l, "padding by '%s' is not supported", mode), NULL;
    at = ELEM(l->elems, "max", at, ELEM(l->elems, "-", zero, at));
    return ELEM(l->elems, "min", at, ELEM(l->elems, "-", ELEM(l->elems, "+", last, last), at));
}

static bool lower_pad(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const Poly *dim[LOWER_MAX_RANK], *pad[LOWER_MAX_LIST];
    const Elem *by[LOWER_MAX_RANK], *inside = elem_truth(l->elems, true);
    int64_t axis[LOWER_MAX_LIST];
    int npad, naxis;
    const char *mode = onnx_string(n->onnx, "mode", "constant");
    const bool is_constant = strcmp(mode, "constant") == 0;
    if (!lower_input(l, 1) || !value_sizes(l, lower_input(l, 1), LOWER_MAX_LIST, pad, &npad) ||
        !lower_numbers(l, "axes", 3, axis, &naxis))
        return lower_error(l, "how much it pads is not made of sizes");
    for (int i = 0; i < v->rank; i++)
        dim[i] = v->dim[i];
    const int count = naxis < 0 ? v->rank : naxis;
    if (npad != 2 * count)
        return lower_error(l, "expected two numbers an axis");
    const Poly *before[LOWER_MAX_RANK] = { NULL };
    for (int k = 0; k < count; k++) {
        int64_t i = naxis < 0 ? k : axis[k];
        if (!lower_axis(l, &i, v->rank))
            return false;
        before[i] = pad[k];
        dim[i] = poly_add(l->polys, dim[i], poly_add(l->polys, pad[k], pad[k + count]));
    }
    for (int i = 0; i < v->rank; i++) {
        by[i] = lower_place_elem(l, i, dim[i]);
        if (!before[i])
            continue;
        by[i] = ELEM(l->elems, "-", by[i], elem_size(l->elems, before[i]));
        if (!is_constant) {
            if (!(by[i] = padded(l, mode, by[i], v->dim[i])))
                return false;
            continue;
        }
        inside = ELEM(l->elems, "&&", inside, ELEM(l->elems, ">=", by[i], elem_int(l->elems, 0)));
        inside = ELEM(l->elems, "&&", inside, ELEM(l->elems, "<", by[i], elem_size(l->elems, v->dim[i])));
    }
    if (!is_constant)
        return lower_give_view(l, 0, 0, v->rank, dim, by);
    const Value *given = lower_input(l, 2);
    const Elem *fill = given ? lower_broadcast(l, given, v->rank, dim)
                             : elem_as(l->elems, elem_number(l->elems, 0), elem_type_of(v->type));
    return give_where(l, v->rank, dim, inside, by, fill);
}

/* Cuts what is too large around its middle, and puts zeros around what is too small. */
static bool lower_center(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const Poly *dim[LOWER_MAX_RANK], *size[LOWER_MAX_LIST];
    const Elem *by[LOWER_MAX_RANK], *inside = elem_truth(l->elems, true);
    int nsize, naxis = 0;
    const int64_t *given = onnx_ints(n->onnx, "axes", &naxis);
    if (!lower_has(l, 2) || !value_sizes(l, lower_input(l, 1), LOWER_MAX_RANK, size, &nsize) ||
        nsize != (naxis ? naxis : v->rank))
        return lower_error(l, "the size that it makes is not made of sizes");
    memcpy(dim, v->dim, sizeof dim);
    for (int k = 0; k < nsize; k++) {
        int64_t axis = naxis ? given[k] : k;
        if (!lower_axis(l, &axis, v->rank))
            return false;
        dim[axis] = size[k];
    }
    for (int i = 0; i < v->rank; i++) {
        const Poly *zero = number(l, 0), *more = poly_sub(l->polys, dim[i], v->dim[i]);
        const Poly *before = poly_apply(l->polys, "/", poly_apply(l->polys, "max", more, zero), number(l, 2));
        const Poly *cut =
            poly_apply(l->polys, "/", poly_apply(l->polys, "max", poly_sub(l->polys, zero, more), zero), number(l, 2));
        const Poly *at =
            poly_add(l->polys, elem_as_size(lower_place_elem(l, i, dim[i])), poly_sub(l->polys, cut, before));
        by[i] = elem_size(l->elems, at);
        if (!at || poly_is_within(l->polys, at, v->dim[i]))
            continue;
        inside = ELEM(l->elems, "&&", inside, ELEM(l->elems, ">=", by[i], elem_int(l->elems, 0)));
        inside = ELEM(l->elems, "&&", inside, ELEM(l->elems, "<", by[i], elem_size(l->elems, v->dim[i])));
    }
    return give_where(l, v->rank, dim, inside, by, elem_as(l->elems, elem_number(l->elems, 0), elem_type_of(v->type)));
}

static bool lower_trilu(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const Poly *off = number(l, 0);
    const Elem *by[LOWER_MAX_RANK];
    int one;
    if (v->rank < 2 || (lower_input(l, 1) && !value_sizes(l, lower_input(l, 1), 1, &off, &one)))
        return lower_error(l, "which diagonal it keeps is not made of sizes");
    for (int i = 0; i < v->rank; i++)
        by[i] = lower_place_elem(l, i, v->dim[i]);
    const Elem *d = ELEM(l->elems, "-", by[v->rank - 1], by[v->rank - 2]);
    const Elem *is = ELEM(l->elems, onnx_int(n->onnx, "upper", 1) ? ">=" : "<=", d, elem_size(l->elems, off));
    return give_where(l, v->rank, v->dim, is, by, elem_as(l->elems, elem_number(l->elems, 0), elem_type_of(v->type)));
}

/* Sums of all elements up to each place: of rows that end there. */
static bool lower_cum_sum(Lower *l, const NetNode *n)
{
    enum { SUM_PLACE = 129 };
    const Value *v = lower_input(l, 0);
    double given = 0;
    int one;
    if (!v || !value_numbers(l, lower_input(l, 1), 1, &given, &one))
        return lower_error(l, "its axis is not known");
    int64_t axis = elem_cut(given);
    if (!lower_axis(l, &axis, v->rank))
        return false;
    const int along = lower_place(l, SUM_PLACE, v->dim[axis]), place = lower_place(l, (int)axis, v->dim[axis]);
    const Elem *here = elem_place(l->elems, along), *end = lower_place_elem(l, (int)axis, v->dim[axis]);
    const bool exclusive = onnx_int(n->onnx, "exclusive", 0), reverse = onnx_int(n->onnx, "reverse", 0);
    const Elem *x = elem_replace(l->elems, value_elem(l, v), 1, &place, &here);
    const Elem *is = ELEM(l->elems, reverse ? (exclusive ? ">" : ">=") : exclusive ? "<" : "<=", here, end);
    x = ELEM(l->elems, "?", is, elem_as(l->elems, x, ELEM_REAL), elem_number(l->elems, 0));
    return lower_give(l, 0, v->type, v->rank, v->dim, elem_row(l->elems, "sum", along, v->dim[axis], NULL, x, NULL));
}

static bool lower_depth_to_space(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const int64_t block = onnx_int(n->onnx, "blocksize", 1);
    const bool is_back = strcmp(n->op, "SpaceToDepth") == 0;
    const bool is_crd = strcmp(onnx_string(n->onnx, "mode", "DCR"), "CRD") == 0;
    if (v->rank != 4 || block < 1 || block > 1 << 20)
        return lower_error(l, "expected images");
    const Poly *b = number(l, block), *bb = number(l, block * block);
    const Poly *c = is_back ? poly_mul(l->polys, v->dim[1], bb) : poly_apply(l->polys, "/", v->dim[1], bb);
    const Poly *dim[4] = { v->dim[0], c };
    for (int i = 2; i < 4; i++)
        dim[i] = is_back ? poly_apply(l->polys, "/", v->dim[i], b) : poly_mul(l->polys, v->dim[i], b);
    const Poly *p[4];
    const Elem *by[4];
    for (int i = 0; i < 4; i++)
        p[i] = elem_as_size(lower_place_elem(l, i, dim[i]));
    by[0] = elem_size(l->elems, p[0]);
    if (is_back) { /* channel (y*block + x)*C + c */
        const Poly *which = poly_apply(l->polys, "/", p[1], v->dim[1]);
        by[1] = elem_size(l->elems, poly_apply(l->polys, "%", p[1], v->dim[1]));
        by[2] =
            elem_size(l->elems, poly_add(l->polys, poly_mul(l->polys, p[2], b), poly_apply(l->polys, "/", which, b)));
        by[3] =
            elem_size(l->elems, poly_add(l->polys, poly_mul(l->polys, p[3], b), poly_apply(l->polys, "%", which, b)));
    } else {
        const Poly *which = poly_add(l->polys, poly_mul(l->polys, poly_apply(l->polys, "%", p[2], b), b),
                                     poly_apply(l->polys, "%", p[3], b));
        by[1] = elem_size(l->elems, is_crd ? poly_add(l->polys, poly_mul(l->polys, p[1], bb), which)
                                           : poly_add(l->polys, poly_mul(l->polys, which, c), p[1]));
        by[2] = elem_size(l->elems, poly_apply(l->polys, "/", p[2], b));
        by[3] = elem_size(l->elems, poly_apply(l->polys, "/", p[3], b));
    }
    return lower_give_view(l, 0, 0, 4, dim, by);
}

const LowerRow lower_pads[] = {
    { "Pad", lower_pad, LOWERS_ROWS, NULL },
    { "CenterCropPad", lower_center, LOWERS_ROWS, NULL },
    { "Trilu", lower_trilu, LOWERS_ROWS, NULL },
    { "CumSum", lower_cum_sum, LOWERS_ROWS, NULL },
    { "DepthToSpace", lower_depth_to_space, LOWERS_ROWS, NULL },
    { "SpaceToDepth", lower_depth_to_space, LOWERS_ROWS, NULL },
    { NULL, NULL, 0, NULL },
};
