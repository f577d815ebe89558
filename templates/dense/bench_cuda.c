/* SPDX-License-Identifier: MIT-0
 *
 * bench: the package against cuBLAS, at the shapes that the package was tuned for. Three contenders on the same data: the package, cuBLAS
 * as it chooses by itself (without a bias: cublasGemmEx has none), and the fastest of all algorithms that cublasLt proposes (with it).
 * Each result is checked against cuBLAS's before anything is timed. Then rounds are held: in each, every contender once, in turns forward
 * and backward; a sample is a CUDA graph of many calls, so that no launch of the host is timed. Reported: medians, and the median of the
 * ratios of samples taken side by side. Then the same with a cold L2 cache: a graph of calls, each behind a flush (flush_l2.h), less
 * a graph of the flushes alone: what a call leaves in the cache to be written back, which the next flush does, counts.
 *
 *     NAME_bench [--json] [--rounds N] [--seconds N] [--shape M,N,K]
 *
 * --json: besides the table, a line with one JSON object for each shape.
 *
 * Exit code 0: all measured; 1: a wrong result; 2: bad usage; 77: no device.
 */
#include "PACKAGE.h"
#include "flush_l2.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- elements ---- */

//@ reference

#if DTYPE_F16
enum { CUDA_TYPE = CUDA_R_16F, COMPUTE = CUBLAS_COMPUTE_32F };
static const double epsilon = 0x1p-10;
#elif DTYPE_BF16
enum { CUDA_TYPE = CUDA_R_16BF, COMPUTE = CUBLAS_COMPUTE_32F };
static const double epsilon = 0x1p-7;
#elif DTYPE_TF32
enum { CUDA_TYPE = CUDA_R_32F, COMPUTE = CUBLAS_COMPUTE_32F_FAST_TF32 };
static const double epsilon = 0x1p-9;
#else
enum { CUDA_TYPE = CUDA_R_32F, COMPUTE = CUBLAS_COMPUTE_32F };
static const double epsilon = 0x1p-18; /* of sums in another order */
#endif

enum { MAX_ROUND = 101, MAX_ALGO = 32, WORKSPACE_BYTES = 32 << 20, ALGO_SAMPLES = 5, COLD_CALLS = 30 };
static const float sample_ms = 0.5F; /* of one sample, about */

typedef struct {
    int64_t M, N, K;
} Shape;

static const Shape shapes[] = {
//@ shapes
    { 1, 1, 1 }, /* not timed */
};
enum { NSHAPE = sizeof shapes / sizeof *shapes - 1 };

typedef struct {
    Shape shape;
    Element *X, *W, *bias, *Y;  /* device */
    void *packed, *workspace;
    cudaStream_t stream;
    cublasHandle_t blas;
    cublasLtHandle_t lt;
    void *blas_workspace, *lt_workspace;
    PACKAGE_flush flush; /* without a kernel there are no cold times */
    cublasLtMatmulDesc_t op;
    cublasLtMatrixLayout_t layout_w, layout_x, layout_y;
    cublasLtMatmulAlgo_t algo;
    int nalgo; /* 0: cublasLt has none for the shape */
} Problem;

static void die(const char *what, int code)
{
    fprintf(stderr, "%s: error %d\n", what, code);
    exit(3);
}

#define MUST(call) do { int must_code = (int)(call); if (must_code) die(#call, must_code); } while (0)

/* ---- contenders ---- */

static int run_package(const Problem *p)
{
    return NAME_cuda(p->shape.M, p->shape.N, p->shape.K, p->X,
#if PACKED
                     p->packed,
#else
                     p->W,
#endif
#if IS_BIAS
                     p->bias,
#endif
                     p->Y, p->workspace, NULL, p->stream);
}

/* Row-major Y = X W is column-major Y' = W' X'. */
#if LAYOUT_W_KN
static const cublasOperation_t op_w = CUBLAS_OP_N;
static int64_t ld_w(Shape z) { return z.N; }
#else
static const cublasOperation_t op_w = CUBLAS_OP_T;
static int64_t ld_w(Shape z) { return z.K; }
#endif

