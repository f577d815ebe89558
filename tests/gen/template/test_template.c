/* SPDX-License-Identifier: Apache-2.0
 *
 * template: a small template field by field, faulty ones with the place of each error, what names stand for.
 */
#include "tests/gen/template/template_place.h"

static const char small[] = "/* SPDX-License-Identifier: MIT-0 */\n"
                            "/* dcgen\n"
                            "name    = \"small\";\n"
                            "op      = \"dense\";\n"
                            "family  = \"cpu\";\n"
                            "doc     = \"three loops\";\n"
                            "packed  = false;\n"
                            "layouts = [\"NK\"];\n"
                            "params = (\n"
                            "  { name = \"MR\"; choices = [1, 2, 4]; doc = \"rows in a block\"; },\n"
                            "  { name = \"UK\"; choices = [1, 2];    doc = \"sums along K\"; } );\n"
                            "values = (\n"
                            "  { name = \"STEP\"; expr = \"MR * UK\";      doc = \"a block\"; },\n"
                            "  { name = \"VF\";   expr = \"VECTOR_BYTES / 4\"; doc = \"floats in a vector\"; } );\n"
                            "constraints = (\n"
                            "  { need = \"STEP <= 4\"; why = \"larger blocks are of no use\"; } );\n"
                            "general = (\n"
                            "  { target = \"portable\"; MR = 2; UK = 1; } );\n"
                            "tile = { M = \"MR\"; N = \"1\"; K = \"UK\"; };\n"
                            "derived = (\n"
                            "  { name = \"TILES\"; expr = \"ceil_div(M, MR)\"; doc = \"blocks of rows\"; },\n"
                            "  { name = \"PADDED\"; expr = \"TILES * MR\"; doc = \"rows with padding\"; } );\n"
                            "padded_flops = \"2 * PADDED * N * K\";\n"
                            "serial_flops = \"2 * PADDED * ceil_div(N, THREADS) * K\";\n"
                            "terms = ( { name = \"work\"; expr = \"1 + 1 / STEP\"; doc = \"a part\"; } );\n"
                            "features = (\n"
                            "  { name = \"block\"; expr = \"log2(STEP)\"; doc = \"size of a block\"; },\n"
                            "  { name = \"tail\"; expr = \"M % MR\"; doc = \"rows left over\"; } );\n"
                            "*/\n"
                            "#ifndef DCGEN\n"
                            "#define MR 2\n"
                            "#define NOT_DECLARED 1\n"
                            "#endif\n"
                            "static int KERNEL(const NAME_args *a) /* MQ in a comment is free */\n"
                            "{\n"
                            "    const int64_t M = a->M;\n"
                            "#if HAS_BIAS\n"
                            "    int rows[MR] = { 0 };\n"
                            "#endif\n"
                            "    f(R); //@ repeat R = 1..STEP\n"
                            "    return M > UK ? NAME_OK : VF;\n"
                            "}\n";

static void test_fields(void **state)
{
    (void)state;
    const Template *t = read_small(small);
    assert_string_equal(t->name, "small");
    assert_ptr_equal(t->family, &family_cpu);
    assert_false(t->packed);
    assert_int_equal(strlen(t->hash), 16);
    assert_string_equal(t->layout[0], "NK");
    assert_int_equal(t->nparam, 2);
    assert_int_equal(t->param[0].choice[2], 4);
    assert_string_equal(t->param[1].doc, "sums along K");
    assert_int_equal(t->nvalue, 2);
    assert_string_equal(t->derived[0].name, "TILES");
    assert_string_equal(t->term[0].name, "work");
    assert_string_equal(t->feature[1].name, "tail");
    assert_int_equal(t->nconstraint, 1);
    assert_string_equal(t->constraint[0].why, "larger blocks are of no use");
    assert_int_equal(t->ngeneral, 1);
    assert_int_equal(t->general[0].value[0], 2);
    assert_memory_equal(t->src->text + t->body, "#ifndef DCGEN", 13);
}

