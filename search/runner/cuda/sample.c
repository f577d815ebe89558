/* SPDX-License-Identifier: Apache-2.0 */
#include "search/runner/cuda/sample.h"

#include <math.h>
#include <stdlib.h>
#include "search/process.h"
#include "search/record.h"
#include "search/runner/cuda/watchdog.h"
#include "search/samples.h"

enum { MIN_SAMPLES = 3, COLD_CALLS = 2, MAX_COLD = RECORD_MAX_SAMPLE * COLD_CALLS };
static const double warm_ns = 2e6; /* of GPU time: clocks rise, code comes in */

typedef struct {
    int n;
    double ns[MAX_COLD];
} Cold;

typedef struct {
    Work *w;
    Check *check;
    Extra *extra;
    Timer *timer;
    Cold *cold; /* one a kernel */
} Run;

/* One kernel of a run. */
typedef struct {
    Run *run;
    int i;
    int code; /* of a launch that failed */
} One;

int64_t sample_calls(double sample_ns, double call_ns)
{
    double calls = ceil(sample_ns / fmax(call_ns, 1));
    return (int64_t)fmin(TIMER_MAX_CALLS, fmax(1, calls));
}

int sample_order(int round, int i, int n) { return round % 2 ? n - 1 - i : i; }

static int launch(void *ctx)
{
    One *one = ctx;
    Run *r = one->run;
    one->code = check_launch(r->check, &r->w->kernel[one->i], &r->extra[one->i], ALIGNED);
    return one->code;
}

/* ---- one kernel */

/* Calls until clocks and caches have settled, then sets how many calls make a sample. */
static TimerStatus calibrate(Kernel *k, Timer *t, TimerCall call, double sample_ns)
{
    double per_call = 0, spent = 0;
    TimerStatus status = timer_warm(t, call);
    for (int64_t n = 1; status == TIMER_OK && spent < warm_ns && n <= TIMER_MAX_CALLS; n *= 2) {
        status = timer_hot(t, call, n, &per_call);
        spent += per_call * (double)n;
    }
    k->calls = sample_calls(sample_ns, per_call);
    return status;
}

/* The kernel before left other data in the cache: one call first. */
static TimerStatus take_sample(Kernel *k, Cold *cold, Timer *t, TimerCall call)
{
    double ns;
    TimerStatus status = k->calls > 1 ? timer_warm(t, call) : TIMER_OK;
    if (status == TIMER_OK)
        status = timer_hot(t, call, k->calls, &ns);
    if (status != TIMER_OK)
        return status;
    k->ns[k->nsample++] = ns;
    status = timer_cold(t, call, COLD_CALLS, &cold->ns[cold->n]);
    cold->n += status == TIMER_OK ? COLD_CALLS : 0;
    return status;
}

/* True: go on with the next kernel. */
static bool visit(Run *r, int i, int round)
{
    Kernel *k = &r->w->kernel[i];
    One one = { r, i, 0 };
    TimerCall call = { launch, &one };
    r->w->timing.begin(r->w->timing.ctx, i);
    watchdog_arm(k->key);
    TimerStatus status =
        round < 0 ? calibrate(k, r->timer, call, r->w->timing.sample_ns) : take_sample(k, &r->cold[i], r->timer, call);
    watchdog_disarm();
    if (status == TIMER_REFUSED && one.code != 0)
        check_refused(k, one.code);
    else if (status == TIMER_REFUSED)
        kernel_fail(k, STATUS_INVALID, "its time cannot be measured");
    return status != TIMER_CHANGED;
}

/* ---- all of them */

static void forget_samples(Run *r)
{
    for (int i = 0; i < r->w->nkernel; i++)
        r->w->kernel[i].nsample = r->cold[i].n = 0;
}

/* False: the way of timing changed meanwhile, what was taken is worth nothing. */
static bool run_rounds(Run *r)
{
    const Timing *timing = &r->w->timing;
    const int n = r->w->nkernel;
    const double start_s = process_clock_s();
    forget_samples(r);
    for (int round = -1; round < timing->repeats; round++) {
        if (round >= MIN_SAMPLES && 1e9 * (process_clock_s() - start_s) > timing->max_ns)
            break;
        for (int i = 0; i < n; i++) {
            int which = sample_order(round, i, n);
            if (r->w->kernel[which].status == STATUS_OK && !visit(r, which, round))
                return false;
        }
    }
    return true;
}

/* The workspaces were written to by the checks: timing starts as a product does. */
static void clear_workspaces(Run *r)
{
    for (int i = 0; i < r->w->nkernel; i++)
        gpu_buffer_fill(&r->extra[i].workspace, 0);
}

static void tell_more(Run *r, NvmlSample clocks)
{
    char throttle[WHY_BYTES];
    nvml_reasons_text(clocks.reasons, throttle, sizeof throttle);
    for (int i = 0; i < r->w->nkernel; i++) {
        Kernel *k = &r->w->kernel[i];
        if (k->status != STATUS_OK)
            continue;
        k->more = json_pack("{s:f, s:s}", "cold_ns", samples_median(r->cold[i].ns, r->cold[i].n), "timer",
                            r->timer->traced ? "cupti" : "events");
        if (k->more && clocks.clock_mhz > 0) {
            json_object_set_new(k->more, "clock_mhz", json_integer(clocks.clock_mhz));
            json_object_set_new(k->more, "throttle", json_string(throttle));
        }
    }
}

bool sample_all(Work *w, Check *c, Extra *extra, Timer *t, const Nvml *nvml)
{
    Run r = { w, c, extra, t, calloc((size_t)w->nkernel, sizeof *r.cold) };
    if (!r.cold)
        return false;
    NvmlSample before = nvml_sample(nvml);
    do
        clear_workspaces(&r);
    while (!run_rounds(&r));
    tell_more(&r, nvml_worse(before, nvml_sample(nvml)));
    free(r.cold);
    return true;
}
