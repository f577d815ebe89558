/* SPDX-License-Identifier: Apache-2.0
 *
 * hopper: microtests of what only Hopper has (templates/device), as primitives.cu has them of the others, by the same
 * call. Each step needs those before it: barriers, then copies by tensor maps, then products of warpgroups, then all of
 * it together. hopper.py makes the input and knows what the output must be.
 */
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace device {
#ifdef DCGEN_EMULATOR
#include "device.h"
#define EMULATOR 1
#else
#define EMULATOR 0
#include "barrier_arrive.cuh"
#include "barrier_sync.cuh"
#include "bulk_commit.cuh"
#include "bulk_wait_read.cuh"
#include "cluster_arrive.cuh"
#include "cluster_load16.cuh"
#include "cluster_rank.cuh"
#include "cluster_wait.cuh"
#include "launch.cuh"
#include "mbarrier_arrive.cuh"
#include "mbarrier_arrive_expect.cuh"
#include "mbarrier_init.cuh"
#include "mbarrier_init_fence.cuh"
#include "mbarrier_wait.cuh"
#include "proxy_fence.cuh"
#include "registers_less.cuh"
#include "registers_more.cuh"
#include "shared_address.cuh"
#include "shared_memory.cuh"
#include "tensor_load_2.cuh"
#include "tensor_load_3.cuh"
#include "tensor_load_4.cuh"
#include "tensor_store_2.cuh"
#include "tensor_store_3.cuh"
#include "wgmma_commit.cuh"
#include "warp_sync.cuh"
#include "wgmma_fence.cuh"
#include "wgmma_wait.cuh"
/* what others call stands before them */
#include "tensor_map.cuh"
#include "wgmma_matrix.cuh"
#endif
#include "warp_uniform.cuh"
#include "wgmma_filled.cuh" /* the patterns of wgmma for each type and size that is tested */
}
using namespace device;

enum { LANES = 32, SCRATCH_BYTES = 4 };
static const unsigned untouched = 0x5a5a5a5a;

struct Args {
    const unsigned *in;
    unsigned *out;
    int n, p;
};

struct Test {
    Args args;
    cudaStream_t stream;
};

template <class A> static int start(void (*kernel)(A), int blocks, int cluster, int threads, size_t smem_bytes, const Test &t, const A &args)
{
    return launch(kernel, dim3((unsigned)blocks), (unsigned)cluster, threads, smem_bytes, t.stream, args);
}

/* Shared memory from the next multiple of 1024 on. */
static __device__ __forceinline__ unsigned char *aligned_memory()
{
    unsigned char *p = shared_memory();
    return p + (0u - shared_address(p)) % 1024;
}

/* ---- mbarriers: a warp hands n rows of 32 words to another one, by two places that they use in turn. Words go out in reverse. */

enum { PLACES = 2 };

static __global__ void __launch_bounds__(2 * LANES) handover_kernel(const Args a)
{
    uint64_t *full = (uint64_t *)shared_memory(), *empty = full + PLACES;
    unsigned *place = (unsigned *)(empty + PLACES);
    const int lane = (int)threadIdx.x % LANES;
    if (threadIdx.x == 0) {
        for (int i = 0; i < PLACES; i++) {
            mbarrier_init(&full[i], LANES);
            mbarrier_init(&empty[i], 1);
        }
        mbarrier_init_fence();
    }
    __syncthreads();
    for (int i = 0; i < a.n; i++) {
        const int s = i % PLACES;
        const unsigned parity = (unsigned)(i / PLACES & 1);
        if (threadIdx.x < LANES) {
            mbarrier_wait(&empty[s], parity ^ 1);
            place[s * LANES + lane] = a.in[i * LANES + lane];
            mbarrier_arrive(&full[s]);
        } else {
            mbarrier_wait(&full[s], parity);
            a.out[i * LANES + lane] = place[s * LANES + LANES - 1 - lane];
            warp_sync();
            if (lane == 0)
                mbarrier_arrive(&empty[s]);
        }
    }
}
static int handover_test(const Test &t) { return start(handover_kernel, 1, 0, 2 * LANES, 1024, t, t.args); }

