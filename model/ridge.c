/* SPDX-License-Identifier: Apache-2.0
 *
 * ridge: takes rows of features with a value each, gives a linear model and its leave-one-out error.
 *
 * With v = w / max w, V = sum v, features centred at their weighted mean and divided by their weighted deviation, let
 *   A = diag(sqrt v) Z = U S T'      (thin SVD, once)      b = diag(sqrt v) (y - mean y).
 * Centring makes the intercept drop out, and then for every lambda
 *   coef  = T diag(s / (s^2 + lambda)) U'b
 *   h_i   = v_i / V + sum_j U_ij^2 s_j^2 / (s_j^2 + lambda)        (leverage, the intercept's share included)
 *   loo_i = (y_i - fit_i) / (1 - h_i)                              (error at row i of the fit without row i)
 * so the whole grid costs one SVD. Means and deviations are those of all rows in every fold: the intercept absorbs a
 * shift of the means, and the deviations only fix the unit of the penalty.
 *
 * A feature that hardly varies among the rows may get any slope. So a prediction takes it for at most one range of its
 * values beyond them.
 */
#include "model/ridge.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>

/* The grid, as parts of the total weight (a standardised feature has exactly that squared length): 1e-10 ... 1e3. */
enum { GRID_FIRST = -20, GRID_LAST = 6, GRID_STEPS_A_DECADE = 2 };

/* A larger lambda wins unless the smaller one is better by more than this part: rounding must not choose. */
static const double GRID_TIE = 1e-9;

/* A feature whose deviation is this part of its size is rounding noise around a constant. */
static const double CONSTANT_PART = 1e-13;

/* A row with less than this left of 1 - h determines its own fit: leaving it out says nothing. */
static const double LEAST_LEFT = 1e-13;

typedef struct {
    Arena *scratch;
    const double *x, *y;
    double *v, *root_v; /* weights, the largest is 1; their roots */
    double wmax, vsum;
    size_t n, p;
    double least;            /* of lambda, as a part of vsum */
    size_t nactive, *active; /* features that vary */
    size_t k;                /* min(n, nactive) */
    double *u, *s, *vt;      /* column-major n x k, k, k x nactive */
    double *b, *ub;          /* y, centred and weighted; U'b */
} Problem;

static bool all_finite(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

/* False when a weight is not finite or not positive. */
static bool set_weights(Problem *q, const double *w)
{
    q->v = ARENA_ARRAY(q->scratch, q->n, double);
    q->root_v = ARENA_ARRAY(q->scratch, q->n, double);
    for (size_t i = 0; i < q->n; i++) {
        q->v[i] = w ? w[i] : 1;
        q->wmax = fmax(q->wmax, q->v[i]);
        if (!isfinite(q->v[i]) || !(q->v[i] > 0))
            return false;
    }
    for (size_t i = 0; i < q->n; i++) {
        q->v[i] /= q->wmax;
        q->root_v[i] = sqrt(q->v[i]);
        q->vsum += q->v[i];
    }
    return true;
}

static double weighted_mean(const Problem *q, const double *column, size_t stride)
{
    double sum = 0;
    for (size_t i = 0; i < q->n; i++)
        sum += q->v[i] * column[i * stride];
    return sum / q->vsum;
}

/* Fills in what the rows tell of a feature. */
static void standardise(const Problem *q, size_t feature, Ridge *r)
{
    const double *column = q->x + feature;
    double low = column[0], high = column[0], sum = 0;
    for (size_t i = 1; i < q->n; i++) {
        low = fmin(low, column[i * q->p]);
        high = fmax(high, column[i * q->p]);
    }
    const double mean = low == high ? low : weighted_mean(q, column, q->p);
    for (size_t i = 0; i < q->n; i++) {
        double d = column[i * q->p] - mean;
        sum += q->v[i] * d * d;
    }
    const double scale = sqrt(sum / q->vsum);
    r->mean[feature] = mean;
    r->scale[feature] = low == high || scale <= CONSTANT_PART * fmax(fabs(low), fabs(high)) ? 0 : scale;
    r->least[feature] = low - (high - low);
    r->most[feature] = high + (high - low);
}

/* Fills the model's means, scales and intercept, and the problem's b; false when a sum overflows. */
static bool centre(Problem *q, Ridge *r)
{
    q->active = ARENA_ARRAY(q->scratch, q->p, size_t);
    for (size_t j = 0; j < q->p; j++) {
        standardise(q, j, r);
        if (r->scale[j] != 0)
            q->active[q->nactive++] = j;
    }
    r->intercept = weighted_mean(q, q->y, 1);
    q->b = ARENA_ARRAY(q->scratch, q->n, double);
    for (size_t i = 0; i < q->n; i++)
        q->b[i] = q->root_v[i] * (q->y[i] - r->intercept);
    return all_finite(r->mean, q->p) && all_finite(r->scale, q->p) && all_finite(q->b, q->n);
}

static double *standardised_matrix(const Problem *q, const Ridge *r)
{
    double *m = arena_array(q->scratch, q->nactive, q->n * sizeof *m);
    for (size_t c = 0; c < q->nactive; c++) {
        size_t j = q->active[c];
        for (size_t i = 0; i < q->n; i++)
            m[c * q->n + i] = q->root_v[i] * (q->x[i * q->p + j] - r->mean[j]) / r->scale[j];
    }
    return m;
}

/* OpenBLAS's own; absent from other libraries. */
extern void openblas_set_num_threads(int n) __attribute__((weak));

/* Decomposes the standardised features and projects b; false when LAPACK fails. */
static bool decompose(Problem *q, const Ridge *r)
{
    q->k = q->n < q->nactive ? q->n : q->nactive;
    if (q->k == 0)
        return true;
    if (q->n > INT_MAX / q->nactive)
        return false;
    q->u = arena_array(q->scratch, q->k, q->n * sizeof(double));
    q->s = ARENA_ARRAY(q->scratch, q->k, double);
    q->vt = arena_array(q->scratch, q->nactive, q->k * sizeof(double));
    q->ub = ARENA_ARRAY(q->scratch, q->k, double);
    double *m = standardised_matrix(q, r), *unconverged = ARENA_ARRAY(q->scratch, q->k, double);
    lapack_int n = (lapack_int)q->n, p = (lapack_int)q->nactive, k = (lapack_int)q->k;
    if (!all_finite(m, q->n * q->nactive) ||
        LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'S', 'S', n, p, m, n, q->s, q->u, n, q->vt, k, unconverged) != 0)
        return false;
    for (size_t j = 0; j < q->k; j++)
        for (size_t i = 0; i < q->n; i++)
            q->ub[j] += q->u[j * q->n + i] * q->b[i];
    return true;
}

