/* SPDX-License-Identifier: Apache-2.0
 *
 * quality: what the report says of a model follows from how far its blind predictions are off: a law that the model
 * knows, one that it cannot know, and residuals that add up.
 * ctest: label=slow
 */
#include "tests/test.h"
#include <stdlib.h>
#include "search/space/cost.h"
#include "tests/search/study_place.h"

enum { NTRIAL = 80 };
/* Padding and idle threads of all amounts: N leaves part of a panel, and pieces for two threads are not alike. */
static const char spec[] =
    "name = \"d\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n"
    "dims = { T = { min = 1; max = 128; }; }; tune = { T = [1, 24, 128]; };\n"
    "shapes = ( { M = \"T\"; N = 37; K = 768; }, { M = \"T\"; N = 100; K = 768; }, { M = \"16*T\"; N = 530; K = 768; } "
    ");\n"
    "epilogue = [\"bias\"]; layout = { W = \"NK\"; packed = true; };\n"
    "budget = { kernels = 8; code_kib = 512; trials = 256; seconds = 300; }; threads = [1, 2];\n";

static int begin(void **state) { return synthetic_make(&y, spec, NTRIAL) ? 0 : -1; }

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

TEST(little_is_said_of_little)
{
    Study *s = new_study();
    const CostReport none = cost_report(y.arena, s, &y.templates);
    assert_int_equal(none.nmeasure, 0);
    assert_true(isnan(none.order.recall));
    for (int k = 0; k < 5; k++) {
        const int64_t i = study_add(s, &y.space->candidate[k * 31]);
        s->trial[i].built = true;
        s->trial[i].ns[0] = k < 2 ? 1000 + 100 * k : 0;
    }
    const CostReport two = cost_report(y.arena, s, &y.templates);
    assert_int_equal(two.nmeasure, 2);
    assert_true(isnan(two.error) && isnan(two.order.rank)); /* what was left out was half of all */
    for (int k = 2; k < 5; k++)
        s->trial[k].ns[0] = 1000 + 100 * k;
    const CostReport few = cost_report(y.arena, s, &y.templates);
    assert_int_equal(few.nmeasure, 5);
    assert_true(isnan(few.order.recall)); /* 8 of 5 are no question */
    assert_true(isfinite(few.order.rank) && isfinite(few.error) && isfinite(few.order.regret));
}

/* ---- against the definitions ---- */

enum { MAX_SHAPE = 64, MAX_PAIR = NTRIAL * MAX_SHAPE };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, z = *(const double *)b;
    return (x > z) - (x < z);
}

/* Of a model that saw neither this kernel nor those whose numbers have the same last digit. */
static void predict_unseen(double predicted[NTRIAL][MAX_SHAPE])
{
    for (int digit = 0; digit < 10; digit++) {
        const CostModel *m = cost_fit_without(cost_fit(y.arena, y.study, &y.templates),
                                              (CostLeave){ .trial_stride = 10, .trial = digit });
        for (int64_t i = digit; i < NTRIAL; i += 10)
            for (int64_t j = 0; j < y.study->nshape; j++)
                predicted[i][j] =
                    cost_predict(m, &y.study->trial[i].c, y.study->shape[j]->extent, y.study->shape[j]->threads);
    }
}

/* Of a model that saw every kernel, but not on this shape nor on every fifth from it. */
static void predict_held_out(double predicted[NTRIAL][MAX_SHAPE])
{
    for (int fold = 0; fold < 5; fold++) {
        const CostModel *m =
            cost_fit_without(cost_fit(y.arena, y.study, &y.templates), (CostLeave){ .shape_stride = 5, .shape = fold });
        for (int64_t i = 0; i < NTRIAL; i++)
            for (int64_t j = fold; trial_usable(&y.study->trial[i]) && j < y.study->nshape; j += 5)
                predicted[i][j] = cost_carried(m, i, y.study->shape[j]);
    }
}

