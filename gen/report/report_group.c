/* SPDX-License-Identifier: Apache-2.0
 *
 * report_group: sorts instances into groups for the figures. The instances of a group differ in one dim alone; one
 * extent that varies with this dim is the group's x axis. A declared shape varies along the dim that takes the most
 * values; all extents that depend on that dim vary with it. Declared shapes whose dims do not vary are grouped
 * together, along an extent instead of a dim.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/base/order.h"
#include "gen/report/report_private.h"

/* Counts the different values of dim k (is_dim) or extent k among the instances of a declared shape; decl -1: of all
 * that vary along no dim. */
static int64_t count_distinct(Arena *a, const Groups *g, int decl, bool is_dim, int k)
{
    const Spec *spec = g->spec;
    int64_t *v = ARENA_ARRAY(a, (size_t)spec->ninstance + 1, int64_t), n = 0, distinct = 0;
    for (int64_t i = 0; i < spec->ninstance; i++)
        if (decl < 0 ? g->dim[spec->instance[i].decl] < 0 : spec->instance[i].decl == decl)
            v[n++] = is_dim ? spec->instance[i].dim[k] : spec->instance[i].extent[k];
    qsort(v, (size_t)n, sizeof *v, order_number);
    for (int64_t i = 0; i < n; i++)
        distinct += i == 0 || v[i] != v[i - 1];
    return distinct;
}

/* Of the n dims or extents, the first of those that take the most different values; -1: none takes more than one. */
static int most_varied(Arena *a, const Groups *g, int decl, bool is_dim, int n)
{
    int best = -1;
    int64_t most = 1;
    for (int k = 0; k < n; k++) {
        const int64_t values = count_distinct(a, g, decl, is_dim, k);
        if (values > most) {
            most = values;
            best = k;
        }
    }
    return best;
}

/* Writes the numbers that all instances of a group have in common, and returns how many there are: the threads; then
 * the declared shape and all dims but the one that varies, or, if no dim varies, -1 and all extents but the one that
 * varies. */
static int group_key(const Groups *g, const Instance *inst, int64_t *key)
{
    const int dim = g->dim[inst->decl];
    int n = 0;
    key[n++] = inst->threads;
    key[n++] = dim < 0 ? -1 : inst->decl;
    for (int k = 0; dim >= 0 && k < g->spec->ndim; k++)
        key[n++] = k != dim ? inst->dim[k] : 0;
    for (int x = 0; dim < 0 && x < g->spec->op->ngiven; x++)
        key[n++] = x != g->axis[inst->decl] ? inst->extent[x] : 0;
    return n;
}

static int compare_groups(const Groups *g, const Instance *a, const Instance *b)
{
    int64_t key_a[2 + SPEC_MAX_DIM + OP_MAX_EXTENT], key_b[2 + SPEC_MAX_DIM + OP_MAX_EXTENT];
    group_key(g, b, key_b); /* if it is shorter than key_a, their second numbers differ, which ends the comparison */
    return order_numbers(key_a, key_b, group_key(g, a, key_a));
}

static int by_group(const void *x, const void *y, void *ctx)
{
    const Groups *g = ctx;
    const Instance *a = &g->spec->instance[*(const int64_t *)x], *b = &g->spec->instance[*(const int64_t *)y];
    const int c = compare_groups(g, a, b);
    return c ? c : order_number(&a->extent[g->axis[a->decl]], &b->extent[g->axis[b->decl]]);
}

/* True if this extent is not the same for all instances of the group. */
static bool varies(const Groups *g, const Group *group, int axis)
{
    const Instance *inst = g->spec->instance;
    for (int64_t i = 1; i < group->n; i++)
        if (inst[group->at[i]].extent[axis] != inst[group->at[0]].extent[axis])
            return true;
    return false;
}

/* "N = 768, K = 768"; where several extents follow the dim, the expressions of all of them: "M = T, N = T, K = 512". */
static const char *group_label(Arena *a, const Groups *g, const Group *group)
{
    const Instance *inst = &g->spec->instance[group->at[0]];
    const Op *op = g->spec->op;
    const char **value = op_shown_texts(a, op, inst->extent), **declared = spec_shape_texts(a, g->spec, inst->decl);
    Text t = { .arena = a };
    int nvarying = 0;
    for (int x = 0; x < op->ngiven; x++)
        nvarying += varies(g, group, x);
    for (int x = 0; x < op->ngiven; x++)
        value[x] = varies(g, group, x) && nvarying > 1 ? declared[x] : x != group->axis ? value[x] : NULL;
    text_add(&t, op_shown_values(a, op, value, " = ", ", "));
    if (g->spec->nthread > 1)
        text_printf(&t, "%s%d thread%s", t.len ? ", " : "", inst->threads, number_plural(inst->threads));
    return t.len ? text_str(&t) : "all shapes";
}

