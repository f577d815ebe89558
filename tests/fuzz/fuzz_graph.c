/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_graph: any bytes as a spec with a graph. It is either read or has errors; what is read keeps the promises of
 * gen/graph/graph.h, and in its workspace nothing lies over what is still needed, at the ends of the dims and between.
 */
#include <inttypes.h>
#include "gen/graph/beside.h"
#include "gen/graph/plan.h"
#include "tests/fuzz/fuzz.h"

static const char *const ops[] = { DCGEN_SOURCE_DIR "/tests/gen/spec/op" };

enum { NTRIED = 5 };

/* ---- sizes ---- */

/* At these dims what is written of a size is what it is. */
static void check_size(Arena *a, Graph *g, const Poly *x, const int64_t *dims)
{
    int64_t least, most, value, same;
    REQUIRE(x);
    poly_range(g->polys, x, &least, &most);
    REQUIRE(least <= most);
    if (!poly_at(g->polys, x, dims, &value))
        return; /* it overflows */
    REQUIRE(least <= value && value <= most);
    const Expr *e = expr_parse(a, poly_text(a, g->polys, x), (Loc){ 0 }, diag_new(a));
    REQUIRE(e);
    const Poly *again = poly_of(g->polys, e);
    REQUIRE(!again || !poly_at(g->polys, again, dims, &same) || same == value);
}

static void dims_at(const Graph *g, int i, int64_t *dims)
{
    for (int k = 0; k < polys_ndim(g->polys); k++) {
        int64_t least, most;
        polys_dim_range(g->polys, k, &least, &most);
        dims[k] = i == 0        ? least
                  : i == 1      ? most
                  : i + k & 1   ? least + (most - least) / 3
                  : i == 2 && k ? most
                                : least + (most - least) / 2;
    }
}

/* ---- tensors and nodes ---- */

static void check_tensor(Arena *a, Graph *g, const Tensor *t, const int64_t *dims)
{
    REQUIRE(t->name && t->from && t->stored && t->rank >= 0 && t->rank <= OP_MAX_RANK);
    REQUIRE(t->kind != TENSOR_INNER || t->first >= 0 || t->last < 0);
    REQUIRE(t->first <= t->last && t->last < g->nnode);
    for (int i = 0; i < t->rank; i++)
        check_size(a, g, t->extent[i], dims);
}

static void check_node(Arena *a, Graph *g, const GraphNode *n, const int64_t *dims)
{
    REQUIRE(n->name && n->function >= 0 && n->function < g->file->nfunction);
    const Spec *s = g->file->function[n->function];
    REQUIRE(n->shape >= -1 && n->shape < s->nshape);
    for (int i = 0; i < s->op->nextent; i++)
        check_size(a, g, n->extent[i], dims);
    for (int i = 0; i < s->op->noperand; i++) {
        const GraphOperand *o = &n->operand[i];
        const Poly *extent[OP_MAX_RANK];
        REQUIRE(o->tensor >= -1 && o->tensor < g->ntensor);
        if (o->tensor < 0)
            continue;
        check_size(a, g, o->at, dims);
        graph_operand_extents(g, n, i, extent);
        for (int k = 0; k < spec_layout(s, i)->rank; k++) {
            check_size(a, g, extent[k], dims);
            if (!o->dense)
                check_size(a, g, o->stride[k], dims);
        }
        REQUIRE(g->tensor[o->tensor].last >= n - g->node);
    }
}

/* ---- the workspace ---- */

/* Lays the slots out as a package does. False: no memory is that large. */
static bool lay_out(const Graph *g, const Plan *p, int order, const int64_t *dims, int64_t *at, int64_t *bytes)
{
    for (int i = 0; i < p->nslot; i++)
        at[i] = -1;
    for (int i = 0; i < p->nslot; i++) {
        const SlotPlace *x = &p->order[order][i];
        REQUIRE(x->slot >= 0 && x->slot < p->nslot && at[x->slot] == -1);
        int64_t begin = 0, size;
        for (int k = 0; k < x->nbelow; k++) {
            const int below = x->below[k];
            REQUIRE(below >= 0 && below < p->nslot && at[below] >= 0);
            begin = at[below] + bytes[below] > begin ? at[below] + bytes[below] : begin;
        }
        if (!poly_at(g->polys, p->bytes[x->slot], dims, &size) || size > INT64_MAX / 4 - begin)
            return false;
        REQUIRE(size % PLAN_ALIGN == 0);
        at[x->slot] = begin;
        bytes[x->slot] = size < 0 ? 0 : size; /* such dims are refused */
    }
    return true;
}

static void check_order(Arena *a, Graph *g, const Plan *p, int order, const int64_t *dims, bool in_place)
{
    int64_t *at = ARENA_ARRAY(a, (size_t)p->nslot + 1, int64_t), *bytes = ARENA_ARRAY(a, (size_t)p->nslot + 1, int64_t);
    REQUIRE(p->most >= 1 && p->nslot >= 0);
    if (!lay_out(g, p, order, dims, at, bytes))
        return;
    for (const Tensor *x = g->tensor; x < g->tensor + g->ntensor; x++) {
        REQUIRE(x->slot >= -1 && x->slot < p->nslot && (x->kind == TENSOR_INNER || x->slot == -1));
        for (const Tensor *y = g->tensor; y < x && x->slot >= 0; y++) {
            const GraphNode *n = g->node;
            if (y->slot < 0 || n[x->first].first > n[y->last].last || n[y->first].first > n[x->last].last)
                continue;
            const bool apart =
                at[x->slot] + bytes[x->slot] <= at[y->slot] || at[y->slot] + bytes[y->slot] <= at[x->slot];
            const bool over = in_place && x->slot == y->slot && (x->first == y->last || y->first == x->last);
            REQUIRE(apart || over);
        }
    }
}

static void check_graph(Arena *a, Graph *g)
{
    const PolyCondition *c;
    const int ncondition = polys_conditions(g->polys, &c);
    unsigned in_place[SPEC_MAX_FUNCTION];
    for (int i = 0; i < NTRIED; i++) {
        int64_t dims[SPEC_MAX_DIM + 1] = { 0 };
        dims_at(g, i, dims);
        for (int k = 0; k < g->ntensor; k++)
            check_tensor(a, g, &g->tensor[k], dims);
        for (int k = 0; k < g->nnode; k++)
            check_node(a, g, &g->node[k], dims);
        for (int k = 0; k < ncondition; k++) {
            check_size(a, g, c[k].x, dims);
            check_size(a, g, c[k].y, dims);
            REQUIRE(c[k].why && *c[k].why);
        }
    }
    for (int way = 0; way < 4; way++) {
        if (way == 2)
            graph_beside(a, g);
        memset(in_place, way % 2 ? 0xff : 0, sizeof in_place);
        const Plan *p = graph_plan(a, g, in_place);
        for (int i = 0; i < NTRIED; i++) {
            int64_t dims[SPEC_MAX_DIM + 1] = { 0 };
            dims_at(g, i, dims);
            for (int o = 0; o < p->norder; o++)
                check_order(a, g, p, o, dims, way % 2);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    const Source *src = fuzz_source(a, "fuzz.cfg", data, size);
    const SpecFile *file = spec_file_parse(a, src, ops, 1, d);
    REQUIRE((file == NULL) == (diag_nerror(d) > 0));
    if (file) {
        Graph *g = graph_read(a, file, d);
        REQUIRE(!g == (!file->graph || diag_nerror(d) > 0));
        if (g)
            check_graph(a, g);
    }
    fuzz_check_diag(d, src);
    arena_free(a);
    return 0;
}
