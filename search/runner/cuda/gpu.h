/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu: the GPU that this program measures on: what it is, and its memory with guard bands.
 */
#ifndef DCGEN_CUDA_GPU_H
#define DCGEN_CUDA_GPU_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include "gen/base/arena.h"
#include "gen/target/device.h"

enum { GPU_EXIT_CODE = 4 };

typedef struct {
    char name[256], bus[32];
    int sm_arch; /* 90: compute capability 9.0 */
    int sms, driver_version, runtime_version;
    size_t smem_sm_bytes, l2_bytes, memory_bytes;
} Gpu;

/* Device 0. False: *err says in one line what is missing: driver, device, a newer driver. */
bool gpu_open(Arena *a, Gpu *g, const char **err);
/* Makes its context: work can begin. Tracers want to be there before. */
bool gpu_begin(Arena *a, const Gpu *g, const char **err);
const char *gpu_version(Arena *a, int version); /* "CUDA 13.0" */
/* Its `device` of the hello: isa lists the targets whose code it runs, best first. by_events: how it is timed, part of its id and its name.
 * False with *err: no target's code runs there. */
bool gpu_device(Arena *a, const Gpu *g, const TargetList *list, bool by_events, Device *out, const char **err);

/* An error that ruins the context: nothing runs on the GPU from then on. */
bool gpu_is_fatal(cudaError_t e);
/* Waits for the GPU. What goes wrong then is a kernel's fault and cannot be mended: says so and ends the process. */
void gpu_wait(cudaStream_t stream, const char *what);
/* Ends the process with GPU_EXIT_CODE when e ruins the context. */
void gpu_check(cudaError_t e, const char *what);
/* What a function that launches kernels has returned; of 0 the error that it did not return, if there is one. Ends the process when that ruins
 * the context. */
int gpu_launched(int code, const char *what);
/* Ends it on any error: copies and fills of our own memory fail only when a kernel has ruined the context before. */
void gpu_must(cudaError_t e, const char *what);

/* Device memory between two bands of at least 4 KiB; all of it is filled with NaN bytes. */
typedef struct {
    char *base, *data; /* data: NULL when bytes is 0 */
    size_t total_bytes, bytes;
} GpuBuffer;

/* data lies `offset` bytes behind a multiple of 256. False: no memory. */
bool gpu_buffer_new(GpuBuffer *b, size_t bytes, size_t offset);
void gpu_buffer_reset(GpuBuffer *b); /* as it was when it was new */
void gpu_buffer_free(GpuBuffer *b);
void gpu_buffer_fill(GpuBuffer *b, int byte);        /* the data, not the bands */
void gpu_buffer_put(GpuBuffer *b, const void *host); /* all of it */
void gpu_buffer_get(const GpuBuffer *b, void *host);
bool gpu_buffer_intact(const GpuBuffer *b); /* the bands are as they were */

#endif
