/* SPDX-License-Identifier: Apache-2.0
 *
 * template_read: a small template field by field, faulty ones with the place of each error, and the hash of its code;
 * names of the body that the head does not declare, or that the body does not use; files that it includes.
 */
#include "tests/test.h"
#include "tests/gen/template/template_small.h"

TEST(test_fields)
{
    const Template *t = read_small(small);
    assert_true(t->family == &family_cpu && !t->packed && strlen(t->hash) == 16 && t->layout[1] == 1);
    assert_true(t->nparam == 2 && t->param[0].choice[2] == 4 && t->nvalue == 2 && t->nconstraint == 1);
    assert_true(t->ngeneral == 1 && t->general[0].value[0] == 2);
    assert_string_equal(arena_printf(arena, "%s; %s; %s, %s, %s; %s", t->name, t->param[1].doc, t->derived[0].name,
                                     t->term[0].name, t->feature[1].name, t->constraint[0].why),
                        "small; sums along K; TILES, work, tail; larger blocks are of no use");
    assert_memory_equal(t->src->text + t->body, "#ifndef DCGEN", 13);
}

/* The extents that the spec has on an axis, after 0; none where there are more than a kernel each is worth. */
TEST(test_choices_of_an_axis)
{
    static const struct {
        const char *choices;
        int axis, n;
        int64_t choice[3];
    } cases[] = { { "[7, 8];", -1, 2, { 7, 8 } },
                  { "\"K\";", 2, 3, { 0, 24, 64 } },
                  { "\"N\";", 1, 2, { 0, 48 } },
                  { "\"M\";", -1, 1, { 0 } } };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const Template *t = read_small(with("[1, 2];", cases[i].choices));
        assert_int_equal(t->param[1].axis, cases[i].axis);
        assert_int_equal(t->param[1].nchoice, cases[i].n);
        for (int k = 0; k < cases[i].n; k++)
            assert_int_equal(t->param[1].choice[k], cases[i].choice[k]);
        assert_int_equal(t->param[0].axis, -1);
    }
}

/* Which calls kernels are for is told by extents, parameters and values: derived names and those on offer are written
 * out, and what parameters fix is added. */
TEST(test_serves)
{
    static const struct {
        const char *serves, *choices, *want;
    } cases[] = {
        { "N == 48 || STEP > VF", "[1, 2]", "N == 48 || STEP > VF" },
        { "WIDE > 3 && M > 1", "[1, 2]", "M*UK + N > 3 && M > 1" },
        { "FLOPS < 100", "[1, 2]", "2*M*N*K < 100" },
        { "K % 8 == 0 && ALIGN % 8 == 0", "[1, 2]", "K % 8 == 0 && ALIGN % 8 == 0" },
        { "1", "\"K\"", "1 && (UK == 0 || K == UK)" },
        { "M > 1 || N > 1", "\"K\"", "(M > 1 || N > 1) && (UK == 0 || K == UK)" },
        { "M > 1", "\"M\"", "M > 1" }, /* M has more extents than a kernel each is worth */
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *text = text_with(arena, serving(cases[i].serves, cases[i].choices), "derived = (",
                                     "derived = (\n"
                                     "  { name = \"LONG\"; expr = \"M * UK\"; doc = \"x\"; },\n"
                                     "  { name = \"WIDE\"; expr = \"LONG + N\"; doc = \"x\"; },");
        const Template *t = read_small(text);
        assert_string_equal(expr_text(t->serves), cases[i].want);
        assert_int_equal(t->asks_align, strstr(cases[i].want, "ALIGN") != NULL);
    }
    assert_null(read_small(small)->serves);
    assert_string_equal(expr_text(read_small(with("[1, 2];", "\"K\";"))->serves), "UK == 0 || K == UK");
    assert_string_equal(
        expr_text(read_small(with("[1, 2, 4]; doc = \"rows in a block\"; },\n  { name = \"UK\"; choices = [1, 2];",
                                  "\"K\"; doc = \"rows in a block\"; },\n  { name = \"UK\"; choices = \"N\";"))
                      ->serves),
        "(MR == 0 || K == MR) && (UK == 0 || N == UK)");
}