static void test_names(void **state)
{
    (void)state;
    const Template *t = read_small(small);
    static const int64_t value[] = { 4, 1 }, extent[] = { 9, 10, 11 };
    Binding b = bind(t, make_spec("NK", false, true), value, extent);
    static const struct {
        const char *name;
        int64_t value;
    } want[] = {
        { "MR", 4 },
        { "UK", 1 },
        { "STEP", 4 },
        { "VF", 8 },
        { "VECTOR_BYTES", 32 },
        { "VECTOR_REGISTERS", 16 },
        { "L1_BYTES", 32 << 10 },
        { "CORES", 2 },
        { "HAS_BIAS", 1 },
        { "LAYOUT_NK", 1 },
        { "LAYOUT_KN", 0 },
        { "PACKED", 0 },
        { "M", 9 },
        { "K", 11 },
        { "THREADS", 3 },
        { "TILES", 3 },
        { "PADDED", 12 },
    };
    int64_t slots[TEMPLATE_MAX_SLOT], got;
    assert_true(template_slots(&b, slots));
    for (size_t i = 0; i < LENGTH(want); i++) {
        assert_true(template_lookup(&b, want[i].name, &got));
        assert_int_equal(got, want[i].value);
        int slot = 0;
        while (slot < t->nslot && strcmp(t->slot[slot], want[i].name) != 0)
            slot++;
        /* facts that no expression uses have none */
        if (slot < t->nslot)
            assert_int_equal(slots[slot], want[i].value);
    }
    assert_false(template_lookup(&b, "MQ", &got));
    b.extent = NULL;
    assert_false(template_lookup(&b, "M", &got));
    assert_false(template_lookup(&b, "TILES", &got));
}

static void test_expressions(void **state)
{
    (void)state;
    const Template *t = read_small(small);
    static const int64_t value[] = { 4, 1 }, extent[] = { 9, 10, 11 };
    Binding b = bind(t, make_spec("NK", false, false), value, extent);
    int64_t slots[TEMPLATE_MAX_SLOT];
    double x;
    assert_true(template_slots(&b, slots));
    assert_int_equal(expr_real_at(t->padded_flops, slots, &x), EXPR_OK);
    assert_float_equal(x, 2 * 12 * 10 * 11, 0);
    assert_int_equal(expr_real_at(t->serial_flops, slots, &x), EXPR_OK);
    assert_float_equal(x, 2 * 12 * 4 * 11, 0);
    assert_int_equal(expr_real_at(t->term[0].expr, slots, &x), EXPR_OK);
    assert_float_equal(x, 1.25, 0);
    assert_int_equal(expr_real_at(t->feature[1].expr, slots, &x), EXPR_OK);
    assert_float_equal(x, 1, 0);
}

static void test_fill(void **state)
{
    (void)state;
    const Template *t = read_small(small);
    static const int64_t value[] = { 2, 1 };
    Diag *d = diag_new(arena);
    Binding b = bind(t, make_spec("NK", false, false), value, NULL);
    assert_string_equal(template_fill(arena, &b, "pkg_k0", d),
                        "static int pkg_k0(const pkg_args *a) /* MQ in a comment is free */\n{\n"
                        "    const int64_t M = a->M;\n"
                        "    f(1);\n    f(2);\n    return M > 1 ? pkg_OK : 8;\n}\n");
    b.spec = make_spec("NK", false, true);
    assert_non_null(strstr(template_fill(arena, &b, "pkg_k0", d), "    int rows[2] = { 0 };\n"));
    assert_int_equal(diag_nerror(d), 0);
}

/* The extents that the spec has on an axis, after 0; none where there are more than a kernel each is worth. */
static void test_choices_of_an_axis(void **state)
{
    (void)state;
    static const struct {
        const char *choices;
        int axis, n;
        int64_t choice[3];
    } cases[] = { { "[7, 8]", -1, 2, { 7, 8 } },
                  { "\"K\"", 2, 3, { 0, 24, 64 } },
                  { "\"N\"", 1, 2, { 0, 48 } },
                  { "\"M\"", -1, 1, { 0 } } };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char *text = arena_strdup(arena, small), *at = strstr(text, "[1, 2];   ");
        assert_non_null(at);
        const Template *t = read_small(
            arena_printf(arena, "%.*s%s%s", (int)(at - text), text, cases[i].choices, at + strlen("[1, 2]")));
        assert_int_equal(t->param[1].axis, cases[i].axis);
        assert_int_equal(t->param[1].nchoice, cases[i].n);
        for (int k = 0; k < cases[i].n; k++)
            assert_int_equal(t->param[1].choice[k], cases[i].choice[k]);
        assert_int_equal(t->param[0].axis, -1);
    }
}

