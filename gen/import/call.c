/* SPDX-License-Identifier: Apache-2.0
 *
 * call: writes a step as a call of a function: its formula as text, its operands and its extents. The extents of the
 * output become axes, neighbouring ones the same axis where all operands allow it: of Y[B,T,768] = X[B,T,768] + b[768]
 * that is rows with M = B*T and N = 768.
 */
#include <ctype.h>
#include <string.h>
#include "gen/import/call_private.h"

enum { AXIS_PLACE = 64 }; /* places of axes are numbered from here on */

/* ---- axes ---- */

/* Places of the output's extents by those of axes. group: the axis of each extent, or -1 where it is 1. */
static const Elem *by_axes(CallWriter *w, const Elem *x, int rank, const Poly *const *extent, const int *order,
                           const int *group)
{
    Lower *l = w->lower;
    Polys *p = l->polys;
    const Elem *by[LOWER_MAX_RANK];
    int place[LOWER_MAX_RANK];
    for (int k = 0; k < rank; k++) {
        const int i = order[k];
        const Poly *behind = poly_number(p, 1);
        bool is_first = true;
        for (int j = 0; j < rank; j++)
            if (group[order[j]] == group[i] && j != k) {
                is_first = is_first && j > k;
                behind = j > k ? poly_mul(p, behind, extent[order[j]]) : behind;
            }
        place[i] = lower_place(l, i, extent[i]);
        if (group[i] < 0) {
            by[i] = elem_int(l->elems, 0);
            continue;
        }
        const Poly *at = poly_apply(p, "/", poly_dim(p, w->place[group[i]]), behind);
        by[i] = elem_size(l->elems, is_first ? at : poly_apply(p, "%", at, extent[i]));
    }
    return elem_replace(l->elems, x, rank, place, by);
}

static void add_axis(CallWriter *w, const char *name, const Poly *extent, const char *letter)
{
    w->axis[w->naxis] = name;
    w->letter[w->naxis] = letter;
    w->extent[w->naxis] = extent;
    w->place[w->naxis] = lower_place(w->lower, AXIS_PLACE + w->naxis, extent);
    w->naxis++;
}

/* The output, as the call writes it: over the axes, as it lies in memory. */
static bool add_output(CallWriter *w, const int *group)
{
    Lower *l = w->lower;
    const Step *s = w->step;
    const Memory *m = &l->memory[s->out];
    CallOperand o = { .name = "Y" };
    int along[CALL_MAX_AXIS], n = 0;
    const Elem *x = memory_elem(l, s->out);
    const Poly *extent[LOWER_MAX_RANK];
    for (int i = 0; i < m->rank; i++)
        extent[i] = s->part[i] ? s->part[i] : m->extent[i];
    if (s->at) { /* a part: its places are those of the part */
        const Elem *index[LOWER_MAX_RANK];
        for (int i = 0; i < m->rank; i++)
            index[i] = lower_place_elem(l, i, extent[i]);
        x = elem_load(l->elems, s->out, x->type, m->rank, index);
    }
    x = by_axes(w, x, m->rank, extent, m->order, group);
    for (int i = 0; i < w->naxis; i++)
        if (i != w->row || !w->step->is_value_of_row)
            along[n++] = w->place[i];
    if (!access_of(l, x, n, along, &o.access))
        return false;
    o.rank = n;
    for (int i = 0; i < n; i++)
        o.extent[i] = polys_below(l->polys, along[i]);
    if (s->at)
        o.access.at = poly_add(l->polys, o.access.at, s->at);
    if (n && !poly_is(o.extent[n - 1], 1) && !poly_is(o.access.stride[n - 1], 1))
        return false;
    if (n && poly_is(o.extent[n - 1], 1))
        o.access.stride[n - 1] = poly_number(l->polys, 1);
    o.is_strided = n > 1 && !access_is_dense(l, &o.access, o.extent);
    w->call->operand[w->call->noperand++] = o;
    return true;
}

/* ---- an operator ---- */

