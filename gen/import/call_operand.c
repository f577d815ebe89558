/* SPDX-License-Identifier: Apache-2.0
 *
 * call_operand: elements of memory in the text of a formula, and with them the operands of a call. What lies along
 * axes is x[m,n], a view with strides; what is chosen by computed indices is table[id[m],n], memory as it lies.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include "gen/import/call_private.h"

static bool is_same_access(CallWriter *w, const CallOperand *a, const CallOperand *b)
{
    bool same = a->access.memory == b->access.memory && a->rank == b->rank && a->is_declared == b->is_declared &&
                call_is_equal(w, a->access.at, b->access.at);
    for (int i = 0; i < a->rank && same; i++)
        same = call_is_equal(w, a->access.stride[i], b->access.stride[i]) &&
               call_is_equal(w, a->extent[i], b->extent[i]) && strcmp(a->declared[i], b->declared[i]) == 0;
    return same;
}

/* The operand of the call that goes over memory so; a new one where there is none yet. *name: what it is called. NULL
 * `stem`: it is known. */
static bool add_operand(CallWriter *w, CallOperand *o, const char *stem, const char **name)
{
    Call *c = w->call;
    for (int i = 0; i < c->noperand; i++)
        if (islower(*c->operand[i].name) && is_same_access(w, &c->operand[i], o)) { /* not an operator's own */
            *name = c->operand[i].name;
            return true;
        }
    if (c->noperand + 1 >= LOWER_MAX_OPERAND)
        return false;
    *name = o->name = call_new_name(w, stem);
    c->operand[c->noperand++] = *o;
    return true;
}

/* Is every index within its extent, whatever the places are? */
static bool is_within(CallWriter *w, const Elem *x)
{
    const Memory *m = &w->lower->memory[x->memory];
    for (int i = 0; i < x->narg; i++) {
        const Poly *at = elem_as_size(x->arg[i]);
        if (!at || !poly_is_within(w->lower->polys, at, m->extent[i]))
            return false;
    }
    return true;
}

/* The axes that memory lies along, outermost first: by the largest that their strides may be. Of equal ones the order
 * stays. */
static int axes_of(CallWriter *w, const Access *a, int *along)
{
    int64_t least, size[CALL_MAX_AXIS];
    int n = 0;
    for (int i = 0; i < w->naxis; i++) {
        if (poly_is(w->extent[i], 1) || poly_is(a->stride[i], 0))
            continue;
        poly_range(w->lower->polys, a->stride[i], &least, &size[i]);
        int k = n++;
        for (; k > 0 && size[i] > size[along[k - 1]]; k--)
            along[k] = along[k - 1];
        along[k] = i;
    }
    return n;
}

static const char *operand_stem(CallWriter *w, const Elem *x, int rank)
{
    const Memory *m = &w->lower->memory[x->memory];
    const bool is_epilogue = w->step->op != NULL;
    if (storage_is_whole(m->stored))
        return "id";
    if (m->kind == MEMORY_CONSTANT)
        return rank == 1 ? (is_epilogue ? "bias" : "w") : "table";
    return is_epilogue && rank == w->naxis ? "residual" : "x";
}

/* A load that goes along axes: x[m,n]. */
static bool write_plain(CallWriter *w, const Elem *x)
{
    Lower *l = w->lower;
    Access a;
    int along[CALL_MAX_AXIS];
    const char *name;
    if (!access_of(l, x, w->naxis, w->place, &a))
        return false;
    const int n = axes_of(w, &a, along);
    CallOperand o = { .access = { .memory = a.memory, .at = a.at }, .rank = n, .is_at_place = n == w->naxis };
    for (int i = 0; i < n; i++) {
        o.is_at_place = o.is_at_place && along[i] == i;
        o.access.stride[i] = a.stride[along[i]];
        o.extent[i] = w->extent[along[i]];
        o.declared[i] = w->axis[along[i]];
    }
    const bool needs_one = !n || !poly_is(o.access.stride[n - 1], 1); /* the last extent's elements lie side by side */
    if (needs_one) {
        o.extent[n] = o.access.stride[n] = poly_number(l->polys, 1);
        o.rank = n + 1;
        o.is_declared = true;
        o.is_at_place = false;
        o.declared[n] = "1";
    }
    o.access.n = o.rank;
    o.is_strided = o.rank > 1 && !access_is_dense(l, &o.access, o.extent);
    if (!add_operand(w, &o, operand_stem(w, x, n), &name))
        return false;
    text_printf(&w->text, "%s[", name);
    for (int i = 0; i < n; i++)
        text_printf(&w->text, "%s%s", i ? "," : "", w->letter[along[i]]);
    text_printf(&w->text, "%s]", needs_one ? (n ? ",0" : "0") : "");
    return true;
}

