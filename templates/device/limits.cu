/* SPDX-License-Identifier: MIT-0
 *
 * limits: what a GPU does at most. Each probe is one kernel that keeps one unit busy and does nothing else; the runner times it
 * (search/runner/cuda/limits_cuda.c, search/runner/abi.h has dcgen_limit) and divides work by time.
 *
 *   probe         unit                      a thread's loop, as nvcc 13.0 compiles it for sm_90a                          work
 *   fma           FMA units, registers      256 FFMA with 32 accumulators, 2.44 reads of registers each; 6 more           2 a FMA
 *   fma_reuse     FMA units                 the same products in another order, 1.71 reads each, the rest reused          2 a FMA
 *   tf32 f16 bf16 tensor cores              64 mma.sync with 16 tiles of 16 x 8, 4 fragments of A, 4 of B; 7 more         2 a product
 *   shared        shared memory             8 LDS.128 without conflicts, 17 LOP3; 7 more                                  bytes
 *   l2            L2 cache                  4 loads of 16 bytes; all of the buffer by every block, each from another place on    bytes
 *   memory        memory                    the same; all of the buffer once, by all blocks together                      bytes
 *   handover      acq_rel atomic            what a block of split-K does to hand over its tile, one after the other       hand-overs
 *   fill                                    writes the buffer: random floats in -1 .. 1                                   bytes
 *
 * Two ports bring two registers a cycle, so that fma reaches 0.82 of the peak, however much power there is. Where fma_reuse does no better,
 * power is what lacks; else the ports are.
 *
 * Operands are random: zeros would leave power unused and the clock above what real data allow. Nothing but fill and handover writes.
 */
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace limits_device {
#ifdef DCGEN_EMULATOR
#include "device.h"
#else
#include "atomic_add_acq_rel.cuh"
#include "bf16_of.cuh"
#include "f16_of.cuh"
#include "launch.cuh"
#include "load_l2_16.cuh"
#include "load_once16.cuh"
#if SM_ARCH >= 80
#include "bf16_mma.cuh"
#include "f16_mma.cuh"
#include "tf32_mma.cuh"
#endif
#include "shared_memory.cuh"
#include "tf32_of.cuh"
#endif
}

enum {
    NO_PROBE = -1,
    FMA_THREADS = 256,
    MMA_THREADS = 128,
    SHARED_THREADS = 128,
    SHARED_BYTES = 32 << 10,
    READ_THREADS = 512,
    HANDOVER_THREADS = 128,
    FILL_THREADS = 256,
    READS = 4,                                    /* loads of a thread that are under way together */
    READ_CHUNK = READ_THREADS * READS * 16,       /* bytes that a block reads at once */
    HANDOVER_TILE = HANDOVER_THREADS * 4,         /* floats */
    HANDOVER_BYTES = 8192,                        /* of a block: two tiles, its counter */
};

typedef struct {
    unsigned char *buffer;
    int64_t bytes;
    int64_t rounds;
    bool whole; /* reads: every block reads all of it */
} limits_args;

/* ---- arithmetic */

/* The compiler cannot know that the sum is never this one. */
static __device__ __forceinline__ void keep(const limits_args &g, float sum)
{
    if (sum == 1.2345678e38f)
        *(float *)g.buffer = sum;
}

/* reuse: each value of a and b is that of four FMAs in a row, so that two in a row differ in one of them at most. */
template <bool reuse> static __global__ void __launch_bounds__(FMA_THREADS) limits_fma(limits_args g)
{
    const float *from = (const float *)g.buffer + threadIdx.x;
    float a[4], b[4], acc[32], sum = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        a[i] = from[i * FMA_THREADS], b[i] = from[(i + 4) * FMA_THREADS];
#pragma unroll
    for (int i = 0; i < 32; i++)
        acc[i] = from[(i % 8) * FMA_THREADS + i];
#pragma unroll 1
    for (int64_t round = 0; round < g.rounds; round++)
#pragma unroll
        for (int u = 0; u < 8; u++)
#pragma unroll
            for (int i = 0; i < 32; i++)
                acc[i] = reuse ? fmaf(a[(i / 4 + u / 4) % 4], b[((i + 2) / 4 + u) % 4], acc[i])
                               : fmaf(a[i % 4], b[(i / 4 + u) % 4], acc[i]);
#pragma unroll
    for (int i = 0; i < 32; i++)
        sum += acc[i];
    keep(g, sum);
}

