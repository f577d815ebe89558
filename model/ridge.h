/* SPDX-License-Identifier: Apache-2.0
 *
 * ridge: linear least squares with a penalty, min_b sum_i w_i (y_i - b0 - x_i.b)^2 + lambda |b|^2 over standardised
 * features; the intercept b0 is not penalised. lambda is chosen by leave-one-out (the closed form with the hat matrix,
 * Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 7.10), from a fixed grid of multiples of the
 * total weight, 1e-10 ... 1e3, from `least` up. LAPACK decomposes the matrix. Knows no dcgen type.
 */
#ifndef DCGEN_RIDGE_H
#define DCGEN_RIDGE_H

#include <stddef.h>
#include "gen/base/arena.h"

typedef struct {
    size_t nfeature;
    double *mean, *scale; /* of each feature; scale 0: constant, ignored */
    /* Of each feature: predictions clamp it to least..most, the range of the rows and as much again on each side. */
    double *least, *most;
    double *coef; /* over standardised features */
    double intercept;
    double lambda;
    double loo_rmse; /* leave-one-out weighted root mean square error at lambda; +inf when nrow is 1 */
    size_t nrow;
    /* Of each row: y minus what the fit without that row predicts, at lambda; +inf: it cannot be left out. */
    double *loo_error;
} Ridge;

/* x: nrow x nfeature, row-major; y: nrow; w: nrow weights > 0, or NULL for 1. least: the least lambda, as a part of the
 * total weight, at most 1e3; 0: any. Where y leaves little to explain, rows cannot tell that from chance, and would
 * choose a lambda that is too small. NULL when nrow is 0, a value is not finite, or LAPACK fails. One row is enough
 * (then the intercept alone). */
Ridge *ridge_fit(Arena *a, const double *x, const double *y, const double *w, size_t nrow, size_t nfeature,
                 double least);
/* x: nfeature values. */
double ridge_predict(const Ridge *r, const double *x);

#endif
