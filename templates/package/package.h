/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
#if FAMILY_CUDA
 * For GPUs; needs the CUDA runtime, and no more. No allocation, no synchronisation, no global state: every function may be
 * called from any number of threads at once.
#else
 * Plain C, no dependency, no allocation, no global state: every function may be called from any number of threads at
 * once, in a child of fork, and, on one thread, in a signal handler.
#endif
 */
#ifndef PACKAGE_H
#define PACKAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The package's version: the spec's `version`, or that of the dcgen that wrote it where the spec has none. A product that was compiled
 * with a package of the same spec goes on with another one whose PACKAGE_ABI is the same. */
#define PACKAGE_VERSION "RELEASE"
#define PACKAGE_VERSION_MAJOR RELEASE_MAJOR
#define PACKAGE_VERSION_MINOR RELEASE_MINOR
#define PACKAGE_VERSION_PATCH RELEASE_PATCH
#define PACKAGE_ABI ABI_NUMBER
#define PACKAGE_DCGEN_VERSION "DCGEN_RELEASE"

/* What every function that returns int returns; PACKAGE_strerror says it in words. */
enum {
    PACKAGE_OK = 0,
    PACKAGE_BAD_EXTENT = 1,  /* BAD_EXTENTS */
#if FAMILY_CUDA
    PACKAGE_BAD_POINTER = 2, /* a pointer is NULL that must not be, or the workspace is not on a multiple of 16 bytes */
    PACKAGE_BAD_KERNEL = 3,  /* exec->kernel is no kernel of this package, or one that is not for this device or call */
    PACKAGE_BAD_DEVICE = 4,  /* no kernel of this package runs on the current device, it was compiled without code for it, or there is none */
    PACKAGE_CUDA_ERROR = 5,  /* the CUDA runtime refused the launch or the copy; cudaGetLastError() has its reason */
#else
    PACKAGE_BAD_POINTER = 2, /* a pointer is NULL that must not be */
#if RUNS_EVERYWHERE
    PACKAGE_BAD_KERNEL = 3,  /* exec->kernel is no kernel of this package, or one that is not for this CPU or call */
#else
    PACKAGE_BAD_KERNEL = 3,  /* exec->kernel is no kernel of this package, or one that is not for this CPU or call; or the CPU can run none */
#endif
#endif
#if ANY_PACKED
    PACKAGE_BAD_PACKED = 7,  /* a file does not hold the packed operand that was asked for, or not all of it */
#endif
#if HAS_GRAPH
    PACKAGE_BAD_WEIGHTS = 8, /* a file of weights is none, is cut off, or lacks a weight of the type and extents that the model has */
    PACKAGE_BAD_SIZE = 9,    /* a dim of the model is outside of its range */
    BAD_NAME = BAD_NUMBER, /* CONDITION_DOC */ //@ repeat conditions
#endif
    PACKAGE_BAD_OVERLAP = 6  /* the output overlaps an input */
};
const char *PACKAGE_strerror(int code);
#if ANY_PACKED

/* Bytes of the header that stands before a packed operand in a file. */
#define PACKAGE_PACKED_HEADER 64
#endif

#if FAMILY_CUDA
/* How a call is carried out. Zeroed, or NULL instead of it: the dispatcher chooses the kernel. */
#else
/* How a call is carried out. Zeroed, or NULL instead of it: one thread, the dispatcher chooses the kernel. */
#endif
typedef struct PACKAGE_exec {
#if FAMILY_CUDA
    int kernel; /* 0: the dispatcher chooses; k + 1: kernel k */
#else
    int threads;     /* parts that the work is split into, at most; <= 1: none */
    /* Calls body(arg, i) for i = 0..n-1, in any order, at the same time if it can, and returns when all are done: the pool
     * in PACKAGE_pool.h, or a few lines around the product's own. NULL: threads are started for this call, where it is large
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
#endif
#if HAS_GRAPH
    /* Of PACKAGE_run, NULL or what it calls before each node, with its number, and behind the last one, with PACKAGE_NODES: for times of nodes. */
    void (*watch)(void *watch_ctx, int node);
    void *watch_ctx;
#endif
} PACKAGE_exec;
#if FAMILY_CUDA

struct CUstream_st; /* *cudaStream_t */
#endif

#if FAMILY_CUDA
/* Zeroes a workspace in the stream; may be captured. Before its first use, and after a call that may not have run to its
 * end (its kernel was aborted, its device was reset): blocks that share a part of the result count in the workspace, the
 * last one sets the counter back to 0, and a kernel that never came so far leaves it at any number. Then later calls on
 * that workspace start well and write wrong results, or none. bytes: all of it. */
int PACKAGE_cuda_workspace_clear(void *workspace, size_t bytes, struct CUstream_st *stream);
#endif

//@ repeat functions
//@ declarations
//@ end
#ifdef __cplusplus
}
#endif
#endif
