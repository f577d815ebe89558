/* SPDX-License-Identifier: Apache-2.0
 *
 * template: what the names of a small template stand for, what its expressions give, which calls its kernels are for,
 * which specs it suits, and its text when it is filled.
 */
#include "tests/test.h"
#include "tests/gen/pairs.h"
#include "tests/gen/template/template_small.h"
#include "tests/gen/with_formula.h"

TEST(test_names)
{
    const Template *t = read_small(small);
    static const int64_t value[] = { 4, 1 }, extent[] = { 9, 10, 11 };
    Binding b = bind(t, make_spec("NK", false, true), value, extent);
    Pairs want = { .rest = "MR -> 4; UK -> 1; STEP -> 4; VF -> 8; VECTOR_BYTES -> 32; VECTOR_REGISTERS -> 16; "
                           "L1_BYTES -> 32768; CORES -> 2; HAS_EPILOGUE -> 1; LAYOUT_W_NK -> 1; LAYOUT_W_KN -> 0; "
                           "PACKED -> 0; M -> 9; K -> 11; THREADS -> 3; TILES -> 3; PADDED -> 12" };
    int64_t slots[TEMPLATE_MAX_SLOT], got;
    assert_true(template_slots(&b, slots));
    while (pairs_next(arena, &want)) {
        assert_true(template_lookup(&b, want.text, &got));
        assert_int_equal(got, atoi(want.value));
        int slot = 0;
        while (slot < t->nslot && strcmp(t->slot[slot], want.text) != 0)
            slot++;
        if (slot < t->nslot) /* facts that no expression uses have none */
            assert_int_equal(slots[slot], got);
    }
    assert_false(template_lookup(&b, "MQ", &got));
    b.extent = NULL;
    assert_false(template_lookup(&b, "M", &got));
    assert_false(template_lookup(&b, "TILES", &got));
}

static void assert_value(const Expr *e, const int64_t *slots, double want)
{
    double x;
    assert_int_equal(expr_real_at(e, slots, &x), EXPR_OK);
    assert_float_equal(x, want, 0);
}

TEST(test_expressions)
{
    const Template *t = read_small(small);
    static const int64_t value[] = { 4, 1 }, extent[] = { 9, 10, 11 };
    Binding b = bind(t, make_spec("NK", false, false), value, extent);
    int64_t slots[TEMPLATE_MAX_SLOT];
    assert_true(template_slots(&b, slots));
    assert_value(t->padded_flops, slots, 2 * 12 * 10 * 11);
    assert_value(t->serial_flops, slots, 2 * 12 * 4 * 11);
    assert_value(t->term[0].expr, slots, 1.25);
    assert_value(t->feature[1].expr, slots, 1);
}

TEST(test_fill)
{
    const Template *t = read_small(small);
    static const int64_t value[] = { 2, 1 };
    Diag *d = diag_new(arena);
    Binding b = bind(t, make_spec("NK", false, false), value, NULL);
    assert_string_equal(template_fill(arena, &b, "pkg_k0", d),
                        "static int pkg_k0(const pkg_args *a) /* MQ in a comment is free */\n{\n"
                        "    const int64_t M = a->M;\n"
                        "    f(1);\n    f(2);\n    return M > 1 ? pkg_OK : 8;\n}\n");
    b.spec = make_spec("NK", false, true);
    assert_has(template_fill(arena, &b, "pkg_k0", d), "    int rows[2] = { 0 };\n");
    assert_int_equal(diag_nerror(d), 0);
}

/* ---- the calls that kernels are for ---- */

static bool serves_any(const Template *t, const int64_t *value)
{
    const Binding b = bind(t, base, value, NULL);
    return template_serves_any(&b);
}

