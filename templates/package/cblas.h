/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What the library.c of an operator needs of a CBLAS: OpenBLAS, else whichever is installed under that name, is loaded at run time and
 * runs on one thread; or the file that DCGEN_CBLAS names. sgemm stays NULL where there is none. The functions for a formula come along. */
#endif
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if HAS_FORMULA && IS_BIAS == 0
//@ preamble
//@ device
//@ arguments
//@ formula
#endif

enum { NO_LIBRARY = -100, TOO_LARGE = -101, ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

static void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                     const float *b, int ldb, float beta, float *c, int ldc);

static void set_one_thread(void *library)
{
    static const char *const names[] = { "openblas_set_num_threads", "bli_thread_set_num_threads", "MKL_Set_Num_Threads" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void (*set)(int);
        *(void **)&set = dlsym(library, names[i]);
        if (set)
            set(1);
    }
}

static char name[300];

/* What the library is, and which of its cores it takes this CPU for: an old one may not know it. */
static void set_name(void *library, const char *file)
{
    const char *(*version)(void), *(*core)(void), *(*arch)(int);
    int (*arch_id)(void);
    void (*mkl_version)(char *, int);
    *(void **)&version = dlsym(library, "openblas_get_config");
    *(void **)&core = dlsym(library, "openblas_get_corename");
    *(void **)&arch = dlsym(library, "bli_arch_string");
    *(void **)&arch_id = dlsym(library, "bli_arch_query_id");
    *(void **)&mkl_version = dlsym(library, "MKL_Get_Version_String");
    if (!version)
        *(void **)&version = dlsym(library, "bli_info_get_version_str");
    if (version && core)
        snprintf(name, sizeof name, "%s, core %s", version(), core());
    else if (version && arch && arch_id)
        snprintf(name, sizeof name, "BLIS %s, core %s", version(), arch(arch_id()));
    else if (mkl_version)
        mkl_version(name, (int)sizeof name - 1);
    else
        snprintf(name, sizeof name, "%s, which does not say what it is", file);
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

static void open_library(const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library)
        *(void **)&sgemm = dlsym(library, "cblas_sgemm");
    if (sgemm) {
        set_one_thread(library);
        set_name(library, file);
    }
}

/* When this object is loaded, not in the first call. A CPU that lacks what the target has cannot compute the formula as its kernels do. */
static __attribute__((constructor)) void load(void)
{
    static const char *const files[] = { "libopenblas.so.0", "libopenblas.so", "libcblas.so.3", "libblas.so.3" };
    const char *asked = getenv("DCGEN_CBLAS");
    set_environment();
    if (!(CHECK))
        return;
    if (asked)
        open_library(asked);
    for (size_t i = 0; !asked && !sgemm && i < sizeof files / sizeof *files; i++)
        open_library(files[i]);
}

const char *dcgen_name(void) { return sgemm ? name : NULL; }

const char *dcgen_why(int code)
{
    return code == NO_LIBRARY ? "no CBLAS can be loaded: neither libopenblas, libcblas nor libblas has cblas_sgemm"
                              : "an extent is 0 or above what a CBLAS takes";
}
