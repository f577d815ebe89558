/* SPDX-License-Identifier: Apache-2.0
 *
 * emit: packages of several targets: which machine has which kernels, in which order, and the dispatcher's text, proven
 * against all trees.
 */
#include "tests/test.h"
#include <jansson.h>
#include "gen/package/prove.h"
#include "tests/gen/package/emit_results.h"
#include "tests/gen/serve.h"
#include "tests/toolchain.h"

/* "avx512 tree 0 1, avx2 2 2 3, ...": each kind of machine, whether it has a tree, its first and its general kernel;
 * without a tree also the last one, if that is another. */
static const char *entries_of(const Result *result, int nresult)
{
    const Dispatcher *d = package_dispatcher(y.arena, &(ResultList){ result, nresult });
    Text t = { .arena = y.arena };
    for (int i = 0; i < d->nentry; i++) {
        const DispatchEntry *e = &d->entry[i];
        text_printf(&t, "%s%s%s %d %d", i ? ", " : "", e->target->name, e->tree ? " tree" : "", e->first, e->general);
        if (!e->tree && e->nkernel > 1)
            text_printf(&t, " %d", e->first + e->nkernel - 1);
    }
    return text_str(&t);
}

TEST(machines_are_asked_for_the_best_first)
{
    const Result avx512 = plain_result("avx512", 2), avx2 = plain_result("avx2", 3),
                 portable = plain_result("portable", 1);
    const Result both[] = { avx512, avx2 }, ends[] = { avx512, portable }, all[] = { avx512, avx2, portable };
    assert_string_equal(entries_of(&avx512, 1), "avx512 tree 0 1, avx2 2 2, portable 3 3");
    assert_string_equal(entries_of(&avx2, 1), "avx2 tree 0 2, portable 3 3");
    assert_string_equal(entries_of(both, 2), "avx512 tree 0 1, avx2 tree 2 4, portable 5 5");
    assert_string_equal(entries_of(ends, 2), "avx512 tree 0 1, avx2 2 2, portable tree 3 3");
    assert_string_equal(entries_of(all, 3), "avx512 tree 0 1, avx2 tree 2 4, portable tree 5 5");
}

/* Later GPUs run an inexact target's code, but not what was tuned for it. */
TEST(later_gpus_have_a_general_kernel)
{
    const Result hopper = plain_result("sm_90a", 2), ampere = plain_result("sm_80", 1),
                 turing = plain_result("sm_75", 1);
    const Result both[] = { hopper, ampere }, ends[] = { hopper, turing };
    assert_string_equal(entries_of(&ampere, 1), "sm_80 tree 0 0, sm_80 1 1 2, sm_75 3 3 4");
    assert_string_equal(entries_of(both, 2), "sm_90a tree 0 1, sm_80 tree 2 2, sm_80 3 3 4, sm_75 5 5 6");
    assert_string_equal(entries_of(ends, 2), "sm_90a tree 0 1, sm_80 2 2 3, sm_75 tree 4 4, sm_75 5 5 6");
}

TEST(each_target_may_have_as_many_kernels_as_a_budget_allows)
{
    const Result all[] = { plain_result("avx512", 256), plain_result("avx2", 256), plain_result("portable", 256) };
    assert_string_equal(entries_of(all, 3), "avx512 tree 0 255, avx2 tree 256 511, portable tree 512 767");
}

/* ---- which template stands in ---- */

/* What was tried of a template: nothing; a kernel that is right, or wrong; one of each; of a lesser target also one
 * that is right and spills. */
typedef enum { NOTHING, RIGHT, WRONG, BOTH, SPILLS } Tried;

static void add_trial(Study *s, const Candidate *c, Status status)
{
    const int64_t i = study_add(s, c);
    s->trial[i].built = true;
    s->trial[i].status = status;
}

static const Param spilled = { "spilled", 3 };

