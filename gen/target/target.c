/* SPDX-License-Identifier: Apache-2.0
 *
 * target: lists the families, reads the files of targets, and finds targets among them.
 */
#include "gen/target/target.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/base/name.h"
#include "gen/base/text.h"

/* ---- families ---- */

const Family *const families[FAMILY_COUNT] = { &family_cpu, &family_cuda };

const Family *family_of_best(const char *word)
{
    for (int i = 0; i < FAMILY_COUNT; i++)
        if (strcmp(families[i]->best, word) == 0)
            return families[i];
    return NULL;
}

bool family_read(const Conf *c, const Family **family)
{
    const char *names[FAMILY_COUNT];
    int at = 0;
    for (int i = 0; i < FAMILY_COUNT; i++)
        names[i] = families[i]->name;
    const bool ok = conf_choice(c, c->root, "family", "family", NAMES(names, FAMILY_COUNT), &at);
    *family = families[at];
    return ok;
}

/* ---- facts ---- */

/* The rows of all families follow one another in Target.fact, from the first family's first on. -1: there is no such name. */
static int fact_index(const char *name)
{
    int i = 0;
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (const FactRow *row = families[f]->fact; row->name; row++, i++)
            if (strcmp(row->name, name) == 0)
                return i;
    return -1;
}

const char *target_fact_name(int i)
{
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (const FactRow *row = families[f]->fact; row->name; row++)
            if (i-- == 0)
                return row->name;
    return NULL;
}

bool target_fact(const Target *t, const char *name, int64_t *value)
{
    const int i = fact_index(name);
    if (i >= 0)
        *value = t ? t->fact[i] : 0;
    return i >= 0;
}

int64_t target_number(const Target *t, const char *name)
{
    int64_t value = 0;
    target_fact(t, name, &value);
    return value;
}

void target_set_fact(Target *t, const char *name, int64_t value)
{
    const int i = fact_index(name);
    if (i >= 0)
        t->fact[i] = value;
}

const RateRow *target_rate(const Target *t, const char *dtype)
{
    const RateRow *first = t ? t->family->rate : NULL;
    for (const RateRow *row = first; row && row->dtype; row++)
        if (strcmp(row->dtype, dtype) == 0 && target_number(t, row->fact) > 0)
            return row;
    return first;
}

/* ---- files ---- */

static bool read_facts(Arena *a, Conf *c, Target *t)
{
    bool ok = true;
    for (const FactRow *row = t->family->fact; row->name; row++)
        ok &= conf_int(c, c->root, text_letters(arena_strdup(a, row->name), tolower), row->min, row->max,
                       &t->fact[fact_index(row->name)]);
    return ok;
}

/* Checks the keys of a file: those that every target has, then those of its family. */
static bool check_keys(Arena *a, Conf *c, const Family *f)
{
    enum { COMMON = 4, FAMILY_MOST = 4 };
    ConfKey keys[COMMON + FAMILY_MOST + TARGET_MAX_FACT] = { { "name", true, "the target's name" },
                                                             { "family", true, FAMILY_HINT },
                                                             { "rank", true, "higher is tried first" },
                                                             { "fallback", false, NULL } };
    size_t n = COMMON;
    for (const ConfKey *key = f->key; key->name; key++)
        keys[n++] = *key;
    for (const FactRow *row = f->fact; row->name; row++)
        keys[n++] = (ConfKey){ text_letters(arena_strdup(a, row->name), tolower), true, row->hint };
    return conf_keys(c, c->root, keys, n);
}

/* Reads what will stand in generated code, in a compiler's arguments or in CMake: it may hold letters, digits and the signs of `more`. */
static bool read_word(Conf *c, Diag *d, const char *key, const char *more, const char **out)
{
    const ConfSetting *s = conf_member(c->root, key);
    bool ok = conf_string(c, c->root, key, out);
    for (const char *p = *out; ok && *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr(more, *p)) {
            diag_error(d, s->at, "'%s': expected letters, digits and '%s', found '%s'", key, more, *out);
            ok = false;
        }
    return ok;
}