/* `from` in the small template becomes `to`; then the first error is at the line of `mark`, and says `want`. */
typedef struct {
    const char *from, *to, *mark, *want;
} Fault;

static void check_fault(const Fault *f)
{
    TemplateList list;
    const char *said, *text = with(f->from, f->to);
    put("x.c", text);
    const char *place = arena_printf(arena, "%s/x.c:%d:", root, line_of(text, f->mark));
    if (read_folder(&list, &said) || list.n != 0 || strncmp(said, place, strlen(place)) != 0 || !strstr(said, f->want))
        fail_msg("'%s' instead of '%s': wanted %s ... %s, got\n%s", f->to, f->from, place, f->want, said);
}

#define SERVES(text) "serves = \"" text "\";\ntile = {"
#define SCRATCH(text) "scratch = \"" text "\";\ntile = {"
/* It depends on two values behind the last one: this, and one that is one more. */
#define SERVES_BY(value)                                                             \
    "a vector\"; },\n  { name = \"HIDDEN\"; expr = \"" value "\"; doc = \"x\"; },\n" \
    "  { name = \"VIA\"; expr = \"HIDDEN + 1\"; doc = \"x\"; } );\nserves = \"M > VIA\";\n"

TEST(test_faults)
{
    static const Fault faults[] = {
        { "rows[MR]", "rows[MRR]", "MRR", "'MRR' is not declared in the template's head; did you mean 'MR'?" },
        { "M > UK", "M > QQQQ", "QQQQ", "'QQQQ' is not declared in the template's head" },
        { "1..STEP", "1..TILES", "1..TILES", "'TILES' is not declared" },
        { "name = \"UK\"; ch", "name = \"MR\"; ch", "\"MR\"; choices = [1, 2];", "'MR' is declared twice" },
        { "name = \"STEP\"", "name = \"UK\"", "name = \"UK\"; expr", "'UK' is declared twice" },
        { "name = \"PADDED\"", "name = \"TILES\"", "TILES * MR", "'TILES' is declared twice" },
        { "name = \"tail\"", "name = \"block\"", "M % MR", "feature 'block' is declared twice" },
        { "name = \"MR\"", "name = \"HAS_EPILOGUE\"", "HAS_EPILOGUE", "a name that every template has" },
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
        { "layouts = { W = [\"NK\"]; }", "layouts = { W = [\"NQ\"]; }", "\"NQ\"", "unknown layout 'NQ'" },
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
        { "layouts = { W = [\"NK\"]; }", "dtypes = [\"f32\", \"f64\"]", "f64", "unknown dtype 'f64'" },
        { "layouts = { W = [\"NK\"]; }", "regs = \"M + MR\"", "M + MR", "unknown name 'M'" },
        { "\"MR * UK\";      doc = \"a block\";", "\"MR * UK\";", "{ name = \"STEP\"",
          "missing key 'doc': what it is" },
        { "expr = \"log2(STEP)\"; ", "", "{ name = \"block\"", "missing key 'expr': its value" },
        { "choices = [1, 2, 4]; doc", "doc", "{ name = \"MR\"", "missing key 'choices': its values" },
        { "target = \"portable\"; ", "", "{ MR = 2", "missing key 'target'" },
        { "name = \"MR\"", "name = \"THREADS\"", "THREADS\"; ch", "a name that every template has" },
        { "name = \"MR\"", "name = \"NAME_X\"", "NAME_X", "a name that every template has" },
        { "name = \"MR\"", "name = \"LAYOUT_W_KN\"", "LAYOUT_W_KN", "a name that every template has" },
        { "name = \"MR\"", "name = \"BARRIERS\"", "BARRIERS", "a name that every template has" },
        { "name = \"MR\"", "name = \"L1_BYTES\"", "L1_BYTES", "a name that every template has" },
        { "name = \"MR\"", "name = \"DTYPE_TF32\"", "DTYPE_TF32", "a name that every template has" },
        { "name = \"MR\"", "name = \"LEFT_TYPE\"", "LEFT_TYPE", "a name that every template has" },
        { "name = \"MR\"", "name = \"SMEM_BLOCK\"", "SMEM_BLOCK", "a name that every template has" },
        { "name = \"MR\"", "name = \"_MR\"", "_MR", "must be capital letters" },
        { "M > UK", "KERNELS > UK", "KERNELS", "'KERNELS' is not declared" },
        { "tile = {", SERVES("M >"), "serves =", "error" },
        { "tile = {", "serves = true;\ntile = {", "serves =", "'serves': expected" },
        { "tile = {", SERVES("NOBODY > 1"), "serves =", "unknown name 'NOBODY'" },
        { "tile = {", SERVES("M > THREADS"),
          "serves =", "this cannot depend on THREADS, but on extents, parameters and values" },
        { "tile = {", SERVES("max(M, N) > 1"),
          "serves =", "each call asks this: it cannot use min, max, ceil_div or ceil_to, nor numbers with fractions" },
        { "tile = {", SERVES("M > 1.5"), "serves =", "nor numbers with fractions" },
        { "tile = {", SERVES("M > 1 && log2(N) > 3"), "serves =", "nor numbers with fractions" },
        { "tile = {", SERVES("M > L2_BYTES"), "serves =", "this cannot depend on L2_BYTES, but" },
        { "tile = {", SERVES("M > 1 || N > CORES"), "serves =", "this cannot depend on CORES, but" },
        { "tile = {", SERVES("M > WAVEFRONTS"), "serves =", "this cannot depend on WAVEFRONTS, but" },
        { "a vector\"; } );\n", SERVES_BY("MR + L1_BYTES"), "serves =", "this cannot depend on VIA, but" },
        { "a vector\"; } );\n", SERVES_BY("MAX_THREADS"), "serves =", "this cannot depend on VIA, but" },
        { "tile = {", SERVES("M > 1 && PADDED > 1"), "serves =", "it cannot use min, max, ceil_div or ceil_to" },
        { "tile = {", SCRATCH("4 *"), "scratch =", "error" },
        { "tile = {", "scratch = true;\ntile = {", "scratch =", "'scratch': expected" },
        { "tile = {", SCRATCH("NOBODY"), "scratch =", "unknown name 'NOBODY'" },
        { "tile = {", SCRATCH("M / 2"),
          "scratch =", "each call works this out: it cannot use '/', log2, exp2 or sqrt" },
        { "tile = {", SCRATCH("log2(M)"), "scratch =", "it cannot use '/', log2, exp2 or sqrt" },
        { "tile = {", SCRATCH("L2_BYTES"), "scratch =", "this cannot depend on L2_BYTES, but on extents" },
        { "tile = {", SCRATCH("M * THREADS"), "scratch =", "this cannot depend on THREADS, but" },
        { "tile = {", SCRATCH("ALIGN"), "scratch =", "this cannot depend on ALIGN, but" },
        { "tile = {", "launch = { x = \"M\"; };\ntile = {",
          "launch =", "kernels of the family 'cpu' are not launched" },
        { "tile = {", "launch = 1;\ntile = {", "launch =", "'launch': expected" },
    };
    for (size_t i = 0; i < LENGTH(faults); i++)
        check_fault(&faults[i]);
    Text deep = { .arena = arena }; /* it can be read, but 2*M*N*K with it is deeper than what can */
    for (int i = 0; i < 199; i++)
        text_add(&deep, "1+");
    check_fault(&(Fault){ "M = \"MR\"", arena_printf(arena, "M = \"%sMR\"", text_str(&deep)),
                          "tile = ", "with this tile, the expression of STEP_FLOPS is too long" });
    check_fault(&(Fault){ "tile = { M = \"MR\"; N = \"1\"; K = \"UK\"; };\nderived = (",
                          arena_printf(arena,
                                       "serves = \"1 + DEEP\";\ntile = { M = \"MR\"; N = \"1\"; K = \"UK\"; };\n"
                                       "derived = ( { name = \"DEEP\"; expr = \"%sM\"; doc = \"x\"; },",
                                       text_str(&deep)),
                          "serves =", "with the derived names in it, this expression is too long" });
    check_fault(&(Fault){
        "choices = [1, 2];    doc = \"sums along K\"; } );",
        arena_printf(arena, "choices = \"K\"; doc = \"sums along K\"; } );\nserves = \"%sM\";", text_str(&deep)),
        "serves =", "with what parameters fix, this expression is too long" });
}

