/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_graph: the nodes, constants, inputs and outputs of a graph.
 */
#include "gen/import/onnx_private.h"

#include <string.h>

enum { GRAPH_WORK = 64 }; /* what it takes besides what is in it: tables */

/* ---- nodes ---- */

/* The file's name, if no node has it yet, else one made of the operator and the number of nodes before. */
static const char *name_of(Import *im, const Onnx__NodeProto *p, const Scope *s)
{
    const char *name = onnx_text(p->name);
    NameRow *row = *name && !s ? table_find(&im->nodes, name) : NULL;
    const int number = im->nnode++;
    if (row && row->value <= 0) {
        row->value = row->value < 0 ? -row->value : 1;
        return name;
    }
    if (!*name || !s)
        name = arena_printf(im->arena, "%s_%d", onnx_text(p->op_type), number);
    return onnx_unique(im, &im->nodes, s ? arena_printf(im->arena, "%s/%s", s->prefix, name) : name);
}

static const char *const *names_outside(Import *im, Scope *s, char *const *name, size_t n)
{
    const char **outside = ARENA_ARRAY(im->arena, n, const char *);
    for (size_t i = 0; i < n && !im->stopped; i++)
        outside[i] = onnx_outside(im, s, name[i]);
    return outside;
}

OnnxNode onnx_read_node(Import *im, const Builder *b, const Onnx__NodeProto *p, Scope *s, bool *ok)
{
    *ok = onnx_spend(im, 1 + (int64_t)(p->n_input + p->n_output + p->n_attribute));
    OnnxNode node = { .name = "", .op = onnx_text(p->op_type), .domain = onnx_domain(p->domain), .model = im->model };
    if (!*ok)
        return node;
    node.name = name_of(im, p, s);
    node.input = names_outside(im, s, p->input, p->n_input);
    node.output = names_outside(im, s, p->output, p->n_output);
    node.ninput = (int)p->n_input;
    node.noutput = (int)p->n_output;
    if (!*node.op)
        *ok = onnx_error(im, "node %s has no operator; expected its name", onnx_shown(im->arena, node.name));
    *ok &= onnx_read_attributes(im, b, p, s, &node) && !im->stopped;
    return node;
}

/* ---- Constant nodes ---- */

static OnnxTensor *made_up(Arena *a, ElementType type, int64_t n, bool is_scalar, const void *data)
{
    OnnxTensor *t = ARENA_NEW(a, OnnxTensor);
    int64_t *dim = ARENA_NEW(a, int64_t), bytes = 0;
    *dim = n;
    element_bytes(type, n, &bytes);
    *t = (OnnxTensor){ .type = type, .rank = !is_scalar, .dim = dim, .count = n, .data = bytes ? data : NULL };
    t->bytes = (size_t)bytes;
    return t;
}

/* The tensor that the attribute of a Constant node stands for; NULL: for none. */
static const OnnxTensor *constant_of(Arena *a, const OnnxAttribute *at)
{
    static const struct {
        const char *name;
        OnnxKind kind;
    } form[] = { { "value", ONNX_TENSOR },         { "value_int", ONNX_INT },       { "value_ints", ONNX_INTS },
                 { "value_float", ONNX_FLOAT },    { "value_floats", ONNX_FLOATS }, { "value_string", ONNX_STRING },
                 { "value_strings", ONNX_STRINGS } };
    size_t i = 0;
    while (i < LENGTH(form) && (form[i].kind != at->kind || strcmp(form[i].name, at->name) != 0))
        i++;
    if (i == LENGTH(form))
        return NULL;
    float *real = ARENA_NEW(a, float);
    int64_t *integer = ARENA_NEW(a, int64_t);
    *real = (float)at->real;
    *integer = at->integer;
    switch (at->kind) {
    case ONNX_INT:
        return made_up(a, ELEMENT_S64, 1, true, integer);
    case ONNX_INTS:
        return made_up(a, ELEMENT_S64, at->n, false, at->integers);
    case ONNX_FLOAT:
        return made_up(a, ELEMENT_F32, 1, true, real);
    case ONNX_FLOATS:
        return made_up(a, ELEMENT_F32, at->n, false, at->reals);
    case ONNX_STRING:
        return made_up(a, ELEMENT_STRING, 1, true, NULL);
    case ONNX_STRINGS:
        return made_up(a, ELEMENT_STRING, at->n, false, NULL);
    default:
        return at->tensor;
    }
}

static void add_constant(Import *im, Builder *b, const OnnxTensor *t, const char *name)
{
    OnnxTensor *to = LIST_PUSH(im->arena, &b->constants);
    *to = *t;
    to->name = name;
}

/* A node that is wrong stays, so that its outputs are not missed too. */
static void read_constant(Import *im, Builder *b, const OnnxNode *node)
{
    const OnnxTensor *t = node->nattribute == 1 ? constant_of(im->arena, node->attribute) : NULL;
    if (t && node->noutput == 1 && *node->output[0]) {
        add_constant(im, b, t, node->output[0]);
        return;
    }
    *LIST_PUSH(im->arena, &b->nodes) = *node;
    onnx_error(im,
               "node %s (Constant): expected one output, and one attribute: value, value_int, value_ints, "
               "value_float, value_floats, value_string or value_strings; sparse ones are not read",
               onnx_shown(im->arena, node->name));
}

