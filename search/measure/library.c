/* SPDX-License-Identifier: Apache-2.0
 *
 * library: builds the library's part in the last comparison, or says why there is none.
 */
#include "search/measure/lab.h"

/* NULL: there is none. */
static Build *new_build(Lab *l)
{
    Diag *d = diag_new(l->arena);
    Build *b = ARENA_NEW(l->arena, Build);
    *b = (Build){ .name = "library", .text = unit_library(l->arena, l->shop->unit, d), .status = STATUS_INVALID };
    if (!b->text && diag_nerror(d))
        l->shop->library.why = "it does not compile: a name or condition in it is wrong";
    return b->text ? b : NULL;
}

void library_begin(Lab *l)
{
    Build *b = l->shop->library.build = new_build(l);
    if (b)
        build_start(l->shop->builder, l->arena, b, 1);
}

void library_build(Lab *l)
{
    Library *x = &l->shop->library;
    Build *b = x->build ? x->build : new_build(l);
    if (b && b->status == STATUS_INVALID) /* it was not begun, or not done when the search ended */
        build_all(l->shop->builder, l->arena, b, 1, l->stop);
    if (b && b->status == STATUS_OK)
        x->so = b->so;
    else if (b)
        x->why = arena_printf(l->arena, "it does not compile: %s", b->why);
}
