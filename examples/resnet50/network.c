/* SPDX-License-Identifier: MIT-0
 *
 * network: a call for each layer, and the memory between them: four buffers, each as large as the largest output, and one workspace for all calls.
 */
#include "network.h"

#include <stdlib.h>
#include <string.h>
#include "resnet50_sizes.h"
#include "resnet50_sizes_pool.h"

struct Resnet50 {
    int64_t batch;
    Resnet50Layer layer[RESNET50_LAYERS];
    Resnet50Weights weights[RESNET50_LAYERS];
    void *packed[RESNET50_LAYERS];
    float *buffer[4];
    void *workspace; /* NULL: no call needs one */
    resnet50_sizes_pool *pool;
    resnet50_sizes_exec exec;
};

/* What packs the filters of each kind of layer. */
typedef size_t PackedBytes(int64_t G, int64_t C, int64_t K, int64_t R, int64_t S);
typedef int Pack(int64_t G, int64_t C, int64_t K, int64_t R, int64_t S, const float *F, void *packed);

static const struct {
    PackedBytes *bytes;
    Pack *pack;
} packers[] = {
    [RESNET50_STEM] = { resnet50_sizes_stem_packed_bytes, resnet50_sizes_stem_pack },
    [RESNET50_REDUCE] = { resnet50_sizes_reduce_packed_bytes, resnet50_sizes_reduce_pack },
    [RESNET50_SPATIAL] = { resnet50_sizes_spatial_packed_bytes, resnet50_sizes_spatial_pack },
    [RESNET50_HALVE] = { resnet50_sizes_halve_packed_bytes, resnet50_sizes_halve_pack },
    [RESNET50_EXPAND] = { resnet50_sizes_expand_packed_bytes, resnet50_sizes_expand_pack },
    [RESNET50_SHORTCUT] = { resnet50_sizes_shortcut_packed_bytes, resnet50_sizes_shortcut_pack },
};

static void *memory(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }

static void *packed(const Resnet50Layer *l, const float *filters)
{
    const size_t bytes = packers[l->kind].bytes(1, l->C, l->K, l->size, l->size);
    void *p = bytes ? memory(bytes) : NULL;
    if (p && packers[l->kind].pack(1, l->C, l->K, l->size, l->size, filters, p) != resnet50_sizes_OK) {
        free(p);
        return NULL;
    }
    return p;
}

static size_t workspace_bytes(const Resnet50 *net, const Resnet50Layer *l)
{
    const int64_t N = net->batch, H = l->side, C = l->C, K = l->K, R = l->size, D = l->stride;
    const resnet50_sizes_exec *exec = &net->exec;
    switch (l->kind) {
    case RESNET50_STEM: return resnet50_sizes_stem_workspace_bytes(N, 1, H, H, C, K, R, R, exec);
    case RESNET50_REDUCE: return resnet50_sizes_reduce_workspace_bytes(N, 1, H, H, C, K, R, R, exec);
    case RESNET50_SPATIAL: return resnet50_sizes_spatial_workspace_bytes(N, 1, H, H, C, K, R, R, exec);
    case RESNET50_HALVE: return resnet50_sizes_halve_workspace_bytes(N, 1, H, H, C, K, R, R, exec);
    case RESNET50_EXPAND: return resnet50_sizes_expand_workspace_bytes(N, 1, H, H, C, K, R, R, exec);
    case RESNET50_SHORTCUT: return resnet50_sizes_shortcut_workspace_bytes(N, 1, H, H, C, K, R, R, D, D, exec);
    }
    return 0;
}

/* y = layer i of x; residual is added by the layers named expand. */
static int convolution(const Resnet50 *net, int i, const float *x, const float *residual, float *y)
{
    const Resnet50Layer *l = &net->layer[i];
    const int64_t N = net->batch, H = l->side, C = l->C, K = l->K, R = l->size, D = l->stride;
    const float *scale = net->weights[i].scale, *shift = net->weights[i].shift;
    const void *F = net->packed[i];
    void *workspace = net->workspace;
    const resnet50_sizes_exec *exec = &net->exec;
    switch (l->kind) {
    case RESNET50_STEM: return resnet50_sizes_stem(N, 1, H, H, C, K, R, R, x, F, scale, shift, y, workspace, exec);
    case RESNET50_REDUCE: return resnet50_sizes_reduce(N, 1, H, H, C, K, R, R, x, F, scale, shift, y, workspace, exec);
    case RESNET50_SPATIAL: return resnet50_sizes_spatial(N, 1, H, H, C, K, R, R, x, F, scale, shift, y, workspace, exec);
    case RESNET50_HALVE: return resnet50_sizes_halve(N, 1, H, H, C, K, R, R, x, F, scale, shift, y, workspace, exec);
    case RESNET50_EXPAND: return resnet50_sizes_expand(N, 1, H, H, C, K, R, R, x, F, scale, shift, residual, y, workspace, exec);
    case RESNET50_SHORTCUT: return resnet50_sizes_shortcut(N, 1, H, H, C, K, R, R, D, D, x, F, scale, shift, y, workspace, exec);
    }
    return resnet50_sizes_BAD_EXTENT;
}

