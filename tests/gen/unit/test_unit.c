/* SPDX-License-Identifier: Apache-2.0
 *
 * unit: the texts around kernels, and the hash of what a candidate's text depends on besides its template, but for the
 * package's name.
 */
#include "tests/test.h"
#include "tests/gen/serve.h"
#include "tests/gen/unit/unit_place.h"

static const char *hash_of(const char *target, const char *name, const char *rest)
{
    const UnitContext u = context_for(
        target, read_spec(arena_printf(
                    arena, "name = \"%s\"; op = \"dense\"; shapes = ( { M = 7; N = 48; K = 64; } ); %s", name, rest)));
    const char *hash = unit_context_hash(arena, &u);
    assert_int_equal(strlen(hash), 16);
    return hash;
}

static const char *const plain = "dtype = \"f32\"; layout = { W = \"NK\"; packed = false; };";

TEST(the_name_does_not_count)
{
    assert_string_equal(hash_of("portable", "one", plain), hash_of("portable", "another", plain));
    assert_string_equal(hash_of("sm_90a", "one", plain), hash_of("sm_90a", "another", plain));
}

TEST(what_changes_the_text_does)
{
    static const char *const other[] = {
        "dtype = \"f32\"; layout = { W = \"KN\"; packed = false; };",
        "dtype = \"f32\"; layout = { W = \"NK\"; packed = false; }; epilogue = [\"bias\"];",
        "dtype = \"f32\"; layout = { W = \"NK\"; packed = true; };",
        "dtype = \"f32\"; layout = { W = \"NK\"; packed = false; }; accuracy = 2;",
        "dtype = \"f32\"; layout = { W = \"NK\"; packed = false; }; accuracy = 2.5;",
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_string_not_equal(hash_of("portable", "one", plain), hash_of("portable", "one", other[i]));
    assert_string_not_equal(hash_of("portable", "one", plain), hash_of("sm_90a", "one", plain));
}

/* A target's attribute reaches the hash by the text around kernels alone. */
TEST(what_is_around_a_kernel_does)
{
    const char *before = hash_of("portable", "one", plain), *before_cuda = hash_of("sm_90a", "one", plain);
    Target *avx2 = (Target *)target_find(&targets, "avx2");
    const char *attribute = avx2->attribute;
    avx2->attribute = "avx2";
    assert_string_not_equal(hash_of("portable", "one", plain), before);
    assert_string_equal(hash_of("sm_90a", "one", plain), before_cuda);
    avx2->attribute = attribute;
    assert_string_equal(hash_of("portable", "one", plain), before);
}

/* The hash of how this function packs on a target. */
static const char *packing_of(const char *target, const char *spec)
{
    Diag *d = diag_new(arena);
    const UnitContext u = context_for(target, read_spec(spec));
    const char *hash = unit_packing_hash(arena, &u, NULL, 0, d);
    assert_int_equal(diag_nerror(d), 0);
    assert_int_equal(strlen(hash), 16);
    return hash;
}

/* How an operand is packed has a hash of its own: what says nothing of the bytes does not count. */
TEST(a_packing_has_a_hash)
{
#define DENSE(name, dtype, layout, rest)                    \
    "name = \"" name "\"; op = \"dense\"; dtype = \"" dtype \
    "\"; shapes = ( { M = 7; N = 48; K = 64; } ); layout = { W = \"" layout "\"; packed = true; };" rest
#define CONV(attributes)                                                                                             \
    "name = \"conv\"; op = \"conv2d\"; dtype = \"f16\"; shapes = ( { N = 1; G = 1; H = 9; W = 9; C = 8; K = 8; R = " \
    "3; S = 3; " attributes " } ); layout = { packed = true; };"
    static const char plain_spec[] = DENSE("one", "f16", "NK", "");
    const char *hash = packing_of("sm_80", plain_spec);
    assert_string_equal(hash,
                        packing_of("sm_90a", DENSE("another", "f16", "NK", "epilogue = [\"bias\"]; accuracy = 2;")));
    assert_string_not_equal(hash, packing_of("sm_80", DENSE("one", "f16", "KN", "")));
    assert_string_not_equal(hash,
                            packing_of("sm_80", DENSE("one", "f32", "NK", ""))); /* rows padded to fewer elements */
    assert_string_not_equal(hash, packing_of("sm_80", CONV("STRIDE = 1;")));
    assert_string_equal(packing_of("sm_80", CONV("STRIDE = 1;")), packing_of("sm_80", CONV("STRIDE = 2; PAD = 1;")));
    assert_string_equal(packing_of("avx2", plain_spec), packing_of("portable", plain_spec));
    assert_string_not_equal(hash, packing_of("portable", plain_spec));
}

/* ---- the pieces ---- */

static const char head[] = "/* dcgen\nname = \"stub\"; op = \"dense\"; family = \"cpu\"; doc = \"x\";\n"
                           "params = ( { name = \"MR\"; choices = [2, 3]; doc = \"x\"; }, { name = \"UK\"; choices = "
                           "[1, 5]; doc = \"x\"; } );\n"
                           "tile = { M = 1; N = 1; K = 1; }; padded_flops = 1; serial_flops = 1;\n";

static const Template *stub_parse(const Spec *s, const char *more, const char *body)
{
    Diag *d = diag_new(arena);
    const char *text = arena_printf(arena, "%s%s\n*/\n%s", head, more, body);
    const Template *t = template_parse(arena, s, source_text(arena, "stub.c", text), d);
    diag_print(d, stderr);
    assert_non_null(t);
    return t;
}

static const Template *stub_template_of(const Spec *s, const char *body) { return stub_parse(s, "", body); }

static const Template *stub_template_with(const Spec *s, const char *more)
{
    return stub_parse(s, more, "KERNEL MR UK;\n");
}

static const Template *stub_template(const Spec *s) { return stub_template_of(s, "KERNEL MR UK;\n"); }

/* The pattern with these kernels, filled. */
static const char *filled(const UnitContext *u, const UnitKernel *k, int n, const char *pattern)
{
    Diag *d = diag_new(arena);
    FillScope *s = unit_scope(arena, u);
    const Binding b = { .spec = u->spec };
    const Fill fill = { .lookup = template_context, .ctx = (void *)&b, .scope = s };
    const bool added = unit_add_kernels(s, u, k, n, d) && unit_add_shared(s, u, unit_kernel_texts(s), d);
    const char *text = added ? fill_text(arena, source_text(arena, "p.c", pattern), 0, &fill, d) : NULL;
    diag_print(d, stderr);
    assert_non_null(text);
    return text;
}

#define GUARD "#if defined(__x86_64__)\n"

/* Kernels that stand side by side for one architecture share a guard; those for any have none. */
TEST(guards_are_opened_and_closed)
{
    static const int64_t value[] = { 3, 5 };
    static const char *const target[] = { "avx512", "avx2", "portable", "avx2" };
    UnitContext u = context_of("avx2", "");
    const Template *t = stub_template(u.spec);
    UnitKernel k[4];
    for (int i = 0; i < 4; i++)
        k[i] = (UnitKernel){ .t = t, .target = target_find(&targets, target[i]), .value = value };
    static const char table[] = "//@ repeat kernels\n//@ guard\n    [NUMBER] = KERNEL,\n//@ unguard\n//@ end\n";
    assert_string_equal(filled(&u, k, 4, "//@ kernels\n"),
                        GUARD "/* Kernel 0: stub avx512 MR=3 UK=5 */\none_k0 3 5;\n\n"
                              "/* Kernel 1: stub avx2 MR=3 UK=5 */\none_k1 3 5;\n\n#endif\n\n"
                              "/* Kernel 2: stub portable MR=3 UK=5 */\none_k2 3 5;\n\n" GUARD
                              "/* Kernel 3: stub avx2 MR=3 UK=5 */\none_k3 3 5;\n\n#endif\n\n");
    assert_string_equal(filled(&u, k + 2, 1, "//@ kernels\n"),
                        "/* Kernel 0: stub portable MR=3 UK=5 */\none_k0 3 5;\n\n");
    assert_string_equal(filled(&u, k, 4, table), GUARD "    [0] = one_k0,\n    [1] = one_k1,\n#endif\n"
                                                       "    [2] = one_k2,\n" GUARD "    [3] = one_k3,\n#endif\n");
    assert_string_equal(filled(&u, k + 2, 1, table), "    [0] = one_k0,\n");
}

TEST(axes_and_operands)
{
    const Spec *s = spec_of("epilogue = [\"bias\"];"), *half = spec_of("dtype = \"f16\";"),
               *packed = spec_of("layout = { W = \"NK\"; packed = true; };");
    static const struct {
        const char *text, *plain, *half, *packed;
    } row[] = {
        { "AXES|EXTENTS|PACK_AXES|PACK_EXTENTS", "M, N, K|int64_t M, int64_t N, int64_t K|N, K|int64_t N, int64_t K",
          NULL, NULL },
        { "EACH(axes, extent[PLACE])|EACH(packed_axes, (int)extent[PLACE])",
          "extent[0], extent[1], extent[2]|(int)extent[1], (int)extent[2]", NULL, NULL },
        { "EACH(operands, PARAMETER)", "const float *X, const float *W, const float *bias, float *Y",
          "const void *X, const void *W, void *Y", "const float *X, const void *W, float *Y" },
        { "EACH(operands, PLACE)", "0, 1, 2, 3", "0, 1, 2", "0, 1, 2" },
        { "EACH(operands, C_TYPE)", "const float, const float, const float, float",
          "const unsigned short, const unsigned short, unsigned short", NULL },
        { "EACH(operands, USED_AS)", "X, W, bias, Y", "X, W, Y", "X, packed, Y" },
        { "EACH(operands, ARGUMENT)", "X ? X : Y, W ? W : Y, bias, Y", NULL, NULL },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const Spec *const of[] = { s, half, packed };
        const char *const want[] = { row[i].plain, row[i].half, row[i].packed };
        for (int k = 0; k < 3; k++) {
            UnitContext u = context_of("avx2", "");
            u.spec = of[k];
            if (want[k])
                assert_string_equal(filled(&u, NULL, 0, arena_printf(arena, "%s\n", row[i].text)),
                                    arena_printf(arena, "%s\n", want[k]));
        }
    }
    const UnitContext u = context_of("avx2", "layout = { W = \"NK\"; packed = true; };");
    assert_string_equal(filled(&u, NULL, 0, "//@ pack_declarations\n"),
                        "size_t one_packed_bytes(int64_t N, int64_t K);\n"
                        "int one_pack(int64_t N, int64_t K, const float *W, void *packed);\n");
    const char *with = unit_reference(arena, s, DCGEN_SOURCE_DIR "/templates/package", "text\n", diag_new(arena));
    assert_has(with, "#define DCGEN_LAYOUT_W_NK 1\n#define DCGEN_DTYPE dcgen_as_f32\n#include <stdint.h>\n");
    assert_has(with, "\n}\n\n#define dcgen_reference_rows dcgen_operator_rows\n");
    assert_has(with, "\ntext\n#undef dcgen_reference_rows\n");
    assert_has(with, "    return dcgen_add(acc, dcgen_element(dcgen_as_f32, operand[2], n));\n");
    const char *without = unit_reference(arena, spec_of("dtype = \"bf16\"; layout = { W = \"KN\"; };"),
                                         DCGEN_SOURCE_DIR "/templates/package", "text\n", diag_new(arena));
    static const char defines[] =
        "#define DCGEN_LAYOUT_W_KN 1\n#define DCGEN_DTYPE_BF16 1\n#define DCGEN_DTYPE dcgen_as_bf16\n";
    static const char tail[] = "\n}\n\ntext\n";
    assert_true(strncmp(without, defines, strlen(defines)) == 0);
    assert_string_equal(without + strlen(without) - strlen(tail), tail);
}

TEST(candidates_for_cpus)
{
    static const int64_t value[] = { 2, 1 };
    Diag *d = diag_new(arena);
    const UnitContext u = context_of("avx2", "layout = { W = \"NK\"; packed = true; };");
    Template packed = *stub_template(u.spec);
    packed.packed = true;
    const UnitKernel k = { .t = &packed, .target = target_find(&targets, "avx2"), .value = value };
    const char *text = unit_candidate(arena, &u, &k, d);
    assert_has_all(
        text, "#define one_TARGET_avx512 __attribute__((target(\"avx512f,avx512vl,avx512dq,avx512bw,avx2,fma\")))\n",
        "#define one_TARGET_portable\n",
        "typedef struct {\n    int64_t M, N, K;\n    const float *X;\n    const float *W;\n    float *Y;\n} "
        "one_args;\n",
        "\none_k0 2 1;\n",
        "    one_args args = one_arguments(extent[0], extent[1], extent[2],\n        (const float *)operand[0], "
        "(const float *)operand[1], (float *)operand[2]);\n"
        "    (void)scratch;\n    return one_k0(&args, task, ntask);\n",
        "return (int64_t)one_packed_bytes(extent[1], extent[2]);", "return one_pack(extent[1], extent[2], w, packed);",
        "size_t one_packed_bytes(int64_t N, int64_t K)\n{");
    assert_lacks(text, "sm_90a");
    assert_lacks(text, "//@");
    const UnitContext plain_one = context_of("avx2", "epilogue = [\"bias\"];");
    text = unit_candidate(arena, &plain_one, &k, d);
    assert_has(text, "(const float *)operand[2], (float *)operand[3]);");
    assert_has(text, "    const float *bias;\n    float *Y;\n");
    assert_lacks(text, "dcgen_packed_bytes(");
    assert_int_equal(diag_nerror(d), 0);
}

/* Several constant operands are packed together: calls take the packed one alone, and packing takes them all. Where
 * nothing is packed, calls take each. */
TEST(several_constants)
{
    static const struct {
        const char *text, *packed, *plain;
    } row[] = {
        { "EACH(operands, PARAMETER)", "const float *X, const void *W, float *Y",
          "const float *X, const int32_t *W, const float *scale, float *Y" },
        { "EACH(packed_operands, C_TYPE *OPERAND)", "const int32_t *W, const float *scale", NULL },
        { "EACH(all_operands, OPERAND PLACE IS_PASSED)", "X 0 1, W 1 1, scale 2 0, Y 3 1",
          "X 0 1, W 1 1, scale 2 1, Y 3 1" },
        { "NARGUMENT OUTPUT_ARGUMENT NOPERAND OUTPUT_PLACE", "3 2 4 3", "4 3 4 3" },
        { "LEFT_TYPE RIGHT_TYPE RESULT_TYPE: LEFT_ELEMENT_of, RIGHT_ELEMENT_of, RESULT_ELEMENT_of",
          "float int32_t float: f32_of, s32_of, f32_of", "float int32_t float: f32_of, s32_of, f32_of" },
        { "PACK_AXES: CONSTANTS, NCONSTANT", "N, K: W and scale, 2", NULL },
        { "EACH(operands, HAS_ELEMENTS)", "M > 0 && K > 0, ((N > 0 && KW > 0) || (N > 0)), M > 0 && N > 0", NULL },
    };
    for (int packed = 0; packed < 2; packed++) {
        const UnitContext u = context_for(
            "avx2", read_spec(arena_printf(arena,
                                           "name = \"one\"; op = \"words\"; shapes = ( { M = 7; N = 48; K = 64; } ); "
                                           "layout = { packed = %s; };",
                                           packed ? "true" : "false")));
        const int64_t extent[] = { 7, 48, 64, 16 };
        assert_int_equal(u.spec->const_operand, 1);
        assert_true(spec_packed_bytes(u.spec, extent) == (packed ? 4 * 48 * 16 + 4 * 48 : 0));
        for (size_t i = 0; i < sizeof row / sizeof *row; i++)
            if (packed || row[i].plain)
                assert_string_equal(filled(&u, NULL, 0, arena_printf(arena, "%s\n", row[i].text)),
                                    arena_printf(arena, "%s\n", packed ? row[i].packed : row[i].plain));
    }
}

TEST(units_for_gpus)
{
    static const struct {
        const char *rest, *want[3];
    } cases[] = {
        { "dtype = \"f16\"; layout = { W = \"NK\"; packed = true; };",
          { "    const unsigned short *X;\n    const unsigned short *W;\n    unsigned short *Y;\n" } },
        { "dtype = \"tf32\"; layout = { W = \"NK\"; };",
          { "    const float *X;\n    const float *W;\n    float *Y;\n" } },
        { "layout = { W = \"KN\"; };",
          { "    int M, N, K;\n", "size_t smem_bytes, scratch_bytes, counter_bytes;", "} one_plan;" } },
    };
    static const int64_t value[] = { 2, 1 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const UnitContext u = context_of("sm_90a", cases[i].rest);
        const char *text = filled(&u, NULL, 0, "//@ arguments\n");
        for (int k = 0; k < 3 && cases[i].want[k]; k++)
            assert_has(text, cases[i].want[k]);
        assert_lacks(text, "stride");
    }
    Diag *d = diag_new(arena);
    const UnitContext u = context_of("sm_90a", "layout = { W = \"NK\"; packed = true; };");
    const UnitKernel k = { .t = stub_template(u.spec), .target = u.target, .value = value };
    const char *text = unit_candidate(arena, &u, &k, d);
    assert_has(text, "    return one_arguments(extent[0], extent[1], extent[2],\n        (const float *)operand[0], "
                     "(const float *)operand[1], (float *)operand[2]);\n");
    assert_has(text, "    return one_k0_start(args, one_k0_plan(args, one_sms()), (cudaStream_t)stream);\n");
    assert_lacks(text, "dcgen_scratch");
    assert_lacks(text, "dcgen_counters");
    assert_has(text, "one_cuda_packed_bytes(extent[1], extent[2])");
    assert_has(text, "one_cuda_pack(extent[1], extent[2], w, packed, NULL)");
    assert_int_equal(diag_nerror(d), 0);
}

/* Arguments of kernels have the strides of an operand where some kernel asks for one. Rows of a packed constant are
 * padded to 16 bytes. */
TEST(strides_that_kernels_ask_for)
{
    static const struct {
        const char *rest, *along;
    } cases[] = {
        { "layout = { W = \"NK\"; };", "N, K" },
        { "layout = { W = \"KN\"; };", "K, N" },
        { "layout = { W = \"NK\"; packed = true; };", "N, (K + 3) / 4 * 4" },
        { "dtype = \"f16\"; layout = { W = \"KN\"; packed = true; };", "K, (N + 7) / 8 * 8" },
        { "dtype = \"tf32\"; layout = { W = \"NK\"; packed = true; };", "N, (K + 3) / 4 * 4" },
    };
    static const int64_t value[] = { 2, 1 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const UnitContext u = context_of("sm_90a", cases[i].rest);
        const UnitKernel k = {
            stub_template_of(u.spec, "KERNEL MR UK args.W_stride[0];\n"), u.target, value, { 0 }, NULL
        };
        const char *text = filled(&u, &k, 1, "//@ arguments\n");
        assert_has(text, " *W;\n    int64_t W_stride[1];");
        assert_has(text, arena_printf(arena, "    const int64_t W_extent[] = { %s };\n", cases[i].along));
        assert_has(text, "    one_dense(2, W_extent, args.W_stride);\n");
        assert_lacks(text, "X_stride");
        assert_lacks(text, "Y_stride");
    }
}

/* A kernel that asks for maps is given them with the call: made of operands as they lie, strides included. */
TEST(kernels_are_given_maps)
{
    static const int64_t value[] = { 2, 1 };
    const UnitContext u = context_of("sm_90a", "dtype = \"bf16\"; layout = { W = \"KN\"; packed = true; };");
    Template *t = (Template *)stub_template_of(u.spec, "KERNEL MR UK\n");
    const UnitKernel k = { .t = t, .target = u.target, .value = value };
    Diag *d = diag_new(arena);
    const char *without = unit_candidate(arena, &u, &k, d);
    assert_lacks(without, "CUtensorMap");
    assert_lacks(without, "#include <cuda.h>");
    assert_lacks(without, "X_stride");
    const Loc nowhere = { 0 };
    t->nmap = 2;
    t->map[0] = (TemplateMap){ .name = "x_map",
                               .operand = 0,
                               .box = { expr_parse(arena, "64 * MR", nowhere, d), expr_number(arena, 32) },
                               .swizzle = expr_parse(arena, "64 * UK", nowhere, d) };
    t->map[1] = (TemplateMap){ .name = "w",
                               .operand = 1,
                               .box = { expr_number(arena, 8), expr_number(arena, 16) },
                               .step = { expr_parse(arena, "M + 1", nowhere, d), expr_number(arena, 1) },
                               .swizzle = expr_number(arena, 0) };
    const char *text = unit_candidate(arena, &u, &k, d);
    assert_int_equal(diag_nerror(d), 0);
    assert_has(text, "#include <cuda.h>\n#include <cuda_runtime.h>\n");
    assert_has(text, "typedef struct {\n    CUtensorMap x_map;\n    CUtensorMap w;\n    one_args call;\n"
                     "    bool x_map_fits;\n    bool w_fits;\n"
                     "    bool is_mapped; /* those of all operands that are read do */\n} one_k0_given;\n");
    assert_has(text, "    const int64_t M = args.M;\n    const int64_t N = args.N;\n    const int64_t K = args.K;\n"
                     "    one_k0_given given;\n    const int64_t x_map_extent[] = { M, K };\n"
                     "    const int x_map_box[] = { 128, 32 };\n    const int64_t w_extent[] = { K, N };\n"
                     "    const int w_box[] = { 8, 16 };\n    const int64_t w_step[] = { M + 1, 1 };\n"
                     "    given.call = args;\n");
    assert_has(text, "one_device::tensor_map(&given.x_map, 2, args.X, 2, x_map_extent, args.X_stride, x_map_box, 64)");
    assert_has(text, "one_device::tensor_map(&given.w, 2, args.W, 2, w_extent, args.W_stride, w_box, 0, w_step)");
    assert_has(text, "plan.smem_bytes, stream, given);\n");
    assert_has(text, "W_extent[] = { K, (N + 7) / 8 * 8 };\n");
    assert_has(text, "X_extent[] = { M, K };\n");
}

/* What a part of a call needs is worked out from the call's extents; what numbers make 0 is not asked for. */
TEST(scratch_memory_is_asked_for)
{
    static const char *const pattern = "//@ repeat kernels\nHAS_SCRATCH\n//@ end\nANY_SCRATCH\n";
    static const int64_t none[] = { 2, 1 }, some[] = { 3, 1 };
    Diag *d = diag_new(arena);
    const UnitContext u = context_of("avx2", "");
    const Template *t =
        stub_template_with(u.spec, "scratch = \"4 * ROW * (MR - 2)\"; derived = ( { name = \"ROW\"; expr = "
                                   "\"ceil_to(M, UK * 16)\"; doc = \"x\"; } );");
    const UnitKernel without = { .t = t, .target = u.target, .value = none },
                     scratch = { .t = t, .target = u.target, .value = some },
                     again = { t, u.target, some, { 0 }, "other_k3" };
    assert_string_equal(filled(&u, (const UnitKernel[]){ without, scratch, without }, 3, pattern), "0\n1\n0\n1\n");
    assert_string_equal(filled(&u, (const UnitKernel[]){ without, again }, 2, pattern), "0\n1\n1\n");
    assert_string_equal(filled(&u, (const UnitKernel[]){ without, without }, 2, pattern), "0\n0\n0\n");
    const char *text = unit_candidate(arena, &u, &scratch, d);
    assert_has(text, "static inline size_t one_k0_scratch(const one_args *a)\n{\n    const double M = (double)a->M;\n"
                     "    const double ROW = one_real_ceil_to(M, 16);\n    const double bytes = 4*ROW;\n");
    assert_has(text, "one_real_ceil_to(double a");
    assert_has(text, "\nint64_t dcgen_scratch(const int64_t *extent, int64_t ntask)\n{\n");
    assert_has(text, "    return (int64_t)one_k0_scratch(&args) * ntask;\n");
    text = unit_candidate(arena, &u, &without, d);
    assert_lacks(text, "scratch(");
    assert_lacks(text, "ceil_to");
    assert_int_equal(diag_nerror(d), 0);
}

/* How a kernel of dense for GPUs is launched, by its head and by its family's. */
static const char *launch_of(const char *name, const char *const *param, const int64_t *to, int n)
{
    const UnitContext u = context_of("sm_90a", "dtype = \"f32\";");
    TemplateList list;
    const char *folders[] = { DCGEN_SOURCE_DIR "/templates" };
    Diag *d = diag_new(arena);
    int64_t value[TEMPLATE_MAX_PARAM];
    int i = 0;
    assert_true(template_read_all(arena, u.spec, folders, 1, &list, d));
    while (strcmp(list.t[i]->name, name) != 0)
        i++;
    memcpy(value, template_general(list.t[i], u.target, 0)->value, sizeof value);
    for (int k = 0; k < n; k++)
        value[names_find(NAMES(list.t[i]->param, list.t[i]->nparam), param[k])] = to[k];
    const UnitKernel k = { .t = list.t[i], .target = u.target, .value = value };
    const char *text = unit_candidate(arena, &u, &k, d), *at = text ? strstr(text, "one_k0_plan(const") : NULL;
    diag_print(d, stderr);
    assert_non_null(at);
    at = strstr(at, "{\n");
    return arena_printf(arena, "%.*s%s", (int)(strstr(at, "}\n") - at), at,
                        strstr(text, "dcgen_scratch") ? "scratch" : "");
}

TEST(launches_of_kernels)
{
    static const char *const split = "SPLITK";
    static const int64_t three = 3;
    const char *alone = launch_of("simt_gemm", NULL, NULL, 0), *shared = launch_of("simt_gemm", &split, &three, 1);
    assert_has_all(
        alone, "    const double M = a.M;\n    const double N = a.N;\n    const double TILES = one_real_ceil_div(M, ",
        "    return one_planned(TILES, 0, 1, 0, ", ", 0, 0);\n");
    assert_lacks(alone, "SLICES");
    assert_lacks(alone, "scratch");
    assert_has_all(shared, "    const double K = a.K;\n", "    const double PARTS = 1 + 2.0*(TILES <= 4096);\n",
                   "    const double KPER = one_real_ceil_div(SUM_STEPS, PARTS);\n",
                   "    const double SLICES = 1 + (one_real_ceil_div(SUM_STEPS, KPER) - 1);\n",
                   "    return one_planned(TILES, 0, SLICES, 0, ", ", 4*PASSED, (double)(SLICES > 1)*4*4096);\n",
                   "scratch");
}

/* A kernel that does not serve every call says which it is for; as a candidate it refuses the others. */
TEST(calls_that_kernels_are_for)
{
    static const char *const pattern = "//@ repeat kernels\nHAS_CONDITION: CONDITION\n//@ end\nANY_CONDITION\n";
    static const int64_t value[] = { 2, 1 };
    static const struct {
        const char *target, *refused;
    } row[] = { { "avx2", "    if (!(M > 2 && K == 1))\n        return 1; /* no call for this kernel */\n" },
                { "sm_90a", "    if (!(M > 2 && K == 1))\n        return -1; /* no call for this kernel */\n" } };
    Diag *d = diag_new(arena);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const UnitContext u = context_of(row[i].target, "");
        Template some = *stub_template(u.spec), any = some;
        serve(arena, &some, u.spec, "M > MR && (UK == 0 || K == UK)");
        serve(arena, &any, u.spec, "UK == 1 || N > 3");
        const UnitKernel less = { .t = &some, .target = u.target, .value = value },
                         all = { .t = &any, .target = u.target, .value = value };
        assert_string_equal(filled(&u, (const UnitKernel[]){ all, less }, 2, pattern), "0: 1\n1: M > 2 && K == 1\n1\n");
        assert_string_equal(filled(&u, (const UnitKernel[]){ all, all }, 2, pattern), "0: 1\n0: 1\n0\n");
        const char *text = unit_candidate(arena, &u, &less, d);
        assert_has_all(text, "    const int64_t M = extent[0];\n    const int64_t N = extent[1];\n", row[i].refused);
        assert_lacks(unit_candidate(arena, &u, &all, d), "no call for this kernel");
    }
    assert_int_equal(diag_nerror(d), 0);
}

