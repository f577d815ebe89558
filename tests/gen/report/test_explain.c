/* SPDX-License-Identifier: Apache-2.0
 *
 * explain: the kernel that the dispatcher takes for declared shapes, between and outside; times as measured; faults of
 * the command line.
 */
#include "tests/test.h"
#include <jansson.h>
#include "gen/report/explain.h"
#include "tests/gen/printed.h"
#include "tests/gen/synthetic.h"

static const char two_dims[] =
    "name = \"two\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n"
    "dims = { M = { min = 1; max = 64; }; S = { min = 1; max = 4; }; };\n"
    "shapes = ( { M = \"M\"; N = \"256*S\"; K = 512; }, { M = \"M\"; N = 256; K = \"S*512\"; } );\n"
    "layout = { W = \"NK\"; packed = true; };\n"
    "budget = { kernels = 6; code_kib = 512; trials = 8; seconds = 10; }; threads = [1, 2];\n";

enum { FIRST = 3 }; /* the package's number of the first kernel */

static Synthetic bert, two;

static int make(void **state)
{
    return synthetic_make(&bert, synthetic_spec, 80) && synthetic_make(&two, two_dims, 40) ? 0 : -1;
}

static int drop(void **state)
{
    arena_free(bert.arena);
    arena_free(two.arena);
    return 0;
}

typedef struct {
    int code;
    const char *out, *err;
} Said;

/* words: "T=37 threads=2" */
static Said say(const Synthetic *y, const char *words, bool json)
{
    ExplainBinding binding[16];
    int n = 0;
    char *text = arena_strdup(y->arena, words), *save = NULL;
    for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        char *value = strchr(w, '=');
        *value++ = '\0';
        binding[n++] = (ExplainBinding){ w, strtoll(value, NULL, 10) };
    }
    Said s;
    Printed err;
    Result r = synthetic_result(y);
    r.first = FIRST;
    printed_open(&err);
    s.out = PRINTED(y->arena, out, s.code = explain(y->arena, &r, binding, n, json, out, err.to));
    s.err = printed_text(&err, y->arena);
    return s;
}

/* What is said of it has each of these parts. */
#define EXPECT(y, words, ...) assert_has_all(told(y, words), __VA_ARGS__)

static const char *told(const Synthetic *y, const char *words)
{
    const Said s = say(y, words, false);
    assert_int_equal(s.code, 0);
    assert_string_equal(s.err, "");
    return s.out;
}

static void expect_fault(const Synthetic *y, const char *words, const char *line)
{
    const Said s = say(y, words, false);
    assert_string_equal(s.err, arena_printf(y->arena, "dcgen: %s\n", line));
    assert_int_equal(s.code, 2);
    assert_string_equal(s.out, "");
}

static json_t *answers[256]; /* of a test */
static int nanswer;

static int forget(void **state)
{
    while (nanswer > 0)
        json_decref(answers[--nanswer]);
    return 0;
}

static json_t *ask(const Synthetic *y, const char *words)
{
    json_error_t e;
    const Said s = say(y, words, true);
    assert_int_equal(s.code, 0);
    json_t *v = json_loads(s.out, 0, &e);
    assert_non_null(v);
    return answers[nanswer++] = v;
}

/* "path.NAME.NAME" within a value; NULL: it is not there. */
static json_t *at(json_t *v, const char *path)
{
    for (size_t n; *path; path += n + (path[n] == '.')) {
        char name[32];
        n = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        v = json_object_get(v, name);
    }
    return v;
}

static json_t *shape_of(json_t *answer, size_t i) { return json_array_get(json_object_get(answer, "shapes"), i); }
static int64_t integer(json_t *o, const char *path) { return json_integer_value(at(o, path)); }
static double number(json_t *o, const char *path) { return json_number_value(at(o, path)); }
static const char *string(json_t *o, const char *path) { return json_string_value(at(o, path)); }

static json_t *ask_first(const Synthetic *y, const char *words) { return shape_of(ask(y, words), 0); }

