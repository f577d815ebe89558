/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
 * Plain C, no dependency, no allocation, no global state: every function may be called from any number of threads at
 * once.
 */
#ifndef NAME_H
#define NAME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//@ version_macros
//@ macros
/* What every function that returns int returns; NAME_strerror says it in words. */
enum {
    NAME_OK = 0,
    NAME_BAD_EXTENT = 1,  /* an extent is negative or above 2147483647 */
    NAME_BAD_POINTER = 2, /* a pointer is NULL that must not be */
    NAME_BAD_KERNEL = 3   /* exec->kernel is no kernel of this package, or one that this CPU cannot run */
};
const char *NAME_strerror(int code);

/* How a call is carried out. Zeroed, or NULL instead of it: one thread, the dispatcher chooses the kernel. */
typedef struct NAME_exec {
    int threads;     /* parts that the work is split into, at most; <= 1: none */
    /* Calls body(arg, i) for i = 0..n-1, in any order, at the same time if it can, and returns when all are done: the pool
     * in NAME_pool.h, or a few lines around the product's own. NULL: threads are started for this call, where it is large
     * enough.
     * Some i left out, or called twice: the result is right all the same, as the calling thread does what nobody took.
     * But once it has returned no body may still run or begin: there is nothing left for it to work on. An executor that
     * only queues its tasks must wait for them.
     * It may be left by a C++ exception or longjmp, under the same condition. The exception passes through the call (if
     * kernels.c was compiled with -fexceptions); the output then holds old and new elements, and some of partial sums;
     * nothing else was written, nothing is held, and the call may be made again. body throws nothing. */
    void (*parallel_for)(void *ctx, int n, void (*body)(void *arg, int i), void *arg);
    void *ctx;
    int kernel;      /* 0: the dispatcher chooses; k + 1: kernel k */
} NAME_exec;

#if PACKED
//@ pack_api
#endif
//@ call_api
/* Kernels of this package are numbered from 0. What each is, in words; NULL when there is no such kernel. */
int NAME_nkernel(void);
const char *NAME_kernel_text(int kernel);

#ifdef __cplusplus
}
#endif
#endif
