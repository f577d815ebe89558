/* SPDX-License-Identifier: Apache-2.0
 *
 * The templates of dense, and the example of docs/templates-reference.md: each compiles as it stands, and filled for
 * every target, layout and epilogue; the cost model gets finite numbers.
 * ctest: label=slow,thorough timeout=300 cost=15
 */
#include "tests/test.h"
#include <unistd.h>
#include "search/build/spills.h"
#include "tests/gen/template/template_place.h"

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

/* how: "-fsyntax-only", or what to make of it. */
static void compile(const char *compiler, const char *file, const char *how)
{
    must_run(arena_printf(arena,
                          "%s -std=gnu17 -ffp-contract=fast -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wconversion "
                          "-Wsign-conversion -Wcast-qual -Wno-unused-function -Werror %s '%s'",
                          compiler, how, file));
}

/* As the emulator takes it: C++ with dcgen's own cuda_runtime.h, which is read once for all. */
static void compile_cuda(const char *file)
{
    const char *flags = arena_printf(arena, "-std=gnu++17 -DDCGEN_EMULATOR -I '%s/templates/device/emulator'",
                                     DCGEN_SOURCE_DIR),
               *header = in_root("first.h");
    if (access(header, F_OK) != 0) {
        put("first.h", "#include <cuda_runtime.h>\n");
        must_run(arena_printf(arena, "g++ -x c++-header %s -o '%s.gch' '%s'", flags, header, header));
    }
    must_run(arena_printf(arena, "g++ -x c++ %s -include '%s' -fsyntax-only '%s'", flags, header, file));
}

static bool is_cuda(const Template *t) { return t->family == &family_cuda; }
static bool is_hoppers(const Template *t) { return t->nmap > 0; }

static void read_dense(TemplateList *list)
{
    Diag *d = diag_new(arena);
    bool ok = template_read_all(arena, base, NULL, 0, list, d);
    diag_print(d, stderr);
    assert_true(ok);
    assert_true(list->n >= 4);
}

TEST(test_dense_as_it_stands)
{
#if defined(__x86_64__)
    TemplateList list;
    read_dense(&list);
    for (size_t c = 0; c < LENGTH(compilers); c++)
        for (int i = 0; i < list.n && have(compilers[c]); i++)
            if (!is_cuda(list.t[i]))
                compile(compilers[c], list.t[i]->src->path, "-fsyntax-only");
#else
    puts("skipped: the templates as they stand are for x86-64");
    skip();
#endif
}

/* The CUDA templates are for nvcc alone. */
TEST(test_dense_cuda_as_it_stands)
{
    TemplateList list;
    read_dense(&list);
    if (!have("nvcc")) {
        puts("skipped: nvcc is missing");
        skip();
    }
    for (int i = 0; i < list.n; i++)
        if (is_cuda(list.t[i]))
            must_run(arena_printf(arena,
                                  "nvcc -std=c++17 %s -Werror all-warnings "
                                  "-diag-suppress 177 -I '%s/templates' -I '%s' -ptx -o '%s/k.o' '%s'",
                                  is_hoppers(list.t[i])
                                      ? "-gencode=arch=compute_90a,code=sm_90a -DSM_ARCH=90 -DDTYPE_BF16=1"
                                      : "-gencode=arch=compute_80,code=sm_80",
                                  DCGEN_SOURCE_DIR, base->op->dir, root, list.t[i]->src->path));
}

static void compile_general(const Template *t, const General *g, const Spec *spec, bool looks)
{
    const UnitContext u = { spec, &device, &targets, DCGEN_SOURCE_DIR "/templates/package",
                            target_find(&targets, g->target) };
    const UnitKernel k = { .t = t, .target = target_find(&targets, g->target), .value = g->value };
    Diag *d = diag_new(arena);
    Candidate c;
    assert_non_null(k.target);
    assert_true(candidate_from_values(t, k.target, g->value, &c));
    assert_true(candidate_fits(&c, spec, &device));
    const char *text = unit_candidate(arena, &u, &k, d);
    diag_print(d, stderr);
    assert_non_null(text);
    assert_lacks(text, "KERNEL");
    assert_lacks(text, "NAME_");
    put("k.c", text);
    if (is_cuda(t))
        compile_cuda(in_root("k.c"));
    else
        compile("gcc", in_root("k.c"),
                looks ? arena_printf(arena, "-O3 -frename-registers -fPIC -S -o '%s/k.o'", root) : "-fsyntax-only");
}

#if defined(__x86_64__)
/* A general kernel serves where no other can be chosen: it must fit its registers. */
static void expect_no_spills(void)
{
    size_t len;
    SpillReport r;
    const char *assembly = text_read_file(arena, in_root("k.o"), &len);
    assert_non_null(assembly);
    spills_read(arch_find("x86_64")->assembly, assembly, &r);
    assert_true(r.loops > 0);
    if (r.stored + r.loaded > 0)
        fail_msg("%d vectors to the stack, %d from it in a round of %d multiplications", r.stored, r.loaded,
                 r.multiplications);
}
#endif

static bool runs_here(const Target *t)
{
#if defined(__x86_64__)
    return true;
#else
    return !*t->arch;
#endif
}

static int family_size(const Template *t)
{
    int n = 0;
    for (int i = 0; i < targets.n; i++)
        n += targets.t[i].family == t->family;
    return n;
}

