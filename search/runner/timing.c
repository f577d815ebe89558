/* SPDX-License-Identifier: Apache-2.0
 *
 * timing: takes samples of all kernels of a request in turn, every other round in reverse order, so that whatever slows the machine meets them
 * all alike. On a core whose other thread belongs to somebody else, times have two levels: what the kernel takes alone, for tenths of a ms up
 * to some ms at a time, and 1.3 to 2 times as much, for as long or ten times longer. So rounds go on until samples agree. Threads are not pinned:
 * the system may move them away from a core that something else wants, which a pinned one would have to share.
 */
#include <math.h>
#include <time.h>
#include "gen/base/process.h"
#include "search/record/samples.h"
#include "search/runner/runner.h"

enum { MIN_SAMPLES = 3, SAMPLES_OF_DROPPED = 2, SAMPLES_AT_CLOCK = 2, MOST_SAMPLES = 16, PAUSE_NS = 5000000 };
static const double CLOCK_WAIT_NS = 5e7; /* how long a sample waits for the clock that is wanted */
static const double WAIT_SHARE =
    0.25;                         /* of the sampling; further rounds may take it on top of what the request grants */
static const double AGREE = 1.03; /* samples that met the same are within this factor */
static const double SLOWED = 2;   /* the most that something else on the core slows a kernel */

static bool largest_workspace(const Kernel *k, int n, Block *b)
{
    int64_t bytes = 0;
    for (int i = 0; i < n; i++)
        if (k[i].status == STATUS_OK && k[i].workspace_bytes > bytes)
            bytes = k[i].workspace_bytes;
    return block_new(b, (size_t)bytes, 0);
}

/* The least time that a call of the kernel took. */
static double least_ns(const Kernel *k)
{
    return k->nsample ? fmin(k->call_ns, samples_least(k->ns, k->nsample)) : k->call_ns;
}

/* True if a kernel's samples show what it takes at rest: so many of the least ones agree. Samples on a core that does something else too lie far
 * apart. */
static bool is_settled(const Kernel *k, int samples) { return samples_agree(k->ns, k->nsample, samples, AGREE); }

/* True if a kernel is so slow that more samples would tell nothing: its few samples agree, or nothing that may have slowed it would explain its
 * time. (Of a single sample nobody knows what it met.) */
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

static void take_sample(Sampling *q, int i)
{
    q->t->begin(q->t->ctx, i);
    sample_take(&q->k[i], &q->setting);
}

/* The samples that each kernel has, however little time the request has. */
static int least_samples(const Timing *t) { return t->repeats < MIN_SAMPLES ? t->repeats : MIN_SAMPLES; }

/* What a call of `keep` takes at most at this clock while nothing else uses the machine: quiet_ns may be of a faster clock. */
static double undisturbed_ns(const Timing *t, double clock)
{
    static double fastest; /* clock that this process saw */
    fastest = fmax(fastest, clock);
    return SAMPLES_DISTURBED * t->quiet_ns * (clock > 0 ? fastest / clock : 1);
}

/* True if enough samples of `keep` took no longer than they do when nothing else uses the machine, or if nobody knows. */
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

/* True if a kernel is to have another sample. Beyond `repeats` one of short calls has more until `keep` shows the machine at rest and the
 * kernel's own samples agree. */
static bool wants_sample(const Sampling *q, int i, bool at_rest)
{
    if (q->k[i].status != STATUS_OK || is_dropped(q->k, q->n, i, q->t))
        return false;
    if (q->k[i].nsample < q->t->repeats)
        return true;
    return q->k[i].call_ns <= SAMPLES_REST_NS && (!at_rest || !is_settled(&q->k[i], least_samples(q->t)));
}

static void forget_slowest(Kernel *k)
{
    int slowest = 0;
    for (int i = 1; i < k->nsample; i++)
        slowest = k->ns[i] > k->ns[slowest] ? i : slowest;
    k->nsample--;
    k->ns[slowest] = k->ns[k->nsample];
    k->clock[slowest] = k->clock[k->nsample];
}

/* Takes a sample of each kernel that wants one. False: none does. */
static bool take_round(Sampling *q, int round)
{
    const bool at_rest = is_at_rest(q);
    bool any = false;
    for (int i = 0; i < q->n; i++) {
        const int which = round % 2 ? q->n - 1 - i : i;
        if (!wants_sample(q, which, at_rest))
            continue;
        take_sample(q, which);
        if (q->k[which].nsample > MOST_SAMPLES && q->k[which].nsample > q->t->repeats)
            forget_slowest(&q->k[which]);
        any = true;
    }
    return any;
}

/* Takes as many rounds as the request wants; then more, as long as the machine seems to do something else too, and there is time for that. */
static void take_rounds(Sampling *q)
{
    double sampled_ns = 0;
    for (int round = 0; round < least_samples(q->t) || process_clock_ns() - q->start_ns < q->t->max_ns; round++) {
        const double spent_ns = process_clock_ns() - q->start_ns;
        if (round == q->t->repeats)
            sampled_ns = spent_ns;
        if (round >= q->t->repeats && spent_ns - sampled_ns >= q->t->wait_ns + WAIT_SHARE * sampled_ns)
            break;
        if (!take_round(q, round))
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

/* Drops samples that were not taken at that clock; a kernel that has none at it keeps all. */
static void keep_samples_at(Kernel *k, double clock)
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

/* True if the kernel has fewer samples at that clock than it should have, and room for more. */
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

/* Times compare at one clock only. Kernels that have too few samples at the clock that most have get more, for up to as many rounds again. */
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
            take_sample(q, i);
        }
        clock = clock_common(q->k, q->n);
    }
    for (int i = 0; i < q->n; i++)
        keep_samples_at(&q->k[i], clock);
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
    take_rounds(&q);
    agree_on_clock(&q);
    block_free(&workspace);
    return true;
}