/* The tuned target's trials of it, then that of the lesser target's general kernel (`lesser`). */
static void try(Study *s, const Template *t, Tried tried, Tried lesser, const Target *target)
{
    Candidate c;
    assert_true(candidate_general(t, s->target, 0, &c));
    if (tried == RIGHT || tried == BOTH)
        add_trial(s, &c, STATUS_OK);
    c.choice[0]++; /* another kernel */
    if (tried == WRONG || tried == BOTH)
        add_trial(s, &c, STATUS_WRONG);
    assert_true(candidate_general(t, target, 0, &c));
    if (lesser != NOTHING)
        add_trial(s, &c, lesser == WRONG ? STATUS_WRONG : STATUS_OK);
    if (lesser == SPILLS)
        s->trial[s->ntrial - 1].facts = (KernelFacts){ 1, &spilled };
}

/* "avx512 two, avx2 one": the template of each kernel of the package. */
static const char *templates_of(const EmitInput *in)
{
    const Package *p = package_of(in);
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

/* A tuned target of which kernels of three templates were tried, each for some calls alone or (NULL) for all. */
static Result result_of_three(const char *const *serves, const Tried *tuned, const Tried *lesser, int general)
{
    static const char *const name[] = { "one", "two", "three" };
    const Target *avx512 = target_find(&y.targets, "avx512"), *avx2 = target_find(&y.targets, "avx2");
    Result result = plain_result("avx512", 1);
    Study *s = study_new(y.arena, y.spec, &y.device, avx512, "0123456789abcdef");
    const Template **list = ARENA_ARRAY(y.arena, 3, const Template *);
    for (int k = 0; k < 3; k++) {
        Template *t = ARENA_NEW(y.arena, Template);
        *t = *result.study->trial[0].c.t;
        t->name = name[k];
        serve(y.arena, t, y.spec, serves[k]);
        list[k] = t;
    }
    for (int k = 0; k < 3; k++) {
        const int64_t first = s->ntrial;
        try(s, list[k], tuned[k], lesser[k], avx2);
        if (k == general)
            result.assignment->kernel[0] = first;
    }
    TemplateList *three = ARENA_NEW(y.arena, TemplateList);
    *three = (TemplateList){ 3, list };
    result.study = s;
    result.templates = three;
    return result;
}

/* The template that other machines get of three, where the general kernel is of that at `general`: none of which all,
 * or that very kernel, failed. */
TEST(other_machines_get_the_kernel_that_is_trusted_most)
{
    static const struct {
        Tried tuned[3], lesser[3]; /* lesser: of the general kernel for avx2 */
        int general;
        const char *want;
    } row[] = {
        { { RIGHT }, { NOTHING }, 0, "avx512 one, avx2 one, portable one" },
        { { NOTHING, RIGHT }, { NOTHING }, 1, "avx512 two, avx2 two, portable two" },
        { { RIGHT, RIGHT, RIGHT }, { NOTHING }, 2, "avx512 three, avx2 three, portable three" },
        { { RIGHT, RIGHT }, { NOTHING, RIGHT }, 0, "avx512 one, avx2 two, portable one" },
        { { RIGHT, RIGHT }, { SPILLS, RIGHT }, 0, "avx512 one, avx2 one, portable one" },
        { { RIGHT, RIGHT, RIGHT }, { NOTHING, SPILLS, RIGHT }, 0, "avx512 one, avx2 three, portable one" },
        { { RIGHT, RIGHT }, { NOTHING, SPILLS }, 0, "avx512 one, avx2 two, portable one" },
        { { RIGHT, NOTHING, RIGHT }, { WRONG }, 0, "avx512 one, avx2 three, portable one" },
        { { RIGHT, WRONG, BOTH }, { WRONG }, 0, "avx512 one, avx2 three, portable one" },
        { { RIGHT, WRONG, NOTHING }, { WRONG }, 0, "avx512 one, avx2 three, portable one" },
        { { RIGHT, NOTHING, NOTHING }, { WRONG }, 0, "avx512 one, avx2 two, portable one" },
        { { RIGHT, WRONG, RIGHT }, { WRONG, NOTHING, WRONG }, 0, "avx512 one, portable one" },
        { { RIGHT, WRONG, WRONG }, { WRONG }, 0, "avx512 one, portable one" },
    };
    static const char *const all[3] = { NULL };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const Result result = result_of_three(all, row[i].tuned, row[i].lesser, row[i].general);
        const EmitInput in = input_of(&result, 1);
        const char *got = templates_of(&in);
        if (strcmp(got, row[i].want) != 0)
            fail_msg("row %d: %s", (int)i, got);
    }
}

