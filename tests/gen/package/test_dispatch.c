/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch: the text of a small tree, comments included, worked out by hand; the kernels that calls go to.
 */
#include "tests/test.h"
#include "gen/package/dispatch.h"
#include "tests/gen/serve.h"
#include "tests/gen/synthetic_place.h"

enum { NKERNEL = 3, NSHAPE = 8 };

static const char line_spec[] = "name = \"line\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n"
                                "dims = { T = { min = 1; max = 8; }; };\n"
                                "shapes = ( { M = \"T\"; N = 16; K = 16; } ); tune = { T = [2, 3, 8]; };\n"
                                "weights = { T = [9, 1, 2, 1, 1, 3, 5, 1]; }; layout = { W = \"NK\"; };\n"
                                "budget = { kernels = 4; code_kib = 64; trials = 8; seconds = 10; }; threads = [1];\n";

static int make_line(void **state) { return synthetic_make(&y, line_spec, 8) ? 0 : -1; }

/* Times in us on M = 1 .. 8. */
static double us[NSHAPE][NKERNEL] = { { 10, 12, 11 },    { 10, 11, 12 }, { 2, 1.9, 3 },      { 10, 20, 30 },
                                      { 999, 400, 500 }, { 30, 20, 25 }, { 0.5, 0.25, 0.2 }, { 9, 12.34, INFINITY } };

/* M <= 4: kernel 0; M <= 7: kernel 1; else kernel 0 again. */
static Assignment assignment_of(TreeNode node[5])
{
    static int64_t kernel[NKERNEL] = { 0, 1, 2 };
    static double cost[NSHAPE * NKERNEL];
    for (int i = 0; i < NSHAPE; i++)
        for (int k = 0; k < NKERNEL; k++)
            cost[i * NKERNEL + k] = 1e3 * us[i][k];
    node[0] = (TreeNode){ .feature = 0, .threshold = 4, .left = &node[1], .right = &node[2] };
    node[1] = (TreeNode){ .feature = -1, .class = 0 };
    node[2] = (TreeNode){ .feature = 0, .threshold = 7, .left = &node[3], .right = &node[4] };
    node[3] = (TreeNode){ .feature = -1, .class = 1 };
    node[4] = (TreeNode){ .feature = -1, .class = 0 };
    return (Assignment){ .nkernel = NKERNEL, .kernel = kernel, .cost = cost, .nfeature = 3, .tree = node };
}

/* The example of a leaf is its heaviest tuned shape, M = 3, though M = 1 is heavier; where nothing is tuned the
 * heaviest, M = 7. The runner-up is the fastest of the others there, even where it is faster, and none that cannot be
 * used. */
TEST(comments_tell_of_the_heaviest_tuned_shape_and_the_fastest_other)
{
    TreeNode node[5];
    const Assignment as = assignment_of(node);
    for (int k = 0; k < NKERNEL; k++)
        for (int64_t j = 0; j < y.study->nshape; j++)
            y.study->trial[k].ns[j] = 1;
    assert_int_equal(y.spec->ninstance, NSHAPE);
    assert_string_equal(dispatch_tree(y.arena, y.study, &as, 5),
                        "    if (M <= 4) {\n"
                        "        return 5; /* 4 shapes; M=3 N=16 K=16: 2.00 us, then kernel 6 -5.0% */\n"
                        "    }\n"
                        "    if (M <= 7) {\n"
                        "        return 6; /* 3 shapes; M=7 N=16 K=16: about 250 ns, then kernel 7 about -20.0% */\n"
                        "    }\n"
                        "    return 5; /* 1 shape; M=8 N=16 K=16: 9.00 us, then kernel 6 +37.1% */\n");
}

/* Nor does a shape stand for a leaf that its kernel does not serve, as it goes to another one; of one that serves none
 * nothing is told. */
TEST(comments_tell_of_what_is_served)
{
    TreeNode node[5];
    const Assignment as = assignment_of(node);
    for (int k = 0; k < NKERNEL; k++)
        for (int64_t j = 0; j < y.study->nshape; j++)
            y.study->trial[k].ns[j] = 1;
    as.cost[2 * NKERNEL] = INFINITY; /* M = 3 */
    as.cost[7 * NKERNEL] = INFINITY; /* M = 8 */
    const char *text = dispatch_tree(y.arena, y.study, &as, 5);
    assert_has(text, "return 5; /* 4 shapes; M=2 N=16 K=16: 10.0 us, then kernel 6 +10.0% */\n");
    assert_has(text, "    return 5;\n");
}

/* C has no literal for the least number; the text of a leaf is that of its place in the tree. */
TEST(every_threshold_is_a_constant_of_c)
{
    TreeNode leaf[] = { { .feature = -1, .class = 0 }, { .feature = -1, .class = 1 }, { .feature = -1, .class = 2 } };
    TreeNode most = { .feature = 1, .threshold = INT64_MAX, .left = &leaf[1], .right = &leaf[2] };
    TreeNode least = { .feature = 3, .threshold = INT64_MIN, .left = &leaf[0], .right = &most };
    Spec spec = *y.spec; /* without instances, of which leaves would tell */
    spec.ninstance = 0;
    const Study study = { .spec = &spec };
    const Assignment as = { .nfeature = 4, .tree = &least };
    assert_string_equal(dispatch_tree(y.arena, &study, &as, 7),
                        "    if (threads <= INT64_MIN) {\n        return 7;\n    }\n"
                        "    if (N <= 9223372036854775807) {\n        return 8;\n    }\n    return 9;\n");
    int64_t cut;
    assert_int_equal(dispatch_cuts(&least, 0, NULL), 0);
    assert_int_equal(dispatch_cuts(&least, 3, &cut), 1);
    assert_true(cut == INT64_MIN);
}

