/* SPDX-License-Identifier: Apache-2.0
 *
 * primitives: a microtest for each function of templates/device. Each reads words and writes words; primitives.py makes
 * the input and knows what the output must be. nvcc compiles this for a GPU; the host's C++ compiler compiles it for the
 * emulator, which has functions of its own by the same names. A runner calls dcgen_launch (search/runner/abi.h) with
 *
 *   extent[0]   which test: the place of its name in the table at the end
 *   extent[1]   n, most often how many results there are
 *   extent[2]   p, one more number
 *   operand     { in, out }, words
 *   scratch     anything before; counters: zero before, and zero again
 */
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef DCGEN_EMULATOR
#include <time.h>
#endif

namespace device { /* in a namespace, as in packages: CUDA has min and max of its own */
#ifdef DCGEN_EMULATOR
#include "device.h"
#else
#include "atomic_add_acq_rel.cuh"
#include "bf16_of.cuh"
#include "bf16_to_float.cuh"
#include "cp_async16.cuh"
#include "cp_async4.cuh"
#include "cp_async8.cuh"
#include "cp_commit.cuh"
#include "cp_wait.cuh"
#include "ex2.cuh"
#include "f16_of.cuh"
#include "f16_to_float.cuh"
#include "f32_of.cuh"
#include "f32_to_float.cuh"
#include "launch.cuh"
#include "ldmatrix_x2.cuh"
#include "ldmatrix_x2_trans.cuh"
#include "ldmatrix_x4.cuh"
#include "ldmatrix_x4_trans.cuh"
#include "load_l2.cuh"
#include "load_l2_16.cuh"
#include "load_once16.cuh"
#include "load_row.cuh"
#include "greater.cuh"
#include "lesser.cuh"
#include "bf16_mma.cuh"
#include "f16_mma.cuh"
#include "tf32_mma.cuh"
#include "quarter_wave.cuh"
#include "rcp.cuh"
#include "round_bf16.cuh"
#include "round_f16.cuh"
#include "shared_address.cuh"
#include "shared_memory.cuh"
#include "shfl_down.cuh"
#include "shfl_xor.cuh"
#include "store_row.cuh"
#include "tf32_of.cuh"
#include "tf32_split.cuh"
/* what others call stands before them */
#include "gelu.cuh"
#include "gelu_tanh.cuh"
#include "cosine.cuh"
#include "sigmoid.cuh"
#include "silu.cuh"
#include "sine.cuh"
#include "tf32x3_mma.cuh"
#endif
}
using namespace device;

enum { LANES = 32, SCRATCH_BYTES = 1 << 18 };

struct Args {
    const unsigned *in;
    unsigned *out, *scratch, *counters;
    int n, p;
};

struct Test {
    Args args;
    cudaStream_t stream;
};

static int start(void (*kernel)(Args), int blocks, int threads, size_t smem_bytes, const Test &t)
{
    return launch(kernel, dim3((unsigned)blocks), 0, threads, smem_bytes, t.stream, t.args);
}

/* ---- one word of each word: conversions, loads */

template <typename One> static __global__ void each_kernel(Args a)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < a.n)
        One::run(a, i);
}

template <typename One> static int each(const Test &t)
{
    enum { THREADS = 128 };
    return start(each_kernel<One>, (t.args.n + THREADS - 1) / THREADS, THREADS, 0, t);
}

struct Bf16Of {
    static __device__ void run(const Args &a, int i) { a.out[i] = bf16_of(__uint_as_float(a.in[i])); }
};
static int bf16_of_test(const Test &t) { return each<Bf16Of>(t); }

struct F16Of {
    static __device__ void run(const Args &a, int i) { a.out[i] = f16_of(__uint_as_float(a.in[i])); }
};
static int f16_of_test(const Test &t) { return each<F16Of>(t); }

struct Tf32Of {
    static __device__ void run(const Args &a, int i) { a.out[i] = tf32_of(__uint_as_float(a.in[i])); }
};
static int tf32_of_test(const Test &t) { return each<Tf32Of>(t); }

/* Two words of each. */
struct Tf32Split {
    static __device__ void run(const Args &a, int i)
    {
        unsigned high, low;
        tf32_split(a.in[i], high, low);
        a.out[2 * i] = high, a.out[2 * i + 1] = low;
    }
};
static int tf32_split_test(const Test &t) { return each<Tf32Split>(t); }

