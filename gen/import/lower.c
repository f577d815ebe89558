/* SPDX-License-Identifier: Apache-2.0
 *
 * lower: goes through a model's nodes in their order and has each lowered by its row of the tables of operators. Here
 * is what all of them use: places, inputs as expressions, sizes, and the model's own inputs, constants and outputs.
 */
#include "gen/import/lower.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/name.h"
#include "gen/base/text.h"

/* ---- places ---- */

int lower_place(Lower *l, int i, const Poly *extent)
{
    for (int k = 0; k < l->nframe; k++)
        if (l->frame[k].i == i && poly_same(l->frame[k].below, extent))
            return l->frame[k].place;
    l->frame = arena_grow(l->arena, l->frame, (size_t)l->nframe, (size_t)l->nframe + 1, sizeof *l->frame);
    l->frame[l->nframe].i = i;
    l->frame[l->nframe].below = extent;
    l->frame[l->nframe].place = polys_place(l->polys, arena_printf(l->arena, "p%d_%d", i, l->nframe), extent);
    return l->frame[l->nframe++].place;
}

const Elem *lower_place_elem(Lower *l, int i, const Poly *extent)
{
    return poly_is(extent, 1) ? elem_int(l->elems, 0) : elem_place(l->elems, lower_place(l, i, extent));
}

void lower_places(Lower *l, int rank, const Poly *const *dim, int *place)
{
    for (int i = 0; i < rank; i++)
        place[i] = lower_place(l, i, dim[i]);
}

/* ---- errors ---- */

bool lower_error(Lower *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(l->arena, fmt, ap);
    va_end(ap);
    if (l->node)
        return diag_add(l->diag, l->is_partial ? DIAG_WARNING : DIAG_ERROR, (Loc){ .src = l->model->src },
                        "the node %s (%s): %s", onnx_shown(l->arena, l->node->onnx->name), l->node->op, text);
    return diag_error(l->diag, (Loc){ .src = l->model->src }, "%s", text);
}

bool lower_require(Lower *l, const Poly *x, const Poly *y)
{
    const char *why = l->node ? arena_printf(l->arena, "the node '%s'", l->node->onnx->name) : "the model";
    if (x && y && polys_require(l->polys, x, y, why))
        return true;
    return lower_error(l, "the size %s can never be %s", x ? poly_text(l->arena, l->polys, x) : "?",
                       y ? poly_text(l->arena, l->polys, y) : "?");
}

/* ---- inputs and outputs of a node ---- */

const Value *lower_input(Lower *l, int i)
{
    const NetNode *n = l->node;
    return i < n->ninput && n->input[i] >= 0 ? &l->value[n->input[i]] : NULL;
}

Value *lower_output(Lower *l, int i)
{
    const NetNode *n = l->node;
    return i < n->noutput && n->output[i] >= 0 ? &l->value[n->output[i]] : NULL;
}

ElemType elem_type_of(ElementType type)
{
    return type == ELEMENT_BOOL                                                                        ? ELEM_TRUTH
           : type == ELEMENT_F32 || type == ELEMENT_F64 || type == ELEMENT_F16 || type == ELEMENT_BF16 ? ELEM_REAL
                                                                                                       : ELEM_INT;
}

/* The number of an element, counted in order, by its places. */
static const Poly *lower_flat_place(Lower *l, int rank, const Poly *const *dim)
{
    const Poly *stride = poly_number(l->polys, 1), *at = poly_number(l->polys, 0);
    for (int i = rank - 1; i >= 0; i--) {
        at = poly_add(l->polys, at, poly_mul(l->polys, stride, elem_as_size(lower_place_elem(l, i, dim[i]))));
        stride = poly_mul(l->polys, stride, dim[i]);
    }
    return at;
}

const Elem *value_elem(Lower *l, const Value *v)
{
    int64_t first, second, next;
    if (v->elem || !v->nlist)
        return v->elem;
    const Poly *at = lower_flat_place(l, v->rank, v->dim);
    bool is_even = v->nlist > 1 && elem_is_whole(v->list[0], &first) && elem_is_whole(v->list[1], &second);
    for (int i = 2; i < v->nlist && is_even; i++)
        is_even = elem_is_whole(v->list[i], &next) && next == first + (second - first) * i;
    if (is_even) /* 0, 1, 2 ... */
        return elem_size(l->elems, poly_add(l->polys, poly_mul(l->polys, at, poly_number(l->polys, second - first)),
                                            poly_number(l->polys, first)));
    const Elem *chosen = v->list[v->nlist - 1];
    for (int i = v->nlist - 2; i >= 0; i--)
        chosen = ELEM(l->elems, "?", ELEM(l->elems, "==", elem_size(l->elems, at), elem_int(l->elems, i)), v->list[i],
                      chosen);
    return chosen;
}