/* Reads the target's name, which becomes a part of names in C. */
static bool read_name(Conf *c, Diag *d, const char **out)
{
    const ConfSetting *s = conf_member(c->root, "name");
    return s && conf_string(c, s, NULL, out) && conf_check_name(d, s->at, "target", *out, name_fault(*out));
}

/* Reads the architecture: "" or one with a row in `archs`, which has the guard for its code. */
static bool read_arch(const Conf *c, const char **out)
{
    const char *names[ARCH_COUNT + 1] = { "" };
    int at = 0;
    for (int i = 0; i < ARCH_COUNT; i++)
        names[i + 1] = archs[i].name;
    const bool ok = conf_choice(c, c->root, "arch", "architecture", NAMES(names, ARCH_COUNT + 1), &at);
    *out = names[at];
    return ok;
}

bool target_parse(Arena *a, const Source *src, Target *t, Diag *d)
{
    int64_t rank = 0;
    Conf *c = conf_parse(a, src, 0, src->len, d);
    if (!c)
        return false;
    const ConfSetting *root = c->root;
    *t = (Target){ .name = "", .fallback = "", .attribute = "", .runtime_check = "0", .arch = "", .gencode = "" };
    bool ok = family_read(c, &t->family) && check_keys(a, c, t->family);
    ok &= read_name(c, d, &t->name) & read_word(c, d, "fallback", "_", &t->fallback);
    ok &= read_arch(c, &t->arch) & conf_int(c, root, "rank", 0, 1000, &rank);
    ok &= read_word(c, d, "attribute", "_,.=-", &t->attribute);
    ok &= conf_string(c, root, "runtime_check", &t->runtime_check);
    ok &= read_word(c, d, "gencode", "_,=", &t->gencode) & conf_bool(c, root, "exact", &t->exact);
    ok &= read_facts(a, c, t);
    t->rank = (int)rank;
    t->src = src;
    return ok;
}

static int by_rank(const void *x, const void *y)
{
    const Target *a = x, *b = y;
    return a->rank != b->rank ? b->rank - a->rank : strcmp(a->name, b->name);
}

bool target_read_all(Arena *a, const char *dir, TargetList *out, Diag *d)
{
    char **path;
    int n = 0;
    *out = (TargetList){ 0 };
    const bool can_read = dir_list(a, dir, ".cfg", &path, &n);
    if (n == 0 || n > TARGET_MAX) {
        Source *folder = ARENA_NEW(a, Source); /* the error is printed later, with its path */
        folder->path = arena_strdup(a, dir);
        diag_error(d, (Loc){ .src = folder },
                   !can_read ? "cannot read the folder of targets"
                   : n       ? "more than %d targets"
                             : "no target is there: expected files of the form NAME.cfg",
                   TARGET_MAX);
        return false;
    }
    for (int i = 0; i < n; i++) {
        const Source *src = conf_source(a, path[i], d);
        if (!src || !target_parse(a, src, &out->t[out->n++], d))
            return false;
    }
    qsort(out->t, (size_t)out->n, sizeof *out->t, by_rank);
    return true;
}

/* ---- what follows from them ---- */

const Target *target_find(const TargetList *list, const char *name) { return names_row(NAMES(list->t, list->n), name); }

bool target_is_fallback(const TargetList *list, const Target *t, const Target *of)
{
    for (int i = 0; i < list->n && of && *of->fallback; i++) {
        of = target_find(list, of->fallback);
        if (of == t)
            return true;
    }
    return false;
}

const char *target_arch_guard(const Target *t)
{
    const Arch *arch = arch_find(t->arch);
    return arch ? arch->guard : NULL;
}

const char *target_guard(Arena *a, const Target *t)
{
    return t->family->body_guard ? t->family->body_guard(a, t) : NULL;
}

bool target_is_inherited(const Target *t) { return t->family->is_inherited && !t->exact; }