/* K is 64 or 24, N is 48: no kernel is fixed for extents that no shape has together. */
TEST(test_extents_together)
{
    const Template *t =
        read_small(with("[1, 2, 4]; doc = \"rows in a block\"; },\n  { name = \"UK\"; choices = [1, 2];",
                        "\"N\"; doc = \"rows in a block\"; },\n  { name = \"UK\"; choices = \"K\";"));
    static const struct {
        int64_t value[2];
        bool serves;
    } cases[] = { { { 0, 0 }, true },   { { 48, 0 }, true },   { { 0, 24 }, true },  { { 48, 64 }, true },
                  { { 48, 24 }, true }, { { 48, 48 }, false }, { { 24, 0 }, false }, { { 0, 100 }, false } };
    assert_int_equal(t->nserved, 2);
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(serves_any(t, cases[i].value), cases[i].serves);
}

/* Numbers, an axis and a mix of parameters: the axis' extents decide alone. */
TEST(test_extents_beside_numbers)
{
    const Template *t = read_small(with("[1, 2];", "\"K\";"));
    assert_int_equal(t->nserved, 2);
    assert_true(serves_any(t, (int64_t[]){ 4, 24 }) && serves_any(t, (int64_t[]){ 1, 0 }));
    assert_false(serves_any(t, (int64_t[]){ 4, 48 }));
}

/* Four values on each of three axes, one tuned shape for each combination, are 64: none is left out. */
TEST(test_many_extents_together)
{
    const Spec *was = base;
    base = read_spec("name = \"pkg\"; op = \"dense\"; dims = { A = { min = 1; max = 4; }; B = { min = 1; max = 4; }; "
                     "C = { min = 1; max = 4; }; }; shapes = ( { M = \"A\"; N = \"B\"; K = \"C\"; } );\n"
                     "tune = { A = [1, 2, 3, 4]; B = [1, 2, 3, 4]; C = [1, 2, 3, 4]; };");
    const Template *t = read_small("/* dcgen\nname = \"x\"; op = \"dense\"; family = \"cpu\"; doc = \"x\";\n"
                                   "params = ( { name = \"FM\"; choices = \"M\"; doc = \"x\"; },\n"
                                   "{ name = \"FN\"; choices = \"N\"; doc = \"x\"; },\n"
                                   "{ name = \"FK\"; choices = \"K\"; doc = \"x\"; } );\n"
                                   "tile = { M = \"1\"; N = \"1\"; K = \"1\"; };\n*/\nKERNEL FM FN FK;\n");
    assert_int_equal(t->nserved, 64);
    for (int64_t m = 0; m <= 4; m++)
        for (int64_t n = 0; n <= 4; n++)
            for (int64_t k = 0; k <= 4; k++)
                assert_true(serves_any(t, (int64_t[]){ m, n, k }));
    assert_false(serves_any(t, (int64_t[]){ 0, 5, 0 }));
    base = was;
}

/* Tuned shapes count once for each combination of the extents that the expression names: M is one of eight, N is 48, K
 * is 64 or 24. */
TEST(test_shapes_that_differ)
{
    static const struct {
        const char *serves, *choices;
        int n;
    } cases[] = { { "M > 3", "[1, 2]", 8 },    { "N == 48", "[1, 2]", 1 },    { "K > 30", "[1, 2]", 2 },
                  { "STEP > 1", "[1, 2]", 1 }, { "M > K", "[1, 2]", 16 },     { "M > 3", "\"K\"", 16 },
                  { "N > 3", "\"N\"", 1 },     { "N + STEP > 3", "\"K\"", 2 } };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(read_small(serving(cases[i].serves, cases[i].choices))->nserved, cases[i].n);
    assert_int_equal(read_small(small)->nserved, 0);
}

/* Which calls a kernel is for, whether it is for any tuned shape (of M 1, 4, 10 to 100, N 48, K 64 or 24), and what is
 * left of it once the kernel is known. */
