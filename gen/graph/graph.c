/* SPDX-License-Identifier: Apache-2.0
 *
 * graph: reads the tensors and views of a graph, then its nodes one by one (graph_bind.c), and checks what only the
 * whole shows: that each output and each tensor that is read is written.
 */
#include "gen/graph/graph.h"

#include <string.h>
#include "gen/base/name.h"
#include "gen/graph/graph_private.h"

const char *const tensor_kinds[TENSOR_KIND_COUNT] = { "input", "output", "constant", "state", "inner tensor" };

/* ---- sizes ---- */

const Poly *graph_elems(Graph *g, int rank, const Poly *const *extent) { return poly_product(g->polys, rank, extent); }

void graph_dense(GraphReader *r, int rank, const Poly *const *extent, const Poly **stride)
{
    const Poly *step = poly_number(r->graph->polys, 1);
    for (int i = rank - 1; i >= 0; i--) {
        stride[i] = step;
        step = poly_mul(r->graph->polys, step, extent[i]);
    }
}

bool graph_read_size(GraphReader *r, const ConfSetting *s, const Poly **out)
{
    const Spec *f = r->graph->file->function[0];
    Expr *e = NULL;
    if (!conf_expr(r->conf, s, NULL, &e) || !conf_check_names(r->diag, e, "dim", NAMES(f->dim, f->ndim)))
        return false;
    *out = poly_of(r->graph->polys, e);
    return *out || diag_error(r->diag, s->at, "no size is made of this: expected whole numbers and dims below 2^63");
}

/* Reads a list of sizes from 0 on. False after an error. */
static bool read_sizes(GraphReader *r, const ConfSetting *group, const char *key, const Poly **out, int *n)
{
    const ConfSetting *list = conf_list(r->conf, group, key);
    *n = conf_length(list);
    if (!list)
        return false;
    if (*n > OP_MAX_RANK)
        return diag_error(r->diag, list->at, "'%s': %d of them, expected at most %d", key, *n, OP_MAX_RANK);
    bool ok = true;
    for (int i = 0; i < *n; i++) {
        int64_t least = 0, most;
        const ConfSetting *s = conf_elem(list, i);
        if (!graph_read_size(r, s, &out[i])) {
            ok = false;
            continue;
        }
        poly_range(r->graph->polys, out[i], &least, &most);
        if (most < 0)
            ok = diag_error(r->diag, s->at, "'%s' is negative whatever the dims are",
                            poly_text(r->arena, r->graph->polys, out[i]));
    }
    return ok;
}

/* ---- tensors and views ---- */

bool graph_find(const GraphReader *r, const char *name, int *tensor, int *view)
{
    const Graph *g = r->graph;
    *view = names_find(NAMES(g->view, g->nview), name);
    *tensor = names_find(NAMES(g->tensor, g->ntensor), *view < 0 ? name : g->view[*view].of);
    return *tensor >= 0;
}

int graph_add_tensor(GraphReader *r, Tensor t)
{
    Graph *g = r->graph;
    t.first = t.last = -1;
    int n = g->ntensor;
    *ARENA_APPEND(r->arena, r->written, n) = poly_number(g->polys, 0);
    *ARENA_APPEND(r->arena, g->tensor, g->ntensor) = t;
    return g->ntensor - 1;
}

const char *graph_name_fault(const GraphReader *r, const char *name)
{
    const char *package = r->graph->file->function[0]->package, *why = name_member_fault(name);
    const size_t n = strlen(package);
    if (!why && strncmp(name, package, n) == 0 && name[n] == '_' && name_is_capitals(name + n + 1))
        return "may be a macro of the package";
    return why;
}

/* Reads the name of a tensor or a view, which no other has. NULL after an error. */
static const char *read_name(GraphReader *r, const ConfSetting *group, bool is_tensor)
{
    const Graph *g = r->graph;
    const ConfSetting *s = conf_member(group, "name");
    const char *name;
    if (!s || !conf_string(r->conf, s, NULL, &name) ||
        !conf_check_name(r->diag, s->at, is_tensor ? "tensor" : "view", name,
                         is_tensor ? graph_name_fault(r, name) : name_fault(name)))
        return NULL;
    if (names_find(NAMES(g->tensor, g->ntensor), name) < 0 && names_find(NAMES(g->view, g->nview), name) < 0)
        return name;
    diag_error(r->diag, s->at, "there are two tensors or views '%s'", name);
    return NULL;
}

