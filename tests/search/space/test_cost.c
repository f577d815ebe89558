/* SPDX-License-Identifier: Apache-2.0
 *
 * cost: the model finds the law behind made-up times, knows where it knows little, and takes measurements for what they
 * are.
 * ctest: label=slow
 */
#include "tests/test.h"
#include "search/space/cost.h"
#include "templates/package/pieces.h"
#include "tests/search/study_place.h"

static const char tiny_spec[] =
    "name = \"tiny\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n"
    "dims = { M = { min = 1; max = 256; }; };\n"
    "shapes = ( { M = \"M\"; N = 64; K = 64; } );\n"
    "tune = { M = [1, 16, 256]; };\n"
    "layout = { W = \"NK\"; packed = true; };\n"
    "budget = { kernels = 2; code_kib = 64; trials = 8; seconds = 10; }; threads = [1, 2];\n";

static int begin(void **state) { return synthetic_make(&y, synthetic_spec, 200) ? 0 : -1; }

/* Where W comes from memory the closed form says that a row takes longer, three times at least; where W fits L2, or
 * nothing is cold, it says the same as ever. */
TEST(a_cold_operand_takes_its_time)
{
    static const int64_t row[] = { 1, 3072, 768 }, small[] = { 1, 256, 256 };
    Study cold = *y.study;
    cold.has_cold = true;
    const CostModel *m = cost_analytic(y.arena, y.study, &y.templates);
    const CostModel *mc = cost_analytic(y.arena, &cold, &y.templates);
    for (int i = 0; i < 50; i++) {
        const Candidate *c = &y.space->candidate[i * y.space->n / 50];
        assert_true(cost_predict(mc, c, small, 1) == cost_predict(m, c, small, 1));
        assert_true(cost_predict(mc, c, row, 1) > cost_predict(m, c, row, 1));
    }
}

TEST(without_measurements_the_bound_ranks)
{
    Study *s = new_study();
    CostModel *m = cost_fit(y.arena, s, &y.templates);
    const Instance *inst = s->shape[0];
    for (int i = 0; i < 50; i++) {
        double ns = cost_predict(m, &y.space->candidate[i * 101 % y.space->n], inst->extent, inst->threads);
        assert_true(isfinite(ns) && ns > 0);
    }
    assert_true(m->sigma[0] >= 0.1);
}

/* A package gives little work to one thread, whatever is allowed; much work to all. */
TEST(little_work_has_one_thread)
{
    Synthetic tiny;
    assert_true(synthetic_make(&tiny, tiny_spec, 20));
    const Candidate *c = &tiny.space->candidate[5];
    const int64_t few[] = { 1, 64, 64 }, many[] = { 256, 64, 64 };
    assert_true(PACKAGE_worthwhile(2, 2.0 * 64 * 64, PACKAGE_POOLED_FLOPS) == 1);
    assert_true(cost_predict(tiny.model, c, few, 2) == cost_predict(tiny.model, c, few, 1));
    assert_true(cost_predict(tiny.model, c, many, 2) != cost_predict(tiny.model, c, many, 1));
    arena_free(tiny.arena);
}

/* What one measurement is off says something of shapes near it. Twice the threads are two octaves away, twice the rows
 * one. */
TEST(threads_are_far_apart)
{
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

/* ---- against the definition ---- */

/* Its constant operand is not packed: kernels of several templates. */
static const char plain_spec[] =
    "name = \"plain\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n"
    "dims = { M = { min = 1; max = 256; }; };\n"
    "shapes = ( { M = \"M\"; N = 96; K = 64; }, { M = \"M\"; N = 512; K = 768; } );\n"
    "tune = { M = [1, 16, 256]; }; layout = { W = \"NK\"; };\n"
    "budget = { kernels = 2; code_kib = 64; trials = 8; seconds = 10; }; threads = [1, 4];\n";

static int template_of(const Synthetic *s, const Candidate *c)
{
    int i = 0;
    while (s->templates.t[i] != c->t)
        i++;
    return i;
}

/* Gives the number of threads that such a call is spread over. */
static int slots_of(const Synthetic *s, const Candidate *c, const Instance *inst, int64_t *slots)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    const int used = spec_parts(s->spec, inst->extent, inst->threads);
    candidate_values(c, value);
    const Binding b = { .t = c->t,
                        .spec = s->spec,
                        .target = c->target,
                        .device = &s->device,
                        .value = value,
                        .extent = inst->extent,
                        .threads = used };
    assert_true(template_slots(&b, slots));
    return used;
}

static double value_at(const Expr *e, const int64_t *slots)
{
    double v = 0;
    assert_int_equal(expr_real_at(e, slots, &v), EXPR_OK);
    return v;
}

