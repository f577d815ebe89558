/* SPDX-License-Identifier: MIT-0
 *
 * test: every kernel of the package that the current device runs, and the dispatcher's choice, against the definition in double
 * precision, on extents around every kind of tail and on the package's own, with operands aligned to 256 bytes and to their
 * element alone. The output lies between canaries and is NaN before each call; the workspace is zeroed once for all calls.
 *
 *   NAME_test [STRIDE]       every STRIDE-th combination of extents (default 1: all)
 *
 * Exit code 0 when all agree, 77 when there is no device.
 */
#include "NAME.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the definition ---- */

//@ reference

/* ---- elements ---- */

#if DTYPE_F16 || DTYPE_BF16
/* The nearest element, ties to even; |x| is far from overflow. */
static Element element_of(float x)
{
#if DTYPE_F16
    const uint32_t sign = signbit(x) ? 0x8000u : 0;
    const float scaled = fabsf(x) * 0x1p-112f; /* a float whose exponent field is that of the result */
    uint32_t bits;
    memcpy(&bits, &scaled, sizeof bits);
    bits += 0xfffu + (bits >> 13 & 1);
    return (Element)(sign | bits >> 13);
#else
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += 0x7fffu + (bits >> 16 & 1);
    return (Element)(bits >> 16);
#endif
}
#else
static Element element_of(float x) { return x; }
#endif

/* How far a result y may be off: `terms` rounded operations on terms whose magnitudes sum up to `bound`. */
static double tolerance(double terms, double bound, double y)
{
    double t = ldexp(4 * sqrt(terms) + 8, -24) * bound;
#if DTYPE_TF32
    t += ldexp(fmin(2, 12 / sqrt(terms)), -10) * bound; /* inputs as the multipliers take them */
#endif
#if DTYPE_F16
    t += ldexp(fabs(y), -11) + ldexp(1, -25);
#elif DTYPE_BF16
    t += ldexp(fabs(y), -8);
#endif
    (void)y;
    return t + 1e-300;
}

/* ---- one problem ---- */

enum { CANARY = 256, CANARY_BYTE = 0xA5 };

typedef struct {
    int64_t M, N, K;
    Element *X, *W, *bias, *Y;      /* host */
    char *dX, *dW, *dbias, *dY;     /* device; each has room for a shift by one element; dY lies between canaries */
    void *packed;                   /* device */
    double *want, *bound;
} Problem;

static void die(const char *what, cudaError_t code)
{
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
    exit(3);
}

static void *take(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(3);
    }
    return p;
}

static char *take_device(size_t bytes)
{
    void *p = NULL;
    const cudaError_t code = cudaMalloc(&p, bytes + 2 * CANARY);
    if (code != cudaSuccess)
        die("cudaMalloc", code);
    return (char *)p;
}

static void copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const cudaError_t code = bytes ? cudaMemcpy(to, from, bytes, kind) : cudaSuccess;
    if (code != cudaSuccess)
        die("cudaMemcpy", code);
}

/* Uniform in -1..1, from a fixed generator. */
static Element *random_elements(int64_t n)
{
    static uint64_t state = 1;
    Element *p = (Element *)take((size_t)n * sizeof *p);
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        p[i] = element_of((float)(int32_t)(state >> 32) / 2147483648.0f);
    }
    return p;
}