const Elem *lower_broadcast(Lower *l, const Value *v, int rank, const Poly *const *dim)
{
    int place[LOWER_MAX_RANK];
    const Elem *by[LOWER_MAX_RANK];
    if (!v)
        return NULL;
    const int off = rank - v->rank;
    for (int i = 0; i < v->rank; i++)
        if (i + off < 0 || (!poly_is(v->dim[i], 1) && poly_compare(l->polys, v->dim[i], dim[i + off]) == POLY_NEVER))
            return lower_error(l, "an input does not fit the extents of the others"), NULL;
    lower_places(l, v->rank, v->dim, place);
    for (int i = 0; i < v->rank; i++)
        by[i] = poly_is(v->dim[i], 1) ? elem_int(l->elems, 0) : lower_place_elem(l, i + off, dim[i + off]);
    return elem_replace(l->elems, value_elem(l, v), v->rank, place, by);
}

bool value_sizes(Lower *l, const Value *v, int most, const Poly **size, int *n)
{
    (void)l;
    if (!v || !v->nlist || v->nlist > most)
        return false;
    for (int i = 0; i < v->nlist; i++)
        if (!(size[i] = elem_as_size(v->list[i])))
            return false;
    *n = v->nlist;
    return true;
}

bool value_numbers(Lower *l, const Value *v, int most, double *number, int *n)
{
    (void)l;
    if (!v || !v->nlist || v->nlist > most)
        return false;
    for (int i = 0; i < v->nlist; i++)
        if (!elem_is_number(v->list[i], &number[i]))
            return false;
    *n = v->nlist;
    return true;
}

static bool give_sizes(Lower *l, Value *v, const Poly *const *dim)
{
    for (int i = 0; i < v->rank; i++) {
        int64_t least, most;
        if (!(v->dim[i] = dim[i]))
            return lower_error(l, "a size of its result is beyond 2^63");
        poly_range(l->polys, dim[i], &least, &most);
        if (most < 0)
            return lower_error(l, "a size of its result is negative: %s", poly_text(l->arena, l->polys, dim[i]));
    }
    return true;
}

bool lower_give(Lower *l, int output, ElementType type, int rank, const Poly *const *dim, const Elem *elem)
{
    Value *v = lower_output(l, output);
    if (!v)
        return true;
    if (!elem)
        return lower_error(l, "an element of its result has no form that formulas can say");
    *v = (Value){ .type = type, .is_known = true, .rank = rank, .elem = elem_as(l->elems, elem, elem_type_of(type)) };
    return give_sizes(l, v, dim) &&
           (v->elem || lower_error(l, "an element of its result has no form that formulas can say"));
}

bool lower_give_list(Lower *l, int output, ElementType type, int rank, const Poly *const *dim, int n,
                     const Elem *const *list)
{
    Value *v = lower_output(l, output);
    if (!v)
        return true;
    *v = (Value){ .type = type, .is_known = true, .rank = rank, .nlist = n };
    if (!give_sizes(l, v, dim))
        return false;
    v->list = ARENA_ARRAY(l->arena, (size_t)n + 1, const Elem *);
    for (int i = 0; i < n; i++)
        if (!(v->list[i] = elem_as(l->elems, list[i], elem_type_of(type))))
            return lower_error(l, "an element of its result has no form that formulas can say");
    return true;
}

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
static const char *identifier(Lower *l, const char *name)
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
    for (int n = 0;; n++) {
        const char *made = n ? arena_printf(l->arena, "%s_%d", stem, n + 1) : stem;
        bool is_taken = name_fault(made) || polys_find(l->polys, made) >= 0;
        for (int i = 0; i < l->nmemory && !is_taken; i++)
            is_taken = l->memory[i].name && strcmp(l->memory[i].name, made) == 0;
        if (!is_taken)
            return made;
    }
}

const char *lower_identifier(Lower *l, const char *name) { return identifier(l, name); }

