/* SPDX-License-Identifier: Apache-2.0
 *
 * contest: who is compared with the package, and what came out, shape by shape.
 */
#ifndef BENCH_CONTEST_H
#define BENCH_CONTEST_H

#include "bench/protocol.h"
#include "bench/shapes.h"

/* What is compared: the package's function, and its operator with its peers. */
typedef struct {
    const Spec *spec;
    const Operator *op;
    bool is_open[MAX_COLUMN];
} Contest;

extern Contest contest;

typedef struct {
    const char *form; /* of the constant operand: "NK", "packed" or ""; the faster of several. NULL: no result */
    double time_ns, speed, spread; /* speed: in contest_unit */
    double ratio;                  /* peer's time / package's, median over rounds; > 1: the package is faster */
} Cell;

struct Line {
    int64_t extent[OP_MAX_EXTENT];
    int threads;
    const char *wrong; /* why there is no result for the package; NULL: there is */
    double time_ns, speed, spread;
    double peak_gflops, read_gbs;
    const char *read_way;
    double limit_share; /* speed / what the machine allows for the shape */
    int nrepeated;      /* rounds held again because something else took a part of the machine */
    double speedup;     /* over one thread, in the same rounds; NaN with one thread */
    Cell cell[MAX_COLUMN];
    Cell best; /* the rival with the shortest time */
};

/* Opens all peers; those that are not there are named on stderr. */
void contest_open(const Spec *spec);
const char *contest_version(int column); /* NULL: left out */
const char *contest_unit(void);          /* "GFLOP/s", or "GB/s" of all operands, each once */
Line contest_run(const Shape *z, int threads, int nround);

#endif
