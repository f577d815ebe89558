/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes: reads the package's spec, or words such as 592x768x768 from the command line, and gives a list of shapes.
 */
#include "bench/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen/spec/spec.h"

static bool same_shape(Shape a, Shape b) { return a.M == b.M && a.N == b.N && a.K == b.K; }

/* Thread counts repeat a spec's shapes: each is kept once. */
static void add_once(ShapeList *list, Shape z)
{
    for (int i = 0; i < list->n; i++)
        if (same_shape(list->shape[i], z))
            return;
    list->shape = realloc(list->shape, sizeof z * (list->n + 1));
    list->shape[list->n++] = z;
}

/* By (N, K) in the order of the first one met, then by M. */
static int layer_of(const ShapeList *list, Shape z)
{
    for (int i = 0; i < list->n; i++)
        if (list->shape[i].N == z.N && list->shape[i].K == z.K)
            return i;
    return list->n;
}

static void sort_by_layer(ShapeList *list)
{
    for (int i = 1; i < list->n; i++) {
        Shape z = list->shape[i];
        int j = i;
        while (j > 0 && layer_of(list, list->shape[j - 1]) == layer_of(list, z) && list->shape[j - 1].M > z.M) {
            list->shape[j] = list->shape[j - 1];
            j--;
        }
        list->shape[j] = z;
    }
}

static bool take_instances(ShapeList *list, const Spec *spec)
{
    int m = op_axis(spec->op, "M"), n = op_axis(spec->op, "N"), k = op_axis(spec->op, "K");
    if (m < 0 || n < 0 || k < 0 || spec->op->naxis != 3)
        return false;
    for (int decl = 0; decl < spec->nshape; decl++)
        for (int64_t i = 0; i < spec->ninstance; i++) {
            const Instance *in = &spec->instance[i];
            if (in->tuned && in->decl == decl)
                add_once(list, (Shape){ in->extent[m], in->extent[n], in->extent[k] });
        }
    return true;
}

bool shapes_read(ShapeList *list, const char *spec_path, const char *templates)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    const Spec *spec = spec_read(a, spec_path, &templates, 1, d);
    diag_print(d, stderr);
    bool taken = spec && take_instances(list, spec);
    if (spec && !taken)
        fprintf(stderr, "bench: %s: the axes of its operator are not M, N and K\n", spec_path);
    sort_by_layer(list);
    arena_free(a);
    return taken && list->n > 0;
}

bool shapes_add(ShapeList *list, const char *text)
{
    long long m, n, k;
    char rest;
    if (sscanf(text, "%lld,%lld,%lld%c", &m, &n, &k, &rest) != 3 || m < 1 || n < 1 || k < 1)
        return false;
    add_once(list, (Shape){ m, n, k });
    return true;
}

static bool is_quick(int64_t M) { return M == 1 || M == 4 || M == 17 || M == 64 || M == 256; }

void shapes_thin(ShapeList *list)
{
    int kept = 0, nquick = 0;
    for (int i = 0; i < list->n; i++)
        nquick += is_quick(list->shape[i].M);
    for (int i = 0; i < list->n; i++)
        if (nquick ? is_quick(list->shape[i].M) : i % 5 == 0)
            list->shape[kept++] = list->shape[i];
    list->n = kept;
}

void shapes_free(ShapeList *list)
{
    free(list->shape);
    *list = (ShapeList){ 0 };
}
