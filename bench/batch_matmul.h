/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_matmul: a call of the operator batch_matmul as its peers see it: Y[b,M,N] = A[b,M,K] * B[b,K,N] + bias[N] for
 * each of its batches.
 */
#ifndef BENCH_BATCH_MATMUL_H
#define BENCH_BATCH_MATMUL_H

#include "bench/peer.h"

typedef struct {
    int64_t batches, M, N, K;
    const float *A, *B, *bias; /* one batch behind the other; bias: NULL where there is none */
    float *Y;
    bool a_km, b_nk; /* A is [K][M], B is [N][K] in each batch */
} BatchMatmul;

BatchMatmul batch_matmul_of(const Problem *p);

/* Lays the bias into Y of a batch, to be kept by beta = 1, as users of a BLAS do. */
void batch_matmul_lay_bias(const BatchMatmul *m, int64_t batch);

extern const Peer batch_matmul_openblas, batch_matmul_dnnl, batch_matmul_xsmm;

#endif
