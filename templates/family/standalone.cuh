/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a CUDA template of any operator: standalone.cuh of an operator adds what a call is. Before it -DSM_ARCH=75 for
 * another architecture than sm_80, and -DDTYPE_F16=1, -DDTYPE_BF16=1, -DDTYPE_TF32=1 or -DDTYPE_TF32X3=1 for another type than float, where a template
 * has those.
 */
#pragma once
#if SM_ARCH >= 90
#include <cuda.h>
#endif
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#define TARGET_GUARD 1 /* a condition over __CUDA_ARCH__ in a package */
#ifndef SM_ARCH
#define SM_ARCH 80
#endif
#define HAS_EPILOGUE 0
#define OUTPUT_READ 0
#define ANY_STRIDED 0
#define X_STRIDED 0
#define Y_STRIDED 0
#define STRIDED(operand, strides, dense) dense /* operands lie densely */
#ifndef DTYPE_F16
#define DTYPE_F16 0
#endif
#ifndef DTYPE_BF16
#define DTYPE_BF16 0
#endif
#ifndef DTYPE_TF32
#define DTYPE_TF32 0
#endif
#ifndef DTYPE_TF32X3
#define DTYPE_TF32X3 0
#endif
#define DTYPE_F32 (!DTYPE_F16 && !DTYPE_BF16 && !DTYPE_TF32 && !DTYPE_TF32X3)
#define ELEM_BYTES (DTYPE_F16 || DTYPE_BF16 ? 2 : 4)
#if DTYPE_F16
#define RESULT_ELEMENT_of f16_of
#define LEFT_ELEMENT_to_float f16_to_float
#define DTYPE_mma f16_mma
#elif DTYPE_BF16
#define RESULT_ELEMENT_of bf16_of
#define LEFT_ELEMENT_to_float bf16_to_float
#define DTYPE_mma bf16_mma
#else
#define RESULT_ELEMENT_of f32_of
#define LEFT_ELEMENT_to_float f32_to_float
#if DTYPE_TF32X3
#define DTYPE_mma tf32x3_mma
#else
#define DTYPE_mma tf32_mma
#endif
#endif
#define RIGHT_ELEMENT_to_float LEFT_ELEMENT_to_float

#if DTYPE_F16 || DTYPE_BF16
typedef unsigned short LEFT_TYPE; /* the bits */
#else
typedef float LEFT_TYPE;
#endif
typedef LEFT_TYPE RIGHT_TYPE, RESULT_TYPE;

namespace PACKAGE_device {
#include "device/atomic_add_acq_rel.cuh"
#include "device/bf16_of.cuh"
#include "device/bf16_to_float.cuh"
#include "device/f16_of.cuh"
#include "device/f16_to_float.cuh"
#include "device/f32_of.cuh"
#include "device/f32_to_float.cuh"
#include "device/greater.cuh"
#include "device/lesser.cuh"
#include "device/load_l2.cuh"
#include "device/load_l2_16.cuh"
#include "device/load_once16.cuh"
#include "device/load_row.cuh"
#include "device/shared_address.cuh"
#include "device/shared_memory.cuh"
#include "device/shfl_down.cuh"
#include "device/shfl_xor.cuh"
#include "device/store_row.cuh"
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
#include "device/tf32_split.cuh"
#include "device/tf32x3_mma.cuh"
#endif
#if SM_ARCH >= 90
#include "device/barrier_arrive.cuh"
#include "device/barrier_sync.cuh"
#include "device/bulk_commit.cuh"
#include "device/bulk_wait_read.cuh"
#include "device/cluster_arrive.cuh"
#include "device/cluster_load16.cuh"
#include "device/cluster_rank.cuh"
#include "device/cluster_wait.cuh"
#include "device/mbarrier_arrive.cuh"
#include "device/mbarrier_arrive_expect.cuh"
#include "device/mbarrier_init.cuh"
#include "device/mbarrier_init_fence.cuh"
#include "device/mbarrier_wait.cuh"
#include "device/proxy_fence.cuh"
#include "device/registers_less.cuh"
#include "device/registers_more.cuh"
#include "device/tensor_load_2.cuh"
#include "device/tensor_load_3.cuh"
#include "device/tensor_load_4.cuh"
#include "device/tensor_store_2.cuh"
#include "device/tensor_store_3.cuh"
#define EMULATOR 0
#include "device/warp_uniform.cuh"
#undef EMULATOR
#include "device/warp_sync.cuh"
#include "device/wgmma_commit.cuh"
#include "device/wgmma_fence.cuh"
#include "device/wgmma_matrix.cuh"
#include "device/wgmma_wait.cuh"
/* In the place of those that the pattern wgmma.cuh and its like become: they multiply nothing. */
template <int n> static __device__ __forceinline__ void DTYPE_wgmma_WIDE(float (&)[n], uint64_t, uint64_t, int) {}
template <int n> static __device__ __forceinline__ void DTYPE_wgmma_kn_WIDE(float (&)[n], uint64_t, uint64_t, int) {}
template <int n> static __device__ __forceinline__ void DTYPE_wgmma_regs_WIDE(float (&)[n], const unsigned (&)[4], uint64_t, int) {}
#endif
}
