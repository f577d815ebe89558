/* SPDX-License-Identifier: Apache-2.0
 *
 * quiet: keeps the two least times of the anchor on each shape, and how the latest times compare with them.
 */
#include "search/measure/quiet.h"

#include <math.h>
#include <string.h>
#include "search/record/samples.h"

static const double AGREE = 1.03;

static QuietTime *find(const Quiet *q, const Instance *inst)
{
    for (int64_t i = 0; i < q->n; i++)
        if (q->time[i].inst->threads == inst->threads &&
            memcmp(q->time[i].inst->extent, inst->extent, sizeof inst->extent) == 0)
            return &q->time[i];
    return NULL;
}

static QuietTime *find_or_add(Quiet *q, const Instance *inst)
{
    QuietTime *t = find(q, inst);
    if (t)
        return t;
    q->time = arena_grow(q->arena, q->time, (size_t)q->n, (size_t)q->n + 1, sizeof *q->time);
    q->time[q->n] = (QuietTime){ inst, INFINITY, INFINITY, 0 };
    return &q->time[q->n++];
}

/* What the least time would be at that clock, if it were but a matter of the clock. A faster one does not help what waits for memory. */
static double least_at(const QuietTime *t, double clock)
{
    return clock > 0 && t->clock > clock ? t->least * t->clock / clock : t->least;
}

void quiet_take(Quiet *q, const Instance *inst, double ns, double clock)
{
    QuietTime *t = find_or_add(q, inst);
    if (ns < t->least) {
        t->second = t->least;
        t->least = ns;
        t->clock = clock;
    } else {
        t->second = fmin(t->second, t->least * fmax(1, ns / least_at(t, clock)));
    }
    q->recent[q->ntaken++ % QUIET_RECENT] = fmax(1, ns / least_at(t, clock));
}

/* How fast the machine is at best these days. */
static double level(const Quiet *q) { return q->ntaken < QUIET_RECENT ? 1 : samples_least(q->recent, QUIET_RECENT); }

double quiet_ns(const Quiet *q, const Instance *inst, double clock)
{
    const QuietTime *t = find(q, inst);
    return t ? least_at(t, clock) * level(q) : 0;
}

bool quiet_disturbed(const Quiet *q, const Instance *inst, double ns, double clock)
{
    const double quiet = quiet_ns(q, inst, clock);
    return quiet > 0 && ns <= SAMPLES_REST_NS && ns > SAMPLES_DISTURBED * quiet;
}

bool quiet_known(const Quiet *q, const Instance *inst)
{
    const QuietTime *t = find(q, inst);
    return t && t->second <= AGREE * t->least;
}