/* K is 64 or 24, N is 48: no kernel is fixed for extents that no shape has together. */
static void test_extents_together(void **state)
{
    (void)state;
    char *text = arena_strdup(arena, small), *at = strstr(text, "[1, 2, 4];"), *uk = strstr(text, "[1, 2];   ");
    assert_true(at && uk);
    const Template *t = read_small(arena_printf(arena, "%.*s\"N\"%.*s\"K\"%s", (int)(at - text), text,
                                                (int)(uk - at) - (int)strlen("[1, 2, 4]"), at + strlen("[1, 2, 4]"),
                                                uk + strlen("[1, 2]")));
    static const struct {
        int64_t value[2];
        bool occurs;
    } cases[] = { { { 0, 0 }, true },   { { 48, 0 }, true },   { { 0, 24 }, true },  { { 48, 64 }, true },
                  { { 48, 24 }, true }, { { 48, 48 }, false }, { { 24, 0 }, false }, { { 0, 100 }, false } };
    assert_int_equal(t->ntogether, 2);
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(template_occurs(t, cases[i].value), cases[i].occurs);
}

static void test_suits(void **state)
{
    (void)state;
    const Template *t = read_small(small);
    Target gpu = { .name = "sm_90a", .family = &family_cuda };
    const Target *cpu = target_find(&targets, "avx2");
    assert_true(template_suits(t, make_spec("NK", false, false), cpu));
    assert_false(template_suits(t, make_spec("KN", false, false), cpu));
    assert_false(template_suits(t, make_spec("NK", true, false), cpu));
    assert_false(template_suits(t, make_spec("NK", false, false), &gpu));
}

/* `from` in the small template becomes `to`; then the first error is at the line of `mark`, and says `want`. */
typedef struct {
    const char *from, *to, *mark, *want;
} Fault;

static const char *with(const char *from, const char *to)
{
    const char *at = strstr(small, from);
    if (!at)
        print_error("'%s' is not in the template\n", from);
    assert_non_null(at);
    return arena_printf(arena, "%.*s%s%s", (int)(at - small), small, to, at + strlen(from));
}

static int line_of(const char *text, const char *mark)
{
    const char *at = strstr(text, mark);
    int line = 1;
    assert_non_null(at);
    for (const char *p = text; p < at; p++)
        line += *p == '\n';
    return line;
}

static void check_fault(const Fault *f)
{
    TemplateList list;
    const char *said, *text = with(f->from, f->to);
    write_file("x.c", text);
    bool ok = read_folder(&list, &said);
    const char *place = arena_printf(arena, "%s/x.c:%d:", folder, line_of(text, f->mark));
    if (ok || strncmp(said, place, strlen(place)) != 0 || !strstr(said, f->want))
        print_error("'%s' instead of '%s': wanted %s ... %s, got\n%s", f->to, f->from, place, f->want, said);
    assert_false(ok);
    assert_int_equal(list.n, 0);
    assert_memory_equal(said, place, strlen(place));
    assert_non_null(strstr(said, f->want));
}

