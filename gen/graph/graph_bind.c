/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_bind: reads a node of a graph. Its extents are those that it gives; else what its operands' tensors have along
 * them; else what all shapes of the function say alike. Then each operand is held against what is bound to it: both
 * are of one size, and the view lies within its tensor.
 */
#include <string.h>
#include "gen/base/name.h"
#include "gen/graph/graph_private.h"

/* A node that is being read. */
typedef struct {
    GraphReader *reader;
    const ConfSetting *group;
    const Spec *spec;
    GraphNode *node;
} Binder;

static const char *size_text(const Binder *b, const Poly *x)
{
    return poly_text(b->reader->arena, b->reader->graph->polys, x);
}

bool graph_is_packed(const Spec *s, int operand) { return s->packed && s->op->operand[operand].role == ROLE_CONST; }

/* ---- extents ---- */

static const Poly *extent_of_name(void *ctx, const char *name)
{
    const Binder *b = ctx;
    const int i = op_axis(b->spec->op, name);
    return i < 0 ? NULL : b->node->extent[i];
}

static const Poly *operand_extent(const Binder *b, int operand, int i)
{
    const Expr *e = spec_layout(b->spec, operand)->extent[i];
    return poly_of_names(b->reader->graph->polys, e, extent_of_name, (void *)b);
}

void graph_operand_extents(Graph *g, const GraphNode *n, int operand, const Poly **extent)
{
    GraphReader r = { .graph = g };
    const Binder b = { .reader = &r, .spec = g->file->function[n->function], .node = (GraphNode *)n };
    for (int i = 0; i < spec_layout(b.spec, operand)->rank; i++)
        extent[i] = operand_extent(&b, operand, i);
}

const Poly *graph_flops(Graph *g, const GraphNode *n)
{
    GraphReader r = { .graph = g };
    const Binder b = { .reader = &r, .spec = g->file->function[n->function], .node = (GraphNode *)n };
    return poly_of_names(g->polys, b.spec->op->flops, extent_of_name, (void *)&b);
}

const Poly *graph_bytes(Graph *g, const GraphNode *n)
{
    const Spec *s = g->file->function[n->function];
    const Poly *sum = poly_number(g->polys, 0);
    for (int i = 0; i < s->op->noperand; i++) {
        const Poly *extent[OP_MAX_RANK];
        const int64_t bytes = (int64_t)spec_element(s, &s->op->operand[i])->bytes;
        graph_operand_extents(g, n, i, extent);
        const Poly *elems = graph_elems(g, spec_layout(s, i)->rank, extent);
        sum = poly_add(g->polys, sum, poly_mul(g->polys, elems, poly_number(g->polys, bytes)));
    }
    return sum;
}

/* What a size of a function's shape is over the graph's dims, which are the file's. */
static const Poly *declared_extent(const Binder *b, int shape, int i)
{
    return poly_of(b->reader->graph->polys, b->spec->shape[shape].extent[i]);
}

/* The extent that all shapes of the function have. */
static const Poly *common_extent(const Binder *b, int i)
{
    const Poly *first = b->spec->log ? NULL : declared_extent(b, 0, i);
    for (int k = 1; k < b->spec->nshape && first; k++)
        first = poly_same(first, declared_extent(b, k, i)) ? first : NULL;
    return first;
}

/* What the node binds to the operand. False: nothing, or nothing that is there yet. */
static bool bound_extents(const Binder *b, int operand, const Poly *const **extent, int *rank)
{
    const ConfSetting *s = conf_member(b->group, b->spec->op->operand[operand].name);
    const Graph *g = b->reader->graph;
    int tensor, view;
    if (!s || s->type != CONF_STRING || !graph_find(b->reader, s->text, &tensor, &view))
        return false;
    *extent = view < 0 ? g->tensor[tensor].extent : g->view[view].extent;
    *rank = view < 0 ? g->tensor[tensor].rank : g->view[view].rank;
    return true;
}

/* The extent as an operand's tensor has it that goes along it. */
static const Poly *extent_of_operands(const Binder *b, int i)
{
    const Op *op = b->spec->op;
    for (int k = 0; k < op->noperand; k++) {
        const Layout *l = spec_layout(b->spec, k);
        const Poly *const *extent;
        int rank;
        if (!bound_extents(b, k, &extent, &rank) || rank != l->rank)
            continue;
        for (int j = 0; j < rank; j++)
            if (strcmp(expr_text(l->extent[j]), op->extent[i].name) == 0)
                return extent[j];
    }
    return NULL;
}