#if SM_ARCH >= 80
enum Kind { TF32, F16, BF16 };

/* A register of a fragment: one number in tf32, two in 16 bits. */
template <Kind kind> static __device__ __forceinline__ unsigned fragment(const float *x)
{
    if (kind == TF32)
        return limits_device::tf32_of(x[0]);
    const unsigned low = kind == F16 ? limits_device::f16_of(x[0]) : limits_device::bf16_of(x[0]);
    const unsigned high = kind == F16 ? limits_device::f16_of(x[1]) : limits_device::bf16_of(x[1]);
    return low | high << 16;
}

template <Kind kind>
static __device__ __forceinline__ void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    if (kind == TF32)
        limits_device::tf32_mma(d, a, b);
    else if (kind == F16)
        limits_device::f16_mma(d, a, b);
    else
        limits_device::bf16_mma(d, a, b);
}

template <Kind kind> static __global__ void __launch_bounds__(MMA_THREADS, 4) limits_mma(limits_args g)
{
    const float *from = (const float *)g.buffer + 2 * threadIdx.x;
    unsigned a[4][4], b[4][2];
    float d[16][4] = {}, sum = 0;
#pragma unroll
    for (int i = 0; i < 16; i++)
        a[i / 4][i % 4] = fragment<kind>(from + i * 2 * MMA_THREADS);
#pragma unroll
    for (int i = 0; i < 8; i++)
        b[i / 2][i % 2] = fragment<kind>(from + (i + 16) * 2 * MMA_THREADS);
#pragma unroll 1
    for (int64_t round = 0; round < g.rounds; round++)
#pragma unroll
        for (int u = 0; u < 4; u++)
#pragma unroll
            for (int i = 0; i < 16; i++)
                mma<kind>(d[i], a[i / 4], b[(i + u) % 4]);
#pragma unroll
    for (int i = 0; i < 16; i++)
        sum += d[i][0] + d[i][1] + d[i][2] + d[i][3];
    keep(g, sum);
}
#endif

/* ---- reading */

static __device__ __forceinline__ void mix(uint4 &sum, uint4 v)
{
    sum.x ^= v.x, sum.y ^= v.y, sum.z ^= v.z, sum.w ^= v.w;
}

static __device__ __forceinline__ void keep(const limits_args &g, uint4 sum)
{
    if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x9e3779b9u && sum.x == 0x7f4a7c15u && sum.y == 0x85ebca6bu)
        *(uint4 *)g.buffer = sum;
}

/* 8 neighbouring threads read the 128 bytes of all banks. The place moves on by a half from round to round, so that no
 * load can be done once for all rounds. */
static __global__ void __launch_bounds__(SHARED_THREADS) limits_shared(limits_args g)
{
    unsigned char *memory = limits_device::shared_memory();
    const int t = threadIdx.x * 16;
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (int i = t; i < SHARED_BYTES; i += SHARED_THREADS * 16)
        *(uint4 *)(memory + i) = limits_device::load_once16(g.buffer + i);
    __syncthreads();
    int place = 0;
#pragma unroll 1
    for (int64_t round = 0; round < g.rounds; round++) {
#pragma unroll
        for (int i = 0; i < 8; i++)
            mix(sum, *(const uint4 *)(memory + place + t + i * SHARED_THREADS * 16));
        place ^= SHARED_BYTES / 2;
    }
    keep(g, sum);
}