static void add_constant(Lower *l, int value)
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
        is_even = i < 2 || constant_at(t, i) == first + (second - first) * (double)i;
    }
    if (is_even) { /* 0, 1, 2 ... */
        const Poly *at = lower_flat_place(l, t->rank, v->dim);
        v->elem = elem_size(l->elems,
                            poly_add(l->polys, poly_mul(l->polys, at, poly_number(l->polys, (int64_t)(second - first))),
                                     poly_number(l->polys, (int64_t)first)));
        return;
    }
    const Storage *stored = &storages[is_whole ? STORED_S32 : STORED_F32];
    Memory m = { .kind = MEMORY_CONSTANT,
                 .from = t->name,
                 .stored = stored,
                 .rank = t->rank,
                 .is_ordered = true,
                 .data = constant_data(l, t, stored),
                 .step = -1 };
    for (int i = 0; i < t->rank; i++) {
        m.extent[i] = v->dim[i];
        m.order[i] = i;
    }
    const int memory = memory_add(l, m);
    v->elem = elem_as(l->elems, memory_elem(l, memory), elem_type_of(t->type));
}

/* ---- the model's inputs ---- */

/* "batch=B:1..16": the dim of the model, what it is called, and its range. */
static bool read_dim_text(Lower *l, const char *text, const char *symbol, const char **name, int64_t *least,
                          int64_t *most)
{
    const size_t n = strlen(symbol);
    if (strncmp(text, symbol, n) != 0 || text[n] != '=')
        return false;
    const char *to = text + n + 1, *colon = strchr(to, ':');
    if (colon)
        sscanf(colon + 1, "%" SCNd64 "..%" SCNd64, least, most);
    *name = arena_strndup(l->arena, to, colon ? (size_t)(colon - to) : strlen(to));
    return true;
}

