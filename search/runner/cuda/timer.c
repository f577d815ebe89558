/* SPDX-License-Identifier: Apache-2.0
 *
 * timer: how long a call takes on the GPU. Traced: the union of the intervals of its kernels, as CUPTI tells them,
 * without what lies between calls. By events, where CUPTI cannot be had: the time between two events around a batch of
 * calls in a CUDA graph, gaps included. When the timer is opened it proves that what it chose works.
 */
#include "search/runner/cuda/runner_cuda.h"

#include "search/record/samples.h"

enum { NULL_SAMPLES = 15, NULL_CALLS = 16, MAX_TRIES = 3 };
static const size_t l2_guess = (size_t)32 << 20; /* where the driver does not say */
static const uint64_t flush_call = 1;            /* the number of all flushes; calls have higher ones */

void timer_trace(Timer *t, bool wanted)
{
    *t = (Timer){ .next_call = flush_call + 1, .why = "not wanted" };
    t->traced = wanted && tracer_open(t->why);
}

static void wait_for(Timer *t)
{
    if (t->clocks)
        clocks_look(t->clocks);
    gpu_wait(t->stream, "timing");
}

static void flush_l2(Timer *t)
{
    gpu_must((cudaError_t)PACKAGE_flush_start(&t->flush, t->stream), "flushing the L2 cache");
}

/* ---- traced */

/* Starts n calls, the last ncold of them each behind a flush, and waits for them. */
static int launch_traced(Timer *t, TimerCall call, int64_t n, int64_t ncold)
{
    int code = 0;
    for (int64_t i = 0; i < n && code == 0; i++) {
        if (i >= n - ncold) {
            tracer_call_begin(flush_call);
            flush_l2(t);
            tracer_call_end();
        }
        tracer_call_begin(t->next_call + (uint64_t)i);
        code = call.launch(call.ctx);
        tracer_call_end();
    }
    wait_for(t);
    return code;
}

