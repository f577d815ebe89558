/* SPDX-License-Identifier: Apache-2.0
 *
 * conf: opens files of settings, and hands out their values. A getter says what it expected and what it found instead.
 */
#include "gen/base/conf.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include "gen/base/text.h"

char *conf_read(Arena *a, const char *path, int64_t most, size_t *len, const char **why)
{
    struct stat st;
    char *text = NULL;
    *why = NULL;
    if (stat(path, &st) != 0)
        *why = arena_printf(a, "cannot read the file: %s", strerror(errno));
    else if (S_ISDIR(st.st_mode))
        *why = "this is a folder, expected a file";
    else if (!S_ISREG(st.st_mode))
        *why = "this is not a regular file";
    else if (st.st_size > most)
        *why = arena_printf(a, "the file has %" PRId64 " bytes, more than the %" PRId64 " allowed", (int64_t)st.st_size,
                            most);
    else if (!(text = text_read_file(a, path, len)))
        *why = arena_printf(a, "cannot read the file: %s", strerror(errno));
    return text;
}

Source *conf_source(Arena *a, const char *path, Diag *d)
{
    Source *src = ARENA_NEW(a, Source);
    const char *why;
    src->path = arena_strdup(a, path);
    src->text = conf_read(a, path, CONF_MAX_BYTES, &src->len, &why);
    if (!src->text)
        diag_error(d, (Loc){ .src = src }, "%s", why);
    return src->text ? src : NULL;
}

/* ---- the tree ---- */

int conf_length(const ConfSetting *s) { return s ? s->n : 0; }

const ConfSetting *conf_elem(const ConfSetting *s, int i) { return &s->elem[i]; }

const ConfSetting *conf_member(const ConfSetting *group, const char *key)
{
    return group && group->type == CONF_GROUP ? names_row(NAMES(group->elem, group->n), key) : NULL;
}

/* The name that an element of a list has; NULL: none. */
static const char *name_of(const ConfSetting *elem)
{
    const ConfSetting *name = elem->type == CONF_GROUP ? conf_member(elem, "name") : NULL;
    return name && name->type == CONF_STRING ? name->text : NULL;
}

static const ConfSetting *elem_named(const ConfSetting *list, const char *name)
{
    for (int i = 0; name && i < list->n; i++)
        if (name_of(&list->elem[i]) && strcmp(name_of(&list->elem[i]), name) == 0)
            return &list->elem[i];
    return NULL;
}

static bool are_named(const ConfSetting *list)
{
    bool all = list->type == CONF_LIST;
    for (int i = 0; i < list->n; i++)
        all = all && name_of(&list->elem[i]);
    return all;
}

static void merge_lists(Arena *a, ConfSetting *own, const ConfSetting *base)
{
    ConfSetting *all = ARENA_ARRAY(a, (size_t)(own->n + base->n) + 1, ConfSetting);
    int n = 0;
    for (int i = 0; i < own->n; i++)
        if (!elem_named(base, name_of(&own->elem[i])))
            all[n++] = own->elem[i];
    for (int i = 0; i < base->n; i++) {
        const ConfSetting *other = elem_named(own, name_of(&base->elem[i]));
        all[n++] = other ? *other : base->elem[i];
    }
    own->elem = all;
    own->n = n;
}

void conf_inherit(Conf *c, const Conf *base)
{
    ConfSetting *root = ARENA_NEW(c->arena, ConfSetting);
    *root = *c->root;
    root->elem = ARENA_ARRAY(c->arena, (size_t)(root->n + base->root->n) + 1, ConfSetting);
    memcpy(root->elem, c->root->elem, (size_t)root->n * sizeof *root->elem);
    for (int i = 0; i < base->root->n; i++) {
        const ConfSetting *from = &base->root->elem[i];
        const int at = names_find(NAMES(c->root->elem, c->root->n), from->name);
        if (at < 0)
            root->elem[root->n++] = *from;
        else if (are_named(&root->elem[at]) && are_named(from))
            merge_lists(c->arena, &root->elem[at], from);
    }
    c->root = root;
}

/* ---- names ---- */

