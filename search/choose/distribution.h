/* SPDX-License-Identifier: Apache-2.0
 *
 * distribution: how the calls of a log of shapes are spread over each extent, and where their time goes: that of the
 * kernels that were chosen for them, measured or predicted, on the first number of threads.
 */
#ifndef DCGEN_DISTRIBUTION_H
#define DCGEN_DISTRIBUTION_H

#include "gen/template/fill.h"
#include "search/choose/select.h"

enum { DISTRIBUTION_MOST = 6, DISTRIBUTION_FREQUENT = 20 };

/* Along one extent. The shares of values up to and with value[i] ascend to 1. */
typedef struct {
    int extent;
    int64_t n, *value;    /* different ones, ascending */
    double *calls, *time; /* shares */
} Spread;

typedef struct {
    double calls, ns;               /* sums over all shapes */
    double tuned_calls, tuned_time; /* shares of the tuned ones */
    int nspread, nfrequent;
    Spread spread[DISTRIBUTION_MOST];        /* of the extents that callers give and that vary, the first ones */
    int64_t frequent[DISTRIBUTION_FREQUENT]; /* instances, by falling count */
} Distribution;

Distribution distribution_of(Arena *a, const Study *s, const Assignment *as);

/* The least value up to which there is such a share. */
int64_t spread_quantile(const Spread *s, const double *share, double part);

/* Words and lists for patterns of the package. first: the package's number of the assignment's first kernel. */
void distribution_words(FillScope *words, const Study *s, const Assignment *as, int first, const Distribution *d);

#endif
