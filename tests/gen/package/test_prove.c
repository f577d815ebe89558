/* SPDX-License-Identifier: Apache-2.0
 *
 * prove: a dispatcher that is right passes, one that is wrong at a single place does not, and the place is named; texts
 * that do not compile; kernels that do not serve every call. Then trees of several dims, trained on random costs,
 * printed, compiled under the sanitizer and compared with themselves.
 */
#include "tests/test.h"
#include <dlfcn.h>
#include <unistd.h>
#include "gen/package/emit.h"
#include "gen/package/prove.h"
#include "gen/spec/points.h"
#include "tests/gen/place.h"
#include "tests/gen/serve.h"
#include "tests/gen/synthetic.h"
#include "tests/toolchain.h"

static Spec *spec; /* of the small dispatcher */
static Dispatcher dispatcher;
static Template served[4]; /* one a kernel; each is for all calls */

static TreeNode leaves[] = { { .feature = -1, .class = 0 },
                             { .feature = -1, .class = 1 },
                             { .feature = -1, .class = 2 } };
static TreeNode by_threads = { .feature = 3, .threshold = 1, .left = &leaves[1], .right = &leaves[2] };
static TreeNode top = { .feature = 0, .threshold = 12, .left = &leaves[0], .right = &by_threads };

static const char text[] =
    "static inline int x_tree(int64_t M, int64_t N, int64_t K, int64_t threads)\n{\n"
    "    (void)N;\n    (void)K;\n    if (M <= 12)\n        return 0;\n"
    "    return threads <= 1 ? 1 : 2;\n}\n"
    "static inline int x_dispatch(int cpu, int64_t M, int64_t N, int64_t K, int64_t threads)\n{\n"
    "    if (cpu == 1)\n        return 3;\n"
    "    if (M < 1 || M > 50 || N < 8 || N > 8 || K < 4 || K > 32)\n        return 0;\n"
    "    return x_tree(M, N, K, threads);\n}\n";

static int make(void **state)
{
    static const char of_spec[] = "name = \"x\"; op = \"dense\"; dtype = \"f32\";\n"
                                  "dims = { T = { min = 1; max = 50; }; S = { min = 1; max = 8; }; };\n"
                                  "shapes = ( { M = \"T\"; N = 8; K = \"4*S\"; } ); threads = [1, 2];\n";
    static const Target tuned = { .name = "avx512" }, lesser = { .name = "portable" };
    static Assignment as = { .nfeature = 4, .tree = &top };
    static const Result result = { .assignment = &as };
    static DispatchEntry entry[] = { { .target = &tuned, .result = &result, .tree = &top, .nkernel = 3 },
                                     { .target = &lesser, .first = 3, .nkernel = 1, .general = 3 } };
    static UnitKernel kernel[4];
    if (place_setup(state))
        return -1;
    spec = spec_good(arena, of_spec, spec_templates, 1);
    for (int i = 0; i < 4; i++)
        kernel[i] = (UnitKernel){ .t = &served[i], .target = &tuned };
    dispatcher = (Dispatcher){
        .spec = spec, .is_told_parts = true, .nentry = 2, .entry = entry, .nkernel = 4, .kernel = kernel
    };
    dispatch_bind(arena, &dispatcher);
    return 0;
}

/* Kernel k is for such calls alone; NULL: for all. */
static void serve_calls(int k, const char *calls)
{
    serve(arena, &served[k], spec, calls);
    dispatch_bind(arena, &dispatcher);
}

/* ---- wrong functions ---- */

static int64_t wrong_entry;
static bool (*is_wrong)(const int64_t *x); /* NULL: right everywhere */

static int call(int entry, const int64_t *x)
{
    const int right = dispatch_kernel(&dispatcher, entry, x);
    return is_wrong && entry == wrong_entry && is_wrong(x) ? right + 1 : right;
}

static bool at_one_shape(const int64_t *x) { return x[0] == 33 && x[2] == 20 && x[3] == 2; } /* no threshold is near */
static bool at_threshold(const int64_t *x) { return x[0] == 12 && x[1] == 7; }               /* N is outside */
static bool beyond_32_bits(const int64_t *x) { return x[0] > INT32_MAX; }
static bool at_the_least(const int64_t *x) { return x[2] == INT64_MIN; }
static bool at_many_threads(const int64_t *x) { return x[3] == INT64_MAX; }
static bool everywhere(const int64_t *x) { return x != NULL; }

