/* SPDX-License-Identifier: Apache-2.0
 *
 * plan: lays the inner tensors of a graph out in one workspace.
 */
#include "gen/graph/plan.h"

#include <stdlib.h>
#include <string.h>
#include "gen/base/rng.h"

enum { MAX_CORNER = 64, CHANGES = 20000, MAX_COST = 200000000 /* of all changes: pairs of tensors at corners */ };

/* Tensors that have one place: one, or several of which each is written over the one before. */
typedef struct {
    const Poly *bytes;
    int first, last;
    double at[MAX_CORNER], size[MAX_CORNER]; /* at each corner of the dims */
    int nclash, *clash;                      /* blocks that are there at the same time */
} Block;

typedef struct {
    Arena *arena;
    Graph *graph;
    int nblock, ncorner;
    Block *block;
    int *block_of;           /* of each tensor; -1: it is none of the workspace's */
    double live[MAX_CORNER]; /* bytes of all that is there at once */
} Planner;

/* ---- blocks ---- */

static const Poly *aligned_bytes(const Planner *p, const Tensor *t)
{
    Polys *polys = p->graph->polys;
    const Poly *unit = poly_number(polys, PLAN_ALIGN);
    const Poly *bytes =
        poly_mul(polys, graph_elems(p->graph, t->rank, t->extent), poly_number(polys, (int64_t)t->stored->bytes));
    return poly_apply(polys, "ceil_to", bytes, unit);
}

/* Is the operand the only one of the node that reads its tensor, and is this the last node that does? */
static bool ends_here(const Planner *p, int node, int operand)
{
    const GraphNode *n = &p->graph->node[node];
    const int tensor = n->operand[operand].tensor;
    int nuse = 0;
    for (int i = 0; i < p->graph->file->function[n->function]->op->noperand; i++)
        nuse += n->operand[i].tensor == tensor;
    return nuse == 1 && p->graph->tensor[tensor].last == node;
}

static bool is_whole(const Planner *p, const GraphOperand *b)
{
    int64_t at;
    return p->graph->tensor[b->tensor].kind == TENSOR_INNER && b->dense && poly_is_number(b->at, &at) && at == 0;
}

/* The tensor that the node may write its output over; -1: none. */
static int written_over(const Planner *p, int node, unsigned in_place)
{
    const GraphNode *n = &p->graph->node[node];
    const Spec *s = p->graph->file->function[n->function];
    const GraphOperand *out = &n->operand[spec_output(s) - s->op->operand];
    const Tensor *y = &p->graph->tensor[out->tensor];
    if (!is_whole(p, out) || y->first != node)
        return -1;
    for (int i = 0; i < s->op->noperand; i++)
        if (in_place >> i & 1 && is_whole(p, &n->operand[i]) && ends_here(p, node, i)) {
            const Tensor *x = &p->graph->tensor[n->operand[i].tensor];
            if (poly_compare(p->graph->polys, aligned_bytes(p, x), aligned_bytes(p, y)) == POLY_EQUAL)
                return n->operand[i].tensor;
        }
    return -1;
}

static void add_block(Planner *p, int tensor)
{
    const Tensor *t = &p->graph->tensor[tensor];
    p->block_of[tensor] = p->nblock;
    p->block[p->nblock++] = (Block){ .bytes = aligned_bytes(p, t), .first = t->first, .last = t->last };
}

/* Tensors are taken in the order in which nodes write them. */
static void make_blocks(Planner *p, const unsigned *in_place)
{
    Graph *g = p->graph;
    p->block = ARENA_ARRAY(p->arena, (size_t)g->ntensor + 1, Block);
    p->block_of = ARENA_ARRAY(p->arena, (size_t)g->ntensor + 1, int);
    for (int i = 0; i < g->ntensor; i++)
        p->block_of[i] = -1;
    for (int node = 0; node < g->nnode; node++) {
        const GraphNode *n = &g->node[node];
        const Spec *s = g->file->function[n->function];
        const int out = n->operand[spec_output(s) - s->op->operand].tensor;
        if (g->tensor[out].kind != TENSOR_INNER || p->block_of[out] >= 0)
            continue;
        const int over = written_over(p, node, in_place[n->function]);
        if (over < 0) {
            add_block(p, out);
        } else {
            p->block_of[out] = p->block_of[over];
            p->block[p->block_of[over]].last = g->tensor[out].last;
        }
    }
}

