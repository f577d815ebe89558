/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_private: what the files that read a graph share.
 */
#ifndef DCGEN_GRAPH_PRIVATE_H
#define DCGEN_GRAPH_PRIVATE_H

#include "gen/base/conf.h"
#include "gen/graph/graph.h"

typedef struct {
    Arena *arena;
    const Conf *conf;
    Diag *diag;
    int nerror; /* that diag had before */
    Graph *graph;
    const Poly **written;
} GraphReader;

/* graph_bind.c: reads a node: its function, extents and operands. False after an error. */
bool graph_read_node(GraphReader *r, const ConfSetting *s);
/* The tensor or the view of that name: *view is -1 for the tensor itself. False: there is none. */
bool graph_find(const GraphReader *r, const char *name, int *tensor, int *view);
/* A size as specs write it: an expression over the dims. False after an error. */
bool graph_read_size(GraphReader *r, const ConfSetting *s, const Poly **out);
/* Strides of elements side by side. */
void graph_dense(GraphReader *r, int rank, const Poly *const *extent, const Poly **stride);
int graph_add_tensor(GraphReader *r, Tensor t);
/* What is wrong with the name of a tensor or a dim, which the package's code has; NULL: nothing. */
const char *graph_name_fault(const GraphReader *r, const char *name);

#endif
