/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_value: the values of a model's nodes as all that lower nodes see them: places, inputs and outputs of the node
 * at hand as expressions, sizes that are known; and errors, which name that node.
 */
#include "gen/import/lower.h"

#include <stdarg.h>

/* ---- places ---- */

int lower_place(Lower *l, int i, const Poly *extent)
{
    for (int k = 0; k < l->nframe; k++)
        if (l->frame[k].i == i && poly_same(l->frame[k].below, extent))
            return l->frame[k].place;
    l->frame = arena_grow(l->arena, l->frame, (size_t)l->nframe, (size_t)l->nframe + 1, sizeof *l->frame);
    l->frame[l->nframe].i = i;
    l->frame[l->nframe].below = extent;
    l->frame[l->nframe].place = polys_place(l->polys, arena_printf(l->arena, "p%d_%d", i, l->nframe), extent);
    return l->frame[l->nframe++].place;
}

const Elem *lower_place_elem(Lower *l, int i, const Poly *extent)
{
    return poly_is(extent, 1) ? elem_int(l->elems, 0) : elem_place(l->elems, lower_place(l, i, extent));
}

void lower_places(Lower *l, int rank, const Poly *const *dim, int *place)
{
    for (int i = 0; i < rank; i++)
        place[i] = lower_place(l, i, dim[i]);
}

/* ---- errors ---- */

bool lower_error(Lower *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(l->arena, fmt, ap);
    va_end(ap);
    if (l->node)
        return diag_add(l->diag, l->is_partial ? DIAG_WARNING : DIAG_ERROR, (Loc){ .src = l->model->src },
                        "the node %s (%s): %s", onnx_shown(l->arena, l->node->onnx->name), l->node->op, text);
    if (l->giver)
        return diag_error(l->diag, (Loc){ .src = l->model->src }, "the node %s (%s): %s",
                          onnx_shown(l->arena, l->giver->onnx->name), l->giver->op, text);
    return diag_error(l->diag, (Loc){ .src = l->model->src }, "%s", text);
}

bool lower_require(Lower *l, const Poly *x, const Poly *y)
{
    const char *why = l->node ? arena_printf(l->arena, "the node '%s'", l->node->onnx->name) : "the model";
    if (x && y && polys_require(l->polys, x, y, why))
        return true;
    return lower_error(l, "the size %s can never be %s", x ? poly_text(l->arena, l->polys, x) : "?",
                       y ? poly_text(l->arena, l->polys, y) : "?");
}

/* ---- inputs and outputs of a node ---- */

const Value *lower_input(Lower *l, int i)
{
    const NetNode *n = l->node;
    return i < n->ninput && n->input[i] >= 0 ? &l->value[n->input[i]] : NULL;
}

Value *lower_output(Lower *l, int i)
{
    const NetNode *n = l->node;
    return i < n->noutput && n->output[i] >= 0 ? &l->value[n->output[i]] : NULL;
}

ElemType elem_type_of(ElementType type)
{
    return type == ELEMENT_BOOL                                                                        ? ELEM_TRUTH
           : type == ELEMENT_F32 || type == ELEMENT_F64 || type == ELEMENT_F16 || type == ELEMENT_BF16 ? ELEM_REAL
                                                                                                       : ELEM_INT;
}

const Poly *lower_flat_place(Lower *l, int rank, const Poly *const *dim)
{
    const Poly *stride = poly_number(l->polys, 1), *at = poly_number(l->polys, 0);
    for (int i = rank - 1; i >= 0; i--) {
        at = poly_add(l->polys, at, poly_mul(l->polys, stride, elem_as_size(lower_place_elem(l, i, dim[i]))));
        stride = poly_mul(l->polys, stride, dim[i]);
    }
    return at;
}

/* A whole number that differences and sums of a few fit 64 bits of. */
static bool is_plain_whole(const Elem *x, int64_t *value)
{
    return elem_is_whole(x, value) && *value > -(INT64_C(1) << 40) && *value < INT64_C(1) << 40;
}

