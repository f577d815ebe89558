/* SPDX-License-Identifier: Apache-2.0 */
#include "search/runner/cuda/timer.h"

#include <stdio.h>
#include <string.h>
#include "search/runner/cuda/null_kernel.h"
#include "search/runner/cuda/tracer.h"
#include "search/samples.h"

enum { GRAPH_CALLS = 64, NULL_SAMPLES = 15, NULL_CALLS = 16, MAX_TRIES = 3, FLUSH_BYTE = 0x3c };
static const uint64_t flush_call = 1; /* calls are counted from here on, so that a flush is never taken for one */

void timer_trace(Timer *t, bool wanted)
{
    *t = (Timer){ .next_call = flush_call + 1 };
    snprintf(t->why, sizeof t->why, "not wanted");
    t->traced = wanted && tracer_open(t->why);
    if (t->traced)
        t->why[0] = '\0';
}

static TimerStatus turn_to_events(Timer *t, const char *why)
{
    fprintf(stderr, "dcgen-runner-cuda: CUPTI: %s; timing by events from here on\n", why);
    tracer_close();
    t->traced = false;
    snprintf(t->why, sizeof t->why, "%s", why);
    return TIMER_CHANGED;
}

/* ---- what lies around a call */

static void flush_l2(Timer *t)
{
    if (t->traced)
        tracer_call_begin(flush_call);
    gpu_check(cudaMemsetAsync(t->flush, FLUSH_BYTE, t->flush_bytes, t->stream), "flushing the L2 cache");
    if (t->traced)
        tracer_call_end();
}

/* ---- traced */

/* n calls, each behind a flush if wanted; their times into t->ns. */
static int launch_traced(Timer *t, TimerCall call, int64_t n, bool cold)
{
    int code = 0;
    for (int64_t i = 0; i < n && code == 0; i++) {
        if (cold)
            flush_l2(t);
        tracer_call_begin(t->next_call + (uint64_t)i);
        code = call.launch(call.ctx);
        tracer_call_end();
    }
    gpu_wait(t->stream, "timing");
    return code;
}

static TimerStatus time_traced(Timer *t, TimerCall call, int64_t n, bool cold)
{
    TraceStatus status = TRACE_OK;
    for (int i = 0; i < MAX_TRIES; i++) {
        tracer_clear();
        if (launch_traced(t, call, n, cold) != 0)
            return TIMER_REFUSED;
        status = tracer_times(t->next_call, (size_t)n, t->ns);
        t->next_call += (uint64_t)n;
        if (status == TRACE_OK)
            return TIMER_OK;
    }
    return turn_to_events(t, trace_status_text(status));
}

