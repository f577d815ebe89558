/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_device: which primitives a text has, of which folders, in which order; and what the emulator executes in their place.
 */
#include "tests/test.h"
#include "tests/gen/unit/unit_place.h"

static char folder[TMP_FOLDER_BYTES]; /* of a test */

static int make_folder(void **state) { return make(state) == 0 && tmp_folder(folder) ? 0 : -1; }
static int remove_folder(void **state) { return teardown(state) | tmp_folder_remove(folder); }

static void put_primitive(const char *in, const char *name, const char *text)
{
    mkdir(arena_printf(arena, "%s/device", in), 0700);
    put_file(arena_printf(arena, "%s/device/%s.cuh", in, name), text);
}

/* Makes the folder of primitives in `folder`, each with its text. */
static UnitContext context_with_primitives(const char *in, const char *const (*file)[2], int n)
{
    assert_int_equal(mkdir(arena_printf(arena, "%s/package", in), 0700), 0);
    for (int i = 0; i < n; i++)
        put_primitive(in, file[i][0], arena_printf(arena, LICENCE "%s", file[i][1]));
    UnitContext u = context_of("sm_90a", "");
    u.spec = spec_in(u.spec, &in, 1);
    u.package_dir = arena_printf(arena, "%s/package", in);
    return u;
}

/* A primitive stands behind those that it calls, each once; those that nobody calls are left out. */
TEST(primitives_in_their_order)
{
    static const char *const file[][2] = { { "a", "A(c(1), xb(2));\n" },
                                           { "b", "B NAME;\n" },
                                           { "c", "C(b(3), c(4));\n" },
                                           { "d", "D;\n" },
                                           { "e", "E; /* as d() does */ asm(\"d()\");\n" } };
    Diag *d = diag_new(arena);
    const UnitContext u = context_with_primitives(folder, file, LENGTH(file));
    const FillScope *words = unit_scope(arena, &u);
    assert_string_equal(unit_device(&u, words, "one_device::a(1); one_device::a(2);", d),
                        "B one;\n\nC(b(3), c(4));\n\nA(c(1), xb(2));\n");
    assert_string_equal(unit_device(&u, words, "one_device::d(); one_device::b();", d), "B one;\n\nD;\n");
    assert_string_equal(unit_device(&u, words, "one_device::e();", d), "E; /* as d() does */ asm(\"d()\");\n");
    assert_string_equal(unit_device(&u, words, "other_device::d();", d), "");
    assert_int_equal(diag_nerror(d), 0);
    assert_null(unit_device(&u, words, "one_device::none();", d));
    assert_int_equal(diag_nerror(d), 1);
}

/* Of two that call each other, neither can stand behind the other. */
TEST(primitives_in_a_circle)
{
    static const char *const file[][2] = { { "a", "b();\n" }, { "b", "int x = c();\n" }, { "c", "a();\n" } };
    const UnitContext u = context_with_primitives(folder, file, LENGTH(file));
    const FillScope *words = unit_scope(arena, &u);
    Diag *d = diag_new(arena);
    assert_null(unit_device(&u, words, "one_device::b();", d));
    assert_int_equal(diag_nerror(d), 1);
    const char *said = golden_diag(arena, d);
    assert_has(said, "device/a.cuh:2:1: error: 'a' and 'b' call each other");
}

TEST(primitives_may_be_many)
{
    enum { N = 70 };
    const char *file[N][2];
    Text calls = { .arena = arena }, want = { .arena = arena };
    for (int i = 0; i < N; i++) {
        file[i][0] = arena_printf(arena, "p%02d", i);
        file[i][1] = arena_printf(arena, "P%d;\n", i);
        text_printf(&calls, "one_device::%s();", file[i][0]);
        text_printf(&want, "%s%s", i ? "\n" : "", file[i][1]);
    }
    const UnitContext u = context_with_primitives(folder, (const char *const(*)[2])file, N);
    Diag *d = diag_new(arena);
    assert_string_equal(unit_device(&u, unit_scope(arena, &u), text_str(&calls), d), text_str(&want));
    assert_int_equal(diag_nerror(d), 0);
}

