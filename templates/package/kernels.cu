/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
 * Compile with nvcc for the architectures that CMakeLists.txt names.
 */
#ifdef __USE_FAST_MATH__
#error "NAME's kernels are not right under --use_fast_math: compile this file without it"
#endif
#include "PACKAGE.h"

#if ANY_MAPS
#include <cuda.h>
#endif
#include <cuda_runtime.h>

#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diag_suppress 177 /* what kernels of one architecture call is not used by the code of another */
#endif

//@ preamble
/* Instructions that CUDA C++ has no words for. */
namespace PACKAGE_device {
#ifdef DCGEN_EMULATOR /* dcgen's emulator executes this file on a CPU, to verify it where there is no GPU */
#include "device.h"
#else
//@ device
#endif
}

//@ strerror

//@ overlap
#if ANY_REACH

//@ ranges
#endif
#if ANY_PACKED

//@ packed
#endif

/* Multiprocessors of the current device; 0: it cannot be asked. */
static int PACKAGE_sms(void)
{
    int device, sms;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
        return 0;
    return sms;
}

static int PACKAGE_is_workspace(const void *p) { return p && (uintptr_t)p % 16 == 0; }

int PACKAGE_cuda_workspace_clear(void *workspace, size_t bytes, cudaStream_t stream)
{
    if (bytes == 0)
        return PACKAGE_OK;
    if (!PACKAGE_is_workspace(workspace))
        return PACKAGE_BAD_POINTER;
    return cudaMemsetAsync(workspace, 0, bytes, stream) == cudaSuccess ? PACKAGE_OK : PACKAGE_CUDA_ERROR;
}

//@ repeat functions
//@ function
//@ end
