/* SPDX-License-Identifier: Apache-2.0
 *
 * operator: what the contest knows of an operator: who is compared with a package of it, which limits it has, what it
 * is held to. A file each (dense.c, gated_dense.c ...), one for pooling and resizing (images.c), and one
 * a peer beside it (dense_cblas.c ...). A package of any other operator is measured against the limits alone.
 */
#ifndef BENCH_OPERATOR_H
#define BENCH_OPERATOR_H

#include "bench/goal.h"
#include "bench/peer.h"

enum { MAX_COLUMN = 6, MAX_QUICK = 8 };

/* How a peer has the constant operand: in any order in which a user may store it; in its own packed form; or in the
 * latter only where the package packs too, else in the package's order. */
typedef enum { PLAIN, PACKED, AS_PACKAGE } Keeps;

/* What the package is compared with. */
typedef struct {
    const char *title;
    const Peer *peer;
    Keeps keeps;
} Column;

typedef struct Operator {
    const char *name; /* of the op */
    int along;        /* the extent that goals and --quick speak of */
    int streamed;     /* the operand that the streaming read is as large as */
    int64_t quick
        /* values of that extent that --quick keeps; 0 ends them. Where a spec has none: each fifth shape */
        [MAX_QUICK];
    int ncolumn;
    Column column[MAX_COLUMN];
    /* GFLOP/s that this CPU allows; NULL: its FMA peak. Or whose time is the least there can be; NULL: no peer's. */
    double (*limit_gflops)(const int64_t *extent, double peak_gflops, double read_gbs);
    const Peer *limit;
    int ngoal;
    const Goal *goals;
} Operator;

extern const Operator dense_operator, gated_dense_operator, batch_matmul_operator, conv2d_operator, rows_operator;
extern const Operator batch_rows_operator;
extern const Operator max_pool2d_operator, avg_pool2d_operator, resize_nearest_operator, resize_bilinear_operator;

/* The row of an op. */
const Operator *operator_of(const Op *op);

#endif
