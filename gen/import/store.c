/* SPDX-License-Identifier: Apache-2.0
 *
 * store: computes values into memory. What can, becomes the epilogue of an operator (step.c); what is put together of
 * parts is written part by part; all else is a formula's step.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "gen/import/lower.h"

enum { MAX_WEIGHT = 160 }; /* of an expression that is computed again by each that uses it */

/* The node that gives the value; NULL: it is a part of one, or an input. */
static const char *node_of(const Lower *l, const Value *v)
{
    const bool is_whole = v >= l->value && v < l->value + l->net->nvalue;
    const int writer = is_whole ? l->net->value[v - l->value].writer : -1;
    return writer < 0 ? NULL : l->net->node[writer].onnx->name;
}

/* ---- formulas ---- */

/* How what an expression gives is stored. */
static const Storage *stored_as(const Elem *x) { return &storages[x->type == ELEM_INT ? STORED_S32 : STORED_F32]; }

/* A value that reads no memory, as functions must: plus a constant that is 0. */
static const Elem *with_operand(Lower *l, const Elem *x)
{
    static const int32_t zero; /* in all types */
    const bool is_whole = x->type == ELEM_INT;
    const Elem **added = &l->zero[is_whole];
    const Poly *one = poly_number(l->polys, 1);
    if (x->nload)
        return x;
    if (elem_is_op(x, "int")) /* it must stay the root */
        return elem_as(l->elems, with_operand(l, x->arg[0]), ELEM_INT);
    if (!*added)
        *added = memory_elem(
            l, memory_constant(l, is_whole ? "dcgen.zero.s32" : "dcgen.zero", stored_as(x), 1, &one, &zero));
    return ELEM(l->elems, "+", x, *added);
}

static bool is_view(const Elem *x)
{
    bool view = x->kind == ELEM_LOAD;
    for (int i = 0; i < x->narg && view; i++)
        view = elem_as_size(x->arg[i]);
    return view;
}

static bool is_positive(const Lower *l, const Poly *size)
{
    int64_t least = -1, most;
    if (size)
        poly_range(l->polys, size, &least, &most);
    return least > 0;
}

/* Is it made of two parts along a place? *dim: the extent; *size: where the second begins. */
static bool is_joined(Lower *l, const Value *v, const Elem *x, int *dim, const Poly **size)
{
    if (x->kind != ELEM_APPLY || strcmp(x->op, "?") != 0 || x->arg[0]->kind != ELEM_APPLY ||
        strcmp(x->arg[0]->op, "<") != 0)
        return false;
    const Poly *at = elem_as_size(x->arg[0]->arg[0]), *end = elem_as_size(x->arg[0]->arg[1]);
    for (int i = 0; i < v->rank && at && end; i++) { /* place + T < 3*T, of the second part of three: place < 2*T */
        const int place = lower_place(l, i, v->dim[i]);
        const Poly *more = poly_sub(l->polys, at, poly_dim(l->polys, place));
        if (!poly_uses(l->polys, at, place) || (!more || poly_uses_places(l->polys, more)))
            continue;
        *dim = i;
        *size = poly_sub(l->polys, end, more);
        return *size && !poly_uses_places(l->polys, *size) &&
               (poly_is(more, 0) || (is_positive(l, *size) && is_positive(l, poly_sub(l->polys, v->dim[i], *size))));
    }
    return false;
}

