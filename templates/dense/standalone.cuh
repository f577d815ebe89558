/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a CUDA template of dense, so that each of templates/gemm compiles as it stands:
 *   nvcc -std=c++17 -gencode=arch=compute_80,code=sm_80 -diag-suppress 177 -I templates -I templates/dense -cubin templates/gemm/gemv.cu
 */
#include "../family/standalone.cuh"

#define LAYOUT_W_NK 1
#define LAYOUT_W_KN 0
#define PACKED 0

typedef struct {
    int M, N, K;
    const LEFT_TYPE *X; /* [M][K] */
    const RIGHT_TYPE *W;
    RESULT_TYPE *Y;      /* [M][N] */
    int64_t W_stride[1]; /* elements from a row of W to the next */
    void *scratch;
    unsigned *counters;
} NAME_args;
#if SM_ARCH >= 90

typedef struct {
    CUtensorMap x_map, w_map, y_map;
    NAME_args call;
    bool y_map_fits, is_mapped;
} KERNEL_given;
#endif
