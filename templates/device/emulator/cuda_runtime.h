/* SPDX-License-Identifier: MIT-0
 *
 * cuda_runtime.h as the emulator has it: what CUDA C++ kernels use, for a host compiler. The functions dcgen_emu_* and
 * those that -fsanitize=thread calls are in the program that loads the code (dcgen-runner-emu).
 *
 *   c++ -x c++ -std=gnu++17 -O3 -g1 -march=native -fsanitize=thread -fno-plt -fno-builtin -fno-exceptions -fno-rtti
 *       -fno-tree-vectorize -fno-tree-slp-vectorize -w -shared -fPIC -nostdlib -DDCGEN_EMULATOR
 *       -I templates/device/emulator -o x.so x.cu
 *
 * Accesses shall be told as the text has them: loads not made into vectors, loops not made into memset(). gcc puts its
 * calls in before it makes vectors, so it may go on to; clang does so afterwards.
 */
#ifndef DCGEN_EMULATOR_CUDA_RUNTIME_H
#define DCGEN_EMULATOR_CUDA_RUNTIME_H

#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS /* C's own math.h: C++'s, of libstdc++, takes g++ longer than most kernels do */
#include <math.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cuda.h"
#include "cuda_runtime_api.h"

#ifndef __clang__
#pragma GCC optimize("tree-vectorize", "tree-slp-vectorize")
#pragma GCC optimize("no-store-merging", "no-tree-loop-distribute-patterns")
#endif

#define __global__
#define __device__
#define __host__
#define __constant__ const
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))

/* ---- vectors: one access each, never one an element */

#define DCGEN_EMU_VECTOR2(name, type)                                                 \
    struct alignas(2 * sizeof(type)) name {                                           \
        type x, y;                                                                    \
        typedef type whole __attribute__((vector_size(2 * sizeof(type)), may_alias)); \
        name() = default;                                                             \
        __forceinline__ name(type x0, type y0) : x(x0), y(y0) {}                      \
        __forceinline__ name(const name &v) { *(whole *)this = *(const whole *)&v; }  \
        __forceinline__ name &operator=(const name &v)                                \
        {                                                                             \
            *(whole *)this = *(const whole *)&v;                                      \
            return *this;                                                             \
        }                                                                             \
    };                                                                                \
    static __forceinline__ name make_##name(type x, type y) { return name(x, y); }

#define DCGEN_EMU_VECTOR4(name, type)                                                            \
    struct alignas(4 * sizeof(type)) name {                                                      \
        type x, y, z, w;                                                                         \
        typedef type whole __attribute__((vector_size(4 * sizeof(type)), may_alias));            \
        name() = default;                                                                        \
        __forceinline__ name(type x0, type y0, type z0, type w0) : x(x0), y(y0), z(z0), w(w0) {} \
        __forceinline__ name(const name &v) { *(whole *)this = *(const whole *)&v; }             \
        __forceinline__ name &operator=(const name &v)                                           \
        {                                                                                        \
            *(whole *)this = *(const whole *)&v;                                                 \
            return *this;                                                                        \
        }                                                                                        \
    };                                                                                           \
    static __forceinline__ name make_##name(type x, type y, type z, type w) { return name(x, y, z, w); }

DCGEN_EMU_VECTOR2(float2, float)
DCGEN_EMU_VECTOR2(int2, int)
DCGEN_EMU_VECTOR2(uint2, unsigned)
DCGEN_EMU_VECTOR2(short2, short)
DCGEN_EMU_VECTOR2(ushort2, unsigned short)
DCGEN_EMU_VECTOR2(double2, double)
DCGEN_EMU_VECTOR2(longlong2, long long)
DCGEN_EMU_VECTOR2(ulonglong2, unsigned long long)
DCGEN_EMU_VECTOR4(float4, float)
DCGEN_EMU_VECTOR4(int4, int)
DCGEN_EMU_VECTOR4(uint4, unsigned)
DCGEN_EMU_VECTOR4(short4, short)
DCGEN_EMU_VECTOR4(ushort4, unsigned short)

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    __forceinline__ dim3(unsigned x0 = 1, unsigned y0 = 1, unsigned z0 = 1) : x(x0), y(y0), z(z0) {}
};

/* ---- the emulator's side */

