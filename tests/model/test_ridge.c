/* SPDX-License-Identifier: Apache-2.0
 *
 * ridge: closed forms, the leave-one-out error against refits without each row, degenerate features, bad values.
 */
#include "tests/test.h"
#include <float.h>
#include <math.h>
#include <string.h>
#include "model/ridge.h"

enum { MAX_P = 12 };

static uint64_t seed;

/* Uniform in [-1, 1). */
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 0x1p52 - 1;
}

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * (1 + fabs(want))))
        fail_msg("%.17g, not %.17g", got, want);
}

static int setup(void **state)
{
    seed = 1;
    *state = arena_new();
    return 0;
}

static int teardown(void **state)
{
    arena_free(*state);
    return 0;
}

/* ---- an independent solver: normal equations by elimination with pivoting ---- */

/* Solves m z = rhs, n x n, in place; rows of m are MAX_P long. */
static void eliminate(double m[MAX_P][MAX_P], double *rhs, int n)
{
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int i = c + 1; i < n; i++)
            pivot = fabs(m[i][c]) > fabs(m[pivot][c]) ? i : pivot;
        for (int j = 0; j < n; j++) {
            double t = m[c][j];
            m[c][j] = m[pivot][j];
            m[pivot][j] = t;
        }
        double t = rhs[c];
        rhs[c] = rhs[pivot];
        rhs[pivot] = t;
        for (int i = 0; i < n; i++) {
            double part = i == c ? 0 : m[i][c] / m[c][c];
            for (int j = 0; j < n; j++)
                m[i][j] -= part * m[c][j];
            rhs[i] -= part * rhs[c];
        }
    }
    for (int c = 0; c < n; c++)
        rhs[c] /= m[c][c];
}

typedef struct {
    const double *x, *y, *w; /* w may be NULL */
    int n, p;
} Rows;

/* Minimises sum w (y - b0 - z.b)^2 + lambda |b|^2 over all rows but `without`, with z standardised as r says.
 * out[0] is b0. */
static void solve_without(const Rows *q, const Ridge *r, double lambda, int without, double out[MAX_P])
{
    double m[MAX_P][MAX_P] = { { 0 } }, z[MAX_P] = { 1 };
    memset(out, 0, MAX_P * sizeof *out);
    for (int i = 0; i < q->n; i++) {
        double w = i == without ? 0 : q->w ? q->w[i] : 1;
        for (int j = 0; j < q->p; j++)
            z[j + 1] = r->scale[j] == 0 ? 0 : (q->x[i * q->p + j] - r->mean[j]) / r->scale[j];
        for (int j = 0; j <= q->p; j++) {
            out[j] += w * z[j] * q->y[i];
            for (int k = 0; k <= q->p; k++)
                m[j][k] += w * z[j] * z[k];
        }
    }
    for (int j = 1; j <= q->p; j++)
        m[j][j] += lambda;
    eliminate(m, out, q->p + 1);
}

static double predict_with(const Rows *q, const Ridge *r, const double b[MAX_P], int row)
{
    double sum = b[0];
    for (int j = 0; j < q->p; j++)
        sum += r->scale[j] == 0 ? 0 : b[j + 1] * (q->x[row * q->p + j] - r->mean[j]) / r->scale[j];
    return sum;
}

static double loo_by_refits(const Rows *q, const Ridge *r, double lambda)
{
    double sum = 0, wsum = 0, b[MAX_P];
    for (int i = 0; i < q->n; i++) {
        double w = q->w ? q->w[i] : 1;
        solve_without(q, r, lambda, i, b);
        double error = q->y[i] - predict_with(q, r, b, i);
        sum += w * error * error;
        wsum += w;
    }
    return sqrt(sum / wsum);
}

static double total_weight(const Rows *q)
{
    double sum = 0;
    for (int i = 0; i < q->n; i++)
        sum += q->w ? q->w[i] : 1;
    return sum;
}

