/* SPDX-License-Identifier: Apache-2.0
 *
 * timer: how long a call takes on the GPU. Traced: the union of the intervals of its kernels, as CUPTI tells them,
 * without what lies between calls. By events, where CUPTI cannot be had: the time between two events around a batch of
 * calls in a CUDA graph, gaps included.
 */
#ifndef DCGEN_CUDA_TIMER_H
#define DCGEN_CUDA_TIMER_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include "search/runner/cuda/gpu.h"

enum { TIMER_WHY_BYTES = 200, TIMER_MAX_CALLS = 2000 };

typedef struct {
    int (*launch)(void *ctx); /* starts one call in the timer's stream; 0, or an error */
    void *ctx;
} TimerCall;

typedef struct {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    bool traced;
    char why[TIMER_WHY_BYTES]; /* why not; "" */
    void *flush;               /* twice the L2 cache */
    size_t flush_bytes;
    uint64_t next_call;
    double null_ns; /* of an empty kernel; 0: not known */
    double ns[TIMER_MAX_CALLS];
} Timer;

/* In this order: timer_trace before the context is made, timer_open behind. */
void timer_trace(Timer *t, bool wanted);
bool timer_open(Timer *t, const Gpu *g, char why[TIMER_WHY_BYTES]);
void timer_close(Timer *t);

/* What a call's time is worth. When tracing fails, the timer turns to events for good, and all that was traced before
 * cannot be compared with what follows: TIMER_CHANGED, nothing was measured. */
typedef enum { TIMER_OK, TIMER_CHANGED, TIMER_REFUSED } TimerStatus;

/* One call whose time does not matter. */
TimerStatus timer_warm(Timer *t, TimerCall call);
/* Mean of n <= TIMER_MAX_CALLS calls back to back. By events n is cut to what fits a graph. */
TimerStatus timer_hot(Timer *t, TimerCall call, int64_t n, double *mean_ns);
/* n calls, each on a cold L2 cache. */
TimerStatus timer_cold(Timer *t, TimerCall call, int n, double *ns);

#endif
