/* SPDX-License-Identifier: Apache-2.0
 *
 * contest: who is compared with the package, and what came out, shape by shape.
 */
#ifndef BENCH_CONTEST_H
#define BENCH_CONTEST_H

#include "bench/protocol.h"

enum { COLUMN_OPENBLAS, COLUMN_BLIS, COLUMN_DNNL, COLUMN_DNNL_PACKED, NCOLUMN };

/* What the package is compared with: a peer with W plain, or in its own packed form. */
typedef struct {
    const char *title;
    const Peer *peer;
    bool packed;
} Column;

extern const Column contest_column[NCOLUMN];

typedef struct {
    const char *form; /* of W: "NK", "KN", "packed"; the faster of two. NULL: no result */
    double time_ns, gflops, spread;
    double ratio; /* peer's time / package's, median over rounds; > 1: the package is faster */
} Cell;

typedef struct {
    Shape shape;
    int threads;
    const char *wrong; /* why there is no result for the package; NULL: there is */
    double time_ns, gflops, spread;
    double peak_gflops, read_gbs;
    const char *read_way;
    double limit_share; /* speed / limit: FMA peak, for M <= 4 also what reading W at read_gbs allows */
    int nrepeated;      /* rounds held again because something else took a part of the machine */
    double speedup;     /* over one thread, in the same rounds; NaN with one thread */
    Cell cell[NCOLUMN];
} Line;

/* Opens all peers; those that are not there are named on stderr. */
void contest_open(void);
const char *contest_version(int column); /* NULL: left out */
Line contest_run(Shape z, int threads, int nround);

#endif
