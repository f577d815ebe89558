/* SPDX-License-Identifier: Apache-2.0
 *
 * rows: a call of an operator that computes rows, as its peers see it.
 */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include "bench/dnnl.h"

/* What oneDNN calls the function's formula: sets it up. NULL: it has no such primitive. */
typedef void *RowsSetup(const DnnlRows *r, Memory *mem, int threads);
RowsSetup *rows_known(const Spec *spec);

/* The operand that the formula is of has the output's elements, and comes first. */
DnnlRows rows_of(const Problem *p);

/* rows_copy: memcpy from that operand to the output, which threads share out. */
extern const Peer rows_dnnl, rows_copy;

#endif
