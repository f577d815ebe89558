/* SPDX-License-Identifier: Apache-2.0
 *
 * limits_cuda: what this GPU does at most, for the answer to the request `limits` (protocol.md): the probes of the code that came with it
 * (templates/device/limits.cu) are started in turn, each for about half a millisecond, until the time is up. Of rates the best counts, of
 * the time of an empty kernel and of a hand-over the median; the clock is that of the SMs while they calculate.
 */
#ifndef DCGEN_CUDA_LIMITS_H
#define DCGEN_CUDA_LIMITS_H

#include "search/runner/cuda/gpu.h"
#include "search/runner/cuda/timer.h"
#include "search/runner/serve.h"

bool limits_cuda(Arena *a, const LimitsRequest *q, const Gpu *g, Timer *t, LimitRecord *out, int *rounds,
                 const char **err);

#endif
