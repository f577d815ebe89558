/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a template of batch_matmul, so that each template compiles as it stands:
 *   gcc -std=gnu17 -O3 -ffp-contract=fast -fsyntax-only templates/batch_matmul/direct_bmm.c
 */
#include "../family/standalone.h"

#define LAYOUT_A_KM 0
typedef struct {
    int64_t B0, B1, M, N, K;
    int64_t A_stride[3], B_stride[3], Y_stride[3]; /* elements: from one to the next of B0, of B1, of rows */
    const float *A, *B;
    float *Y;
    void *scratch;
} NAME_args;
