/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses of a known pattern, to be counted: ACCESS is what each of 32 threads does once. Y is right: one thread
 * computes it.
 */
#include "dense.h"

static __global__ void __launch_bounds__(32) kernel(const dense_args a)
{
    float *shared = (float *)dense_device::shared_memory();
    const int t = threadIdx.x;
    (void)shared;
    if ((uintptr_t)a.X % 16 == 0) { /* in the first of two calls, which is the one that counts */
        ACCESS;
    }
    __syncthreads();
    for (int64_t y = 0; t == 0 && y < (int64_t)a.M * a.N; y++) {
        float s = a.bias ? a.bias[y % a.N] : 0;
        for (int k = 0; k < a.K; k++)
            s += a.X[y / a.N * a.K + k] * a.W[y % a.N * a.K + k];
        a.Y[y] = s;
    }
}

static dense_plan plan(int64_t M, int64_t N, int64_t K)
{
    (void)M, (void)N, (void)K;
    return { 1, 1, 1, 32, 32 * 33 * 16, 4096, 0 };
}
