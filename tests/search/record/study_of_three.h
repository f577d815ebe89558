/* SPDX-License-Identifier: Apache-2.0
 *
 * study_of_three: a study of three candidates, and the records of their times.
 */
#ifndef DCGEN_TEST_STUDY_OF_THREE_H
#define DCGEN_TEST_STUDY_OF_THREE_H

#include "tests/test.h"
#include "tests/gen/synthetic_place.h"
#include "tests/kept_list.h"

/* A study without measurements of three candidates. */
static inline Study *study_of_three(void)
{
    Study *s = study_new(y.arena, y.spec, &y.device, y.study->target, "0123456789abcdef");
    for (int i = 0; i < 3; i++) {
        int64_t added = study_add(s, &y.space->candidate[i]);
        s->trial[added].built = true;
    }
    return s;
}

typedef struct {
    int trial, shape;
    double ns, anchor_ns;
} Taken;

static inline MeasureRecord record_of(const Study *s, Taken t)
{
    MeasureRecord m = { .key = s->trial[t.trial].key,
                        .device = y.device.id,
                        .naxis = s->spec->op->naxis,
                        .extent = s->shape[t.shape]->extent,
                        .threads = s->shape[t.shape]->threads,
                        .status = STATUS_OK,
                        .nsample = 1,
                        .ns = KEPT(double, t.ns),
                        .time_ns = t.ns,
                        .anchor_ns = t.anchor_ns,
                        .why = "" };
    return m;
}

static inline void take(Study *s, Taken t)
{
    MeasureRecord m = record_of(s, t);
    study_measure(s, &m);
}

static inline void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * want))
        fail_msg("%.17g is not %.17g", got, want);
}

#endif