static bool is_clash(const Block *x, const Block *y) { return x->first <= y->last && y->first <= x->last; }

static void find_clashes(Planner *p)
{
    for (int i = 0; i < p->nblock; i++)
        for (int k = 0; k < p->nblock; k++)
            if (i != k && is_clash(&p->block[i], &p->block[k]))
                *ARENA_PUSH(p->arena, p->block[i].clash, p->block[i].nclash) = k;
}

/* ---- corners ---- */

static void add_corner(Planner *p, const int64_t *dims)
{
    const int c = p->ncorner;
    for (int i = 0; i < p->nblock; i++) {
        int64_t bytes;
        if (!poly_at(p->graph->polys, p->block[i].bytes, dims, &bytes))
            return; /* no memory is that large: nobody calls it so */
        p->block[i].size[c] = (double)(bytes > 0 ? bytes : 0);
    }
    p->live[c] = 0;
    for (int node = 0; node < p->graph->nnode; node++) {
        double live = 0;
        for (int i = 0; i < p->nblock; i++)
            live += p->block[i].first <= node && node <= p->block[i].last ? p->block[i].size[c] : 0;
        p->live[c] = live > p->live[c] ? live : p->live[c];
    }
    p->ncorner++;
}

/* The ends of all ranges, of many dims those of the first ones with the others at an end together. */
static void add_corners(Planner *p)
{
    const int n = polys_ndim(p->graph->polys);
    for (int c = 0; c < MAX_CORNER && c < 1 << (n < 30 ? n : 30); c++) {
        int64_t dims[SPEC_MAX_DIM], least, most;
        for (int i = 0; i < n; i++) {
            polys_dim_range(p->graph->polys, i, &least, &most);
            dims[i] = c >> (i < 5 ? i : 5) & 1 ? most : least;
        }
        add_corner(p, dims);
    }
}

/* ---- the order ---- */

/* Places blocks in this order, and gives the workspace over what is there at once, at the worst corner. */
static double place(Planner *p, const int *order, bool *placed)
{
    double worst = 1;
    memset(placed, 0, (size_t)p->nblock * sizeof *placed);
    double total[MAX_CORNER] = { 0 };
    for (int i = 0; i < p->nblock; i++) {
        Block *b = &p->block[order[i]];
        for (int c = 0; c < p->ncorner; c++)
            b->at[c] = 0;
        for (int k = 0; k < b->nclash; k++) {
            const Block *other = &p->block[b->clash[k]];
            for (int c = 0; c < p->ncorner && placed[b->clash[k]]; c++)
                if (other->at[c] + other->size[c] > b->at[c])
                    b->at[c] = other->at[c] + other->size[c];
        }
        for (int c = 0; c < p->ncorner; c++)
            total[c] = b->at[c] + b->size[c] > total[c] ? b->at[c] + b->size[c] : total[c];
        placed[order[i]] = true;
    }
    for (int c = 0; c < p->ncorner; c++)
        if (p->live[c] > 0 && total[c] / p->live[c] > worst)
            worst = total[c] / p->live[c];
    return worst;
}

/* Sizes of a block at the corners, each as a part of what is there at once. */
static double weight(const Planner *p, const Block *b)
{
    double sum = 0;
    for (int c = 0; c < p->ncorner; c++)
        sum += p->live[c] > 0 ? b->size[c] / p->live[c] : 0;
    return sum;
}

/* Ways to begin: as they are written; the largest first; those that stay longest first; size times time. */
enum { BEGINNINGS = 4 };

static double begins_by(const Planner *p, const Block *b, int way)
{
    const double stays = b->last - b->first + 1;
    return way == 0 ? -b->first : way == 1 ? weight(p, b) : way == 2 ? stays : weight(p, b) * stays;
}

