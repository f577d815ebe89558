/* SPDX-License-Identifier: Apache-2.0
 *
 * sample: times of all kernels of a request in turn, every other round in reverse order, so that whatever slows the GPU
 * meets them all alike. A sample is the mean of calls back to back (hot); after it come COLD_CALLS calls, each behind a
 * flush of the L2 cache, of which the median counts. After the last sample each kernel is checked once more. The GPU's
 * clock and what held it down are told with the times.
 */
#include "search/runner/cuda/runner_cuda.h"

#include "gen/base/json.h"
#include "gen/base/process.h"
#include "search/record/samples.h"

enum { MIN_SAMPLES = 3 };
/* The warm-up before the first sample takes warm_ns: clocks rise within tens of ms. Each kernel has its part, and
 * enough for its code to come in, which is all on a warm GPU. Where starting takes longer than running, warm_wall times
 * that part by the wall clock will do, but for the first WARM_BATCHES, which tell a call's time. */
static const double warm_ns = 5e7, warm_least_ns = 5e5, warm_wall = 2;
enum { WARM_BATCHES = 3 };
/* A GPU is warm so long behind samples: where its clock is known and `clock_kept`; and where it is not. */
static const double warm_told_s = 1, warm_untold_s = 0.03, clock_kept = 0.98;

typedef struct {
    Check *check;
    Work *w; /* the check's */
    Timer *timer;
    bool was_warm;   /* the GPU, before the request */
    double share_ns; /* a kernel's part of the warm-up */
    Clocks clocks;
} SamplingRun;

typedef struct {
    SamplingRun *run;
    int i;
    int code; /* of a launch that failed */
} TimedKernel;

int64_t sample_calls(double sample_ns, double call_ns)
{
    double calls = ceil(sample_ns / fmax(call_ns, 1));
    return (int64_t)fmin(TIMER_MAX_CALLS, fmax(1, calls));
}

int sample_order(int round, int i, int n) { return round % 2 ? n - 1 - i : i; }

bool sample_is_warm(double pause_s, double mhz, double warm_mhz)
{
    if (mhz > 0 && warm_mhz > 0)
        return pause_s < warm_told_s && mhz >= clock_kept * warm_mhz;
    return pause_s < warm_untold_s;
}

static bool is_warm(const Timer *t)
{
    Clocks now = { 0 };
    if (!(t->worked_s > 0))
        return false;
    clocks_look(&now);
    return sample_is_warm(process_clock_s() - t->worked_s, clocks_mhz(&now), t->warm_mhz);
}

static int launch_timed(void *ctx)
{
    TimedKernel *timed = ctx;
    const Check *c = timed->run->check;
    timed->code = check_launch(c, &c->work->kernel[timed->i], &c->extra[timed->i], ALIGNED);
    return timed->code;
}

/* Works for `share_ns`, then sets how many calls make a sample. Batches grow fourfold until one fills a sample. */
static TimerStatus calibrate(Kernel *k, Timer *t, TimerCall call, double sample_ns, double share_ns)
{
    const double start = process_clock_ns();
    double per_call = 0, spent = 0;
    TimerStatus status = TIMER_OK;
    k->calls = 1;
    for (int batch = 0; status == TIMER_OK && spent < share_ns &&
                        (batch < WARM_BATCHES || process_clock_ns() - start < warm_wall * share_ns);
         batch++) {
        const int64_t n = k->calls;
        status = timer_hot(t, call, n, &per_call);
        spent += per_call * (double)n;
        k->calls = (int64_t)fmin(4 * (double)n, (double)sample_calls(fmax(sample_ns, warm_least_ns), per_call));
        k->calls = t->traced || k->calls < TIMER_GRAPH_CALLS ? k->calls : TIMER_GRAPH_CALLS;
        watchdog_arm(k->key);
    }
    k->calls = sample_calls(sample_ns, per_call);
    return status;
}

static TimerStatus take_sample(Kernel *k, Extra *e, Timer *t, TimerCall call)
{
    const int ncold = t->flush.kernel ? COLD_CALLS : 0;
    const TimerStatus status = timer_sample(t, call, k->calls, &k->ns[k->nsample], ncold, &e->cold_ns[e->ncold]);
    k->nsample += status == TIMER_OK;
    e->ncold += status == TIMER_OK ? ncold : 0;
    return status;
}

