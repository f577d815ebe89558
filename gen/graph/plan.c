/* SPDX-License-Identifier: Apache-2.0
 *
 * plan: lays the inner tensors of a graph out in one workspace.
 */
#include "gen/graph/plan.h"

#include <string.h>

typedef struct {
    Arena *arena;
    Graph *graph;
    Blocks blocks;      /* each of one tensor, or of several of which each is written over the one before */
    const Poly **bytes; /* of each block */
    int *block_of;      /* of each tensor; -1: it is none of the workspace's */
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

/* Is the operand the only one, of this node and of those that may run at the same time, that reads its tensor, and is
 * this the last node that does? */
static bool ends_here(const Planner *p, int node, int operand)
{
    const GraphNode *n = &p->graph->node[node];
    const int tensor = n->operand[operand].tensor;
    int nuse = 0;
    for (const GraphNode *m = &p->graph->node[n->first]; m <= &p->graph->node[n->last]; m++)
        for (int i = 0; i < p->graph->file->function[m->function]->op->noperand; i++)
            nuse += m->operand[i].tensor == tensor;
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
    p->bytes[p->blocks.nblock] = aligned_bytes(p, t);
    p->blocks.block[p->blocks.nblock] =
        (Block){ .first = p->graph->node[t->first].first, .last = p->graph->node[t->last].last };
    p->block_of[tensor] = p->blocks.nblock++;
}

/* Tensors are taken in the order in which nodes write them. */
static void make_blocks(Planner *p, const unsigned *in_place)
{
    Graph *g = p->graph;
    p->blocks.block = ARENA_ARRAY(p->arena, (size_t)g->ntensor + 1, Block);
    p->bytes = ARENA_ARRAY(p->arena, (size_t)g->ntensor + 1, const Poly *);
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
            p->blocks.block[p->block_of[over]].last = g->node[g->tensor[out].last].last;
        }
    }
}

/* ---- corners ---- */

static void add_corner(Planner *p, const int64_t *dims)
{
    for (int i = 0; i < p->blocks.nblock; i++) {
        int64_t bytes;
        if (!poly_at(p->graph->polys, p->bytes[i], dims, &bytes))
            return; /* no memory is that large: nobody calls it so */
        p->blocks.block[i].size[p->blocks.ncorner] = (double)(bytes > 0 ? bytes : 0);
    }
    p->blocks.ncorner++;
}

/* The ends of all ranges, of many dims those of the first ones with the others at an end together. */
static void add_corners(Planner *p)
{
    const int n = polys_ndim(p->graph->polys);
    for (int c = 0; c < ORDER_CORNERS && c < 1 << (n < 30 ? n : 30); c++) {
        int64_t dims[SPEC_MAX_DIM], least, most;
        for (int i = 0; i < n; i++) {
            polys_dim_range(p->graph->polys, i, &least, &most);
            dims[i] = c >> (i < 5 ? i : 5) & 1 ? most : least;
        }
        add_corner(p, dims);
    }
}

/* ---- slots ---- */

/* A place that an order gives to blocks of one size, of which no two are there at once. */
typedef struct {
    const Poly *bytes;
    int nbelow, *below; /* it begins where the last of these places ends */
} Place;

typedef struct {
    int nplace;
    Place *place;     /* each behind those that it begins after */
    int *place_of;    /* of each block */
    bool *on, *under; /* places that the block at hand stands on, and that these stand on */
} Stack;

/* The places that a block stands on, without those that others of them stand on. */
static Place place_on(const Planner *p, const Stack *s, int block)
{
    const Block *b = &p->blocks.block[block];
    Place new = { .bytes = p->bytes[block] };
    memset(s->on, 0, (size_t)s->nplace * sizeof *s->on);
    memset(s->under, 0, (size_t)s->nplace * sizeof *s->under);
    for (int i = 0; i < b->nclash; i++)
        if (s->place_of[b->clash[i]] >= 0)
            s->on[s->place_of[b->clash[i]]] = true;
    for (int i = s->nplace - 1; i >= 0; i--) {
        if (s->on[i] && !s->under[i])
            *ARENA_PUSH(p->arena, new.below, new.nbelow) = i;
        for (int k = 0; k < s->place[i].nbelow && (s->on[i] || s->under[i]); k++)
            s->under[s->place[i].below[k]] = true;
    }
    return new;
}