/* The example of docs/templates-reference.md is a template, and compiles. */
TEST(test_documented)
{
    size_t len;
    const char *text = text_read_file(arena, DCGEN_SOURCE_DIR "/docs/templates-reference.md", &len);
    assert_non_null(text);
    const char *begin = strstr(text, "```c\n/* SPDX");
    assert_non_null(begin);
    const char *end = strstr(begin + 5, "```");
    const Template *t = read_small(arena_strndup(arena, begin + 5, (size_t)(end - begin - 5)));
    assert_int_equal(t->ngeneral, family_size(t));
    for (int i = 0; i < t->ngeneral && have("gcc"); i++)
        if (runs_here(target_find(&targets, t->general[i].target)))
            compile_general(t, &t->general[i], make_spec(served_layout(t, 0), t->packed, i % 2), false);
}

/* Tensor cores came with sm_80 in the forms that the mma templates use; everything else runs everywhere. */
static int least_general(const Template *t) { return family_size(t) - (strncmp(t->name, "mma_", 4) == 0); }

/* What the template is for: its first element type. */
static Spec *spec_for(const Template *t, const char *layout, bool bias)
{
    Spec *spec = make_spec(layout, t->packed, bias);
    spec->dtype = t->ndtype ? t->dtype[0] : "f32";
    return spec;
}

/* A parameter whose first choice that serves is the best one; -1: there is none. */
static int ordered_param(const Template *t)
{
    int i = t->nparam - 1;
    while (i >= 0 && !t->param[i].ordered)
        i--;
    return i;
}

/* Each target has a general kernel, or where a parameter is ordered two, which differ in that alone: the first of its
 * choices, and then the last one. */
static void check_generals(const Template *t)
{
    const int ordered = ordered_param(t), each = ordered >= 0 ? 2 : 1;
    assert_int_equal(t->ngeneral, each * least_general(t));
    for (int i = 0; i < t->ngeneral; i++) {
        const General *g = &t->general[i], *first = &t->general[i - i % each];
        assert_string_equal(g->target, first->target);
        for (int p = 0; p < t->nparam; p++)
            assert_int_equal(g->value[p], p != ordered ? first->value[p]
                                                       : t->param[p].choice[i % each ? t->param[p].nchoice - 1 : 0]);
        for (int k = 0; k < i - i % each; k++)
            assert_string_not_equal(t->general[k].target, g->target);
    }
}

/* Every template has a general kernel for every target, and each compiles with every layout and epilogue; those for
 * GPUs with every other one, as tests/search/runner/test_kernel_rows.c executes them. */
TEST(test_dense_general)
{
    TemplateList list;
    read_dense(&list);
    if (!have("gcc")) {
        puts("skipped: gcc is missing");
        skip();
    }
    for (int i = 0; i < list.n; i++) {
        const Template *t = list.t[i];
        if (is_hoppers(t)) /* calls go to another one where it is not tuned */
            continue;
        check_generals(t);
        for (int j = 0; j < t->ngeneral; j++)
            for (int k = 0; served_layout(t, k) && runs_here(target_find(&targets, t->general[j].target)); k++) {
                const bool looks = k == 0 && !is_cuda(t); /* at what a compiler makes of it */
                if (is_cuda(t) && (j + k) % 3 != 0 && served_layout(t, 1))
                    continue;
                compile_general(t, &t->general[j], spec_for(t, served_layout(t, k), (j + k) % 2), looks);
#if defined(__x86_64__)
                if (looks)
                    expect_no_spills();
#endif
            }
    }
}

/* What the model is given: finite numbers for any shape and thread count. */
/* CPU: cycles, not fewer than four vector operations of 16 floats each would take. CUDA: nanoseconds, from a launch to
 * minutes. */
static void check_closed_form(const Template *t, const int64_t *slots, double serial)
{
    double x, sum = 0;
    for (int k = 0; k < t->nterm; k++) {
        assert_int_equal(expr_real_at(t->term[k].expr, slots, &x), EXPR_OK);
        assert_true(x >= 0 && isfinite(x));
        sum += x;
    }
    assert_true(is_cuda(t) ? sum > 1e3 && sum < 1e12 : sum > serial / (4 * 2 * 16));
}

TEST(test_dense_model)
{
    static const int64_t extents[][3] = {
        { 1, 1, 1 }, { 1, 3072, 768 }, { 5, 7, 3 }, { 17, 768, 3072 }, { 1000, 1024, 4096 }, { 4096, 1, 65536 },
    };
    TemplateList list;
    read_dense(&list);
    for (int i = 0; i < list.n; i++)
        for (size_t e = 0; list.t[i]->ngeneral && e < LENGTH(extents) * 2; e++) {
            const Template *t = list.t[i];
            Binding b = bind(t, spec_for(t, served_layout(t, 0), true), t->general[0].value, extents[e / 2]);
            int64_t slots[TEMPLATE_MAX_SLOT];
            double flops, padded, serial, x;
            const Target *target = target_find(&targets, t->general[0].target);
            const Device typical = is_cuda(t) ? device_typical(arena, target) : device;
            b.target = target;
            b.device = &typical;
            b.threads = e % 2 && !is_cuda(t) ? 7 : 1;
            assert_true(template_slots(&b, slots));
            assert_int_equal(expr_real_at(op->flops, slots, &flops), EXPR_OK);
            assert_int_equal(expr_real_at(t->padded_flops, slots, &padded), EXPR_OK);
            assert_int_equal(expr_real_at(t->serial_flops, slots, &serial), EXPR_OK);
            assert_true(padded >= flops && serial * b.threads >= flops && serial <= padded);
            check_closed_form(t, slots, serial);
            for (int f = 0; f < t->nfeature; f++) {
                ExprStatus status = expr_real_at(t->feature[f].expr, slots, &x);
                if (status != EXPR_OK)
                    print_error("%s, feature %s %s\n", t->name, t->feature[f].name, expr_status_text(status));
                assert_int_equal(status, EXPR_OK);
            }
        }
}

TEST_FILE(setup, place_teardown)
