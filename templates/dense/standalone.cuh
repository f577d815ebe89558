/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a CUDA template of dense, so that each template compiles as it stands:
 *   nvcc -std=c++17 -gencode=arch=compute_80,code=sm_80 -diag-suppress 177 -I templates -cubin templates/dense/gemv.cu
 */
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#define TARGET_GUARD 1 /* a condition over __CUDA_ARCH__ in a package */
#ifndef SM_ARCH
#define SM_ARCH 80
#endif
#define HAS_EPILOGUE 0
#define LAYOUT_W_NK 1
#define LAYOUT_W_KN 0
#define PACKED 0
#ifndef DTYPE_F16 /* -DDTYPE_F16=1, -DDTYPE_BF16=1 or -DDTYPE_TF32=1 before, where a template has those */
#define DTYPE_F16 0
#endif
#ifndef DTYPE_BF16
#define DTYPE_BF16 0
#endif
#ifndef DTYPE_TF32
#define DTYPE_TF32 0
#endif
#define DTYPE_F32 (!DTYPE_F16 && !DTYPE_BF16 && !DTYPE_TF32)
#define ELEM_BYTES (DTYPE_F16 || DTYPE_BF16 ? 2 : 4)
#if DTYPE_F16
#define ELEMENT_of f16_of
#define ELEMENT_to_float f16_to_float
#define DTYPE_mma f16_mma
#elif DTYPE_BF16
#define ELEMENT_of bf16_of
#define ELEMENT_to_float bf16_to_float
#define DTYPE_mma bf16_mma
#else
#define ELEMENT_of f32_of
#define ELEMENT_to_float f32_to_float
#define DTYPE_mma tf32_mma
#endif

#if DTYPE_F16 || DTYPE_BF16
typedef unsigned short NAME_elem; /* the bits */
#else
typedef float NAME_elem;
#endif
typedef struct {
    int M, N, K;
    const NAME_elem *X, *W; /* X [M][K] */
    NAME_elem *Y;                  /* [M][N] */
    int64_t W_stride[1];           /* elements from a row of W to the next */
    void *scratch;
    unsigned *counters;
} NAME_args;

namespace PACKAGE_device {
#include "device/atomic_add_acq_rel.cuh"
#include "device/bf16_of.cuh"
#include "device/bf16_to_float.cuh"
#include "device/f16_of.cuh"
#include "device/f32_of.cuh"
#include "device/f16_to_float.cuh"
#include "device/f32_to_float.cuh"
#include "device/load_l2.cuh"
#include "device/load_l2_16.cuh"
#include "device/load_once16.cuh"
#include "device/shared_address.cuh"
#include "device/shared_memory.cuh"
#include "device/shfl_down.cuh"
#include "device/shfl_xor.cuh"
#if SM_ARCH >= 80
#include "device/cp_async16.cuh"
#include "device/cp_async4.cuh"
#include "device/cp_async8.cuh"
#include "device/cp_commit.cuh"
#include "device/cp_wait.cuh"
#include "device/ldmatrix_x2.cuh"
#include "device/ldmatrix_x2_trans.cuh"
#include "device/ldmatrix_x4.cuh"
#include "device/ldmatrix_x4_trans.cuh"
#include "device/bf16_mma.cuh"
#include "device/f16_mma.cuh"
#include "device/tf32_mma.cuh"
#include "device/tf32_of.cuh"
#endif
}
