/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
 * Compile with -O3 -ffp-contract=fast (gcc or clang): the loops below rely on it to become FMA instructions; with gcc also with
 * -frename-registers, which spares the inner loops moves between registers. With -fexceptions where the caller's parallel_for may
 * throw. -D NAME_NO_THREADS where there are no POSIX threads: a call that brings no parallel_for then runs on its own thread.
 */
#if !defined(__GNUC__)
#error "NAME needs gcc or clang: its kernels are written with their vector types. On Windows that is MinGW-w64."
#endif
#include "NAME.h"

#include "pieces.h"

#ifndef NAME_NO_THREADS
#include <pthread.h>
#endif
#include <stdatomic.h>
#include <string.h>

//@ preamble
#if PACKED
//@ pack
#endif
//@ kernels
typedef int NAME_kernel(const NAME_args *args, int64_t task, int64_t ntask);

static NAME_kernel *const NAME_table[] = {
//@ repeat kernels
//@ guard
    [NUMBER] = KERNEL,
//@ unguard
//@ end
};
//@ tables

//@ legal

int NAME_choose(EXTENTS)
{
    if (!NAME_is_legal(AXES))
        return -1;
    const int64_t AXIS = VALUE; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat derived
    return NAME_dispatch(NAME_cpu(), EVERY_AXES, 1);
}

size_t NAME_workspace_bytes(EXTENTS)
{
    (void)AXIS; //@ repeat axes
    return 0;
}

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

#ifndef NAME_NO_THREADS
static void *NAME_thread(void *job)
{
    NAME_part(job, 0);
    return NULL;
}

/* Without the caller's parallel_for: a thread for each part but one, for this call, as far as the system starts them. */
static void NAME_threads(NAME_job *job)
{
    pthread_t thread[NAME_MAX_THREADS];
    int nthread = 0;
    while (nthread < job->nthread - 1 && pthread_create(&thread[nthread], NULL, NAME_thread, job) == 0)
        nthread++;
    NAME_part(job, 0);
    while (nthread > 0)
        pthread_join(thread[--nthread], NULL);
}
#endif

static int NAME_nthread(const NAME_exec *exec, double flops)
{
    const int nthread = exec->threads < NAME_MAX_THREADS ? exec->threads : NAME_MAX_THREADS;
#ifdef NAME_NO_THREADS
    if (!exec->parallel_for)
        return 1;
#endif
    return NAME_worthwhile(nthread, flops, exec->parallel_for ? NAME_POOLED_FLOPS : NAME_NEW_FLOPS);
}

static int NAME_start_all(NAME_kernel *kernel, const NAME_args *args, const NAME_exec *exec, int nthread, double flops)
{
    if (nthread <= 1)
        return kernel(args, 0, 1);
    NAME_job job = { kernel, args, nthread, NAME_pieces(nthread, flops), 0 };
    if (exec->parallel_for)
        exec->parallel_for(exec->ctx, nthread, NAME_part, &job);
#ifndef NAME_NO_THREADS
    else
        NAME_threads(&job);
#endif
    NAME_part(&job, 0); /* what nobody took */
    return NAME_OK;
}

/* Arithmetic work of a call; in double, where it cannot overflow. */
static double NAME_flops(EACH(every, double AXIS))
{
    return FLOP_COUNT;
}

int NAME(EXTENTS,
    EACH(operands, PARAMETER), void *workspace,
    const NAME_exec *exec)
{
    if (!NAME_is_legal(AXES))
        return NAME_BAD_EXTENT;
    const int64_t AXIS = VALUE; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat derived
    if (OUTPUT_IS_EMPTY)
        return NAME_OK;
//@ repeat operands
#if IS_STRIDED
    if (!NAME_are_strides(OPERAND_stride, NSTRIDE))
        return NAME_BAD_EXTENT;
#endif
    if (!OPERAND && HAS_ELEMENTS)
        return NAME_BAD_POINTER;
//@ end
    const NAME_args args = NAME_arguments(ALL_AXES,
        EACH(operands, ARGUMENT), workspace);
    const double flops = NAME_flops(EACH(every, (double)AXIS));
    const int nthread = exec && exec->threads > 1 ? NAME_nthread(exec, flops) : 1, cpu = NAME_cpu();
    int kernel;
    if (exec && exec->kernel) {
        if (exec->kernel < 0 || exec->kernel > NAME_NKERNEL)
            return NAME_BAD_KERNEL;
        kernel = exec->kernel - 1;
        if (!NAME_table[kernel] || NAME_target[kernel] < cpu)
            return NAME_BAD_KERNEL;
    } else {
        kernel = NAME_dispatch(cpu, EVERY_AXES, nthread);
    }
    return NAME_start_all(NAME_table[kernel], &args, exec, nthread, flops);
}
