/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_ask: what the files lower_*.c ask of the node at hand, and the parts of steps of operators.
 */
#include <string.h>
#include "gen/import/lower.h"

/* ---- of the node ---- */

bool lower_has(Lower *l, int n)
{
    for (int i = 0; i < n; i++)
        if (!lower_input(l, i))
            return lower_error(l, "expected %d inputs", n);
    return true;
}

bool lower_has_reals(Lower *l, int n)
{
    for (int i = 0; i < n; i++)
        if (!lower_input(l, i) || elem_type_of(lower_input(l, i)->type) != ELEM_REAL)
            return lower_error(l, "expected %d inputs of real numbers", n);
    return true;
}

bool lower_axis(Lower *l, int64_t *axis, int rank)
{
    *axis += *axis < 0 ? rank : 0;
    return (*axis >= 0 && *axis < rank) || lower_error(l, "its axis is none of the %d there are", rank);
}

bool lower_numbers(Lower *l, const char *attribute, int input, int64_t *out, int *n)
{
    double number_[LOWER_MAX_LIST];
    int count = 0;
    const int64_t *list = onnx_ints(l->node->onnx, attribute, &count);
    const Value *v = lower_input(l, input);
    *n = -1;
    if (list && count <= LOWER_MAX_LIST) {
        for (int i = 0; i < count; i++)
            out[i] = list[i];
        *n = count;
    } else if (v && v->nlist) {
        if (!value_numbers(l, v, LOWER_MAX_LIST, number_, n))
            return lower_error(l, "its %s are not known", attribute);
        for (int i = 0; i < *n; i++)
            out[i] = elem_cut(number_[i]);
    } else if (v && v->rank == 1 && poly_is(v->dim[0], 0)) {
        *n = 0;
    } else if (v) {
        return lower_error(l, "its %s are not known", attribute);
    }
    return true;
}

/* ---- steps ---- */

void step_extent(Step *s, const char *name, const Poly *size)
{
    s->extent[s->nextent] = name;
    s->size[s->nextent++] = size;
}

void step_operand(Step *s, const char *name, const Access *a, const Poly *const *extent)
{
    StepOperand *o = &s->operand[s->noperand++];
    *o = (StepOperand){ .name = name, .access = *a };
    memcpy(o->extent, extent, (size_t)a->n * sizeof *extent);
}

int step_readers(const Lower *l, int memory)
{
    int n = 0;
    for (int i = 0; i < l->nstep; i++) {
        const Step *s = &l->step[i];
        bool reads = s->value && s->out != memory && elem_loads(s->value, memory);
        for (int k = 0; k < s->noperand; k++)
            reads = reads || s->operand[k].access.memory == memory;
        n += reads && !s->is_gone;
    }
    return n;
}

int value_readers(const Lower *l, int value, int from)
{
    const NetValue *net = &l->net->value[value];
    int n = net->is_output;
    for (int i = 0; i < net->nuse; i++) {
        const LowerRow *row = net->use[i] < from ? NULL : lower_row(l->net->node[net->use[i]].op);
        n += net->use[i] >= from && !(row && row->kind & LOWERS_SIZES);
    }
    return n;
}
