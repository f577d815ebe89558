/* SPDX-License-Identifier: Apache-2.0
 *
 * call: writes a step as a call of a function: its formula as text, its operands and its extents. The extents of the
 * output become axes, neighbouring ones the same axis where all operands allow it: of Y[B,T,768] = X[B,T,768] + b[768]
 * that is rows with M = B*T and N = 768.
 */
#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/import/lower.h"

enum {
    AXIS_PLACE = 64,
    MAX_AXIS = 8,
    MAX_TEXT = 6000,
    MAX_DIMS = 1 << 14
}; /* AXIS_PLACE: places of axes are numbered from here on */

typedef struct {
    Lower *lower;
    Step *step;
    Call *call;
    int naxis, row; /* row: the axis that rows go along; -1: none */
    bool is_plain;  /* what is known to lie along axes must be read so, not by computed indices */
    int nchoice;    /* choices around: what is not chosen need not be there */
    const char *axis[MAX_AXIS], *letter[MAX_AXIS]; /* "M", "m" */
    const Poly *extent[MAX_AXIS];
    int place[MAX_AXIS];
    Text text;
} Writer;

static bool is_equal(Writer *w, const Poly *x, const Poly *y)
{
    return poly_compare(w->lower->polys, x, y) == POLY_EQUAL;
}

/* ---- sizes in a formula ---- */

static bool write_size(Writer *w, const Poly *x);
static const char *new_name(Writer *w, const char *stem);

static void add_size(Call *c, const char *name, const Poly *size)
{
    c->size[c->nsize].name = name;
    c->size[c->nsize++].size = size;
}

/* A size that no extent of the call tells: a number more that the call is given. Sizes that may be negative are
 * differences of two such. */
static bool write_number_of(Writer *w, const Poly *x)
{
    Call *c = w->call;
    int64_t least, most;
    poly_range(w->lower->polys, x, &least, &most);
    for (int i = 0; i < w->naxis; i++)
        if (poly_uses(w->lower->polys, x, w->place[i]))
            return false;
    if (least < 0 || c->nsize == (int)LENGTH(c->size) || c->nnumber == LOWER_MAX_OPERAND)
        return false;
    const char *name = c->number[c->nnumber++] = new_name(w, "E");
    add_size(c, name, x);
    text_add(&w->text, name);
    return true;
}