static bool write_operator(CallWriter *w)
{
    Lower *l = w->lower;
    Step *s = w->step;
    Call *c = w->call;
    const Memory *m = &l->memory[s->out];
    int order[LOWER_MAX_RANK], group[LOWER_MAX_RANK];
    c->op = s->op;
    c->layout = s->layout;
    for (int i = 0; i < s->nextent; i++)
        call_add_size(c, s->extent[i], s->size[i]);
    for (int i = 0; i < s->noperand; i++) {
        CallOperand *o = &c->operand[c->noperand++];
        *o =
            (CallOperand){ .name = s->operand[i].name, .access = s->operand[i].access, .rank = s->operand[i].access.n };
        memcpy(o->extent, s->operand[i].extent, sizeof o->extent);
        o->is_strided = o->rank > 1 && !access_is_dense(l, &o->access, o->extent);
    }
    for (int a = 0; a < s->naxis; a++) {
        const Poly *extent = poly_number(l->polys, 1);
        for (int i = 0; i < m->rank; i++)
            extent = s->axis_of[i] == a ? poly_mul(l->polys, extent, m->extent[i]) : extent;
        char *name = text_letters(arena_strdup(l->arena, s->axis[a]), toupper);
        add_axis(w, name, extent, s->axis[a]);
    }
    for (int i = 0; i < m->rank; i++) {
        order[i] = i;
        group[i] = poly_is(m->extent[i], 1) ? -1 : s->axis_of[i];
    }
    if (s->value && s->value != memory_elem(l, s->out)) {
        const Elem *x = by_axes(w, s->value, m->rank, m->extent, order, group);
        if (!call_write_elem(w, elem_as(l->elems, x, ELEM_REAL)))
            return false;
        c->formula = text_str(&w->text);
    }
    return add_output(w, group);
}

/* ---- a formula ---- */

/* The extent that rows of the value go along, and the place of the output that is it. False: there is no row. */
static const Poly *find_row(const Elem *x, const Elem **at)
{
    if (x->kind == ELEM_ROW) {
        *at = x->at;
        return x->extent;
    }
    const Poly *found = NULL;
    for (int i = 0; i < x->narg; i++) {
        const Elem *here = NULL;
        const Poly *row = find_row(x->arg[i], &here);
        found = row ? row : found;
        *at = here ? here : *at;
    }
    return found;
}

/* Does it use the place outside of rows? */
static bool uses_beside_rows(Lower *l, const Elem *x, int place)
{
    bool uses = x->kind == ELEM_SIZE && poly_uses(l->polys, x->size, place);
    for (int i = 0; i < x->narg && x->kind != ELEM_ROW && !uses; i++)
        uses = uses_beside_rows(l, x->arg[i], place);
    return uses;
}

static const char *const axis_names[] = { "B0", "B1", "M", "N" }, *const axis_letters[] = { "b0", "b1", "m", "n" };

/* Tries it with extents that are cut into axes behind those of `cuts`. */
static bool try_cuts(CallWriter *w, const Elem *value, const int *order, const int *dims, int ndim, unsigned cuts,
                     bool of_row, const Poly *row)
{
    Lower *l = w->lower;
    Memory *m = &l->memory[w->step->out];
    const Poly *extent[LOWER_MAX_RANK], *size[4];
    int group[LOWER_MAX_RANK], ngroup = 0, from;
    for (int i = 0; i < m->rank; i++) {
        group[i] = -1;
        extent[i] = w->step->part[i] ? w->step->part[i] : m->extent[i];
    }
    for (int k = 0; k < ndim; k++) {
        ngroup += k && cuts >> (k - 1) & 1;
        if (ngroup > 3)
            return false;
        size[ngroup] =
            k == 0 || cuts >> (k - 1) & 1 ? extent[dims[k]] : poly_mul(l->polys, size[ngroup], extent[dims[k]]);
        group[dims[k]] = ngroup;
    }
    ngroup = ndim ? ngroup + 1 : 0;
    *w->call = (Call){ .op = of_row ? "row_values" : ngroup <= 2 ? "rows" : "batch_rows" };
    w->naxis = 0;
    w->text = (Text){ .arena = l->arena };
    memset(w->written, 0, sizeof w->written);
    w->step->is_value_of_row = of_row;
    if (of_row) {
        if (ngroup > 1)
            return false;
        add_axis(w, "M", ngroup ? size[0] : poly_number(l->polys, 1), "m");
        add_axis(w, "N", row, "n");
        from = 0;
    } else {
        const int naxis = ngroup <= 2 ? 2 : 4;
        for (int a = 0; a < naxis; a++) {
            const int g = a - (naxis - ngroup);
            add_axis(w, axis_names[4 - naxis + a], g < 0 ? poly_number(l->polys, 1) : size[g],
                     axis_letters[4 - naxis + a]);
        }
        from = naxis - ngroup;
    }
    w->row = row ? w->naxis - 1 : -1;
    for (int i = 0; i < m->rank; i++)
        group[i] = group[i] < 0 ? -1 : group[i] + from;
    for (int a = 0; a < w->naxis; a++)
        call_add_size(w->call, w->axis[a], w->extent[a]);
    memcpy(m->order, order, sizeof m->order);
    const ElemType type = storage_is_whole(m->stored) ? ELEM_INT : ELEM_REAL;
    const Elem *x = by_axes(w, elem_as(l->elems, value, type), m->rank, extent, order, group);
    if (!(type == ELEM_INT ? call_write_whole(w, x) : call_write_elem(w, x)))
        return false;
    w->call->formula = text_str(&w->text);
    return w->call->noperand > 0 && add_output(w, group);
}

