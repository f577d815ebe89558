/* SPDX-License-Identifier: Apache-2.0
 *
 * family_cuda: NVIDIA's GPUs. A target is a compute capability, kernels are CUDA C++, and a call is one launch in a
 * stream.
 */
#include <inttypes.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/target/device.h"

static const ConfKey keys[] = { { "gencode", true, "as nvcc -gencode takes it" },
                                { "exact", false, NULL },
                                { NULL, false, NULL } };

static const FactRow facts[] = { { "SM_ARCH", 50, 999, "the compute capability times ten" },
                                 { "SMS", 1, 4096, "multiprocessors of a typical device" },
                                 { "SMEM_SM", 1024, 1 << 24, "bytes of shared memory of a multiprocessor" },
                                 { "SMEM_BLOCK", 1024, 1 << 24, "bytes of shared memory that a block can have" },
                                 { "REGS_SM", 1024, 1 << 24, "registers of a multiprocessor" },
                                 { "THREADS_SM", 32, 1 << 16, "threads that a multiprocessor holds" },
                                 { "BLOCKS_SM", 1, 1024, "blocks that a multiprocessor holds" },
                                 { "FMA_SM", 1, 1 << 16, "fp32 FMAs a cycle" },
                                 { "TENSOR_F16_SM", 0, 1 << 16, "FMAs a cycle of mma.sync on f16 and bf16; 0: none" },
                                 { "TENSOR_TF32_SM", 0, 1 << 16, "the same on tf32" },
                                 { "CLOCK_MHZ", 1, 100000, "under load" },
                                 { "DRAM_GBS", 1, 1000000, "bandwidth" },
                                 { "L2_GBS", 1, 1000000, "bandwidth" },
                                 { "L2_SIZE", 1, (int64_t)1 << 40, "bytes" },
                                 { "LAUNCH_NS", 1, 1000000, "what an empty kernel takes" },
                                 { "HANDOVER_NS", 1, 1000000, "what handing over from block to block takes" },
                                 { NULL, 0, 0, NULL } };

static const RateRow rates[] = { { "f32", "FMA_SM", "fma", false, 1 },
                                 { "tf32", "TENSOR_TF32_SM", "tf32", true, 1 },
                                 { "tf32x3", "TENSOR_TF32_SM", "tf32", true, 3 },
                                 { "f16", "TENSOR_F16_SM", "f16", true, 1 },
                                 { "bf16", "TENSOR_F16_SM", "bf16", true, 1 },
                                 { NULL, NULL, NULL, false, 0 } };

static const PackageRow files[] = { { "package.h", "PACKAGE.h", OWNER_PACKAGE },
                                    { "kernels.cu", "kernels.cu", OWNER_PACKAGE },
                                    { "dispatch.h", "dispatch.h", OWNER_FUNCTION },
                                    { "CMakeLists.txt", "CMakeLists.txt", OWNER_PACKAGE },
                                    { "README.md", "README.md", OWNER_PACKAGE },
                                    { "log.h", "PACKAGE_log.h", OWNER_PACKAGE },
                                    { "flush_l2.h", "flush_l2.h", OWNER_PACKAGE },
                                    { "graph/model.h", "PACKAGE_model.h", OWNER_GRAPH },
                                    { "graph/model.c", "model.c", OWNER_GRAPH },
                                    { "graph/kept.c", "kept.c", OWNER_GRAPH },
                                    { "graph/test_model.c", "test_model.c", OWNER_GRAPH },
                                    { "graph/run_model.c", "run_model.c", OWNER_GRAPH },
                                    { "graph/on_device.h", "on_device.h", OWNER_GRAPH },
                                    { "graph/check.h", "check.h", OWNER_GRAPH },
                                    { "graph/check.c", "check.c", OWNER_NODE },
                                    { "test_cuda.c", "test.c", OWNER_OP },
                                    { "bench_cuda.c", "bench.c", OWNER_OP },
                                    { NULL, NULL, OWNER_PACKAGE } };

static const char *const shipped[] = { "-std=c++17", "-O3", "-gencode=", NULL };
static const char *const object[] = { "-Xptxas", "-v",   "-shared",       "-Xcompiler", "-fPIC",
                                      "-cudart", "none", "--no-compress", NULL };

/* nvcc compiles a file once for the host and once for each architecture; a body is for its own and those that run its
 * code. */
static const char *body_guard(Arena *a, const Target *t)
{
    const int64_t arch = target_number(t, "SM_ARCH");
    /* compute_90a and compute_90 have the same __CUDA_ARCH__; nvcc defines this for the former alone */
    if (t->exact && strstr(t->gencode, arena_printf(a, "compute_%" PRId64 "a", arch)))
        return arena_printf(a, "!defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM%" PRId64 "_ALL)", arch);
    return arena_printf(a, "!defined(__CUDA_ARCH__) || __CUDA_ARCH__ %s %" PRId64, t->exact ? "==" : ">=", 10 * arch);
}

static char *device_text(Arena *a, const Device *d)
{
    return arena_printf(a, "%d multiprocessors, each with %s of shared memory; L2 %s", d->sms,
                        number_bytes(a, d->smem_bytes), number_bytes(a, d->l2_bytes));
}

static char *check_text(Arena *a, const Target *t, const Device *d)
{
    (void)t;
    return arena_printf(a, "%d multiprocessors, each with %" PRId64 " KiB of shared memory; L2 %" PRId64 " KiB", d->sms,
                        d->smem_bytes >> 10, d->l2_bytes >> 10);
}

const Family family_cuda = { .name = "cuda",
                             .best = "cuda",
                             .device = "GPU",
                             .system = "CUDA",
                             .key = keys,
                             .fact = facts,
                             .rate = rates,
                             .is_inherited = true,
                             .has_smem = true,
                             .off_cpu = true,
                             .suffix = ".cu",
                             .body_guard = body_guard,
                             .primitives = { "device", ".cuh", "PACKAGE_device::", "", false, "device.h",
                                             "device_with.h" },
                             .packed_alike = true,
                             .ranks_templates = true,
                             .compiler = { .option = "nvcc",
                                           .home_variable = "CUDA_HOME",
                                           .home = "/usr/local/cuda",
                                           .shipped = shipped,
                                           .object = object,
                                           .code = (const char *const[]){ "-Xptxas", "-v", "-cubin", NULL },
                                           .code_suffix = ".cubin",
                                           .empty = "__global__ void dcgen_empty() {}\n",
                                           .version_mark = "release",
                                           .keeps_log = true,
                                           .unknown = "nsupported gpu architecture" },
                             .runner = "cuda",
                             .verifier = "emu",
                             .limits = "limits.cu",
                             .file = files,
                             .pack = "pack.cu",
                             .call = "_cuda",
                             .call_with = "exec, stream",
                             .library = "library.cu",
                             .blas = "cublaslt",
                             .library_calls = "PACKAGE_device::launch(PACKAGE_device::RESULT_ELEMENT_of(",
                             .rival = "the vendor's library",
                             .device_text = device_text,
                             .check_text = check_text };
