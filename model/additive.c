/* SPDX-License-Identifier: Apache-2.0
 *
 * additive: the normal equations of each fold are summed up once; any lambda is then solved by coordinate descent,
 * which is exact under b_k >= 0 for such small problems.
 */
#include "model/additive.h"

#include <math.h>

enum { FOLDS = 5, SWEEPS = 2000 };
static const double LAMBDA[] = { 1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4 };
enum { NLAMBDA = sizeof LAMBDA / sizeof *LAMBDA };
static const double LAMBDA_TIE = 1e-9; /* a smaller lambda must be better by this part */
static const double CONVERGED = 1e-12;

/* sum w z z' over some rows, where the last z is 1: so its last row is sum w z, and the last of that sum w. */
typedef struct {
    size_t n; /* parts, without that 1 */
    double a[ADDITIVE_MAX + 1][ADDITIVE_MAX + 1];
} Normal;

static void normal_add(Normal *q, const double *x, double t, double w, double common)
{
    double z[ADDITIVE_MAX + 1];
    for (size_t k = 0; k < q->n; k++)
        z[k] = common * x[k] / t;
    z[q->n] = 1;
    for (size_t k = 0; k <= q->n; k++)
        for (size_t l = 0; l <= q->n; l++)
            q->a[k][l] += w * z[k] * z[l];
}

static void normal_combine(Normal *q, const Normal *x, double sign)
{
    for (size_t k = 0; k <= q->n; k++)
        for (size_t l = 0; l <= q->n; l++)
            q->a[k][l] += sign * x->a[k][l];
}

/* The b that minimise the sum of additive.h. b[n] is -1: with it, z'b is by how much the parts' sum misses the 1 that
 * it is to be. */
static void fit_parts(const Normal *q, double lambda, double *b)
{
    const double penalty = lambda * q->a[q->n][q->n];
    for (size_t k = 0; k <= q->n; k++)
        b[k] = k < q->n ? 1 : -1;
    for (int sweep = 0; sweep < SWEEPS && penalty > 0; sweep++) {
        double change = 0;
        for (size_t k = 0; k < q->n; k++) {
            double sum = q->a[q->n][k] + penalty;
            for (size_t l = 0; l < q->n; l++)
                sum -= l != k ? q->a[k][l] * b[l] : 0;
            const double next = fmax(0, sum / (q->a[k][k] + penalty));
            change = fmax(change, fabs(next - b[k]));
            b[k] = next;
        }
        if (change < CONVERGED)
            return;
    }
}

/* sum w (z'b)^2 */
static double squared_error(const Normal *q, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k <= q->n; k++)
        for (size_t l = 0; l <= q->n; l++)
            sum += b[k] * b[l] * q->a[k][l];
    return sum;
}

/* The squared errors of all rows, each row predicted by a fit without its fold. */
static double blind_error(const Normal *all, const Normal *fold, double lambda)
{
    double sum = 0, b[ADDITIVE_MAX + 1];
    for (int i = 0; i < FOLDS; i++) {
        Normal others = *all;
        normal_combine(&others, &fold[i], -1);
        fit_parts(&others, lambda, b);
        sum += squared_error(&fold[i], b);
    }
    return sum;
}

static double choose_lambda(const Normal *all, const Normal *fold)
{
    double best = LAMBDA[0], least = INFINITY;
    for (int i = 0; i < NLAMBDA; i++) {
        const double e = blind_error(all, fold, LAMBDA[i]);
        if (e < least * (1 - LAMBDA_TIE)) {
            least = e;
            best = LAMBDA[i];
        }
    }
    return best;
}

double additive_common(const double *x, const double *t, const double *w, size_t nrow, size_t npart)
{
    double sum = 0, total = 0;
    for (size_t i = 0; i < nrow; i++) {
        double parts = 0;
        for (size_t k = 0; k < npart; k++)
            parts += x[i * npart + k];
        if (!(parts > 0))
            continue;
        sum += w[i] * log(t[i] / parts);
        total += w[i];
    }
    return total > 0 ? exp(sum / total) : 0;
}

void additive_fit(const double *x, const double *t, const double *w, size_t nrow, size_t npart, double common,
                  double *price)
{
    Normal all = { .n = npart }, fold[FOLDS];
    double b[ADDITIVE_MAX + 1];
    for (int f = 0; f < FOLDS; f++) {
        fold[f] = (Normal){ .n = npart };
        for (size_t i = (size_t)f; i < nrow; i += FOLDS)
            normal_add(&fold[f], x + i * npart, t[i], w[i], common);
        normal_combine(&all, &fold[f], 1);
    }
    fit_parts(&all, nrow ? choose_lambda(&all, fold) : 0, b);
    for (size_t k = 0; k < npart; k++)
        price[k] = common * b[k];
}
