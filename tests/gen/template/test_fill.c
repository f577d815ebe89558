/* SPDX-License-Identifier: Apache-2.0
 *
 * fill: what becomes of names, conditions, repeated lines and sections; every error with its place.
 */
#include "tests/test.h"
#include "gen/template/fill.h"
#include "tests/arena.h"
#include "tests/gen/golden.h"

static bool lookup(void *ctx, const char *name, int64_t *value)
{
    static const struct {
        const char *name;
        int64_t value;
    } names[] = {
        { "MR", 3 }, { "NR", 4 }, { "ZERO", 0 }, { "ONE", 1 }, { "LOW", -2 }, { "MIN", INT64_MIN }, { "HAS_BIAS", 1 },
    };
    for (size_t i = 0; i < LENGTH(names); i++)
        if (strcmp(name, names[i].name) == 0) {
            *value = names[i].value;
            return true;
        }
    return false;
}

/* The words of most cases. */
static FillScope *words(void)
{
    FillScope *s = fill_scope(arena, NULL);
    fill_word(s, "NAME", "bert");
    fill_word(s, "KERNEL", "bert_k7");
    fill_word(s, "TARGET_ATTRIBUTE", "bert_TARGET_avx2");
    fill_word(s, "table", "1,\n2,\n");
    return s;
}

static Fill whole;

static int make(void **state)
{
    setup(state);
    FillScope *s = words();
    fill_list(s, "axes");
    for (int i = 0; i < 3; i++) {
        FillScope *axis = fill_row(s);
        fill_wordf(axis, "AXIS", "%c", "MNK"[i]);
        fill_number(axis, "IS_SPATIAL", i < 2);
        fill_list(axis, "uses");
        for (int k = 0; k < i; k++)
            fill_wordf(fill_row(axis), "USE", "u%d", k);
    }
    fill_list(s, "none");
    whole = (Fill){ .lookup = lookup, .scope = s };
    return 0;
}

/* The filled text; NULL after errors, which are then in *err, one line each "line:col: message". */
static const char *filled(const Fill *fill, const char *text, size_t offset, const char **err)
{
    Source src = { .path = "t.c", .text = text, .len = strlen(text) };
    Diag *d = diag_new(arena);
    const char *out = fill_text(arena, &src, offset, fill, d);
    *err = golden_diag(arena, d);
    assert_int_equal(out == NULL, diag_nerror(d) > 0);
    return out;
}

typedef struct {
    const char *text, *want;
} Case;

static void check_cases(const Case *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *err, *out = filled(&whole, c[i].text, 0, &err);
        if (!out)
            fail_msg("%s\n%s", c[i].text, err);
        assert_string_equal(out, c[i].want);
    }
}

TEST(test_names)
{
    static const Case cases[] = {
        { "x = MR * NR;\n", "x = 3 * 4;\n" },
        { "x = LOW - MIN;\n", "x = (-2) - (-9223372036854775808);\n" },
        { "MRX XMR MR_ _MR mr x.MR\n", "MRX XMR MR_ _MR mr x.3\n" },
        { "0x1MR 1e3f 2MR MR2\n", "0x1MR 1e3f 2MR MR2\n" },
        { "NAME_args KERNEL KERNEL_tile NAME\n", "bert_args bert_k7 bert_k7_tile bert\n" },
        { "NAMES KERNELS MY_NAME UNAME_x\n", "NAMES KERNELS MY_NAME UNAME_x\n" },
        { "TARGET_ATTRIBUTE TARGET_ATTRIBUTES\n", "bert_TARGET_avx2 TARGET_ATTRIBUTES\n" },
        { "/* KERNEL: MR x NR, W's rows */ // NAME MR\n", "/* bert_k7: 3 x 4, W's rows */ // bert 3\n" },
        { "\\MR\n", "\\3\n" },
        { "no newline at the end MR", "no newline at the end 3\n" },
        { "", "" },
        { "\n\n", "\n\n" },
    };
    check_cases(cases, LENGTH(cases));
    FillScope *more = fill_scope(arena, words());
    const Fill guarded = { .lookup = lookup, .scope = more };
    fill_word(more, "TARGET_GUARD", "defined(X)");
    const char *err;
    assert_string_equal(filled(&guarded, "TARGET_GUARD TARGET_GUARDS\n", 0, &err), "defined(X) TARGET_GUARDS\n");
    fill_word(more, "__launch_bounds__", "bert_bounds");
    assert_string_equal(filled(&guarded, "__launch_bounds__(MR, 2) __launch_bounds\n", 0, &err),
                        "bert_bounds(3, 2) __launch_bounds\n");
    assert_string_equal(filled(&whole, "__launch_bounds__(MR)\n", 0, &err), "__launch_bounds__(3)\n");
    assert_string_equal(filled(&whole, "TARGET_GUARD\n", 0, &err), "TARGET_GUARD\n");
    const char *name = arena_printf(arena, "%0500d", 0); /* longer than any name that is declared */
    const char *text = arena_printf(arena, "x%s\n#if x%s\n#endif\n", name, name);
    assert_string_equal(filled(&whole, text, 0, &err), text);
}