/* Of an ordered parameter those choices are searched that are the first for a tuned shape: K is 64 or 24. What a
 * constraint that names it rules out is none of them; one that does not name it has no say. */
TEST(test_ordered)
{
    static const struct {
        const char *serves, *need;
        unsigned searched;
    } cases[] = {
        { "K % (8*UK) == 0", "1", 5 },           { "K % (16*UK) == 0", "1", 1 },
        { "K % (8*UK) == 0", "UK < 4", 6 },      { "K % (8*UK) == 0", "UK != 1", 1 },
        { "K % (8*UK) == 0", "MR * UK < 2", 0 }, { "K % (8*UK) == 0", "UK * MR <= 4", 6 },
        { "K % (8*UK) == 0", "MR > 2", 5 },      { "K % (8*UK) == 0 && N > UK", "1", 5 },
        { "N == 18*UK && K > 1", "1", 0 },       { "N >= 16*UK && K > 1", "1", 2 },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *text = with("[1, 2];", "[4, 2, 1]; ordered = true;");
        text = text_with(arena, text, "MR = 2; UK = 1;", "MR = 2;");
        text = text_with(arena, text, "STEP <= 4", cases[i].need);
        text = text_with(arena, text, "tile = {", arena_printf(arena, "serves = \"%s\";\ntile = {", cases[i].serves));
        const Template *t = read_small(text);
        assert_int_equal(t->ngeneral, 2);
        if (t->param[1].searched != cases[i].searched)
            fail_msg("%s, %s: %x", cases[i].serves, cases[i].need, t->param[1].searched);
    }
}

