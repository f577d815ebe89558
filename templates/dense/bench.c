/* SPDX-License-Identifier: MIT-0
 *
 * bench: the package against the CBLAS that CMake found (compiled with NAME_CBLAS), or else, on small shapes only,
 * against the definition written as three loops. Results are verified before they are timed; the two run in turns.
 *
 *     bench [THREADS]        default 1; both sides use as many
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "PACKAGE.h"
#include "PACKAGE_pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef NAME_CBLAS
#include <cblas.h>
#endif

enum { NROUND = 9, BURST_NS = 2000000, MIN_CALLS = 3, LINE = 64, NAP_NS = 30000000 };

typedef struct {
    int64_t M, N, K;
} Shape;

static const Shape shapes[] = {
    //@ shapes
    { 1, 1, 1 }, /* the dispatcher's least; not timed */
};
enum { NSHAPE = sizeof shapes / sizeof *shapes - 1 };

typedef struct {
    Shape shape;
    float *X, *W, *bias, *Y;      /* X [M][K], W [N][K] or [K][N], Y [M][N] */
    void *packed, *workspace;     /* packed: W as the package wants it */
    const PACKAGE_exec *exec;
} Problem;

typedef int Run(const Problem *p);      /* 0: done */

static int run_package(const Problem *p)
{
    return NAME(p->shape.M, p->shape.N, p->shape.K, p->X, p->packed,
#if NAME_HAS_BIAS
                p->bias,
#endif
                p->Y, p->workspace, p->exec);
}

static float weight(const Problem *p, int64_t n, int64_t k)
{
    return NAME_W_KN ? p->W[k * p->shape.N + n] : p->W[n * p->shape.K + k];
}

#ifdef NAME_CBLAS

static const char rival_name[] = "CBLAS";

/* The call that sets the number of threads, in the libraries that have it. */
extern void openblas_set_num_threads(int) __attribute__((weak));
extern void bli_thread_set_num_threads(int64_t) __attribute__((weak));
extern void MKL_Set_Num_Threads(int) __attribute__((weak));

/* What the library is, and which of its cores it chose for this CPU. */
extern char *openblas_get_config(void) __attribute__((weak));
extern char *openblas_get_corename(void) __attribute__((weak));
extern char *bli_info_get_version_str(void) __attribute__((weak));
extern int bli_arch_query_id(void) __attribute__((weak));
extern char *bli_arch_string(int) __attribute__((weak));
extern void MKL_Get_Version_String(char *, int) __attribute__((weak));

static void rival_say(void)
{
    char mkl[200] = "";
    if (openblas_get_config && openblas_get_corename)
        printf("CBLAS: %s, core %s\n", openblas_get_config(), openblas_get_corename());
    else if (bli_info_get_version_str && bli_arch_query_id && bli_arch_string)
        printf("CBLAS: BLIS %s, core %s\n", bli_info_get_version_str(), bli_arch_string(bli_arch_query_id()));
    else if (MKL_Get_Version_String) {
        MKL_Get_Version_String(mkl, (int)sizeof mkl - 1);
        printf("CBLAS: %s\n", mkl);
    } else
        printf("CBLAS: a library that does not say what it is\n");
}

static void rival_use(int threads)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(threads);
    else if (bli_thread_set_num_threads)
        bli_thread_set_num_threads(threads);
    else if (MKL_Set_Num_Threads)
        MKL_Set_Num_Threads(threads);
    else
        printf("how to tell this CBLAS the number of threads is unknown: set it by its environment variable\n");
}

static int rival_takes(Shape z)
{
    (void)z;
    return 1;
}

/* The bias is laid into Y first and kept by beta = 1. */
static int run_rival(const Problem *p)
{
    const Shape z = p->shape;
    for (int64_t m = 0; p->bias && m < z.M; m++)
        memcpy(p->Y + m * z.N, p->bias, sizeof(float) * (size_t)z.N);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, NAME_W_KN ? CblasNoTrans : CblasTrans, (int)z.M, (int)z.N, (int)z.K, 1.0F,
                p->X, (int)z.K, p->W, (int)(NAME_W_KN ? z.N : z.K), p->bias ? 1.0F : 0.0F, p->Y, (int)z.N);
    return 0;
}

