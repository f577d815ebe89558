/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch_parts: where the parts of packed filters are kept, of small trees by hand; what kernels then serve.
 */
#include "tests/test.h"
#include "gen/package/dispatch.h"
#include "tests/gen/serve.h"
#include "tests/gen/synthetic_place.h"

static const char images[] = "name = \"images\"; op = \"conv2d\"; dtype = \"f32\"; target = [\"host\"];\n"
                             "dims = { T = { min = 7; max = 9; }; };\n"
                             "shapes = ( { N = 1; G = 1; H = \"T\"; W = 9; C = 64; K = 64; R = 3; S = 3; },\n"
                             "           { N = 1; G = 1; H = \"T\"; W = 9; C = 128; K = 32; R = 3; S = 3; },\n"
                             "           { N = 1; G = 1; H = \"T\"; W = 9; C = 256; K = 64; R = 3; S = 3; } );\n"
                             "layout = { packed = true; }; threads = [1];\n";

static int make_images(void **state) { return synthetic_make(&y, images, 1) ? 0 : -1; }

enum { H = 2, C = 4, K = 5 };                                 /* extents */
enum { PLAIN = 0, TWO = 1, FOUR = 2, BOTH = 3, NKERNEL = 4 }; /* kernels, by the parts that they read */

static TreeNode plain = { .feature = -1, .class = PLAIN }, two = { .feature = -1, .class = TWO },
                four = { .feature = -1, .class = FOUR };

/* As a choice has it: the kernel of each instance. */
static void choose(const Study *s, const Assignment *as)
{
    const TreeNode **leaf = dispatch_leaves(y.arena, s, as);
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        as->chosen[i] = select_serving(s, as, y.spec->instance[i].extent, leaf[i]->class);
}

/* Kernels of a target with that tree, and a general one for all other machines, which reads what `lesser` does. */
static Dispatcher dispatcher_of(TreeNode *tree, int lesser)
{
    static const int64_t reads[NKERNEL][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } };
    static int64_t trial_of[NKERNEL] = { 0, 1, 2, 3 };
    Arena *a = y.arena;
    Template *t = ARENA_ARRAY(a, NKERNEL, Template);
    Study *s = ARENA_NEW(a, Study);
    Assignment *as = ARENA_NEW(a, Assignment);
    Result *result = ARENA_NEW(a, Result);
    UnitKernel *kernel = ARENA_ARRAY(a, NKERNEL + 1, UnitKernel);
    DispatchEntry *entry = ARENA_ARRAY(a, 2, DispatchEntry);
    *s = *y.study;
    s->trial = ARENA_ARRAY(a, NKERNEL, Trial);
    for (int k = 0; k < NKERNEL; k++) {
        t[k] = (Template){ .name = "made up", .nparam = 2, .nserved = 0 };
        for (int i = 0; i < 2; i++)
            t[k].param[i] =
                (TemplateParam){ .name = y.spec->op->pack[i], .axis = -1, .nchoice = 2, .choice = { 0, 1 } };
        serve(a, &t[k], y.spec, k == PLAIN ? NULL : "R == 3");
        s->trial[k].c = (Candidate){ .t = &t[k], .target = s->target, .choice = { reads[k][0], reads[k][1] } };
        kernel[k] = (UnitKernel){ .t = &t[k], .target = s->target, .value = reads[k] };
    }
    kernel[NKERNEL] = kernel[lesser];
    *as = (Assignment){ .nkernel = NKERNEL,
                        .kernel = trial_of,
                        .nfeature = y.spec->op->nextent,
                        .tree = tree,
                        .chosen = ARENA_ARRAY(a, (size_t)y.spec->ninstance, int) };
    choose(s, as);
    *result = (Result){ .unit = { .spec = y.spec, .targets = &y.targets, .target = s->target },
                        .study = s,
                        .assignment = as };
    entry[0] =
        (DispatchEntry){ .target = s->target, .result = result, .tree = tree, .nkernel = NKERNEL, .general = BOTH };
    entry[1] = (DispatchEntry){ .target = s->target, .first = NKERNEL, .nkernel = 1, .general = NKERNEL };
    Dispatcher d = {
        .spec = y.spec, .results = { result, 1 }, .nentry = 2, .entry = entry, .nkernel = NKERNEL + 1, .kernel = kernel
    };
    dispatch_keep_parts(a, &d);
    dispatch_bind(a, &d);
    return d;
}

static const char *where(const Dispatcher *d, int part) { return expr_c_int(y.arena, d->kernel->part[part], "p"); }

/* A node on an axis. */
static TreeNode *split(int axis, int64_t at, TreeNode *left, TreeNode *right)
{
    TreeNode *n = ARENA_NEW(y.arena, TreeNode);
    *n = (TreeNode){ .feature = axis, .threshold = at, .left = left, .right = right };
    return n;
}

