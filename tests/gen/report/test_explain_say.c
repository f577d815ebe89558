/* SPDX-License-Identifier: Apache-2.0
 *
 * explain_say: every line that people are told of a kernel, and the same as JSON, of answers whose figures are set by
 * hand.
 */
#include "tests/test.h"
#include "gen/report/explain_private.h"
#include "tests/gen/report/hand_result.h"
#include "tests/gen/json_like.h"
#include "tests/gen/printed.h"

static const char *told(const Explanation *x, bool json)
{
    return PRINTED(hand.y.arena, to, (json ? explain_json : explain_text)(x, to));
}

/* Lines of a kernel's parameters: as many as its template has. */
static const char *parameters_of(const Trial *t)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    const char *text = "";
    candidate_values(&t->c, value);
    for (int i = 0; i < t->c.t->nparam; i++)
        text = arena_printf(hand.y.arena, "%s               %-6s = %-5d %s\n", text, t->c.t->param[i].name,
                            (int)value[i], t->c.t->param[i].doc);
    return text;
}

/* M = 3, tuned: 1536 operations in 2 us. */
static Answer tuned_answer(void)
{
    static Step step[] = { { "M", 3, 2, false }, { "M", 3, 5, true } };
    return (Answer){ .inst = hand.y.spec->instance[2],
                     .place = PLACE_TUNED,
                     .nstep = 2,
                     .step = step,
                     .trial = &hand.y.study->trial[1],
                     .choice = { 0, 2000, true, 2000, 1, true, 1, 3000, true },
                     .has_factors = true,
                     .pad = 0.75,
                     .occ = 0.5,
                     .model_ns = 2500,
                     .has_bound = true,
                     .has_shares = true,
                     .bound = { 1536, 4096, 800, 1000, 1000, 1.92e9, 4.096e9, LEVEL_L2 },
                     .shares = { 0.5, 1, 0.8, 0.625, "memory" },
                     .near = -1 };
}

/* M = 4 of two threads: the same kernel again, measured on M = 3 alone, and another one is faster; the bound says that
 * it cannot be. */
static Answer predicted_answer(void)
{
    Answer w = tuned_answer();
    w.inst = hand.y.spec->instance[3];
    w.inst.threads = 2;
    w.place = PLACE_DECLARED;
    w.nstep = 1;
    w.choice = (Choice){ 0, 4000, false, 3200, 0, false, 1, 3200, false };
    w.has_factors = false;
    w.model_ns = 3000;
    w.has_shares = false;
    w.bound = (Bound){ .flops = 2048, .compute_ns = 5000, .ns = 5000, .flops_per_s = 2e9 };
    w.near = 1;
    return w;
}

/* M = 9: outside, of kernel 1; the fastest known is none of the package's. */
static Answer outside_answer(void)
{
    Answer w = tuned_answer();
    w.inst.extent[0] = 9;
    w.place = PLACE_OUTSIDE;
    w.nstep = 0;
    w.trial = &hand.y.study->trial[0];
    w.choice = (Choice){ 1, 8000, true, 6400, 2, true, 0, 7000, true };
    w.has_factors = w.has_bound = w.has_shares = false;
    w.model_ns = 6000;
    return w;
}

/* Of a shape with so many rows nothing is known. */
static Answer unknown_answer(int64_t m)
{
    Answer w = outside_answer();
    w.choice = (Choice){ 0, INFINITY, false, INFINITY, 1, false, -1, INFINITY, false };
    w.trial = &hand.y.study->trial[1];
    w.inst.extent[0] = m;
    w.model_ns = INFINITY;
    return w;
}

static Explanation explanation_of(const Roofline *f, Answer *answer, int n)
{
    roofline = *f;
    return (Explanation){ .arena = hand.y.arena,
                          .study = hand.y.study,
                          .model = hand.y.model,
                          .assignment = &hand.as,
                          .first = FIRST,
                          .by_dims = true,
                          .dim = { 3 },
                          .nanswer = n,
                          .answer = answer };
}

static const char *told_of(Answer *w)
{
    const Explanation x = explanation_of(&(Roofline){ 0 }, w, 1);
    return told(&x, false);
}

static const char head[] = "2 kernels for avx512, times of Synthetic CPU 9000\n";

