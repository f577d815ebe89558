/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_manifest: any text as a package's MANIFEST. What is read lies within the package, and is read the same from its
 * own text; what is wrong has a line of the file.
 */
#include "gen/package/manifest.h"
#include "tests/fuzz/fuzz.h"

static void check_manifest(Arena *a, Manifest *m)
{
    const char *err = NULL;
    for (int i = 0; i < m->n; i++)
        REQUIRE(manifest_is_path(m->entry[i].path));
    const char *text = manifest_text(a, m);
    Manifest *again = (Manifest *)manifest_read(a, text, &err);
    REQUIRE(again && again->n == m->n);
    REQUIRE(strcmp(again->package, m->package) == 0 && strcmp(again->version, m->version) == 0);
    for (int i = 0; i < m->n; i++)
        REQUIRE(manifest_has(again, &m->entry[i]));
    REQUIRE(strcmp(manifest_text(a, again), text) == 0);
}

static int lines_of(const char *text)
{
    int n = *text != '\0';
    for (; *text; text++)
        n += *text == '\n' && text[1];
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    const char *err = NULL, *text = fuzz_source(a, "", data, size)->text;
    Manifest *m = (Manifest *)manifest_read(a, text, &err);
    int line = 0;
    REQUIRE(!m == (err != NULL));
    if (m)
        check_manifest(a, m);
    else if (sscanf(err, "line %d ", &line) == 1)
        REQUIRE(line >= 1 && line <= lines_of(text));
    arena_free(a);
    return 0;
}