/* The name of a size that formulas and operands can use: an extent, or a new one. */
static const char *size_name(CallWriter *w, const Poly *size, bool is_bound)
{
    Call *c = w->call;
    int64_t value;
    if (poly_is_number(size, &value) && value > 0 && !is_bound)
        return arena_printf(w->lower->arena, "%" PRId64, value);
    for (int i = 0; i < c->nsize; i++)
        if (call_is_equal(w, c->size[i].size, size))
            return c->size[i].name;
    if (c->nsize == (int)LENGTH(c->size))
        return NULL;
    const char *name = call_new_name(w, "E");
    call_add_size(c, name, size);
    return name;
}

/* An index of the extent, which is called `name`. */
static bool write_index(CallWriter *w, const Elem *x, const Poly *extent, const char *name)
{
    const Elem *at = elem_wrapped(w->lower->elems, x, extent);
    if (!at)
        return call_write_elem(w, x);
    text_add(&w->text, "wrap(");
    if (!call_write_elem(w, at))
        return false;
    text_printf(&w->text, ", %s)", name);
    return true;
}

/* A load by computed indices, of memory as it lies: table[id[m],n]. */
static bool write_indexed(CallWriter *w, const Elem *x)
{
    Lower *l = w->lower;
    const Memory *m = &l->memory[x->memory];
    bool needs_guard = false;
    const char *name;
    const Poly *stride[LOWER_MAX_RANK];
    memory_strides(l, x->memory, stride);
    CallOperand o = { .access = { .memory = m->is_part ? m->whole : x->memory,
                                  .at = m->is_part ? m->part_at : poly_number(l->polys, 0),
                                  .n = m->rank },
                      .rank = m->rank,
                      .is_strided = m->is_part && m->rank > 1,
                      .is_declared = true };
    for (int i = 0; i < m->rank; i++) {
        o.extent[i] = m->extent[m->order[i]];
        o.access.stride[i] = stride[m->order[i]];
        const Elem *index = x->arg[m->order[i]];
        const bool is_bound = /* extents that places are of have a name */
            index->kind == ELEM_LOAD || elem_wrapped(l->elems, index, o.extent[i]);
        if (!(o.declared[i] = size_name(w, o.extent[i], is_bound)))
            return false;
    }
    if (!add_operand(w, &o, operand_stem(w, x, 2), &name))
        return false;
    text_printf(&w->text, "%s[", name);
    for (int i = 0; i < m->rank; i++) {
        const Elem *index = x->arg[m->order[i]];
        text_add(&w->text, i ? "," : "");
        if (!write_index(w, index, o.extent[i], o.declared[i]))
            return false;
        needs_guard =
            needs_guard || (elem_as_size(index) ? !poly_is_seen_within(l->polys, index->size, m->extent[m->order[i]])
                                                : index->kind != ELEM_LOAD);
    }
    text_add(&w->text, needs_guard ? (storage_is_whole(m->stored) ? "; 0]" : "; 0.0]") : "]");
    return true;
}

static bool write_load(CallWriter *w, const Elem *x)
{
    if (w->step->op && x->memory == w->step->out) {
        text_add(&w->text, "acc");
        return true;
    }
    if (w->step->gate && x->memory == w->step->gate - 1) {
        text_add(&w->text, "gate");
        return true;
    }
    const size_t before = w->text.len;
    const int noperand = w->call->noperand;
    const bool is_known = is_within(w, x);
    if ((is_known || !w->nchoice) && write_plain(w, x))
        return true;
    bool is_table = false;
    for (int i = 0; i < x->narg; i++)
        is_table = is_table || !elem_as_size(x->arg[i]);
    if (w->is_plain && !is_table && (is_known || !w->nchoice))
        return false;
    w->text.len = before;
    if (w->text.s)
        w->text.s[before] = '\0';
    w->call->noperand = noperand;
    return write_indexed(w, x);
}

bool call_write_load(CallWriter *w, const Elem *x)
{
    const bool is_chosen = w->nchoice > 0;
    const size_t before = w->text.len;
    for (const CallWritten *c = w->written; c < w->written + CALL_KEPT; c++)
        if (c->elem == x && c->is_chosen == is_chosen) {
            text_add(&w->text, c->text);
            return true;
        }
    if (!write_load(w, x))
        return false;
    const char *text = arena_strdup(w->lower->arena, text_str(&w->text) + before);
    w->written[w->nwritten++ % CALL_KEPT] = (CallWritten){ x, is_chosen, text };
    return true;
}
