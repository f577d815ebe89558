/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_private: what the parts of the reader share. A file is scanned (onnx_scan.c), unpacked by protobuf-c into the
 * arena, and worked through graph by graph (onnx_graph.c, onnx_order.c), with attributes (onnx_attribute.c), tensors
 * (onnx_tensor.c, onnx_external.c) and functions (onnx_inline.c). What is wrong is said where it is found, and reading
 * goes on; it stops only where the model turns out too large.
 */
#ifndef DCGEN_ONNX_PRIVATE_H
#define DCGEN_ONNX_PRIVATE_H

#include <onnx.pb-c.h>
#include "gen/base/index.h"
#include "gen/import/onnx.h"

/* ---- names, each with a number (onnx_names.c) ---- */

typedef struct {
    const char *name;
    int64_t value;
} NameRow;

typedef struct {
    Index index;
    NameRow *row;
    int n, cap;
} NameTable;

NameTable table_new(Arena *a);
NameRow *table_find(const NameTable *t, const char *name); /* NULL: it is not there */
/* Adds a name that is not there; the row moves when another is added. */
NameRow *table_add(NameTable *t, const char *name, int64_t value);

/* Makes room for one more of a list's n items. */
void *list_room(Arena *a, void *item, int n, int *cap, size_t item_bytes);
#define LIST_PUSH(a, list)                                                                       \
    ((list)->item = list_room((a), (list)->item, (list)->n, &(list)->cap, sizeof *(list)->item), \
     &(list)->item[(list)->n++])

/* ---- the reader ---- */

typedef struct {
    const Onnx__FunctionProto *proto;
    NameTable defaults; /* of attributes: a place in `attribute` */
    const Onnx__AttributeProto **attribute;
    bool is_active; /* it is being put in place of a call */
} Function;

typedef struct Import {
    Arena *arena;
    Diag *diag;
    OnnxModel *model;
    Function *function;
    NameTable functions;       /* by domain, name and overload */
    NameTable nodes, values;   /* names of the file (value: from 1 once a node has it), and made up ones */
    Index tensors, attributes; /* what was read already, by where it stands in the unpacked file */
    struct ReadTensor *tensor;
    struct ReadAttribute *attribute_read;
    int ntensor, tensor_cap, nattribute, attribute_cap;
    int nnode;    /* read so far, in all graphs: numbers of names that are made up */
    int64_t work; /* what was made so far: nodes, their values and attributes, and names */
    bool stopped; /* the model is too large */
} Import;

/* In what a node is read: within a function, how its names are called outside. */
typedef struct Scope {
    NameTable names; /* row.value: a place in `outside` */
    const char **outside;
    int cap;
    const char *prefix; /* of what is made up */
    const Function *function;
    const OnnxNode *call; /* has the attributes that the function's nodes refer to */
    int depth;            /* of calls */
} Scope;

typedef struct {
    OnnxNode *item;
    int n, cap;
} NodeList;

typedef struct {
    OnnxTensor *item;
    int n, cap;
} TensorList;

typedef struct {
    OnnxValue *item;
    int n, cap;
} ValueList;

/* A constant that cannot be read, which was said, is a WRITER_WRONG. */
enum { WRITER_INPUT = -1, WRITER_WRONG = -2 };

/* The names of a graph. Who writes a value: a constant by its place, a node by its place behind all constants, or an
 * input. What the file says of it: its place in `value`. */
struct OnnxPlaces {
    NameTable writers, values;
    ValueList value;
};

/* A graph while it is read. */
typedef struct {
    OnnxGraph *graph;
    NodeList nodes;
    TensorList constants;
    int depth; /* of graphs */
} Builder;

/* Adds an error about the file. Always false. */
bool onnx_error(const Import *im, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Counts work; false, with an error at the first time: it is too much, or there are too many nodes. */
bool onnx_spend(Import *im, int64_t n);

/* Is it a protobuf that may be a model, and small enough to be unpacked? False: *fault says why not. */
bool onnx_scan(Arena *a, const uint8_t *bytes, size_t n, const char **fault);

const char *onnx_text(const char *s);   /* NULL as "" */
const char *onnx_domain(const char *s); /* "ai.onnx" as "" */
/* A name like `like` that the table does not have, which is added. */
const char *onnx_unique(Import *im, NameTable *t, const char *like);
/* Notes all names of nodes and values in the file's graph, and in those nested in it. */
void onnx_note_names(Import *im, const Onnx__GraphProto *g);

/* What a name within a scope (NULL: the model's own graphs) is called in the model. */
const char *onnx_outside(Import *im, Scope *s, const char *name);
void onnx_map(Import *im, Scope *s, const char *inside, const char *outside);

/* A node that gives `from` as `to`. */
OnnxNode onnx_identity(Arena *a, const char *name, const char *from, const char *to, const OnnxModel *model);

OnnxGraph *onnx_read_graph(Import *im, const Onnx__GraphProto *p, Scope *s, const OnnxGraph *outer, int depth);
void onnx_read_nodes(Import *im, Builder *b, Onnx__NodeProto *const *node, size_t n, Scope *s);
/* The node as it stands in the file; *ok false: something in it is wrong. */
OnnxNode onnx_read_node(Import *im, const Builder *b, const Onnx__NodeProto *p, Scope *s, bool *ok);
bool onnx_read_attributes(Import *im, const Builder *b, const Onnx__NodeProto *p, Scope *s, OnnxNode *node);
/* Sorts nodes, and finds out what the graph reads of those around it. */
bool onnx_finish(Import *im, Builder *b, struct OnnxPlaces *at);

/* A tensor by that name; NULL: it is wrong, which was said. */
const OnnxTensor *onnx_read_tensor(Import *im, const Onnx__TensorProto *p, const char *name);
OnnxValue onnx_read_value(Import *im, const Onnx__ValueInfoProto *p, Scope *s);
/* The tensor's elements, which lie in another file; NULL: they cannot be had, which was said. */
const void *onnx_external(Import *im, const Onnx__TensorProto *p, const char *name, const OnnxTensor *t);

void onnx_read_functions(Import *im, const Onnx__ModelProto *p);
/* The function that the node calls; NULL: it is an operator. */
Function *onnx_function(const Import *im, const Onnx__NodeProto *p);
void onnx_inline(Import *im, Builder *b, const Onnx__NodeProto *p, Function *f, Scope *s);

/* The field of a message by its number, where the schema at hand may be too old to have it: a text (NULL: not there),
 * and a list of messages, n of them. */
const char *onnx_late_text(Arena *a, const ProtobufCMessage *m, unsigned number);
ProtobufCMessage **onnx_late_list(Import *im, const ProtobufCMessage *m, unsigned number,
                                  const ProtobufCMessageDescriptor *type, int *n);

ProtobufCAllocator onnx_allocator(Arena *a);

#endif