TEST(a_part_is_where_the_tree_asks_for_it)
{
    const struct {
        TreeNode *tree;
        int lesser;
        const char *two, *four;
    } cases[] = {
        { &plain, PLAIN, "0", "0" },
        { &two, PLAIN, "1", "0" },
        { &plain, FOUR, "0", "1" },
        { &two, BOTH, "1", "1" },
        { split(C, 64, &two, &four), PLAIN, "C <= 64", "C > 64" },
        { split(C, 64, &two, &four), TWO, "1", "C > 64" },
        { split(H, 8, &two, &four), PLAIN, "1", "1" }, /* a call's, not the filters' */
        { split(H, 8, split(C, 64, &two, &plain), split(C, 64, &four, &plain)), PLAIN, "C <= 64", "C <= 64" },
        { split(H, 8, split(C, 64, &two, &plain), split(C, 128, &two, &four)), PLAIN, "C <= 64 || C <= 128",
          "C > 128" },
        { split(C, 64, &two, split(K, 32, &two, &plain)), PLAIN, "C <= 64 || K <= 32", "0" },
        { split(C, 64, split(K, 32, &plain, &four), &four), PLAIN, "0", "K > 32 || C > 64" },
        { split(C, 128, split(K, 32, &plain, &two), &plain), PLAIN, "C <= 128 && K > 32", "0" },
        { split(C, 128, split(K, 32, &plain, &two), split(K, 32, &two, &plain)), PLAIN,
          "(C <= 128 && K > 32) || (C > 128 && K <= 32)", "0" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Dispatcher d = dispatcher_of(cases[i].tree, cases[i].lesser);
        assert_string_equal(where(&d, 0), cases[i].two);
        assert_string_equal(where(&d, 1), cases[i].four);
    }
}

/* Where a tree asks for too much, the part is there. */
TEST(a_condition_that_nobody_could_read_is_shorter)
{
    TreeNode *few = &plain, *many = &plain;
    for (int at = 100; at > 0; at--) {
        many = split(C, 2 * at, split(K, 3 * at, &two, &plain), many);
        few = at > 90 ? many : few;
    }
    const Dispatcher short_one = dispatcher_of(few, PLAIN), long_one = dispatcher_of(many, PLAIN);
    assert_has(where(&short_one, 0), "(C <= 182 && K <= 273)");
    assert_has(where(&short_one, 0), "(C <= 200 && K <= 300)");
    assert_has(where(&long_one, 0), "(K <= 69 || C > 46)");
    assert_in_range(strlen(where(&long_one, 0)), 500, 1000);
}

/* Where a call has no such part, a kernel is not for it, though it be asked for by its number. */
TEST(kernels_serve_where_their_parts_are)
{
    const Dispatcher d = dispatcher_of(split(C, 64, &two, split(C, 200, &plain, &four)), PLAIN);
    static const struct {
        int64_t C;
        bool serves[NKERNEL];
    } row[] = { { 64, { true, true, false, false } },
                { 128, { true, false, false, false } },
                { 256, { true, false, true, false } } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int64_t x[SELECT_MAX_FEATURE] = { 1, 1, 8, 9, row[i].C, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 8, 9, row[i].C, 64 };
        for (int k = 0; k < NKERNEL; k++)
            assert_int_equal(dispatch_serves(&d, k, x), row[i].serves[k]);
        x[6] = 1; /* R */
        assert_int_equal(dispatch_serves(&d, FOUR, x), false);
    }
    assert_true(!d.condition[PLAIN]);
    assert_string_equal(expr_text(d.condition[BOTH]), "R == 3 && C <= 64 && (C > 64 && C > 200)");
}

/* Calls that a leaf's kernel does not serve go to the first one that does: the part that it reads is there, and that of
 * the leaf's kernel is not. */
TEST(a_part_is_where_a_kernel_stands_in)
{
    Dispatcher d = dispatcher_of(split(C, 128, &plain, split(C, 999, &two, &four)), PLAIN);
    const Result *result = d.results.item;
    Template *plainly = (Template *)result->study->trial[PLAIN].c.t, *twice = (Template *)result->study->trial[TWO].c.t;
    assert_string_equal(where(&d, 0), "C > 128 && C <= 999");
    assert_string_equal(where(&d, 1), "C > 128 && C > 999"); /* where no call is declared */
    serve(y.arena, plainly, y.spec, "C != 64");
    serve(y.arena, twice, y.spec, "R == 3 && C < 256");
    for (int k = 0; k <= NKERNEL; k++)
        d.kernel[k] = (UnitKernel){ .t = result->study->trial[k % NKERNEL].c.t,
                                    .target = d.kernel[k].target,
                                    .value = d.kernel[k].value };
    choose(result->study, result->assignment);
    dispatch_keep_parts(y.arena, &d);
    assert_string_equal(where(&d, 0), "C <= 128"); /* of C = 64; 128 takes the same leaf */
}

TEST_EACH(make_images, drop)
