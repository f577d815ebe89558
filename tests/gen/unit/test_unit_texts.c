/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_texts: which primitives a text has, of which folders, in which order, and what the emulator executes in their
 * place; the text of formulas, of some as golden files formulas/NAME.avx2, NAME.sm_80, NAME.reference and rows_NAME; of
 * all, that it is whole.
 */
#include "tests/test.h"
#include <unistd.h>
#include "tests/gen/unit/unit_place.h"

static void put_primitive(const char *in, const char *name, const char *text)
{
    mkdir(arena_printf(arena, "%s/device", in), 0700);
    put_file(arena_printf(arena, "%s/device/%s.cuh", in, name), text);
}

/* Makes the folder of primitives in a folder, each with its text. */
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
    const UnitContext u = context_with_primitives(root, file, LENGTH(file));
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
    const UnitContext u = context_with_primitives(root, file, LENGTH(file));
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
    const UnitContext u = context_with_primitives(root, (const char *const(*)[2])file, N);
    Diag *d = diag_new(arena);
    assert_string_equal(unit_device(&u, unit_scope(arena, &u), text_str(&calls), d), text_str(&want));
    assert_int_equal(diag_nerror(d), 0);
}

/* A folder before dcgen's own may have further primitives, and others of the same names. The emulator executes the text
 * of these and of their callers, with EMULATOR 1; what it has functions for is not among them. */
TEST(primitives_of_other_folders)
{
    static const char *const file[][2] = { { "a", "A(b(1));\n" }, { "b", "B;\n" }, { "c", "C;\n" } };
    const char *own = root, *given = in_root("given");
    assert_int_equal(mkdir(given, 0700), 0);
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
}

/* A file may be the pattern of many primitives, of which a text has each that it calls once. What its text says of the
 * emulator, the emulator executes. */
TEST(primitives_of_a_pattern)
{
    static const char *const file[][2] = {
        { "many", "DTYPE_many_N float[N / 2] \"N DTYPE\" DTYPE_TF32\n#if EMULATOR\nnumber N\n#else\nasm();\n#endif\n" },
        { "of", "DTYPE_of;\n" },
        { "bf16_of", "its own;\n" },
        { "rows", "rows(f16_of(), DTYPE_many_N());\n" }
    };
    Diag *d = diag_new(arena);
    const UnitContext u = context_with_primitives(root, file, LENGTH(file));
    const FillScope *words = unit_scope(arena, &u);
    const char *text = "one_device::tf32_many_16(); one_device::bf16_many_8(); one_device::bf16_many_8();";
    assert_string_equal(unit_device(&u, words, text, d), "bf16_many_8 float[8 / 2] \"8 bf16\" 0\nasm();\n\n"
                                                         "tf32_many_16 float[16 / 2] \"16 tf32\" 1\nasm();\n");
    assert_string_equal(unit_emulation(&u, words, text, d), "bf16_many_8 float[8 / 2] \"8 bf16\" 0\nnumber 8\n\n"
                                                            "tf32_many_16 float[16 / 2] \"16 tf32\" 1\nnumber 16\n");
    assert_string_equal(unit_device(&u, words, "one_device::rows(); one_device::bf16_of();", d),
                        "its own;\n\nf16_of;\n\nrows(f16_of(), f32_many_N());\n");
    assert_string_equal(unit_emulation(&u, words, "one_device::rows();", d), "");
    assert_int_equal(diag_nerror(d), 0);
    assert_null(unit_device(&u, words, "one_device::u8_many_8();", d));
    assert_null(unit_device(&u, words, "one_device::many_16();", d));
    assert_int_equal(diag_nerror(d), 2);
}

/* ---- formulas ---- */

static const char package_dir[] = DCGEN_SOURCE_DIR "/templates/package";

typedef struct {
    const char *name, *rest;
} Case;

static const char dense[] = "op = \"dense\"; shapes = ( { M = 2; N = 3; K = 4; } );";
static const char batch[] = "op = \"batch_matmul\"; shapes = ( { B0 = 2; B1 = 3; M = 2; N = 3; K = 4; } );";

