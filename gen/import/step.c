/* SPDX-License-Identifier: Apache-2.0
 *
 * step: the steps that a model becomes. An operator's step is open until it is settled what is made of its result: what
 * follows from that alone, element by element, becomes its epilogue, unless others read the result too.
 */
#include <string.h>
#include "gen/import/lower.h"

int step_add(Lower *l, Step s)
{
    s.node = s.node ? s.node : l->storing && !s.op ? l->storing : l->node ? l->node->onnx->name : "the model's outputs";
    *ARENA_APPEND(l->arena, l->step, l->nstep) = s;
    l->memory[s.out].step = l->nstep - 1;
    if (!s.op) {
        l->step[l->nstep - 1].is_closed = true;
        *ARENA_APPEND(l->arena, l->order, l->norder) = l->nstep - 1;
    }
    return l->nstep - 1;
}

Step *step_open(Lower *l, int memory)
{
    const int step = l->memory[memory].step;
    return step >= 0 && !l->step[step].is_closed ? &l->step[step] : NULL;
}

Step *step_open_in(Lower *l, const Elem *x)
{
    Step *found = x->kind == ELEM_LOAD ? step_open(l, x->memory) : NULL;
    for (int i = 0; i < x->narg; i++) {
        Step *here = step_open_in(l, x->arg[i]);
        found = here && (!found || here > found) ? here : found;
    }
    return found;
}

static void settle(Lower *l, Step *s)
{
    s->is_closed = true;
    *ARENA_APPEND(l->arena, l->order, l->norder) = (int)(s - l->step);
}

void step_close(Lower *l, const Elem *x)
{
    Step *s;
    while (x && (s = step_open_in(l, x)))
        settle(l, s);
}

static void note_in(Lower *l, const Elem *x, int value)
{
    Step *s = x->kind == ELEM_LOAD ? step_open(l, x->memory) : NULL;
    if (s && !(s->nseen && s->seen[s->nseen - 1] == value))
        *ARENA_APPEND(l->arena, s->seen, s->nseen) = value;
    for (int i = 0; i < x->narg; i++)
        note_in(l, x->arg[i], value);
}

void step_note(Lower *l, int value)
{
    const Value *v = &l->value[value];
    if (v->elem)
        note_in(l, v->elem, value);
    for (int i = 0; i < v->nlist; i++)
        note_in(l, v->list[i], value);
}

static bool loads(const Value *v, int memory)
{
    bool loads = v->elem && elem_loads(v->elem, memory);
    for (int i = 0; i < v->nlist && !loads; i++)
        loads = elem_loads(v->list[i], memory);
    return loads;
}

bool step_is_read_besides(const Lower *l, const Step *s, const Value *v)
{
    const int at = l->node ? (int)(l->node - l->net->node) : l->net->nnode;
    int from = at + 1; /* the node at hand has read what it reads, unless v is an input of it */
    for (int i = 0; l->node && i < l->node->ninput; i++)
        from = l->node->input[i] >= 0 && v == &l->value[l->node->input[i]] ? at : from;
    bool is_read = false;
    for (int i = 0; i < s->nseen && !is_read; i++)
        is_read = v != &l->value[s->seen[i]] && loads(&l->value[s->seen[i]], s->out) &&
                  value_readers(l, s->seen[i], from) > 0;
    return is_read;
}

/* ---- epilogues ---- */

/* The one load of the memory in x; false: there are loads at other places too. */
static bool only_load(const Elem *x, int memory, const Elem **load)
{
    if (x->kind == ELEM_LOAD && x->memory == memory) {
        const bool same = !*load || *load == x;
        *load = x;
        return same;
    }
    for (int i = 0; i < x->narg; i++)
        if (!only_load(x->arg[i], memory, load))
            return false;
    return true;
}

static bool has_row(const Elem *x)
{
    bool has = x->kind == ELEM_ROW;
    for (int i = 0; i < x->narg && !has; i++)
        has = has_row(x->arg[i]);
    return has;
}

/* The places of a value by those of the memory that it loads, each element of which it reads once: of Y[b,h*64 + d] =
 * relu(X[b,h,d]) that is h*64 + d. Extents of the memory that a place goes over are tried in all orders. */
typedef struct {
    Lower *lower;
    const Value *value;
    const Elem *load;
    const Elem *by[LOWER_MAX_RANK];
    int place[LOWER_MAX_RANK];
} Inverse;

static bool is_inverse(const Inverse *v, int k)
{
    const Lower *l = v->lower;
    const Memory *m = &l->memory[v->load->memory];
    const Elem *got = elem_replace(l->elems, v->load->arg[k], v->value->rank, v->place, v->by);
    return poly_is(m->extent[k], 1) || got == lower_place_elem(v->lower, k, m->extent[k]);
}

