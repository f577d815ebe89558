/* SPDX-License-Identifier: Apache-2.0
 *
 * measure: dcgen's side of the runner protocol (search/runner/protocol.md). Verifies first, then times; survives runners that crash,
 * hang or talk nonsense.
 */
#ifndef DCGEN_MEASURE_H
#define DCGEN_MEASURE_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "search/measure/runner.h"
#include "search/record/record.h"

typedef struct {
    const int64_t *extent; /* one an axis */
    int threads;
    int repeats;              /* samples a kernel, <= RECORD_MAX_SAMPLE; 0: verify only */
    double sample_ns, max_ns; /* see the protocol */
    /* Kernels that take so many times as long as the fastest have two samples; 0: all have all of theirs. */
    double drop;
    int keep; /* not so this one, which others are compared with; -1: none */
    /* Of a call of `keep` when nothing else uses the machine: rounds go on until it shows; 0: not known. */
    double quiet_ns;
    double wait_ns;     /* that they may go on, on top of a quarter of the sampling */
    double deadline_s;  /* silence longer than this kills the runner: STATUS_TIMED_OUT */
    bool count;         /* the emulator shall count what kernels do: MeasureRecord.fact */
    int64_t smem_limit; /* for the emulator: shared memory that a block can have; 0: as it likes */
} MeasureRequest;

/* Measures n shared objects on one shape, interleaved. Fills out[i] (key, device, extent, threads, status, samples, median, spread,
 * max_err, why); survivors of a crash are measured again without the culprit. One that fails for what the machine lacks (blame.h) is
 * verified again alone; where that fails too, its blame is BLAME_MOMENT. False with *err when the runner cannot be restarted, when the
 * machine lacks what the request as a whole needs, or when *stop became true. */
bool measure(Runner *r, Arena *a, const MeasureRequest *q, const char *const *key, const char *const *so, int n,
             MeasureRecord *out, const volatile int *stop, const char **err);

#endif
