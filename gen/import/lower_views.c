/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_views: operators of ONNX that only say where elements come from: reshapes, transposes, slices, what is put
 * together or repeated.
 */
#include <string.h>
#include "gen/import/lower.h"

/* ---- what a view is ---- */

static const Poly *number(Lower *l, int64_t x) { return poly_number(l->polys, x); }

/* Does each row of x that has a value for each place have it at a place, and as many as it has? */
static bool has_plain_rows(Lower *l, const Elem *x)
{
    const int place = x->kind == ELEM_ROW && x->at && elem_as_size(x->at) ? poly_is_dim(l->polys, x->at->size) : -1;
    const Poly *below = place < 0 ? NULL : polys_below(l->polys, place);
    bool plain = x->kind != ELEM_ROW || !x->at ||
                 (place >= 0 && (!below || poly_compare(l->polys, below, x->extent) == POLY_EQUAL));
    for (int i = 0; i < x->narg && plain; i++)
        plain = has_plain_rows(l, x->arg[i]);
    return plain;
}

/* Elements of a known list at other places; false: they are not all known. */
static bool list_view(Lower *l, const Value *v, int rank, const Poly *const *dim, const Elem *const *by, int *n,
                      const Elem **list)
{
    int64_t count = 1, extent[LOWER_MAX_RANK], size;
    int place[LOWER_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        if (!poly_is_number(dim[i], &extent[i]) || extent[i] < 0 || extent[i] > LOWER_MAX_LIST ||
            count > LOWER_MAX_LIST)
            return false;
        count *= extent[i];
        place[i] = lower_place(l, i, dim[i]);
    }
    if (!v->nlist || count > LOWER_MAX_LIST || count < 1)
        return false;
    for (*n = 0; *n < count; ++*n) {
        const Elem *at[LOWER_MAX_RANK];
        int64_t from = 0, index;
        for (int i = rank - 1, rest = *n; i >= 0; i--) {
            at[i] = elem_int(l->elems, rest % extent[i]);
            rest /= (int)extent[i];
        }
        for (int i = 0; i < v->rank; i++) {
            if (!elem_is_whole(elem_replace(l->elems, by[i], rank, place, at), &index) ||
                !poly_is_number(v->dim[i], &size))
                return false;
            from = from * size + index;
        }
        if (from < 0 || from >= v->nlist)
            return false;
        list[*n] = v->list[from];
    }
    return true;
}

/* An element of the value at other places. Where one expression cannot say it, the value is stored, or copied where it
 * is only seen in another order, first. NULL: there is none, or after an error. */
static const Elem *element_at(Lower *l, Value *v, const Elem *const *by)
{
    int place[LOWER_MAX_RANK];
    lower_places(l, v->rank, v->dim, place);
    const Elem *own = value_elem(l, v), *x = elem_replace(l->elems, own, v->rank, place, by);
    if (!own || (x && has_plain_rows(l, x)))
        return x;
    for (int i = 0; i < v->rank; i++)
        if (!by[i])
            return NULL;
    if (!store_value(l, v))
        return NULL;
    x = elem_replace(l->elems, v->elem, v->rank, place, by);
    return x || !store_copy(l, v, NULL) ? x : elem_replace(l->elems, v->elem, v->rank, place, by);
}

/* Gives a value whose elements are those of an input at the places `by`, which are of the output. */
bool lower_give_view(Lower *l, int input, int output, int rank, const Poly *const *dim, const Elem *const *by)
{
    Value *v = &l->value[l->node->input[input]];
    const Elem *list[LOWER_MAX_LIST];
    int n;
    if (list_view(l, v, rank, dim, by, &n, list))
        return lower_give_list(l, output, v->type, rank, dim, n, list);
    return lower_give(l, output, v->type, rank, dim, element_at(l, v, by));
}

/* ---- reshapes ---- */

/* Sees elements in other extents: all are counted in one order. Extents that both have at their beginning and end are
 * left alone, so that what lies between is counted for itself. */
