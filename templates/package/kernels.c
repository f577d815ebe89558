/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
 * Compile with -O3 -ffp-contract=fast (gcc or clang): the loops below rely on it to become FMA instructions; with gcc also with
 * -frename-registers, which spares the inner loops moves between registers. With -fexceptions where the caller's parallel_for may
 * throw. -D PACKAGE_NO_THREADS where there are no POSIX threads: a call that brings no parallel_for then runs on its own thread.
 */
#if !defined(__GNUC__)
#error "NAME needs gcc or clang: its kernels are written with their vector types. On Windows that is MinGW-w64."
#endif
//@ exact
#include "PACKAGE.h"

#include "pieces.h"

#ifndef PACKAGE_NO_THREADS
#include <pthread.h>
#endif
#include <stdatomic.h>
#include <string.h>

#ifdef __clang__ /* some functions of vectors serve a single instruction set */
#pragma clang diagnostic ignored "-Wunused-function"
#endif

//@ preamble
//@ device
//@ strerror

//@ overlap
#if ANY_REACH

//@ ranges
#endif
#if ANY_PACKED

//@ packed
#endif

/* A call, cut into pieces that its threads take in turn. */
typedef struct PACKAGE_job {
    void (*run)(const struct PACKAGE_job *job, int piece);
    int nthread, npiece;
    atomic_int next;
} PACKAGE_job;

static void PACKAGE_part(void *arg, int i)
{
    PACKAGE_job *job = arg;
    (void)i;
    for (int piece; (piece = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed)) < job->npiece;)
        job->run(job, piece);
}

enum { PACKAGE_MAX_THREADS = 256 };

#ifndef PACKAGE_NO_THREADS
static void *PACKAGE_thread(void *job)
{
    PACKAGE_part(job, 0);
    return NULL;
}

/* Without the caller's parallel_for: a thread for each part but one, for this call, as far as the system starts them. The calling
 * thread is not cancelled meanwhile: the others would go on with operands that may be gone. (A system without the macro cannot cancel.) */
static void PACKAGE_threads(PACKAGE_job *job)
{
    pthread_t thread[PACKAGE_MAX_THREADS];
    int nthread = 0;
#ifdef PTHREAD_CANCEL_DISABLE
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
#endif
    while (nthread < job->nthread - 1 && pthread_create(&thread[nthread], NULL, PACKAGE_thread, job) == 0)
        nthread++;
    PACKAGE_part(job, 0);
    while (nthread > 0)
        pthread_join(thread[--nthread], NULL);
#ifdef PTHREAD_CANCEL_DISABLE
    pthread_setcancelstate(cancel, &cancel);
#endif
}
#endif

static int PACKAGE_nthread(const PACKAGE_exec *exec, double flops)
{
    const int nthread = exec->threads < PACKAGE_MAX_THREADS ? exec->threads : PACKAGE_MAX_THREADS;
#ifdef PACKAGE_NO_THREADS
    if (!exec->parallel_for)
        return 1;
#endif
    return PACKAGE_worthwhile(nthread, flops, exec->parallel_for ? PACKAGE_POOLED_FLOPS : PACKAGE_NEW_FLOPS);
}

static void PACKAGE_run_job(PACKAGE_job *job, const PACKAGE_exec *exec)
{
    if (exec->parallel_for)
        exec->parallel_for(exec->ctx, job->nthread, PACKAGE_part, job);
#ifndef PACKAGE_NO_THREADS
    else
        PACKAGE_threads(job);
#endif
    PACKAGE_part(job, 0); /* what nobody took */
}

//@ repeat functions
//@ function
//@ end