/* Computes a part of memory: of these extents, from `at` on, with the value over the part's own places. */
static bool store_part(Lower *l, int out, const Value *part, const Poly *const *from)
{
    const Poly *stride[LOWER_MAX_RANK], *at = poly_number(l->polys, 0), *size;
    int dim;
    Call call;
    if (is_joined(l, part, part->elem, &dim, &size)) {
        Value first = *part, second = *part;
        const Poly *behind[LOWER_MAX_RANK], *rest = poly_sub(l->polys, part->dim[dim], size);
        memcpy(behind, from, sizeof behind);
        behind[dim] = poly_add(l->polys, from[dim], size);
        first.dim[dim] = size;
        second.dim[dim] = rest;
        const int place = lower_place(l, dim, part->dim[dim]);
        const Elem *in_first = lower_place_elem(l, dim, size);
        const Elem *in_second = ELEM(l->elems, "+", lower_place_elem(l, dim, rest), elem_size(l->elems, size));
        first.elem = elem_replace(l->elems, part->elem->arg[1], 1, &place, &in_first);
        second.elem = elem_replace(l->elems, part->elem->arg[2], 1, &place, &in_second);
        return store_part(l, out, &first, from) && store_part(l, out, &second, behind);
    }
    step_close(l, part->elem);
    memory_strides(l, out, stride);
    for (int i = 0; i < part->rank; i++)
        at = poly_add(l->polys, at, poly_mul(l->polys, from[i], stride[i]));
    const Elem *value = with_operand(l, part->elem);
    do {
        Step s = { .out = out, .value = value, .at = at, .is_chosen = l->is_chosen };
        memcpy(s.part, part->dim, sizeof s.part);
        lower_places(l, part->rank, part->dim, s.place);
        if (call_of(l, &s, &call)) {
            step_add(l, s);
            return true;
        }
    } while (split_value(l, &value));
    Value own = *part; /* computed by itself, in whatever order, and then copied to its place */
    return !is_view(own.elem) && store_value(l, &own) && store_part(l, out, &own, from);
}

/* ---- constants ---- */

/* Are all of its loads of constants? */
static bool is_constant(const Lower *l, const Elem *x)
{
    bool constant = x->kind != ELEM_LOAD || l->memory[x->memory].kind == MEMORY_CONSTANT;
    for (int i = 0; i < x->narg && constant; i++)
        constant = is_constant(l, x->arg[i]);
    return constant;
}

static bool load_constant(void *ctx, int memory, const int64_t *index, int n, double *value)
{
    const Lower *l = ctx;
    const Memory *m = &l->memory[memory];
    int64_t at = 0, extent;
    for (int i = 0; i < n; i++) {
        if (!poly_is_number(m->extent[i], &extent) || index[i] < 0 || index[i] >= extent)
            return false;
        at = at * extent + index[i];
    }
    *value = storage_load(m->stored, m->data, at);
    return true;
}

bool store_is_constant(const Lower *l, const Elem *x) { return x && is_constant(l, x); }

bool store_constant_at(Lower *l, const Elem *x, int64_t *dims, double *value)
{
    return is_constant(l, x) && elem_at(l->elems, x, dims, load_constant, l, value);
}

/* How much work an element is. */
static double steps_of(const Elem *x)
{
    int64_t extent;
    double n = 1;
    for (int i = 0; i < x->narg; i++)
        n += steps_of(x->arg[i]);
    return x->kind == ELEM_ROW && poly_is_number(x->extent, &extent) ? n * (double)extent : n;
}

/* Does it depend on the model's sizes? */
static bool uses_dims(const Lower *l, const Elem *x)
{
    bool uses = false;
    for (int i = 0; i < polys_ndim(l->polys) && !uses; i++)
        uses = !polys_below(l->polys, i) && elem_uses(l->elems, x, i);
    return uses;
}

/* Computes the value now, if all that it is made of is known. */
static bool make_constant(Lower *l, Value *v)
{
    enum { MOST = 1 << 26 };
    static const double most_steps = 4e9;
    int64_t extent[LOWER_MAX_RANK], count = 1;
    int place[LOWER_MAX_RANK];
    if (!is_constant(l, v->elem) || uses_dims(l, v->elem))
        return false;
    for (int i = 0; i < v->rank; i++) {
        if (!poly_is_number(v->dim[i], &extent[i]) || extent[i] > MOST / (count ? count : 1))
            return false;
        count *= extent[i];
    }
    if ((double)count * steps_of(v->elem) > most_steps)
        return false;
    lower_places(l, v->rank, v->dim, place);
    const bool is_known = v >= l->value && v < l->value + l->net->nvalue;
    const char *from =
        is_known ? l->net->value[v - l->value].name : arena_printf(l->arena, "dcgen.constant.%d", l->nmemory);
    const Storage *stored = &storages[v->elem->type == ELEM_REAL ? STORED_F32 : STORED_S32];
    char *data = ARENA_ARRAY(l->arena, (size_t)count * stored->bytes + 1, char);
    int64_t *dims = ARENA_ARRAY(l->arena, (size_t)polys_ndim(l->polys) + 1, int64_t);
    for (int64_t i = 0; i < count; i++) {
        double value;
        for (int64_t k = v->rank - 1, rest = i; k >= 0; k--) {
            dims[place[k]] = rest % extent[k];
            rest /= extent[k];
        }
        if (!elem_at(l->elems, v->elem, dims, load_constant, l, &value))
            return false;
        storage_store(stored, data, i, value);
    }
    v->elem = memory_elem(l, memory_constant(l, from, stored, v->rank, v->dim, data));
    return true;
}

