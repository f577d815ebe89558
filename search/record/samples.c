/* SPDX-License-Identifier: Apache-2.0
 *
 * samples: takes lists of times, gives their quartiles and the time that counts of them.
 */
#include "search/record/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/arena.h"

int samples_compare(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The value at a place of the sorted list, between two of them interpolated linearly; 0 when there is no sample. */
static double value_at(const double *v, int n, double at)
{
    if (n <= 0)
        return 0;
    Arena *scratch = arena_new();
    double *sorted = ARENA_ARRAY(scratch, (size_t)n, double);
    const int i = (int)at;
    memcpy(sorted, v, (size_t)n * sizeof *v);
    qsort(sorted, (size_t)n, sizeof *sorted, samples_compare);
    const double value = i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
    arena_free(scratch);
    return value;
}

double samples_least(const double *v, int n)
{
    double least = n > 0 ? v[0] : 0;
    for (int i = 1; i < n; i++)
        least = v[i] < least ? v[i] : least;
    return least;
}

double samples_time(const double *v, int n, bool undisturbed)
{
    double sum = 0, slowest = 0;
    if (undisturbed)
        return samples_least(v, n);
    for (int i = 0; i < n; i++) {
        sum += v[i];
        slowest = fmax(slowest, v[i]);
    }
    return n > 2 ? (sum - slowest) / (n - 1) : n ? sum / n : 0;
}

double samples_error(const double *v, int n, bool undisturbed)
{
    const double time = samples_time(v, n, undisturbed);
    double squares = 0;
    if (n < 2 || !(time > 0))
        return 0;
    if (undisturbed)
        return value_at(v, n, 1) / time - 1;
    for (int i = 0; i < n; i++)
        squares += (v[i] / time - 1) * (v[i] / time - 1);
    return sqrt(squares / (n - 1) / n);
}

double samples_median(const double *v, int n) { return value_at(v, n, 0.5 * (n - 1)); }

double samples_spread(const double *v, int n)
{
    const double median = samples_median(v, n);
    return median != 0 ? (value_at(v, n, 0.75 * (n - 1)) - value_at(v, n, 0.25 * (n - 1))) / median : 0;
}
