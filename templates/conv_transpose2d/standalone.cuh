/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a CUDA template of conv_transpose2d, so that each template compiles as it stands:
 *   nvcc -std=c++17 -gencode=arch=compute_80,code=sm_80 -diag-suppress 177 -I templates -cubin templates/conv_transpose2d/scalar_conv.cu
 */
#include "../family/standalone.cuh"

#define LAYOUT_X_NCHW 0
#define LAYOUT_Y_NCHW 0
#define LAYOUT_F_CKRS 1
#define LAYOUT_F_CRSK 0

typedef struct {
    int N, G, H, W, C, K, R, S, STRIDE_H, STRIDE_W, PAD_T, PAD_B, PAD_L, PAD_R, DIL_H, DIL_W, MORE_H, MORE_W, P, Q, IC, OC;
    const LEFT_TYPE *X;
    const RIGHT_TYPE *F;
    RESULT_TYPE *Y;
    int64_t F_stride[3]; /* elements from one filter, row and column of taps to the next */
    void *scratch;
    unsigned *counters;
} NAME_args;
#define NAME_STRIDE_H(a) ((a).STRIDE_H)
#define NAME_STRIDE_W(a) ((a).STRIDE_W)
#define NAME_PAD_T(a) ((a).PAD_T)
#define NAME_PAD_L(a) ((a).PAD_L)
#define NAME_DIL_H(a) ((a).DIL_H)
#define NAME_DIL_W(a) ((a).DIL_W)
