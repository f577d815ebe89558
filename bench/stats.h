/* SPDX-License-Identifier: Apache-2.0
 *
 * stats: what is told of repeated measurements.
 */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

typedef struct {
    double median, spread;
} Summary; /* spread: (3rd - 1st quartile) / median */

Summary stats_summary(const double *x, int n);
Summary stats_ratio(const double *over, const double *under, int n); /* of over[i] / under[i] */
double stats_geomean(const double *x, int n);                        /* NaN when n is 0 */
double stats_min(const double *x, int n);

#endif
