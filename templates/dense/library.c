/* SPDX-License-Identifier: MIT-0
 *
 * library: the op as a CBLAS computes it, behind a candidate's entry (search/runner/abi.h): what kernels are timed side
 * by side with. OpenBLAS, else whichever CBLAS is installed under that name, is loaded at run time. A bias is laid into Y
 * first and kept by beta = 1, as users of a BLAS do. The library runs on one thread; a call in several parts is that many
 * calls, each of some rows of Y or, where there are more columns than rows, of some columns. Without a CBLAS every call is
 * refused. Never part of a package.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NO_LIBRARY = -100, TOO_LARGE = -101, ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

#if LAYOUT_W_KN
enum { TRANS_W = NO_TRANS };
#else
enum { TRANS_W = TRANS };
#endif

static void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                     const float *b, int ldb, float beta, float *c, int ldc);

static void set_one_thread(void *library)
{
    static const char *const names[] = { "openblas_set_num_threads", "bli_thread_set_num_threads", "MKL_Set_Num_Threads" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void (*set)(int) = (void (*)(int))dlsym(library, names[i]);
        if (set)
            set(1);
    }
}

/* What the environment says goes. A library that is older than the CPU may not know what it is and take its path for
 * CPUs without AVX-512; and where the CPU has more than the target, the library gets no more than the target's kernels. */
static void set_environment(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
#ifdef __x86_64__
    __builtin_cpu_init();
#if VECTOR_BYTES == 16
    if (__builtin_cpu_supports("avx"))
        setenv("OPENBLAS_CORETYPE", "Nehalem", 0);
#elif VECTOR_BYTES == 32
    if (__builtin_cpu_supports("avx512f"))
        setenv("OPENBLAS_CORETYPE", "Haswell", 0);
#else
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw"))
        setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
#endif
#endif
}

/* When this object is loaded, not in the first call. */
static __attribute__((constructor)) void load(void)
{
    static const char *const names[] = { "libopenblas.so.0", "libopenblas.so", "libcblas.so.3", "libblas.so.3" };
    set_environment();
    for (size_t i = 0; !sgemm && i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            *(void **)&sgemm = dlsym(library, "cblas_sgemm");
        if (sgemm)
            set_one_thread(library);
    }
}

/* Y[m0..m1)[n0..n1). */
static void part(const int64_t *extent, void *const *operand, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    const int64_t N = extent[1], K = extent[2];
    const float *X = (const float *)operand[0] + m0 * K, *bias = operand[2];
    float *Y = (float *)operand[3] + m0 * N + n0;
#if LAYOUT_W_KN
    const float *W = (const float *)operand[1] + n0;
    const int64_t ldw = N;
#else
    const float *W = (const float *)operand[1] + n0 * K;
    const int64_t ldw = K;
#endif
    for (int64_t m = 0; bias && m < m1 - m0; m++)
        memcpy(Y + m * N, bias + n0, sizeof(float) * (size_t)(n1 - n0));
    sgemm(ROW_MAJOR, NO_TRANS, TRANS_W, (int)(m1 - m0), (int)(n1 - n0), (int)K, 1, X, (int)K, W, (int)ldw, bias ? 1 : 0, Y,
          (int)N);
}

int dcgen_run(const int64_t *extent, void *const *operand, void *workspace, int64_t task, int64_t ntask)
{
    const int64_t M = extent[0], N = extent[1];
    (void)workspace;
    if (!sgemm)
        return NO_LIBRARY;
    if (M <= 0 || N <= 0 || extent[2] <= 0 || M > INT_MAX || N > INT_MAX || extent[2] > INT_MAX)
        return TOO_LARGE;
    const int64_t begin = task * (M >= N ? M : N) / ntask, end = (task + 1) * (M >= N ? M : N) / ntask;
    if (begin < end && M >= N)
        part(extent, operand, begin, end, 0, N);
    else if (begin < end)
        part(extent, operand, 0, M, begin, end);
    return 0;
}

const char *dcgen_why(int code)
{
    return code == NO_LIBRARY ? "no CBLAS can be loaded: neither libopenblas, libcblas nor libblas has cblas_sgemm"
                              : "an extent is 0 or above what a CBLAS takes";
}