static Problem problem_new(int64_t M, int64_t N, int64_t K)
{
    const size_t es = sizeof(Element);
    Problem p = { .M = M, .N = N, .K = K };
    p.X = random_elements(M * K);
    p.W = random_elements(N * K);
    p.bias = random_elements(N);
    p.Y = (Element *)take((size_t)(M * N) * es + 2 * CANARY);
    p.dX = take_device((size_t)(M * K) * es);
    p.dW = take_device((size_t)(N * K) * es);
    p.dbias = take_device((size_t)N * es);
    p.dY = take_device((size_t)(M * N) * es);
    p.want = (double *)take((size_t)(M * N) * sizeof(double));
    p.bound = (double *)take((size_t)(M * N) * sizeof(double));
#if PACKED
    p.packed = take_device(NAME_cuda_packed_bytes(N, K));
    copy(p.dW, p.W, (size_t)(N * K) * es, cudaMemcpyHostToDevice);
    if (NAME_cuda_pack(N, K, p.dW, p.packed, NULL) != NAME_OK)
        die("NAME_cuda_pack", cudaGetLastError());
#endif
#if HAS_BIAS
    const void *const operand[] = { p.X, p.W, p.bias, NULL };
#else
    const void *const operand[] = { p.X, p.W, NULL, NULL };
#endif
    const int64_t extent[] = { M, N, K };
    dcgen_reference_rows(extent, operand, 0, M, p.want, p.bound);
    return p;
}

static void problem_free(Problem *p)
{
    void *const device[] = { p->dX, p->dW, p->dbias, p->dY, p->packed };
    void *const host[] = { p->X, p->W, p->bias, p->Y, p->want, p->bound };
    for (size_t i = 0; i < sizeof device / sizeof *device; i++)
        cudaFree(device[i]);
    for (size_t i = 0; i < sizeof host / sizeof *host; i++)
        free(host[i]);
}

/* The workspace grows to what any call so far needed; what is new is zeroed. */
static void *workspace(size_t bytes)
{
    static void *held;
    static size_t held_bytes;
    if (bytes > held_bytes) {
        cudaFree(held);
        held = take_device(bytes);
        held_bytes = bytes;
        if (NAME_cuda_workspace_clear(held, bytes, NULL) != NAME_OK)
            die("NAME_cuda_workspace_clear", cudaGetLastError());
    }
    return bytes ? held : NULL;
}

/* Where the output begins: operands are at the start of their memory, or one element behind it. */
static Element *output(const Problem *p, int shift) { return (Element *)(p->dY + CANARY) + shift; }

/* The call itself, with the problem's data and M rows, on this workspace. */
static int start_on(const Problem *p, int64_t M, const NAME_exec *exec, int shift, void *work, cudaStream_t stream)
{
    return NAME_cuda(M, p->N, p->K, (const Element *)p->dX + shift,
#if PACKED
                     p->packed,
#else
                     (const Element *)p->dW + shift,
#endif
#if HAS_BIAS
                     (const Element *)p->dbias + shift,
#endif
                     output(p, shift), work, exec, stream);
}

static int start(const Problem *p, int64_t M, const NAME_exec *exec, int shift, cudaStream_t stream)
{
    return start_on(p, M, exec, shift, workspace(NAME_cuda_workspace_bytes(M, p->N, p->K, exec)), stream);
}

/* Data, canaries and a NaN in every element of the output. */
static void prepare(const Problem *p, int shift)
{
    const size_t es = sizeof(Element), bytes = (size_t)(p->M * p->N) * es;
    copy((Element *)p->dX + shift, p->X, (size_t)(p->M * p->K) * es, cudaMemcpyHostToDevice);
    copy((Element *)p->dW + shift, p->W, (size_t)(p->N * p->K) * es, cudaMemcpyHostToDevice);
    copy((Element *)p->dbias + shift, p->bias, (size_t)p->N * es, cudaMemcpyHostToDevice);
    if (cudaMemset(p->dY, CANARY_BYTE, bytes + 2 * CANARY) != cudaSuccess ||
        cudaMemset(output(p, shift), 0xff, bytes) != cudaSuccess)
        die("cudaMemset", cudaGetLastError());
}