/* The filled text of one that may include the file f.cuh. */
static const char *filled_with_piece(const char *piece_text, const char *text, const char **err)
{
    const Source piece = { .path = "some/where/f.cuh", .text = piece_text, .len = strlen(piece_text) };
    const Source *const pieces[] = { &piece };
    Fill fill = whole;
    fill.npiece = 1;
    fill.piece = pieces;
    return filled(&fill, text, 0, err);
}

/* A file that is included stands in the line's place, filled, without its licence. */
TEST(test_pieces)
{
    static const char piece[] =
        "/* SPDX-License-Identifier: MIT-0 */\n/* KERNEL's MR */\n#if ONE\nint KERNEL_f(MR);\n#else\n?\n#endif\n";
    static const Case cases[] = {
        { "#include \"f.cuh\"\n", "/* bert_k7's 3 */\nint bert_k7_f(3);\n" },
        { "#if ZERO\n#include \"f.cuh\"\n#endif\nx\n", "x\n" },
        { "x\n#include \"f.cuh\"\nx\n\n#include \"f.cuh\"\n",
          "x\n\n/* bert_k7's 3 */\nint bert_k7_f(3);\nx\n\n/* bert_k7's 3 */\nint bert_k7_f(3);\n" },
        { "#ifndef DCGEN\n#include \"f.cuh\"\n#endif\n", "" },
        { "#include \"g.cuh\"\n#include <f.cuh>\n", "#include \"g.cuh\"\n#include <f.cuh>\n" },
        { "#if ONE\n#include \"f.cuh\"\nMR\n#endif", "/* bert_k7's 3 */\nint bert_k7_f(3);\n3\n" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *err, *out = filled_with_piece(piece, cases[i].text, &err);
        assert_non_null(out);
        assert_string_equal(out, cases[i].want);
    }
}

/* What is wrong with a piece is told at its own line. */
TEST(test_faulty_piece)
{
    static const char text[] = "int x;\n#if ONE\n";
    const char *err;
    assert_null(filled_with_piece(text, "#include \"f.cuh\"\n", &err));
    assert_has_all(err, "f.cuh:2:", "this condition has no '#endif'");
}

/* More than a licence in a comment at a piece's head stays whole. */
TEST(test_headed_piece)
{
    static const char text[] = "/* SPDX-License-Identifier: MIT-0\n *\n * MR\n */\n";
    const char *err;
    assert_string_equal(filled_with_piece(text, "#include \"f.cuh\"\n", &err),
                        "/* SPDX-License-Identifier: MIT-0\n *\n * 3\n */\n");
    assert_string_equal(filled_with_piece("/* MR rows */\nx\n", "#include \"f.cuh\"\n", &err), "/* 3 rows */\nx\n");
}

TEST(test_includes)
{
    static const char text[] =
        "-\n#include \"g\"\n#include \"f.cuh\"\n#include <math.h>\n x = \"#include \";\n#include \"f.cuh\"";
    const char *at = text + strlen("-\n#include \"g\"\n"), *file;
    int n = 0;
    for (size_t len; (file = fill_next_include(&at, &len)); n++)
        assert_true(len == 5 && memcmp(file, "f.cuh", len) == 0);
    assert_int_equal(n, 2);
}

TEST(test_strings)
{
    static const Case cases[] = {
        { "\"MR NAME KERNEL_x\" MR\n", "\"MR bert bert_k7_x\" 3\n" },
        { "\"a \\\" MR\" MR\n", "\"a \\\" MR\" 3\n" },
        { "\"a\\\\\" MR\n", "\"a\\\\\" 3\n" },
        { "c == '\"' ? MR : \"MR\"\n", "c == '\"' ? 3 : \"MR\"\n" },
        { "\"'\"'MR'\"'\"\n", "\"'\"'3'\"'\"\n" }, /* a quote that ends a string, not one in quotes */
        { "\"MR\\\nMR\n", "\"MR\\\n3\n" },
        { "#include \"NAME.h\"\n", "#include \"bert.h\"\n" },
    };
    check_cases(cases, LENGTH(cases));
}

TEST(test_conditions)
{
    static const Case cases[] = {
        { "#if ONE\na\n#else\nb\n#endif\nc\n", "a\nc\n" },
        { "#if ZERO\na\n#else\nb\n#endif\n", "b\n" },
        { "  #  if ZERO   /* why */\na\n  # endif\nc\n", "c\n" },
        { "#if ZERO // why\na\n#endif\n", "" },
        { "#if ONE /* why */\na\n#endif /* ONE */\n", "a\n" },
        { "#if 0 \t\na\n#else \nb\n#endif \n", "b\n" },
        { " # if ONE\na\n\t#\telse\nb\n # endif\n", "a\n" },
        { "#if ONE\na\n#elif ONE\nb\n#elif ZERO\nc\n#else\nd\n#endif\n", "a\n" },
        { "#if MR == 3 && NR > 3 || 1 / ZERO\na\n#endif\n", "a\n" },
        { "#if 0\na\n#elif 1\nb\n#endif\n", "b\n" },
        { "#if MR == 1\na\n#elif MR == 3\nb\n#elif NR == 4\nc\n#else\nd\n#endif\n", "b\n" },
        { "#if MR == 1\na\n#elif MR == 2\nb\n#else\nd\n#endif\n", "d\n" },
        { "#if ONE\n#if ZERO\na\n#else\nb\n#endif\n#endif\n", "b\n" },
        { "#if ZERO\n#if ONE\na\n#elif ONE\nb\n#else\nc\n#endif\nd\n#else\ne\n#endif\n", "e\n" },
        { "#if ZERO\n#elif ZERO\n#if ONE\na\n#endif\n#else\nb\n#endif\n", "b\n" },
    };
    check_cases(cases, LENGTH(cases));
}

TEST(test_conditions_of_c)
{
    static const Case cases[] = {
        { "#if defined(__x86_64__)\nMR\n#else\nb\n#endif\n", "#if defined(__x86_64__)\n3\n#else\nb\n#endif\n" },
        { "#ifdef __AVX2__\n#if ONE\na\n#endif\n#endif\n", "#ifdef __AVX2__\na\n#endif\n" },
        { "#if FOO\n#if ZERO\na\n#endif\nb\n#elif BAR\nc\n#endif\n", "#if FOO\nb\n#elif BAR\nc\n#endif\n" },
        { "#if ZERO\n#ifdef FOO\na\n#else\nb\n#endif\n#endif\nc\n", "c\n" },
        { "#if ZERO\n#if FOO + (\n#endif\n#endif\nc\n", "c\n" },
        { "#define X MR\n#pragma GCC unroll 4\n", "#define X 3\n#pragma GCC unroll 4\n" },
        { "#ifndef DCGEN\n#include \"standalone.h\"\n#define MR 1\n#endif\nMR\n", "3\n" },
        { "#ifdef DCGEN\na\n#else\nb\n#endif\n", "a\n" },
        { "#ifdef DCGEN \na\n#endif\n#ifndef DCGEN // alone\nb\n#endif\n", "a\n" },
        { "#if 1 == FOO\na\n#endif\n", "#if 1 == FOO\na\n#endif\n" },
        { "#if X\na\n#endif\n", "#if X\na\n#endif\n" },
        { "#if ZERO\n#if ZERO\n#elif FOO\na\n#endif\n#endif\n", "" },
        { "#ifdef DCGEN_X\na\n#endif\n", "#ifdef DCGEN_X\na\n#endif\n" },
        { "#ifndef DCGEN\na\n#if FOO\nb\n#endif\nc\n#else\nd\n#endif\n", "d\n" },
    };
    check_cases(cases, LENGTH(cases));
}

TEST(test_repeat)
{
    static const Case cases[] = {
        { "case R: f(R, MR); //@ repeat R = 1..MR\n", "case 1: f(1, 3);\ncase 2: f(2, 3);\ncase 3: f(3, 3);\n" },
        { "  R,  //@ repeat R = MR - 1 .. NR\nR\n", "  2,\n  3,\n  4,\nR\n" },
        { "R //@ repeat R = 2..1\n", "" },
        { "R //@ repeat R = 2..2\n", "2\n" },
        { "R\t//@ repeat R = 2..2\n", "2\n" },
        { "R;//@ repeat R = 1..2\nx R\n", "1;\n2;\nx R\n" },
        { "R R_ _R 0R \"R\" //@ repeat R = 7..7\n", "7 7_ _R 0R \"7\"\n" },
        { "R //@ repeat R=LOW..-1\n", "(-2)\n(-1)\n" },
        { "MR //@ repeat MR = 1..2\nMR\n", "1\n2\n3\n" },
        { "//@ repeat R = 1..3\n#if R == 2\ntwo\n#else\nR\n#endif\n//@ end\n", "1\ntwo\n3\n" },
        { "#if ZERO\nR //@ repeat R = nonsense\n#endif\n", "" },
    };
    check_cases(cases, LENGTH(cases));
    const char *err, *most = filled(&whole, "R//@ repeat R = -4095..0\n", 0, &err);
    assert_non_null(most);
    assert_string_equal(most + strlen(most) - 8, "\n(-1)\n0\n");
}

/* Of words: the longest first part counts, further parts too; those in small letters are whole texts. */
TEST(test_words)
{
    static const Case cases[] = {
        { "NAME_KERNEL_NAME_x NAME__KERNEL NAME_\n", "bert_bert_k7_bert_x bert__bert_k7 bert_\n" },
        { "NAME_TARGET_ATTRIBUTE NAME_MR\n", "bert_bert_TARGET_avx2 bert_MR\n" },
        { "NAME_device::NAME_x_MR(KERNEL::MR_x)\n", "bert_device::bert_x_3(bert_k7::MR_x)\n" },
        { "table NAME_table\n", "table bert_table\n" },
    };
    check_cases(cases, LENGTH(cases));
}

TEST(test_lists)
{
    static const Case cases[] = {
        { "f(EACH(axes, int AXIS), MR);\n", "f(int M, int N, int K, 3);\n" },
        { "if (ANY(axes, g(AXIS) < 0 || AXIS > MR))\n",
          "if (g(M) < 0 || M > 3 || g(N) < 0 || N > 3 || g(K) < 0 || K > 3)\n" },
        { "{ EACH(none, AXIS) }, \"EACH(axes, AXIS)\"\n", "{  }, \"M, N, K\"\n" },
        { "EACH(axes, \"AXIS\": NUMBER)\n", "\"M\": 0, \"N\": 1, \"K\": 2\n" },
        { "x AXIS; //@ repeat axes\n", "x M;\nx N;\nx K;\n" },
        { "AXISCOMMA | AXIS COMMA <!--@ repeat axes -->\n", "AXISCOMMA | M ,\nAXISCOMMA | N ,\nAXISCOMMA | K \n" },
        { "//@ repeat axes\n#if LAST\nlast AXIS\n#elif IS_SPATIAL\nAXIS:\nEACH(uses, AXIS_USE)\n#endif\n//@ end\nz\n",
          "M:\n\nN:\nN_u0\nlast K\nz\n" },
        { "#@ repeat axes\n#@ repeat uses\nAXIS USE NUMBER\n#@ end\nNUMBER;\n#@ end\n",
          "0;\nN u0 0\n1;\nK u0 0\nK u1 1\n2;\n" },
        { "//@ repeat none\nAXIS\n//@ end\nAXIS //@ repeat none\nb\n", "b\n" },
        { "#if ZERO\n//@ repeat nothing\nx\n//@ end\n#endif\n", "" },
    };
    check_cases(cases, LENGTH(cases));
    assert_string_equal(fill_find(fill_row_at(whole.scope, "axes", 2), "AXIS", 4), "K");
}

TEST(test_sections)
{
    static const Case cases[] = {
        { "a\n//@ table\nb\n", "a\n1,\n2,\nb\n" },
        { "  //@ table\n", "1,\n2,\n" },
        { "#@ table\n", "1,\n2,\n" },
        { "<!--@ table -->\n", "1,\n2,\n" },
        { "#if ZERO\n//@ nothing\n#endif\n", "" },
    };
    check_cases(cases, LENGTH(cases));
}

TEST(test_errors)
{
    static const Case cases[] = {
        { "a\n#if MR == FOO\n#endif\n", "t.c:2:5: error: a condition over declared names may use no other names" },
        { "#if MR +\n#endif\n", "t.c:1:" },
        { "#if ONE || FOO\n#endif\n", "may use no other names" },
        { "#if MR / ZERO\n#endif\n", "may use no other names: divides by zero" },
        { "#if MIN - 1\n#endif\n", "overflows 64 bits" },
        { "#if ZERO\n#elif FOO\n#endif\n", "t.c:2:7: error: '#elif' without a declared name behind a '#if' with one" },
        { "a\n#if ONE\nb\n", "t.c:2:2: error: this condition has no '#endif'" },
        { "#endif\n", "t.c:1:2: error: '#endif' without '#if'" },
        { "a\n  #else\n", "t.c:2:4: error: '#else' without '#if'" },
        { "#elif MR\n", "'#elif' without '#if'" },
        { "R //@ repeat R = 1\n", "t.c:1:14: error: expected '//@ repeat NAME = FROM..TO'" },
        { "R //@ repeat 1..2\n", "expected '//@ repeat NAME = FROM..TO'" },
        { "R //@ repeat = 1..2\n", "expected '//@ repeat NAME = FROM..TO'" },
        { "R //@ repeat R = 1\n..2\n", "t.c:1:14: error: expected '//@ repeat NAME = FROM..TO'" },
        { "R //@ repeat R = 1..4097\n", "repeats more than 4096 times" },
        { "R //@ repeat R = 1..FOO\n", "t.c:1:21: error: this bound" },
        { "R //@ repeat R = 1..\n", "t.c:1:" },
        { "R //@ repeat R = 1..5000\n", "repeats more than 4096 times" },
        { "R //@ repeat R = MIN..9223372036854775807\n", "repeats more than 4096 times" },
        { "a\n//@ tabel\n", "t.c:2:5: error: there is no text 'tabel'" },
        { "EACH(axis, x)\n", "t.c:1:6: error: there is no list 'axis'" },
        { "ANY(, x)\n", "there is no list ''" },
        { "x //@ repeat axis\n", "t.c:1:14: error: there is no list 'axis'" },
        { "//@ repeat axes\nx\n", "t.c:1:12: error: this repetition has no '//@ end'" },
        { "//@ repeat axes\n#if ONE\n//@ end\n", "t.c:2:2: error: this condition has no '#endif'" },
        { "//@ end\n", "there is no text 'end'" },
        { "a; //@ table\n", "t.c:1:4: error: only '//@ repeat' may stand behind other text" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *err, *out = filled(&whole, cases[i].text, 0, &err);
        if (out || !strstr(err, cases[i].want))
            fail_msg("%sgives\n%s", cases[i].text, out ? out : err);
    }
}

TEST(test_depth)
{
    char text[40 * 16] = "";
    const char *err;
    for (int i = 0; i < 40; i++)
        strcat(text, "#if FOO\n");
    for (int i = 0; i < 40; i++)
        strcat(text, "#endif\n");
    assert_null(filled(&whole, text, 0, &err));
    assert_has(err, "conditions nest deeper than 32");
}

TEST(test_absent_parts)
{
    FillScope *name = fill_scope(arena, NULL);
    const Fill bare = { .scope = name };
    fill_word(name, "NAME", "bert");
    const char *err;
    assert_string_equal(filled(&bare, "MR NAME_x KERNEL TARGET_ATTRIBUTE\n", 0, &err),
                        "MR bert_x KERNEL TARGET_ATTRIBUTE\n");
    assert_null(filled(&bare, "//@ table\n", 0, &err));
    assert_has(err, "there is no text 'table'");
    assert_string_equal(filled(&whole, "head MR\nMR\n", 8, &err), "3\n");
    assert_null(filled(&whole, "head\n#endif\n", 5, &err));
    assert_has(err, "t.c:2:2:"); /* places count from the file's beginning */
}

TEST(test_fill_names)
{
    static const Case cases[] = {
        { "a = MR; /* NR\n NR */ b2 // c\n", "a@0 MR@4 b2@21 " },
        { "\"MR \\\" x\" 'c' 0x1F 1e3 d\n", "d@23 " },
        { "f(R, MR); //@ repeat R = 1..NR\nR\n", "f@0 MR@5 NR@28 R@31 " },
        { "a / b * c // d\n e", "a@0 b@4 c@8 e@16 " },
        { "/*/ MR */ b /**/ c", "b@10 c@17 " },
        { "\"\\\\\" x '\\'' y \"a\\\"b\" z\n", "x@5 y@12 z@21 " },
        { "R; //@ repeat R = R0..R1\nf(R) //@ repeat S = 1..2\nS", "R0@18 R1@22 f@25 R@27 S@50 " },
        { "don't\nMR\n", "don@0 MR@6 " },
        { "R;\nf(R); //@ repeat R = 1..2\n", "R@0 f@3 " },
        { "x\nR; //@ repeat R = 1..2\n", "x@0 " },
        { "R; //@ repeat RX = 1..2\n", "R@0 " },
        { "ROW;\n//@ repeat ROW = 1..ROW\nROW;\nx;\n//@ end\nROW;\n", "ROW@0 ROW@25 x@34 ROW@45 " },
        { "//@ repeat A = 1..2\n #@ repeat B = A..3\nA B; A C; //@ repeat C = B..A\n //@ end\nA B C\n//@ end\nA",
          "B@81 C@83 A@93 " },
        { "/* open MR", "" },
        { "\"open MR", "" },
        { "\"open \\", "" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        FillNames names = fill_names(arena, cases[i].text);
        const char *name;
        char seen[512] = "";
        for (size_t len; (name = fill_next_name(&names, &len));) {
            const size_t used = strlen(seen);
            snprintf(seen + used, sizeof seen - used, "%.*s@%td ", (int)len, name, name - cases[i].text);
        }
        assert_string_equal(seen, cases[i].want);
    }
}

TEST_FILE(make, teardown)