TEST(a_right_one_passes)
{
    Proof p;
    const char *why = NULL;
    is_wrong = NULL;
    assert_true(prove_call(arena, &dispatcher, call, &p, &why));
    assert_int_equal(p.ndeclared, 50 * 8 * 2);
    assert_true(p.ncut > 1000);
    assert_true(p.all);
    assert_null(why);
}

TEST(one_wrong_place_is_found)
{
    static const struct {
        bool (*at)(const int64_t *x);
        int entry;
        const char *said;
    } row[] = {
        { at_one_shape, 0, "avx512: M=33 N=8 K=20 threads=2: kernel 3, not 2" },
        { at_threshold, 0, "avx512: M=12 N=7 " },
        { beyond_32_bits, 0, "avx512: M=2147483648 " },
        { beyond_32_bits, 1, "portable: M=2147483648 " },
        { at_the_least, 0, "K=-9223372036854775808 " },
        { at_many_threads, 0, "threads=9223372036854775807: " },
        { everywhere, 1, "portable: " },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Proof p;
        const char *why = NULL;
        is_wrong = row[i].at;
        wrong_entry = row[i].entry;
        assert_false(prove_call(arena, &dispatcher, call, &p, &why));
        assert_has(why, row[i].said);
    }
}

/* ---- texts ---- */

typedef int Walk(int tree, const int64_t *x);

/* A function of t.c, in a shared object that ends the program where anything in it is undefined. */
static void *load(const char *function, Walk **walk)
{
    assert_int_equal(system(arena_printf(arena,
                                         "cc -std=gnu17 -O1 -Wall -Wextra -Wconversion -Werror -fsanitize=undefined "
                                         "-fno-sanitize-recover=all -shared -fPIC '%s/t.c' -o '%s/t.so'",
                                         root, root)),
                     0);
    void *so = dlopen(in_root("t.so"), RTLD_NOW | RTLD_LOCAL);
    if (!so)
        fail_msg("%s", dlerror());
    *(void **)walk = dlsym(so, function);
    assert_non_null(*walk);
    return so;
}

static char *with(const char *what, const char *instead) { return text_with(arena, text, what, instead); }

TEST(texts_are_compiled)
{
    const struct {
        const char *text, *said;
        ProofStatus status;
    } row[] = {
        { text, NULL, PROOF_HOLDS },
        { with("M <= 12", "M < 12"), "avx512: M=12 ", PROOF_FAILS },
        { with("M > 50", "M >= 50"), "avx512: M=50 ", PROOF_FAILS },
        { with("return 3", "return 2"), "portable: ", PROOF_FAILS },
        { with("threads <= 1", "threads <= 2"), "threads=2: ", PROOF_FAILS },
        { with("int cpu, int64_t M", "int cpu, int32_t M"), "avx512: M=", PROOF_FAILS }, /* 2^32 + 1 is 1 */
        { with("M <= 12)", "M <= 12 0)"), "does not compile", PROOF_FAILS },
        { with("x_dispatch", "y_dispatch"), "does not compile", PROOF_FAILS },
    };
    Builder *b = builder_c(arena, NULL);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Proof p;
        const char *why = NULL;
        ProofStatus status = prove_text(arena, &dispatcher, row[i].text, b, NULL, &p, &why);
        if (status != row[i].status || (why != NULL) != (row[i].said != NULL) || (why && !strstr(why, row[i].said)))
            fail_msg("text %d: status %d, '%s'", (int)i, (int)status, why ? why : "");
    }
    builder_free(b);
}

/* ---- calls that kernels do not serve ---- */

