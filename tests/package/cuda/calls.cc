/* SPDX-License-Identifier: Apache-2.0
 *
 * calls: the host's side of the package pkg, compiled for the emulator but linked with what stands here instead of it: what a call is told,
 * what is started, and that nothing is where a call is wrong. Besides, the emulator's conversions, and the launch that real GPUs have.
 * Ends with the line of the check that fails.
 */
#include <cuda_runtime.h>

#define cudaMemcpy2DAsync copy_rows /* may fail */
static cudaError_t copy_code;
static int ncopy;
static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                             size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    ncopy += kind == cudaMemcpyDeviceToDevice && stream == (cudaStream_t)8;
    for (size_t i = 0; i < height && copy_code == cudaSuccess; i++)
        memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width);
    return copy_code;
}

#define cudaMemsetAsync set_bytes /* likewise */
static cudaError_t set_code;
static size_t nset;
static cudaError_t set_bytes(void *p, int value, size_t bytes, cudaStream_t stream)
{
    nset += stream == (cudaStream_t)8 ? bytes : 0;
    if (set_code == cudaSuccess)
        memset(p, value, bytes);
    return set_code;
}

#include "kernels.cu"

#include <initializer_list>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                              \
    do                                                \
        if (!(condition)) {                           \
            printf("%d: %s\n", __LINE__, #condition); \
            exit(1);                                  \
        }                                             \
    while (0)

/* ---- instead of the emulator ---- */

static int capability; /* 0: no device */
static int nlaunch, launch_code;
static pkg_args started;
static unsigned grid[3], block[3];
static size_t smem;
static void *kernel_started;

extern "C" {
uint3 dcgen_emu_thread_index(void) { abort(); }
uint3 dcgen_emu_block_index(void) { abort(); }
uint3 dcgen_emu_block_dim(void) { abort(); }
uint3 dcgen_emu_grid_dim(void) { abort(); }
void dcgen_emu_barrier(int) { abort(); }
unsigned char *dcgen_emu_shared_memory(void) { abort(); }
void dcgen_emu_written(const void *, size_t) {}
int dcgen_emu_launch(void (*)(void *, const void *), void *kernel, const void *args, const unsigned *g, unsigned,
                     const unsigned *b, size_t smem_bytes)
{
    nlaunch++;
    kernel_started = kernel;
    memcpy(&started, args, sizeof started);
    memcpy(grid, g, sizeof grid);
    memcpy(block, b, sizeof block);
    smem = smem_bytes;
    return launch_code;
}
cudaError_t cudaGetDevice(int *device) { return *device = 3, capability ? cudaSuccess : cudaErrorNoDevice; }
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    if (device != 3 || (attribute == cudaDevAttrComputeCapabilityMinor && capability == 999))
        return cudaErrorInvalidDevice;
    *value = attribute == cudaDevAttrComputeCapabilityMajor   ? capability / 10
             : attribute == cudaDevAttrComputeCapabilityMinor ? capability % 10
                                                              : -1;
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void) { abort(); }
}

/* ---- calls ---- */

static float X[256], W[256], bias[64], Y[256];
alignas(16) static float room[64];
static const cudaStream_t stream = (cudaStream_t)8;
static const int64_t most = INT32_MAX;

/* Of 4 x 6 elements, K = 5. */
static int call(const pkg_exec *exec) { return pkg_cuda(4, 6, 5, X, W, bias, Y, NULL, exec, stream); }

static int call_kernel(int k)
{
    const pkg_exec exec = { k };
    nlaunch = 0;
    const int code = call(&exec);
    CHECK(nlaunch == (code == pkg_OK));
    return code;
}

/* Was it this kernel that was started last? Starts it, which tells. */
static bool was_started(int k)
{
    const void *before = kernel_started;
    pkg_table[k].start(started, pkg_table[k].plan(started, 1), NULL);
    return kernel_started == before;
}