/* Of the closed forms alone: what the fit has learned says nothing of them. */
static void predict_alone(double predicted[NTRIAL][MAX_SHAPE])
{
    const CostModel *m = cost_analytic(y.arena, y.study, &y.templates);
    for (int64_t i = 0; i < NTRIAL; i++)
        for (int64_t j = 0; j < y.study->nshape; j++)
            predicted[i][j] =
                cost_predict(m, &y.study->trial[i].c, y.study->shape[j]->extent, y.study->shape[j]->threads);
}

static double median_off(double predicted[NTRIAL][MAX_SHAPE])
{
    static double off[MAX_PAIR];
    size_t n = 0;
    for (int64_t i = 0; i < NTRIAL; i++)
        for (int64_t j = 0; j < y.study->nshape; j++)
            if (y.study->trial[i].ns[j] > 0)
                off[n++] = fabs(predicted[i][j] / y.study->trial[i].ns[j] - 1);
    qsort(off, n, sizeof *off, ascending);
    return off[n / 2];
}

/* How many of the measured ones on shape j have less than v; of those that are alike the first comes first. */
static int64_t less_than(double v[NTRIAL][MAX_SHAPE], int64_t i, int64_t j)
{
    int64_t n = 0;
    for (int64_t k = 0; k < NTRIAL; k++)
        n += y.study->trial[k].ns[j] > 0 && (v[k][j] < v[i][j] || (v[k][j] == v[i][j] && k < i));
    return n;
}

static void check_order(const CostOrder *r, double truth[NTRIAL][MAX_SHAPE], double predicted[NTRIAL][MAX_SHAPE])
{
    double rank = 0, recall = 0, regret = 0;
    for (int64_t j = 0; j < y.study->nshape; j++) {
        double squares = 0, n = 0, hits = 0, chosen = 0, best = 0;
        for (int64_t i = 0; i < NTRIAL; i++) {
            if (!(truth[i][j] > 0))
                continue;
            const int64_t a = less_than(truth, i, j), b = less_than(predicted, i, j);
            squares += (double)((a - b) * (a - b));
            hits += a < 8 && b < 8;
            chosen = b == 0 ? truth[i][j] : chosen;
            best = a == 0 ? truth[i][j] : best;
            n++;
        }
        assert_true(n >= 16);
        rank += 1 - 6 * squares / (n * (n * n - 1));
        recall += hits / 8;
        regret += log(chosen / best);
    }
    const double nshape = (double)y.study->nshape;
    assert_near(r->rank, rank / nshape);
    assert_near(r->recall, recall / nshape);
    assert_near(r->regret, exp(regret / nshape) - 1);
}

/* The row of a group whose range holds the value. */
static int row_of(const CostReport *r, const char *of, double value)
{
    int found = -1;
    for (int i = 0; i < r->nadapt; i++)
        if (strcmp(r->adapt[i].of, of) == 0 && value >= r->adapt[i].from && value < r->adapt[i].to) {
            assert_int_equal(found, -1);
            found = i;
        }
    return found;
}

static void check_residual(const CostResidual *r, int64_t n, double sum, double squares)
{
    assert_int_equal(r->n, n);
    assert_near(r->bias, n ? sum / (double)n : 0);
    assert_near(r->rms, n ? sqrt(squares / (double)n) : 0);
}