int conf_lookup(Diag *d, Loc at, const char *what, const char *word, Names names)
{
    const int known = names_find(names, word);
    if (known >= 0)
        return known;
    const char *near = diag_nearest(word, names);
    Arena *scratch = arena_new();
    if (near)
        diag_error(d, at, "unknown %s '%s'; did you mean '%s'?", what, word, near);
    else if (names.n == 0)
        diag_error(d, at, "unknown %s '%s'; there are none", what, word);
    else
        diag_error(d, at, "unknown %s '%s'; expected %s%s", what, word, names.n > 1 ? "one of " : "",
                   names_join(scratch, names, ", "));
    arena_free(scratch);
    return -1;
}

bool conf_check_name(Diag *d, Loc at, const char *what, const char *name, const char *fault)
{
    return !fault || diag_error(d, at, "the %s '%s' %s", what, name, fault);
}

bool conf_check_names(Diag *d, const Expr *e, const char *what, Names names)
{
    bool ok = true;
    for (const ExprName *n = expr_names(e); n; n = n->next)
        ok = conf_lookup(d, n->at, what, n->name, names) >= 0 && ok;
    return ok;
}

bool conf_keys(const Conf *c, const ConfSetting *group, const ConfKey *keys, size_t nkey)
{
    bool ok = true;
    for (int i = 0; i < conf_length(group); i++)
        ok = conf_lookup(c->diag, group->elem[i].name_at, "key", group->elem[i].name, NAMES(keys, nkey)) >= 0 && ok;
    for (size_t i = 0; i < nkey; i++) {
        if (!group || !keys[i].required || conf_member(group, keys[i].name))
            continue;
        const char *hint = keys[i].hint;
        Loc at = group->at;
        at.width = 1;
        diag_error(c->diag, at, "missing key '%s'%s%s", keys[i].name, hint ? ": " : "", hint ? hint : "");
        ok = false;
    }
    return ok;
}

/* ---- values ---- */

const char *conf_type_text(ConfType type)
{
    static const char *const text[] = {
        [CONF_GROUP] = "a group { }",      [CONF_BOOL] = "a boolean",     [CONF_INT] = "an integer",
        [CONF_INT64] = "a 64-bit integer", [CONF_REAL] = "a real number", [CONF_STRING] = "a string",
        [CONF_ARRAY] = "an array [ ]",     [CONF_LIST] = "a list ( )",
    };
    return text[type];
}

/* "'threads': " for a member, "" for an element. */
static const char *name_label(const Conf *c, const ConfSetting *s)
{
    return s->name ? arena_printf(c->arena, "'%s': ", s->name) : "";
}

enum { INTEGER = 1 << CONF_INT | 1 << CONF_INT64, SEQUENCE = 1 << CONF_LIST | 1 << CONF_ARRAY };

/* The setting of a getter, if it has one of the types (a bit each). NULL: absent, or of another type and *ok false. */
static const ConfSetting *get_setting(const Conf *c, const ConfSetting *s, const char *key, int types,
                                      const char *expected, bool *ok)
{
    s = key ? conf_member(s, key) : s;
    *ok = !s || types >> s->type & 1 ||
          diag_error(c->diag, s->at, "%sexpected %s, found %s", name_label(c, s), expected, conf_type_text(s->type));
    return *ok ? s : NULL;
}

bool conf_int(const Conf *c, const ConfSetting *s, const char *key, int64_t min, int64_t max, int64_t *out)
{
    bool ok;
    const char *range = arena_printf(c->arena, "an integer from %" PRId64 " to %" PRId64, min, max);
    if (!(s = get_setting(c, s, key, INTEGER, range, &ok)))
        return ok;
    if (s->integer < min || s->integer > max)
        return diag_error(c->diag, s->at, "%sexpected %s, found %" PRId64, name_label(c, s), range, s->integer);
    *out = s->integer;
    return true;
}

bool conf_real(const Conf *c, const ConfSetting *s, const char *key, double *out)
{
    bool ok;
    if (!(s = get_setting(c, s, key, INTEGER | 1 << CONF_REAL, "a number", &ok)))
        return ok;
    const double value = s->type == CONF_REAL ? s->real : (double)s->integer;
    if (!isfinite(value))
        return diag_error(c->diag, s->at, "%sexpected a finite number", name_label(c, s));
    *out = value;
    return true;
}

