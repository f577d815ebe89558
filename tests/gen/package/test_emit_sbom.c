/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_sbom: the bill of materials is what SPDX 2.3 asks for: fields, names, relationships, and every file of MANIFEST once with its hashes.
 * Another package has another name.
 */
#include "tests/test.h"
#include <jansson.h>
#include "gen/package/manifest.h"
#include "tests/gen/package/emit_results.h"
#include "tests/gen/pairs.h"

#define SHA1_OF_ABC "a9993e364706816aba3e25717850c26c9cd0d89d"
#define SHA256_OF_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static json_t *sbom_of(const Package *p)
{
    json_error_t error;
    const char *text = package_text(p, "two.spdx.json");
    assert_non_null(text);
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!o)
        fail_msg("line %d: %s", error.line, error.text);
    return o;
}

static const char *text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    if (!s || !*s)
        fail_msg("there is no text \"%s\"", key);
    return s ? s : "";
}

/* "KEY -> TEXT; ..." */
static void has_texts(const json_t *o, const char *texts)
{
    for (Pairs p = { .rest = texts }; pairs_next(y.arena, &p);)
        assert_string_equal(text_of(o, p.text), p.value);
}

static const json_t *elem(const json_t *o, const char *list, size_t i)
{
    const json_t *e = json_array_get(json_object_get(o, list), i);
    if (!e)
        fail_msg("there is no \"%s\" %zu", list, i);
    return e;
}

/* "SPDXRef-", then letters, digits, '.' and '-'. */
static void is_id(const char *id)
{
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-", begin[] = "SPDXRef-";
    if (strncmp(id, begin, strlen(begin)) != 0 || !id[strlen(begin)] || id[strspn(id, all)])
        fail_msg("'%s' is no name of SPDX's", id);
}

static const char *hash_of(const json_t *file, size_t i, const char *algorithm)
{
    const json_t *sum = elem(file, "checksums", i);
    assert_string_equal(text_of(sum, "algorithm"), algorithm);
    return text_of(sum, "checksumValue");
}

static const json_t *file_of(const json_t *o, const char *path)
{
    json_t *file;
    size_t i;
    const char *name = arena_printf(y.arena, "./%s", path);
    json_array_foreach(json_object_get(o, "files"), i,
                       file) if (strcmp(text_of(file, "fileName"), name) == 0) return file;
    fail_msg("there is no file %s", path);
    return NULL;
}

TEST(document_and_package_have_what_spdx_requires)
{
    EmitInput in;
    json_t *o = sbom_of(make_two(&in));
    const json_t *made = json_object_get(o, "creationInfo"), *p = elem(o, "packages", 0);
    has_texts(o, "spdxVersion -> SPDX-2.3; dataLicense -> CC0-1.0; SPDXID -> SPDXRef-DOCUMENT; name -> two-1.2.3");
    has_texts(p, "name -> two; versionInfo -> 1.2.3; licenseDeclared -> MIT-0; licenseConcluded -> MIT-0; "
                 "downloadLocation -> NOASSERTION");
    has_texts(made, "created -> 1970-01-01T00:00:00Z");
    assert_string_equal(json_string_value(elem(made, "creators", 0)), "Tool: dcgen-1.2.3");
    is_id(text_of(p, "SPDXID"));
    assert_has(package_text(make_two(&in), "LICENSE"), text_of(p, "copyrightText"));
    assert_true(json_is_true(json_object_get(p, "filesAnalyzed")));
    const json_t *code = json_object_get(p, "packageVerificationCode");
    assert_int_equal(strlen(text_of(code, "packageVerificationCodeValue")), 40);
    assert_string_equal(json_string_value(elem(code, "packageVerificationCodeExcludedFiles", 0)), "./two.spdx.json");
    assert_string_equal(json_string_value(elem(code, "packageVerificationCodeExcludedFiles", 1)), "./MANIFEST");
    json_decref(o);
}