struct Bf16ToFloat {
    static __device__ void run(const Args &a, int i)
    {
        a.out[i] = __float_as_uint(bf16_to_float((unsigned short)a.in[i]));
    }
};
static int bf16_to_float_test(const Test &t) { return each<Bf16ToFloat>(t); }

struct F16ToFloat {
    static __device__ void run(const Args &a, int i)
    {
        a.out[i] = __float_as_uint(f16_to_float((unsigned short)a.in[i]));
    }
};
static int f16_to_float_test(const Test &t) { return each<F16ToFloat>(t); }

struct F32Of {
    static __device__ void run(const Args &a, int i) { a.out[i] = __float_as_uint(f32_of(__uint_as_float(a.in[i]))); }
};
static int f32_of_test(const Test &t) { return each<F32Of>(t); }

struct F32ToFloat {
    static __device__ void run(const Args &a, int i)
    {
        a.out[i] = __float_as_uint(f32_to_float(__uint_as_float(a.in[i])));
    }
};
static int f32_to_float_test(const Test &t) { return each<F32ToFloat>(t); }

/* Functions of one number, and of two. */
template <float (*f)(float)> struct Of {
    static __device__ void run(const Args &a, int i) { a.out[i] = __float_as_uint(f(__uint_as_float(a.in[i]))); }
};
template <float (*f)(float, float)> struct OfTwo {
    static __device__ void run(const Args &a, int i)
    {
        a.out[i] = __float_as_uint(f(__uint_as_float(a.in[2 * i]), __uint_as_float(a.in[2 * i + 1])));
    }
};
static int ex2_test(const Test &t) { return each<Of<ex2>>(t); }
static int gelu_test(const Test &t) { return each<Of<gelu>>(t); }
static int gelu_tanh_test(const Test &t) { return each<Of<gelu_tanh>>(t); }
static int greater_test(const Test &t) { return each<OfTwo<device::greater>>(t); }
static int lesser_test(const Test &t) { return each<OfTwo<device::lesser>>(t); }
static int rcp_test(const Test &t) { return each<Of<rcp>>(t); }
static int round_bf16_test(const Test &t) { return each<Of<round_bf16>>(t); }
static int round_f16_test(const Test &t) { return each<Of<round_f16>>(t); }
static int sigmoid_test(const Test &t) { return each<Of<sigmoid>>(t); }
static int silu_test(const Test &t) { return each<Of<silu>>(t); }
static int sine_test(const Test &t) { return each<Of<sine>>(t); }
static int cosine_test(const Test &t) { return each<Of<cosine>>(t); }
static __device__ float three_quarters_on(float x) { return quarter_wave(fabsf(x), 3); }
static int quarter_wave_test(const Test &t) { return each<Of<three_quarters_on>>(t); }

/* The first n words of the input say which of the words behind them are wanted. */
struct LoadL2 {
    static __device__ void run(const Args &a, int i)
    {
        a.out[i] = __float_as_uint(load_l2((const float *)a.in + a.n + a.in[i]));
    }
};
static int load_l2_test(const Test &t) { return each<LoadL2>(t); }

struct LoadL2x4 {
    static __device__ void run(const Args &a, int i)
    {
        const float4 v = load_l2_16((const float *)a.in + a.n + a.in[i]);
        a.out[4 * i] = __float_as_uint(v.x), a.out[4 * i + 1] = __float_as_uint(v.y);
        a.out[4 * i + 2] = __float_as_uint(v.z), a.out[4 * i + 3] = __float_as_uint(v.w);
    }
};
static int load_l2_16_test(const Test &t) { return each<LoadL2x4>(t); }

struct LoadOncex4 {
    static __device__ void run(const Args &a, int i)
    {
        const uint4 v = load_once16(a.in + a.n + a.in[i]);
        a.out[4 * i] = v.x, a.out[4 * i + 1] = v.y, a.out[4 * i + 2] = v.z, a.out[4 * i + 3] = v.w;
    }
};
static int load_once16_test(const Test &t) { return each<LoadOncex4>(t); }