static const Case dense_cases[] = {
    { "acc", "\"acc\"" },
    { "words", "[\"bias\", \"relu\"]" },
    { "layer", "\"gelu(acc + bias[n]) + residual[m,n]\"" },
    { "constants", "\"acc * 16777213 + s[m] * 1.0000001192092896 - b[n] * 1051382144.0 + 3.40282e38\"" },
    { "parentheses", "\"-(acc - (1 - acc)) * (acc + 2) / (acc * 3) - -(-acc)\"" },
    { "transposed", "\"acc * x[n,m] + s[m]\"" },
    { "twice", "\"exp(acc) + exp(acc) * b[n] + b[n]\"" },
    { "conditions", "\"n < N && (m < 2 || !(acc > 0)) ? acc : m == n ? 0 : -inf\"" },
    { "integers", "\"n + min(m, 3) < len[m] ? acc : n * 2 - max(len[m], n)\"; types = { len = \"s32\"; }" },
    { "names", "\"acc + lanes[n] * v0[m] + i[n,m] + r[m,n]\"" },
    { "types", "\"acc + b[n]\"; dtype = \"f16\"; types = { b = \"f32\"; }" },
    { "halves", "\"acc * s[m] + b[n] + x[n,m]\"; types = { s = \"f16\"; b = \"bf16\"; x = \"f16\"; }" },
    { "gathered", "\"acc + t[row[m],n] * u[m,at[n]]\"; types = { row = \"s32\"; at = \"s32\"; }; extents = { t = "
                  "[\"M\", \"N\"]; u = [\"M\", \"N\"]; }" },
    { "indices",
      "\"acc * s[n / 16] + r[m,(n + N / 2) % N] + q[m - 1,n + 1; acc] + t[m % 2,min(n, 7)]\"; extents = { s = "
      "[\"(N + 15) / 16\"]; r = [\"M\", \"N\"]; q = [\"M\", \"N\"]; t = [\"2\", \"N + 8\"]; }" },
};
static const char gated[] = "op = \"gated_dense\"; shapes = ( { M = 2; N = 3; K = 4; } );";
static const Case sums = { "sums", "\"(acc + b[n]) * silu(gate)\"" };
static const Case masked = { "mask",
                             "\"n < len[b0] ? acc * 0.125 + mask[b0,m,n] : -inf\"; types = { len = \"s32\"; }" };

/* Of ops that are formulas alone: passes along rows. */
static const char rows[] = "op = \"rows\"; shapes = ( { M = 2; N = 3; } );";
static const char heads[] = "op = \"batch_rows\"; shapes = ( { B0 = 2; B1 = 3; M = 2; N = 3; } );";
static const char values[] = "op = \"row_values\"; shapes = ( { M = 2; N = 3; } );";

static const struct {
    const char *op;
    Case of;
} row_cases[] = {
    { heads, { "softmax", "\"softmax[n](n < len[b0] ? x[b0,b1,m,n] * 0.125 : -inf)\"; types = { len = \"s32\"; }" } },
    { rows, { "layernorm", "\"layernorm[n](x[m,n] + r[m,n], 1e-5) * gamma[n] + beta[n]\"" } },
    { rows, { "four", "\"x[m,n] * y[n] + z[m] - max(t[n,m], u[n,n])\"; types = { y = \"f16\"; z = \"bf16\"; }" } },
    { values, { "place", "\"argmax[n](x[m,n])\"" } },
    { values, { "least", "\"sqrt(sum[n](x[m,n] * x[m,n])) + min[n](abs(x[m,n]))\"" } },
    { rows, { "filled", "\"exp(sum[n](x[m,n])) * gamma[m]\"" } },
    { values, { "picked", "\"x[m,at[m]] + m\"; types = { at = \"s32\"; }; extents = { x = [\"M\", \"N\"]; }" } },
    { values, { "whole", "\"x[m] / sum[m](x[m])\"" } },
};

static UnitContext unit_of(const char *op, const Case *c, const char *target)
{
    const char *key = strstr(op, "_rows") || strstr(op, "\"rows") || strstr(op, "row_values") ? "formula" : "epilogue";
    return context_for(target, spec_good(arena, arena_printf(arena, "name = \"one\"; %s %s = %s;", op, key, c->rest),
                                         spec_templates, 1));
}

/* Nothing of a pattern is left, and what is opened is closed; where there is a golden file, it is that. */
static void check_text(const char *name, const char *text)
{
    int open = 0;
    const char *path = arena_printf(arena, "formulas/%s", name);
    for (const char *s = text; *s; s++)
        open += (*s == '(' || *s == '{' || *s == '[') - (*s == ')' || *s == '}' || *s == ']');
    if (!*text || open != 0 || strpbrk(text, "$@") || strstr(text, "PACKAGE") || strstr(text, "MACHINE"))
        fail_msg("%s:\n%s", name, text);
    if (access(path, F_OK) == 0)
        golden_check(arena, path, text);
}

/* Of a text with functions for each instruction set, that of one. */
static const char *part_of(const char *text, const char *target)
{
    const char *name = strstr(text, arena_printf(arena, "one_epilogue_%s(", target)), *begin = text;
    assert_non_null(name);
    for (const char *s = text; (s = strstr(s, "/* ")) && s < name; s++)
        begin = s;
    const char *end = strstr(name, "\n}\n");
    assert_non_null(end);
    return arena_strndup(arena, begin, (size_t)(end + 3 - begin));
}