TEST(test_open_head)
{
    char *text = arena_strdup(arena, small);
    *strstr(text, "*/\n#ifndef") = 0;
    check_said(text, "x.c:2:1: error: the template's head is not closed by '*/'");
}

/* Measurements outlive a better model: the hash is that of the code. */
TEST(test_hash_is_of_the_code)
{
    static const struct {
        const char *from, *to;
        bool changes;
    } edit[] = {
        { "three loops", "four loops", false },
        { "choices = [1, 2, 4]", "choices = [1, 2, 3]", false },
        { "STEP <= 4", "STEP <= 2", false },
        { "TILES * MR", "2 * TILES", false },
        { "1 + 1 / STEP", "1 / STEP", false },
        { "log2(STEP)", "STEP", false },
        { "\"small\"", "\"other\"", true },
        { "MR * UK", "UK * MR", true },
        { "M = \"MR\"; N", "M = \"UK\"; N", true },
        { "int rows", "int cols", true },
        { "tile = {", SERVES("M > 1"), true },
        { "tile = {", SCRATCH("PADDED"), true },
        { "choices = [1, 2]", "choices = \"K\"", true },
    };
    const char *hash = read_small(small)->hash;
    for (size_t i = 0; i < sizeof edit / sizeof *edit; i++)
        assert_int_equal(strcmp(read_small(with(edit[i].from, edit[i].to))->hash, hash) != 0, edit[i].changes);
    assert_string_not_equal(read_small(with("tile = {", SERVES("M > 1")))->hash,
                            read_small(with("tile = {", SERVES("M > 2")))->hash);
}

