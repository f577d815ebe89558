/* SPDX-License-Identifier: Apache-2.0
 *
 * runner: dcgen's side of a runner, the program that verifies and times kernels (search/runner/protocol.md): starts it,
 * asks it, ends it. It survives runners that crash, hang or talk nonsense.
 */
#ifndef DCGEN_RUNNER_CLIENT_H
#define DCGEN_RUNNER_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/spec/op.h"
#include "search/record/record.h"

typedef struct Runner Runner;

/* command: argv[0..] NULL-terminated ("ssh","gpu1","dcgen-runner-c"), kept as long as the runner. reference_so:
 * compiled reference of the op. NULL with *err set; stop may be NULL. */
Runner *runner_start(Arena *a, const char *const *command, const Spec *spec, const char *reference_so, uint64_t seed,
                     const volatile int *stop, const char **err);
/* The request that sets a runner up; reference_so may be NULL. Gives NULL where its path is not UTF-8. */
json_t *runner_setup(const Op *op, const char *dtype, uint64_t seed, const char *reference_so);
const Device *runner_device(const Runner *r); /* as the runner said it; compiler and flags empty */
/* Reads the device from a `device` object of the protocol. False: the object is incomplete. */
bool device_of_json(Arena *a, const json_t *device, Device *out);
void runner_stop(Runner *r);

typedef struct {
    const int64_t *extent; /* one an axis */
    int threads;
    int repeats;              /* samples a kernel, <= RECORD_MAX_SAMPLE; 0: verify only */
    double sample_ns, max_ns; /* see the protocol */
    /* A kernel that takes so many times as long as the fastest gets only two samples; 0: all kernels get all of
     * theirs. */
    double drop;
    int keep;  /* the kernel that gets all of its samples even so, as others are compared with it; -1: there is none */
    bool cold; /* the constant operand leaves the caches before each call */
    double deadline_s;  /* silence longer than this kills the runner: STATUS_TIMED_OUT */
    bool count;         /* the emulator counts what kernels do: MeasureRecord.fact */
    int64_t smem_limit; /* for the emulator: shared memory that a block can have; 0: its default */
    /* Strided operands lie with so many elements between their rows, and as many more between blocks of rows of each
     * further extent; 0: densely. Only without repeats. */
    int64_t gap;
    /* What operands of normal data hold instead, a kind of real numbers: MeasureRecord.max_err is then told in
     * tolerances of plain sums, whatever the spec's accuracy, and may be above 1. NULL: errors are judged, and so are
     * those of "edges". Only without repeats. */
    const char *data;
    int way; /* how extents are divided into parts: a PartsWay */
} MeasureRequest;

/* Measures n shared objects on one shape, interleaved; each is verified before it is timed. Fills out[i] (key, device,
 * extent, threads, status, samples, time_ns, max_err, why); survivors of a crash are measured again without the
 * culprit. One that fails for what the machine lacks (blame.h) is verified again alone; where that fails too, its blame
 * is BLAME_MOMENT. False with *err when the runner cannot be restarted, when the machine lacks what the request as a
 * whole needs, or when *stop became true. */
bool measure(Runner *r, Arena *a, const MeasureRequest *q, const char *const *key, const char *const *so, int n,
             MeasureRecord *out, const volatile int *stop, const char **err);

typedef struct {
    const char *target, *dtype;
    int nthread;
    const int *threads; /* the counts that limits are wanted for */
    double max_ns;      /* for all counts together; samples are taken as long as this allows */
    const char *so;     /* for GPUs: the kernels that measure; NULL: the runner knows how */
} LimitRequest;

/* Asks for the device's limits. out[] has room for one a thread count; *n of them are filled in, with the runner's
 * device: all or none. A runner that does not know the request, dies of it or talks nonsense has none. False with *err
 * set only when *stop became true. */
bool limit_measure(Runner *r, Arena *a, const LimitRequest *q, LimitRecord *out, int *n, const volatile int *stop,
                   const char **err);

#endif
