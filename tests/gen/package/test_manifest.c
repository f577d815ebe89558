/* SPDX-License-Identifier: Apache-2.0
 *
 * manifest: the same entries give the same text in any order and are read back as they were; what is no manifest is
 * refused by its line.
 */
#include "tests/test.h"
#include "gen/package/manifest.h"
#include "tests/arena.h"

#define SHA256_OF_NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static Manifest manifest_of(const char *const *path, int n)
{
    Manifest m = { .package = "name", .release = "4.5.6-rc.1", .version = "1.2.3" };
    for (int i = 0; i < n; i++)
        manifest_add(arena, &m, false, path[i], path[i], strlen(path[i]));
    manifest_add(arena, &m, true, "op/a.c", "x", 1);
    manifest_add(arena, &m, true, "op/a.c", "y", 1); /* of another folder of templates */
    manifest_add(arena, &m, true, "op/a.c", "x", 1);
    manifest_add(arena, &m, false, "spec.cfg", "", 0);
    return m;
}

TEST(is_sorted_and_has_nothing_twice)
{
    static const char *const one[] = { "b.c", "a.c" }, *const other[] = { "a.c", "b.c", "a.c" };
    Manifest m = manifest_of(one, 2), n = manifest_of(other, 3);
    const char *text = manifest_text(arena, &m);
    assert_string_equal(text, manifest_text(arena, &n));
    assert_int_equal(m.n, 5);
    const char *spec = strstr(text, "\n" SHA256_OF_NOTHING "  spec.cfg\n");
    const char *template = strstr(text, "\n# template "), *file = strstr(text, "  a.c\n");
    assert_true(template && template <spec &&spec < file);
    assert_true(strstr(text, "  a.c\n") < strstr(text, "  b.c\n"));
}

TEST(is_read_as_it_was_written)
{
    static const char *const path[] = { "b with blanks.c", "deep/a.c" };
    const char *err = NULL;
    Manifest m = manifest_of(path, 2);
    const Manifest *read = manifest_read(arena, manifest_text(arena, &m), &err);
    assert_non_null(read);
    assert_string_equal(read->package, "name");
    assert_string_equal(read->release, "4.5.6-rc.1");
    Manifest earlier = m;
    earlier.release = NULL;
    assert_null(manifest_read(arena, manifest_text(arena, &earlier), &err)->release);
    assert_string_equal(read->version, "1.2.3");
    assert_int_equal(read->n, m.n);
    for (int i = 0; i < m.n; i++)
        assert_true(manifest_has(read, &m.entry[i]));
    assert_int_equal(read->entry[0].kind, MANIFEST_TEMPLATE);
    assert_int_equal(read->entry[2].kind, MANIFEST_SPEC);
    assert_int_equal(read->entry[3].kind, MANIFEST_FILE);
    ManifestEntry changed = m.entry[0];
    changed.hash = SHA256_OF_NOTHING;
    assert_false(manifest_has(read, &changed));
}

TEST(refuses_what_is_none)
{
    static const struct {
        const char *text, *err;
    } row[] = {
        { "", "it names no package and no version of dcgen" },
        { "# package p\n", "it names no package and no version of dcgen" },
        { "# package p\n# dcgen 1\n" SHA256_OF_NOTHING "  /etc/passwd\n", "line 3 is none of a package's manifest" },
        { "# package p\n# dcgen 1\n" SHA256_OF_NOTHING "  a/../../b\n", "line 3 is none of a package's manifest" },
        { "# package p\n# dcgen 1\n# template " SHA256_OF_NOTHING "  ../b\n",
          "line 3 is none of a package's manifest" },
        { "# package p\n# dcgen 1\n" SHA256_OF_NOTHING " a.c\n", "line 3 is none of a package's manifest" },
        { "# package p\n## prose\n\n", "line 3 is none of a package's manifest" },
        { "# package p\n# prose\n", "line 2 is none of a package's manifest" },
        { "# package p\n0123  a.c\n", "line 2 is none of a package's manifest" },
        { "# package p\n# dcgen 1\n" SHA256_OF_NOTHING "0  a.c\n", "line 3 is none of a package's manifest" },
        { "# dcgen-manifest 3\n", "line 1 is none of a package's manifest" },
        { "# package \n", "line 1 is none of a package's manifest" },
        { "# What dcgen wrote here\npackage p\ndcgen 0.1.0\nfile 0123456789abcdef0123456789abcdef  a.c\n",
          "an earlier dcgen wrote it, with other hashes: make the package again from its spec and records" },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *err = NULL;
        assert_null(manifest_read(arena, row[i].text, &err));
        assert_string_equal(err, row[i].err);
    }
}

TEST_FILE(setup, teardown)
