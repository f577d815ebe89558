/* SPDX-License-Identifier: Apache-2.0
 *
 * report_group: shapes that differ in one dim alone, and the extent that shows it. A declared shape varies along the dim of most values;
 * whatever other extents follow that dim vary with it. Declared shapes without a dim are one set, in which an extent takes its place.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/base/order.h"
#include "gen/report/report_private.h"

typedef struct {
    const Spec *spec;
    const int *dim;  /* one a declared shape: along which it varies; -1: along none */
    const int *axis; /* one a declared shape: the extent that shows it */
} Order;

/* Different values of dim k, or of extent k, among the instances of one declared shape; decl -1: of all that vary along no dim. */
static int64_t count_distinct(Arena *a, const Order *o, int decl, bool dim, int k)
{
    const Spec *spec = o->spec;
    int64_t *v = ARENA_ARRAY(a, (size_t)spec->ninstance + 1, int64_t), n = 0, distinct = 0;
    for (int64_t i = 0; i < spec->ninstance; i++)
        if (decl < 0 ? o->dim[spec->instance[i].decl] < 0 : spec->instance[i].decl == decl)
            v[n++] = dim ? spec->instance[i].dim[k] : spec->instance[i].extent[k];
    qsort(v, (size_t)n, sizeof *v, order_number);
    for (int64_t i = 0; i < n; i++)
        distinct += i == 0 || v[i] != v[i - 1];
    return distinct;
}

/* The first of n numbers with the most values, if that is more than one; else -1. */
static int most_varied(Arena *a, const Order *o, int decl, bool dim, int n)
{
    int best = -1;
    int64_t most = 1;
    for (int k = 0; k < n; k++) {
        const int64_t values = count_distinct(a, o, decl, dim, k);
        if (values > most) {
            most = values;
            best = k;
        }
    }
    return best;
}

/* Threads, declared shape and its other dims; without a dim all extents but the one that varies. Two of one group have the same numbers. */
static int group_key(const Order *o, const Instance *inst, int64_t *key)
{
    const int dim = o->dim[inst->decl];
    int n = 0;
    key[n++] = inst->threads;
    key[n++] = dim < 0 ? -1 : inst->decl;
    for (int k = 0; dim >= 0 && k < o->spec->ndim; k++)
        key[n++] = k != dim ? inst->dim[k] : 0;
    for (int x = 0; dim < 0 && x < o->spec->op->naxis; x++)
        key[n++] = x != o->axis[inst->decl] ? inst->extent[x] : 0;
    return n;
}

static int compare_groups(const Order *o, const Instance *a, const Instance *b)
{
    int64_t key_a[2 + SPEC_MAX_DIM + OP_MAX_AXIS], key_b[2 + SPEC_MAX_DIM + OP_MAX_AXIS];
    group_key(o, b, key_b); /* as long as the other, or its second number differs */
    return order_numbers(key_a, key_b, group_key(o, a, key_a));
}

static int by_group(const void *x, const void *y, void *ctx)
{
    const Order *o = ctx;
    const Instance *a = &o->spec->instance[*(const int64_t *)x], *b = &o->spec->instance[*(const int64_t *)y];
    const int c = compare_groups(o, a, b);
    return c ? c : order_number(&a->extent[o->axis[a->decl]], &b->extent[o->axis[b->decl]]);
}

/* It changes along the group. */
static bool varies(const Order *o, const Group *g, int axis)
{
    const Instance *inst = o->spec->instance;
    for (int64_t i = 1; i < g->n; i++)
        if (inst[g->at[i]].extent[axis] != inst[g->at[0]].extent[axis])
            return true;
    return false;
}

/* "N = 768, K = 768"; where several extents follow the dim, the expressions of all of them: "M = T, N = T, K = 512". */
static const char *label_of(Arena *a, const Order *o, const Group *g)
{
    const Instance *inst = &o->spec->instance[g->at[0]];
    const Op *op = o->spec->op;
    Text t = { .arena = a };
    int nvarying = 0;
    for (int x = 0; x < op->naxis; x++)
        nvarying += varies(o, g, x);
    for (int x = 0; x < op->naxis; x++) {
        const char *between = t.len ? ", " : "";
        if (varies(o, g, x) && nvarying > 1)
            text_printf(&t, "%s%s = %s", between, op->axis[x].name, expr_text(o->spec->shape[inst->decl].extent[x]));
        else if (x != o->axis[inst->decl])
            text_printf(&t, "%s%s = %lld", between, op->axis[x].name, (long long)inst->extent[x]);
    }
    if (o->spec->nthread > 1)
        text_printf(&t, "%s%d thread%s", t.len ? ", " : "", inst->threads, number_plural(inst->threads));
    return t.len ? text_str(&t) : "all shapes";
}