/* A row begins with padding and load balance, then each template has columns of its own: 1, and its features. */
TEST(rows_hold_the_features)
{
    Synthetic p;
    assert_true(synthetic_make(&p, plain_spec, 40));
    const CostModel *m = cost_analytic(p.arena, p.study, &p.templates);
    int n = 2;
    for (int i = 0; i < p.templates.n; i++)
        n += 1 + p.templates.t[i]->nfeature;
    assert_int_equal(m->nfeature, n);
    double *row = ARENA_ARRAY(p.arena, (size_t)n, double), *want = ARENA_ARRAY(p.arena, (size_t)n, double);
    for (int64_t i = 0; i < p.study->ntrial; i++)
        for (int64_t j = 0; j < p.study->nshape; j++) {
            const Candidate *c = &p.study->trial[i].c;
            const Instance *inst = p.study->shape[j];
            int64_t slots[TEMPLATE_MAX_SLOT];
            const int used = slots_of(&p, c, inst, slots);
            int at = 2;
            for (int k = 0; k < template_of(&p, c); k++)
                at += 1 + p.templates.t[k]->nfeature;
            memset(want, 0, (size_t)n * sizeof *want);
            const double flops = 2.0 * (double)(inst->extent[0] * inst->extent[1] * inst->extent[2]);
            const double padded = value_at(c->t->padded_flops, slots), serial = value_at(c->t->serial_flops, slots);
            want[0] = log2(fmax(padded / flops, 1));
            want[1] = log2(fmax(used * serial / padded, 1));
            want[at] = 1;
            for (int k = 0; k < c->t->nfeature; k++)
                want[at + 1 + k] = value_at(c->t->feature[k].expr, slots);
            double sum = 0;
            for (int k = 0; k < c->t->nterm; k++)
                sum += fmax(0, value_at(c->t->term[k].expr, slots));
            assert_true(fabs(cost_features(m, c, (KernelFacts){ 0 }, inst->extent, inst->threads, row) - log2(sum)) <
                        1e-12);
            for (int k = 0; k < n; k++)
                assert_true(row[k] == want[k]);
        }
    arena_free(p.arena);
}

/* Each template has one price for all of its terms: it is found, with nothing left to correct; templates of which
 * nothing was measured have their geometric mean, by how much was measured. */
TEST(each_template_has_its_prices)
{
    Synthetic p;
    assert_true(synthetic_make(&p, plain_spec, 60));
    double rows[16] = { 0 }, log_sum = 0, all = 0;
    for (int64_t i = 0; i < p.study->ntrial; i++)
        for (int64_t j = 0; j < p.study->nshape; j++) {
            Trial *t = &p.study->trial[i];
            int64_t slots[TEMPLATE_MAX_SLOT];
            const int at = template_of(&p, &t->c);
            if (!trial_usable(t) || (i + j) % 4 == 0) {
                t->ns[j] = 0;
                continue;
            }
            slots_of(&p, &t->c, p.study->shape[j], slots);
            t->ns[j] = 0;
            for (int k = 0; k < t->c.t->nterm; k++)
                t->ns[j] += fmax(0, value_at(t->c.t->term[k].expr, slots)) * (3 + 5 * at);
            rows[at]++;
        }
    const CostModel *m = cost_fit(p.arena, p.study, &p.templates);
    int nmeasured = 0;
    for (int i = 0; i < p.templates.n; i++) {
        nmeasured += rows[i] > 0;
        log_sum += rows[i] * log(3 + 5 * i);
        all += rows[i];
    }
    assert_true(nmeasured > 1 && nmeasured < p.templates.n);
    assert_int_equal(m->ridge->nrow, (size_t)all);
    double weight = 0;
    for (int64_t i = 0; i < p.study->ntrial; i++)
        for (int64_t j = 0; j < p.study->nshape; j++)
            if (p.study->trial[i].ns[j] > 0)
                weight += cost_weight(study_best(p.study, j, NULL), p.study->trial[i].ns[j]);
    assert_true(m->ridge->lambda >= weight * (1 - 1e-9)); /* behind terms the regression is on a short leash */
    for (int i = 0; i < p.templates.n; i++)
        for (int k = 0; k < p.templates.t[i]->nterm; k++)
            assert_true(fabs(m->price[i][k] / (rows[i] > 0 ? 3 + 5 * i : exp(log_sum / all)) - 1) < 1e-9);
    for (int64_t i = 0; i < p.study->ntrial; i++)
        for (int64_t j = 0; j < p.study->nshape; j++) {
            const Instance *inst = p.study->shape[j];
            const Trial *t = &p.study->trial[i];
            if (t->ns[j] > 0)
                assert_true(fabs(cost_predict(m, &t->c, inst->extent, inst->threads) / t->ns[j] - 1) < 1e-4);
        }
    arena_free(p.arena);
}