static bool read_extent(const Binder *b, int i)
{
    const Extent *x = &b->spec->op->extent[i];
    const ConfSetting *s = conf_member(b->group, x->name);
    const Poly **out = &b->node->extent[i];
    if (s)
        return graph_read_size(b->reader, s, out);
    *out = extent_of_operands(b, i);
    *out = *out ? *out : common_extent(b, i);
    if (!*out && x->has_usual)
        *out = poly_number(b->reader->graph->polys, x->usual);
    return *out || diag_error(b->reader->diag, b->group->at,
                              "the node '%s' must say how large '%s' is, as in %s = \"...\"; its tensors do not tell",
                              b->node->name, x->name, x->name);
}

/* An extent that no dims make legal is an error; what others are is checked by the function at each call. */
static bool check_extent(const Binder *b, int i)
{
    const Extent *x = &b->spec->op->extent[i];
    int64_t least, most;
    if (!b->node->extent[i])
        return diag_error(b->reader->diag, b->group->at, "the extent %s of the node '%s' is beyond 2^63", x->name,
                          b->node->name);
    poly_range(b->reader->graph->polys, b->node->extent[i], &least, &most);
    if (most >= (x->expr ? 0 : x->least) && least <= (x->expr ? OP_MAX_NUMBER : x->most))
        return true;
    return diag_error(b->reader->diag, b->group->at, "the extent %s of the node '%s' is %s, which is never legal",
                      x->name, b->node->name, size_text(b, b->node->extent[i]));
}

static bool read_extents(const Binder *b)
{
    const Op *op = b->spec->op;
    bool ok = true;
    for (int i = 0; i < op->ngiven; i++)
        ok = read_extent(b, i) && ok;
    for (int i = op->ngiven; i < op->nextent && ok; i++)
        b->node->extent[i] = poly_of_names(b->reader->graph->polys, op->extent[i].expr, extent_of_name, (void *)b);
    for (int i = 0; i < op->nextent && ok; i++)
        ok = check_extent(b, i);
    return ok;
}

/* The declared shape that the node has; -1: none. */
static int shape_of(const Binder *b)
{
    for (int k = 0; k < b->spec->nshape && !b->spec->log; k++) {
        bool same = true;
        for (int i = 0; i < b->spec->op->ngiven && same; i++)
            same = poly_compare(b->reader->graph->polys, declared_extent(b, k, i), b->node->extent[i]) == POLY_EQUAL;
        if (same)
            return k;
    }
    return -1;
}

static void warn_of_shape(const Binder *b)
{
    if (b->node->shape >= 0 || b->spec->log)
        return;
    Text t = { .arena = b->reader->arena };
    for (int i = 0; i < b->spec->op->naxis; i++)
        text_printf(&t, "%s%s = %s", i ? ", " : "", b->spec->op->extent[i].name, size_text(b, b->node->extent[i]));
    diag_warn(b->reader->diag, b->group->at,
              "no kernel is chosen for the node '%s': the function '%s' declares no shape %s", b->node->name,
              b->spec->function, text_str(&t));
}

/* ---- operands ---- */

/* Who made what is bound there, for people. */
static const char *origin(const Binder *b, int tensor)
{
    const Graph *g = b->reader->graph;
    const Tensor *t = &g->tensor[tensor];
    return t->kind == TENSOR_INNER && t->first >= 0
               ? arena_printf(b->reader->arena, "the node '%s' writes", g->node[t->first].name)
               : arena_printf(b->reader->arena, "the %s is declared with", tensor_kinds[t->kind]);
}

static bool unequal(const Binder *b, int operand, int tensor, const char *what, const Poly *wants, const Poly *has)
{
    const char *name = b->spec->op->operand[operand].name, *tensor_name = b->reader->graph->tensor[tensor].name;
    return diag_error(b->reader->diag, conf_member(b->group, name)->at,
                      "%s of the node '%s' has %s%s, but '%s' has %s, as %s it", name, b->node->name,
                      size_text(b, wants), what, tensor_name, size_text(b, has), origin(b, tensor));
}