static bool reshape(Lower *l, int rank, const Poly *const *dim)
{
    const Value *v = lower_input(l, 0);
    const Elem *by[LOWER_MAX_RANK];
    const Poly *at = number(l, 0), *step = number(l, 1);
    int a = 0, b = 0;
    if (!lower_require(l, poly_product(l->polys, v->rank, v->dim), poly_product(l->polys, rank, dim)))
        return false;
    while (a < v->rank && a < rank && poly_compare(l->polys, v->dim[a], dim[a]) == POLY_EQUAL) {
        by[a] = lower_place_elem(l, a, dim[a]);
        a++;
    }
    while (b < v->rank - a && b < rank - a &&
           poly_compare(l->polys, v->dim[v->rank - 1 - b], dim[rank - 1 - b]) == POLY_EQUAL) {
        by[v->rank - 1 - b] = lower_place_elem(l, rank - 1 - b, dim[rank - 1 - b]);
        b++;
    }
    for (int i = rank - 1 - b; i >= a; i--) {
        at = poly_add(l->polys, at, poly_mul(l->polys, step, elem_as_size(lower_place_elem(l, i, dim[i]))));
        step = poly_mul(l->polys, step, dim[i]);
    }
    for (int i = v->rank - 1 - b; i >= a; i--) {
        by[i] = elem_size(l->elems, i == a ? at : poly_apply(l->polys, "%", at, v->dim[i]));
        at = i == a ? at : poly_apply(l->polys, "/", at, v->dim[i]);
        if (!by[i])
            return lower_error(l, "where its elements come from cannot be said");
    }
    return lower_give_view(l, 0, 0, rank, dim, by);
}

/* The extents that the second input lists; a scalar has none. */
static bool wanted_shape(Lower *l, const Poly **dim, int *rank)
{
    const Value *v = lower_input(l, 1);
    *rank = 0;
    return (v && !v->nlist && v->rank == 1 && poly_is(v->dim[0], 0)) || value_sizes(l, v, LOWER_MAX_RANK, dim, rank) ||
           lower_error(l, "its shape is not made of sizes");
}

static bool lower_reshape(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const Poly *dim[LOWER_MAX_LIST], *given = number(l, 1);
    int rank = 0, open = -1;
    if (!wanted_shape(l, dim, &rank))
        return false;
    const bool keeps_zero = onnx_int(n->onnx, "allowzero", 0);
    for (int i = 0; i < rank; i++) {
        if (poly_is(dim[i], 0) && !keeps_zero) {
            if (i >= v->rank)
                return lower_error(l, "it has no extent %d to keep", i);
            dim[i] = v->dim[i];
        }
        if (poly_is(dim[i], -1))
            open = i;
        else
            given = poly_mul(l->polys, given, dim[i]);
    }
    if (open >= 0)
        dim[open] = poly_apply(l->polys, "/", poly_product(l->polys, v->rank, v->dim), given);
    for (int i = 0; i < rank; i++)
        if (!dim[i])
            return lower_error(l, "its extent %d is not known", i);
    return reshape(l, rank, dim);
}

static bool lower_flatten(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const Poly *dim[2] = { number(l, 1), number(l, 1) };
    int64_t axis = onnx_int(n->onnx, "axis", 1);
    axis += axis < 0 ? v->rank : 0;
    if (axis < 0 || axis > v->rank)
        return lower_error(l, "its axis is none of the %d there are", v->rank);
    for (int i = 0; i < v->rank; i++)
        dim[i >= axis] = poly_mul(l->polys, dim[i >= axis], v->dim[i]);
    return reshape(l, 2, dim);
}

/* Which of `rank` axes the node names, and how many: -1: it names none; more extents where it `adds` them. */
static bool named_axes(Lower *l, int rank, bool adds, unsigned *named, int *naxis)
{
    int64_t axis[LOWER_MAX_LIST];
    *named = 0;
    if (!lower_numbers(l, "axes", 1, axis, naxis))
        return false;
    rank += adds && *naxis > 0 ? *naxis : 0;
    if (rank > LOWER_MAX_RANK)
        return lower_error(l, "more than %d extents", LOWER_MAX_RANK);
    for (int i = 0; i < *naxis; i++) {
        if (!lower_axis(l, &axis[i], rank))
            return false;
        *named |= 1u << axis[i];
    }
    return true;
}

