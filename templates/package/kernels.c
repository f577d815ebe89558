/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
 * Compile with -O3 -ffp-contract=fast (gcc or clang): the loops below rely on it to become FMA instructions; with gcc also with
 * -frename-registers, which spares the inner loops moves between registers.
 */
#include "NAME.h"

#include "pieces.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

//@ preamble
#if PACKED
//@ pack
#endif
//@ kernels
typedef int NAME_kernel(const NAME_args *args, int64_t task, int64_t ntask);

static NAME_kernel *const NAME_table[] = {
//@ table
};
static const char *const NAME_text[] = {
//@ texts
};
/* Which instruction set each needs: see NAME_cpu in dispatch.h. */
static const signed char NAME_target[] = {
//@ targets
};
enum { NAME_NKERNEL = sizeof NAME_table / sizeof *NAME_table };

#include "dispatch.h"

const char *NAME_strerror(int code)
{
    switch (code) {
    case NAME_OK: return "no error";
    case NAME_BAD_EXTENT: return "an extent is negative or above 2147483647";
    case NAME_BAD_POINTER: return "a pointer is NULL";
    case NAME_BAD_KERNEL: return "no such kernel in this package, or this CPU cannot run it";
    default: return "unknown error";
    }
}

int NAME_nkernel(void) { return NAME_NKERNEL; }

const char *NAME_kernel_text(int kernel) { return kernel >= 0 && kernel < NAME_NKERNEL ? NAME_text[kernel] : NULL; }

//@ choose
/* One call, cut into pieces that its threads take in turn. */
typedef struct {
    NAME_kernel *kernel;
    const NAME_args *args;
    int nthread, npiece;
    atomic_int next;
} NAME_job;

static void NAME_part(void *arg, int i)
{
    NAME_job *job = arg;
    (void)i;
    for (int piece; (piece = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed)) < job->npiece;)
        job->kernel(job->args, piece, job->npiece);
}

enum { NAME_MAX_THREADS = 256 };

typedef struct {
    NAME_job *job;
    int i;
} NAME_start;

static void *NAME_thread(void *arg)
{
    const NAME_start *start = arg;
    NAME_part(start->job, start->i);
    return NULL;
}

/* Without the caller's parallel_for: a thread for each part but the first, for this call. A part whose thread cannot be
 * started is done here. */
static void NAME_threads(NAME_job *job)
{
    pthread_t thread[NAME_MAX_THREADS];
    NAME_start start[NAME_MAX_THREADS];
    int nthread = 1;
    for (int i = 1; i < job->nthread; i++) {
        start[nthread] = (NAME_start){ job, i };
        if (pthread_create(&thread[nthread], NULL, NAME_thread, &start[nthread]) == 0)
            nthread++;
        else
            NAME_part(job, i);
    }
    NAME_part(job, 0);
    for (int i = 1; i < nthread; i++)
        pthread_join(thread[i], NULL);
}

static int NAME_nthread(const NAME_exec *exec, double flops)
{
    const int nthread = exec->threads < NAME_MAX_THREADS ? exec->threads : NAME_MAX_THREADS;
    return NAME_worthwhile(nthread, flops, exec->parallel_for ? NAME_POOLED_FLOPS : NAME_NEW_FLOPS);
}

static int NAME_start_all(NAME_kernel *kernel, const NAME_args *args, const NAME_exec *exec, int nthread, double flops)
{
    if (nthread <= 1)
        return kernel(args, 0, 1);
    NAME_job job = { kernel, args, nthread, NAME_pieces(nthread, flops), 0 };
    if (exec->parallel_for)
        exec->parallel_for(exec->ctx, nthread, NAME_part, &job);
    else
        NAME_threads(&job);
    return NAME_OK;
}

//@ call
