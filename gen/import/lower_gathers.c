/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_gathers: operators of ONNX whose elements come from where indices say.
 */
#include "gen/import/lower.h"

/* Elements along an axis by the indices of the second input: all that are not known are taken to be in range. */
static bool lower_gather(Lower *l, const NetNode *n)
{
    const Value *v = lower_input(l, 0), *at = lower_input(l, 1);
    const Poly *dim[LOWER_MAX_RANK];
    const Elem *by[LOWER_MAX_RANK];
    int place[LOWER_MAX_RANK], rank = 0;
    int64_t axis = onnx_int(n->onnx, "axis", 0);
    if (!v || !at || !lower_axis(l, &axis, v->rank))
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
        by[i] = elem_replace(l->elems, value_elem(l, at), at->rank, place, index);
        int64_t number_;
        if (elem_is_whole(by[i], &number_) && number_ < 0)
            by[i] = ELEM(l->elems, "+", by[i], elem_size(l->elems, v->dim[i]));
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
    const Value *v = lower_input(l, 0), *at = lower_input(l, 1);
    const Elem *by[LOWER_MAX_RANK];
    int64_t axis = onnx_int(n->onnx, "axis", 0);
    if (!v || !at || !lower_axis(l, &axis, v->rank) || at->rank != v->rank)
        return lower_error(l, "expected two inputs of equally many axes");
    for (int i = 0; i < v->rank; i++)
        by[i] = i == axis ? value_elem(l, at) : lower_place_elem(l, i, at->dim[i]);
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
    if (!v || !at || at->rank < 1 || !poly_is_number(at->dim[at->rank - 1], &many) || batch < 0 ||
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
            by[i] = elem_replace(l->elems, value_elem(l, at), 1, &last, &which);
        } else {
            dim[rank] = v->dim[i];
            by[i] = lower_place_elem(l, rank, dim[rank]);
            rank++;
        }
    }
    return lower_give_view(l, 0, 0, rank, dim, by);
}

const LowerRow lower_gathers[] = {
    { "Gather", lower_gather, LOWERS_ROWS, NULL },
    { "GatherElements", lower_gather_elements, LOWERS_ROWS, NULL },
    { "GatherND", lower_gather_nd, LOWERS_ROWS, NULL },
    { NULL, NULL, 0, NULL },
};