static double mean_of(const double *v, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

static TimerStatus time_traced(Timer *t, TimerCall call, int64_t n, double *mean_ns, int ncold, double *cold_ns)
{
    const int64_t all = n + ncold;
    TraceStatus status = TRACE_OK;
    for (int i = 0; i < MAX_TRIES; i++) {
        tracer_clear();
        if (launch_traced(t, call, all, ncold) != 0)
            return TIMER_REFUSED;
        status = tracer_times(t->next_call, (size_t)all, t->ns);
        t->next_call += (uint64_t)all;
        if (status != TRACE_OK)
            continue;
        *mean_ns = mean_of(t->ns, n);
        for (int c = 0; c < ncold; c++)
            cold_ns[c] = t->ns[n + c];
        return TIMER_OK;
    }
    snprintf(t->why, sizeof t->why, "%s", trace_status_text(status));
    return status == TRACE_UNEVEN ? TIMER_UNEVEN : TIMER_LOST;
}

/* ---- by events */

static int launch_batch(TimerCall call, int64_t n)
{
    int code = 0;
    for (int64_t i = 0; i < n && code == 0; i++)
        code = call.launch(call.ctx);
    return code;
}

/* Captures n calls as a graph; NULL: they cannot be captured. */
static cudaGraphExec_t capture_calls(Timer *t, TimerCall call, int64_t n, int *code)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    if (cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    *code = launch_batch(call, n);
    if (cudaStreamEndCapture(t->stream, &graph) != cudaSuccess || !graph ||
        cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess)
        exec = NULL;
    cudaGetLastError();
    if (graph)
        cudaGraphDestroy(graph);
    return exec;
}

/* Times what the stream does between two events: the graph, or n calls without one. */
static TimerStatus time_between_events(Timer *t, TimerCall call, cudaGraphExec_t exec, int64_t n, double *ns)
{
    float ms = 0;
    gpu_check(cudaEventRecord(t->begin, t->stream), "an event");
    const int code = exec ? (int)cudaGraphLaunch(exec, t->stream) : launch_batch(call, n);
    gpu_check(cudaEventRecord(t->end, t->stream), "an event");
    wait_for(t);
    if (code != 0 || cudaEventElapsedTime(&ms, t->begin, t->end) != cudaSuccess || !(ms > 0))
        return TIMER_REFUSED;
    *ns = 1e6 * (double)ms;
    return TIMER_OK;
}

static TimerStatus time_hot_by_events(Timer *t, TimerCall call, int64_t n, double *mean_ns)
{
    int code = 0;
    n = n < TIMER_GRAPH_CALLS ? n : TIMER_GRAPH_CALLS;
    cudaGraphExec_t exec = capture_calls(t, call, n, &code);
    TimerStatus status = TIMER_REFUSED;
    /* What cannot be captured may still run. The first launch of a graph uploads it, and is not timed. */
    if (!exec || (code == 0 && cudaGraphLaunch(exec, t->stream) == cudaSuccess))
        status = time_between_events(t, call, exec, n, mean_ns);
    *mean_ns /= (double)n;
    if (exec)
        cudaGraphExecDestroy(exec);
    return status;
}

static TimerStatus time_by_events(Timer *t, TimerCall call, int64_t n, double *mean_ns, int ncold, double *cold_ns)
{
    TimerStatus status = time_hot_by_events(t, call, n, mean_ns);
    for (int i = 0; i < ncold && status == TIMER_OK; i++) {
        flush_l2(t);
        status = time_between_events(t, call, NULL, 1, &cold_ns[i]);
    }
    return status;
}

TimerStatus timer_hot(Timer *t, TimerCall call, int64_t n, double *mean_ns)
{
    *mean_ns = 0;
    return t->traced ? time_traced(t, call, n, mean_ns, 0, NULL) : time_by_events(t, call, n, mean_ns, 0, NULL);
}

TimerStatus timer_sample(Timer *t, TimerCall call, int64_t n, double *mean_ns, int ncold, double *cold_ns)
{
    if (!t->traced)
        return time_by_events(t, call, n, mean_ns, ncold, cold_ns);
    if (call.launch(call.ctx) != 0) /* the kernel before left other data in the cache */
        return TIMER_REFUSED;
    return time_traced(t, call, n, mean_ns, ncold, cold_ns);
}

TimerStatus timer_null(Timer *t, double *ns)
{
    const TimerCall call = { builtin_null, t->stream };
    double sample[NULL_SAMPLES];
    TimerStatus status = t->has_null ? TIMER_OK : TIMER_REFUSED;
    for (int i = 0; i < NULL_SAMPLES && status == TIMER_OK; i++)
        status = timer_hot(t, call, NULL_CALLS, &sample[i]);
    *ns = status == TIMER_OK ? samples_median(sample, NULL_SAMPLES) : 0;
    return status;
}

/* Takes an empty kernel's time, the least there is. A tracer that cannot tell it is no use: then events do. */
static void prove_timing(Timer *t, int sms)
{
    t->has_null = builtin_open(sms);
    const TimerStatus status = timer_null(t, &t->null_ns);
    if (status == TIMER_OK || status == TIMER_REFUSED)
        return;
    tracer_close();
    t->traced = false;
    timer_null(t, &t->null_ns);
}

bool timer_open(Arena *a, Timer *t, const Gpu *g, const char **err)
{
    cudaError_t e = cudaStreamCreate(&t->stream);
    e = e == cudaSuccess ? cudaEventCreate(&t->begin) : e;
    e = e == cudaSuccess ? cudaEventCreate(&t->end) : e;
    if (e != cudaSuccess) {
        *err = arena_printf(a, "the GPU has no room for timing: %s", cudaGetErrorString(e));
        return false;
    }
    const int code = PACKAGE_flush_open(&t->flush, g->prop.l2CacheSize > 0 ? (size_t)g->prop.l2CacheSize : l2_guess);
    if (code != 0)
        fprintf(stderr, "dcgen-runner-cuda: no times with a cold cache: %s\n", cudaGetErrorString((cudaError_t)code));
    cudaGetLastError();
    prove_timing(t, g->prop.multiProcessorCount);
    return true;
}

void timer_close(Timer *t)
{
    tracer_close();
    cudaStreamDestroy(t->stream);
    cudaFree(t->flush.memory);
}