static json_t *ask_of(const Synthetic *y, const int64_t *extent, int threads)
{
    return ask_first(y, arena_printf(y->arena, "M=%d N=%d K=%d threads=%d", (int)extent[0], (int)extent[1],
                                     (int)extent[2], threads));
}

static void assert_near(double got, double wanted, double part)
{
    if (!(fabs(got - wanted) <= part * fabs(wanted)))
        fail_msg("%.12g is not %.12g", got, wanted);
}

/* Every declared shape, as extents: the kernel is the assignment's, the steps hold and lead there. */
TEST(takes_the_kernel_of_the_dispatcher)
{
    for (int64_t i = 0; i < two.spec->ninstance; i += 7) {
        const Instance *inst = &two.spec->instance[i];
        json_t *shape = ask_of(&two, inst->extent, inst->threads), *path = at(shape, "path");
        const TreeNode *t = two.assignment->tree;
        assert_int_equal(integer(shape, "kernel.index"), FIRST + two.assignment->chosen[i]);
        assert_string_equal(string(shape, "place"), inst->tuned ? "tuned" : "declared");
        for (size_t k = 0; k < json_array_size(path); k++) {
            json_t *step = json_array_get(path, k);
            const char *name = string(step, "name");
            int64_t value = strcmp(name, "threads") == 0 ? spec_parts(two.spec, inst->extent, inst->threads)
                                                         : inst->extent[op_axis(two.spec->op, name)];
            assert_int_equal(integer(step, "value"), value);
            assert_int_equal(integer(step, "at_most"), t->threshold);
            assert_int_equal(json_is_true(json_object_get(step, "holds")), value <= t->threshold);
            t = value <= t->threshold ? t->left : t->right;
        }
        assert_int_equal(t->feature, -1);
        forget(NULL);
    }
}

TEST(gives_the_times_of_a_tuned_shape)
{
    for (int64_t j = 0; j < bert.study->nshape; j++) {
        const Instance *inst = bert.study->shape[j];
        const Assignment *as = bert.assignment;
        int64_t i = inst - bert.spec->instance, k = as->chosen[i], second = -1;
        double ns = bert.study->trial[as->kernel[k]].ns[j], best = study_best(bert.study, j, NULL), next = INFINITY;
        for (int other = 0; other < as->nkernel; other++)
            if (other != k && bert.study->trial[as->kernel[other]].ns[j] < next) {
                next = bert.study->trial[as->kernel[other]].ns[j];
                second = other;
            }
        json_t *shape = ask_of(&bert, inst->extent, 1);
        double flops = 2.0 * (double)inst->extent[0] * (double)inst->extent[1] * (double)inst->extent[2];
        assert_true(json_is_true(at(shape, "measured")));
        assert_near(number(shape, "time_ns") / ns, 1, 1e-8);
        assert_near(number(shape, "gflops") * ns / flops, 1, 1e-8);
        assert_near(number(shape, "best_known.time_ns") / best, 1, 1e-8);
        assert_near(number(shape, "runner_up.margin"), next / ns - 1, 1e-8);
        assert_int_equal(integer(shape, "runner_up.index"), FIRST + second);
        assert_true(json_is_null(at(shape, "nearest_measured")));
    }
}

/* One row beside a tuned shape that the kernel was measured on: no other is as near. */
TEST(compares_with_the_nearest_measured_shape)
{
    int compared = 0;
    for (int64_t j = 0; j < bert.study->nshape; j++) {
        const int64_t *was = bert.study->shape[j]->extent, beside[] = { was[0] + 1, was[1], was[2] };
        json_t *shape = ask_of(&bert, beside, 1);
        double *time = &bert.study->trial[bert.assignment->kernel[integer(shape, "kernel.index") - FIRST]].ns[j];
        const double ns = *time;
        if (was[0] < 12 || ns == 0)
            continue;
        for (int again = 0; again < 2; again++) { /* where it was not measured, it is another one */
            json_t *of = at(shape, "nearest_measured.extents");
            const int64_t near[] = { integer(of, "M"), integer(of, "N"), integer(of, "K") };
            assert_int_equal(memcmp(near, was, sizeof near) != 0, again);
            assert_true(again ? number(shape, "nearest_measured.time_ns") > 0
                              : fabs(number(shape, "nearest_measured.time_ns") / ns - 1) < 1e-8);
            *time = 0;
            shape = ask_of(&bert, beside, 1);
        }
        *time = ns;
        compared++;
    }
    assert_true(compared > 3);
}

