/* SPDX-License-Identifier: Apache-2.0
 *
 * serve: lets a template be for some calls alone, as its head would say it.
 */
#ifndef DCGEN_TESTS_SERVE_H
#define DCGEN_TESTS_SERVE_H

#include "gen/template/template.h"
#include "tests/test.h"

/* The text stands over extents, parameters and values; NULL: it is for all calls. */
static inline void serve(Arena *a, Template *t, const Spec *spec, const char *text)
{
    t->serves = text ? expr_parse(a, text, (Loc){ 0 }, diag_new(a)) : NULL;
    assert_true(t->serves || !text);
    t->nserved = text ? (int)spec->ninstance : 0;
    t->served = ARENA_ARRAY(a, (size_t)t->nserved + 1, const int64_t *);
    for (int i = 0; i < t->nserved; i++)
        t->served[i] = spec->instance[i].extent;
}

/* A copy of a template that is for such calls, which joins the list. */
static inline Template *serve_some(Arena *a, TemplateList *list, const Template *of, const Spec *spec, const char *text)
{
    Template *t = ARENA_NEW(a, Template);
    *t = *of;
    serve(a, t, spec, text);
    list->t = arena_grow(a, list->t, (size_t)list->n, (size_t)list->n + 1, sizeof *list->t);
    list->t[list->n++] = t;
    return t;
}

#endif
