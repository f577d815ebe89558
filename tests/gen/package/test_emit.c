/* SPDX-License-Identifier: Apache-2.0
 *
 * emit: packages of several targets. Which kind of machine has which kernels, and in which order; the dispatcher's text, proven against
 * the trees of all; what README.md and regret.json say of each.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/package/emit.h"
#include "gen/package/prove.h"
#include "tests/gen/synthetic.h"
#include "tests/toolchain.h"

static const char two_spec[] = "name = \"two\"; op = \"dense\"; dtype = \"f32\"; target = [\"avx512\", \"avx2\"];\n"
                               "dims = { T = { min = 1; max = 64; }; };\n"
                               "shapes = ( { M = \"T\"; N = 64; K = 96; }, { M = \"T\"; N = 48; K = 768; } );\n"
                               "layout = { W = \"NK\"; packed = true; };\n"
                               "budget = { kernels = 6; code_kib = 512; trials = 8; seconds = 10; };\n";

static Synthetic y;

static int make(void **state)
{
    (void)state;
    return synthetic_make(&y, two_spec, 24) ? 0 : -1;
}

static int drop(void **state)
{
    (void)state;
    arena_free(y.arena);
    return 0;
}

static EmitInput input_of(const Result *part, int npart)
{
    return (EmitInput){ .part = part, .npart = npart, .spec_text = "", .records = "", .version = "1.2.3" };
}

static Result part_with(const Study *s, const Assignment *as)
{
    Result r = synthetic_result(&y);
    r.unit.device = s->device;
    r.unit.target = s->target;
    r.study = s;
    r.assignment = as;
    r.contract = contract_make(y.arena, s, r.records, &y.templates, &y.targets, as);
    return r;
}

/* The target tuned as if n times the same kernel had been kept. */
static Result plain_part(const char *target, int n)
{
    Device *device = ARENA_NEW(y.arena, Device);
    const Target *t = target_find(&y.targets, target);
    Candidate c;
    int k = 0;
    *device = t->family == &family_cuda ? device_typical(y.arena, t) : y.device;
    while (!template_suits(y.templates.t[k], y.spec, t) || !candidate_general(y.templates.t[k], t, &c))
        k++;
    Study *s = study_new(y.arena, y.spec, device, t, "0123456789abcdef");
    const int64_t trial = study_add(s, &c);
    s->trial[trial].built = true;
    TreeNode *leaf = ARENA_NEW(y.arena, TreeNode);
    *leaf = (TreeNode){ .feature = -1, .class = n - 1 };
    Assignment *as = ARENA_NEW(y.arena, Assignment);
    *as = (Assignment){ .nkernel = n,
                        .kernel = ARENA_ARRAY(y.arena, (size_t)n, int64_t),
                        .general = n - 1,
                        .nfeature = 3,
                        .tree = leaf,
                        .cost = ARENA_ARRAY(y.arena, (size_t)(y.spec->ninstance * n), double),
                        .chosen = ARENA_ARRAY(y.arena, (size_t)y.spec->ninstance, int) };
    return part_with(s, as);
}

/* "avx512 tree 0-1, avx2 2, ...": each kind of machine, whether it has a tree, its first and its general kernel. */
static const char *entries_of(const Result *part, int npart)
{
    const Dispatcher *d = package_dispatcher(y.arena, part, npart);
    Text t = { .arena = y.arena };
    for (int i = 0; i < d->nentry; i++)
        text_printf(&t, "%s%s%s %d %d", i ? ", " : "", d->entry[i].target->name, d->entry[i].tree ? " tree" : "",
                    d->entry[i].first, d->entry[i].general);
    return text_str(&t);
}

static void machines_are_asked_for_the_best_first(void **state)
{
    (void)state;
    const Result avx512 = plain_part("avx512", 2), avx2 = plain_part("avx2", 3), portable = plain_part("portable", 1);
    const Result both[] = { avx512, avx2 }, ends[] = { avx512, portable }, all[] = { avx512, avx2, portable };
    assert_string_equal(entries_of(&avx512, 1), "avx512 tree 0 1, avx2 2 2, portable 3 3");
    assert_string_equal(entries_of(&avx2, 1), "avx2 tree 0 2, portable 3 3");
    assert_string_equal(entries_of(both, 2), "avx512 tree 0 1, avx2 tree 2 4, portable 5 5");
    assert_string_equal(entries_of(ends, 2), "avx512 tree 0 1, avx2 2 2, portable tree 3 3");
    assert_string_equal(entries_of(all, 3), "avx512 tree 0 1, avx2 tree 2 4, portable tree 5 5");
}

