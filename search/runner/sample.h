/* SPDX-License-Identifier: Apache-2.0
 *
 * sample: calls of one kernel of CPU code, timed. A sample is as many calls as last Timing.sample_ns, taken in slices of 20 us or of one
 * call; what counts is the fastest slice.
 */
#ifndef DCGEN_SAMPLE_H
#define DCGEN_SAMPLE_H

#include "search/runner/runner.h"

/* What all kernels of a request are called with. */
typedef struct {
    const Setup *setup;
    const Shape *shape;
    const Timing *timing;
    void *workspace; /* of the largest that a kernel wants */
} SampleSetting;

/* Calls until caches, clock and predictors have settled, then sets how many calls make a sample. The first call does not count: it
 * brings in code and pages and wakes threads, and taken for the rule it would leave a kernel with samples of one call each. Unless it is so
 * long that all this is little: then it is a sample. */
void sample_calibrate(Kernel *k, const SampleSetting *c);

/* Adds one. The kernel before left other data in the caches: one call first, unless a call is so long that it does not matter. */
void sample_take(Kernel *k, const SampleSetting *c);

#endif
