/* SPDX-License-Identifier: Apache-2.0
 *
 * manifest: writes and reads the lines of MANIFEST, and looks entries up in it.
 */
#include "gen/package/manifest.h"

#include <stdlib.h>
#include <string.h>
#include <sha2.h>
#include "gen/base/text.h"

enum { HASH_LEN = SHA256_DIGEST_STRING_LENGTH - 1 }; /* without the zero at the end */

static const char heading[] =
    "## What dcgen wrote here, and of what. `sha256sum -c MANIFEST` finds files that were changed since,\n"
    "## `dcgen replay --check` also what this dcgen would write otherwise.\n";
static const char format_line[] = "# dcgen-manifest 2";

const char *manifest_hash(Arena *a, const char *text, size_t len)
{
    char hash[SHA256_DIGEST_STRING_LENGTH];
    return arena_strdup(a, SHA256Data((const uint8_t *)text, len, hash));
}

bool manifest_is_path(const char *path)
{
    for (size_t n;; path += n + 1) {
        n = strcspn(path, "/");
        if (n == 0 || (n == 1 && path[0] == '.') || (n == 2 && path[0] == '.' && path[1] == '.'))
            return false;
        if (!path[n])
            return true;
    }
}

static void add_entry(Arena *a, Manifest *m, bool is_template, const char *hash, const char *path)
{
    const ManifestKind kind = is_template                          ? MANIFEST_TEMPLATE
                              : strcmp(path, "spec.cfg") == 0      ? MANIFEST_SPEC
                              : strcmp(path, "records.jsonl") == 0 ? MANIFEST_RECORDS
                                                                   : MANIFEST_FILE;
    *ARENA_PUSH(a, m->entry, m->n) = (ManifestEntry){ kind, hash, path };
}

void manifest_add(Arena *a, Manifest *m, bool is_template, const char *path, const char *text, size_t len)
{
    add_entry(a, m, is_template, manifest_hash(a, text, len), path);
}

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
    text_printf(&t, "%s%s\n# package %s\n", heading, format_line, m->package);
    if (m->release)
        text_printf(&t, "# version %s\n", m->release);
    text_printf(&t, "# dcgen %s\n", m->version);
    for (int i = 0; i < m->n; i++)
        text_printf(&t, "%s%s  %s\n", m->entry[i].kind == MANIFEST_TEMPLATE ? "# template " : "", m->entry[i].hash,
                    m->entry[i].path);
    return arena_strdup(a, text_str(&t));
}

/* The rest of a line that begins with `word` and a blank; NULL: it begins otherwise, or ends there. */
static const char *text_behind(const char *line, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && line[n] == ' ' && line[n + 1] ? line + n + 1 : NULL;
}

/* Reads "<hash>  <path>" into m. */
static bool read_entry(Arena *a, const char *line, bool is_template, Manifest *m)
{
    if (strspn(line, "0123456789abcdef") != HASH_LEN || strncmp(line + HASH_LEN, "  ", 2) != 0)
        return false;
    const char *path = line + HASH_LEN + 2;
    add_entry(a, m, is_template, arena_strndup(a, line, HASH_LEN), path);
    return manifest_is_path(path); /* nothing outside a package is looked at, whatever its manifest says */
}

static bool read_line(Arena *a, const char *line, Manifest *m)
{
    const char *package = text_behind(line, "# package"), *release = text_behind(line, "# version"),
               *version = text_behind(line, "# dcgen"), *template = text_behind(line, "# template");
    if (package)
        m->package = package;
    if (release)
        m->release = release;
    if (version)
        m->version = version;
    if (template)
        return read_entry(a, template, true, m);
    return package || release || version || strncmp(line, "##", 2) == 0 || strcmp(line, format_line) == 0 ||
           read_entry(a, line, false, m);
}

const Manifest *manifest_read(Arena *a, const char *text, const char **err)
{
    Manifest *m = ARENA_NEW(a, Manifest);
    int number = 0;
    /* earlier manifests, which sha256sum could not read, had no "# " before "package" */
    if (strncmp(text, "package ", 8) == 0 || strstr(text, "\npackage ")) {
        *err = "an earlier dcgen wrote it, with other hashes: make the package again from its spec and records";
        return NULL;
    }
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

bool manifest_lists(const Manifest *m, const char *path)
{
    for (int i = 0; i < m->n; i++)
        if (m->entry[i].kind != MANIFEST_TEMPLATE && strcmp(m->entry[i].path, path) == 0)
            return true;
    return strcmp(path, MANIFEST_PATH) == 0;
}

bool manifest_tells_hashes(const char *path)
{
    const size_t n = strlen(path), suffix = strlen(SBOM_SUFFIX);
    return strcmp(path, MANIFEST_PATH) == 0 || strcmp(path, "package.json") == 0 ||
           (n > suffix && strcmp(path + n - suffix, SBOM_SUFFIX) == 0);
}

bool manifest_has(const Manifest *m, const ManifestEntry *e)
{
    for (int i = 0; i < m->n; i++)
        if (by_kind_and_path(&m->entry[i], e) == 0)
            return true;
    return false;
}