static const Storage *read_type(GraphReader *r, const ConfSetting *group)
{
    OperandType type[OPERAND_TYPE_MOST];
    const int n = operand_types(type);
    int which = names_find(NAMES(type, n), r->graph->file->function[0]->dtype);
    conf_choice(r->conf, group, "type", "type", NAMES(type, n), &which);
    return type[which].stored;
}

static void read_tensor(GraphReader *r, const ConfSetting *group, TensorKind kind)
{
    static const ConfKey keys[] = { { "name", true, "as in name = \"hidden\";" },
                                    { "extents", true, "as in extents = (\"B\", \"T\", 768);" },
                                    { "type", false, NULL },
                                    { "from", false, NULL } };
    Tensor t = { .kind = kind, .slot = -1, .loc = group->at };
    if (!conf_group(r->conf, group, NULL) || !conf_keys(r->conf, group, keys, LENGTH(keys)))
        return;
    t.name = t.from = read_name(r, group, true);
    conf_string(r->conf, group, "from", &t.from);
    t.stored = read_type(r, group);
    if (!read_sizes(r, group, "extents", t.extent, &t.rank) || !t.name)
        return;
    if (!graph_elems(r->graph, t.rank, t.extent))
        diag_error(r->diag, t.loc, "the %s '%s' has more elements than 2^63", tensor_kinds[kind], t.name);
    else
        graph_add_tensor(r, t);
}

static void read_tensors(GraphReader *r, const ConfSetting *graph, const char *key, TensorKind kind)
{
    const ConfSetting *list = conf_list(r->conf, graph, key);
    for (int i = 0; i < conf_length(list); i++)
        read_tensor(r, conf_elem(list, i), kind);
}

static void read_view(GraphReader *r, const ConfSetting *group)
{
    static const ConfKey keys[] = { { "name", true, NULL },
                                    { "of", true, "the tensor that it is a view of" },
                                    { "at", false, NULL },
                                    { "extents", true, "as in extents = (\"B\", 12, \"T\", 64);" },
                                    { "strides", false, NULL } };
    Graph *g = r->graph;
    View v = { .loc = group->at, .at = poly_number(g->polys, 0) };
    const Poly *dense[OP_MAX_RANK];
    int nstride = 0;
    if (!conf_group(r->conf, group, NULL) || !conf_keys(r->conf, group, keys, LENGTH(keys)))
        return;
    v.name = read_name(r, group, false);
    if (!conf_string(r->conf, group, "of", &v.of) || !read_sizes(r, group, "extents", v.extent, &v.rank) || !v.name ||
        (conf_member(group, "at") && !graph_read_size(r, conf_member(group, "at"), &v.at)))
        return;
    graph_dense(r, v.rank, v.extent, dense);
    v.dense = true;
    if (conf_member(group, "strides") && !read_sizes(r, group, "strides", v.stride, &nstride))
        return;
    if (conf_member(group, "strides") && nstride != v.rank) {
        diag_error(r->diag, conf_member(group, "strides")->at, "expected %d strides, one an extent; found %d", v.rank,
                   nstride);
        return;
    }
    for (int i = 0; i < v.rank; i++) {
        v.stride[i] = nstride ? v.stride[i] : dense[i];
        v.dense = v.dense && poly_same(v.stride[i], dense[i]);
    }
    *ARENA_APPEND(r->arena, g->view, g->nview) = v;
}

/* What a model asks of the dims that its calls do not show, as where a part of a tensor is seen in other extents. */
static void read_condition(GraphReader *r, const ConfSetting *group)
{
    static const ConfKey keys[] = { { "sizes", true, "two that must be equal, as in sizes = (\"T\", \"2*(T/2)\");" },
                                    { "why", false, NULL } };
    const Poly *size[OP_MAX_RANK];
    const char *why = "a condition of the graph";
    int n;
    if (!conf_group(r->conf, group, NULL) || !conf_keys(r->conf, group, keys, LENGTH(keys)) ||
        !read_sizes(r, group, "sizes", size, &n))
        return;
    conf_string(r->conf, group, "why", &why);
    Polys *p = r->graph->polys;
    if (n != 2)
        diag_error(r->diag, conf_member(group, "sizes")->at, "expected two sizes that must be equal; found %d", n);
    else if (!polys_require(p, size[0], size[1], why))
        diag_error(r->diag, group->at, "the sizes %s and %s are never equal", poly_text(r->arena, p, size[0]),
                   poly_text(r->arena, p, size[1]));
}