/* Of kernels that are trusted alike, the one whose template was chosen for the shapes: here the second one of the
 * package, for all of them. */
TEST(other_machines_get_what_the_tuned_one_chose)
{
    static const char *const all[3] = { NULL };
    static const Tried right[] = { RIGHT, RIGHT, RIGHT }, none[3] = { NOTHING };
    Result result = result_of_three(all, right, none, 0);
    Assignment *as = ARENA_NEW(y.arena, Assignment);
    int64_t kernel[] = { result.assignment->kernel[0], 2 };
    *as = *result.assignment;
    as->nkernel = 2;
    as->kernel = kernel;
    as->cost = ARENA_ARRAY(y.arena, (size_t)y.spec->ninstance * 2, double);
    result.assignment = as;
    const EmitInput in = input_of(&result, 1);
    assert_string_equal(templates_of(&in), "avx512 one, avx512 three, avx2 one, portable one");
    as->tree->class = 1;
    assert_string_equal(templates_of(&in), "avx512 one, avx512 three, avx2 three, portable three");
}

/* The best kernels for the spec's shapes, which have N = 64 or 48, and where none of these is for every call, another
 * one that is. Without such a one these machines have none. */
TEST(other_machines_get_a_kernel_for_every_call)
{
    static const struct {
        const char *serves[3];
        Tried lesser[3];
        const char *want, *entries;
    } row[] = {
        { { NULL, NULL, "N > 40" },
          { NOTHING },
          "avx512 three, avx2 three, avx2 one, portable three, portable one",
          "avx512 tree 0 0, avx2 1 1 2, portable 3 3 4" },
        { { NULL, NULL, "N > 50" },
          { NOTHING },
          "avx512 three, avx2 three, avx2 one, portable three, portable one",
          "avx512 tree 0 0, avx2 1 1 2, portable 3 3 4" },
        { { NULL, "N < 50", "N > 50" },
          { NOTHING, RIGHT, RIGHT },
          "avx512 three, avx2 two, avx2 three, avx2 one, portable three, portable one",
          "avx512 tree 0 0, avx2 1 1 3, portable 4 4 5" },
        { { NULL, "N > 100", "N > 50" },
          { NOTHING, RIGHT },
          "avx512 three, avx2 three, avx2 one, portable three, portable one",
          "avx512 tree 0 0, avx2 1 1 2, portable 3 3 4" },
        { { NULL, NULL, "N > 40" },
          { WRONG },
          "avx512 three, avx2 three, avx2 two, portable three, portable one",
          "avx512 tree 0 0, avx2 1 1 2, portable 3 3 4" },
        { { NULL, NULL, "N > 40" },
          { NOTHING, RIGHT },
          "avx512 three, avx2 two, portable three, portable one",
          "avx512 tree 0 0, avx2 1 1, portable 2 2 3" },
        { { "N > 40", NULL, "N > 40" },
          { NOTHING, WRONG },
          "avx512 three, portable three, portable two",
          "avx512 tree 0 0, portable 1 1 2" },
    };
    static const Tried tuned[] = { RIGHT, RIGHT, RIGHT };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const Result result = result_of_three(row[i].serves, tuned, row[i].lesser, 2);
        const EmitInput in = input_of(&result, 1);
        const char *got = templates_of(&in), *entries = entries_of(&result, 1);
        if (strcmp(got, row[i].want) != 0 || strcmp(entries, row[i].entries) != 0)
            fail_msg("row %d: %s; %s", (int)i, got, entries);
    }
}

