/* SPDX-License-Identifier: MIT-0
 *
 * test: every kernel of the package, and the dispatcher's choice, against the definition in double precision, on extents around
 * every kind of tail, with one and with three threads (without the pool: three parts, one after the other). The output lies between
 * canaries and is NaN before each call.
 * Exit code 0 when all agree.
 */
#include "NAME.h"
#ifndef NAME_NO_THREADS
#include "NAME_pool.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the definition ---- */

//@ reference

/* ---- the comparison ---- */

enum { CANARY = 64 };
static const unsigned char canary = 0xA5;

typedef struct {
    int64_t M, N, K;
    float *X, *W, *bias, *Y;   /* Y: behind a canary, before another */
    void *packed;
    double *want, *bound;
} Problem;

static void *take(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(3);
    }
    return p;
}

/* Uniform in -1..1, from a fixed generator. */
static float *random_floats(int64_t n)
{
    static uint64_t state = 1;
    float *p = take((size_t)n * sizeof *p);
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        p[i] = (float)(int32_t)(state >> 32) / 2147483648.0f;
    }
    return p;
}

static Problem problem_new(int64_t M, int64_t N, int64_t K)
{
    Problem p = { .M = M, .N = N, .K = K, .X = random_floats(M * K), .W = random_floats(N * K), .bias = random_floats(N) };
    p.Y = (float *)((char *)take((size_t)(M * N) * sizeof(float) + 2 * CANARY) + CANARY);
    p.want = take((size_t)(M * N) * sizeof(double));
    p.bound = take((size_t)(M * N) * sizeof(double));
#if PACKED
    p.packed = take(NAME_packed_bytes(N, K));
    if (NAME_pack(N, K, p.W, p.packed) != NAME_OK)
        exit(1);
#else
    p.packed = p.W;
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
    free(p->X);
    free(p->bias);
    free((char *)p->Y - CANARY);
    free(p->want);
    free(p->bound);
#if PACKED
    free(p->packed);
#endif
    free(p->W);
}

static int run(const Problem *p, const NAME_exec *exec)
{
    memset((char *)p->Y - CANARY, canary, (size_t)(p->M * p->N) * sizeof(float) + 2 * CANARY);
    for (int64_t i = 0; i < p->M * p->N; i++)
        p->Y[i] = NAN;
    return NAME(p->M, p->N, p->K, p->X, p->packed,
#if HAS_BIAS
                p->bias,
#endif
                p->Y, NULL, exec);
}

/* The largest error as a part of what K rounded sums may differ by; canaries touched or NaN: infinite. */
static double worst(const Problem *p)
{
    const double tolerance = ldexp(4 * sqrt((double)p->K + 1) + 8, -24);
    double most = 0;
    for (int i = 0; i < CANARY; i++)
        if (((unsigned char *)p->Y - CANARY)[i] != canary || ((unsigned char *)(p->Y + p->M * p->N))[i] != canary)
            return INFINITY;
    for (int64_t i = 0; i < p->M * p->N; i++) {
        double err = fabs(p->Y[i] - p->want[i]) / (tolerance * p->bound[i] + 1e-300);
        if (!(err <= most))
            most = err <= INFINITY ? err : INFINITY; /* a NaN: infinite */
    }
    return most;
}

static int check(const Problem *p, const NAME_exec *exec, double *most)
{
    int code = run(p, exec);
    double err = code == NAME_OK ? worst(p) : INFINITY;
    if (code == NAME_BAD_KERNEL && exec->kernel)
        return 0;                                  /* this CPU cannot run it */
    if (err > *most)
        *most = err;
    if (err <= 1)
        return 0;
    printf("wrong: M=%lld N=%lld K=%lld kernel %d threads %d: code %d, error %g of the tolerance\n", (long long)p->M, (long long)p->N,
           (long long)p->K, exec->kernel - 1, exec->threads, code, err);
    return 1;
}

#ifdef NAME_NO_THREADS
/* A parallel_for of the calling thread alone: the last part first. */
static void backwards(void *ctx, int n, void (*body)(void *arg, int i), void *arg)
{
    (void)ctx;
    while (n-- > 0)
        body(arg, n);
}
#endif

int main(void)
{
    static const int64_t heights[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 29, 61 };
    static const int64_t widths[] = { 1, 15, 16, 17, 48, 95, 131 }, depths[] = { 1, 2, 7, 8, 9, 64, 385 };
#ifdef NAME_NO_THREADS
    const NAME_exec shared = { .parallel_for = backwards };
#else
    NAME_pool *pool = NAME_pool_start(3);
    const NAME_exec shared = { .parallel_for = NAME_pool_run, .ctx = pool };
#endif
    int failed = 0, ncheck = 0;
    double most = 0;
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++)
        for (size_t j = 0; j < sizeof widths / sizeof *widths; j++)
            for (size_t k = 0; k < sizeof depths / sizeof *depths; k++) {
                if ((i + j + k) % 3 && heights[i] > 1)
                    continue;                      /* a third of the combinations meets every pair of extents */
                Problem p = problem_new(heights[i], widths[j], depths[k]);
                for (int kernel = 0; kernel <= NAME_nkernel(); kernel++)
                    for (int threads = 1; threads <= 3; threads += 2, ncheck++) {
                        NAME_exec exec = shared;
                        exec.threads = threads, exec.kernel = kernel;
                        failed += check(&p, &exec, &most);
                    }
                problem_free(&p);
            }
#ifndef NAME_NO_THREADS
    NAME_pool_stop(pool);
#endif
    printf("%d kernels, %d checks, %d failed; largest error %.3f of the tolerance\n", NAME_nkernel(), ncheck, failed, most);
    return failed != 0;
}
