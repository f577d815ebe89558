/* SPDX-License-Identifier: Apache-2.0
 *
 * protocol: how contestants are timed against each other on one shape (README.md says why so).
 */
#ifndef BENCH_PROTOCOL_H
#define BENCH_PROTOCOL_H

#include "bench/peer.h"

enum { MAX_ROUND = 99, MAX_CONTESTANT = 16 };

typedef struct {
    const Peer *peer;
    int form;
    int threads;
    const char *left_out;      /* why it is not timed; NULL: it is */
    double time_ns[MAX_ROUND]; /* of one call, mean of a burst */

    Span constant; /* what is flushed before each call that is timed; 0 bytes: nothing */
    void *state;
    int ncall; /* calls in a burst */
} Contestant;

/* One shape with one thread count. contestant[0] is the package. */
typedef struct {
    const int64_t *extent;
    Span streamed;      /* what the streaming read reads */
    bool streamed_cold; /* ... flushed ahead of each pass */
    int threads, nround, ncontestant;
    Contestant contestant[MAX_CONTESTANT];
    double peak_gflops[MAX_ROUND]; /* FMA peak of `threads` threads */
    double read_gbs[MAX_ROUND];    /* streaming read of `streamed` */
    int read_way;
    int nrepeated; /* rounds held again */
} Match;

/* Sets up and verifies every contestant, times nround rounds, takes all down again. */
void match_run(Match *m, Problem *p);

#endif