static bool lower_squeeze(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const Poly *dim[LOWER_MAX_RANK];
    int naxis, rank = 0;
    unsigned gone;
    (void)n;
    if (!named_axes(l, v->rank, false, &gone, &naxis))
        return false;
    for (int i = 0; i < v->rank; i++)
        if (naxis < 0 ? !poly_is(v->dim[i], 1) : !(gone >> i & 1))
            dim[rank++] = v->dim[i];
    return reshape(l, rank, dim);
}

static bool lower_unsqueeze(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const Poly *dim[LOWER_MAX_RANK];
    int naxis, from = 0;
    unsigned added;
    (void)n;
    if (!named_axes(l, v->rank, true, &added, &naxis))
        return false;
    const int rank = v->rank + (naxis > 0 ? naxis : 0);
    for (int i = 0; i < rank; i++)
        dim[i] = added >> i & 1 ? number(l, 1) : from < v->rank ? v->dim[from++] : number(l, 1);
    return reshape(l, rank, dim);
}

static bool lower_transpose(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const Poly *dim[LOWER_MAX_RANK];
    const Elem *by[LOWER_MAX_RANK];
    int count = 0;
    const int64_t *given = onnx_ints(n->onnx, "perm", &count);
    unsigned seen = 0;
    for (int i = 0; i < v->rank; i++) {
        const int64_t from = given ? i < count ? given[i] : -1 : v->rank - 1 - i;
        if (from < 0 || from >= v->rank || seen >> from & 1)
            return lower_error(l, "'perm' does not name each of its %d axes once", v->rank);
        seen |= 1u << from;
        dim[i] = v->dim[from];
        by[from] = lower_place_elem(l, i, dim[i]);
    }
    return lower_give_view(l, 0, 0, v->rank, dim, by);
}

/* ---- parts ---- */

/* Where a slice begins or ends along an extent: counted from the end where negative, and cut to the extent. */
static const Poly *slice_end(Lower *l, const Poly *x, const Poly *extent, bool reversed)
{
    int64_t least, most;
    if (!x)
        return NULL;
    poly_range(l->polys, x, &least, &most);
    if (most < 0 && least > -(INT64_C(1) << 40))
        x = poly_add(l->polys, x, extent);
    else if (most < 0)
        x = number(l, reversed ? -1 : 0);
    else if (least < 0) /* of either sign */
        x = poly_add(l->polys, x, poly_mul(l->polys, poly_apply(l->polys, "<", x, number(l, 0)), extent));
    if (least > (INT64_C(1) << 30))
        return reversed ? poly_sub(l->polys, extent, number(l, 1)) : extent;
    x = poly_apply(l->polys, "max", x, number(l, reversed ? -1 : 0));
    return x ? poly_apply(l->polys, "min", x, reversed ? poly_sub(l->polys, extent, number(l, 1)) : extent) : NULL;
}

static bool slice(Lower *l, int naxis, const int64_t *axis, const Poly *const *from, const Poly *const *to,
                  const int64_t *step)
{
    const Value *v = lower_input(l, 0);
    const Poly *dim[LOWER_MAX_RANK];
    const Elem *by[LOWER_MAX_RANK];
    for (int i = 0; i < v->rank; i++)
        dim[i] = v->dim[i];
    for (int i = 0; i < v->rank; i++)
        by[i] = lower_place_elem(l, i, dim[i]);
    for (int k = 0; k < naxis; k++) {
        int64_t i = axis[k];
        if (!lower_axis(l, &i, v->rank))
            return false;
        if (!step[k])
            return lower_error(l, "a step of 0");
        const bool back = step[k] < 0;
        const Poly *begin = slice_end(l, from[k], v->dim[i], back), *end = slice_end(l, to[k], v->dim[i], back);
        const Poly *length =
            begin && end ? back ? poly_sub(l->polys, begin, end) : poly_sub(l->polys, end, begin) : NULL;
        length = length ? poly_apply(l->polys, "max",
                                     poly_apply(l->polys, "ceil_div", length, number(l, back ? -step[k] : step[k])),
                                     number(l, 0))
                        : NULL;
        if (!length)
            return lower_error(l, "where the slice begins or ends is not known");
        dim[i] = length;
        const Poly *place = elem_as_size(lower_place_elem(l, (int)i, length));
        by[i] = elem_size(l->elems, poly_add(l->polys, begin, poly_mul(l->polys, place, number(l, step[k]))));
    }
    return lower_give_view(l, 0, 0, v->rank, dim, by);
}