typedef float dcgen_emu_float4 __attribute__((vector_size(16)));
typedef unsigned dcgen_emu_word4 __attribute__((vector_size(16)));
typedef unsigned dcgen_emu_word2 __attribute__((vector_size(8)));
extern "C" {
uint3 dcgen_emu_thread_index(void) __attribute__((const));
uint3 dcgen_emu_block_index(void) __attribute__((const));
uint3 dcgen_emu_block_dim(void) __attribute__((const));
uint3 dcgen_emu_grid_dim(void) __attribute__((const));
void dcgen_emu_barrier(int line);
void dcgen_emu_fence(void);
unsigned char *dcgen_emu_shared_memory(void);
unsigned dcgen_emu_shared_address(const void *p);
void dcgen_emu_cp_async(void *smem, const void *gmem, int width, int bytes, int line);
void dcgen_emu_cp_commit(void);
void dcgen_emu_cp_wait(int keep);
dcgen_emu_word4 dcgen_emu_ldmatrix(int matrices, int transposed, const void *row, int line);
dcgen_emu_float4 dcgen_emu_mma(int kind, dcgen_emu_float4 d, dcgen_emu_word4 a, dcgen_emu_word2 b, int line);
float dcgen_emu_shfl_xor(float value, int mask, int line);
float dcgen_emu_shfl_down(float value, int delta, int line);
void dcgen_emu_warp_sync(int line);
unsigned dcgen_emu_atomic_add(unsigned *p, unsigned value, int acq_rel, int line);
void dcgen_emu_mbarrier_init(void *bar, unsigned arrivals, int line);
void dcgen_emu_mbarrier_init_fence(void);
void dcgen_emu_mbarrier_arrive(void *bar, int bytes, int line);
void dcgen_emu_mbarrier_arrive_at(void *bar, unsigned rank, int line);
void dcgen_emu_mbarrier_wait(void *bar, unsigned parity, int line);
void dcgen_emu_proxy_fence(void);
void dcgen_emu_tensor_load(void *smem, const void *map, void *bar, int rank, const int *at, int line);
void dcgen_emu_tensor_store(const void *map, const void *smem, int rank, const int *at, int line);
void dcgen_emu_bulk_commit(void);
void dcgen_emu_bulk_wait_read(int keep);
void dcgen_emu_wgmma(int kind, int n, float *d, unsigned long long a, const unsigned *a_regs, unsigned long long b,
                     int b_is_kn, int add, int line);
void dcgen_emu_wgmma_fence(int line);
void dcgen_emu_wgmma_commit(void);
void dcgen_emu_wgmma_wait(int keep, int line);
void dcgen_emu_registers(int n, int line);
void dcgen_emu_barrier_sync(int id, int threads, int line);
void dcgen_emu_barrier_arrive(int id, int threads, int line);
unsigned dcgen_emu_cluster_rank(void);
void dcgen_emu_cluster_arrive(int line);
void dcgen_emu_cluster_wait(int line);
dcgen_emu_float4 dcgen_emu_cluster_load16(const void *smem, unsigned rank, int line);
int dcgen_emu_launch(void (*call)(void *kernel, const void *args), void *kernel, const void *args, const unsigned *grid,
                     unsigned cluster, const unsigned *block, size_t smem_bytes);
}

#define threadIdx (dcgen_emu_thread_index())
#define blockIdx (dcgen_emu_block_index())
#define blockDim (dcgen_emu_block_dim())
#define gridDim (dcgen_emu_grid_dim())

static __forceinline__ void __syncthreads(int line = __builtin_LINE()) { dcgen_emu_barrier(line); }
static __forceinline__ void __threadfence() { dcgen_emu_fence(); }
static __forceinline__ unsigned atomicAdd(unsigned *p, unsigned value, int line = __builtin_LINE()) /* relaxed */
{
    return dcgen_emu_atomic_add(p, value, 0, line);
}

/* ---- arithmetic */

#define DCGEN_EMU_MIN_MAX(result, a_type, b_type)                                                                   \
    static __forceinline__ result min(a_type a, b_type b) { return (result)a < (result)b ? (result)a : (result)b; } \
    static __forceinline__ result max(a_type a, b_type b) { return (result)a > (result)b ? (result)a : (result)b; }
DCGEN_EMU_MIN_MAX(int, int, int)
DCGEN_EMU_MIN_MAX(unsigned, unsigned, unsigned)
DCGEN_EMU_MIN_MAX(unsigned, unsigned, int)
DCGEN_EMU_MIN_MAX(unsigned, int, unsigned)
DCGEN_EMU_MIN_MAX(long, long, long)
DCGEN_EMU_MIN_MAX(unsigned long, unsigned long, unsigned long)
DCGEN_EMU_MIN_MAX(unsigned long, unsigned long, long)
DCGEN_EMU_MIN_MAX(unsigned long, long, unsigned long)
DCGEN_EMU_MIN_MAX(long long, long long, long long)
DCGEN_EMU_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
DCGEN_EMU_MIN_MAX(float, float, float)
DCGEN_EMU_MIN_MAX(double, double, double)

