/* SPDX-License-Identifier: Apache-2.0
 *
 * problem: random data for one shape, and whether a result is right.
 */
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include "bench/peer.h"

enum { CHECK_ROWS = 16 };

/* The exact result of some rows: all of them when M is small, else the first, the last and others at random. */
typedef struct {
    int nrow;
    int64_t row[CHECK_ROWS];
    double *y, *bound; /* [nrow][N]: the result, and the sum of the absolute values of its terms */
} Expected;

Problem problem_make(Shape z, bool has_bias, Memory *mem);
Expected expected_make(const Problem *p);
void expected_free(Expected *e);

void problem_spoil(const Problem *p);                       /* every element of Y becomes NaN */
bool problem_is_right(const Problem *p, const Expected *e); /* all of Y written, the rows of e correct */

#endif
