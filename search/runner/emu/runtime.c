/* SPDX-License-Identifier: Apache-2.0
 *
 * runtime: CUDA's run time as templates/device/emulator/cuda_runtime_api.h declares it, for programs that are linked
 * with the emulator. What kernels do wrong comes out on stderr at the next call of cudaDeviceSynchronize(), or when the
 * program ends, which then ends with code EXIT_FINDING whatever it wanted to end with.
 *
 *   DCGEN_EMULATOR_CAPABILITY   compute capability of the device times 10, 90 unless set; 0: no device
 *   DCGEN_EMULATOR_WORKERS      threads that execute blocks, 1 unless set
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "search/runner/buffer.h"
#include "search/runner/emu/emu.h"
#include "templates/device/emulator/cuda_runtime_api.h"

enum { EXIT_FINDING = 4, ALIGN_BYTES = 256, UNSET_BYTE = 0xff, SMALLEST_ELEMENT = 2, DEFAULT_CAPABILITY = 90 };

static Emu emu;
/* Each region's memory; it ends, as far as its alignment allows, where a page begins that nobody may touch. */
static Guarded block[EMU_MAX_REGION];
static int nmalloc;
static int capability;
static bool faulty; /* something was found */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static size_t smem_limit_of(int capability_times_10)
{
    static const int rows[][2] = { { 75, 64 }, { 80, 163 }, { 86, 99 }, { 89, 99 } }; /* KiB */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i][0] == capability_times_10)
            return (size_t)rows[i][1] << 10;
    return 227 << 10;
}

static int environment_number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atoi(text) : otherwise;
}

static void say_findings(void)
{
    char text[EMU_TEXT_BYTES];
    for (int i = 0; i < emu.nfinding; i++) {
        emu_describe(&emu.finding[i], text);
        fprintf(stderr, "emulator: %s\n", text);
    }
    if (emu.refusal[0])
        fprintf(stderr, "emulator: a kernel %s\n", emu.refusal);
    faulty |= emu.nfinding > 0;
    emu.nfinding = emu.nreport = 0;
    emu.refusal[0] = '\0';
}

static void end_program(void)
{
    say_findings();
    if (faulty) {
        fflush(NULL);
        _exit(EXIT_FINDING);
    }
}

static void begin_emulator(void)
{
    capability = environment_number("DCGEN_EMULATOR_CAPABILITY", DEFAULT_CAPABILITY);
    emu = (Emu){ .workers = environment_number("DCGEN_EMULATOR_WORKERS", 1),
                 .smem_limit = smem_limit_of(capability),
                 .block_budget = (int64_t)1 << 32 };
    if (capability > 0)
        emu_begin(&emu);
    atexit(end_program);
}

/* Is a stream being captured, when nothing may be waited for? */
static bool must_not_wait(void) { return dcgen_emu_is_capturing && dcgen_emu_is_capturing(); }

static bool have_device(void)
{
    pthread_once(&once, begin_emulator);
    return capability > 0;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = have_device();
    return *count ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return have_device() ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    if (!have_device() || device != 0)
        return cudaErrorInvalidDevice;
    const int rows[][2] = { { cudaDevAttrMultiProcessorCount, 1 },
                            { cudaDevAttrComputeCapabilityMajor, capability / 10 },
                            { cudaDevAttrComputeCapabilityMinor, capability % 10 },
                            { cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)emu.smem_limit } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i][0] == (int)attribute) {
            *value = rows[i][1];
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

cudaError_t cudaDeviceSynchronize(void)
{
    if (must_not_wait())
        return cudaErrorStreamCaptureUnsupported;
    if (!have_device())
        return cudaErrorNoDevice;
    say_findings();
    return faulty ? cudaErrorLaunchFailure : cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    static const struct {
        cudaError_t error;
        const char *text;
    } rows[] = {
        { cudaSuccess, "no error" },
        { cudaErrorInvalidValue, "invalid argument" },
        { cudaErrorMemoryAllocation, "out of memory" },
        { cudaErrorInvalidConfiguration, "invalid configuration argument" },
        { cudaErrorInvalidDeviceFunction, "invalid device function" },
        { cudaErrorNoDevice, "no CUDA-capable device is detected" },
        { cudaErrorInvalidDevice, "invalid device ordinal" },
        { cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device" },
        { cudaErrorLaunchFailure, "the emulator found a fault" },
        { cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].error == error)
            return rows[i].text;
    return "unrecognized error code";
}

cudaError_t cudaMalloc(void **p, size_t bytes)
{
    char name[32];
    *p = NULL;
    if (must_not_wait())
        return cudaErrorStreamCaptureUnsupported;
    if (!have_device())
        return cudaErrorNoDevice;
    if (bytes == 0)
        return cudaSuccess;
    Guarded *b = &block[emu.nregion];
    if (emu.nregion == EMU_MAX_REGION || !guarded_new(b, bytes, ALIGN_BYTES, SIDE_END))
        return cudaErrorMemoryAllocation;
    snprintf(name, sizeof name, "allocation %d", ++nmalloc);
    if (!emu_add_region(&emu, EMU_MEMORY, name, b->data, bytes, SMALLEST_ELEMENT)) {
        guarded_free(b);
        return cudaErrorMemoryAllocation;
    }
    memset(b->data, UNSET_BYTE, bytes);
    *p = b->data;
    return cudaSuccess;
}

cudaError_t cudaFree(void *p)
{
    if (!p)
        return cudaSuccess;
    for (int i = 0; i < emu.nregion; i++)
        if (block[i].data == p) {
            emu_remove_region(&emu, i);
            guarded_free(&block[i]);
            block[i] = block[emu.nregion];
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

/* False: the bytes are not in device memory. Some that nobody has written are a fault, which is said on stderr. */
static bool may_copy(const void *from, size_t bytes)
{
    const EmuRegion *r = emu_memory_of(from, bytes);
    const void *hole = r ? emu_unwritten(r, from, bytes) : NULL;
    if (!hole)
        return r;
    fprintf(stderr, "emulator: the host reads %s byte %zu, which nobody has written\n", r->name,
            (size_t)((uintptr_t)hole - r->base));
    faulty = true;
    return true;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    if (must_not_wait())
        return cudaErrorStreamCaptureUnsupported;
    if (!have_device())
        return cudaErrorNoDevice;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (bytes == 0)
        return cudaSuccess;
    if ((to_device && !emu_memory_of(to, bytes)) || (from_device && !may_copy(from, bytes)))
        return cudaErrorInvalidValue;
    memmove(to, from, bytes);
    dcgen_emu_written(to, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *p, int value, size_t bytes)
{
    if (must_not_wait())
        return cudaErrorStreamCaptureUnsupported;
    if (!have_device())
        return cudaErrorNoDevice;
    if (bytes == 0)
        return cudaSuccess;
    return emu_memory_of(p, bytes) ? cudaMemsetAsync(p, value, bytes, NULL) : cudaErrorInvalidValue;
}
