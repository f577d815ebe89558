/* SPDX-License-Identifier: Apache-2.0
 *
 * graph: a model as data, read from a spec's `graph` (docs/model.md): tensors whose extents are sizes over the dims,
 * views of them, and nodes that call the file's functions, each with its operands bound to tensors or views.
 *
 * Where a node's operand and what is bound to it must be of one size, that is proven, or becomes a condition on the
 * dims that each call is asked for once (Graph.polys), or it is an error that names both nodes.
 */
#ifndef DCGEN_GRAPH_H
#define DCGEN_GRAPH_H

#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/graph/poly.h"
#include "gen/spec/spec.h"

/* INPUT, OUTPUT, CONSTANT, STATE: memory of the caller's; of STATE what it holds stays from call to call. INNER: memory
 * of the workspace, from the node that writes it first to the one that reads it last. */
typedef enum { TENSOR_INPUT, TENSOR_OUTPUT, TENSOR_CONSTANT, TENSOR_STATE, TENSOR_INNER, TENSOR_KIND_COUNT } TensorKind;
extern const char *const tensor_kinds[TENSOR_KIND_COUNT]; /* "input" ... */

typedef struct {
    const char *name; /* an identifier of C */
    const char *from; /* what the model calls it: of a constant its name in the file of weights */
    TensorKind kind;
    const Storage *stored;
    int rank;
    const Poly *extent[OP_MAX_RANK]; /* outermost first */
    int first, last;                 /* nodes: the first that writes it, the last that reads or writes it; -1: none */
    int slot;                        /* of an inner tensor: where it lies in the workspace (Plan) */
    Loc loc;
} Tensor;

/* How elements of a tensor are seen: `at` elements behind its beginning, element i0,i1 ... at i0*stride[0] + ... */
typedef struct {
    const char *name;
    int tensor; /* -1: not known yet */
    const char *of;
    const Poly *at;
    int rank;
    const Poly *extent[OP_MAX_RANK], *stride[OP_MAX_RANK];
    bool dense; /* the strides are those of elements side by side */
    Loc loc;
} View;

/* What an operand is bound to. */
typedef struct {
    int tensor; /* -1: nothing, as another operand stands for it */
    const Poly *at;
    bool dense;                      /* else with these strides, of all extents but the last, where it is 1 */
    const Poly *stride[OP_MAX_RANK]; /* of each extent of the operand */
} GraphOperand;

typedef struct {
    const char *name; /* of the model's node */
    int function;     /* of the file */
    int shape;        /* the declared shape that it has; -1: none */
    const Poly *extent[OP_MAX_EXTENT];
    GraphOperand operand[OP_MAX_OPERAND];
    int first, last; /* nodes that may run at the same time, this one among them (beside.h) */
    Loc loc;
} GraphNode;

typedef struct {
    const SpecFile *file;
    Polys *polys; /* dims in the order of the file's */
    int ntensor, nview, nnode;
    Tensor *tensor;
    View *view;
    GraphNode *node;
} Graph;

/* Reads the file's graph. NULL: it has none, or there are errors in d. */
Graph *graph_read(Arena *a, const SpecFile *file, Diag *d);

const Poly *graph_elems(Graph *g, int rank, const Poly *const *extent); /* their product */
/* The extents of a node's operand, outermost first. */
void graph_operand_extents(Graph *g, const GraphNode *n, int operand, const Poly **extent);
/* Operations of a node, and bytes of its operands; NULL: they are no size. */
const Poly *graph_flops(Graph *g, const GraphNode *n);
const Poly *graph_bytes(Graph *g, const GraphNode *n);
/* Does the function take the operand packed, or has packed it together with another one? */
bool graph_is_packed(const Spec *s, int operand);

#endif