/* Of each element type a number of neighbours in one load, in one of half that, and alone. */
enum { ROW_WORDS = 12 };
struct LoadRow {
    static __device__ void run(const Args &a, int i)
    {
        const unsigned *from = a.in + a.n + a.in[i];
        unsigned *to = a.out + ROW_WORDS * i;
        float four[4], two[2];
        int one[1];
        unsigned short eight[8], pair[2];
        load_row(four, (const float *)from);
        load_row(two, (const float *)from + 2);
        load_row(one, (const int *)from + 3);
        load_row(eight, (const unsigned short *)from);
        load_row(pair, (const unsigned short *)from + 2);
        for (int k = 0; k < 4; k++)
            to[k] = __float_as_uint(four[k]), to[6 + k] = eight[2 * k] | (unsigned)eight[2 * k + 1] << 16;
        to[4] = __float_as_uint(two[0]), to[5] = __float_as_uint(two[1]);
        to[10] = (unsigned)one[0], to[11] = pair[0] | (unsigned)pair[1] << 16;
    }
};
static int load_row_test(const Test &t) { return each<LoadRow>(t); }

/* The same, stored: the first n words say where the values of each thread are in the input, of which there are as many as it stores. */
struct StoreRow {
    static __device__ void run(const Args &a, int i)
    {
        const unsigned *from = a.in + a.n + a.in[i];
        unsigned *to = a.out + ROW_WORDS * i;
        float four[4];
        int two[2], one[1] = { (int)from[10] };
        unsigned short eight[8], pair[2] = { (unsigned short)from[11], (unsigned short)(from[11] >> 16) };
        for (int k = 0; k < 4; k++) {
            four[k] = __uint_as_float(from[k]);
            eight[2 * k] = (unsigned short)from[4 + k], eight[2 * k + 1] = (unsigned short)(from[4 + k] >> 16);
        }
        two[0] = (int)from[8], two[1] = (int)from[9];
        store_row((float *)to, four);
        store_row((unsigned short *)(to + 4), eight);
        store_row((int *)to + 8, two);
        store_row((int *)to + 10, one);
        store_row((unsigned short *)(to + 11), pair);
    }
};
static int store_row_test(const Test &t) { return each<StoreRow>(t); }

/* ---- shuffles: by 0..31 for all lanes, then by another number for each lane */

enum { SHUFFLES = LANES + 1, SHUFFLE_THREADS = 2 * LANES };

template <bool down> static __global__ void shuffle_kernel(Args a)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), own = (int)threadIdx.x * 5 % LANES;
    const float v = __uint_as_float(a.in[i]);
    for (int d = 0; d < SHUFFLES; d++) {
        const int by = d < LANES ? d : own;
        a.out[d * a.n + i] = __float_as_uint(down ? shfl_down(v, by) : shfl_xor(v, by));
    }
}

static int shfl_xor_test(const Test &t)
{
    return start(shuffle_kernel<false>, t.args.n / SHUFFLE_THREADS, SHUFFLE_THREADS, 0, t);
}
static int shfl_down_test(const Test &t)
{
    return start(shuffle_kernel<true>, t.args.n / SHUFFLE_THREADS, SHUFFLE_THREADS, 0, t);
}

/* ---- matrices. n warps, each a block of its own with an input of its own: where its lanes point to, and the shared memory. */

enum { IMAGE_WORDS = 512 };

struct X2 {
    enum { COUNT = 2 };
    static __device__ void load(unsigned (&r)[2], const void *row) { ldmatrix_x2(r, row); }
};
struct X2Trans {
    enum { COUNT = 2 };
    static __device__ void load(unsigned (&r)[2], const void *row) { ldmatrix_x2_trans(r, row); }
};
struct X4 {
    enum { COUNT = 4 };
    static __device__ void load(unsigned (&r)[4], const void *row) { ldmatrix_x4(r, row); }
};
struct X4Trans {
    enum { COUNT = 4 };
    static __device__ void load(unsigned (&r)[4], const void *row) { ldmatrix_x4_trans(r, row); }
};

template <typename Load> static __global__ void ldmatrix_kernel(Args a)
{
    const int lane = (int)threadIdx.x;
    const unsigned *in = a.in + blockIdx.x * (LANES + IMAGE_WORDS);
    unsigned *image = (unsigned *)shared_memory(), r[Load::COUNT];
    for (int i = lane; i < IMAGE_WORDS; i += LANES)
        image[i] = in[LANES + i];
    __syncthreads();
    Load::load(r, shared_memory() + in[lane]);
    for (int i = 0; i < Load::COUNT; i++)
        a.out[((int)blockIdx.x * LANES + lane) * Load::COUNT + i] = r[i];
}

