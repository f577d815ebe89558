/* SPDX-License-Identifier: Apache-2.0
 *
 * noise: finds the measurements that were taken several times, and draws from what sets them apart.
 */
#include "bench/tuning/noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "search/record/samples.h"

/* Of one measurement. */
typedef struct {
    double slower; /* the anchor's time over its least on that shape */
    double off;    /* the kernel's part of the anchor's time over the median of all such parts */
    int nsample;
    double sample[RECORD_MAX_SAMPLE]; /* over the time that counts */
} Disturbance;

struct Noise {
    Rng rng;
    int64_t n;
    Disturbance *seen;            /* ascending by slower */
    int64_t at;                   /* that of the request at hand */
    double ns[RECORD_MAX_SAMPLE]; /* of the measurement at hand */
};

/* kernels of one request are disturbed by what is at most so small a part of all away from each other */
enum { NEAR = 20 };

static bool on_same_shape(const MeasureRecord *a, const MeasureRecord *b)
{
    return a->threads == b->threads && a->naxis == b->naxis &&
           memcmp(a->extent, b->extent, (size_t)a->naxis * sizeof *a->extent) == 0;
}

static bool is_timed(const MeasureRecord *m) { return m->nsample > 0 && m->anchor_ns > 0; }

/* What is seen of a measurement. False: its kernel was timed once on its shape, or it is the anchor. */
static bool look_at(Arena *a, const Records *r, const MeasureRecord *m, Disturbance *out)
{
    double *part = ARENA_ARRAY(a, (size_t)r->nmeasure, double), least = m->anchor_ns;
    int n = 0;
    for (const MeasureRecord *x = r->measure; x < r->measure + r->nmeasure; x++) {
        if (!is_timed(x) || !on_same_shape(x, m))
            continue;
        least = fmin(least, x->anchor_ns);
        if (strcmp(x->key, m->key) == 0)
            part[n++] = x->time_ns / x->anchor_ns;
    }
    if (n < 2 || m->time_ns == m->anchor_ns)
        return false;
    *out =
        (Disturbance){ m->anchor_ns / least, m->time_ns / m->anchor_ns / samples_median(part, n), m->nsample, { 0 } };
    for (int i = 0; i < m->nsample; i++)
        out->sample[i] = m->ns[i] / m->time_ns;
    return true;
}

static int by_slowness(const void *x, const void *y)
{
    const Disturbance *a = x, *b = y;
    return (a->slower > b->slower) - (a->slower < b->slower);
}

Noise *noise_read(Arena *a, const char *records)
{
    Noise *n = ARENA_NEW(a, Noise);
    Arena *scratch = arena_new();
    Records r;
    const char *err = "no kernel was timed twice on a shape";
    const bool read = record_read(a, records, &r, stderr, &err);
    n->seen = ARENA_ARRAY(a, (size_t)(read ? r.nmeasure : 0) + 1, Disturbance);
    for (int64_t i = 0; read && i < r.nmeasure; i++) {
        n->n += is_timed(&r.measure[i]) && look_at(scratch, &r, &r.measure[i], &n->seen[n->n]);
        arena_reset(scratch);
    }
    arena_free(scratch);
    qsort(n->seen, (size_t)n->n, sizeof *n->seen, by_slowness);
    if (!n->n)
        fprintf(stderr, "tuning: %s: %s\n", records, err);
    return n->n ? n : NULL;
}

void noise_seed(Noise *n, uint64_t seed) { n->rng = (Rng){ seed }; }

void noise_disturb(void *noise, bool first, bool is_anchor, MeasureRecord *m)
{
    Noise *n = noise;
    const int64_t near = n->n / NEAR;
    if (first)
        n->at = rng_below(&n->rng, n->n);
    const int64_t low = n->at > near ? n->at - near : 0, high = n->at + near < n->n ? n->at + near : n->n - 1;
    const Disturbance *d = &n->seen[low + rng_below(&n->rng, high - low + 1)];
    const double slower = n->seen[n->at].slower;
    m->anchor_ns *= slower;
    m->time_ns *= slower * (is_anchor ? 1 : d->off);
    m->nsample = d->nsample;
    for (int i = 0; i < d->nsample; i++)
        n->ns[i] = m->time_ns * d->sample[i];
    m->ns = n->ns;
}
