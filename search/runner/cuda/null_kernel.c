/* SPDX-License-Identifier: Apache-2.0
 *
 * null_kernel: the runtime hands out the driver's functions, so that this program needs no driver to start.
 */
#include "search/runner/cuda/null_kernel.h"

#include <cuda.h>
#include <stdio.h>
#include <string.h>

static const char ptx[] = ".version 6.3\n.target sm_70\n.address_size 64\n"
                          ".visible .entry dcgen_null()\n{\n    ret;\n}\n";

static struct {
    CUfunction function;
    CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                       void **, void **);
} null;

static bool entry_point(const char *name, void *function)
{
    void *address = NULL;
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    cudaError_t e = cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found);
#else
    cudaError_t e = cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found);
#endif
    memcpy(function, &address, sizeof address);
    return e == cudaSuccess && found == cudaDriverEntryPointSuccess && address;
}

bool null_kernel_open(char *why, size_t why_bytes)
{
    CUresult (*load)(CUmodule *, const void *);
    CUresult (*get)(CUfunction *, CUmodule, const char *);
    CUmodule module;
    snprintf(why, why_bytes, "the driver lacks a function for modules");
    if (!entry_point("cuModuleLoadData", &load) || !entry_point("cuModuleGetFunction", &get) ||
        !entry_point("cuLaunchKernel", &null.launch))
        return false;
    CUresult code = load(&module, ptx); /* stays loaded */
    if (code == CUDA_SUCCESS)
        code = get(&null.function, module, "dcgen_null");
    if (code != CUDA_SUCCESS)
        snprintf(why, why_bytes, "the driver does not load the null kernel (%d)", (int)code);
    return code == CUDA_SUCCESS;
}

int null_kernel_launch(void *stream)
{
    return (int)null.launch(null.function, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL);
}
