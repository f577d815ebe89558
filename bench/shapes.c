/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes: reads the package's spec, or words such as 592,768,768 from the command line, and gives a list of shapes.
 */
#include "bench/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/conf.h"

static const Spec *find_function(const SpecFile *f, const char *function)
{
    for (int i = 0; i < f->nfunction; i++)
        if (!function || strcmp(f->function[i]->function ? f->function[i]->function : f->name, function) == 0)
            return f->function[i];
    return NULL;
}

const Spec *shapes_spec(const char *path, const char *function, const char *templates)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    const Source *src = conf_source(a, path, d);
    const SpecFile *f = src ? spec_file_parse(a, src, &templates, 1, d) : NULL;
    const Spec *spec = f ? find_function(f, function) : NULL;
    diag_print(d, stderr);
    if (f && !spec)
        fprintf(stderr, "bench: %s has no function %s\n", path, function);
    return spec;
}

static bool is_same(Shape a, Shape b) { return memcmp(&a, &b, sizeof a) == 0; }

static void add(ShapeList *list, Shape z)
{
    if ((list->n & (list->n - 1)) == 0)
        list->shape = realloc(list->shape, sizeof z * (size_t)(list->n ? 2 * list->n : 1));
    list->shape[list->n++] = z;
}

/* Thread counts repeat a spec's shapes: each is kept once. */
static void add_once(ShapeList *list, Shape z)
{
    for (int i = 0; i < list->n; i++)
        if (is_same(list->shape[i], z))
            return;
    add(list, z);
}

/* In the order of the spec's shapes, then of the values of their dims. */
void shapes_take(ShapeList *list, const Spec *spec, bool all)
{
    for (int decl = 0; decl < spec->nshape; decl++)
        for (int64_t i = 0; i < spec->ninstance; i++) {
            const Instance *in = &spec->instance[i];
            Shape z;
            memcpy(z.extent, in->extent, sizeof z.extent);
            if (in->decl == decl && all)
                add(list, z);
            else if (in->decl == decl && in->tuned)
                add_once(list, z);
        }
}

/* A number, and the comma behind it; *text is NULL once there is none. */
static bool take_number(const char **text, int64_t *value)
{
    char *end;
    *value = strtoll(*text, &end, 10);
    if (end == *text || (*end != ',' && *end != '\0'))
        return false;
    *text = *end ? end + 1 : NULL;
    return true;
}

bool shapes_add(ShapeList *list, const Spec *spec, const char *text)
{
    Shape z = { { 0 } };
    const char *next = text;
    for (int i = 0; i < spec->op->ngiven; i++) {
        z.extent[i] = spec->box.min[i];
        if (!spec_is_constant(spec, i) && !(next && take_number(&next, &z.extent[i])))
            return false;
    }
    if (next || !spec_is_legal(spec, z.extent) || !spec_has_work(spec, z.extent))
        return false;
    add_once(list, z);
    return true;
}

static bool is_quick(const Operator *op, int64_t along)
{
    for (int i = 0; i < MAX_QUICK && op->quick[i]; i++)
        if (op->quick[i] == along)
            return true;
    return false;
}

void shapes_thin(ShapeList *list, const Operator *op)
{
    int kept = 0, nquick = 0;
    for (int i = 0; i < list->n; i++)
        nquick += is_quick(op, list->shape[i].extent[op->along]);
    for (int i = 0; i < list->n; i++)
        if (nquick ? is_quick(op, list->shape[i].extent[op->along]) : i % 5 == 0)
            list->shape[kept++] = list->shape[i];
    list->n = kept;
}

void shapes_free(ShapeList *list)
{
    free(list->shape);
    *list = (ShapeList){ 0 };
}
