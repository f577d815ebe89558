/* SPDX-License-Identifier: Apache-2.0
 *
 * timing: samples of all kernels of a request in turn, so that whatever slows the machine meets them all alike; every
 * other round in reverse order. A sample is as many calls as last sample_ns, taken in slices of SLICE_NS or of one call; what counts is the
 * fastest slice. On a core whose other thread belongs to somebody else, times have two levels: what the kernel takes alone, for tenths of a ms up to
 * some ms at a time, and 1.3 to 2 times as much for as long or ten times longer. So rounds go on until samples agree. Threads are not pinned: the
 * system may move them away from a core that something else wants, which a pinned one would have to share.
 */
#include "search/runner/runner.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "search/core_clock.h"
#include "search/samples.h"
#include "templates/package/pieces.h"
#include "templates/package/pool.h"

enum { MIN_SAMPLES = 3, SAMPLES_OF_DROPPED = 2, SAMPLES_AT_CLOCK = 2, MOST_SAMPLES = 16, PAUSE_NS = 5000000 };
static const double CLOCK_WAIT_NS = 5e7;
static const double WAIT_SHARE = 0.25; /* of the sampling, for more rounds on top of what the request grants */
static const double AGREE = 1.03;      /* of samples that met the same */
static const double SLOWED = 2;        /* by so much at most, while the core does something else too */
static const double WARM_NS = 1e6, LONG_NS = 5e6, MAX_CALLS = 1e6;
static const double SLICE_NS = 2e4; /* reading the clock twice is 0.3 % of it */

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

/* As time_calls(k->calls), of its fastest slice. */
static double fastest_slice(const Kernel *k, const Shape *s, const Frame *f, const Timing *t)
{
    const int64_t slice = (int64_t)fmin((double)k->calls, fmax(1, ceil(SLICE_NS / fmax(k->call_ns, 1))));
    double fastest = INFINITY;
    for (int64_t done = 0; done < k->calls; done += slice)
        fastest = fmin(fastest, time_calls(k, s, f, t, slice));
    return fastest;
}

/* A sample that was taken after that reading of the clock. */
static void add_sample(Kernel *k, double ns, double before)
{
    const double after = core_clock();
    k->ns[k->nsample] = ns;
    k->clock[k->nsample++] = samples_same_clock(before, after) ? after : 0;
}

/* The kernel before left other data in the caches: one call first, unless a call is so long that it does not matter. */
static void take_sample(Kernel *k, const Shape *s, const Frame *f, const Timing *t)
{
    if (k->calls > 1)
        time_calls(k, s, f, t, 1);
    const double before = core_clock();
    add_sample(k, fastest_slice(k, s, f, t), before);
}

/* Calls until caches, clock and predictors have settled, then sets how many calls make a sample. The first call does not count: it
 * brings in code and pages and wakes threads, and taken for the rule it would leave a kernel with samples of one call each. Unless it is so
 * long that all this is little: then it is a sample. */
