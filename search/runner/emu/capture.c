/* SPDX-License-Identifier: Apache-2.0
 *
 * capture: CUDA graphs as templates/device/emulator/cuda_runtime_api.h declares them, for programs that are linked with
 * the emulator. A graph is the list of the launches that a stream was given while it was captured, each with a copy of
 * its arguments; to launch the graph is to make them again. One stream at a time is captured, and of what it is given
 * launches alone: all else is done at once.
 */
#include <stdlib.h>
#include <string.h>
#include "templates/device/emulator/cuda_runtime_api.h"

typedef void Call(void *kernel, const void *args);

/* search/runner/emu/launch.c */
int dcgen_emu_launch(Call *call, void *kernel, const void *args, const unsigned *grid, unsigned cluster,
                     const unsigned *block, size_t smem_bytes);

enum { ARGS_ALIGN = 64 }; /* of tensor maps */

typedef struct Launch {
    struct Launch *next;
    Call *call;
    void *kernel, *args;
    unsigned grid[3], block[3], cluster;
    size_t smem_bytes;
} Launch;

struct CUgraph_st {
    Launch *first, **end;
};
/* It has its graph's launches from then on; the graph has none. */
struct CUgraphExec_st {
    Launch *first;
};

static cudaStream_t captured; /* NULL: none is */
static struct CUgraph_st *graph;

int dcgen_emu_is_capturing(void) { return captured != NULL; }

int dcgen_emu_capture(cudaStream_t stream, Call *call, void *kernel, const void *args, size_t args_bytes,
                      const unsigned *grid, unsigned cluster, const unsigned *block, size_t smem_bytes)
{
    if (!captured || stream != captured)
        return 0;
    Launch *l = calloc(1, sizeof *l);
    void *copy = aligned_alloc(ARGS_ALIGN, (args_bytes + ARGS_ALIGN - 1) / ARGS_ALIGN * ARGS_ALIGN);
    if (!l || !copy)
        abort();
    *l = (Launch){ .call = call, .kernel = kernel, .args = copy, .cluster = cluster, .smem_bytes = smem_bytes };
    memcpy(l->args, args, args_bytes);
    memcpy(l->grid, grid, sizeof l->grid);
    memcpy(l->block, block, sizeof l->block);
    *graph->end = l;
    graph->end = &l->next;
    return 1;
}

static void forget(Launch *l)
{
    while (l) {
        Launch *const next = l->next;
        free(l->args);
        free(l);
        l = next;
    }
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = malloc(1);
    return *stream ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    (void)mode;
    if (!stream || captured)
        return cudaErrorStreamCaptureUnsupported;
    graph = calloc(1, sizeof *graph);
    if (!graph)
        return cudaErrorMemoryAllocation;
    graph->end = &graph->first;
    captured = stream;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *captured_graph)
{
    *captured_graph = NULL;
    if (!captured || stream != captured)
        return cudaErrorStreamCaptureUnsupported;
    *captured_graph = graph;
    captured = NULL;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t of, unsigned long long flags)
{
    (void)flags;
    *exec = malloc(sizeof **exec);
    if (!*exec)
        return cudaErrorMemoryAllocation;
    (*exec)->first = of->first;
    of->first = NULL;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    int code = 0;
    (void)stream;
    for (const Launch *l = exec->first; l && code == 0; l = l->next)
        code = dcgen_emu_launch(l->call, l->kernel, l->args, l->grid, l->cluster, l->block, l->smem_bytes);
    return (cudaError_t)code;
}

cudaError_t cudaGraphDestroy(cudaGraph_t unused)
{
    forget(unused->first);
    free(unused);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    forget(exec->first);
    free(exec);
    return cudaSuccess;
}
