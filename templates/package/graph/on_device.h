/* SPDX-License-Identifier: MIT-0
 *
 * on_device: memory of the device, for test_model.c and run_model.c. What fails ends the program.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

static inline void on_device_must(cudaError_t code, const char *what)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
    exit(3);
}

/* Ends with code 77 where there is no device. */
static inline void on_device_begin(void)
{
    int n = 0;
    if (cudaGetDeviceCount(&n) == cudaSuccess && n > 0)
        return;
    printf("skipped: no CUDA device\n");
    exit(77);
}

/* Memory of NaN. */
static inline void *on_device_take(size_t bytes)
{
    void *p = NULL;
    on_device_must(cudaMalloc(&p, bytes ? bytes : 1), "cudaMalloc");
    on_device_must(cudaMemset(p, 0xff, bytes), "cudaMemset");
    return p;
}

static inline void on_device_send(void *to, const void *from, size_t bytes) { on_device_must(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy"); }

/* Behind all that was queued before. */
static inline void on_device_fetch(void *to, const void *from, size_t bytes)
{
    on_device_must(cudaDeviceSynchronize(), "a kernel");
    on_device_must(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}
