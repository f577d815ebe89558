/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a template of batch_matmul, so that each template compiles as it stands:
 *   gcc -std=gnu17 -O3 -ffp-contract=fast -fsyntax-only templates/batch_matmul/direct_bmm.c
 */
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t B0, B1, M, N, K;
    int64_t A_stride[3], B_stride[3], Y_stride[3]; /* elements: from one to the next of B0, of B1, of rows */
    const float *A, *B;
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