/* Both are of one size: extent by extent where there are as many, else in all. */
static bool require_extents(const Binder *b, int operand, int tensor, const View *v)
{
    Graph *g = b->reader->graph;
    const int rank = spec_layout(b->spec, operand)->rank;
    const Poly *extent[OP_MAX_RANK];
    graph_operand_extents(g, b->node, operand, extent);
    const Poly *wants = graph_elems(g, rank, extent), *has = graph_elems(g, v->rank, v->extent);
    const char *why = arena_printf(b->reader->arena, "%s of the node '%s' is '%s'", b->spec->op->operand[operand].name,
                                   b->node->name, g->tensor[tensor].name);
    if (v->dense && (rank != v->rank || poly_compare(g->polys, wants, has) == POLY_EQUAL))
        return polys_require(g->polys, wants, has, why) || unequal(b, operand, tensor, " elements", wants, has);
    for (int i = 0; i < rank; i++)
        if (!polys_require(g->polys, extent[i], v->extent[i], why))
            return unequal(b, operand, tensor, arena_printf(b->reader->arena, " along its extent %d", i + 1), extent[i],
                           v->extent[i]);
    return true;
}

/* All elements of a view lie within its tensor: it goes on from its first element to its last. */
static bool require_within(const Binder *b, int operand, int tensor, const View *v)
{
    Graph *g = b->reader->graph;
    Polys *p = g->polys;
    const Tensor *t = &g->tensor[tensor];
    const char *begins = arena_printf(b->reader->arena, "the view '%s' begins within '%s'", v->name, t->name);
    const char *ends = arena_printf(b->reader->arena, "the view '%s' ends within '%s'", v->name, t->name);
    const Poly *last = v->at, *one = poly_number(p, 1);
    bool is_behind = polys_require_least(p, v->at, begins);
    for (int i = 0; i < v->rank; i++) {
        is_behind = is_behind && polys_require_least(p, v->stride[i], begins);
        last = poly_add(p, last, poly_mul(p, v->stride[i], poly_sub(p, v->extent[i], one)));
    }
    const Poly *left = poly_sub(p, poly_sub(p, graph_elems(g, t->rank, t->extent), one), last);
    if (is_behind && left && polys_require_least(p, left, ends))
        return true;
    return diag_error(b->reader->diag, conf_member(b->group, b->spec->op->operand[operand].name)->at,
                      "the view '%s', which the node '%s' takes, %s '%s'", v->name, b->node->name,
                      is_behind ? "reaches beyond the end of" : "begins before", t->name);
}

/* A tensor seen as a whole. */
static View whole(const Binder *b, int tensor)
{
    const Tensor *t = &b->reader->graph->tensor[tensor];
    View v = { .name = t->name, .at = poly_number(b->reader->graph->polys, 0), .rank = t->rank, .dense = true };
    memcpy(v.extent, t->extent, sizeof v.extent);
    graph_dense(b->reader, v.rank, v.extent, v.stride);
    return v;
}

static bool check_strides(const Binder *b, int operand, const View *v, Loc at)
{
    const Operand *o = &b->spec->op->operand[operand];
    const int rank = spec_layout(b->spec, operand)->rank;
    int64_t last = 1, extent = 0;
    if (v->dense)
        return true;
    if (!o->strided)
        return diag_error(b->reader->diag, at,
                          "'%s' does not lie densely, and the function '%s' takes %s so alone; name it in the "
                          "function's 'strides'",
                          v->name, b->spec->function, o->name);
    if (rank != v->rank)
        return diag_error(b->reader->diag, at, "%s of '%s' has %d extents, and the view '%s' has %d", o->name,
                          b->spec->function, rank, v->name, v->rank);
    if (rank && !(poly_is_number(v->stride[rank - 1], &last) && last == 1) &&
        !(poly_is_number(v->extent[rank - 1], &extent) && extent == 1))
        return diag_error(b->reader->diag, at, "the last stride of the view '%s' is not 1: %s reads neighbours",
                          v->name, o->name);
    return true;
}

static bool check_type(const Binder *b, int operand, int tensor, Loc at)
{
    const Storage *wants = spec_element(b->spec, &b->spec->op->operand[operand]);
    const Tensor *t = &b->reader->graph->tensor[tensor];
    return wants == t->stored ||
           diag_error(b->reader->diag, at, "%s of '%s' has elements of %s, and '%s' of %s",
                      b->spec->op->operand[operand].name, b->spec->function, wants->name, t->name, t->stored->name);
}

