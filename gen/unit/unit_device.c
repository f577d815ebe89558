/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_device: the primitives that a text calls, and the kernels that measure a device's limits. Primitives are small functions in a namespace
 * of the package, and have all inline PTX in them. A unit holds those that it uses.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/base/order.h"
#include "gen/base/text.h"
#include "gen/unit/unit.h"

/* Primitives in the order that C++ wants: each behind those that it uses. */
typedef struct {
    Arena *arena;
    const UnitContext *unit;
    Diag *diag;
    size_t n;
    const char **name;
} Primitives;

/* A primitive that is to be added as soon as all that it calls is; `outer` calls it. */
typedef struct Caller {
    const char *name;
    const struct Caller *outer;
} Caller;

static const char *device_path(Arena *a, const UnitContext *u, const char *file)
{
    return arena_printf(a, "%s/../device/%s", u->package_dir, file);
}

static const char *primitive_path(const Primitives *p, const char *name)
{
    return device_path(p->arena, p->unit, arena_printf(p->arena, "%s.cuh", name));
}

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
        const char *called = s[len] == '(' ? arena_strndup(p->arena, s, len) : name;
        if (strcmp(called, name) == 0 || access(primitive_path(p, called), R_OK) != 0)
            continue;
        if (is_caller(outer, called))
            diag_error(p->diag, loc_at(src, (size_t)(s - src->text), (int)len), "'%s' and '%s' call each other", name,
                       called);
        else
            add_primitive(p, called, &caller);
    }
    add_name(p->arena, &p->name, &p->n, name);
}

/* Adds the primitives that the text calls: each word behind the prefix is one's name. They are added in the order of their names, so that
 * equal sets give equal texts. */
static void add_primitives(Primitives *p, const char *text, const char *prefix)
{
    const char **name = NULL;
    size_t n = 0;
    for (const char *s = text; (s = strstr(s, prefix));) {
        s += strlen(prefix);
        const char *word = arena_strndup(p->arena, s, fill_ident(s));
        if (*word && names_find(NAMES(name, n), word) < 0)
            add_name(p->arena, &name, &n, word);
    }
    if (n)
        qsort(name, n, sizeof *name, order_word);
    for (size_t i = 0; i < n; i++)
        add_primitive(p, name[i], NULL);
}

char *unit_device(const UnitContext *u, const FillScope *s, const char *text, Diag *d)
{
    Primitives p = { .arena = s->arena, .unit = u, .diag = d };
    const int before = diag_nerror(d);
    Text t = { .arena = s->arena };
    add_primitives(&p, text, arena_printf(s->arena, "%s_device::", u->spec->package));
    for (size_t i = 0; i < p.n; i++) {
        const char *body = unit_fill_part(u, primitive_path(&p, p.name[i]), s, d);
        if (!body)
            return NULL;
        text_printf(&t, "%s%s", i ? "\n" : "", body);
    }
    return diag_nerror(d) == before ? arena_strdup(s->arena, text_str(&t)) : NULL;
}

bool unit_primitives(Arena *a, const UnitContext *u, char ***path, int *n)
{
    const char *suffix = u->target->family->primitives;
    return suffix && dir_list(a, arena_printf(a, "%s/../device", u->package_dir), suffix, path, n);
}

char *unit_limits(Arena *a, const UnitContext *u, Diag *d)
{
    const char *limits = u->target->family->limits;
    FillScope *words = fill_scope(a, NULL);
    Fill fill = { .scope = words };
    char **path;
    if (!limits || !unit_primitives(a, u, &path, &fill.npiece))
        return NULL;
    const Source *src = conf_source(a, device_path(a, u, limits), d);
    const Source **piece = ARENA_ARRAY(a, (size_t)fill.npiece + 1, const Source *);
    for (int i = 0; i < fill.npiece; i++)
        if (!(piece[i] = conf_source(a, path[i], d)))
            return NULL;
    fill.piece = piece;
    fill_number(words, "SM_ARCH", target_number(u->target, "SM_ARCH"));
    return src ? fill_text(a, src, 0, &fill, d) : NULL;
}
