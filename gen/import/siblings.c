/* SPDX-License-Identifier: Apache-2.0
 *
 * siblings: dense layers of the same rows, such as those of queries, keys and values, become one layer: their weights
 * stand side by side, and each of their results is a part of its rows. What is done to results must be a product and a
 * sum of constants, a*acc + c; these go into the weights and one bias.
 */
#include <string.h>
#include "gen/import/lower.h"

enum { MOST_SIBLINGS = 16 };

/* One layer. */
typedef struct {
    Step *step;
    const Memory *weight;
    int64_t K, N;
    bool is_kn;     /* the weight lies as [K][N]; else as [N][K] */
    float *a, *c;   /* of each column */
    bool has_shift; /* c is not 0 */
} Layer;

typedef struct {
    Lower *lower;
    const Step *step;
    int64_t *dims;
} Affine;

/* x as a*acc + c, at the places in `dims`. False: it is none, or depends on more than constants. */
static bool affine(const Affine *f, const Elem *x, double *a, double *c)
{
    double ax, cx, ay, cy;
    if (x->kind == ELEM_LOAD && x->memory == f->step->out) {
        *a = 1;
        *c = 0;
        return true;
    }
    if (!elem_loads(x, f->step->out)) {
        *a = 0;
        return store_constant_at(f->lower, x, f->dims, c);
    }
    if (x->kind != ELEM_APPLY || x->narg != 2 || !affine(f, x->arg[0], &ax, &cx) || !affine(f, x->arg[1], &ay, &cy))
        return false;
    const bool adds = strcmp(x->op, "+") == 0, subtracts = strcmp(x->op, "-") == 0;
    if (adds || subtracts) {
        *a = adds ? ax + ay : ax - ay;
        *c = adds ? cx + cy : cx - cy;
        return true;
    }
    if (strcmp(x->op, "*") != 0 || (ax != 0 && ay != 0))
        return strcmp(x->op, "/") == 0 && ay == 0 ? (*a = ax / cy, *c = cx / cy, true) : false;
    *a = ax * cy + ay * cx;
    *c = cx * cy;
    return true;
}

/* Does x depend on no place of the result but that of its column? */
static bool is_of_columns(Lower *l, const Step *s, const Elem *x)
{
    const Memory *m = &l->memory[s->out];
    if (x->kind == ELEM_LOAD && x->memory == s->out)
        return true;
    if (x->kind == ELEM_LOAD && l->memory[x->memory].kind != MEMORY_CONSTANT)
        return false;
    for (int i = 0; i < m->rank - 1; i++)
        if ((x->kind == ELEM_LOAD || x->kind == ELEM_SIZE) && elem_uses(l->elems, x, lower_place(l, i, m->extent[i])))
            return false;
    for (int i = 0; i < x->narg; i++)
        if (!is_of_columns(l, s, x->arg[i]))
            return false;
    return x->kind != ELEM_ROW;
}

/* False: the step is no layer that others can be joined with. */
static bool read_layer(Lower *l, Step *s, Layer *out)
{
    *out = (Layer){ .step = s };
    if (!s->op || strcmp(s->op, "dense") != 0 || l->memory[s->out].output)
        return false;
    const Memory *m = &l->memory[s->out];
    out->weight = &l->memory[s->operand[1].access.memory];
    out->is_kn = strncmp(s->layout, "W = \"KN\"", 8) == 0;
    if (!poly_is_number(s->size[1], &out->N) || !poly_is_number(s->size[2], &out->K))
        return false;
    out->a = ARENA_ARRAY(l->arena, (size_t)out->N, float);
    out->c = ARENA_ARRAY(l->arena, (size_t)out->N, float);
    if (s->value && !is_of_columns(l, s, s->value))
        return false;
    Affine f = { l, s, ARENA_ARRAY(l->arena, (size_t)polys_ndim(l->polys) + 1, int64_t) };
    const int column = lower_place(l, m->rank - 1, m->extent[m->rank - 1]);
    for (int64_t n = 0; n < out->N; n++) {
        double a = 1, c = 0;
        f.dims[column] = n;
        if (s->value && !affine(&f, s->value, &a, &c))
            return false;
        out->a[n] = (float)a;
        out->c[n] = (float)c;
        out->has_shift = out->has_shift || c != 0;
    }
    return true;
}

static bool is_sibling(Lower *l, const Layer *x, const Layer *y)
{
    const StepOperand *a = &x->step->operand[0], *b = &y->step->operand[0];
    return x->K == y->K && x->is_kn == y->is_kn && access_has_rows_of(l, &a->access, &b->access) &&
           poly_compare(l->polys, x->step->size[0], y->step->size[0]) == POLY_EQUAL;
}

