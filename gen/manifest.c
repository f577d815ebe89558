/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/manifest.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "gen/text.h"

enum { HASH_LEN = 32 };

static const char *const kind_word[] = {
    [MANIFEST_SPEC] = "spec", [MANIFEST_RECORDS] = "records", [MANIFEST_TEMPLATE] = "template", [MANIFEST_FILE] = "file"
};

static const char heading[] =
    "# What dcgen wrote here, and of what; `dcgen replay --check` compares it with what is here now.\n"
    "# Hashes are XXH128: they find edits and damage, but are no proof against forgery.\n";

const char *manifest_hash(Arena *a, const char *text, size_t len)
{
    XXH128_hash_t h = XXH3_128bits(text, len);
    return arena_printf(a, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
}

static void add_entry(Arena *a, Manifest *m, ManifestEntry e)
{
    m->entry = arena_grow(a, m->entry, (size_t)m->n, (size_t)m->n + 1, sizeof *m->entry);
    m->entry[m->n++] = e;
}

void manifest_add(Arena *a, Manifest *m, ManifestKind kind, const char *path, const char *text, size_t len)
{
    add_entry(a, m, (ManifestEntry){ kind, manifest_hash(a, text, len), path });
}

/* ---- as text ---- */

static int by_kind_and_path(const void *x, const void *y)
{
    const ManifestEntry *a = x, *b = y;
    if (a->kind != b->kind)
        return (int)a->kind - (int)b->kind;
    const int path = strcmp(a->path, b->path);
    return path ? path : strcmp(a->hash, b->hash);
}

static void drop_doubles(Manifest *m)
{
    int n = 0;
    for (int i = 0; i < m->n; i++)
        if (i == 0 || by_kind_and_path(&m->entry[i], &m->entry[n - 1]) != 0)
            m->entry[n++] = m->entry[i];
    m->n = n;
}

char *manifest_text(Arena *a, Manifest *m)
{
    Text t = { .arena = a };
    if (m->n)
        qsort(m->entry, (size_t)m->n, sizeof *m->entry, by_kind_and_path);
    drop_doubles(m);
    text_printf(&t, "%spackage %s\ndcgen %s\n", heading, m->package, m->version);
    for (int i = 0; i < m->n; i++)
        text_printf(&t, "%s %s  %s\n", kind_word[m->entry[i].kind], m->entry[i].hash, m->entry[i].path);
    return arena_strdup(a, text_str(&t));
}

/* ---- from text ---- */

/* What stands behind `word` and a blank; NULL: the line begins otherwise. */
static const char *behind(const char *line, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && line[n] == ' ' && line[n + 1] ? line + n + 1 : NULL;
}

/* Nothing outside a package is looked at, whatever its manifest says. */
static bool is_inside(const char *path) { return *path && *path != '/' && !strstr(path, ".."); }

static bool read_entry(Arena *a, const char *line, Manifest *m)
{
    for (int k = 0; k < MANIFEST_NKIND; k++) {
        const char *hash = behind(line, kind_word[k]);
        if (!hash)
            continue;
        if (strspn(hash, "0123456789abcdef") != HASH_LEN || strncmp(hash + HASH_LEN, "  ", 2) != 0 ||
            !is_inside(hash + HASH_LEN + 2))
            return false;
        add_entry(a, m, (ManifestEntry){ (ManifestKind)k, arena_strndup(a, hash, HASH_LEN), hash + HASH_LEN + 2 });
        return true;
    }
    return false;
}

static bool read_line(Arena *a, const char *line, Manifest *m)
{
    const char *package = behind(line, "package"), *version = behind(line, "dcgen");
    if (package)
        m->package = package;
    if (version)
        m->version = version;
    return package || version || !*line || *line == '#' || read_entry(a, line, m);
}

const Manifest *manifest_read(Arena *a, const char *text, const char **err)
{
    Manifest *m = ARENA_NEW(a, Manifest);
    int number = 0;
    while (*text) {
        const size_t n = strcspn(text, "\n");
        number++;
        if (!read_line(a, arena_strndup(a, text, n), m)) {
            *err = arena_printf(a, "line %d is none of a package's manifest", number);
            return NULL;
        }
        text += n + (text[n] == '\n');
    }
    if (m->package && m->version)
        return m;
    *err = "it names no package and no version of dcgen";
    return NULL;
}

/* ---- looking up ---- */

bool manifest_has(const Manifest *m, const ManifestEntry *e)
{
    for (int i = 0; i < m->n; i++)
        if (by_kind_and_path(&m->entry[i], e) == 0)
            return true;
    return false;
}