static void test_faults(void **state)
{
    (void)state;
    static const Fault faults[] = {
        { "rows[MR]", "rows[MRR]", "MRR", "'MRR' is not declared in the template's head; did you mean 'MR'?" },
        { "M > UK", "M > QQQQ", "QQQQ", "'QQQQ' is not declared in the template's head" },
        { "1..STEP", "1..TILES", "1..TILES", "'TILES' is not declared" },
        { "name = \"UK\"; ch", "name = \"MR\"; ch", "\"MR\"; choices = [1, 2];", "'MR' is declared twice" },
        { "name = \"STEP\"", "name = \"UK\"", "name = \"UK\"; expr", "'UK' is declared twice" },
        { "name = \"PADDED\"", "name = \"TILES\"", "TILES * MR", "'TILES' is declared twice" },
        { "name = \"tail\"", "name = \"block\"", "M % MR", "feature 'block' is declared twice" },
        { "name = \"MR\"", "name = \"HAS_BIAS\"", "HAS_BIAS", "a name that every template has" },
        { "name = \"MR\"", "name = \"M\"", "name = \"M\"", "a name that every template has" },
        { "name = \"MR\"", "name = \"rows\"", "name = \"rows\"", "'rows' must be capital letters, digits and '_'" },
        { "name = \"MR\"", "name = \"\"", "name = \"\"", "must be capital letters" },
        { "choices = [1, 2, 4]", "choices = []", "name = \"MR\"", "parameter 'MR' has no choices" },
        { "choices = [1, 2, 4]", "choices = \"L\"", "\"L\"", "unknown axis 'L'" },
        { "choices = [1, 2, 4]", "choices = [1, \"2\"]", "choices = [1, \"2\"]", "error" },
        { "choices = [1, 2, 4]", "choices = [1, 99999999999]", "99999999999", "error" },
        { "STEP <= 4", "STEP <= ", "STEP <= \"", "error" },
        { "STEP <= 4", "STEP <= M", "STEP <= M", "unknown name 'M'" },
        { "STEP <= 4", "STEPP <= 4", "STEPP", "unknown name 'STEPP'; did you mean 'STEP'?" },
        { "MR * UK", "MR * TILES", "MR * TILES", "unknown name 'TILES'" },
        { "log2(STEP)", "log3(STEP)", "log3", "error" },
        { "why = \"larger blocks are of no use\"; ", "", "need", "'why'" },
        { "tile = { M = \"MR\"; ", "tile = { ", "tile", "'M'" },
        { "tile = { M", "tile = { L = 1; M", "tile", "'L'" },
        { "MR = 2; UK = 1;", "MR = 2;", "target =", "'UK'" },
        { "MR = 2; UK = 1;", "MR = 2; UK = 1; UL = 1;", "UL", "'UL'" },
        { "doc = \"a part\"; } );", "doc = \"x\"; }, { name = \"work\"; expr = \"N\"; doc = \"x\"; } );",
          "N\"; doc = \"x", "term 'work' is declared twice" },
        { "1 + 1 / STEP", "MM", "MM", "unknown name 'MM'" },
        { "family  =", "familly = \"a\"; family  =", "familly", "unknown key 'familly'; did you mean 'family'?" },
        { "op      = \"dense\"", "op      = \"conv\"", "\"conv\"", "this template lies in the folder of op 'dense'" },
        { "layouts = [\"NK\"]", "layouts = [\"NQ\"]", "\"NQ\"", "unknown layout 'NQ'" },
        { "packed  = false", "packed  = 0", "packed", "error" },
        { "doc     = \"three loops\"", "doc     = \"three", "three", "error" },
        { "doc     = \"three loops\";\n", "", "name", "missing key 'doc'" },
        { "op      = \"dense\";\n", "", "name", "missing key 'op'" },
        { "2 * PADDED * N * K", "2 * PADDING", "PADDING", "unknown name 'PADDING'" },
        { "2 * PADDED * ceil_div(N", "2 * PADDING * ceil_div(N", "PADDING", "unknown name 'PADDING'" },
        { "1 + 1 / STEP", "1 + 1 / STEPP", "STEPP", "unknown name 'STEPP'; did you mean 'STEP'?" },
        { "N = \"1\"; K", "N = \"TILES\"; K", "TILES\"; K", "unknown name 'TILES'" },
        { "N = \"1\"; K = \"UK\"; }", "N = \"1\"; K = \"TILES\"; }", "TILES\"; }", "unknown name 'TILES'" },
        { "\"small\"", "\"sm all\"", "sm all", "the template 'sm all' is not a C identifier" },
        { "\"portable\"", "\"port able\"", "port able", "the target 'port able' is not a C identifier" },
        { "\"cpu\"", "\"gpu\"", "gpu", "unknown family 'gpu'" },
        { "layouts = [\"NK\"]", "dtypes = [\"f32\", \"f64\"]", "f64", "unknown dtype 'f64'" },
        { "layouts = [\"NK\"]", "regs = \"M + MR\"", "M + MR", "unknown name 'M'" },
        { "\"MR * UK\";      doc = \"a block\";", "\"MR * UK\";", "{ name = \"STEP\"",
          "missing key 'doc': what it is" },
        { "expr = \"log2(STEP)\"; ", "", "{ name = \"block\"", "missing key 'expr': its value" },
        { "choices = [1, 2, 4]; doc", "doc", "{ name = \"MR\"", "missing key 'choices': its values" },
        { "target = \"portable\"; ", "", "{ MR = 2", "missing key 'target'" },
        { "name = \"MR\"", "name = \"THREADS\"", "THREADS\"; ch", "a name that every template has" },
        { "name = \"MR\"", "name = \"NAME_X\"", "NAME_X", "a name that every template has" },
        { "name = \"MR\"", "name = \"LAYOUT_KN\"", "LAYOUT_KN", "a name that every template has" },
        { "name = \"MR\"", "name = \"BARRIERS\"", "BARRIERS", "a name that every template has" },
        { "name = \"MR\"", "name = \"L1_BYTES\"", "L1_BYTES", "a name that every template has" },
        { "name = \"MR\"", "name = \"DTYPE_TF32\"", "DTYPE_TF32", "a name that every template has" },
        { "name = \"MR\"", "name = \"SMEM_BLOCK\"", "SMEM_BLOCK", "a name that every template has" },
        { "name = \"MR\"", "name = \"_MR\"", "_MR", "must be capital letters" },
        { "M > UK", "KERNELS > UK", "KERNELS", "'KERNELS' is not declared" },
    };
    for (size_t i = 0; i < LENGTH(faults); i++)
        check_fault(&faults[i]);
}