/* The dim that a name of the model is; a new one where it was not met yet. */
const Poly *lower_dim(Lower *l, const char *symbol)
{
    const char *name = NULL;
    int64_t least = 1, most = strstr(symbol, "batch") ? 8 : 512;
    for (int i = 0; i < l->dim_text.n && !name; i++)
        read_dim_text(l, l->dim_text.item[i], symbol, &name, &least, &most);
    if (!name) {
        const char *made = identifier(l, symbol);
        name = polys_find(l->polys, symbol) >= 0 ? symbol : made;
        least = strncmp(symbol, "past", 4) == 0 ? 0 : least;
    }
    const int known = polys_find(l->polys, name);
    return poly_dim(l->polys, known >= 0 ? known : polys_dim(l->polys, name, least, most));
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

static bool add_input(Lower *l, const OnnxValue *input)
{
    const int value = net_find(l->net, input->name);
    Value *v = &l->value[value];
    if (input->other || !has_numbers(input->type))
        return lower_error(l, "the input %s is no tensor of numbers", onnx_shown(l->arena, input->name));
    if (!input->has_shape)
        return lower_error(l, "the input %s has no shape; expected its extents, as numbers or names",
                           onnx_shown(l->arena, input->name));
    Memory m = { .kind = MEMORY_INPUT,
                 .name = identifier(l, input->name),
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

static bool give_output(Lower *l, const OnnxValue *output)
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
    if (elem_type_of(v->type) != ELEM_REAL)
        diag_add(l->diag, DIAG_NOTE, (Loc){ .src = l->model->src }, "the output %s, of %s, is given as f32",
                 onnx_shown(l->arena, output->name), elements[v->type].name);
    if (!store_value(l, v))
        return false;
    lower_places(l, v->rank, v->dim, place);
    bool is_whole = access_of(l, v->elem, v->rank, place, &a) && access_is_dense(l, &a, v->dim);
    Memory *m = &l->memory[v->elem->memory];
    const Poly *elems = poly_number(l->polys, 1), *all = elems;
    for (int i = 0; i < v->rank; i++)
        elems = poly_mul(l->polys, elems, v->dim[i]);
    for (int i = 0; i < m->rank; i++)
        all = poly_mul(l->polys, all, m->extent[i]);
    is_whole = is_whole && m->kind == MEMORY_RESULT && !m->output && poly_compare(l->polys, elems, all) == POLY_EQUAL;
    if (!is_whole && !store_copy(l, v, NULL))
        return false;
    m = &l->memory[v->elem->memory];
    m->output = output->name;
    m->noutput = v->rank;
    memcpy(m->output_extent, v->dim, sizeof m->output_extent);
    m->name = identifier(l, output->name);
    m->from = output->name;
    return true;
}

/* ---- nodes ---- */

const LowerRow *lower_row(const char *op)
{
    const LowerRow *const tables[] = { lower_elements, lower_rows,    lower_views,   lower_products,
                                       lower_images,   lower_einsums, lower_rotaries };
    for (size_t i = 0; i < LENGTH(tables); i++)
        for (const LowerRow *row = tables[i]; row->op; row++)
            if (strcmp(row->op, op) == 0)
                return row;
    return NULL;
}

static NetUse joins_results(const void *ctx, const NetNode *n)
{
    const LowerRow *row = lower_row(n->op);
    (void)ctx;
    if (row && row->kind & LOWERS_SIZES)
        return NET_ASKS;
    return row && row->kind & (LOWERS_ELEMENTS | LOWERS_VIEW) ? NET_FOLLOWS : NET_USES;
}

static NetUse joins_rows(const void *ctx, const NetNode *n)
{
    const LowerRow *row = lower_row(n->op);
    (void)ctx;
    return row && row->kind & LOWERS_SIZES ? NET_ASKS : row && row->kind ? NET_FOLLOWS : NET_USES;
}

/* What would do instead of operators that are not supported. */
static const struct {
    const char *op, *instead;
} others[] = {
    { "If", "fix its condition when the model is exported" },
    { "Loop", "export the model with its loop unrolled" },
    { "Scan", "export the model with its loop unrolled" },
    { "LSTM", "export the model with its steps unrolled" },
    { "GRU", "export the model with its steps unrolled" },
    { "RNN", "export the model with its steps unrolled" },
    { "TopK", "take the largest outside of the model; ArgMax is supported" },
    { "NonZero", "use Where with the condition, whose result is as large whatever the data are" },
    { "Compress", "use Where with the condition, whose result is as large whatever the data are" },
    { "Unique", "compute it outside of the model" },
    { "NonMaxSuppression", "end the model before it" },
    { "Attention", "export attention as MatMul and Softmax, as opsets up to 22 have it" },
    { "com.microsoft.Attention", "import the model from before it was optimized" },
    { "com.microsoft.MultiHeadAttention", "import the model from before it was optimized" },
    { "com.microsoft.GroupQueryAttention", "import the model from before it was optimized" },
    { "com.microsoft.EmbedLayerNormalization", "import the model from before it was optimized" },
    { "QuantizeLinear", "import the model from before it was quantized" },
    { "DequantizeLinear", "import the model from before it was quantized" },
    { "DynamicQuantizeLinear", "import the model from before it was quantized" },
    { "QLinearMatMul", "import the model from before it was quantized" },
    { "QLinearConv", "import the model from before it was quantized" },
    { "MatMulInteger", "import the model from before it was quantized" },
    { "ConvInteger", "import the model from before it was quantized" },
    { "ScatterND", "use Concat or Where, if it is known where the parts lie" },
    { "ScatterElements", "use OneHot and Where, or Concat" },
    { "RandomNormal", "draw the numbers outside of the model, as an input" },
    { "RandomNormalLike", "draw the numbers outside of the model, as an input" },
    { "RandomUniform", "draw the numbers outside of the model, as an input" },
    { "RandomUniformLike", "draw the numbers outside of the model, as an input" },
    { "Bernoulli", "draw the numbers outside of the model, as an input" },
    { "LpPool", "write it as Pow, AveragePool and Pow" },
    { "LRN", "write it with Mul, AveragePool and Pow" },
};

/* Tells once of each operator that is not supported, at its first node. */
static void tell_unsupported(Lower *l, const NetNode *n)
{
    enum { MOST = 100 };
    int count = 0;
    const char *instead = NULL;
    for (int i = 0; i < l->net->nnode && l->ntold < MOST; i++) {
        const bool same = strcmp(l->net->node[i].op, n->op) == 0;
        if (same && &l->net->node[i] < n)
            return;
        count += same;
    }
    if (l->ntold++ >= MOST)
        return;
    for (size_t i = 0; i < LENGTH(others) && !instead; i++)
        instead = strcmp(others[i].op, n->op) == 0 ? others[i].instead : NULL;
    const char *many = count > 1 ? arena_printf(l->arena, ", which %d nodes have,", count) : "";
    lower_error(l, "this operator%s is not supported%s%s", many, instead ? "; " : "", instead ? instead : "");
}

/* With --partial: a value that no node gives becomes an input. */
static bool cut_at(Lower *l, int value)
{
    const OnnxValue *said = onnx_value(l->model->graph, l->net->value[value].name);
    if (!l->is_partial)
        return false;
    if (said && said->has_shape && !said->other)
        return add_input(l, said);
    return lower_error(l,
                       "it is left out, as it reads %s: that would be an input, and the file does not say its extents",
                       onnx_shown(l->arena, l->net->value[value].name));
}

static bool lower_known(Lower *l, const NetNode *n)
{
    const LowerRow *row = lower_row(n->op);
    const int before = diag_nerror(l->diag);
    if (!row)
        return tell_unsupported(l, n), false;
    for (int i = 0; i < n->ninput; i++)
        if (n->input[i] >= 0 && !l->value[n->input[i]].is_known && !cut_at(l, n->input[i]))
            return l->net->value[n->input[i]].writer < 0 && diag_nerror(l->diag) == before /* else it was told there */
                       ? lower_error(l, "its input %s has elements of a type that is not supported",
                                     onnx_shown(l->arena, l->net->value[n->input[i]].name))
                       : false;
    if (!lower_input(l, 0))
        return lower_error(l, "its first input is left out");
    if ((row->kind == LOWERS_ELEMENTS && !store_others(l, n)) || !row->lower(l, n))
        return diag_nerror(l->diag) > before ? false : lower_error(l, "its inputs are not those of such a node");
    for (int i = 0; i < n->noutput; i++)
        if (n->output[i] >= 0 && !store_settle(l, n->output[i]))
            return false;
    return true;
}

/* Behind an error its outputs are not known. */
static bool lower_node(Lower *l, const NetNode *n)
{
    if (lower_known(l, n))
        return true;
    for (int i = 0; i < n->noutput; i++)
        if (n->output[i] >= 0)
            l->value[n->output[i]] = (Value){ .is_known = false };
    return false;
}

static void mark_loads(const Elem *x, bool *is_read)
{
    if (x && x->kind == ELEM_LOAD)
        is_read[x->memory] = true;
    for (int i = 0; x && i < x->narg; i++)
        mark_loads(x->arg[i], is_read);
}

/* Leaves out steps whose results nothing reads, as those whose readers are not supported. */
static void drop_unread(Lower *l)
{
    bool *is_read = ARENA_ARRAY(l->arena, (size_t)l->nmemory + 1, bool);
    int n = l->norder;
    for (int i = l->norder - 1; i >= 0; i--) {
        const Step *s = &l->step[l->order[i]];
        if (!is_read[s->out] && !l->memory[s->out].output)
            continue;
        for (int k = 0; k < s->noperand; k++)
            is_read[s->operand[k].access.memory] = true;
        mark_loads(s->value, is_read);
        l->order[--n] = l->order[i];
    }
    if (n)
        memmove(l->order, l->order + n, (size_t)(l->norder - n) * sizeof *l->order);
    l->norder -= n;
}

Lower *lower_model(Arena *a, const OnnxModel *m, const TextList *dims, bool is_partial, Diag *d)
{
    Lower *l = ARENA_NEW(a, Lower);
    const OnnxGraph *g = m->graph;
    *l = (Lower){ .arena = a,
                  .diag = d,
                  .model = m,
                  .net = net_of(a, m),
                  .polys = polys_new(a),
                  .dim_text = *dims,
                  .is_partial = is_partial };
    l->elems = elems_new(a, l->polys);
    l->value = ARENA_ARRAY(a, (size_t)l->net->nvalue + 1, Value);
    l->joins_results = net_joins(a, l->net, joins_results, NULL);
    l->joins_rows = net_joins(a, l->net, joins_rows, NULL);
    const int before = diag_nerror(d);
    for (int i = 0; i < g->ninput; i++)
        add_input(l, &g->input[i]);
    for (int i = 0; i < l->net->nvalue; i++)
        if (l->net->value[i].constant)
            add_constant(l, i);
    for (int i = 0; i < l->net->nnode && diag_nerror(d) - before < LOWER_MAX_ERROR; i++) {
        l->node = &l->net->node[i];
        l->nfailed += !lower_node(l, l->node);
    }
    l->node = NULL;
    int noutput = 0;
    for (int i = 0; i < g->noutput && diag_nerror(d) == before; i++)
        noutput += give_output(l, &g->output[i]);
    if (diag_nerror(d) == before && !noutput)
        lower_error(l, "the model gives no output");
    drop_unread(l);
    return diag_nerror(d) == before && (is_partial || !l->nfailed) ? l : NULL;
}