static int run_default(const Problem *p)
{
    const float one = 1, zero = 0;
    const Shape z = p->shape;
    return (int)cublasGemmEx(p->blas, op_w, CUBLAS_OP_N, (int)z.N, (int)z.M, (int)z.K, &one, p->W, (cudaDataType)CUDA_TYPE, (int)ld_w(z),
                             p->X, (cudaDataType)CUDA_TYPE, (int)z.K, &zero, p->Y, (cudaDataType)CUDA_TYPE, (int)z.N,
                             (cublasComputeType_t)COMPUTE, CUBLAS_GEMM_DEFAULT);
}

static int run_best(const Problem *p)
{
    const float one = 1, zero = 0;
    if (p->nalgo == 0)
        return (int)CUBLAS_STATUS_NOT_SUPPORTED;
    return (int)cublasLtMatmul(p->lt, p->op, &one, p->W, p->layout_w, p->X, p->layout_x, &zero, p->Y, p->layout_y, p->Y, p->layout_y,
                               &p->algo, p->lt_workspace, WORKSPACE_BYTES, p->stream);
}

typedef struct {
    const char *name;
    int (*run)(const Problem *p);
} Contender;

enum { OWN, DEFAULT, BEST, NCONTENDER };
static const Contender contenders[NCONTENDER] = { { "package", run_package },
                                                  { "cuBLAS default", run_default },
                                                  { "cublasLt best", run_best } };

static const Contender nobody = { "nobody", NULL }; /* what a cold call costs beside the call */

/* ---- samples ---- */

typedef struct {
    cudaGraphExec_t graph, cold; /* NULL: this contender cannot run the shape */
    int calls;
    double us[MAX_ROUND], cold_us[MAX_ROUND];
} Sampler;

/* Behind a launch of the same graph: it warms the caches, and the GPU still works when the host has launched the one that is timed. */
static double time_graph(const Problem *p, cudaGraphExec_t graph, int calls)
{
    static cudaEvent_t begin, end;
    float ms = 0;
    if (!begin) {
        MUST(cudaEventCreate(&begin));
        MUST(cudaEventCreate(&end));
    }
    MUST(cudaGraphLaunch(graph, p->stream));
    MUST(cudaEventRecord(begin, p->stream));
    MUST(cudaGraphLaunch(graph, p->stream));
    MUST(cudaEventRecord(end, p->stream));
    MUST(cudaEventSynchronize(end));
    MUST(cudaEventElapsedTime(&ms, begin, end));
    return 1e3 * ms / calls;
}

/* A graph of so many calls, each behind a flush if they shall be cold; NULL: the contender refuses. */
static cudaGraphExec_t record(const Problem *p, const Contender *c, int calls, int cold)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    int code = 0;
    MUST(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < calls && code == 0; i++) {
        code = cold ? PACKAGE_flush_start(&p->flush, p->stream) : 0;
        if (code == 0 && c->run)
            code = c->run(p);
    }
    if (cudaStreamEndCapture(p->stream, &graph) == cudaSuccess && graph && code == 0)
        MUST(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    if (graph)
        cudaGraphDestroy(graph);
    cudaGetLastError(); /* a refused capture leaves one */
    return exec;
}

/* As many calls as take about sample_ms. */
static Sampler sampler_new(const Problem *p, const Contender *c)
{
    Sampler s = { NULL, NULL, 4, { 0 }, { 0 } };
    cudaGraphExec_t probe = record(p, c, s.calls, 0);
    if (!probe)
        return s;
    const double us = time_graph(p, probe, s.calls);
    cudaGraphExecDestroy(probe);
    s.calls = (int)fmin(400, fmax(4, 1e3 * sample_ms / us));
    s.graph = record(p, c, s.calls, 0);
    return s;
}

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(const double *v, int n)
{
    double copy[MAX_ROUND];
    memcpy(copy, v, (size_t)n * sizeof *v);
    qsort(copy, (size_t)n, sizeof *copy, by_value);
    return n % 2 ? copy[n / 2] : (copy[n / 2 - 1] + copy[n / 2]) / 2;
}

/* ---- problems ---- */