bool conf_bool(const Conf *c, const ConfSetting *s, const char *key, bool *out)
{
    bool ok;
    if ((s = get_setting(c, s, key, 1 << CONF_BOOL, "true or false", &ok)))
        *out = s->integer;
    return ok;
}

bool conf_string(const Conf *c, const ConfSetting *s, const char *key, const char **out)
{
    bool ok;
    if ((s = get_setting(c, s, key, 1 << CONF_STRING, "a string", &ok)))
        *out = s->text;
    return ok;
}

bool conf_choice(const Conf *c, const ConfSetting *s, const char *key, const char *what, Names names, int *index)
{
    bool ok;
    if (!(s = get_setting(c, s, key, 1 << CONF_STRING, "a string", &ok)))
        return ok;
    int i = conf_lookup(c->diag, s->at, what, s->text, names);
    if (i >= 0)
        *index = i;
    return i >= 0;
}

static bool get_expr(const Conf *c, const ConfSetting *s, const char *key,
                     Expr *parse(Arena *, const char *, Loc, Diag *), Expr **out)
{
    bool ok;
    if (!(s = get_setting(c, s, key, INTEGER | 1 << CONF_STRING, "an integer, or an expression as a string", &ok)))
        return ok;
    const char *text = s->type == CONF_STRING ? s->expr : arena_printf(c->arena, "%" PRId64, s->integer);
    Expr *e = parse(c->arena, text, s->at, c->diag);
    if (e)
        *out = e;
    return e != NULL;
}

bool conf_expr(const Conf *c, const ConfSetting *s, const char *key, Expr **out)
{
    return get_expr(c, s, key, expr_parse, out);
}

bool conf_formula(const Conf *c, const ConfSetting *s, const char *key, Expr **out)
{
    return get_expr(c, s, key, expr_parse_formula, out);
}

const ConfSetting *conf_group(const Conf *c, const ConfSetting *s, const char *key)
{
    return get_setting(c, s, key, 1 << CONF_GROUP, "a group { }", &(bool){ false });
}

const ConfSetting *conf_list(const Conf *c, const ConfSetting *s, const char *key)
{
    return get_setting(c, s, key, SEQUENCE, "a list ( )", &(bool){ false });
}

/* Reads a sequence of at most `room` integers or, where ints is NULL, strings. */
static bool get_all(const Conf *c, const ConfSetting *s, const char *key, int64_t min, int64_t max, int64_t *ints,
                    const char **words, int room, int *n)
{
    bool ok;
    s = get_setting(c, s, key, SEQUENCE, ints ? "integers in [ ]" : "strings in [ ]", &ok);
    if (s && s->n > room)
        return diag_error(c->diag, s->at, "%s%d values, at most %d are allowed", name_label(c, s), s->n, room);
    for (int i = 0; i < conf_length(s); i++)
        ok &= ints ? conf_int(c, &s->elem[i], NULL, min, max, &ints[i]) : conf_string(c, &s->elem[i], NULL, &words[i]);
    if (s && ok)
        *n = s->n;
    return ok;
}

bool conf_ints(const Conf *c, const ConfSetting *s, const char *key, int64_t min, int64_t max, int64_t *out, int room,
               int *n)
{
    return get_all(c, s, key, min, max, out, NULL, room, n);
}

bool conf_strings(const Conf *c, const ConfSetting *s, const char *key, const char **out, int room, int *n)
{
    return get_all(c, s, key, 0, 0, NULL, out, room, n);
}

bool conf_twice(const Conf *c, const ConfSetting *list, int i, const char *before)
{
    const ConfSetting *e = &list->elem[i], *first = list->elem;
    while (e->type == CONF_STRING ? strcmp(first->text, e->text) != 0 : first->integer != e->integer)
        first++;
    if (first < e && e->type == CONF_STRING)
        diag_error(c->diag, e->at, "%s'%s' is there twice", before, e->text);
    else if (first < e)
        diag_error(c->diag, e->at, "%s%" PRId64 " is there twice", before, e->integer);
    return first < e;
}