void resnet50_free(Resnet50 *net)
{
    if (!net)
        return;
    resnet50_sizes_pool_stop(net->pool);
    for (int i = 0; i < RESNET50_LAYERS; i++)
        free(net->packed[i]);
    for (int i = 0; i < 4; i++)
        free(net->buffer[i]);
    free(net->workspace);
    free(net);
}

/* 0, or -1: no memory. */
static int take_memory(Resnet50 *net)
{
    size_t elems = 0, workspace = 0;
    int missing = 0;
    for (int i = 0; i < RESNET50_LAYERS; i++) {
        const Resnet50Layer *l = &net->layer[i];
        const size_t n = (size_t)net->batch * (size_t)l->out * (size_t)l->out * (size_t)l->K, bytes = workspace_bytes(net, l);
        elems = n > elems ? n : elems;
        workspace = bytes > workspace ? bytes : workspace;
        net->packed[i] = packed(l, net->weights[i].filters);
        missing |= !net->packed[i];
    }
    for (int i = 0; i < 4; i++) {
        net->buffer[i] = memory(elems * sizeof(float));
        missing |= !net->buffer[i];
    }
    net->workspace = workspace ? memory(workspace) : NULL;
    return missing || (workspace && !net->workspace) ? -1 : 0;
}

Resnet50 *resnet50_new(int batch, int pixels, int threads, const Resnet50Weights *weights)
{
    Resnet50 *net = calloc(1, sizeof *net);
    if (!net)
        return NULL;
    net->batch = batch;
    resnet50_layers(pixels, net->layer);
    memcpy(net->weights, weights, sizeof net->weights);
    if (threads > 1 && (net->pool = resnet50_sizes_pool_start(threads)))
        net->exec = (resnet50_sizes_exec){ .threads = threads, .parallel_for = resnet50_sizes_pool_run, .ctx = net->pool };
    if ((threads < 2 || net->pool) && take_memory(net) == 0)
        return net;
    resnet50_free(net);
    return NULL;
}

/* y = the largest of each 3 x 3 pixels of x, channel by channel, with stride 2; what lies outside an image does not count. */
static void max_pooling(int64_t images, int side, int C, const float *x, float *y)
{
    const int out = resnet50_pooled(side);
    for (int64_t n = 0; n < images; n++, x += (int64_t)side * side * C)
        for (int p = 0; p < out; p++)
            for (int q = 0; q < out; q++, y += C) {
                memcpy(y, x + ((int64_t)2 * p * side + 2 * q) * C, (size_t)C * sizeof *y);
                for (int h = 2 * p - 1; h <= 2 * p + 1; h++)
                    for (int w = 2 * q - 1; w <= 2 * q + 1; w++) {
                        if (h < 0 || h >= side || w < 0 || w >= side)
                            continue;
                        const float *pixel = x + ((int64_t)h * side + w) * C;
                        for (int c = 0; c < C; c++)
                            y[c] = pixel[c] > y[c] ? pixel[c] : y[c];
                    }
            }
}

/* x is what the block reads, and what its last layer adds: in the first block of a stage, its shortcut. The next block's input takes the place of x. */
int resnet50_run(const Resnet50 *net, const float *images, float *y)
{
    float *x = net->buffer[0], *next = net->buffer[1], *reduced = net->buffer[2], *filtered = net->buffer[3];
    int code = convolution(net, 0, images, NULL, next);
    if (code == resnet50_sizes_OK)
        max_pooling(net->batch, net->layer[0].out, net->layer[0].K, next, x);
    for (int i = 1; i < RESNET50_LAYERS && code == resnet50_sizes_OK; i++) {
        const Resnet50Kind kind = net->layer[i].kind;
        if (kind == RESNET50_REDUCE) {
            code = convolution(net, i, x, NULL, reduced);
        } else if (kind == RESNET50_SPATIAL || kind == RESNET50_HALVE) {
            code = convolution(net, i, reduced, NULL, filtered);
        } else {
            float *to = i == RESNET50_LAYERS - 1 ? y : next;
            code = kind == RESNET50_SHORTCUT ? convolution(net, i, x, NULL, to) : convolution(net, i, filtered, x, to);
            next = x;
            x = to;
        }
    }
    return code;
}
