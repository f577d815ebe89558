/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_device: the primitives that a text calls, and the kernels that measure a device's limits. Primitives are small functions: for GPUs those
 * that have all inline PTX in them, in a namespace of the package; for CPUs functions on vectors, such as exp, one for each target. A unit holds
 * those that it uses.
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

static const FamilyPrimitives *kind_of(const UnitContext *u) { return &u->target->family->primitives; }

static const char *folder_of(Arena *a, const UnitContext *u)
{
    return arena_printf(a, "%s/../%s", u->package_dir, kind_of(u)->folder);
}

static const char *primitive_path(const Primitives *p, const char *name)
{
    return arena_printf(p->arena, "%s/%s%s", folder_of(p->arena, p->unit), name, kind_of(p->unit)->suffix);
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
    const FamilyPrimitives *kind = kind_of(p->unit);
    if (kind->of_targets)
        return between(p->arena, s, len, kind->before, kind->behind);
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

/* Text with `by` in the place of a word. */
static const char *put(Arena *a, const char *text, const char *word, const char *by)
{
    const char *at = strstr(text, word);
    return at ? arena_printf(a, "%.*s%s%s", (int)(at - text), text, by, at + strlen(word)) : text;
}

/* Adds the primitives whose names the text has. They are added in the order of their names, so that equal sets give equal texts. */
static void add_primitives(Primitives *p, const char *text)
{
    const FamilyPrimitives *kind = kind_of(p->unit);
    const char *before = put(p->arena, kind->before, "PACKAGE", p->unit->spec->package);
    const char *behind = put(p->arena, kind->behind, "MACHINE", p->unit->target->name);
    const char **name = NULL;
    size_t n = 0;
    for (const char *s = text; (s = strstr(s, before)); s += strlen(before)) {
        const size_t len = strlen(before) + fill_ident(s + strlen(before));
        const char *word = between(p->arena, s, len, before, behind);
        if (*word && names_find(NAMES(name, n), word) < 0 && (!kind->of_targets || is_primitive(p, word)))
            add_name(p->arena, &name, &n, word);
    }
    if (n)
        qsort(name, n, sizeof *name, order_word);
    for (size_t i = 0; i < n; i++)
        add_primitive(p, name[i], NULL);
}

/* Adds the primitives of a target that `text` uses to t. */
static bool add_of_target(Text *t, const UnitContext *u, const FillScope *s, const char *text, Diag *d)
{
    Primitives p = { .arena = s->arena, .unit = u, .diag = d };
    FillScope *words = fill_scope(s->arena, s);
    add_primitives(&p, text);
    FILL_WORDS(words, WORD("MACHINE", u->target->name),
               WORD("TARGET_ATTRIBUTE", arena_printf(s->arena, "%s_TARGET_%s", u->spec->package, u->target->name)));
    for (size_t i = 0; i < p.n; i++) {
        const char *body = unit_fill_part(u, primitive_path(&p, p.name[i]), words, d);
        if (!body)
            return false;
        text_printf(t, "%s%s", t->len ? "\n" : "", body);
    }
    return true;
}

const char *unit_of_targets(Arena *a, const UnitContext *u, const char *of(void *ctx, const UnitContext *u), void *ctx)
{
    Text all = { .arena = a };
    const char *open = NULL; /* the guard around what was added last */
    for (const Target *t = u->targets->t; t < u->targets->t + u->targets->n; t++) {
        UnitContext of_target = *u;
        of_target.target = t;
        const char *text = t->family == u->target->family ? of(ctx, &of_target) : "", *guard = target_arch_guard(t);
        if (!text)
            return NULL;
        if (!*text)
            continue;
        if (open && open != guard)
            text_add(&all, "#endif\n");
        text_printf(&all, "%s%s%s", all.len ? "\n" : "", guard && open != guard ? guard : "", text);
        open = guard;
    }
    text_add(&all, open ? "#endif\n" : "");
    return arena_strdup(a, text_str(&all));
}

typedef struct {
    const FillScope *scope;
    const char *text;
    Diag *diag;
} UserOfPrimitives;

static const char *primitives_of_target(void *ctx, const UnitContext *u)
{
    const UserOfPrimitives *c = ctx;
    Text t = { .arena = c->scope->arena };
    return add_of_target(&t, u, c->scope, c->text, c->diag) ? arena_strdup(t.arena, text_str(&t)) : NULL;
}

const char *unit_device(const UnitContext *u, const FillScope *s, const char *text, Diag *d)
{
    const int before = diag_nerror(d);
    UserOfPrimitives c = { s, text, d };
    const char *all =
        kind_of(u)->of_targets ? unit_of_targets(s->arena, u, primitives_of_target, &c) : primitives_of_target(&c, u);
    return diag_nerror(d) == before ? all : NULL;
}

bool unit_primitives(Arena *a, const UnitContext *u, char ***path, int *n)
{
    const FamilyPrimitives *kind = kind_of(u);
    return (!kind->for_formulas || u->spec->formula) && dir_list(a, folder_of(a, u), kind->suffix, path, n);
}

char *unit_limits(Arena *a, const UnitContext *u, Diag *d)
{
    const char *limits = u->target->family->limits;
    FillScope *words = fill_scope(a, NULL);
    Fill fill = { .scope = words };
    char **path;
    if (!limits || !unit_primitives(a, u, &path, &fill.npiece))
        return NULL;
    const Source *src = conf_source(a, arena_printf(a, "%s/%s", folder_of(a, u), limits), d);
    const Source **piece = ARENA_ARRAY(a, (size_t)fill.npiece + 1, const Source *);
    for (int i = 0; i < fill.npiece; i++)
        if (!(piece[i] = conf_source(a, path[i], d)))
            return NULL;
    fill.piece = piece;
    fill_number(words, "SM_ARCH", target_number(u->target, "SM_ARCH"));
    return src ? fill_text(a, src, 0, &fill, d) : NULL;
}
