/* SPDX-License-Identifier: MIT-0 */
/* Host: starts a kernel whose only parameter is `args`. More than 48 KiB of dynamic shared memory must be allowed first, once a device; it is
 * allowed at each start, which costs less than remembering would in a program with several devices. The result is this start's own
 * error: those of others are left alone. cudaErrorNoKernelImageForDevice: there is no code for this device, or only an empty kernel,
 * which may have fewer threads. How an SM's memory is split between L1 cache and shared memory is left to the driver, whose default
 * makes room for as many blocks as registers and threads allow. */
template <typename Args>
static cudaError_t launch(void (*kernel)(Args), dim3 grid, unsigned cluster, int threads, size_t smem_bytes, cudaStream_t stream, Args args)
{
    void *list[] = { &args };
    if (smem_bytes > 48 * 1024) {
        const cudaError_t code = cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem_bytes);
        if (code != cudaSuccess)
            return code;
    }
    cudaLaunchAttribute shape = {};
    cudaLaunchConfig_t config = {};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim.x = cluster;
    shape.val.clusterDim.y = shape.val.clusterDim.z = 1;
    config.gridDim = grid;
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = smem_bytes;
    config.stream = stream;
    config.attrs = &shape;
    config.numAttrs = cluster > 0;
    const cudaError_t code = cudaLaunchKernelExC(&config, (const void *)kernel, list);
    cudaFuncAttributes compiled;
    if (code != cudaSuccess && cudaFuncGetAttributes(&compiled, (const void *)kernel) == cudaSuccess && compiled.maxThreadsPerBlock < threads)
        return cudaErrorNoKernelImageForDevice;
    return code;
}
