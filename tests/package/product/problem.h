/* SPDX-License-Identifier: Apache-2.0
 *
 * problem: one call of the package NAME with its operands and what it must give, by the definition in double. Legal C11
 * and C++11.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "NAME.h"

typedef struct {
    int64_t M, N, K;
    float *X, *W, *bias, *Y;
    void *packed, *workspace; /* packed: W as the call takes it */
    double *want, *bound;     /* bound: what K rounded sums may be off by */
} NAME_problem;

static int NAME_failures;

static inline void NAME_check(int holds, int line, const char *text)
{
    if (!holds) {
        NAME_failures++;
        printf("line %d: not so: %s\n", line, text);
    }
}

#define CHECK(condition) NAME_check((condition) ? 1 : 0, __LINE__, #condition)

static inline void *NAME_take(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p)
        abort();
    return p;
}

static inline float *NAME_random(int64_t n, uint32_t seed)
{
    float *x = (float *)NAME_take((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        seed = (seed * UINT64_C(1664525) + 1013904223U) & UINT32_MAX;
        x[i] = (float)(seed >> 8) / 8388608.0F - 1.0F;
    }
    return x;
}

static inline void NAME_define(NAME_problem *p)
{
    for (int64_t m = 0; m < p->M; m++) {
        for (int64_t n = 0; n < p->N; n++) {
            double sum = p->bias ? p->bias[n] : 0, magnitude = fabs(sum);
            for (int64_t k = 0; k < p->K; k++) {
                double term = (double)p->X[m * p->K + k] * p->W[NAME_W_KN ? k * p->N + n : n * p->K + k];
                sum += term;
                magnitude += fabs(term);
            }
            p->want[m * p->N + n] = sum;
            p->bound[m * p->N + n] = (double)(p->K + 1) * magnitude / 16777216;
        }
    }
}

static inline NAME_problem NAME_problem_new(int64_t M, int64_t N, int64_t K)
{
    NAME_problem p;
    memset(&p, 0, sizeof p);
    p.M = M, p.N = N, p.K = K;
    p.X = NAME_random(M * K, 1);
    p.W = NAME_random(N * K, 2);
#if NAME_HAS_BIAS
    p.bias = NAME_random(N, 3);
#endif
    p.Y = NAME_random(M * N, 4);
    p.packed = p.W;
#if NAME_W_PACKED
    p.packed = NAME_take(NAME_packed_bytes(N, K));
    if (NAME_pack(N, K, p.W, p.packed) != NAME_OK)
        abort();
#endif
    p.workspace = NAME_take(NAME_workspace_bytes(M, N, K, NULL));
    p.want = (double *)NAME_take((size_t)(M * N) * sizeof(double));
    p.bound = (double *)NAME_take((size_t)(M * N) * sizeof(double));
    NAME_define(&p);
    return p;
}

static inline void NAME_problem_free(NAME_problem *p)
{
    if (p->packed != p->W)
        free(p->packed);
    free(p->X), free(p->W), free(p->bias), free(p->Y), free(p->workspace), free(p->want), free(p->bound);
}

/* Extents and operands, as a call takes them. */
#if NAME_HAS_BIAS
#define NAME_GIVEN(p) p->M, p->N, p->K, p->X, (const float *)p->packed, p->bias, p->Y
#else
#define NAME_GIVEN(p) p->M, p->N, p->K, p->X, (const float *)p->packed, p->Y
#endif

static inline int NAME_problem_call(const NAME_problem *p, const NAME_exec *exec)
{
    return NAME(NAME_GIVEN(p), p->workspace, exec);
}

/* Does Y hold the result? A NaN is none. */
static inline int NAME_problem_right(const NAME_problem *p)
{
    for (int64_t i = 0; i < p->M * p->N; i++) {
        if (!(fabs(p->Y[i] - p->want[i]) <= p->bound[i])) {
            printf("M=%d N=%d K=%d: Y[%d] is %g, not %g\n", (int)p->M, (int)p->N, (int)p->K, (int)i, (double)p->Y[i],
                   p->want[i]);
            return 0;
        }
    }
    return 1;
}

/* Calls into a Y of NaN: 1 when the call succeeds and is right, or ends with the code that it may, if it is no
 * NAME_OK. */
static inline int NAME_problem_solves_or(const NAME_problem *p, const NAME_exec *exec, int may)
{
    for (int64_t i = 0; i < p->M * p->N; i++)
        p->Y[i] = NAN;
    int code = NAME_problem_call(p, exec);
    if (code != NAME_OK && code == may)
        return 1;
    if (code != NAME_OK)
        printf("M=%d N=%d K=%d: %s\n", (int)p->M, (int)p->N, (int)p->K, NAME_strerror(code));
    return code == NAME_OK && NAME_problem_right(p);
}

static inline int NAME_problem_solves(const NAME_problem *p, const NAME_exec *exec)
{
    return NAME_problem_solves_or(p, exec, NAME_OK);
}