/* By blur of tests/operators: a part of the packed operand is there where any kernel's template has a value of that
 * name that is not 0. */
TEST(parts_of_the_packed_operand)
{
    static const char *const folders[] = { DCGEN_SOURCE_DIR "/tests/operators", DCGEN_SOURCE_DIR "/templates" };
    static const char text[] = "name = \"one\"; op = \"blur\"; shapes = ( { B = 1; H = 8; W = 8; R = 3; S = 3; } ); "
                               "layout = { packed = true; };";
    static const int64_t kept[] = { 0 }, turned[] = { 1 }, eight[] = { 8 };
    Diag *d = diag_new(arena);
    const UnitContext u = context_for("avx2", read_spec(text));
    TemplateList list;
    assert_true(template_read_all(arena, u.spec, folders, 2, &list, d));
    const Template *steps = NULL, *windows = NULL;
    for (int i = 0; i < list.n; i++) {
        steps = strcmp(list.t[i]->name, "two_steps") == 0 ? list.t[i] : steps;
        windows = strcmp(list.t[i]->name, "windows") == 0 ? list.t[i] : windows;
    }
    assert_true(steps && windows);
    const UnitKernel none = { .t = windows, .target = u.target, .value = eight },
                     no = { .t = steps, .target = u.target, .value = kept },
                     yes = { .t = steps, .target = u.target, .value = turned };
    assert_string_equal(filled(&u, (const UnitKernel[]){ none, no }, 2, "TURNED\n"), "0\n");
    assert_string_equal(filled(&u, (const UnitKernel[]){ none, yes, no }, 3, "TURNED\n"), "1\n");
    assert_has(unit_candidate(arena, &u, &yes, d), "((float *)packed)[R + r] = F[R - 1 - r];\n");
    assert_lacks(unit_candidate(arena, &u, &no, d), "F[R - 1 - r]");
    assert_has(unit_candidate(arena, &u, &no, d), "(size_t)(R << 0) * sizeof(float);\n");
}

