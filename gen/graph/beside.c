/* SPDX-License-Identifier: Apache-2.0
 *
 * beside: finds nodes that may run at the same time. What a group saves is worked out at dims drawn from their ranges.
 */
#include "gen/graph/beside.h"

#include <math.h>
#include "gen/base/rng.h"
#include "templates/package/graph/beside.h"

enum { DRAWN = 64, THREADS = 2 };

typedef struct {
    Graph *graph;
    PACKAGE_work (*work)[DRAWN]; /* of each node at the dims that were drawn; flops -1: not known */
} Finder;

/* ---- what depends on what ---- */

/* Where an operand lies in its tensor: `run` elements side by side from `at` on; step: again each so many elements;
 * NULL: only once. */
typedef struct {
    const Poly *at, *run, *step;
} Lying;

/* False: it lies in another way. */
static bool lies_in_runs(Graph *g, const GraphNode *n, int operand, Lying *l)
{
    const GraphOperand *o = &n->operand[operand];
    const int rank = spec_layout(g->file->function[n->function], operand)->rank;
    const Poly *extent[OP_MAX_RANK], *reach = NULL; /* reach: the step times how often */
    graph_operand_extents(g, n, operand, extent);
    *l = (Lying){ o->at, poly_number(g->polys, 1), NULL };
    for (int i = rank - 1; i >= 0; i--) {
        if (poly_is(extent[i], 1))
            continue;
        const Poly *stride = o->dense ? l->run : o->stride[i];
        if (!l->step && poly_same(stride, l->run)) {
            l->run = poly_mul(g->polys, l->run, extent[i]);
        } else if (!l->step || poly_same(stride, reach)) {
            l->step = l->step ? l->step : stride;
            reach = poly_mul(g->polys, stride, extent[i]);
        } else {
            return false;
        }
    }
    return l->at && l->run;
}

/* Is it seen that x + n <= y? */
static bool ends_before(Graph *g, const Poly *x, const Poly *n, const Poly *y)
{
    int64_t least, most;
    const Poly *between = poly_reduced(g->polys, poly_sub(g->polys, y, poly_add(g->polys, x, n)));
    poly_range(g->polys, between, &least, &most);
    return between && least >= 0;
}

/* All that x has of a step lies before all that y has of it. */
static bool lies_before(Graph *g, const Lying *x, const Lying *y)
{
    return ends_before(g, x->at, x->run, y->at) &&
           (!x->step || ends_before(g, y->at, y->run, poly_add(g->polys, x->at, x->step)));
}

/* Is it seen that two operands on one tensor have no element in common? */
static bool are_apart(Graph *g, const GraphNode *x, int i, const GraphNode *y, int k)
{
    Lying a, b;
    if (!lies_in_runs(g, x, i, &a) || !lies_in_runs(g, y, k, &b) || !a.step != !b.step ||
        (a.step && !poly_same(a.step, b.step)))
        return false;
    return lies_before(g, &a, &b) || lies_before(g, &b, &a);
}

/* Does y read or write what x writes? */
static bool meets_output(Graph *g, const GraphNode *x, const GraphNode *y)
{
    const Spec *s = g->file->function[x->function];
    const int out = (int)(spec_output(s) - s->op->operand);
    for (int i = 0; i < g->file->function[y->function]->op->noperand; i++)
        if (y->operand[i].tensor == x->operand[out].tensor && !are_apart(g, x, out, y, i))
            return true;
    return false;
}

/* Does the node depend on none of those behind it up to `last`, nor they on it? */
static bool is_free(Graph *g, int node, int last)
{
    for (int i = node + 1; i <= last; i++)
        if (meets_output(g, &g->node[i], &g->node[node]) || meets_output(g, &g->node[node], &g->node[i]))
            return false;
    return true;
}

/* ---- what is saved ---- */

/* Dims of all sizes, each as often. */
static void draw_dims(const Polys *p, Rng *r, int64_t *dims)
{
    for (int i = 0; i < polys_ndim(p); i++) {
        int64_t least, most;
        polys_dim_range(p, i, &least, &most);
        const double size = (double)(most - least) + 1;
        dims[i] = least + (int64_t)(exp(rng_uniform(r) * log(size)) - 1);
    }
}

static void count_work(Finder *f)
{
    Rng r = { 1 };
    Graph *g = f->graph;
    int64_t dims[DRAWN][SPEC_MAX_DIM];
    for (int k = 0; k < DRAWN; k++)
        draw_dims(g->polys, &r, dims[k]);
    for (int i = 0; i < g->nnode; i++) {
        const Poly *flops = graph_flops(g, &g->node[i]), *bytes = graph_bytes(g, &g->node[i]);
        for (int k = 0; k < DRAWN; k++) {
            int64_t nflop = 0, nbyte = 0;
            const bool known = poly_at(g->polys, flops, dims[k], &nflop) && poly_at(g->polys, bytes, dims[k], &nbyte);
            f->work[i][k] = (PACKAGE_work){ known ? (double)nflop : -1, (double)nbyte };
        }
    }
}

static double saved(const Finder *f, int first, int last)
{
    double sum = 0;
    for (int k = 0; k < DRAWN; k++) {
        PACKAGE_work work[BESIDE_MOST];
        for (int i = first; i <= last; i++) {
            work[i - first] = f->work[i][k];
            if (work[i - first].flops < 0)
                return 0;
        }
        const double ns = PACKAGE_saved_ns(THREADS, work, last - first + 1, NULL);
        sum += ns >= PACKAGE_WORTH_NS ? ns : 0;
    }
    return sum;
}

/* best[i]: what is saved by all groups of the nodes before i; length[i]: how many the last of these has. */
void graph_beside(Arena *a, Graph *g)
{
    const size_t n = (size_t)g->nnode + 1;
    Finder f = { g, arena_array(a, n, sizeof *f.work) };
    double *best = ARENA_ARRAY(a, n, double);
    int *length = ARENA_ARRAY(a, n, int);
    count_work(&f);
    for (int i = 1; i <= g->nnode; i++) {
        best[i] = best[i - 1];
        length[i] = 1;
        for (int first = i - 2; first >= 0 && i - first <= BESIDE_MOST && is_free(g, first, i - 1); first--) {
            const double all = best[first] + saved(&f, first, i - 1);
            if (all > best[i]) {
                best[i] = all;
                length[i] = i - first;
            }
        }
    }
    for (int i = g->nnode; i > 0; i -= length[i])
        for (int k = i - length[i]; k < i; k++) {
            g->node[k].first = i - length[i];
            g->node[k].last = i - 1;
        }
}