/* The fit solves its own problem, its error is that of refits, and no lambda of the grid has a smaller one. */
static void check_fit(Arena *a, Rows q)
{
    double b[MAX_P];
    Ridge *r = ridge_fit(a, q.x, q.y, q.w, (size_t)q.n, (size_t)q.p, 0);
    assert_non_null(r);
    solve_without(&q, r, r->lambda, -1, b);
    for (int j = 0; j < q.p; j++)
        assert_near(r->coef[j], b[j + 1], 1e-6);
    for (int i = 0; i < q.n; i++)
        assert_near(ridge_predict(r, q.x + i * q.p), predict_with(&q, r, b, i), 1e-7);
    assert_near(r->loo_rmse, loo_by_refits(&q, r, r->lambda), 1e-6);
    for (int i = 0; i < q.n; i++) {
        solve_without(&q, r, r->lambda, i, b);
        assert_near(r->loo_error[i], q.y[i] - predict_with(&q, r, b, i), 1e-6);
    }
    for (int g = -12; g <= 6; g++)
        assert_true(r->loo_rmse <= loo_by_refits(&q, r, total_weight(&q) * pow(10, g / 2.0)) * (1 + 1e-6) + 1e-9);
}

/* ---- tests ---- */

TEST(one_feature_by_hand)
{
    /* x = 1 2 3 has mean 2 and deviation sqrt(2/3); with lambda l the slope of z is (sum z y) / (3 + l). */
    double x[] = { 1, 2, 3 }, y[] = { 10, 30, 20 };
    Ridge *r = ridge_fit(*state, x, y, NULL, 3, 1, 0);
    assert_non_null(r);
    assert_near(r->mean[0], 2, 1e-15);
    assert_near(r->scale[0], sqrt(2.0 / 3), 1e-15);
    assert_near(r->intercept, 20, 1e-15);
    assert_near(r->coef[0], 10 / sqrt(2.0 / 3) / (3 + r->lambda), 1e-12);
    assert_int_equal(r->nrow, 3);
    assert_int_equal(r->nfeature, 1);
}

TEST(loo_is_that_of_refits)
{
    enum { N = 25, P = 5 };
    double x[N * P], y[N], w[N];
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < N * P; i++)
            x[i] = uniform() * pow(10, i % P);
        for (int i = 0; i < N; i++) {
            y[i] = 5 + x[i * P] - 0.1 * x[i * P + 1] + uniform() * (round + 1) * 0.1;
            w[i] = pow(10, uniform());
        }
        check_fit(*state, (Rows){ x, y, round % 2 ? w : NULL, N, P });
    }
}

static void fill(double *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = uniform();
}

TEST(fewer_rows_than_features)
{
    enum { N = 6, P = 10 };
    double x[N * P], y[N];
    fill(x, N * P);
    for (int i = 0; i < N; i++)
        y[i] = x[i * P] + 0.2 * uniform();
    check_fit(*state, (Rows){ x, y, NULL, N, P });
}

TEST(collinear_features)
{
    enum { N = 30, P = 4 };
    double x[N * P], y[N];
    for (int i = 0; i < N; i++) {
        double *row = x + i * P;
        row[0] = uniform();
        row[1] = row[0];
        row[2] = uniform();
        row[3] = 3 * row[0] - 2 * row[2] + 1;
        y[i] = 1 + 4 * row[0] + row[2] + 0.1 * uniform();
    }
    Ridge *r = ridge_fit(*state, x, y, NULL, N, P, 0);
    assert_non_null(r);
    assert_near(r->coef[0], r->coef[1], 1e-6); /* twins share their part */
    for (int j = 0; j < P; j++)
        assert_true(fabs(r->coef[j]) < 10);
    check_fit(*state, (Rows){ x, y, NULL, N, P });
}

