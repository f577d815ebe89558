/* SPDX-License-Identifier: Apache-2.0
 *
 * fp32 on FMA units: a block stages BM x BK of X and BN x BK of W, transposed, then multiplies. Nothing is
 * asynchronous. Macros that a test defines break it in one place each.
 */
#include "dense.h"

#ifndef BM
#define BM 32
#define BN 32
#define BK 8
#define TM 4
#define TN 4
#endif
#ifndef PITCH
#define PITCH (BM + BN + 4) /* floats of a row of k in shared memory */
#endif
#ifndef BARRIER_STAGED
#define BARRIER_STAGED __syncthreads()
#endif
#ifndef BARRIER_USED
#define BARRIER_USED __syncthreads()
#endif
#ifndef ROWS /* of X that are read, of Y that are written */
#define ROWS(M) (M)
#endif
#ifndef STORE_ROWS
#define STORE_ROWS(M) (M)
#endif
#ifndef STAGED /* k that are staged of each BK */
#define STAGED BK
#endif
#ifndef SMEM
#define SMEM (BK * PITCH * sizeof(float))
#endif
#ifndef GRID_Y
#define GRID_Y(y) (y)
#endif
#ifndef THREADS
#define THREADS NT
#endif
#ifndef AT_START
#define AT_START
#endif
#ifndef AT_END
#define AT_END
#endif
#ifndef IN_LOOP
#define IN_LOOP
#endif
enum { NT = (BM / TM) * (BN / TN) };

static __global__ void __launch_bounds__(NT) kernel(const dense_args a)
{
    float *stage = (float *)dense_device::shared_memory();
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN, t = threadIdx.x;
    const int tm = t / (BN / TN) * TM, tn = t % (BN / TN) * TN;
    float acc[TM][TN] = { { 0 } };
    AT_START;
    for (int k0 = 0; k0 < a.K; k0 += BK) {
        for (int e = t; e < (BM + BN) * BK; e += NT) {
            const int r = e / BK, k = e % BK;
            float v = 0;
            if (r < BM && m0 + r < ROWS(a.M) && k0 + k < a.K)
                v = a.X[(int64_t)(m0 + r) * a.K + k0 + k];
            if (r >= BM && n0 + r - BM < a.N && k0 + k < a.K)
                v = a.W[(int64_t)(n0 + r - BM) * a.K + k0 + k];
            if (k < STAGED)
                stage[k * PITCH + r] = v;
        }
        BARRIER_STAGED;
        IN_LOOP;
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float x[TM], w[TN];
#pragma unroll
            for (int i = 0; i < TM; i += 4) {
                const float4 q = *(const float4 *)(stage + k * PITCH + tm + i);
                x[i] = q.x, x[i + 1] = q.y, x[i + 2] = q.z, x[i + 3] = q.w;
            }
#pragma unroll
            for (int i = 0; i < TN; i += 4) {
                const float4 q = *(const float4 *)(stage + k * PITCH + BM + tn + i);
                w[i] = q.x, w[i + 1] = q.y, w[i + 2] = q.z, w[i + 3] = q.w;
            }
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    acc[i][j] = fmaf(x[i], w[j], acc[i][j]);
        }
        BARRIER_USED;
    }
    AT_END;
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++)
            if (m0 + tm + i < STORE_ROWS(a.M) && n0 + tn + j < a.N)
                a.Y[(int64_t)(m0 + tm + i) * a.N + n0 + tn + j] = acc[i][j] + (a.bias ? a.bias[n0 + tn + j] : 0);
}

static dense_plan plan(int64_t M, int64_t N, int64_t K)
{
    (void)K;
    return { (unsigned)((N + BN - 1) / BN), (unsigned)GRID_Y((M + BM - 1) / BM), 1, THREADS, SMEM, 0, 0 };
}