static const char of_serving[] =
    "static inline int x_serves(int kernel, int64_t M, int64_t N, int64_t K)\n{\n"
    "    (void)N;\n    return kernel == 0 ? M > 3 && K % 8 == 0 : kernel == 2 ? K > 9 : 1;\n}\n"
    "static inline int x_first(int chosen, int from, int64_t M, int64_t N, int64_t K)\n{\n"
    "    if (x_serves(chosen, M, N, K))\n        return chosen;\n"
    "    while (!x_serves(from, M, N, K))\n        from += 1;\n    return from;\n}\n";

/* Kernel 1 serves all. What the tree gives to 0 or 2 may go to another one: to 0, if that serves it. A right text
 * holds, and a wrong place is found. */
TEST(conditions_are_proven)
{
    const char *right =
        with("static inline int x_dispatch", arena_printf(arena, "%sstatic inline int x_dispatch", of_serving));
    right = text_with(arena, right, "        return 0;\n    return x_tree(M, N, K, threads);",
                      "        return x_first(0, 0, M, N, K);\n"
                      "    return x_first(x_tree(M, N, K, threads), 0, M, N, K);");
    const struct {
        const char *from, *to, *said;
        ProofStatus status;
    } row[] = { { "M > 3", "M > 3", NULL, PROOF_HOLDS },
                { "M > 3", "M > 4", "avx512: M=4 ", PROOF_FAILS },
                { "K % 8", "K % 4", "kernel 0, not 1", PROOF_FAILS },
                { "K > 9", "K > 13", "kernel 1, not 2", PROOF_FAILS },
                { "from += 1", "from += 2", ", not 1", PROOF_FAILS },
                { "threads), 0, M", "threads), 1, M", "kernel 1, not 0", PROOF_FAILS },
                { "x_first(0, 0, M", "(0 * x_first(0, 0, M", "does not compile", PROOF_FAILS },
                { "return x_first(0, 0, M, N, K);", "return 0;", "kernel 0, not 1", PROOF_FAILS },
                { "return x_first(x_tree(M, N, K, threads), 0, M, N, K);", "return x_tree(M, N, K, threads);",
                  "avx512: M=", PROOF_FAILS } };
    Builder *b = builder_c(arena, NULL);
    serve_calls(0, "M > 3 && K % 8 == 0");
    serve_calls(2, "K > 9");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Proof p;
        const char *why = NULL, *text_i = text_with(arena, right, row[i].from, row[i].to);
        ProofStatus status = prove_text(arena, &dispatcher, text_i, b, NULL, &p, &why);
        if (status != row[i].status || (why != NULL) != (row[i].said != NULL) || (why && !strstr(why, row[i].said)))
            fail_msg("text %d: status %d, '%s'", (int)i, (int)status, why ? why : "");
    }
    for (int i = 0; i < 4; i++)
        serve_calls(i, NULL);
    builder_free(b);
}

static bool at_huge_sizes(const int64_t *x)
{
    int64_t product;
    return __builtin_mul_overflow(x[0], x[2], &product);
}

/* Of calls whose operands' sizes fit no 64 bits, which a package refuses before, nothing is asked. */
TEST(conditions_may_overflow_where_no_call_is_legal)
{
    Proof p;
    const char *why = NULL;
    serve_calls(0, "M * K <= 4096");
    wrong_entry = 0;
    is_wrong = at_huge_sizes;
    assert_true(prove_call(arena, &dispatcher, call, &p, &why));
    is_wrong = at_one_shape;
    assert_false(prove_call(arena, &dispatcher, call, &p, &why));
    serve_calls(0, NULL);
    is_wrong = NULL;
}

/* No dispatcher is right if for a kind of machine none of the kernels serves every call, even if the text does what the
 * data say, and no call of the spec's shapes lacks one. Whichever of them it is will do. */
