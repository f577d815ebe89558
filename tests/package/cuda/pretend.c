/* SPDX-License-Identifier: Apache-2.0
 *
 * pretend: what a CUDA package's own test and benchmark are linked with instead of the package, CUDA's run time and the
 * vendor's library. Memory is the host's. Work takes time on a clock of its own: an operation of the package a
 * picosecond, of the library two (one where M is 1), of its second algorithm 0.8; a third one refuses. Filling
 * or reading twice the L2 cache takes 700 ns, and the call behind it twice as long, behind filling three times. Every
 * eleventh launch takes 50 times as long. The environment variable FAULT names the one way in which the package is
 * wrong, or the library. (It is compiled with -w: arguments that it has no use for are no mistake.)
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pkg.h"

static int fault(const char *name) { return getenv("FAULT") && strcmp(getenv("FAULT"), name) == 0; }

/* ---- a call, made or captured ---- */

typedef struct {
    int64_t M, N, K;
    const float *X, *W, *bias;
    float *Y;
} Call;

struct CUgraph_st {
    double ms;
    Call last;
};

static double clock_ms;
static struct CUgraph_st graph;
static int capturing, nlaunch, cold; /* cold: how many times as long the next call takes; 0: it is not */
enum { L2_BYTES = 700 };

static int run(Call c)
{
    const int is_first = c.M * c.N > 0 && isnan(c.Y[0]); /* else it is timed again and again */
    for (int64_t at = 0; is_first && at < c.M * c.N; at++) {
        double y = c.bias ? c.bias[at % c.N] : 0;
        for (int64_t k = 0; k < c.K; k++)
            y += (double)c.X[at / c.N * c.K + k] * c.W[at % c.N * c.K + k];
        y += fault("leak") && at / c.N + 1 < c.M && c.K > 0 ? 0.0 * c.X[(at / c.N + 1) * c.K]
                                                            : 0; /* as of a row that is read too far */
        c.Y[at] = (float)y;
    }
    return 0;
}

static int start(Call c, double ps)
{
    if (!capturing)
        return run(c);
    graph.ms += 2.0 * (double)c.M * (double)c.N * (double)c.K * ps * 1e-9 * (cold ? cold : 1);
    cold = 0;
    graph.last = c;
    return 0;
}

/* ---- the package ---- */

static int is_over(const float *x, int64_t n, const float *y, int64_t elems)
{
    return n > 0 && x < y + elems && y < x + n;
}

int pkg_nkernel(void) { return 2; }
const char *pkg_kernel_text(int kernel) { return kernel >= 0 && kernel < 2 ? "kernel" : NULL; }
int pkg_cuda_choose(int64_t M, int64_t N, int64_t K)
{
    const int is_legal = M >= 0 && N >= 0 && K >= 0 && M <= INT32_MAX && N <= INT32_MAX && K <= INT32_MAX;
    return is_legal ? M > 1 : -1;
}

size_t pkg_cuda_workspace_bytes(int64_t M, int64_t N, int64_t K, const pkg_exec *exec)
{
    const int cannot_run = fault("other GPU") && exec && exec->kernel == 1;
    return M > 0 && M < 100 && pkg_cuda_choose(M, N, K) >= 0 && !cannot_run ? (size_t)(N + K) * 4 : 0;
}

int pkg_cuda_workspace_clear(void *workspace, size_t bytes, struct CUstream_st *stream)
{
    if (bytes > 0 && (uintptr_t)workspace % 16 != 0)
        return fault("clears anything") ? pkg_OK : pkg_BAD_POINTER;
    if (bytes > 0 && !fault("clears nothing"))
        memset(workspace, 0, bytes);
    return pkg_OK;
}

