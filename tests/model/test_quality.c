/* SPDX-License-Identifier: Apache-2.0
 *
 * quality: what the report says of a model follows from how far its blind predictions are off: a law that the model knows, one that it
 * cannot know, and residuals that add up.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/gen/synthetic.h"

enum { NTRIAL = 120 };

static Synthetic y;

static int make(void **state)
{
    (void)state;
    return synthetic_make(&y, synthetic_spec, NTRIAL) ? 0 : -1;
}

static int drop(void **state)
{
    (void)state;
    arena_free(y.arena);
    return 0;
}

/* Every time anew: the closed form times 2^level, times up to 2^noise. */
static void make_times(double level, double noise)
{
    const CostModel *m = cost_analytic(y.arena, y.study, &y.templates);
    for (int64_t i = 0; i < y.study->ntrial; i++)
        for (int64_t j = 0; j < y.study->nshape; j++) {
            const Instance *inst = y.study->shape[j];
            const double ns = cost_predict(m, &y.study->trial[i].c, inst->extent, inst->threads);
            y.study->trial[i].ns[j] = ns * exp2(level + noise * synthetic_draw());
        }
}

static int64_t usable(void)
{
    int64_t n = 0;
    for (int64_t i = 0; i < y.study->ntrial; i++)
        n += trial_usable(&y.study->trial[i]);
    return n;
}

static void a_known_law_leaves_nothing(void **state)
{
    (void)state;
    make_times(5, 0);
    const CostReport r = cost_report(y.arena, y.study, &y.templates);
    assert_true(r.error < 1e-3);
    assert_true(r.held_out < 1e-3);
    assert_true(r.rank > 0.999);
    assert_true(r.recall > 0.9);
    assert_true(r.regret < 1e-3);
    assert_true(fabs(r.pad_exponent - 1) < 0.05 && fabs(r.occ_exponent - 1) < 0.05);
    assert_int_equal(r.nmeasure, usable() * y.study->nshape);
}

/* Two octaves of chance for each pair: nothing could know them, and the figures must not claim to. */
static void chance_is_not_known(void **state)
{
    (void)state;
    make_times(5, 2);
    const CostReport r = cost_report(y.arena, y.study, &y.templates);
    assert_true(r.error > 0.2 && r.error < 0.8);
    assert_true(r.held_out > 0.2);
    assert_true(r.regret > 0.1);
    assert_true(r.recall < 0.7);
    for (int64_t j = 0; j < y.study->nshape; j++)
        assert_true(r.shape[j].rms > 0.4 && r.shape[j].rms < 1.2); /* 2 / sqrt(12) is 0.58 */
}

/* One shape takes twice as long as the others say. */
static void an_odd_shape_stands_out(void **state)
{
    (void)state;
    make_times(5, 0.1);
    const int64_t odd = y.study->nshape / 2;
    for (int64_t i = 0; i < y.study->ntrial; i++)
        y.study->trial[i].ns[odd] *= 2;
    const CostReport r = cost_report(y.arena, y.study, &y.templates);
    for (int64_t j = 0; j < y.study->nshape; j++)
        if (j != odd)
            assert_true(r.shape[odd].bias > r.shape[j].bias);
}

static void residuals_add_up(void **state)
{
    (void)state;
    make_times(5, 1);
    const CostReport r = cost_report(y.arena, y.study, &y.templates);
    int64_t by_shape = 0, by_adapt[3] = { 0 };
    double sum[4] = { 0 };
    for (int64_t j = 0; j < y.study->nshape; j++) {
        by_shape += r.shape[j].n;
        sum[0] += r.shape[j].bias * (double)r.shape[j].n;
    }
    for (int i = 0; i < r.nadapt; i++) {
        const int group = strcmp(r.adapt[i].of, "padding") == 0 ? 0 : strcmp(r.adapt[i].of, "balance") == 0 ? 1 : 2;
        assert_true(r.adapt[i].from < r.adapt[i].to);
        by_adapt[group] += r.adapt[i].residual.n;
        sum[1 + group] += r.adapt[i].residual.bias * (double)r.adapt[i].residual.n;
    }
    assert_int_equal(by_shape, r.nmeasure);
    for (int group = 0; group < 3; group++) {
        assert_int_equal(by_adapt[group], r.nmeasure);
        assert_true(fabs(sum[0] - sum[1 + group]) < 1e-6 * (double)r.nmeasure);
    }
}

static void little_is_said_of_little(void **state)
{
    (void)state;
    Study *s = study_new(y.arena, y.spec, &y.device, y.study->target, "0123456789abcdef");
    const CostReport none = cost_report(y.arena, s, &y.templates);
    assert_int_equal(none.nmeasure, 0);
    assert_true(isnan(none.recall));
    for (int k = 0; k < 5; k++) {
        const int64_t i = study_add(s, &y.space->candidate[k * 31]);
        s->trial[i].built = true;
        s->trial[i].ns[0] = 1000 + 100 * k;
    }
    const CostReport few = cost_report(y.arena, s, &y.templates);
    assert_int_equal(few.nmeasure, 5);
    assert_true(isnan(few.recall)); /* 8 of 5 are no question */
    assert_true(isfinite(few.rank) && isfinite(few.error) && isfinite(few.regret));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_law_leaves_nothing), cmocka_unit_test(chance_is_not_known),
        cmocka_unit_test(an_odd_shape_stands_out),    cmocka_unit_test(residuals_add_up),
        cmocka_unit_test(little_is_said_of_little),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
