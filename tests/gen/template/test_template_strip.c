/* SPDX-License-Identifier: Apache-2.0
 *
 * template_strip: what is left of a template's text for specs that ask for strides, for an output that is read, and for
 * neither: then text and hash are those of a file that never spoke of them.
 */
#include "tests/test.h"
#include "tests/gen/template/template_place.h"

#define HEAD_OF(op)                                                                                                \
    "/* dcgen\nname = \"small\"; op = \"" op "\"; family = \"cpu\"; doc = \"x\"; layouts = { W = [\"NK\"]; };\n"   \
    "params = ( { name = \"MR\"; choices = [1, 2]; doc = \"x\"; } ); tile = { M = \"MR\"; N = \"1\"; K = \"1\"; }" \
    ";\n*/\n"
#define HEAD HEAD_OF("dense")
#define WITH(more) \
    "name = \"pkg\"; op = \"dense\"; shapes = ( { M = 7; N = 48; K = 64; } ); layout = { W = \"NK\"; }; " more

static const char body[] = "step = STRIDED(X, a->X_stride[0] * f(1, 2), K), MR;\n"
                           "#if X_STRIDED && !Y_STRIDED\n"
                           "one\n"
                           "#if MR\n"
                           "inner STRIDED(Y, y, STRIDED(X, both, none))\n"
                           "#else\n"
                           "other\n"
                           "#endif\n"
                           "#elif OUTPUT_READ /* reads */\n"
                           "two\n"
                           "#if X_STRIDED\n"
                           "three\n"
                           "#endif\n"
                           "#else\n"
                           "four STRIDED(Q, a, b)\n"
                           "#endif\n"
                           "#if HAS_EPILOGUE\n"
                           "five\n"
                           "#endif\n";

static const Template *parsed(const char *text, const Spec *s, const char **said)
{
    Source *src = ARENA_NEW(arena, Source);
    Diag *d = diag_new(arena);
    *src = (Source){ .path = "x.c", .text = text, .len = strlen(text) };
    const Template *t = template_parse(arena, s, src, d);
    *said = golden_diag(arena, d);
    return t;
}

TEST(texts)
{
    static const struct {
        const char *spec, *want;
    } cases[] = {
        { WITH(""), "step = K, MR;\nfour b\n#if HAS_EPILOGUE\nfive\n#endif\n" },
        { WITH("strides = [\"Y\", \"X\"];"),
          "step = a->X_stride[0] * f(1, 2), MR;\nfour b\n#if HAS_EPILOGUE\nfive\n#endif\n" },
        { WITH("strides = [\"X\"];"),
          "step = a->X_stride[0] * f(1, 2), MR;\none\n#if MR\ninner both\n#else\nother\n#endif\n"
          "#if HAS_EPILOGUE\nfive\n#endif\n" },
        { WITH("epilogue = \"acc + Y[m,n]\";"), "step = K, MR;\ntwo\n#if HAS_EPILOGUE\nfive\n#endif\n" },
    };
    const char *said, *text = arena_printf(arena, HEAD "%s", body);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const Spec *s = read_spec(cases[i].spec);
        const Template *t = parsed(text, s, &said);
        assert_string_equal(said, "");
        assert_string_equal(t->src->text + t->body, cases[i].want);
        assert_int_equal(t->src->len, strlen(t->src->text));
        assert_ptr_equal(t->src_file->text, text);
        const Template *plain = parsed(arena_printf(arena, HEAD "%s", cases[i].want), s, &said);
        assert_string_equal(t->hash, plain->hash);
    }
}

/* A text that has no strides of an operand is not for specs that give it some, but for what formulas bring. */
TEST(who_knows_strides)
{
    static const struct {
        const char *more;
        bool suits;
    } cases[] = { { "", true },
                  { "strides = [\"X\"];", true },
                  { "strides = [\"X\", \"Y\"];", false },
                  { "epilogue = \"acc + r[m,n]\"; strides = [\"X\", \"r\"];", true } };
    const char *said;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const Spec *s = read_spec(arena_printf(arena, WITH("%s"), cases[i].more));
        const Template *t = parsed(HEAD "STRIDED(X, a->X_stride[0], K) MR\n", s, &said);
        const Misfit m = template_misfit(t, s, target_find(&targets, "avx2"));
        assert_int_equal(m, cases[i].suits ? MISFIT_NONE : MISFIT_STRIDES);
    }
}

/* Lines for an operator of several sums leave no trace in the text for others. */
TEST(sums_of_an_operator)
{
#define LINES "MR one\n#if NSUM > 1\ntwo NSUM\n#endif\n"
    const char *said;
    const Template *t = parsed(HEAD LINES, base, &said), *plain = parsed(HEAD "MR one\n", base, &said);
    assert_string_equal(t->src->text + t->body, "MR one\n");
    assert_string_equal(t->hash, plain->hash);
    const Spec *s = read_spec("name = \"pkg\"; op = \"gated_dense\"; shapes = ( { M = 7; N = 48; K = 64; } );"
                              "epilogue = [\"gated_silu\"];");
    t = parsed(HEAD_OF("gated_dense") LINES, s, &said);
    assert_string_equal(said, "");
    assert_string_equal(t->src->text + t->body, "MR one\ntwo NSUM\n");
}

TEST(faults)
{
    const char *said;
    assert_null(parsed(HEAD "MR STRIDED(X, K)\n", base, &said));
    assert_non_null(strstr(said, "x.c:5:11: error: expected STRIDED(operand, where it has strides, where it lies"));
}

TEST_FILE(setup, place_teardown)
