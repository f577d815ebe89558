/* SPDX-License-Identifier: Apache-2.0
 *
 * large_cases: the kernels and shapes of test_emu_large.c.
 */
#ifndef DCGEN_TESTS_LARGE_CASES_H
#define DCGEN_TESTS_LARGE_CASES_H

#include <stdint.h>

enum { M, N, K, NAXIS };
enum { MAX_SHAPE = 5 };
#define MOST 2147483647    /* an extent can be */
#define FITTING 2147483640 /* the most of which rows are aligned to 16 bytes, whatever the type */

typedef struct {
    const char *kernel; /* template, target, dtype, layout, and parameters that are not as in the general kernel */
    int64_t extent[MAX_SHAPE][NAXIS];
} Case;

/* Extents at their limit bring offsets within a tile beyond 2^31 too, and the last column of a tile of 96 beyond the
 * largest int. Rows of odd length are copied by single elements. Split kernels have few tiles, hence a larger K. */
static const Case cases[] = {
    { "simt_gemm sm_90a f32 NK", { { 70001, 70003, 24 }, { 6, MOST, 20 }, { MOST, 6, 20 }, { 4300001, 70, 1001 } } },
    { "simt_gemm sm_90a f32 KN BM=96 BN=96 TM=6 TN=12",
      { { 70001, 70004, 24 }, { 6, MOST, 20 }, { 6, FITTING, 36 }, { MOST, 6, 20 } } },
    { "simt_gemm sm_90a f32 NK BM=128 BN=128 TM=8 TN=8 BK=8 STAGES=4 GROUP=8",
      { { 70001, 70004, 20 }, { 1100, 16700001, 9 } } },
    { "simt_gemm sm_90a f32 NK BM=32 BN=128 TM=4 TN=8 SPLITK=4", { { 20, 524201, 4400 }, { 20, 524201, 8300 } } },
    { "simt_gemm sm_90a f32 KN BM=64 BN=256 TM=8 TN=16 BK=8 SPLITK=3", { { 20, 1048500, 6200 } } },
    { "simt_gemm sm_90a f32 NK FIXED_K=1000", { { 4300001, 70, 1000 }, { 70, 4300001, 1000 } } },
    { "simt_gemm sm_90a f32 KN FIXED_K=40 FIXED_N=2147483640", { { 6, FITTING, 40 } } },
    { "simt_gemm sm_75 f32 NK", { { 70001, 70004, 24 }, { 6, MOST, 20 } } },
    { "simt_gemm sm_75 f32 KN BM=32 BN=96 TM=4 TN=6", { { 6, FITTING, 36 }, { MOST, 8, 20 } } },

    { "mma_gemm sm_90a tf32 NK", { { 70001, 70004, 36 }, { 6, MOST, 20 }, { MOST, 6, 21 }, { 4300001, 70, 1001 } } },
    { "mma_gemm sm_80 tf32 KN", { { 70001, 70003, 24 }, { 6, FITTING, 36 }, { 6, MOST, 20 }, { MOST, 8, 20 } } },
    { "mma_gemm sm_90a f16 NK BM=32 BN=96 WM=16 WN=32",
      { { 92681, 92683, 38 }, { 6, MOST, 39 }, { 38, FITTING, 40 }, { MOST, 6, 40 } } },
    { "mma_gemm sm_90a bf16 KN BM=32 BN=96 WM=16 WN=32",
      { { 92681, 92688, 40 }, { 6, MOST, 39 }, { 38, FITTING, 72 }, { MOST, 6, 37 } } },
    { "mma_gemm sm_90a f16 NK BM=128 BN=128 WM=64 WN=32 GROUP=8", { { 70001, 70008, 40 }, { 1100, 16700001, 38 } } },
    { "mma_gemm sm_90a f16 NK BM=32 BN=128 WM=32 WN=32 SPLITK=4", { { 16, 524201, 8306 }, { 10, 524208, 8328 } } },
    { "mma_gemm sm_90a bf16 KN BM=64 BN=256 WM=32 WN=64 SPLITK=3", { { 16, 1048500, 6201 } } },
    { "mma_gemm sm_90a bf16 NK FIXED_K=1000", { { 4300001, 70, 1000 }, { 70, 4300001, 1000 } } },
    { "mma_gemm sm_90a tf32 KN FIXED_K=64 FIXED_N=2147483640", { { 6, FITTING, 64 } } },

    { "gemv sm_90a f32 NK ROWS=1 COLS=1 WARPS=4 KWARPS=4 UNROLL=2", { { 1, MOST, 20 }, { MOST, 1, 21 } } },
    { "gemv sm_75 f16 NK ROWS=4 COLS=2",
      { { 92681, 92683, 24 }, { 6, MOST, 24 }, { MOST, 6, 24 }, { 5, 43000, 100001 } } },
    { "gemv sm_90a bf16 KN ROWS=4 LANES=8 UNROLL=1",
      { { 92681, 92683, 24 }, { 6, MOST, 24 }, { 6, FITTING, 72 }, { MOST, 6, 24 }, { 3, 16777304, 600 } } },
    { "gemv sm_90a bf16 NK ROWS=4 COLS=4 KWARPS=8 SPLITK=4", { { 3, 16384, 270000 } } },
    { "gemv sm_90a f32 KN ROWS=4 COLS=2 SPLITK=8", { { 3, 1048001, 4200 } } },
    { "mma_gemv sm_90a f16 NK ROWS=16 COLS=32 UNROLL=2",
      { { 92681, 92683, 24 }, { 6, MOST, 24 }, { MOST, 6, 24 }, { 5, 43000, 100001 } } },
    { "mma_gemv sm_80 bf16 KN", { { 92681, 92683, 24 }, { 6, MOST, 24 }, { 6, FITTING, 72 }, { MOST, 6, 24 } } },
    { "mma_gemv sm_90a bf16 NK ROWS=8 COLS=16 UNROLL=4 SPLITK=4", { { 3, 16384, 270000 } } },
    { "mma_gemv sm_80 f16 KN ROWS=16 WARPS=8 KWARPS=8 SPLITK=2", { { 3, 262001, 20000 } } },
};

