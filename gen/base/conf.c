/* SPDX-License-Identifier: Apache-2.0
 *
 * conf: libconfig reads the values, conf_scan finds the places; a setting's hook points to its place.
 */
#include "gen/base/conf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "gen/base/conf_private.h"
#include "gen/base/text.h"

/* ---- reading ---- */

Source *conf_source(Arena *a, const char *path, Diag *d)
{
    Source *src = ARENA_NEW(a, Source);
    src->path = arena_strdup(a, path);
    Loc at = { .src = src };
    struct stat st;
    if (stat(path, &st) != 0)
        diag_error(d, at, "cannot read the file: %s", strerror(errno));
    else if (S_ISDIR(st.st_mode))
        diag_error(d, at, "this is a folder, expected a file");
    else if (!S_ISREG(st.st_mode))
        diag_error(d, at, "this is not a regular file");
    else if (st.st_size > CONF_MAX_BYTES)
        diag_error(d, at, "the file has %" PRId64 " bytes, more than the %d allowed", (int64_t)st.st_size,
                   CONF_MAX_BYTES);
    else if (!(src->text = text_read_file(a, path, &src->len)))
        diag_error(d, at, "cannot read the file: %s", strerror(errno));
    return src->text ? src : NULL;
}

static void lines_find(Conf *c)
{
    size_t n = 1;
    for (size_t i = 0; i < c->src->len; i++)
        n += c->src->text[i] == '\n';
    c->line = ARENA_ARRAY(c->arena, n, size_t);
    c->nline = 1;
    for (size_t i = 0; i < c->src->len; i++)
        if (c->src->text[i] == '\n')
            c->line[c->nline++] = i + 1;
}

/* Gives each setting its place; both are in the order of the text. */
static void places_attach(Conf *c, ConfSetting *s, size_t *next)
{
    if (*next < c->places.n)
        config_setting_set_hook(s, &c->places.place[*next]);
    ++*next;
    for (int i = 0; i < conf_length(s); i++)
        places_attach(c, conf_elem(s, i), next);
}

static bool read_libconfig(Conf *c, size_t begin, size_t end)
{
    /* libconfig does not see a comment that the end of the text cuts off: hence the line's end */
    char *text = arena_printf(c->arena, "%.*s\n", (int)(end - begin), c->src->text + begin);
    config_init(&c->config);
    if (config_read_string(&c->config, text) == CONFIG_TRUE) {
        size_t n = 0;
        places_attach(c, config_root_setting(&c->config), &n);
        if (n == c->places.n)
            return true;
    }
    /* conf_scan has accepted it, so this is a difference between the two: say what libconfig says */
    Loc at = loc_at(c->src, begin, 1);
    at.line += config_error_line(&c->config) > 0 ? config_error_line(&c->config) - 1 : 0;
    at.col = 0;
    diag_error(c->diag, at, "libconfig: %s",
               config_error_text(&c->config) ? config_error_text(&c->config) : "syntax error");
    config_destroy(&c->config);
    return false;
}

Conf *conf_parse(Arena *a, const Source *src, size_t begin, size_t end, Diag *d)
{
    Conf *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (Conf){ .arena = a, .src = src, .diag = d };
    if (end > src->len)
        end = src->len;
    if (!conf_scan(a, src, begin, end, &c->places, d) || !read_libconfig(c, begin, end)) {
        free(c);
        return NULL;
    }
    lines_find(c);
    return c;
}

void conf_free(Conf *c)
{
    if (!c)
        return;
    config_destroy(&c->config);
    free(c);
}

/* ---- the tree ---- */

ConfSetting *conf_root(const Conf *c) { return config_root_setting(&c->config); }

int conf_length(const ConfSetting *s) { return s ? config_setting_length(s) : 0; }

ConfSetting *conf_elem(const ConfSetting *s, int i) { return config_setting_get_elem(s, (unsigned)i); }

ConfSetting *conf_member(const ConfSetting *group, const char *key)
{
    return group && config_setting_is_group(group) ? config_setting_get_member(group, key) : NULL;
}

