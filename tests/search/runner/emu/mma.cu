/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor cores by ldmatrix and mma.sync on F16, BF16 or TF32: 32 x 32 tiles, 64 bytes of k at once, 4 warps of 16 x 16.
 * Rows of a stage are 64 bytes, 4 chunks of 16; chunk c of row r lies in the place of chunk c ^ (r/2 % 4), so that 8
 * rows of ldmatrix are in different banks. KN: W is [K][N], its stage is [k][n]. Macros that a test defines break it.
 */
#include "dense.h"

#ifndef STAGES
#define STAGES 3
#endif
#ifndef WAIT
#define WAIT dense_device::cp_wait<STAGES - 2>()
#endif
#ifndef BARRIER
#define BARRIER __syncthreads()
#endif
#ifndef SWIZZLE_COPY
#define SWIZZLE_COPY(r, c) ((c) ^ (r) / 2 % 4)
#endif
#ifndef SWIZZLE_READ
#define SWIZZLE_READ(r, c) ((c) ^ (r) / 2 % 4)
#endif
#ifndef A_ROW
#define A_ROW(lane) ((lane) % 16)
#endif
#ifndef A_CHUNK
#define A_CHUNK(lane) ((lane) / 16)
#endif
#ifndef B_ROW
#define B_ROW(lane) ((lane) / 16 * 8 + (lane) % 8)
#endif
#ifndef C_COLUMN
#define C_COLUMN(lane) (2 * ((lane) % 4))
#endif
#ifndef ROW_BYTES
#define ROW_BYTES 64
#endif
enum { BM = 32, BN = 32, NT = 128, CHUNKS = 4, ES = sizeof(dense_elem), CHUNK = 16 / ES, BK = CHUNKS * CHUNK };
#ifdef KN
enum { W_ROWS = BK }; /* 32 of them, k */
#else
enum { W_ROWS = BN };
#endif
enum { STAGE_BYTES = (BM + W_ROWS) * ROW_BYTES };

static __device__ __forceinline__ unsigned char *place(unsigned char *tile, int row, int chunk)
{
    return tile + row * ROW_BYTES + SWIZZLE_COPY(row, chunk) * 16;
}

/* One chunk: `have` elements from `from` on, then zeros. */
static __device__ __forceinline__ void copy(unsigned char *to, const dense_elem *from, int have, bool wide)
{
    have = min(max(have, 0), (int)CHUNK);
    if (wide)
        dense_device::cp_async16(to, from, have * ES);
    else
        for (int i = 0; i < CHUNK; i++)
            ((dense_elem *)to)[i] = i < have ? from[i] : (dense_elem)0;
}

static __device__ __forceinline__ void start(const dense_args &a, unsigned char *stage, int m0, int n0, int k0,
                                             bool wide)
{
    for (int e = threadIdx.x; e < BM * CHUNKS; e += NT) {
        const int r = e / CHUNKS, c = e % CHUNKS, k = k0 + c * CHUNK;
        copy(place(stage, r, c), a.X + (int64_t)(m0 + r) * a.K + k, m0 + r < a.M ? a.K - k : 0, wide);
    }
    unsigned char *w = stage + BM * ROW_BYTES;
    for (int e = threadIdx.x; e < W_ROWS * CHUNKS; e += NT) {
        const int r = e / CHUNKS, c = e % CHUNKS;
#ifdef KN
        const int n = n0 + c * CHUNK;
        copy(place(w, r, c), a.W + (int64_t)(k0 + r) * a.N + n, k0 + r < a.K ? a.N - n : 0, wide);
#else
        const int k = k0 + c * CHUNK;
        copy(place(w, r, c), a.W + (int64_t)(n0 + r) * a.K + k, n0 + r < a.N ? a.K - k : 0, wide);
#endif
    }
    dense_device::cp_commit();
}

static __device__ __forceinline__ void mma(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    const unsigned b[2] = { b0, b1 };
#if defined(F16)
    dense_device::f16_mma(d, a, b);
#elif defined(BF16)
    dense_device::bf16_mma(d, a, b);
#else
    dense_device::tf32_mma(d, a, b);
#endif
}

static __device__ __forceinline__ void multiply(float (&acc)[2][4], const unsigned char *stage, int wm, int wn)
{
    const int lane = threadIdx.x % 32;
    const unsigned char *w = stage + BM * ROW_BYTES;
#pragma unroll
    for (int c = 0; c < CHUNKS; c += 2) {
        unsigned a[4], b[4];
        const int row = wm + A_ROW(lane);
        dense_device::ldmatrix_x4(a, stage + row * ROW_BYTES + SWIZZLE_READ(row, c + A_CHUNK(lane)) * 16);
#ifdef KN
        const int k = c * CHUNK + lane % 16;
        dense_device::ldmatrix_x4_trans(b, w + k * ROW_BYTES + SWIZZLE_READ(k, wn / CHUNK + lane / 16) * 16);
#else
        const int n = wn + B_ROW(lane);
        dense_device::ldmatrix_x4(b, w + n * ROW_BYTES + SWIZZLE_READ(n, c + lane / 8 % 2) * 16);
#endif
        mma(acc[0], a, b[0], b[1]);
        mma(acc[1], a, b[2], b[3]);
    }
}

static __device__ __forceinline__ float value(dense_elem e)
{
#if defined(F16)
    return dense_device::f16_to_float(e);
#elif defined(BF16)
    return dense_device::bf16_to_float(e);
#else
    return e;
#endif
}

static __device__ __forceinline__ dense_elem element(float v)
{
#if defined(F16)
    return dense_device::f16_of(v);
#elif defined(BF16)
    return dense_device::bf16_of(v);
#else
    return v;
#endif
}

static __global__ void __launch_bounds__(NT) kernel(const dense_args a)
{
    unsigned char *stages = dense_device::shared_memory();
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int wm = warp / 2 * 16, wn = warp % 2 * 16, nblock = (a.K + BK - 1) / BK;
#ifdef KN
    const int ldw = a.N;
#else
    const int ldw = a.K;
#endif
    const bool wide = ((uintptr_t)a.X | (uintptr_t)a.W) % 16 == 0 && a.K % CHUNK == 0 && ldw % CHUNK == 0;
    float acc[2][4] = { { 0 } };
    for (int b = 0; b < STAGES - 1; b++)
        if (b < nblock)
            start(a, stages + b * STAGE_BYTES, m0, n0, b * BK, wide);
        else
            dense_device::cp_commit();
    for (int b = 0; b < nblock; b++) {
        WAIT;
        BARRIER;
        if (b + STAGES - 1 < nblock)
            start(a, stages + (b + STAGES - 1) % STAGES * STAGE_BYTES, m0, n0, (b + STAGES - 1) * BK, wide);
        else
            dense_device::cp_commit();
        multiply(acc, stages + b % STAGES * STAGE_BYTES, wm, wn);
    }
    for (int j = 0; j < 2; j++)
        for (int r = 0; r < 4; r++) {
            const int m = m0 + wm + lane / 4 + 8 * (r / 2), n = n0 + wn + 8 * j + C_COLUMN(lane) + r % 2;
            if (m < a.M && n < a.N)
                a.Y[(int64_t)m * a.N + n] = element(acc[j][r] + (a.bias ? value(a.bias[n]) : 0));
        }
}

static dense_plan plan(int64_t M, int64_t N, int64_t K)
{
    (void)K;
    return { (unsigned)((N + BN - 1) / BN), (unsigned)((M + BM - 1) / BM), 1, NT, STAGES * STAGE_BYTES, 0, 0 };
}
