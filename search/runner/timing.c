/* SPDX-License-Identifier: Apache-2.0
 *
 * timing: samples of all kernels of a request in turn, so that whatever slows the machine meets them all alike; every
 * other round in reverse order. On a core whose other thread belongs to somebody else, times have two levels: what the kernel takes alone, for tenths of a ms up to
 * some ms at a time, and 1.3 to 2 times as much for as long or ten times longer. So rounds go on until samples agree. Threads are not pinned: the
 * system may move them away from a core that something else wants, which a pinned one would have to share.
 */
#include <math.h>
#include <time.h>
#include "gen/base/process.h"
#include "search/record/samples.h"
#include "search/runner/runner.h"

enum { MIN_SAMPLES = 3, SAMPLES_OF_DROPPED = 2, SAMPLES_AT_CLOCK = 2, MOST_SAMPLES = 16, PAUSE_NS = 5000000 };
static const double CLOCK_WAIT_NS = 5e7;
static const double WAIT_SHARE = 0.25; /* of the sampling, for more rounds on top of what the request grants */
static const double AGREE = 1.03;      /* of samples that met the same */
static const double SLOWED = 2;        /* by so much at most, while the core does something else too */

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
    const Timing *t;
    SampleSetting setting;
    double start_ns;
} Sampling;

static void sample(Sampling *q, int i)
{
    q->t->begin(q->t->ctx, i);
    sample_take(&q->k[i], &q->setting);
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
static bool is_at_rest(const Sampling *q)
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
static bool wants_sample(const Sampling *q, int i, bool at_rest)
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
static bool one_round(Sampling *q, int round)
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
static void all_rounds(Sampling *q)
{
    double sampled_ns = 0;
    for (int round = 0; round < least_samples(q->t) || process_clock_ns() - q->start_ns < q->t->max_ns; round++) {
        const double spent_ns = process_clock_ns() - q->start_ns;
        if (round == q->t->repeats)
            sampled_ns = spent_ns;
        if (round >= q->t->repeats && spent_ns - sampled_ns >= q->t->wait_ns + WAIT_SHARE * sampled_ns)
            break;
        if (!one_round(q, round))
            break;
    }
}

/* ---- one clock for all ---- */

bool clock_is_same(double a, double b)
{
    static const double SAME = 0.025;
    return a > 0 && b > 0 && fabs(a - b) <= SAME * fmin(a, b);
}

int clock_samples(const Kernel *k, double at)
{
    int count = 0;
    for (int i = 0; i < k->nsample; i++)
        count += clock_is_same(k->clock[i], at);
    return count;
}

double clock_common(const Kernel *k, int n)
{
    double common = 0;
    int most_kernels = 0, most_samples = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k[i].nsample; j++) {
            int kernels = 0, samples = 0;
            for (int other = 0; other < n; other++) {
                const int at = clock_samples(&k[other], k[i].clock[j]);
                kernels += at > 0;
                samples += at;
            }
            if (kernels > most_kernels || (kernels == most_kernels && samples > most_samples)) {
                common = k[i].clock[j];
                most_kernels = kernels;
                most_samples = samples;
            }
        }
    return common;
}

/* Leaves samples of that clock alone; a kernel that has none keeps its own, as they are. */
static void keep_clock(Kernel *k, double clock)
{
    int kept = 0;
    if (clock_samples(k, clock) == 0)
        return;
    for (int i = 0; i < k->nsample; i++)
        if (clock_is_same(k->clock[i], clock)) {
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
           clock_samples(&k[which], clock) < want;
}

static void await_clock(double clock)
{
    const double start = process_clock_ns();
    while (!clock_is_same(core_clock(), clock) && process_clock_ns() - start < CLOCK_WAIT_NS)
        nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
}

/* Times compare at one clock only: kernels that have too few samples at the one that most have, are given more, for as many rounds again. */
static void agree_on_clock(Sampling *q)
{
    const double until_ns = q->start_ns + 2 * q->t->max_ns;
    double clock = clock_common(q->k, q->n);
    bool lacking = clock > 0;
    for (int round = 0; round < q->t->repeats && lacking && process_clock_ns() < until_ns; round++) {
        lacking = false;
        for (int i = 0; i < q->n; i++) {
            if (!lacks_samples(q->k, q->n, i, q->t, clock))
                continue;
            lacking = true;
            await_clock(clock);
            sample(q, i);
        }
        clock = clock_common(q->k, q->n);
    }
    for (int i = 0; i < q->n; i++)
        keep_clock(&q->k[i], clock);
}

bool kernels_time(Kernel *k, int n, const Setup *setup, const Shape *s, const Timing *t)
{
    Block workspace;
    if (!largest_workspace(k, n, &workspace))
        return false;
    Sampling q = { .k = k, .n = n, .t = t, .setting = { setup, s, t, workspace.data }, .start_ns = process_clock_ns() };
    for (int i = 0; i < n; i++)
        if (k[i].status == STATUS_OK) {
            t->begin(t->ctx, i);
            sample_calibrate(&k[i], &q.setting);
        }
    all_rounds(&q);
    agree_on_clock(&q);
    block_free(&workspace);
    return true;
}
