/* SPDX-License-Identifier: Apache-2.0
 *
 * order: comparisons of numbers and of words, for qsort and bsearch.
 */
#ifndef DCGEN_ORDER_H
#define DCGEN_ORDER_H

#include <stdint.h>
#include <string.h>

/* Lists of n numbers: the first that differ decide. */
static inline int order_numbers(const int64_t *x, const int64_t *y, int n)
{
    int i = 0;
    while (i + 1 < n && x[i] == y[i])
        i++;
    return n > 0 ? (x[i] > y[i]) - (x[i] < y[i]) : 0;
}

static inline int order_reals(const double *x, const double *y, int n)
{
    int order = 0;
    for (int i = 0; !order && i < n; i++)
        order = (x[i] > y[i]) - (x[i] < y[i]);
    return order;
}

static inline int order_number(const void *x, const void *y) { return order_numbers(x, y, 1); }
static inline int order_word(const void *x, const void *y) { return strcmp(*(char *const *)x, *(char *const *)y); }

#endif