/* Cuts the sorted instances into groups. */
static void cut(Arena *a, const Order *o, int64_t *at, Groups *g)
{
    const Instance *inst = o->spec->instance;
    int64_t n = o->spec->ninstance, ngroup = 0;
    for (int64_t i = 0; i < n; i++)
        ngroup += i == 0 || compare_groups(o, &inst[at[i - 1]], &inst[at[i]]) != 0;
    g->group = ARENA_ARRAY(a, (size_t)ngroup + 1, Group);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || compare_groups(o, &inst[at[i - 1]], &inst[at[i]]) != 0)
            g->group[g->ngroup++] = (Group){ .at = at + i, .axis = o->axis[inst[at[i]].decl] };
        Group *last = &g->group[g->ngroup - 1];
        last->n++;
        last->ntuned += inst[at[i]].tuned;
        last->weight += inst[at[i]].weight;
    }
    for (int i = 0; i < g->ngroup; i++)
        g->group[i].label = label_of(a, o, &g->group[i]);
}

/* Groups of at least so many instances that are heavier than this one, or as heavy and before it. */
static int count_before(const Groups *g, const Group *group, int64_t least)
{
    int n = 0;
    for (const Group *c = g->group; c < g->group + g->ngroup; c++)
        n += c->n >= least && (c->weight > group->weight || (c->weight >= group->weight && c < group));
    return n;
}

/* What figures show: the heaviest groups. */
static void mark(Groups *g)
{
    for (Group *c = g->group; c < g->group + g->ngroup; c++) {
        c->panel = c->n > 1 && count_before(g, c, 2) < REPORT_MAX_PANEL;
        c->bar = count_before(g, c, 1) < REPORT_MAX_BAR;
        g->npanel += c->panel;
        g->nbar += c->bar;
    }
}

/* The first extent of a declared shape that follows its dim: it differs among instances that differ in the dim alone. */
static int axis_along(Arena *a, const Order *o, int decl)
{
    const Spec *spec = o->spec;
    const Instance *first = NULL;
    for (int64_t i = 0; i < spec->ninstance; i++) {
        const Instance *inst = &spec->instance[i];
        if (inst->decl != decl)
            continue;
        first = first ? first : inst;
        for (int x = 0; compare_groups(o, first, inst) == 0 && x < spec->op->naxis; x++)
            if (inst->extent[x] != first->extent[x])
                return x;
    }
    const int most = most_varied(a, o, decl, false, spec->op->naxis);
    return most < 0 ? 0 : most;
}

/* "M"; "M or N" where shapes vary along different ones. */
static const char *axes_text(Arena *a, const Spec *spec, const Groups *g)
{
    Text t = { .arena = a };
    for (int x = 0; x < spec->op->naxis; x++) {
        bool shown = false;
        for (int i = 0; i < g->ngroup; i++)
            shown = shown || (g->group[i].bar && g->group[i].axis == x && (g->group[i].n > 1 || g->ngroup == 1));
        if (shown)
            text_printf(&t, "%s%s", t.len ? " or " : "", spec->op->axis[x].name);
    }
    return t.len ? text_str(&t) : spec->op->axis[g->axis[0]].name;
}

Groups report_groups(Arena *a, const Spec *spec)
{
    int *dim = ARENA_ARRAY(a, (size_t)spec->nshape + 1, int), *axis = ARENA_ARRAY(a, (size_t)spec->nshape + 1, int);
    Order o = { spec, dim, axis };
    Groups g = { .axis = axis };
    for (int i = 0; i < spec->nshape; i++)
        dim[i] = most_varied(a, &o, i, true, spec->ndim);
    const int free_axis = most_varied(a, &o, -1, false, spec->op->naxis);
    for (int i = 0; i < spec->nshape; i++)
        axis[i] = dim[i] >= 0 ? axis_along(a, &o, i) : free_axis >= 0 ? free_axis : 0;
    int64_t *at = ARENA_ARRAY(a, (size_t)spec->ninstance + 1, int64_t);
    for (int64_t i = 0; i < spec->ninstance; i++)
        at[i] = i;
    qsort_r(at, (size_t)spec->ninstance, sizeof *at, by_group, &o);
    cut(a, &o, at, &g);
    mark(&g);
    g.axes = axes_text(a, spec, &g);
    return g;
}