/* Words of C, of macros and of the package, single letters and what is not in capitals are no slips. */
static void test_free_names(void **state)
{
    (void)state;
    read_small(with("    const int64_t M = a->M;\n", "    x(Q, _ABC, Abc, INT64_MAX, NULL, KERNEL_tile, NAME_X, NAME, "
                                                     "KERNEL, M, N, K, INFINITY, HAS_BIAS, CORES);\n"));
}

static void test_open_head(void **state)
{
    (void)state;
    TemplateList list;
    const char *said;
    char *text = arena_strdup(arena, small);
    *strstr(text, "*/\n#ifndef") = 0;
    write_file("x.c", text);
    assert_false(read_folder(&list, &said));
    assert_non_null(strstr(said, "x.c:2:1: error: the template's head is not closed by '*/'"));
}

/* Conditions within the lines for the stand-alone compile do not end them. */
static void test_nested_standalone(void **state)
{
    (void)state;
    read_small(with("#ifndef DCGEN\n",
                    "#ifndef DCGEN\n#if 1\n#define QQQQ 1\n#endif\n#define WWWW QQQQ\n#include \"no.h\"\n"));
}

/* What every template knows, of an f16 spec on a GPU whose compiler and emulator told of the kernel; then of nothing at all. */
static void test_context(void **state)
{
    (void)state;
    static const Param told[] = { { "spills", 1 },          { "regs", 40 },      { "sectors_read", 5 },
                                  { "sectors_written", 6 }, { "wavefronts", 7 }, { "conflicts", 8 },
                                  { "barriers", 9 } };
    static const struct {
        const char *name;
        int64_t value, bare;
    } want[] = {
        { "L1_BYTES", 32 << 10, 0 },
        { "L2_BYTES", 1 << 20, 0 },
        { "L3_BYTES", 8 << 20, 0 },
        { "CORES", 2, 0 },
        { "SMS", 2, 0 },
        { "SM_ARCH", 90, 0 },
        { "SMEM_SM", 233472, 0 },
        { "FMA_SM", 128, 0 },
        { "VECTOR_BYTES", 0, 0 },
        { "SECTORS_READ", 5, 0 },
        { "SECTORS_WRITTEN", 6, 0 },
        { "WAVEFRONTS", 7, 0 },
        { "CONFLICTS", 8, 0 },
        { "BARRIERS", 9, 0 },
        { "ELEM_BYTES", 2, 4 },
        { "TENSOR_SM", 1331, 0 },
        { "MAX_THREADS", 6, 1 },
        { "DTYPE_F16", 1, 0 },
        { "DTYPE_F32", 0, 1 },
        { "DTYPE_BF16", 0, 0 },
        { "DTYPE_TF32", 0, 0 },
        { "HAS_BIAS", 1, 0 },
        { "LAYOUT_NK", 0, 1 },
        { "LAYOUT_KN", 1, 0 },
        { "PACKED", 1, 0 },
    };
    static const char *const unknown[] = { "HAS_GELU", "LAYOUT_XX", "DTYPE_F8", "M", "THREADS", "REGS", "" };
    static const struct {
        const char *dtype;
        int64_t rate;
    } tensor[] = { { "bf16", 1331 }, { "tf32", 665 }, { "f32", 0 } };
    Binding b = { .spec = read_spec(
                      "name = \"pkg\"; op = \"dense\"; dtype = \"f16\"; epilogue = [\"bias\"]; threads = [6, 2];\n"
                      "shapes = ( { M = 7; N = 48; K = 64; } ); layout = { W = \"KN\"; packed = true; };"),
                  .target = target_find(&targets, "sm_90a"),
                  .device = &device,
                  .facts = { LENGTH(told), told } };
    Binding bare = { .spec = make_spec("NK", false, false) };
    int64_t value;
    for (size_t i = 0; i < LENGTH(want); i++) {
        if (!template_context(&b, want[i].name, &value) || value != want[i].value)
            fail_msg("%s is %ld", want[i].name, (long)value);
        if (!template_context(&bare, want[i].name, &value) || value != want[i].bare)
            fail_msg("%s is %ld of a bare spec", want[i].name, (long)value);
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

static void test_several_epilogues(void **state)
{
    (void)state;
    Spec s = *make_spec("NK", false, true);
    Op more = *s.op;
    more.epilogue[more.nepilogue++] = "relu";
    more.epilogue[more.nepilogue++] = "gelu";
    s.op = &more;
    s.epilogue[s.nepilogue++] = "gelu";
    Binding b = { .spec = &s };
    int64_t bias, relu, gelu;
    assert_true(template_context(&b, "HAS_BIAS", &bias) && template_context(&b, "HAS_RELU", &relu) &&
                template_context(&b, "HAS_GELU", &gelu));
    assert_true(bias == 1 && relu == 0 && gelu == 1);
}

static int64_t slot_of(const Template *t, const int64_t *slots, const char *name)
{
    for (int i = 0; i < t->nslot; i++)
        if (strcmp(t->slot[i], name) == 0)
            return slots[i];
    fail_msg("%s has no number", name);
    return 0;
}

/* REGS is what the compiler told, else what the head guesses; of a head that does not there is none. What stands behind it has its number. */
static void test_registers(void **state)
{
    (void)state;
    static const Param told = { "regs", 77 }, not_told = { "regs", 0 };
    static const int64_t value[] = { 4, 1 }, extent[] = { 9, 10, 11 };
    const char *text = with("layouts = [\"NK\"];", "layouts = [\"NK\"];\nregs = \"10 * MR + STEP + CORES\";");
    const char *tail = strstr(text, "M % MR");
    const Template *t = read_small(arena_printf(arena, "%.*sREGS + PADDED + %s", (int)(tail - text), text, tail));
    const struct {
        KernelFacts facts;
        int64_t regs;
    } cases[] = { { { 1, &told }, 77 }, { { 1, &not_told }, 10 * 4 + 4 + 2 }, { { 0, NULL }, 10 * 4 + 4 + 2 } };
    int64_t slots[TEMPLATE_MAX_SLOT], regs;
    double x;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        Binding b = bind(t, make_spec("NK", false, false), value, extent);
        b.facts = cases[i].facts;
        assert_true(template_lookup(&b, "REGS", &regs) && regs == cases[i].regs);
        assert_true(template_slots(&b, slots));
        assert_int_equal(slot_of(t, slots, "REGS"), cases[i].regs);
        assert_int_equal(slot_of(t, slots, "TILES"), 3);
        assert_int_equal(expr_real_at(t->feature[1].expr, slots, &x), EXPR_OK);
        assert_float_equal(x, (double)cases[i].regs + 12 + 1, 0);
    }
    Binding b = bind(read_small(small), make_spec("NK", false, false), value, extent);
    assert_false(template_lookup(&b, "REGS", &regs));
    b.facts = cases[0].facts;
    assert_true(template_lookup(&b, "REGS", &regs) && regs == 77);
}

/* Facts that only terms use have numbers too, and so have their values; 1 / 0 of a derived name makes no slots. */
static void test_terms(void **state)
{
    (void)state;
    static const int64_t value[] = { 4, 1 }, extent[] = { 9, 10, 11 }, none[] = { 9, 0, 11 };
    const Template *t = read_small(with("expr = \"1 + 1 / STEP\"; doc = \"a part\"; }",
                                        "expr = \"2 * M * L2_BYTES\"; doc = \"x\"; }, { "
                                        "name = \"far\"; expr = \"THREADS + ELEM_BYTES\"; doc = \"y\"; }"));
    int64_t slots[TEMPLATE_MAX_SLOT];
    double x;
    Binding b = bind(t, make_spec("NK", false, false), value, extent);
    assert_string_equal(t->term[2].name, "fma"); /* behind the head's are those of the family */
    assert_true(template_slots(&b, slots));
    assert_int_equal(expr_real_at(t->term[0].expr, slots, &x), EXPR_OK);
    assert_float_equal(x, 2.0 * 9 * (1 << 20), 0);
    assert_int_equal(expr_real_at(t->term[1].expr, slots, &x), EXPR_OK);
    assert_float_equal(x, 3 + 4, 0);
    t = read_small(with("TILES * MR", "TILES * MR / N"));
    b = bind(t, make_spec("NK", false, false), value, none);
    assert_false(template_slots(&b, slots));
    t = read_small(with("MR * UK\"", "MR / (UK - 1) \""));
    b = bind(t, make_spec("NK", false, false), value, extent);
    assert_false(template_slots(&b, slots));
}

/* nvcc passes over the text once an architecture: a body is for its own, or for that and later ones. */
static void test_guards(void **state)
{
    (void)state;
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
        if (!strstr(text, cases[i].want))
            fail_msg("%s: no\n%sin\n%s", cases[i].target, cases[i].want, text);
    }
}