/* ---- the whole ---- */

static void make_dims(GraphReader *r)
{
    const Spec *f = r->graph->file->function[0];
    for (const Dim *d = f->dim; d < f->dim + f->ndim; d++) {
        conf_check_name(r->diag, d->loc, "dim", d->name, graph_name_fault(r, d->name));
        polys_dim(r->graph->polys, d->name, d->min, d->max);
    }
}

/* Each output is written, all of it, and so is what is written in parts and read. */
static void check_written(GraphReader *r)
{
    Graph *g = r->graph;
    for (int i = 0; i < g->ntensor; i++) {
        const Tensor *t = &g->tensor[i];
        const Poly *elems = graph_elems(g, t->rank, t->extent);
        if (t->kind != TENSOR_OUTPUT && t->kind != TENSOR_INNER)
            continue;
        if (t->first < 0)
            diag_error(r->diag, t->loc, "no node writes the %s '%s'", tensor_kinds[t->kind], t->name);
        else if (poly_compare(g->polys, r->written[i], elems) == POLY_NEVER)
            diag_error(r->diag, t->loc, "the %s '%s' has %s elements, and nodes write %s of them",
                       tensor_kinds[t->kind], t->name, poly_text(r->arena, g->polys, elems),
                       poly_text(r->arena, g->polys, r->written[i]));
    }
}

static void warn_unused(GraphReader *r)
{
    const Graph *g = r->graph;
    for (int i = 0; i < g->ntensor; i++)
        if (g->tensor[i].kind != TENSOR_OUTPUT && g->tensor[i].last < 0)
            diag_warn(r->diag, g->tensor[i].loc, "no node uses the %s '%s'", tensor_kinds[g->tensor[i].kind],
                      g->tensor[i].name);
}

static void read_graph(GraphReader *r, const ConfSetting *s)
{
    static const ConfKey keys[] = { { "inputs", false, NULL },     { "outputs", true, NULL },
                                    { "constants", false, NULL },  { "state", false, NULL },
                                    { "tensors", false, NULL },    { "views", false, NULL },
                                    { "conditions", false, NULL }, { "nodes", true, NULL } };
    if (!conf_group(r->conf, s, NULL))
        return;
    conf_keys(r->conf, s, keys, LENGTH(keys));
    make_dims(r);
    read_tensors(r, s, "inputs", TENSOR_INPUT);
    read_tensors(r, s, "outputs", TENSOR_OUTPUT);
    read_tensors(r, s, "constants", TENSOR_CONSTANT);
    read_tensors(r, s, "state", TENSOR_STATE);
    read_tensors(r, s, "tensors", TENSOR_INNER);
    const ConfSetting *views = conf_list(r->conf, s, "views"), *nodes = conf_list(r->conf, s, "nodes"),
                      *conditions = conf_list(r->conf, s, "conditions");
    for (int i = 0; i < conf_length(conditions); i++)
        read_condition(r, conf_elem(conditions, i));
    for (int i = 0; i < conf_length(views); i++)
        read_view(r, conf_elem(views, i));
    if (diag_nerror(r->diag) > r->nerror)
        return; /* nodes that name what could not be read would only repeat it */
    for (int i = 0; i < conf_length(nodes); i++)
        graph_read_node(r, conf_elem(nodes, i));
    if (diag_nerror(r->diag) > r->nerror)
        return;
    check_written(r);
    warn_unused(r);
}

Graph *graph_read(Arena *a, const SpecFile *file, Diag *d)
{
    if (!file->graph)
        return NULL;
    Graph *g = ARENA_NEW(a, Graph);
    *g = (Graph){ .file = file, .polys = polys_new(a) };
    GraphReader r = { .arena = a, .conf = file->conf, .diag = d, .nerror = diag_nerror(d), .graph = g };
    read_graph(&r, file->graph);
    return diag_nerror(d) > r.nerror ? NULL : g;
}