/* A packed operand is packed once, when the model is loaded: it is a constant as a whole. */
static bool check_packed(const Binder *b, int operand, int tensor, const View *v, Loc at)
{
    const Tensor *t = &b->reader->graph->tensor[tensor];
    int64_t number;
    if (!graph_is_packed(b->spec, operand))
        return true;
    if (t->kind != TENSOR_CONSTANT || !v->dense)
        return diag_error(b->reader->diag, at,
                          "the function '%s' packs %s once: expected a constant, found the %s '%s'", b->spec->function,
                          b->spec->op->operand[operand].name, tensor_kinds[t->kind], t->name);
    for (int i = 0; i < v->rank; i++)
        if (!poly_is_number(v->extent[i], &number))
            return diag_error(b->reader->diag, at, "'%s' is packed once, and cannot depend on dims", t->name);
    Graph *g = b->reader->graph;
    if (!poly_same(graph_elems(g, v->rank, v->extent), graph_elems(g, t->rank, t->extent)))
        return diag_error(b->reader->diag, at,
                          "the function '%s' packs %s: expected a whole constant, found a part of '%s'",
                          b->spec->function, b->spec->op->operand[operand].name, t->name);
    return true;
}

/* ---- what is written and read ---- */

static void use(const Binder *b, int tensor, bool writes)
{
    Tensor *t = &b->reader->graph->tensor[tensor];
    t->last = b->reader->graph->nnode;
    if (writes && t->first < 0)
        t->first = t->last;
}

static bool write(const Binder *b, int operand, int tensor, Loc at)
{
    Graph *g = b->reader->graph;
    Tensor *t = &g->tensor[tensor];
    const Poly **written = &b->reader->written[tensor], *extent[OP_MAX_RANK];
    const bool again = b->spec->op->operand[operand].is_read;
    if (t->kind == TENSOR_INPUT || t->kind == TENSOR_CONSTANT)
        return diag_error(b->reader->diag, at, "the node '%s' would write the %s '%s'", b->node->name,
                          tensor_kinds[t->kind], t->name);
    if (again && t->first < 0 && t->kind != TENSOR_STATE)
        return diag_error(b->reader->diag, at, "the node '%s' adds to '%s', which no node before it writes",
                          b->node->name, t->name);
    if (!again && t->kind != TENSOR_STATE) {
        graph_operand_extents(g, b->node, operand, extent);
        *written = poly_add(g->polys, *written, graph_elems(g, spec_layout(b->spec, operand)->rank, extent));
        const Poly *elems = graph_elems(g, t->rank, t->extent);
        int64_t least, most;
        poly_range(g->polys, poly_sub(g->polys, *written, elems), &least, &most);
        if (least > 0)
            return diag_error(b->reader->diag, at, "the node '%s' writes '%s', which the node '%s' has written",
                              b->node->name, t->name, g->node[t->first].name);
    }
    use(b, tensor, true);
    return true;
}

static bool read(const Binder *b, int tensor, Loc at)
{
    const Tensor *t = &b->reader->graph->tensor[tensor];
    if ((t->kind == TENSOR_INNER || t->kind == TENSOR_OUTPUT) && t->first < 0)
        return diag_error(b->reader->diag, at, "the node '%s' reads '%s', which no node before it writes",
                          b->node->name, t->name);
    use(b, tensor, false);
    return true;
}

/* A tensor that no list declares comes to be as the node writes it. */
static int new_tensor(const Binder *b, int operand, const char *name, Loc at)
{
    Tensor t = { .name = name, .from = name, .kind = TENSOR_INNER, .slot = -1, .loc = at };
    if (!conf_check_name(b->reader->diag, at, "tensor", name, graph_name_fault(b->reader, name)))
        return -1;
    t.stored = spec_element(b->spec, &b->spec->op->operand[operand]);
    t.rank = spec_layout(b->spec, operand)->rank;
    graph_operand_extents(b->reader->graph, b->node, operand, t.extent);
    return graph_add_tensor(b->reader, t);
}

