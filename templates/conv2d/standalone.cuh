/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a CUDA template of conv2d, so that each template compiles as it stands:
 *   nvcc -std=c++17 -gencode=arch=compute_80,code=sm_80 -diag-suppress 177 -I templates -cubin templates/conv2d/depthwise.cu
 */
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#define TARGET_GUARD 1 /* a condition over __CUDA_ARCH__ in a package */
#define HAS_EPILOGUE 0
#define LAYOUT_F_KRSC 1
#define LAYOUT_F_KCRS 0
#ifndef DTYPE_F16 /* -DDTYPE_F16=1 or -DDTYPE_BF16=1 before, for another type than float */
#define DTYPE_F16 0
#endif
#ifndef DTYPE_BF16
#define DTYPE_BF16 0
#endif
#define ELEM_BYTES (DTYPE_F16 || DTYPE_BF16 ? 2 : 4)
#if DTYPE_F16
#define ELEMENT_of f16_of
#define ELEMENT_to_float f16_to_float
#elif DTYPE_BF16
#define ELEMENT_of bf16_of
#define ELEMENT_to_float bf16_to_float
#else
#define ELEMENT_of f32_of
#define ELEMENT_to_float f32_to_float
#endif

#if DTYPE_F16 || DTYPE_BF16
typedef unsigned short NAME_elem; /* the bits */
#else
typedef float NAME_elem;
#endif
typedef struct {
    int N, G, H, W, C, K, R, S, STRIDE_H, STRIDE_W, PAD_T, PAD_B, PAD_L, PAD_R, DIL_H, DIL_W, P, Q, IC, OC;
    const NAME_elem *X, *F;
    NAME_elem *Y;
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

namespace PACKAGE_device {
#include "device/bf16_of.cuh"
#include "device/bf16_to_float.cuh"
#include "device/f16_of.cuh"
#include "device/f32_of.cuh"
#include "device/f16_to_float.cuh"
#include "device/f32_to_float.cuh"
#include "device/load_row.cuh"
#include "device/shared_memory.cuh"
#include "device/store_row.cuh"
}
