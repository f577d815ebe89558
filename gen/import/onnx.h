/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx: reads a model from an .onnx file into plain structs. Whatever stands in the file, what is read keeps this:
 *
 * - Nodes are ordered so that each comes behind those whose outputs it reads. Names of nodes are unique, and so are the
 *   names of values within a graph; whatever a node reads is written by another one, or is an input or a constant.
 * - Constants are initializers and Constant nodes, however they are stored: their bytes are as many as their extents
 *   say, little-endian, at an address that their elements may be loaded from.
 * - Functions that the model brings with it are put in the place of the nodes that call them.
 *
 * Names are kept as they stand in the file, with whatever characters: what writes them into another text quotes them
 * (gen/base/quote.h).
 */
#ifndef DCGEN_ONNX_H
#define DCGEN_ONNX_H

#include "gen/base/diag.h"
#include "gen/import/element.h"

/* ONNX_MAX_NODES: several times the nodes of the largest models that exporters write, which unroll all their layers;
 * with more, all that follows would be slow. ONNX_MAX_NESTED: graphs within graphs (If, Loop). */
enum { ONNX_MAX_RANK = 12, ONNX_MAX_NODES = 200000, ONNX_MAX_NESTED = 16, ONNX_MIN_OPSET = 11, ONNX_MAX_OPSET = 21 };

typedef struct {
    int64_t value;      /* from 0; -1: not known */
    const char *symbol; /* its name, where the file has one instead of a number; else NULL */
} OnnxDim;

/* What the file says of a value. */
typedef struct {
    const char *name;
    ElementType type;  /* ELEMENT_NONE: the file does not say */
    const char *other; /* NULL: it is a tensor; else what it is: "sequence" */
    bool has_shape;    /* else rank is 0 */
    int rank;
    const OnnxDim *dim;
} OnnxValue;

typedef struct {
    const char *name;
    ElementType type;
    int rank;
    const int64_t *dim;
    int64_t count;    /* of elements */
    const void *data; /* NULL where bytes is 0. Of strings no elements are kept, and bytes is 0 */
    size_t bytes;
} OnnxTensor;

typedef struct OnnxGraph OnnxGraph;

/* ONNX_OTHER: lists of tensors or graphs, types, sparse tensors; only that the attribute is there is kept. */
typedef enum {
    ONNX_INT,
    ONNX_FLOAT,
    ONNX_STRING,
    ONNX_TENSOR,
    ONNX_GRAPH,
    ONNX_INTS,
    ONNX_FLOATS,
    ONNX_STRINGS,
    ONNX_OTHER
} OnnxKind;

typedef struct {
    const char *name;
    OnnxKind kind;
    int64_t integer;
    double real;
    const char *string;
    const OnnxTensor *tensor;
    const OnnxGraph *graph;
    int n; /* of the list */
    const int64_t *integers;
    const float *reals;
    const char *const *strings;
} OnnxAttribute;

typedef struct OnnxModel OnnxModel;

typedef struct {
    const char *name; /* unique in the model, with all its graphs: the file's, or one made up like "Add_17" */
    const char *op;
    const char *domain;       /* "" is ONNX's own */
    const char *const *input; /* "": left out */
    const char *const *output;
    int ninput, noutput;
    const OnnxAttribute *attribute;
    int nattribute;
    const OnnxModel *model;
} OnnxNode;

struct OnnxGraph {
    const char *name;
    const OnnxGraph *outer; /* the graph that the node which holds this one is in, whose values nodes here may read */
    const OnnxNode *node;
    int nnode;
    const OnnxTensor *constant; /* first those of the file's list, then those of nodes */
    int nconstant;
    const OnnxValue *input; /* those that are no constants */
    const OnnxValue *output;
    int ninput, noutput;
    const char *const *captured; /* what nodes here read of the graphs around */
    int ncaptured;
    const struct OnnxPlaces *place; /* by name (onnx_query.c) */
};

struct OnnxModel {
    const Source *src; /* the path alone, for messages */
    Diag *diag;
    int64_t ir_version, opset;
    const char *producer; /* "pytorch 2.1.0"; "": the file does not say */
    const OnnxGraph *graph;
    struct OnnxFiles *files; /* of external data, mapped */
};

/* Reads the file. NULL, with errors in d: it cannot be read. The arena, and d, outlive the model. */
OnnxModel *onnx_read(Arena *a, const char *path, Diag *d);
/* Unmaps files of external data: tensors that lie there are gone. NULL is allowed. */
void onnx_close(OnnxModel *m);

/* The branch of an If node; NULL: it has none that could be taken. */
const OnnxGraph *onnx_branch(const OnnxNode *node, bool is_then);
/* The model in which branches stand in the place of If nodes. branch: of each node of its graph the one that is taken;
 * NULL: the node stays. */
const OnnxModel *onnx_with_branches(Arena *a, const OnnxModel *m, const OnnxGraph *const *branch);

/* By name. Of a nested graph those of the graphs around it too. NULL: there is none. */
const OnnxTensor *onnx_constant(const OnnxGraph *g, const char *name);
const OnnxValue *onnx_value(const OnnxGraph *g, const char *name); /* what the file says of any value */
const OnnxNode *onnx_writer(const OnnxGraph *g, const char *name); /* the node whose output it is */

/* Attributes of a node. NULL, or `otherwise`: it has none of this name. One of another kind is an error in the model's
 * diagnostics, and is as if it were not there. */
const OnnxAttribute *onnx_attribute(const OnnxNode *node, const char *name); /* of any kind */
int64_t onnx_int(const OnnxNode *node, const char *name, int64_t otherwise);
double onnx_float(const OnnxNode *node, const char *name, double otherwise);
const char *onnx_string(const OnnxNode *node, const char *name, const char *otherwise);
const OnnxTensor *onnx_tensor(const OnnxNode *node, const char *name);
const OnnxGraph *onnx_graph(const OnnxNode *node, const char *name);
/* *n: how many; 0 where it has none. */
const int64_t *onnx_ints(const OnnxNode *node, const char *name, int *n);
const float *onnx_floats(const OnnxNode *node, const char *name, int *n);
const char *const *onnx_strings(const OnnxNode *node, const char *name, int *n);

/* "'name'" for a message, cut where it is long. */
const char *onnx_shown(Arena *a, const char *name);

#endif