static void check_case(const char *op, const Case *c)
{
    const UnitContext cpu = unit_of(op, c, "avx2"), gpu = unit_of(op, c, "sm_80");
    Diag *d = diag_new(arena);
    if (strcmp(cpu.spec->dtype, "f32") == 0)
        check_text(arena_printf(arena, "%s.avx2", c->name), part_of(unit_formula(arena, &cpu, "", d), "avx2"));
    check_text(arena_printf(arena, "%s.sm_80", c->name), unit_formula(arena, &gpu, "", d));
    const char *text = unit_formula_reference(arena, cpu.spec, package_dir, false, d);
    const char *begin = strstr(text, "static dcgen_value dcgen_formula("), *end = begin ? strstr(begin, "\n}\n") : NULL;
    assert_non_null(end);
    check_text(arena_printf(arena, "%s.reference", c->name), arena_strndup(arena, begin, (size_t)(end + 3 - begin)));
}

TEST(texts_are_readable)
{
    for (size_t i = 0; i < sizeof dense_cases / sizeof *dense_cases; i++)
        check_case(dense, &dense_cases[i]);
    check_case(batch, &masked);
    check_case(gated, &sums);
    for (size_t i = 0; i < sizeof row_cases / sizeof *row_cases; i++) {
        const Case *c = &row_cases[i].of;
        const UnitContext cpu = unit_of(row_cases[i].op, c, "avx2"), gpu = unit_of(row_cases[i].op, c, "sm_80");
        check_text(arena_printf(arena, "rows_%s.avx2", c->name),
                   unit_formula(arena, &cpu, "one_pass_0_avx2(", diag_new(arena)));
        check_text(arena_printf(arena, "rows_%s.sm_80", c->name), unit_formula(arena, &gpu, "", diag_new(arena)));
    }
}

/* Elements that lie across rows are loaded by blocks, others as ever; nothing is printed where no kernel asks for it,
 * or nothing lies across. */
TEST(blocks_are_readable)
{
    static const Case across = { "blocks", "\"x[b1,n,b0,m] * 2 + k[n,m] - t[m,n]\"; types = { k = \"s32\"; }" },
                      none = { "none", "\"x[b0,b1,m,n]\"" };
    const UnitContext u = unit_of(heads, &across, "avx2"), plain = unit_of(heads, &none, "avx2");
    const char *text = unit_formula(arena, &u, "one_cell_avx2(", diag_new(arena));
    assert_lacks(text, "one_pass_0_avx2(");
    check_text("rows_blocks.avx2", text);
    assert_has(text, "one_block_avx2");
    assert_lacks(unit_formula(arena, &u, "one_pass_0_avx2(", diag_new(arena)), "one_block_avx2");
    assert_lacks(unit_formula(arena, &plain, "", diag_new(arena)), "one_block_avx2");
}

/* Kernels of one instruction set get the function of that one; without a formula there is no text. */
TEST(what_is_called_is_printed)
{
    const UnitContext u = unit_of(dense, &dense_cases[1], "avx2"),
                      none = unit_of(dense, &(Case){ "none", "[]" }, "avx2");
    const char *text = unit_formula(arena, &u, "y = one_epilogue_avx2(a, v, m, n, lanes);", diag_new(arena));
    assert_has(text, "one_epilogue_avx2(");
    assert_lacks(text, "one_epilogue_avx512(");
    assert_lacks(text, "one_epilogue_portable(");
    const UnitContext layer = unit_of(dense, &dense_cases[2], "avx2"),
                      gathered = unit_of(dense, &dense_cases[11], "avx2");
    text = unit_formula(arena, &layer, "one_fetch_avx2(a, m, n);", diag_new(arena));
    assert_has(text, "one_fetch_avx2(const one_args *a, int64_t m, int64_t n)\n{\n    "
                     "__builtin_prefetch(a->residual + m * a->N + n);\n}\n");
    assert_lacks(text, "one_epilogue_avx2(");
    text = unit_formula(arena, &gathered, "one_fetch_avx2(a, m, n);",
                        diag_new(arena)); /* whose places are known from operands */
    assert_has(text, "{\n    (void)a;\n    (void)m, (void)n;\n}\n");
    assert_string_equal(unit_formula(arena, &u, "y = 0;", diag_new(arena)), "");
    assert_string_equal(unit_formula(arena, &none, "", diag_new(arena)), "");
}

TEST_EACH(make, place_teardown)