/* Of every kind of machine: within the declared ranges, ends included, the tree's class; outside the general kernel. */
TEST(a_dispatcher_is_its_trees_within_the_ranges)
{
    TreeNode node[5];
    assignment_of(node);
    DispatchEntry entry[] = { { .tree = node, .first = 4, .general = 6 }, { .first = 9, .general = 9 } };
    const Template t = { .name = "for all" };
    UnitKernel kernel[10];
    for (int i = 0; i < 10; i++)
        kernel[i] = (UnitKernel){ .t = &t };
    Dispatcher d = { .spec = y.spec, .nentry = 2, .entry = entry, .nkernel = 10, .kernel = kernel };
    dispatch_bind(y.arena, &d);
    static const struct {
        int64_t x[4];
        int kernel;
    } row[] = { { { 1, 16, 16, 1 }, 4 }, { { 4, 16, 16, 9 }, 4 }, { { 5, 16, 16, 1 }, 5 }, { { 8, 16, 16, 1 }, 4 },
                { { 9, 16, 16, 1 }, 6 }, { { 0, 16, 16, 1 }, 6 }, { { 5, 15, 16, 1 }, 6 }, { { 5, 17, 16, 1 }, 6 },
                { { 5, 16, 15, 1 }, 6 }, { { 5, 16, 17, 1 }, 6 } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_int_equal(dispatch_kernel(&d, 0, row[i].x), row[i].kernel);
        assert_int_equal(dispatch_kernel(&d, 1, row[i].x), 9);
    }
}

/* A call that the kernel of its place does not serve goes to the first of its entry that serves it. */
TEST(calls_go_to_a_kernel_that_serves_them)
{
    static const char *const serves[] = { "M != 3 && K > 15", "M < 2*P + 1", "M > P && K == 16", NULL };
    static const char *const condition[] = { "M != 3 && K > 15", "M < 9", "M > 4 && K == 16", NULL };
    static const struct {
        int64_t x[4];
        int by_tree, alone; /* the kernels of the two entries */
    } row[] = { { { 1, 16, 16, 1 }, 1, 4 },        { { 3, 16, 16, 1 }, 2, 4 },
                { { 4, 16, 16, 9 }, 1, 4 },        { { 5, 16, 16, 1 }, 2, 3 },
                { { 8, 16, 16, 1 }, 1, 3 },        { { 9, 16, 16, 1 }, 3, 3 },
                { { 9, 16, 17, 1 }, 1, 4 },        { { 0, 16, 16, 1 }, 1, 4 },
                { { 5, 15, 16, 1 }, 3, 3 },        { { 3, 16, 17, 1 }, 2, 4 },
                { { 9, 16, 15, 1 }, 4, 4 },        { { INT64_MAX, 0, INT64_MIN, 0 }, 4, 4 },
                { { INT64_MAX, 0, 16, 0 }, 3, 3 }, { { INT64_MIN, INT64_MAX, INT64_MIN, 1 }, 2, 4 } };
    static const int64_t four = 4;
    TreeNode node[5];
    assignment_of(node);
    DispatchEntry entry[] = { { .tree = node, .first = 1, .nkernel = 4, .general = 3 },
                              { .first = 3, .nkernel = 2, .general = 3 } };
    Template t[4];
    UnitKernel kernel[5] = { { 0 } };
    for (int i = 0; i < 4; i++) {
        t[i] = (Template){ .nparam = 1, .param = { { .name = "P", .axis = -1 } } };
        serve(y.arena, &t[i], y.spec, serves[i]);
        kernel[i + 1] = (UnitKernel){ .t = &t[i], .target = y.study->target, .value = &four };
    }
    Dispatcher d = { .spec = y.spec, .nentry = 2, .entry = entry, .nkernel = 5, .kernel = kernel };
    dispatch_bind(y.arena, &d);
    for (int i = 0; i < 4; i++) {
        const Expr *e = d.condition[i + 1];
        assert_int_equal(e != NULL, condition[i] != NULL);
        if (e)
            assert_string_equal(expr_text(e), condition[i]);
    }
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const int want[] = { row[i].by_tree, row[i].alone };
        for (int k = 0; k < 2; k++) {
            assert_int_equal(dispatch_kernel(&d, k, row[i].x), want[k]);
            assert_true(dispatch_serves(&d, want[k], row[i].x));
        }
    }
}

/* Of tuned shapes that weigh alike the first one stands for them; a kernel alone has no runner-up. */
TEST(the_first_of_equals_and_no_runner_up)
{
    TreeNode node[5];
    const Assignment all = assignment_of(node);
    double *alone = ARENA_ARRAY(y.arena, NSHAPE, double);
    for (int i = 0; i < NSHAPE; i++) {
        alone[i] = 1e6 * (i + 1);
        y.spec->instance[i].weight = 1;
    }
    for (int64_t j = 0; j < y.study->nshape; j++)
        y.study->trial[0].ns[j] = 1;
    const Assignment as = { .nkernel = 1, .kernel = all.kernel, .cost = alone, .nfeature = 3, .tree = &node[1] };
    assert_string_equal(dispatch_tree(y.arena, y.study, &as, 0),
                        "    return 0; /* 8 shapes; M=2 N=16 K=16: 2.00 ms */\n");
}

TEST_EACH(make_line, drop)
