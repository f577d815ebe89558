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

typedef struct {
    GpuBuffer in, out, workspace;
} Place;

static bool place_new(Place *p, const Call *c)
{
    if (!gpu_buffer_new(&p->in, c->in_bytes, 0) || !gpu_buffer_new(&p->out, c->out_bytes, 0) ||
        !gpu_buffer_new(&p->workspace, (size_t)c->kernel.workspace_bytes, 0))
        return false;
    gpu_buffer_put(&p->in, c->in);
    gpu_buffer_fill(&p->out, NAN_BYTE);
    gpu_buffer_fill(&p->workspace, 0);
    return true;
}

static void place_free(Place *p)
{
    gpu_buffer_free(&p->in);
    gpu_buffer_free(&p->out);
    gpu_buffer_free(&p->workspace);
}

static int launch(const Call *c, const Place *p, cudaStream_t stream)
{
    void *const operand[OP_MAX_OPERAND] = { p->in.data, p->out.data };
    watchdog_arm(c->kernel.key);
    const int code = c->kernel.launch(c->extent, operand, p->workspace.data, stream);
    const cudaError_t unsaid = cudaGetLastError(); /* a launch that failed without saying so */
    gpu_check((cudaError_t)(code > 0 ? code : (int)unsaid), c->kernel.key);
    gpu_wait(stream, c->kernel.key);
    watchdog_disarm();
    return code ? code : (int)unsaid;
}

static bool input_unchanged(const Call *c, const Place *p)
{
    void *now = malloc(c->in_bytes);
    if (now)
        gpu_buffer_get(&p->in, now);
    const bool same = now && memcmp(now, c->in, c->in_bytes) == 0;
    free(now);
    return same;
}

static bool run(Call *c, const Place *p, cudaStream_t stream)
{
    Kernel *k = &c->kernel;
    const int code = launch(c, p, stream);
    if (code != 0)
        return check_refused(k, code);
    if (!gpu_buffer_intact(&p->in) || !gpu_buffer_intact(&p->out) || !gpu_buffer_intact(&p->workspace))
        return kernel_fail(k, STATUS_WRONG, "writes outside of its output and workspace");
    if (!input_unchanged(c, p))
        return kernel_fail(k, STATUS_WRONG, "changes its input");
    gpu_buffer_get(&p->out, c->out);
    return true;
}

bool gpu_call(Call *c, cudaStream_t stream)
{
    Place p = { 0 };
    bool good = call_load(c) && (place_new(&p, c) || kernel_fail(&c->kernel, STATUS_INVALID, "no memory"));
    good = good && run(c, &p, stream);
    place_free(&p);
    return good;
}