/* Later GPUs run an inexact target's code, but not what was tuned for it. */
static void later_gpus_have_a_general_kernel(void **state)
{
    (void)state;
    const Result hopper = plain_part("sm_90a", 2), ampere = plain_part("sm_80", 1), turing = plain_part("sm_75", 1);
    const Result both[] = { hopper, ampere }, ends[] = { hopper, turing };
    assert_string_equal(entries_of(&ampere, 1), "sm_80 tree 0 0, sm_80 1 1, sm_75 2 2");
    assert_string_equal(entries_of(both, 2), "sm_90a tree 0 1, sm_80 tree 2 2, sm_80 3 3, sm_75 4 4");
    assert_string_equal(entries_of(ends, 2), "sm_90a tree 0 1, sm_80 2 2, sm_75 tree 3 3, sm_75 4 4");
}

static void each_target_may_have_as_many_kernels_as_a_budget_allows(void **state)
{
    (void)state;
    const Result all[] = { plain_part("avx512", 256), plain_part("avx2", 256), plain_part("portable", 256) };
    assert_string_equal(entries_of(all, 3), "avx512 tree 0 255, avx2 tree 256 511, portable tree 512 767");
}

/* ---- which template stands in ---- */

/* What was tried of a template: nothing; a kernel for the tuned target that is right, or wrong; one of each. */
typedef enum { NOTHING, RIGHT, WRONG, BOTH } Tried;

static void add_trial(Study *s, const Candidate *c, Status status)
{
    const int64_t i = study_add(s, c);
    s->trial[i].built = true;
    s->trial[i].status = status;
}

/* The tuned target's trials of it, then that of the lesser target's general kernel (`lesser`). */
static void try(Study *s, const Template *t, Tried tried, Tried lesser, const Target *target)
{
    Candidate c;
    assert_true(candidate_general(t, s->target, &c));
    if (tried == RIGHT || tried == BOTH)
        add_trial(s, &c, STATUS_OK);
    c.choice[0]++; /* another kernel */
    if (tried == WRONG || tried == BOTH)
        add_trial(s, &c, STATUS_WRONG);
    assert_true(candidate_general(t, target, &c));
    if (lesser != NOTHING)
        add_trial(s, &c, lesser == WRONG ? STATUS_WRONG : STATUS_OK);
}

/* "avx512 two, avx2 one": the template of each kernel of the package. */
static const char *templates_of(const EmitInput *in)
{
    Diag *d = diag_new(y.arena);
    const Package *p = package_make(y.arena, in, d);
    diag_print(d, stderr);
    assert_non_null(p);
    Text t = { .arena = y.arena };
    size_t i;
    json_t *kernel, *package = json_loads(package_text(p, "package.json"), 0, NULL);
    const json_t *targets = json_object_get(package, "targets"),
                 *function = json_array_get(json_object_get(package, "functions"), 0);
    json_array_foreach(json_object_get(function, "kernels"), i, kernel)
    {
        const size_t target = (size_t)json_integer_value(json_object_get(kernel, "target"));
        text_printf(&t, "%s%s %s", i ? ", " : "",
                    json_string_value(json_object_get(json_array_get(targets, target), "name")),
                    json_string_value(json_object_get(kernel, "template")));
    }
    json_decref(package);
    return text_str(&t);
}

/* Of three templates, of which the package's general kernel is of the one at `general`, the one that other machines get. None is used of
 * which all that was tried failed, and of which the very kernel failed. */
