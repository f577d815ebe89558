/* SPDX-License-Identifier: Apache-2.0
 *
 * timing: takes samples of all kernels of a request in turn, every other round in reverse order, so that whatever slows the machine meets them
 * all alike. On a core whose other thread belongs to somebody else, times have two levels: what the kernel takes alone, for tenths of a ms up
 * to some ms at a time, and 1.3 to 2 times as much, for as long or ten times longer. So rounds go on until samples agree. Threads are not pinned:
 * the system may move them away from a core that something else wants, which a pinned one would have to share.
 */
#include <math.h>
#include "gen/base/process.h"
#include "search/record/samples.h"
#include "search/runner/runner.h"

enum { MIN_SAMPLES = 3, SAMPLES_OF_DROPPED = 2, MOST_SAMPLES = 16 };
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

/* True if a kernel is to have another sample. Beyond `repeats` one of short calls has more until its own samples agree. */
static bool wants_sample(const Sampling *q, int i)
{
    const Kernel *k = &q->k[i];
    if (k->status != STATUS_OK || is_dropped(q->k, q->n, i, q->t))
        return false;
    return k->nsample < q->t->repeats || (k->call_ns <= SAMPLES_REST_NS && !is_settled(k, least_samples(q->t)));
}

static void forget_slowest(Kernel *k)
{
    int slowest = 0;
    for (int i = 1; i < k->nsample; i++)
        slowest = k->ns[i] > k->ns[slowest] ? i : slowest;
    k->ns[slowest] = k->ns[--k->nsample];
}

/* Takes a sample of each kernel that wants one. False: none does. */
static bool take_round(Sampling *q, int round)
{
    bool any = false;
    for (int i = 0; i < q->n; i++) {
        const int which = round % 2 ? q->n - 1 - i : i;
        if (!wants_sample(q, which))
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
    block_free(&workspace);
    return true;
}
