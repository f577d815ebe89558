/* SPDX-License-Identifier: Apache-2.0
 *
 * report_group: shapes that differ in one dim alone, and the extent that shows it. A declared shape varies along the dim of most values;
 * whatever other extents follow that dim vary with it. Declared shapes without a dim are one set, in which an extent takes its place.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/report/report_private.h"

typedef struct {
    const Spec *spec;
    const int *dim;  /* one a declared shape: along which it varies; -1: along none */
    const int *axis; /* one a declared shape: the extent that shows it */
} Order;

static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_value(const void *x, const void *y) { return compare(*(const int64_t *)x, *(const int64_t *)y); }

/* A number of an instance: dim k, or behind the dims extent k. */
static int64_t number_of(const Instance *inst, bool dim, int k) { return dim ? inst->dim[k] : inst->extent[k]; }

/* Different values of it among the instances of one declared shape, or, decl -1, of all that `order` says vary along no dim. */
static int64_t count_distinct(Arena *a, const Order *o, int decl, bool dim, int k)
{
    const Spec *spec = o->spec;
    int64_t *v = ARENA_ARRAY(a, (size_t)spec->ninstance + 1, int64_t), n = 0, distinct = 0;
    for (int64_t i = 0; i < spec->ninstance; i++)
        if (decl < 0 ? o->dim[spec->instance[i].decl] < 0 : spec->instance[i].decl == decl)
            v[n++] = number_of(&spec->instance[i], dim, k);
    qsort(v, (size_t)n, sizeof *v, by_value);
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

/* By threads, declared shape and its other dims; of those without a dim by all extents but the one that varies. 0 for two of one group. */
static int compare_groups(const Order *o, const Instance *a, const Instance *b)
{
    const int dim_a = o->dim[a->decl], dim_b = o->dim[b->decl];
    int c = compare(a->threads, b->threads);
    c = c ? c : compare(dim_a < 0 ? -1 : a->decl, dim_b < 0 ? -1 : b->decl);
    if (c)
        return c;
    for (int k = 0; dim_a >= 0 && c == 0 && k < o->spec->ndim; k++)
        c = k != dim_a ? compare(a->dim[k], b->dim[k]) : 0;
    for (int x = 0; dim_a < 0 && c == 0 && x < o->spec->op->naxis; x++)
        c = x != o->axis[a->decl] ? compare(a->extent[x], b->extent[x]) : 0;
    return c;
}

static int by_group(const void *x, const void *y, void *ctx)
{
    const Order *o = ctx;
    const Instance *a = &o->spec->instance[*(const int64_t *)x], *b = &o->spec->instance[*(const int64_t *)y];
    const int c = compare_groups(o, a, b);
    return c ? c : compare(a->extent[o->axis[a->decl]], b->extent[o->axis[b->decl]]);
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

/* Marks the heaviest groups that `wanted` takes, at most max; how many. */
static int mark(Groups *g, int max, size_t flag, bool (*wanted)(const Group *))
{
    int n = 0;
    for (; n < max; n++) {
        Group *best = NULL;
        for (int i = 0; i < g->ngroup; i++) {
            Group *c = &g->group[i];
            if (wanted(c) && !*(bool *)((char *)c + flag) && (!best || c->weight > best->weight))
                best = c;
        }
        if (!best)
            break;
        *(bool *)((char *)best + flag) = true;
    }
    return n;
}

static bool is_range(const Group *g) { return g->n > 1; }
static bool is_any(const Group *g) { return g->n > 0; }

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
    g.npanel = mark(&g, REPORT_MAX_PANEL, offsetof(Group, panel), is_range);
    g.nbar = mark(&g, REPORT_MAX_BAR, offsetof(Group, bar), is_any);
    g.axes = axes_text(a, spec, &g);
    return g;
}
