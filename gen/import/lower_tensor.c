/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_tensor: the tensors of a model: its constants and inputs as memory, with the dims that their extents are made
 * of, and its outputs, which must lie in memory of their own.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "gen/base/name.h"
#include "gen/base/text.h"
#include "gen/import/lower.h"

/* ---- constants ---- */

static double constant_at(const OnnxTensor *t, int64_t i)
{
    const void *p = t->data;
    switch (t->type) {
    case ELEMENT_F32:
        return ((const float *)p)[i];
    case ELEMENT_F64:
        return ((const double *)p)[i];
    case ELEMENT_F16:
        return storage_load(&storages[STORED_F16], p, i);
    case ELEMENT_BF16:
        return storage_load(&storages[STORED_BF16], p, i);
    case ELEMENT_S64:
        return (double)((const int64_t *)p)[i];
    case ELEMENT_S32:
        return ((const int32_t *)p)[i];
    case ELEMENT_S16:
        return ((const int16_t *)p)[i];
    case ELEMENT_S8:
        return ((const int8_t *)p)[i];
    case ELEMENT_U64:
        return (double)((const uint64_t *)p)[i];
    case ELEMENT_U32:
        return ((const uint32_t *)p)[i];
    case ELEMENT_U16:
        return ((const uint16_t *)p)[i];
    case ELEMENT_U8:
    case ELEMENT_BOOL:
        return ((const uint8_t *)p)[i];
    default:
        return 0;
    }
}

const Elem *lower_constant_elem(Lower *l, const OnnxTensor *t, int64_t i)
{
    if (t->type == ELEMENT_S64)
        return elem_int(l->elems, ((const int64_t *)t->data)[i]);
    return elem_as(l->elems, elem_number(l->elems, constant_at(t, i)), elem_type_of(t->type));
}

static bool has_numbers(ElementType type)
{
    static const ElementType known[] = { ELEMENT_F32, ELEMENT_F64, ELEMENT_F16, ELEMENT_BF16, ELEMENT_S64,
                                         ELEMENT_S32, ELEMENT_S16, ELEMENT_S8,  ELEMENT_U64,  ELEMENT_U32,
                                         ELEMENT_U16, ELEMENT_U8,  ELEMENT_BOOL };
    for (size_t i = 0; i < LENGTH(known); i++)
        if (known[i] == type)
            return true;
    return false;
}

/* The elements as packages store them: f32, or s32 for whole numbers. */
static const void *constant_data(Lower *l, const OnnxTensor *t, const Storage *stored)
{
    if (t->type == ELEMENT_F32 || t->type == ELEMENT_S32)
        return t->data;
    char *data = ARENA_ARRAY(l->arena, (size_t)t->count * stored->bytes + 1, char);
    for (int64_t i = 0; i < t->count; i++)
        storage_store(stored, data, i, constant_at(t, i));
    return data;
}

/* An identifier that no memory has, from a name of whatever characters. */
const char *lower_identifier(Lower *l, const char *name)
{
    Text t = { .arena = l->arena };
    for (const char *c = name; *c && t.len < 48; c++) {
        const bool fits = isalnum((unsigned char)*c) && (unsigned char)*c < 128;
        if (fits && !(t.len == 0 && isdigit((unsigned char)*c)))
            text_addn(&t, c, 1);
        else if (t.len && t.s[t.len - 1] != '_')
            text_add(&t, "_");
    }
    while (t.len && t.s[t.len - 1] == '_')
        t.s[--t.len] = '\0';
    const char *stem = t.len ? text_str(&t) : "t";
    if (name_member_fault(arena_printf(l->arena, "%s_2", stem))) /* it begins as macros do */
        stem = arena_printf(l->arena, "t_%s", stem);
    for (int n = 0;; n++) {
        const char *made = n ? arena_printf(l->arena, "%s_%d", stem, n + 1) : stem;
        bool is_taken = name_member_fault(made) || polys_find(l->polys, made) >= 0;
        for (int i = 0; i < l->nmemory && !is_taken; i++)
            is_taken = l->memory[i].name && strcmp(l->memory[i].name, made) == 0;
        if (!is_taken)
            return made;
    }
}