static __global__ void __launch_bounds__(READ_THREADS) limits_read(limits_args g)
{
    const int64_t nchunk = g.bytes / READ_CHUNK, nblock = gridDim.x, block = blockIdx.x;
    const int64_t step = g.whole ? 1 : nblock;
    uint4 sum = make_uint4(0, 0, 0, 0);
#pragma unroll 1
    for (int64_t round = 0; round < g.rounds; round++) {
        int64_t chunk = g.whole ? block * nchunk / nblock : block;
#pragma unroll 1
        for (int64_t n = g.whole ? 0 : block; n < nchunk; n += step) {
            const unsigned char *from = g.buffer + chunk * READ_CHUNK + threadIdx.x * 16;
            uint4 v[READS];
#pragma unroll
            for (int i = 0; i < READS; i++)
                v[i] = limits_device::load_once16(from + i * READ_THREADS * 16);
#pragma unroll
            for (int i = 0; i < READS; i++)
                mix(sum, v[i]);
            chunk += step;
            chunk = g.whole && chunk == nchunk ? 0 : chunk;
        }
    }
    keep(g, sum);
}

/* ---- handing over */

/* As tiles are summed in split-K (templates/gemm/tile_sum.cuh): store, count, see who is last, load from L2. Each block has a place
 * of its own, at the end of the buffer: arithmetic takes its operands from the beginning. What it loads goes into what it stores next,
 * so that nothing overlaps. Rounds take two tiles in turn: barriers lie between a load and the store two
 * rounds on. The count goes up and down: the counter ends as it began. */
static __global__ void __launch_bounds__(HANDOVER_THREADS) limits_handover(limits_args g)
{
    float *place = (float *)(g.buffer + g.bytes - (size_t)(gridDim.x - blockIdx.x) * HANDOVER_BYTES);
    unsigned *counter = (unsigned *)(place + 2 * HANDOVER_TILE);
    unsigned *seen = (unsigned *)limits_device::shared_memory();
    const int t = threadIdx.x, other = (t + 1) % HANDOVER_THREADS;
    float4 v = make_float4((float)t, 1, 2, 3);
#pragma unroll 1
    for (int64_t round = 0; round < g.rounds; round++) {
        float *tile = place + round % 2 * HANDOVER_TILE;
        *(float4 *)(tile + 4 * t) = v;
        __syncthreads();
        if (t == 0)
            *seen = limits_device::atomic_add_acq_rel(counter, round % 2 ? 0xffffffffu : 1);
        __syncthreads();
        v = limits_device::load_l2_16(tile + 4 * other);
        v.x += (float)*seen;
    }
}

/* ---- */

static __global__ void __launch_bounds__(FILL_THREADS) limits_fill(limits_args g)
{
    const int64_t n = g.bytes / 4, step = (int64_t)gridDim.x * FILL_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * FILL_THREADS + threadIdx.x; i < n; i += step) {
        unsigned x = (unsigned)i * 0x9e3779b9u + 0x7f4a7c15u;
        x = (x ^ x >> 16) * 0x85ebca6bu;
        x = (x ^ x >> 13) * 0xc2b2ae35u;
        ((float *)g.buffer)[i] = (float)(int)(x ^ x >> 16) * 0x1p-31f;
    }
}

/* A row: a kernel, and how many blocks of it a multiprocessor has; `work`: of a block and round, 0: of the buffer, -1: one. */
typedef struct {
    const char *name;
    int variant;
    void (*kernel)(limits_args);
    int blocks, threads, smem_bytes;
    bool whole;
    double work;
} limits_row;

