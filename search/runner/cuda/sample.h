/* SPDX-License-Identifier: Apache-2.0
 *
 * sample: times of all kernels of a request in turn, every other round in reverse order, so that whatever slows the GPU
 * meets them all alike. Before the first, the GPU works for 50 ms: clocks rise. HOT samples are means over calls back to
 * back; after each come COLD calls behind a flush of the L2 cache, of which the median counts. After the last, each kernel
 * is checked once more.
 */
#ifndef DCGEN_CUDA_SAMPLE_H
#define DCGEN_CUDA_SAMPLE_H

#include "search/runner/cuda/check.h"
#include "search/runner/cuda/timer.h"

/* Fills the samples and further result fields of the kernels with status ok, and checks those once more. False with why set: no more times
 * can be taken. */
bool sample_all(Check *c, Timer *t, char why[WHY_BYTES]);

/* How many calls fill a sample. */
int64_t sample_calls(double sample_ns, double call_ns);
/* The kernel that comes i-th of n in this round. */
int sample_order(int round, int i, int n);

#endif
