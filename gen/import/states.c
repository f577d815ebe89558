/* SPDX-License-Identifier: Apache-2.0
 *
 * states: keys and values that are kept from call to call. A model takes those of before as an input, and gives them
 * back as an output with new ones behind. As a state both are one tensor, with room for more: a call writes the new
 * ones to their place, and copies nothing.
 */
#include "gen/import/lower.h"

/* The extent along which the result is an input and something behind it, and the step that copies the input; NULL: it
 * is no such result. */
static Step *copy_of_input(Lower *l, int result, int *input, int *axis)
{
    const Memory *m = &l->memory[result];
    for (int i = 0; i < l->norder; i++) {
        Step *s = &l->step[l->order[i]];
        if (s->out != result || !s->at || s->op || !poly_is(s->at, 0) || s->value->kind != ELEM_LOAD)
            continue;
        *input = s->value->memory;
        const Memory *in = &l->memory[*input];
        if (in->kind != MEMORY_INPUT || in->rank != m->rank)
            return NULL;
        *axis = -1;
        for (int k = 0; k < m->rank; k++) {
            if (s->value->arg[k] != lower_place_elem(l, k, s->part[k]) ||
                poly_compare(l->polys, in->extent[k], s->part[k]) != POLY_EQUAL)
                return NULL;
            if (poly_compare(l->polys, in->extent[k], m->extent[k]) == POLY_EQUAL)
                continue;
            if (*axis >= 0)
                return NULL;
            *axis = k;
        }
        return *axis < 0 ? NULL : s;
    }
    return NULL;
}

/* Has all that operators read of the memory, and nodes write to parts of it, in rows that are as wide. False: it is not
 * seen where they stand in the rows. `does`: else it is only asked. */
static bool widen(Lower *l, int memory, const Poly *row, const Poly *wide, bool does)
{
    for (int i = 0; i < l->nstep; i++) {
        Step *s = &l->step[i];
        for (int k = 0; k < s->noperand; k++) {
            Access a = s->operand[k].access;
            if (a.memory == memory && !access_widen(l, &a, row, wide))
                return false;
            if (does)
                s->operand[k].access = a;
        }
        const Poly *at = s->out == memory && s->at ? poly_widened(l->polys, s->at, row, wide) : s->at;
        if (s->at && !at)
            return false;
        if (does)
            s->at = at;
    }
    return true;
}

int states_keep(Lower *l, const Poly *room)
{
    int nstate = 0;
    for (int result = 0; result < l->nmemory; result++) {
        Memory *m = &l->memory[result];
        int input, axis;
        Step *copy = m->output ? copy_of_input(l, result, &input, &axis) : NULL;
        if (!copy)
            continue;
        if (step_readers(l, input) > 1)
            continue; /* others read what was there before */
        const Poly *behind = poly_number(l->polys, 1);
        for (int k = m->rank - 1; m->order[k] != axis; k--)
            behind = poly_mul(l->polys, behind, m->extent[m->order[k]]);
        const Poly *row = poly_mul(l->polys, behind, m->extent[axis]), *wide = poly_mul(l->polys, behind, room);
        if (!widen(l, result, row, wide, false))
            continue;
        widen(l, result, row, wide, true);
        m->extent[axis] = room;
        m->kind = MEMORY_STATE;
        m->from = l->memory[input].from;
        m->name = l->memory[input].name;
        m->output = NULL;
        l->memory[input].kind = MEMORY_GONE;
        copy->is_gone = true;
        nstate++;
    }
    return nstate;
}
