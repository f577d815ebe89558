/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
 * Compile with nvcc for the architectures that CMakeLists.txt names.
 */
#include "NAME.h"

#include <cuda_runtime.h>

#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diag_suppress 177 /* what kernels of one architecture call is not used by the code of another */
#endif

//@ preamble
/* Instructions that CUDA C++ has no words for. */
namespace NAME_device {
#ifdef DCGEN_EMULATOR /* dcgen's emulator executes this file on a CPU, to verify it where there is no GPU */
#include "device.h"
#else
//@ device
#endif
}

#if PACKED
//@ pack
#endif
//@ kernels
typedef struct {
    NAME_plan (*plan)(const NAME_args &args, int sms);
    cudaError_t (*start)(const NAME_args &args, const NAME_plan &plan, cudaStream_t stream);
} NAME_entry;

static const NAME_entry NAME_table[] = {
    { KERNEL_plan, KERNEL_start }, //@ repeat kernels
};
//@ tables

//@ legal

static int NAME_current_target(void)
{
    int device, major, minor;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
        return -1;
    return NAME_target_of(10 * major + minor);
}

/* Multiprocessors of the current device; 0: it cannot be asked. */
static int NAME_sms(void)
{
    int device, sms;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
        return 0;
    return sms;
}

static int NAME_is_workspace(const void *p) { return p && (uintptr_t)p % 16 == 0; }

int NAME_cuda_workspace_clear(void *workspace, size_t bytes, cudaStream_t stream)
{
    if (bytes == 0)
        return NAME_OK;
    if (!NAME_is_workspace(workspace))
        return NAME_BAD_POINTER;
    return cudaMemsetAsync(workspace, 0, bytes, stream) == cudaSuccess ? NAME_OK : NAME_CUDA_ERROR;
}

int NAME_cuda_choose(EXTENTS)
{
    if (!NAME_is_legal(AXES))
        return -1;
    const int64_t AXIS = VALUE; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat derived
    const int target = NAME_current_target();
    return target < 0 ? -1 : NAME_dispatch(target, EVERY_AXES);
}

/* The kernel for a call, or minus the code of what is wrong. */
static int NAME_kernel_of(const NAME_exec *exec, EVERY_EXTENTS)
{
    const int target = NAME_current_target();
    if (target < 0)
        return -NAME_BAD_DEVICE;
    if (!exec || !exec->kernel)
        return NAME_dispatch(target, EVERY_AXES);
    if (exec->kernel < 0 || exec->kernel > NAME_NKERNEL || !NAME_runs(target, NAME_target[exec->kernel - 1]))
        return -NAME_BAD_KERNEL;
    return exec->kernel - 1;
}

size_t NAME_cuda_workspace_bytes(EXTENTS, const NAME_exec *exec)
{
    if (!NAME_is_legal(AXES))
        return 0;
    const int64_t AXIS = VALUE; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat derived
    const int kernel = OUTPUT_IS_EMPTY ? -1 : NAME_kernel_of(exec, EVERY_AXES);
    if (kernel < 0)
        return 0;
    const NAME_args args = NAME_arguments(ALL_AXES,
        EACH(operands, NO_ARGUMENT), NULL);
    return NAME_table[kernel].plan(args, NAME_sms()).workspace_bytes;
}

int NAME_cuda(EXTENTS,
    EACH(operands, PARAMETER), void *workspace,
    const NAME_exec *exec, struct CUstream_st *stream)
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
    const int kernel = NAME_kernel_of(exec, EVERY_AXES);
    if (kernel < 0)
        return -kernel;
    const NAME_args args = NAME_arguments(ALL_AXES,
        EACH(operands, CAST_ARGUMENT), workspace);
    const NAME_plan plan = NAME_table[kernel].plan(args, NAME_sms());
    if (plan.workspace_bytes > 0 && !NAME_is_workspace(workspace))
        return NAME_BAD_POINTER;
    const cudaError_t code = NAME_table[kernel].start(args, plan, stream);
    if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction)
        return NAME_BAD_DEVICE; /* compiled without code for it */
    return code == cudaSuccess ? NAME_OK : NAME_CUDA_ERROR;
}
