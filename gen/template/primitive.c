/* SPDX-License-Identifier: Apache-2.0
 *
 * primitive: finds the primitives that a text calls. A name is one if there is a file of that name.
 */
#include "gen/template/primitive.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/conf.h"
#include "gen/base/order.h"
#include "gen/base/text.h"
#include "gen/template/fill.h"

/* A primitive that is to be added as soon as all that it calls is; `outer` calls it. */
typedef struct Caller {
    const char *name;
    const struct Caller *outer;
} Caller;

const char *primitive_path(const Primitives *p, const char *name)
{
    return arena_printf(p->arena, "%s/%s%s", p->folder, name, p->kind->suffix);
}

static bool is_primitive(const Primitives *p, const char *name) { return access(primitive_path(p, name), R_OK) == 0; }

static void add_name(Arena *a, const char ***name, size_t *n, const char *more)
{
    *name = arena_grow(a, *name, *n, *n + 1, sizeof **name);
    (*name)[(*n)++] = more;
}

static bool is_caller(const Caller *c, const char *name)
{
    while (c && strcmp(c->name, name) != 0)
        c = c->outer;
    return c != NULL;
}

/* What stands between `before` and `behind` in s; "": s is not such a name. */
static const char *between(Arena *a, const char *s, size_t len, const char *before, const char *behind)
{
    const size_t nbefore = strlen(before), nbehind = strlen(behind);
    if (len <= nbefore + nbehind || memcmp(s, before, nbefore) != 0 || memcmp(s + len - nbehind, behind, nbehind) != 0)
        return "";
    return arena_strndup(a, s + nbefore, len - nbefore - nbehind);
}

/* The primitive that a name in the file of another one may stand for. "": none. */
static const char *named_in_file(const Primitives *p, const char *s, size_t len)
{
    if (p->kind->of_targets)
        return between(p->arena, s, len, p->kind->before, p->kind->behind);
    return s[len] == '(' ? arena_strndup(p->arena, s, len) : "";
}

/* Adds the primitive, behind those that it calls, unless it is there already. outer: what calls it; NULL: the text. */
static void add_primitive(Primitives *p, const char *name, const Caller *outer)
{
    const Caller caller = { name, outer };
    const bool is_there = names_find(NAMES(p->name, p->n), name) >= 0;
    const Source *src = is_there ? NULL : conf_source(p->arena, primitive_path(p, name), p->diag);
    if (!src)
        return;
    FillNames names = fill_names(p->arena, src->text);
    size_t len;
    for (const char *s; (s = fill_next_name(&names, &len));) { /* what it calls is a primitive too if it has a file */
        const char *called = named_in_file(p, s, len);
        if (!*called || strcmp(called, name) == 0 || !is_primitive(p, called))
            continue;
        if (is_caller(outer, called))
            diag_error(p->diag, loc_at(src, (size_t)(s - src->text), (int)len), "'%s' and '%s' call each other", name,
                       called);
        else
            add_primitive(p, called, &caller);
    }
    add_name(p->arena, &p->name, &p->n, name);
}

void primitives_add(Primitives *p, const char *text, const char *before, const char *behind)
{
    const char **name = NULL;
    size_t n = 0;
    for (const char *s = text; (s = strstr(s, before)); s += strlen(before)) {
        const size_t len = strlen(before) + fill_ident(s + strlen(before));
        const char *word = between(p->arena, s, len, before, behind);
        if (*word && names_find(NAMES(name, n), word) < 0 && (!p->kind->of_targets || is_primitive(p, word)))
            add_name(p->arena, &name, &n, word);
    }
    if (n)
        qsort(name, n, sizeof *name, order_word);
    for (size_t i = 0; i < n; i++)
        add_primitive(p, name[i], NULL);
}

bool primitives_all_count(const Family *f, const Spec *spec) { return !f->primitives.for_formulas || spec->formula; }
