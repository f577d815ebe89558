/* SPDX-License-Identifier: Apache-2.0
 *
 * peers: what libraries have of a function on vectors: glibc's libmvec, and Sleef at its accuracies of 1 and 3.5 ULP.
 */
#ifndef BENCH_VECTOR_PEERS_H
#define BENCH_VECTOR_PEERS_H

enum { PEERS = 3 };

typedef struct {
    char symbol[64];
    int vector_bytes;
    void *function; /* takes and gives one vector; NULL: the library, or the function in it, is not there */
} Peer;

/* Peer number i (0 .. PEERS - 1) of a function, for vectors of 64, 32 or 16 bytes. */
Peer peer_find(int i, const char *function, int vector_bytes);

/* y[k] = f(x[k]) for k < n, a multiple of 16. */
void peer_call(const Peer *peer, float *y, const float *x, int n);

#endif