static float *vector_of(Lower *l, const Elem *x, int place, int64_t n)
{
    float *data = ARENA_ARRAY(l->arena, (size_t)n + 1, float);
    int64_t *dims = ARENA_ARRAY(l->arena, (size_t)polys_ndim(l->polys) + 1, int64_t);
    for (int64_t i = 0; i < n; i++) {
        double value;
        dims[place] = i;
        if (!store_constant_at(l, x, dims, &value))
            return NULL;
        data[i] = (float)value;
    }
    return data;
}

const Elem *store_vector(Lower *l, const Elem *x, int place, const char *from)
{
    const Poly *extent = polys_below(l->polys, place);
    const Elem *at = elem_place(l->elems, place);
    int64_t n;
    float *data = x && poly_is_number(extent, &n) ? vector_of(l, x, place, n) : NULL;
    if (!data)
        return x;
    return elem_load(l->elems, memory_constant(l, from, &storages[STORED_F32], 1, &extent, data), ELEM_REAL, 1, &at);
}

bool store_scaled(Lower *l, const Elem *x, const Elem *factor, int place)
{
    Step *s = x->kind == ELEM_LOAD ? step_open(l, x->memory) : NULL;
    int64_t n, extent, each = 1;
    if (!s || strcmp(s->op, "conv2d") != 0 || s->value || step_is_read_besides(l, s, NULL) ||
        !poly_is_number(polys_below(l->polys, place), &n))
        return false;
    StepOperand *filters = &s->operand[1];
    Memory m = l->memory[filters->access.memory];
    for (int i = 1; i < m.rank; i++)
        each *= poly_is_number(m.extent[i], &extent) ? extent : 1;
    const float *by = poly_is(m.extent[0], n) ? vector_of(l, factor, place, n) : NULL;
    if (!by)
        return false;
    float *data = ARENA_ARRAY(l->arena, (size_t)(n * each) + 1, float);
    for (int64_t i = 0; i < n * each; i++)
        data[i] = ((const float *)m.data)[i] * by[i / each];
    m.data = data;
    m.name = NULL;
    m.from = arena_printf(l->arena, "%s, scaled by %s", m.from, l->node->onnx->name);
    filters->access.memory = memory_add(l, m);
    return true;
}

bool store_constant(Lower *l, Value *v)
{
    return v->elem && !is_view(v->elem) && v->elem->type != ELEM_TRUTH && v->elem->nload && make_constant(l, v);
}

/* ---- values ---- */

/* A number in it that packages do not compute with; NULL: there is none. */
static const Elem *number_beyond(const Elem *x)
{
    int64_t whole;
    double value;
    if (elem_is_whole(x, &whole) ? whole > INT32_MAX || whole < -INT32_MAX
                                 : elem_is_number(x, &value) && !isinf(value) && !(fabs(value) <= FLT_MAX))
        return x;
    const Elem *found = NULL;
    for (int i = 0; i < x->narg && !found; i++)
        found = number_beyond(x->arg[i]);
    return found;
}

static bool tell_why(Lower *l, const Elem *x)
{
    int64_t whole;
    const Elem *beyond = number_beyond(x);
    if (!beyond)
        return lower_error(l, "what it computes cannot be said by formulas");
    if (elem_is_whole(beyond, &whole))
        return lower_error(
            l, "it computes with %" PRId64 ", and whole numbers have 32 bits; use a smaller one, or reals", whole);
    return lower_error(l, "it computes with the constant %g, which is no f32; take another one", beyond->number);
}

