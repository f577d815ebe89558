/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_branches: a model in which the branches that If nodes take, once that is known, stand in the place of these.
 * What a branch calls its own values gets the node's name before it.
 */
#include "gen/import/onnx_private.h"

#include <string.h>

/* A branch on its way into the graph around it. */
typedef struct {
    Arena *arena;
    NameTable *there; /* names of values around it */
    const char *prefix;
    NameTable own; /* row.value: a place in `outside` */
    const char **outside;
    int noutside;
} Branch;

static const char *outside(const Branch *b, const char *name)
{
    const NameRow *row = table_find(&b->own, name);
    return row ? b->outside[row->value] : name;
}

static const char *bring_out(Branch *b, const char *name)
{
    const char *made = arena_printf(b->arena, "%s/%s", b->prefix, name);
    if (!*name)
        return name;
    while (table_find(b->there, made))
        made = arena_printf(b->arena, "%s_", made);
    table_add(b->there, made, 0);
    table_add(&b->own, name, b->noutside);
    *ARENA_APPEND(b->arena, b->outside, b->noutside) = made;
    return made;
}

/* ---- graphs in a branch ---- */

static OnnxNode renamed(const Branch *b, const OnnxNode *node, const OnnxGraph *within);

/* What a graph within the branch calls a value: its own ones keep their names. */
static const char *name_within(const Branch *b, const OnnxGraph *g, const char *name)
{
    return g && table_find(&g->place->writers, name) ? name : outside(b, name);
}

static const OnnxGraph *graph_renamed(const Branch *b, const OnnxGraph *g)
{
    OnnxGraph *to = ARENA_NEW(b->arena, OnnxGraph);
    OnnxNode *node = ARENA_ARRAY(b->arena, (size_t)g->nnode + 1, OnnxNode);
    OnnxValue *output = ARENA_ARRAY(b->arena, (size_t)g->noutput + 1, OnnxValue);
    *to = *g;
    for (int i = 0; i < g->nnode; i++)
        node[i] = renamed(b, &g->node[i], g);
    for (int i = 0; i < g->noutput; i++) {
        output[i] = g->output[i];
        output[i].name = name_within(b, g, output[i].name);
    }
    to->node = node;
    to->output = output;
    return to;
}

/* A node with its inputs, and what graphs in it read, as they are called outside of the branch. within: a graph in the
 * branch that the node is in; NULL: none. */
static OnnxNode renamed(const Branch *b, const OnnxNode *node, const OnnxGraph *within)
{
    OnnxNode to = *node;
    const char **input = ARENA_ARRAY(b->arena, (size_t)node->ninput + 1, const char *);
    OnnxAttribute *attribute = ARENA_ARRAY(b->arena, (size_t)node->nattribute + 1, OnnxAttribute);
    for (int i = 0; i < node->ninput; i++)
        input[i] = name_within(b, within, node->input[i]);
    for (int i = 0; i < node->nattribute; i++) {
        attribute[i] = node->attribute[i];
        if (attribute[i].kind == ONNX_GRAPH)
            attribute[i].graph = graph_renamed(b, attribute[i].graph);
    }
    to.input = input;
    to.attribute = attribute;
    return to;
}

/* ---- a branch ---- */

static void add_node(Branch *b, NodeList *nodes, const OnnxNode *node)
{
    OnnxNode to = renamed(b, node, NULL);
    const char **output = ARENA_ARRAY(b->arena, (size_t)node->noutput + 1, const char *);
    for (int i = 0; i < node->noutput; i++)
        output[i] = bring_out(b, node->output[i]);
    to.output = output;
    *LIST_PUSH(b->arena, nodes) = to;
}

/* The node's output i is what the branch calls `from`. */
static void add_output(Branch *b, NodeList *nodes, const OnnxNode *node, int i, const char *from)
{
    if (*node->output[i])
        *LIST_PUSH(b->arena, nodes) = onnx_identity(b->arena, arena_printf(b->arena, "%s/output_%d", node->name, i),
                                                    outside(b, from), node->output[i], node->model);
}

static void add_branch(Arena *a, NameTable *there, NodeList *nodes, TensorList *constants, const OnnxNode *node,
                       const OnnxGraph *g)
{
    Branch b = { .arena = a, .there = there, .prefix = node->name, .own = table_new(a) };
    for (int i = 0; i < g->nconstant; i++) {
        OnnxTensor *to = LIST_PUSH(a, constants);
        *to = g->constant[i];
        to->name = bring_out(&b, to->name);
    }
    for (int i = 0; i < g->nnode; i++)
        add_node(&b, nodes, &g->node[i]);
    for (int i = 0; i < node->noutput; i++)
        add_output(&b, nodes, node, i, g->output[i].name);
}

const OnnxGraph *onnx_branch(const OnnxNode *node, bool is_then)
{
    const OnnxGraph *g = onnx_graph(node, is_then ? "then_branch" : "else_branch");
    return g && g->ninput == 0 && g->noutput == node->noutput ? g : NULL;
}

const OnnxModel *onnx_with_branches(Arena *a, const OnnxModel *m, const OnnxGraph *const *branch)
{
    OnnxModel *to = ARENA_NEW(a, OnnxModel);
    OnnxGraph *g = ARENA_NEW(a, OnnxGraph);
    NameTable there = table_new(a);
    NodeList nodes = { 0 };
    TensorList constants = { 0 };
    *to = *m;
    *g = *m->graph;
    for (int i = 0; i < g->place->writers.n; i++)
        table_add(&there, g->place->writers.row[i].name, 0);
    for (int i = 0; i < g->nconstant; i++)
        *LIST_PUSH(a, &constants) = g->constant[i];
    for (int i = 0; i < g->nnode; i++)
        if (branch[i])
            add_branch(a, &there, &nodes, &constants, &g->node[i], branch[i]);
        else
            *LIST_PUSH(a, &nodes) = g->node[i];
    struct OnnxPlaces *place = ARENA_NEW(a, struct OnnxPlaces);
    *place = (struct OnnxPlaces){ .writers = table_new(a), .values = g->place->values, .value = g->place->value };
    for (int i = 0; i < constants.n; i++)
        table_add(&place->writers, constants.item[i].name, i);
    for (int i = 0; i < g->ninput; i++)
        table_add(&place->writers, g->input[i].name, WRITER_INPUT);
    for (int i = 0; i < nodes.n; i++)
        for (int k = 0; k < nodes.item[i].noutput; k++)
            if (*nodes.item[i].output[k])
                table_add(&place->writers, nodes.item[i].output[k], constants.n + i);
    g->place = place;
    g->node = nodes.item;
    g->nnode = nodes.n;
    g->constant = constants.item;
    g->nconstant = constants.n;
    to->graph = g;
    return to;
}
