/* SPDX-License-Identifier: Apache-2.0
 *
 * peer_cblas: what the peers with a CBLAS share. Several of them live in one process, each with its own cblas_sgemm:
 * they are loaded with local symbols and never linked.
 */
#ifndef BENCH_PEER_CBLAS_H
#define BENCH_PEER_CBLAS_H

#include "bench/peer.h"

typedef void CblasSgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                        const float *b, int ldb, float beta, float *c, int ldc);

/* What a library calls the code path that it takes on this CPU. */
typedef struct {
    const char *file;           /* "libopenblas.so.0" */
    const char *variable;       /* environment variable that overrides the code path */
    const char *value;          /* ... for a CPU with AVX-512 */
    void (*core)(void *library, char *name, int size);
    bool (*uses_avx512)(const char *core);
} CblasLibrary;

/* Loads the library. When it would take a path without AVX-512 on a CPU that has it, because it is older than the CPU,
 * it is told the better path, unless the user has set the variable or asked for the library as shipped. */
void *cblas_open(const CblasLibrary *lib, const char **why);
/* "SkylakeX (told by bench; by itself Haswell)" */
const char *cblas_core(const CblasLibrary *lib);

void *cblas_setup(const Problem *p, WeightForm form, CblasSgemm *sgemm);
bool cblas_run(void *state);
void cblas_teardown(void *state);

#endif
