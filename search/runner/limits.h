/* SPDX-License-Identifier: Apache-2.0
 *
 * limits: what this machine can do at most, for the answer to the request `limits` (protocol.md).
 */
#ifndef DCGEN_LIMITS_H
#define DCGEN_LIMITS_H

#include "search/record/record.h"
#include "search/runner/peak.h"

/* The caches' sizes choose the buffers: half of what a level holds, at least twice the level before. */
typedef struct {
    const PeakIsa *isa;
    int64_t cache_bytes[LEVEL_MEMORY]; /* of L1 and L2 each core's; 0: there is none */
    int threads;
    double until_ns; /* on the clock of process_clock_ns; nothing is begun after it */
} LimitsWish;

/* Fills in the rates, each the best of one sample a round; what was not measured is 0. Gives the rounds, at least 1. */
int limits_measure(const LimitsWish *wish, LimitRecord *out);

#endif