/* The largest error as a part of its tolerance; canaries touched or NaN: infinite. */
static double worst(Problem *p, int shift)
{
    const size_t at = CANARY + (size_t)shift * sizeof(Element), bytes = (size_t)(p->M * p->N) * sizeof(Element);
    unsigned char *all = (unsigned char *)take(bytes + 2 * CANARY);
    double most = 0;
    copy(all, p->dY, bytes + 2 * CANARY, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < bytes + 2 * CANARY; i++)
        if ((i < at || i >= at + bytes) && all[i] != CANARY_BYTE)
            most = INFINITY;
    memcpy(p->Y, all + at, bytes);
    free(all);
    for (int64_t i = 0; i < p->M * p->N; i++) {
        const double err = fabs(element(p->Y[i]) - p->want[i]) / tolerance((double)p->K + 1, p->bound[i], p->want[i]);
        if (!(err <= most))
            most = isnan(err) ? INFINITY : err;
    }
    return most;
}

static int check(Problem *p, int kernel, int shift, double *most)
{
    const NAME_exec exec = { kernel };
    prepare(p, shift);
    const int code = start(p, p->M, &exec, shift, NULL);
    if (code == NAME_BAD_KERNEL && kernel)
        return 0; /* this device cannot run it */
    const cudaError_t finished = cudaDeviceSynchronize();
    if (finished != cudaSuccess)
        die("kernel", finished);
    const double err = code == NAME_OK ? worst(p, shift) : INFINITY;
    if (err > *most)
        *most = err;
    if (err <= 1)
        return 0;
    printf("wrong: M=%lld N=%lld K=%lld kernel %d shift %d: code %d, error %g of the tolerance\n", (long long)p->M, (long long)p->N,
           (long long)p->K, kernel - 1, shift, code, err);
    return 1;
}

/* ---- the contract besides the result ---- */

static int expect(const char *what, int got, int wanted)
{
    if (got == wanted)
        return 0;
    printf("%s: code %d instead of %d\n", what, got, wanted);
    return 1;
}

static int check_arguments(const Problem *p)
{
    const NAME_exec none = { NAME_nkernel() + 1 };
    int failed = 0;
    failed += expect("negative M", start(p, -1, NULL, 0, NULL), NAME_BAD_EXTENT);
    failed += expect("M above 2147483647", start(p, (int64_t)1 << 31, NULL, 0, NULL), NAME_BAD_EXTENT);
    failed += expect("M = 0", start(p, 0, NULL, 0, NULL), NAME_OK);
    failed += expect("no such kernel", start(p, p->M, &none, 0, NULL), NAME_BAD_KERNEL);
    failed += expect("choice in range", NAME_cuda_choose(p->M, p->N, p->K) >= 0, 1);
    failed += expect("choice of a negative extent", NAME_cuda_choose(p->M, -1, p->K), -1);
    failed += expect("text of a kernel", NAME_kernel_text(0) && !NAME_kernel_text(NAME_nkernel()), 1);
    return failed;
}

/* Kernels that have a workspace: they refuse one that is not aligned, and work on one that an aborted call left as it may be once
 * it is cleared. */
static int check_workspace(Problem *p)
{
    int failed = 0;
    double most = 0;
    for (int kernel = 1; kernel <= NAME_nkernel(); kernel++) {
        const NAME_exec exec = { kernel };
        const size_t bytes = NAME_cuda_workspace_bytes(p->M, p->N, p->K, &exec);
        char *const held = (char *)workspace(bytes);
        if (!held)
            continue;
        failed += expect("a workspace not aligned", start_on(p, p->M, &exec, 0, held + 4, NULL), NAME_BAD_POINTER);
        failed += expect("no workspace", start_on(p, p->M, &exec, 0, NULL, NULL), NAME_BAD_POINTER);
        failed += expect("clearing what is not aligned", NAME_cuda_workspace_clear(held + 8, 8, NULL), NAME_BAD_POINTER);
        failed += expect("spoiling it", cudaMemset(held, 1, bytes), cudaSuccess);
        failed += expect("clearing it", NAME_cuda_workspace_clear(held, bytes, NULL), NAME_OK);
        failed += check(p, kernel, 0, &most);
    }
    return failed + expect("clearing nothing", NAME_cuda_workspace_clear(NULL, 0, NULL), NAME_OK);
}

