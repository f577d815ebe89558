/* SPDX-License-Identifier: Apache-2.0
 *
 * dense: a call of the operator dense as its peers see it: Y[M,N] = gelu(X[M,K] * W + bias) + residual.
 */
#ifndef BENCH_DENSE_H
#define BENCH_DENSE_H

#include "bench/peer.h"

/* Layouts of W, in op.cfg's order. */
enum { DENSE_NK, DENSE_KN };

typedef struct {
    int64_t M, N, K;
    const float *X, *W, *bias; /* X [M][K]; bias [N], NULL: none */
    const float *residual;     /* [M][N]; NULL: none */
    float *Y;                  /* [M][N] */
    bool kn;                   /* W is [K][N], else [N][K] */
    bool gelu;                 /* the one of erf */
} Dense;

/* W in this form; it is transposed once where the package has it otherwise. FORM_PACKED: W as [N][K], for the peer to
 * pack. */
Dense dense_of(Problem *p, int form);

/* Is the function's formula one that Dense can say? */
bool dense_is_known(const Spec *spec);

extern const Peer dense_openblas, dense_blis, dense_dnnl;

#endif