/* Lists that are not there name all; of GPUs' templates both forms of the constant operand are read. */
static void test_suits_more(void **state)
{
    (void)state;
    const Spec *plain = make_spec("KN", false, false), *packed = make_spec("NK", true, false);
    const Target *cpu = target_find(&targets, "avx2"), *gpu = target_find(&targets, "sm_80");
    const Template *any = read_small(with("layouts = [\"NK\"];\n", ""));
    assert_true(template_suits(any, plain, cpu) && !template_suits(any, packed, cpu) &&
                !template_suits(any, plain, gpu));
    const Template *two =
        read_small(with("layouts = [\"NK\"];\n", "dtypes = [\"f16\", \"f32\"]; layouts = [\"KN\", \"NK\"];\n"));
    assert_true(template_suits(two, plain, cpu));
    const Template *other = read_small(with("layouts = [\"NK\"];\n", "dtypes = [\"f16\", \"bf16\"];\n"));
    assert_false(template_suits(other, plain, cpu));
    const Template *cuda = read_small(with("\"cpu\"", "\"cuda\""));
    assert_true(template_suits(cuda, packed, gpu) && template_suits(cuda, make_spec("NK", false, false), gpu));
    assert_false(template_suits(cuda, plain, gpu) || template_suits(cuda, packed, cpu));
    assert_true(template_occurs(any, (int64_t[]){ 4, 1 }));
}