static double mean(const double *v, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

/* ---- by events */

/* n calls as a graph; NULL: they cannot be captured. */
static cudaGraphExec_t capture(Timer *t, TimerCall call, int64_t n, int *code)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    *code = 0;
    if (cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    for (int64_t i = 0; i < n && *code == 0; i++)
        *code = call.launch(call.ctx);
    if (cudaStreamEndCapture(t->stream, &graph) != cudaSuccess || !graph ||
        cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess)
        exec = NULL;
    cudaGetLastError();
    if (graph)
        cudaGraphDestroy(graph);
    return exec;
}

static int launch_batch(Timer *t, TimerCall call, cudaGraphExec_t exec, int64_t n)
{
    int code = 0;
    if (exec)
        return (int)cudaGraphLaunch(exec, t->stream);
    for (int64_t i = 0; i < n && code == 0; i++)
        code = call.launch(call.ctx);
    return code;
}

/* What the stream does between the two events. */
static TimerStatus time_between(Timer *t, TimerCall call, cudaGraphExec_t exec, int64_t n, double *ns)
{
    float ms = 0;
    gpu_check(cudaEventRecord(t->begin, t->stream), "an event");
    int code = launch_batch(t, call, exec, n);
    gpu_check(cudaEventRecord(t->end, t->stream), "an event");
    gpu_wait(t->stream, "timing");
    if (code != 0 || cudaEventElapsedTime(&ms, t->begin, t->end) != cudaSuccess || !(ms > 0))
        return TIMER_REFUSED;
    *ns = 1e6 * (double)ms;
    return TIMER_OK;
}

static TimerStatus hot_by_events(Timer *t, TimerCall call, int64_t n, double *mean_ns)
{
    int code = 0;
    n = n < GRAPH_CALLS ? n : GRAPH_CALLS;
    cudaGraphExec_t exec = capture(t, call, n, &code);
    TimerStatus status = TIMER_REFUSED;
    /* The first launch of a graph uploads it. */
    if (code == 0 && (!exec || launch_batch(t, call, exec, n) == 0))
        status = time_between(t, call, exec, n, mean_ns);
    *mean_ns /= (double)n;
    if (exec)
        cudaGraphExecDestroy(exec);
    return status;
}

/* ---- */

TimerStatus timer_hot(Timer *t, TimerCall call, int64_t n, double *mean_ns)
{
    *mean_ns = 0;
    if (!t->traced)
        return hot_by_events(t, call, n, mean_ns);
    TimerStatus status = time_traced(t, call, n, false);
    if (status == TIMER_OK)
        *mean_ns = mean(t->ns, n);
    return status;
}

TimerStatus timer_cold(Timer *t, TimerCall call, int n, double *ns)
{
    TimerStatus status = TIMER_OK;
    if (t->traced) {
        status = time_traced(t, call, n, true);
        if (status == TIMER_OK)
            memcpy(ns, t->ns, (size_t)n * sizeof *ns);
        return status;
    }
    for (int i = 0; i < n && status == TIMER_OK; i++) {
        flush_l2(t);
        status = time_between(t, call, NULL, 1, &ns[i]);
    }
    return status;
}

TimerStatus timer_warm(Timer *t, TimerCall call)
{
    int code = call.launch(call.ctx);
    gpu_wait(t->stream, "warming up");
    return code == 0 ? TIMER_OK : TIMER_REFUSED;
}

static int launch_null(void *stream) { return null_kernel_launch(stream); }

/* The floor; and for a tracer the proof that it works. */
static void time_null(Timer *t)
{
    char why[TIMER_WHY_BYTES];
    double ns[NULL_SAMPLES];
    TimerCall call = { launch_null, t->stream };
    int n = 0;
    if (!null_kernel_open(why, sizeof why)) {
        fprintf(stderr, "dcgen-runner-cuda: %s\n", why);
        return;
    }
    while (n < NULL_SAMPLES) {
        TimerStatus status = timer_hot(t, call, NULL_CALLS, &ns[n]);
        if (status == TIMER_REFUSED)
            return;
        n = status == TIMER_CHANGED ? 0 : n + 1;
    }
    t->null_ns = samples_median(ns, n);
}

bool timer_open(Timer *t, const Gpu *g, char why[TIMER_WHY_BYTES])
{
    t->flush_bytes = 2 * (g->l2_bytes ? g->l2_bytes : (size_t)32 << 20);
    cudaError_t e = cudaStreamCreate(&t->stream);
    e = e == cudaSuccess ? cudaEventCreate(&t->begin) : e;
    e = e == cudaSuccess ? cudaEventCreate(&t->end) : e;
    e = e == cudaSuccess ? cudaMalloc(&t->flush, t->flush_bytes) : e;
    if (e != cudaSuccess) {
        snprintf(why, TIMER_WHY_BYTES, "the GPU has no room for timing: %s", cudaGetErrorString(e));
        return false;
    }
    time_null(t);
    return true;
}

void timer_close(Timer *t)
{
    if (t->traced)
        tracer_close();
    t->traced = false;
    if (t->stream)
        cudaStreamDestroy(t->stream);
    if (t->flush)
        cudaFree(t->flush);
}