static void check_residuals(const CostReport *r, double truth[NTRIAL][MAX_SHAPE], double predicted[NTRIAL][MAX_SHAPE])
{
    static const char *const of[] = { "padding", "balance", "bytes" };
    const CostModel *m = cost_fit(y.arena, y.study, &y.templates);
    double *row = ARENA_ARRAY(y.arena, (size_t)m->nfeature, double);
    int64_t n[MAX_SHAPE] = { 0 }, adapt_n[12] = { 0 };
    double sum[MAX_SHAPE] = { 0 }, square[MAX_SHAPE] = { 0 }, adapt_sum[12] = { 0 }, adapt_square[12] = { 0 };
    assert_int_equal(r->nadapt, 12);
    for (int64_t i = 0; i < NTRIAL; i++)
        for (int64_t j = 0; j < y.study->nshape; j++) {
            if (!(truth[i][j] > 0))
                continue;
            const int64_t *e = y.study->shape[j]->extent;
            const double off = log2(truth[i][j] / predicted[i][j]);
            cost_features(m, &y.study->trial[i].c, (KernelFacts){ 0 }, e, y.study->shape[j]->threads, row);
            const double value[] = { exp2(row[0]), exp2(row[1]),
                                     4.0 * (double)(e[0] * e[2] + e[1] * e[2] + e[1] + e[0] * e[1]) };
            n[j]++;
            sum[j] += off;
            square[j] += off * off;
            for (int g = 0; g < 3; g++) {
                const int at = row_of(r, of[g], value[g]);
                assert_in_range(at, 4 * g, 4 * g + 3);
                adapt_n[at]++;
                adapt_sum[at] += off;
                adapt_square[at] += off * off;
            }
        }
    for (int64_t j = 0; j < y.study->nshape; j++)
        check_residual(&r->shape[j], n[j], sum[j], square[j]);
    for (int i = 0; i < 12; i++)
        check_residual(&r->adapt[i].residual, adapt_n[i], adapt_sum[i], adapt_square[i]);
    static const double factor[] = { 1, 1.02, 1.1, 1.3, INFINITY },
                        bytes[] = { 0, 32 << 10, 1 << 20, 32 << 20, INFINITY };
    for (int i = 0; i < 12; i++) {
        assert_true(r->adapt[i].from == (i < 8 ? factor : bytes)[i % 4]);
        assert_true(r->adapt[i].to == (i < 8 ? factor : bytes)[i % 4 + 1]);
    }
}

TEST(figures_are_what_they_are_called)
{
    static double truth[NTRIAL][MAX_SHAPE], unseen[NTRIAL][MAX_SHAPE], held_out[NTRIAL][MAX_SHAPE],
        closed[NTRIAL][MAX_SHAPE];
    make_times(5, 1);
    assert_true(y.study->nshape <= MAX_SHAPE && y.study->ntrial == NTRIAL);
    for (int64_t i = 0; i < NTRIAL; i++)
        for (int64_t j = 0; j < y.study->nshape; j++)
            truth[i][j] = y.study->trial[i].ns[j] *= trial_usable(&y.study->trial[i]);
    const CostReport r = cost_report(y.arena, y.study, &y.templates);
    predict_unseen(unseen);
    predict_held_out(held_out);
    assert_near(r.error, median_off(unseen));
    assert_near(r.held_out, median_off(held_out));
    check_order(&r.order, truth, unseen);
    predict_alone(closed);
    check_order(&r.analytic, truth, closed);
    check_residuals(&r, truth, unseen);
    const CostModel *m = cost_fit(y.arena, y.study, &y.templates);
    assert_true(r.lambda == m->ridge->lambda && r.loo_rmse == m->ridge->loo_rmse);
    assert_int_equal(r.nfeature, m->nfeature);
    assert_true(m->ridge->scale[0] > 0 && m->ridge->scale[1] > 0);
    assert_near(r.pad_exponent, 1 + m->ridge->coef[0] / m->ridge->scale[0]);
    assert_near(r.occ_exponent, 1 + m->ridge->coef[1] / m->ridge->scale[1]);
    int nprice = 0;
    for (int i = 0; i < y.templates.n; i++) {
        bool any = false;
        for (int64_t k = 0; k < NTRIAL; k++)
            any = any || (y.study->trial[k].c.t == y.templates.t[i] && trial_usable(&y.study->trial[k]));
        for (int k = 0; any && k < y.templates.t[i]->nterm; k++, nprice++) {
            assert_ptr_equal(r.price[nprice].t, y.templates.t[i]);
            assert_int_equal(r.price[nprice].term, k);
            assert_true(r.price[nprice].ns == m->price[i][k]);
        }
    }
    assert_int_equal(r.nprice, nprice);
}

TEST_FILE(begin, drop)