/* Where no general kernel works, the package says so, and refuses calls there. */
TEST(some_machines_have_no_kernel)
{
    const Target *portable = target_find(&y.targets, "portable"), *lacking[TARGET_MAX];
    Result result = plain_result("avx2", 1);
    const TemplateList one = { 1, &result.study->trial[0].c.t };
    Candidate c;
    result.templates = &one;
    assert_int_equal(dispatch_lacking(package_dispatcher(y.arena, &(ResultList){ &result, 1 }), lacking), 0);
    assert_true(candidate_general(one.t[0], portable, 0, &c));
    add_trial((Study *)result.study, &c, STATUS_WRONG);
    assert_int_equal(dispatch_lacking(package_dispatcher(y.arena, &(ResultList){ &result, 1 }), lacking), 1);
    assert_ptr_equal(lacking[0], portable);
    Result wide = plain_result("avx512", 1); /* CPUs with AVX2 take the portable kernel */
    wide.templates = &one;
    assert_true(candidate_general(one.t[0], target_find(&y.targets, "avx2"), 0, &c));
    add_trial((Study *)wide.study, &c, STATUS_WRONG);
    assert_int_equal(dispatch_lacking(package_dispatcher(y.arena, &(ResultList){ &wide, 1 }), lacking), 0);
    const EmitInput in = input_of(&result, 1);
    const Package *p = package_of(&in);
    assert_has(package_text(p, "dispatch.h"), "#endif\n    return -1;\n");
    assert_has(package_text(p, "kernels.c"), "    if (cpu < 0)\n        return -two_BAD_KERNEL;\n");
    assert_has(package_text(p, "kernels.c"), "or it is not for this CPU or call, or none is for this CPU\"");
    assert_has(package_text(p, "two.h"), "or the CPU can run none */");
    assert_has(package_text(p, "README.md"), "It has no kernels for every CPU");
}

static void general_kernels_are_wrong(Study *s, const Template *t, const Target *target)
{
    Candidate c;
    for (int i = 0; candidate_general(t, target, i, &c); i++)
        add_trial(s, &c, STATUS_WRONG);
}

/* A GPU's tuned kernels serve that GPU alone: later ones need a general kernel of it, or of a lesser one. */
TEST(later_gpus_may_have_no_kernel)
{
    const Target *sm_80 = target_find(&y.targets, "sm_80"), *sm_75 = target_find(&y.targets, "sm_75"),
                 *lacking[TARGET_MAX];
    Result result = plain_result("sm_80", 1);
    const TemplateList one = { 1, &result.study->trial[0].c.t };
    Candidate tuned = result.study->trial[0].c;
    result.templates = &one;
    tuned.choice[0]++; /* another kernel */
    add_trial((Study *)result.study, &tuned, STATUS_OK);
    general_kernels_are_wrong((Study *)result.study, one.t[0], sm_80);
    assert_string_equal(entries_of(&result, 1), "sm_80 tree 0 0, sm_75 1 1 2");
    assert_int_equal(dispatch_lacking(package_dispatcher(y.arena, &(ResultList){ &result, 1 }), lacking), 0);
    general_kernels_are_wrong((Study *)result.study, one.t[0], sm_75);
    assert_string_equal(entries_of(&result, 1), "sm_80 tree 0 0");
    assert_int_equal(dispatch_lacking(package_dispatcher(y.arena, &(ResultList){ &result, 1 }), lacking), 2);
    assert_ptr_equal(lacking[0], sm_80);
    assert_ptr_equal(lacking[1], sm_75);
}

/* ---- the text ---- */

/* The text from the first place of `word` on, with the first `what` behind that replaced. */
static const char *with(const char *text, const char *word, const char *what, const char *instead)
{
    const char *at = strstr(text, word);
    assert_non_null(at);
    at = strstr(at, what);
    assert_non_null(at);
    return arena_printf(y.arena, "%.*s%s%s", (int)(at - text), text, instead, at + strlen(what));
}

TEST(the_dispatcher_is_proven_for_every_target)
{
    EmitInput in;
    const char *why = NULL, *text = package_text(make_two(&in), "dispatch.h");
    const Dispatcher *d = package_dispatcher(y.arena, in.function);
    Proof p;
    Builder *b = builder_c(y.arena, NULL);
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

TEST(a_target_has_its_tree_and_its_general_kernel)
{
    EmitInput in;
    const char *text = package_text(make_two(&in), "dispatch.h"), *at = strstr(text, "static inline int two_dispatch(");
    const Dispatcher *d = package_dispatcher(y.arena, in.function);
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
    assert_has(text, "0 avx512, 1 avx2, 2 portable.");
}

TEST_FILE(make_y, drop)
