/* SPDX-License-Identifier: MIT-0
 *
 * The primitives of templates/device/ as the emulator has them, same names and signatures. `line` is the caller's.
 * Operands go by value: an array whose address leaves the kernel would be watched at every use.
 */

static __forceinline__ unsigned char *shared_memory() { return dcgen_emu_shared_memory(); }
static __forceinline__ unsigned shared_address(const void *p) { return dcgen_emu_shared_address(p); }

/* ---- asynchronous copies */

static __forceinline__ void cp_async16(void *smem, const void *gmem, int bytes, int line = __builtin_LINE())
{
    dcgen_emu_cp_async(smem, gmem, 16, bytes, line);
}
static __forceinline__ void cp_async8(void *smem, const void *gmem, int bytes, int line = __builtin_LINE())
{
    dcgen_emu_cp_async(smem, gmem, 8, bytes, line);
}
static __forceinline__ void cp_async4(void *smem, const void *gmem, int bytes, int line = __builtin_LINE())
{
    dcgen_emu_cp_async(smem, gmem, 4, bytes, line);
}
static __forceinline__ void cp_commit() { dcgen_emu_cp_commit(); }
template <int groups> static __forceinline__ void cp_wait() { dcgen_emu_cp_wait(groups); }

/* ---- tensor cores */

static __forceinline__ void ldmatrix_x4(unsigned (&r)[4], const void *smem_row, int line = __builtin_LINE())
{
    const dcgen_emu_word4 v = dcgen_emu_ldmatrix(4, 0, smem_row, line);
    r[0] = v[0], r[1] = v[1], r[2] = v[2], r[3] = v[3];
}
static __forceinline__ void ldmatrix_x4_trans(unsigned (&r)[4], const void *smem_row, int line = __builtin_LINE())
{
    const dcgen_emu_word4 v = dcgen_emu_ldmatrix(4, 1, smem_row, line);
    r[0] = v[0], r[1] = v[1], r[2] = v[2], r[3] = v[3];
}
static __forceinline__ void ldmatrix_x2(unsigned (&r)[2], const void *smem_row, int line = __builtin_LINE())
{
    const dcgen_emu_word4 v = dcgen_emu_ldmatrix(2, 0, smem_row, line);
    r[0] = v[0], r[1] = v[1];
}
static __forceinline__ void ldmatrix_x2_trans(unsigned (&r)[2], const void *smem_row, int line = __builtin_LINE())
{
    const dcgen_emu_word4 v = dcgen_emu_ldmatrix(2, 1, smem_row, line);
    r[0] = v[0], r[1] = v[1];
}

enum { dcgen_emu_f16, dcgen_emu_bf16, dcgen_emu_tf32 };
static __forceinline__ void dcgen_emu_mma_any(int kind, float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                                              int line)
{
    const dcgen_emu_float4 v =
        dcgen_emu_mma(kind, dcgen_emu_float4{ d[0], d[1], d[2], d[3] }, dcgen_emu_word4{ a[0], a[1], a[2], a[3] },
                      dcgen_emu_word2{ b[0], b[1] }, line);
    d[0] = v[0], d[1] = v[1], d[2] = v[2], d[3] = v[3];
}
static __forceinline__ void f16_mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                                    int line = __builtin_LINE())
{
    dcgen_emu_mma_any(dcgen_emu_f16, d, a, b, line);
}
static __forceinline__ void bf16_mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                                     int line = __builtin_LINE())
{
    dcgen_emu_mma_any(dcgen_emu_bf16, d, a, b, line);
}
static __forceinline__ void tf32_mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                                     int line = __builtin_LINE())
{
    dcgen_emu_mma_any(dcgen_emu_tf32, d, a, b, line);
}

/* ---- Hopper: barriers, copies by tensor maps, products of warpgroups. wgmma itself is in the files of its functions. */

