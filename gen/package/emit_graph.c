/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_graph: words and lists for the files of a package that holds a whole model: its dims, tensors, conditions, and
 * its nodes, a call each.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/quote.h"
#include "gen/package/emit_graph.h"
#include "gen/unit/unit.h"

enum { FIRST_CONDITION = 10 }; /* codes of conditions begin there */

/* ---- tensors as texts ---- */

/* ["B", "T", "768"], for package.json */
static const char *extents_json(const GraphWriter *w, const Tensor *t)
{
    Text text = { .arena = w->emitter->arena };
    for (int i = 0; i < t->rank; i++)
        text_printf(&text, "%s%s", i ? ", " : "",
                    quote_json_text(text.arena, poly_text(text.arena, w->graph->polys, t->extent[i])));
    return arena_printf(text.arena, "[ %s ]", text_str(&text));
}

/* "[B][T][768]" */
static const char *extents_text(const GraphWriter *w, const Tensor *t)
{
    Text text = { .arena = w->emitter->arena };
    for (int i = 0; i < t->rank; i++)
        text_printf(&text, "[%s]", poly_text(text.arena, w->graph->polys, t->extent[i]));
    return t->rank ? text_str(&text) : "one";
}

static const char *tensor_doc(const GraphWriter *w, const Tensor *t)
{
    Arena *a = w->emitter->arena;
    const bool told = strcmp(t->from, t->name) != 0;
    return quote_comment(a, arena_printf(a, "%s%s%s%s", extents_text(w, t), t->stored->is_raw ? " of " : "",
                                         t->stored->is_raw ? t->stored->name : "",
                                         told ? arena_printf(a, "; %s", t->from) : ""));
}

/* What safetensors calls a type: "F32". */
static const char *weight_type(Arena *a, const Storage *s)
{
    return storage_is_whole(s) ? arena_printf(a, "I%d", (int)s->bytes * 8)
                               : text_letters(arena_strdup(a, s->name), toupper);
}

/* ---- dims, tensors, conditions ---- */

static void add_dims(const GraphWriter *w, FillScope *s)
{
    const Polys *p = w->graph->polys;
    fill_list(s, "dims");
    fill_number(s, "NDIM", polys_ndim(p));
    for (int i = 0; i < polys_ndim(p); i++) {
        int64_t least, most;
        polys_dim_range(p, i, &least, &most);
        FILL_WORDS(fill_row(s), WORD("DIM", w->dim[i]), WORD("MEMBER", polys_dim_name(p, i)), WORD("DIM_LEAST", least),
                   WORD("DIM_MOST", most));
    }
}

/* Of each extent the dim that it is, or -1. */
static const char *extent_dims(const GraphWriter *w, const Tensor *t)
{
    Text text = { .arena = w->emitter->arena };
    for (int i = 0; i < t->rank; i++)
        text_printf(&text, "%s%d", i ? ", " : "", poly_is_dim(w->graph->polys, t->extent[i]));
    return t->rank ? text_str(&text) : "-1";
}

/* Is the tensor an operand of a call, not packed alone? */
static bool is_read(const GraphWriter *w, int tensor)
{
    for (const GraphNode *n = w->graph->node; n < w->graph->node + w->graph->nnode; n++) {
        const Spec *f = w->graph->file->function[n->function];
        for (int i = 0; i < f->op->noperand; i++)
            if (n->operand[i].tensor == tensor && !graph_is_packed(f, i))
                return true;
    }
    return false;
}