const Elem *value_elem(Lower *l, const Value *v)
{
    int64_t first, second, next;
    if (v->elem || !v->nlist)
        return v->elem;
    const Poly *at = lower_flat_place(l, v->rank, v->dim);
    bool is_even = v->nlist > 1 && is_plain_whole(v->list[0], &first) && is_plain_whole(v->list[1], &second);
    for (int i = 2; i < v->nlist && is_even; i++)
        is_even = is_plain_whole(v->list[i], &next) && next == first + (second - first) * i;
    if (is_even) /* 0, 1, 2 ... */
        return elem_size(l->elems, poly_add(l->polys, poly_mul(l->polys, at, poly_number(l->polys, second - first)),
                                            poly_number(l->polys, first)));
    const Elem *chosen = v->list[v->nlist - 1];
    for (int i = v->nlist - 2; i >= 0; i--)
        chosen = ELEM(l->elems, "?", ELEM(l->elems, "==", elem_size(l->elems, at), elem_int(l->elems, i)), v->list[i],
                      chosen);
    return chosen;
}

const Elem *lower_broadcast(Lower *l, const Value *v, int rank, const Poly *const *dim)
{
    int place[LOWER_MAX_RANK];
    const Elem *by[LOWER_MAX_RANK];
    if (!v)
        return NULL;
    const int off = rank - v->rank;
    for (int i = 0; i < v->rank; i++)
        if (i + off < 0 || (!poly_is(v->dim[i], 1) && poly_compare(l->polys, v->dim[i], dim[i + off]) == POLY_NEVER))
            return lower_error(l, "an input does not fit the extents of the others"), NULL;
    lower_places(l, v->rank, v->dim, place);
    for (int i = 0; i < v->rank; i++)
        by[i] = poly_is(v->dim[i], 1) ? elem_int(l->elems, 0) : lower_place_elem(l, i + off, dim[i + off]);
    return elem_replace(l->elems, value_elem(l, v), v->rank, place, by);
}

bool value_sizes(Lower *l, const Value *v, int most, const Poly **size, int *n)
{
    (void)l;
    if (!v || !v->nlist || v->nlist > most)
        return false;
    for (int i = 0; i < v->nlist; i++)
        if (!(size[i] = elem_as_size(v->list[i])))
            return false;
    *n = v->nlist;
    return true;
}

bool value_numbers(Lower *l, const Value *v, int most, double *number, int *n)
{
    (void)l;
    if (!v || !v->nlist || v->nlist > most)
        return false;
    for (int i = 0; i < v->nlist; i++)
        if (!elem_is_number(v->list[i], &number[i]))
            return false;
    *n = v->nlist;
    return true;
}

static bool give_sizes(Lower *l, Value *v, const Poly *const *dim)
{
    for (int i = 0; i < v->rank; i++) {
        int64_t least, most;
        if (!(v->dim[i] = dim[i]))
            return lower_error(l, "a size of its result is beyond 2^63");
        poly_range(l->polys, dim[i], &least, &most);
        if (most < 0)
            return lower_error(l, "a size of its result is negative: %s", poly_text(l->arena, l->polys, dim[i]));
    }
    return true;
}

bool lower_give(Lower *l, int output, ElementType type, int rank, const Poly *const *dim, const Elem *elem)
{
    Value *v = lower_output(l, output);
    if (!v)
        return true;
    if (!elem)
        return lower_error(l, "an element of its result has no form that formulas can say");
    *v = (Value){ .type = type, .is_known = true, .rank = rank, .elem = elem_as(l->elems, elem, elem_type_of(type)) };
    return give_sizes(l, v, dim) &&
           (v->elem || lower_error(l, "an element of its result has no form that formulas can say"));
}

bool lower_give_list(Lower *l, int output, ElementType type, int rank, const Poly *const *dim, int n,
                     const Elem *const *list)
{
    Value *v = lower_output(l, output);
    if (!v)
        return true;
    *v = (Value){ .type = type, .is_known = true, .rank = rank, .nlist = n };
    if (!give_sizes(l, v, dim))
        return false;
    v->list = ARENA_ARRAY(l->arena, (size_t)n + 1, const Elem *);
    for (int i = 0; i < n; i++)
        if (!(v->list[i] = elem_as(l->elems, list[i], elem_type_of(type))))
            return lower_error(l, "an element of its result has no form that formulas can say");
    return true;
}