TEST(test_serves)
{
    static const struct {
        const char *serves, *choices;
        int64_t value[2], extent[3];
        bool does, any;
        const char *condition; /* NULL: it is for all */
    } cases[] = {
        { "M > 100", "[1, 2]", { 2, 1 }, { 101, 1, 1 }, true, false, "M > 100" },
        { "M == 2", "[1, 2]", { 2, 1 }, { 2, 48, 64 }, true, false, "M == 2" },
        { "M > 9", "[1, 2]", { 2, 1 }, { 9, 1, 1 }, false, true, "M > 9" },
        { "M >= STEP && K != N", "[1, 2]", { 4, 2 }, { 8, 8, 9 }, true, true, "M >= 8 && K != N" },
        { "M >= STEP && K != N", "[1, 2]", { 4, 2 }, { 7, 8, 9 }, false, true, "M >= 8 && K != N" },
        { "K % 8 == 0", "[1, 2]", { 4, 1 }, { 7, 7, 7 }, false, true, "K % 8 == 0" },
        { "UK == 1 || K == 64", "[1, 2]", { 4, 1 }, { 7, 7, 7 }, true, true, NULL },
        { "UK == 1 || K == 64", "[1, 2]", { 4, 2 }, { 7, 7, 7 }, false, true, "K == 64" },
        { "UK == 1 || K == 65", "[1, 2]", { 4, 2 }, { 7, 7, 65 }, true, false, "K == 65" },
        { "UK == 1 && K == 64", "[1, 2]", { 4, 2 }, { 7, 7, 64 }, false, false, "0" },
        { "UK == 1 && VF == 8", "[1, 2]", { 4, 1 }, { 7, 7, 7 }, true, true, NULL },
        { "1", "\"K\"", { 4, 0 }, { 7, 7, 7 }, true, true, NULL },
        { "1", "\"K\"", { 4, 24 }, { 7, 7, 24 }, true, true, "K == 24" },
        { "1", "\"K\"", { 4, 24 }, { 7, 7, 64 }, false, true, "K == 24" },
        { "M > 3 || N > 3", "\"K\"", { 4, 24 }, { 7, 0, 24 }, true, true, "(M > 3 || N > 3) && K == 24" },
        { "M > 3 || N > 3", "\"K\"", { 4, 24 }, { 3, 3, 24 }, false, true, "(M > 3 || N > 3) && K == 24" },
        { "M > 3 || N > 3", "\"K\"", { 4, 0 }, { 3, 3, 24 }, false, true, "M > 3 || N > 3" },
        { "M > 100", "\"K\"", { 4, 24 }, { 101, 0, 24 }, true, false, "M > 100 && K == 24" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const Template *t = read_small(serving(cases[i].serves, cases[i].choices));
        const Binding b = bind(t, base, cases[i].value, cases[i].extent);
        const Expr *condition = template_condition(arena, &b); /* whatever extents are bound */
        const char *c = condition ? expr_c_int(arena, condition, "pkg") : "all", *want = cases[i].condition;
        if (template_serves(&b) != cases[i].does || template_serves_any(&b) != cases[i].any ||
            strcmp(c, want ? want : "all") != 0)
            fail_msg("row %d: %s", (int)i, c);
    }
    const Template *t = read_small(small);
    const Binding b = bind(t, base, cases[0].value, cases[0].extent);
    assert_true(!t->serves && template_serves(&b) && template_serves_any(&b) && !template_condition(arena, &b));
}

/* A condition says of every call what the kernel's template does, whatever the parameters are. */
TEST(test_conditions_agree)
{
    const Template *t = read_small(serving("(M > MR || STEP == 2) && (N != K || M == N || VF < 8)", "\"K\""));
    static const char *const axes[] = { "M", "N", "K" };
    int n[2] = { 0 };
    for (int i = 0; i < t->param[0].nchoice * t->param[1].nchoice; i++) {
        const int64_t value[] = { t->param[0].choice[i % t->param[0].nchoice],
                                  t->param[1].choice[i / t->param[0].nchoice] };
        Binding b = bind(t, base, value, NULL);
        Expr *condition = template_condition(arena, &b);
        assert_non_null(condition);
        expr_bind(condition, NAMES(axes, 3));
        for (int64_t at = 0; at < 6 * 3 * 4; at++) {
            const int64_t extent[] = { at % 6, 23 + at / 6 % 3, 23 + at / 18 };
            int64_t does;
            b.extent = extent;
            assert_int_equal(expr_int_at(condition, extent, &does), EXPR_OK);
            assert_int_equal(template_serves(&b), does != 0);
            n[does != 0]++;
        }
    }
    assert_true(n[0] > 100 && n[1] > 50);
}

/* A call of which the expression has no value is none of its calls. */
TEST(test_serves_without_a_value)
{
    static const int64_t value[] = { 2, 1 }, extent[] = { 9, 48, 11 };
    const Binding b = bind(read_small(serving("M / (N - 48) > 0", "[1, 2]")), base, value, extent);
    assert_false(template_serves(&b) || template_serves_any(&b));
}

/* ---- what it suits ---- */

TEST(test_suits)
{
    const Template *t = read_small(small);
    Target gpu = { .name = "sm_90a", .family = &family_cuda };
    const Target *cpu = target_find(&targets, "avx2");
    assert_true(template_suits(t, make_spec("NK", false, false), cpu));
    assert_false(template_suits(t, make_spec("KN", false, false), cpu));
    assert_false(template_suits(t, make_spec("NK", true, false), cpu));
    assert_false(template_suits(t, make_spec("NK", false, false), &gpu));
}

/* Lists that are not there name all; of GPUs' templates both forms of the constant operand are read. */
TEST(test_suits_more)
{
    const Spec *plain = make_spec("KN", false, false), *packed = make_spec("NK", true, false);
    const Target *cpu = target_find(&targets, "avx2"), *gpu = target_find(&targets, "sm_80");
    const Template *any = read_small(with("layouts = { W = [\"NK\"]; };\n", ""));
    assert_true(template_suits(any, plain, cpu) && !template_suits(any, packed, cpu) &&
                !template_suits(any, plain, gpu));
    const Template *two = read_small(
        with("layouts = { W = [\"NK\"]; };\n", "dtypes = [\"f16\", \"f32\"]; layouts = { W = [\"KN\", \"NK\"]; };\n"));
    assert_true(template_suits(two, plain, cpu));
    const Template *other = read_small(with("layouts = { W = [\"NK\"]; };\n", "dtypes = [\"f16\", \"bf16\"];\n"));
    assert_false(template_suits(other, plain, cpu));
    const Template *cuda = read_small(with("\"cpu\"", "\"cuda\""));
    assert_true(template_suits(cuda, packed, gpu) && template_suits(cuda, make_spec("NK", false, false), gpu));
    assert_false(template_suits(cuda, plain, gpu) || template_suits(cuda, packed, cpu));
    assert_true(serves_any(any, (int64_t[]){ 4, 1 }));
}

/* What every template knows, of an f16 spec on a GPU whose compiler and emulator told of the kernel; then of nothing at
 * all. */
TEST(test_context)
{
    static const Param told[] = { { "spills", 1 },          { "regs", 40 },      { "sectors_read", 5 },
                                  { "sectors_written", 6 }, { "wavefronts", 7 }, { "conflicts", 8 },
                                  { "barriers", 9 } };
    Pairs want = {
        .rest =
            "L1_BYTES -> 32768 0; L2_BYTES -> 1048576 0; L3_BYTES -> 8388608 0; CORES -> 2 0; SMS -> 2 0; SM_ARCH -> "
            "90 0; SMEM_SM -> 233472 0; FMA_SM -> 128 0; VECTOR_BYTES -> 0 0; SECTORS_READ -> 5 0; SECTORS_WRITTEN -> "
            "6 0; WAVEFRONTS -> 7 0; CONFLICTS -> 8 0; BARRIERS -> 9 0; ELEM_BYTES -> 2 4; TENSOR_SM -> 1331 0; "
            "MAX_THREADS -> 6 1; DTYPE_F16 -> 1 0; DTYPE_F32 -> 0 1; DTYPE_BF16 -> 0 0; DTYPE_TF32 -> 0 0; "
            "DTYPE_TF32X3 -> 0 0; "
            "HAS_EPILOGUE -> 1 0; LAYOUT_W_NK -> 0 1; LAYOUT_W_KN -> 1 0; PACKED -> 1 0; ACCURACY -> 16 1"
    }; /* of the spec, of a bare one */
    static const char *const unknown[] = { "HAS_GELU", "LAYOUT_XX", "DTYPE_F8", "M", "THREADS", "REGS", "" };
    static const struct {
        const char *dtype;
        int64_t rate;
    } tensor[] = { { "bf16", 1331 }, { "tf32", 665 }, { "tf32x3", 221 }, { "f32", 0 } };
    Binding b = { .spec = read_spec(
                      "name = \"pkg\"; op = \"dense\"; dtype = \"f16\"; epilogue = [\"bias\"]; threads = [6, 2]; "
                      "accuracy = 16.9;\n"
                      "shapes = ( { M = 7; N = 48; K = 64; } ); layout = { W = \"KN\"; packed = true; };"),
                  .target = target_find(&targets, "sm_90a"),
                  .device = &device,
                  .facts = { LENGTH(told), told } };
    Binding bare = { .spec = make_spec("NK", false, false) };
    int64_t value;
    while (pairs_next(arena, &want)) {
        int64_t of_bare;
        assert_true(template_context(&b, want.text, &value) && template_context(&bare, want.text, &of_bare));
        assert_string_equal(arena_printf(arena, "%s %ld %ld", want.text, (long)value, (long)of_bare),
                            arena_printf(arena, "%s %s", want.text, want.value));
    }
    for (size_t i = 0; i < LENGTH(unknown); i++)
        assert_false(template_context(&b, unknown[i], &value));
    for (size_t i = 0; i < LENGTH(tensor); i++) {
        Spec other = *b.spec;
        other.dtype = tensor[i].dtype;
        Binding of = b;
        of.spec = &other;
        assert_true(template_context(&of, "TENSOR_SM", &value) && value == tensor[i].rate);
    }
}

/* Templates are told whether there is a formula, and whether it has functions of many instructions. */
TEST(test_formula)
{
    static const char *const word[] = { NULL, "bias", "gelu" };
    for (int i = 0; i < 3; i++) {
        const Spec s = with_formula(arena, make_spec("NK", false, false)->op, "f32", word[i]);
        Binding b = { .spec = &s };
        int64_t has, calls;
        assert_true(template_context(&b, "HAS_EPILOGUE", &has) && template_context(&b, "EPILOGUE_CALLS", &calls));
        assert_true(has == (i > 0) && calls == (i == 2));
    }
}

static int64_t slot_of(const Template *t, const int64_t *slots, const char *name)
{
    for (int i = 0; i < t->nslot; i++)
        if (strcmp(t->slot[i], name) == 0)
            return slots[i];
    fail_msg("%s has no number", name);
    return 0;
}

/* REGS is what the compiler told, else what the head guesses; of a head that does not there is none. What stands behind
 * it has its number. */
TEST(test_registers)
{
    static const Param told = { "regs", 77 }, not_told = { "regs", 0 };
    static const int64_t value[] = { 4, 1 }, extent[] = { 9, 10, 11 };
    const char *text =
        with("layouts = { W = [\"NK\"]; };", "layouts = { W = [\"NK\"]; };\nregs = \"10 * MR + STEP + CORES\";");
    const char *tail = strstr(text, "M % MR");
    const Template *t = read_small(arena_printf(arena, "%.*sREGS + PADDED + %s", (int)(tail - text), text, tail));
    const struct {
        KernelFacts facts;
        int64_t regs;
    } cases[] = { { { 1, &told }, 77 }, { { 1, &not_told }, 10 * 4 + 4 + 2 }, { { 0, NULL }, 10 * 4 + 4 + 2 } };
    int64_t slots[TEMPLATE_MAX_SLOT], regs;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        Binding b = bind(t, make_spec("NK", false, false), value, extent);
        b.facts = cases[i].facts;
        assert_true(template_lookup(&b, "REGS", &regs) && regs == cases[i].regs);
        assert_true(template_slots(&b, slots));
        assert_int_equal(slot_of(t, slots, "REGS"), cases[i].regs);
        assert_int_equal(slot_of(t, slots, "TILES"), 3);
        assert_value(t->feature[1].expr, slots, (double)cases[i].regs + 12 + 1);
    }
    Binding b = bind(read_small(small), make_spec("NK", false, false), value, extent);
    assert_false(template_lookup(&b, "REGS", &regs));
    b.facts = cases[0].facts;
    assert_true(template_lookup(&b, "REGS", &regs) && regs == 77);
}