template <typename Load> static int ldmatrix(const Test &t)
{
    return start(ldmatrix_kernel<Load>, t.args.n, LANES, 4 * IMAGE_WORDS, t);
}
static int ldmatrix_x2_test(const Test &t) { return ldmatrix<X2>(t); }
static int ldmatrix_x2_trans_test(const Test &t) { return ldmatrix<X2Trans>(t); }
static int ldmatrix_x4_test(const Test &t) { return ldmatrix<X4>(t); }
static int ldmatrix_x4_trans_test(const Test &t) { return ldmatrix<X4Trans>(t); }

/* n warps; of each lane 4 words of a, 2 of b, 4 of d come in, and 4 of d go out. */
struct Bf16 {
    static __device__ void run(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) { bf16_mma(d, a, b); }
};
struct F16 {
    static __device__ void run(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) { f16_mma(d, a, b); }
};
struct Tf32 {
    static __device__ void run(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) { tf32_mma(d, a, b); }
};
struct Tf32x3 {
    static __device__ void run(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) { tf32x3_mma(d, a, b); }
};

template <typename Mma> static __global__ void mma_kernel(Args args)
{
    const int i = (int)(blockIdx.x * LANES + threadIdx.x);
    const unsigned *in = args.in + 10 * i, a[4] = { in[0], in[1], in[2], in[3] }, b[2] = { in[4], in[5] };
    float d[4] = { __uint_as_float(in[6]), __uint_as_float(in[7]), __uint_as_float(in[8]), __uint_as_float(in[9]) };
    Mma::run(d, a, b);
    for (int r = 0; r < 4; r++)
        args.out[4 * i + r] = __float_as_uint(d[r]);
}
static int bf16_mma_test(const Test &t) { return start(mma_kernel<Bf16>, t.args.n, LANES, 0, t); }
static int f16_mma_test(const Test &t) { return start(mma_kernel<F16>, t.args.n, LANES, 0, t); }
static int tf32_mma_test(const Test &t) { return start(mma_kernel<Tf32>, t.args.n, LANES, 0, t); }
static int tf32x3_mma_test(const Test &t) { return start(mma_kernel<Tf32x3>, t.args.n, LANES, 0, t); }

/* ---- asynchronous copies. n copies of 16, 8 or 4 bytes, COPIES a block, into as many of SLOTS slots; the output is all
 * slots of all blocks. Each copy is three words: its bytes; its source, in bytes behind word p of the input, or NOWHERE,
 * an address that nobody may touch; its slot. */

enum { COPIES = 64, SLOTS = 128 };
static const unsigned nowhere = 0xffffffff, untouched = 0x5a5a5a5a;

struct Copy16 {
    enum { BYTES = 16 };
    static __device__ void copy(void *to, const void *from, int bytes) { cp_async16(to, from, bytes); }
};
struct Copy8 {
    enum { BYTES = 8 };
    static __device__ void copy(void *to, const void *from, int bytes) { cp_async8(to, from, bytes); }
};
struct Copy4 {
    enum { BYTES = 4 };
    static __device__ void copy(void *to, const void *from, int bytes) { cp_async4(to, from, bytes); }
};

template <typename Copy> static __global__ void cp_async_kernel(Args a)
{
    enum { WORDS = SLOTS * Copy::BYTES / 4 };
    const int t = (int)threadIdx.x;
    const unsigned *in = a.in + 3 * (blockIdx.x * COPIES + threadIdx.x);
    const char *data = (const char *)(a.in + a.p);
    unsigned *slots = (unsigned *)shared_memory();
    for (int i = t; i < WORDS; i += COPIES)
        slots[i] = untouched;
    __syncthreads();
    Copy::copy((char *)slots + in[2] * Copy::BYTES, in[1] == nowhere ? data + ((int64_t)1 << 40) : data + in[1],
               (int)in[0]);
    cp_commit();
    cp_wait<0>();
    __syncthreads();
    for (int i = t; i < WORDS; i += COPIES)
        a.out[(int)blockIdx.x * WORDS + i] = slots[i];
}

template <typename Copy> static int cp_async(const Test &t)
{
    return start(cp_async_kernel<Copy>, t.args.n / COPIES, COPIES, SLOTS * Copy::BYTES, t);
}
static int cp_async16_test(const Test &t) { return cp_async<Copy16>(t); }
static int cp_async8_test(const Test &t) { return cp_async<Copy8>(t); }
static int cp_async4_test(const Test &t) { return cp_async<Copy4>(t); }

