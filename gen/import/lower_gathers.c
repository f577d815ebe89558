/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_gathers: operators of ONNX whose elements come from where indices say.
 */
#include <string.h>
#include "gen/import/lower.h"

/* ---- places that count from the end ---- */

static bool has_no_negative(const Memory *m)
{
    int64_t count = 1, extent;
    for (int i = 0; i < m->rank; i++) {
        if (!poly_is_number(m->extent[i], &extent))
            return false;
        count *= extent;
    }
    for (int64_t i = 0; i < count; i++)
        if (storage_load(m->stored, m->data, i) < 0)
            return false;
    return true;
}

/* Is it never negative, whatever is read? */
static bool is_from_zero(const Lower *l, const Elem *x)
{
    int64_t least, most;
    int n = 0;
    switch (x->kind) {
    case ELEM_NUMBER:
        return x->number >= 0;
    case ELEM_SIZE:
        poly_range(l->polys, x->size, &least, &most);
        return least >= 0;
    case ELEM_LOAD:
        return l->memory[x->memory].kind == MEMORY_CONSTANT && has_no_negative(&l->memory[x->memory]);
    case ELEM_ROW:
        return strcmp(x->op, "argmax") == 0;
    case ELEM_APPLY:
        break;
    }
    const bool choice = strcmp(x->op, "?") == 0;
    for (int i = choice; i < x->narg; i++)
        n += is_from_zero(l, x->arg[i]);
    if (strcmp(x->op, "max") == 0)
        return n > 0;
    return n == x->narg - choice && strcmp(x->op, "-") != 0 && strcmp(x->op, "neg") != 0;
}

/* An index of an extent, from 0 on: what is negative counts from the end. */
static const Elem *from_zero(Lower *l, const Elem *at, const Poly *extent)
{
    int64_t least, most = 0;
    if (!at || at->type != ELEM_INT || elem_wrapped(l->elems, at, extent) || is_from_zero(l, at))
        return at;
    if (elem_as_size(at))
        poly_range(l->polys, elem_as_size(at), &least, &most);
    return most < 0 ? ELEM(l->elems, "+", at, elem_size(l->elems, extent)) : elem_wrap(l->elems, at, extent);
}

/* ---- gathers ---- */

/* Indices, which are computed once where that is much work. False after an error. */
static bool settle_indices(Lower *l, Value *v)
{
    const Elem *x = value_elem(l, v);
    return !x || !x->is_heavy || x->type != ELEM_INT || store_value(l, v);
}

/* The indices of the second input; NULL after an error. */
static const Value *indices(Lower *l)
{
    if (l->node->ninput < 2 || l->node->input[1] < 0)
        return lower_error(l, "expected two inputs"), NULL;
    Value *v = &l->value[l->node->input[1]];
    return settle_indices(l, v) ? v : NULL;
}

/* Elements along an axis by the indices of the second input. */
static bool lower_gather(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0), *at = indices(l);
    const Poly *dim[LOWER_MAX_RANK];
    const Elem *by[LOWER_MAX_RANK];
    int place[LOWER_MAX_RANK], rank = 0;
    int64_t axis = onnx_int(n->onnx, "axis", 0);
    if (!at || !lower_axis(l, &axis, v->rank))
        return false;
    if (v->rank + at->rank - 1 > LOWER_MAX_RANK)
        return lower_error(l, "more than %d extents", LOWER_MAX_RANK);
    for (int i = 0; i < v->rank; i++) {
        if (i != axis) {
            dim[rank] = v->dim[i];
            by[i] = lower_place_elem(l, rank, dim[rank]);
            rank++;
            continue;
        }
        lower_places(l, at->rank, at->dim, place);
        const Elem *index[LOWER_MAX_RANK];
        for (int k = 0; k < at->rank; k++, rank++) {
            dim[rank] = at->dim[k];
            index[k] = lower_place_elem(l, rank, dim[rank]);
        }
        by[i] = from_zero(l, elem_replace(l->elems, value_elem(l, at), at->rank, place, index), v->dim[i]);
    }
    /* one element of a list that is known */
    const Elem *list[LOWER_MAX_LIST];
    int64_t index;
    bool listed = v->nlist && v->rank == 1 && at->nlist && at->nlist <= LOWER_MAX_LIST;
    for (int i = 0; i < at->nlist && listed; i++) {
        listed = elem_is_whole(at->list[i], &index);
        index += listed && index < 0 ? v->nlist : 0;
        listed = listed && index >= 0 && index < v->nlist;
        list[i] = listed ? v->list[index] : NULL;
    }
    if (listed)
        return lower_give_list(l, 0, v->type, rank, dim, at->nlist, list);
    return lower_give_view(l, 0, 0, rank, dim, by);
}