/* A call with as many threads is nearer than one whose extents are: twice the threads count like four times an
 * extent. */
TEST(the_nearest_shape_has_as_many_threads)
{
    for (int threads = 1; threads <= 2; threads++)
        assert_int_equal(integer(ask_of(&two, (const int64_t[]){ 40, 700, 700 }, threads), "nearest_measured.threads"),
                         threads);
    assert_int_equal(integer(ask_first(&two, "M=40 N=700 K=700"), "threads"), 1); /* the spec's smallest count */
}

/* f_pad = useful / (rows x whole panels x K), worked out here: N = 768 is 48 whole panels, 770 would be 49. */
TEST(gives_the_useful_part_of_the_work)
{
    json_t *shape = ask_first(&bert, "M=100 N=770 K=768");
    assert_near(number(shape, "f_pad"), 770.0 / (49 * 16), 1e-8);
    assert_near(number(shape, "f_occ"), 1, 1e-8);
    assert_string_equal(string(shape, "place"), "between");
    assert_true(json_is_false(at(shape, "measured")));
    assert_true(number(shape, "time_ns") > 0);
    assert_true(number(shape, "nearest_measured.time_ns") > 0);
}

/* Two threads share out the 16 panels of N = 256, in groups of NP; or the five rows, of which one has three. */
TEST(gives_the_busy_part_of_the_threads)
{
    json_t *shape = ask_first(&two, "M=5 N=256 K=512 threads=2");
    const int64_t np = integer(shape, "kernel.params.NP"), most = (8 + np - 1) / np * np;
    assert_near(number(shape, "f_occ"),
                integer(shape, "kernel.params.SPLIT") ? 5.0 / 6 : 16.0 / (double)(2 * (most < 16 ? most : 16)), 1e-8);
}

TEST(explains_every_declared_shape_at_a_point)
{
    json_t *answer = ask(&bert, "T=37");
    assert_int_equal(json_array_size(at(answer, "shapes")), 4);
    assert_int_equal(integer(answer, "dims.T"), 37);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(integer(shape_of(answer, i), "extents.M"), i == 2 ? 37 : 592);
        assert_string_equal(string(shape_of(answer, i), "place"), "declared");
    }
    answer = ask(&two, "M=5 S=1 threads=2"); /* both declarations are the same shape there */
    assert_int_equal(json_array_size(at(answer, "shapes")), 1);
    assert_int_equal(integer(shape_of(answer, 0), "threads"), 2);
    /* the end of the range; then beyond it, but within the extents of others */
    const struct {
        const Synthetic *y;
        const char *words;
        size_t shape;
        const char *place;
    } row[] = { { &bert, "T=128", 2, "tuned" },
                { &bert, "T=127", 2, "declared" },
                { &bert, "T=129", 0, "outside" },
                { &bert, "T=129", 2, "between" },
                { &two, "M=5 N=256 K=512 threads=2", 0, "declared" },
                { &two, "M=5 N=256 K=512 threads=3", 0, "between" } }; /* not with as many */
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_string_equal(string(shape_of(ask(row[i].y, row[i].words), row[i].shape), "place"), row[i].place);
}