static void check_devices(int n)
{
    /* kernels 0 .. n - 3 are tuned for sm_80, n - 2 is for it and later ones, n - 1 for sm_75 and later */
    for (capability = 0; capability < 130; capability++) {
        const int chosen = pkg_cuda_choose(4, 6, 5), code = call(NULL);
        if (capability < 75)
            CHECK(chosen == -1 && code == pkg_BAD_DEVICE && call_kernel(1) == pkg_BAD_DEVICE &&
                  call_kernel(-1) == pkg_BAD_DEVICE && pkg_cuda_workspace_bytes(4, 6, 7, NULL) == 0);
        else
            CHECK(code == pkg_OK && pkg_cuda_workspace_bytes(4, 6, 7, NULL) == pkg_counters_room + 4);
        if (capability == 80)
            CHECK(chosen >= 0 && chosen < n - 2);
        else if (capability >= 75)
            CHECK(chosen == (capability > 80 ? n - 2 : n - 1));
        for (int k = 0; k < n && capability >= 75; k++) {
            const bool runs = capability == 80 || k == n - 1 || (capability > 80 && k == n - 2);
            CHECK(call_kernel(k + 1) == (runs ? pkg_OK : pkg_BAD_KERNEL));
            CHECK(!runs || was_started(k));
            const pkg_exec exec = { k + 1 };
            CHECK(pkg_cuda_workspace_bytes(4, 6, 7, &exec) == (runs ? pkg_counters_room + 4 : 0));
        }
    }
    capability = 999;
    CHECK(call(NULL) == pkg_BAD_DEVICE);
    capability = 80;
    for (int k : { -1, n + 1, INT_MAX, INT_MIN })
        CHECK(call_kernel(k) == pkg_BAD_KERNEL);
    call(NULL);
    CHECK(was_started(pkg_cuda_choose(4, 6, 5)));
}

