/* SPDX-License-Identifier: Apache-2.0
 *
 * report_group: which extent varies, and the shapes that differ in it alone.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "gen/report_private.h"

typedef struct {
    const Spec *spec;
    int axis;
} Order;

static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_value(const void *x, const void *y) { return compare(*(const int64_t *)x, *(const int64_t *)y); }

static int64_t distinct_extents(Arena *a, const Spec *spec, int axis)
{
    int64_t *v = ARENA_ARRAY(a, (size_t)spec->ninstance + 1, int64_t), n = 0;
    for (int64_t i = 0; i < spec->ninstance; i++)
        v[i] = spec->instance[i].extent[axis];
    qsort(v, (size_t)spec->ninstance, sizeof *v, by_value);
    for (int64_t i = 0; i < spec->ninstance; i++)
        n += i == 0 || v[i] != v[i - 1];
    return n;
}

static int varying_axis(Arena *a, const Spec *spec)
{
    int best = 0;
    int64_t most = 0;
    for (int x = 0; x < spec->op->naxis; x++) {
        int64_t n = distinct_extents(a, spec, x);
        if (n > most) {
            most = n;
            best = x;
        }
    }
    return best;
}

/* By threads and all extents but the varying one: 0 for two of one group. */
static int compare_groups(const Order *o, const Instance *a, const Instance *b)
{
    int c = compare(a->threads, b->threads);
    for (int x = 0; c == 0 && x < o->spec->op->naxis; x++)
        if (x != o->axis)
            c = compare(a->extent[x], b->extent[x]);
    return c;
}

static int by_group(const void *x, const void *y, void *ctx)
{
    const Order *o = ctx;
    const Instance *a = &o->spec->instance[*(const int64_t *)x], *b = &o->spec->instance[*(const int64_t *)y];
    int c = compare_groups(o, a, b);
    return c ? c : compare(a->extent[o->axis], b->extent[o->axis]);
}

static const char *label_of(Arena *a, const Order *o, const Instance *inst)
{
    Text t = { .arena = a };
    for (int x = 0; x < o->spec->op->naxis; x++)
        if (x != o->axis)
            text_printf(&t, "%s%s = %lld", t.len ? ", " : "", o->spec->op->axis[x].name, (long long)inst->extent[x]);
    if (o->spec->nthread > 1)
        text_printf(&t, "%s%d thread%s", t.len ? ", " : "", inst->threads, inst->threads == 1 ? "" : "s");
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
            g->group[g->ngroup++] = (Group){ .at = at + i, .label = label_of(a, o, &inst[at[i]]) };
        Group *last = &g->group[g->ngroup - 1];
        last->n++;
        last->ntuned += inst[at[i]].tuned;
        last->weight += inst[at[i]].weight;
    }
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

Groups report_groups(Arena *a, const Spec *spec)
{
    Groups g = { .axis = varying_axis(a, spec) };
    Order o = { spec, g.axis };
    int64_t *at = ARENA_ARRAY(a, (size_t)spec->ninstance + 1, int64_t);
    for (int64_t i = 0; i < spec->ninstance; i++)
        at[i] = i;
    qsort_r(at, (size_t)spec->ninstance, sizeof *at, by_group, &o);
    cut(a, &o, at, &g);
    g.npanel = mark(&g, REPORT_MAX_PANEL, offsetof(Group, panel), is_range);
    g.nbar = mark(&g, REPORT_MAX_BAR, offsetof(Group, bar), is_any);
    return g;
}