static void begin(const Planner *p, int way, int *order)
{
    for (int i = 0; i < p->nblock; i++) {
        int k = i;
        for (; k > 0 && begins_by(p, &p->block[order[k - 1]], way) < begins_by(p, &p->block[i], way); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

static void move(int *order, int from, int to)
{
    const int what = order[from];
    const int step = from < to ? 1 : -1;
    for (int i = from; i != to; i += step)
        order[i] = order[i + step];
    order[to] = what;
}

static double find_order(Planner *p, int *best)
{
    const size_t n = (size_t)p->nblock;
    int *order = ARENA_ARRAY(p->arena, n + 1, int);
    bool *placed = ARENA_ARRAY(p->arena, n + 1, bool);
    Rng rng = { 1 };
    double least = 0;
    int64_t cost = 1, changes = CHANGES;
    for (int way = 0; way < BEGINNINGS; way++) {
        begin(p, way, order);
        const double worst = place(p, order, placed);
        if (way == 0 || worst < least) {
            least = worst;
            memcpy(best, order, n * sizeof *best);
        }
    }
    for (int i = 0; i < p->nblock; i++)
        cost += (int64_t)p->block[i].nclash * p->ncorner;
    changes = changes < MAX_COST / cost ? changes : MAX_COST / cost;
    for (int i = 0; i < changes && least > 1 && n > 1; i++) {
        memcpy(order, best, n * sizeof *best);
        const int to = (int)rng_below(&rng, p->nblock),
                  from = (int)rng_below(&rng, p->nblock); /* one after the other */
        move(order, from, to);
        const double worst = place(p, order, placed);
        if (worst <= least) {
            least = worst;
            memcpy(best, order, n * sizeof *best);
        }
    }
    place(p, best, placed);
    return least;
}

/* ---- slots ---- */

/* Does a slot of `below`, or one below these, stand on slot s? Then what begins behind them begins behind s. */
static bool stands_on(const Plan *plan, const int *below, int n, int s)
{
    for (int i = 0; i < n; i++)
        if (below[i] == s || stands_on(plan, plan->slot[below[i]].below, plan->slot[below[i]].nbelow, s))
            return true;
    return false;
}

/* Leaves out slots that others stand on. */
static void prune(const Plan *plan, Slot *s)
{
    for (int i = 0; i < s->nbelow;) {
        const int what = s->below[i];
        s->below[i] = s->below[s->nbelow - 1];
        if (stands_on(plan, s->below, s->nbelow - 1, what)) {
            s->nbelow--;
        } else {
            s->below[s->nbelow - 1] = s->below[i];
            s->below[i++] = what;
        }
    }
}

static int order_int(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }

static int find_slot(const Plan *plan, const Slot *s)
{
    for (int i = 0; i < plan->nslot; i++) {
        const Slot *t = &plan->slot[i];
        if (t->nbelow == s->nbelow && poly_same(t->bytes, s->bytes) &&
            (!t->nbelow || memcmp(t->below, s->below, (size_t)t->nbelow * sizeof *t->below) == 0))
            return i;
    }
    return -1;
}

static void add_slot(Planner *p, Plan *plan, int block, int *slot_of)
{
    const Block *b = &p->block[block];
    Slot s = { .bytes = b->bytes };
    for (int i = 0; i < b->nclash; i++) {
        const int other = slot_of[b->clash[i]];
        bool is_new = other >= 0;
        for (int k = 0; k < s.nbelow && is_new; k++)
            is_new = s.below[k] != other;
        if (is_new)
            *ARENA_PUSH(p->arena, s.below, s.nbelow) = other;
    }
    prune(plan, &s);
    if (s.nbelow)
        qsort(s.below, (size_t)s.nbelow, sizeof *s.below, order_int);
    slot_of[block] = find_slot(plan, &s);
    if (slot_of[block] >= 0)
        return;
    slot_of[block] = plan->nslot;
    *ARENA_PUSH(p->arena, plan->slot, plan->nslot) = s;
}

Plan *graph_plan(Arena *a, Graph *g, const unsigned *in_place)
{
    Planner p = { .arena = a, .graph = g };
    Plan *plan = ARENA_NEW(a, Plan);
    make_blocks(&p, in_place);
    find_clashes(&p);
    add_corners(&p);
    int *order = ARENA_ARRAY(a, (size_t)p.nblock + 1, int), *slot_of = ARENA_ARRAY(a, (size_t)p.nblock + 1, int);
    plan->most = find_order(&p, order);
    memset(slot_of, -1, (size_t)p.nblock * sizeof *slot_of);
    for (int i = 0; i < p.nblock; i++)
        add_slot(&p, plan, order[i], slot_of);
    for (int i = 0; i < g->ntensor; i++)
        g->tensor[i].slot = p.block_of[i] < 0 ? -1 : slot_of[p.block_of[i]];
    return plan;
}
