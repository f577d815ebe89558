/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_device: the text of the primitives that a text calls, and the kernels that measure a device's limits.
 */
#include <ctype.h>
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/base/text.h"
#include "gen/spec/dtype.h"
#include "gen/template/primitive.h"
#include "gen/unit/unit.h"

static const FamilyPrimitives *kind_of(const UnitContext *u) { return &u->target->family->primitives; }

/* Text with `by` in the place of a word. */
static const char *put(Arena *a, const char *text, const char *word, const char *by)
{
    const char *at = strstr(text, word);
    return at ? arena_printf(a, "%.*s%s%s", (int)(at - text), text, by, at + strlen(word)) : text;
}

/* What is asked for of a text's primitives. */
typedef struct {
    const FillScope *scope;
    const char *text;
    bool emulated; /* only those that the emulator has no function for, as it executes them */
    Diag *diag;
} UserOfPrimitives;

static bool has_assembly(Arena *a, const char *text)
{
    return fill_has_name(a, text, "asm") || fill_has_name(a, text, "__asm") || fill_has_name(a, text, "__asm__");
}

/* The words that the pattern of a primitive is filled with. */
static const FillScope *words_of(const Primitive *p, const FillScope *words)
{
    FillScope *own = fill_scope(words->arena, words);
    if (p->number)
        fill_word(own, "N", p->number);
    if (p->dtype)
        fill_word(own, "DTYPE", p->dtype);
    for (const Dtype *t = dtypes; p->dtype && t < dtypes + DTYPE_COUNT; t++)
        fill_number(own,
                    arena_printf(words->arena, "DTYPE_%s", text_letters(arena_strdup(words->arena, t->name), toupper)),
                    strcmp(t->name, p->dtype) == 0);
    return own;
}

/* The text of a primitive. Assembly that the emulator would have to execute becomes an error of the compiler, as only
 * who compiles for it needs something else. NULL after errors. */
static const char *primitive_text(const UserOfPrimitives *c, const UnitContext *u, const Primitive *p,
                                  const FillScope *words)
{
    Arena *a = c->scope->arena;
    const char *body = unit_fill_part(u, p->src->path, words_of(p, words), c->diag);
    if (!body || !c->emulated || !has_assembly(a, body))
        return body;
    return arena_printf(
        a,
        "#error \"the emulator cannot execute the assembly of the primitive '%s': what it does instead belongs "
        "under '#if EMULATOR' in its file\"\n",
        p->name);
}

/* Adds the primitives of a target that a text uses to t. False after errors. */
static bool add_of_target(Text *t, const UnitContext *u, const UserOfPrimitives *c)
{
    Arena *a = c->scope->arena;
    const FamilyPrimitives *kind = kind_of(u);
    Source *text = ARENA_NEW(a, Source); /* what is reported points to it */
    *text = (Source){ .path = "kernels", .text = c->text, .len = strlen(c->text) };
    Primitives p = primitives_open(a, u->target->family, u->spec, c->diag);
    FillScope *words = fill_scope(a, c->scope);
    primitives_add(&p, text, 0, put(a, kind->before, "PACKAGE", u->spec->package),
                   put(a, kind->behind, "MACHINE", u->target->name));
    FILL_WORDS(words, WORD("MACHINE", u->target->name), WORD("EMULATOR", c->emulated),
               WORD("TARGET_ATTRIBUTE", arena_printf(a, "%s_TARGET_%s", u->spec->package, u->target->name)));
    for (int i = 0; i < p.n; i++) {
        if (c->emulated && !p.p[i].is_text)
            continue;
        const char *body = primitive_text(c, u, &p.p[i], words);
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

static const char *primitives_of_target(void *ctx, const UnitContext *u)
{
    const UserOfPrimitives *c = ctx;
    Text t = { .arena = c->scope->arena };
    return add_of_target(&t, u, c) ? arena_strdup(t.arena, text_str(&t)) : NULL;
}

static const char *primitive_texts(const UnitContext *u, UserOfPrimitives c)
{
    const int before = diag_nerror(c.diag);
    const char *all = kind_of(u)->on_vectors ? unit_of_targets(c.scope->arena, u, primitives_of_target, &c)
                                             : primitives_of_target(&c, u);
    return diag_nerror(c.diag) == before ? all : NULL;
}

const char *unit_device(const UnitContext *u, const FillScope *s, const char *text, Diag *d)
{
    return primitive_texts(u, (UserOfPrimitives){ s, text, false, d });
}

const char *unit_emulation(const UnitContext *u, const FillScope *s, const char *text, Diag *d)
{
    return !kind_of(u)->emulation ? "" : primitive_texts(u, (UserOfPrimitives){ s, text, true, d });
}

Primitives unit_primitives(Arena *a, const UnitContext *u, Diag *d)
{
    Primitives p = primitives_open(a, u->target->family, u->spec, d);
    if (primitives_all_count(u->target->family, u->spec))
        primitives_add_own(&p);
    return p;
}

char *unit_limits(Arena *a, const UnitContext *u, Diag *d)
{
    const char *limits = u->target->family->limits;
    const char *dir = arena_printf(a, "%s/../%s", u->package_dir, kind_of(u)->folder);
    FillScope *words = fill_scope(a, NULL);
    Fill fill = { .scope = words };
    char **path;
    if (!limits || !dir_list(a, dir, kind_of(u)->suffix, &path, &fill.npiece))
        return NULL;
    const Source *src = conf_source(a, arena_printf(a, "%s/%s", dir, limits), d);
    const Source **piece = ARENA_ARRAY(a, (size_t)fill.npiece + 1, const Source *);
    for (int i = 0; i < fill.npiece; i++)
        if (!(piece[i] = conf_source(a, path[i], d)))
            return NULL;
    fill.piece = piece;
    fill_number(words, "SM_ARCH", target_number(u->target, "SM_ARCH"));
    return src ? fill_text(a, src, 0, &fill, d) : NULL;
}
