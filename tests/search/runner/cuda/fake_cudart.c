/* SPDX-License-Identifier: Apache-2.0
 *
 * fake_cudart: the functions of CUDA's runtime that dcgen-runner-cuda calls, in host memory (fake.h).
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/search/runner/cuda/fake.h"

enum { L2_BYTES = 1 << 20, MAX_NODE = 4096, MEMSET_BYTES_PER_NS = 4 };

typedef struct {
    void (*run)(void *);
    char arg[FAKE_ARG_BYTES];
    int64_t takes_ns;
} Node;

struct CUgraph_st {
    int nnode;
    Node node[MAX_NODE];
};

static struct {
    uint64_t clock_ns;
    bool cold, dirty, hanging;
    cudaError_t fault, last;
    cudaGraph_t capture; /* being recorded; NULL: none */
    const FakeTracer *tracer;
} gpu = { .clock_ns = 1000000 };

/* The environment is read once: every launch of a kernel asks. */
static bool gpu_is(const char *kind)
{
    static const char *is;
    if (!is)
        is = getenv("FAKE_GPU") ? getenv("FAKE_GPU") : "";
    return strcmp(is, kind) == 0;
}

/* ---- kernels */

void fake_set_tracer(const FakeTracer *t) { gpu.tracer = t; }
void fake_fault(int error) { gpu.fault = (cudaError_t)error; }
void fake_hang(void) { gpu.hanging = true; }

static void run_node(Node *n)
{
    uint64_t start = gpu.clock_ns + FAKE_GAP_NS;
    gpu.clock_ns = start + (uint64_t)((gpu.cold + gpu.dirty + 1) * n->takes_ns);
    gpu.cold = gpu.dirty = false;
    n->run(n->arg);
    if (gpu.tracer)
        gpu.tracer->kernel(start, gpu.clock_ns);
}

void fake_launch(void (*run)(void *), const void *arg, int arg_bytes, int64_t takes_ns)
{
    Node n = { .run = run, .takes_ns = takes_ns };
    memcpy(n.arg, arg, (size_t)arg_bytes);
    if (gpu.fault)
        return;
    if (gpu.capture) {
        if (gpu.capture->nnode < MAX_NODE)
            gpu.capture->node[gpu.capture->nnode++] = n;
        return;
    }
    if (gpu.tracer)
        gpu.tracer->api_call();
    run_node(&n);
}

static cudaError_t result(cudaError_t e)
{
    e = gpu.fault ? gpu.fault : e;
    gpu.last = e ? e : gpu.last;
    return e;
}

/* ---- device and errors */

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = gpu_is("nodriver") ? 0 : gpu_is("olddriver") ? 12040 : CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return gpu_is("noruntime") ? cudaErrorInitializationError : cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 0;
    if (gpu_is("nodriver") || gpu_is("olddriver"))
        return cudaErrorInsufficientDriver;
    if (gpu_is("nodevice"))
        return cudaErrorNoDevice;
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    (void)device;
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "Fake GPU");
    p->major = gpu_is("newer") ? 99 : 9;
    p->multiProcessorCount = 4;
    p->sharedMemPerMultiprocessor = 233472;
    p->l2CacheSize = L2_BYTES;
    p->totalGlobalMem = (size_t)1 << 30;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *bus, int bytes, int device)
{
    (void)device;
    snprintf(bus, (size_t)bytes, "0000:01:00.0");
    return cudaSuccess;
}

static void tell_work(void) { fprintf(stderr, "fake GPU: worked for %.0f ms\n", 1e-6 * (double)gpu.clock_ns); }

cudaError_t cudaSetDevice(int device)
{
    (void)device;
    if (getenv("FAKE_WORK"))
        atexit(tell_work);
    return cudaSuccess;
}

const char *cudaGetErrorName(cudaError_t e)
{
    return e == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress"
           : e == cudaErrorInvalidValue ? "cudaErrorInvalidValue"
                                        : "cudaError";
}

const char *cudaGetErrorString(cudaError_t e)
{
    return e == cudaErrorIllegalAddress ? "an illegal memory access was encountered"
           : e == cudaErrorInvalidValue ? "invalid argument"
                                        : "an error of the fake GPU";
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t e = gpu.last;
    gpu.last = gpu.fault;
    return e;
}

/* ---- memory */

/* FAKE_FEW: one piece of that size less. */
static bool is_spent(size_t bytes)
{
    static size_t ntaken;
    size_t of = 0, n = 0;
    const char *few = getenv("FAKE_FEW");
    return few && sscanf(few, "%zu:%zu", &of, &n) == 2 && bytes == of && ++ntaken > n;
}

