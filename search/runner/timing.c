/* SPDX-License-Identifier: Apache-2.0
 *
 * timing: samples of all kernels of a request in turn, so that whatever slows the machine meets them all alike; every
 * other round in reverse order. A sample is the mean over as many calls as last sample_ns. Threads are not pinned:
 * the system may move them away from a core that something else wants, which a pinned one would have to share.
 */
#include "search/runner/runner.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "search/runner/core_clock.h"
#include "search/samples.h"
#include "templates/package/pieces.h"
#include "templates/package/pool.h"

enum { MIN_SAMPLES = 3, SAMPLES_OF_DROPPED = 2, SAMPLES_AT_CLOCK = 2, PAUSE_NS = 5000000 };
static const double CLOCK_WAIT_NS = 5e7;
static const double WAIT_SHARE = 0.25; /* of the sampling, that rounds may wait on top of what the request grants */
static const double warm_ns = 1e6, long_ns = 5e6, max_calls = 1e6;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* A call cut into pieces that its threads take one after the other, as a package does it. */
typedef struct {
    dcgen_run_fn *run;
    const int64_t *extent;
    void *const *operand;
    void *workspace;
    int npiece;
    atomic_int next, code; /* code: of a piece that failed */
} Call;

static void call_part(void *arg, int i)
{
    Call *c = arg;
    (void)i;
    for (int piece; (piece = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed)) < c->npiece;) {
        int code = c->run(c->extent, c->operand, c->workspace, piece, c->npiece);
        if (code != 0)
            c->code = code;
    }
}

static double flops_of(const Shape *s) { return 2.0 * (double)s->rows * (double)s->row_elems * (double)s->terms; }

int kernel_call(const Kernel *k, const Shape *s, void *const *operand, void *workspace, void *pool, int threads)
{
    if (threads <= 1)
        return k->run(s->extent, operand, workspace, 0, 1);
    Call c = { k->run, s->extent, operand, workspace, NAME_pieces(threads, flops_of(s)), 0, 0 };
    NAME_pool_run(pool, threads, call_part, &c);
    return c.code;
}

typedef struct {
    void *operand[MAX_OPERAND];
    void *workspace;
} Frame;

static Frame frame_of(const Kernel *k, const Setup *setup, const Shape *s, void *workspace)
{
    Frame f = { .workspace = k->workspace_bytes ? workspace : NULL };
    operand_pointers(s, f.operand);
    if (k->packed)
        f.operand[setup->constant] = (void *)k->packed;
    return f;
}

/* Mean time of n calls, by as many threads as a package would use. */
static double time_calls(const Kernel *k, const Shape *s, const Frame *f, const Timing *t, int64_t n)
{
    const int threads = NAME_worthwhile(t->threads, flops_of(s), NAME_POOLED_FLOPS);
    double start = now_ns();
    for (int64_t i = 0; i < n; i++)
        kernel_call(k, s, f->operand, f->workspace, t->pool, threads);
    return (now_ns() - start) / (double)n;
}

/* Calls until caches, clock and predictors have settled, then sets how many calls make a sample. The first call does not count: it
 * brings in code and pages and wakes threads, and taken for the rule it would leave a kernel with samples of one call each. Unless it is so
 * long that all this is little. */
static void calibrate(Kernel *k, const Shape *s, const Frame *f, const Timing *t)
{
    double per_call = time_calls(k, s, f, t, 1), spent = per_call > long_ns ? per_call : 0;
    for (int64_t n = 1; spent < warm_ns && n <= max_calls; n *= 2) {
        per_call = time_calls(k, s, f, t, n);
        spent += per_call * (double)n;
    }
    k->call_ns = per_call;
    k->calls = (int64_t)fmin(max_calls, fmax(1, ceil(t->sample_ns / fmax(per_call, 1))));
}

/* The kernel before left other data in the caches: one call first, unless a call is so long that it does not matter. */
static void take_sample(Kernel *k, const Shape *s, const Frame *f, const Timing *t)
{
    if (k->calls > 1)
        time_calls(k, s, f, t, 1);
    const double before = core_clock();
    k->ns[k->nsample] = time_calls(k, s, f, t, k->calls);
    const double after = core_clock();
    k->clock[k->nsample++] = samples_same_clock(before, after) ? after : 0;
}

/* ---- one clock for all ---- */

static double common_clock(const Kernel *k, int n)
{
    const double **clock = calloc((size_t)n + 1, sizeof *clock);
    int *count = calloc((size_t)n + 1, sizeof *count);
    double common = 0;
    for (int i = 0; i < n && clock && count; i++) {
        clock[i] = k[i].clock;
        count[i] = k[i].nsample;
    }
    if (clock && count)
        common = samples_common_clock(clock, count, n);
    free(clock);
    free(count);
    return common;
}

/* Leaves samples of that clock alone; a kernel that has none keeps its own, as they are. */
static void keep_clock(Kernel *k, double clock)
{
    int kept = 0;
    if (samples_at_clock(k->clock, k->nsample, clock) == 0)
        return;
    for (int i = 0; i < k->nsample; i++)
        if (samples_same_clock(k->clock[i], clock)) {
            k->ns[kept] = k->ns[i];
            k->clock[kept++] = k->clock[i];
        }
    k->nsample = kept;
}

