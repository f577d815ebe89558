/* SPDX-License-Identifier: Apache-2.0
 *
 * pretend: what the package's own test and benchmark are linked with instead of the package NAME and of a CBLAS: two
 * kernels that compute the definition, and are wrong in the one way that the environment variable FAULT names. Time
 * passes as calls take it: an operation of the package an eighth of a nanosecond, of the CBLAS half of one; where M is
 * 1 both are alike. After a nap, one sample of 18 is 50 times as long.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "NAME.h"
#include "cblas.h"

static int fault(const char *name) { return getenv("FAULT") && strcmp(getenv("FAULT"), name) == 0; }

/* ---- time ---- */

static double time_ns;
static int nnap;

int clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock;
    t->tv_sec = (time_t)(time_ns / 1e9);
    t->tv_nsec = (long)(time_ns - 1e9 * (double)t->tv_sec);
    return 0;
}

int nanosleep(const struct timespec *t, struct timespec *left)
{
    (void)t, (void)left;
    nnap++;
    return 0;
}

static void pass(int64_t M, int64_t N, int64_t K, double ns)
{
    time_ns += 2.0 * (double)M * (double)N * (double)K * ns * (nnap % 18 == 5 ? 50 : 1);
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

#if NAME_HAS_BIAS
#define BIAS const float *bias,
#else
#define BIAS
#endif
#if NAME_W_PACKED
int NAME(int64_t M, int64_t N, int64_t K, const float *X, const void *W, BIAS float *Y, void *workspace,
         const NAME_exec *exec)
#else
int NAME(int64_t M, int64_t N, int64_t K, const float *X, const float *W, BIAS float *Y, void *workspace,
         const NAME_exec *exec)
#endif
{
    const int kernel = exec ? exec->kernel : 0, threads = exec ? exec->threads : 1;
#if !NAME_HAS_BIAS
    const float *bias = NULL;
#endif
    (void)workspace;
    pass(M, N, K, 1.0 / 8);
    if (fault("refused") && kernel == 0)
        return NAME_BAD_POINTER;
    if ((fault("no choice") && kernel == 0) || (fault("other CPU") && kernel == 1))
        return NAME_BAD_KERNEL;
    if (M <= 0 || N <= 0)
        return NAME_OK;
    if (overlap(X, M * K, Y, M * N) || overlap(W, N * K, Y, M * N) || overlap(bias, N, Y, M * N))
        return NAME_BAD_OVERLAP;
    if (!isnan(Y[0]))
        return NAME_OK; /* timed again and again */
    const double off = define(M, N, K, X, W, bias, Y);
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

/* ---- the CBLAS ---- */

void openblas_set_num_threads(int n) { printf("%d threads\n", n); }

void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc)
{
    pass(m, n, k, m == 1 ? 1.0 / 8 : 1.0 / 2);
    if (order != CblasRowMajor || trans_a != CblasNoTrans || alpha != 1)
        abort();
    if (!isnan(c[m * ldc - 1]) && beta == 0)
        return;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = beta == 0 ? 0 : beta * c[i * ldc + j];
            for (int l = 0; l < k; l++)
                sum += a[i * lda + l] * b[trans_b == CblasTrans ? j * ldb + l : l * ldb + j];
            c[i * ldc + j] = sum + (fault("rival") && m == 48 ? 1 : 0);
        }
}
