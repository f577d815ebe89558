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
#include "gen/emit.h"
#include "gen/prove.h"
#include "gen/text.h"
#include "tests/gen/synthetic.h"

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

static EmitInput input_of(const EmitPart *part, int npart)
{
    return (EmitInput){ .unit = { .spec = y.spec,
                                  .device = part->study->device,
                                  .targets = &y.targets,
                                  .package_dir = DCGEN_SOURCE_DIR "/templates/package",
                                  .target = part->study->target },
                        .templates = &y.templates,
                        .part = part,
                        .npart = npart,
                        .spec_text = "",
                        .records = "",
                        .version = "0" };
}

static EmitPart part_with(const Study *s, const Assignment *as)
{
    static const Records none;
    return (EmitPart){ s, as, contract_make(y.arena, s, &none, &y.templates, &y.targets, as) };
}

/* The target tuned as if n times the same kernel had been kept. */
static EmitPart plain_part(const char *target, int n)
{
    Device *device = ARENA_NEW(y.arena, Device);
    const Target *t = target_find(&y.targets, target);
    Candidate c;
    int k = 0;
    *device = target_is_cuda(t) ? target_typical_device(y.arena, t) : y.device;
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
static const char *entries_of(const EmitPart *part, int npart)
{
    const EmitInput in = input_of(part, npart);
    const Dispatcher *d = package_dispatcher(y.arena, &in);
    Text t = { .arena = y.arena };
    for (int i = 0; i < d->nentry; i++)
        text_printf(&t, "%s%s%s %d %d", i ? ", " : "", d->entry[i].target->name, d->entry[i].tree ? " tree" : "",
                    d->entry[i].first, d->entry[i].general);
    return text_str(&t);
}

static void machines_are_asked_for_the_best_first(void **state)
{
    (void)state;
    const EmitPart avx512 = plain_part("avx512", 2), avx2 = plain_part("avx2", 3), portable = plain_part("portable", 1);
    const EmitPart both[] = { avx512, avx2 }, ends[] = { avx512, portable }, all[] = { avx512, avx2, portable };
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
    const EmitPart hopper = plain_part("sm_90a", 2), ampere = plain_part("sm_80", 1), turing = plain_part("sm_75", 1);
    const EmitPart both[] = { hopper, ampere }, ends[] = { hopper, turing };
    assert_string_equal(entries_of(both, 2), "sm_90a tree 0 1, sm_80 tree 2 2, sm_80 3 3, sm_75 4 4");
    assert_string_equal(entries_of(ends, 2), "sm_90a tree 0 1, sm_80 2 2, sm_75 tree 3 3, sm_75 4 4");
}

static void each_target_may_have_as_many_kernels_as_a_budget_allows(void **state)
{
    (void)state;
    const EmitPart all[] = { plain_part("avx512", 256), plain_part("avx2", 256), plain_part("portable", 256) };
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
        EmitPart part = plain_part("avx512", 1);
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
        EmitInput in = input_of(&part, 1);
        in.templates = &three;
        const char *got = templates_of(&in);
        if (strcmp(got, row[i].want) != 0)
            fail_msg("row %d: %s", (int)i, got);
    }
}

/* ---- the text ---- */

static const Package *make_two(EmitInput *in)
{
    static EmitPart part[2];
    Synthetic other = y;
    Diag *d = diag_new(y.arena);
    assert_true(synthetic_tune(&other, target_find(&y.targets, "avx2"), 24, d));
    part[0] = part_with(y.study, y.assignment);
    part[1] = part_with(other.study, other.assignment);
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
    const Dispatcher *d = package_dispatcher(y.arena, &in);
    Proof p;
    Builder *b = builder();
    assert_true(tree_nleaf(d->entry[0].tree) > 1 && tree_nleaf(d->entry[1].tree) > 1);
    if (prove_text(y.arena, d, y.spec, text, b, NULL, &p, &why) != PROOF_HOLDS)
        fail_msg("%s", why);
    assert_true(p.all);
    const struct {
        const char *text, *said;
    } wrong[] = { { with(text, "int two_tree_avx2(", "<=", "< "), "avx2: " },
                  { with(text, "int two_tree_avx512(", "<=", "< "), "avx512: " },
                  { with(text, "if (target == 1)", "outside ?", "!outside ?"), "avx2: " },
                  { with(text, "if (target == 1)", "two_tree_avx2", "two_tree_avx512"), "avx2: " } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(prove_text(y.arena, d, y.spec, wrong[i].text, b, NULL, &p, &why), PROOF_FAILS);
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
    const Dispatcher *d = package_dispatcher(y.arena, &in);
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
    };
    return cmocka_run_group_tests(tests, make, drop);
}
