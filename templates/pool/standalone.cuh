/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a CUDA template for pooling, so that it compiles as it stands:
 *   nvcc -std=c++17 -gencode=arch=compute_80,code=sm_80 -diag-suppress 177 -I templates -cubin templates/pool/pool.cu
 */
#include "../family/standalone.cuh"

typedef struct {
    int N, C, H, W, R, S, STRIDE_H, STRIDE_W, PAD_T, PAD_B, PAD_L, PAD_R, DIL_H, DIL_W, COUNT_PAD, P, Q;
    const LEFT_TYPE *X;
    RESULT_TYPE *Y;
    void *scratch;
    unsigned *counters;
} NAME_args;
#define NAME_STRIDE_H(a) ((a).STRIDE_H)
#define NAME_STRIDE_W(a) ((a).STRIDE_W)
#define NAME_PAD_T(a) ((a).PAD_T)
#define NAME_PAD_L(a) ((a).PAD_L)
#define NAME_DIL_H(a) ((a).DIL_H)
#define NAME_DIL_W(a) ((a).DIL_W)
#define NAME_COUNT_PAD(a) ((a).COUNT_PAD)
#define LAYOUT_X_NCHW 0
#define LAYOUT_Y_NCHW 0
#define IS_MAX 0