/* Facts that only terms use have numbers too, and so have their values; 1 / 0 of a derived name makes no slots. */
TEST(test_terms)
{
    static const int64_t value[] = { 4, 1 }, extent[] = { 9, 10, 11 }, none[] = { 9, 0, 11 };
    const Template *t = read_small(with("expr = \"1 + 1 / STEP\"; doc = \"a part\"; }",
                                        "expr = \"2 * M * L2_BYTES\"; doc = \"x\"; }, { "
                                        "name = \"far\"; expr = \"THREADS + ELEM_BYTES\"; doc = \"y\"; }"));
    int64_t slots[TEMPLATE_MAX_SLOT];
    Binding b = bind(t, make_spec("NK", false, false), value, extent);
    assert_string_equal(t->term[2].name, "fma"); /* behind the head's are those of the family */
    assert_true(template_slots(&b, slots));
    assert_value(t->term[0].expr, slots, 2.0 * 9 * (1 << 20));
    assert_value(t->term[1].expr, slots, 3 + 4);
    t = read_small(with("TILES * MR", "TILES * MR / N"));
    b = bind(t, make_spec("NK", false, false), value, none);
    assert_false(template_slots(&b, slots));
    t = read_small(with("MR * UK\"", "MR / (UK - 1) \""));
    b = bind(t, make_spec("NK", false, false), value, extent);
    assert_false(template_slots(&b, slots));
}