/* name: in the file at hand. place: which of its kind it is. */
static void add_tensor(const GraphWriter *w, FillScope *s, const Tensor *t, const char *name, int place)
{
    static const char *const kinds[TENSOR_KIND_COUNT] = { "ninput", "output", "constant", "state", "inner" };
    const bool stays = t->kind == TENSOR_CONSTANT && is_read(w, (int)(t - w->graph->tensor));
    FillScope *row = fill_row(s);
    Text extents = { .arena = s->arena };
    for (int i = 0; i < t->rank; i++)
        text_printf(&extents, "%s%s", i ? ", " : "", graph_size_c(w, t->extent[i]));
    FILL_WORDS(
        row, WORD("TENSOR", name), WORD("MEMBER", t->name), WORD("TENSOR_TYPE", t->stored->c_type),
        WORD("TENSOR_GIVEN", t->stored->is_raw ? "void" : t->stored->c_type), WORD("TENSOR_DOC", tensor_doc(w, t)),
        WORD("SLOT", t->slot), WORD("PLACE", place), WORD("WEIGHT_NAME", quote_string(s->arena, t->from)),
        WORD("FROM_JSON", quote_json_text(s->arena, t->from)), WORD("WEIGHT_TYPE", weight_type(s->arena, t->stored)),
        WORD("RANK", t->rank), WORD("TENSOR_SCALAR", t->stored->name), WORD("TENSOR_EXTENTS", extents_json(w, t)),
        WORD("WEIGHT_EXTENTS", t->rank ? text_str(&extents) : "0"), WORD("EXTENT_DIMS", extent_dims(w, t)),
        WORD("TENSOR_NUMBER", (int)(t - w->graph->tensor)), WORD("TENSOR_KIND", kinds[t->kind]),
        WORD("IS_WHOLE", storage_is_whole(t->stored)), WORD("STAYS", stays),
        WORD("STAYS_JSON", stays ? "true" : "false"),
        WORD("TENSOR_ELEMS", graph_size_c(w, graph_elems(w->graph, t->rank, t->extent))));
}

static int add_tensors(const GraphWriter *w, FillScope *s, const char *list, TensorKind kind)
{
    int n = 0;
    fill_list(s, list);
    for (const Tensor *t = w->graph->tensor; t < w->graph->tensor + w->graph->ntensor; t++)
        if (t->kind == kind)
            add_tensor(w, s, t, t->name, n++);
    return n;
}

static int64_t constant_bytes(const Tensor *t)
{
    int64_t bytes = t->stored->bytes, extent;
    for (int i = 0; i < t->rank; i++)
        bytes *= poly_is_number(t->extent[i], &extent) ? extent : 0;
    return bytes;
}

static void add_every_tensor(const GraphWriter *w, FillScope *s)
{
    int n[TENSOR_KIND_COUNT] = { 0 };
    fill_list(s, "every_tensor");
    fill_number(s, "NTENSOR", w->graph->ntensor);
    for (const Tensor *t = w->graph->tensor; t < w->graph->tensor + w->graph->ntensor; t++)
        add_tensor(w, s, t, graph_tensor_c(w, t), n[t->kind]++);
}

/* Adds those tensors of a kind that calls name, as locals of PACKAGE_run. */
static void add_read(const GraphWriter *w, FillScope *s, const char *list, TensorKind kind)
{
    int n = 0;
    fill_list(s, list);
    for (int i = 0; i < w->graph->ntensor; i++) {
        const Tensor *t = &w->graph->tensor[i];
        if (t->kind == kind && is_read(w, i))
            add_tensor(w, s, t, graph_tensor_c(w, t), n);
        n += t->kind == kind;
    }
}

/* Does a node take it from an element behind its first one on? */
static bool is_seen_behind(const GraphWriter *w, int tensor)
{
    int64_t at;
    for (const GraphNode *n = w->graph->node; n < w->graph->node + w->graph->nnode; n++)
        for (int i = 0; i < w->graph->file->function[n->function]->op->noperand; i++)
            if (n->operand[i].tensor == tensor && !(poly_is_number(n->operand[i].at, &at) && at == 0))
                return true;
    return false;
}

/* Adds what a call is given and must not be NULL, unless it has no elements. Of constants those alone that functions
 * would not see to be NULL. */