/* The reference says how far off results may be, and whether that may turn a comparison. */
TEST(accuracies_are_granted)
{
    static const char *const package = DCGEN_SOURCE_DIR "/templates/package";
    const char *text = unit_reference(arena, spec_of("accuracy = 4; epilogue = \"acc > 0 ? 1 : 0\";"), package,
                                      "text\n", diag_new(arena));
    assert_has(text, "const double dcgen_reference_accuracy = 4;\n");
    assert_has(text, "    return dcgen_reference_accuracy * (0x1p-24 * (4 * root + 8)");
    assert_lacks(unit_reference(arena, spec_of("epilogue = \"acc > 0 ? 1 : 0\";"), package, "text\n", diag_new(arena)),
                 "accuracy");
    const UnitContext exact = context_of("avx2", ""), coarse = context_of("avx2", "accuracy = 2.5;");
    static const char *const pattern = "#if HAS_ACCURACY\nACCURACY_TEXT ACCURACY\n#else\nexact\n#endif\n";
    assert_string_equal(filled(&exact, NULL, 0, pattern), "exact\n");
    assert_string_equal(filled(&coarse, NULL, 0, pattern), "2.5 2\n");
}

/* Of targets of other folders only those count that a kernel may be for. */
TEST(targets_of_other_folders)
{
    const TargetList before = targets;
    const char *cpu = hash_of("portable", "one", plain), *cuda = hash_of("sm_80", "one", plain);
    Target *mine = &targets.t[targets.n++];
    *mine = *target_find(&targets, "sm_80");
    mine->name = "mine";
    mine->hash = "0123456789abcdef";
    assert_string_equal(hash_of("portable", "one", plain), cpu);
    assert_string_equal(hash_of("sm_80", "one", plain), cuda);
    const char *own = hash_of("mine", "one", plain);
    mine->hash = "0123456789abcdee";
    assert_string_not_equal(hash_of("mine", "one", plain), own);
    mine->fallback = ((Target *)target_find(&targets, "sm_80"))->fallback = "mine";
    assert_string_not_equal(hash_of("sm_80", "one", plain), cuda);
    targets = before;
}

