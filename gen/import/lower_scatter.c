/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_scatter: updates of elements at constant places. A constant says of each element of the result which update it
 * takes, if any: scattering is a choice between what was there and what a gather gives. Where several updates are of
 * one element, there is a table for the first of each, one for the second, and so on.
 */
#include <string.h>
#include "gen/import/lower.h"

enum { MOST_TABLE = 1 << 24, MOST_LEVEL = 16 };

typedef struct {
    int rank; /* of places that updates are found by */
    int64_t extent[LOWER_MAX_RANK];
    int64_t elems;
    int nlevel;
    int32_t *update[MOST_LEVEL]; /* of each place the number of its update; -1: there is none */
} Scatter;

/* The indices are gone through in order, each with its place among them. */
typedef struct {
    const Elem *elem;
    int rank;
    int64_t extent[LOWER_MAX_RANK], count;
    int place[LOWER_MAX_RANK];
    int64_t *dims;
} Indices;

static bool read_indices(Lower *l, const Value *v, Indices *x)
{
    *x = (Indices){ .elem = value_elem(l, v), .rank = v->rank, .count = 1 };
    if (!x->elem || !store_is_constant(l, x->elem))
        return lower_error(l,
                           "indices that are no constants are not supported; use Concat or Where, if it is known where "
                           "the parts lie");
    for (int i = 0; i < v->rank; i++) {
        if (!poly_is_number(v->dim[i], &x->extent[i]) || x->extent[i] > MOST_TABLE / (x->count ? x->count : 1))
            return lower_error(l, "so many indices are not supported");
        x->count *= x->extent[i];
    }
    lower_places(l, v->rank, v->dim, x->place);
    x->dims = ARENA_ARRAY(l->arena, (size_t)polys_ndim(l->polys) + 1, int64_t);
    return true;
}

/* Index i, from 0 on, of an extent. */
static bool index_at(Lower *l, const Indices *x, int64_t i, int64_t extent, int64_t *index)
{
    double value;
    for (int k = x->rank - 1; k >= 0; i /= x->extent[k--])
        x->dims[x->place[k]] = i % x->extent[k];
    if (!store_constant_at(l, x->elem, x->dims, &value))
        return lower_error(l, "its indices are not known");
    *index = elem_cut(value);
    *index += *index < 0 ? extent : 0;
    return (*index >= 0 && *index < extent) || lower_error(l, "an index is none of the %d there are", (int)extent);
}

static bool make_tables(Lower *l, Scatter *s, const Value *v, int rank)
{
    *s = (Scatter){ .rank = rank, .elems = 1 };
    for (int i = 0; i < rank; i++) {
        if (!poly_is_number(v->dim[i], &s->extent[i]) || s->extent[i] > MOST_TABLE / (s->elems ? s->elems : 1))
            return lower_error(l, "what it writes to has no fixed size, or one that is too large");
        s->elems *= s->extent[i];
    }
    return true;
}

/* Notes that update i is of an element. The last one stays, unless all are put together. */
static bool note_update(Lower *l, Scatter *s, int64_t elem, int64_t i, bool keeps_all)
{
    int level = 0;
    while (keeps_all && level < s->nlevel && s->update[level][elem] >= 0)
        level++;
    if (level == MOST_LEVEL || s->elems > MOST_TABLE / (level + 1))
        return lower_error(l, "so many updates of one element, %d, are not supported", level + 1);
    if (level == s->nlevel) {
        s->update[level] = ARENA_ARRAY(l->arena, (size_t)s->elems + 1, int32_t);
        memset(s->update[s->nlevel++], 0xff, (size_t)s->elems * sizeof(int32_t));
    }
    s->update[level][elem] = (int32_t)i;
    return true;
}

/* What stands there before an update, and the update. */
static const Elem *put_together(Lower *l, const char *how, const Elem *before, const Elem *update)
{
    static const char *const op[][2] = { { "add", "+" }, { "mul", "*" }, { "max", "max" }, { "min", "min" } };
    for (size_t i = 0; i < LENGTH(op); i++)
        if (strcmp(op[i][0], how) == 0)
            return ELEM(l->elems, op[i][1], before, update);
    return update;
}

/* Gives the first input with its updates. of: the axes of updates that number them; behind these they have the extents
 * of the first input behind those that tables are of. */