static bool lower_slice(Lower *l, const NetNode *n)
{
    const Poly *from[LOWER_MAX_LIST], *to[LOWER_MAX_LIST];
    int64_t axis[LOWER_MAX_LIST], step[LOWER_MAX_LIST];
    int count, nto, naxis, nstep;
    (void)n;
    if (!value_sizes(l, lower_input(l, 1), LOWER_MAX_RANK, from, &count) ||
        !value_sizes(l, lower_input(l, 2), LOWER_MAX_RANK, to, &nto) || nto != count)
        return lower_error(l, "where the slice begins or ends is not made of sizes");
    if (!lower_numbers(l, "axes", 3, axis, &naxis) || !lower_numbers(l, "steps", 4, step, &nstep))
        return false;
    for (int i = 0; i < count; i++) {
        axis[i] = naxis < 0 ? i : axis[i];
        step[i] = nstep < 0 ? 1 : step[i];
    }
    if ((naxis >= 0 && naxis != count) || (nstep >= 0 && nstep != count))
        return lower_error(l, "its starts, ends, axes and steps are not equally many");
    return slice(l, count, axis, from, to, step);
}

static bool lower_split(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const Poly *size[LOWER_MAX_LIST], *begin = number(l, 0);
    const Elem *by[LOWER_MAX_RANK];
    int64_t axis = onnx_int(n->onnx, "axis", 0), given[LOWER_MAX_LIST];
    int nsize = 0, count;
    if (!lower_axis(l, &axis, v->rank))
        return false;
    const bool sized = lower_input(l, 1) && value_sizes(l, lower_input(l, 1), LOWER_MAX_LIST, size, &nsize);
    if (!sized && !lower_numbers(l, "split", 1, given, &count))
        return false;
    for (int i = 0; !sized && i < count && count > 0; i++)
        size[nsize++] = number(l, given[i]);
    const Poly *each = poly_apply(l->polys, "ceil_div", v->dim[axis], number(l, n->noutput));
    for (int i = 0; !nsize && i < n->noutput; i++)
        size[i] = i + 1 < n->noutput ? each : poly_sub(l->polys, v->dim[axis], poly_mul(l->polys, each, number(l, i)));
    if (nsize && nsize != n->noutput)
        return lower_error(l, "it has %d outputs and %d sizes", n->noutput, nsize);
    for (int k = 0; k < n->noutput; k++) {
        const Poly *dim[LOWER_MAX_RANK];
        for (int i = 0; i < v->rank; i++) {
            dim[i] = i == axis ? size[k] : v->dim[i];
            by[i] = lower_place_elem(l, i, dim[i]);
        }
        by[axis] = elem_size(l->elems, poly_add(l->polys, begin, elem_as_size(by[axis])));
        begin = poly_add(l->polys, begin, size[k]);
        if (!lower_give_view(l, 0, k, v->rank, dim, by))
            return false;
    }
    return lower_require(l, begin, v->dim[axis]);
}

/* ---- what is put together ---- */

static bool concat_lists(Lower *l, const NetNode *n)
{
    const Elem *list[LOWER_MAX_LIST];
    int count = 0;
    for (int i = 0; i < n->ninput; i++) {
        const Value *v = lower_input(l, i);
        if (!v || v->rank != 1 || (!v->nlist && !poly_is(v->dim[0], 0)) || count + v->nlist > LOWER_MAX_LIST)
            return false;
        for (int k = 0; k < v->nlist; k++)
            list[count++] = v->list[k];
    }
    const Poly *dim = number(l, count);
    return lower_give_list(l, 0, lower_input(l, 0)->type, 1, &dim, count, list);
}

