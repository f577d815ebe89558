/* SPDX-License-Identifier: Apache-2.0
 *
 * stats: medians, geometric means and spreads of repeated measurements.
 */
#include "bench/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int n, double q)
{
    double at = q * (n - 1);
    int i = (int)at;
    return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

Summary stats_summary(const double *x, int n)
{
    if (n == 0)
        return (Summary){ NAN, NAN };
    double *s = malloc(sizeof *s * n);
    memcpy(s, x, sizeof *s * n);
    qsort(s, n, sizeof *s, compare_double);
    double median = quantile(s, n, 0.5);
    Summary result = { median, (quantile(s, n, 0.75) - quantile(s, n, 0.25)) / median };
    free(s);
    return result;
}

Summary stats_ratio(const double *over, const double *under, int n)
{
    double *r = malloc(sizeof *r * (n + 1));
    for (int i = 0; i < n; i++)
        r[i] = over[i] / under[i];
    Summary result = stats_summary(r, n);
    free(r);
    return result;
}

double stats_geomean(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += log(x[i]);
    return exp(sum / n);
}

double stats_min(const double *x, int n)
{
    double least = NAN;
    for (int i = 0; i < n; i++)
        least = fmin(least, x[i]);
    return least;
}