static void other_machines_get_the_template_that_is_trusted_most(void **state)
{
    (void)state;
    static const struct {
        Tried tuned[3], lesser[3]; /* lesser: of the general kernel for avx2 */
        int general;
        const char *want;
    } row[] = {
        { { RIGHT }, { NOTHING }, 0, "avx512 one, avx2 one, portable one" },
        { { NOTHING, RIGHT }, { NOTHING }, 1, "avx512 two, avx2 two, portable two" },
        { { RIGHT, RIGHT, RIGHT }, { NOTHING }, 2, "avx512 three, avx2 three, portable three" },
        { { RIGHT, RIGHT }, { NOTHING, RIGHT }, 0, "avx512 one, avx2 two, portable one" },
        { { RIGHT, NOTHING, RIGHT }, { WRONG }, 0, "avx512 one, avx2 three, portable one" },
        { { RIGHT, WRONG, BOTH }, { WRONG }, 0, "avx512 one, avx2 three, portable one" },
        { { RIGHT, WRONG, NOTHING }, { WRONG }, 0, "avx512 one, avx2 three, portable one" },
        { { RIGHT, NOTHING, NOTHING }, { WRONG }, 0, "avx512 one, avx2 two, portable one" },
        { { RIGHT, WRONG, RIGHT }, { WRONG, NOTHING, WRONG }, 0, "avx512 one, portable one" },
        { { RIGHT, WRONG, WRONG }, { WRONG }, 0, "avx512 one, portable one" },
    };
    static const char *const name[] = { "one", "two", "three" };
    const Target *avx512 = target_find(&y.targets, "avx512"), *avx2 = target_find(&y.targets, "avx2");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Result part = plain_part("avx512", 1);
        Study *s = study_new(y.arena, y.spec, &y.device, avx512, "0123456789abcdef");
        const Template *list[3];
        for (int k = 0; k < 3; k++) {
            Template *t = ARENA_NEW(y.arena, Template);
            *t = *part.study->trial[0].c.t;
            t->name = name[k];
            list[k] = t;
        }
        for (int k = 0; k < 3; k++) {
            const int64_t first = s->ntrial;
            try(s, list[k], row[i].tuned[k], row[i].lesser[k], avx2);
            if (k == row[i].general)
                part.assignment->kernel[0] = first;
        }
        part.study = s;
        const TemplateList three = { 3, list };
        part.templates = &three;
        const EmitInput in = input_of(&part, 1);
        const char *got = templates_of(&in);
        if (strcmp(got, row[i].want) != 0)
            fail_msg("row %d: %s", (int)i, got);
    }
}

/* ---- the text ---- */

static const Package *make_two(EmitInput *in)
{
    static Result part[2];
    static Synthetic other; /* what the package is made of refers to it */
    other = y;
    Diag *d = diag_new(y.arena);
    assert_true(synthetic_tune(&other, target_find(&y.targets, "avx2"), 24, d));
    part[0] = part_with(y.study, y.assignment);
    part[1] = part_with(other.study, other.assignment);
    part[1].first = part[0].assignment->nkernel;
    *in = input_of(part, 2);
    const Package *p = package_make(y.arena, in, d);
    diag_print(d, stderr);
    assert_non_null(p);
    return p;
}

static Builder *builder(void)
{
    static const char *const flags[] = { "-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", NULL };
    const Toolchain cc = toolchain_c(y.arena, "cc", flags);
    const char *err = NULL;
    Builder *b = builder_new(y.arena, &cc, 1, 60, NULL, &err);
    if (!b)
        fail_msg("%s", err);
    return b;
}

/* The text from the first place of `word` on, with the first `what` behind that replaced. */
static const char *with(const char *text, const char *word, const char *what, const char *instead)
{
    const char *at = strstr(text, word);
    assert_non_null(at);
    at = strstr(at, what);
    assert_non_null(at);
    return arena_printf(y.arena, "%.*s%s%s", (int)(at - text), text, instead, at + strlen(what));
}

