/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a template of dense, so that each template compiles as it stands:
 *   gcc -std=gnu17 -O3 -ffp-contract=fast -fsyntax-only templates/dense/packed_gemm.c
 */
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t M, N, K;
    const float *X, *W;
    float *Y;
    void *scratch;
} NAME_args;

#define HAS_EPILOGUE 0
#define EPILOGUE_CALLS 0
#define TARGET_ATTRIBUTE __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
#define PACKAGE_ONE_COPY __attribute__((noinline))
#define PACKAGE_UNROLL(most) _Pragma("GCC unroll 32")
#define PACKAGE_IN_REGISTER(v) __asm__("" : "+v"(v))
#define PACKAGE_FMA(sum, x, w) __asm__("vfmadd231ps {%2, %1, %0|%0, %1, %2}" : "+v"(sum) : "v"(x), "v"(w))
#define PACKAGE_FMA_FROM(sum, x, w) __asm__("vfmadd231ps {%2, %1, %0|%0, %1, %2}" : "+v"(sum) : "v"(x), "m"(w))
#ifndef NAME_PANEL
#define NAME_PANEL(K) (16 * (K) + 48)
#endif
enum { PACKAGE_OK, PACKAGE_BAD_EXTENT, PACKAGE_BAD_POINTER };
