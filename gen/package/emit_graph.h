/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_graph: what the files share that write the model of a package.
 */
#ifndef DCGEN_EMIT_GRAPH_H
#define DCGEN_EMIT_GRAPH_H

#include "gen/graph/plan.h"
#include "gen/package/emit_private.h"

typedef struct {
    Emitter *emitter; /* of all functions */
    int nfunction;
    Graph *graph;
    const Plan *plan;    /* graph_lay_out */
    const char *pattern; /* the text of model.c */
    const char **dim;    /* what each dim is called in code */
} GraphWriter;

/* emit_names.c: fills in what dims are called in code with these patterns, then says what a tensor is in model.c. */
void graph_name_dims(GraphWriter *w, const char *patterns);
const char *graph_tensor_c(const GraphWriter *w, const Tensor *t);
/* A size in C: names are those of dims in code. As a double: of dims as such. */
const char *graph_size_c(const GraphWriter *w, const Poly *x);
const char *graph_size_real_c(const GraphWriter *w, const Poly *x);

/* emit_memory.c: which nodes may run at the same time, and where tensors lie. Fills in the plan. */
void graph_lay_out(GraphWriter *w);
/* Adds the slots of the workspace, and the orders in which they are placed. */
void graph_add_slots(const GraphWriter *w, FillScope *s);
/* Adds to a node's row where it stands among those that may run at the same time. */
void graph_add_beside(const GraphWriter *w, FillScope *row, int node);
/* Adds functions that are called by nodes which may run at the same time, and how many nodes these are at most. */
void graph_add_beside_calls(const GraphWriter *w, FillScope *s);

#endif