/* ---- groups of copies. n blocks; each thread makes GROUPS groups of a copy of 16 bytes each, or of none where bit g of
 * p is set. It waits for all but the last `left` groups and reads what these brought, then it waits for all. */

enum { GROUPS = 6, GROUP_THREADS = 128 };

template <int left> static __global__ void groups_kernel(Args a)
{
    const int t = (int)threadIdx.x;
    const unsigned *in = a.in + blockIdx.x * (4 * GROUPS * GROUP_THREADS);
    unsigned *slots = (unsigned *)shared_memory(), *out = a.out + blockIdx.x * (4 * GROUPS * GROUP_THREADS);
    for (int g = 0; g < GROUPS; g++)
        for (int i = 0; i < 4; i++)
            slots[4 * (g * GROUP_THREADS + t) + i] = untouched;
    for (int g = 0; g < GROUPS; g++) {
        if (!(a.p >> g & 1))
            cp_async16(slots + 4 * (g * GROUP_THREADS + t), in + 4 * (g * GROUP_THREADS + t), 16);
        cp_commit();
    }
    cp_wait<left>();
    for (int g = 0; g < GROUPS; g++) {
        if (g == GROUPS - left)
            cp_wait<0>();
        for (int i = 0; i < 4; i++)
            out[4 * (g * GROUP_THREADS + t) + i] = slots[4 * (g * GROUP_THREADS + t) + i];
    }
}

static int groups(void (*kernel)(Args), const Test &t)
{
    return start(kernel, t.args.n, GROUP_THREADS, 16 * GROUPS * GROUP_THREADS, t);
}
static int cp_commit_test(const Test &t) { return groups(groups_kernel<2>, t); }

static int cp_wait_test(const Test &t)
{
    static void (*const kernel[])(Args) = { groups_kernel<0>, groups_kernel<1>, groups_kernel<2>,
                                            groups_kernel<3>, groups_kernel<4>, groups_kernel<5> };
    return groups(kernel[t.args.p >> GROUPS], t);
}

/* ---- counters and what other blocks wrote. */

enum { TICKET, SUM = 1, SUMS = 8, COUNTERS = 16, PART_THREADS = 128 }; /* words of the counters */

/* n threads. Each adds its word to one of the sums, and takes a ticket, of which there must be one each. Who has the last
 * one tells the sums and leaves zeros. */
static __global__ void sums_kernel(Args a)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    atomic_add_acq_rel(&a.counters[SUM + i % SUMS], a.in[i]);
    const unsigned ticket = atomic_add_acq_rel(&a.counters[TICKET], 1);
    a.out[SUMS + ticket] = 1;
    if ((int)ticket < a.n - 1)
        return;
    for (int s = 0; s < SUMS; s++) {
        const unsigned sum = atomic_add_acq_rel(&a.counters[SUM + s], 0);
        a.out[s] = sum;
        atomic_add_acq_rel(&a.counters[SUM + s], 0 - sum);
    }
    atomic_add_acq_rel(&a.counters[TICKET], 0 - (ticket + 1));
}

/* n blocks leave a part each; the last one adds all up, element by element. So do kernels that split K. */
static __global__ void parts_kernel(Args a)
{
    const int t = (int)threadIdx.x;
    unsigned *flag = (unsigned *)shared_memory();
    float *parts = (float *)a.scratch;
    parts[blockIdx.x * PART_THREADS + threadIdx.x] = __uint_as_float(a.in[blockIdx.x * PART_THREADS + threadIdx.x]);
    __syncthreads();
    if (t == 0)
        *flag = atomic_add_acq_rel(&a.counters[TICKET], 1);
    __syncthreads();
    if (*flag != gridDim.x - 1)
        return;
    unsigned sum = 0;
    for (int b = 0; b < (int)gridDim.x; b++)
        sum += __float_as_uint(load_l2(&parts[b * PART_THREADS + t]));
    a.out[a.p * PART_THREADS + t] = sum;
    if (t == 0)
        a.counters[TICKET] = 0;
}

/* p = 0: sums. Else parts, p times on the same memory, with another input each time. */
static int atomic_add_acq_rel_test(const Test &t)
{
    Test one = t;
    int code = t.args.p ? 0 : start(sums_kernel, t.args.n / 64, 64, 0, t);
    for (one.args.p = 0; one.args.p < t.args.p && code == 0; one.args.p++) {
        code = start(parts_kernel, t.args.n, PART_THREADS, 16, one);
        one.args.in += t.args.n * PART_THREADS;
    }
    return code;
}

