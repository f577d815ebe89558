/* SPDX-License-Identifier: Apache-2.0
 *
 * check: no kernel is timed before it has passed here. Each runs on operands that lie on multiples of 256 bytes, and on
 * operands that are aligned to an element only; each time twice, the first time on scratch memory of NaNs and on
 * counters that are zero, and both calls must give the same bits. It must write nothing but its output and that memory,
 * leave the counters zero, and be right
 * (search/runner/verify.c). After its last sample it is called once more: it must still give those bits. A result is
 * downloaded and compared with the reference, unless it has the very bits of an earlier one, of whatever kernel.
 * Digests (builtin.c) tell whether bytes are equal, also those that must not change.
 */
#include "search/runner/cuda/runner_cuda.h"

#include <math.h>
#include <stdlib.h>

enum { NAN_BYTE = 0xff };

/* Writes what is being done ("verifying <key>"), for the message if it goes wrong. */
static const char *activity_text(char text[WHY_BYTES], const char *verb, const Kernel *k)
{
    snprintf(text, WHY_BYTES, "%s %s", verb, k->key);
    return text;
}

static Span span_with_bands(const GpuBuffer *b) { return (Span){ b->base, b->total_bytes }; }

static uint64_t digest_of(Span span)
{
    uint64_t digest;
    builtin_digest(&span, 1, &digest);
    return digest;
}

static void digest_operands(const Check *c, Placement p, uint64_t *digest)
{
    Span span[OP_MAX_OPERAND];
    for (int i = 0; i < c->setup->noperand; i++)
        span[i] = c->setup->role[i] == ROLE_OUT ? (Span){ 0 } : span_with_bands(&c->operand[p][i]);
    builtin_digest(span, c->setup->noperand, digest);
}

static bool new_operands(Check *c)
{
    const Setup *setup = c->setup;
    for (int p = 0; p < PLACEMENTS; p++)
        for (int i = 0; i < setup->noperand; i++)
            if (!gpu_buffer_new(&c->operand[p][i], c->shape->bytes[i], p == SHIFTED ? setup->stored[i]->bytes : 0))
                return false;
    return true;
}

/* Puts inputs and bands in order, whatever was written there. It takes no memory, so that it cannot fail. */
static void put_operands(Check *c)
{
    for (int p = 0; p < PLACEMENTS; p++) {
        for (int i = 0; i < c->setup->noperand; i++) {
            gpu_buffer_reset(&c->operand[p][i]);
            if (c->setup->role[i] != ROLE_OUT)
                gpu_buffer_put(&c->operand[p][i], c->shape->operand[i].data);
        }
        digest_operands(c, (Placement)p, c->digest[p]);
    }
}

bool check_open(Check *c, Work *w, cudaStream_t stream)
{
    *c = (Check){ .work = w, .setup = w->setup, .shape = w->shape, .stream = stream };
    c->output = malloc(w->shape->bytes[w->setup->out] + 1);
    c->extra = calloc((size_t)w->nkernel, sizeof *c->extra);
    if (!c->output || !c->extra || !new_operands(c))
        return false;
    put_operands(c);
    return true;
}

static void extra_free(Extra *e)
{
    gpu_buffer_free(&e->packed);
    gpu_buffer_free(&e->scratch);
    gpu_buffer_free(&e->counters);
}

void check_close(Check *c)
{
    for (int i = 0; c->extra && i < c->work->nkernel; i++)
        extra_free(&c->extra[i]);
    for (int p = 0; p < PLACEMENTS; p++)
        for (int i = 0; i < OP_MAX_OPERAND; i++)
            gpu_buffer_free(&c->operand[p][i]);
    free(c->output);
    free(c->extra);
    *c = (Check){ 0 };
}