static void the_dispatcher_is_proven_for_every_target(void **state)
{
    (void)state;
    EmitInput in;
    const char *why = NULL, *text = package_text(make_two(&in), "dispatch.h");
    const Dispatcher *d = package_dispatcher(y.arena, in.part, in.npart);
    Proof p;
    Builder *b = builder();
    assert_true(tree_nleaf(d->entry[0].tree) > 1 && tree_nleaf(d->entry[1].tree) > 1);
    if (prove_text(y.arena, d, text, b, NULL, &p, &why) != PROOF_HOLDS)
        fail_msg("%s", why);
    assert_true(p.all);
    const struct {
        const char *text, *said;
    } wrong[] = { { with(text, "int two_tree_avx2(", "<=", "< "), "avx2: " },
                  { with(text, "int two_tree_avx512(", "<=", "< "), "avx512: " },
                  { with(text, "if (target == 1)", "outside ?", "!outside ?"), "avx2: " },
                  { with(text, "if (target == 1)", "two_tree_avx2", "two_tree_avx512"), "avx2: " } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(prove_text(y.arena, d, wrong[i].text, b, NULL, &p, &why), PROOF_FAILS);
        if (strncmp(why, wrong[i].said, strlen(wrong[i].said)) != 0)
            fail_msg("%d: %s", (int)i, why);
    }
    builder_free(b);
}

static void a_target_has_its_tree_and_its_general_kernel(void **state)
{
    (void)state;
    EmitInput in;
    const char *text = package_text(make_two(&in), "dispatch.h"), *at = strstr(text, "static inline int two_dispatch(");
    const Dispatcher *d = package_dispatcher(y.arena, in.part, in.npart);
    assert_non_null(at);
    const char *want =
        arena_printf(y.arena,
                     "static inline int two_dispatch(int target, int64_t M, int64_t N, int64_t K, int64_t threads)\n{\n"
                     "    (void)threads;\n"
                     "    const int outside = M < 1 || M > 64 || N < 48 || N > 64 || K < 96 || K > 768; "
                     "/* of the declared ranges: there the kernel that serves most of them */\n"
                     "    if (target == 0)\n        return outside ? %d : two_tree_avx512(M, N, K);\n"
                     "    if (target == 1)\n        return outside ? %d : two_tree_avx2(M, N, K);\n"
                     "    return %d;\n}\n",
                     d->entry[0].general, d->entry[1].general, d->entry[2].general);
    assert_string_equal(arena_strndup(y.arena, at, strlen(want)), want);
    assert_non_null(strstr(text, "0 avx512, 1 avx2, 2 portable."));
}

/* ---- what is said of it ---- */

static void the_other_files_tell_of_each(void **state)
{
    (void)state;
    EmitInput in;
    const Package *p = make_two(&in);
    const char *readme = package_text(p, "README.md"), *regret = package_text(p, "regret.json");
    const int first = in.part[0].assignment->nkernel, n = in.part[1].assignment->nkernel;
    const char *const rows[] = { arena_printf(y.arena, "\n| 0 | avx512 | %d | tuned on Synthetic CPU 9000 |\n", first),
                                 arena_printf(y.arena, "\n| 1 | avx2 | %d | tuned on Synthetic CPU 9000 |\n", n),
                                 "\n| 2 | portable | 1 | general: right for every size, tuned for none |\n",
                                 "\nOn Synthetic CPU 9000, for avx512:\n", "\nOn Synthetic CPU 9000, for avx2:\n" };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strstr(readme, rows[i]))
            fail_msg("README.md lacks '%s'", rows[i]);
    const char *second = strstr(regret, "\"target\": \"avx2\"");
    assert_non_null(second);
    for (const char *at = strstr(regret, "\"kernel\": "); at; at = strstr(at + 1, "\"kernel\": ")) {
        const int kernel = atoi(at + strlen("\"kernel\": "));
        assert_in_range(kernel, at < second ? 0 : first, at < second ? first - 1 : first + n - 1);
    }
}

static const Package *package_of(const EmitInput *in)
{
    Diag *d = diag_new(y.arena);
    const Package *p = package_make(y.arena, in, d);
    diag_print(d, stderr);
    assert_non_null(p);
    return p;
}

static void expect(const Package *p, const char *file, const char *part)
{
    if (!strstr(package_text(p, file), part))
        fail_msg("%s lacks '%s'", file, part);
}