/* ---- named barriers: three warps; the first only arrives. Each of the others then reads what all stored. */

enum { WARPS = 3 };

static __global__ void __launch_bounds__(WARPS *LANES) named_kernel(const Args a)
{
    unsigned *place = (unsigned *)shared_memory();
    const int t = (int)threadIdx.x;
    for (int i = 0; i < a.n; i++) {
        place[i * WARPS * LANES + t] = a.in[i * WARPS * LANES + t];
        if (t < LANES) {
            barrier_arrive(1 + i, WARPS * LANES);
        } else {
            barrier_sync(1 + i, WARPS * LANES);
            a.out[i * (WARPS - 1) * LANES + t - LANES] = place[i * WARPS * LANES + warp_uniform(t / LANES - 1) * LANES + t % LANES];
        }
    }
}
static int named_test(const Test &t) { return start(named_kernel, 1, 0, WARPS * LANES, 4 * WARPS * LANES * (size_t)t.args.n, t, t.args); }

/* ---- copies of boxes by tensor maps. p: swizzle | bytes of an element << 8 | extents << 12 | where the box begins << 16; n, of a
 * load: 0, or steps from row to row | from plane to plane << 4.
 * A load's output is all of the box in shared memory; a store's the tensor, which boxes cover. */

enum { PLACES_OF_BOX = 6 };
static const int64_t tensor_extent[4] = { 2, 3, 20, 48 }; /* outermost first; the last is that of rows, of which 45 count */
static const int box_extent[4] = { 2, 2, 8, 0 };          /* the last is as long as the swizzle */
static const int box_begin[PLACES_OF_BOX][4] = { { 0, 0, 0, 0 },  { 8, 4, 1, 0 },   { 36, 16, 2, 1 },
                                                 { -4, -3, -1, 0 }, { 44, 19, 2, 1 }, { 64, 0, 0, 0 } }; /* innermost first */

struct BoxArgs {
    Args a;
    int begin[4], bytes, ok;
    CUtensorMap map;
};

static BoxArgs box_args(const Test &t, const void *tensor)
{
    BoxArgs b = { t.args, {}, 1, 0, {} };
    const int swizzle = t.args.p & 0xff, elem = t.args.p >> 8 & 15, rank = t.args.p >> 12 & 15, at = t.args.p >> 16;
    const int64_t row_step = t.args.n & 15, plane_step = t.args.n >> 4, steps[4] = { 1, plane_step, row_step, 1 };
    int64_t extent[4], stride[4], step = 1;
    int box[4];
    for (int i = rank - 1; i >= 0; i--) {
        extent[i] = i == rank - 1 ? 45 : tensor_extent[4 - rank + i];
        box[i] = i == rank - 1 ? (swizzle ? swizzle : 32) / elem : box_extent[4 - rank + i];
        b.bytes *= box[i];
        stride[i] = step;
        step *= tensor_extent[4 - rank + i];
        b.begin[i] = box_begin[at][i];
    }
    b.bytes *= elem;
    b.ok = tensor_map(&b.map, elem, tensor, rank, extent, stride, box, swizzle, t.args.n ? steps : nullptr);
    return b;
}

template <int rank> static __global__ void __launch_bounds__(LANES) load_kernel(const __grid_constant__ BoxArgs b)
{
    unsigned char *box = aligned_memory();
    uint64_t *bar = (uint64_t *)(box + b.bytes);
    for (int i = (int)threadIdx.x; i < b.bytes / 4; i += LANES)
        ((unsigned *)box)[i] = untouched;
    if (threadIdx.x == 0) {
        mbarrier_init(bar, 1);
        mbarrier_init_fence();
    }
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(bar, (unsigned)b.bytes);
        if (rank == 2)
            tensor_load_2(box, &b.map, bar, b.begin[0], b.begin[1]);
        else if (rank == 3)
            tensor_load_3(box, &b.map, bar, b.begin[0], b.begin[1], b.begin[2]);
        else
            tensor_load_4(box, &b.map, bar, b.begin[0], b.begin[1], b.begin[2], b.begin[3]);
    }
    mbarrier_wait(bar, 0);
    for (int i = (int)threadIdx.x; i < b.bytes / 4; i += LANES)
        b.a.out[i] = ((unsigned *)box)[i];
}