void onnx_read_nodes(Import *im, Builder *b, Onnx__NodeProto *const *list, size_t n, Scope *s)
{
    for (size_t i = 0; i < n && !im->stopped; i++) {
        Function *f = onnx_function(im, list[i]);
        bool ok;
        if (f) {
            onnx_inline(im, b, list[i], f, s);
            continue;
        }
        const OnnxNode node = onnx_read_node(im, b, list[i], s, &ok);
        if (im->stopped)
            return;
        if (ok && strcmp(node.op, "Constant") == 0 && !*node.domain)
            read_constant(im, b, &node);
        else
            *LIST_PUSH(im->arena, &b->nodes) = node;
    }
}

/* ---- values ---- */

static void note_value(Import *im, struct OnnxPlaces *at, OnnxValue v)
{
    if (table_find(&at->values, v.name))
        return;
    table_add(&at->values, v.name, at->value.n);
    *LIST_PUSH(im->arena, &at->value) = v;
}

static void read_initializers(Import *im, Builder *b, const Onnx__GraphProto *p, Scope *s, struct OnnxPlaces *at)
{
    for (size_t i = 0; i < p->n_initializer && onnx_spend(im, 1); i++) {
        const char *name = onnx_outside(im, s, onnx_text(p->initializer[i]->name)),
                   *shown = onnx_shown(im->arena, name);
        if (!*name)
            onnx_error(im, "initializer %zu has no name", i);
        else if (table_find(&at->writers, name))
            onnx_error(im, "two initializers are called %s", shown);
        else {
            const OnnxTensor *t = onnx_read_tensor(im, p->initializer[i], name);
            table_add(&at->writers, name, t ? b->constants.n : WRITER_WRONG);
            if (t)
                add_constant(im, b, t, name);
        }
    }
    for (size_t i = 0; i < p->n_sparse_initializer; i++) {
        const Onnx__TensorProto *t = p->sparse_initializer[i]->values;
        onnx_error(im, "initializer %s is sparse; expected a dense one",
                   onnx_shown(im->arena, t ? onnx_text(t->name) : ""));
    }
}

/* Of files before version 4 initializers are inputs too. */
static void read_inputs(Import *im, OnnxGraph *g, const Onnx__GraphProto *p, Scope *s, struct OnnxPlaces *at)
{
    OnnxValue *input = ARENA_ARRAY(im->arena, p->n_input, OnnxValue);
    for (size_t i = 0; i < p->n_input && onnx_spend(im, 1); i++) {
        const OnnxValue v = onnx_read_value(im, p->input[i], s);
        const NameRow *row = table_find(&at->writers, v.name);
        note_value(im, at, v);
        if (!*v.name)
            onnx_error(im, "input %zu has no name", i);
        else if (row && row->value == WRITER_INPUT)
            onnx_error(im, "two inputs are called %s", onnx_shown(im->arena, v.name));
        else if (!row) {
            table_add(&at->writers, v.name, WRITER_INPUT);
            input[g->ninput++] = v;
        }
    }
    g->input = input;
}

static void read_outputs(Import *im, OnnxGraph *g, const Onnx__GraphProto *p, Scope *s, struct OnnxPlaces *at)
{
    OnnxValue *output = ARENA_ARRAY(im->arena, p->n_output, OnnxValue);
    for (size_t i = 0; i < p->n_output && onnx_spend(im, 1); i++) {
        output[g->noutput++] = onnx_read_value(im, p->output[i], s);
        note_value(im, at, output[i]);
    }
    for (size_t i = 0; i < p->n_value_info && onnx_spend(im, 1); i++)
        note_value(im, at, onnx_read_value(im, p->value_info[i], s));
    g->output = output;
}

OnnxGraph *onnx_read_graph(Import *im, const Onnx__GraphProto *p, Scope *s, const OnnxGraph *outer, int depth)
{
    if (depth > ONNX_MAX_NESTED) {
        onnx_error(im, "graph %s is nested deeper than %d; expected at most that many",
                   onnx_shown(im->arena, onnx_text(p->name)), ONNX_MAX_NESTED);
        return NULL;
    }
    if (!onnx_spend(im, GRAPH_WORK))
        return NULL;
    OnnxGraph *g = ARENA_NEW(im->arena, OnnxGraph);
    struct OnnxPlaces *at = ARENA_NEW(im->arena, struct OnnxPlaces);
    Builder b = { .graph = g, .depth = depth };
    *g = (OnnxGraph){ .name = onnx_text(p->name), .outer = outer, .place = at };
    at->writers = table_new(im->arena);
    at->values = table_new(im->arena);
    read_initializers(im, &b, p, s, at);
    read_inputs(im, g, p, s, at);
    onnx_read_nodes(im, &b, p->node, p->n_node, s);
    read_outputs(im, g, p, s, at);
    return !im->stopped && onnx_finish(im, &b, at) ? g : NULL;
}