static __forceinline__ void mbarrier_init(uint64_t *bar, unsigned arrivals, int line = __builtin_LINE())
{
    dcgen_emu_mbarrier_init(bar, arrivals, line);
}
static __forceinline__ void mbarrier_init_fence() { dcgen_emu_mbarrier_init_fence(); }
static __forceinline__ void mbarrier_arrive(uint64_t *bar, int line = __builtin_LINE())
{
    dcgen_emu_mbarrier_arrive(bar, 0, line);
}
static __forceinline__ void mbarrier_arrive_expect(uint64_t *bar, unsigned bytes, int line = __builtin_LINE())
{
    dcgen_emu_mbarrier_arrive(bar, (int)bytes, line);
}
static __forceinline__ void mbarrier_arrive_at(uint64_t *bar, unsigned rank, int line = __builtin_LINE())
{
    dcgen_emu_mbarrier_arrive_at(bar, rank, line);
}
static __forceinline__ void mbarrier_wait(uint64_t *bar, unsigned parity, int line = __builtin_LINE())
{
    dcgen_emu_mbarrier_wait(bar, parity, line);
}
static __forceinline__ void proxy_fence() { dcgen_emu_proxy_fence(); }

static __forceinline__ void tensor_load_2(void *smem, const CUtensorMap *map, uint64_t *bar, int i0, int i1,
                                          int line = __builtin_LINE())
{
    const int at[] = { i0, i1 };
    dcgen_emu_tensor_load(smem, map, bar, 2, at, line);
}
static __forceinline__ void tensor_load_3(void *smem, const CUtensorMap *map, uint64_t *bar, int i0, int i1, int i2,
                                          int line = __builtin_LINE())
{
    const int at[] = { i0, i1, i2 };
    dcgen_emu_tensor_load(smem, map, bar, 3, at, line);
}
static __forceinline__ void tensor_load_4(void *smem, const CUtensorMap *map, uint64_t *bar, int i0, int i1, int i2,
                                          int i3, int line = __builtin_LINE())
{
    const int at[] = { i0, i1, i2, i3 };
    dcgen_emu_tensor_load(smem, map, bar, 4, at, line);
}
static __forceinline__ void tensor_store_2(const CUtensorMap *map, const void *smem, int i0, int i1,
                                           int line = __builtin_LINE())
{
    const int at[] = { i0, i1 };
    dcgen_emu_tensor_store(map, smem, 2, at, line);
}
static __forceinline__ void tensor_store_3(const CUtensorMap *map, const void *smem, int i0, int i1, int i2,
                                           int line = __builtin_LINE())
{
    const int at[] = { i0, i1, i2 };
    dcgen_emu_tensor_store(map, smem, 3, at, line);
}
static __forceinline__ void bulk_commit() { dcgen_emu_bulk_commit(); }
template <int groups> static __forceinline__ void bulk_wait_read() { dcgen_emu_bulk_wait_read(groups); }

static __forceinline__ void wgmma_fence(int line = __builtin_LINE()) { dcgen_emu_wgmma_fence(line); }
static __forceinline__ void wgmma_commit() { dcgen_emu_wgmma_commit(); }
template <int groups> static __forceinline__ void wgmma_wait(int line = __builtin_LINE())
{
    dcgen_emu_wgmma_wait(groups, line);
}
template <int n> static __forceinline__ void registers_less(int line = __builtin_LINE())
{
    dcgen_emu_registers(n, line);
}
template <int n> static __forceinline__ void registers_more(int line = __builtin_LINE())
{
    dcgen_emu_registers(n, line);
}

static __forceinline__ void barrier_sync(int id, int threads, int line = __builtin_LINE())
{
    dcgen_emu_barrier_sync(id, threads, line);
}
static __forceinline__ void barrier_arrive(int id, int threads, int line = __builtin_LINE())
{
    dcgen_emu_barrier_arrive(id, threads, line);
}
static __forceinline__ unsigned cluster_rank() { return dcgen_emu_cluster_rank(); }
static __forceinline__ void cluster_arrive(int line = __builtin_LINE()) { dcgen_emu_cluster_arrive(line); }
static __forceinline__ void cluster_wait(int line = __builtin_LINE()) { dcgen_emu_cluster_wait(line); }
static __forceinline__ float4 cluster_load16(const void *smem, unsigned rank, int line = __builtin_LINE())
{
    const dcgen_emu_float4 v = dcgen_emu_cluster_load16(smem, rank, line);
    return make_float4(v[0], v[1], v[2], v[3]);
}

/* ---- conversions */

static __forceinline__ float f32_of(float x) { return x; }
static __forceinline__ float f32_to_float(float x) { return x; }