/* Each kernel's target; which record it is of, also behind the first target's. */
static void kernels_are_those_of_their_targets(void **state)
{
    (void)state;
    const Result part[] = { plain_part("avx512", 2), plain_part("avx2", 3) };
    EmitInput in = input_of(part, 2);
    expect(package_of(&in), "kernels.c", "{\n    0, 0, 1, 1, 1, 2,\n}");
    const Package *p = make_two(&in);
    json_t *package = json_loads(package_text(p, "package.json"), 0, NULL), *kernel;
    size_t k = 0;
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < in.part[i].assignment->nkernel; n++, k++) {
            const Trial *t = &in.part[i].study->trial[in.part[i].assignment->kernel[n]];
            int64_t value[TEMPLATE_MAX_PARAM];
            candidate_values(&t->c, value);
            kernel =
                json_array_get(json_object_get(json_array_get(json_object_get(package, "functions"), 0), "kernels"), k);
            assert_int_equal(json_integer_value(json_object_get(kernel, "number")), k);
            assert_int_equal(json_integer_value(json_object_get(kernel, "target")), i);
            assert_string_equal(json_string_value(json_object_get(kernel, "record")), t->key);
            for (int j = 0; j < t->c.t->nparam; j++)
                assert_int_equal(
                    json_integer_value(json_object_get(json_object_get(kernel, "parameters"), t->c.t->param[j].name)),
                    value[j]);
        }
    json_decref(package);
}

static void later_gpus_are_asked_for_by_their_capability(void **state)
{
    (void)state;
    const Result part[] = { plain_part("sm_90a", 2), plain_part("sm_80", 1) };
    const EmitInput in = input_of(part, 2);
    const Package *p = package_of(&in);
    expect(
        p, "dispatch.h",
        "compute capability cc / 10: 0 sm_90a, 1 sm_80, 2 sm_80 and later, 3 sm_75 and later; -1: none. */\n"
        "static inline int two_target_of(int cc)\n{\n"
        "    if (cc == 90)\n        return 0;\n    if (cc == 80)\n        return 1;\n    if (cc >= 80)\n        return "
        "2;\n    if (cc >= 75)\n        return 3;\n    return -1;\n}\n");
    expect(p, "dispatch.h", "static inline int two_runs(int target, int of) { return of >= target; }\n");
    expect(p, "CMakeLists.txt", "    set(two_CUDA_ARCHITECTURES \"90a-real\" \"80\" \"75\")\n");
    expect(p, "README.md", "\n| 1 | sm_80 | 1 | chosen by a model |\n| 2 | sm_80 | 1 | general: ");
    expect(
        p, "kernels.cu",
        "    if (exec->kernel < 0 || exec->kernel > two_NKERNEL || !two_runs(target, two_target[exec->kernel - 1]))\n"
        "        return -two_BAD_KERNEL;\n    return exec->kernel - 1;\n}\n");
    expect(p, "kernels.cu",
           "    if (M < 1 || M > INT32_MAX || N < 1 || N > INT32_MAX || K < 0 || K > INT32_MAX)\n        return 0;\n");
    expect(p, "kernels.cu",
           "    if (plan.workspace_bytes > 0 && !two_is_workspace(workspace))\n        return two_BAD_POINTER;\n");
    expect(p, "README.md",
           "cudaMalloc(&packed, two_cuda_packed_bytes(N, K));\nint code = two_cuda_pack(N, K, W, packed, stream);\n");
    expect(p, "README.md",
           "size_t bytes = two_cuda_workspace_bytes(M, N, K, NULL);\nif (bytes > 0 && cudaMalloc(&workspace, bytes) == "
           "cudaSuccess)\n"
           "    two_cuda_workspace_clear(workspace, bytes, stream);\n");
    expect(p, "README.md", "\ncode = two_cuda(M, N, K, X, packed, Y, workspace, NULL, stream);\n```\n");
}

static void versions_are_numbers(void **state)
{
    (void)state;
    EmitInput in;
    const Package *p = make_two(&in);
    expect(p, "two.h",
           "#define two_VERSION \"1.2.3\"\n#define two_VERSION_MAJOR 1\n#define two_VERSION_MINOR 2\n#define "
           "two_VERSION_PATCH 3\n#define two_ABI 1\n");
    expect(p, "two.h", "#define two_HAS_BIAS 0\n#define two_W_NK 1\n#define two_W_KN 0\n#define two_W_PACKED 1\n");
    expect(p, "CMakeLists.txt", "set(two_version 1.2.3)\nset(two_abi 1)\n");
    expect(p, "MANIFEST", "\n# package two\n# dcgen 1.2.3\n");
}