static double nearest_of(const Instance *x, const Instance *z)
{
    double d2 = 4 * pow(log2((double)x->threads / z->threads), 2);
    for (int k = 0; k < 3; k++)
        d2 += pow(log2((double)x->extent[k] / (double)z->extent[k]), 2);
    return exp(-d2 / 2);
}

/* Doubt is the root of the mean of squared leave-one-out errors near a shape, those of kernels near the best of theirs,
 * and of four times that of all. */
TEST(doubt_is_a_mean_of_errors)
{
    const Study *s = y.study;
    double square[64] = { 0 }, weight[64] = { 0 };
    size_t row = 0;
    assert_true(s->nshape <= 64);
    for (int64_t j = 0; j < s->nshape; j++)
        for (int64_t i = 0; i < s->ntrial; i++) {
            const double ns = s->trial[i].ns[j];
            if (!trial_usable(&s->trial[i]) || !(ns > 0))
                continue;
            const double e = y.model->ridge->loo_error[row++], w = pow(cost_weight(study_best(s, j, NULL), ns), 4);
            square[j] += w * e * e;
            weight[j] += w;
        }
    assert_int_equal(row, y.model->ridge->nrow);
    const double rmse = y.model->ridge->loo_rmse;
    for (int64_t i = 0; i < s->nshape; i++) {
        double sum = 4 * rmse * rmse, total = 4;
        for (int64_t j = 0; j < s->nshape; j++) {
            sum += nearest_of(s->shape[i], s->shape[j]) * square[j];
            total += nearest_of(s->shape[i], s->shape[j]) * weight[j];
        }
        assert_true(sqrt(sum / total) > 0.02);
        assert_true(fabs(y.model->sigma[i] / sqrt(sum / total) - 1) < 1e-9);
    }
    assert_true(cost_weight(100, 100) == 1 && cost_weight(100, 90) == 1);
    assert_true(fabs(cost_weight(100, 200) - 1 / 16.0) < 1e-12);
    assert_true(cost_weight(100, 1000) == 0.02);
}

/* What is left out of a fit may be anything: kernels by their numbers, shapes by theirs. */
TEST(what_is_left_out_does_not_count)
{
    static const CostLeave leave[] = { { .trial_stride = 3, .trial = 1 }, { .shape_stride = 3, .shape = 2 } };
    Synthetic p;
    assert_true(synthetic_make(&p, plain_spec, 40));
    Study *s = p.study;
    for (int k = 0; k < 2; k++) {
        const CostModel *before = cost_fit_without(cost_fit(p.arena, s, &p.templates), leave[k]),
                        *whole = cost_fit(p.arena, s, &p.templates);
        int changed = 0, kept = 0, differ = 0;
        for (int64_t j = 0; j < s->nshape; j++) {
            int64_t best = -1;
            study_best(s, j, &best);
            for (int64_t i = 0; i < s->ntrial; i++) {
                const bool out = k == 0 ? i % 3 == 1 && i != best : j % 3 == 2; /* weights are of the best */
                s->trial[i].ns[j] *= out ? 7 : 1;
                changed += out && s->trial[i].ns[j] > 0;
                kept += !out && s->trial[i].ns[j] > 0;
                if (k == 1 && trial_usable(&s->trial[i]))
                    assert_int_equal(isnan(before->residual[i * s->nshape + j]), j % 3 == 2);
            }
        }
        assert_true(changed > 20 && kept > 20);
        const CostModel *after = cost_fit_without(cost_fit(p.arena, s, &p.templates), leave[k]);
        for (int64_t i = 0; i < s->ntrial; i++)
            for (int64_t j = 0; j < s->nshape; j++) {
                const int64_t *extent = s->shape[j]->extent;
                const int threads = s->shape[j]->threads;
                const double ns = cost_predict(before, &s->trial[i].c, extent, threads);
                assert_true(cost_predict(after, &s->trial[i].c, extent, threads) == ns);
                differ += cost_predict(whole, &s->trial[i].c, extent, threads) != ns;
            }
        assert_true(differ > 20);
    }
    arena_free(p.arena);
}

/* Once anything was measured, no prediction is below the roofline: here one of a slow machine. What was measured stays,
 * and so does the model of closed forms. */
