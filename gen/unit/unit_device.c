/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_device: the text of the primitives that a text calls (gen/template/primitive.h), and the kernels that measure a device's limits. For GPUs
 * primitives stand in a namespace of the package; for CPUs there is one for each target. A unit holds those that it uses.
 */
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/base/text.h"
#include "gen/template/primitive.h"
#include "gen/unit/unit.h"

static const FamilyPrimitives *kind_of(const UnitContext *u) { return &u->target->family->primitives; }

static const char *folder_of(Arena *a, const UnitContext *u)
{
    return arena_printf(a, "%s/../%s", u->package_dir, kind_of(u)->folder);
}

/* Text with `by` in the place of a word. */
static const char *put(Arena *a, const char *text, const char *word, const char *by)
{
    const char *at = strstr(text, word);
    return at ? arena_printf(a, "%.*s%s%s", (int)(at - text), text, by, at + strlen(word)) : text;
}

/* Adds the primitives of a target that `text` uses to t. */
static bool add_of_target(Text *t, const UnitContext *u, const FillScope *s, const char *text, Diag *d)
{
    const FamilyPrimitives *kind = kind_of(u);
    Primitives p = { .arena = s->arena, .kind = kind, .folder = folder_of(s->arena, u), .diag = d };
    FillScope *words = fill_scope(s->arena, s);
    primitives_add(&p, text, put(s->arena, kind->before, "PACKAGE", u->spec->package),
                   put(s->arena, kind->behind, "MACHINE", u->target->name));
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
    return primitives_all_count(u->target->family, u->spec) &&
           dir_list(a, folder_of(a, u), kind_of(u)->suffix, path, n);
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
