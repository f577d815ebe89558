/* SPDX-License-Identifier: Apache-2.0
 *
 * dnnl: what oneDNN can do for the operators: a product of matrices with what is done to its result (dnnl_matmul.c), softmax and layernorm of rows
 * (dnnl_rows.c). Each is set up once and run again and again on the same data. Where the bench is built without oneDNN, none can be set up.
 */
#ifndef BENCH_DNNL_H
#define BENCH_DNNL_H

#include "bench/peer.h"

/* Y[b] = gelu(A[b] * B[b] + bias) + residual[b]: all lie densely. */
typedef struct {
    int64_t batches; /* 0: there is no such axis */
    int64_t M, N, K;
    const float *A, *B, *bias; /* bias [N]; NULL: none */
    const float *residual;     /* as Y; NULL: none. Where it is Y itself, each run adds to what the one before left */
    float *Y;
    bool a_km, b_nk; /* A is [K][M], B is [N][K] */
    bool packed;     /* B is reordered once into the format that oneDNN prefers */
    bool gelu;       /* the one of erf */
} DnnlMatmul;

/* Y = softmax or layernorm of each row of X; both are [rows][columns], and may be the same. */
typedef struct {
    int64_t rows, columns;
    const float *X;
    float *Y;
    const float *gamma, *beta; /* [columns]; layernorm's */
    float epsilon;             /* layernorm's */
} DnnlRows;

/* NULL: cannot */
void *dnnl_setup(const DnnlMatmul *m, Memory *mem, int threads);
void *dnnl_softmax_setup(const DnnlRows *r, Memory *mem, int threads);
void *dnnl_layernorm_setup(const DnnlRows *r, Memory *mem, int threads);

bool dnnl_run(void *state);
void dnnl_teardown(void *state);

#endif