TEST(people_are_told_each_figure)
{
    Answer answer[] = { tuned_answer(), predicted_answer() };
    const Explanation x = explanation_of(&(Roofline){ 0 }, answer, 2);
    const char *name = answer[0].trial->c.t->name;
    const char *text = told(&x, false);
    assert_string_equal(
        text,
        arena_printf(
            hand.y.arena,
            "hand at T = 3: %s"
            "\nM = 3, N = 16, K = 16, 1 thread: a tuned shape\n"
            "  path       M <= 2? no: M = 3\n"
            "             M <= 5? yes: M = 3\n"
            "  kernel     10: %s for avx512, 2.02 KiB of code\n%s  time       2.00 us, 0.768 GFLOP/s, measured\n"
            "  predicted  2.50 us by the model alone: 25.0 %% more than measured\n"
            "  runner-up  kernel 11, 3.00 us: 50.0 %% more\n"
            "  best known this kernel\n"
            "  work       75.0 %% of the work done is useful (f_pad); the threads are busy 50.0 %% of the time "
            "(f_occ)\n"
            "  roofline   1.00 us at least: arithmetic 800 ns at 1.92 GFLOP/s, 4.00 KiB from the L2 cache 1.00 us at "
            "4.10 GB/s\n"
            "  limited by the bandwidth of the L2 cache\n"
            "             50.0 %% of the roofline is reached = padding 1.00 x balance 0.800 x kernel 0.625\n"
            "\nM = 4, N = 16, K = 16, 2 threads: a declared shape, not measured\n"
            "  path       M <= 2? no: M = 3\n"
            "  kernel     10: %s for avx512, 2.02 KiB of code\n"
            "  time       4.00 us, 0.512 GFLOP/s, predicted\n"
            "  measured   2.00 us, 0.768 GFLOP/s at M = 3, N = 16, K = 16, 1 thread\n"
            "  predicted  3.00 us by the model alone: 25.0 %% less than with the kernel's measurements on other "
            "shapes\n"
            "  runner-up  kernel 11, 3.20 us predicted: 20.0 %% less, given up for a simpler tree\n"
            "  best known kernel 11, 3.20 us predicted: this one takes 25.0 %% more\n"
            "  roofline   5.00 us at least: arithmetic 5.00 us at 2.00 GFLOP/s\n"
            "  limited by not known: the time that is predicted is 20.0 %% below the roofline\n",
            head, name, parameters_of(answer[0].trial), name));
}

/* Where data decide how much work there is, the bound is that of the full shape, and no time is held against it. */
TEST(work_by_data_has_no_shares)
{
    Answer w = tuned_answer();
    w.bound.by_data = true;
    w.has_shares = shares_exist(&w.bound, w.choice.ns);
    assert_false(w.has_shares);
    const char *text = told_of(&w);
    assert_has(text, "  roofline   1.00 us at least for the full shape: arithmetic 800 ns");
    assert_has(text, "  limited by not known: data decide how much of the full shape's work there is\n");
    assert_lacks(text, "is reached");
}

/* A time that counts is a part of another kernel's best one, and may be less than was seen. */
TEST(a_time_below_the_roofline_has_no_shares)
{
    Answer w = tuned_answer();
    w.has_shares = false;
    w.bound.ns = 2500;
    const Explanation x = explanation_of(&(Roofline){ 0 }, &w, 1);
    const char *text = told(&x, false);
    assert_has(text,
               "  limited by not known: times are as at the machine's best moment, and this one is 20.0 % below the "
               "roofline\n");
}

TEST(people_are_told_what_is_outside_and_what_is_nothing)
{
    Answer answer[] = { outside_answer(), unknown_answer(0), unknown_answer(9) };
    Explanation x = explanation_of(&(Roofline){ 0 }, answer, 2);
    const Trial *t = hand.y.study->trial;
    x.dim[0] = 9;
    const char *text = told(&x, false);
    assert_string_equal(
        text,
        arena_printf(
            hand.y.arena,
            "hand at T = 9: %sT = 9 is outside its range, 1 to 8\n"
            "\nM = 9, N = 16, K = 16, 1 thread: outside the declared ranges\n"
            "  path       M = 9 is not within 1 to 8: the general kernel\n"
            "  kernel     11: %s for avx512, 1000 bytes of code\n%s  time       8.00 us, 0.576 GFLOP/s, measured\n"
            "  predicted  6.00 us by the model alone: 25.0 %% less than measured\n"
            "  runner-up  kernel 10, 7.00 us: 12.5 %% less, but one kernel serves all that is outside\n"
            "  best known 6.40 us, not in the package: this one takes 25.0 %% more\n"
            "               %s %s\n"
            "\nM = 0, N = 16, K = 16, 1 thread: outside the declared ranges\n"
            "  path       M = 0 is not within 1 to 8: the general kernel\n"
            "  kernel     10: %s for avx512, 2.02 KiB of code\n%s  time       nothing is computed\n",
            head, t[0].c.t->name, parameters_of(&t[0]), t[2].c.t->name, candidate_settings(hand.y.arena, &t[2].c),
            t[1].c.t->name, parameters_of(&t[1])));
    x.answer = &answer[2];
    x.nanswer = 1;
    x.by_dims = false;
    text = told(&x, false);
    assert_has(text, arena_printf(hand.y.arena, "hand: %s\nM = 9", head));
    assert_has(text, "  time       not known: the shape is too large for the model\n");
}