/* What a call checks, and in which order; which kernel it takes. */
static void calls_are_checked_before_a_kernel_is_taken(void **state)
{
    (void)state;
    EmitInput in;
    const Package *p = make_two(&in);
    expect(
        p, "kernels.c",
        "int two(int64_t M, int64_t N, int64_t K,\n    const float *X, const void *W, float *Y, void *workspace,\n    "
        "const two_exec *exec)\n{\n"
        "    if (M < 0 || M > INT32_MAX || N < 0 || N > INT32_MAX || K < 0 || K > INT32_MAX)\n"
        "        return two_BAD_EXTENT;\n    if (M == 0 || N == 0)\n        return two_OK;\n"
        "    if (!X && M*K > 0)\n        return two_BAD_POINTER;\n"
        "    if (!W && N*K > 0)\n        return two_BAD_POINTER;\n"
        "    if (!Y && M*N > 0)\n        return two_BAD_POINTER;\n"
        "    const two_args args = { M, N, K, X ? X : Y, W ? W : Y, Y, workspace };\n"
        "    const double flops = two_flops((double)M, (double)N, (double)K);\n"
        "    const int nthread = exec && exec->threads > 1 ? two_nthread(exec, flops) : 1, cpu = two_cpu();\n"
        "    int kernel;\n    if (exec && exec->kernel) {\n"
        "        if (exec->kernel < 0 || exec->kernel > two_NKERNEL)\n            return two_BAD_KERNEL;\n"
        "        kernel = exec->kernel - 1;\n"
        "        if (!two_table[kernel] || two_target[kernel] < cpu)\n            return two_BAD_KERNEL;\n"
        "    } else {\n        kernel = two_dispatch(cpu, M, N, K, nthread);\n    }\n"
        "    return two_start_all(two_table[kernel], &args, exec, nthread, flops);\n}\n");
    expect(p, "kernels.c", "    return 2*M*N*K;\n");
    expect(p, "kernels.c",
           "int two_choose(int64_t M, int64_t N, int64_t K)\n{\n"
           "    if (M < 0 || M > INT32_MAX || N < 0 || N > INT32_MAX || K < 0 || K > INT32_MAX)\n        return -1;\n"
           "    return two_dispatch(two_cpu(), M, N, K, 1);\n}\n");
    const char *cpu = strstr(package_text(p, "dispatch.h"), "static inline int two_cpu(void)");
    const char *const part[] = { "#if defined(two_CPU)\n    return two_CPU;\n#else\n#if defined(__x86_64__)\n    if (",
                                 "avx512bw\"))\n        return 0;\n#endif\n#if defined(__x86_64__)\n    if (",
                                 ")\n        return 1;\n#endif\n    return 2;\n#endif\n}\n" };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        cpu = cpu ? strstr(cpu, part[i]) : NULL;
        if (!cpu)
            fail_msg("two_cpu lacks %s", part[i]);
    }
}

/* Each kernel in words: those of the targets, then the general one with the values that it has on that target. */
static void kernels_are_told_in_words(void **state)
{
    (void)state;
    EmitInput in;
    const Package *p = make_two(&in);
    Text want = { .arena = y.arena };
    text_add(&want, "two_text[] = {\n");
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < in.part[i].assignment->nkernel; n++) {
            const Candidate *c = &in.part[i].study->trial[in.part[i].assignment->kernel[n]].c;
            int64_t value[TEMPLATE_MAX_PARAM];
            candidate_values(c, value);
            text_printf(&want, "    \"%s\",\n",
                        unit_kernel_text(y.arena, &(UnitKernel){ c->t, c->target, value, { 0 } }));
        }
    text_add(&want, "    \"packed_gemm portable MR=2 NP=1 KA=1 UK=1 KC=0 PF=0 HOLD=0 ORDER=0 EVEN=1 SPLIT=0\",\n};\n");
    expect(p, "kernels.c", text_str(&want));
}

