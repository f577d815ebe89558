/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_sbom: a package's bill of materials, NAME.spdx.json, as SPDX 2.3 has it: the package, and each of its files with
 * its licence and its hashes. That is all but itself and MANIFEST, which names it. The same files give the same bytes:
 * the date is a fixed one, and the document's name in the world ends in the hash of all that it says.
 */
#include <ctype.h>
#include <sha1.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/order.h"
#include "gen/base/quote.h"
#include "gen/base/text.h"
#include "gen/package/emit_private.h"

static const char licence[] = "MIT-0", unknown[] = "NOASSERTION";

static const char *sha1(Arena *a, const char *text, size_t len)
{
    char hash[SHA1_DIGEST_STRING_LENGTH];
    return arena_strdup(a, SHA1Data((const uint8_t *)text, len, hash));
}

/* SPDX's name of a file: letters, digits, '.' and '-'. */
static const char *file_id(Arena *a, const char *path)
{
    char *id = arena_printf(a, "SPDXRef-File-%s", path);
    for (char *c = id; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.')
            *c = '-';
    return id;
}

/* The licence that the file itself declares. */
static const char *licence_declared(const PackageFile *f)
{
    static const char tag[] = "SPDX-License-Identifier: ";
    const char *at = strstr(f->text, tag);
    if (!at)
        return strcmp(f->path, "LICENSE") == 0 ? licence : "NONE";
    at += strlen(tag);
    return strcspn(at, " \n") == strlen(licence) && strncmp(at, licence, strlen(licence)) == 0 ? licence : unknown;
}

static void add_file(Arena *a, FillScope *row, const PackageFile *f, const char *hash)
{
    const char *suffix = strrchr(f->path, '.'); /* the spec and its logs are their author's */
    const bool is_ours = strcmp(f->path, "spec.cfg") != 0 && (!suffix || strcmp(suffix, SPEC_LOG_SUFFIX) != 0);
    FILL_WORDS(row, WORD("FILE_JSON", quote_json_text(a, arena_printf(a, "./%s", f->path))),
               WORD("FILE_ID", file_id(a, f->path)), WORD("SHORT_HASH", hash),
               WORD("HASH", manifest_hash(a, f->text, f->len)), WORD("CONCLUDED", is_ours ? licence : unknown),
               WORD("SAID", licence_declared(f)));
}

/* SPDX's hash of a package: of its files' hashes, sorted, one behind the other. */
static const char *verification_code(Arena *a, const char **hash, int n)
{
    Text t = { .arena = a };
    qsort(hash, (size_t)n, sizeof *hash, order_word);
    for (int i = 0; i < n; i++)
        text_add(&t, hash[i]);
    return sha1(a, text_str(&t), t.len);
}

const char *emit_sbom(Emitter *e, const Package *p, const FillScope *scope)
{
    static const char pattern[] = "spdx.json";
    Arena *a = e->arena;
    FillScope *s = fill_scope(a, scope);
    const char **hash = ARENA_ARRAY(a, (size_t)p->n, const char *);
    fill_list(s, "files");
    for (int i = 0; i < p->n; i++) {
        hash[i] = sha1(a, p->file[i].text, p->file[i].len);
        add_file(a, fill_row(s), &p->file[i], hash[i]);
    }
    FILL_WORDS(s, WORD("VERIFICATION_CODE", verification_code(a, hash, p->n)), WORD("CONTENT_HASH", ""));
    const char *nameless = emit_json(e, pattern, s);
    if (!nameless)
        return NULL;
    fill_word(s, "CONTENT_HASH", manifest_hash(a, nameless, strlen(nameless)));
    return emit_json(e, pattern, s);
}