TEST(every_file_is_there_once_with_the_hashes_of_its_bytes)
{
    EmitInput in;
    const char *err = NULL;
    make_two(&in);
    in.spec_text = "abc";
    in.report = "<!-- the report -->";
    const Package *p = package_of(&in);
    json_t *o = sbom_of(p);
    const Manifest *m = manifest_read(y.arena, package_text(p, "MANIFEST"), &err);
    assert_non_null(m);
    size_t nfile = 0;
    for (int i = 0; i < m->n; i++) {
        const ManifestEntry *e = &m->entry[i];
        if (e->kind == MANIFEST_TEMPLATE || strcmp(e->path, "two.spdx.json") == 0)
            continue;
        const json_t *file = file_of(o, e->path);
        nfile++;
        is_id(text_of(file, "SPDXID"));
        assert_string_equal(hash_of(file, 1, "SHA256"), e->hash);
        assert_int_equal(strlen(hash_of(file, 0, "SHA1")), 40);
        assert_string_equal(text_of(file, "licenseConcluded"),
                            strcmp(e->path, "spec.cfg") == 0 ? "NOASSERTION" : "MIT-0");
    }
    assert_true(nfile > 10 && m->n > (int)nfile);
    assert_int_equal(json_array_size(json_object_get(o, "files")), nfile);
    assert_string_equal(hash_of(file_of(o, "spec.cfg"), 0, "SHA1"), SHA1_OF_ABC);
    assert_string_equal(hash_of(file_of(o, "spec.cfg"), 1, "SHA256"), SHA256_OF_ABC);
    json_decref(o);
}

/* What the files say of their licence themselves. */
TEST(licences_in_files_are_read)
{
    EmitInput in;
    make_two(&in);
    in.spec_text = "# SPDX-License-Identifier: Apache-2.0\n";
    in.records = "# SPDX-License-Identifier: MIT-0\n";
    json_t *o = sbom_of(package_of(&in));
    static const char *const want[][2] = { { "kernels.c", "MIT-0" },    { "two.h", "MIT-0" },
                                           { "LICENSE", "MIT-0" },      { "package.json", "NONE" },
                                           { "README.md", "NONE" },     { "spec.cfg", "NOASSERTION" },
                                           { "records.jsonl", "MIT-0" } };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_string_equal(json_string_value(elem(file_of(o, want[i][0]), "licenseInfoInFiles", 0)), want[i][1]);
    json_decref(o);
}

TEST(relationships_are_of_what_is_there)
{
    EmitInput in;
    json_t *o = sbom_of(make_two(&in)), *all = json_object(), *row;
    const char *package = text_of(elem(o, "packages", 0), "SPDXID");
    size_t i, ncontained = 0, nfile = json_array_size(json_object_get(o, "files"));
    json_object_set_new(all, text_of(o, "SPDXID"), json_true());
    json_object_set_new(all, package, json_true());
    json_array_foreach(json_object_get(o, "files"), i, row)
        json_object_set_new(all, text_of(row, "SPDXID"), json_true());
    assert_int_equal(json_object_size(all), nfile + 2); /* no name is there twice */
    json_array_foreach(json_object_get(o, "relationships"), i, row)
    {
        const char *from = text_of(row, "spdxElementId"), *to = text_of(row, "relatedSpdxElement");
        assert_non_null(json_object_get(all, from));
        if (!json_object_get(all, to))
            fail_msg("'%s' is nothing of the document's", to);
        ncontained += strcmp(text_of(row, "relationshipType"), "CONTAINS") == 0 && strcmp(from, package) == 0;
    }
    assert_int_equal(ncontained, nfile);
    assert_string_equal(text_of(elem(o, "relationships", 0), "relationshipType"), "DESCRIBES");
    assert_string_equal(text_of(elem(o, "relationships", 0), "relatedSpdxElement"), package);
    json_decref(all);
    json_decref(o);
}

TEST(the_name_in_the_world_follows_from_the_bytes)
{
    EmitInput in;
    static const char begin[] = "https://spdx.org/spdxdocs/two-1.2.3-";
    make_two(&in);
    json_t *one = sbom_of(package_of(&in)), *again = sbom_of(package_of(&in));
    in.records = "others";
    json_t *other = sbom_of(package_of(&in));
    const char *name = text_of(one, "documentNamespace");
    assert_int_equal(strncmp(name, begin, strlen(begin)), 0);
    assert_int_equal(strspn(name + strlen(begin), "0123456789abcdef"), 64);
    assert_true(json_equal(one, again));
    assert_string_not_equal(name, text_of(other, "documentNamespace"));
    assert_string_not_equal(
        text_of(json_object_get(elem(one, "packages", 0), "packageVerificationCode"), "packageVerificationCodeValue"),
        text_of(json_object_get(elem(other, "packages", 0), "packageVerificationCode"),
                "packageVerificationCodeValue"));
    json_decref(one);
    json_decref(again);
    json_decref(other);
}

TEST_FILE(make_y, drop)