static void files_say_what_they_are_of(void **state)
{
    (void)state;
    EmitInput in;
    const Package *p = make_two(&in);
    expect(p, "two.h",
           "\n * two: Y[M,N] = epilogue( X[M,K] * W )\n * dense, f32, W in layout NK, packed once. Tuned for Synthetic "
           "CPU 9000, avx512.\n * Tuned for Synthetic CPU 9000, avx2.\n * Generated by dcgen 1.2.3 from spec.cfg and ");
    expect(p, "two.h",
           "/* Y[M,N] = epilogue( X[M,K] * W )\n *   M         rows of X and Y: batch x sequence\n"
           " *   N         columns of Y: output features\n *   K         columns of X: input features\n"
           " *   X         [M][K], row-major\n *   W         as two_pack wrote it, for the same extents\n"
           " *   Y         [M][N], row-major\n");
    for (int i = 0; i < 2; i++)
        expect(p, "dispatch.h",
               arena_printf(y.arena,
                            "\n * %s: %d kernels, %d leaves, 128 shapes in range. Times were measured on Synthetic CPU "
                            "9000 (\"about\": predicted);\n",
                            in.part[i].study->target->name, in.part[i].assignment->nkernel,
                            tree_nleaf(in.part[i].assignment->tree)));
    expect(p, "dispatch.h", "\n/* For avx2, within the declared ranges. */\nstatic inline int two_tree_avx2(");
    const Result part[] = { plain_part("avx2", 1), plain_part("sm_80", 2) };
    const EmitInput cpu = input_of(&part[0], 1), gpu = input_of(&part[1], 1);
    p = package_of(&cpu);
    expect(p, "dispatch.h", "\n * 1 kernel, 1 leaf, 128 shapes in range. Times were measured on Synthetic CPU 9000 ");
    expect(p, "dispatch.h", "\n/* Within the declared ranges. */\nstatic inline int two_tree(");
    p = package_of(&gpu);
    expect(p, "dispatch.h",
           "\n * 2 kernels, 1 leaf, 128 shapes in range. No time was measured: all are computed for a ");
    expect(p, "two.h", "\n * Chosen for sm_80 by a model: no such device was there to measure on.");
}

/* The benchmark has a row a tuned shape, for one number of threads. */
static void the_benchmark_has_each_shape_once(void **state)
{
    (void)state;
    Result part = part_with(y.study, y.assignment);
    Study s = *y.study;
    Instance more = *s.shape[1];
    const EmitInput in = input_of(&part, 1);
    const Package *p = package_of(&in);
    for (int64_t i = 0; i < s.nshape; i++)
        expect(p, "bench.c",
               arena_printf(y.arena, "\n    { %d, %d, %d },\n", (int)s.shape[i]->extent[0], (int)s.shape[i]->extent[1],
                            (int)s.shape[i]->extent[2]));
    const char *second =
        arena_printf(y.arena, "\n    { %d, %d, %d },\n", (int)more.extent[0], (int)more.extent[1], (int)more.extent[2]);
    s.shape = ARENA_ARRAY(y.arena, (size_t)s.nshape, const Instance *);
    memcpy(s.shape, y.study->shape, (size_t)s.nshape * sizeof *s.shape);
    s.shape[1] = &more;
    more.threads = 2;
    part.study = &s;
    assert_null(strstr(package_text(package_of(&in), "bench.c"), second));
}

static void a_report_is_named_where_there_is_one(void **state)
{
    (void)state;
    EmitInput in;
    make_two(&in);
    in.spec_text = "the spec";
    in.records = "the records";
    in.report = "the report";
    const Package *with = package_of(&in);
    assert_string_equal(package_text(with, "spec.cfg"), "the spec");
    assert_string_equal(package_text(with, "records.jsonl"), "the records");
    assert_string_equal(package_text(with, "report.html"), "the report");
    expect(with, "README.md", "| `report.html` | ");
    expect(with, "MANIFEST", "  report.html\n");
    expect(with, "package.json", "\"report.html\": ");
    in.report = NULL;
    const Package *without = package_of(&in);
    assert_null(package_text(without, "report.html"));
    assert_null(strstr(package_text(without, "README.md"), "report.html"));
    assert_null(strstr(package_text(without, "MANIFEST"), "report.html"));
    assert_int_equal(without->n, with->n - 1);
    assert_string_equal(without->file[without->n - 1].path, "MANIFEST");
}

