/* SPDX-License-Identifier: Apache-2.0
 *
 * split: what one formula cannot say, as it has too many operands or rows along different axes, is computed in several
 * steps: a part of the expression, about half of it, goes to memory first, and is loaded where it stood. So do whole
 * numbers that real ones become.
 */
#include "gen/import/lower.h"

static bool may_be_stored(const Elem *x) { return x->type == ELEM_REAL && x->nload > 0 && x->kind != ELEM_LOAD; }

/* The innermost whole number in x that is made of a real one. Formulas make such as their result alone, so it needs a
 * step of its own. */
static const Elem *whole_of_real(const Elem *x)
{
    const Elem *part = NULL;
    for (int i = 0; i < x->narg && !part; i++) {
        const Elem *arg = x->arg[i];
        part = whole_of_real(arg);
        part = !part && elem_is_op(arg, "int") ? arg : part;
    }
    return part;
}

/* The largest part with at most half of the whole; where none is so small, the smallest that there is on the way. */
static const Elem *part_of(const Elem *whole)
{
    const Elem *part = NULL;
    for (const Elem *x = whole; x;) {
        if (x != whole && may_be_stored(x))
            part = x;
        if (part && part->weight <= whole->weight / 2)
            break;
        const Elem *heaviest = NULL;
        for (int i = 0; i < x->narg && x->kind != ELEM_LOAD; i++)
            if (x->arg[i]->nload && (!heaviest || x->arg[i]->weight > heaviest->weight))
                heaviest = x->arg[i];
        x = heaviest;
    }
    return part;
}

/* Does it stand in what a choice may leave out? */
static bool is_chosen(const Elem *x, const Elem *part, bool chosen)
{
    bool found = x == part && chosen;
    for (int i = 0; i < x->narg && !found; i++)
        found = is_chosen(x->arg[i], part, chosen || (i && elem_is_op(x, "?")));
    return found;
}

static const Elem *with(Lower *l, const Elem *x, const Elem *part, const Elem *by)
{
    const Elem *arg[ELEM_MAX_ARG];
    bool same = true;
    if (!x || x == part)
        return x ? by : NULL;
    for (int i = 0; i < x->narg; i++) {
        arg[i] = with(l, x->arg[i], part, by);
        same = same && arg[i] == x->arg[i];
    }
    if (same)
        return x;
    if (x->kind == ELEM_LOAD)
        return elem_load(l->elems, x->memory, x->type, x->narg, arg);
    if (x->kind == ELEM_ROW)
        return elem_row(l->elems, x->op, x->along, x->extent, x->at, arg[0], x->narg > 1 ? arg[1] : NULL);
    return elem_apply(l->elems, x->op, x->narg, arg);
}

bool split_value(Lower *l, const Elem **whole)
{
    const Elem *whole_part = whole_of_real(*whole), *part = whole_part ? whole_part : part_of(*whole),
               *to[LOWER_MAX_RANK], *back[LOWER_MAX_RANK];
    Value v = { .is_known = true, .type = whole_part ? ELEMENT_S32 : ELEMENT_F32 };
    int from[LOWER_MAX_RANK], place[LOWER_MAX_RANK];
    if (!part)
        return false;
    for (int dim = 0; dim < polys_ndim(l->polys); dim++) /* the places that it is over, those of rows around it too */
        if (polys_below(l->polys, dim) && elem_uses(l->elems, part, dim)) {
            if (v.rank == LOWER_MAX_RANK)
                return false;
            from[v.rank] = dim;
            back[v.rank] = elem_place(l->elems, dim);
            v.dim[v.rank++] = polys_below(l->polys, dim);
        }
    lower_places(l, v.rank, v.dim, place);
    for (int i = 0; i < v.rank; i++)
        to[i] = elem_place(l->elems, place[i]);
    v.elem = elem_replace(l->elems, part, v.rank, from, to);
    const bool was_chosen = l->is_chosen;
    l->is_chosen = was_chosen || is_chosen(*whole, part, false);
    const bool ok = v.elem && store_value(l, &v);
    l->is_chosen = was_chosen;
    if (!ok)
        return false;
    *whole = with(l, *whole, part, elem_replace(l->elems, v.elem, v.rank, place, back));
    return *whole;
}