static bool check_traces(Check *c, Kernel *k, Placement p)
{
    uint64_t digest[OP_MAX_OPERAND];
    digest_operands(c, p, digest);
    for (int i = 0; i < c->setup->noperand; i++) {
        const bool out = c->setup->role[i] == ROLE_OUT;
        if ((out || digest[i] != c->digest[p][i]) && !gpu_buffer_intact(&c->operand[p][i]))
            return kernel_fail(k, STATUS_WRONG, "writes outside of operand %d", i);
        if (!out && digest[i] != c->digest[p][i])
            return kernel_fail(k, STATUS_WRONG, "changes operand %d, an input", i);
    }
    return true;
}

bool check_refused(Kernel *k, int code)
{
    if (code < 0)
        return kernel_accepts(k, code);
    return kernel_fail(k, STATUS_INVALID, "cannot be launched: %s (%s)", cudaGetErrorName((cudaError_t)code),
                       cudaGetErrorString((cudaError_t)code));
}

int check_launch(const Check *c, const Kernel *k, const Extra *e, Placement p)
{
    void *pointer[OP_MAX_OPERAND];
    for (int i = 0; i < OP_MAX_OPERAND; i++)
        pointer[i] = c->operand[p][i].data;
    if (k->pack)
        pointer[c->setup->constant] = e->packed.data;
    return gpu_launched(k->launch(c->shape->extent, pointer, e->scratch.data, e->counters.data, c->stream), k->key);
}

static bool pack_constant(Check *c, Kernel *k, Extra *e)
{
    char text[WHY_BYTES];
    void *operand[OP_MAX_OPERAND];
    for (int i = 0; i < OP_MAX_OPERAND; i++)
        operand[i] = c->operand[ALIGNED][i].data;
    if (!gpu_buffer_new(&e->packed, (size_t)k->packed_size, 0))
        return kernel_fail(k, STATUS_INVALID, "no memory for %lld packed bytes", (long long)k->packed_size);
    watchdog_arm(activity_text(text, "packing for", k));
    int code = k->pack(c->shape->extent, setup_to_pack(c->setup, operand), e->packed.data);
    gpu_wait(NULL, k->key);
    cudaGetLastError(); /* else a refused launch would be laid to the kernel's own */
    watchdog_disarm();
    if (code != 0)
        return kernel_fail(k, STATUS_INVALID, "dcgen_pack returns %d", code);
    if (!gpu_buffer_intact(&e->packed))
        return kernel_fail(k, STATUS_WRONG, "dcgen_pack writes outside of the packed operand");
    e->packed_digest = digest_of(span_with_bands(&e->packed));
    return check_traces(c, k, ALIGNED);
}

static bool run_once(Check *c, Kernel *k, Extra *e, Placement p, uint64_t *digest)
{
    char text[WHY_BYTES];
    GpuBuffer *out = &c->operand[p][c->setup->out];
    if (c->shape->apart[c->setup->out].rank || c->shape->before) {
        output_clear(c->setup, c->shape, c->output);
        gpu_buffer_put(out, c->output);
    } else {
        gpu_buffer_fill(out, NAN_BYTE);
    }
    watchdog_arm_long(activity_text(text, "starting", k)); /* the first call loads the kernel's code */
    int code = check_launch(c, k, e, p);
    watchdog_arm(activity_text(text, "verifying", k));
    gpu_wait(c->stream, text);
    watchdog_disarm();
    *digest = digest_of((Span){ out->data, out->bytes });
    return code == 0 || check_refused(k, code);
}

/* The largest error of a result with that digest, if one was found right before; -1: none was. */
static double known_error(const Shape *s, uint64_t digest)
{
    for (int i = 0; i < s->nknown && i < MAX_KNOWN; i++)
        if (s->known[i].digest == digest)
            return s->known[i].max_err;
    return -1;
}

/* Checks a result with that digest. Many kernels add up in the same order: equal bits are compared once. */
static bool check_output(Check *c, Kernel *k, Placement p, uint64_t digest)
{
    Shape *s = c->shape;
    const double before = k->max_err, known = known_error(s, digest);
    k->max_err = fmax(0, known);
    if (known < 0) {
        gpu_buffer_get(&c->operand[p][c->setup->out], c->output);
        if (!kernel_check_output(k, c->setup, s, c->output))
            return false;
        const int place = s->nknown++ % MAX_KNOWN;
        s->known[place].digest = digest;
        s->known[place].max_err = k->max_err;
    }
    k->max_err = fmax(before, k->max_err);
    return true;
}