static void check_extents()
{
    for (int axis = 0; axis < 3; axis++)
        for (int64_t bad : { (int64_t)-1, most + 1, INT64_MIN, INT64_MAX }) {
            int64_t e[] = { 4, 6, 7 };
            e[axis] = bad;
            nlaunch = 0;
            CHECK(pkg_cuda(e[0], e[1], e[2], X, W, bias, Y, room, NULL, stream) == pkg_BAD_EXTENT && nlaunch == 0);
            CHECK(pkg_cuda_choose(e[0], e[1], e[2]) == -1 && pkg_cuda_workspace_bytes(e[0], e[1], e[2], NULL) == 0);
        }
    CHECK(pkg_cuda_choose(most, most, most) >= 0 && pkg_cuda_choose(0, 0, 0) >= 0);
    CHECK(pkg_cuda_workspace_bytes(most, 1, 7, NULL) == pkg_counters_room + (size_t)most &&
          pkg_cuda_workspace_bytes(most, 1, most, NULL) == 0);
    CHECK(pkg_cuda_workspace_bytes(0, 6, 7, NULL) == 0 && pkg_cuda_workspace_bytes(4, 0, 7, NULL) == 0);
    nlaunch = 0;
    CHECK(pkg_cuda(0, 6, 5, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == pkg_OK &&
          pkg_cuda(4, 0, 5, X, W, bias, Y, NULL, NULL, NULL) == pkg_OK);
    CHECK(nlaunch == 0);
    CHECK(pkg_cuda(4, 6, 0, NULL, NULL, bias, Y, NULL, NULL, stream) == pkg_OK && nlaunch == 1 && started.K == 0);
    const auto at = [](int i) { return (float *)((uintptr_t)i << 48); }; /* far from each other */
    for (int i = 0; i < 3; i++) {
        const int64_t e[] = { i == 0 ? most : 1, i == 1 ? most : 1, i == 2 ? most : 1 };
        CHECK(pkg_cuda(e[0], e[1], e[2], at(1), at(2), at(3), at(4), NULL, NULL, stream) == pkg_OK &&
              started.M == e[0] && started.N == e[1] && started.K == e[2]);
    }
}

/* The output lies in the same memory as the inputs: over one of them, were it by an element, or beside it. */
static void check_overlaps()
{
    enum { M = 4, N = 6, K = 5, AT = 64 };
    static float all[256], *const y = all + AT;
    const auto with = [](const float *x, const float *w, const float *b) {
        return pkg_cuda(M, N, K, x, w, b, y, NULL, NULL, stream);
    };
    nlaunch = 0;
    for (int i = 0; i < AT * 2; i++) {
        const int on_x = i > AT - M * K && i < AT + M * N, on_bias = i > AT - N && i < AT + M * N;
        CHECK(with(all + i, W, bias) == (on_x ? pkg_BAD_OVERLAP : pkg_OK));
        CHECK(with(X, W, all + i) == (on_bias ? pkg_BAD_OVERLAP : pkg_OK));
        CHECK(with(X, all + i, bias) == pkg_OK || i > AT - 4 * (int)pkg_cuda_packed_bytes(N, K));
    }
    CHECK(with(X, y, bias) == pkg_BAD_OVERLAP && with(X, y + M * N - 1, bias) == pkg_BAD_OVERLAP && with(X, y + M * N, bias) == pkg_OK);
    const int before = nlaunch;
    CHECK(with(y, W, bias) == pkg_BAD_OVERLAP && nlaunch == before);
    CHECK(pkg_cuda(M, N, 0, y, y, bias, y, NULL, NULL, stream) == pkg_OK && pkg_cuda(M, 0, K, y, y, y, y, NULL, NULL, stream) == pkg_OK);
}

static void check_pointers()
{
    nlaunch = 0;
    CHECK(pkg_cuda(4, 6, 5, NULL, W, bias, Y, NULL, NULL, stream) == pkg_BAD_POINTER);
    CHECK(pkg_cuda(4, 6, 5, X, NULL, bias, Y, NULL, NULL, stream) == pkg_BAD_POINTER);
    CHECK(pkg_cuda(4, 6, 5, X, W, NULL, Y, NULL, NULL, stream) == pkg_BAD_POINTER);
    CHECK(pkg_cuda(4, 6, 5, X, W, bias, NULL, NULL, NULL, stream) == pkg_BAD_POINTER);
    CHECK(pkg_cuda(4, 6, 7, X, W, bias, Y, NULL, NULL, stream) == pkg_BAD_POINTER && nlaunch == 0);
    CHECK(pkg_cuda(4, 6, 7, X, W, bias, Y, room, NULL, stream) == pkg_OK && nlaunch == 1);
    CHECK(started.M == 4 && started.N == 6 && started.K == 7 && started.X == X && started.W == W &&
          started.bias == bias && started.Y == Y && started.scratch == (char *)room + pkg_counters_room);
    const pkg_plan plan = pkg_table[pkg_cuda_choose(4, 6, 7)].plan(started, 1);
    CHECK(grid[0] == plan.x && grid[1] == plan.y && grid[2] == plan.z && block[0] == (unsigned)plan.threads &&
          block[1] == 1 && block[2] == 1 && smem == plan.smem_bytes);
    launch_code = cudaErrorInvalidValue;
    CHECK(call(NULL) == pkg_CUDA_ERROR);
    for (int code : { cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction }) {
        launch_code = code;
        CHECK(call(NULL) == pkg_BAD_DEVICE);
    }
    launch_code = 0;
}

/* A kernel has one for K = 7. */
static void check_workspace()
{
    const auto call = [](int K, void *workspace) { return pkg_cuda(4, 6, K, X, W, bias, Y, workspace, NULL, stream); };
    nlaunch = 0;
    for (int i = 1; i < 4; i++)
        CHECK(call(7, room + i) == pkg_BAD_POINTER && pkg_cuda_workspace_clear(room + i, 4, stream) == pkg_BAD_POINTER);
    CHECK(call(7, (char *)room + 8) == pkg_BAD_POINTER && call(7, (char *)room + 1) == pkg_BAD_POINTER && nlaunch == 0);
    CHECK(call(7, room + 4) == pkg_OK && call(5, room + 1) == pkg_OK && nlaunch == 2); /* K = 5 has none */
    CHECK(pkg_cuda_workspace_clear(NULL, 4, stream) == pkg_BAD_POINTER &&
          pkg_cuda_workspace_clear(NULL, 0, stream) == pkg_OK && nset == 0);
    for (float &x : room)
        x = 1;
    CHECK(pkg_cuda_workspace_clear(room + 4, 16, stream) == pkg_OK && nset == 16);
    for (int i = 0; i < 64; i++)
        CHECK(room[i] == (i < 4 || i >= 8));
    set_code = cudaErrorInvalidValue;
    CHECK(pkg_cuda_workspace_clear(room, 16, stream) == pkg_CUDA_ERROR);
}

/* A plan is the call, for another time. */
static void check_plans()
{
    pkg_cuda_plan plan, copy;
    const auto prepare = [&](int64_t M, int64_t K, const float *w, const pkg_exec *exec) { return pkg_cuda_prepare(M, 6, K, X, w, bias, Y, exec, &plan); };
    CHECK(prepare(4, 7, W, NULL) == pkg_OK && plan.kernel == pkg_cuda_choose(4, 6, 7) && plan.scratch_bytes == 4 && plan.counter_bytes == 0);
    nlaunch = 0;
    CHECK(prepare(-1, 7, W, NULL) == pkg_BAD_EXTENT && prepare(4, 7, NULL, NULL) == pkg_BAD_POINTER && prepare(4, 7, Y, NULL) == pkg_BAD_OVERLAP);
    const pkg_exec none = { pkg_nkernel() + 1 }, last = { pkg_nkernel() };
    CHECK(prepare(4, 7, W, &none) == pkg_BAD_KERNEL);
    copy = plan; /* which is as it was */
    memset(&plan, 0xff, sizeof plan);
    CHECK(pkg_cuda_execute(&copy, NULL, NULL, stream) == pkg_BAD_POINTER && pkg_cuda_execute(&copy, (char *)room + 8, NULL, stream) == pkg_BAD_POINTER);
    CHECK(nlaunch == 0);
    for (int i = 1; i <= 2; i++) {
        CHECK(pkg_cuda_execute(&copy, room + 4 * i, NULL, stream) == pkg_OK && nlaunch == i && was_started(copy.kernel));
        nlaunch = i;
        CHECK(started.M == 4 && started.N == 6 && started.K == 7 && started.X == X && started.W == W && started.bias == bias && started.Y == Y &&
              started.scratch == room + 4 * i);
    }
    CHECK(prepare(4, 5, W, &last) == pkg_OK && plan.kernel == pkg_nkernel() - 1 && plan.scratch_bytes == 0 &&
          pkg_cuda_execute(&plan, NULL, NULL, stream) == pkg_OK && was_started(plan.kernel));
    nlaunch = 0;
    CHECK(prepare(0, 5, NULL, NULL) == pkg_OK && plan.kernel == -1 && pkg_cuda_execute(&plan, NULL, NULL, stream) == pkg_OK && nlaunch == 0);
    launch_code = cudaErrorInvalidValue;
    CHECK(pkg_cuda_execute(&copy, room, NULL, stream) == pkg_CUDA_ERROR);
    launch_code = 0;
}

static void check_texts(int n)
{
    for (int k : { -1, n, n + 1, INT_MAX, INT_MIN })
        CHECK(!pkg_kernel_text(k));
    for (int k = 0; k < n; k++) {
        CHECK(strncmp(pkg_kernel_text(k), "plain_cuda ", 11) == 0);
        for (int j = 0; j < k; j++)
            CHECK(k >= n - 2 || strcmp(pkg_kernel_text(j), pkg_kernel_text(k)) != 0);
    }
    static const char *const said[] = { "no error",     "negative or above 2147483647", "is NULL", "no such kernel", "current device",
                                        "CUDA runtime", "overlaps", "packed operand", "unknown" };
    for (int code = 0; code < 9; code++)
        CHECK(strstr(pkg_strerror(code), said[code]));
    CHECK(strstr(pkg_strerror(-1), "unknown") && strstr(pkg_strerror(pkg_BAD_POINTER), "on a multiple of 16 bytes"));
}

static void check_packing()
{
    static const int64_t bad[][2] = { { 0, 5 }, { 5, 0 }, { -1, 5 }, { 5, -1 }, { most + 1, 1 }, { 1, most + 1 }, { most, most }, { most, (1 << 30) + 1 } };
    float from[15], to[24];
    for (const auto &e : bad)
        CHECK(pkg_cuda_packed_bytes(e[0], e[1]) == 0);
    CHECK(pkg_cuda_packed_bytes(3, 5) == 96 && pkg_cuda_packed_bytes(3, 4) == 48 && pkg_cuda_packed_bytes(1, 1) == 16);
    CHECK(pkg_cuda_packed_bytes(most, 1 << 28) == (size_t)most << 30 &&
          pkg_cuda_packed_bytes(most, 1 << 30) == (size_t)most << 32 && pkg_cuda_packed_bytes(most, 1) == (size_t)most * 16);
    for (int i = 0; i < 15; i++)
        from[i] = (float)i;
    for (int i = 0; i < 24; i++)
        to[i] = -1;
    CHECK(pkg_cuda_pack(3, 5, from, to, stream) == pkg_OK && ncopy == 1);
    for (int i = 0; i < 24; i++)
        CHECK(to[i] == (i % 8 < 5 ? (float)(i / 8 * 5 + i % 8) : -1));
    CHECK(pkg_cuda_pack(-1, 5, from, to, stream) == pkg_BAD_EXTENT &&
          pkg_cuda_pack(3, -1, from, to, stream) == pkg_BAD_EXTENT);
    CHECK(pkg_cuda_pack(most + 1, 0, from, to, stream) == pkg_BAD_EXTENT &&
          pkg_cuda_pack(0, most + 1, from, to, stream) == pkg_BAD_EXTENT);
    CHECK(pkg_cuda_pack(most, most, from, to, stream) == pkg_BAD_EXTENT);
    CHECK(pkg_cuda_pack(0, 5, NULL, NULL, stream) == pkg_OK && pkg_cuda_pack(3, 0, NULL, NULL, stream) == pkg_OK);
    CHECK(pkg_cuda_pack(0, most, NULL, NULL, stream) == pkg_OK && pkg_cuda_pack(most, 0, NULL, NULL, stream) == pkg_OK);
    CHECK(pkg_cuda_pack(3, 5, NULL, to, stream) == pkg_BAD_POINTER &&
          pkg_cuda_pack(3, 5, from, NULL, stream) == pkg_BAD_POINTER && ncopy == 1);
    char file[pkg_PACKED_HEADER + sizeof to]; /* as a product reads it back; the host's memory */
    memcpy(file + pkg_PACKED_HEADER, to, sizeof to);
    CHECK(pkg_cuda_packed_header(3, 5, to, file) == pkg_OK && pkg_cuda_packed_check(3, 5, file, sizeof file, 1) == pkg_OK);
    CHECK(pkg_cuda_packed_check(3, 6, file, sizeof file, 0) == pkg_BAD_PACKED && pkg_cuda_packed_check(3, 5, file, sizeof file - 1, 0) == pkg_BAD_PACKED);
    file[sizeof file - 1] ^= 1;
    CHECK(pkg_cuda_packed_check(3, 5, file, sizeof file, 0) == pkg_OK && pkg_cuda_packed_check(3, 5, file, sizeof file, 1) == pkg_BAD_PACKED);
    CHECK(pkg_cuda_packed_header(3, 0, to, file) == pkg_BAD_EXTENT && pkg_cuda_packed_check(-1, 5, file, sizeof file, 0) == pkg_BAD_EXTENT);
    CHECK(pkg_cuda_packed_header(3, 5, NULL, file) == pkg_BAD_POINTER && pkg_cuda_packed_check(3, 5, NULL, 0, 0) == pkg_BAD_POINTER);
    copy_code = cudaErrorInvalidValue;
    CHECK(pkg_cuda_pack(3, 5, from, to, stream) == pkg_CUDA_ERROR);
}

/* ---- conversions, as the emulator has them ---- */

static void check_conversions()
{
    using namespace pkg_device;
    const float inf = __builtin_inff(), nan = __builtin_nanf("");
    for (unsigned h = 0; h < 65536; h++) {
        const unsigned short bits = (unsigned short)h;
        CHECK((h & 0x7fff) > 0x7c00 ? f16_to_float(bits) != f16_to_float(bits) : f16_of(f16_to_float(bits)) == bits);
        CHECK((h & 0x7fff) > 0x7f80 ? bf16_to_float(bits) != bf16_to_float(bits)
                                    : bf16_of(bf16_to_float(bits)) == bits);
    }
    CHECK(f16_to_float(0x3c00) == 1 && f16_to_float(0xc200) == -3 && f16_to_float(1) == 0x1p-24f &&
          f16_to_float(0x7bff) == 65504 && f16_to_float(0xfc00) == -inf && bf16_to_float(0xc040) == -3);
    /* halfway between two goes to the even one */
    CHECK(f16_of(1 + 0x1p-11f) == 0x3c00 && f16_of(1 + 0x3p-11f) == 0x3c02 && f16_of(1 + 0x1.002p-11f) == 0x3c01);
    CHECK(f16_of(0x1p-25f) == 0 && f16_of(0x1.002p-25f) == 1 && f16_of(0x3p-25f) == 2 && f16_of(-0x3p-25f) == 0x8002);
    CHECK(f16_of(65519.99f) == 0x7bff && f16_of(65520) == 0x7c00 && f16_of(-1e30f) == 0xfc00 && f16_of(nan) == 0x7fff &&
          f16_of(-0.0f) == 0x8000);
    CHECK(bf16_of(1 + 0x1p-8f) == 0x3f80 && bf16_of(1 + 0x3p-8f) == 0x3f82 && bf16_of(1 + 0x1.01p-8f) == 0x3f81 &&
          bf16_of(nan) == 0x7fff);
    CHECK(bf16_of(-inf) == 0xff80 && bf16_of(3.4e38f) == 0x7f80);
    /* and for tf32 to the larger one */
    CHECK(tf32_of(1 + 0x1p-11f) == 0x3f802000 && tf32_of(1 + 0x1.ffcp-12f) == 0x3f800000 &&
          tf32_of(-1 - 0x1p-11f) == 0xbf802000);
    CHECK(tf32_of(inf) == 0x7f800000 && (tf32_of(nan) & 0x7fffff) != 0);
    CHECK(min(3, -2) == -2 && max(3, -2) == 3 && min(3u, -2) == 3 && max(-2, 3u) == -2u && min(2.5f, 1.5f) == 1.5f &&
          max(2.0, 3.0) == 3);
    CHECK(min(-2l, 3l) == -2 && max(2ul, -1l) == -1ul && min(-1l, 2ul) == 2 &&
          __float_as_int(-1.0f) == (int)0xbf800000 && __int_as_float(0x40000000) == 2);
    CHECK(__fmaf_rn(2, 3, 4) == 10 && fmaf(2, 3, 4) == 10 && dim3(5).y == 1 && dim3(5, 6).z == 1 &&
          dim3(5, 6, 7).z == 7);
}

/* ---- the launch of real GPUs ---- */

static size_t allowed; /* shared memory, by an attribute */
static int allow_code, nreal, most_threads = 96, attributes_code;
struct cudaFuncAttributes {
    int maxThreadsPerBlock;
};
static cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, const void *kernel)
{
    CHECK(kernel == (const void *)0x100 && launch_code != 0);
    a->maxThreadsPerBlock = most_threads;
    return (cudaError_t)attributes_code;
}
enum { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
static cudaError_t cudaFuncSetAttribute(const void *kernel, int attribute, int value)
{
    CHECK(kernel == (const void *)0x100 && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize);
    allowed = (size_t)value;
    return (cudaError_t)allow_code;
}
#undef gridDim
#undef blockDim
/* The types of a launch with attributes, of which the emulator has none. */
enum cudaLaunchAttributeID { cudaLaunchAttributeClusterDimension = 4 };
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    struct {
        struct {
            unsigned x, y, z;
        } clusterDim;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};
static unsigned cluster; /* that the last launch asked for; 0: none */
static cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *kernel, void **args)
{
    const dim3 g = c->gridDim, b = c->blockDim;
    nreal++;
    CHECK(kernel == (const void *)0x100 && g.x == 2 && g.y == 3 && g.z == 4 && b.x == 96 && b.y == 1 && b.z == 1 &&
          *(int *)args[0] == 77);
    CHECK(c->stream == stream && c->numAttrs <= 1);
    cluster = c->numAttrs ? c->attrs->val.clusterDim.x : 0;
    CHECK(!cluster || (c->attrs->val.clusterDim.y == 1 && c->attrs->val.clusterDim.z == 1));
    smem = c->dynamicSmemBytes;
    return (cudaError_t)launch_code;
}
namespace real
{
#include "launch.cuh"
}

