/* SPDX-License-Identifier: MIT-0
 *
 * cuda_runtime_api.h as the emulator has it: the part of CUDA's run time that packages and their tests call, for C and
 * C++. Device memory is the host's, everything is done at once, there is one device. What is not defined here is in
 * libdcgen_emulator.a (search/runner/emu/runtime.c), which whole programs are linked with.
 */
#ifndef DCGEN_EMULATOR_CUDA_RUNTIME_API_H
#define DCGEN_EMULATOR_CUDA_RUNTIME_API_H

#include <stddef.h>
#include <string.h>

#define CUDART_VERSION 13000

#ifdef __cplusplus
#define DCGEN_EMU_STREAM cudaStream_t stream = 0 /* the default stream */
extern "C" {
#else
#define DCGEN_EMU_STREAM cudaStream_t stream
#endif

typedef struct CUstream_st *cudaStream_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorLaunchFailure = 719,
    cudaErrorStreamCaptureUnsupported = 900
} cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaMalloc(void **p, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemset(void *p, int value, size_t bytes);
/* Says on stderr what kernels did wrong since the last call, and fails from then on, as after a fault on a GPU. */
cudaError_t cudaDeviceSynchronize(void);
const char *cudaGetErrorString(cudaError_t error);

/* Streams, and graphs of the launches that one was given while it was captured (search/runner/emu/capture.c). */
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
};
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *captured_graph);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t of, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t unused);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);

/* Takes a launch that the stream is given while it is captured; 0: it is not. Programs that capture nothing have none. */
int dcgen_emu_capture(cudaStream_t stream, void (*call)(void *kernel, const void *args), void *kernel, const void *args,
                      size_t args_bytes, const unsigned *grid, unsigned cluster, const unsigned *block,
                      size_t smem_bytes) __attribute__((weak));
int dcgen_emu_is_capturing(void) __attribute__((weak));

/* Tells the emulator that memory was written, by host code. */
void dcgen_emu_written(const void *address, size_t bytes);
/* A function of the driver's; NULL: the emulator has none of that name. */
void (*dcgen_emu_driver_function(const char *name))(void);

enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound };
enum { cudaEnableDefault = 0 };

static inline cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                                           unsigned long long flags,
                                                           enum cudaDriverEntryPointQueryResult *found)
{
    (void)version;
    (void)flags;
    *(void (**)(void))function = dcgen_emu_driver_function(name);
    if (found)
        *found = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return *function ? cudaSuccess : cudaErrorInvalidValue;
}

static inline cudaError_t cudaGetLastError(void) { return cudaSuccess; }
static inline cudaError_t cudaPeekAtLastError(void) { return cudaSuccess; }
/* Events of streams: no time passes between them. */
typedef struct CUevent_st *cudaEvent_t;
static inline cudaError_t cudaEventCreate(cudaEvent_t *event) { return *event = NULL, cudaSuccess; }
static inline cudaError_t cudaEventDestroy(cudaEvent_t event) { return (void)event, cudaSuccess; }
static inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return (void)event, (void)stream, cudaSuccess;
}
static inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end)
{
    return (void)begin, (void)end, *ms = 0, cudaSuccess;
}

static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaDeviceSynchronize();
}
static inline cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, DCGEN_EMU_STREAM)
{
    (void)stream;
    memset(p, value, bytes);
    dcgen_emu_written(p, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                          DCGEN_EMU_STREAM)
{
    (void)kind;
    (void)stream;
    memcpy(to, from, bytes);
    dcgen_emu_written(to, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                            size_t width, size_t height, enum cudaMemcpyKind kind, DCGEN_EMU_STREAM)
{
    (void)kind;
    (void)stream;
    if (width > to_pitch || width > from_pitch)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < height; i++) {
        memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width);
        dcgen_emu_written((char *)to + i * to_pitch, width);
    }
    return cudaSuccess;
}

#ifdef __cplusplus
}
#endif
#endif
