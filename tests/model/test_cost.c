/* SPDX-License-Identifier: Apache-2.0
 *
 * cost: the model finds the law behind made-up times, knows where it knows little, and takes measurements for what they are.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "templates/package/pieces.h"
#include "model/cost_private.h"
#include "tests/gen/synthetic.h"

static const char tiny_spec[] =
    "name = \"tiny\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n"
    "dims = { M = { min = 1; max = 256; }; };\n"
    "shapes = ( { M = \"M\"; N = 64; K = 64; } );\n"
    "tune = { M = [1, 16, 256]; };\n"
    "layout = { W = \"NK\"; packed = true; };\n"
    "budget = { kernels = 2; code_kib = 64; trials = 8; seconds = 10; }; threads = [1, 2];\n";

static Synthetic y;

static int make(void **state)
{
    (void)state;
    return synthetic_make(&y, synthetic_spec, 200) ? 0 : -1;
}

static int drop(void **state)
{
    (void)state;
    arena_free(y.arena);
    return 0;
}

/* Times are the template's closed form and a talent of up to 30 % that no feature tells. */
static void the_law_is_found(void **state)
{
    (void)state;
    CostReport r = cost_report(y.arena, y.study, &y.templates);
    assert_true(r.error < 0.15);
    assert_true(r.rank > 0.6);
    assert_true(r.nmeasure > 1000);
    assert_true(r.lambda > 0 && isfinite(r.loo_rmse));
}

static void a_measured_time_is_what_was_measured(void **state)
{
    (void)state;
    for (int64_t i = 0; i < y.study->ntrial; i++) {
        const Trial *t = &y.study->trial[i];
        for (int64_t j = 0; j < y.study->nshape; j++) {
            double ns = cost_trial(y.model, i, y.study->shape[j]);
            assert_true(trial_usable(t) ? ns == t->ns[j] : isinf(ns));
        }
    }
}

/* Trials carry their residuals: between tuned shapes they are predicted better than a stranger with the same parameters would be. */
static void residuals_help_between_shapes(void **state)
{
    (void)state;
    double with = 0, without = 0;
    for (int64_t i = 0; i < y.study->ntrial; i++) {
        Trial *t = &y.study->trial[i];
        if (!trial_usable(t))
            continue;
        int64_t j = i % y.study->nshape;
        double truth = t->ns[j];
        const Instance *inst = y.study->shape[j];
        t->ns[j] = 0;
        CostModel *m = cost_fit(y.arena, y.study, &y.templates);
        with += fabs(log2(cost_trial(m, i, inst) / truth));
        without += fabs(log2(cost_predict(m, &t->c, inst->extent, inst->threads) / truth));
        t->ns[j] = truth;
        if (i > 40)
            break;
    }
    assert_true(with < 0.7 * without);
}

/* One shape's times are made noisy: the model is less sure there, and not where all is quiet. */
static void doubt_is_local(void **state)
{
    (void)state;
    int64_t noisy = 0, quiet = 0; /* by number of rows, far apart */
    for (int64_t j = 0; j < y.study->nshape; j++) {
        noisy = y.study->shape[j]->extent[0] < y.study->shape[noisy]->extent[0] ? j : noisy;
        quiet = y.study->shape[j]->extent[0] > y.study->shape[quiet]->extent[0] ? j : quiet;
    }
    double before = cost_sigma(y.model, quiet);
    double *kept = ARENA_ARRAY(y.arena, (size_t)y.study->ntrial, double);
    for (int64_t i = 0; i < y.study->ntrial; i++) {
        kept[i] = y.study->trial[i].ns[noisy];
        y.study->trial[i].ns[noisy] /= i % 2 ? 1 : 1.6;
    }
    CostModel *m = cost_fit(y.arena, y.study, &y.templates);
    assert_true(cost_sigma(m, noisy) > 1.3 * cost_sigma(m, quiet));
    assert_true(cost_sigma(m, quiet) < 1.5 * before);
    for (int64_t i = 0; i < y.study->ntrial; i++)
        y.study->trial[i].ns[noisy] = kept[i];
}

static void without_measurements_the_bound_ranks(void **state)
{
    (void)state;
    Study *s = study_new(y.arena, y.spec, &y.device, y.study->target, "0123456789abcdef");
    CostModel *m = cost_fit(y.arena, s, &y.templates);
    const Instance *inst = s->shape[0];
    for (int i = 0; i < 50; i++) {
        double ns = cost_predict(m, &y.space->candidate[i * 101 % y.space->n], inst->extent, inst->threads);
        assert_true(isfinite(ns) && ns > 0);
    }
    assert_true(cost_sigma(m, 0) >= 0.1);
}

/* A package gives little work to one thread, whatever is allowed; much work to all. */
static void little_work_has_one_thread(void **state)
{
    (void)state;
    Synthetic tiny;
    assert_true(synthetic_make(&tiny, tiny_spec, 20));
    const Candidate *c = &tiny.space->candidate[5];
    const int64_t few[] = { 1, 64, 64 }, many[] = { 256, 64, 64 };
    assert_true(NAME_worthwhile(2, 2.0 * 64 * 64, NAME_POOLED_FLOPS) == 1);
    assert_true(cost_predict(tiny.model, c, few, 2) == cost_predict(tiny.model, c, few, 1));
    assert_true(cost_predict(tiny.model, c, many, 2) != cost_predict(tiny.model, c, many, 1));
    arena_free(tiny.arena);
}

/* What one measurement is off says something of shapes near it. Twice the threads are two octaves away, twice the rows one. */
static void threads_are_far_apart(void **state)
{
    (void)state;
    Synthetic tiny;
    assert_true(synthetic_make(&tiny, tiny_spec, 20));
    Study *s = tiny.study;
    int64_t at = 0, trial = 0;
    while (!(s->shape[at]->extent[0] == 256 && s->shape[at]->threads == 1))
        at++;
    while (!trial_usable(&s->trial[trial]))
        trial++;
    for (int64_t j = 0; j < s->nshape; j++)
        s->trial[trial].ns[j] *= j == at ? 3 : 0;
    const CostModel *m = cost_fit(tiny.arena, s, &tiny.templates);
    const Candidate *c = &s->trial[trial].c;
    Instance same = *s->shape[at], threads = same, rows = same;
    threads.threads = 2;
    rows.extent[0] = 128;
    const struct {
        const Instance *inst;
        double octaves;
    } cases[] = { { &same, 0 }, { &rows, 1 }, { &threads, 2 } };
    const double off = log2(s->trial[trial].ns[at] / cost_predict(m, c, same.extent, same.threads));
    assert_true(fabs(off) > 0.1);
    for (int i = 0; i < 3; i++) {
        const Instance *inst = cases[i].inst;
        const double k = exp(-cases[i].octaves * cases[i].octaves / 2) + 0.02;
        const double carried = log2(cost_carried(m, trial, inst) / cost_predict(m, c, inst->extent, inst->threads));
        assert_true(fabs(carried - off * k / (k + 0.3)) < 1e-5);
    }
    arena_free(tiny.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_law_is_found),
        cmocka_unit_test(a_measured_time_is_what_was_measured),
        cmocka_unit_test(residuals_help_between_shapes),
        cmocka_unit_test(doubt_is_local),
        cmocka_unit_test(without_measurements_the_bound_ranks),
        cmocka_unit_test(little_work_has_one_thread),
        cmocka_unit_test(threads_are_far_apart),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