static bool check_extra(Kernel *k, const Extra *e)
{
    if (!gpu_buffer_intact(&e->scratch) || !gpu_buffer_intact(&e->counters))
        return kernel_fail(k, STATUS_WRONG, "writes outside of its scratch memory or counters");
    if (e->counters.data && digest_of(span_with_bands(&e->counters)) != e->zero_digest)
        return kernel_fail(k, STATUS_WRONG, "leaves counters that are not zero");
    if (!e->packed.data || digest_of(span_with_bands(&e->packed)) == e->packed_digest)
        return true;
    return gpu_buffer_intact(&e->packed) ? kernel_fail(k, STATUS_WRONG, "changes the packed operand")
                                         : kernel_fail(k, STATUS_WRONG, "writes outside of the packed operand");
}

/* Calls the kernel once more: its result must have that digest, or `other` says what is wrong. */
static bool run_again(Check *c, Kernel *k, Extra *e, Placement p, uint64_t want, const char *other)
{
    uint64_t digest;
    if (!run_once(c, k, e, p, &digest))
        return false;
    if (digest != want) /* a wrong element says more than a difference does */
        return check_output(c, k, p, digest) && kernel_fail(k, STATUS_WRONG, "%s", other);
    return check_traces(c, k, p) && check_extra(k, e);
}

static bool run_twice(Check *c, Kernel *k, Extra *e, Placement p)
{
    uint64_t first;
    gpu_buffer_fill(&e->scratch, NAN_BYTE);
    gpu_buffer_fill(&e->counters, 0);
    if (e->counters.data)
        e->zero_digest = digest_of(span_with_bands(&e->counters));
    if (!run_once(c, k, e, p, &first) || !check_output(c, k, p, first))
        return false;
    if (p == ALIGNED)
        e->output_digest = first;
    return run_again(c, k, e, p, first, "a second call on the same data gives other bits");
}

static bool load_and_check(Check *c, Kernel *k, Extra *e)
{
    char text[WHY_BYTES];
    watchdog_arm_long(activity_text(text, "loading", k));
    gpu_keep_code(k->so);
    const bool loaded = kernel_load(k, "dcgen_launch");
    watchdog_disarm();
    if (!loaded || !kernel_sizes(k, c->setup, c->shape, 1))
        return false;
    if (k->pack && !pack_constant(c, k, e))
        return false;
    if (!gpu_buffer_new(&e->scratch, (size_t)k->scratch_bytes, 0) ||
        !gpu_buffer_new(&e->counters, (size_t)k->counter_bytes, 0))
        return kernel_fail(k, STATUS_INVALID, "no memory for %lld bytes of scratch memory and counters",
                           (long long)(k->scratch_bytes + k->counter_bytes));
    return run_twice(c, k, e, ALIGNED) && (k->aligned || run_twice(c, k, e, SHIFTED));
}

/* Frees what a kernel kept, and mends inputs and bands if it may have written to them. Returns false. */
static bool give_up(Check *c, const Kernel *k, Extra *e)
{
    extra_free(e);
    if (k->status == STATUS_WRONG)
        put_operands(c);
    return false;
}

bool check_kernel(Check *c, Kernel *k, Extra *e)
{
    cudaGetLastError(); /* what failed before, and mattered to nobody, is not this kernel's */
    return load_and_check(c, k, e) || give_up(c, k, e);
}

bool check_once_more(Check *c, Kernel *k, Extra *e)
{
    char why[WHY_BYTES];
    if (run_again(c, k, e, ALIGNED, e->output_digest, "gives other bits"))
        return true;
    snprintf(why, sizeof why, "%s", k->why);
    kernel_fail(k, k->status, "right at first, but not when it had been timed: %s", why);
    return give_up(c, k, e);
}