static void add_given(const GraphWriter *w, FillScope *s)
{
    fill_list(s, "given");
    for (int i = 0; i < w->graph->ntensor; i++) {
        const Tensor *t = &w->graph->tensor[i];
        const Poly *elems = graph_elems(w->graph, t->rank, t->extent);
        int64_t least = 0, most;
        if (t->kind == TENSOR_INNER || !is_read(w, i) || (t->kind == TENSOR_CONSTANT && !is_seen_behind(w, i)))
            continue;
        poly_range(w->graph->polys, elems, &least, &most);
        fill_wordf(fill_row(s), "IS_MISSING", least > 0 ? "!%s" : "!%s && %s > 0", graph_tensor_c(w, t),
                   graph_size_c(w, elems));
    }
}

static void add_conditions(const GraphWriter *w, FillScope *s)
{
    const PolyCondition *c;
    Arena *a = s->arena;
    const int n = polys_conditions(w->graph->polys, &c);
    fill_list(s, "conditions");
    for (int i = 0; i < n; i++) {
        const char *x = poly_text(a, w->graph->polys, c[i].x), *y = poly_text(a, w->graph->polys, c[i].y);
        const char *says =
            arena_printf(a, "%s must be %s %s: %s", x, c[i].at_least ? "at least" : "equal to", y, c[i].why);
        FILL_WORDS(fill_row(s),
                   WORD("CONDITION", arena_printf(a, "%s %s %s", graph_size_c(w, c[i].x),
                                                  c[i].at_least ? ">=" : "==", graph_size_c(w, c[i].y))),
                   WORD("CONDITION_DOC", quote_comment(a, says)), WORD("CONDITION_TEXT", quote_string(a, says)),
                   WORD("CONDITION_JSON", quote_json_text(a, says)), WORD("BAD_NUMBER", FIRST_CONDITION + i),
                   WORD("BAD_NAME", arena_printf(a, "%s_BAD_SIZES_%d", w->emitter->spec->package, i)));
    }
}

/* ---- nodes ---- */