static bool largest_workspace(const Kernel *k, int n, Block *b)
{
    int64_t bytes = 0;
    for (int i = 0; i < n; i++)
        if (k[i].status == STATUS_OK && k[i].workspace_bytes > bytes)
            bytes = k[i].workspace_bytes;
    return block_new(b, (size_t)bytes, 0);
}

/* The least that a call of it took. */
static double least_ns(const Kernel *k)
{
    return k->nsample ? fmin(k->call_ns, samples_least(k->ns, k->nsample)) : k->call_ns;
}

/* It has two samples and is out of the running: more of them would tell nothing. (Of one alone nobody knows what it met.) */
static bool is_dropped(const Kernel *k, int n, int which, const Timing *t)
{
    if (!(t->drop > 0) || which == t->keep || k[which].nsample < SAMPLES_OF_DROPPED)
        return false;
    for (int i = 0; i < n; i++)
        if (k[i].status == STATUS_OK && least_ns(&k[which]) > t->drop * least_ns(&k[i]))
            return true;
    return false;
}

static void pause_ns(long ns)
{
    const struct timespec t = { 0, ns };
    nanosleep(&t, NULL);
}

/* ---- rounds ---- */

/* What a round waits for, and how long all of them did. */
typedef struct {
    double quiet_ns, waited_ns;
} Calm;

/* What `keep` may take now: the time at rest may be that of a faster clock. */
static double undisturbed_ns(const Calm *calm, double clock)
{
    static double fastest; /* that this process saw */
    fastest = fmax(fastest, clock);
    return SAMPLES_DISTURBED * calm->quiet_ns * (clock > 0 ? fastest / clock : 1);
}

/* The sample of `keep` that begins a round: one that shows a machine at rest, if there is time to wait for it. */
static void begin_round(Kernel *k, const Shape *s, const Frame *f, const Timing *t, double sampled_ns, Calm *calm)
{
    const double start = now_ns();
    const int i = k->nsample;
    double most = t->wait_ns + WAIT_SHARE * sampled_ns - calm->waited_ns;
    take_sample(k, s, f, t);
    for (double waited = 0; k->ns[i] > undisturbed_ns(calm, k->clock[i]) && waited < most; waited = now_ns() - start) {
        pause_ns(PAUSE_NS);
        k->nsample--;
        take_sample(k, s, f, t);
    }
    calm->waited_ns += now_ns() - start;
    calm->quiet_ns = fmin(calm->quiet_ns, k->ns[i]);
}

/* Samples at that clock that the kernel should have and does not. */
static bool lacks_samples(const Kernel *k, int n, int which, const Timing *t, double clock)
{
    const int want = is_dropped(k, n, which, t) ? 1 : t->repeats < SAMPLES_AT_CLOCK ? t->repeats : SAMPLES_AT_CLOCK;
    return k[which].status == STATUS_OK && k[which].nsample < RECORD_MAX_SAMPLE &&
           samples_at_clock(k[which].clock, k[which].nsample, clock) < want;
}

static void await_clock(double clock)
{
    const double start = now_ns();
    while (!samples_same_clock(core_clock(), clock) && now_ns() - start < CLOCK_WAIT_NS)
        pause_ns(PAUSE_NS);
}

/* Times compare at one clock only: kernels that have too few samples at the one that most have, are given more, for as many rounds again. */
static void agree_on_clock(Kernel *k, int n, const Setup *setup, const Shape *s, const Timing *t, void *workspace,
                           double until_ns)
{
    double clock = common_clock(k, n);
    bool lacking = clock > 0;
    for (int round = 0; round < t->repeats && lacking && now_ns() < until_ns; round++) {
        lacking = false;
        for (int i = 0; i < n; i++) {
            if (!lacks_samples(k, n, i, t, clock))
                continue;
            const Frame f = frame_of(&k[i], setup, s, workspace);
            lacking = true;
            t->begin(t->ctx, i);
            await_clock(clock);
            take_sample(&k[i], s, &f, t);
        }
        clock = common_clock(k, n);
    }
    for (int i = 0; i < n; i++)
        keep_clock(&k[i], clock);
}

bool kernels_time(Kernel *k, int n, const Setup *setup, const Shape *s, const Timing *t)
{
    const bool waits = t->keep >= 0 && t->keep < n && k[t->keep].status == STATUS_OK;
    Calm calm = { .quiet_ns = t->quiet_ns > 0 ? t->quiet_ns : INFINITY };
    Block workspace;
    if (!largest_workspace(k, n, &workspace))
        return false;
    const double start = now_ns();
    for (int round = -1; round < t->repeats; round++) {
        if (round >= MIN_SAMPLES && now_ns() - start > t->max_ns)
            break;
        if (waits && round >= 0) {
            const Frame f = frame_of(&k[t->keep], setup, s, workspace.data);
            t->begin(t->ctx, t->keep);
            begin_round(&k[t->keep], s, &f, t, now_ns() - start - calm.waited_ns, &calm);
        }
        for (int i = 0; i < n; i++) {
            int which = round % 2 ? n - 1 - i : i;
            if (k[which].status != STATUS_OK || is_dropped(k, n, which, t) || (waits && round >= 0 && which == t->keep))
                continue;
            Frame f = frame_of(&k[which], setup, s, workspace.data);
            t->begin(t->ctx, which);
            if (round < 0)
                calibrate(&k[which], s, &f, t);
            else
                take_sample(&k[which], s, &f, t);
        }
    }
    agree_on_clock(k, n, setup, s, t, workspace.data, start + 2 * t->max_ns);
    block_free(&workspace);
    return true;
}