TEST(constant_features_are_ignored)
{
    enum { N = 10, P = 3 };
    double x[N * P], y[N];
    for (int i = 0; i < N; i++) {
        x[i * P] = 0.1;
        x[i * P + 1] = i;
        x[i * P + 2] = 1e9 + 1e-7 * (i % 2); /* rounds to a constant */
        y[i] = 2 * i;
    }
    Ridge *r = ridge_fit(*state, x, y, NULL, N, P, 0);
    assert_true(r->scale[0] == 0 && r->scale[2] == 0 && r->coef[0] == 0 && r->coef[2] == 0);
    double other[] = { 99, 4.5, -5 };
    assert_near(ridge_predict(r, other), 9, 1e-6);
    assert_true(r->loo_rmse < 1e-5); /* of an exact line */
    for (int p = 0; p < 2; p++) {    /* no other feature, or none */
        r = ridge_fit(*state, (double[]){ 1, 1, 1, 1 }, (double[]){ 1, 2, 3, 6 }, NULL, 4, (size_t)p, 0);
        assert_near(ridge_predict(r, x), 3, 1e-15);
        assert_near(r->loo_rmse, sqrt((4 + 1 + 0 + 9) / 4.0) * 4 / 3, 1e-14);
    }
}

/* A feature that hardly varies has a steep slope: far from the rows it counts as at one range beyond them. */
TEST(predictions_do_not_run_away)
{
    double x[40], y[20];
    for (int i = 0; i < 20; i++) {
        x[2 * i] = i % 2 * 1e-5;
        x[2 * i + 1] = uniform();
        y[i] = x[2 * i + 1] + i % 2;
    }
    const Ridge *r = ridge_fit(*state, x, y, NULL, 20, 2, 0);
    assert_non_null(r);
    assert_near(ridge_predict(r, (double[]){ 2e-5, 0.5 }), 2.5, 1e-3);
    assert_true(ridge_predict(r, (double[]){ 1, 0.5 }) == ridge_predict(r, (double[]){ 2e-5, 0.5 }));
    assert_true(ridge_predict(r, (double[]){ -1, 0.5 }) == ridge_predict(r, (double[]){ -1e-5, 0.5 }));
}

TEST(one_row_is_the_intercept)
{
    double x[] = { 3, 4 }, y[] = { 42 }, elsewhere[] = { -1, 1e6 };
    Ridge *r = ridge_fit(*state, x, y, NULL, 1, 2, 0);
    assert_true(ridge_predict(r, x) == 42 && ridge_predict(r, elsewhere) == 42);
    assert_true(isinf(r->loo_rmse));
}

TEST(a_weight_counts_like_copies)
{
    enum { N = 8 };
    double x[N], y[N], w[N], copies_x[3 * N], copies_y[3 * N];
    int ncopy = 0;
    for (int i = 0; i < N; i++) {
        x[i] = uniform();
        y[i] = uniform();
        w[i] = 1 + i % 3;
        for (int k = 0; k < w[i]; k++, ncopy++) {
            copies_x[ncopy] = x[i];
            copies_y[ncopy] = y[i];
        }
    }
    Ridge *r = ridge_fit(*state, x, y, w, N, 1, 0),
          *c = ridge_fit(*state, copies_x, copies_y, NULL, (size_t)ncopy, 1, 0);
    assert_near(r->mean[0], c->mean[0], 1e-14);
    assert_near(r->scale[0], c->scale[0], 1e-14);
    assert_near(r->coef[0] * (ncopy + r->lambda), c->coef[0] * (ncopy + c->lambda), 1e-12); /* ncopy: all weights */
}

TEST(units_do_not_matter)
{
    enum { N = 15, P = 3 };
    double x[N * P], scaled[N * P], y[N], w[N], scaled_w[N];
    for (int i = 0; i < N * P; i++) {
        x[i] = uniform();
        scaled[i] = x[i] * (i % P == 1 ? 1e150 : 1e-150);
    }
    for (int i = 0; i < N; i++) {
        y[i] = x[i * P] + uniform();
        w[i] = 1.5 + uniform();
        scaled_w[i] = w[i] * 0x1p900;
    }
    Ridge *r = ridge_fit(*state, x, y, w, N, P, 0), *s = ridge_fit(*state, scaled, y, scaled_w, N, P, 0);
    assert_non_null(s);
    for (int i = 0; i < N; i++)
        assert_near(ridge_predict(s, scaled + i * P), ridge_predict(r, x + i * P), 1e-9);
    assert_near(s->loo_rmse, r->loo_rmse, 1e-9);
}

/* An exact line asks for the smallest lambda there is: it gets the least that is allowed, and another row's weight does
 * not change which that is. */