cudaError_t cudaMalloc(void **p, size_t bytes)
{
    *p = bytes < (size_t)1 << 34 && !is_spent(bytes) ? aligned_alloc(256, (bytes + 255) / 256 * 256) : NULL;
    return result(*p ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void *p)
{
    free(p);
    return result(cudaSuccess);
}

cudaError_t cudaMemset(void *p, int byte, size_t bytes)
{
    memset(p, byte, bytes);
    return result(cudaSuccess);
}

static int ncounted;
static void tell_count(void) { fprintf(stderr, "fake GPU: %d copies of %s bytes\n", ncounted, getenv("FAKE_COUNT")); }

static void count_copy(size_t bytes)
{
    const char *wanted = getenv("FAKE_COUNT");
    static bool counts;
    if (!wanted)
        return;
    if (!counts)
        atexit(tell_count);
    counts = true;
    ncounted += bytes == strtoul(wanted, NULL, 10);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    if (kind == cudaMemcpyDeviceToHost)
        count_copy(bytes);
    memcpy(to, from, bytes);
    return result(cudaSuccess);
}

cudaError_t cudaMemsetAsync(void *p, int byte, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    if (gpu.tracer)
        gpu.tracer->api_call();
    gpu.clock_ns += bytes / MEMSET_BYTES_PER_NS;
    gpu.cold = gpu.dirty = bytes >= 2 * L2_BYTES;
    return cudaMemset(p, byte, bytes);
}

/* ---- streams, events, graphs */

cudaError_t cudaStreamCreate(cudaStream_t *s)
{
    *s = (cudaStream_t)malloc(1);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    free(s);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    (void)s;
    while (gpu.hanging)
        pause();
    return result(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *e)
{
    *e = malloc(sizeof(uint64_t));
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    (void)s;
    memcpy((void *)e, &gpu.clock_ns, sizeof gpu.clock_ns);
    return result(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end)
{
    uint64_t from, to;
    memcpy(&from, (void *)begin, sizeof from);
    memcpy(&to, (void *)end, sizeof to);
    *ms = (float)(1e-6 * (double)(to - from));
    return result(cudaSuccess);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode)
{
    (void)s;
    (void)mode;
    gpu.capture = calloc(1, sizeof *gpu.capture);
    return result(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *graph)
{
    (void)s;
    *graph = gpu.capture;
    gpu.capture = NULL;
    return result(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    struct CUgraph_st *copy = malloc(sizeof *copy);
    *copy = *graph;
    *exec = (cudaGraphExec_t)(void *)copy;
    return result(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t s)
{
    (void)s;
    struct CUgraph_st *graph = (void *)exec;
    if (gpu.tracer)
        gpu.tracer->api_call();
    for (int i = 0; i < graph->nnode && !gpu.fault; i++)
        run_node(&graph->node[i]);
    return result(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    free(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    free((void *)exec);
    return cudaSuccess;
}

/* ---- the driver's functions, for the null kernel */

static CUresult load(CUmodule *module, const void *ptx)
{
    *module = NULL;
    const bool flush = strstr(ptx, ".entry flush_l2(");
    return gpu_is("noptx") || (flush && gpu_is("noflush")) ? CUDA_ERROR_JIT_COMPILER_NOT_FOUND
           : flush || strstr(ptx, ".entry dcgen_null(")    ? CUDA_SUCCESS
                                                           : CUDA_ERROR_INVALID_PTX;
}

static char null_function, digest_function, flush_function;

static CUresult get(CUfunction *function, CUmodule module, const char *name)
{
    (void)module;
    const bool null = strcmp(name, "dcgen_null") == 0, digest = strcmp(name, "dcgen_digest") == 0,
               flush = strcmp(name, "flush_l2") == 0;
    *function = (CUfunction)(void *)(null ? &null_function : flush ? &flush_function : &digest_function);
    return null || flush || (digest && !gpu_is("nodigest")) ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static void do_nothing(void *arg) { (void)arg; }
static void do_read(void *bytes) { gpu.cold = *(uint64_t *)bytes >= 2 * L2_BYTES; }

typedef struct {
    const unsigned char *p;
    uint64_t n, *sum;
} Digest;

/* As search/runner/cuda/builtin.c has it in PTX; sums need not be those of the same lanes. */
static void do_digest(void *arg)
{
    const Digest *d = arg;
    for (uint64_t i = 0; i < d->n; i++) {
        uint64_t x = (i << 8 | (gpu_is("wrongdigest") ? 0 : d->p[i])) * 0x9e3779b97f4a7c15u;
        x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
        d->sum[i % 32] += x ^ x >> 32;
    }
}

static CUresult launch(CUfunction f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared, CUstream s, void **params, void **extra)
{
    (void)x, (void)y, (void)z, (void)bx, (void)by, (void)bz, (void)shared, (void)s, (void)extra;
    if ((void *)f == &null_function) {
        fake_launch(do_nothing, "", 1, FAKE_NULL_NS);
        return CUDA_SUCCESS;
    }
    if ((void *)f == &flush_function) {
        fake_launch(do_read, params[1], sizeof(uint64_t), FAKE_READ_NS);
        return CUDA_SUCCESS;
    }
    Digest d;
    memcpy(&d.p, params[0], sizeof d.p);
    memcpy(&d.n, params[1], sizeof d.n);
    memcpy(&d.sum, params[2], sizeof d.sum);
    fake_launch(do_digest, &d, sizeof d, FAKE_DIGEST_NS);
    return CUDA_SUCCESS;
}

static cudaError_t entry_point(const char *name, void **function, enum cudaDriverEntryPointQueryResult *found)
{
    static const struct {
        const char *name;
        void *function;
    } rows[] = { { "cuModuleLoadData", (void *)load },
                 { "cuModuleGetFunction", (void *)get },
                 { "cuLaunchKernel", (void *)launch } };
    *found = cudaDriverEntryPointSymbolNotFound;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *function = rows[i].function;
            *found = cudaDriverEntryPointSuccess;
        }
    return cudaSuccess;
}

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *found)
{
    (void)version;
    (void)flags;
    return entry_point(name, function, found);
}
#else
cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *found)
{
    (void)flags;
    return entry_point(name, function, found);
}
#endif
