/* SPDX-License-Identifier: Apache-2.0
 *
 * pretend: what the package's own test and benchmark are linked with instead of the package NAME and of its library.c:
 * two kernels that compute the definition, and are wrong in the one way that the environment variable FAULT names. Time
 * passes as calls take it: an operation of the package an eighth of a nanosecond, of the library half of one; where M
 * is 1 both are alike. One sample of 18 is 50 times as long.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "NAME.h"

static int fault(const char *name) { return getenv("FAULT") && strcmp(getenv("FAULT"), name) == 0; }

/* ---- time ---- */

static double time_ns;
static int nlook; /* at the clock: before a sample, and behind it */

int clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock;
    nlook++;
    t->tv_sec = (time_t)(time_ns / 1e9);
    t->tv_nsec = (long)(time_ns - 1e9 * (double)t->tv_sec);
    return 0;
}

static void pass(int64_t M, int64_t N, int64_t K, double ns)
{
    time_ns += 2.0 * (double)M * (double)N * (double)K * ns * (nlook % 36 == 11 ? 50 : 1);
}

/* ---- the package ---- */

int NAME_nkernel(void) { return 2; }
const char *NAME_kernel_text(int kernel) { return kernel ? "second" : "first"; }
const char *NAME_strerror(int code) { return code ? "an error" : "no error"; }
int NAME_choose(int64_t M, int64_t N, int64_t K) { return M > 1 && N > 0 && K > 0; }
size_t NAME_workspace_bytes(int64_t M, int64_t N, int64_t K, const NAME_exec *exec)
{
    (void)exec;
    return M < 0 || N < 0 || K < 0 ? 1 : 0;
}

#if NAME_W_PACKED
size_t NAME_packed_bytes(int64_t N, int64_t K) { return (size_t)(N * K) * sizeof(float); }

int NAME_pack(int64_t N, int64_t K, const float *W, void *packed)
{
    memcpy(packed, W, NAME_packed_bytes(N, K));
    return fault("pack") ? NAME_BAD_EXTENT : NAME_OK;
}
#endif

/* Y, and what an element's rounded sum may be off by, as the package's test has it. */
static double define(int64_t M, int64_t N, int64_t K, const float *X, const float *W, const float *bias, float *Y)
{
    double y = 0, bound = 0;
    for (int64_t i = 0; i < M * N; i++) {
        y = bias ? bias[i % N] : 0, bound = fabs(y);
        for (int64_t k = 0; k < K; k++) {
            const double term = (double)X[i / N * K + k] * W[NAME_W_KN ? k * N + i % N : i % N * K + k];
            y += term, bound += fabs(term);
        }
        /* as of a row that is read too far */
        y += fault("leak") && i / N + 1 < M && K > 0 ? 0.0 * X[(i / N + 1) * K] : 0;
        if (!(fault("hole") && i == M * N / 2))
            Y[i] = (float)y;
    }
    return ldexp(4 * sqrt((double)K + 1) + 8, -24) * bound;
}

/* Do the n floats from x on and the elements of Y share any? With the fault not if it is the last one of Y alone. */
static int overlap(const float *x, int64_t n, const float *y, int64_t elems)
{
    return x && n > 0 && x < y + elems - fault("overlap") && y < x + n;
}

/* What a call begins with, and what it has for the bias. */
#if NAME_W_PACKED
#define WEIGHTS const void *W
#else
#define WEIGHTS const float *W
#endif
#if NAME_HAS_BIAS
#define BIAS , const float *bias
#define GIVEN(bias) bias,
#define ITS_BIAS bias
#else
#define BIAS
#define GIVEN(bias)
#define ITS_BIAS NULL
#endif
#define OPERANDS int64_t M, int64_t N, int64_t K, const float *X, WEIGHTS BIAS, float *Y

int NAME(OPERANDS, void *workspace, const NAME_exec *exec)
{
    const int kernel = exec ? exec->kernel : 0, threads = exec ? exec->threads : 1;
    const float *const added = ITS_BIAS;
    (void)workspace;
    pass(M, N, K, 1.0 / 8);
    if (fault("refused") && kernel == 0)
        return NAME_BAD_POINTER;
    if ((fault("no choice") && kernel == 0) || (fault("other CPU") && kernel == 1))
        return NAME_BAD_KERNEL;
    if (M <= 0 || N <= 0)
        return NAME_OK;
    if (overlap(X, M * K, Y, M * N) || overlap(W, N * K, Y, M * N) || overlap(added, N, Y, M * N))
        return NAME_BAD_OVERLAP;
    if (!isnan(Y[0]))
        return NAME_OK; /* timed again and again */
    const double off = define(M, N, K, X, W, added, Y);
    if (fault("last") || (fault("threads") && threads == 3) || (fault("kernel") && kernel == 2) ||
        (fault("tall") && M > 30) || (fault("corner") && N > 18 && K > 18))
        Y[M * N - 1] = isfinite(Y[M * N - 1]) ? Y[M * N - 1] + (float)(1e-3 + 4 * off) : 0;
    if ((fault("beyond tolerance") || fault("within tolerance")) && isfinite(off))
        Y[M * N - 1] += (float)(off * (fault("beyond tolerance") ? 2 : 0.5));
    if (fault("before"))
        ((char *)Y)[-1] = 0;
    if (fault("behind"))
        ((char *)(Y + M * N))[0] = 0;
    return NAME_OK;
}

/* A plan keeps the call. */
typedef struct {
    int64_t M, N, K;
    const float *X, *W, *bias;
    float *Y;
    NAME_exec exec;
} Call;

int NAME_prepare(OPERANDS, const NAME_exec *exec, NAME_plan *plan)
{
    const Call call = { M, N, K, X, W, ITS_BIAS, Y, exec ? *exec : (NAME_exec){ 0 } };
    _Static_assert(sizeof call <= sizeof plan->kept, "a plan has room for it");
    memcpy(plan->kept, &call, sizeof call);
    return NAME_OK;
}

int NAME_execute(const NAME_plan *plan, void *scratch)
{
    Call c;
    memcpy(&c, plan->kept, sizeof c);
    if (fault("plan"))
        return NAME_OK;
    return NAME(c.M, c.N, c.K, c.X, c.W, GIVEN(c.bias) c.Y, scratch, &c.exec);
}

/* ---- the library: in as many parts as threads, in turns ---- */

const char *dcgen_name(void) { return fault("no rival") ? NULL : "a library"; }
const char *dcgen_why(int code) { return code == -7 ? "cannot" : "an error"; }
int64_t dcgen_scratch(const int64_t *extent, int64_t ntask) { return extent[0] * ntask; }

int dcgen_run(const int64_t *extent, void *const *operand, void *workspace, int64_t task, int64_t ntask)
{
    static pthread_mutex_t only = PTHREAD_MUTEX_INITIALIZER;
    const int64_t M = extent[0], N = extent[1], K = extent[2], m = task * M / ntask, rows = (task + 1) * M / ntask - m;
    float *const Y = (float *)operand[2 + NAME_HAS_BIAS] + m * N;
    if (fault("rival refuses") || ((char *)workspace)[M * ntask - 1])
        return -7;
    pthread_mutex_lock(&only);
    pass(rows, N, K, M == 1 ? 1.0 / 8 : 1.0 / 2);
    if (rows > 0 && isnan(Y[0]))
        define(rows, N, K, (const float *)operand[0] + m * K, operand[1], NAME_HAS_BIAS ? operand[2] : NULL, Y);
    if (rows > 0 && fault("rival") && M == 48)
        Y[rows * N - 1] += 1;
    pthread_mutex_unlock(&only);
    return 0;
}