#ifndef DCGEN_EMULATOR
/* A call captured in a graph behind the clearing of its workspace, the graph started twice. */
static int check_graph(Problem *p)
{
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    const size_t bytes = NAME_cuda_workspace_bytes(p->M, p->N, p->K, NULL);
    void *const held = workspace(bytes); /* before the capture, which allows no allocation */
    if (cudaStreamCreate(&stream) != cudaSuccess)
        return expect("cudaStreamCreate", 1, 0);
    prepare(p, 0);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    const int cleared = NAME_cuda_workspace_clear(held, bytes, stream), code = start(p, p->M, NULL, 0, stream);
    cudaStreamEndCapture(stream, &graph);
    int failed = expect("clearing under capture", cleared, NAME_OK) + expect("a call under capture", code, NAME_OK);
    if (!graph || cudaGraphInstantiateWithFlags(&exec, graph, 0) != cudaSuccess)
        return failed + expect("the captured graph", 1, 0);
    for (int i = 0; i < 2; i++)
        cudaGraphLaunch(exec, stream);
    failed += expect("the graph's run", cudaStreamSynchronize(stream), cudaSuccess);
    failed += expect("the graph's result", worst(p, 0) <= 1, 1);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    return failed;
}
#endif

/* Every kernel on one problem; adds to *ncheck. */
static int check_all(int64_t M, int64_t N, int64_t K, int *ncheck, double *most)
{
    int failed = 0;
    Problem p = problem_new(M, N, K);
    for (int kernel = 0; kernel <= NAME_nkernel(); kernel++)
        for (int shift = 0; shift < 2; shift++, ++*ncheck)
            failed += check(&p, kernel, shift, most);
    problem_free(&p);
    return failed;
}

/* The package's own N and K, which kernels may be fixed for. */
static int check_own(int *ncheck, double *most)
{
    static const struct {
        int64_t M, N, K;
    } shapes[] = {
//@ shapes
        { 1, 1, 1 } /* so that there is one */
    };
    enum { NSHAPE = sizeof shapes / sizeof *shapes, ROWS = 17 };
    int failed = 0;
    for (int i = 0; i < NSHAPE; i++) {
        int before = 0;
        while (shapes[before].N != shapes[i].N || shapes[before].K != shapes[i].K)
            before++;
#ifdef DCGEN_EMULATOR
        if (shapes[i].N * shapes[i].K > 1 << 22)
            continue; /* takes minutes */
#endif
        if (before == i)
            failed += check_all(ROWS, shapes[i].N, shapes[i].K, ncheck, most);
    }
    return failed;
}

int main(int argc, char **argv)
{
    static const int64_t heights[] = { 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129 };
    static const int64_t widths[] = { 1, 7, 16, 31, 33, 64, 95, 128, 131, 257 };
    static const int64_t depths[] = { 1, 3, 8, 15, 16, 17, 33, 64, 129, 385 };
    const int stride = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 1;
    int failed = 0, ncheck = 0, n = 0, ndevice = 0;
    double most = 0;
    if (cudaGetDeviceCount(&ndevice) != cudaSuccess || ndevice == 0) {
        printf("skipped: no CUDA device\n");
        return 77;
    }
    Problem first = problem_new(37, 65, 129);
    failed += check_arguments(&first);
    failed += check_workspace(&first);
#ifndef DCGEN_EMULATOR
    failed += check_graph(&first);
#endif
    problem_free(&first);
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++)
        for (size_t j = 0; j < sizeof widths / sizeof *widths; j++)
            for (size_t k = 0; k < sizeof depths / sizeof *depths; k++) {
                if ((i + j + k) % 3 || n++ % stride)
                    continue; /* a third of the combinations meets every pair of extents */
                failed += check_all(heights[i], widths[j], depths[k], &ncheck, &most);
            }
    failed += check_own(&ncheck, &most);
    printf("%d kernels, %d checks, %d failed; largest error %.3f of the tolerance\n", NAME_nkernel(), ncheck, failed, most);
    return failed != 0;
}