static void *take_device(size_t bytes)
{
    void *p = NULL;
    MUST(cudaMalloc(&p, bytes ? bytes : 1));
    return p;
}

/* Sums of uniform numbers, near normal: zeros would let a GPU run at a higher clock. */
static void fill(Element *device, int64_t n)
{
    static uint64_t state = 1;
    Element *host = (Element *)malloc((size_t)n * sizeof *host);
    if (!host)
        die("malloc", 1);
    for (int64_t i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < 4; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            sum += (float)(int32_t)(state >> 32) / 2147483648.0F;
        }
#if DTYPE_F16
        /* A float with its exponent moved to where f16 has it; |sum| < 4, far from overflow. */
        const float scaled = fabsf(sum) * 0x1p-112F;
        uint32_t bits;
        memcpy(&bits, &scaled, sizeof bits);
        host[i] = (Element)((sum < 0 ? 0x8000u : 0) | (bits + 0xfffu + (bits >> 13 & 1)) >> 13);
#elif DTYPE_BF16
        uint32_t bits;
        memcpy(&bits, &sum, sizeof bits);
        host[i] = (Element)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
#else
        host[i] = sum;
#endif
    }
    MUST(cudaMemcpy(device, host, (size_t)n * sizeof *host, cudaMemcpyHostToDevice));
    free(host);
}