/* Numbers, an axis and a mix of parameters: the axis' extents decide alone. */
static void test_occurs_beside_numbers(void **state)
{
    (void)state;
    char *text = arena_strdup(arena, small), *at = strstr(text, "[1, 2];   ");
    const Template *t = read_small(arena_printf(arena, "%.*s\"K\"%s", (int)(at - text), text, at + strlen("[1, 2]")));
    assert_int_equal(t->ntogether, 2);
    assert_true(template_occurs(t, (int64_t[]){ 4, 24 }) && template_occurs(t, (int64_t[]){ 1, 0 }));
    assert_false(template_occurs(t, (int64_t[]){ 4, 48 }));
}

/* A parameter that only an unused value needs changes no kernel. What is used may need it by way of several values. */
static void test_unused_through_value(void **state)
{
    (void)state;
    TemplateList list;
    const char *said, *text = with("    return M > UK ? NAME_OK : VF;", "    return NAME_OK + VF;");
    char *end = strstr((char *)text, "1..STEP");
    memcpy(end, "1..MR  ", 7);
    write_file("x.c", text);
    assert_false(read_folder(&list, &said));
    assert_non_null(strstr(said, "parameter 'UK' is declared but the template does not use it"));
    memcpy(strstr((char *)text, "VECTOR_BYTES / 4"), "STEP * MR       ", 16);
    read_small(text);
}