static bool give_scattered(Lower *l, const NetNode *n, const Scatter *s, const Indices *x, int of)
{
    Value *v = &l->value[n->input[0]], *u = &l->value[n->input[2]];
    const char *how = onnx_string(n->onnx, "reduction", "none");
    const Poly *extent[LOWER_MAX_RANK];
    const Elem *at[LOWER_MAX_RANK], *by[LOWER_MAX_RANK];
    int own[LOWER_MAX_RANK];
    if (u->rank != of + v->rank - s->rank)
        return lower_error(l, "its updates have %d extents, expected %d", u->rank, of + v->rank - s->rank);
    if ((value_elem(l, v)->is_heavy && !store_value(l, v)) || !store_value(l, u))
        return false;
    const Elem *y = value_elem(l, v), *zero = elem_int(l->elems, 0);
    lower_places(l, u->rank, u->dim, own);
    for (int i = 0; i < s->rank; i++) {
        extent[i] = poly_number(l->polys, s->extent[i]);
        at[i] = lower_place_elem(l, i, v->dim[i]);
    }
    for (int k = 0; k < s->nlevel; k++) {
        const char *name = arena_printf(l->arena, "%s: updates %d", n->onnx->name, k);
        const int table = memory_constant(l, name, &storages[STORED_S32], s->rank, extent, s->update[k]);
        const Elem *which = elem_load(l->elems, table, ELEM_INT, s->rank, at);
        const Elem *rest = ELEM(l->elems, "max", which, zero);
        for (int i = of - 1; i >= 0; i--) {
            const Elem *size = elem_int(l->elems, x->extent[i]);
            by[i] = i ? ELEM(l->elems, "%", rest, size) : rest;
            rest = ELEM(l->elems, "div", rest, size);
        }
        for (int i = of; i < u->rank; i++)
            by[i] = lower_place_elem(l, i - of + s->rank, v->dim[i - of + s->rank]);
        const Elem *update = elem_replace(l->elems, u->elem, u->rank, own, by);
        y = ELEM(l->elems, "?", ELEM(l->elems, ">=", which, zero), put_together(l, how, y, update), y);
    }
    return lower_give(l, 0, v->type, v->rank, v->dim, y);
}

static bool keeps_all(const NetNode *n) { return strcmp(onnx_string(n->onnx, "reduction", "none"), "none") != 0; }

static bool lower_scatter_nd(Lower *l, const NetNode *n)
{
    Scatter s;
    Indices x;
    if (!lower_has(l, 3) || !read_indices(l, lower_input(l, 1), &x))
        return false;
    const Value *v = lower_input(l, 0);
    const int of = x.rank - 1;
    if (of < 0 || x.extent[of] < 1 || x.extent[of] > v->rank)
        return lower_error(l, "how many indices make an element is not known");
    if (!make_tables(l, &s, v, (int)x.extent[of]))
        return false;
    for (int64_t i = 0; i < x.count / s.rank; i++) {
        int64_t elem = 0, index;
        for (int k = 0; k < s.rank; k++) {
            if (!index_at(l, &x, i * s.rank + k, s.extent[k], &index))
                return false;
            elem = elem * s.extent[k] + index;
        }
        if (!note_update(l, &s, elem, i, keeps_all(n)))
            return false;
    }
    return give_scattered(l, n, &s, &x, of);
}

static bool lower_scatter_elements(Lower *l, const NetNode *n)
{
    Scatter s;
    Indices x;
    if (!lower_has(l, 3) || !read_indices(l, lower_input(l, 1), &x))
        return false;
    const Value *v = lower_input(l, 0);
    int64_t axis = onnx_int(n->onnx, "axis", 0);
    if (!lower_axis(l, &axis, v->rank) || !make_tables(l, &s, v, v->rank))
        return false;
    bool fits = x.rank == v->rank;
    for (int k = 0; k < v->rank && fits; k++)
        fits = k == axis || x.extent[k] <= s.extent[k];
    if (!fits)
        return lower_error(l, "its indices do not fit what it writes to");
    for (int64_t i = 0; i < x.count; i++) {
        int64_t elem = 0, index, behind = x.count;
        for (int k = 0; k < s.rank; k++) {
            behind /= x.extent[k];
            index = i / behind % x.extent[k];
            if (k == axis && !index_at(l, &x, i, s.extent[k], &index))
                return false;
            elem = elem * s.extent[k] + index;
        }
        if (!note_update(l, &s, elem, i, keeps_all(n)))
            return false;
    }
    return give_scattered(l, n, &s, &x, x.rank);
}

const LowerRow lower_scatters[] = {
    { "ScatterND", lower_scatter_nd, 0, NULL },
    { "ScatterElements", lower_scatter_elements, 0, NULL },
    { NULL, NULL, 0, NULL },
};
