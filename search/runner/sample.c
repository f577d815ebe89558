/* SPDX-License-Identifier: Apache-2.0
 *
 * sample: calls of one kernel of CPU code, timed. A sample is as many calls as last Timing.sample_ns, taken in slices
 * of 20 us or of one call; what counts is the fastest slice.
 */
#include "search/runner/runner.h"

#include <math.h>
#include <string.h>
#include <stdatomic.h>
#include "gen/base/flush.h"
#include "gen/base/process.h"
#include "templates/package/pieces.h"
#include "templates/package/pool.h"

static const double WARM_NS = 1e6;   /* what calls before the first sample take: caches and branch predictors settle */
static const double LONG_NS = 5e6;   /* a call that lasts longer is warm enough by itself to be a sample */
static const double MAX_CALLS = 1e6; /* calls of a sample: even those of 1 ns then end within 1 ms */
static const double SLICE_NS = 2e4;  /* reading the clock twice takes 0.3 % of a slice */

/* A call cut into pieces that its threads take one after the other, as NAME_part in templates/package/kernels.c. */
typedef struct {
    dcgen_run_fn *run;
    const int64_t *extent;
    void *const *operand;
    void *scratch;
    int npiece;
    atomic_int next, code; /* next: the first piece not taken yet; code: that of a piece that failed */
} PooledCall;

static void call_pieces(void *arg, int part)
{
    PooledCall *c = arg;
    (void)part;
    for (int piece; (piece = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed)) < c->npiece;) {
        int code = c->run(c->extent, c->operand, c->scratch, piece, c->npiece);
        if (code != 0)
            c->code = code;
    }
}

int kernel_call(const Kernel *k, const Shape *s, void *const *operand, void *scratch, void *pool, int threads)
{
    if (threads <= 1)
        return k->run(s->extent, operand, scratch, 0, 1);
    PooledCall c = { k->run, s->extent, operand, scratch, PACKAGE_pieces(threads, s->flops), 0, 0 };
    PACKAGE_pool_run(pool, threads, call_pieces, &c);
    return c.code;
}

typedef struct {
    void *operand[OP_MAX_OPERAND];
    void *scratch;
    size_t cold_bytes; /* of the constant operand, which leaves the caches before each call; 0: it stays there */
} Frame;

static Frame frame_of(const Kernel *k, const SampleSetting *c)
{
    Frame f = { .scratch = k->scratch_bytes ? c->scratch : NULL };
    operand_pointers(c->shape, f.operand);
    if (k->packed)
        f.operand[c->setup->constant] = (void *)k->packed;
    if (c->timing->cold)
        f.cold_bytes = k->packed ? (size_t)k->packed_size : c->shape->bytes[c->setup->constant];
    return f;
}

/* Mean time of n calls, by as many threads as a package would use. The code of a verified kernel is 0. */
static double time_calls(const Kernel *k, const SampleSetting *c, const Frame *f, int64_t n)
{
    const int threads = PACKAGE_worthwhile(c->timing->threads, c->shape->flops, PACKAGE_POOLED_FLOPS);
    const int64_t at_once = f->cold_bytes ? 1 : n;
    double time_ns = 0;
    if (c->shape->before) /* what calls add up must not grow or vanish */
        memcpy(f->operand[c->setup->out], c->shape->before, c->shape->bytes[c->setup->out]);
    for (int64_t done = 0; done < n; done += at_once) {
        if (f->cold_bytes)
            flush(f->operand[c->setup->constant], f->cold_bytes);
        const double start = process_clock_ns();
        for (int64_t i = 0; i < at_once; i++)
            kernel_call(k, c->shape, f->operand, f->scratch, c->timing->pool, threads);
        time_ns += process_clock_ns() - start;
    }
    return time_ns / (double)n;
}

static double fastest_slice(const Kernel *k, const SampleSetting *c, const Frame *f)
{
    const int64_t slice = (int64_t)fmin((double)k->calls, fmax(1, ceil(SLICE_NS / fmax(k->call_ns, 1))));
    double fastest = INFINITY;
    for (int64_t done = 0; done < k->calls; done += slice)
        fastest = fmin(fastest, time_calls(k, c, f, slice));
    return fastest;
}

void sample_take(Kernel *k, const SampleSetting *c)
{
    const Frame f = frame_of(k, c);
    if (k->calls > 1)
        time_calls(k, c, &f, 1);
    k->ns[k->nsample++] = fastest_slice(k, c, &f);
}

void sample_calibrate(Kernel *k, const SampleSetting *c)
{
    const Frame f = frame_of(k, c);
    const Timing *t = c->timing;
    double spent = 0;
    k->call_ns = time_calls(k, c, &f, 1);
    if (k->call_ns > LONG_NS && k->call_ns >= t->sample_ns && t->repeats > 0) {
        spent = k->call_ns;
        k->ns[k->nsample++] = k->call_ns;
    }
    for (int64_t n = 1; spent < WARM_NS && n <= (int64_t)MAX_CALLS; n *= 2) {
        k->call_ns = time_calls(k, c, &f, n);
        spent += k->call_ns * (double)n;
    }
    k->calls = (int64_t)fmin(MAX_CALLS, fmax(1, ceil(t->sample_ns / fmax(k->call_ns, 1))));
}
