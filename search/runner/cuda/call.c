/* SPDX-License-Identifier: Apache-2.0
 *
 * call: puts the input on the GPU, starts the one call, looks for stray writes, and fetches the output.
 */
#include "search/runner/cuda/call.h"

#include <stdlib.h>
#include <string.h>
#include "search/runner/cuda/check.h"
#include "search/runner/cuda/gpu.h"
#include "search/runner/cuda/watchdog.h"

enum { NAN_BYTE = 0xff };

typedef enum { IN, OUT, WORKSPACE, BUFFERS } Place;

static bool buffers_new(GpuBuffer b[BUFFERS], const Call *c)
{
    const size_t bytes[BUFFERS] = { c->in_bytes, c->out_bytes, (size_t)c->kernel.workspace_bytes };
    for (int i = 0; i < BUFFERS; i++)
        if (!gpu_buffer_new(&b[i], bytes[i], 0))
            return false;
    gpu_buffer_put(&b[IN], c->in);
    gpu_buffer_fill(&b[OUT], NAN_BYTE);
    gpu_buffer_fill(&b[WORKSPACE], 0);
    return true;
}

static int launch(const Call *c, const GpuBuffer b[BUFFERS], cudaStream_t stream)
{
    void *const operand[OP_MAX_OPERAND] = { b[IN].data, b[OUT].data };
    watchdog_arm(c->kernel.key);
    const int code = gpu_launched(c->kernel.launch(c->extent, operand, b[WORKSPACE].data, stream), c->kernel.key);
    gpu_wait(stream, c->kernel.key);
    watchdog_disarm();
    return code;
}

static bool input_unchanged(const Call *c, const GpuBuffer b[BUFFERS])
{
    void *now = malloc(c->in_bytes);
    if (now)
        gpu_buffer_get(&b[IN], now);
    const bool same = now && memcmp(now, c->in, c->in_bytes) == 0;
    free(now);
    return same;
}

static bool run(Call *c, const GpuBuffer b[BUFFERS], cudaStream_t stream)
{
    Kernel *k = &c->kernel;
    const int code = launch(c, b, stream);
    if (code != 0)
        return check_refused(k, code);
    for (int i = 0; i < BUFFERS; i++)
        if (!gpu_buffer_intact(&b[i]))
            return kernel_fail(k, STATUS_WRONG, "writes outside of its output and workspace");
    if (!input_unchanged(c, b))
        return kernel_fail(k, STATUS_WRONG, "changes its input");
    gpu_buffer_get(&b[OUT], c->out);
    return true;
}

bool gpu_call(Call *c, cudaStream_t stream)
{
    GpuBuffer b[BUFFERS] = { 0 };
    bool good = call_load(c) && (buffers_new(b, c) || kernel_fail(&c->kernel, STATUS_INVALID, "no memory"));
    good = good && run(c, b, stream);
    for (int i = 0; i < BUFFERS; i++)
        gpu_buffer_free(&b[i]);
    return good;
}
