/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
#if FAMILY_CUDA
 * For GPUs; needs the CUDA runtime, and no more. No allocation, no synchronisation, no global state: every function may be
 * called from any number of threads at once.
#else
 * Plain C, no dependency, no allocation, no global state: every function may be called from any number of threads at
 * once.
#endif
 */
#ifndef NAME_H
#define NAME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The dcgen that wrote this package. A product that was compiled with a package of the same spec goes on with
 * another one whose NAME_ABI is the same. */
#define NAME_VERSION "RELEASE"
#define NAME_VERSION_MAJOR RELEASE_MAJOR
#define NAME_VERSION_MINOR RELEASE_MINOR
#define NAME_VERSION_PATCH RELEASE_PATCH
#define NAME_ABI ABI_NUMBER

#define NAME_HAS_EPILOGUE IS_ASKED //@ repeat epilogues
#if HAS_CONSTANT
#define NAME_LAYOUT IS_ASKED //@ repeat layouts
#define NAME_CONSTANT_PACKED PACKED
#endif
/* What every function that returns int returns; NAME_strerror says it in words. */
enum {
    NAME_OK = 0,
    NAME_BAD_EXTENT = 1,  /* BAD_EXTENTS */
#if FAMILY_CUDA
    NAME_BAD_POINTER = 2, /* a pointer is NULL that must not be, or the workspace is not on a multiple of 16 bytes */
    NAME_BAD_KERNEL = 3,  /* exec->kernel is no kernel of this package, or one that this device cannot run */
    NAME_BAD_DEVICE = 4,  /* no kernel of this package runs on the current device, it was compiled without code for it, or there is none */
    NAME_CUDA_ERROR = 5   /* the CUDA runtime refused the launch or the copy; cudaGetLastError() has its reason */
#else
    NAME_BAD_POINTER = 2, /* a pointer is NULL that must not be */
    NAME_BAD_KERNEL = 3   /* exec->kernel is no kernel of this package, or one that this CPU cannot run */
#endif
};
const char *NAME_strerror(int code);

#if FAMILY_CUDA
/* How a call is carried out. Zeroed, or NULL instead of it: the dispatcher chooses the kernel. */
#else
/* How a call is carried out. Zeroed, or NULL instead of it: one thread, the dispatcher chooses the kernel. */
#endif
typedef struct NAME_exec {
#if FAMILY_CUDA
    int kernel; /* 0: the dispatcher chooses; k + 1: kernel k */
#else
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
#endif
} NAME_exec;
#if FAMILY_CUDA

struct CUstream_st; /* *cudaStream_t */
#endif

#if PACKED
/* CONSTANT is packed once and then used with any other extents. Bytes that the packed copy takes; 0: bad extents,
 * nothing to pack, or more than memory can hold. */
size_t CALL_packed_bytes(PACK_EXTENTS);
#if FAMILY_CUDA
/* CONSTANT: CONSTANT_DOC; here LAYOUT. packed: CALL_packed_bytes(...) bytes, as cudaMalloc
 * aligns them. Both on the device; the copy is done when what was put into the stream is. */
int CALL_pack(PACK_EXTENTS, const void *CONSTANT, void *packed, struct CUstream_st *stream);
#else
/* CONSTANT: CONSTANT_DOC; here LAYOUT. packed: CALL_packed_bytes(...) bytes,
 * best aligned to 64. */
int CALL_pack(PACK_EXTENTS, const CONSTANT_TYPE *CONSTANT, void *packed);
#endif

#endif
#if FAMILY_CUDA
/* Zeroes a workspace in the stream; may be captured. Before its first use, and after a call that may not have run to its
 * end (its kernel was aborted, its device was reset): blocks that share a part of the result count in the workspace, the
 * last one sets the counter back to 0, and a kernel that never came so far leaves it at any number. Then later calls on
 * that workspace start well and write wrong results, or none. bytes: all of it. */
int NAME_cuda_workspace_clear(void *workspace, size_t bytes, struct CUstream_st *stream);

/* Bytes of device memory that a call with these arguments needs on the current device; 0: none, workspace may be NULL.
 * The workspace begins on a multiple of 16 bytes, as all memory of cudaMalloc does. It is zeroed once, before its first use
 * (CALL_workspace_clear); every call leaves it fit for the next, of any extents. Calls that may run at the same time
 * need one each. */
size_t CALL_workspace_bytes(EXTENTS, const NAME_exec *exec);
#else
/* Bytes of scratch memory that a call with these extents needs; 0: none, workspace may be NULL. */
size_t CALL_workspace_bytes(EXTENTS);
#endif

/* OP_DOC
 *   AXIS_COLUMN AXIS_DOC //@ repeat axes
 *   OPERAND_COLUMN OPERAND_DOC //@ repeat operands
#if HAS_STRIDED
 *   ..._stride  elements from one element of that operand to the next, along each of its extents but the last, from 0 to
 *             2147483647; NULL: it lies densely
#endif
#if FAMILY_CUDA
 *   stream    a cudaStream_t; NULL: the default stream
 * All pointers are the current device's. Operands need no alignment beyond their element's (16 bytes are fastest), and one
 * without elements may be NULL; the output may not overlap an input. Any extents from 0 to 2147483647 are right; those
 * that spec.cfg names are fast. Starts one kernel, allocates nothing and waits for nothing: a call may be captured in a
 * CUDA graph. */
#else
 * Operands need no alignment beyond their element's, and one without elements may be NULL; the output may not
 * overlap an input. Any extents from 0 to 2147483647 are right; those that spec.cfg names are fast. */
#endif
int CALL(EXTENTS,
    EACH(operands, PARAMETER), void *workspace,
#if FAMILY_CUDA
    const NAME_exec *exec, struct CUstream_st *stream);
#else
    const NAME_exec *exec);
#endif

#if FAMILY_CUDA
/* The kernel that a call with these extents takes on the current device, for logs; -1: bad extents, or no kernel of this
 * package runs there. */
#else
/* The kernel that one thread's call with these extents takes on this CPU, for logs; -1: bad extents. */
#endif
int CALL_choose(EXTENTS);

/* Kernels of this package are numbered from 0. What each is, in words; NULL when there is no such kernel. */
int NAME_nkernel(void);
const char *NAME_kernel_text(int kernel);

#ifdef __cplusplus
}
#endif
#endif
