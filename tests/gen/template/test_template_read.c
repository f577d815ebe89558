/* SPDX-License-Identifier: Apache-2.0
 *
 * template_read: a small template field by field, faulty ones with the place of each error, and the hash of its code.
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
        { "name = \"MR\"", "name = \"SMEM_BLOCK\"", "SMEM_BLOCK", "a name that every template has" },
        { "name = \"MR\"", "name = \"_MR\"", "_MR", "must be capital letters" },
        { "M > UK", "KERNELS > UK", "KERNELS", "'KERNELS' is not declared" },
    };
    for (size_t i = 0; i < LENGTH(faults); i++)
        check_fault(&faults[i]);
    Text deep = { .arena = arena }; /* it can be read, but 2*M*N*K with it is deeper than what can */
    for (int i = 0; i < 199; i++)
        text_add(&deep, "1+");
    check_fault(&(Fault){ "M = \"MR\"", arena_printf(arena, "M = \"%sMR\"", text_str(&deep)),
                          "tile = ", "with this tile, the expression of STEP_FLOPS is too long" });
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

TEST_FILE(setup, place_teardown)
