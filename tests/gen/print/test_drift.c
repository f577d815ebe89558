/* SPDX-License-Identifier: Apache-2.0
 *
 * drift: a small package on disk against its MANIFEST, against templates, and against what would be written again.
 */
#include "tests/test.h"
#include <unistd.h>
#include "gen/print/drift.h"
#include "tests/gen/json_like.h"
#include "tests/gen/place.h"
#include "tests/gen/printed.h"

static const char *const NAMES[] = { ".gitattributes", "kernels.c",  "package.json", "pool.c",
                                     "records.jsonl",  "src/deep.c", "spec.cfg",     "shapes_f.csv" };
enum { NFILE = sizeof NAMES / sizeof *NAMES };

static void drop(const char *name) { assert_int_equal(remove(in_root(name)), 0); }

static const char *text_of(const char *name) { return arena_printf(arena, "%s\nas written\n", name); }
static const char *crlf_of(const char *name) { return arena_printf(arena, "%s\r\nas written\r\n", name); }

static void set_text(PackageFile *f, const char *text)
{
    f->text = text;
    f->len = strlen(text);
}

/* As dcgen of that version makes it, of the template dense/op.cfg and of another; MANIFEST is the last file. */
static Package package_of(const char *version, const char *other)
{
    Package p = { ARENA_ARRAY(arena, NFILE + 2, PackageFile), NFILE + 1 };
    Manifest m = { .package = "pkg", .version = version };
    manifest_add(arena, &m, true, "dense/op.cfg", "op", 2);
    manifest_add(arena, &m, true, other, "other", 5);
    for (int i = 0; i < NFILE; i++) {
        p.file[i].path = NAMES[i];
        set_text(&p.file[i], text_of(NAMES[i]));
        manifest_add(arena, &m, false, NAMES[i], p.file[i].text, p.file[i].len);
    }
    p.file[NFILE].path = MANIFEST_PATH;
    set_text(&p.file[NFILE], manifest_text(arena, &m));
    return p;
}

static void put_package(const char *version)
{
    const Package p = package_of(version, "dense/pack.c");
    for (int i = 0; i < p.n; i++)
        put(p.file[i].path, p.file[i].text);
}

static int setup(void **state)
{
    if (place_setup(state) || mkdir(in_root("src"), 0700) != 0)
        return -1;
    put_package(DCGEN_VERSION);
    return 0;
}

static Drift drift(void)
{
    Drift d;
    const char *err = NULL;
    if (!drift_of_files(arena, root, &d, &err))
        fail_msg("%s", err);
    return d;
}

static const char *printed(const Drift *d, bool json)
{
    Drift named = *d;
    named.folder = "pkg"; /* wherever it is */
    return PRINTED(arena, to, drift_print(&named, json, to));
}

/* What is said of the folder by itself, and what is found. */
static void said(const char *want, bool found, bool may_replay)
{
    Drift d = drift();
    assert_int_equal(drift_found(&d), found);
    assert_int_equal(drift_may_replay(&d), may_replay);
    assert_string_equal(printed(&d, false), want);
}

/* As JSON, with these lists, of a package of this dcgen. */
static void json_is(const Drift *d, const char *edited, const char *missing, const char *line_ends, const char *changed,
                    bool replayed, bool same)
{
    json_text_like(printed(d, true),
                   arena_printf(arena,
                                "{'name': 'pkg', 'made_by': '" DCGEN_VERSION "', 'dcgen': '" DCGEN_VERSION
                                "', 'edited': [%s], 'missing': [%s], 'line_ends': [%s], 'extra': [], 'maker': [], "
                                "'changed': [%s], 'replayed': %s, 'same': %s}",
                                edited, missing, line_ends, changed, replayed ? "true" : "false",
                                same ? "true" : "false"));
}

#define NOT_AGAIN "pkg: not made again, as that takes its own spec.cfg, logs of shapes and records.jsonl\n"
#define CR_LF                                                                                                    \
    ", but for CR LF at the ends of lines; keep the package's .gitattributes beside them (\"* -text\"), remove " \
    "them and check them out again\n"

TEST(nothing_is_found_where_nothing_changed)
{
    said("", false, true);
    Drift d = drift();
    assert_has(printed(&d, true), "\"replayed\": false"); /* nobody asked yet whether it is the same */
    assert_has(printed(&d, true), "\"same\": false");
    const Package again = package_of(DCGEN_VERSION, "dense/pack.c");
    drift_of_package(arena, &again, &d);
    assert_false(drift_found(&d));
    assert_string_equal(printed(&d, false), "pkg: as dcgen " DCGEN_VERSION " writes it, byte for byte\n");
    json_is(&d, "", "", "", "", true, true);
}

