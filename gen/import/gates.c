/* SPDX-License-Identifier: Apache-2.0
 *
 * gates: two dense layers of the same rows, of which the second multiplies its results by a function of the first's, as
 * up * silu(gate) does, become one call of gated_dense, which reads the rows once and keeps nothing between.
 */
#include <string.h>
#include "gen/import/lower.h"

static bool is_dense(const Step *s) { return s->op && strcmp(s->op, "dense") == 0 && !s->is_gone; }

/* Does x load the memory, and that only where an element of the step's own result stands? */
static bool loads_in_place(Lower *l, const Step *s, const Elem *x, int memory)
{
    const Memory *m = &l->memory[memory];
    if (x->kind == ELEM_LOAD && x->memory == memory) {
        bool same = m->rank == l->memory[s->out].rank;
        for (int i = 0; i < m->rank && same; i++)
            same = x->arg[i] == lower_place_elem(l, i, l->memory[s->out].extent[i]);
        return same;
    }
    for (int i = 0; i < x->narg; i++)
        if (!loads_in_place(l, s, x->arg[i], memory))
            return false;
    return true;
}

/* x with `by` in the place of what is loaded from the memory. */
static const Elem *with_loads(Lower *l, const Elem *x, int memory, const Elem *by)
{
    const Elem *arg[ELEM_MAX_ARG];
    if (x->kind == ELEM_LOAD && x->memory == memory)
        return by;
    if (x->kind != ELEM_APPLY)
        return x;
    for (int i = 0; i < x->narg; i++)
        arg[i] = with_loads(l, x->arg[i], memory, by);
    return elem_apply(l->elems, x->op, x->narg, arg);
}

/* Is `gate` a layer beside s of which s alone makes something? */
static bool is_gate(Lower *l, const Step *s, const Step *gate)
{
    const StepOperand *x = &s->operand[0], *y = &gate->operand[0];
    return is_dense(gate) && s != gate && !l->memory[gate->out].output && s->value && elem_loads(s->value, gate->out) &&
           loads_in_place(l, s, s->value, gate->out) && strcmp(s->layout, gate->layout) == 0 &&
           poly_compare(l->polys, s->size[1], gate->size[1]) == POLY_EQUAL &&
           access_has_rows_of(l, &x->access, &y->access) && step_readers(l, gate->out) == 1;
}

static void join(Lower *l, Step *s, Step *gate)
{
    const Elem *own = memory_elem(l, gate->out);
    const Step before = *s;
    Call call;
    s->op = "gated_dense";
    s->gate = gate->out + 1;
    s->operand[s->noperand] = gate->operand[1];
    s->operand[s->noperand++].name = "G";
    s->value = with_loads(l, s->value, gate->out, gate->value ? gate->value : own);
    if (call_of(l, s, &call))
        gate->is_gone = true;
    else
        *s = before;
}

void gates_join(Lower *l)
{
    for (int i = 0; i < l->norder; i++) {
        Step *s = &l->step[l->order[i]];
        for (int k = 0; k < i && is_dense(s); k++)
            if (is_gate(l, s, &l->step[l->order[k]]))
                join(l, s, &l->step[l->order[k]]);
    }
}