/* The extents that the function's call takes; with `constant`, those alone that its packed operands depend on. */
static const char *sizes_text(const GraphWriter *w, const GraphNode *n, bool packed)
{
    const Spec *f = w->graph->file->function[n->function];
    const FillScope *s = w->emitter[n->function].scope;
    const char *names = fill_find(s, packed ? "PACK_AXES" : "AXES", packed ? 9 : 4);
    Text t = { .arena = w->emitter->arena };
    for (int i = 0; i < f->op->ngiven; i++) {
        const char *name = f->op->extent[i].name, *at = names;
        const size_t len = strlen(name);
        bool is_in = false;
        for (; at && *at && !is_in; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
            is_in = strncmp(at, name, len) == 0 && (at[len] == ',' || at[len] == '\0');
        if (is_in)
            text_printf(&t, "%s%s", t.len ? ", " : "", graph_size_c(w, n->extent[i]));
    }
    return text_str(&t);
}

/* Adds the constants that are packed together for a node, and gives the bytes of those that no node reads as they are,
 * each from a multiple of 256 on. */
static int64_t add_pack_from(const GraphWriter *w, FillScope *row, const GraphNode *n)
{
    enum { ALIGN = 256 }; /* as PACKAGE_aligned_bytes in load.cu */
    const Spec *f = w->graph->file->function[n->function];
    int64_t sum = 0;
    fill_list(row, "pack_from");
    for (int i = 0; i < f->op->noperand; i++) {
        const int tensor = n->operand[i].tensor;
        int place = 0;
        if (!graph_is_packed(f, i))
            continue;
        for (int k = 0; k < tensor; k++)
            place += w->graph->tensor[k].kind == TENSOR_CONSTANT;
        fill_number(fill_row(row), "PLACE", place);
        if (!is_read(w, tensor))
            sum += (constant_bytes(&w->graph->tensor[tensor]) + ALIGN - 1) / ALIGN * ALIGN;
    }
    return sum;
}

/* The first node that packs the very same; they share the copy. */
static int packed_like(const GraphWriter *w, int node)
{
    const GraphNode *n = &w->graph->node[node];
    const Spec *f = w->graph->file->function[n->function];
    for (int k = 0; k < node; k++) {
        const GraphNode *other = &w->graph->node[k];
        bool same = other->function == n->function;
        for (int i = 0; i < f->op->noperand && same; i++)
            same = !graph_is_packed(f, i) ||
                   (other->operand[i].tensor == n->operand[i].tensor &&
                    strcmp(graph_size_c(w, n->operand[i].at), graph_size_c(w, other->operand[i].at)) == 0);
        if (same && strcmp(sizes_text(w, n, true), sizes_text(w, other, true)) == 0)
            return k;
    }
    return node;
}

/* Adds what is packed; number[i]: the number of node i's. */
static int add_packed(const GraphWriter *w, FillScope *s, int *number)
{
    int n = 0;
    int64_t room = 0;
    fill_list(s, "packed");
    for (int i = 0; i < w->graph->nnode; i++) {
        const GraphNode *node = &w->graph->node[i];
        const Spec *f = w->graph->file->function[node->function];
        if (!f->packed)
            continue;
        const int like = packed_like(w, i);
        number[i] = like < i ? number[like] : n++;
        if (like < i)
            continue;
        FillScope *row = fill_row(s);
        FILL_WORDS(row, WORD("CALL", arena_printf(s->arena, "%s%s", f->name, w->emitter->family->call)),
                   WORD("PACK_SIZES", sizes_text(w, node, true)),
                   WORD("PACK_DOC", quote_comment(s->arena, node->name)));
        const int64_t alone = add_pack_from(w, row, node);
        room = alone > room ? alone : room;
    }
    FILL_WORDS(s, WORD("NPACKED", n), WORD("ROOM_BYTES", room));
    return n;
}

static const char *strides_text(const GraphWriter *w, const GraphNode *n, int operand)
{
    const Spec *f = w->graph->file->function[n->function];
    const GraphOperand *b = &n->operand[operand];
    Text t = { .arena = w->emitter->arena };
    const int rank = spec_layout(f, operand)->rank;
    if (b->dense || rank < 2)
        return "NULL";
    for (int i = 0; i < rank - 1; i++)
        text_printf(&t, "%s%s", i ? ", " : "STRIDES(", graph_size_c(w, b->stride[i]));
    text_add(&t, ")");
    return text_str(&t);
}

static const char *operands_text(const GraphWriter *w, int node, const int *packed)
{
    const GraphNode *n = &w->graph->node[node];
    const Spec *f = w->graph->file->function[n->function];
    Text t = { .arena = w->emitter->arena };
    for (int i = 0; i < f->op->noperand; i++) {
        const GraphOperand *b = &n->operand[i];
        int64_t at;
        if (!spec_passes(f, i))
            continue;
        text_add(&t, t.len ? ", " : "");
        if (graph_is_packed(f, i))
            text_printf(&t, "model->packed[%d]", packed[node]);
        else if (poly_is_number(b->at, &at) && at == 0)
            text_add(&t, graph_tensor_c(w, &w->graph->tensor[b->tensor]));
        else
            text_printf(&t, "%s + %s", graph_tensor_c(w, &w->graph->tensor[b->tensor]), graph_size_c(w, b->at));
        if (f->op->operand[i].strided)
            text_printf(&t, ", %s", strides_text(w, n, i));
    }
    return text_str(&t);
}

/* All extents of a node, as the function's kernels and its definition know them. */
static const char *extents_of_node(const GraphWriter *w, const GraphNode *n)
{
    Text t = { .arena = w->emitter->arena };
    for (int i = 0; i < w->graph->file->function[n->function]->op->nextent; i++)
        text_printf(&t, "%s%s", i ? ", " : "", graph_size_c(w, n->extent[i]));
    return text_str(&t);
}

/* Adds how a node sees each operand: its place, the tensor, the offset and all strides. */
static void add_seen(const GraphWriter *w, FillScope *row, const GraphNode *n)
{
    const Spec *f = w->graph->file->function[n->function];
    Polys *p = w->graph->polys;
    fill_list(row, "seen");
    for (int i = 0; i < f->op->noperand; i++) {
        const GraphOperand *o = &n->operand[i];
        const Poly *extent[OP_MAX_RANK], *step = poly_number(p, 1), *stride[OP_MAX_RANK];
        const int rank = spec_layout(f, i)->rank;
        Text t = { .arena = row->arena };
        if (o->tensor < 0)
            continue;
        graph_operand_extents(w->graph, n, i, extent);
        for (int k = rank - 1; k >= 0; k--) {
            stride[k] = o->dense ? step : o->stride[k];
            step = poly_mul(p, step, extent[k]);
        }
        text_printf(&t, "%d, %d, %s", i, o->tensor, graph_size_c(w, o->at));
        for (int k = 0; k < rank; k++)
            text_printf(&t, ", %s", graph_size_c(w, stride[k]));
        text_add(&t, rank ? "" : ", 1");
        fill_word(fill_row(row), "SEEN_AS", text_str(&t));
    }
}

/* Adds what draws each tensor that the model is given: the operand of the first node that takes it. */
static void add_draws(const GraphWriter *w, FillScope *s)
{
    bool *drawn = ARENA_ARRAY(s->arena, (size_t)w->graph->ntensor + 1, bool);
    fill_list(s, "draws");
    for (const GraphNode *n = w->graph->node; n < w->graph->node + w->graph->nnode; n++) {
        const Spec *f = w->graph->file->function[n->function];
        for (int i = 0; i < f->op->noperand; i++) {
            const int tensor = n->operand[i].tensor;
            const Tensor *t = tensor < 0 ? NULL : &w->graph->tensor[tensor];
            if (!t || drawn[tensor] ||
                (t->kind != TENSOR_INPUT && t->kind != TENSOR_CONSTANT && t->kind != TENSOR_STATE))
                continue;
            drawn[tensor] = true;
            int64_t size, largest = 1, elems = 1;
            for (int k = 0; k < t->rank; k++)
                if (poly_is_number(t->extent[k], &size)) {
                    elems *= size;
                    largest = size > largest ? size : largest;
                }
            FillScope *row = fill_row(s);
            FILL_WORDS(row, WORD("TENSOR_NUMBER", tensor), WORD("CALLEE", f->name),
                       WORD("NODE_EXTENTS", extents_of_node(w, n)), WORD("OPERAND_NUMBER", i));
            fill_wordf(row, "DRAW_SCALE", "%.3g", t->rank < 2 ? 1 : sqrt(3 / ((double)elems / (double)largest)));
        }
    }
}

/* ---- dims to try ---- */

static double flops_at(const GraphWriter *w, const int64_t *dims)
{
    double sum = 0;
    for (const GraphNode *n = w->graph->node; n < w->graph->node + w->graph->nnode; n++) {
        const Spec *f = w->graph->file->function[n->function];
        int64_t extent[OP_MAX_EXTENT];
        for (int i = 0; i < f->op->nextent; i++)
            if (!poly_at(w->graph->polys, n->extent[i], dims, &extent[i]))
                return INFINITY;
        const double flops = spec_flops(f, extent);
        sum += flops > 0 ? flops : spec_bytes(f, extent);
    }
    return sum;
}

static bool holds(const GraphWriter *w, const int64_t *dims)
{
    const PolyCondition *c;
    const int n = polys_conditions(w->graph->polys, &c);
    for (int i = 0; i < n; i++) {
        int64_t x, y;
        if (!poly_at(w->graph->polys, c[i].x, dims, &x) || !poly_at(w->graph->polys, c[i].y, dims, &y) ||
            (c[i].at_least ? x < y : x != y))
            return false;
    }
    return true;
}

/* Dims that the model's test tries: small ones, that nothing divides, as far as the conditions allow and as the
 * definition is computed in seconds. */
static void add_tried(const GraphWriter *w, FillScope *s)
{
    enum { TRIED = 3, POINTS = 4000 };
    static const int64_t value[] = { 7, 3, 1, 5, 2, 13, 0, 4, 8, 32, 64, 33, 224, 16, 128 };
    static const double most_flops[] = { 1e9, 4e9, 4e10 };
    const Polys *p = w->graph->polys;
    const int ndim = polys_ndim(p);
    int n = 0;
    fill_list(s, "tried_dims");
    for (size_t pass = 0; pass < LENGTH(most_flops) && n == 0; pass++)
        for (int point = 0; point < (ndim ? POINTS : 1) && n < TRIED; point++) {
            int64_t dims[SPEC_MAX_DIM] = { 0 }, least, most;
            Text t = { .arena = s->arena };
            for (int i = 0, rest = point; i < ndim; i++, rest /= 3) {
                const int64_t wants = value[(size_t)(rest + i) % LENGTH(value)];
                polys_dim_range(p, i, &least, &most);
                dims[i] = wants < least ? least + wants : wants;
                dims[i] = dims[i] > most ? most : dims[i];
                text_printf(&t, "%s%" PRId64, i ? ", " : "", dims[i]);
            }
            bool is_new = holds(w, dims) && flops_at(w, dims) <= most_flops[pass];
            for (int k = 0; k < n && is_new; k++)
                is_new = strcmp(fill_find(fill_row_at(s, "tried_dims", k), "TRIED_DIMS", 10), text_str(&t)) != 0;
            if (!is_new)
                continue;
            fill_word(fill_row(s), "TRIED_DIMS", ndim ? text_str(&t) : "0");
            n++;
        }
    if (n == 0)
        fill_word(fill_row(s), "TRIED_DIMS", "0");
}

static void add_nodes(const GraphWriter *w, FillScope *s)
{
    int *packed = ARENA_ARRAY(s->arena, (size_t)w->graph->nnode + 1, int);
    const int npacked = add_packed(w, s, packed);
    Text seen = { .arena = s->arena };
    FILL_WORDS(s, WORD("NNODE", w->graph->nnode), WORD("NPACKED_ROOM", npacked ? npacked : 1),
               WORD("CALL_WITH", w->emitter->family->call_with));
    fill_list(s, "nodes");
    for (int i = 0; i < w->graph->nnode; i++) {
        const GraphNode *n = &w->graph->node[i];
        const Spec *f = w->graph->file->function[n->function];
        FILL_WORDS(fill_row(s), WORD("CALL", arena_printf(s->arena, "%s%s", f->name, w->emitter->family->call)),
                   WORD("NODE_SIZES", sizes_text(w, n, false)), WORD("NODE_OPERANDS", operands_text(w, i, packed)),
                   WORD("NODE_NAME", quote_string(s->arena, n->name)),
                   WORD("NODE_JSON", quote_json_text(s->arena, n->name)), WORD("CALLEE", f->name),
                   WORD("RESULT_NUMBER", n->operand[spec_output(f) - f->op->operand].tensor),
                   WORD("NODE_EXTENTS", extents_of_node(w, n)), WORD("NODE_COMMENT", quote_comment(s->arena, n->name)));
        add_seen(w, fill_row_at(s, "nodes", i), n);
        graph_add_beside(w, fill_row_at(s, "nodes", i), i);
    }
    graph_add_beside_calls(w, s);
    fill_list(s, "calls"); /* each once */
    for (int i = 0; i < w->graph->nnode; i++) {
        const GraphNode *n = &w->graph->node[i];
        const Spec *f = w->graph->file->function[n->function];
        const char *sizes = sizes_text(w, n, false), *call = arena_printf(s->arena, "%s(%s);", f->name, sizes);
        const char *has_scratch = fill_find(w->emitter[n->function].scope, "ANY_SCRATCH", strlen("ANY_SCRATCH"));
        if (strstr(text_str(&seen), call))
            continue;
        text_add(&seen, call);
        FILL_WORDS(fill_row(s), WORD("CALL", arena_printf(s->arena, "%s%s", f->name, w->emitter->family->call)),
                   WORD("CALL_SIZES", sizes), WORD("NEEDS_SCRATCH", has_scratch));
    }
}

/* ---- all ---- */

static int most_rank(const Graph *g)
{
    int most = 1;
    for (const Tensor *t = g->tensor; t < g->tensor + g->ntensor; t++)
        most = t->rank > most ? t->rank : most;
    return most;
}

/* How much products round what they take, where that shows in results: 0 where none does. */
static double input_rounding(const GraphWriter *w)
{
    static const double unseen = 64 * 0x1p-24; /* of what sums are off by anyway */
    double most = 0;
    for (int i = 0; i < w->nfunction; i++) {
        const Dtype *t = dtype_find(w->emitter[i].spec->dtype);
        most = t && t->eps_in > most ? t->eps_in : most;
    }
    return most > unseen ? most : 0;
}

bool emit_has(const Emitter *e, const PackageRow *row)
{
    return e->in->graph || (row->owner != OWNER_GRAPH && row->owner != OWNER_NODE);
}

bool emit_graph(Emitter *e, int n, FillScope *s)
{
    GraphWriter w = { .emitter = e, .nfunction = n, .graph = e->in->graph };
    fill_number(s, "HAS_GRAPH", w.graph != NULL);
    if (!w.graph)
        return true;
    const Source *model = conf_source(e->arena, unit_pattern(e->arena, e->unit, "graph/model.c"), e->diag);
    const Source *test = conf_source(e->arena, unit_pattern(e->arena, e->unit, "graph/test_model.c"), e->diag);
    const Source *run = conf_source(e->arena, unit_pattern(e->arena, e->unit, "graph/run_model.c"), e->diag);
    if (!model || !test || !run)
        return false;
    w.pattern = arena_printf(e->arena, "%s\n%s", model->text, test->text);
    graph_name_dims(&w, arena_printf(e->arena, "%s\n%s", w.pattern, run->text));
    graph_lay_out(&w);
    const int nerror = diag_nerror(e->diag);
    add_dims(&w, s);
    const int nconstant = add_tensors(&w, s, "weights", TENSOR_CONSTANT);
    FILL_WORDS(s, WORD("NINPUT", add_tensors(&w, s, "inputs", TENSOR_INPUT)),
               WORD("NSTATE", add_tensors(&w, s, "states", TENSOR_STATE)), WORD("NCONSTANT", nconstant),
               WORD("NCONSTANT_ROOM", nconstant ? nconstant : 1), WORD("MOST_RANK", most_rank(w.graph)));
    add_tensors(&w, s, "outputs", TENSOR_OUTPUT);
    add_read(&w, s, "read_inputs", TENSOR_INPUT);
    add_read(&w, s, "read_states", TENSOR_STATE);
    add_read(&w, s, "read_outputs", TENSOR_OUTPUT);
    add_read(&w, s, "read_constants", TENSOR_CONSTANT);
    add_read(&w, s, "inner", TENSOR_INNER);
    add_given(&w, s);
    add_every_tensor(&w, s);
    add_draws(&w, s);
    add_tried(&w, s);
    fill_number(s, "ROUNDS_INPUTS", input_rounding(&w) > 0);
    fill_wordf(s, "INPUT_ROUNDING", "%a", input_rounding(&w));
    fill_list(s, "node_functions");
    for (int i = 0; i < n; i++)
        fill_word(fill_row(s), "CALLEE", e[i].spec->name);
    add_conditions(&w, s);
    graph_add_slots(&w, s);
    add_nodes(&w, s);
    return diag_nerror(e->diag) == nerror;
}