/* ---- MANIFEST ---- */

/* "dense/op.cfg\n...": the paths of all that the package was made of. */
static const char *sources_of(const Package *p)
{
    static const char word[] = "# template ";
    Text t = { .arena = y.arena };
    for (const char *line = package_text(p, "MANIFEST"); *line; line += strcspn(line, "\n") + 1)
        if (strncmp(line, word, strlen(word)) == 0) {
            const char *path = strstr(line, "  ") + 2;
            text_addn(&t, path, strcspn(path, "\n") + 1);
        }
    return text_str(&t);
}

/* The op, what serves the spec with its pieces, the family's patterns and targets. */
static void the_manifest_names_all_that_the_package_was_made_of(void **state)
{
    (void)state;
    EmitInput in;
    assert_string_equal(
        sources_of(make_two(&in)),
        "dense/addend.h\ndense/bench.c\ndense/op.cfg\ndense/pack.c\ndense/packed_gemm.c\ndense/reference.c\n"
        "dense/row_pointers.h\ndense/store_part.h\ndense/test.c\nfamily/cpu.cfg\n"
        "package/CMakeLists.txt\npackage/README.md\npackage/candidate.c\npackage/dispatch.h\npackage/each_kernel.h\n"
        "package/entry.c\npackage/kernels.c\npackage/pack.h\npackage/package.h\npackage/package.json\npackage/"
        "pieces.h\n"
        "package/pool.c\npackage/pool.h\npackage/preamble.c\npackage/regret.json\npackage/regret.md\n"
        "package/tables.h\ntargets/avx2.cfg\ntargets/avx512.cfg\ntargets/portable.cfg\n");
    const Result part = plain_part("sm_80", 1);
    const EmitInput gpu = input_of(&part, 1);
    const char *sources = sources_of(package_of(&gpu));
    static const char *const some[] = { "dense/bench_cuda.c\n",  "dense/few_rows.cuh\n",   "dense/gemv.cu\n",
                                        "dense/pack.cu\n",       "dense/simt_gemm.cu\n",   "dense/test_cuda.c\n",
                                        "dense/tile_copy.cuh\n", "family/cuda.cfg\n",      "device/launch.cuh\n",
                                        "device/mma_tf32.cuh\n", "package/candidate.cu\n", "package/flush_l2.h\n",
                                        "targets/sm_75.cfg\n",   "targets/sm_90a.cfg\n" };
    static const char *const none[] = { "mma_gemm", "mma_gemv", "avx", "portable", "pool", "packed_gemm" };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (!strstr(sources, some[i]))
            fail_msg("no %s", some[i]);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (strstr(sources, none[i]))
            fail_msg("%s", none[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_are_asked_for_the_best_first),
        cmocka_unit_test(later_gpus_have_a_general_kernel),
        cmocka_unit_test(each_target_may_have_as_many_kernels_as_a_budget_allows),
        cmocka_unit_test(other_machines_get_the_template_that_is_trusted_most),
        cmocka_unit_test(the_dispatcher_is_proven_for_every_target),
        cmocka_unit_test(a_target_has_its_tree_and_its_general_kernel),
        cmocka_unit_test(the_other_files_tell_of_each),
        cmocka_unit_test(kernels_are_those_of_their_targets),
        cmocka_unit_test(later_gpus_are_asked_for_by_their_capability),
        cmocka_unit_test(versions_are_numbers),
        cmocka_unit_test(calls_are_checked_before_a_kernel_is_taken),
        cmocka_unit_test(kernels_are_told_in_words),
        cmocka_unit_test(files_say_what_they_are_of),
        cmocka_unit_test(the_benchmark_has_each_shape_once),
        cmocka_unit_test(a_report_is_named_where_there_is_one),
        cmocka_unit_test(the_manifest_names_all_that_the_package_was_made_of),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
