/* SPDX-License-Identifier: Apache-2.0
 *
 * memory: what lies where, and how expressions go over it.
 */
#include <string.h>
#include "gen/import/lower.h"

int memory_add(Lower *l, Memory m)
{
    for (int i = 0; i < m.rank; i++)
        m.order[i] = m.is_ordered ? m.order[i] : i;
    *ARENA_APPEND(l->arena, l->memory, l->nmemory) = m;
    return l->nmemory - 1;
}

Memory memory_result(const Storage *stored, int rank, const Poly *const *extent)
{
    Memory m = { .kind = MEMORY_RESULT, .stored = stored, .rank = rank, .step = -1 };
    memcpy(m.extent, extent, (size_t)rank * sizeof *extent);
    return m;
}

int memory_constant(Lower *l, const char *from, const Storage *stored, int rank, const Poly *const *extent,
                    const void *data)
{
    Memory m = { .kind = MEMORY_CONSTANT,
                 .from = from,
                 .stored = stored,
                 .rank = rank,
                 .is_ordered = true,
                 .data = data,
                 .step = -1 };
    memcpy(m.extent, extent, (size_t)rank * sizeof *extent);
    for (int i = 0; i < rank; i++)
        m.order[i] = i;
    return memory_add(l, m);
}

static void strides_in_order(Lower *l, const Memory *m, const int *order, const Poly **stride)
{
    const Poly *step = poly_number(l->polys, 1);
    for (int i = m->rank - 1; i >= 0; i--) {
        stride[order[i]] = step;
        step = poly_mul(l->polys, step, m->is_part && i == m->rank - 1 ? m->row : m->extent[order[i]]);
    }
}

void memory_strides(Lower *l, int memory, const Poly **stride)
{
    Memory *m = &l->memory[memory];
    m->is_ordered = true;
    strides_in_order(l, m, m->order, stride);
}

const Elem *memory_elem(Lower *l, int memory)
{
    const Memory *m = &l->memory[memory];
    const Elem *index[LOWER_MAX_RANK];
    for (int i = 0; i < m->rank; i++)
        index[i] = lower_place_elem(l, i, m->extent[i]);
    return elem_load(l->elems, memory, storage_is_whole(m->stored) ? ELEM_INT : ELEM_REAL, m->rank, index);
}

/* The place of the element in memory that is laid out in this order, as a sum over places. */
static bool access_in_order(Lower *l, const Elem *x, const int *order, int n, const int *place, Access *out)
{
    const Memory *m = &l->memory[x->memory];
    const Poly *stride[LOWER_MAX_RANK], *at = poly_number(l->polys, 0);
    strides_in_order(l, m, order, stride);
    for (int i = 0; i < x->narg; i++) {
        if (!elem_as_size(x->arg[i]))
            return false;
        at = poly_add(l->polys, at, poly_mul(l->polys, elem_as_size(x->arg[i]), stride[i]));
    }
    *out = (Access){ .memory = m->is_part ? m->whole : x->memory, .n = n };
    at = m->is_part ? poly_add(l->polys, at, m->part_at) : at;
    return at && poly_linear(l->polys, at, place, n, out->stride, &out->at);
}

/* The next of all orders of n numbers; false: it was the last. */
static bool next_order(int *order, int n)
{
    int i = n - 2, k = n - 1;
    while (i >= 0 && order[i] > order[i + 1])
        i--;
    if (i < 0)
        return false;
    while (order[k] < order[i])
        k--;
    const int at = order[i];
    order[i] = order[k];
    order[k] = at;
    for (int a = i + 1, b = n - 1; a < b; a++, b--) {
        const int t = order[a];
        order[a] = order[b];
        order[b] = t;
    }
    return true;
}

/* Operators give their last extent's elements side by side: does it stay the last one in this order? */
static bool keeps_last(const Lower *l, const Memory *m, const int *order)
{
    int natural = m->rank - 1, last = m->rank - 1;
    while (natural >= 0 && poly_is(m->extent[natural], 1))
        natural--;
    while (last >= 0 && poly_is(m->extent[order[last]], 1))
        last--;
    return m->step < 0 || !l->step[m->step].op || last < 0 || order[last] == natural;
}

/* Chooses the order in which the access is dense, if there is one. */
static void choose_order(Lower *l, const Elem *x, int n, const int *place)
{
    enum { MOST = 6 };
    Memory *m = &l->memory[x->memory];
    int order[LOWER_MAX_RANK];
    const Poly *extent[LOWER_MAX_RANK];
    Access a;
    if (m->is_ordered || m->rank > MOST)
        return;
    for (int i = 0; i < n; i++)
        extent[i] = polys_below(l->polys, place[i]);
    for (int i = 0; i < m->rank; i++)
        order[i] = i;
    do
        if (keeps_last(l, m, order) && access_in_order(l, x, order, n, place, &a) && access_is_dense(l, &a, extent)) {
            memcpy(m->order, order, sizeof order);
            m->is_ordered = true;
            return;
        }
    while (next_order(order, m->rank));
}

/* Views go from the first element on. */
static bool goes_forward(Lower *l, const Access *a)
{
    bool forward = true;
    for (int i = 0; i < a->n && forward; i++) {
        int64_t least, most;
        poly_range(l->polys, a->stride[i], &least, &most);
        forward = most >= 0;
    }
    return forward;
}

bool access_of(Lower *l, const Elem *x, int n, const int *place, Access *out)
{
    if (!x || x->kind != ELEM_LOAD)
        return false;
    choose_order(l, x, n, place);
    l->memory[x->memory].is_ordered = true;
    return access_in_order(l, x, l->memory[x->memory].order, n, place, out) && goes_forward(l, out);
}

bool access_widen(Lower *l, Access *a, const Poly *row, const Poly *wide)
{
    bool is_wide = (a->at = poly_widened(l->polys, a->at, row, wide));
    for (int i = 0; i < a->n && is_wide; i++)
        is_wide = (a->stride[i] = poly_widened(l->polys, a->stride[i], row, wide));
    return is_wide;
}

bool access_is_dense(Lower *l, const Access *a, const Poly *const *extent)
{
    const Poly *step = poly_number(l->polys, 1);
    for (int i = a->n - 1; i >= 0; i--) {
        if (!poly_is(extent[i], 1) && poly_compare(l->polys, a->stride[i], step) != POLY_EQUAL)
            return false;
        step = poly_mul(l->polys, step, extent[i]);
    }
    return true;
}

bool access_has_rows_of(Lower *l, const Access *a, const Access *b)
{
    return a->memory == b->memory && poly_compare(l->polys, a->at, b->at) == POLY_EQUAL &&
           poly_compare(l->polys, a->stride[0], b->stride[0]) == POLY_EQUAL;
}

bool access_merges(Lower *l, const Access *a, const Poly *const *extent, int i)
{
    if (poly_is(extent[i], 1) || poly_is(extent[i + 1], 1))
        return true;
    return poly_compare(l->polys, a->stride[i], poly_mul(l->polys, a->stride[i + 1], extent[i + 1])) == POLY_EQUAL;
}
