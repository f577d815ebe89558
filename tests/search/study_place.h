/* SPDX-License-Identifier: Apache-2.0
 *
 * study_place: studies of one's own beside a synthetic one, y, whose measurements are made up. Included once by each.
 */
#ifndef DCGEN_TEST_STUDY_PLACE_H
#define DCGEN_TEST_STUDY_PLACE_H

#include "tests/test.h"
#include "tests/gen/synthetic_place.h"
#include "tests/kept_list.h"
#include "tests/near.h"

/* A study that knows nothing. */
static inline Study *study_on(const Synthetic *z)
{
    return study_new(z->arena, z->spec, &z->device, z->study->target, "0123456789abcdef");
}

static inline Study *new_study(void) { return study_on(&y); }

/* What these records make of one. */
static inline Study *study_loaded(const Records *r)
{
    Study *s = new_study();
    study_load(s, r, &y.templates, &y.targets);
    return s;
}

/* A study of n candidates, so many apart in the space, that were built and not measured. */
static inline Study *study_of(int n, int apart, int64_t code_bytes)
{
    Study *s = new_study();
    for (int i = 0; i < n; i++) {
        const int64_t added = study_add(s, &y.space->candidate[apart * i]);
        s->trial[added].built = true;
        s->trial[added].code_bytes = code_bytes;
    }
    return s;
}

/* The record of one time of a kernel; anchor_ns: what the anchor took beside it, 0: nobody knows. */
static inline MeasureRecord measured(const Study *s, int64_t trial, const Instance *inst, double ns, double anchor_ns)
{
    return (MeasureRecord){ .key = s->trial[trial].key,
                            .device = s->device->id,
                            .naxis = s->spec->op->ngiven,
                            .extent = inst->extent,
                            .threads = inst->threads,
                            .status = STATUS_OK,
                            .nsample = 1,
                            .ns = KEPT(double, ns),
                            .time_ns = ns,
                            .anchor_ns = anchor_ns,
                            .why = "" };
}

static inline void measure_once(Study *s, int64_t trial, const Instance *inst, double ns, double anchor_ns)
{
    const MeasureRecord m = measured(s, trial, inst, ns, anchor_ns);
    study_measure(s, &m);
}

/* A study of three candidates, and a time of one of them on one of the shapes. */
static inline Study *study_of_three(void) { return study_of(3, 1, 0); }

typedef struct {
    int trial, shape;
    double ns, anchor_ns;
} Taken;

static inline MeasureRecord record_of(const Study *s, Taken t)
{
    return measured(s, t.trial, s->shape[t.shape], t.ns, t.anchor_ns);
}

/* The first instance that is not tuned. */
static inline const Instance *first_held_out(const Spec *s)
{
    const Instance *inst = s->instance;
    while (inst->tuned)
        inst++;
    return inst;
}

#endif