static int find_place(const Stack *s, const Place *new)
{
    for (int i = 0; i < s->nplace; i++) {
        const Place *x = &s->place[i];
        if (x->nbelow == new->nbelow && poly_same(x->bytes, new->bytes) &&
            (!x->nbelow || memcmp(x->below, new->below, (size_t)x->nbelow * sizeof *x->below) == 0))
            return i;
    }
    return -1;
}

static Stack stack(const Planner *p, const int *order)
{
    const size_t n = (size_t)p->blocks.nblock + 1;
    Stack s = { .place_of = ARENA_ARRAY(p->arena, n, int),
                .on = ARENA_ARRAY(p->arena, n, bool),
                .under = ARENA_ARRAY(p->arena, n, bool) };
    for (int i = 0; i < p->blocks.nblock; i++)
        s.place_of[i] = -1;
    for (int i = 0; i < p->blocks.nblock; i++) {
        const Place new = place_on(p, &s, order[i]);
        const int found = find_place(&s, &new);
        s.place_of[order[i]] = found < 0 ? s.nplace : found;
        if (found < 0)
            *ARENA_PUSH(p->arena, s.place, s.nplace) = new;
    }
    return s;
}

/* Blocks that have one place in each order are one slot. block_in: a block of each slot. */
static void find_slots(const Planner *p, Plan *plan, const Stack *s, int *slot_of, int *block_in)
{
    for (int i = 0; i < p->blocks.nblock; i++) {
        int slot = 0;
        for (bool same = false; slot < plan->nslot && !same; slot += !same) {
            same = true;
            for (int o = 0; o < plan->norder && same; o++)
                same = s[o].place_of[i] == s[o].place_of[block_in[slot]];
        }
        slot_of[i] = slot;
        if (slot < plan->nslot)
            continue;
        block_in[slot] = i;
        *ARENA_PUSH(p->arena, plan->bytes, plan->nslot) = p->bytes[i];
    }
}

/* The slots in the order of their places. */
static SlotPlace *slot_places(const Planner *p, const Plan *plan, const Stack *s, const int *block_in)
{
    SlotPlace *all = NULL;
    int n = 0, *slot_at = ARENA_ARRAY(p->arena, (size_t)s->nplace + 1, int); /* one of those in a place */
    for (int place = 0; place < s->nplace; place++)
        for (int slot = 0; slot < plan->nslot; slot++)
            if (s->place_of[block_in[slot]] == place) {
                SlotPlace *new = ARENA_PUSH(p->arena, all, n);
                *new = (SlotPlace){ .slot = slot_at[place] = slot };
                for (int i = 0; i < s->place[place].nbelow; i++)
                    *ARENA_PUSH(p->arena, new->below, new->nbelow) = slot_at[s->place[place].below[i]];
            }
    return all;
}

Plan *graph_plan(Arena *a, Graph *g, const unsigned *in_place)
{
    Planner p = { .arena = a, .graph = g };
    Plan *plan = ARENA_NEW(a, Plan);
    int *order[ORDER_MOST];
    Stack stacks[ORDER_MOST];
    make_blocks(&p, in_place);
    add_corners(&p);
    blocks_meet(a, &p.blocks);
    plan->norder = blocks_order(a, &p.blocks, order, &plan->most);
    int *slot_of = ARENA_ARRAY(a, (size_t)p.blocks.nblock + 1, int),
        *block_in = ARENA_ARRAY(a, (size_t)p.blocks.nblock + 1, int);
    for (int i = 0; i < plan->norder; i++)
        stacks[i] = stack(&p, order[i]);
    find_slots(&p, plan, stacks, slot_of, block_in);
    for (int i = 0; i < plan->norder; i++)
        plan->order[i] = slot_places(&p, plan, &stacks[i], block_in);
    for (int i = 0; i < g->ntensor; i++)
        g->tensor[i].slot = p.block_of[i] < 0 ? -1 : slot_of[p.block_of[i]];
    return plan;
}