static __forceinline__ unsigned __float_as_uint(float v)
{
    unsigned u;
    __builtin_memcpy(&u, &v, sizeof u);
    return u;
}
static __forceinline__ float __uint_as_float(unsigned u)
{
    float v;
    __builtin_memcpy(&v, &u, sizeof v);
    return v;
}
static __forceinline__ int __float_as_int(float v) { return (int)__float_as_uint(v); }
static __forceinline__ float __int_as_float(int i) { return __uint_as_float((unsigned)i); }
static __forceinline__ float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static __forceinline__ float dcgen_emu_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static __forceinline__ float dcgen_emu_fabsf(float x) { return __builtin_fabsf(x); }
static __forceinline__ float dcgen_emu_fminf(float a, float b) { return a < b || b != b ? a : b; }
static __forceinline__ float dcgen_emu_sqrtf(float x) { return __builtin_sqrtf(x); }
static __forceinline__ float rsqrtf(float x) { return (float)(1 / __builtin_sqrt((double)x)); }
#define fmaf dcgen_emu_fmaf /* -fno-builtin would make it a call */
#define fabsf dcgen_emu_fabsf
#define fminf dcgen_emu_fminf
#define sqrtf dcgen_emu_sqrtf

/* What <math.h> has of floats in CUDA C++. As templates they give way to the host's own, where a kernel includes those. */
template <typename T> struct dcgen_emu_if_float;
template <> struct dcgen_emu_if_float<float> {
    typedef float type;
};
#define DCGEN_EMU_OF_FLOAT(name) \
    template <typename T> static inline typename dcgen_emu_if_float<T>::type name(T x) { return name##f(x); }
#define DCGEN_EMU_OF_FLOATS(name) \
    template <typename T> static inline typename dcgen_emu_if_float<T>::type name(T x, T y) { return name##f(x, y); }
DCGEN_EMU_OF_FLOAT(cbrt)
DCGEN_EMU_OF_FLOAT(ceil)
DCGEN_EMU_OF_FLOAT(cos)
DCGEN_EMU_OF_FLOAT(cosh)
DCGEN_EMU_OF_FLOAT(erf)
DCGEN_EMU_OF_FLOAT(erfc)
DCGEN_EMU_OF_FLOAT(exp)
DCGEN_EMU_OF_FLOAT(exp2)
DCGEN_EMU_OF_FLOAT(expm1)
DCGEN_EMU_OF_FLOAT(fabs)
DCGEN_EMU_OF_FLOAT(floor)
DCGEN_EMU_OF_FLOAT(log)
DCGEN_EMU_OF_FLOAT(log10)
DCGEN_EMU_OF_FLOAT(log1p)
DCGEN_EMU_OF_FLOAT(log2)
DCGEN_EMU_OF_FLOAT(nearbyint)
DCGEN_EMU_OF_FLOAT(rint)
DCGEN_EMU_OF_FLOAT(round)
DCGEN_EMU_OF_FLOAT(sin)
DCGEN_EMU_OF_FLOAT(sinh)
DCGEN_EMU_OF_FLOAT(sqrt)
DCGEN_EMU_OF_FLOAT(tan)
DCGEN_EMU_OF_FLOAT(tanh)
DCGEN_EMU_OF_FLOAT(trunc)
DCGEN_EMU_OF_FLOATS(atan2)
DCGEN_EMU_OF_FLOATS(copysign)
DCGEN_EMU_OF_FLOATS(fmax)
DCGEN_EMU_OF_FLOATS(fmin)
DCGEN_EMU_OF_FLOATS(fmod)
DCGEN_EMU_OF_FLOATS(pow)
#undef isfinite
#undef isinf
#undef isnan
#undef signbit
#define DCGEN_EMU_IS(name, found) \
    template <typename T> static inline bool name(T x) { return found(x); }
DCGEN_EMU_IS(isfinite, __builtin_isfinite)
DCGEN_EMU_IS(isinf, __builtin_isinf)
DCGEN_EMU_IS(isnan, __builtin_isnan)
DCGEN_EMU_IS(signbit, __builtin_signbit)
template <typename T> static inline T abs(T x) { return x > 0 ? x : 0 - x; }

template <typename T> static __forceinline__ T __ldg(const T *p) { return *p; } /* what nobody writes */

#endif
