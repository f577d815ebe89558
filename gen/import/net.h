/* SPDX-License-Identifier: Apache-2.0
 *
 * net: a model's nodes and the values between them, with numbers for names, and who uses what: the form in which the
 * importer works on an ONNX graph.
 */
#ifndef DCGEN_NET_H
#define DCGEN_NET_H

#include "gen/import/onnx.h"

enum { NET_NO_VALUE = -1 };

typedef struct {
    const char *name;
    const OnnxTensor *constant; /* NULL: it is none */
    int writer;                 /* the node; -1: an input or a constant */
    int nuse, *use;             /* the nodes that read it, each as often as it does */
    bool is_output;             /* of the model */
} NetValue;

typedef struct {
    const OnnxNode *onnx;
    const char *op; /* with its domain, unless that is ONNX's own: "com.microsoft.Gelu" */
    int ninput, noutput;
    int *input, *output; /* values; NET_NO_VALUE: left out */
    bool is_gone;        /* another node does its work */
} NetNode;

typedef struct {
    Arena *arena;
    const OnnxModel *model;
    int nnode, nvalue;
    NetNode *node; /* each behind those that it reads */
    NetValue *value;
} Net;

Net *net_of(Arena *a, const OnnxModel *m);
int net_find(const Net *n, const char *name); /* the value's number, or NET_NO_VALUE */

/* What a node is to the value that it reads: another use of it, something that follows from it, or none of these, as it
 * asks for its extents alone. */
typedef enum { NET_USES, NET_FOLLOWS, NET_ASKS } NetUse;
typedef NetUse NetJoins(const void *ctx, const NetNode *n);
/* Of each value the one in which all that follows from it comes together again: gelu's result, of what gelu is made of
 * in five nodes. NET_NO_VALUE: others use it too. */
int *net_joins(Arena *a, const Net *n, NetJoins *joins, const void *ctx);

#endif