static void make_lt(Problem *p)
{
    const Shape z = p->shape;
    const cublasOperation_t none = CUBLAS_OP_N;
    MUST(cublasLtMatmulDescCreate(&p->op, (cublasComputeType_t)COMPUTE, CUDA_R_32F));
    MUST(cublasLtMatmulDescSetAttribute(p->op, CUBLASLT_MATMUL_DESC_TRANSA, &op_w, sizeof op_w));
    MUST(cublasLtMatmulDescSetAttribute(p->op, CUBLASLT_MATMUL_DESC_TRANSB, &none, sizeof none));
#if IS_BIAS
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
    const void *bias = p->bias;
    MUST(cublasLtMatmulDescSetAttribute(p->op, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    MUST(cublasLtMatmulDescSetAttribute(p->op, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias));
#endif
    const uint64_t rows_w = (uint64_t)(op_w == CUBLAS_OP_N ? z.N : z.K), cols_w = (uint64_t)(op_w == CUBLAS_OP_N ? z.K : z.N);
    MUST(cublasLtMatrixLayoutCreate(&p->layout_w, (cudaDataType)CUDA_TYPE, rows_w, cols_w, ld_w(z)));
    MUST(cublasLtMatrixLayoutCreate(&p->layout_x, (cudaDataType)CUDA_TYPE, (uint64_t)z.K, (uint64_t)z.M, z.K));
    MUST(cublasLtMatrixLayoutCreate(&p->layout_y, (cudaDataType)CUDA_TYPE, (uint64_t)z.N, (uint64_t)z.M, z.N));
}

/* Times every algorithm that cublasLt proposes and keeps the fastest. */
static void choose_algorithm(Problem *p)
{
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found[MAX_ALGO];
    const size_t most = WORKSPACE_BYTES;
    int n = 0, tried = 0;
    memset(found, 0, sizeof found);
    double best = INFINITY;
    MUST(cublasLtMatmulPreferenceCreate(&preference));
    MUST(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most));
    if (cublasLtMatmulAlgoGetHeuristic(p->lt, p->op, p->layout_w, p->layout_x, p->layout_y, p->layout_y, preference, MAX_ALGO, found, &n) !=
        CUBLAS_STATUS_SUCCESS)
        n = 0;
    cublasLtMatmulPreferenceDestroy(preference);
    p->nalgo = n;
    for (int i = 0; i < n; i++) {
        double us[ALGO_SAMPLES];
        p->algo = found[i].algo;
        if (found[i].state != CUBLAS_STATUS_SUCCESS || run_best(p)) /* its code is loaded now, not while a graph is captured */
            continue;
        Sampler s = sampler_new(p, &contenders[BEST]);
        if (!s.graph)
            continue;
        for (int k = 0; k < ALGO_SAMPLES; k++)
            us[k] = time_graph(p, s.graph, s.calls);
        cudaGraphExecDestroy(s.graph);
        tried++;
        if (median(us, ALGO_SAMPLES) < best) {
            best = median(us, ALGO_SAMPLES);
            found[0].algo = found[i].algo;
        }
    }
    p->algo = found[0].algo;
    p->nalgo = tried;
}

static void problem_make(Problem *p, Shape z)
{
    p->shape = z;
    p->X = (Element *)take_device((size_t)(z.M * z.K) * sizeof(Element));
    p->W = (Element *)take_device((size_t)(z.N * z.K) * sizeof(Element));
    p->bias = (Element *)take_device((size_t)z.N * sizeof(Element));
    p->Y = (Element *)take_device((size_t)(z.M * z.N) * sizeof(Element));
    fill(p->X, z.M * z.K);
    fill(p->W, z.N * z.K);
    fill(p->bias, z.N);
    const size_t bytes = NAME_cuda_workspace_bytes(z.M, z.N, z.K, NULL);
    p->workspace = bytes ? take_device(bytes) : NULL;
    MUST(PACKAGE_cuda_workspace_clear(p->workspace, bytes, p->stream));
#if PACKED
    p->packed = take_device(NAME_cuda_packed_bytes(z.N, z.K));
    MUST(NAME_cuda_pack(z.N, z.K, p->W, p->packed, p->stream));
#endif
    make_lt(p);
    MUST(cudaDeviceSynchronize());
}

static void problem_drop(Problem *p)
{
    void *const memory[] = { p->X, p->W, p->bias, p->Y, p->workspace, p->packed };
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        cudaFree(memory[i]);
    p->workspace = p->packed = NULL;
    cublasLtMatmulDescDestroy(p->op);
    cublasLtMatrixLayoutDestroy(p->layout_w);
    cublasLtMatrixLayoutDestroy(p->layout_x);
    cublasLtMatrixLayoutDestroy(p->layout_y);
}

/* ---- verification ---- */

static Element *result_of(const Problem *p, const Contender *c)
{
    const size_t bytes = (size_t)(p->shape.M * p->shape.N) * sizeof(Element);
    Element *host = (Element *)malloc(bytes);
    if (!host)
        die("malloc", 1);
    MUST(cudaMemsetAsync(p->Y, 0xff, bytes, p->stream)); /* NaN */
    int code = c->run(p);
    if (code)
        die(c->name, code);
    MUST(cudaStreamSynchronize(p->stream));
    MUST(cudaMemcpy(host, p->Y, bytes, cudaMemcpyDeviceToHost));
    return host;
}

/* The package against cuBLAS, whose result lacks the bias. Data is near normal: an element is a sum of K products of about 1. */
static int verify(const Problem *p)
{
    const Shape z = p->shape;
    Element *own = result_of(p, &contenders[OWN]), *theirs = result_of(p, &contenders[DEFAULT]);
    Element *bias = (Element *)calloc((size_t)z.N, sizeof *bias);
    const double least = epsilon * (8 + 8 * sqrt((double)z.K));
    int wrong = 0;
#if IS_BIAS
    MUST(cudaMemcpy(bias, p->bias, (size_t)z.N * sizeof *bias, cudaMemcpyDeviceToHost));
#endif
    for (int64_t i = 0; i < z.M * z.N && !wrong; i++) {
        const double want = element(theirs[i]) + element(bias[i % z.N]);
        wrong = !(fabs(element(own[i]) - want) <= least + 2 * epsilon * fabs(want));
        if (wrong)
            printf("wrong: M=%lld N=%lld K=%lld element %lld is %g, not %g\n", (long long)z.M, (long long)z.N, (long long)z.K, (long long)i,
                   (double)element(own[i]), want);
    }
    free(own);
    free(theirs);
    free(bias);
    return wrong;
}

/* ---- the table ---- */

typedef struct {
    int rounds;
    double seconds; /* no shape is begun after so many */
    Shape only;     /* M 0: all */
    int json;
} Options;

typedef struct {
    double us[NCONTENDER], ratio[NCONTENDER]; /* ratio: of its time to the package's, side by side; 0: it did not run */
    double cold_us[NCONTENDER];
} Row;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One sample of each contender, hot, then cold. */
static void hold_round(const Problem *p, Sampler *s, cudaGraphExec_t flushes, int r)
{
    const double before_us = flushes ? time_graph(p, flushes, COLD_CALLS) : 0;
    for (int i = 0; i < NCONTENDER; i++) {
        const int c = r % 2 ? NCONTENDER - 1 - i : i;
        s[c].us[r] = s[c].graph ? time_graph(p, s[c].graph, s[c].calls) : 0;
        s[c].cold_us[r] = s[c].cold ? time_graph(p, s[c].cold, COLD_CALLS) : 0;
    }
    const double flush_us = flushes ? (before_us + time_graph(p, flushes, COLD_CALLS)) / 2 : 0;
    for (int c = 0; c < NCONTENDER; c++)
        s[c].cold_us[r] -= s[c].cold ? flush_us : 0;
}

static Row hold_rounds(const Problem *p, int rounds)
{
    Sampler s[NCONTENDER];
    Row row = { { 0 }, { 0 }, { 0 } };
    cudaGraphExec_t flushes = p->flush.kernel ? record(p, &nobody, COLD_CALLS, 1) : NULL; /* NULL: nothing is cold */
    for (int c = 0; c < NCONTENDER; c++) {
        s[c] = sampler_new(p, &contenders[c]);
        s[c].cold = s[c].graph && flushes ? record(p, &contenders[c], COLD_CALLS, 1) : NULL;
    }
    for (int r = 0; r < rounds; r++)
        hold_round(p, s, flushes, r);
    for (int c = 0; c < NCONTENDER; c++) {
        double ratio[MAX_ROUND];
        if (!s[c].graph || !s[OWN].graph)
            continue;
        for (int r = 0; r < rounds; r++)
            ratio[r] = s[c].us[r] / s[OWN].us[r];
        row.us[c] = median(s[c].us, rounds);
        row.ratio[c] = median(ratio, rounds);
        row.cold_us[c] = median(s[c].cold_us, rounds);
    }
    for (int c = 0; c < NCONTENDER; c++) {
        if (s[c].graph)
            cudaGraphExecDestroy(s[c].graph);
        if (s[c].cold)
            cudaGraphExecDestroy(s[c].cold);
    }
    if (flushes)
        cudaGraphExecDestroy(flushes);
    return row;
}

static void print_row(const Options *o, const Problem *p, const Row *row)
{
    const Shape z = p->shape;
    const double flops = 2.0 * (double)z.M * (double)z.N * (double)z.K;
    printf("%6lld %6lld %6lld  kernel %-2d %9.2f us %7.2f TFLOP/s   default %9.2f us %6.3fx   best of %-2d %9.2f us %6.3fx   cold %9.2f, "
           "%9.2f, %9.2f us\n",
           (long long)z.M, (long long)z.N, (long long)z.K, NAME_cuda_choose(z.M, z.N, z.K), row->us[OWN],
           flops / row->us[OWN] * 1e-6, row->us[DEFAULT], row->ratio[DEFAULT], p->nalgo, row->us[BEST], row->ratio[BEST],
           row->cold_us[OWN], row->cold_us[DEFAULT], row->cold_us[BEST]);
    fflush(stdout);
    if (!o->json)
        return;
    printf("{\"M\":%lld,\"N\":%lld,\"K\":%lld,\"kernel\":%d,\"package_us\":%.4f,\"cublas_default_us\":%.4f,\"cublaslt_best_us\":%.4f,"
           "\"algorithms\":%d,\"ratio_default\":%.5f,\"ratio_best\":%.5f,\"package_cold_us\":%.4f,\"cublas_default_cold_us\":%.4f,"
           "\"cublaslt_best_cold_us\":%.4f,\"rounds\":%d}\n",
           (long long)z.M, (long long)z.N, (long long)z.K, NAME_cuda_choose(z.M, z.N, z.K), row->us[OWN], row->us[DEFAULT],
           row->us[BEST], p->nalgo, row->ratio[DEFAULT], row->ratio[BEST], row->cold_us[OWN], row->cold_us[DEFAULT],
           row->cold_us[BEST], o->rounds);
    fflush(stdout);
}

typedef struct {
    double log_sum[NCONTENDER], least[NCONTENDER];
    int n[NCONTENDER];
} Total;

static void add_row(Total *t, const Row *row)
{
    for (int c = 0; c < NCONTENDER; c++)
        if (row->ratio[c] > 0) {
            t->log_sum[c] += log(row->ratio[c]);
            t->least[c] = t->n[c] && t->least[c] < row->ratio[c] ? t->least[c] : row->ratio[c];
            t->n[c]++;
        }
}

static int bench(Problem *p, const Options *o)
{
    Total total = { { 0 }, { 0 }, { 0 } };
    const double end = now_s() + o->seconds;
    int wrong = 0, left_out = 0;
    for (int i = 0; i < (o->only.M ? 1 : NSHAPE); i++) {
        if (now_s() > end) {
            left_out++;
            continue;
        }
        problem_make(p, o->only.M ? o->only : shapes[i]);
        if (verify(p)) {
            wrong++;
        } else {
            choose_algorithm(p);
            const Row row = hold_rounds(p, o->rounds);
            print_row(o, p, &row);
            add_row(&total, &row);
        }
        problem_drop(p);
    }
    for (int c = DEFAULT; c < NCONTENDER; c++)
        if (total.n[c])
            printf("against %-14s geometric mean %.3fx, least %.3fx, of %d shapes\n", contenders[c].name, exp(total.log_sum[c] / total.n[c]),
                   total.least[c], total.n[c]);
    if (left_out)
        printf("%d shapes left out: the time was over\n", left_out);
    return wrong;
}

static int parse(int argc, char **argv, Options *o)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        long long m, n, k;
        if (strcmp(argv[i], "--json") == 0) {
            o->json = 1;
            continue;
        }
        if (strcmp(argv[i], "--rounds") == 0 && atoi(value) > 0 && atoi(value) <= MAX_ROUND)
            o->rounds = atoi(value);
        else if (strcmp(argv[i], "--seconds") == 0 && atof(value) > 0)
            o->seconds = atof(value);
        else if (strcmp(argv[i], "--shape") == 0 && sscanf(value, "%lld,%lld,%lld", &m, &n, &k) == 3 && m > 0 && n > 0 && k > 0)
            o->only = (Shape){ m, n, k };
        else
            return fprintf(stderr, "usage: NAME_bench [--json] [--rounds N] [--seconds N] [--shape M,N,K]\n"), 0;
        i++;
    }
    return 1;
}