static void check_real_launch()
{
    void (*kernel)(int) = (void (*)(int))0x100;
    launch_code = 0;
    CHECK(real::launch(kernel, dim3(2, 3, 4), 0, 96, 49152, stream, 77) == cudaSuccess && nreal == 1 && allowed == 0 &&
          smem == 49152);
    CHECK(real::launch(kernel, dim3(2, 3, 4), 0, 96, 49153, stream, 77) == cudaSuccess && nreal == 2 && allowed == 49153 &&
          smem == 49153);
    allow_code = 1;
    CHECK(real::launch(kernel, dim3(2, 3, 4), 0, 96, 50000, stream, 77) == cudaErrorInvalidValue && nreal == 2);
    launch_code = 9;
    CHECK(real::launch(kernel, dim3(2, 3, 4), 0, 96, 0, stream, 77) == cudaErrorInvalidConfiguration && nreal == 3);
    most_threads = 1; /* an empty kernel: none was compiled for this device */
    CHECK(real::launch(kernel, dim3(2, 3, 4), 0, 96, 0, stream, 77) == cudaErrorNoKernelImageForDevice);
    attributes_code = 1;
    CHECK(real::launch(kernel, dim3(2, 3, 4), 0, 96, 0, stream, 77) == cudaErrorInvalidConfiguration);
    launch_code = 0;
    CHECK(real::launch(kernel, dim3(2, 3, 4), 0, 96, 0, stream, 77) == cudaSuccess && cluster == 0);
    CHECK(real::launch(kernel, dim3(2, 3, 4), 2, 96, 0, stream, 77) == cudaSuccess && cluster == 2);
}

int main()
{
    const int n = pkg_nkernel();
    CHECK(n >= 4 && n == (int)(sizeof pkg_table / sizeof *pkg_table));
    check_devices(n);
    capability = 80;
    check_extents();
    check_overlaps();
    check_pointers();
    check_workspace();
    check_plans();
    check_texts(n);
    check_packing();
    check_conversions();
    check_real_launch();
    return 0;
}