/* Computes memory by one formula, and what it cannot say by others before it. */
static bool store_formula(Lower *l, int out, const Value *v)
{
    const int before = diag_nerror(l->diag);
    const Elem *value = with_operand(l, v->elem);
    do {
        Step s = { .out = out, .value = value, .is_chosen = l->is_chosen };
        Call call;
        lower_places(l, v->rank, v->dim, s.place);
        if (call_of(l, &s, &call)) {
            step_add(l, s);
            l->memory[out].is_ordered = true;
            return true;
        }
    } while (split_value(l, &value));
    return diag_nerror(l->diag) == before && tell_why(l, v->elem);
}

static bool store_anew(Lower *l, Value *v)
{
    v->elem = value_elem(l, v);
    if (!v->elem)
        return lower_error(l, "a value of it has no form that formulas can say");
    Step *open = step_open_in(l, v->elem);
    if (open && !is_view(v->elem) && step_take(l, open, v))
        return true;
    step_close(l, v->elem);
    if (is_view(v->elem) || (!v->elem->nload && make_constant(l, v)))
        return true;
    const int out = memory_add(l, memory_result(stored_as(v->elem), v->rank, v->dim));
    const Poly *from[LOWER_MAX_RANK];
    int dim;
    const Poly *size;
    for (int i = 0; i < v->rank; i++)
        from[i] = poly_number(l->polys, 0);
    if (is_joined(l, v, v->elem, &dim, &size)) {
        const int before = diag_nerror(l->diag);
        if (!store_part(l, out, v, from))
            return diag_nerror(l->diag) == before &&
                   lower_error(l, "the parts that are put together here cannot be said by formulas");
    } else if (!store_formula(l, out, v)) {
        return false;
    }
    v->elem = memory_elem(l, out);
    v->type = v->type == ELEMENT_F64 || v->type == ELEMENT_F16 || v->type == ELEMENT_BF16 ? ELEMENT_F32 : v->type;
    return true;
}

bool store_value(Lower *l, Value *v)
{
    const char *before = l->storing, *node = node_of(l, v);
    l->storing = node ? node : before;
    const bool ok = store_anew(l, v);
    l->storing = before;
    return ok;
}

bool store_others(Lower *l, const NetNode *n)
{
    const Step *last = NULL;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n->ninput; i++) {
            Value *v = n->input[i] < 0 ? NULL : &l->value[n->input[i]];
            const Step *open = v && v->elem ? step_open_in(l, v->elem) : NULL;
            if (!open)
                continue;
            if (!pass)
                last = !last || open > last ? open : last;
            else if (open != last && !store_value(l, v))
                return false;
        }
    return true;
}

/* Is it better computed once than by each that uses it? */
static bool is_costly(const Elem *x) { return x->is_heavy || x->nload > 1 || x->weight > MAX_WEIGHT; }

bool store_settle(Lower *l, int value)
{
    Value *v = &l->value[value];
    if (!v->is_known || !v->elem || v->nlist || is_view(v->elem))
        return true;
    if (store_constant(l, v))
        return true;
    if (v->elem->type == ELEM_TRUTH || (v->elem->type == ELEM_INT && !v->elem->is_heavy))
        return true; /* masks and places go into the expressions of those that use them */
    Step *open = step_open_in(l, v->elem);
    if (open && l->joins_results[value] < 0 && !step_take(l, open, v))
        step_close(l, v->elem);
    if (is_view(v->elem))
        return true;
    if (value_readers(l, value, 0) > 1 && l->joins_rows[value] < 0 && is_costly(v->elem))
        return store_value(l, v);
    return v->elem->weight <= ELEM_MAX_SIZE / 64 || store_value(l, v);
}

bool store_copy(Lower *l, Value *v, const int *order)
{
    v->elem = value_elem(l, v);
    Memory m = memory_result(stored_as(v->elem), v->rank, v->dim);
    Call call;
    m.is_ordered = true;
    for (int i = 0; i < v->rank; i++)
        m.order[i] = order ? order[i] : i;
    step_close(l, v->elem);
    Step s = { .out = memory_add(l, m), .value = v->elem, .node = node_of(l, v) };
    lower_places(l, v->rank, v->dim, s.place);
    if (!call_of(l, &s, &call))
        return lower_error(l, "a copy of its operand cannot be said by one formula");
    step_add(l, s);
    v->elem = memory_elem(l, s.out);
    return true;
}