int main(int argc, char **argv)
{
    Options o = { 15, 1e9, { 0, 0, 0 }, 0 };
    Problem p;
    struct cudaDeviceProp device;
    int ndevice = 0;
    memset(&p, 0, sizeof p);
    if (!parse(argc, argv, &o))
        return 2;
    if (cudaGetDeviceCount(&ndevice) != cudaSuccess || ndevice == 0) {
        printf("skipped: no CUDA device\n");
        return 77;
    }
    MUST(cudaGetDeviceProperties(&device, 0));
    MUST(cudaStreamCreateWithFlags(&p.stream, cudaStreamNonBlocking));
    MUST(cublasCreate(&p.blas));
    MUST(cublasLtCreate(&p.lt));
    p.blas_workspace = take_device(WORKSPACE_BYTES);
    p.lt_workspace = take_device(WORKSPACE_BYTES);
    const int no_flush = PACKAGE_flush_open(&p.flush, (size_t)device.l2CacheSize);
    if (no_flush)
        fprintf(stderr, "no times with a cold L2 cache: error %d\n", no_flush);
    MUST(cublasSetStream(p.blas, p.stream));
    MUST(cublasSetWorkspace(p.blas, p.blas_workspace, WORKSPACE_BYTES));
    printf("%s, %d SMs, cublasLt %zu; hot caches, then a cold L2 in the same order; ratios above 1: the package is faster\n", device.name, device.multiProcessorCount,
           cublasLtGetVersion());
    const int wrong = bench(&p, &o);
    cublasLtDestroy(p.lt);
    cublasDestroy(p.blas);
    return wrong != 0;
}