/* ---- shared memory */

/* The half word at an address of the shared window. */
static __device__ unsigned half_at(unsigned address, const unsigned short *same)
{
#ifdef DCGEN_EMULATOR
    (void)address;
    return *same;
#else
    unsigned short v;
    (void)same;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(address) : "memory");
    return v;
#endif
}

/* Of n half words: how far they are from the first one, and what is found there. At last the first one's alignment. */
static __global__ void shared_address_kernel(Args a)
{
    unsigned short *first = (unsigned short *)shared_memory();
    for (int i = (int)threadIdx.x; i < a.n; i += (int)blockDim.x)
        first[i] = (unsigned short)a.in[i];
    __syncthreads();
    for (int i = (int)threadIdx.x; i < a.n; i += (int)blockDim.x) {
        a.out[i] = shared_address(first + i) - shared_address(first);
        a.out[a.n + i] = half_at(shared_address(first + i), first + i);
    }
    if (threadIdx.x == 0)
        a.out[2 * a.n] = shared_address(first) % 128;
}
static int shared_address_test(const Test &t) { return start(shared_address_kernel, 1, 64, 2 * (size_t)t.args.n, t); }

/* p blocks, each with n words of its own: all are written, then read by others. */
static __global__ void shared_memory_kernel(Args a)
{
    unsigned *words = (unsigned *)shared_memory();
    for (int i = (int)threadIdx.x; i < a.n; i += (int)blockDim.x)
        words[i] = a.in[i] + blockIdx.x;
    __syncthreads();
    for (int i = (int)threadIdx.x; i < a.n; i += (int)blockDim.x)
        a.out[(int)blockIdx.x * a.n + i] = words[a.n - 1 - i];
}
static int shared_memory_test(const Test &t)
{
    return start(shared_memory_kernel, t.args.p, 96, 4 * (size_t)t.args.n, t);
}

/* ---- launch: p says what of it */

enum { GRID_X = 3, GRID_Y = 5, GRID_Z = 7, GRID_THREADS = 96, LARGE = 900 };

static __global__ void grid_kernel(Args a)
{
    const unsigned block = (blockIdx.z * GRID_Y + blockIdx.y) * GRID_X + blockIdx.x;
    a.out[block * GRID_THREADS + threadIdx.x] = blockIdx.x | blockIdx.y << 4 | blockIdx.z << 8 | threadIdx.x << 12 |
                                                (unsigned)(gridDim.x == GRID_X && gridDim.y == GRID_Y) << 30 |
                                                (unsigned)(gridDim.z == GRID_Z && blockDim.x == GRID_THREADS) << 31;
}

/* n bytes of shared memory: its first and its last word. */
static __global__ void smem_kernel(Args a)
{
    unsigned *words = (unsigned *)shared_memory();
    const int last = a.n / 4 - 1;
    if (threadIdx.x == 0)
        words[0] = a.in[0];
    if (threadIdx.x == 1)
        words[last] = a.in[1];
    __syncthreads();
    if (threadIdx.x < 2)
        a.out[threadIdx.x] = words[threadIdx.x ? 0 : last];
}

static __global__ void tell_kernel(Args a) { a.out[0] = (unsigned)a.n; }

/* More shared memory than there is: the start's own error, which the next start does not have. */
static int refusal(const Test &t)
{
    Test next = t;
    next.args.n = start(smem_kernel, 1, LANES, (size_t)t.args.n, t);
    const int code = start(tell_kernel, 1, 1, 0, next);
    cudaGetLastError();
    return code;
}

struct LargeArgs {
    unsigned *out, word[LARGE];
};
static __global__ void large_kernel(LargeArgs a)
{
    for (int i = (int)threadIdx.x; i < LARGE; i += (int)blockDim.x)
        a.out[i] = a.word[i];
}
static int large(const Test &t)
{
    LargeArgs a = { t.args.out, {} };
    for (int i = 0; i < LARGE; i++)
        a.word[i] = (unsigned)i * 2654435761u;
    return launch(large_kernel, dim3(1), 0, 64, 0, t.stream, a);
}