static bool report_unknown(const Binder *b, const char *name, Loc at)
{
    const Graph *g = b->reader->graph;
    const char *nearest = diag_nearest(name, NAMES(g->tensor, g->ntensor));
    nearest = nearest ? nearest : diag_nearest(name, NAMES(g->view, g->nview));
    return diag_error(b->reader->diag, at, "the node '%s' reads '%s', which is not there%s%s%s", b->node->name, name,
                      nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static bool bind_operand(const Binder *b, int operand)
{
    Graph *g = b->reader->graph;
    const Operand *o = &b->spec->op->operand[operand];
    const ConfSetting *s = conf_member(b->group, o->name);
    const bool writes = o->role == ROLE_OUT;
    const char *name;
    int tensor, view;
    if (!s)
        return diag_error(b->reader->diag, b->group->at, "the node '%s' lacks the operand %s of '%s'", b->node->name,
                          o->name, b->spec->function);
    if (!conf_string(b->reader->conf, s, NULL, &name))
        return false;
    if (!graph_find(b->reader, name, &tensor, &view)) {
        if (!writes || view >= 0)
            return report_unknown(b, view < 0 ? name : g->view[view].of, s->at);
        tensor = new_tensor(b, operand, name, s->at);
        if (tensor < 0)
            return false;
    }
    const View v = view < 0 ? whole(b, tensor) : g->view[view];
    if (!check_type(b, operand, tensor, s->at) || !check_strides(b, operand, &v, s->at) ||
        !check_packed(b, operand, tensor, &v, s->at) || !require_extents(b, operand, tensor, &v) ||
        (view >= 0 && !require_within(b, operand, tensor, &v)) ||
        !(writes ? write(b, operand, tensor, s->at) : read(b, tensor, s->at)))
        return false;
    GraphOperand *bound = &b->node->operand[operand];
    *bound = (GraphOperand){ .tensor = tensor, .at = v.at, .dense = v.dense };
    for (int i = 0; i < v.rank && !v.dense; i++)
        bound->stride[i] = v.stride[i];
    return true;
}

/* All operands: what is read before what is written, as a node cannot read its own result. */
static bool bind_operands(const Binder *b)
{
    const Op *op = b->spec->op;
    bool ok = true;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < op->noperand; i++)
            if ((op->operand[i].role == ROLE_OUT) == pass)
                ok = bind_operand(b, i) && ok;
    return ok;
}

/* ---- a node ---- */

static bool check_keys(const Binder *b)
{
    ConfKey keys[OP_MAX_EXTENT + OP_MAX_OPERAND + 2] = { { "call", true, NULL }, { "name", false, NULL } };
    size_t n = 2;
    for (int i = 0; i < b->spec->op->ngiven; i++)
        keys[n++] = (ConfKey){ b->spec->op->extent[i].name, false, NULL };
    for (int i = 0; i < b->spec->op->noperand; i++)
        keys[n++] = (ConfKey){ b->spec->op->operand[i].name, false, NULL };
    return conf_keys(b->reader->conf, b->group, keys, n);
}

/* The file's function of that name, or -1 after an error. */
static int find_function(GraphReader *r, Loc at, const char *name)
{
    const SpecFile *file = r->graph->file;
    const char *names[SPEC_MAX_FUNCTION];
    for (int i = 0; i < file->nfunction; i++)
        names[i] = file->function[i]->function;
    return conf_lookup(r->diag, at, "function", name, NAMES(names, file->nfunction));
}

bool graph_read_node(GraphReader *r, const ConfSetting *s)
{
    Graph *g = r->graph;
    GraphNode node = { .loc = s->at };
    const char *call = NULL;
    if (!conf_group(r->conf, s, NULL))
        return false;
    const ConfSetting *named = conf_member(s, "call");
    if (!named)
        return diag_error(r->diag, s->at, "a node lacks 'call', the function that it calls");
    if (!conf_string(r->conf, named, NULL, &call) || (node.function = find_function(r, named->at, call)) < 0)
        return false;
    node.name = call;
    conf_string(r->conf, s, "name", &node.name);
    const Binder b = { .reader = r, .group = s, .spec = g->file->function[node.function], .node = &node };
    for (int i = 0; i < OP_MAX_OPERAND; i++)
        node.operand[i].tensor = -1;
    if (!check_keys(&b) || !read_extents(&b) || !bind_operands(&b))
        return false;
    node.shape = shape_of(&b);
    warn_of_shape(&b);
    node.first = g->nnode;
    node.last = g->nnode;
    *ARENA_APPEND(r->arena, g->node, g->nnode) = node;
    return true;
}