static void cut_groups(Arena *a, Groups *g)
{
    const Instance *inst = g->spec->instance;
    const int64_t n = g->spec->ninstance;
    int64_t *at = ARENA_ARRAY(a, (size_t)n + 1, int64_t);
    for (int64_t i = 0; i < n; i++)
        at[i] = i;
    qsort_r(at, (size_t)n, sizeof *at, by_group, g);
    g->group = ARENA_ARRAY(a, (size_t)n + 1, Group);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || compare_groups(g, &inst[at[i - 1]], &inst[at[i]]) != 0)
            g->group[g->ngroup++] = (Group){ .at = at + i, .axis = g->axis[inst[at[i]].decl] };
        Group *last = &g->group[g->ngroup - 1];
        last->n++;
        last->weight += inst[at[i]].weight;
    }
    for (int i = 0; i < g->ngroup; i++)
        g->group[i].label = group_label(a, g, &g->group[i]);
}

/* The heaviest first, and of two that weigh alike the one that comes first. */
static int by_weight(const void *x, const void *y)
{
    const Group *a = *(Group *const *)x, *b = *(Group *const *)y;
    const int c = (a->weight < b->weight) - (a->weight > b->weight);
    return c ? c : (a > b) - (a < b);
}

/* Marks the heaviest groups, which figures show. A panel needs more than one instance. */
static void mark_shown(Arena *a, Groups *g)
{
    Group **heavy = ARENA_ARRAY(a, (size_t)g->ngroup, Group *);
    for (int i = 0; i < g->ngroup; i++)
        heavy[i] = &g->group[i];
    qsort(heavy, (size_t)g->ngroup, sizeof *heavy, by_weight);
    for (int i = 0; i < g->ngroup; i++) {
        heavy[i]->panel = heavy[i]->n > 1 && g->npanel < REPORT_MAX_PANEL;
        heavy[i]->bar = g->nbar < REPORT_MAX_BAR;
        g->npanel += heavy[i]->panel;
        g->nbar += heavy[i]->bar;
    }
}

/* The first extent that changes with the dim of a declared shape, as seen from its first instance and others of the
 * same group. If there is none, the extent with the most values. */
static int axis_along(Arena *a, const Groups *g, int decl)
{
    const Spec *spec = g->spec;
    const Instance *first = NULL;
    for (int64_t i = 0; i < spec->ninstance; i++) {
        const Instance *inst = &spec->instance[i];
        if (inst->decl != decl)
            continue;
        first = first ? first : inst;
        if (compare_groups(g, first, inst) != 0)
            continue;
        for (int x = 0; x < spec->op->ngiven; x++)
            if (inst->extent[x] != first->extent[x])
                return x;
    }
    const int most = most_varied(a, g, decl, false, spec->op->ngiven);
    return most < 0 ? 0 : most;
}

/* The name of a figure's x axis: "T"; "S or T" where groups vary along different extents. */
static const char *axes_text(Arena *a, const Groups *g)
{
    const Op *op = g->spec->op;
    Text t = { .arena = a };
    for (int x = 0; x < op->ngiven; x++) {
        bool shown = false;
        for (int i = 0; i < g->ngroup; i++)
            shown = shown || (g->group[i].bar && g->group[i].axis == x && (g->group[i].n > 1 || g->ngroup == 1));
        if (shown)
            text_printf(&t, "%s%s", t.len ? " or " : "", op->extent[x].name);
    }
    return t.len ? text_str(&t) : op->extent[g->axis[0]].name;
}

Groups report_groups(Arena *a, const Spec *spec)
{
    const size_t n = (size_t)spec->nshape + 1;
    Groups g = { .spec = spec, .dim = ARENA_ARRAY(a, n, int), .axis = ARENA_ARRAY(a, n, int) };
    for (int i = 0; i < spec->nshape; i++)
        g.dim[i] = most_varied(a, &g, i, true, spec->ndim);
    const int free_axis = most_varied(a, &g, -1, false, spec->op->ngiven);
    for (int i = 0; i < spec->nshape; i++)
        g.axis[i] = g.dim[i] >= 0 ? axis_along(a, &g, i) : free_axis >= 0 ? free_axis : 0;
    cut_groups(a, &g);
    mark_shown(a, &g);
    g.axes = axes_text(a, &g);
    return g;
}