template <int rank> static int load(const Test &t)
{
    const BoxArgs b = box_args(t, t.args.in);
    return b.ok ? start(load_kernel<rank>, 1, 0, LANES, 1024 + (size_t)b.bytes + 8, t, b) : -1;
}
static int tensor_load_2_test(const Test &t) { return load<2>(t); }
static int tensor_load_3_test(const Test &t) { return load<3>(t); }
static int tensor_load_4_test(const Test &t) { return load<4>(t); }

/* A tensor of f32, rows of 16 words, n / 16 of them (in planes of 10 where there are three extents): boxes of 8 words by 4 rows by 2
 * planes. The input is what lies in shared memory, box by box. */
struct StoreArgs {
    Args a;
    int boxes[3], words;
    CUtensorMap map;
};

template <int rank> static __global__ void __launch_bounds__(LANES) store_kernel(const __grid_constant__ StoreArgs s)
{
    unsigned *box = (unsigned *)aligned_memory();
    for (int i = 0; i < s.boxes[0] * s.boxes[1] * s.boxes[2]; i++) {
        for (int j = (int)threadIdx.x; j < s.words; j += LANES)
            box[j] = s.a.in[i * s.words + j];
        proxy_fence();
        __syncthreads();
        if (threadIdx.x == 0) {
            const int x = i % s.boxes[0] * 8, y = i / s.boxes[0] % s.boxes[1] * 4, z = i / s.boxes[0] / s.boxes[1] * 2;
            if (rank == 2)
                tensor_store_2(&s.map, box, x, y);
            else
                tensor_store_3(&s.map, box, x, y, z);
            bulk_commit();
            bulk_wait_read<0>();
        }
        __syncthreads();
    }
}

template <int rank> static int store(const Test &t)
{
    StoreArgs s = { t.args, { 2, 3, rank == 3 ? 2 : 1 }, 8 * 4 * (rank == 3 ? 2 : 1), {} };
    const int64_t extent[3] = { 3, 10, 16 }, stride[2] = { 160, 16 };
    const int box[3] = { 2, 4, 8 };
    return tensor_map(&s.map, 4, t.args.out, rank, extent + 3 - rank, stride + 3 - rank, box + 3 - rank, t.args.p)
               ? start(store_kernel<rank>, 1, 0, LANES, 2048, t, s)
               : -1;
}
static int tensor_store_2_test(const Test &t) { return store<2>(t); }
static int tensor_store_3_test(const Test &t) { return store<3>(t); }

/* What is no tensor for a map: a base, or a stride, that is no multiple of 16 bytes, an extent of 0; a stride of 0, or any of an extent of 1, if the box
 * has one element there, is; a step of 9 is too long. */
static __global__ void __launch_bounds__(1) tell_kernel(const Args a) { a.out[0] = (unsigned)a.n; }
static int tensor_map_test(const Test &t)
{
    CUtensorMap map;
    Test told = t;
    const int64_t extent[2] = { 8, 32 }, none[2] = { 0, 32 }, stride = 32, odd = 33, far[2] = { 9, 1 };
    const int64_t planes[4] = { 7, 1, 8, 32 }, strides[3] = { 0, 33, 32 };
    const int box[2] = { 8, 32 }, flat[4] = { 1, 1, 8, 32 };
    told.args.n = tensor_map(&map, 2, t.args.in, 2, extent, &stride, box, 64) |
                  tensor_map(&map, 2, (const char *)t.args.in + 8, 2, extent, &stride, box, 64) << 1 |
                  tensor_map(&map, 2, t.args.in, 2, extent, &odd, box, 64) << 2 | tensor_map(&map, 2, t.args.in, 2, none, &stride, box, 64) << 3 |
                  tensor_map(&map, 2, t.args.in, 4, planes, strides, flat, 64) << 4 | tensor_map(&map, 2, t.args.in, 2, extent, strides, box, 64) << 5 |
                  tensor_map(&map, 2, t.args.in, 2, extent, &stride, box, 64, far) << 6;
    return start(tell_kernel, 1, 0, 1, 0, told, told.args);
}

