/* SPDX-License-Identifier: Apache-2.0
 *
 * kept: reads and writes the line of options in a package's spec.cfg.
 */
#include "gen/driver/kept.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen/base/text.h"

static const char kept_mark[] = "# dcgen:";

static bool is_kept(const char *text) { return strncmp(text, kept_mark, strlen(kept_mark)) == 0; }

/* ---- paths ---- */

static bool is_plain(char c) { return (isalnum((unsigned char)c) || strchr("_./+~@-", c)) && c > 0; }

static void add_coded(Text *t, const char *path)
{
    for (; *path; path++)
        if (is_plain(*path))
            text_addn(t, path, 1);
        else
            text_printf(t, "%%%02X", (unsigned)(unsigned char)*path);
}

static const char *decoded(Arena *a, const char *coded)
{
    Text t = { .arena = a };
    for (; *coded; coded++) {
        unsigned code = 0;
        const bool is_code =
            *coded == '%' && isxdigit((unsigned char)coded[1]) && sscanf(coded + 1, "%2x", &code) == 1 && code > 0;
        text_addn(&t, is_code ? &(char){ (char)code } : coded, 1);
        coded += is_code && isxdigit((unsigned char)coded[2]) ? 2 : is_code;
    }
    return text_str(&t);
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

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

/* ---- reading ---- */

/* Finds a folder of templates that the line keeps: seen from the spec's folder, or else from the current one. */
static const char *find_templates(Arena *a, const char *spec_path, const char *coded, Diag *d)
{
    const char *kept = decoded(a, coded), *slash = strrchr(spec_path, '/');
    const char *near =
        *kept == '/' || !slash ? kept : arena_printf(a, "%.*s%s", (int)(slash + 1 - spec_path), spec_path, kept);
    if (is_folder(near))
        return near;
    if (is_folder(kept))
        return kept;
    diag_error(d, (Loc){ 0 },
               "%s: the package needs the folder of templates '%s', as its first line says, and that is not there; say "
               "where it is now by --templates DIR",
               spec_path, near);
    return NULL;
}

/* The number in the word; `otherwise` if that is none from 1 to `most`, the most that cli.c takes for the option. */
static int number_in(const char *word, int most, int otherwise)
{
    const long v = strtol(word, NULL, 10);
    return v > 0 && v <= most ? (int)v : otherwise;
}

Options kept_add(Arena *a, const Options *o, const char *spec_path, const char *text, Diag *d)
{
    Options all = *o;
    TextList word = { 0 }, coded = { 0 };
    if (!is_kept(text))
        return all;
    text_list_split(a, &word, arena_strndup(a, text, strcspn(text, "\r\n")), " ");
    for (int i = 0; i < word.n; i++) {
        const char *name = word.item[i], *value = i + 1 < word.n ? word.item[i + 1] : "";
        if (strcmp(name, "--kernels") == 0 && o->kernels < 0)
            all.kernels = number_in(value, 256, -1);
        else if (strcmp(name, "--code-kib") == 0 && o->code_kib < 0)
            all.code_kib = number_in(value, 1 << 20, -1);
        else if (strcmp(name, "--target") == 0 && !o->target.n)
            text_list_split(a, &all.target, value, ",");
        else if (strcmp(name, "--templates") == 0 && !o->templates.n)
            text_list_split(a, &coded, value, ",");
        all.no_report |= strcmp(name, "--no-report") == 0;
    }
    for (int i = 0; i < coded.n; i++) {
        const char *folder = find_templates(a, spec_path, coded.item[i], d);
        if (folder)
            text_list_add(a, &all.templates, folder);
    }
    return all;
}

/* ---- writing ---- */

const char *kept_text(Arena *a, const Options *o, const char *out, const char *text)
{
    Text t = { .arena = a };
    if (is_kept(text))
        text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
    if (o->kernels < 0 && o->code_kib < 0 && !o->target.n && !o->templates.n && !o->no_report)
        return text;
    text_add(&t, kept_mark);
    if (o->kernels >= 0)
        text_printf(&t, " --kernels %d", o->kernels);
    if (o->code_kib >= 0)
        text_printf(&t, " --code-kib %d", o->code_kib);
    if (o->target.n)
        text_printf(&t, " --target %s", text_list_join(a, &o->target, ","));
    for (int i = 0; i < o->templates.n; i++) {
        text_add(&t, i ? "," : " --templates ");
        add_coded(&t, path_from(a, out, o->templates.item[i]));
    }
    if (o->no_report)
        text_add(&t, " --no-report");
    text_printf(&t, "\n%s", text);
    return arena_strdup(a, text_str(&t));
}