void lower_add_constant(Lower *l, int value)
{
    const OnnxTensor *t = l->net->value[value].constant;
    Value *v = &l->value[value];
    *v = (Value){ .type = t->type, .is_known = has_numbers(t->type), .rank = t->rank };
    for (int i = 0; i < t->rank; i++)
        v->dim[i] = poly_number(l->polys, t->dim[i]);
    if (!v->is_known)
        return;
    const bool is_whole = elem_type_of(t->type) != ELEM_REAL;
    if (t->count == 1 || (is_whole && t->count <= LOWER_MAX_LIST)) {
        v->nlist = (int)t->count;
        v->list = ARENA_ARRAY(l->arena, (size_t)t->count + 1, const Elem *);
        for (int i = 0; i < v->nlist; i++)
            v->list[i] = lower_constant_elem(l, t, i);
        if (v->nlist)
            return;
    }
    double first = 0, second = 0;
    bool is_even = is_whole && t->count > 1;
    for (int64_t i = 0; i < t->count && is_even; i++) {
        first = i == 0 ? constant_at(t, i) : first;
        second = i == 1 ? constant_at(t, i) : second;
        is_even = i < 2 ? fabs(i ? second : first) < 0x1p40 : constant_at(t, i) == first + (second - first) * (double)i;
    }
    if (is_even) { /* 0, 1, 2 ... */
        const Poly *at = lower_flat_place(l, t->rank, v->dim);
        v->elem = elem_size(l->elems,
                            poly_add(l->polys, poly_mul(l->polys, at, poly_number(l->polys, (int64_t)(second - first))),
                                     poly_number(l->polys, (int64_t)first)));
        return;
    }
    const Storage *stored = &storages[is_whole ? STORED_S32 : STORED_F32];
    const int memory = memory_constant(l, t->name, stored, t->rank, v->dim, constant_data(l, t, stored));
    v->elem = elem_as(l->elems, memory_elem(l, memory), elem_type_of(t->type));
}

/* ---- the model's inputs ---- */

static bool read_given(Arena *a, const char *text, GivenDim *g)
{
    const char *equals = strrchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
    int end = 0;
    if (!equals)
        return false;
    *g = (GivenDim){ arena_strndup(a, text, (size_t)(equals - text)),
                     arena_strndup(a, equals + 1, colon ? (size_t)(colon - equals - 1) : strlen(equals + 1)), -1, -1 };
    if (colon && (sscanf(colon + 1, "%" SCNd64 "..%" SCNd64 "%n", &g->least, &g->most, &end) < 2 || colon[1 + end] ||
                  g->least < 0 || g->most < g->least || g->most > INT32_MAX))
        return false;
    return *g->symbol && !name_fault(g->name);
}

const GivenDim *lower_given_dims(Arena *a, const TextList *dims, Diag *d)
{
    GivenDim *given = ARENA_ARRAY(a, (size_t)dims->n + 1, GivenDim);
    const int before = diag_nerror(d);
    for (int i = 0; i < dims->n; i++)
        if (!read_given(a, dims->item[i], &given[i]))
            diag_error(d, (Loc){ 0 }, "--dim '%s': expected NAME=D:LEAST..MOST, as in batch=B:1..16", dims->item[i]);
        else if (name_member_fault(given[i].name))
            diag_error(d, (Loc){ 0 }, "--dim '%s': the dim '%s' %s", dims->item[i], given[i].name,
                       name_member_fault(given[i].name));
        else
            for (int k = 0; k < i; k++)
                if (given[k].symbol && strcmp(given[k].symbol, given[i].symbol) == 0)
                    diag_error(d, (Loc){ 0 }, "--dim '%s': what '%s' is was said by '%s' already", dims->item[i],
                               given[i].symbol, dims->item[k]);
    return diag_nerror(d) == before ? given : NULL;
}

const Poly *lower_dim(Lower *l, const char *symbol)
{
    const char *name = NULL;
    if (!text_list_has(&l->sizes, symbol))
        text_list_add(l->arena, &l->sizes, symbol);
    int64_t least = 1, most = strstr(symbol, "batch") ? 8 : 512;
    for (const GivenDim *g = l->given; g < l->given + l->ngiven && !name; g++)
        if (strcmp(g->symbol, symbol) == 0) {
            name = g->name;
            least = g->least < 0 ? least : g->least;
            most = g->most < 0 ? most : g->most;
        }
    if (!name) {
        const char *made = lower_identifier(l, symbol);
        name = polys_find(l->polys, symbol) >= 0 ? symbol : made;
        least = strncmp(symbol, "past", 4) == 0 ? 0 : least;
    }
    const int known = polys_find(l->polys, name);
    return poly_dim(l->polys, known >= 0 ? known : polys_dim(l->polys, name, least, most));
}

void lower_tell_dims(const Lower *l)
{
    const char *sizes = text_list_join(l->arena, &l->sizes, ", ");
    for (const GivenDim *g = l->given; g < l->given + l->ngiven; g++)
        if (!text_list_has(&l->sizes, g->symbol))
            diag_warn(l->diag, (Loc){ 0 }, "--dim '%s=%s' is of no effect: the model's inputs have %s%s", g->symbol,
                      g->name, *sizes ? "the sizes " : "sizes that are numbers", sizes);
    const PolyCondition *c;
    for (int i = 0, n = polys_conditions(l->polys, &c); i < n; i++) {
        const int dim = poly_is_dim(l->polys, c[i].x);
        int64_t number;
        for (const GivenDim *g = l->given; g < l->given + l->ngiven; g++)
            if (dim >= 0 && poly_is_number(c[i].y, &number) && strcmp(polys_dim_name(l->polys, dim), g->name) == 0)
                diag_warn(l->diag, (Loc){ 0 }, "--dim '%s=%s' is of no effect: %s asks for %" PRId64, g->symbol,
                          g->name, c[i].why, number);
    }
}

