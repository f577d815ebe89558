/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_names: what a model's dims and tensors are called in the code of its package, and sizes over these dims. A name
 * that the code has already gets '_' behind it; in structs and texts all have their own names.
 */
#include <string.h>
#include "gen/package/emit_graph.h"

/* ---- names ---- */

/* The name for code, with '_' behind it where it begins as what is the package's own: PACKAGE_exec. */
static const char *apart(const GraphWriter *w, const char *name)
{
    const char *package = w->emitter->spec->package;
    const size_t n = strlen(package);
    return strncmp(name, package, n) == 0 && name[n] == '_' ? arena_printf(w->emitter->arena, "%s_", name) : name;
}

static bool is_dim_in_code(const GraphWriter *w, const char *name)
{
    int i = 0;
    while (i < polys_ndim(w->graph->polys) && strcmp(w->dim[i], name) != 0)
        i++;
    return i < polys_ndim(w->graph->polys);
}

const char *graph_tensor_c(const GraphWriter *w, const Tensor *t)
{
    Arena *a = w->emitter->arena;
    const char *name = apart(w, t->name);
    while (fill_has_name(a, w->pattern, name) || polys_find(w->graph->polys, name) >= 0 || is_dim_in_code(w, name) ||
           (name != t->name && names_find(NAMES(w->graph->tensor, w->graph->ntensor), name) >= 0))
        name = arena_printf(a, "%s_", name);
    return name;
}

void graph_name_dims(GraphWriter *w, const char *patterns)
{
    Arena *a = w->emitter->arena;
    const Polys *p = w->graph->polys;
    const int ndim = polys_ndim(p);
    const char **all = ARENA_ARRAY(a, (size_t)ndim + 1, const char *);
    for (int i = 0; i < ndim; i++) {
        const char *own = polys_dim_name(p, i), *name = apart(w, own);
        while (fill_has_name(a, patterns, name) ||
               (name != own &&
                (polys_find(p, name) >= 0 || names_find(NAMES(w->graph->tensor, w->graph->ntensor), name) >= 0)))
            name = arena_printf(a, "%s_", name);
        all[i] = name;
    }
    w->dim = all;
}

/* ---- sizes ---- */

static Expr *dim_in_code(void *ctx, const char *name)
{
    const GraphWriter *w = *(const GraphWriter *const *)ctx;
    const int dim = polys_find(w->graph->polys, name);
    return dim < 0 ? NULL : expr_name(w->emitter->arena, w->dim[dim]);
}

static Expr *size_expr(const GraphWriter *w, const Poly *x)
{
    Arena *a = w->emitter->arena;
    Expr *e = expr_parse(a, poly_text(a, w->graph->polys, x), (Loc){ 0 }, w->emitter->diag);
    Expr *in_code = e ? expr_substitute(a, e, dim_in_code, &w) : NULL;
    if (e && !in_code)
        diag_error(w->emitter->diag, (Loc){ 0 }, "the size '%s' is too long", expr_text(e));
    return in_code;
}

const char *graph_size_c(const GraphWriter *w, const Poly *x)
{
    Expr *e = size_expr(w, x);
    return e ? expr_c_int(w->emitter->arena, e, w->emitter->spec->package) : "0";
}

const char *graph_size_real_c(const GraphWriter *w, const Poly *x)
{
    Expr *e = size_expr(w, x);
    return e ? expr_c_real(w->emitter->arena, e, w->emitter->spec->package, "(double)") : "0";
}
