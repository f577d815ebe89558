/* SPDX-License-Identifier: Apache-2.0
 *
 * pace: least squares of what requests took, with a prior; the two least times of the anchor on each shape, and how the latest times compare with
 * them.
 */
#include "search/measure/pace.h"

#include <math.h>
#include <string.h>
#include "search/record/samples.h"

/* The prior stands for PRIOR_N requests, half of them without samples, half with PRIOR_X_S of them. Each takes PRIOR_START_S more. */
enum { PRIOR_N = 4 };
static const double PRIOR_X_S = 0.5, PRIOR_START_S = 0.05;
/* The slope is at least this, also where all requests were alike and so tell nothing of it. */
static const double LEAST_SLOPE = 0.5;
static const double AGREE = 1.03; /* two times at rest differ by no more than this factor */

Pace pace_new(void)
{
    Pace p = { 0 };
    for (int i = 0; i < PRIOR_N; i++) {
        const double x_s = i % 2 ? PRIOR_X_S : 0;
        pace_learn(&p, x_s, PRIOR_START_S + x_s);
    }
    return p;
}

void pace_learn(Pace *p, double x_s, double took_s)
{
    p->n++;
    p->x += x_s;
    p->y += took_s;
    p->xx += x_s * x_s;
    p->xy += x_s * took_s;
}

double pace_expect_s(const Pace *p, double requests, double x_s)
{
    double slope = (p->n * p->xy - p->x * p->y) / (p->n * p->xx - p->x * p->x);
    if (slope * p->x > p->y) /* a request would start in less than no time */
        slope = p->xy / p->xx;
    slope = fmax(LEAST_SLOPE, slope);
    return fmax(0, (p->y - slope * p->x) / p->n) * requests + slope * x_s;
}

/* ---- at rest ---- */

static QuietTime *find_time(const Quiet *q, const Instance *inst)
{
    for (int64_t i = 0; i < q->n; i++)
        if (q->time[i].inst->threads == inst->threads &&
            memcmp(q->time[i].inst->extent, inst->extent, sizeof inst->extent) == 0)
            return &q->time[i];
    return NULL;
}

/* What the least time would be at a lower clock, if the clock alone decided. A higher clock does not change it, as that does not help
 * what waits for memory. */
static double least_at(const QuietTime *t, double clock)
{
    return clock > 0 && t->clock > clock ? t->least * t->clock / clock : t->least;
}

void quiet_take(Quiet *q, const Instance *inst, double ns, double clock)
{
    QuietTime *t = find_time(q, inst);
    if (!t) {
        q->time = arena_grow(q->arena, q->time, (size_t)q->n, (size_t)q->n + 1, sizeof *q->time);
        t = &q->time[q->n++];
        *t = (QuietTime){ inst, INFINITY, INFINITY, 0 };
    }
    if (ns < t->least) {
        t->second = t->least;
        t->least = ns;
        t->clock = clock;
    } else {
        t->second = fmin(t->second, t->least * fmax(1, ns / least_at(t, clock)));
    }
    q->recent[q->ntaken++ % QUIET_RECENT] = fmax(1, ns / least_at(t, clock));
}

/* The best of the latest times, each as a part of the least of its shape: more than 1 when the machine has become slower. */
static double lasting_slowdown(const Quiet *q)
{
    return q->ntaken < QUIET_RECENT ? 1 : samples_least(q->recent, QUIET_RECENT);
}

double quiet_ns(const Quiet *q, const Instance *inst, double clock)
{
    const QuietTime *t = find_time(q, inst);
    return t ? least_at(t, clock) * lasting_slowdown(q) : 0;
}

bool quiet_disturbed(const Quiet *q, const Instance *inst, double ns, double clock)
{
    const double quiet = quiet_ns(q, inst, clock);
    return quiet > 0 && ns <= SAMPLES_REST_NS && ns > SAMPLES_DISTURBED * quiet;
}

bool quiet_known(const Quiet *q, const Instance *inst)
{
    const QuietTime *t = find_time(q, inst);
    return t && t->second <= AGREE * t->least;
}
