/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_device: the primitives that a text calls. All inline PTX is in them, small functions in a namespace of the package, of which a unit
 * holds those that it uses.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/conf.h"
#include "gen/base/order.h"
#include "gen/base/text.h"
#include "gen/unit/unit.h"

enum { MAX_PRIMITIVE = 64 };

/* Primitives in the order that C++ wants: each behind those that it uses. */
typedef struct {
    Arena *arena;
    const char *dir;
    Diag *diag;
    int n;
    const char *name[MAX_PRIMITIVE];
    const Source *src[MAX_PRIMITIVE]; /* NULL: begun, but not there yet */
} Primitives;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t word_length(const char *s)
{
    size_t len = 0;
    while (is_word(s[len]))
        len++;
    return len;
}

static bool is_wanted(const Primitives *p, const char *name)
{
    return text_index(p->name, (size_t)p->n, name) >= 0;
}

static const char *primitive_path(const Primitives *p, const char *name)
{
    return arena_printf(p->arena, "%s/%s.cuh", p->dir, name);
}

static void want(Primitives *p, const char *name);

/* What a primitive calls may be a primitive too: then it has a file. */
static void want_called(Primitives *p, const char *text, const char *self)
{
    for (const char *s = text; *s; s++) {
        size_t len = s == text || !is_word(s[-1]) ? word_length(s) : 0;
        if (!len || s[len] != '(')
            continue;
        const char *name = arena_strndup(p->arena, s, len);
        if (strcmp(name, self) != 0 && !is_wanted(p, name) && access(primitive_path(p, name), R_OK) == 0)
            want(p, name);
    }
}

static void want(Primitives *p, const char *name)
{
    const Source *src = is_wanted(p, name) ? NULL : conf_source(p->arena, primitive_path(p, name), p->diag);
    if (!src)
        return;
    want_called(p, src->text, name);
    if (p->n < MAX_PRIMITIVE && !is_wanted(p, name)) {
        p->name[p->n] = name;
        p->src[p->n++] = src;
    }
}

/* Every word behind the prefix is a primitive's name, and a file's. In order of their names, so that equal sets give equal texts. */
static void want_all(Primitives *p, const char *text, const char *prefix)
{
    const char *name[MAX_PRIMITIVE];
    int n = 0;
    for (const char *s = text; (s = strstr(s, prefix)) && n < MAX_PRIMITIVE;) {
        s += strlen(prefix);
        int i = 0;
        const char *word = arena_strndup(p->arena, s, word_length(s));
        while (i < n && strcmp(name[i], word) != 0)
            i++;
        if (*word && i == n)
            name[n++] = word;
    }
    qsort(name, (size_t)n, sizeof *name, order_word);
    for (int i = 0; i < n; i++)
        want(p, name[i]);
}

char *unit_device(const UnitContext *u, const FillScope *s, const char *text, Diag *d)
{
    Primitives p = { .arena = s->arena, .dir = arena_printf(s->arena, "%s/../device", u->package_dir), .diag = d };
    const int before = diag_nerror(d);
    Text t = { .arena = s->arena };
    want_all(&p, text, arena_printf(s->arena, "%s_device::", u->spec->name));
    for (int i = 0; i < p.n; i++) {
        const char *body = unit_fill_part(u, p.src[i]->path, s, d);
        if (!body)
            return NULL;
        text_printf(&t, "%s%s", i ? "\n" : "", body);
    }
    return diag_nerror(d) == before ? arena_strdup(s->arena, text_str(&t)) : NULL;
}