TEST(test_folder)
{
    TemplateList list;
    const char *said;
    put("x.c", "/* no template */\nint x;\n");
    assert_true(read_folder(&list, &said));
    assert_int_equal(list.n, 0);
    put("y.c", small);
    check_said(small, "another template in this folder has the name 'small'");
    put("y.c", with("\"small\"", "\"other\""));
    assert_true(read_folder(&list, &said));
    assert_int_equal(list.n, 2);
    assert_string_not_equal(list.t[0]->hash, list.t[1]->hash);
    remove_file("y.c");
}

/* ---- the body ---- */

#define REPEATED "    f(R); //@ repeat R = 1..STEP\n" /* of the small template */

/* Words of C, of macros and of the package, single letters and what is not in capitals are no slips. */
TEST(test_free_names)
{
    read_small(with("    const int64_t M = a->M;\n", "    x(Q, _ABC, Abc, INT64_MAX, NULL, KERNEL_tile, NAME_X, NAME, "
                                                     "KERNEL, M, N, K, INFINITY, HAS_EPILOGUE, CORES);\n"));
}

/* What a repetition counts by may have a long name. It is known in the lines that are repeated, and nowhere else. */
TEST(test_repeated_names)
{
    static const struct {
        const char *lines, *want; /* want NULL: no error */
    } cases[] = {
        { "    f(ROW); //@ repeat ROW = 1..STEP\n", NULL },
        { "    //@ repeat ROW = 1..STEP\n    f(ROW);\n    g(ROW);\n    //@ end\n", NULL },
        { "//@ repeat ROW = 1..STEP\n//@ repeat COLUMN = ROW..2\n    f(ROW, COLUMN);\n//@ end\n    f(ROW);\n//@ end\n",
          NULL },
        { "//@ repeat ROW = 1..STEP\n    f(ROW, COLUMN); //@ repeat COLUMN = 1..ROW\n//@ end\n", NULL },
        { "//@ repeat ROW = 1..ROW\n    f(STEP);\n//@ end\n", "'ROW' is not declared" },
        { "//@ repeat ROW = 1..STEP\n    f(ROW);\n//@ end\n    g(ROW);\n", "'ROW' is not declared" },
        { "    f(ROW);\n//@ repeat ROW = 1..STEP\n    f(1);\n//@ end\n", "'ROW' is not declared" },
        { "//@ repeat ROW = 1..STEP\n    f(ROWS);\n//@ end\n", "'ROWS' is not declared" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_said(with(REPEATED, cases[i].lines), cases[i].want);
}

/* Conditions within the lines for the stand-alone compile do not end them. */
TEST(test_nested_standalone)
{
    read_small(with("#ifndef DCGEN\n",
                    "#ifndef DCGEN\n#if 1\n#define QQQQ 1\n#endif\n#define WWWW QQQQ\n#include \"no.h\"\n"));
}

/* What stands before, between and behind the lines for the stand-alone compile is the kernel's. */
TEST(test_around_standalone)
{
    static const struct {
        const char *from, *to, *want; /* want NULL: no error */
    } cases[] = {
        { "#ifndef DCGEN\n", "int x = QQQQ;\n#ifndef DCGEN\n", "x.c:30:9: error: 'QQQQ' is not declared" },
        { "#ifndef DCGEN\n", "#include \"no.h\"\n#ifndef DCGEN\n", "x.c:30:11: error: there is no file 'no.h'" },
        { "#endif\nstatic", "#else\nint x = QQQQ;\n#endif\nstatic", "x.c:34:9: error: 'QQQQ' is not declared" },
        { "#ifndef DCGEN\n", "#ifndef DCGEN_X\nint x = QQQQ;\n#endif\n#ifndef DCGEN\n", "x.c:31:9: error: 'QQQQ'" },
        { "    return", "#ifndef DCGEN\n    f(QQQQ);\n#endif\n    return", NULL },
        { "#ifndef DCGEN\n",
          " # ifndef DCGEN /* as it stands */\n# if 1\nint x = QQQQ;\n# else\nint x = WWWW;\n # endif\n", NULL },
        { "#ifndef DCGEN\n#define MR 2\n#define NOT_DECLARED 1\n#endif\n", "int x = QQQQ;\n",
          "x.c:30:9: error: 'QQQQ' is not declared" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_said(with(cases[i].from, cases[i].to), cases[i].want);
}

/* A parameter that only an unused value needs changes no kernel. What is used may need it by way of several values. */
TEST(test_unused_through_value)
{
    const char *text = with("    return M > UK ? PACKAGE_OK : VF;", "    return PACKAGE_OK + VF;");
    text = text_with(arena, text, "1..STEP", "1..MR");
    check_said(text, "parameter 'UK' is declared but the template does not use it");
    read_small(text_with(arena, text, "VECTOR_BYTES / 4", "STEP * MR"));
}

/* What the small template becomes with two rows. */
static const char *filled(const Template *t)
{
    static const int64_t value[] = { 2, 1 };
    const Binding b = bind(t, make_spec("NK", false, false), value, NULL);
    return template_fill(arena, &b, "pkg_k0", diag_new(arena));
}

/* Files that the body includes: their names are checked as the body's are, and their text counts for the hash. */
TEST(test_pieces)
{
    const char *text = with(REPEATED, "#include \"f.h\"\n");
    check_said(text, arena_printf(arena, "x.c:%d:11: error: there is no file 'f.h' beside the template",
                                  line_of(text, "\"f.h\"")));
    put("f.h", "    f(STEP);\n");
    const Template *t = read_small(text);
    const char *hash = t->hash;
    assert_has(filled(t), "    f(2);\n");
    put("f.h", "    f(STEP, 1);\n");
    assert_string_not_equal(read_small(text)->hash, hash);
    put("f.h", "    f(STEP);\n#include \"f.h\"\n");
    check_said(text, "only the template may");
    check_said(text, "f.h:2:");
    put("f.h", "\n    f(STEPS);\n");
    check_said(text, "f.h:2:7: error: 'STEPS' is not declared");
    put("f.h", "    g(STEP); /* MR */\n");
    put("g.h", "    g(1);\n");
    const char *both = with(REPEATED, "#include \"g.h\"\n#include \"f.h\"\n#include \"g.h\"\n");
    t = read_small(both); /* a parameter may be used by a piece alone; one that is there twice counts once */
    assert_int_equal(t->npiece, 2);
    assert_has(filled(t), "    g(1);\n\n    g(2); /* 2 */\n\n    g(1);\n");
    hash = t->hash;
    put("f.h", "    g(STEP); /* MR, MR */\n");
    assert_string_not_equal(read_small(both)->hash, hash);
    put("f.h", "    g(STEP); /* MR */\n");
    put("g.h", "    g(2);\n");
    assert_string_not_equal(read_small(both)->hash, hash);
    put("g.h", "    g(1);\n");
    assert_string_equal(read_small(both)->hash, hash);
    assert_string_not_equal(read_small(text_with(arena, both, "int rows", "int cols"))->hash, hash);
    const char *many = "";
    for (int i = 0; i <= TEMPLATE_MAX_PIECE; i++) {
        put(arena_printf(arena, "p%d.h", i), "    g(STEP);\n");
        many = arena_printf(arena, "%s#include \"p%d.h\"\n", many, i);
        check_said(with(REPEATED, many), i < TEMPLATE_MAX_PIECE ? NULL : "more than 16 files are included");
    }
    for (int i = 0; i <= TEMPLATE_MAX_PIECE; i++)
        remove_file(arena_printf(arena, "p%d.h", i));
    remove_file("g.h");
    remove_file("f.h");
}

/* A file of a folder beside the template's. */
TEST(test_piece_of_other_folder)
{
    const char *beside = arena_printf(arena, "#include \"..%s/h.h\"\n", strrchr(root, '/'));
    put("h.h", "    f(STEP);\n");
    assert_has(filled(read_small(with(REPEATED, beside))), "    f(2);\n");
    check_said(with(REPEATED, arena_printf(arena, "%s#include \"h.h\"\n", beside)), "two files of the name 'h.h'");
    check_said(with(REPEATED, "#include \"../a/../a/h.h\"\n"), "there is no file '../a/../a/h.h' beside");
}

/* A template that is like another has its body, and what its own head does not say. Files of its own folder come
 * first. */
TEST(test_like)
{
    static const char head[] = "/* dcgen\nname = \"other\"; op = \"dense\"; like = \"x.c\"; doc = \"as x.c\";\n"
                               "params = ( { name = \"MR\"; choices = [1]; doc = \"one row\"; } );\n"
                               "values = ( { name = \"FEW\"; expr = \"MR + 4\"; doc = \"before others\"; },\n"
                               "           { name = \"STEP\"; expr = \"FEW\"; doc = \"instead\"; } );\n"
                               "constraints = ( { need = \"STEP <= 5\"; why = \"instead\"; } );\n*/\n";
    static const struct {
        const char *like, *behind, *want;
    } cases[] = {
        { "\"x.c\"", "int x;\n", "y.c:4:1: error: nothing may follow this head" },
        { "\"no.c\"", "", "y.c:2:38: error: there is no file 'no.c' beside" },
        { "\"z.c\"", "", "error: 'z.c' is like another template itself" },
        { "3", "", "y.c:2:38: error: 'like': expected a string" },
        { "\"f.h\"", "", "f.h:1:1: error: this file has no template's head" },
    };
    TemplateList list;
    const char *said;
    put("f.h", "    g(STEP);\n");
    const char *text = text_with(arena, serving("M > FEW", "[1, 2]"), REPEATED, "#include \"f.h\"\n");
    text = text_with(arena, text, "values = (", "values = (\n  { name = \"FEW\"; expr = \"3\"; doc = \"few\"; },");
    put("x.c", text);
    put("y.c", head);
    if (!read_folder(&list, &said))
        fail_msg("%s", said);
    assert_int_equal(list.n, 2);
    const Template *t = list.t[strcmp(list.t[0]->name, "other") != 0];
    assert_string_equal(t->name, "other");
    assert_true(t->nparam == 2 && t->param[0].nchoice == 1 && t->param[1].nchoice == 2);
    assert_true(t->nvalue == 3 && t->nconstraint == 1 && t->nterm == list.t[0]->nterm &&
                list.t[0]->nterm == list.t[1]->nterm);
    assert_string_equal(t->constraint[0].why, "instead");
    assert_string_equal(strrchr(t->head->path, '/'), "/y.c");
    static const int64_t value[] = { 1, 1 };
    const Binding b = bind(t, make_spec("NK", false, false), value, NULL);
    assert_has(template_fill(arena, &b, "pkg_k0", diag_new(arena)), "    g(5);\n");
    put("z.c", arena_printf(arena, "/* dcgen\nname = \"third\"; %s", strstr(head, "op =")));
    for (size_t i = 0; i < LENGTH(cases); i++) {
        put("y.c", arena_printf(arena, "/* dcgen\nname = \"other\"; op = \"dense\"; like = %s; doc = \"d\";\n*/\n%s",
                                cases[i].like, cases[i].behind));
        check_said(text, cases[i].want);
    }
    remove_file("z.c");
    remove_file("y.c");
    remove_file("f.h");
}

/* One in another folder of templates, like one that is built in, has its operator's files that are built in. */
TEST(test_like_of_other_folder)
{
    Diag *d = diag_new(arena);
    const char *head =
        "/* dcgen\nname = \"mine\"; op = \"dense\"; like = \"../gemm/gemv.cu\"; layouts = { W = [\"NK\"]; };\n"
        "tile = { M = \"BM\"; N = \"BN\"; K = \"BK\"; };\n*/\n";
    const Template *t = template_parse(arena, base, source_text(arena, "mine/dense/mine.cu", head), d);
    diag_print(d, stderr);
    assert_non_null(t);
    int own = 0;
    for (int i = 0; i < t->npiece; i++)
        own += strstr(t->piece[i]->path, "/dense/operands.cuh") != NULL;
    assert_int_equal(own, 1);
}

TEST_FILE(setup, place_teardown)
