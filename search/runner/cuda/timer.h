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
#include "search/runner/cuda/nvml.h"
#include "templates/package/flush_l2.h"

enum { TIMER_MAX_CALLS = 2000, TIMER_GRAPH_CALLS = 64, TIMER_MAX_COLD = 8 };

typedef struct {
    int (*launch)(void *ctx); /* starts one call in the timer's stream; 0, or an error */
    void *ctx;
} TimerCall;

typedef struct {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    bool traced;
    char why[LIBRARY_WHY_BYTES]; /* why not, or why no longer */
    Clocks *clocks;              /* looked at while the GPU works, or has just done so; NULL: nobody looks */
    NAME_flush flush;            /* of the L2 cache; without a kernel nothing is cold */
    uint64_t next_call;
    bool has_null;
    double null_ns; /* of an empty kernel; 0: not known */
    double ns[TIMER_MAX_CALLS + TIMER_MAX_COLD];
} Timer;

/* In this order: timer_trace before the context is made, timer_open behind. */
void timer_trace(Timer *t, bool wanted);
bool timer_open(Arena *a, Timer *t, const Gpu *g, const char **err);
void timer_close(Timer *t);

/* TIMER_LOST: tracing fails, `why` says how. Times by events would not compare with those traced before: there are no more times. Only
 * timer_open turns to events, before there is any. TIMER_UNEVEN: some calls seem to have fewer kernels than others, so that their times would
 * be too short; `why` says so. Other calls may still be timed. */
typedef enum { TIMER_OK, TIMER_LOST, TIMER_UNEVEN, TIMER_REFUSED } TimerStatus;

/* Mean of n <= TIMER_MAX_CALLS calls back to back. By events n is cut to TIMER_GRAPH_CALLS. */
TimerStatus timer_hot(Timer *t, TimerCall call, int64_t n, double *mean_ns);
/* A sample: one call whose time does not matter, n calls back to back, and ncold <= TIMER_MAX_COLD calls, each on a cold L2 cache (none
 * without a flush). Traced, all of it is started at once and waited for once. */
TimerStatus timer_sample(Timer *t, TimerCall call, int64_t n, double *mean_ns, int ncold, double *cold_ns);
/* Time of an empty kernel, the median of some; 0: not known. */
TimerStatus timer_null(Timer *t, double *ns);

#endif
