/* SPDX-License-Identifier: Apache-2.0
 *
 * request: what an agent is asked for, as data: to verify or time kernels on one shape, or to measure limits. Requests
 * wait in a queue (agent.h) until an agent is free; then an exchange with its runner goes on step by step, and never
 * waits.
 */
#ifndef DCGEN_REQUEST_H
#define DCGEN_REQUEST_H

#include "search/measure/runner.h"
#include "search/space/verify_shapes.h"

enum { REQUEST_MOST = 64 }; /* kernels in a request */

/* The kernels of a request. */
typedef struct {
    int n;
    const char *key[REQUEST_MOST], *so[REQUEST_MOST];
    int at[REQUEST_MOST]; /* the place of each in a list of the caller's; -1: in none */
} Kernels;

/* Adds one and gives its place. -1: there is no room. */
int kernels_add(Kernels *k, const char *key, const char *so, int at);

typedef struct {
    const int64_t *extent; /* one an axis */
    int threads;
    int repeats;              /* samples a kernel, <= RECORD_MAX_SAMPLE; 0: verify only */
    double sample_ns, max_ns; /* see the protocol */
    /* A kernel that takes so many times as long as the fastest gets only two samples; 0: none does. */
    double drop;
    int keep;  /* the kernel that gets all of its samples even so, as others are compared with it; -1: there is none */
    bool cold; /* the constant operand leaves the caches before each call */
    double deadline_s;  /* silence longer than this kills the runner: STATUS_TIMED_OUT */
    bool count;         /* the emulator counts what kernels do: MeasureRecord.fact */
    int64_t smem_limit; /* for the emulator: shared memory that a block can have; 0: its default */
    /* Strided operands lie with so many elements between their rows, and as many more between blocks of rows of each
     * further extent; 0: densely. Only without repeats. */
    int64_t gap;
    Lie lie; /* and this is how, where there is a gap */
    /* What operands of normal data hold instead, a kind of real numbers: max_err is then told in tolerances of plain
     * sums, and may be above 1. NULL: errors are judged, as those of "edges" are. Only without repeats. */
    const char *data;
    int way; /* how extents are divided into parts: a PartsWay */
} MeasureRequest;

typedef struct {
    const char *target, *dtype;
    int nthread;        /* 0: no limits are asked for */
    const int *threads; /* the counts that limits are wanted for */
    double max_ns;      /* for all counts together; samples are taken as long as this allows */
    const char *so;     /* for GPUs: the kernels that measure; NULL: the runner knows how */
} LimitRequest;

/* It asks for limits, or to measure kernels; where there are none of these either, that the runner be ready.
 *
 * Kernels are measured interleaved; each is verified before it is timed. Survivors of a crash are measured again
 * without the culprit. One that fails for what the machine lacks (blame.h) is verified again alone; where that fails
 * too, its blame is BLAME_MOMENT. A request fails when the runner cannot be restarted, or when the machine lacks what
 * it needs as a whole; one for limits never does. */
typedef struct Request {
    struct Request *later; /* the next in the queue */
    Arena *arena;          /* what comes of it lasts as long */
    void *of;              /* whose it is, for these two */
    /* Called when an agent is free: fills in what follows from others. False: it is dropped. NULL: all is there. */
    bool (*fill)(struct Request *q);
    bool (*take)(struct Request *q, const char **err); /* takes what came of it; NULL: it stays here */
    struct Agent *agent;                               /* the one that has it */
    MeasureRequest measure;
    Kernels kernel;
    MeasureRecord *out; /* result: one a kernel: key, device, extent, threads, status, samples, time_ns, why ... */
    LimitRequest limits;
    /* Result: one a thread count, with the runner's device; all or none, as of a runner that fails. */
    LimitRecord *limit;
    int nlimit;
} Request;

/* ---- a request under way with one runner (exchange.c) ---- */

typedef struct Exchange Exchange;

typedef enum {
    STEP_ON,    /* the next step can be taken at once */
    STEP_WAITS, /* for the runner */
    STEP_OVER,  /* the request is answered */
    STEP_FAILED /* it cannot be: *err says why */
} Step;

Exchange *exchange_begin(Runner *r, Request *q);
Step exchange_step(Exchange *x, const char **err);

#endif
