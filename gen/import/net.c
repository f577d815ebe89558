/* SPDX-License-Identifier: Apache-2.0
 *
 * net: numbers the values of an ONNX graph, and finds where what follows from a value comes together again.
 */
#include "gen/import/net.h"

#include <string.h>
#include "gen/base/index.h"

typedef struct {
    Net *net;
    Index index;
} Numbering;

static int find(const Numbering *x, const char *name)
{
    size_t from = 0;
    const uint64_t hash = index_word(name, 0);
    for (int64_t at; (at = index_next(&x->index, hash, &from)) >= 0;)
        if (strcmp(x->net->value[at].name, name) == 0)
            return (int)at;
    return NET_NO_VALUE;
}

static int add(Numbering *x, const char *name, int writer, const OnnxTensor *constant)
{
    Net *n = x->net;
    index_add(&x->index, index_word(name, 0), n->nvalue);
    *ARENA_APPEND(n->arena, n->value, n->nvalue) =
        (NetValue){ .name = name, .constant = constant, .writer = writer, .is_output = false };
    return n->nvalue - 1;
}

static void use(Net *n, int value, int node)
{
    if (value >= 0)
        *ARENA_APPEND(n->arena, n->value[value].use, n->value[value].nuse) = node;
}

static void add_node(Numbering *x, const OnnxNode *onnx)
{
    Net *n = x->net;
    const char *op = *onnx->domain ? arena_printf(n->arena, "%s.%s", onnx->domain, onnx->op) : onnx->op;
    NetNode node = { .onnx = onnx, .op = op, .ninput = onnx->ninput, .noutput = onnx->noutput };
    node.input = ARENA_ARRAY(n->arena, (size_t)onnx->ninput + 1, int);
    node.output = ARENA_ARRAY(n->arena, (size_t)onnx->noutput + 1, int);
    for (int i = 0; i < onnx->ninput; i++) {
        node.input[i] = *onnx->input[i] ? find(x, onnx->input[i]) : NET_NO_VALUE;
        use(n, node.input[i], n->nnode);
    }
    for (int i = 0; i < onnx->noutput; i++)
        node.output[i] = *onnx->output[i] ? add(x, onnx->output[i], n->nnode, NULL) : NET_NO_VALUE;
    *ARENA_APPEND(n->arena, n->node, n->nnode) = node;
}

Net *net_of(Arena *a, const OnnxModel *m)
{
    const OnnxGraph *g = m->graph;
    Net *n = ARENA_NEW(a, Net);
    Numbering x = { n, { .arena = a } };
    *n = (Net){ .arena = a, .model = m };
    for (int i = 0; i < g->nconstant; i++)
        add(&x, g->constant[i].name, -1, &g->constant[i]);
    for (int i = 0; i < g->ninput; i++)
        add(&x, g->input[i].name, -1, NULL);
    for (int i = 0; i < g->nnode; i++)
        add_node(&x, &g->node[i]);
    for (int i = 0; i < g->noutput; i++) {
        const int value = find(&x, g->output[i].name);
        if (value >= 0)
            n->value[value].is_output = true;
    }
    return n;
}

int net_find(const Net *n, const char *name)
{
    for (int i = 0; i < n->nvalue; i++)
        if (strcmp(n->value[i].name, name) == 0)
            return i;
    return NET_NO_VALUE;
}

/* ---- where uses join ---- */

/* The first value at which the ways from x and y meet, each followed by what it joins in. Values are numbered in the
 * order in which nodes write them, so a value's joins in is behind it. */
static int meet(const int *joins, int x, int y)
{
    while (x != y && x >= 0 && y >= 0)
        if (x < y)
            x = joins[x];
        else
            y = joins[y];
    return x == y ? x : NET_NO_VALUE;
}

int *net_joins(Arena *a, const Net *n, NetJoins *how, const void *ctx)
{
    int *joins = ARENA_ARRAY(a, (size_t)n->nvalue + 1, int);
    for (int v = n->nvalue - 1; v >= 0; v--) {
        const NetValue *value = &n->value[v];
        int in = value->is_output || !value->nuse ? NET_NO_VALUE : v;
        for (int i = 0; i < value->nuse && in >= 0; i++) {
            const NetNode *user = &n->node[value->use[i]];
            const NetUse is = how(ctx, user);
            if (is == NET_ASKS)
                continue;
            const int out = user->noutput == 1 && is == NET_FOLLOWS ? user->output[0] : NET_NO_VALUE;
            in = in == v ? out : meet(joins, in, out);
        }
        joins[v] = in == v ? NET_NO_VALUE : in;
    }
    return joins;
}