TEST(some_kernel_serves_all)
{
    static const struct {
        const char *serves[4], *said; /* said NULL: it holds */
    } row[] = {
        { { NULL, "K < 1000", "K > 0", NULL }, NULL },
        { { "K < 1000", "K > 0", NULL, NULL }, NULL },
        { { "K < 1000", "1 < 2 || K < 1000", "K < 1000", "2 < 1 || 1" }, NULL },
        { { "K < 1000", "K < 1000", "K < 1000", NULL }, "avx512: none of its kernels serves every call" },
        { { "K < 1000", "1 < 2 && K > 0", "K > 0", NULL }, "avx512: none of its kernels serves every call" },
        { { NULL, NULL, NULL, "K < 1000" }, "portable: none of its kernels serves every call" },
    };
    is_wrong = NULL;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Proof p;
        const char *why = NULL;
        for (int k = 0; k < 4; k++)
            serve_calls(k, row[i].serves[k]);
        if (prove_call(arena, &dispatcher, call, &p, &why) != !row[i].said ||
            (row[i].said && strcmp(why, row[i].said) != 0))
            fail_msg("row %d: '%s'", (int)i, why ? why : "");
    }
    for (int k = 0; k < 4; k++)
        serve_calls(k, NULL);
}

/* ---- what cannot be loaded ---- */

/* A compiler for another machine makes what cannot be loaded here: that says nothing about the text. */
TEST(what_cannot_be_loaded_proves_nothing)
{
    static const char *const flags[] = { "-std=gnu17", "-c", NULL }; /* no shared object, whatever follows */
    const char *why = NULL;
    Proof p;
    Builder *b = builder_c(arena, flags);
    assert_int_equal(prove_text(arena, &dispatcher, text, b, NULL, &p, &why), PROOF_NONE);
    assert_has(why, "cannot be loaded");
    builder_free(b);
}

/* ---- what a package has ---- */

static const char two_dims[] =
    "name = \"two\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n"
    "dims = { T = { min = 1; max = 64; }; S = { min = 1; max = 40; }; };\n"
    "shapes = ( { M = \"T\"; N = 64; K = \"8*S\"; }, { M = \"T\"; N = \"16*S\"; K = 96; } );\n"
    "layout = { W = \"KN\"; packed = true; };\n"
    "budget = { kernels = 6; code_kib = 512; trials = 8; seconds = 10; }; threads = [1, 2, 5];\n";

static const char *dispatch_of(const Synthetic *y, const EmitInput *in)
{
    Diag *d = diag_new(y->arena);
    const Package *p = package_make(y->arena, in, d);
    diag_print(d, stderr);
    assert_non_null(p);
    return package_text(p, "dispatch.h");
}

static bool has_feature(const TreeNode *t, int feature)
{
    return t->feature >= 0 &&
           (t->feature == feature || has_feature(t->left, feature) || has_feature(t->right, feature));
}

/* Is the leaf one that a call comes to: with so many parts as the package would run it in? */
static bool is_reached(const Synthetic *y, const TreeNode *leaf)
{
    for (int64_t i = 0; i < y->spec->ninstance; i++) {
        int64_t x[OP_MAX_EXTENT + 1];
        const Instance *inst = &y->spec->instance[i];
        memcpy(x, inst->extent, sizeof inst->extent);
        x[3] = spec_parts(y->spec, inst->extent, inst->threads);
        const TreeNode *t = y->assignment->tree;
        while (t->feature >= 0)
            t = x[t->feature] <= t->threshold ? t->left : t->right;
        if (t == leaf)
            return true;
    }
    return false;
}

static void check_leaves(const Synthetic *y, const TreeNode *t)
{
    if (t->feature < 0) {
        assert_true(is_reached(y, t));
        return;
    }
    check_leaves(y, t->left);
    check_leaves(y, t->right);
}