/* One kernel without a test; what limits it, in words; limits of a data sheet. */
TEST(people_are_told_what_limits_a_kernel)
{
    static const struct {
        const char *limited_by, *text;
    } row[] = { { "arithmetic", "limited by arithmetic: the peak of the floating-point units\n" },
                { "memory", "limited by the bandwidth of the L2 cache\n" },
                { "padding", "limited by padding: work on rows and columns that the shape does not have\n" },
                { "balance", "limited by balance: threads that wait for the busiest one\n" },
                { "kernel", "limited by the kernel itself: instructions beside the arithmetic, latencies, caches\n" } };
    const Roofline f = { .modelled = true };
    Answer w = tuned_answer();
    const Explanation x = explanation_of(&f, &w, 1);
    w.nstep = 0;
    w.choice.runner = -1;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        w.shares.limited_by = row[i].limited_by;
        const char *text = told(&x, false);
        assert_has_all(text, row[i].text, "at 4.10 GB/s (of the data sheet)\n",
                       "  path       no test: one kernel serves all shapes in range\n",
                       "  runner-up  none: the package has one kernel\n");
    }
}

/* A shape that is held out was measured, but not for the choice. */
TEST(a_shape_held_out_is_told_apart)
{
    Answer w = tuned_answer();
    w.place = PLACE_HELD_OUT;
    w.choice.runner_ns = w.choice.best_ns = 1900;
    const char *text = told_of(&w);
    assert_has(text, ": a declared shape, held out: its times had no part in the choice\n");
    assert_has(text, "  runner-up  kernel 11, 1.90 us: 5.0 % less, which the choice did not know\n");
}

/* Bytes count where the operator is a formula alone: 4 * (48 + 256 + 48) on M = 3. */
TEST(of_a_formula_alone_bytes_are_told)
{
    Study study = *hand.y.study;
    Spec spec = *study.spec;
    Op op = *spec.op;
    op.reference = NULL;
    spec.op = &op;
    spec.formula = &(Formula){ .text = "softmax[n](x[m,n])" };
    study.spec = &spec;
    Answer w = tuned_answer();
    w.bound.flops = w.bound.compute_ns = w.bound.flops_per_s = 0;
    w.shares.limited_by = "kernel";
    Explanation x = explanation_of(&(Roofline){ 0 }, &w, 1);
    x.study = &study;
    const char *text = told(&x, false);
    assert_has(text, "Synthetic CPU 9000\nformula: softmax[n](x[m,n])\n\nM = 3");
    assert_has(text, "  time       2.00 us, 0.704 GB/s, measured\n");
    assert_has(text, "  roofline   1.00 us at least: 4.00 KiB from the L2 cache at 4.10 GB/s\n"
                     "  limited by the kernel itself: arithmetic, latencies, instructions beside the loads\n"
                     "             50.0 % of the roofline is reached\n");
    json_t *got = json_loads(text = told(&x, true), 0, NULL);
    json_t *shape = json_array_get(json_object_get(got, "shapes"), 0);
    assert_string_equal(json_string_value(json_object_get(got, "formula")), "softmax[n](x[m,n])");
    assert_true(json_number_value(json_object_get(shape, "gbs")) == 0.704);
    assert_null(json_object_get(shape, "gflops"));
    assert_true(json_is_null(json_object_get(json_object_get(shape, "roofline"), "compute_ns")));
    json_decref(got);
}