#else

static const char rival_name[] = "3 loops";

static void rival_say(void)
{
    printf("no CBLAS was found: the definition as three loops instead, on small shapes\n");
}

static void rival_use(int threads)
{
    if (threads > 1)
        printf("the three loops use one thread\n");
}

static int rival_takes(Shape z)
{
    return z.M * z.N * z.K <= 16 * 1000 * 1000;
}

static int run_rival(const Problem *p)
{
    for (int64_t m = 0; m < p->shape.M; m++) {
        for (int64_t n = 0; n < p->shape.N; n++) {
            float sum = p->bias ? p->bias[n] : 0;
            for (int64_t k = 0; k < p->shape.K; k++)
                sum += p->X[m * p->shape.K + k] * weight(p, n, k);
            p->Y[m * p->shape.N + n] = sum;
        }
    }
    return 0;
}

#endif

/* Zeroed memory that starts on a cache line. */
static void *take(size_t bytes)
{
    size_t whole = (bytes + LINE) / LINE * LINE;
    void *p = aligned_alloc(LINE, whole);
    if (!p) {
        fprintf(stderr, "bench: out of memory\n");
        exit(3);
    }
    return memset(p, 0, whole);
}

static float *take_random(int64_t n, unsigned seed)
{
    float *x = take(sizeof *x * (size_t)n);
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525U + 1013904223U;
        x[i] = (float)(seed >> 8) * 0x1p-23F - 1.0F;
    }
    return x;
}

static Problem problem_make(Shape z, const PACKAGE_exec *exec)
{
    Problem p = { .shape = z, .X = take_random(z.M * z.K, 1), .W = take_random(z.N * z.K, 2), .exec = exec };
    p.Y = take(sizeof(float) * (size_t)(z.M * z.N));
    p.packed = p.W;
    p.workspace = take(NAME_workspace_bytes(z.M, z.N, z.K, exec));
#if NAME_HAS_BIAS
    p.bias = take_random(z.N, 3);
#endif
#if NAME_W_PACKED
    p.packed = take(NAME_packed_bytes(z.N, z.K));
    if (NAME_pack(z.N, z.K, p.W, p.packed) != 0) {
        fprintf(stderr, "bench: W of N=%lld K=%lld cannot be packed\n", (long long)z.N, (long long)z.K);
        exit(1);
    }
#endif
    return p;
}

static void problem_free(Problem *p)
{
    if (p->packed != p->W)
        free(p->packed);
    free(p->X);
    free(p->W);
    free(p->bias);
    free(p->Y);
    free(p->workspace);
}

/* K products, rounded and added in any order, are off by at most about (K + 1) * 2^-24 * (sum of |products|). */
static int element_is_right(const Problem *p, int64_t m, int64_t n)
{
    double y = p->bias ? p->bias[n] : 0, bound = fabs(y);
    for (int64_t k = 0; k < p->shape.K; k++) {
        double term = (double)p->X[m * p->shape.K + k] * weight(p, n, k);
        y += term;
        bound += fabs(term);
    }
    return fabs(p->Y[m * p->shape.N + n] - y) <= (double)(p->shape.K + 1) * 0x1p-24 * bound;
}