/* A size of dims alone, by the extents that the call has, the sum of two, or as a number more. */
static bool write_extent(Writer *w, const Poly *x)
{
    Polys *p = w->lower->polys;
    const Call *c = w->call;
    int64_t value;
    if (poly_is_number(x, &value)) {
        text_printf(&w->text, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
        return true;
    }
    for (int i = 0; i < c->nsize; i++)
        if (is_equal(w, c->size[i].size, x)) {
            text_add(&w->text, c->size[i].name);
            return true;
        }
    for (int i = 0; i < c->nsize; i++) {
        const Poly *d = poly_sub(p, x, c->size[i].size);
        if (d && poly_is_number(d, &value)) {
            text_printf(&w->text, "(%s + %" PRId64 ")", c->size[i].name, value);
            return true;
        }
        for (int k = 0; k < c->nsize; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                const Poly *sum = sign < 0 ? poly_sub(p, c->size[i].size, c->size[k].size)
                                           : poly_add(p, c->size[i].size, c->size[k].size);
                if (is_equal(w, sum, x)) {
                    text_printf(&w->text, "(%s %c %s)", c->size[i].name, sign < 0 ? '-' : '+', c->size[k].name);
                    return true;
                }
            }
    }
    return write_number_of(w, x);
}

/* by * (a op b) + rest; remainders a - b*(a / b) as a % b. */
static bool write_split(Writer *w, const Poly *x)
{
    Polys *p = w->lower->polys;
    const Poly *by, *a, *b, *rest;
    const char *op;
    if (!poly_split(p, x, &by, &op, &a, &b, &rest))
        return false;
    const Poly *number, *divisor;
    if (poly_is_remainder(p, x, &number, &divisor)) {
        text_add(&w->text, "(");
        if (!write_size(w, number))
            return false;
        text_add(&w->text, " % ");
        if (!write_size(w, divisor))
            return false;
        text_add(&w->text, ")");
        return true;
    }
    const bool divides = strcmp(op, "/") == 0;
    const Poly *times = divides ? poly_quotient(p, poly_sub(p, poly_number(p, 0), by), b) : NULL;
    const Poly *left = times ? poly_sub(p, rest, poly_mul(p, times, a)) : NULL;
    const bool remains = left && poly_nterm(left) < poly_nterm(rest);
    if (!divides && strcmp(op, "min") != 0 && strcmp(op, "max") != 0)
        return false;
    by = remains ? times : by;
    rest = remains ? left : rest;
    const bool minus = poly_is(by, -1);
    text_add(&w->text, "(");
    if (!poly_is(rest, 0) && !write_size(w, rest))
        return false;
    text_add(&w->text, poly_is(rest, 0) ? (minus ? "-" : "") : minus ? " - " : " + ");
    if (!poly_is(by, 1) && !minus) {
        if (!write_size(w, by))
            return false;
        text_add(&w->text, " * ");
    }
    text_add(&w->text, remains ? "(" : divides ? "div(" : arena_printf(w->lower->arena, "%s(", op));
    if (!write_size(w, a))
        return false;
    text_add(&w->text, remains ? " % " : ", ");
    if (!write_size(w, b))
        return false;
    text_add(&w->text, "))");
    return true;
}

/* A size of places too: a sum over them, quotients by extents, and the like. */
static bool write_size(Writer *w, const Poly *x)
{
    Polys *p = w->lower->polys;
    const Poly *by[MAX_AXIS], *rest;
    int64_t value;
    bool first = true;
    if (!poly_linear(p, x, w->place, w->naxis, by, &rest))
        return write_split(w, x);
    int nterm = !poly_is(rest, 0);
    for (int i = 0; i < w->naxis; i++)
        nterm += !poly_is(by[i], 0);
    text_add(&w->text, nterm > 1 ? "(" : "");
    for (int i = 0; i < w->naxis; i++) {
        if (poly_is(by[i], 0))
            continue;
        const bool minus = poly_is_number(by[i], &value) && value < 0;
        text_add(&w->text, first ? (minus ? "-" : "") : minus ? " - " : " + ");
        first = false;
        const Poly *size = minus ? poly_number(p, -value) : by[i];
        if (!poly_is(size, 1)) {
            if (!write_extent(w, size))
                return false;
            text_add(&w->text, " * ");
        }
        text_add(&w->text, w->letter[i]);
    }
    if (first || !poly_is(rest, 0)) {
        const bool minus = !first && poly_is_number(rest, &value) && value < 0;
        text_add(&w->text, first ? "" : minus ? " - " : " + ");
        if (!write_extent(w, minus ? poly_number(p, -value) : rest))
            return false;
    }
    text_add(&w->text, nterm > 1 ? ")" : "");
    return true;
}

/* ---- operands ---- */

static bool write_elem(Writer *w, const Elem *x);

static const char *new_name(Writer *w, const char *stem)
{
    const Call *c = w->call;
    for (int n = 0;; n++) {
        const char *name = n ? arena_printf(w->lower->arena, "%s%d", stem, n) : stem;
        bool is_taken = false;
        for (int i = 0; i < c->noperand; i++)
            is_taken = is_taken || strcmp(c->operand[i].name, name) == 0;
        for (int i = 0; i < c->nsize; i++)
            is_taken = is_taken || strcmp(c->size[i].name, name) == 0;
        if (!is_taken)
            return name;
    }
}

static bool is_same_access(Writer *w, const CallOperand *a, const CallOperand *b)
{
    bool same = a->access.memory == b->access.memory && a->rank == b->rank && a->is_declared == b->is_declared &&
                is_equal(w, a->access.at, b->access.at);
    for (int i = 0; i < a->rank && same; i++)
        same = is_equal(w, a->access.stride[i], b->access.stride[i]) && is_equal(w, a->extent[i], b->extent[i]) &&
               strcmp(a->declared[i], b->declared[i]) == 0;
    return same;
}

/* The operand of the call that goes over memory so; a new one where there is none yet. *name: what it is called. NULL
 * `stem`: it is known. */
static bool add_operand(Writer *w, CallOperand *o, const char *stem, const char **name)
{
    Call *c = w->call;
    for (int i = 0; i < c->noperand; i++)
        if (is_same_access(w, &c->operand[i], o) && islower(*c->operand[i].name)) { /* not an operator's own */
            *name = c->operand[i].name;
            return true;
        }
    if (c->noperand + 1 >= LOWER_MAX_OPERAND)
        return false;
    *name = o->name = new_name(w, stem);
    c->operand[c->noperand++] = *o;
    return true;
}

/* Is every index within its extent, whatever the places are? */
static bool is_within(Writer *w, const Elem *x)
{
    const Memory *m = &w->lower->memory[x->memory];
    for (int i = 0; i < x->narg; i++) {
        const Poly *at = elem_as_size(x->arg[i]);
        if (!at || !poly_is_within(w->lower->polys, at, m->extent[i]))
            return false;
    }
    return true;
}

/* The larger of two strides, as far as numbers tell. */
static double stride_size(Writer *w, const Poly *x)
{
    double size = 0;
    int64_t dims[MAX_DIMS], value;
    if (polys_ndim(w->lower->polys) > MAX_DIMS)
        return 0;
    for (int i = 0; i < polys_ndim(w->lower->polys); i++) {
        int64_t least, most;
        polys_dim_range(w->lower->polys, i, &least, &most);
        dims[i] = most;
    }
    if (poly_at(w->lower->polys, x, dims, &value))
        size = (double)value;
    return size;
}

static const char *operand_stem(Writer *w, const Elem *x, int rank)
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
static bool write_plain(Writer *w, const Elem *x)
{
    Lower *l = w->lower;
    Access a;
    int along[MAX_AXIS], n = 0;
    const char *name;
    if (!access_of(l, x, w->naxis, w->place, &a))
        return false;
    for (int i = 0; i < w->naxis; i++)
        if (!poly_is(w->extent[i], 1) && !poly_is(a.stride[i], 0))
            along[n++] = i;
    for (int i = 1; i < n; i++) /* outermost first; of equal ones in their order */
        for (int k = i; k > 0 && stride_size(w, a.stride[along[k]]) > stride_size(w, a.stride[along[k - 1]]); k--) {
            const int t = along[k];
            along[k] = along[k - 1];
            along[k - 1] = t;
        }
    CallOperand o = { .access = { .memory = a.memory, .at = a.at }, .rank = n };
    for (int i = 0; i < n; i++) {
        o.access.stride[i] = a.stride[along[i]];
        o.extent[i] = w->extent[along[i]];
        o.declared[i] = w->axis[along[i]];
    }
    const bool needs_one = !n || !poly_is(o.access.stride[n - 1], 1); /* the last extent's elements lie side by side */
    if (needs_one) {
        o.extent[n] = o.access.stride[n] = poly_number(l->polys, 1);
        o.rank = n + 1;
        o.is_declared = true;
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
static const char *size_name(Writer *w, const Poly *size, bool is_bound)
{
    Call *c = w->call;
    int64_t value;
    if (poly_is_number(size, &value) && value > 0 && !is_bound)
        return arena_printf(w->lower->arena, "%" PRId64, value);
    for (int i = 0; i < c->nsize; i++)
        if (is_equal(w, c->size[i].size, size))
            return c->size[i].name;
    if (c->nsize == (int)LENGTH(c->size))
        return NULL;
    const char *name = new_name(w, "E");
    add_size(c, name, size);
    return name;
}

/* A load by computed indices, of memory as it lies: table[id[m],n]. */
static bool write_indexed(Writer *w, const Elem *x)
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
        const bool is_bound = x->arg[m->order[i]]->kind == ELEM_LOAD; /* extents that places are of have a name */
        if (!(o.declared[i] = size_name(w, o.extent[i], is_bound)))
            return false;
    }
    if (!add_operand(w, &o, operand_stem(w, x, 2), &name))
        return false;
    text_printf(&w->text, "%s[", name);
    for (int i = 0; i < m->rank; i++) {
        const Elem *index = x->arg[m->order[i]];
        text_add(&w->text, i ? "," : "");
        if (!write_elem(w, index))
            return false;
        needs_guard =
            needs_guard || (elem_as_size(index) ? !poly_is_within(l->polys, index->size, m->extent[m->order[i]])
                                                : index->kind != ELEM_LOAD);
    }
    text_add(&w->text, needs_guard ? (storage_is_whole(m->stored) ? "; 0]" : "; 0.0]") : "]");
    return true;
}

static bool write_load(Writer *w, const Elem *x)
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

/* ---- values ---- */

static bool write_number(Writer *w, const Elem *x)
{
    if (x->type == ELEM_TRUTH) {
        text_add(&w->text, x->number != 0 ? "(0 == 0)" : "(0 != 0)");
        return true;
    }
    if (isnan(x->number))
        return false;
    if (isinf(x->number)) {
        text_add(&w->text, x->number > 0 ? "inf" : "(-inf)");
        return true;
    }
    const char *digits = NULL;
    for (int n = 6;
         n <= 17 && !(digits && strtof(digits, NULL) == (float)x->number && fabs(strtod(digits, NULL)) <= FLT_MAX); n++)
        digits = arena_printf(w->lower->arena, "%.*g", n, x->number);
    if (fabs(x->number) > FLT_MAX)
        return false;
    const bool is_real = strpbrk(digits, ".e");
    text_printf(&w->text, x->number < 0 ? "(%s%s)" : "%s%s", digits, is_real ? "" : ".0");
    return true;
}

static bool write_row(Writer *w, const Elem *x)
{
    Lower *l = w->lower;
    if (w->row < 0 || !is_equal(w, x->extent, w->extent[w->row]))
        return false;
    const Elem *along = elem_place(l->elems, w->place[w->row]);
    if (elem_uses(l->elems, x->arg[0], w->place[w->row]) || (x->at && x->at != along))
        return false;
    text_printf(&w->text, "%s[%s](", x->op, w->letter[w->row]);
    if (!write_elem(w, elem_replace(l->elems, x->arg[0], 1, &x->along, &along)))
        return false;
    if (x->narg > 1) {
        text_add(&w->text, ", ");
        if (!write_elem(w, x->arg[1]))
            return false;
    }
    text_add(&w->text, ")");
    return true;
}

static bool write_list(Writer *w, const Elem *x)
{
    for (int i = 0; i < x->narg; i++) {
        text_add(&w->text, i ? ", " : "(");
        if (!write_elem(w, x->arg[i]))
            return false;
    }
    text_add(&w->text, ")");
    return true;
}

static bool write_apply(Writer *w, const Elem *x)
{
    if (strcmp(x->op, "?") == 0) {
        text_add(&w->text, "(");
        for (int i = 0; i < 3; i++) {
            w->nchoice += i > 0;
            const bool ok = write_elem(w, x->arg[i]);
            w->nchoice -= i > 0;
            if (!ok)
                return false;
            text_add(&w->text, i == 0 ? " ? " : i == 1 ? " : " : ")");
        }
        return true;
    }
    if (strcmp(x->op, "real") == 0) { /* a whole number counts as a real one wherever one is wanted */
        text_add(&w->text, "(1.0 * ");
        const bool ok = write_elem(w, x->arg[0]);
        text_add(&w->text, ")");
        return ok;
    }
    if (strcmp(x->op, "int") == 0)
        return false;
    if (x->narg == 1) {
        text_add(&w->text, strcmp(x->op, "neg") == 0 ? "(-" : strcmp(x->op, "!") == 0 ? "(!" : x->op);
        const bool is_sign = strcmp(x->op, "neg") == 0 || strcmp(x->op, "!") == 0;
        const bool ok = is_sign ? write_elem(w, x->arg[0]) : write_list(w, x);
        text_add(&w->text, is_sign ? ")" : "");
        return ok;
    }
    if (isalpha((unsigned char)*x->op)) {
        text_add(&w->text, x->op);
        return write_list(w, x);
    }
    const bool turns = (*x->op == '+' || *x->op == '*') && w->step->op && elem_loads(x->arg[1], w->step->out) &&
                       !elem_loads(x->arg[0], w->step->out); /* what the operator computed stands first */
    text_add(&w->text, "(");
    if (!write_elem(w, x->arg[turns]))
        return false;
    text_printf(&w->text, " %s ", x->op);
    if (!write_elem(w, x->arg[!turns]))
        return false;
    text_add(&w->text, ")");
    return true;
}

static bool write_elem(Writer *w, const Elem *x)
{
    if (!x || w->text.len > MAX_TEXT)
        return false;
    switch (x->kind) {
    case ELEM_NUMBER:
        return write_number(w, x);
    case ELEM_SIZE:
        return write_size(w, x->size);
    case ELEM_LOAD:
        return write_load(w, x);
    case ELEM_ROW:
        return write_row(w, x);
    case ELEM_APPLY:
        return write_apply(w, x);
    }
    return false;
}

/* ---- axes ---- */

/* Places of the output's extents by those of axes. group: the axis of each extent, or -1 where it is 1. */
static const Elem *by_axes(Writer *w, const Elem *x, int rank, const Poly *const *extent, const int *order,
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

static void add_axis(Writer *w, const char *name, const Poly *extent, const char *letter)
{
    w->axis[w->naxis] = name;
    w->letter[w->naxis] = letter;
    w->extent[w->naxis] = extent;
    w->place[w->naxis] = lower_place(w->lower, AXIS_PLACE + w->naxis, extent);
    w->naxis++;
}

/* The output, as the call writes it: over the axes, as it lies in memory. */
static bool add_output(Writer *w, const int *group)
{
    Lower *l = w->lower;
    const Step *s = w->step;
    const Memory *m = &l->memory[s->out];
    CallOperand o = { .name = "Y" };
    int along[MAX_AXIS], n = 0;
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

static bool write_operator(Writer *w)
{
    Lower *l = w->lower;
    Step *s = w->step;
    Call *c = w->call;
    const Memory *m = &l->memory[s->out];
    int order[LOWER_MAX_RANK], group[LOWER_MAX_RANK];
    c->op = s->op;
    c->layout = s->layout;
    for (int i = 0; i < s->nextent; i++)
        add_size(c, s->extent[i], s->size[i]);
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
        if (!write_elem(w, elem_as(l->elems, x, ELEM_REAL)))
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
static bool try_cuts(Writer *w, const Elem *value, const int *order, const int *dims, int ndim, unsigned cuts,
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
        add_size(w->call, w->axis[a], w->extent[a]);
    memcpy(m->order, order, sizeof m->order);
    const Elem *x = by_axes(w, elem_as(l->elems, value, ELEM_REAL), m->rank, extent, order, group);
    if (!write_elem(w, x))
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

static bool write_formula(Writer *w)
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
        if (is_equal(w, row, m->extent[order[i]]) &&
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
    for (int k = 0; k < m->rank; k++)
        if (!poly_is(s->part[order[k]] ? s->part[order[k]] : m->extent[order[k]], 1) || order[k] == last)
            dims[ndim++] = order[k];
    const unsigned ncuts = ndim ? 1u << (ndim - 1) : 1;
    const unsigned must = row && !of_row && ndim > 1 ? 1u << (ndim - 2) : 0;
    for (unsigned cuts = 0; row && !at && of_row && cuts < ncuts; cuts++) /* a row of several extents */
        if (try_cuts(w, s->value, order, dims, ndim, cuts, false, row))
            return true;
    for (int plain = 1; plain >= 0; plain--)
        for (int score = 0; score < 16; score++)
            for (unsigned cuts = 0; cuts < ncuts; cuts++) {
                w->is_plain = plain;
                if ((cuts & must) == must && cut_score(cuts, ndim) == score &&
                    try_cuts(w, s->value, order, dims, ndim, cuts, of_row, row))
                    return true;
            }
    /* the row may be one that the output lacks, and as long as its last extent by chance */
    return row && !of_row && try_cuts(w, s->value, m->order, dims, ndim, 0, true, row);
}

bool call_of(Lower *l, Step *s, Call *c)
{
    Writer w = { .lower = l, .step = s, .call = c, .row = -1, .text = { .arena = l->arena } };
    *c = (Call){ 0 };
    return s->op ? write_operator(&w) : write_formula(&w);
}
