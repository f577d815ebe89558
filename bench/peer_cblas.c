/* SPDX-License-Identifier: Apache-2.0
 *
 * peer_cblas: loading a CBLAS aside from others, and one sgemm with W plain. A bias is laid into Y first and kept by
 * beta = 1, as users of a BLAS do.
 */
#define _GNU_SOURCE
#include "bench/peer_cblas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112, CORE_BYTES = 64, LOAD = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND };

bool peer_as_shipped;

typedef struct {
    CblasSgemm *sgemm;
    const float *X, *W, *bias;
    float *Y;
    int M, N, K, trans, ldw;
} State;

#ifdef __x86_64__
bool cpu_has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool cpu_has_avx512(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"); }
#else
bool cpu_has_avx2(void) { return false; }
bool cpu_has_avx512(void) { return false; }
#endif

/* The core that the library picks by itself, asked in a child: once loaded, the choice is made. "" when unknown. */
static void library_own_core(const CblasLibrary *lib, char name[CORE_BYTES])
{
    int fd[2];
    name[0] = '\0';
    if (pipe(fd))
        return;
    pid_t child = fork();
    if (child == 0) {
        void *library = dlopen(lib->file, LOAD);
        if (library)
            lib->core(library, name, CORE_BYTES);
        ssize_t sent = write(fd[1], name, strlen(name));
        _exit(sent < 0);
    }
    close(fd[1]);
    ssize_t got = child > 0 ? read(fd[0], name, CORE_BYTES - 1) : 0;
    name[got > 0 ? got : 0] = '\0';
    close(fd[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
}

void *cblas_open(const CblasLibrary *lib, const char **why)
{
    char own[CORE_BYTES];
    if (!peer_as_shipped) {
        library_own_core(lib, own);
        if (own[0] && lib->is_poor(own))
            setenv(lib->variable, lib->value, 0);
    }
    void *library = dlopen(lib->file, LOAD);
    *why = library ? NULL : dlerror();
    return library;
}

const char *cblas_core(const CblasLibrary *lib)
{
    static char text[2 * CORE_BYTES];
    char name[CORE_BYTES] = "";
    void *library = dlopen(lib->file, LOAD); /* loaded already: only the handle */
    lib->core(library, name, sizeof name);
    const char *told = getenv(lib->variable);
    snprintf(text, sizeof text, told ? "%s, set by %s=%s" : "%s", name, lib->variable, told);
    return text;
}

void *cblas_setup(const Problem *p, WeightForm form, CblasSgemm *sgemm)
{
    State *s = malloc(sizeof *s);
    bool nk = form == FORM_NK;
    *s = (State){ sgemm,
                  p->X,
                  nk ? p->W_nk : p->W_kn,
                  p->bias,
                  p->Y,
                  (int)p->shape.M,
                  (int)p->shape.N,
                  (int)p->shape.K,
                  nk ? TRANS : NO_TRANS,
                  (int)(nk ? p->shape.K : p->shape.N) };
    return s;
}

bool cblas_run(void *state)
{
    const State *s = state;
    for (int m = 0; s->bias && m < s->M; m++)
        memcpy(s->Y + (size_t)m * s->N, s->bias, sizeof(float) * s->N);
    s->sgemm(ROW_MAJOR, NO_TRANS, s->trans, s->M, s->N, s->K, 1.0F, s->X, s->K, s->W, s->ldw, s->bias ? 1.0F : 0.0F,
             s->Y, s->N);
    return true;
}

void cblas_teardown(void *state) { free(state); }
