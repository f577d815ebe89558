/* SPDX-License-Identifier: Apache-2.0 */
#include "search/runner/cuda/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "search/runner/cuda/watchdog.h"

enum { NAN_BYTE = 0xff };

static void arm(const Kernel *k, const char *doing)
{
    char what[WHY_BYTES];
    snprintf(what, sizeof what, "%s %s", doing, k->key);
    watchdog_arm(what);
}

static void wait_for(const Check *c, const Kernel *k, const char *doing)
{
    char what[WHY_BYTES];
    snprintf(what, sizeof what, "%s %s", doing, k->key);
    gpu_wait(c->stream, what);
    watchdog_disarm();
}

/* ---- operands */

static bool put_operands(Check *c)
{
    const Setup *setup = c->setup;
    for (int p = 0; p < PLACEMENTS; p++)
        for (int i = 0; i < setup->noperand; i++) {
            GpuBuffer *b = &c->operand[p][i];
            if (!gpu_buffer_new(b, c->shape->bytes[i], p == SHIFTED ? setup->dtype[i]->bytes : 0))
                return false;
            if (setup->role[i] != OUT)
                gpu_buffer_put(b, c->shape->operand[i].data);
        }
    return true;
}

static void free_operands(Check *c)
{
    for (int p = 0; p < PLACEMENTS; p++)
        for (int i = 0; i < MAX_OPERAND; i++)
            gpu_buffer_free(&c->operand[p][i]);
}

bool check_open(Check *c, const Setup *setup, Shape *shape, cudaStream_t stream)
{
    size_t largest = 1;
    *c = (Check){ .setup = setup, .shape = shape, .stream = stream };
    for (int i = 0; i < setup->noperand; i++)
        largest = shape->bytes[i] > largest ? shape->bytes[i] : largest;
    c->scratch = malloc(largest);
    for (int i = 0; i < 2; i++)
        c->output[i] = malloc(shape->bytes[setup->out]);
    return c->scratch && c->output[0] && c->output[1] && put_operands(c);
}

void check_close(Check *c)
{
    free_operands(c);
    free(c->scratch);
    free(c->output[0]);
    free(c->output[1]);
    *c = (Check){ 0 };
}

void extra_free(Extra *e)
{
    gpu_buffer_free(&e->packed);
    gpu_buffer_free(&e->workspace);
}

/* Whether all but output and workspace are as they were. */
static bool check_traces(Check *c, Kernel *k, Placement p)
{
    for (int i = 0; i < c->setup->noperand; i++) {
        const GpuBuffer *b = &c->operand[p][i];
        if (!gpu_buffer_intact(b))
            return kernel_fail(k, STATUS_WRONG, "writes outside of operand %d", i);
        if (c->setup->role[i] != OUT && !gpu_buffer_equals(b, c->shape->operand[i].data, c->scratch))
            return kernel_fail(k, STATUS_WRONG, "changes operand %d, an input", i);
    }
    return true;
}

/* ---- one kernel */

bool check_refused(Kernel *k, int code)
{
    if (code < 0 && k->say_why)
        return kernel_fail(k, STATUS_INVALID, "%s", k->say_why(code));
    if (code < 0)
        return kernel_fail(k, STATUS_INVALID, "refuses these extents (%d)", code);
    return kernel_fail(k, STATUS_INVALID, "cannot be launched: %s (%s)", cudaGetErrorName((cudaError_t)code),
                       cudaGetErrorString((cudaError_t)code));
}

int check_launch(const Check *c, const Kernel *k, const Extra *e, Placement p)
{
    void *pointer[MAX_OPERAND];
    for (int i = 0; i < MAX_OPERAND; i++)
        pointer[i] = c->operand[p][i].data;
    if (k->pack)
        pointer[c->setup->constant] = e->packed.data;
    int code = k->launch(c->shape->extent, pointer, e->workspace.data, c->stream);
    cudaError_t unsaid = cudaGetLastError(); /* a launch that failed without saying so */
    code = code == 0 ? (int)unsaid : code;
    if (code > 0)
        gpu_check((cudaError_t)code, k->key);
    return code;
}