static const Poly *dim_of_name(void *ctx, const char *name) { return lower_dim(ctx, name); }

/* A dim's symbol may be a sum of others: "past + seq". */
static const Poly *dim_of(Lower *l, const OnnxDim *d, const char *value, int i)
{
    if (d->value >= 0)
        return poly_number(l->polys, d->value);
    if (!d->symbol)
        return lower_dim(l, arena_printf(l->arena, "%s_%d", value, i));
    Diag *quiet = diag_new(l->arena);
    const Expr *e = strpbrk(d->symbol, "+-*/") ? expr_parse(l->arena, d->symbol, (Loc){ 0 }, quiet) : NULL;
    const Poly *sum = e ? poly_of_names(l->polys, e, dim_of_name, l) : NULL;
    return sum ? sum : lower_dim(l, d->symbol);
}

static void tell_of_f64(Lower *l, const char *what, const char *name, ElementType type)
{
    if (type == ELEMENT_F64)
        diag_add(l->diag, DIAG_NOTE, (Loc){ .src = l->model->src },
                 "the %s %s, of f64, is f32 in the package, which computes in that", what, onnx_shown(l->arena, name));
}

bool lower_add_input(Lower *l, const OnnxValue *input)
{
    const int value = net_find(l->net, input->name);
    Value *v = &l->value[value];
    if (input->other || !has_numbers(input->type))
        return lower_error(l, "the input %s is no tensor of numbers", onnx_shown(l->arena, input->name));
    if (!input->has_shape)
        return lower_error(l, "the input %s has no shape; expected its extents, as numbers or names",
                           onnx_shown(l->arena, input->name));
    Memory m = { .kind = MEMORY_INPUT,
                 .name = lower_identifier(l, input->name),
                 .from = input->name,
                 .stored = &storages[elem_type_of(input->type) == ELEM_REAL ? STORED_F32 : STORED_S32],
                 .rank = input->rank,
                 .is_ordered = true,
                 .step = -1 };
    *v = (Value){ .type = input->type, .is_known = true, .rank = input->rank };
    for (int i = 0; i < input->rank; i++) {
        m.extent[i] = v->dim[i] = dim_of(l, &input->dim[i], input->name, i);
        m.order[i] = i;
    }
    v->elem = elem_as(l->elems, memory_elem(l, memory_add(l, m)), elem_type_of(input->type));
    tell_of_f64(l, "input", input->name, input->type);
    return true;
}

/* ---- outputs ---- */

/* Is it what an operator that is not supported would give? */
static bool is_cut(const Lower *l, int value)
{
    const Elem *x = l->value[value].elem;
    return l->net->value[value].writer >= 0 && x && x->kind == ELEM_LOAD && l->memory[x->memory].kind == MEMORY_INPUT &&
           strcmp(l->memory[x->memory].from, l->net->value[value].name) == 0;
}

bool lower_give_output(Lower *l, const OnnxValue *output)
{
    const int value = net_find(l->net, output->name);
    if (l->is_partial && value >= 0 && (!l->value[value].is_known || is_cut(l, value)))
        return diag_warn(l->diag, (Loc){ .src = l->model->src }, "the output %s is left out",
                         onnx_shown(l->arena, output->name));
    if (value < 0 || !l->value[value].is_known)
        return l->nfailed > 0 || lower_error(l, "nothing gives the output %s", onnx_shown(l->arena, output->name));
    Value *v = &l->value[value];
    for (int i = 0; i < v->rank; i++)
        if (poly_is(v->dim[i], 0))
            return lower_error(l, "the output %s has no elements", onnx_shown(l->arena, output->name));
    Access a;
    int place[LOWER_MAX_RANK];
    l->giver = l->net->value[value].writer < 0 ? NULL : &l->net->node[l->net->value[value].writer];
    if (!store_value(l, v))
        return false;
    lower_places(l, v->rank, v->dim, place);
    bool is_whole = access_of(l, v->elem, v->rank, place, &a) && access_is_dense(l, &a, v->dim);
    Memory *m = &l->memory[v->elem->memory];
    const Poly *elems = poly_product(l->polys, v->rank, v->dim), *all = poly_product(l->polys, m->rank, m->extent);
    is_whole = is_whole && m->kind == MEMORY_RESULT && !m->output && poly_compare(l->polys, elems, all) == POLY_EQUAL;
    if (!is_whole && !store_copy(l, v, NULL))
        return false;
    l->giver = NULL;
    m = &l->memory[v->elem->memory];
    if (elem_type_of(v->type) != ELEM_REAL && !storage_is_whole(m->stored))
        diag_add(l->diag, DIAG_NOTE, (Loc){ .src = l->model->src }, "the output %s, of %s, is given as f32, 0 or 1",
                 onnx_shown(l->arena, output->name), elements[v->type].name);
    tell_of_f64(l, "output", output->name, output->type);
    m->output = output->name;
    m->noutput = v->rank;
    memcpy(m->output_extent, v->dim, sizeof m->output_extent);
    m->name = lower_identifier(l, output->name);
    m->from = output->name;
    return true;
}
