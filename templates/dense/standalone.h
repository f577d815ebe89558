/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a template of dense, so that each template compiles as it stands:
 *   gcc -std=gnu17 -O3 -ffp-contract=fast -fsyntax-only templates/dense/packed_gemm.c
 */
#include "../family/standalone.h"

typedef struct {
    int64_t M, N, K;
    const float *X, *W;
    float *Y;
    void *scratch;
} NAME_args;