/* The packed operand as dcgen_pack made it stays in *packed, to see later whether a kernel changes it. */
static bool pack(Check *c, Kernel *k, Extra *e, char **packed)
{
    GpuBuffer *w = &c->operand[ALIGNED][c->setup->constant];
    *packed = malloc((size_t)k->packed_size);
    if (!*packed || !gpu_buffer_new(&e->packed, (size_t)k->packed_size, 0))
        return kernel_fail(k, STATUS_INVALID, "no memory for %lld packed bytes", (long long)k->packed_size);
    arm(k, "packing for");
    int code = k->pack(c->shape->extent, w->data, e->packed.data);
    gpu_wait(NULL, k->key);
    watchdog_disarm();
    if (code != 0)
        return kernel_fail(k, STATUS_INVALID, "dcgen_pack returns %d", code);
    if (!gpu_buffer_intact(&e->packed))
        return kernel_fail(k, STATUS_WRONG, "dcgen_pack writes outside of the packed operand");
    gpu_buffer_get(&e->packed, *packed);
    return check_traces(c, k, ALIGNED);
}

static bool run_once(Check *c, Kernel *k, Extra *e, Placement p, char *result)
{
    GpuBuffer *out = &c->operand[p][c->setup->out];
    gpu_buffer_fill(out, NAN_BYTE);
    arm(k, "verifying");
    int code = check_launch(c, k, e, p);
    wait_for(c, k, "verifying");
    gpu_buffer_get(out, result);
    return code == 0 || check_refused(k, code);
}

/* packed: NULL, or what the packed operand must still be. */
static bool check_extra(Kernel *k, const Extra *e, const char *packed)
{
    if (!gpu_buffer_intact(&e->workspace))
        return kernel_fail(k, STATUS_WRONG, "writes outside of the workspace");
    if (!packed)
        return true;
    if (!gpu_buffer_intact(&e->packed))
        return kernel_fail(k, STATUS_WRONG, "writes outside of the packed operand");
    char *now = malloc(e->packed.bytes);
    bool same = now && gpu_buffer_equals(&e->packed, packed, now);
    free(now);
    return same || kernel_fail(k, STATUS_WRONG, "changes the packed operand");
}

static bool run_twice(Check *c, Kernel *k, Extra *e, Placement p, const char *packed)
{
    const size_t bytes = c->shape->bytes[c->setup->out];
    gpu_buffer_fill(&e->workspace, 0);
    if (!run_once(c, k, e, p, c->output[0]) || !kernel_check_output(k, c->setup, c->shape, c->output[0]) ||
        !run_once(c, k, e, p, c->output[1]))
        return false;
    if (memcmp(c->output[0], c->output[1], bytes) != 0) {
        /* A wrong element says more than a difference does. */
        return kernel_check_output(k, c->setup, c->shape, c->output[1]) &&
               kernel_fail(k, STATUS_WRONG, "a second call on the same data gives other bits");
    }
    return check_traces(c, k, p) && check_extra(k, e, packed);
}

static bool check(Check *c, Kernel *k, Extra *e, char **packed)
{
    if (!kernel_load(k, "dcgen_launch") || !kernel_sizes(k, c->setup, c->shape))
        return false;
    if (k->pack && !pack(c, k, e, packed))
        return false;
    if (!gpu_buffer_new(&e->workspace, (size_t)k->workspace_bytes, 0))
        return kernel_fail(k, STATUS_INVALID, "no memory for %lld bytes of workspace", (long long)k->workspace_bytes);
    return run_twice(c, k, e, ALIGNED, *packed) && (k->aligned || run_twice(c, k, e, SHIFTED, *packed));
}

bool check_kernel(Check *c, Kernel *k, Extra *e)
{
    char *packed = NULL;
    k->status = STATUS_OK;
    k->max_err = 0;
    bool good = check(c, k, e, &packed);
    free(packed);
    if (good)
        return true;
    extra_free(e);
    if (k->status == STATUS_WRONG) { /* inputs and bands may have been written to */
        free_operands(c);
        if (!put_operands(c))
            kernel_fail(k, STATUS_INVALID, "no memory for the operands");
    }
    return false;
}