/* A folder before dcgen's own may have further primitives, and others of the same names. The emulator executes the text of these and of their
 * callers, with EMULATOR 1; what it has functions for is not among them. */
TEST(primitives_of_other_folders)
{
    static const char *const file[][2] = { { "a", "A(b(1));\n" }, { "b", "B;\n" }, { "c", "C;\n" } };
    char own[TMP_FOLDER_BYTES], given[TMP_FOLDER_BYTES];
    assert_non_null(tmp_folder(own));
    assert_non_null(tmp_folder(given));
    Diag *d = diag_new(arena);
    UnitContext u = context_with_primitives(own, file, LENGTH(file));
    u.spec = spec_in(u.spec, (const char *const[]){ given, own }, 2);
    const FillScope *words = unit_scope(arena, &u);
    const char *plain_hash = unit_context_hash(arena, &u);
    put_primitive(given, "x", "first line of x(c());\n#if EMULATOR\nin its place\n#else\nasm();\n#endif\n");
    assert_string_equal(unit_device(&u, words, "one_device::x();", d), "C;\n\nfirst line of x(c());\nasm();\n");
    assert_string_equal(unit_emulation(&u, words, "one_device::x();", d), "first line of x(c());\nin its place\n");
    assert_string_equal(unit_emulation(&u, words, "one_device::a();", d), "");
    assert_string_equal(unit_context_hash(arena, &u), plain_hash); /* which kernels call it is the template's to say */

    put_primitive(given, "b", "its own b(y<1>(2));\n");
    put_primitive(given, "y", "y __asm__;\n");
    const char *error =
        "#error \"the emulator cannot execute the assembly of the primitive 'y': what it does instead belongs under "
        "'#if EMULATOR' in its file\"\n";
    assert_string_equal(unit_device(&u, words, "one_device::a();", d),
                        "y __asm__;\n\nits own b(y<1>(2));\n\nA(b(1));\n");
    assert_string_equal(unit_emulation(&u, words, "one_device::a();", d),
                        arena_printf(arena, "%s\nits own b(y<1>(2));\n\nA(b(1));\n", error));
    assert_int_equal(diag_nerror(d), 0);
    const char *hash = unit_context_hash(arena, &u); /* all of dcgen's own count, and what they call */
    assert_string_not_equal(hash, plain_hash);
    put_primitive(given, "y", "y other;\n");
    assert_string_not_equal(unit_context_hash(arena, &u), hash);

    static const struct {
        const char *call, *text, *want;
    } bad[] = {
        { "one_device::w();", "int other() { w2(); }\n",
          "/device/w.cuh:1:1: error: this file has no 'w': expected the function that its name says" },
        { "one_device::bb();", NULL,
          "kernels:1:13: error: there is no primitive 'bb': no folder of templates has a file 'device/bb.cuh'" },
        { "one_device::folder();", "", "/device/folder.cuh: error: this is a folder, expected a file" }
    };
    assert_int_equal(mkdir(arena_printf(arena, "%s/device/folder.cuh", given), 0700), 0);
    for (size_t i = 0; i < LENGTH(bad); i++) {
        Diag *said = diag_new(arena);
        if (bad[i].text && *bad[i].text)
            put_primitive(given, "w", bad[i].text);
        assert_null(unit_device(&u, words, bad[i].call, said));
        const char *text = golden_diag(arena, said);
        if (diag_nerror(said) != 1 || !strstr(text, bad[i].want))
            fail_msg("wanted %s, got\n%s", bad[i].want, text);
    }
    assert_int_equal(tmp_folder_remove(own), 0);
    assert_int_equal(tmp_folder_remove(given), 0);
}

TEST_EACH(make_folder, remove_folder)
