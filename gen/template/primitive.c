/* SPDX-License-Identifier: Apache-2.0
 *
 * primitive: finds the primitives that a text calls. A name is one if there is a file of that name, or of a part of it:
 * bf16_wgmma_128 is the function DTYPE_wgmma_N of the file wgmma, for the type bf16 and the number 128.
 */
#define _GNU_SOURCE /* basename */
#include "gen/template/primitive.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/base/name.h"
#include "gen/base/order.h"
#include "gen/base/text.h"
#include "gen/spec/dtype.h"
#include "gen/template/fill.h"
#include "gen/template/template.h"

/* A primitive that is to be added as soon as all that it calls is; `outer` calls it. */
typedef struct Caller {
    const char *name;
    const struct Caller *outer;
} Caller;

Primitives primitives_open(Arena *a, const Family *f, const Spec *spec, Diag *d)
{
    return (Primitives){ .arena = a,
                         .kind = &f->primitives,
                         .spec = spec,
                         .nfolder = spec->ntemplates,
                         .folder = spec->templates,
                         .diag = d };
}

/* What a name says: the file, and what that is filled with. */
typedef struct {
    const char *file, *dtype, *number; /* dtype, number: NULL: it is not filled with such */
} Parts;

static const char *path_in(const Primitives *p, int folder, const char *file)
{
    return arena_printf(p->arena, "%s/%s/%s%s", p->folder[folder], p->kind->folder, file, p->kind->suffix);
}

static bool is_in(const Primitives *p, int folder, const char *file)
{
    return access(path_in(p, folder, file), F_OK) == 0;
}

/* The first folder with such a file; nfolder: none has. */
static int folder_of(const Primitives *p, const char *file)
{
    int i = 0;
    while (i < p->nfolder && !is_in(p, i, file))
        i++;
    return i;
}

/* The parts with the element type taken off the beginning; false: there is none. */
static bool take_dtype(const Primitives *p, Parts *parts)
{
    const char *first = strchr(parts->file, '_');
    const Dtype *type = first ? dtype_find(arena_strndup(p->arena, parts->file, (size_t)(first - parts->file))) : NULL;
    if (type)
        *parts = (Parts){ first + 1, type->name, NULL };
    return type;
}

/* The parts with the number taken off the end, or the word of a template's head for one; false: there is none. */
static bool take_number(const Primitives *p, Parts *parts)
{
    const char *last = strrchr(parts->file, '_');
    const bool has_number =
        last && (name_is_capitals(last + 1) || (last[1] && last[1 + strspn(last + 1, "0123456789")] == 0));
    if (has_number)
        *parts = (Parts){ arena_strndup(p->arena, parts->file, (size_t)(last - parts->file)), parts->dtype, last + 1 };
    return has_number;
}

/* The parts of a name, as few as there can be so that there is a file. file NULL: it is no primitive. */
static Parts parts_of(const Primitives *p, const char *name)
{
    Parts parts = { .file = name };
    if (folder_of(p, name) < p->nfolder || (take_dtype(p, &parts) && folder_of(p, parts.file) < p->nfolder) ||
        (parts.dtype && take_number(p, &parts) && folder_of(p, parts.file) < p->nfolder))
        return parts;
    return (Parts){ .file = NULL };
}

static bool is_primitive(const Primitives *p, const char *name) { return parts_of(p, name).file; }

/* Adds the names of the files of one folder to a list. */
static void list_names(const Primitives *p, int folder, const char ***name, int *n)
{
    char **path = NULL;
    int npath = 0;
    dir_list(p->arena, arena_printf(p->arena, "%s/%s", p->folder[folder], p->kind->folder), p->kind->suffix, &path,
             &npath);
    *name = arena_grow(p->arena, *name, (size_t)*n, (size_t)(*n + npath), sizeof **name);
    for (int i = 0; i < npath; i++)
        (*name)[(*n)++] =
            arena_strndup(p->arena, basename(path[i]), strlen(basename(path[i])) - strlen(p->kind->suffix));
}

/* An error, at its place in the text: no folder has a primitive of the name. */
static void refuse_unknown(Primitives *p, Loc at, const char *name)
{
    const char **known = NULL;
    int n = 0;
    for (int i = 0; i < p->nfolder; i++)
        list_names(p, i, &known, &n);
    const char *near = diag_nearest(name, NAMES(known, n));
    diag_error(p->diag, at, "there is no primitive '%s': no folder of templates has a file '%s/%s%s'%s%s%s", name,
               p->kind->folder, name, p->kind->suffix, near ? "; did you mean '" : "", near ? near : "",
               near ? "'?" : "");
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
    if (p->kind->on_vectors)
        return between(p->arena, s, len, p->kind->before, p->kind->behind);
    return s[len] == '(' || s[len] == '<' ? arena_strndup(p->arena, s, len) : "";
}