/* In the order of their names, though MANIFEST has spec and records first. */
TEST(each_file_is_as_it_was_or_is_named)
{
    put("kernels.c", "mine");
    said("edited: kernels.c\npkg: edited by hand: 1 file is not as dcgen " DCGEN_VERSION " wrote it\n", true, true);
    drop("kernels.c");
    said("missing: kernels.c\npkg: edited by hand: 1 file is not as dcgen " DCGEN_VERSION " wrote it\n", true, true);
    assert_int_equal(mkdir(in_root("kernels.c"), 0700), 0);
    said("edited: kernels.c\nextra: kernels.c/ (no file of the package; regenerating in place takes --force, which "
         "keeps it)\npkg: edited by hand: 1 file is not as dcgen " DCGEN_VERSION " wrote it\n",
         true, true);
    drop("kernels.c");
    drop("src/deep.c");
    drop("spec.cfg");
    put("records.jsonl", "mine");
    put("pool.c", "mine");
    said("edited: pool.c\nedited: records.jsonl\nmissing: kernels.c\nmissing: spec.cfg\nmissing: src/deep.c\n"
         "pkg: edited by hand: 5 files are not as dcgen " DCGEN_VERSION " wrote them\n" NOT_AGAIN,
         true, false);
}

/* A package is made of the logs of shapes that it holds. */
TEST(logs_are_inputs_too)
{
    put("shapes_f.csv", "mine");
    said("edited: shapes_f.csv\npkg: edited by hand: 1 file is not as dcgen " DCGEN_VERSION " wrote it\n" NOT_AGAIN,
         true, false);
}

TEST(line_ends_are_told_from_edits)
{
    put("spec.cfg", crlf_of("spec.cfg")); /* of the inputs one is enough */
    assert_false(drift_may_replay((Drift[]){ drift() }));
    put("spec.cfg", text_of("spec.cfg"));
    put("src/deep.c", crlf_of("src/deep.c"));
    said("line ends: src/deep.c\npkg: line ends were changed (git's autocrlf?): 1 file is as dcgen wrote it" CR_LF,
         true, true);
    put("records.jsonl", crlf_of("records.jsonl"));
    put(".gitattributes", crlf_of(".gitattributes"));
    said("line ends: .gitattributes\nline ends: records.jsonl\nline ends: src/deep.c\n"
         "pkg: line ends were changed (git's autocrlf?): 3 files are as dcgen wrote them" CR_LF NOT_AGAIN,
         true, false);
    assert_int_equal(system(arena_printf(arena, "sed -i 's/$/\\r/' '%s'", in_root(MANIFEST_PATH))), 0);
    Drift d = drift();
    json_is(&d, "", "", "'.gitattributes', 'MANIFEST', 'records.jsonl', 'src/deep.c'", "", false, false);
}

TEST(what_is_beside_is_no_fault)
{
    put("src/mine.c", "mine");
    said("extra: src/mine.c (no file of the package; regenerating in place takes --force, which keeps it)\n", false,
         true);
}

TEST(a_manifest_that_is_gone_or_none)
{
    drop(MANIFEST_PATH);
    said("missing: MANIFEST\npkg: edited by hand: 1 file is not as dcgen of an unknown version wrote it\n", true, true);
    Drift d = drift();
    json_text_like(
        printed(&d, true),
        "{'name': null, 'made_by': null, 'dcgen': '" DCGEN_VERSION
        "', 'edited': [], 'missing': ['MANIFEST'], 'line_ends': [], 'extra': [], 'maker': [], 'changed': [], "
        "'replayed': false, 'same': false}");
    const Package again = package_of(DCGEN_VERSION, "dense/pack.c");
    drift_of_package(arena, &again, &d); /* what it was made of nobody knows */
    assert_int_equal(d.maker.n + d.changed.n, 0);
    put(MANIFEST_PATH, "rubbish\n");
    said("edited: MANIFEST\npkg: MANIFEST: line 1 is none of a package's manifest\n"
         "pkg: edited by hand: 1 file is not as dcgen of an unknown version wrote it\n",
         true, true);
    drop("spec.cfg"); /* a MANIFEST of any kind, or a spec: one is enough */
    d = drift();
    drop(MANIFEST_PATH);
    const char *err = NULL;
    assert_false(drift_of_files(arena, root, &d, &err));
    assert_string_equal(
        err, arena_printf(arena, "'%s' is no package of dcgen's: it has neither MANIFEST nor spec.cfg", root));
}