static void calibrate(Kernel *k, const Shape *s, const Frame *f, const Timing *t)
{
    const double before = core_clock();
    double spent = 0;
    k->call_ns = time_calls(k, s, f, t, 1);
    if (k->call_ns > LONG_NS && k->call_ns >= t->sample_ns && t->repeats > 0) {
        spent = k->call_ns;
        add_sample(k, k->call_ns, before);
    }
    for (int64_t n = 1; spent < WARM_NS && n <= (int64_t)MAX_CALLS; n *= 2) {
        k->call_ns = time_calls(k, s, f, t, n);
        spent += k->call_ns * (double)n;
    }
    k->calls = (int64_t)fmin(MAX_CALLS, fmax(1, ceil(t->sample_ns / fmax(k->call_ns, 1))));
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

/* Its samples show what it takes at rest: the least agree. Others, on a core that does something else too, lie far apart. */
static bool is_settled(const Kernel *k, int samples) { return samples_agree(k->ns, k->nsample, samples, AGREE); }

/* It is out of the running, and more samples would tell nothing: what little there is agrees, or whatever may have slowed it would not do. (Of
 * one alone nobody knows what it met.) */
static bool is_dropped(const Kernel *k, int n, int which, const Timing *t)
{
    if (!(t->drop > 0) || which == t->keep || k[which].nsample < SAMPLES_OF_DROPPED)
        return false;
    const double most = t->drop * (is_settled(&k[which], SAMPLES_OF_DROPPED) ? 1 : SLOWED);
    for (int i = 0; i < n; i++)
        if (k[i].status == STATUS_OK && least_ns(&k[which]) > most * least_ns(&k[i]))
            return true;
    return false;
}

/* ---- rounds ---- */

/* A request under way. */
typedef struct {
    Kernel *k;
    int n;
    const Setup *setup;
    const Shape *s;
    const Timing *t;
    void *workspace;
    double start_ns;
} Session;

static void calibrate_kernel(Session *q, int i)
{
    const Frame f = frame_of(&q->k[i], q->setup, q->s, q->workspace);
    q->t->begin(q->t->ctx, i);
    calibrate(&q->k[i], q->s, &f, q->t);
}

static void sample(Session *q, int i)
{
    const Frame f = frame_of(&q->k[i], q->setup, q->s, q->workspace);
    q->t->begin(q->t->ctx, i);
    take_sample(&q->k[i], q->s, &f, q->t);
}

/* No request ends with fewer, however little time it has. */
static int least_samples(const Timing *t) { return t->repeats < MIN_SAMPLES ? t->repeats : MIN_SAMPLES; }

/* What a call of `keep` may take now: the time at rest may be that of a faster clock. */
static double undisturbed_ns(const Timing *t, double clock)
{
    static double fastest; /* that this process saw */
    fastest = fmax(fastest, clock);
    return SAMPLES_DISTURBED * t->quiet_ns * (clock > 0 ? fastest / clock : 1);
}

/* Samples of `keep` took no longer than they do when nothing else uses the machine. True where nobody knows. */
static bool is_at_rest(const Session *q)
{
    const Timing *t = q->t;
    int resting = 0;
    if (t->keep < 0 || t->keep >= q->n || q->k[t->keep].status != STATUS_OK || !(t->quiet_ns > 0))
        return true;
    const Kernel *k = &q->k[t->keep];
    for (int i = 0; i < k->nsample; i++)
        resting += k->ns[i] <= undisturbed_ns(t, k->clock[i]);
    return resting >= least_samples(t);
}

/* A machine with nothing else to do is known by `keep`, or else by samples that agree. */
static bool wants_sample(const Session *q, int i, bool at_rest)
{
    if (q->k[i].status != STATUS_OK || is_dropped(q->k, q->n, i, q->t))
        return false;
    if (q->k[i].nsample < q->t->repeats)
        return true;
    return q->k[i].call_ns <= SAMPLES_REST_NS && (!at_rest || !is_settled(&q->k[i], least_samples(q->t)));
}

/* The fastest are left. */
static void forget_slowest(Kernel *k)
{
    int slowest = 0;
    for (int i = 1; i < k->nsample; i++)
        slowest = k->ns[i] > k->ns[slowest] ? i : slowest;
    k->nsample--;
    k->ns[slowest] = k->ns[k->nsample];
    k->clock[slowest] = k->clock[k->nsample];
}

/* False: no kernel wants another sample. */
static bool one_round(Session *q, int round)
{
    const bool at_rest = is_at_rest(q);
    bool any = false;
    for (int i = 0; i < q->n; i++) {
        const int which = round % 2 ? q->n - 1 - i : i;
        if (!wants_sample(q, which, at_rest))
            continue;
        sample(q, which);
        if (q->k[which].nsample > MOST_SAMPLES && q->k[which].nsample > q->t->repeats)
            forget_slowest(&q->k[which]);
        any = true;
    }
    return any;
}

/* Rounds as many as the request wants; then more, as long as the machine seems to do something else too, and there is time for that. */
static void all_rounds(Session *q)
{
    double sampled_ns = 0;
    for (int round = 0; round < least_samples(q->t) || now_ns() - q->start_ns < q->t->max_ns; round++) {
        const double spent_ns = now_ns() - q->start_ns;
        if (round == q->t->repeats)
            sampled_ns = spent_ns;
        if (round >= q->t->repeats && spent_ns - sampled_ns >= q->t->wait_ns + WAIT_SHARE * sampled_ns)
            break;
        if (!one_round(q, round))
            break;
    }
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
        nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
}

/* Times compare at one clock only: kernels that have too few samples at the one that most have, are given more, for as many rounds again. */
static void agree_on_clock(Session *q)
{
    const double until_ns = q->start_ns + 2 * q->t->max_ns;
    double clock = common_clock(q->k, q->n);
    bool lacking = clock > 0;
    for (int round = 0; round < q->t->repeats && lacking && now_ns() < until_ns; round++) {
        lacking = false;
        for (int i = 0; i < q->n; i++) {
            if (!lacks_samples(q->k, q->n, i, q->t, clock))
                continue;
            lacking = true;
            await_clock(clock);
            sample(q, i);
        }
        clock = common_clock(q->k, q->n);
    }
    for (int i = 0; i < q->n; i++)
        keep_clock(&q->k[i], clock);
}

bool kernels_time(Kernel *k, int n, const Setup *setup, const Shape *s, const Timing *t)
{
    Block workspace;
    if (!largest_workspace(k, n, &workspace))
        return false;
    Session q = { .k = k, .n = n, .setup = setup, .s = s, .t = t, .workspace = workspace.data, .start_ns = now_ns() };
    for (int i = 0; i < n; i++)
        if (k[i].status == STATUS_OK)
            calibrate_kernel(&q, i);
    all_rounds(&q);
    agree_on_clock(&q);
    block_free(&workspace);
    return true;
}
