/* SPDX-License-Identifier: Apache-2.0
 *
 * measure: dcgen's side of the runner protocol (search/runner/protocol.md). Verifies first, then times; survives runners that crash,
 * hang or talk nonsense.
 */
#ifndef DCGEN_MEASURE_H
#define DCGEN_MEASURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "gen/arena.h"
#include "gen/op.h"
#include "search/record.h"

typedef struct Runner Runner;

/* command: argv[0..] NULL-terminated ("ssh","gpu1","dcgen-runner-c"). reference_so: compiled reference of the op.
 * epilogues: which optional operands there are. NULL with *err set; stop may be NULL. */
Runner *runner_start(Arena *a, const char *const *command, const Op *op, const char *dtype,
                     const char *const *epilogues, int nepilogue, const char *reference_so, uint64_t seed,
                     const volatile int *stop, const char **err);
/* The request that sets a runner up, but for the path of the reference. */
json_t *runner_setup(const Op *op, const char *dtype, uint64_t seed);
const Device *runner_device(const Runner *r); /* as the runner said it; compiler and flags empty */
/* The same from a `device` object of the protocol. False: it is incomplete. */
bool device_of_json(Arena *a, const json_t *device, Device *out);

typedef struct {
    const int64_t *extent; /* one an axis */
    int threads;
    int repeats;              /* samples a kernel, <= RECORD_MAX_SAMPLE; 0: verify only */
    double sample_ns, max_ns; /* see the protocol */
    double deadline_s;        /* silence longer than this kills the runner: STATUS_TIMED_OUT */
    bool count;               /* the emulator shall count what kernels do: MeasureRecord.fact */
    int64_t smem_limit;       /* for the emulator: shared memory that a block can have; 0: as it likes */
} MeasureRequest;

/* Measures n shared objects on one shape, interleaved. Fills out[i] (key, device, extent, threads, status, samples, median, spread,
 * max_err, why); survivors of a crash are measured again without the culprit. False with *err only when the runner cannot be
 * restarted or *stop became true. */
bool measure(Runner *r, Arena *a, const MeasureRequest *q, const char *const *key, const char *const *so, int n,
             MeasureRecord *out, const volatile int *stop, const char **err);
void runner_stop(Runner *r);

#endif
