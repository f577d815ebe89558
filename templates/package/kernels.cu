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
    void (*kernel)(NAME_args args);
    NAME_plan (*plan)(int64_t M, int64_t N, int64_t K);
} NAME_entry;

static const NAME_entry NAME_table[] = {
    { KERNEL, KERNEL_plan }, //@ repeat kernels
};
//@ tables

static int NAME_current_target(void)
{
    int device, major, minor;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
        return -1;
    return NAME_target_of(10 * major + minor);
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
    if (ANY(axes, AXIS < 0 || AXIS > INT32_MAX))
        return -1;
    const int target = NAME_current_target();
    return target < 0 ? -1 : NAME_dispatch(target, AXES);
}

/* The kernel for a call, or minus the code of what is wrong. */
static int NAME_kernel_of(const NAME_exec *exec, EXTENTS)
{
    const int target = NAME_current_target();
    if (target < 0)
        return -NAME_BAD_DEVICE;
    if (!exec || !exec->kernel)
        return NAME_dispatch(target, AXES);
    if (exec->kernel < 0 || exec->kernel > NAME_NKERNEL || !NAME_runs(target, NAME_target[exec->kernel - 1]))
        return -NAME_BAD_KERNEL;
    return exec->kernel - 1;
}

size_t NAME_cuda_workspace_bytes(EXTENTS, const NAME_exec *exec)
{
    if (ANY(axes, AXIS < FEWEST || AXIS > INT32_MAX))
        return 0;
    const int kernel = NAME_kernel_of(exec, AXES);
    return kernel < 0 ? 0 : NAME_table[kernel].plan(AXES).workspace_bytes;
}

int NAME_cuda(EXTENTS,
    EACH(operands, PARAMETER), void *workspace,
    const NAME_exec *exec, struct CUstream_st *stream)
{
    if (ANY(axes, AXIS < 0 || AXIS > INT32_MAX))
        return NAME_BAD_EXTENT;
    if (OUTPUT_ROWS == 0 || OUTPUT_ROW_ELEMENTS == 0)
        return NAME_OK;
//@ repeat operands
    if (!OPERAND && ELEMENTS > 0)
        return NAME_BAD_POINTER;
//@ end
    const int kernel = NAME_kernel_of(exec, AXES);
    if (kernel < 0)
        return -kernel;
    const NAME_plan plan = NAME_table[kernel].plan(AXES);
    if (plan.workspace_bytes > 0 && !NAME_is_workspace(workspace))
        return NAME_BAD_POINTER;
    const NAME_args args = { EACH(axes, (int)AXIS),
//@ repeat operands
#if LAST
        (ELEM_TYPE *)(ARGUMENT), workspace
#else
        (ELEM_TYPE *)(ARGUMENT),
#endif
//@ end
    };
    const cudaError_t code = NAME_device::launch(NAME_table[kernel].kernel, dim3(plan.x, plan.y, plan.z), plan.threads,
                                                 plan.smem_bytes, stream, args);
    if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction)
        return NAME_BAD_DEVICE; /* compiled without code for it */
    return code == cudaSuccess ? NAME_OK : NAME_CUDA_ERROR;
}