/* Sets what place j is, of extents dim[0..n-1] of the memory, outermost first, and tells whether it is that. */
static bool try_order(Inverse *v, int j, const int *dim, int n)
{
    Lower *l = v->lower;
    const Memory *m = &l->memory[v->load->memory];
    const Poly *at = poly_number(l->polys, 0), *all = poly_number(l->polys, 1);
    for (int i = 0; i < n; i++) {
        const Elem *place = lower_place_elem(l, dim[i], m->extent[dim[i]]);
        at = poly_add(l->polys, poly_mul(l->polys, at, m->extent[dim[i]]), elem_as_size(place));
        all = poly_mul(l->polys, all, m->extent[dim[i]]);
    }
    if (poly_compare(l->polys, all, v->value->dim[j]) != POLY_EQUAL)
        return false;
    v->by[j] = elem_size(l->elems, at);
    for (int i = 0; i < n; i++)
        if (!is_inverse(v, dim[i]))
            return false;
    return true;
}

static bool try_orders(Inverse *v, int j, int *dim, int n, int from)
{
    if (from == n)
        return try_order(v, j, dim, n);
    for (int i = from; i < n; i++) {
        int order[LOWER_MAX_RANK];
        memcpy(order, dim, sizeof order);
        order[from] = dim[i];
        order[i] = dim[from];
        if (try_orders(v, j, order, n, from + 1))
            return true;
    }
    return false;
}

/* Sets what the places are that extent k of the memory goes over, as 64*p1 + p2 does. */
static bool take_apart(Inverse *v, int k)
{
    Lower *l = v->lower;
    const Memory *m = &l->memory[v->load->memory];
    const Poly *by[LOWER_MAX_RANK], *rest, *r = elem_as_size(lower_place_elem(l, k, m->extent[k]));
    if (!poly_linear(l->polys, elem_as_size(v->load->arg[k]), v->place, v->value->rank, by, &rest) || !poly_is(rest, 0))
        return false;
    for (int j = 0; j < v->value->rank; j++) {
        if (poly_is(by[j], 0) || poly_is(v->value->dim[j], 1))
            continue;
        const Poly *at = poly_apply(l->polys, "/", r, by[j]);
        if (poly_compare(l->polys, poly_mul(l->polys, by[j], v->value->dim[j]), m->extent[k]) != POLY_EQUAL)
            at = poly_apply(l->polys, "%", at, v->value->dim[j]);
        if (!(v->by[j] = elem_size(l->elems, at)))
            return false;
    }
    return is_inverse(v, k);
}

static bool find_inverse(Inverse *v)
{
    Lower *l = v->lower;
    const Value *value = v->value;
    const Memory *m = &l->memory[v->load->memory];
    bool used[LOWER_MAX_RANK] = { false }, known[LOWER_MAX_RANK] = { false };
    lower_places(l, value->rank, value->dim, v->place);
    for (int j = 0; j < value->rank; j++)
        v->by[j] = elem_int(l->elems, 0);
    for (int k = 0; k < m->rank; k++) {
        int n = 0;
        for (int j = 0; j < value->rank; j++)
            n += !poly_is(value->dim[j], 1) && elem_uses(l->elems, v->load->arg[k], v->place[j]);
        for (int j = 0; j < value->rank && n > 1; j++)
            if (!poly_is(value->dim[j], 1) && elem_uses(l->elems, v->load->arg[k], v->place[j])) {
                if (known[j])
                    return false;
                known[j] = true;
            }
        if (n > 1 && !take_apart(v, k))
            return false;
        used[k] = n > 1;
    }
    for (int j = 0; j < value->rank; j++) {
        int dim[LOWER_MAX_RANK] = { 0 }, n = 0;
        if (known[j])
            continue;
        for (int k = 0; k < m->rank; k++)
            if (!poly_is(m->extent[k], 1) && elem_uses(l->elems, v->load->arg[k], v->place[j])) {
                if (used[k])
                    return false; /* it goes along two places */
                used[k] = true;
                dim[n++] = k;
            }
        if (poly_is(value->dim[j], 1) ? n > 0 : !n || n > 4 || !try_orders(v, j, dim, n, 0))
            return false;
    }
    for (int k = 0; k < m->rank; k++)
        if (!poly_is(m->extent[k], 1) && !used[k])
            return false;
    return true;
}

bool step_take(Lower *l, Step *s, Value *v)
{
    const Elem *load = NULL;
    Call call;
    if (v->elem->type == ELEM_INT || !only_load(v->elem, s->out, &load) || !load || has_row(v->elem) ||
        (v->elem != load && step_is_read_besides(l, s, v)))
        return false;
    Inverse inverse = { .lower = l, .value = v, .load = load };
    if (!find_inverse(&inverse))
        return false;
    const Elem *value = elem_replace(l->elems, v->elem, v->rank, inverse.place, inverse.by),
               *own = memory_elem(l, s->out);
    const Elem *before = s->value;
    const char *node = s->node;
    if (before && before != own)
        return false;
    s->value = value;
    if (!call_of(l, s, &call)) {
        s->value = before;
        return false;
    }
    for (int i = 0; i < call.noperand; i++) { /* what it reads is there before it */
        Step *other = call.operand[i].access.memory == s->out ? NULL : step_open(l, call.operand[i].access.memory);
        if (other)
            settle(l, other);
    }
    s->node = l->node ? l->node->onnx->name : node;
    settle(l, s);
    v->elem = load;
    return true;
}
