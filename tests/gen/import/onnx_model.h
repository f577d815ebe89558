/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_model: models that a test makes piece by piece, writes as a file, and has read. Lists of names are words with
 * blanks between them, of which "-" is the empty name.
 */
#ifndef DCGEN_TESTS_ONNX_MODEL_H
#define DCGEN_TESTS_ONNX_MODEL_H

#include <onnx.pb-c.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen/base/text_list.h"
#include "gen/import/onnx.h"
#include "tests/arena.h"
#include "tests/gen/golden.h"
#include "tests/tmp_folder.h"

#define ADD(list, n, x) (*ARENA_APPEND(arena, list, n) = (x))

static char folder[TMP_FOLDER_BYTES];

static int setup_folder(void **state)
{
    setup(state);
    return tmp_folder(folder) ? 0 : -1;
}

static int teardown_folder(void **state)
{
    tmp_folder_remove(folder);
    return teardown(state);
}

static inline const char *in_folder(const char *name) { return arena_printf(arena, "%s/%s", folder, name); }

/* A message of a kind, as `onnx__node_proto__init` makes it. */
#define NEW(type, init) ((type *)new_message(sizeof(type), (void (*)(void *))(init)))

static inline void *new_message(size_t bytes, void (*init)(void *))
{
    void *m = arena_alloc(arena, bytes);
    init(m);
    return m;
}

static inline char **names(const char *words, size_t *n)
{
    TextList list = { 0 };
    text_list_split(arena, &list, words, " ");
    for (int i = 0; i < list.n; i++)
        list.item[i] = strcmp(list.item[i], "-") == 0 ? "" : list.item[i];
    *n = (size_t)list.n;
    return (char **)list.item;
}

/* ---- pieces ---- */

static inline Onnx__NodeProto *new_node(const char *op, const char *name, const char *input, const char *output)
{
    Onnx__NodeProto *p = NEW(Onnx__NodeProto, onnx__node_proto__init);
    p->op_type = (char *)op;
    p->name = *name ? (char *)name : NULL;
    p->input = names(input, &p->n_input);
    p->output = names(output, &p->n_output);
    return p;
}

/* Adds a node to a graph or a function, and gives it. */
#define NODE(to, op, name, input, output) ADD((to)->node, (to)->n_node, new_node(op, name, input, output))

static inline Onnx__AttributeProto *attribute(Onnx__NodeProto *node, const char *name, int type)
{
    Onnx__AttributeProto *p = NEW(Onnx__AttributeProto, onnx__attribute_proto__init);
    p->name = (char *)name;
    p->has_type = 1;
    p->type = (Onnx__AttributeProto__AttributeType)type;
    return ADD(node->attribute, node->n_attribute, p);
}

#define ATTRIBUTE(node, name, TYPE) attribute(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__##TYPE)

static inline Onnx__AttributeProto *attribute_int(Onnx__NodeProto *node, const char *name, int64_t value)
{
    Onnx__AttributeProto *p = ATTRIBUTE(node, name, INT);
    p->has_i = 1;
    p->i = value;
    return p;
}

static inline Onnx__AttributeProto *attribute_reference(Onnx__NodeProto *node, const char *name, const char *of_call)
{
    Onnx__AttributeProto *p = ATTRIBUTE(node, name, INT);
    p->ref_attr_name = (char *)of_call;
    return p;
}

/* A graph as an attribute of a node. */
static inline Onnx__GraphProto *graph_in(Onnx__NodeProto *node, const char *name)
{
    Onnx__GraphProto *g = NEW(Onnx__GraphProto, onnx__graph_proto__init);
    g->name = (char *)name;
    ATTRIBUTE(node, name, GRAPH)->g = g;
    return g;
}

/* Of these extents, "2 3"; its elements are added by the caller. */
static inline Onnx__TensorProto *new_tensor(const char *name, ElementType type, const char *dims)
{
    Onnx__TensorProto *p = NEW(Onnx__TensorProto, onnx__tensor_proto__init);
    char **dim = names(dims, &p->n_dims);
    p->name = (char *)name;
    p->has_data_type = 1;
    p->data_type = elements[type].onnx;
    p->dims = ARENA_ARRAY(arena, p->n_dims, int64_t);
    for (size_t i = 0; i < p->n_dims; i++)
        p->dims[i] = strtoll(dim[i], NULL, 10);
    return p;
}

static inline Onnx__TensorProto *set_raw(Onnx__TensorProto *p, const void *data, size_t bytes)
{
    p->has_raw_data = 1;
    p->raw_data = (ProtobufCBinaryData){ bytes, (uint8_t *)data };
    return p;
}

static inline Onnx__TensorProto *add_tensor(Onnx__GraphProto *g, const char *name, ElementType type, const char *dims)
{
    return ADD(g->initializer, g->n_initializer, new_tensor(name, type, dims));
}

/* One number, the float 1. */
static inline void add_one(Onnx__GraphProto *g, const char *name)
{
    static const float one = 1;
    set_raw(add_tensor(g, name, ELEMENT_F32, "1"), &one, sizeof one);
}

