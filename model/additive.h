/* SPDX-License-Identifier: Apache-2.0
 *
 * additive: a time as a sum of parts, each with a price: t = sum_k price_k x_k, price_k >= 0. Prices are fitted to
 * measured times so that relative errors count, and shrunk towards one common price, that of a model of which nobody
 * knows better:
 *
 *   min  sum_i w_i (sum_k b_k z_ik - 1)^2 + lambda * sum_i w_i * sum_k (b_k - 1)^2,
 *        b_k >= 0, z_ik = common * x_ik / t_i
 *
 * a ridge regression about 1 instead of 0, with price_k = common * b_k. lambda is chosen by five-fold cross-validation.
 * Knows no dcgen type.
 */
#ifndef DCGEN_ADDITIVE_H
#define DCGEN_ADDITIVE_H

#include <stdbool.h>
#include <stddef.h>

enum { ADDITIVE_MAX = 20 };

/* x: nrow x npart, row-major, >= 0; t > 0, w > 0: one a row. The one price for all parts with which their sums come
 * nearest to the times: what stands for each of them when nothing else is known. 0 when no row has a positive sum. */
double additive_common(const double *x, const double *t, const double *w, size_t nrow, size_t npart);
/* Fills price[0..npart-1]; npart <= ADDITIVE_MAX, common > 0. With no row every price is the common one. */
void additive_fit(const double *x, const double *t, const double *w, size_t nrow, size_t npart, double common,
                  double *price);

#endif