/* Each file of a candidate's text counts for its family, with lines that only some kernels have; how an operand is
 * packed, where it is. */
TEST(every_file_counts)
{
    static const struct {
        const char *file;
        bool cpu, cuda, only_packed;
    } cases[] = {
        { "dense/pack.c", true, false, true },          { "dense/pack.cu", false, true, true },
        { "package/candidate.c", true, false, false },  { "package/candidate.cu", false, true, false },
        { "package/preamble.c", true, false, false },   { "package/preamble.cu", false, true, false },
        { "package/entry.c", true, false, false },      { "package/entry.cu", false, true, false },
        { "package/arguments.h", true, true, false },   { "device/x.cuh", false, true, false },
        { "package/each_kernel.h", true, true, false }, { "package/arithmetic.h", false, false, false },
        { "package/pack.h", true, false, true },        { "device/x.txt", false, false, false },
        { "package/README.md", false, false, false },   { "package/entry.c", true, false, false }
    }; /* the last one: of a line for kernels with scratch memory alone */
    static const char *const layout[] = { "", "layout = { W = \"NK\"; packed = true; };" };
    static const char *const part[] = { "dense", "device", "package" };
    for (int i = 0; i < 3; i++)
        assert_int_equal(mkdir(in_root(part[i]), 0700), 0);
    const char *hash[4] = { "", "", "", "" };
    for (int i = -1; i < (int)(sizeof cases / sizeof *cases); i++) {
        for (size_t k = 0; i < 0 && k < sizeof cases / sizeof *cases; k++) {
            const char *const is = strstr(cases[k].file, "candidate.");
            put_file(in_root(cases[k].file), !is                 ? LICENCE
                                             : strstr(is, ".cu") ? LICENCE "//@ preamble\n//@ arguments\n//@ entry\n"
                                                                 : LICENCE
                                                 "//@ preamble\n//@ arguments\n//@ entry\n//@ pack_declarations\n");
        }
        if (i >= 0) {
            FILE *f = fopen(in_root(cases[i].file), "a");
            assert_non_null(f);
            fprintf(f, i + 1 == (int)LENGTH(cases) ? "#if ANY_SCRATCH\nfile %d\n#endif\n" : "file %d\n", i);
            assert_int_equal(fclose(f), 0);
        }
        for (int k = 0; k < 4; k++) {
            const bool cuda = k % 2, packed = k / 2;
            UnitContext u = context_of(cuda ? "sm_90a" : "avx2", layout[packed]);
            const char *const own = root;
            Spec s = *spec_in(u.spec, &own, 1);
            Op op = *s.op;
            op.dir = in_root("dense");
            s.op = &op;
            u.spec = &s;
            u.package_dir = in_root("package");
            const char *now = unit_context_hash(arena, &u);
            if (i >= 0)
                assert_int_equal(strcmp(now, hash[k]) != 0,
                                 (cuda ? cases[i].cuda : cases[i].cpu) && (packed || !cases[i].only_packed));
            hash[k] = now;
        }
    }
}

/* What nvcc is told of any GPU counts for all of them, as one file serves them. */
TEST(code_of_gpus_counts)
{
    const char *cpu = hash_of("portable", "one", plain), *cuda = hash_of("sm_90a", "one", plain);
    Target *t = (Target *)target_find(&targets, "sm_80");
    const char *gencode = t->gencode;
    t->gencode = "other";
    assert_string_equal(hash_of("portable", "one", plain), cpu);
    assert_string_not_equal(hash_of("sm_90a", "one", plain), cuda);
    t->gencode = gencode;
}

TEST_FILE(make, place_teardown)
