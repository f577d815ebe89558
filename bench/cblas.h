/* SPDX-License-Identifier: Apache-2.0
 *
 * cblas: what the libraries with a CBLAS share. Several of them live in one process, each with its own cblas_sgemm:
 * they are loaded with local symbols and never linked.
 */
#ifndef BENCH_CBLAS_H
#define BENCH_CBLAS_H

#include "bench/peer.h"

enum { CBLAS_ROW_MAJOR = 101, CBLAS_NO_TRANS = 111, CBLAS_TRANS = 112 };

typedef void CblasSgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                        const float *b, int ldb, float beta, float *c, int ldc);

/* A library that is open. */
typedef struct {
    CblasSgemm *sgemm;
    void (*use_threads)(int threads);
} Cblas;

extern Cblas openblas, blis;

/* What a library calls the code path that it takes on this CPU. */
typedef struct {
    const char *file;     /* "libopenblas.so.0" */
    const char *variable; /* environment variable that overrides the code path */
    const char *value;    /* ... to a better one */
    void (*core)(void *library, char *name, int size);
    bool (*is_poor)(const char *core); /* on this CPU */
} CblasLibrary;

bool cpu_has_avx2(void);
bool cpu_has_avx512(void);

/* Loads the library. When it would take a poor path, because it is older than the CPU, it is told the better one,
 * unless the user asked for the library as shipped. */
void *cblas_open(const CblasLibrary *lib, const char **why);
/* "SkylakeX, set by OPENBLAS_CORETYPE=SkylakeX" */
const char *cblas_core(const CblasLibrary *lib);

#endif