int pkg_cuda(int64_t M, int64_t N, int64_t K, const void *X, const void *W, const void *bias, void *Y, void *workspace,
             const pkg_exec *exec, struct CUstream_st *stream)
{
    const int kernel = exec ? exec->kernel : 0;
    if ((M < 0 && !fault("negative")) || N < 0 || K < 0 || M > INT32_MAX || N > INT32_MAX || K > INT32_MAX)
        return pkg_BAD_EXTENT;
    if (kernel > 2 || (fault("other GPU") && kernel == 1) || (fault("no choice") && kernel == 0))
        return pkg_BAD_KERNEL;
    if (M <= 0)
        return pkg_OK;
    if (is_over(X, M * K, Y, M * N) || is_over(W, N * K, Y, M * N) || is_over(bias, N, Y, M * N))
        return fault("overlap") ? pkg_OK : pkg_BAD_OVERLAP;
    if (pkg_cuda_workspace_bytes(M, N, K, exec) > 0 && (uintptr_t)workspace % 16 != 0)
        return fault("any workspace") ? pkg_OK : pkg_BAD_POINTER;
    if (pkg_cuda_workspace_bytes(M, N, K, exec) > 0 && !workspace)
        return fault("no workspace") ? pkg_OK : pkg_BAD_POINTER;
    for (size_t i = 0; i < pkg_cuda_workspace_bytes(M, N, K, exec); i++)
        if (((char *)workspace)[i] != 0)
            abort(); /* it is zero before the first call, and each call leaves it so */
    if (fault("refused"))
        return pkg_CUDA_ERROR;
    float *y = Y;
    const int result = start((Call){ M, N, K, X, W, bias, Y }, 1);
    if (capturing)
        return result;
    if (fault("last") || (fault("kernel") && kernel == 2) || (fault("shift") && (uintptr_t)Y % 16 != 0))
        y[M * N - 1] = isfinite(y[M * N - 1]) ? y[M * N - 1] + 1 : 0;
    if (fault("hole"))
        y[M * N / 2] = NAN;
    if (fault("before"))
        ((char *)y)[-1] = 0;
    if (fault("behind"))
        ((char *)(y + M * N))[0] = 0;
    return result;
}

/* A plan keeps the call, whose whole workspace is counters. */
typedef struct {
    int64_t M, N, K;
    const void *X, *W, *bias;
    void *Y;
    pkg_exec exec;
} Planned;

int pkg_cuda_prepare(int64_t M, int64_t N, int64_t K, const void *X, const void *W, const void *bias, void *Y,
                     const pkg_exec *exec, pkg_cuda_plan *plan)
{
    const Planned call = { M, N, K, X, W, bias, Y, exec ? *exec : (pkg_exec){ 0 } };
    _Static_assert(sizeof call <= sizeof plan->kept, "a plan has room for it");
    plan->counter_bytes = pkg_cuda_workspace_bytes(M, N, K, exec);
    plan->scratch_bytes = 0;
    memcpy(plan->kept, &call, sizeof call);
    return pkg_OK;
}

int pkg_cuda_execute(const pkg_cuda_plan *plan, void *scratch, void *counters, struct CUstream_st *stream)
{
    Planned c;
    memcpy(&c, plan->kept, sizeof c);
    if (fault("plan"))
        return pkg_OK;
    return scratch ? pkg_BAD_POINTER : pkg_cuda(c.M, c.N, c.K, c.X, c.W, c.bias, c.Y, counters, &c.exec, stream);
}

/* ---- CUDA ---- */

