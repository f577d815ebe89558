/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What the library.c of an operator needs of a CBLAS: OpenBLAS, else whichever is installed under that name, is loaded at run time and
 * runs on one thread. sgemm stays NULL where there is none. */
#endif
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NO_LIBRARY = -100, TOO_LARGE = -101, ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

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

const char *dcgen_why(int code)
{
    return code == NO_LIBRARY ? "no CBLAS can be loaded: neither libopenblas, libcblas nor libblas has cblas_sgemm"
                              : "an extent is 0 or above what a CBLAS takes";
}