/* How good it is to cut extents into axes so: rows along the last extent are best, few axes are better. */
static int cut_score(unsigned cuts, int ndim)
{
    const int naxis = ndim ? 1 + __builtin_popcount(cuts) : 0;
    const bool last_alone = ndim < 2 || cuts >> (ndim - 2) & 1;
    return (naxis == 2 && last_alone ? 0 : naxis == 1 ? 1 : naxis == 2 ? 2 : naxis + 1) * 2 + !last_alone;
}

/* Tries all ways to cut extents into axes, the best ones first; last_alone: the last extent is an axis by itself. */
static bool try_all_cuts(CallWriter *w, const int *order, const int *dims, int ndim, bool last_alone, bool of_row,
                         const Poly *row)
{
    const unsigned ncuts = ndim ? 1u << (ndim - 1) : 1, must = last_alone && ndim > 1 ? 1u << (ndim - 2) : 0;
    w->lacks_negative = false;
    for (int tried = 0; tried < (w->lacks_negative ? 3 : 2); tried++)
        for (int score = 0; score < 16; score++)
            for (unsigned cuts = 0; cuts < ncuts; cuts++) {
                w->is_plain = tried == 0;
                w->subtracts = tried == 2; /* as nothing else helps */
                if ((cuts & must) == must && cut_score(cuts, ndim) == score &&
                    try_cuts(w, w->step->value, order, dims, ndim, cuts, of_row, row))
                    return true;
                if (w->text.len > CALL_MAX_TEXT) /* whatever the axes are */
                    return false;
            }
    return false;
}

static bool write_formula(CallWriter *w)
{
    Lower *l = w->lower;
    const Step *s = w->step;
    const Memory *m = &l->memory[s->out];
    const Elem *at = NULL;
    const Poly *row = find_row(s->value, &at);
    int order[LOWER_MAX_RANK], dims[LOWER_MAX_RANK], ndim = 0, last = -1;
    for (int i = 0; i < m->rank; i++) {
        order[i] = m->order[i];
        if (row && at == lower_place_elem(l, i, m->extent[i]) && !poly_is(m->extent[i], 1))
            last = i;
    }
    for (int i = 0; row && !at && i < m->rank; i++)
        if (call_is_equal(w, row, m->extent[order[i]]) &&
            (i == m->rank - 1 || uses_beside_rows(l, s->value, lower_place(l, order[i], m->extent[order[i]]))))
            last = last < 0 || i < m->rank - 1 ? order[i] : last;
    const bool of_row = row && last < 0;
    if (last >= 0 && !m->is_ordered) { /* rows go along the last extent */
        int n = 0;
        for (int i = 0; i < m->rank; i++)
            if (m->order[i] != last)
                order[n++] = m->order[i];
        order[n] = last;
    }
    bool is_axis = true; /* the last extent */
    for (int k = 0; k < m->rank; k++) {
        is_axis = !poly_is(s->part[order[k]] ? s->part[order[k]] : m->extent[order[k]], 1) || order[k] == last;
        if (is_axis)
            dims[ndim++] = order[k];
    }
    const unsigned ncuts = ndim ? 1u << (ndim - 1) : 1;
    for (unsigned cuts = 0; row && !at && of_row && cuts < ncuts; cuts++) /* a row of several extents */
        if (try_cuts(w, s->value, order, dims, ndim, cuts, false, row))
            return true;
    if (try_all_cuts(w, order, dims, ndim, row && !of_row, of_row, row))
        return true;
    if (s->at && !row && !is_axis) { /* a part one element wide: its elements do not lie side by side */
        dims[ndim++] = order[m->rank - 1];
        return try_all_cuts(w, order, dims, ndim, true, false, NULL);
    }
    /* the row may be one that the output lacks, and as long as its last extent by chance */
    return row && !of_row && try_cuts(w, s->value, m->order, dims, ndim, 0, true, row);
}

bool call_of(Lower *l, Step *s, Call *c)
{
    CallWriter w = {
        .lower = l, .step = s, .call = c, .row = -1, .nchoice = s->is_chosen, .text = { .arena = l->arena }
    };
    *c = (Call){ 0 };
    if (s->value && !call_fits(s->value))
        return false;
    return s->op ? write_operator(&w) : write_formula(&w);
}