TEST(lambda_is_at_least_what_is_asked)
{
    double x[20], y[20], w[20];
    for (int i = 0; i < 20; i++) {
        x[i] = i;
        y[i] = 3 * i;
        w[i] = 2;
    }
    assert_near(ridge_fit(*state, x, y, w, 20, 1, 0)->lambda, 1e-10 * 40, 1e-15);
    assert_near(ridge_fit(*state, x, y, w, 20, 1, 10)->lambda, 10 * 40, 1e-9);
    assert_near(ridge_fit(*state, x, y, w, 20, 1, 9)->lambda, 10 * 40, 1e-9); /* the grid's next */
    const Ridge *r = ridge_fit(*state, x, y, w, 20, 1, 1e3);
    assert_near(r->lambda, 1e3 * 40, 1e-6);
    assert_near(ridge_predict(r, x + 19) - r->intercept, (57 - 28.5) / 1001, 1e-9);
}

/* Threads of its own would spin on cores that something is timed on. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int n) __attribute__((weak));

TEST(one_thread_solves)
{
    double x[] = { 1, 2, 3 }, y[] = { 1, 3, 2 };
    if (!openblas_get_num_threads || !openblas_set_num_threads)
        skip();
    openblas_set_num_threads(2);
    assert_non_null(ridge_fit(*state, x, y, NULL, 3, 1, 0));
    assert_int_equal(openblas_get_num_threads(), 1);
}

TEST(bad_values_are_refused)
{
    static const double bad[] = { NAN, INFINITY, -INFINITY };
    double good[] = { 1, 2, 3, 5 }, x[4], w[4] = { 1, 1, 1, 1 };
    assert_non_null(ridge_fit(*state, good, good, w, 4, 1, 0));
    for (int k = 0; k < 3; k++) {
        memcpy(x, good, sizeof x);
        x[2] = bad[k];
        assert_null(ridge_fit(*state, x, good, NULL, 4, 1, 0));
        assert_null(ridge_fit(*state, good, x, NULL, 4, 1, 0));
        assert_null(ridge_fit(*state, good, good, x, 4, 1, 0));
    }
    w[1] = 0;
    assert_null(ridge_fit(*state, good, good, w, 4, 1, 0));
    w[1] = -1;
    assert_null(ridge_fit(*state, good, good, w, 4, 1, 0));
    assert_null(ridge_fit(*state, good, good, NULL, 0, 1, 0));
}

/* A feature varies wherever its first, its last, its largest or its smallest value is. */
TEST(any_order_of_values_is_no_constant)
{
    static const double x[] = { 9, 1, 5, 1, 9, 5, 1, 1, 5, 1, 1, 6 }, y[] = { 3, 1, 2, 4 };
    const Ridge *r = ridge_fit(*state, x, y, NULL, 4, 3, 0);
    assert_non_null(r);
    for (int j = 0; j < 3; j++)
        assert_true(r->scale[j] > 0 && r->coef[j] != 0);
}

/* Where no lambda is better than another, or only by rounding, the larger one is taken. */
TEST(equal_lambdas_go_large)
{
    static const double x[] = { 1, 2, 4, 8 }, same[] = { 7, 7, 7, 7 };
    double many[100], y[100];
    assert_near(ridge_fit(*state, x, same, NULL, 4, 1, 0)->lambda, 4 * 1e3, 1e-12);
    for (int i = 0; i < 100; i++) {
        many[i] = i;
        y[i] = i + (i % 2 ? 1 : -1) * 0.5;
    }
    const double lambda = ridge_fit(*state, many, y, NULL, 100, 1, 0)->lambda;
    assert_true(lambda > 1e-7 && lambda < 1);
}

/* Finite values whose sums are not give no model rather than a wrong one. */
TEST(overflow_is_refused)
{
    double x[] = { DBL_MAX, -DBL_MAX, DBL_MAX, 1 }, y[] = { 1, 2, 3, 4 };
    assert_null(ridge_fit(*state, x, y, NULL, 4, 1, 0));
    assert_null(ridge_fit(*state, y, x, NULL, 4, 1, 0));
}

TEST_EACH(setup, teardown)