/* A whole dispatch.h over two dynamic dims and threads; a threshold that is one off is found. */
TEST(a_package_of_two_dims)
{
    Synthetic y;
    assert_true(synthetic_make(&y, two_dims, 20));
    const TreeNode *tree = y.assignment->tree;
    assert_true(tree_nleaf(tree) >= 6);
    assert_true(has_feature(tree, 0));
    assert_true(has_feature(tree, 1) || has_feature(tree, 2));
    check_leaves(&y, tree);
    Result result = synthetic_result(&y);
    result.contract = contract_make(y.arena, y.study, y.assignment);
    const ResultList list = { &result, 1 };
    const EmitInput in = {
        .nfunction = 1, .function = &list, .spec_text = "", .records = "", .report = "", .version = "0"
    };
    const Dispatcher *d = package_dispatcher(y.arena, &list);
    const char *header = dispatch_of(&y, &in), *why = NULL;
    Builder *b = builder_c(arena, NULL);
    Proof p;
    if (prove_text(y.arena, d, header, b, NULL, &p, &why) != PROOF_HOLDS)
        fail_msg("%s", why);
    assert_int_equal(p.ndeclared, 2 * 64 * 40 * 3);
    assert_true(p.all);
    int n = 0;
    for (const char *at = strstr(header, "<= "); at; at = strstr(at + 1, "<= "), n++) {
        char *wrong = arena_strdup(y.arena, header);
        wrong[at - header + 1] = ' '; /* M < 12 instead of M <= 12 */
        if (n % 9 == 0)
            assert_int_equal(prove_text(y.arena, d, wrong, b, NULL, &p, &why), PROOF_FAILS);
    }
    assert_int_equal(n, tree_nleaf(tree) - 1);
    builder_free(b);
    arena_free(y.arena);
}

static uint64_t seed = 7;

static uint64_t draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 16 | seed << 48;
}

/* The extents of a shape of a spec, but for up to two of them, which are those of another shape, or one beside, or
 * small. */
static void draw_extents(const Spec *of, int64_t *x)
{
    const Instance *like = &of->instance[draw() % (uint64_t)of->ninstance];
    memcpy(x, like->extent, sizeof like->extent);
    for (uint64_t n = draw() % 3; n > 0; n--) {
        const uint64_t i = draw() % (uint64_t)of->op->nextent;
        const int64_t other = of->instance[draw() % (uint64_t)of->ninstance].extent[i];
        x[i] = draw() % 2 ? other + (int64_t)(draw() % 3) - 1 : (int64_t)(draw() % 4);
    }
}

/* Depthwise layers of two strides, of which kernels serve one, or all of the kind, and one is for any convolution. Its
 * dispatch.h does what the data say, on more calls than are proven. */
TEST(a_package_of_kernels_that_serve_less)
{
    Synthetic y;
    assert_true(synthetic_make(&y, synthetic_strides, 60));
    Result result = synthetic_result(&y);
    result.contract = contract_make(y.arena, y.study, y.assignment);
    const ResultList list = { &result, 1 };
    const EmitInput in = {
        .nfunction = 1, .function = &list, .spec_text = "", .records = "", .report = "", .version = "0"
    };
    const Dispatcher *d = package_dispatcher(y.arena, &list);
    const char *header = dispatch_of(&y, &in), *why = NULL;
    Builder *b = builder_c(arena, NULL);
    Proof p;
    int less = 0, n[3] = { 0 };
    for (int k = 0; k < d->nkernel; k++)
        less += d->condition[k] != NULL;
    assert_true(less >= 2);
    assert_int_equal(occurrences(header, ": return "), less);
    if (prove_text(y.arena, d, header, b, NULL, &p, &why) != PROOF_HOLDS)
        fail_msg("%s", why);
    assert_int_equal(p.ndeclared, 2 * 50);
    builder_free(b);
    put("t.c", prove_source(y.arena, d, header));
    Walk *walk;
    void *so = load("dcgen_dispatch", &walk);
    for (int i = 0; i < 20000; i++) {
        int64_t x[POINTS_MAX_AXIS] = { 0 };
        draw_extents(y.spec, x);
        x[y.spec->op->nextent] = 1;
        for (int k = 0; k < d->nentry; k++) {
            const int kernel = dispatch_kernel(d, k, x);
            assert_int_equal(walk(k, x), kernel);
            assert_true(dispatch_serves(d, kernel, x));
            n[kernel == d->entry[k].general ? 0 : d->condition[kernel] ? 1 : 2]++;
        }
    }
    assert_true(n[0] > 1000 && n[1] > 1000 && n[2] > 1000);
    dlclose(so);
    arena_free(y.arena);
}

/* ---- trees of several dims ---- */

enum { NTREE = 40, NPOINT = 400, NCLASS = 5, NPROBE = 5000, MAX_FEATURE = 4 };

