/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_matmul: a call of the operator batch_matmul as its peers see it: Y[b,M,N] = A[b,M,K] * B[b,K,N] for each of its batches.
 */
#ifndef BENCH_BATCH_MATMUL_H
#define BENCH_BATCH_MATMUL_H

#include "bench/peer.h"

typedef struct {
    int64_t batches, M, N, K;
    const float *A, *B; /* one batch behind the other */
    float *Y;
    bool a_km, b_nk; /* A is [K][M], B is [N][K] in each batch */
} BatchMatmul;

BatchMatmul batch_matmul_of(const Problem *p);

extern const Peer batch_matmul_openblas, batch_matmul_dnnl, batch_matmul_xsmm;

#endif