/* Where the instances are a sample, a point within the ranges is declared all the same; extents are not. */
TEST(knows_declared_shapes_beside_a_sample)
{
    Instance kept[4];
    int n = 0;
    for (int64_t i = 0; i < bert.spec->ninstance; i++)
        if (bert.spec->instance[i].dim[0] == 37 && n < 4) {
            kept[n++] = bert.spec->instance[i];
            memcpy(bert.spec->instance[i].extent, bert.spec->instance[0].extent, sizeof kept[0].extent);
        }
    json_t *by_dims = ask(&bert, "T=37"), *by_extents = ask(&bert, "M=592 N=768 K=768");
    for (int64_t i = 0, k = 0; i < bert.spec->ninstance; i++)
        if (bert.spec->instance[i].dim[0] == 37 && k < n)
            bert.spec->instance[i] = kept[k++];
    assert_int_equal(n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(string(shape_of(by_dims, i), "place"), "declared");
    assert_string_equal(string(shape_of(by_extents, 0), "place"), "between");
}

TEST(sends_what_is_outside_to_the_general_kernel)
{
    const int general = bert.assignment->general;
    assert_true(bert.assignment->nkernel > 1);
    for (int k = 0; k < bert.assignment->nkernel; k++) {
        bert.assignment->general = k;
        json_t *shape = ask_first(&bert, "M=592 N=100 K=768");
        assert_string_equal(string(shape, "place"), "outside");
        assert_int_equal(integer(shape, "kernel.index"), FIRST + k);
        assert_int_equal(json_array_size(at(shape, "path")), 0);
    }
    bert.assignment->general = general;
    EXPECT(&bert, "T=256", "outside the declared ranges", "M = 4096 is not within 1 to 2048: the general kernel",
           "T = 256 is outside its range, 1 to 128", "predicted");
}

/* 200 GFLOP/s; 1 TB/s from L1 and L2, 60 GB/s from L3, which is more than the made-up times need. */
static void make_limits(void)
{
    LimitRecord l = { .device = bert.device.id,
                      .target = bert.study->target->name,
                      .dtype = "f32",
                      .threads = 1,
                      .flops_per_s = 2e11,
                      .bytes_per_s = { 1e12, 1e12, 7e10, 1e10 } };
    study_rate(bert.study, &(Records){ .nlimit = 1, .limit = &l });
}

/* The bound by hand; what is reached is bound / time, and the product of its factors. */
TEST(holds_times_against_the_roofline)
{
    json_t *without = ask_first(&bert, "T=119");
    assert_true(json_is_null(at(without, "roofline")) && json_is_null(at(without, "limited_by")));
    make_limits();
    const double near = (double)(bert.device.l1_bytes + bert.device.l2_bytes); /* is not read from the L3 cache */
    json_t *shape = ask_first(&bert, "M=1904 N=2304 K=768");
    json_t *roof = at(shape, "roofline"), *why = at(shape, "limited_by");
    assert_near(number(roof, "compute_ns"), 2.0 * 1904 * 2304 * 768 / 200, 1e-8);
    assert_near(number(roof, "bytes"), 4.0 * (1904 * 768 + 2304 * 768 + 2304 + 1904 * 2304) - near, 1e-8);
    assert_string_equal(string(roof, "level"), "l3");
    assert_near(number(roof, "memory_ns"), number(roof, "bytes") / 70, 1e-8);
    assert_near(number(roof, "bound_ns"), number(roof, "compute_ns"), 1e-8);
    assert_near(number(why, "reached"), number(roof, "bound_ns") / number(shape, "time_ns"), 1e-7);
    assert_near(number(why, "padding") * number(why, "balance") * number(why, "kernel"), number(why, "reached"), 1e-7);
    roof = at(ask_first(&bert, "M=1 N=3072 K=768"), "roofline"); /* W alone takes 135 us, arithmetic 24 */
    assert_near(number(roof, "bound_ns"), (4.0 * (768 + 3072 * 768 + 3072 + 3072) - near) / 70, 1e-8);
    shape = ask_first(&bert, "M=37 N=769 K=768"); /* one column more than kernels are made for */
    roof = at(shape, "roofline");
    why = at(shape, "limited_by");
    assert_true(number(shape, "f_pad") < 0.999);
    assert_near(number(why, "padding"),
                number(roof, "bound_ns") /
                    fmin(number(shape, "time_ns"), number(roof, "compute_ns") / number(shape, "f_pad")),
                1e-7);
    ask(&bert, "M=0 N=768 K=768");
    bert.study->roofline = NULL;
}

/* What the model alone says: not the measurement, and not what the kernel's own measurements make of it. */
TEST(tells_what_the_model_alone_predicts)
{
    static const int64_t extent[] = { 1904, 2304, 768 };
    json_t *shape = ask_first(&bert, "M=1904 N=2304 K=768");
    const int64_t kernel = integer(shape, "kernel.index") - FIRST;
    const Trial *t = &bert.study->trial[bert.assignment->kernel[kernel]];
    const double wanted = cost_predict(bert.model, &t->c, extent, 1), ns = number(shape, "time_ns");
    assert_near(number(shape, "predicted_ns"), wanted, 1e-8);
    assert_true(wanted != ns);
}

TEST(does_with_extremes)
{
    EXPECT(&bert, "M=0 N=768 K=768", "time       nothing is computed\n");
    EXPECT(&bert, "M=2147483647 N=2147483647 K=2147483647 threads=4096", "outside the declared ranges");
    ask(&bert, "M=0 N=0 K=0");
    ask(&bert, "M=2147483647 N=2147483647 K=2147483647");
}

/* An operator that only moves data: it has times, and no speed in operations. */
TEST(tells_times_of_what_computes_nothing)
{
    const Op *before = bert.spec->op;
    Template was[16];
    Op op = *before;
    Expr *none = op.flops = expr_parse(bert.arena, "0", (Loc){ 0 }, diag_new(bert.arena));
    assert_in_range(bert.templates.n, 1, LENGTH(was));
    bert.spec->op = &op;
    for (int i = 0; i < bert.templates.n; i++) {
        Template *t = (Template *)bert.templates.t[i];
        was[i] = *t;
        t->padded_flops = t->serial_flops = none;
    }
    EXPECT(&bert, "M=1904 N=2304 K=768", ", measured\n");
    EXPECT(&bert, "M=1888 N=2304 K=768", ", predicted\n");
    json_t *shape = ask_first(&bert, "M=1904 N=2304 K=768");
    assert_true(number(shape, "time_ns") > 0 && json_is_null(at(shape, "gflops")));
    assert_true(json_is_null(at(shape, "f_pad")) && json_is_null(at(shape, "f_occ")));
    for (int i = 0; i < bert.templates.n; i++)
        *(Template *)bert.templates.t[i] = was[i];
    bert.spec->op = before;
}

/* The tree asks for an extent that follows from the others, and an attribute has its default. */
TEST(takes_what_follows_into_account)
{
    const Op *before = bert.spec->op;
    const Box box = bert.spec->box;
    TreeNode *tree = bert.assignment->tree;
    TreeNode leaf = { .feature = -1 }, node = { .feature = 4, .threshold = 100, .left = &leaf, .right = &leaf };
    Op op = *before;
    op.extent[3] =
        (Extent){ .name = "STEP", .kind = EXTENT_ATTRIBUTE, .least = -4, .most = 8, .has_usual = true, .usual = 2 };
    op.ngiven = 4;
    op.extent[4] = (Extent){ .name = "P",
                             .kind = EXTENT_DERIVED,
                             .most = OP_MAX_NUMBER,
                             .expr = expr_parse(bert.arena, "M / STEP", (Loc){ 0 }, diag_new(bert.arena)) };
    op.nextent = 5;
    expr_bind(op.extent[4].expr, NAMES(op.extent, 4));
    bert.spec->op = &op;
    bert.assignment->tree = &node;
    bert.spec->box.min[3] = 2;
    bert.spec->box.max[3] = 8;
    bert.spec->box.min[4] = 0;
    bert.spec->box.max[4] = 1000;
    EXPECT(&bert, "M=400 N=768 K=768", "P <= 100? no: P = 200");
    EXPECT(&bert, "M=400 N=768 K=768 STEP=8", "P <= 100? yes: P = 50");
    expect_fault(&bert, "M=400 N=768 K=768 STEP=9", "STEP=9 is not legal; expected -4 to 8");
    expect_fault(&bert, "M=400 N=768 K=768 STEP=-1", "there is no such call: an extent that follows is not legal");
    expect_fault(&bert, "P=400", "unknown name 'P'; expected T=..., or M=... N=... K=... STEP=..., and threads=...");
    bert.spec->op = before;
    bert.spec->box = box;
    bert.assignment->tree = tree;
}

/* Two attributes have one name together; the own name of one comes first. */
TEST(takes_attributes_together)
{
    const Op *before = bert.spec->op;
    Op op = *before;
    for (int i = 3; i < 5; i++)
        op.extent[i] = (Extent){ .name = i == 3 ? "STEP_H" : "STEP_W",
                                 .kind = EXTENT_ATTRIBUTE,
                                 .least = 1,
                                 .most = 8,
                                 .has_usual = true,
                                 .usual = 1,
                                 .brief = "STEP" };
    op.ngiven = op.nextent = 5;
    bert.spec->op = &op;
    EXPECT(&bert, "M=1904 N=2304 K=768", "K = 768, 1 thread");
    EXPECT(&bert, "M=1904 N=2304 K=768 STEP=2", "K = 768, STEP = 2, 1 thread");
    EXPECT(&bert, "M=1904 N=2304 K=768 STEP_W=3 STEP=2", "K = 768, STEP_H = 2, STEP_W = 3, 1 thread");
    EXPECT(&bert, "M=1904 N=2304 K=768 STEP_W=3", "K = 768, STEP_W = 3, 1 thread");
    expect_fault(&bert, "M=1904 N=2304 K=768 STEP=9", "STEP_H=9 is not legal; expected 1 to 8");
    expect_fault(&bert, "M=1 STEPS=2", "unknown name 'STEPS'; did you mean 'STEP'?");
    expect_fault(&bert, "M=1 N=2 STEP=1", "K is missing; expected T=..., or M=... N=... K=... STEP=...");
    bert.spec->op = before;
}

/* Shapes of a log follow from no dims. */
TEST(shapes_of_a_log_are_told_by_extents)
{
    const ShapeLog log = { .n = 1 };
    Spec *s = bert.spec;
    const unsigned dims = s->dims;
    s->log = &log;
    s->dims = 0;
    expect_fault(&bert, "", "no shape is given; expected M=... N=... K=...");
    expect_fault(&bert, "T=1", "M is missing; expected M=... N=... K=...");
    EXPECT(&bert, "M=592 N=768 K=768", "M = 592, N = 768, K = 768, 1 thread");
    s->log = NULL;
    s->dims = dims;
}

TEST(says_what_is_wrong)
{
    expect_fault(&bert, "", "no shape is given; expected T=..., or M=... N=... K=...");
    expect_fault(&bert, "threads=1", "no shape is given; expected T=..., or M=... N=... K=...");
    expect_fault(&bert, "thread=1", "unknown name 'thread'; did you mean 'threads'?");
    expect_fault(&bert, "sequence=1", "unknown name 'sequence'; expected T=..., or M=... N=... K=..., and threads=...");
    expect_fault(&bert, "M=1 N=2", "K is missing; expected T=..., or M=... N=... K=...");
    expect_fault(&bert, "T=1 N=2",
                 "'T' is a dimension of the spec and 'N' an extent; expected T=..., or M=... N=... K=...");
    expect_fault(&bert, "M=-1 N=2 K=3", "M=-1 is not legal; expected 0 to 2147483647");
    expect_fault(&bert, "M=1 N=2147483648 K=3", "N=2147483648 is not legal; expected 0 to 2147483647");
    expect_fault(&bert, "T=-1", "M=-16 is not legal; expected 0 to 2147483647");
    expect_fault(&bert, "T=9223372036854775807", "M = 16*T overflows 64 bits there");
    expect_fault(&bert, "M=1 n=2 K=3", "unknown name 'n'; did you mean 'N'?");
    expect_fault(&bert, "T=1 threads=4097", "threads=4097 is out of range; expected 1 to 4096");
    expect_fault(&bert, "T=1 threads=0", "threads=0 is out of range; expected 1 to 4096");
    expect_fault(&two, "M=1", "S is missing; expected M=... S=..., or M=... N=... K=...");
    expect_fault(&two, "M=1 S=1 K=2",
                 "'S' is a dimension of the spec and 'K' an extent; expected M=... S=..., or M=... N=... K=...");
}

TEST_EACH(NULL, forget)
TEST_FILE(make, drop)