/* The leave-one-out error of row i, times sqrt(v_i) as in b; +inf when the row cannot be left out. */
static double loo_error(const Problem *q, double lambda, size_t i)
{
    double left = (q->vsum - q->v[i]) / q->vsum, residual = q->b[i];
    for (size_t j = 0; j < q->k; j++) {
        double u = q->u[j * q->n + i], kept = q->s[j] * q->s[j] / (q->s[j] * q->s[j] + lambda);
        left -= u * u * kept;
        residual -= u * kept * q->ub[j];
    }
    return left > LEAST_LEFT ? residual / left : INFINITY;
}

/* Weighted mean of the squared leave-one-out errors; +inf when a row cannot be left out. */
static double loo_mean_square(const Problem *q, double lambda)
{
    double sum = 0;
    for (size_t i = 0; i < q->n && sum < INFINITY; i++) {
        double error = loo_error(q, lambda, i);
        sum += error * error;
    }
    return sum / q->vsum;
}

/* The best lambda of the grid that is not too small, in units of v; the largest if none can be judged. */
static double choose_lambda(const Problem *q, double *mean_square)
{
    double best = NAN;
    for (int g = GRID_LAST; g >= GRID_FIRST; g--) {
        const double part = pow(10, (double)g / GRID_STEPS_A_DECADE);
        if (part < q->least && g != GRID_LAST)
            break;
        const double error = loo_mean_square(q, q->vsum * part);
        if (g == GRID_LAST || error < *mean_square * (1 - GRID_TIE)) {
            best = q->vsum * part;
            *mean_square = error;
        }
    }
    return best;
}

static void set_coefficients(const Problem *q, double lambda, Ridge *r)
{
    for (size_t j = 0; j < q->k; j++) {
        double part = q->s[j] / (q->s[j] * q->s[j] + lambda) * q->ub[j];
        for (size_t c = 0; c < q->nactive; c++)
            r->coef[q->active[c]] += q->vt[c * q->k + j] * part;
    }
}

static Ridge *fit_problem(Arena *a, Problem *q, const double *w)
{
    if (!set_weights(q, w))
        return NULL;
    Ridge *r = ARENA_NEW(a, Ridge);
    *r = (Ridge){ .nfeature = q->p,
                  .mean = ARENA_ARRAY(a, q->p, double),
                  .scale = ARENA_ARRAY(a, q->p, double),
                  .least = ARENA_ARRAY(a, q->p, double),
                  .most = ARENA_ARRAY(a, q->p, double),
                  .coef = ARENA_ARRAY(a, q->p, double),
                  .nrow = q->n,
                  .loo_error = ARENA_ARRAY(a, q->n, double) };
    if (!centre(q, r) || !decompose(q, r))
        return NULL;
    double mean_square = INFINITY, lambda = choose_lambda(q, &mean_square);
    set_coefficients(q, lambda, r);
    r->lambda = lambda * q->wmax;
    r->loo_rmse = sqrt(mean_square);
    for (size_t i = 0; i < q->n; i++)
        r->loo_error[i] = loo_error(q, lambda, i) / q->root_v[i];
    return all_finite(r->coef, q->p) ? r : NULL;
}

Ridge *ridge_fit(Arena *a, const double *x, const double *y, const double *w, size_t nrow, size_t nfeature,
                 double least)
{
    if (nrow == 0 || !all_finite(x, nrow * nfeature) || !all_finite(y, nrow))
        return NULL;
    /* The solves are small: threads would bring little, sum in an order of their own, and spin for a while on cores
     * that something is timed on. */
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    Problem q = { .scratch = arena_new(), .x = x, .y = y, .n = nrow, .p = nfeature, .least = least };
    Ridge *r = fit_problem(a, &q, w);
    arena_free(q.scratch);
    return r;
}

double ridge_predict(const Ridge *r, const double *x)
{
    double sum = r->intercept;
    for (size_t j = 0; j < r->nfeature; j++)
        if (r->scale[j] != 0)
            sum += r->coef[j] * (fmin(fmax(x[j], r->least[j]), r->most[j]) - r->mean[j]) / r->scale[j];
    return sum;
}
