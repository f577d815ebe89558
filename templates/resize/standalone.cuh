/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a CUDA template for resizing, so that it compiles as it stands:
 *   nvcc -std=c++17 -gencode=arch=compute_80,code=sm_80 -diag-suppress 177 -I templates -cubin templates/resize/resize.cu
 */
#include "../family/standalone.cuh"

typedef struct {
    int N, C, H, W, P, Q, COORDINATES, ROUNDING;
    const LEFT_TYPE *X;
    RESULT_TYPE *Y;
    void *scratch;
    unsigned *counters;
} NAME_args;
#define LAYOUT_X_NCHW 0
#define LAYOUT_Y_NCHW 0
#define NAME_COORDINATES(a) ((a).COORDINATES)
#define NAME_ROUNDING(a) ((a).ROUNDING)
#define IS_LINEAR 1