const char *conf_name(const Conf *c, const ConfSetting *s)
{
    return config_setting_name(s) ? arena_strdup(c->arena, config_setting_name(s)) : NULL;
}

static Loc place_loc(const Conf *c, size_t offset, size_t width)
{
    size_t lo = 0, hi = c->nline; /* line[lo] <= offset < line[hi] */
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (c->line[mid] <= offset)
            lo = mid;
        else
            hi = mid;
    }
    return (Loc){ c->src, (int)lo + 1, (int)(offset - c->line[lo]) + 1, width ? (int)width : 1 };
}

/* A value that runs over several lines, or a bracketed one, is marked at its first character. */
Loc conf_value_loc(const Conf *c, const ConfSetting *s)
{
    const ConfPlace *p = config_setting_get_hook(s);
    bool whole = !config_setting_is_aggregate(s) && !memchr(c->src->text + p->value, '\n', p->nvalue);
    return place_loc(c, p->value, whole ? p->nvalue : 1);
}

Loc conf_name_loc(const Conf *c, const ConfSetting *s)
{
    const ConfPlace *p = config_setting_get_hook(s);
    return p->nname ? place_loc(c, p->name, p->nname) : conf_value_loc(c, s);
}

/* ---- names ---- */

/* "a, b, c"; "none" when there are none. */
static const char *names_text(Arena *a, const char *const *names, size_t n)
{
    Text t = { .arena = a };
    for (size_t i = 0; i < n; i++)
        text_printf(&t, "%s%s", i ? ", " : "", names[i]);
    return n ? text_str(&t) : "none";
}

int conf_lookup(Diag *d, Loc at, const char *what, const char *word, const char *const *names, size_t nname)
{
    for (size_t i = 0; i < nname; i++)
        if (strcmp(names[i], word) == 0)
            return (int)i;
    Arena *a = arena_new();
    const char *near = diag_nearest(word, names, nname);
    if (near)
        diag_error(d, at, "unknown %s '%s'; did you mean '%s'?", what, word, near);
    else if (nname == 0)
        diag_error(d, at, "unknown %s '%s'; there are none", what, word);
    else
        diag_error(d, at, "unknown %s '%s'; expected %s%s", what, word, nname > 1 ? "one of " : "",
                   names_text(a, names, nname));
    arena_free(a);
    return -1;
}

typedef struct {
    Diag *diag;
    const char *what;
    const char *const *names;
    size_t nname;
    bool ok;
} NameCheck;

static void check_name(void *ctx, const char *name, Loc at)
{
    NameCheck *k = ctx;
    if (conf_lookup(k->diag, at, k->what, name, k->names, k->nname) < 0)
        k->ok = false;
}

bool conf_check_names(Diag *d, const Expr *e, const char *what, const char *const *names, size_t nname)
{
    NameCheck k = { d, what, names, nname, true };
    expr_names(e, check_name, &k);
    return k.ok;
}

static bool missing_report(const Conf *c, const ConfSetting *group, const ConfKey *key)
{
    Loc at = config_setting_is_root(group) ? conf_name_loc(c, group) : conf_value_loc(c, group);
    at.width = 1;
    if (key->hint)
        diag_error(c->diag, at, "missing key '%s': %s", key->name, key->hint);
    else
        diag_error(c->diag, at, "missing key '%s'", key->name);
    return false;
}

bool conf_keys(const Conf *c, const ConfSetting *group, const ConfKey *keys, size_t nkey)
{
    const char **names = ARENA_ARRAY(c->arena, nkey, const char *);
    bool ok = true;
    for (size_t i = 0; i < nkey; i++)
        names[i] = keys[i].name;
    for (int i = 0; i < conf_length(group); i++) {
        const ConfSetting *s = conf_elem(group, i);
        ok = conf_lookup(c->diag, conf_name_loc(c, s), "key", config_setting_name(s), names, nkey) >= 0 && ok;
    }
    for (size_t i = 0; i < nkey; i++)
        if (keys[i].required && !conf_member(group, keys[i].name))
            ok = missing_report(c, group, &keys[i]);
    return ok;
}
