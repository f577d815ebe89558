/* SPDX-License-Identifier: Apache-2.0
 *
 * template: a small template field by field, faulty ones with the place of each error, what names stand for; and every
 * template of dense: it compiles as it stands, and so does its general kernel for every target.
 *
 * ctest: timeout=300
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen/text.h"
#include "gen/unit.h"
#include "search/space.h"
#include "tests/gen/golden.h"

#define LENGTH(table) (sizeof(table) / sizeof *(table))

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
                            "bound = \"log2(1 + 1 / STEP)\";\n"
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

static Arena *arena;
static const Spec *base; /* what templates are read for */
static const Op *op;
static TargetList targets;
static const char *folder; /* holds the template under test */

static Spec *read_spec(const char *text)
{
    static const char *const folders[] = { DCGEN_SOURCE_DIR "/templates" };
    Source *src = ARENA_NEW(arena, Source);
    Diag *d = diag_new(arena);
    *src = (Source){ .path = "spec.cfg", .text = text, .len = strlen(text) };
    Spec *s = spec_parse(arena, src, folders, 1, d);
    diag_print(d, stderr);
    return s;
}

static Spec *make_spec(const char *layout, bool packed, bool bias)
{
    Spec *s = read_spec(arena_printf(arena,
                                     "name = \"pkg\"; op = \"dense\"; shapes = ( { M = 7; N = 48; K = 64; } ); "
                                     "layout = { W = \"%s\"; packed = %s; }; %s",
                                     layout, packed ? "true" : "false", bias ? "epilogue = [\"bias\"];" : ""));
    assert_non_null(s);
    return s;
}

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    Diag *d = diag_new(arena);
    char path[] = "/tmp/dcgen-template-XXXXXX";
    folder = mkdtemp(path) ? arena_strdup(arena, path) : NULL;
    base = read_spec("name = \"pkg\"; op = \"dense\"; dims = { T = { min = 1; max = 100; }; }; "
                     "shapes = ( { M = \"T\"; N = 48; K = 64; }, { M = \"T\"; N = 48; K = 24; } );");
    op = base ? base->op : NULL;
    bool ok = folder && op && target_read_all(arena, DCGEN_SOURCE_DIR "/templates/targets", &targets, d);
    diag_print(d, stderr);
    return ok ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    const char *const file[] = { "x.c", "y.c", "k.c", "k.o" };
    for (size_t i = 0; i < LENGTH(file); i++)
        unlink(arena_printf(arena, "%s/%s", folder, file[i]));
    rmdir(folder);
    arena_free(arena);
    return 0;
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(arena_printf(arena, "%s/%s", folder, name), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* All templates of the folder, and what was said about them. */
static bool read_folder(TemplateList *out, const char **said)
{
    Spec here = *base;
    Op *copy = ARENA_NEW(arena, Op);
    *copy = *op;
    copy->dir = folder;
    here.op = copy;
    Diag *d = diag_new(arena);
    bool ok = template_read_all(arena, &here, NULL, 0, out, d);
    *said = golden_diag(arena, d);
    assert_int_equal(ok, diag_nerror(d) == 0);
    return ok;
}

static const Template *read_small(const char *text)
{
    TemplateList list;
    const char *said;
    write_file("x.c", text);
    if (!read_folder(&list, &said))
        print_error("%s", said);
    assert_int_equal(list.n, 1);
    return list.t[0];
}

static const Device device = {
    .id = "0",
    .name = "a CPU",
    .arch = "x86_64",
    .cores = 2,
    .l1_bytes = 32 << 10,
    .l2_bytes = 1 << 20,
    .l3_bytes = 8 << 20,
    .compiler = "gcc",
    .flags = "-O3",
};

static void test_fields(void **state)
{
    (void)state;
    const Template *t = read_small(small);
    assert_string_equal(t->name, "small");
    assert_string_equal(t->family, "cpu");
    assert_false(t->packed);
    assert_int_equal(strlen(t->hash), 16);
    assert_string_equal(t->layout[0], "NK");
    assert_int_equal(t->nparam, 2);
    assert_int_equal(t->param[0].choice[2], 4);
    assert_string_equal(t->param[1].doc, "sums along K");
    assert_int_equal(t->nvalue, 2);
    assert_int_equal(t->nderived, 2);
    assert_int_equal(t->nfeature, 2);
    assert_int_equal(t->nconstraint, 1);
    assert_string_equal(t->constraint[0].why, "larger blocks are of no use");
    assert_int_equal(t->ngeneral, 1);
    assert_int_equal(t->general[0].value[0], 2);
    assert_memory_equal(t->src->text + t->body, "#ifndef DCGEN", 13);
}

static Binding bind(const Template *t, const Spec *s, const int64_t *value, const int64_t *extent)
{
    return (Binding){ .t = t,
                      .spec = s,
                      .target = target_find(&targets, "avx2"),
                      .device = &device,
                      .value = value,
                      .extent = extent,
                      .threads = 3 };
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
    int nslot = 0;
    assert_true(template_slots(&b, slots));
    for (size_t i = 0; i < LENGTH(want); i++) {
        assert_true(template_lookup(&b, want[i].name, &got));
        assert_int_equal(got, want[i].value);
        int slot = 0;
        while (slot < t->nslot && strcmp(t->slot[slot], want[i].name) != 0)
            slot++;
        nslot += slot < t->nslot; /* facts that no expression uses have none */
        if (slot < t->nslot)
            assert_int_equal(slots[slot], want[i].value);
    }
    assert_int_equal(nslot, t->nslot - 1); /* all but N, and the facts are one: VECTOR_BYTES */
    assert_int_equal(t->ncontext, 1);
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
    assert_int_equal(expr_real_at(t->bound, slots, &x), EXPR_OK);
    assert_float_equal(x, 0.321928, 1e-6);
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
                  { "\"M\"", 0, 1, { 0 } } };
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

static void test_suits(void **state)
{
    (void)state;
    const Template *t = read_small(small);
    Target gpu = { .name = "sm_90a", .family = "cuda" };
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
        { "bound = \"log2(1 + 1 / STEP)\";\n", "", "name    =", "'bound'" },
        { "family  =", "familly = \"a\"; family  =", "familly", "unknown key 'familly'; did you mean 'family'?" },
        { "op      = \"dense\"", "op      = \"conv\"", "\"conv\"", "this template lies in the folder of op 'dense'" },
        { "layouts = [\"NK\"]", "layouts = [\"NQ\"]", "\"NQ\"", "unknown layout 'NQ'" },
        { "packed  = false", "packed  = 0", "packed", "error" },
        { "doc     = \"three loops\"", "doc     = \"three", "three", "error" },
    };
    for (size_t i = 0; i < LENGTH(faults); i++)
        check_fault(&faults[i]);
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

/* A parameter that only an unused value needs changes no kernel. */
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
    write_file("f.h", "\n    f(STEPS);\n");
    assert_false(read_folder(&list, &said));
    assert_non_null(strstr(said, "f.h:2:"));
    assert_non_null(strstr(said, "'STEPS' is not declared"));
    unlink(arena_printf(arena, "%s/f.h", folder));
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

/* ---- the templates of dense ---- */

static bool have(const char *program)
{
    return system(arena_printf(arena, "command -v %s >/dev/null 2>&1", program)) == 0;
}

static const char *const compilers[] = { "gcc", "clang" };

static void must_run(const char *command)
{
    if (system(command) != 0)
        fail_msg("%s", command);
}

static void compile(const char *compiler, const char *file)
{
    must_run(arena_printf(arena,
                          "%s -std=gnu17 -O1 -ffp-contract=fast -Wall -Wextra -Wno-unused-function -Werror -c '%s' -o "
                          "'%s/k.o'",
                          compiler, file, folder));
}

/* As the emulator takes it: C++ with dcgen's own cuda_runtime.h. */
static void compile_cuda(const char *file)
{
    must_run(arena_printf(
        arena, "g++ -x c++ -std=gnu++17 -DDCGEN_EMULATOR -I '%s/templates/device/emulator' -fsyntax-only '%s'",
        DCGEN_SOURCE_DIR, file));
}

static bool is_cuda(const Template *t) { return strcmp(t->family, "cuda") == 0; }

static void read_dense(TemplateList *list)
{
    Diag *d = diag_new(arena);
    bool ok = template_read_all(arena, base, NULL, 0, list, d);
    diag_print(d, stderr);
    assert_true(ok);
    assert_true(list->n >= 4);
}

static void test_dense_as_it_stands(void **state)
{
    (void)state;
#if defined(__x86_64__)
    TemplateList list;
    read_dense(&list);
    for (size_t c = 0; c < LENGTH(compilers); c++)
        for (int i = 0; i < list.n && have(compilers[c]); i++)
            if (!is_cuda(list.t[i]))
                compile(compilers[c], list.t[i]->src->path);
#else
    puts("skipped: the templates as they stand are for x86-64");
    skip();
#endif
}

/* The CUDA templates are for nvcc alone. */
static void test_dense_cuda_as_it_stands(void **state)
{
    (void)state;
    TemplateList list;
    read_dense(&list);
    if (!have("nvcc")) {
        puts("skipped: nvcc is missing");
        skip();
    }
    for (int i = 0; i < list.n; i++)
        if (is_cuda(list.t[i]))
            must_run(arena_printf(
                arena,
                "nvcc -std=c++17 -gencode=arch=compute_80,code=sm_80 -Werror all-warnings -diag-suppress 177 "
                "-I '%s/templates' -cubin -o '%s/k.o' '%s'",
                DCGEN_SOURCE_DIR, folder, list.t[i]->src->path));
}

static void compile_general(const Template *t, const General *g, const Spec *spec)
{
    const UnitContext u = { spec, &device, &targets, DCGEN_SOURCE_DIR "/templates/package",
                            target_find(&targets, g->target) };
    const UnitKernel k = { t, target_find(&targets, g->target), g->value, { 0 } };
    Diag *d = diag_new(arena);
    Candidate c;
    assert_non_null(k.target);
    assert_true(candidate_from_values(t, k.target, g->value, &c));
    assert_true(candidate_fits(&c, spec, &device));
    const char *text = unit_candidate(arena, &u, &k, d);
    diag_print(d, stderr);
    assert_non_null(text);
    assert_null(strstr(text, "KERNEL"));
    assert_null(strstr(text, "NAME_"));
    write_file("k.c", text);
    if (is_cuda(t))
        compile_cuda(arena_printf(arena, "%s/k.c", folder));
    else
        compile("gcc", arena_printf(arena, "%s/k.c", folder));
}

static bool runs_here(const Target *t)
{
#if defined(__x86_64__)
    (void)t;
    return true;
#else
    return !*t->arch;
#endif
}

static int family_size(const Template *t)
{
    int n = 0;
    for (int i = 0; i < targets.n; i++)
        n += strcmp(targets.t[i].family, t->family) == 0;
    return n;
}

/* The example of docs/templates.md is a template, and compiles. */
static void test_documented(void **state)
{
    (void)state;
    size_t len;
    const char *text = text_read_file(arena, DCGEN_SOURCE_DIR "/docs/templates.md", &len);
    assert_non_null(text);
    const char *begin = strstr(text, "```c\n/* SPDX");
    assert_non_null(begin);
    const char *end = strstr(begin + 5, "```");
    const Template *t = read_small(arena_strndup(arena, begin + 5, (size_t)(end - begin - 5)));
    assert_int_equal(t->ngeneral, family_size(t));
    for (int i = 0; i < t->ngeneral && have("gcc"); i++)
        if (runs_here(target_find(&targets, t->general[i].target)))
            compile_general(t, &t->general[i], make_spec(t->layout[0], t->packed, i % 2));
}

/* Tensor cores came with sm_80 in the forms that mma_gemm uses; everything else runs everywhere. */
static int least_general(const Template *t) { return family_size(t) - (strcmp(t->name, "mma_gemm") == 0); }

/* What the template is for: its first element type. */
static Spec *spec_for(const Template *t, const char *layout, bool bias)
{
    Spec *spec = make_spec(layout, t->packed, bias);
    spec->dtype = t->ndtype ? t->dtype[0] : "f32";
    return spec;
}

/* Every template has a general kernel for every target, and each compiles with every layout and epilogue. */
static void test_dense_general(void **state)
{
    (void)state;
    TemplateList list;
    read_dense(&list);
    if (!have("gcc")) {
        puts("skipped: gcc is missing");
        skip();
    }
    for (int i = 0; i < list.n; i++) {
        const Template *t = list.t[i];
        assert_int_equal(t->ngeneral, least_general(t));
        for (int j = 0; j < t->ngeneral; j++)
            for (int k = 0; k < t->nlayout && runs_here(target_find(&targets, t->general[j].target)); k++)
                compile_general(t, &t->general[j], spec_for(t, t->layout[k], (j + k) % 2));
    }
}

/* What the model is given: finite numbers for any shape and thread count. */
static void test_dense_model(void **state)
{
    (void)state;
    static const int64_t extents[][3] = {
        { 1, 1, 1 }, { 1, 3072, 768 }, { 5, 7, 3 }, { 17, 768, 3072 }, { 1000, 1024, 4096 }, { 4096, 1, 65536 },
    };
    TemplateList list;
    read_dense(&list);
    for (int i = 0; i < list.n; i++)
        for (size_t e = 0; e < LENGTH(extents) * 2; e++) {
            const Template *t = list.t[i];
            Binding b = bind(t, spec_for(t, t->layout[0], true), t->general[0].value, extents[e / 2]);
            int64_t slots[TEMPLATE_MAX_SLOT];
            double flops, padded, serial, x;
            const Target *target = target_find(&targets, t->general[0].target);
            const Device typical = is_cuda(t) ? target_typical_device(arena, target) : device;
            b.target = target;
            b.device = &typical;
            b.threads = e % 2 && !is_cuda(t) ? 7 : 1;
            assert_true(template_slots(&b, slots));
            assert_int_equal(expr_real_at(op->flops, slots, &flops), EXPR_OK);
            assert_int_equal(expr_real_at(t->padded_flops, slots, &padded), EXPR_OK);
            assert_int_equal(expr_real_at(t->serial_flops, slots, &serial), EXPR_OK);
            assert_true(padded >= flops && serial * b.threads >= flops && serial <= padded);
            assert_int_equal(expr_real_at(t->bound, slots, &x), EXPR_OK);
            if (is_cuda(t)) /* log2 of nanoseconds for an operation: a time between a launch and minutes comes out */
                assert_true(x + log2(serial) > 10 && x + log2(serial) < 40);
            else
                assert_true(x >= 0 && x < 40);
            for (int f = 0; f < t->nfeature; f++) {
                ExprStatus status = expr_real_at(t->feature[f].expr, slots, &x);
                if (status != EXPR_OK)
                    print_error("%s, feature %s %s\n", t->name, t->feature[f].name, expr_status_text(status));
                assert_int_equal(status, EXPR_OK);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_choices_of_an_axis),
        cmocka_unit_test(test_suits),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_open_head),
        cmocka_unit_test(test_unused_through_value),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_folder),
        cmocka_unit_test(test_dense_as_it_stands),
        cmocka_unit_test(test_dense_cuda_as_it_stands),
        cmocka_unit_test(test_dense_general),
        cmocka_unit_test(test_documented),
        cmocka_unit_test(test_dense_model),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