/* Of floats; each word of `dims` is a number, a symbol, or "?". NULL: no shape. */
static inline Onnx__ValueInfoProto *new_value(const char *name, const char *dims)
{
    Onnx__ValueInfoProto *p = NEW(Onnx__ValueInfoProto, onnx__value_info_proto__init);
    Onnx__TypeProto__Tensor *t = NEW(Onnx__TypeProto__Tensor, onnx__type_proto__tensor__init);
    p->name = (char *)name;
    p->type = NEW(Onnx__TypeProto, onnx__type_proto__init);
    p->type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    p->type->tensor_type = t;
    t->has_elem_type = 1;
    t->elem_type = elements[ELEMENT_F32].onnx;
    if (!dims)
        return p;
    t->shape = NEW(Onnx__TensorShapeProto, onnx__tensor_shape_proto__init);
    size_t n;
    char **word = names(dims, &n);
    for (size_t i = 0; i < n; i++) {
        Onnx__TensorShapeProto__Dimension *d =
            NEW(Onnx__TensorShapeProto__Dimension, onnx__tensor_shape_proto__dimension__init);
        if (strspn(word[i], "-0123456789") == strlen(word[i])) {
            d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
            d->dim_value = strtoll(word[i], NULL, 10);
        } else if (*word[i] != '?') {
            d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
            d->dim_param = word[i];
        }
        ADD(t->shape->dim, t->shape->n_dim, d);
    }
    return p;
}

static inline void add_input(Onnx__GraphProto *g, const char *name)
{
    ADD(g->input, g->n_input, new_value(name, "2 N"));
}
static inline void add_output(Onnx__GraphProto *g, const char *name)
{
    ADD(g->output, g->n_output, new_value(name, NULL));
}

static inline Onnx__OperatorSetIdProto *new_opset(const char *domain, int64_t version)
{
    Onnx__OperatorSetIdProto *p = NEW(Onnx__OperatorSetIdProto, onnx__operator_set_id_proto__init);
    p->domain = (char *)domain;
    p->has_version = 1;
    p->version = version;
    return p;
}

/* A model of opset 17 with an empty graph. */
static inline Onnx__ModelProto *new_model(void)
{
    Onnx__ModelProto *p = NEW(Onnx__ModelProto, onnx__model_proto__init);
    p->has_ir_version = 1;
    p->ir_version = 8;
    p->graph = NEW(Onnx__GraphProto, onnx__graph_proto__init);
    p->graph->name = "main";
    ADD(p->opset_import, p->n_opset_import, new_opset("", 17));
    return p;
}

/* With an input x and an output y. */
static inline Onnx__ModelProto *model_of_x_and_y(void)
{
    Onnx__ModelProto *p = new_model();
    add_input(p->graph, "x");
    add_output(p->graph, "y");
    return p;
}

/* ---- reading ---- */

static inline void put_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static inline uint8_t *packed(const Onnx__ModelProto *p, size_t *n)
{
    uint8_t *bytes = arena_alloc(arena, onnx__model_proto__get_packed_size(p));
    *n = onnx__model_proto__pack(p, bytes);
    return bytes;
}

static Diag *diag; /* of the last file that was read */

static inline OnnxModel *read_bytes(const void *bytes, size_t n)
{
    put_bytes(in_folder("model.onnx"), bytes, n);
    diag = diag_new(arena);
    OnnxModel *m = onnx_read(arena, in_folder("model.onnx"), diag);
    assert_int_equal(m == NULL, diag_nerror(diag) > 0);
    return m;
}

static inline OnnxModel *read_model(const Onnx__ModelProto *p)
{
    size_t n;
    const uint8_t *bytes = packed(p, &n);
    return read_bytes(bytes, n);
}

/* It can be read. */
static inline OnnxModel *good(const Onnx__ModelProto *p)
{
    OnnxModel *m = read_model(p);
    if (!m)
        fail_msg("%s", golden_diag(arena, diag));
    return m;
}

/* It cannot, for this reason alone. */
static inline void bad(const Onnx__ModelProto *p, const char *why)
{
    if (read_model(p))
        fail_msg("it was read; expected: %s", why);
    golden_fault(golden_diag(arena, diag), why);
}

/* "name=op(input,input)output,output; ..." of all nodes. */
static inline const char *nodes_text(const OnnxGraph *g)
{
    Text t = { .arena = arena };
    for (int i = 0; i < g->nnode; i++) {
        const OnnxNode *node = &g->node[i];
        text_printf(&t, "%s%s=%s(", i ? "; " : "", node->name, node->op);
        for (int k = 0; k < node->ninput; k++)
            text_printf(&t, "%s%s", k ? "," : "", node->input[k]);
        text_add(&t, ")");
        for (int k = 0; k < node->noutput; k++)
            text_printf(&t, "%s%s", k ? "," : "", node->output[k]);
    }
    return text_str(&t);
}

#endif