/* nvcc passes over the text once an architecture: a body is for its own, or for that and later ones. */
TEST(test_guards)
{
    static const struct {
        const char *target, *want;
    } cases[] = {
        { "sm_90a",
          "#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)\npkg_TARGET_sm_90a M\n#endif\n" },
        { "sm_80", "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800\npkg_TARGET_sm_80 M\n#endif\n" },
        { "avx2", "#if TARGET_GUARD\npkg_TARGET_avx2 M\n#endif\n" }
    };
    static const int64_t value[] = { 2, 1 }, extent[] = { 9, 10, 11 };
    const Template *t =
        read_small(with("    int rows[MR] = { 0 };\n#endif\n",
                        "    int rows[MR] = { 0 };\n#endif\n#if TARGET_GUARD\nTARGET_ATTRIBUTE M\n#endif\n"));
    for (size_t i = 0; i < LENGTH(cases); i++) {
        Diag *d = diag_new(arena);
        Binding b = bind(t, make_spec("NK", false, false), value, extent); /* a shape binds no name of the text */
        b.target = target_find(&targets, cases[i].target);
        const char *text = template_fill(arena, &b, "k", d);
        assert_non_null(text);
        assert_has(text, cases[i].want);
    }
}

TEST_FILE(setup, place_teardown)
