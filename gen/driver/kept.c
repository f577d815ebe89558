/* SPDX-License-Identifier: Apache-2.0
 *
 * kept: puts what the command line says in the place of what the spec says.
 */
#include "gen/driver/kept.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/conf.h"
#include "gen/base/quote.h"

/* The names on the way from the root to the path, without "." and "..". */
static TextList way_to(Arena *a, const char *path)
{
    char *here = *path == '/' ? NULL : getcwd(NULL, 0);
    TextList all = { 0 }, way = { 0 };
    text_list_split(a, &all, here ? here : "", "/");
    text_list_split(a, &all, path, "/");
    for (int i = 0; i < all.n; i++)
        if (strcmp(all.item[i], "..") == 0)
            way.n -= way.n > 0;
        else if (strcmp(all.item[i], ".") != 0)
            text_list_add(a, &way, arena_strdup(a, all.item[i]));
    free(here);
    return way;
}

/* The path as seen from the folder; as it is if they have nothing in common but the root. */
static const char *path_from(Arena *a, const char *folder, const char *path)
{
    const TextList from = way_to(a, folder), to = way_to(a, path);
    int common = 0;
    while (common < from.n && common < to.n && strcmp(from.item[common], to.item[common]) == 0)
        common++;
    if (common == 0)
        return path;
    Text t = { .arena = a };
    for (int i = common; i < from.n; i++)
        text_add(&t, i > common ? "/.." : "..");
    for (int i = common; i < to.n; i++)
        text_printf(&t, "%s%s", t.len ? "/" : "", to.item[i]);
    return t.len ? text_str(&t) : ".";
}

/* ---- settings ---- */

/* An array of strings, as libconfig reads it. */
static const char *array_of(Arena *a, const TextList *list)
{
    Text t = { .arena = a };
    for (int i = 0; i < list->n; i++) {
        text_add(&t, i ? "\", \"" : "[\"");
        for (const char *s = list->item[i]; *s;) {
            const size_t n = strchr("\"\\", *s) ? 0 : quote_shown(s, strlen(s));
            if (n)
                text_addn(&t, s, n);
            else
                text_printf(&t, "\\x%02X", (unsigned char)*s);
            s += n ? n : 1;
        }
    }
    text_add(&t, "\"]");
    return text_str(&t);
}

/* The text of a spec in which a setting has this value. group: the name of the group that it belongs to; NULL: it is
 * the spec's own. */
static const char *set(Arena *a, const char *text, const char *group, const char *key, const char *value)
{
    const Source src = { "", text, strlen(text) };
    const Conf *c = conf_parse(a, &src, 0, src.len, diag_new(a));
    const ConfSetting *in = group ? conf_member(c->root, group) : c->root, *s = conf_member(in, key);
    if (s)
        return arena_printf(a, "%.*s%s%s", (int)s->begin, text, value, text + s->end);
    if (group && in)
        return arena_printf(a, "%.*s %s = %s;%s", (int)in->begin + 1, text, key, value, text + in->begin + 1);
    if (group)
        return set(a, text, NULL, group, arena_printf(a, "{ %s = %s; }", key, value));
    return arena_printf(a, "%s%s%s = %s;\n", text, src.len && text[src.len - 1] == '\n' ? "" : "\n", key, value);
}

/* The same for a setting of a function, the i-th of those that the spec lists; -1: it has one, and lists none. */
static const char *set_in_function(Arena *a, const char *text, int i, const char *key, const char *value)
{
    const Source src = { "", text, strlen(text) };
    const Conf *c = conf_parse(a, &src, 0, src.len, diag_new(a));
    const ConfSetting *s = conf_member(i < 0 ? c->root : conf_elem(conf_member(c->root, "functions"), i), key);
    return arena_printf(a, "%.*s%s%s", (int)s->begin, text, value, text + s->end);
}

const char *kept_logs(Arena *a, const SpecFile *file, const char *text)
{
    for (int i = 0; i < file->nfunction; i++) {
        const Spec *s = file->function[i];
        if (s->log)
            text = set_in_function(a, text, s->function ? i : -1, "shapes",
                                   arena_printf(a, "\"%s\"", spec_log_path(a, s)));
    }
    return text;
}

const char *kept_text(Arena *a, const Options *o, const TextList *folders, const char *out, const char *text)
{
    TextList seen = { 0 };
    if (o->target.n)
        text = set(a, text, NULL, "target", array_of(a, &o->target));
    if (o->kernels >= 0)
        text = set(a, text, "budget", "kernels", arena_printf(a, "%d", o->kernels));
    if (o->code_kib >= 0)
        text = set(a, text, "budget", "code_kib", arena_printf(a, "%d", o->code_kib));
    for (int i = 0; i + 1 < folders->n; i++)
        text_list_add(a, &seen, path_from(a, out, folders->item[i]));
    if (seen.n)
        text = set(a, text, NULL, "templates", array_of(a, &seen));
    return o->no_report ? set(a, text, NULL, "report", "false") : text;
}
