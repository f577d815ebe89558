/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_common: kernels that two functions of a package chose alike are written once. They are alike if their texts are,
 * and what they rely on is: the formula that they call, the struct of their arguments, and how the constant operand is
 * packed; all of it without the function's name.
 */
#include <string.h>
#include "gen/package/emit_private.h"

static bool add_nameless(Emitter *e)
{
    const int n = e->dispatcher->nkernel;
    Spec spec = *e->spec;
    UnitContext u = *e->unit;
    spec.name = spec.package = "name";
    u.spec = &spec;
    FillScope *all = unit_scope(e->arena, &u);
    bool ok = unit_add_kernels(all, &u, e->kernel, n, e->diag);
    if (ok)
        e->basis = arena_printf(e->arena, "%s%s", fill_find(all, "arguments", strlen("arguments")),
                                spec.packed ? fill_find(all, "pack", strlen("pack")) : "");
    e->text = ARENA_ARRAY(e->arena, (size_t)n + 1, const char *);
    for (int k = 0; k < n && ok; k++) {
        FillScope *one = unit_scope(e->arena, &u);
        ok = unit_add_kernels(one, &u, &e->kernel[k], 1, e->diag);
        e->text[k] = ok ? unit_kernel_texts(one) : NULL;
    }
    return ok;
}

const Emitter *emit_common(Emitter *e, int i)
{
    const Emitter *first = NULL;
    if (!add_nameless(&e[i]))
        return NULL;
    for (int j = 0; j < i; j++) {
        if (strcmp(e[j].basis, e[i].basis) != 0)
            continue;
        first = first ? first : &e[j];
        for (int k = 0; k < e[i].dispatcher->nkernel; k++)
            for (int l = 0; l < e[j].dispatcher->nkernel && !e[i].kernel[k].as; l++)
                if (strcmp(e[j].text[l], e[i].text[k]) == 0)
                    e[i].kernel[k].as = arena_printf(e->arena, "%s_k%d", e[j].spec->name, l);
    }
    return first ? first : &e[i];
}