static bool lower_concat(Lower *l, const NetNode *n)
{
    const Value *first = lower_input(l, 0);
    int64_t axis = onnx_int(n->onnx, "axis", 0);
    const Poly *dim[LOWER_MAX_RANK], *from[LOWER_MAX_LIST];
    if (n->ninput > LOWER_MAX_LIST)
        return lower_error(l, "it has %d inputs; at most %d are supported", n->ninput, LOWER_MAX_LIST);
    if (!lower_has(l, n->ninput) || !lower_axis(l, &axis, first->rank))
        return false;
    if (concat_lists(l, n))
        return true;
    for (int i = 0; i < first->rank; i++)
        dim[i] = i == axis ? number(l, 0) : first->dim[i];
    for (int k = 0; k < n->ninput; k++) {
        const Value *v = lower_input(l, k);
        if (v->rank != first->rank)
            return lower_error(l, "its inputs have different numbers of axes");
        for (int i = 0; i < v->rank; i++)
            if (i != axis && !lower_require(l, v->dim[i], dim[i]))
                return false;
        from[k] = dim[axis];
        dim[axis] = poly_add(l->polys, dim[axis], v->dim[axis]);
    }
    const Elem *all = NULL, *place = lower_place_elem(l, (int)axis, dim[axis]);
    for (int k = n->ninput - 1; k >= 0; k--) {
        Value *v = &l->value[n->input[k]];
        const Elem *by[LOWER_MAX_RANK];
        if (poly_is(v->dim[axis], 0))
            continue;
        for (int i = 0; i < v->rank; i++)
            by[i] = lower_place_elem(l, i, dim[i]);
        by[axis] = ELEM(l->elems, "-", place, elem_size(l->elems, from[k]));
        const Elem *x = element_at(l, v, by);
        all = all ? ELEM(l->elems, "?",
                         ELEM(l->elems, "<", place, elem_size(l->elems, poly_add(l->polys, from[k], v->dim[axis]))), x,
                         all)
                  : x;
    }
    if (!all)
        return lower_error(l, "it has no elements");
    return lower_give(l, 0, first->type, first->rank, dim, all);
}

static bool lower_expand(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const Poly *to[LOWER_MAX_LIST], *dim[LOWER_MAX_RANK];
    int rank = 0;
    (void)n;
    if (!wanted_shape(l, to, &rank))
        return false;
    const int most = rank > v->rank ? rank : v->rank;
    for (int i = 0; i < most; i++) {
        const int a = i - (most - v->rank), b = i - (most - rank);
        dim[i] = b < 0 || (a >= 0 && poly_is(to[b], 1)) ? v->dim[a] : to[b];
        if (a >= 0 && !poly_is(v->dim[a], 1) && !lower_require(l, v->dim[a], dim[i]))
            return false;
    }
    const Elem *by[LOWER_MAX_RANK];
    for (int a = 0; a < v->rank; a++)
        by[a] = poly_is(v->dim[a], 1) ? elem_int(l->elems, 0)
                                      : lower_place_elem(l, a + most - v->rank, dim[a + most - v->rank]);
    return lower_give_view(l, 0, 0, most, dim, by);
}

static bool lower_tile(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0);
    const Poly *times[LOWER_MAX_LIST], *dim[LOWER_MAX_RANK];
    const Elem *by[LOWER_MAX_RANK];
    int count = 0;
    (void)n;
    if (!lower_input(l, 1) || !value_sizes(l, lower_input(l, 1), LOWER_MAX_RANK, times, &count) || count != v->rank)
        return lower_error(l, "how often it is repeated is not made of sizes");
    for (int i = 0; i < v->rank; i++) {
        dim[i] = poly_mul(l->polys, v->dim[i], times[i]);
        const Elem *place = lower_place_elem(l, i, dim[i]);
        by[i] = poly_is(times[i], 1) ? place : ELEM(l->elems, "%", place, elem_size(l->elems, v->dim[i]));
    }
    return lower_give_view(l, 0, 0, v->rank, dim, by);
}

const LowerRow lower_views[] = {
    { "Reshape", lower_reshape, LOWERS_VIEW, NULL },
    { "Flatten", lower_flatten, LOWERS_VIEW, NULL },
    { "Squeeze", lower_squeeze, LOWERS_VIEW, NULL },
    { "Unsqueeze", lower_unsqueeze, LOWERS_VIEW, NULL },
    { "Transpose", lower_transpose, LOWERS_VIEW, NULL },
    { "Slice", lower_slice, LOWERS_ROWS, NULL },
    { "Split", lower_split, LOWERS_ROWS, NULL },
    { "Concat", lower_concat, LOWERS_ROWS, NULL },
    { "Expand", lower_expand, LOWERS_ROWS, NULL },
    { "Tile", lower_tile, LOWERS_ROWS, NULL },
    { NULL, NULL, 0, NULL },
};