/* ---- products of a warpgroup: A 64 x K and B N x K come in as rows of words, the sums go out as rows of N. p: swizzle | K in steps of
 * 32 bytes << 8 | add << 16 | which offset is wrong << 20 (0: none, 1: the leading one is 16 bytes, 2: 0, 3: both are exchanged).
 * The operands are stored by plain stores: it needs no copies. */

enum { GROUP = 128, ROWS = 64 };

/* Where a chunk of 16 bytes lies in an operand in shared memory: chunk c of row r of `rows`, in the order of the swizzle. */
static __device__ __forceinline__ unsigned chunk_at(int swizzle, int rows, int r, int c)
{
    const int span = swizzle ? swizzle : 16, in_span = span / 16;
    const unsigned a = (unsigned)((c / in_span * rows + r) * span + c % in_span * 16);
    return a ^ (swizzle ? a >> 3 & (unsigned)(swizzle - 16) : 0);
}

static __device__ __forceinline__ void put_operand(unsigned char *to, const unsigned *from, int swizzle, int rows, int chunks)
{
    for (int i = (int)threadIdx.x; i < rows * chunks; i += GROUP)
        *(uint4 *)(to + chunk_at(swizzle, rows, i / chunks, i % chunks)) = ((const uint4 *)from)[i];
}

/* Of rows along k: the descriptor of a step of k. */
static __device__ __forceinline__ uint64_t along_k(const unsigned char *p, int swizzle, int rows, int step, int wrong)
{
    const int span = swizzle ? swizzle : 16;
    const unsigned leading = wrong == 1 ? 16u : wrong == 2 ? 0u : (unsigned)(rows * span), stride = (unsigned)(8 * span);
    return wgmma_matrix(p + (swizzle ? step * 32 / span * rows * span + step * 32 % span : step * 2 * rows * 16), (unsigned)swizzle,
                        wrong == 3 ? stride : leading, wrong == 3 ? leading : stride);
}

/* Of rows along n, `rows` of them, one a k: 16 bits. */
static __device__ __forceinline__ uint64_t along_n(const unsigned char *p, int swizzle, int rows, int step, int wrong)
{
    const int span = swizzle ? swizzle : 16;
    unsigned leading = (unsigned)(rows * span), stride = (unsigned)(8 * span);
    if (!swizzle) {
        leading = 128;
        stride = (unsigned)(rows * 16);
    }
    return wgmma_matrix(p + step * 16 * span, (unsigned)swizzle, wrong == 3 ? stride : leading, wrong == 3 ? leading : stride);
}

