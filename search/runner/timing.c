/* SPDX-License-Identifier: Apache-2.0
 *
 * timing: takes samples of all kernels of a request in turn, every other round in reverse order, so that whatever slows
 * the machine meets them all alike. Threads are not pinned: the system may move them away from a core that something
 * else wants, which a pinned one would have to share.
 */
#include "gen/base/process.h"
#include "search/record/samples.h"
#include "search/runner/runner.h"

enum { MIN_SAMPLES = 3, SAMPLES_OF_DROPPED = 2 };

static bool largest_scratch(const Kernel *k, int n, Block *b)
{
    int64_t bytes = 0;
    for (int i = 0; i < n; i++)
        if (k[i].status == STATUS_OK && k[i].scratch_bytes > bytes)
            bytes = k[i].scratch_bytes;
    return block_new(b, (size_t)bytes, 0);
}

typedef struct {
    Kernel *k;
    int n;
    const Timing *t;
    SampleSetting setting;
} Sampling;

static bool is_dropped(const Sampling *q, int which)
{
    const Kernel *k = &q->k[which];
    if (!(q->t->drop > 0) || which == q->t->keep || k->nsample < SAMPLES_OF_DROPPED)
        return false;
    for (int i = 0; i < q->n; i++)
        if (q->k[i].status == STATUS_OK &&
            samples_least(k->ns, k->nsample) > q->t->drop * samples_least(q->k[i].ns, q->k[i].nsample))
            return true;
    return false;
}

/* Takes a sample of each kernel that is to have another. False: none is. */
static bool take_round(Sampling *q, int round)
{
    bool any = false;
    for (int i = 0; i < q->n; i++) {
        const int which = round % 2 ? q->n - 1 - i : i;
        if (q->k[which].status != STATUS_OK || q->k[which].nsample >= q->t->repeats || is_dropped(q, which))
            continue;
        q->t->begin(q->t->ctx, which);
        sample_take(&q->k[which], &q->setting);
        any = true;
    }
    return any;
}

bool kernels_time(Kernel *k, int n, const Setup *setup, const Shape *s, const Timing *t)
{
    const double start_ns = process_clock_ns();
    Block scratch;
    if (!largest_scratch(k, n, &scratch))
        return false;
    Sampling q = { .k = k, .n = n, .t = t, .setting = { setup, s, t, scratch.data } };
    for (int i = 0; i < n; i++)
        if (k[i].status == STATUS_OK) {
            t->begin(t->ctx, i);
            sample_calibrate(&k[i], &q.setting);
        }
    for (int round = 0; round < MIN_SAMPLES || process_clock_ns() - start_ns < t->max_ns; round++)
        if (!take_round(&q, round))
            break;
    block_free(&scratch);
    return true;
}