/* As JSON the parameters are an object, which the test of the text has. */
TEST(programs_are_told_the_same)
{
    Answer answer[] = { tuned_answer(), predicted_answer(), outside_answer(), unknown_answer(9) };
    const Explanation x = explanation_of(&(Roofline){ 0 }, answer, 4);
    const char *text = told(&x, true);
    json_t *got = json_loads(text, 0, NULL);
    assert_non_null(got);
    json_t *shapes = json_object_get(got, "shapes"), *shape;
    size_t i;
    json_array_foreach(shapes, i, shape)
    {
        static const char *const key[] = { "kernel", "runner_up", "best_known" };
        for (size_t k = 0; k < 3; k++) {
            json_t *kernel = json_object_get(shape, key[k]);
            if (!json_is_object(kernel))
                continue;
            if (k == 0)
                assert_int_equal(json_object_size(json_object_get(kernel, "params")), answer[i].trial->c.t->nparam);
            json_object_del(kernel, "params");
            json_object_del(kernel, "template");
        }
    }
    char *rest = json_dumps(got, 0);
    json_text_like(
        rest,
        "{'name': 'hand', 'formula': null, 'device': 'Synthetic CPU 9000', 'target': 'avx512', 'dims': {'T': 3}, "
        "'shapes': ["
        "{'extents': {'M': 3, 'N': 16, 'K': 16}, 'threads': 1, 'place': 'tuned', 'path': ["
        "{'name': 'M', 'value': 3, 'at_most': 2, 'holds': false}, {'name': 'M', 'value': 3, 'at_most': 5, 'holds': "
        "true}], 'kernel': {'target': 'avx512', 'code_bytes': 2073, 'index': 10}, 'time_ns': 2000, 'measured': true, "
        "'predicted_ns': 2500, 'gflops': 0.768, 'runner_up': {'target': 'avx512', 'code_bytes': 1000, 'index': 11, "
        "'time_ns': 3000, 'measured': true, 'margin': 0.5}, 'best_known': {'target': 'avx512', 'code_bytes': 2073, "
        "'time_ns': 2000, 'measured': true, 'regret': 0}, 'nearest_measured': null, 'f_pad': 0.75, 'f_occ': 0.5, "
        "'roofline': {'bound_ns': 1000, "
        "'compute_ns': 800, 'memory_ns': 1000, 'flops_per_s': 1.92e9, 'bytes': 4096, 'bytes_per_s': 4.096e9, 'level': "
        "'l2', 'measured': true, 'by_data': false}, 'limited_by': {'what': 'memory', 'reached': 0.5, 'padding': 1, "
        "'balance': 0.8, 'kernel': 0.625}},"
        "{'extents': {'M': 4, 'N': 16, 'K': 16}, 'threads': 2, 'place': 'declared', 'path': ["
        "{'name': 'M', 'value': 3, 'at_most': 2, 'holds': false}], 'kernel': {'target': 'avx512', 'code_bytes': 2073, "
        "'index': 10}, 'time_ns': 4000, 'measured': false, 'predicted_ns': 3000, 'gflops': 0.512, 'runner_up': "
        "{'target': 'avx512', 'code_bytes': 1000, 'index': 11, 'time_ns': 3200, 'measured': false, 'margin': -0.2}, "
        "'best_known': "
        "{'target': 'avx512', 'code_bytes': 1000, 'time_ns': 3200, 'measured': false, 'regret': 0.25}, "
        "'nearest_measured': {'extents': "
        "{'M': 3, 'N': 16, 'K': 16}, 'threads': 1, 'time_ns': 2000}, 'f_pad': null, 'f_occ': null, 'roofline': "
        "{'bound_ns': 5000, 'compute_ns': 5000, 'memory_ns': null, 'flops_per_s': 2e9, 'bytes': 0, 'bytes_per_s': "
        "null, 'level': null, 'measured': true, 'by_data': false}, 'limited_by': null},"
        "{'extents': {'M': 9, 'N': 16, 'K': 16}, 'threads': 1, 'place': 'outside', 'path': [], 'kernel': {'target': "
        "'avx512', 'code_bytes': 1000, 'index': 11}, 'time_ns': 8000, 'measured': true, 'predicted_ns': 6000, "
        "'gflops': 0.576, 'runner_up': {'target': 'avx512', 'code_bytes': 2073, 'index': 10, 'time_ns': 7000, "
        "'measured': true, 'margin': -0.125}, 'best_known': {'target': 'avx512', 'code_bytes': 2048, 'time_ns': 6400, "
        "'measured': true, "
        "'regret': 0.25}, 'nearest_measured': null, 'f_pad': null, 'f_occ': null, 'roofline': null, 'limited_by': "
        "null},"
        "{'extents': {'M': 9, 'N': 16, 'K': 16}, 'threads': 1, 'place': 'outside', 'path': [], 'kernel': {'target': "
        "'avx512', 'code_bytes': 2073, 'index': 10}, 'time_ns': null, 'measured': false, 'predicted_ns': null, "
        "'gflops': null, 'runner_up': null, 'best_known': null, 'nearest_measured': null, 'f_pad': null, 'f_occ': "
        "null, 'roofline': null, 'limited_by': null} ]}");
    free(rest);
    json_decref(got);
}

TEST_FILE(setup, by_hand_teardown)