/* False after an error: the file has nothing of the name that it is called by. */
static bool has_function(const Primitives *p, const Parts *parts, const Source *src)
{
    const char *function =
        arena_printf(p->arena, "%s%s%s", parts->dtype ? "DTYPE_" : "", parts->file, parts->number ? "_N" : "");
    if (p->kind->on_vectors)
        function = arena_printf(p->arena, "%s%s%s", p->kind->before, function, p->kind->behind);
    return fill_has_name(p->arena, src->text, function) ||
           diag_error(p->diag, loc_at(src, 0, 1), "this file has no '%s': expected the function that its name says",
                      function);
}

static bool is_caller(const Caller *c, const char *name)
{
    while (c && strcmp(c->name, name) != 0)
        c = c->outer;
    return c != NULL;
}

/* Adds the primitive, unless it is there, behind those that it calls, and gives it; NULL: errors. outer: its caller. */
static const Primitive *add_primitive(Primitives *p, const char *name, const Caller *outer)
{
    const Caller caller = { name, outer };
    const Primitive *there = names_row(NAMES(p->p, p->n), name);
    const Parts parts = there ? (Parts){ 0 } : parts_of(p, name);
    const int folder = there ? 0 : folder_of(p, parts.file);
    const Source *src = there ? NULL : conf_source(p->arena, path_in(p, folder, parts.file), p->diag);
    if (!src)
        return there;
    const bool is_given = folder + 1 < p->nfolder, is_own = is_in(p, p->nfolder - 1, parts.file);
    Primitive new = { name,        src,         is_own, is_given || fill_has_name(p->arena, src->text, "EMULATOR"),
                      parts.dtype, parts.number };
    if (is_given && !p->all && !has_function(p, &parts, src))
        return there;
    FillNames names = fill_names(p->arena, src->text);
    size_t len;
    for (const char *s; (s = fill_next_name(&names, &len));) { /* what it calls is a primitive too if it has a file */
        const char *called = named_in_file(p, s, len), *file = *called ? parts_of(p, called).file : NULL;
        if (!file || strcmp(file, parts.file) == 0)
            continue;
        if (is_caller(outer, called)) {
            diag_error(p->diag, loc_at(src, (size_t)(s - src->text), (int)len), "'%s' and '%s' call each other", name,
                       called);
            continue;
        }
        const Primitive *other = add_primitive(p, called, &caller);
        new.is_text = new.is_text || (other && other->is_text);
    }
    Primitive *added = ARENA_PUSH(p->arena, p->p, p->n);
    *added = new;
    return added;
}

/* The primitive that a template calls by the spec's type, as in DTYPE_mma, or by how elements are stored, as in
 * RESULT_ELEMENT_of; "": it calls none so. */
static const char *of_type(const Primitives *p, const char *called)
{
    FillScope *words = fill_scope(p->arena, NULL);
    fill_word(words, "DTYPE", p->spec->dtype);
    template_type_words(words, p->spec);
    for (const FillWord *w = words->word; w < words->word + words->nword; w++)
        if (strncmp(called, w->name, w->len) == 0 && called[w->len] == '_')
            return arena_printf(p->arena, "%s%s", w->text, called + w->len);
    return "";
}

void primitives_add(Primitives *p, const Source *text, size_t from, const char *before, const char *behind)
{
    const char **name = NULL;
    size_t n = 0;
    for (const char *s = text->text + from; p->nfolder && (s = strstr(s, before)); s += strlen(before)) {
        const size_t len = strlen(before) + fill_ident(s + strlen(before));
        const char *called = between(p->arena, s, len, before, behind), *typed = of_type(p, called);
        const char *word = *typed ? typed : called;
        const bool is_new = *word && names_find(NAMES(name, n), word) < 0, is_there = is_new && is_primitive(p, word);
        if (is_new && !is_there && !p->kind->on_vectors && !*typed) /* templates are read for other types too */
            refuse_unknown(p, loc_at(text, (size_t)(s - text->text) + strlen(before), (int)strlen(word)), word);
        if (is_there)
            *ARENA_PUSH(p->arena, name, n) = word;
    }
    if (n)
        qsort(name, n, sizeof *name, order_word);
    for (size_t i = 0; i < n; i++)
        add_primitive(p, name[i], NULL);
}

void primitives_add_own(Primitives *p)
{
    const char **name = NULL;
    int n = 0;
    p->all = true;
    if (p->nfolder)
        list_names(p, p->nfolder - 1, &name, &n);
    for (int i = 0; i < n; i++)
        add_primitive(p, name[i], NULL);
    if (p->n)
        qsort(p->p, (size_t)p->n, sizeof *p->p, order_word); /* the name comes first in a Primitive */
}

bool primitives_all_count(const Family *f, const Spec *spec) { return !f->primitives.on_vectors || spec->formula; }