cudaError_t cudaMalloc(void **p, size_t bytes)
{
    *p = malloc(bytes ? bytes : 1);
    memset(*p, 0x5a, bytes);
    return cudaSuccess;
}
cudaError_t cudaFree(void *p) { return free(p), cudaSuccess; }
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return memcpy(to, from, bytes), cudaSuccess;
}
cudaError_t cudaMemset(void *p, int value, size_t bytes) { return memset(p, value, bytes), cudaSuccess; }
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t s)
{
    cold = capturing && bytes >= 2 * L2_BYTES - 16 ? 3 : 0;
    graph.ms += 1e-6 * L2_BYTES;
    return memset(p, value, bytes), cudaSuccess;
}
cudaError_t cudaGetLastError(void) { return cudaSuccess; }
const char *cudaGetErrorString(cudaError_t code) { return code ? "an error" : "no error"; }
cudaError_t cudaGetDeviceCount(int *n) { return *n = !fault("no device"), cudaSuccess; }
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    memset(p, 0, sizeof *p);
    p->multiProcessorCount = 7 + device;
    p->l2CacheSize = L2_BYTES;
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }
cudaError_t cudaStreamCreate(cudaStream_t *s) { return *s = NULL, cudaSuccess; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags) { return cudaStreamCreate(s); }
cudaError_t cudaStreamDestroy(cudaStream_t s) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t s) { return cudaSuccess; }

cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode)
{
    capturing = 1;
    cold = 0;
    graph = (struct CUgraph_st){ 0 };
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *g)
{
    capturing = 0;
    *g = malloc(sizeof **g);
    **g = graph;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *e, cudaGraph_t g, unsigned long long flags)
{
    *e = memcpy(malloc(sizeof *g), g, sizeof *g);
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t g) { return free(g), cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e) { return free(e), cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t s)
{
    const struct CUgraph_st *g = (const void *)e;
    clock_ms += g->ms * (++nlaunch % 11 == 0 ? 50 : 1);
    return run(g->last), cudaSuccess;
}

/* ---- the driver's functions: the kernel that reads ---- */

static CUresult load(CUmodule *m, const void *ptx)
{
    *m = NULL;
    return fault("no PTX") || !strstr(ptx, ".entry flush_l2(") ? CUDA_ERROR_JIT_COMPILER_NOT_FOUND : CUDA_SUCCESS;
}

static CUresult get(CUfunction *f, CUmodule m, const char *name)
{
    *f = (CUfunction)&graph;
    return strcmp(name, "flush_l2") == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static CUresult launch(CUfunction f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared, CUstream s, void **params, void **extra)
{
    cold = capturing && *(uint64_t *)params[1] >= 2 * L2_BYTES - 16 ? 2 : 0;
    graph.ms += 1e-6 * L2_BYTES;
    return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *found)
{
    *function = strcmp(name, "cuModuleLoadData") == 0      ? (void *)load
                : strcmp(name, "cuModuleGetFunction") == 0 ? (void *)get
                                                           : (void *)launch;
    return *found = cudaDriverEntryPointSuccess, cudaSuccess;
}
cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *found)
{
    return cudaGetDriverEntryPointByVersion(name, function, 0, flags, found);
}

static double stamp[2];
cudaError_t cudaEventCreate(cudaEvent_t *e)
{
    static int n;
    *e = (cudaEvent_t)&stamp[n++ % 2];
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) { return *(double *)e = clock_ms, cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t e) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b)
{
    return *ms = (float)(*(double *)b - *(double *)a), cudaSuccess;
}

/* ---- the library: it knows three algorithms, the last of which refuses ---- */

static int way;

const char *dcgen_name(void) { return fault("no library") ? NULL : "a library"; }
const char *dcgen_why(int code) { return code == -7 ? "cannot" : "an error"; }
int64_t dcgen_scratch(const int64_t *extent, int64_t ntask) { return extent[1] * ntask; }
void dcgen_use(int n) { way = n; }

int dcgen_launch(const int64_t *extent, void *const *operand, void *scratch, void *counters, void *stream)
{
    const int64_t M = extent[0], N = extent[1], K = extent[2];
    for (int64_t i = 0; i < N; i++)
        if (((char *)scratch)[i] != 0)
            return -8; /* it is as large as was asked for, and zero */
    if (way > 1 || fault("rival refuses"))
        return -7;
    float *y = operand[3];
    const int result = start((Call){ M, N, K, operand[0], operand[1], operand[2], y }, way ? 0.8 : M == 1 ? 1 : 2);
    if (fault("rival") && !capturing)
        y[M * N - 1] += 1;
    return result;
}
