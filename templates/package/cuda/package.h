/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
 * For GPUs; needs the CUDA runtime, and no more. No allocation, no synchronisation, no global state: every function may be
 * called from any number of threads at once.
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
    NAME_BAD_POINTER = 2, /* a pointer is NULL that must not be, or the workspace is not on a multiple of 16 bytes */
    NAME_BAD_KERNEL = 3,  /* exec->kernel is no kernel of this package, or one that this device cannot run */
    NAME_BAD_DEVICE = 4,  /* no kernel of this package runs on the current device, it was compiled without code for it, or there is none */
    NAME_CUDA_ERROR = 5   /* the CUDA runtime refused the launch or the copy; cudaGetLastError() has its reason */
};
const char *NAME_strerror(int code);

/* How a call is carried out. Zeroed, or NULL instead of it: the dispatcher chooses the kernel. */
typedef struct NAME_exec {
    int kernel; /* 0: the dispatcher chooses; k + 1: kernel k */
} NAME_exec;

struct CUstream_st; /* *cudaStream_t */

#if PACKED
//@ pack_api
#endif
/* Zeroes a workspace in the stream; may be captured. Before its first use, and after a call that may not have run to its
 * end (its kernel was aborted, its device was reset): blocks that share a part of the result count in the workspace, the
 * last one sets the counter back to 0, and a kernel that never came so far leaves it at any number. Then later calls on
 * that workspace start well and write wrong results, or none. bytes: all of it. */
int NAME_cuda_workspace_clear(void *workspace, size_t bytes, struct CUstream_st *stream);

//@ call_api
/* Kernels of this package are numbered from 0. What each is, in words; NULL when there is no such kernel. */
int NAME_nkernel(void);
const char *NAME_kernel_text(int kernel);

#ifdef __cplusplus
}
#endif
#endif
