/* SPDX-License-Identifier: MIT-0
 *
//@ about
 *
 * Calls of the model that were captured as CUDA graphs, and are launched again for the same arguments.
 */
#include "PACKAGE_model.h"

#include <cuda_runtime_api.h>
#include <string.h>

/* Are they of the same arguments? All bytes of an entry are set, those between its members too. */
static int PACKAGE_is_same_call(const PACKAGE_kept *x, const PACKAGE_kept *y)
{
    const size_t at = offsetof(PACKAGE_kept, model);
    return memcmp((const char *)x + at, (const char *)y + at, sizeof *x - at) == 0;
}

static int PACKAGE_queue_call(const PACKAGE_kept *k, const PACKAGE_exec *exec, struct CUstream_st *stream)
{
    return PACKAGE_run(k->model, &k->dims,
#if NINPUT
                       &k->inputs,
#endif
#if NSTATE
                       &k->state,
#endif
                       &k->outputs, k->workspace, exec, stream);
}

/* Captures the call, which was queued before: its kernels are loaded. */
static int PACKAGE_capture_call(PACKAGE_kept *k, struct CUstream_st *stream)
{
    const PACKAGE_exec exec = { .kernel = (int)k->kernel };
    cudaGraph_t graph = NULL;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess)
        return PACKAGE_CUDA_ERROR;
    int code = PACKAGE_queue_call(k, &exec, stream);
    if (cudaStreamEndCapture(stream, &graph) != cudaSuccess && code == PACKAGE_OK)
        code = PACKAGE_CUDA_ERROR;
    if (code == PACKAGE_OK && cudaGraphInstantiateWithFlags(&k->graph, graph, 0) != cudaSuccess)
        code = PACKAGE_CUDA_ERROR;
    if (graph)
        cudaGraphDestroy(graph);
    return code;
}

/* Puts an entry at the front of those before place `last`, whose entry is overwritten. */
static void PACKAGE_put_call_first(PACKAGE_kept *kept, int last, const PACKAGE_kept *entry)
{
    memmove(kept + 1, kept, (size_t)last * sizeof *kept);
    memcpy(kept, entry, sizeof *kept);
}

int PACKAGE_run_kept(PACKAGE_kept *kept, int n, const PACKAGE_model *model, const PACKAGE_dims *dims,
#if NINPUT
                     const PACKAGE_inputs *inputs,
#endif
#if NSTATE
                     const PACKAGE_state *state,
#endif
                     const PACKAGE_outputs *outputs, void *workspace, const PACKAGE_exec *exec, struct CUstream_st *stream)
{
    PACKAGE_kept call;
    int i = 0, code;
    if ((!kept && n > 0) || !dims || !outputs)
        return PACKAGE_BAD_POINTER;
#if NINPUT
    if (!inputs)
        return PACKAGE_BAD_POINTER;
#endif
#if NSTATE
    if (!state)
        return PACKAGE_BAD_POINTER;
#endif
    memset(&call, 0, sizeof call);
    call.model = model;
    call.workspace = workspace;
    call.dims = *dims;
#if NINPUT
    call.inputs = *inputs;
#endif
#if NSTATE
    call.state = *state;
#endif
    call.outputs = *outputs;
    call.kernel = exec ? exec->kernel : 0;
    while (i < n && kept[i].graph && !PACKAGE_is_same_call(&kept[i], &call))
        i++;
    if (i < n && kept[i].graph) {
        memcpy(&call, &kept[i], sizeof call);
        PACKAGE_put_call_first(kept, i, &call);
        return cudaGraphLaunch(call.graph, stream) == cudaSuccess ? PACKAGE_OK : PACKAGE_CUDA_ERROR;
    }
    code = PACKAGE_queue_call(&call, exec, stream);
    if (code == PACKAGE_OK && n > 0)
        code = PACKAGE_capture_call(&call, stream);
    if (code != PACKAGE_OK || n <= 0)
        return code;
    i = i < n ? i : n - 1;
    if (kept[i].graph)
        cudaGraphExecDestroy(kept[i].graph);
    PACKAGE_put_call_first(kept, i, &call);
    return PACKAGE_OK;
}

void PACKAGE_kept_free(PACKAGE_kept *kept, int n)
{
    for (int i = 0; i < n; i++)
        if (kept[i].graph)
            cudaGraphExecDestroy(kept[i].graph);
    memset(kept, 0, (size_t)n * sizeof *kept);
}