/* Small numbers, any of 64 bits, or close to an end of them. */
static int64_t draw_value(void)
{
    switch (draw() % 4) {
    case 0:
        return (int64_t)draw();
    case 1:
        return INT64_MIN + (int64_t)(draw() % 4);
    case 2:
        return INT64_MAX - (int64_t)(draw() % 4);
    default:
        return (int64_t)(draw() % 50) - 10;
    }
}

static TreeNode *random_tree(int nfeature)
{
    int64_t x[NPOINT * MAX_FEATURE];
    double cost[NPOINT * NCLASS];
    for (int i = 0; i < NPOINT * nfeature; i++)
        x[i] = draw_value();
    for (int i = 0; i < NPOINT * NCLASS; i++)
        cost[i] = 1 + (double)(draw() % 1000) / 1000;
    return tree_train(arena, x, cost, NPOINT, nfeature, NCLASS, (TreeOptions){ .worth = 5e-4 });
}

/* As the tree of a spec without instances, of which its leaves would tell. */
static void print_tree(FILE *f, int i, TreeNode *t)
{
    Spec bare = *spec;
    bare.ninstance = 0;
    const Study study = { .spec = &bare };
    const Assignment as = { .nfeature = MAX_FEATURE, .tree = t };
    fprintf(f,
            "static inline int tree_%d(int64_t M, int64_t N, int64_t K, int64_t threads)\n{\n"
            "    (void)M, (void)N, (void)K, (void)threads;\n%s}\n",
            i, dispatch_tree(arena, &study, &as, 3));
}

/* All trees in one shared object. */
static void *compile(TreeNode *const *tree, Walk **walk)
{
    FILE *f = fopen(in_root("t.c"), "w");
    assert_non_null(f);
    fputs("#include <stdint.h>\n", f);
    for (int i = 0; i < NTREE; i++)
        print_tree(f, i, tree[i]);
    fputs("int walk(int tree, const int64_t *x);\nint walk(int tree, const int64_t *x)\n{\n    switch (tree) {\n", f);
    for (int i = 0; i < NTREE; i++)
        fprintf(f, "    case %d: return tree_%d(x[0], x[1], x[2], x[3]);\n", i, i);
    fputs("    }\n    return -1;\n}\n", f);
    assert_int_equal(fclose(f), 0);
    return load("walk", walk);
}

static void check_tree(Walk *walk, int i, const TreeNode *t, int nfeature)
{
    int64_t cut[MAX_FEATURE][NPOINT], x[POINTS_MAX_AXIS] = { 0 };
    PointAxis axis[MAX_FEATURE];
    for (int f = 0; f < nfeature; f++)
        axis[f] = (PointAxis){ INT64_MIN, INT64_MAX, cut[f], dispatch_cuts(t, f, cut[f]) };
    Points *p = points_cuts(arena, axis, nfeature, 20000);
    while (points_next(p, x))
        assert_int_equal(walk(i, x), 3 + tree_choose(t, x));
    for (int n = 0; n < NPROBE; n++) {
        for (int f = 0; f < nfeature; f++)
            x[f] = draw_value();
        assert_int_equal(walk(i, x), 3 + tree_choose(t, x));
    }
}

TEST(printed_trees_are_the_trees)
{
    TreeNode *tree[NTREE];
    Walk *walk = NULL;
    int most = 0, edges = 0;
    for (int i = 0; i < NTREE; i++) {
        tree[i] = random_tree(1 + i % MAX_FEATURE);
        most = tree_nleaf(tree[i]) > most ? tree_nleaf(tree[i]) : most;
        int64_t cut[NPOINT]; /* a tree has no more leaves than points */
        for (int n = dispatch_cuts(tree[i], 0, cut); n-- > 0;)
            edges += cut[n] <= INT64_MIN + 3 || cut[n] >= INT64_MAX - 3;
    }
    assert_true(most > 40);
    assert_true(edges > 10);
    tree[0] = &(TreeNode){ .feature = 0, .threshold = INT64_MIN, .left = &leaves[1], .right = &leaves[2] };
    void *so = compile(tree, &walk);
    for (int i = 0; i < NTREE; i++)
        check_tree(walk, i, tree[i], 1 + i % MAX_FEATURE);
    dlclose(so);
}

TEST_FILE(make, place_teardown)