#define OTHERS "pkg: made by another dcgen or other templates than these: regenerating would change it\n"

/* One of its text in any of the folders will do, whatever is in the others. */
TEST(templates_are_looked_for_in_every_folder)
{
    const TextList folders = { .item = (const char *[]){ in_root("t1"), in_root("t2"), NULL }, .n = 2 };
    static const char *const made[] = { "t1", "t1/dense", "t2", "t2/dense" };
    for (int i = 0; i < 4; i++)
        assert_int_equal(mkdir(in_root(made[i]), 0700), 0);
    put("t1/dense/op.cfg", "another");
    put("t2/dense/op.cfg", "op");
    put("t1/dense/pack.c", "other");
    Drift d = drift();
    drift_of_templates(arena, &folders, &d);
    assert_int_equal(d.maker.n, 0);
    put("t2/dense/op.cfg", "Op");
    drop("t1/dense/pack.c");
    drift_of_templates(arena, &folders, &d);
    drift_of_templates(arena, &folders, &d); /* each is said once */
    d.extra.n = 0;
    assert_true(drift_found(&d));
    assert_string_equal(printed(&d, false), "made by: template dense/op.cfg\nmade by: template dense/pack.c\n" OTHERS);
    drop(MANIFEST_PATH);
    d = drift();
    drift_of_templates(arena, &folders, &d); /* of what it was made nothing is known */
    assert_int_equal(d.maker.n, 0);
}

TEST(another_version_is_named)
{
    put_package("0.0.1");
    said("made by: dcgen 0.0.1\n" OTHERS, true, true);
}

/* Beside edited files those that hold their hashes say nothing new. */
TEST(what_would_be_written_otherwise_is_named)
{
    Package again = package_of(DCGEN_VERSION, "dense/pack.c");
    set_text(&again.file[5], text_of("src/DEEP.c")); /* as long as before */
    set_text(&again.file[1], "");
    set_text(&again.file[2], "{}");
    set_text(&again.file[3], arena_printf(arena, "%sand more\n", text_of("pool.c")));
    Manifest m = { .package = "pkg", .version = DCGEN_VERSION };
    manifest_add(arena, &m, true, "dense/op.cfg", "op", 2);
    manifest_add(arena, &m, true, "dense/pack.c", "other", 5);
    for (int i = 0; i < NFILE; i++)
        manifest_add(arena, &m, false, NAMES[i], again.file[i].text, again.file[i].len);
    set_text(&again.file[NFILE], manifest_text(arena, &m));
    again.file[NFILE + 1] = (PackageFile){ "more.c", "", 0 };
    again.n++;
    Drift d = drift();
    drift_of_package(arena, &again, &d);
    assert_true(drift_found(&d));
    assert_string_equal(printed(&d, false),
                        "would change: MANIFEST\nwould change: kernels.c\nwould change: more.c\n"
                        "would change: package.json\nwould change: pool.c\nwould change: src/deep.c\n"
                        "pkg: this dcgen, of the same version and templates, makes other bytes of its spec.cfg and "
                        "records.jsonl: files were edited together with their hashes in MANIFEST\n");
    put("kernels.c", "mine");
    drop("pool.c");
    d = drift();
    drift_of_package(arena, &again, &d);
    json_is(&d, "'kernels.c'", "'pool.c'", "", "'more.c', 'src/deep.c'", true, false);
}

/* A file that is not written any more; templates that came and went. */
TEST(what_came_and_went_is_named)
{
    Package again = package_of(DCGEN_VERSION, "dense/new.c");
    again.file[0] = again.file[NFILE];
    again.n = NFILE - 1; /* without .gitattributes, shapes_f.csv and MANIFEST at its end */
    Drift d = drift();
    drift_of_package(arena, &again, &d);
    assert_string_equal(printed(&d, false), "made by: template dense/pack.c\nmade by: template dense/new.c\n"
                                            "would change: .gitattributes\nwould change: MANIFEST\n"
                                            "would change: shapes_f.csv\n" OTHERS);
}

TEST_EACH(setup, place_teardown)
