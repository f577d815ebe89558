/* SPDX-License-Identifier: Apache-2.0
 *
 * fp32 with asynchronous copies, STAGES deep, 16 bytes each where alignment allows, and SPLITK blocks that share the
 * sum over k of a tile: the last one to finish adds up the others' parts in their order. Macros that a test defines
 * break it in one place each.
 */
#include "dense.h"

#ifndef STAGES
#define STAGES 3
#endif
#ifndef SPLITK
#define SPLITK 1
#endif
#ifndef WAIT
#define WAIT dense_device::cp_wait<STAGES - 2>()
#endif
#ifndef COMMIT
#define COMMIT dense_device::cp_commit()
#endif
#ifndef BARRIER
#define BARRIER __syncthreads()
#endif
#ifndef FILL /* the stage that block b + STAGES - 1 of k goes to */
#define FILL(b) ((b + STAGES - 1) % STAGES)
#endif
#ifndef HAVE /* floats that exist of those wanted, into the copy's number of bytes */
#define HAVE(n) ((n)*4)
#endif
#ifndef STORED_FENCE
#define STORED_FENCE
#endif
#ifndef STORED_BARRIER
#define STORED_BARRIER __syncthreads()
#endif
#ifndef FLAG_BARRIER
#define FLAG_BARRIER __syncthreads()
#endif
#ifndef COUNTED_FENCE
#define COUNTED_FENCE
#endif
#ifndef COUNT
#define COUNT dense_device::atomic_add_acq_rel
#endif
#ifndef RESET
#define RESET *counter = 0
#endif
#ifndef LAST /* of the blocks that share a tile */
#define LAST (SPLITK - 1)
#endif
#ifndef OWN_SLICE
#define OWN_SLICE blockIdx.z
#endif
enum { BM = 32, BN = 32, BK = 16, TM = 4, TN = 4, NT = 64, PITCH = BK + 4, STAGE = (BM + BN) * PITCH };

/* Starts the copies of k0.. of both operands: row r of the stage is row r of X's part, or row r - BM of W's. */
template <int width>
static __device__ __forceinline__ void start(const dense_args &a, float *stage, int m0, int n0, int k0)
{
    for (int e = threadIdx.x; e < (BM + BN) * BK / width; e += NT) {
        const int r = e / (BK / width), k = e % (BK / width) * width, left = a.K - k0 - k;
        const bool is_x = r < BM, there = is_x ? m0 + r < a.M : n0 + r - BM < a.N;
        const float *from = (is_x ? a.X + (int64_t)(m0 + r) * a.K : a.W + (int64_t)(n0 + r - BM) * a.K) + k0 + k;
        const int have = there ? min(max(left, 0), width) : 0;
        if (width == 4)
            dense_device::cp_async16(stage + r * PITCH + k, from, HAVE(have));
        else
            dense_device::cp_async4(stage + r * PITCH + k, from, HAVE(have));
    }
}

template <int width>
static __device__ __forceinline__ void sum(float (&acc)[TM][TN], const dense_args &a, float *stages, int m0, int n0,
                                           int k0, int nblock)
{
    const int tm = threadIdx.x / 8, tn = threadIdx.x % 8;
    for (int b = 0; b < STAGES - 1; b++) {
        if (b < nblock)
            start<width>(a, stages + b * STAGE, m0, n0, k0 + b * BK);
        COMMIT;
    }
    for (int b = 0; b < nblock; b++) {
        WAIT;
        BARRIER;
        if (b + STAGES - 1 < nblock)
            start<width>(a, stages + FILL(b) * STAGE, m0, n0, k0 + (b + STAGES - 1) * BK);
        COMMIT;
        const float *stage = stages + b % STAGES * STAGE;
#pragma unroll
        for (int k = 0; k < BK; k += 4) {
            float4 x[TM], w[TN];
#pragma unroll
            for (int i = 0; i < TM; i++)
                x[i] = *(const float4 *)(stage + (tm + 8 * i) * PITCH + k);
#pragma unroll
            for (int j = 0; j < TN; j++)
                w[j] = *(const float4 *)(stage + (BM + tn + 8 * j) * PITCH + k);
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    acc[i][j] += x[i].x * w[j].x + x[i].y * w[j].y + x[i].z * w[j].z + x[i].w * w[j].w;
        }
    }
}

/* True in the block that finishes a tile, with the sum of all slices. */
static __device__ __forceinline__ bool combine(float (&acc)[TM][TN], const dense_args &a, unsigned *flag)
{
    const unsigned tile = blockIdx.y * gridDim.x + blockIdx.x, t = threadIdx.x;
    unsigned *counter = a.counters + tile;
    float *parts = (float *)a.scratch + (size_t)tile * SPLITK * BM * BN;
    for (int i = 0; i < TM * TN; i++)
        parts[OWN_SLICE * (BM * BN) + i * NT + t] = acc[i / TN][i % TN];
    STORED_FENCE;
    STORED_BARRIER;
    if (t == 0)
        *flag = COUNT(counter, 1);
    FLAG_BARRIER;
    if (*flag != LAST)
        return false;
    COUNTED_FENCE;
    if (t == 0)
        RESET;
    for (int i = 0; i < TM * TN; i++) {
        float s = 0;
        for (int slice = 0; slice < SPLITK; slice++)
            s += dense_device::load_l2(parts + slice * (BM * BN) + i * NT + t);
        acc[i / TN][i % TN] = s;
    }
    return true;
}

static __global__ void __launch_bounds__(NT) kernel(const dense_args a)
{
    float *stages = (float *)dense_device::shared_memory();
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN, tm = threadIdx.x / 8, tn = threadIdx.x % 8;
    const int nblock = (a.K + BK - 1) / BK, first = nblock * blockIdx.z / SPLITK,
              end = nblock * (blockIdx.z + 1) / SPLITK;
    float acc[TM][TN] = { { 0 } };
    if (((uintptr_t)a.X | (uintptr_t)a.W) % 16 == 0 && a.K % 4 == 0)
        sum<4>(acc, a, stages, m0, n0, first * BK, end - first);
    else
        sum<1>(acc, a, stages, m0, n0, first * BK, end - first);
    if (SPLITK > 1 && !combine(acc, a, (unsigned *)(stages + STAGES * STAGE)))
        return;
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) {
            const int m = m0 + tm + 8 * i, n = n0 + tn + 8 * j;
            if (m < a.M && n < a.N)
                a.Y[(int64_t)m * a.N + n] = acc[i][j] + (a.bias ? a.bias[n] : 0);
        }
}

static dense_plan plan(int64_t M, int64_t N, int64_t K)
{
    (void)K;
    const unsigned x = (unsigned)((N + BN - 1) / BN), y = (unsigned)((M + BM - 1) / BM);
    const size_t tiles = SPLITK > 1 ? (size_t)x * y : 0;
    return { x, y, SPLITK, NT, STAGES * STAGE * sizeof(float) + 16, tiles * SPLITK * BM * BN * sizeof(float), tiles * 4 };
}
