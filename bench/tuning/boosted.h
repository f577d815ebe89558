/* SPDX-License-Identifier: Apache-2.0
 *
 * boosted: gradient-boosted trees (XGBoost), which auto-schedulers use as their cost model, for comparison with the
 * ridge regression.
 */
#ifndef BENCH_TUNING_BOOSTED_H
#define BENCH_TUNING_BOOSTED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Boosted Boosted;

bool boosted_there(void); /* was the library there when this was built? */
/* x: nrow x nfeature, row-major; y, w: one a row. NULL with a message on stderr. */
Boosted *boosted_fit(const double *x, const double *y, const double *w, size_t nrow, size_t nfeature);
/* Predictions for nrow rows; false with a message on stderr. */
bool boosted_predict(const Boosted *b, const double *x, size_t nrow, double *out);
void boosted_free(Boosted *b);

#endif
