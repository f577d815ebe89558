/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu: asks the CUDA runtime what device 0 is; keeps candidates loaded; takes, fills, compares and frees its memory;
 * ends the process on fatal errors.
 */
#include "search/runner/cuda/runner_cuda.h"

#include <dlfcn.h>
#include <unistd.h>
#include <xxhash.h>

enum { BAND_BYTES = 8192, ALIGN_BYTES = 256, CANARY = 0xff }; /* as an element of any type the canary is a NaN */

const char *gpu_version(Arena *a, int version)
{
    return arena_printf(a, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

static bool is_driver_old(const Gpu *g) { return g->driver_version / 1000 < g->runtime_version / 1000; }

static const char *why_no_device(Arena *a, const Gpu *g, cudaError_t e)
{
    if (g->driver_version == 0)
        return "no NVIDIA driver is installed";
    if (e == cudaErrorInsufficientDriver || is_driver_old(g))
        return arena_printf(a, "the driver is for %s, older than this program's %s", gpu_version(a, g->driver_version),
                            gpu_version(a, g->runtime_version));
    if (e == cudaErrorNoDevice || e == cudaSuccess)
        return "there is no CUDA device";
    return arena_printf(a, "no CUDA device can be used: %s", cudaGetErrorString(e));
}

static bool read_facts(Gpu *g)
{
    if (cudaGetDeviceProperties(&g->prop, 0) != cudaSuccess)
        return false;
    g->sm_arch = 10 * g->prop.major + g->prop.minor;
    return cudaDeviceGetPCIBusId(g->bus, (int)sizeof g->bus, 0) == cudaSuccess;
}

bool gpu_open(Arena *a, Gpu *g, const char **err)
{
    int count = 0;
    *g = (Gpu){ 0 };
    if (cudaDriverGetVersion(&g->driver_version) != cudaSuccess)
        g->driver_version = 0;
    cudaError_t e = cudaRuntimeGetVersion(&g->runtime_version);
    if (e == cudaSuccess)
        e = cudaGetDeviceCount(&count);
    if (e == cudaSuccess && count > 0 && !is_driver_old(g)) {
        if (read_facts(g))
            return true;
        e = cudaGetLastError();
    }
    *err = why_no_device(a, g, e);
    return false;
}

bool gpu_begin(Arena *a, const Gpu *g, const char **err)
{
    cudaError_t e = cudaSetDevice(0);
    if (e == cudaSuccess)
        e = cudaFree(NULL); /* makes the context, whatever the version */
    if (e != cudaSuccess)
        *err = why_no_device(a, g, e);
    return e == cudaSuccess;
}

/* True if the GPU runs the target's machine code, which runs on its own compute capability and later ones of the same
 * major number; "exact" code runs on its own alone. */
static bool runs_code_of(const Gpu *g, const Target *t)
{
    const int64_t arch = target_number(t, "SM_ARCH"); /* 0: it is no GPU's */
    return arch > 0 && (t->exact ? arch == g->sm_arch : arch / 10 == g->sm_arch / 10 && arch <= g->sm_arch);
}

/* Times by events have gaps in them, traced ones have none. A GPU has another id for each: nothing compares them. */
static const char *id_of(Arena *a, const Gpu *g, const char *isa, bool by_events)
{
    Text t = { .arena = a };
    text_printf(&t, "%s|%d|%d|%zu|%d|%d|%d|%s%s", g->prop.name, g->sm_arch, g->prop.multiProcessorCount,
                g->prop.sharedMemPerMultiprocessor, g->prop.l2CacheSize, g->driver_version, g->runtime_version, isa,
                by_events ? "|events" : "");
    return arena_printf(a, "%016llx", (unsigned long long)XXH3_64bits(text_str(&t), t.len));
}

bool gpu_device(Arena *a, const Gpu *g, const TargetList *list, bool by_events, Device *out, const char **err)
{
    const char *names = "";
    *out = (Device){ .arch = arena_printf(a, "sm_%d", g->sm_arch),
                     .name = arena_printf(a, "%s%s", g->prop.name, by_events ? " (timed by events)" : ""),
                     .sms = g->prop.multiProcessorCount,
                     .smem_bytes = (int64_t)g->prop.sharedMemPerMultiprocessor,
                     .l2_bytes = g->prop.l2CacheSize };
    for (int i = 0; i < list->n; i++)
        if (!list->t[i].same_code && runs_code_of(g, &list->t[i])) {
            names = arena_printf(a, "%s%s,", names, list->t[i].name);
            if (out->nisa < DEVICE_MAX_ISA)
                out->isa[out->nisa++] = list->t[i].name;
        }
    *err = arena_printf(a, "no target's code runs on %s (compute capability %d.%d)", g->prop.name, g->sm_arch / 10,
                        g->sm_arch % 10);
    out->id = id_of(a, g, names, by_events);
    return out->nisa > 0;
}

bool gpu_is_fatal(cudaError_t e)
{
    enum { CONTAINED = 226, TENSOR_MEMORY_LEAK = 721 }; /* older toolkits have no names for these */
    static const int fatal[] = { cudaErrorIllegalAddress,      cudaErrorMisalignedAddress,
                                 cudaErrorLaunchFailure,       cudaErrorIllegalInstruction,
                                 cudaErrorInvalidPc,           cudaErrorInvalidAddressSpace,
                                 cudaErrorHardwareStackError,  cudaErrorAssert,
                                 cudaErrorLaunchTimeout,       cudaErrorECCUncorrectable,
                                 cudaErrorNvlinkUncorrectable, CONTAINED,
                                 TENSOR_MEMORY_LEAK,           cudaErrorExternalDevice,
                                 cudaErrorMpsClientTerminated, cudaErrorUnknown,
                                 cudaErrorContextIsDestroyed,  cudaErrorDevicesUnavailable };
    for (size_t i = 0; i < LENGTH(fatal); i++)
        if (fatal[i] == (int)e)
            return true;
    return false;
}

void gpu_must(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "dcgen-runner-cuda: %s: %s (%s)\n", what, cudaGetErrorName(e), cudaGetErrorString(e));
    _exit(GPU_EXIT_CODE); /* no clean-up: the context is ruined */
}

void gpu_check(cudaError_t e, const char *what)
{
    if (gpu_is_fatal(e))
        gpu_must(e, what);
}

void gpu_wait(cudaStream_t stream, const char *what) { gpu_must(cudaStreamSynchronize(stream), what); }

int gpu_launched(int code, const char *what)
{
    const cudaError_t pending = cudaGetLastError();
    code = code == 0 ? (int)pending : code;
    if (code > 0)
        gpu_check((cudaError_t)code, what);
    return code;
}

void gpu_keep_code(const char *so) { dlopen(so, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); }

static void set_bytes(void *data, int byte, size_t bytes)
{
    if (bytes > 0)
        gpu_must(cudaMemset(data, byte, bytes), "cudaMemset");
}

static void copy_bytes(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    if (bytes > 0)
        gpu_must(cudaMemcpy(to, from, bytes, kind), "cudaMemcpy");
}

bool gpu_buffer_new(GpuBuffer *b, size_t bytes, size_t offset)
{
    const size_t total = (2 * BAND_BYTES + offset + bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    void *base = NULL;
    *b = (GpuBuffer){ 0 };
    if (bytes == 0)
        return true;
    cudaError_t e = cudaMalloc(&base, total);
    if (e != cudaSuccess) {
        gpu_check(e, "cudaMalloc");
        cudaGetLastError();
        return false;
    }
    *b = (GpuBuffer){ base, (char *)base + BAND_BYTES + offset, total, bytes };
    gpu_buffer_reset(b);
    return true;
}

void gpu_buffer_free(GpuBuffer *b)
{
    if (b->base)
        gpu_must(cudaFree(b->base), "cudaFree");
    *b = (GpuBuffer){ 0 };
}

void gpu_buffer_reset(GpuBuffer *b) { set_bytes(b->base, CANARY, b->total_bytes); }
void gpu_buffer_fill(GpuBuffer *b, int byte) { set_bytes(b->data, byte, b->bytes); }
void gpu_buffer_put(GpuBuffer *b, const void *host) { copy_bytes(b->data, host, b->bytes, cudaMemcpyHostToDevice); }
void gpu_buffer_get(const GpuBuffer *b, void *host) { copy_bytes(host, b->data, b->bytes, cudaMemcpyDeviceToHost); }

static bool is_canary(const char *from, size_t bytes)
{
    unsigned char band[2 * BAND_BYTES + ALIGN_BYTES];
    copy_bytes(band, from, bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < bytes; i++)
        if (band[i] != CANARY)
            return false;
    return true;
}

bool gpu_buffer_intact(const GpuBuffer *b)
{
    if (!b->data)
        return true;
    const size_t before = (size_t)(b->data - b->base);
    return is_canary(b->base, before) && is_canary(b->data + b->bytes, b->total_bytes - before - b->bytes);
}
