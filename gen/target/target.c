/* SPDX-License-Identifier: Apache-2.0
 *
 * target: lists the families, reads the files of targets, and finds targets among them.
 */
#include "gen/target/target.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
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

/* The rows of all families follow one another in Target.fact, the first family's first. -1: there is no such name. */
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

double target_fmas(const Target *t, const RateRow *rate) { return (double)target_number(t, rate->fact) / rate->times; }

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
    enum { COMMON = 5, FAMILY_MOST = 4 };
    ConfKey keys[COMMON + FAMILY_MOST + TARGET_MAX_FACT] = { { "name", true, "the target's name" },
                                                             { "like", false, NULL },
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

/* Reads a word for generated code, a compiler's arguments or CMake: of letters, digits and the signs of `more`. */
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
    if (!s || !conf_string(c, s, NULL, out) || !conf_check_name(d, s->at, "target", *out, name_fault(*out)))
        return false;
    return !family_of_best(*out) ||
           diag_error(d, s->at, "no target can have the name '%s': specs mean the best of a machine by it", *out);
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

/* Reads a target from the settings of its file, with those of the target that it is like below them. */
static bool read_target(Arena *a, Conf *c, const Source *src, Target *t)
{
    int64_t rank = 0;
    const ConfSetting *root = c->root;
    *t = (Target){ .name = "",
                   .fallback = "",
                   .attribute = "",
                   .runtime_check = "0",
                   .arch = "",
                   .gencode = "",
                   .src = src,
                   .hash = "" };
    bool ok = family_read(c, &t->family) && check_keys(a, c, t->family);
    ok &= read_name(c, c->diag, &t->name) & read_word(c, c->diag, "fallback", "_", &t->fallback);
    ok &= read_arch(c, &t->arch) & conf_int(c, root, "rank", 0, 1000, &rank);
    ok &= read_word(c, c->diag, "attribute", "_,.=-", &t->attribute);
    ok &= conf_string(c, root, "runtime_check", &t->runtime_check);
    ok &= read_word(c, c->diag, "gencode", "_,=", &t->gencode) & conf_bool(c, root, "exact", &t->exact);
    ok &= read_facts(a, c, t);
    t->rank = (int)rank;
    return ok;
}

/* ---- targets that are like others ---- */

/* A file of a target. */
typedef struct {
    const char *name; /* of the target; "": it has none */
    const Source *src;
    Conf *conf;
    int folder;
    enum { UNREAD, BEGUN, READ, FAULTY } state;
    Target target;
} TargetFile;

typedef struct {
    Arena *arena;
    Diag *diag;
    int nfile;
    TargetFile *file; /* in the order of their folders */
} TargetReader;

/* The file of the target that a file's own is like. A target may be like the one that it hides. NULL after an error. */
static TargetFile *base_file(TargetReader *r, const TargetFile *f, const ConfSetting *like)
{
    const bool is_itself = strcmp(like->text, f->name) == 0;
    for (int i = 0; i < r->nfile; i++)
        if (strcmp(r->file[i].name, like->text) == 0 && (!is_itself || r->file[i].folder > f->folder))
            return &r->file[i];
    if (is_itself)
        diag_error(r->diag, like->at, "no folder behind this one has another target '%s'", f->name);
    else
        conf_lookup(r->diag, like->at, "target", like->text, NAMES(r->file, r->nfile));
    return NULL;
}

static bool same_code(const Target *t, const Target *base)
{
    return strcmp(t->attribute, base->attribute) == 0 && strcmp(t->arch, base->arch) == 0 &&
           strcmp(t->gencode, base->gencode) == 0 && t->exact == base->exact &&
           target_number(t, "SM_ARCH") == target_number(base, "SM_ARCH");
}

static bool resolve(TargetReader *r, TargetFile *f);

/* Puts the settings of *base, which f's target is like, below its own; NULL: it is like none. False after errors. */
static bool take_after(TargetReader *r, TargetFile *f, const Target **base)
{
    const char *name;
    const ConfSetting *like = conf_member(f->conf->root, "like"), *family = conf_member(f->conf->root, "family");
    *base = NULL;
    if (!like)
        return true;
    if (!conf_member(f->conf->root, "name")) /* it would have that of the other */
        return diag_error(r->diag, f->conf->root->name_at, "missing key 'name': the target's name");
    TargetFile *other = conf_string(f->conf, like, NULL, &name) ? base_file(r, f, like) : NULL;
    if (!other || !resolve(r, other))
        return other && other->state == BEGUN &&
               diag_error(r->diag, like->at, "'%s' is like '%s', which is like it", f->name, other->name);
    *base = &other->target;
    conf_inherit(f->conf, other->conf);
    if (family && family->type == CONF_STRING && strcmp(family->text, other->target.family->name) != 0)
        return diag_error(r->diag, family->at, "'%s', which this target is like, is of the family '%s'", other->name,
                          other->target.family->name);
    return true;
}

/* Reads the target of a file, and first the one that it is like. False after errors, or if it is like itself. */
static bool resolve(TargetReader *r, TargetFile *f)
{
    const Target *base;
    if (f->state != UNREAD)
        return f->state == READ;
    f->state = BEGUN;
    const bool ok = take_after(r, f, &base) && read_target(r->arena, f->conf, f->src, &f->target);
    f->target.base = base;
    /* One that hides its base is asked about itself: nothing lists the other. */
    f->target.same_code = ok && base && strcmp(f->name, base->name) != 0 && same_code(&f->target, base);
    f->state = ok ? READ : FAULTY;
    return ok;
}

bool target_parse(Arena *a, const Source *src, Target *t, Diag *d)
{
    TargetFile f = { .name = "", .src = src, .conf = conf_parse(a, src, 0, src->len, d) };
    TargetReader r = { .arena = a, .diag = d };
    const bool ok = f.conf && resolve(&r, &f);
    *t = f.target;
    return ok;
}

/* ---- folders ---- */

static int by_rank(const void *x, const void *y)
{
    const Target *a = x, *b = y;
    if (a->rank != b->rank)
        return b->rank - a->rank;
    const bool a_is_like = a->base, b_is_like = b->base; /* of equal rank those that are like others are behind them */
    return a_is_like != b_is_like ? a_is_like - b_is_like : strcmp(a->name, b->name);
}

static bool fail_folder(TargetReader *r, const char *dir, const char *why)
{
    Source *folder = ARENA_NEW(r->arena, Source); /* the error is printed later, with its path */
    folder->path = arena_strdup(r->arena, dir);
    return diag_error(r->diag, (Loc){ .src = folder }, "%s", why);
}

/* Opens the file of a target; false after an error. */
static bool open_file(TargetReader *r, const char *path, int folder)
{
    const Source *src = conf_source(r->arena, path, r->diag);
    Conf *c = src ? conf_parse(r->arena, src, 0, src->len, r->diag) : NULL;
    const ConfSetting *name = c ? conf_member(c->root, "name") : NULL;
    TargetFile f = { .name = name && name->type == CONF_STRING ? name->text : "", .src = src, .conf = c };
    f.folder = folder;
    for (int i = 0; c && i < r->nfile; i++)
        if (r->file[i].folder == folder && *f.name && strcmp(r->file[i].name, f.name) == 0)
            return diag_error(r->diag, name->at, "another target in this folder has the name '%s'", f.name);
    if (c)
        *ARENA_PUSH(r->arena, r->file, r->nfile) = f;
    return c;
}

/* Opens the files of a folder. False after errors. */
static bool open_folder(TargetReader *r, const char *dir, int number, bool is_own)
{
    char **path;
    int n = 0;
    bool ok = true;
    if (!is_own && access(dir, F_OK) != 0)
        return true;
    if (!dir_list(r->arena, dir, ".cfg", &path, &n))
        return fail_folder(r, dir, "cannot read the folder of targets");
    if (!n && is_own)
        return fail_folder(r, dir, "no target is there: expected files of the form NAME.cfg");
    for (int i = 0; i < n; i++)
        ok &= open_file(r, path[i], number);
    return ok;
}

/* The hash of what code for a target depends on. */
static const char *code_hash(Arena *a, const Target *t)
{
    Text all = { .arena = a };
    text_printf(&all, "%s|%s|%s|%s|%d", t->family->name, t->arch, t->attribute, t->gencode, t->exact);
    for (int i = 0; i < TARGET_MAX_FACT; i++)
        text_printf(&all, "|%" PRId64, t->fact[i]);
    return arena_printf(a, "%016llx", (unsigned long long)XXH3_64bits(text_str(&all), all.len));
}

/* Is the target's fallback known? False after an error. */
static bool check_fallback(const TargetReader *r, const TargetFile *f)
{
    const ConfSetting *s = conf_member(f->conf->root, "fallback");
    return !*f->target.fallback ||
           conf_lookup(r->diag, s->at, "target", f->target.fallback, NAMES(r->file, r->nfile)) >= 0;
}

bool target_read_folders(Arena *a, const char *const *dir, int n, TargetList *out, Diag *d)
{
    TargetReader r = { .arena = a, .diag = d };
    bool ok = true;
    *out = (TargetList){ 0 };
    for (int i = 0; i < n; i++)
        ok &= open_folder(&r, dir[i], i, i + 1 == n);
    for (TargetFile *f = r.file; f < r.file + r.nfile; f++) {
        if (*f->name && names_find(NAMES(r.file, r.nfile), f->name) < f - r.file)
            continue; /* one of an earlier folder hides it */
        if (out->n == TARGET_MAX)
            return fail_folder(
                &r, dir[0],
                arena_printf(a, "more than %d targets%s", TARGET_MAX, n > 1 ? ", with those of later folders" : ""));
        if (!resolve(&r, f) || !check_fallback(&r, f)) {
            ok = false;
            continue;
        }
        f->target.hash = f->folder + 1 < n ? code_hash(a, &f->target) : "";
        out->t[out->n++] = f->target;
    }
    qsort(out->t, (size_t)out->n, sizeof *out->t, by_rank);
    return ok;
}

bool target_read_all(Arena *a, const char *dir, TargetList *out, Diag *d)
{
    return target_read_folders(a, &dir, 1, out, d);
}

/* ---- what follows from them ---- */

const Target *target_find(const TargetList *list, const char *name) { return names_row(NAMES(list->t, list->n), name); }

const Target *target_root(const Target *t)
{
    while (t->base)
        t = t->base;
    return t;
}

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