template <class Product> static __global__ void __launch_bounds__(GROUP) product_kernel(const Args a)
{
    constexpr int N = Product::N, es = Product::BYTES, form = Product::FORM;
    const int swizzle = a.p & 0xff, steps = a.p >> 8 & 0xff, wrong = a.p >> 20, k = steps * 32 / es, t = (int)threadIdx.x;
    unsigned char *left = aligned_memory(), *right = left + ROWS * steps * 32;
    const unsigned *b = a.in + ROWS * steps * 8;
    float d[N / 2];
    put_operand(left, a.in, swizzle, ROWS, steps * 2);
    put_operand(right, b, swizzle, form == 1 ? k : N, form == 1 ? N * es / 16 : steps * 2);
    for (int i = 0; i < N / 2; i++)
        d[i] = 1;
    proxy_fence();
    __syncthreads();
    wgmma_fence();
    for (int step = 0; step < steps; step++) {
        const int add = step > 0 || (a.p >> 16 & 1);
        const uint64_t of_b = form == 1 ? along_n(right, swizzle, k, step, wrong) : along_k(right, swizzle, N, step, wrong);
        if constexpr (form == 2) {
            unsigned r[4];
            for (int i = 0; i < 4; i++) { /* the words of the thread's fragment: a word is 4 bytes of k */
                const int row = t / 32 * 16 + t % 32 / 4 + 8 * (i % 2), word = t % 4 + 4 * (i / 2);
                r[i] = a.in[row * steps * 8 + step * 8 + word];
            }
            wgmma_fence();
            Product::run(d, r, of_b, add);
            wgmma_commit();
            wgmma_wait<0>();
        } else {
            Product::run(d, along_k(left, swizzle, ROWS, step, wrong), of_b, add);
        }
    }
    wgmma_commit();
    wgmma_wait<0>();
    for (int i = 0; i < N / 2; i++)
        a.out[(16 * (t / 32) + t % 32 / 4 + 8 * (i / 2 % 2)) * N + 8 * (i / 4) + 2 * (t % 4) + i % 2] = __float_as_uint(d[i]);
}

template <class Product> static int product(const Test &t)
{
    return start(product_kernel<Product>, 1, 0, GROUP, 1024 + (size_t)((ROWS + Product::N) * (t.args.p >> 8 & 0xff) * 32), t, t.args);
}

/* A row a product that is tested: its struct, then its test. */
#define PRODUCT(type, form, form_number, bytes, n, left)                                                                              \
    struct type##form##n {                                                                                                            \
        enum { N = n, BYTES = bytes, FORM = form_number };                                                                            \
        static __device__ __forceinline__ void run(float (&d)[n / 2], left, uint64_t b, int add) { type##_wgmma##form##_##n(d, a, b, add); } \
    };                                                                                                                                \
    static int type##form##_##n##_test(const Test &t) { return product<type##form##n>(t); }
#define ALONG(type, bytes, n) PRODUCT(type, , 0, bytes, n, uint64_t a)
#define ACROSS(type, bytes, n) PRODUCT(type, _kn, 1, bytes, n, uint64_t a)
#define FRAGMENTS(type, bytes, n) PRODUCT(type, _regs, 2, bytes, n, const unsigned(&a)[4])
#include "products.h" /* what hopper.py asks for, of these */

/* ---- all of it: a producer copies both operands by maps to a ring of stages, a warpgroup multiplies them. A 64 x K, B 16 x K, bf16; n: K in
 * blocks of 64, p: stages. */

enum { RING_N = 16, BLOCK_ROW = 128, STAGE = (ROWS + RING_N) * BLOCK_ROW, MAX_STAGES = 7 };

struct RingArgs {
    Args a;
    CUtensorMap left, right;
};