/* Warms kernel i up (round -1), or takes a sample of it. False: no more times can be taken. */
static bool time_kernel(SamplingRun *r, int i, int round)
{
    const Timing *timing = &r->w->timing;
    Kernel *k = &r->w->kernel[i];
    TimedKernel timed = { r, i, 0 };
    TimerCall call = { launch_timed, &timed };
    timing->begin(timing->ctx, i);
    watchdog_arm(k->key);
    TimerStatus status = round < 0 ? calibrate(k, r->timer, call, timing->sample_ns, r->share_ns)
                                   : take_sample(k, &r->check->extra[i], r->timer, call);
    watchdog_disarm();
    if (status == TIMER_REFUSED && timed.code != 0)
        check_refused(k, timed.code);
    else if (status == TIMER_REFUSED)
        kernel_fail(k, STATUS_INVALID, "its time cannot be measured");
    else if (status == TIMER_UNEVEN) /* the records' fault or its own: the words of blame.h leave it open */
        kernel_fail(k, STATUS_INVALID, "times of kernels are lost: CUPTI: %.150s", r->timer->why);
    return status != TIMER_LOST;
}

/* False: no more times can be taken. */
static bool run_rounds(SamplingRun *r)
{
    const Timing *timing = &r->w->timing;
    const int n = r->w->nkernel;
    int good = 0;
    for (int i = 0; i < n; i++)
        good += r->w->kernel[i].status == STATUS_OK;
    const double start_s = process_clock_s();
    r->was_warm = is_warm(r->timer);
    r->share_ns = r->was_warm ? warm_least_ns : fmax(warm_least_ns, good ? warm_ns / good : 0);
    for (int round = -1; round < timing->repeats; round++) {
        if (round == 0) /* clocks of the warm-up do not count */
            r->clocks = (Clocks){ 0 };
        if (round >= MIN_SAMPLES && 1e9 * (process_clock_s() - start_s) > timing->max_ns)
            break;
        for (int i = 0; i < n; i++) {
            int which = sample_order(round, i, n);
            if (r->w->kernel[which].status == STATUS_OK && !time_kernel(r, which, round))
                return false;
        }
    }
    return true;
}

/* Checks all kernels once more. One that goes wrong when it is warm, or after many calls, loses its times. */
static void check_again(SamplingRun *r)
{
    for (int i = 0; i < r->w->nkernel; i++) {
        Kernel *k = &r->w->kernel[i];
        if (k->status != STATUS_OK)
            continue;
        r->w->timing.begin(r->w->timing.ctx, i);
        if (!check_once_more(r->check, k, &r->check->extra[i]))
            k->nsample = 0;
    }
}

static void tell_more(SamplingRun *r)
{
    char throttle[WHY_BYTES];
    const int clock_mhz = (int)clocks_mhz(&r->clocks);
    nvml_reasons_text(r->clocks.reasons, throttle, sizeof throttle);
    for (int i = 0; i < r->w->nkernel; i++) {
        Kernel *k = &r->w->kernel[i];
        const Extra *e = &r->check->extra[i];
        if (k->status != STATUS_OK)
            continue;
        k->more = json_object();
        if (e->ncold > 0)
            JSON_SET(k->more, FIELD("cold_ns", samples_median(e->cold_ns, e->ncold)));
        JSON_SET(k->more, FIELD("timer", r->timer->traced ? "cupti" : "events"));
        if (clock_mhz > 0)
            JSON_SET(k->more, FIELD("clock_mhz", clock_mhz), FIELD("throttle", throttle));
    }
}

bool sample_all(Check *c, Timer *t, char why[WHY_BYTES])
{
    SamplingRun r = { .check = c, .w = c->work, .timer = t };
    for (int i = 0; i < c->work->nkernel; i++) /* the checks wrote to their memory: timing starts as a product does */
        gpu_buffer_fill(&c->extra[i].scratch, 0), gpu_buffer_fill(&c->extra[i].counters, 0);
    t->clocks = &r.clocks;
    const bool good = run_rounds(&r);
    t->clocks = NULL;
    t->worked_s = process_clock_s();
    t->warm_mhz = r.was_warm ? t->warm_mhz : clocks_mhz(&r.clocks);
    if (!good)
        snprintf(why, WHY_BYTES, "times of kernels are lost: CUPTI: %.150s", t->why);
    else
        check_again(&r);
    tell_more(&r);
    return good;
}