TEST(no_prediction_is_below_the_roofline)
{
    LimitRecord l = { .device = y.device.id,
                      .target = y.study->target->name,
                      .dtype = "f32",
                      .threads = 1,
                      .flops_per_s = 3e10,
                      .bytes_per_s = { 1e12, 1e12, 1e12, 1e12 } };
    int raised = 0, kept = 0;
    Study bounded = *y.study;
    study_rate(&bounded, &(Records){ .nlimit = 1, .limit = &l });
    CostModel *m = cost_fit(y.arena, &bounded, &y.templates);
    const CostModel *law = cost_analytic(y.arena, &bounded, &y.templates);
    for (int64_t i = 0; i < bounded.ntrial; i++)
        for (int64_t j = 0; j < bounded.nshape; j++) {
            const Candidate *c = &bounded.trial[i].c;
            if (!trial_usable(&bounded.trial[i])) {
                assert_true(isinf(cost_trial(m, i, bounded.shape[j])));
                continue;
            }
            Instance inst = *bounded.shape[j];
            inst.extent[0]++; /* none that was tuned */
            const double least = 2.0 * (double)(inst.extent[0] * inst.extent[1] * inst.extent[2]) / 30;
            const double free = cost_predict(y.model, c, inst.extent, 1), carried = cost_carried(y.model, i, &inst);
            assert_true(fabs(cost_predict(m, c, inst.extent, 1) / fmax(free, least) - 1) < 1e-9);
            assert_true(fabs(cost_carried(m, i, &inst) / fmax(carried, least) - 1) < 1e-9);
            assert_true(cost_trial(m, i, bounded.shape[j]) == bounded.trial[i].ns[j]);
            assert_true(cost_predict(law, c, inst.extent, 1) == cost_predict(y.law, c, inst.extent, 1));
            raised += free < least;
            kept += free > least;
        }
    assert_true(raised > 100 && kept > 100);
    Spec spec = *y.study->spec; /* where data decide how much work there is, a call may take less */
    Op op = *spec.op;
    spec.op = &op;
    op.by_data = true;
    bounded.spec = &spec;
    study_rate(&bounded, &(Records){ .nlimit = 1, .limit = &l });
    m = cost_fit(y.arena, &bounded, &y.templates);
    for (int64_t i = 0; i < bounded.ntrial; i++)
        for (int64_t j = 0; trial_usable(&bounded.trial[i]) && j < bounded.nshape; j++)
            assert_true(cost_predict(m, &bounded.trial[i].c, bounded.shape[j]->extent, 1) ==
                        cost_predict(y.model, &bounded.trial[i].c, bounded.shape[j]->extent, 1));
}

/* A call that a kernel does not serve takes it for ever, whatever else is known: by the closed form, by what was
 * fitted, and with the least time of the shape as bound. On others it is as good as one that serves all. */
TEST(calls_that_are_not_served_take_for_ever)
{
    LimitRecord l = { .device = y.device.id,
                      .target = y.study->target->name,
                      .dtype = "f32",
                      .threads = 1,
                      .flops_per_s = 3e10,
                      .bytes_per_s = { 1e12, 1e12, 1e12, 1e12 } };
    Synthetic z;
    int fixed = 0, elsewhere = 0, total = 0;
    assert_true(synthetic_make(&z, synthetic_strides, 300));
    double *row = ARENA_ARRAY(z.arena, (size_t)z.model->nfeature, double);
    study_rate(z.study, &(Records){ .nlimit = 1, .limit = &l });
    const CostModel *bounded = cost_fit(z.arena, z.study, &z.templates);
    for (int64_t i = 0; i < z.study->ntrial; i++)
        for (int64_t j = 0; j < z.study->nshape; j++) {
            const Trial *t = &z.study->trial[i];
            const Instance *inst = z.study->shape[j];
            const double plain = exp2(cost_features(z.law, &t->c, (KernelFacts){ 0 }, inst->extent, 1, row));
            const double by_law = cost_predict(z.law, &t->c, inst->extent, 1);
            const CostModel *const fitted[] = { z.model, bounded };
            const bool serves = candidate_serves(&t->c, z.spec, inst->extent);
            total++;
            fixed += serves && candidate_is_fixed(&t->c);
            elsewhere += !serves;
            assert_true(serves ? fabs(by_law / plain - 1) < 1e-5 : by_law == INFINITY);
            for (int k = 0; k < 2; k++) {
                assert_int_equal(isfinite(cost_predict(fitted[k], &t->c, inst->extent, 1)), serves);
                if (trial_usable(t)) {
                    assert_int_equal(isfinite(cost_carried(fitted[k], i, inst)), serves);
                    assert_int_equal(isfinite(cost_trial(fitted[k], i, inst)), serves);
                }
            }
        }
    assert_true(fixed > 20 && elsewhere > 20 && elsewhere < total / 2);
    arena_free(z.arena);
}

TEST_FILE(begin, drop)