static bool lower_gather_elements(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0), *at = indices(l);
    const Elem *by[LOWER_MAX_RANK];
    int64_t axis = onnx_int(n->onnx, "axis", 0);
    if (!at || !lower_axis(l, &axis, v->rank))
        return false;
    if (at->rank != v->rank)
        return lower_error(l, "expected two inputs of equally many axes");
    for (int i = 0; i < v->rank; i++)
        by[i] = i == axis ? from_zero(l, value_elem(l, at), v->dim[i]) : lower_place_elem(l, i, at->dim[i]);
    return lower_give_view(l, 0, 0, at->rank, at->dim, by);
}

/* Elements by tuples of indices, which lie along the last axis of the second input. */
static bool lower_gather_nd(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0), *at = lower_input(l, 1);
    const Poly *dim[LOWER_MAX_RANK];
    const Elem *by[LOWER_MAX_RANK];
    const int batch = (int)onnx_int(n->onnx, "batch_dims", 0);
    int64_t many;
    int rank = 0;
    if (!lower_has(l, 2))
        return false;
    if (at->rank < 1 || !poly_is_number(at->dim[at->rank - 1], &many) || batch < 0 || batch >= at->rank || many < 1 ||
        batch + many > v->rank || at->rank - 1 + v->rank - batch - many > LOWER_MAX_RANK)
        return lower_error(l, "how many indices make an element is not known");
    for (; rank < at->rank - 1; rank++)
        dim[rank] = at->dim[rank];
    for (int i = 0; i < v->rank; i++) {
        if (i < batch) {
            by[i] = lower_place_elem(l, i, dim[i]);
        } else if (i < batch + many) {
            const int last = lower_place(l, at->rank - 1, at->dim[at->rank - 1]);
            const Elem *which = elem_int(l->elems, i - batch);
            Value column = { .type = at->type, .is_known = true, .rank = at->rank - 1 };
            memcpy(column.dim, at->dim, sizeof column.dim);
            column.elem = elem_replace(l->elems, value_elem(l, at), 1, &last, &which);
            if (!settle_indices(l, &column))
                return false;
            by[i] = from_zero(l, column.elem, v->dim[i]);
        } else {
            dim[rank] = v->dim[i];
            by[i] = lower_place_elem(l, rank, dim[rank]);
            rank++;
        }
    }
    return lower_give_view(l, 0, 0, rank, dim, by);
}

/* The first elements along an axis, so many as the second input says, in reverse order. */
static bool lower_reverse_sequence(Lower *l, const NetNode *n)
{
    if (!lower_has(l, 2))
        return false;
    const Value *v = lower_input(l, 0), *length = lower_input(l, 1);
    int64_t batch = onnx_int(n->onnx, "batch_axis", 1), time = onnx_int(n->onnx, "time_axis", 0);
    const Elem *by[LOWER_MAX_RANK];
    if (!lower_axis(l, &batch, v->rank) || !lower_axis(l, &time, v->rank) || length->rank != 1 || batch == time ||
        !lower_require(l, length->dim[0], v->dim[batch]))
        return lower_error(l, "expected a length for each sequence");
    for (int i = 0; i < v->rank; i++)
        by[i] = lower_place_elem(l, i, v->dim[i]);
    const int place = lower_place(l, 0, length->dim[0]);
    const Elem *most = elem_replace(l->elems, value_elem(l, length), 1, &place, &by[batch]), *here = by[time];
    const Elem *last = ELEM(l->elems, "-", most, elem_int(l->elems, 1));
    by[time] = ELEM(l->elems, "?", ELEM(l->elems, "<", here, most), ELEM(l->elems, "-", last, here), here);
    return lower_give_view(l, 0, 0, v->rank, v->dim, by);
}

const LowerRow lower_gathers[] = {
    { "ReverseSequence", lower_reverse_sequence, LOWERS_ROWS, NULL },
    { "Gather", lower_gather, LOWERS_ROWS, NULL },
    { "GatherElements", lower_gather_elements, LOWERS_ROWS, NULL },
    { "GatherND", lower_gather_nd, LOWERS_ROWS, NULL },
    { NULL, NULL, 0, NULL },
};
