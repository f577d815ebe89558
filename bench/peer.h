/* SPDX-License-Identifier: Apache-2.0
 *
 * peer: a library that computes Y[M,N] = X[M,K] * W (+ bias), as one row of a table. The package is a row too.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/memory.h"

typedef enum { FORM_NK, FORM_KN, FORM_PACKED } WeightForm; /* [N][K]; [K][N]; the library's own form, made once */

typedef struct {
    int64_t M, N, K;
} Shape;

/* One problem with its data. All buffers, those of the peers too, come from `mem`: 64-byte aligned, huge pages. */
typedef struct {
    Shape shape;
    const float *X;           /* [M][K] */
    const float *W_nk, *W_kn; /* the same values in both orders */
    const float *bias;        /* [N]; NULL: none */
    float *Y;                 /* [M][N] */
    Memory *mem;
} Problem;

typedef struct {
    const char *name;             /* "OpenBLAS" */
    unsigned forms;               /* the forms of W it can be given: bit 1 << FORM_... */
    const char *(*open)(void);    /* once, first: NULL, or why this peer is left out */
    const char *(*version)(void); /* with the code path it runs, where it can tell */
    void *(*setup)(const Problem *p, WeightForm form, int threads); /* what is done once; NULL: cannot */
    bool (*run)(void *state);                                       /* what is timed; false: failed */
    void (*teardown)(void *state);
} Peer;

extern const Peer package_peer, openblas_peer, blis_peer, dnnl_peer;

/* Leave the libraries' variables and their choice of a code path alone, also where it is poor because they do not know
 * the CPU. */
extern bool peer_as_shipped;

/* The package under test (package.c.in). */
typedef struct {
    const char *name, *spec;       /* spec: path of the spec that it was made from */
    bool w_packed, w_kn, has_bias; /* w_packed: W goes through the package's own call; w_kn: W is [K][N] */
    int (*choose)(int64_t M, int64_t N, int64_t K);
} Package;

extern const Package package;

#endif