/* Files that the body includes: their names are checked as the body's are, and their text counts for the hash. */
static void test_pieces(void **state)
{
    (void)state;
    TemplateList list;
    const char *said;
    const char *text = with("    f(R); //@ repeat R = 1..STEP\n", "#include \"f.h\"\n");
    write_file("x.c", text);
    assert_false(read_folder(&list, &said));
    assert_non_null(strstr(said, arena_printf(arena, "x.c:%d:", line_of(text, "\"f.h\""))));
    assert_non_null(strstr(said, "there is no file 'f.h' beside the template"));
    write_file("f.h", "    f(STEP);\n");
    const Template *t = read_small(text);
    const char *hash = t->hash;
    static const int64_t value[] = { 2, 1 };
    Binding b = bind(t, make_spec("NK", false, false), value, NULL);
    assert_non_null(strstr(template_fill(arena, &b, "pkg_k0", diag_new(arena)), "    f(2);\n"));
    write_file("f.h", "    f(STEP, 1);\n");
    assert_string_not_equal(read_small(text)->hash, hash);
    write_file("f.h", "    f(STEP);\n#include \"f.h\"\n");
    assert_false(read_folder(&list, &said));
    assert_non_null(strstr(said, "f.h:2:"));
    assert_non_null(strstr(said, "only the template may"));
    write_file("f.h", "\n    f(STEPS);\n");
    assert_false(read_folder(&list, &said));
    assert_non_null(strstr(said, "f.h:2:"));
    assert_non_null(strstr(said, "'STEPS' is not declared"));
    write_file("f.h", "    g(STEP); /* MR */\n");
    write_file("g.h", "    g(1);\n");
    const char *both =
        with("    f(R); //@ repeat R = 1..STEP\n", "#include \"g.h\"\n#include \"f.h\"\n#include \"g.h\"\n");
    t = read_small(both); /* a parameter may be used by a piece alone; one that is there twice counts once */
    assert_int_equal(t->npiece, 2);
    b = bind(t, make_spec("NK", false, false), value, NULL);
    assert_non_null(
        strstr(template_fill(arena, &b, "pkg_k0", diag_new(arena)), "    g(1);\n\n    g(2); /* 2 */\n\n    g(1);\n"));
    hash = t->hash;
    write_file("f.h", "    g(STEP); /* MR, MR */\n");
    assert_string_not_equal(read_small(both)->hash, hash);
    write_file("f.h", "    g(STEP); /* MR */\n");
    write_file("g.h", "    g(2);\n");
    assert_string_not_equal(read_small(both)->hash, hash);
    write_file("g.h", "    g(1);\n");
    assert_string_equal(read_small(both)->hash, hash);
    char *edited = arena_strdup(arena, both);
    memcpy(strstr(edited, "int rows"), "int cols", 8);
    assert_string_not_equal(read_small(edited)->hash, hash);
    char include[TEMPLATE_MAX_PIECE + 1][32], many[32 * (TEMPLATE_MAX_PIECE + 1)] = "";
    for (int i = 0; i <= TEMPLATE_MAX_PIECE; i++) {
        snprintf(include[i], sizeof include[i], "#include \"p%d.h\"\n", i);
        write_file(arena_printf(arena, "p%d.h", i), "    g(STEP);\n");
        strcat(many, include[i]);
        write_file("x.c", with("    f(R); //@ repeat R = 1..STEP\n", many));
        assert_int_equal(read_folder(&list, &said), i < TEMPLATE_MAX_PIECE);
    }
    assert_non_null(strstr(said, "more than 8 files are included"));
    for (int i = 0; i <= TEMPLATE_MAX_PIECE; i++)
        unlink(arena_printf(arena, "%s/p%d.h", folder, i));
    unlink(arena_printf(arena, "%s/g.h", folder));
    unlink(arena_printf(arena, "%s/f.h", folder));
}

/* Measurements outlive a better model: the hash is that of the code. */
static void test_hash_is_of_the_code(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        bool changes;
    } edit[] = {
        { "three loops", "four loops", false },     { "choices = [1, 2, 4]", "choices = [1, 2, 3]", false },
        { "STEP <= 4", "STEP <= 2", false },        { "TILES * MR", "2 * TILES", false },
        { "1 + 1 / STEP", "1 / STEP", false },      { "log2(STEP)", "STEP", false },
        { "\"small\"", "\"other\"", true },         { "MR * UK", "UK * MR", true },
        { "M = \"MR\"; N", "M = \"UK\"; N", true }, { "int rows", "int cols", true },
    };
    const char *hash = read_small(small)->hash;
    for (size_t i = 0; i < sizeof edit / sizeof *edit; i++)
        assert_int_equal(strcmp(read_small(with(edit[i].from, edit[i].to))->hash, hash) != 0, edit[i].changes);
}

static void test_folder(void **state)
{
    (void)state;
    TemplateList list;
    const char *said;
    write_file("x.c", "/* no template */\nint x;\n");
    assert_true(read_folder(&list, &said));
    assert_int_equal(list.n, 0);
    write_file("x.c", small);
    write_file("y.c", small);
    assert_false(read_folder(&list, &said));
    assert_non_null(strstr(said, "another template in this folder has the name 'small'"));
    write_file("y.c", with("\"small\"", "\"other\""));
    assert_true(read_folder(&list, &said));
    assert_int_equal(list.n, 2);
    assert_string_not_equal(list.t[0]->hash, list.t[1]->hash);
    unlink(arena_printf(arena, "%s/y.c", folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_choices_of_an_axis),
        cmocka_unit_test(test_extents_together),
        cmocka_unit_test(test_suits),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_free_names),
        cmocka_unit_test(test_open_head),
        cmocka_unit_test(test_nested_standalone),
        cmocka_unit_test(test_context),
        cmocka_unit_test(test_several_epilogues),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_terms),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_suits_more),
        cmocka_unit_test(test_occurs_beside_numbers),
        cmocka_unit_test(test_unused_through_value),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_hash_is_of_the_code),
        cmocka_unit_test(test_folder),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