static __forceinline__ unsigned tf32_of(float x) /* to nearest, ties away from zero; a NaN is cut */
{
    const unsigned u = __float_as_uint(x);
    return ((u & 0x7f800000) == 0x7f800000 ? u : u + 0x1000) & 0xffffe000;
}
static __forceinline__ unsigned short bf16_of(float x)
{
    const unsigned u = __float_as_uint(x);
    return x != x ? 0x7fff : (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
static __forceinline__ float bf16_to_float(unsigned short bits) { return __uint_as_float((unsigned)bits << 16); }
static __forceinline__ unsigned short f16_of(float x)
{
    const unsigned u = __float_as_uint(x), sign = u >> 16 & 0x8000, m = u & 0x7fffffff;
    if (x != x)
        return 0x7fff;
    if (m >= 0x477ff000) /* 65520: rounds to infinity */
        return (unsigned short)(sign | 0x7c00);
    if (m < 0x38800000) /* denormal: the sum's last digit is that of the result */
        return (unsigned short)(sign | (__float_as_uint(__uint_as_float(m) + 0.5f) - 0x3f000000));
    return (unsigned short)(sign | (((m + 0xfff + (m >> 13 & 1)) >> 13) - (112 << 10)));
}
static __forceinline__ float f16_to_float(unsigned short bits)
{
    const unsigned m = __float_as_uint(__uint_as_float((unsigned)(bits & 0x7fff) << 13) * 0x1p112f);
    return __uint_as_float(m | ((bits & 0x7c00) == 0x7c00 ? 0x7f800000u : 0) | (unsigned)(bits & 0x8000) << 16);
}

/* ---- functions. Those without PTX are the same text. */

static __forceinline__ float dcgen_emu_flush(float x) { return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0, x) : x; }
static __forceinline__ float ex2(float x) { return dcgen_emu_flush(exp2f(dcgen_emu_flush(x))); }
static __forceinline__ float rcp(float x) { return dcgen_emu_flush(1 / dcgen_emu_flush(x)); }
#include "../gelu.cuh"
#include "../gelu_tanh.cuh"
#include "../greater.cuh"
#include "../lesser.cuh"
#include "../load_row.cuh"
#include "../quarter_wave.cuh"
#include "../cosine.cuh"
#include "../round_bf16.cuh"
#include "../round_f16.cuh"
#include "../sigmoid.cuh"
#include "../silu.cuh"
#include "../sine.cuh"
#include "../store_row.cuh"
#include "../tensor_map.cuh"
#include "../tf32_split.cuh"
#include "../tf32x3_mma.cuh"
#include "../wgmma_matrix.cuh"

/* ---- warps, other blocks */

static __forceinline__ float shfl_xor(float v, int mask, int line = __builtin_LINE())
{
    return dcgen_emu_shfl_xor(v, mask, line);
}
static __forceinline__ float shfl_down(float v, int delta, int line = __builtin_LINE())
{
    return dcgen_emu_shfl_down(v, delta, line);
}
static __forceinline__ void warp_sync(int line = __builtin_LINE()) { dcgen_emu_warp_sync(line); }
static __forceinline__ unsigned atomic_add_acq_rel(unsigned *p, unsigned v, int line = __builtin_LINE())
{
    return dcgen_emu_atomic_add(p, v, 1, line);
}
static __forceinline__ float load_l2(const float *p) { return *p; }
static __forceinline__ float4 load_l2_16(const float *p) { return *(const float4 *)p; }
static __forceinline__ uint4 load_once16(const void *p) { return *(const uint4 *)p; }

/* ---- launching */

template <typename Args> struct dcgen_emu_caller {
    __attribute__((no_sanitize("thread"))) static void call(void *kernel, const void *args)
    {
        ((void (*)(Args))kernel)(*(const Args *)args);
    }
};
template <typename Args>
static cudaError_t launch(void (*kernel)(Args), dim3 grid, unsigned cluster, int threads, size_t smem_bytes,
                          cudaStream_t stream, Args args)
{
    const unsigned blocks[3] = { grid.x, grid.y, grid.z }, block[3] = { (unsigned)threads, 1, 1 };
    if (dcgen_emu_capture && dcgen_emu_capture(stream, dcgen_emu_caller<Args>::call, (void *)kernel, &args, sizeof args,
                                               blocks, cluster, block, smem_bytes))
        return cudaSuccess;
    return (cudaError_t)dcgen_emu_launch(dcgen_emu_caller<Args>::call, (void *)kernel, &args, blocks, cluster, block,
                                         smem_bytes);
}
