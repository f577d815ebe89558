/* SPDX-License-Identifier: Apache-2.0
 *
 * study_of_three: a study of three candidates, and the records of their times.
 */
#ifndef DCGEN_TEST_STUDY_OF_THREE_H
#define DCGEN_TEST_STUDY_OF_THREE_H

#include "tests/search/study_place.h"

/* A study without measurements of three candidates. */
static inline Study *study_of_three(void) { return study_of(3, 1, 0); }

/* A time of a kernel on one of the shapes. */
typedef struct {
    int trial, shape;
    double ns, anchor_ns;
} Taken;

static inline MeasureRecord record_of(const Study *s, Taken t)
{
    return measured(s, t.trial, s->shape[t.shape], t.ns, t.anchor_ns);
}

static inline void take(Study *s, Taken t) { measure_once(s, t.trial, s->shape[t.shape], t.ns, t.anchor_ns); }

#endif