/* Kernels that compute a product in 32 bits instead of 64: they must be found wrong on the shape that is named. */
typedef struct {
    const char *of; /* how the kernel's words begin, or all of them */
    int shape;
    const char *product; /* with the cast that makes it one of 64 bits */
} Mutant;

static const Mutant mutants[] = {
    { "simt_gemm sm_90a f32 NK", 2, "(uint64_t)ld * i" },
    { "simt_gemm sm_90a f32 NK", 0, "((int64_t)m0 + p.row) * o.ldy" },
    { "simt_gemm sm_90a f32 KN BM=96", 2, "(uint64_t)ld * k()" },
    { "mma_gemm sm_90a f16 NK BM=32 BN=96", 1, "(uint64_t)ld * i" },
    { "mma_gemm sm_90a tf32 NK", 0, "(int64_t)m0 * o.ldy" },
    { "mma_gemm sm_80 tf32 KN", 1, "from + (uint64_t)ld * (i * rows)" },
    { "gemv sm_75 f16 NK", 2, "(int64_t)min(m," },
    { "gemv sm_75 f16 NK", 3, "(uint64_t)b.of.ldw * (unsigned)min" },
    { "gemv sm_90a bf16 KN", 0, "(int64_t)m * o.ldy + n" },
    { "mma_gemv sm_90a f16 NK", 2, "(int64_t)min((unsigned)b.m0 + 8 * r + g," },
    { "mma_gemv sm_80 bf16 KN", 1, "(uint64_t)l.stride * ki" },
};

enum { NCASE = sizeof cases / sizeof *cases, NMUTANT = sizeof mutants / sizeof *mutants };

#endif