/* About 1000 elements all over Y, the corners among them. */
static int is_right(const Problem *p, Run *run)
{
    const int64_t last = p->shape.M * p->shape.N - 1, step = last / 1000 + 1;
    memset(p->Y, 0xff, sizeof(float) * (size_t)(last + 1));
    if (run(p) != 0)
        return 0;
    for (int64_t i = 0; i < last; i += step)
        if (!element_is_right(p, i / p->shape.N, i % p->shape.N))
            return 0;
    return element_is_right(p, p->shape.M - 1, p->shape.N - 1) && element_is_right(p, 0, p->shape.N - 1);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double calls_ns(const Problem *p, Run *run, int ncall)
{
    double start_ns = now_ns();
    for (int i = 0; i < ncall; i++)
        run(p);
    return (now_ns() - start_ns) / ncall;
}

static int calls_for_burst(const Problem *p, Run *run)
{
    double need = BURST_NS / calls_ns(p, run, MIN_CALLS);
    return need < MIN_CALLS ? MIN_CALLS : (int)need;
}

/* One call, mean of a burst. Threads of the other side that still spin are given the time to fall asleep. */
static double burst_ns(const Problem *p, Run *run, int ncall)
{
    if (p->exec)
        nanosleep(&(struct timespec){ 0, NAP_NS }, NULL);
    calls_ns(p, run, ncall / 4 + 1);
    return calls_ns(p, run, ncall);
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double x[NROUND])
{
    qsort(x, NROUND, sizeof *x, compare_double);
    return x[NROUND / 2];
}

static void print_row(Shape z, double own_ns, double rival_ns, double ratio)
{
    double flops = 2.0 * (double)z.M * (double)z.N * (double)z.K;
    printf("%7lld %7lld %7lld %7d %11.2f %10.1f %11.2f %10.1f %7.2f\n", (long long)z.M, (long long)z.N, (long long)z.K,
           NAME_choose(z.M, z.N, z.K), own_ns / 1e3, flops / own_ns, rival_ns / 1e3, flops / rival_ns, ratio);
    fflush(stdout);
}

/* Both sides in turns, who begins changing each round. Median of the rounds' ratios: above 1 the package is faster. */
static double problem_compare(const Problem *p)
{
    double ns[2][NROUND], ratio[NROUND];
    Run *const run[2] = { run_package, run_rival };
    const int ncall[2] = { calls_for_burst(p, run[0]), calls_for_burst(p, run[1]) };
    for (int round = 0; round < NROUND; round++) {
        for (int i = 0; i < 2; i++) {
            int side = (i + round) % 2;
            ns[side][round] = burst_ns(p, run[side], ncall[side]);
        }
        ratio[round] = ns[1][round] / ns[0][round];
    }
    double middle = median(ratio);
    print_row(p->shape, median(ns[0]), median(ns[1]), middle);
    return middle;
}

/* The ratio; 0 when the shape is left out, -1 when the package is wrong. */
static double shape_compare(Shape z, const PACKAGE_exec *exec)
{
    double ratio = 0;
    if (!rival_takes(z))
        return 0;
    Problem p = problem_make(z, exec);
    if (!is_right(&p, run_package)) {
        printf("%7lld %7lld %7lld   WRONG RESULT\n", (long long)z.M, (long long)z.N, (long long)z.K);
        ratio = -1;
    } else if (!is_right(&p, run_rival)) {
        printf("%7lld %7lld %7lld   %s: wrong result\n", (long long)z.M, (long long)z.N, (long long)z.K, rival_name);
    } else {
        ratio = problem_compare(&p);
    }
    problem_free(&p);
    return ratio;
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    if (argc > 2 || threads < 1) {
        fprintf(stderr, "usage: bench [THREADS]\n");
        return 2;
    }
    PACKAGE_pool *pool = threads > 1 ? PACKAGE_pool_start(threads) : NULL;
    const PACKAGE_exec exec = { .threads = threads, .parallel_for = PACKAGE_pool_run, .ctx = pool };
    double log_sum = 0;
    int ncompared = 0, nwrong = 0;

    rival_use(threads);
    rival_say();
    printf("%7s %7s %7s %7s %11s %10s %8s us %10s %7s\n", "M", "N", "K", "kernel", "us", "GFLOP/s", rival_name,
           "GFLOP/s", "ratio");
    for (int i = 0; i < NSHAPE; i++) {
        double ratio = shape_compare(shapes[i], pool ? &exec : NULL);
        nwrong += ratio < 0;
        ncompared += ratio > 0;
        log_sum += ratio > 0 ? log(ratio) : 0;
    }
    PACKAGE_pool_stop(pool);
    if (ncompared)
        printf("geomean over %d shapes: %.3f times as fast as %s\n", ncompared, exp(log_sum / ncompared), rival_name);
    if (ncompared + nwrong < NSHAPE)
        printf("%d shapes left out: too large for %s, or wrong there\n", NSHAPE - ncompared - nwrong, rival_name);
    return nwrong ? 1 : 0;
}
