/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_attribute: attributes of nodes. Within a function one may refer to an attribute of the node that calls it.
 */
#include "gen/import/onnx_private.h"

#include <string.h>

enum { MAX_ATTRIBUTES = 128 }; /* of a node: operators have twenty at most */

/* An attribute that was read, other than a graph: it is the same wherever its function is called. */
struct ReadAttribute {
    const Onnx__AttributeProto *proto;
    OnnxAttribute attribute;
    bool ok;
};

/* Old files do not say what an attribute is. */
static int type_of(const Onnx__AttributeProto *p)
{
    if (p->type != ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED)
        return p->type;
    return p->has_f      ? ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT
           : p->has_i    ? ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT
           : p->has_s    ? ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING
           : p->t        ? ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR
           : p->g        ? ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH
           : p->n_floats ? ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS
           : p->n_ints   ? ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS
                         : ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS;
}

static OnnxKind kind_of(const Onnx__AttributeProto *p)
{
    static const int type[] = {
        [ONNX_INT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT,
        [ONNX_FLOAT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT,
        [ONNX_STRING] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING,
        [ONNX_TENSOR] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR,
        [ONNX_GRAPH] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH,
        [ONNX_INTS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS,
        [ONNX_FLOATS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS,
        [ONNX_STRINGS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS,
    };
    OnnxKind kind = 0;
    while (kind < ONNX_OTHER && type[kind] != type_of(p))
        kind++;
    return kind;
}

static const char *text_of(Arena *a, ProtobufCBinaryData bytes)
{
    return bytes.len ? arena_strndup(a, (const char *)bytes.data, bytes.len) : "";
}

static const char *const *texts_of(Arena *a, const Onnx__AttributeProto *p)
{
    const char **text = ARENA_ARRAY(a, p->n_strings, const char *);
    for (size_t i = 0; i < p->n_strings; i++)
        text[i] = text_of(a, p->strings[i]);
    return text;
}

/* Fills in what stands in the file, other than a graph. */
static bool fill(Import *im, const Onnx__AttributeProto *p, const OnnxNode *node, OnnxAttribute *to)
{
    const OnnxKind kind = kind_of(p);
    *to = (OnnxAttribute){ .name = onnx_text(p->name), .kind = kind, .integer = p->i, .real = (double)p->f };
    if (kind == ONNX_STRING)
        to->string = text_of(im->arena, p->s);
    if (kind == ONNX_TENSOR && p->t)
        to->tensor = onnx_read_tensor(im, p->t, *onnx_text(p->t->name) ? p->t->name : node->name);
    if (kind == ONNX_STRINGS)
        to->strings = texts_of(im->arena, p);
    to->integers = kind == ONNX_INTS ? p->ints : NULL;
    to->reals = kind == ONNX_FLOATS ? p->floats : NULL;
    to->n = (int)(kind == ONNX_INTS      ? p->n_ints
                  : kind == ONNX_FLOATS  ? p->n_floats
                  : kind == ONNX_STRINGS ? p->n_strings
                                         : 0);
    if ((kind == ONNX_TENSOR && !p->t) || (kind == ONNX_GRAPH && !p->g))
        return onnx_error(im, "node %s (%s): expected a %s in its attribute %s", onnx_shown(im->arena, node->name),
                          onnx_text(node->op), kind == ONNX_GRAPH ? "graph" : "tensor",
                          onnx_shown(im->arena, to->name));
    return kind != ONNX_TENSOR || to->tensor;
}

static bool read_once(Import *im, const Onnx__AttributeProto *p, const OnnxNode *node, OnnxAttribute *to)
{
    const uint64_t hash = index_hash(&p, sizeof p, 0);
    size_t from = 0;
    int64_t i = -1;
    while ((i = index_next(&im->attributes, hash, &from)) >= 0 && im->attribute_read[i].proto != p)
        ;
    if (i < 0) {
        struct ReadAttribute read = { .proto = p };
        read.ok = fill(im, p, node, &read.attribute);
        i = im->nattribute;
        im->attribute_read =
            list_room(im->arena, im->attribute_read, im->nattribute++, &im->attribute_cap, sizeof read);
        im->attribute_read[i] = read;
        index_add(&im->attributes, hash, i);
    }
    *to = im->attribute_read[i].attribute;
    return im->attribute_read[i].ok;
}

/* What an attribute within a function refers to. *found false: the node that calls it has none, and there is no
 * default. */
static bool refer(Import *im, const Onnx__AttributeProto *p, const Scope *s, const OnnxNode *node, OnnxAttribute *to,
                  bool *found)
{
    *found = false;
    if (!s)
        return onnx_error(im, "node %s (%s): the attribute %s refers to one of a function, and is in none",
                          onnx_shown(im->arena, node->name), node->op, onnx_shown(im->arena, onnx_text(p->name)));
    const OnnxAttribute *given = onnx_attribute(s->call, p->ref_attr_name);
    const NameRow *row = table_find(&s->function->defaults, p->ref_attr_name);
    bool ok = true;
    if (given)
        *to = *given;
    else if (row)
        ok = read_once(im, s->function->attribute[row->value], node, to);
    *found = given || row;
    to->name = onnx_text(p->name);
    return ok;
}

static bool read_one(Import *im, const Builder *b, const Onnx__AttributeProto *p, Scope *s, const OnnxNode *node,
                     OnnxAttribute *to, bool *found)
{
    *found = true;
    if (*onnx_text(p->ref_attr_name))
        return refer(im, p, s, node, to, found);
    if (!read_once(im, p, node, to))
        return false;
    if (to->kind == ONNX_GRAPH)
        to->graph = onnx_read_graph(im, p->g, s, b->graph, b->depth + 1);
    return to->kind != ONNX_GRAPH || to->graph;
}

bool onnx_read_attributes(Import *im, const Builder *b, const Onnx__NodeProto *p, Scope *s, OnnxNode *node)
{
    bool ok = true, found;
    const char *shown = onnx_shown(im->arena, node->name);
    if (p->n_attribute > MAX_ATTRIBUTES)
        return onnx_error(im, "node %s (%s) has %zu attributes; expected at most %d", shown, node->op, p->n_attribute,
                          MAX_ATTRIBUTES);
    OnnxAttribute *list = ARENA_ARRAY(im->arena, p->n_attribute, OnnxAttribute);
    node->attribute = list;
    for (size_t i = 0; i < p->n_attribute; i++) {
        if (onnx_attribute(node, onnx_text(p->attribute[i]->name)))
            ok = onnx_error(im, "node %s (%s) has two attributes %s", shown, node->op,
                            onnx_shown(im->arena, onnx_text(p->attribute[i]->name)));
        ok &= read_one(im, b, p->attribute[i], s, node, &list[node->nattribute], &found);
        node->nattribute += found;
    }
    return ok;
}