#ifdef DCGEN_EMULATOR
/* It executes one block after the other, and no driver is asked. */
static int residents(const Test &t, int)
{
    Test none = t;
    none.args.n = 0;
    return start(tell_kernel, 1, 1, 0, none);
}
static int attribute_cost(const Test &t) { return residents(t, 0); }
#else
enum { LATE = 1 };

/* Each block waits until all are there, 50 ms at most. */
static __global__ void resident_kernel(Args a)
{
    const long long begin = clock64();
    if (threadIdx.x > 0)
        return;
    atomic_add_acq_rel(&a.counters[TICKET], 1);
    while (*(volatile unsigned *)&a.counters[TICKET] < gridDim.x)
        if (clock64() - begin > 100000000) {
            atomic_add_acq_rel(&a.counters[LATE], 1);
            return;
        }
}

static __global__ void late_kernel(Args a)
{
    a.out[0] = a.counters[LATE];
    a.counters[LATE] = a.counters[TICKET] = 0;
}

/* As many blocks of n bytes as all SMs hold when each holds so many: how many came too late, because the L1 cache had kept
 * what shared memory needs. */
static int residents(const Test &t, int each)
{
    int device, sms;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
        return -1;
    const int code = start(resident_kernel, sms * each, LANES, (size_t)t.args.n, t);
    return code ? code : start(late_kernel, 1, 1, 0, t);
}

static int64_t now_ns()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The ns that launch spends on allowing more than 48 KiB. */
static int attribute_cost(const Test &t)
{
    enum { TIMES = 1000 };
    Test told = t;
    const int64_t begin = now_ns();
    for (int i = 0; i < TIMES; i++)
        cudaFuncSetAttribute((const void *)smem_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    told.args.n = (int)((now_ns() - begin) / TIMES);
    return start(tell_kernel, 1, 1, 0, told);
}
#endif

static int launch_test(const Test &t)
{
    enum { GRID_CASE, SMEM_CASE, REFUSAL_CASE, LARGE_CASE, COST_CASE, RESIDENT_CASE };
    switch (t.args.p) {
    case GRID_CASE: return launch(grid_kernel, dim3(GRID_X, GRID_Y, GRID_Z), 0, GRID_THREADS, 0, t.stream, t.args);
    case SMEM_CASE: return start(smem_kernel, 1, LANES, (size_t)t.args.n, t);
    case REFUSAL_CASE: return refusal(t);
    case LARGE_CASE: return large(t);
    case COST_CASE: return attribute_cost(t);
    default: return residents(t, t.args.p - RESIDENT_CASE);
    }
}

/* ---- */

static int (*const tests[])(const Test &t) = {
    atomic_add_acq_rel_test,
    bf16_of_test,
    bf16_to_float_test,
    cp_async16_test,
    cp_async4_test,
    cp_async8_test,
    cp_commit_test,
    cp_wait_test,
    ex2_test,
    f16_of_test,
    f16_to_float_test,
    f32_of_test,
    f32_to_float_test,
    gelu_test,
    gelu_tanh_test,
    launch_test,
    ldmatrix_x2_test,
    ldmatrix_x2_trans_test,
    ldmatrix_x4_test,
    ldmatrix_x4_trans_test,
    load_l2_test,
    load_l2_16_test,
    load_once16_test,
    load_row_test,
    greater_test,
    lesser_test,
    bf16_mma_test,
    f16_mma_test,
    tf32_mma_test,
    rcp_test,
    round_bf16_test,
    round_f16_test,
    shared_address_test,
    shared_memory_test,
    shfl_down_test,
    shfl_xor_test,
    sigmoid_test,
    silu_test,
    sine_test,
    cosine_test,
    quarter_wave_test,
    store_row_test,
    tf32_of_test,
    tf32_split_test,
    tf32x3_mma_test,
};

extern "C" int64_t dcgen_scratch(const int64_t *, int64_t) { return SCRATCH_BYTES; }
extern "C" int64_t dcgen_counters(const int64_t *) { return COUNTERS * 4; }

extern "C" int dcgen_launch(const int64_t *extent, void *const *operand, void *scratch, void *counters, void *stream)
{
    const Test t = { { (const unsigned *)operand[0], (unsigned *)operand[1], (unsigned *)scratch, (unsigned *)counters, (int)extent[1],
                       (int)extent[2] },
                     (cudaStream_t)stream };
    if (extent[0] < 0 || extent[0] >= (int64_t)(sizeof tests / sizeof *tests))
        return -1;
    return tests[extent[0]](t);
}
