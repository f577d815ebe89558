/* SPDX-License-Identifier: Apache-2.0
 *
 * dnnl: a product of matrices by oneDNN's matmul primitive, for the operators that are one.
 */
#ifndef BENCH_DNNL_H
#define BENCH_DNNL_H

#include "bench/peer.h"

/* Y[b] = A[b] * B[b] (+ bias): all lie densely. */
typedef struct {
    int64_t batches; /* 0: there is no such axis */
    int64_t M, N, K;
    const float *A, *B, *bias; /* bias [N]; NULL: none */
    float *Y;
    bool a_km, b_nk;           /* A is [K][M], B is [N][K] */
    bool packed;               /* B is reordered once into the format that oneDNN prefers */
} DnnlMatmul;

void *dnnl_setup(const DnnlMatmul *m, Memory *mem, int threads); /* NULL: cannot */
bool dnnl_run(void *state);
void dnnl_teardown(void *state);

#endif