static __global__ void __launch_bounds__(2 * GROUP, 1) ring_kernel(const __grid_constant__ RingArgs r)
{
    unsigned char *stages = aligned_memory();
    uint64_t *full = (uint64_t *)(stages + r.a.p * STAGE), *empty = full + MAX_STAGES;
    const int t = (int)threadIdx.x;
    if (t == 0) {
        for (int i = 0; i < r.a.p; i++) {
            mbarrier_init(&full[i], 1);
            mbarrier_init(&empty[i], 1);
        }
        mbarrier_init_fence();
    }
    __syncthreads();
    int s = 0;
    unsigned parity = 0;
    if (warp_uniform(t / GROUP) == 0) {
        registers_less<40>();
        for (int k = 0; t == 0 && k < r.a.n; k++) {
            unsigned char *stage = stages + s * STAGE;
            mbarrier_wait(&empty[s], parity ^ 1);
            mbarrier_arrive_expect(&full[s], STAGE);
            tensor_load_2(stage, &r.left, &full[s], k * 64, 0);
            tensor_load_2(stage + ROWS * BLOCK_ROW, &r.right, &full[s], k * 64, 0);
            if (++s == r.a.p)
                s = 0, parity ^= 1;
        }
    } else {
        registers_more<232>();
        float d[RING_N / 2] = {};
        int last = -1;
        for (int k = 0; k < r.a.n; k++) {
            const unsigned char *stage = stages + s * STAGE;
            mbarrier_wait(&full[s], parity);
            wgmma_fence();
#pragma unroll
            for (int step = 0; step < 4; step++)
                bf16_wgmma_16(d, along_k(stage, 128, ROWS, step, 0), along_k(stage + ROWS * BLOCK_ROW, 128, RING_N, step, 0), 1);
            wgmma_commit();
            wgmma_wait<1>();
            if (t == GROUP && last >= 0)
                mbarrier_arrive(&empty[last]);
            last = s;
            if (++s == r.a.p)
                s = 0, parity ^= 1;
        }
        wgmma_wait<0>();
        for (int i = 0; i < RING_N / 2; i++)
            r.a.out[(16 * (t % GROUP / 32) + t % 32 / 4 + 8 * (i / 2 % 2)) * RING_N + 8 * (i / 4) + 2 * (t % 4) + i % 2] = __float_as_uint(d[i]);
    }
}

static int ring_test(const Test &t)
{
    RingArgs r = { t.args, {}, {} };
    const int64_t k = t.args.n * 64, left[2] = { ROWS, k }, right[2] = { RING_N, k };
    const int left_box[2] = { ROWS, 64 }, right_box[2] = { RING_N, 64 };
    return tensor_map(&r.left, 2, t.args.in, 2, left, &k, left_box, 128) &&
                   tensor_map(&r.right, 2, t.args.in + ROWS * k / 2, 2, right, &k, right_box, 128)
               ? start(ring_kernel, 1, 0, 2 * GROUP, 1024 + (size_t)(t.args.p * STAGE) + 16 * MAX_STAGES, t, r)
               : -1;
}

/* ---- clusters of 4 blocks: each block leaves 128 words, and sends out those of the next one. */

enum { CLUSTER = 4 };

static __global__ void __launch_bounds__(LANES) cluster_kernel(const Args a)
{
    float4 *own = (float4 *)shared_memory() + threadIdx.x;
    const unsigned rank = cluster_rank();
    *own = ((const float4 *)a.in)[blockIdx.x * LANES + threadIdx.x];
    cluster_arrive();
    cluster_wait();
    ((float4 *)a.out)[blockIdx.x * LANES + threadIdx.x] = cluster_load16(own, (rank + 1) % CLUSTER);
    cluster_arrive();
    cluster_wait();
}
static int cluster_test(const Test &t) { return start(cluster_kernel, t.args.n, CLUSTER, LANES, 16 * LANES, t, t.args); }

/* ---- */

static int (*const tests[])(const Test &t) = {
    handover_test,
    named_test,
    tensor_map_test,
    tensor_load_2_test,
    tensor_load_3_test,
    tensor_load_4_test,
    tensor_store_2_test,
    tensor_store_3_test,
    ring_test,
    cluster_test,
#include "product_tests.h"
};

extern "C" int64_t dcgen_scratch(const int64_t *, int64_t) { return SCRATCH_BYTES; }
extern "C" int64_t dcgen_counters(const int64_t *) { return 4; }

extern "C" int dcgen_launch(const int64_t *extent, void *const *operand, void *, void *, void *stream)
{
    const Test t = { { (const unsigned *)operand[0], (unsigned *)operand[1], (int)extent[1], (int)extent[2] }, (cudaStream_t)stream };
    if (extent[0] < 0 || extent[0] >= (int64_t)(sizeof tests / sizeof *tests))
        return -1;
    return tests[extent[0]](t);
}
