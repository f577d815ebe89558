/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_query: what a model that was read is asked: values by their names, attributes of nodes.
 */
#include "gen/import/onnx_private.h"

#include <string.h>

/* ---- values ---- */

/* The row of the graph, or of the nearest around it, that has the name. */
static const NameRow *find_writer(const OnnxGraph **g, const char *name)
{
    const NameRow *row = NULL;
    for (; *g && !(row = table_find(&(*g)->place->writers, name)); *g = (*g)->outer)
        ;
    return row;
}

const OnnxTensor *onnx_constant(const OnnxGraph *g, const char *name)
{
    const NameRow *row = find_writer(&g, name);
    return row && row->value >= 0 && row->value < g->nconstant ? &g->constant[row->value] : NULL;
}

const OnnxNode *onnx_writer(const OnnxGraph *g, const char *name)
{
    const NameRow *row = find_writer(&g, name);
    return row && row->value >= g->nconstant ? &g->node[row->value - g->nconstant] : NULL;
}

const OnnxValue *onnx_value(const OnnxGraph *g, const char *name)
{
    const NameRow *row = NULL;
    for (; g && !(row = table_find(&g->place->values, name)); g = g->outer)
        if (table_find(&g->place->writers, name))
            return NULL; /* it is this graph's, of which the file says nothing */
    return row ? &g->place->value.item[row->value] : NULL;
}

/* ---- attributes ---- */

const OnnxAttribute *onnx_attribute(const OnnxNode *node, const char *name)
{
    for (int i = 0; i < node->nattribute; i++)
        if (strcmp(node->attribute[i].name, name) == 0)
            return &node->attribute[i];
    return NULL;
}

/* Without a value of its own where the node has none of this kind. */
static OnnxAttribute attribute_of(const OnnxNode *node, const char *name, OnnxKind kind, bool *found)
{
    static const char *const word[] = { "a whole number",    "a number",        "a text",
                                        "a tensor",          "a graph",         "whole numbers",
                                        "a list of numbers", "a list of texts", "something else" };
    const OnnxAttribute *at = onnx_attribute(node, name);
    *found = at && at->kind == kind;
    if (at && !*found) {
        Arena *a = arena_new();
        diag_error(node->model->diag, (Loc){ .src = node->model->src },
                   "node %s (%s): expected %s in its attribute '%s', found %s", onnx_shown(a, node->name), node->op,
                   word[kind], name, word[at->kind]);
        arena_free(a);
    }
    return *found ? *at : (OnnxAttribute){ 0 };
}

int64_t onnx_int(const OnnxNode *node, const char *name, int64_t otherwise)
{
    bool found;
    const OnnxAttribute at = attribute_of(node, name, ONNX_INT, &found);
    return found ? at.integer : otherwise;
}

double onnx_float(const OnnxNode *node, const char *name, double otherwise)
{
    bool found;
    const OnnxAttribute at = attribute_of(node, name, ONNX_FLOAT, &found);
    return found ? at.real : otherwise;
}

const char *onnx_string(const OnnxNode *node, const char *name, const char *otherwise)
{
    bool found;
    const OnnxAttribute at = attribute_of(node, name, ONNX_STRING, &found);
    return found ? at.string : otherwise;
}

const OnnxTensor *onnx_tensor(const OnnxNode *node, const char *name)
{
    bool found;
    return attribute_of(node, name, ONNX_TENSOR, &found).tensor;
}

const OnnxGraph *onnx_graph(const OnnxNode *node, const char *name)
{
    bool found;
    return attribute_of(node, name, ONNX_GRAPH, &found).graph;
}

const int64_t *onnx_ints(const OnnxNode *node, const char *name, int *n)
{
    bool found;
    const OnnxAttribute at = attribute_of(node, name, ONNX_INTS, &found);
    *n = at.n;
    return at.integers;
}

const float *onnx_floats(const OnnxNode *node, const char *name, int *n)
{
    bool found;
    const OnnxAttribute at = attribute_of(node, name, ONNX_FLOATS, &found);
    *n = at.n;
    return at.reals;
}

const char *const *onnx_strings(const OnnxNode *node, const char *name, int *n)
{
    bool found;
    const OnnxAttribute at = attribute_of(node, name, ONNX_STRINGS, &found);
    *n = at.n;
    return at.strings;
}