/* The weights side by side, each column times its a. */
static int join_weights(Lower *l, const Layer *layer, int n, int64_t N)
{
    const int64_t K = layer->K;
    float *data = ARENA_ARRAY(l->arena, (size_t)(K * N), float);
    int64_t from = 0;
    for (int i = 0; i < n; from += layer[i++].N)
        for (int64_t k = 0; k < K; k++)
            for (int64_t c = 0; c < layer[i].N; c++) {
                const float w = ((const float *)layer[i].weight->data)[layer->is_kn ? k * layer[i].N + c : c * K + k];
                data[layer->is_kn ? k * N + from + c : (from + c) * K + k] = w * layer[i].a[c];
            }
    const char *name = arena_printf(l->arena, "%s and %d more", layer->weight->from, n - 1);
    const Poly *extent[2];
    extent[!layer->is_kn] = poly_number(l->polys, K);
    extent[layer->is_kn] = poly_number(l->polys, N);
    return memory_constant(l, name, &storages[STORED_F32], 2, extent, data);
}

static int join_shifts(Lower *l, const Layer *layer, int n, int64_t N)
{
    float *data = ARENA_ARRAY(l->arena, (size_t)N, float);
    int64_t from = 0;
    for (int i = 0; i < n; from += layer[i++].N)
        memcpy(data + from, layer[i].c, (size_t)layer[i].N * sizeof *data);
    const char *name = arena_printf(l->arena, "%s: bias", l->memory[l->nmemory - 1].from);
    const Poly *extent = poly_number(l->polys, N);
    return memory_constant(l, name, &storages[STORED_F32], 1, &extent, data);
}

/* The result of a layer is now a part of the rows of `whole`, and whoever reads it knows. */
static void become_part(Lower *l, const Layer *layer, int whole, int64_t from, int64_t N)
{
    const int memory = layer->step->out;
    const Poly *own = poly_number(l->polys, layer->N), *all = poly_number(l->polys, N);
    Memory *m = &l->memory[memory];
    m->is_part = true;
    m->whole = whole;
    m->part_at = poly_number(l->polys, from);
    m->row = all;
    for (int i = 0; i < l->nstep; i++)
        for (int k = 0; k < l->step[i].noperand; k++) {
            Access *a = &l->step[i].operand[k].access;
            if (a->memory != memory)
                continue;
            access_widen(l, a, own, all);
            a->memory = whole;
            a->at = poly_add(l->polys, a->at, m->part_at);
        }
}

static void join(Lower *l, Layer *layer, int n)
{
    Step *s = layer->step;
    Memory r = l->memory[s->out];
    int64_t N = 0, from = 0;
    bool has_shift = false;
    for (int i = 0; i < n; i++) {
        N += layer[i].N;
        has_shift = has_shift || layer[i].has_shift;
    }
    r.extent[r.rank - 1] = poly_number(l->polys, N);
    r.name = NULL;
    const int whole = memory_add(l, r), weights = join_weights(l, layer, n, N),
              shifts = has_shift ? join_shifts(l, layer, n, N) : -1;
    for (int i = 0; i < n; from += layer[i++].N) {
        become_part(l, &layer[i], whole, from, N);
        layer[i].step->is_gone = i > 0;
    }
    s->out = whole;
    s->size[1] = poly_number(l->polys, N);
    const Elem *own = memory_elem(l, whole);
    s->value = NULL;
    if (shifts >= 0) {
        const Elem *column = lower_place_elem(l, r.rank - 1, s->size[1]);
        s->value = ELEM(l->elems, "+", own, elem_load(l->elems, shifts, ELEM_REAL, 1, &column));
    }
    StepOperand *w = &s->operand[1];
    w->access.memory = weights;
    w->extent[layer->is_kn] = s->size[1];
    w->access.stride[0] = w->extent[1];
}

void siblings_join(Lower *l)
{
    for (int i = 0; i < l->norder; i++) {
        Layer layer[MOST_SIBLINGS];
        int n = 1;
        Step *s = &l->step[l->order[i]];
        if (s->is_gone || !read_layer(l, s, &layer[0]))
            continue;
        for (int k = i + 1; k < l->norder && n < MOST_SIBLINGS; k++) {
            Step *other = &l->step[l->order[k]];
            if (!other->is_gone && other->op && strcmp(other->op, "dense") == 0 &&
                other->operand[0].access.memory == s->operand[0].access.memory && read_layer(l, other, &layer[n]) &&
                is_sibling(l, &layer[0], &layer[n]))
                n++;
        }
        if (n > 1)
            join(l, layer, n);
    }
}
