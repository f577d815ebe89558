/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_order: puts a graph's nodes in order. A node comes behind those whose outputs it reads; apart from that nodes
 * stay in the order of the file. What a node's own graphs read of this one, it reads too.
 */
#include "gen/import/onnx_private.h"

/* item[first[i]] to item[first[i + 1] - 1]: the nodes that node i reads of. */
typedef struct {
    int *item;
    int n, cap;
    int *first;
} Reads;

typedef struct {
    Import *im;
    Builder *b;
    struct OnnxPlaces *at;
    NameTable captured;
    bool ok;
} Order;

/* ---- who writes what ---- */

static void note_writer(Order *o, const char *name, const char *node, const char *op, int64_t place)
{
    if (!*name)
        return;
    if (!table_find(&o->at->writers, name))
        table_add(&o->at->writers, name, place);
    else
        o->ok = onnx_error(o->im, "node %s (%s) writes %s, which is there already", onnx_shown(o->im->arena, node), op,
                           onnx_shown(o->im->arena, name));
}

static void note_writers(Order *o)
{
    const TensorList *constants = &o->b->constants;
    for (int i = 0; i < constants->n; i++) {
        const NameRow *row = table_find(&o->at->writers, constants->item[i].name);
        if (!row || row->value != i) /* it is none of the initializers, which are there already */
            note_writer(o, constants->item[i].name, constants->item[i].name, "Constant", i);
    }
    for (int i = 0; i < o->b->nodes.n; i++) {
        const OnnxNode *node = &o->b->nodes.item[i];
        for (int k = 0; k < node->noutput; k++)
            note_writer(o, node->output[k], node->name, node->op, (int64_t)constants->n + i);
    }
}

/* ---- who reads whom ---- */

static void note_read(Order *o, Reads *r, const char *name, const OnnxNode *node)
{
    const NameRow *row = table_find(&o->at->writers, name);
    if (!*name)
        return;
    if (row && row->value >= o->b->constants.n)
        *LIST_PUSH(o->im->arena, r) = (int)(row->value - o->b->constants.n);
    else if (!row && !o->b->graph->outer)
        o->ok = onnx_error(o->im, "node %s (%s) reads %s; expected a value that an input, a constant or a node writes",
                           onnx_shown(o->im->arena, node->name), node->op, onnx_shown(o->im->arena, name));
    else if (!row && !table_find(&o->captured, name))
        table_add(&o->captured, name, 0);
}

static void note_reads(Order *o, Reads *r)
{
    const NodeList *nodes = &o->b->nodes;
    r->first = ARENA_ARRAY(o->im->arena, (size_t)nodes->n + 1, int);
    for (int i = 0; i < nodes->n && !o->im->stopped; i++) {
        const OnnxNode *node = &nodes->item[i];
        for (int k = 0; k < node->ninput; k++)
            note_read(o, r, node->input[k], node);
        for (int k = 0; k < node->nattribute; k++) {
            const OnnxGraph *inner = node->attribute[k].kind == ONNX_GRAPH ? node->attribute[k].graph : NULL;
            for (int c = 0; inner && c < inner->ncaptured && onnx_spend(o->im, 1); c++)
                note_read(o, r, inner->captured[c], node);
        }
        r->first[i + 1] = r->n;
    }
}

static void note_outputs(Order *o)
{
    const OnnxGraph *g = o->b->graph;
    for (int i = 0; i < g->noutput; i++) {
        const char *name = g->output[i].name;
        if (table_find(&o->at->writers, name))
            continue;
        if (!g->outer)
            o->ok = onnx_error(o->im, "nobody writes the output %s; expected a node that does",
                               onnx_shown(o->im->arena, name));
        else if (!table_find(&o->captured, name))
            table_add(&o->captured, name, 0);
    }
}

/* ---- the order ---- */

enum { NEW, OPEN, DONE };

/* What is known while nodes are placed: of each node its state and which of those that it reads of is next; those that
 * wait, each for the one behind it; and those that are placed. */
typedef struct {
    char *state;
    int *next, *waiting, *placed;
    int nwaiting, nplaced;
} Placing;

static void begin_node(Placing *p, const Reads *r, int node)
{
    p->state[node] = OPEN;
    p->next[node] = r->first[node];
    p->waiting[p->nwaiting++] = node;
}

/* Places the node behind all that it reads of, and those behind what these read of. False: there is a cycle. */
static bool place_node(const Order *o, const Reads *r, Placing *p, int node)
{
    begin_node(p, r, node);
    while (p->nwaiting > 0) {
        const int at = p->waiting[p->nwaiting - 1];
        if (p->next[at] == r->first[at + 1]) {
            p->state[at] = DONE;
            p->placed[p->nplaced++] = at;
            p->nwaiting--;
            continue;
        }
        const int before = r->item[p->next[at]++];
        const OnnxNode *cyclic = &o->b->nodes.item[before];
        if (p->state[before] == OPEN)
            return onnx_error(o->im, "node %s (%s) reads what is made of its own output; expected no cycle",
                              onnx_shown(o->im->arena, cyclic->name), cyclic->op);
        if (p->state[before] == NEW)
            begin_node(p, r, before);
    }
    return true;
}

/* Puts nodes in the order in which they were placed. */
static void reorder(const Order *o, const int *placed)
{
    Arena *a = o->im->arena;
    const int n = o->b->nodes.n, first = o->b->constants.n;
    OnnxNode *sorted = ARENA_ARRAY(a, n, OnnxNode);
    int *place = ARENA_ARRAY(a, n, int);
    for (int i = 0; i < n; i++) {
        sorted[i] = o->b->nodes.item[placed[i]];
        place[placed[i]] = i;
    }
    for (int i = 0; i < o->at->writers.n; i++) {
        NameRow *row = &o->at->writers.row[i];
        row->value = row->value >= first ? first + place[row->value - first] : row->value;
    }
    o->b->graph->node = sorted;
    o->b->graph->nnode = n;
}

static bool sort(const Order *o, const Reads *r)
{
    const int n = o->b->nodes.n;
    Arena *a = o->im->arena;
    Placing p = { .state = ARENA_ARRAY(a, n, char),
                  .next = ARENA_ARRAY(a, n, int),
                  .waiting = ARENA_ARRAY(a, n, int),
                  .placed = ARENA_ARRAY(a, n, int) };
    for (int i = 0; i < n; i++)
        if (p.state[i] == NEW && !place_node(o, r, &p, i))
            return false;
    reorder(o, p.placed);
    return true;
}

bool onnx_finish(Import *im, Builder *b, struct OnnxPlaces *at)
{
    Order o = { .im = im, .b = b, .at = at, .captured = table_new(im->arena), .ok = true };
    Reads reads = { 0 };
    OnnxGraph *g = b->graph;
    note_writers(&o);
    note_reads(&o, &reads);
    note_outputs(&o);
    g->constant = b->constants.item;
    g->nconstant = b->constants.n;
    if (im->stopped || !o.ok || !sort(&o, &reads))
        return false;
    const char **captured = ARENA_ARRAY(im->arena, (size_t)o.captured.n, const char *);
    for (int i = 0; i < o.captured.n; i++)
        captured[i] = o.captured.row[i].name;
    g->captured = captured;
    g->ncaptured = o.captured.n;
    return true;
}