#define FMA_WORK (2.0 * 256 * FMA_THREADS)
#define MMA_WORK(k) (64 * 2.0 * 16 * 8 * (k) * (MMA_THREADS / 32))
#define SHARED_WORK (8.0 * 16 * SHARED_THREADS)
static const limits_row rows[] = {
    { "fma", 0, limits_fma<false>, 1, FMA_THREADS, 0, false, FMA_WORK },
    { "fma", 1, limits_fma<false>, 2, FMA_THREADS, 0, false, FMA_WORK },
    { "fma", 2, limits_fma<false>, 4, FMA_THREADS, 0, false, FMA_WORK },
    { "fma_reuse", 0, limits_fma<true>, 1, FMA_THREADS, 0, false, FMA_WORK },
    { "fma_reuse", 1, limits_fma<true>, 2, FMA_THREADS, 0, false, FMA_WORK },
    { "fma_reuse", 2, limits_fma<true>, 4, FMA_THREADS, 0, false, FMA_WORK },
#if SM_ARCH >= 80
    { "tf32", 0, limits_mma<TF32>, 2, MMA_THREADS, 0, false, MMA_WORK(8) },
    { "tf32", 1, limits_mma<TF32>, 4, MMA_THREADS, 0, false, MMA_WORK(8) },
    { "tf32", 2, limits_mma<TF32>, 1, MMA_THREADS, 0, false, MMA_WORK(8) },
    { "f16", 0, limits_mma<F16>, 2, MMA_THREADS, 0, false, MMA_WORK(16) },
    { "f16", 1, limits_mma<F16>, 4, MMA_THREADS, 0, false, MMA_WORK(16) },
    { "f16", 2, limits_mma<F16>, 1, MMA_THREADS, 0, false, MMA_WORK(16) },
    { "bf16", 0, limits_mma<BF16>, 2, MMA_THREADS, 0, false, MMA_WORK(16) },
    { "bf16", 1, limits_mma<BF16>, 4, MMA_THREADS, 0, false, MMA_WORK(16) },
    { "bf16", 2, limits_mma<BF16>, 1, MMA_THREADS, 0, false, MMA_WORK(16) },
#endif
    { "shared", 0, limits_shared, 2, SHARED_THREADS, SHARED_BYTES, false, SHARED_WORK },
    { "shared", 1, limits_shared, 4, SHARED_THREADS, SHARED_BYTES, false, SHARED_WORK },
    { "l2", 0, limits_read, 1, READ_THREADS, 0, true, 0 },
    { "l2", 1, limits_read, 2, READ_THREADS, 0, true, 0 },
    { "memory", 0, limits_read, 2, READ_THREADS, 0, false, 0 },
    { "memory", 1, limits_read, 4, READ_THREADS, 0, false, 0 },
    { "handover", 0, limits_handover, 1, HANDOVER_THREADS, 4, false, -1 },
    { "fill", 0, limits_fill, 8, FILL_THREADS, 0, false, 0 },
};

static double work_of(const limits_row &row, const limits_args &g, unsigned blocks)
{
    const double rounds = (double)g.rounds;
    if (row.work < 0)
        return rounds; /* all blocks hand over at once */
    return rounds * (row.work > 0 ? row.work * blocks : (double)g.bytes * (row.whole ? blocks : 1));
}

extern "C" int dcgen_limit(const char *probe, int variant, int sms, int64_t rounds, void *buffer, int64_t bytes,
                           void *stream, double *work)
{
    const limits_args all = { (unsigned char *)buffer, bytes, rounds, false };
    for (const limits_row &row : rows) {
        if (strcmp(row.name, probe) != 0 || row.variant != variant)
            continue;
        limits_args g = all;
        g.whole = row.whole;
        if (row.kernel == limits_read)
            g.bytes = bytes / READ_CHUNK * READ_CHUNK;
        if (row.work < 0)
            g.rounds = (rounds + 1) / 2 * 2;
        const unsigned blocks = (unsigned)(sms * row.blocks);
        *work = work_of(row, g, blocks);
        return limits_device::launch(row.kernel, dim3(blocks), 0, row.threads, (size_t)row.smem_bytes,
                                     (cudaStream_t)stream, g);
    }
    return NO_PROBE;
}
